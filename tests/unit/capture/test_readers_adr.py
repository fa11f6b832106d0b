"""What a user relies on when decision records are imported."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.readers.adr import AdrReader

MADR = """\
---
status: accepted
date: 2025-11-04
decision-makers: [Ana, Bo]
tags: [storage]
---
<!-- markdownlint-disable MD013 -->
# ADR-0003: Use PostgreSQL for orders

## Context and Problem Statement

Orders need transactions across `orders/ledger.py` and payments.

## Decision Drivers

* Strong consistency

## Considered Options

* PostgreSQL
* MongoDB

## Decision Outcome

Chosen option: "PostgreSQL", because it alone has serialisable transactions.

### Consequences

* Good, because reports can join

### Confirmation

A test checks the isolation level.

## Pros and Cons of the Options

### MongoDB

{long}

## More Information

See [INC-12](https://example.org/inc-12).
"""


def _file(root: Path, name: str, text: str) -> SourceFile:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return SourceFile(path, root, root / "home")


def _read(root: Path, text: str, name: str = "docs/adr/0003-x.md") -> ReadResult:
    file = _file(root, name, text)
    assert AdrReader().detect(file)
    return AdrReader().read(file)


@pytest.mark.words
def test_a_madr_record_is_one_decision_with_its_reasons(tmp_path: Path) -> None:
    result = _read(tmp_path, MADR.format(long="* Bad, because slow"))
    [draft] = result.drafts
    assert (draft.title, draft.kind) == ("Use PostgreSQL for orders", "decision")
    assert draft.insight == (
        'Chosen option: "PostgreSQL", because it alone has serialisable transactions.\n\n'
        "Confirmation:\n\nA test checks the isolation level."
    )
    headings = re.findall(r"^(\w.*):$", draft.rationale, re.MULTILINE)
    assert headings == [
        "Context and Problem Statement",
        "Decision Drivers",
        "Consequences",
        "Considered Options",
        "Pros and Cons of the Options",
        "More Information",
    ]
    assert draft.tags == ("accepted", "storage")
    assert draft.anchors == ("orders/ledger.py",)
    assert draft.observed_at == datetime(2025, 11, 4, tzinfo=UTC)
    assert (draft.source.native_id, draft.source.path) == ("0003", "docs/adr/0003-x.md")
    assert draft.notes == ()
    assert [(skipped.span, skipped.reason) for skipped in result.skipped] == [
        ((1, 6), "frontmatter: read as settings"),
        ((7, 7), "comment"),
        ((8, 8), "heading: kept as context"),
        ((23, 23), "heading: kept as context"),
    ]


def test_rejected_options_stay_inside_the_memory_however_long(tmp_path: Path) -> None:
    result = _read(tmp_path, MADR.format(long="* Bad, because slow\n" * 40))
    [draft] = result.drafts
    assert "Bad, because slow" in draft.rationale
    assert "MongoDB" not in draft.insight


@pytest.mark.parametrize(
    ("heading", "decision", "title"),
    [
        ("Queue", 'Chosen option: "Redis streams", because it is there.', "Queue: Redis streams"),
        ("Queue", "Chosen option: **Redis streams**\n\nIt is there.", "Queue: Redis streams"),
        ("Queue", "Chosen option: Option 2, because it is there.", "Queue: Redis streams"),
        ("Queue", "Chosen option: **Option 2 (lean)** — it is there.", "Queue: It is there"),
        ("Queue of the harbour.", "Chosen option: **Option 9** (cheap)", "Queue of the harbour"),
        ("Queue", "We decided to go with option 2 as it is there.", "Queue: Redis streams"),
        ("Queue", "Option 2 was chosen since it is there.", "Queue: Redis streams"),
        ("Queue", "We will use Redis streams.", "Queue: Use Redis streams"),
        # what is only asked for is the topic
        ("What lamp should we take for the pier", "We will use oil lamps.", "Lamp for the pier: Use oil lamps"),
        ("Use which rope", "Keep the wire ropes since the boats fit.", "Keep the wire ropes since the boats fit"),
        # what was done is what was decided
        (
            "Rope Provider Architecture",
            "Introduce a rope provider for the boats.",
            "Introduce a rope provider for the boats",
        ),
        (
            "Rope Layer Pattern",
            "We introduced a pool of ropes:\n\n- Wire\n- Hemp",
            "Rope Layer Pattern: Introduced a pool of ropes: Wire, Hemp",
        ),
        (
            "State Management Approach",
            "We widened the tide store.",
            "State Management Approach: Widened the tide store",
        ),
        (
            "Keeping And Giving",
            "Piers use the daily log of all ropes with seven days of local retention for boats of the quay.",
            "Keeping And Giving: Piers use the daily log of all ropes with seven days of local retention",
        ),
        ("Queue", "After the trial, the decision is not to use a broker. It is slow.", "Queue: Do not use a broker"),
        (
            "Queue",
            "In the context of the outbox, facing slow calls, we decided for Redis streams and neglected Kafka.",
            "Queue: Redis streams",
        ),
        ("Use Redis streams for the queue", 'Chosen option: "Redis streams", because fast.', None),
        # words that only lead to a list are no choice, but the list is one
        (
            "Layout of the yard",
            "We decided on the following:\n\n1. Cranes in the north.\n2. Ropes in the hall.",
            "Layout of the yard: Cranes in the north, Ropes in the hall",
        ),
        (
            "Crane Watch Stack",
            (
                "Foremen use plain lamps, CSRF-protected bells, in-memory horns, hand-made whistles, leather drums "
                "and the flags of the outer quay and its boats."
            ),
            "Crane Watch Stack: Foremen use plain lamps, CSRF-protected bells, in-memory horns",
        ),
        (
            "Which rope for alarms?",
            'Chosen option: "Hemp with a core", because it holds.',
            "Rope for alarms: Hemp with a core",
        ),
        (
            "Rules for wet ropes",
            "Any rope, knot or chain that lies on the open quay is banned from the crane.",
            "Rules for wet ropes: Any rope, knot or chain that lies on the open quay is banned from the crane",
        ),
        (
            "Rules for wet ropes",
            "Any rope, knot or chain of which the label mentions salt water or the open quay is banned everywhere.",
            None,
        ),
        (
            "Tide log report",
            "The pier adds `tide_log` for the harbour.\n\n### 1) Form and scope\n\nLines.\n\n### 2) Place\n\nA hall.",
            "Tide log report: The pier adds tide_log for the harbour",
        ),
        ("How to count boats", 'Chosen option: "Lamps", because they work by day.', "Count boats: Lamps"),
        ("Brokers for the outbox", "Keep what we have. It is fast.", "Brokers for the outbox: Keep what we have"),
        ("Use Redis streams for the queue", "We will keep the outbox in one stream per berth.", None),
        (
            "Add a tide field",
            'Chosen option: "Keep it in the berth table", because fast.',
            "Add a tide field: Keep it in the berth table",
        ),
        ("Which queue do we use?", 'Chosen option: "Redis streams"', "Queue: Redis streams"),
        (
            "{short title of the problem}",
            'Chosen option: "Redis streams", because the harbour runs it',
            "Tide queue: Redis streams",
        ),
        ("Warteschlange", 'Gewählte Option: "Redis-Streams", weil sie da sind.', "Warteschlange: Redis-Streams"),
        ("File d'attente", "Option retenue : « Redis Streams », car présente.", "File d'attente: Redis Streams"),
        ("Cola", 'Opción elegida: "Redis Streams", porque ya está.', "Cola: Redis Streams"),
        ("Fila", 'Opção escolhida: "Redis Streams", porque já existe.', "Fila: Redis Streams"),
        ("队列", "选择的方案：“Redis 流”，因为已经部署。", "队列: Redis 流"),
        ("キュー", "選択した案：「Redis ストリーム」、既にあるため。", "キュー: Redis ストリーム"),
    ],
)
def test_a_record_is_titled_by_its_decision(tmp_path: Path, heading: str, decision: str, title: str | None) -> None:
    text = f"# {heading}\n\n## Considered Options\n\n1. Kafka\n2. Redis streams\n\n## Decision Outcome\n\n{decision}\n"
    [draft] = _read(tmp_path, text, "docs/adr/0004-tide-queue.md").drafts
    assert draft.title == (title or heading)


@pytest.mark.parametrize(
    ("options", "chosen", "title"),
    [
        (
            "- **A. Leave the ropes.** Cheap.\n- **B. One rope for all boats.** Dear.",
            "Chosen: **B**.",
            "Queue of ropes: One rope for all boats",
        ),
        (
            "- **B — one rope for all boats.** Dear.",
            "Chosen option: **B — one rope**, because it holds.",
            "Queue of ropes: One rope",
        ),
    ],
)
def test_a_decision_that_names_its_option_by_a_letter_says_which_it_is(
    tmp_path: Path, options: str, chosen: str, title: str
) -> None:
    text = f"# Queue of ropes\n\n## Considered Options\n\n{options}\n\n## Decision Outcome\n\n{chosen}\n"
    [draft] = _read(tmp_path, text).drafts
    assert draft.title == title
    assert "one rope" in draft.insight.lower()


def test_a_proposed_record_leaves_room_for_saying_so(tmp_path: Path) -> None:
    subject = "One rope for all of the boats at the outer pier, each with a knot of its own, by night and day"
    [draft] = _read(tmp_path, f"# {subject}\n\nStatus: proposed\n\n## Decision\n\nChosen: Hemp\n").drafts
    assert draft.title.startswith("Proposed: One rope for all of")


def test_a_decision_without_a_reason_takes_a_short_one(tmp_path: Path) -> None:
    text = "# Use UTC\n\n## Decision\n\nAll logs are in UTC.\n\n## Rationale\n\nCranes move between zones.\n"
    [draft] = _read(tmp_path, text).drafts
    assert draft.insight == "All logs are in UTC.\n\nRationale:\n\nCranes move between zones."
    assert draft.rationale == ""


def test_the_parts_of_a_decision_with_its_exceptions_stay_together(tmp_path: Path) -> None:
    piers = "".join(f"### {number}) Pier {number}\n\n{'Moor by the bell alone. ' * 40}\n\n" for number in (1, 2, 3, 4))
    exceptions = "### Storms\n\nNobody moors above ten knots of wind.\n\n### Consequences\n\nFewer bent cleats.\n"
    [draft] = _read(tmp_path, f"# 7. Mooring\n\n## Decision\n\nMoor in turn.\n\n{piers}{exceptions}").drafts

    assert re.findall(r"^(\d)\)", draft.insight, re.MULTILINE) == ["1", "2", "3", "4"]
    assert "Nobody moors above ten knots" in draft.insight
    assert draft.rationale == "Fewer bent cleats."


def test_a_very_long_decision_leaves_its_later_parts_to_the_reasons(tmp_path: Path) -> None:
    sizes = (120, 120, 120, 5)
    parts = "".join(f"### Part {number}\n\n{'Cranes are listed. ' * size}\n\n" for number, size in enumerate(sizes))
    [draft] = _read(tmp_path, f"# Use a list\n\n## Decision\n\nCranes are kept in a list.\n\n{parts}").drafts
    assert draft.insight.startswith("Cranes are kept in a list.\n\nPart 0:")
    assert re.findall(r"Part (\d):", draft.insight) == ["0", "1"]
    assert re.findall(r"Part (\d):", draft.rationale) == ["2", "3"]


@pytest.mark.parametrize("decision", ["TBD", "To be decided.", "[PR 12](https://x.example/12)"])
def test_an_open_decision_is_not_the_memory(tmp_path: Path, decision: str) -> None:
    text = f"# Tide tables\n\n## Context\n\nTides are read by hand today.\n\n## Decision\n\n{decision}\n"
    [draft] = _read(tmp_path, text).drafts
    assert draft.insight == "Tides are read by hand today."


NYGARD = """\
# 7. Use ISO 8601 dates

Date: 2016-11-07

## Status

{status}

## Context

Everybody should read a date alike.

## Decision

We will write `yyyy-mm-dd`.

## Consequences

Old records keep their dates.
"""


@pytest.mark.parametrize(
    ("status", "tags", "notes", "told"),
    [
        ("Accepted", ("accepted",), (), ""),
        ("Proposed", ("proposed",), (), ""),
        ("Draft", ("proposed",), (), ""),
        ("Rejected", ("rejected",), ("superseded-at-source",), "Status: Rejected"),
        ("Deprecated", ("deprecated",), ("superseded-at-source",), "Status: Deprecated"),
        (
            "Superceded by [8. Use RFC 3339](0008-rfc.md)",
            ("superseded",),
            ("superseded-at-source",),
            "Status: Superceded by 8. Use RFC 3339",
        ),
        (
            "Accepted\n\nSupersedes [3. Use local dates](0003.md)",
            ("accepted",),
            (),
            "Status: Accepted Supersedes 3. Use local dates",
        ),
        (
            "Accepted, partially superseded by ADR-9",
            ("accepted",),
            (),
            "Status: Accepted, partially superseded by ADR-9",
        ),
        ("Not yet accepted, in review", ("proposed",), (), "Status: Not yet accepted, in review"),
        ("Proposed | Accepted | Deprecated", (), (), "Status: Proposed | Accepted | Deprecated"),
        ("?", (), (), ""),
        ("Accepted (2026-03-12)", ("accepted",), (), ""),
        ("✅ Accepted on 12 March 2026", ("accepted",), (), ""),
        ("Accepted 2026-03-12 by the board", ("accepted",), (), "Status: Accepted 2026-03-12 by the board"),
    ],
)
def test_the_status_decides_on_tags_and_retirement(
    tmp_path: Path, status: str, tags: tuple[str, ...], notes: tuple[str, ...], told: str
) -> None:
    [draft] = _read(tmp_path, NYGARD.format(status=status), "doc/adr/0007-dates.md").drafts
    assert (draft.tags, draft.notes) == (tags, notes)
    assert draft.insight == "We will write `yyyy-mm-dd`."
    state = "" if tags in {(), ("accepted",)} else f"{tags[0].capitalize()}: "
    assert draft.title == f"{state}Use ISO 8601 dates"
    assert draft.observed_at == datetime(2016, 11, 7, tzinfo=UTC)
    assert draft.rationale.startswith(told or "Context:\n\nEverybody")


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# 12. Use queues", "Use queues"),
        ("# ADR-0012: Use queues", "Use queues"),
        ("# ADR 12 - Use queues", "Use queues"),
        ("# [ADR-12] Use queues", "Use queues"),
        ("# 0012 \u2013 Use queues", "Use queues"),
        ("# ADR: Use queues", "Use queues"),
        ("# 3 replicas per shard", "3 replicas per shard"),
        ("# Replace ADR-7 with queues", "Replace ADR-7 with queues"),
        ("# Decision making by lazy consensus", "Decision making by lazy consensus"),
        ("Use queues\n==========", "Use queues"),
        ("", "Some queues"),
    ],
)
def test_titles_go_without_their_number(tmp_path: Path, heading: str, title: str) -> None:
    text = f"{heading}\n\n## Context\n\nLoad.\n\n## Decision\n\nWe queue everything.\n"
    [draft] = _read(tmp_path, text, "docs/decisions/0012-some-queues.md").drafts
    assert draft.title == title
    assert draft.insight == "We queue everything."


@pytest.mark.parametrize(
    "lines",
    [
        "* Status: accepted\n* Date: 2026-01-12\n* Deciders: Ana",
        "- **Status:** Accepted\n- **Datum:** 2026-01-12\n- **Owner:** Ana, for the crews\n  of both quays",
        "**Status:** Accepted  \n**Date:** January 12, 2026",
        "- **Status**: Accepted\n- **Date**: 12 Jan 2026",
        "| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2026-01-12 |",
        "Status: Accepted\n\nLast updated: 12.01.2026",
        "## Status: Accepted\n\n## Date: 2026-01-12",
        "## Status\n\nAccepted (2026-01-12)",
    ],
)
def test_settings_above_the_sections_are_read(tmp_path: Path, lines: str) -> None:
    [draft] = _read(tmp_path, f"# Use queues\n\n{lines}\n\n## Decision\n\nWe queue everything.\n").drafts
    assert draft.tags == ("accepted",)
    assert draft.observed_at == datetime(2026, 1, 12, tzinfo=UTC)
    assert "quays" not in draft.insight + draft.rationale


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/adr/0000-template.md", "# Title\n\n## Decision\n\nWe will.\n"),
        ("docs/adr/adr-template-bare-minimal.md", "# x\n\n## Decision\n\nWe will.\n"),
        ("docs/adr/NNNN-title.md", "# x\n\n## Decision\n\nWe will.\n"),
        ("docs/adr/0001-x.md", "# {short title, representative of the problem}\n\n## Context\n\n{Describe}\n"),
        ("docs/adr/0001-x.md", "# ADR-NNN: [Decision Title]\n\n## Decision\n\nWe will do it.\n"),
        (
            "docs/adr/0001-x.md",
            '# Use x\n\n## Decision Outcome\n\nChosen option: "{title of option 1}", because {justification}.\n',
        ),
    ],
)
def test_forms_to_be_filled_in_are_skipped_with_the_reason(tmp_path: Path, name: str, text: str) -> None:
    result = _read(tmp_path, text, name)
    assert result.drafts == []
    assert [skipped.reason for skipped in result.skipped] == ["a template: no decision yet"]


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("docs/decisions/0001-a.md", "x", True),
        ("adr/ADR-caching.md", "x", True),
        ("docs/adr/backend/0012_b.markdown", "x", True),
        ("docs/architecture/decisions/2024-05-22-a.md", "x", True),
        ("docs/adr/choose-database.md", "# A\n\n## Context\n\n## Decision\n", True),
        ("docs/adr/choose-database.md", "# Notes on decisions\n", False),
        ("docs/adr/README.md", "# ADRs\n\n## Decision\n", False),
        ("docs/0001-a.md", "## Decision", False),
        ("docs/adr/0001-a.txt", "x", False),
        ("docs/adr/0005-email-template-engine.md", "x", True),
    ],
)
def test_records_are_known_by_folder_and_name(tmp_path: Path, name: str, text: str, known: bool) -> None:
    assert AdrReader().detect(_file(tmp_path, name, text)) is known


def test_a_record_that_is_named_like_a_template_engine_is_no_template(tmp_path: Path) -> None:
    result = _read(
        tmp_path, "# Use Jinja\n\n## Decision\n\nWe use `{placeholder}` syntax.\n", "adr/0005-template-engine.md"
    )
    assert [draft.title for draft in result.drafts] == ["Use Jinja"]


def test_dated_names_are_ids_as_a_whole_and_give_the_date(tmp_path: Path) -> None:
    [draft] = _read(tmp_path, "We queue everything from now on.\n", "decisions/2024-05-22-use-queues.md").drafts
    assert (draft.source.native_id, draft.title) == ("2024-05-22-use-queues", "Use queues")
    assert draft.observed_at == datetime(2024, 5, 22, tzinfo=UTC)


@pytest.mark.words
def test_a_record_without_a_decision_still_says_what_it_says(tmp_path: Path) -> None:
    result = _read(tmp_path, "# Queues\n\n## Context\n\nWe do not know yet.\n\n## Decision\n\n## Consequences\n\nTBD\n")
    [draft] = result.drafts
    assert (draft.insight, draft.rationale) == ("We do not know yet.", "TBD")
    assert [(skipped.span, skipped.reason) for skipped in result.skipped] == [
        ((1, 1), "heading: kept as context"),
        ((3, 3), "heading: kept as context"),
        ((7, 7), "heading without text"),
        ((9, 9), "heading: kept as context"),
    ]


def test_headings_in_fences_part_nothing(tmp_path: Path) -> None:
    text = "# Use frontmatter\n\n## Decision\n\n```markdown\n## Context\n---\n```\n\nThat is it.\n"
    [draft] = _read(tmp_path, text).drafts
    assert draft.insight == "```markdown\n## Context\n---\n```\n\nThat is it."
    assert draft.rationale == ""


PIECES = st.sampled_from(
    [
        *(
            "# Use @",
            "## Context",
            "## Decision",
            "### Consequences",
            "## Status",
            "Accepted @",
            "## Options",
            "### A @",
        ),
        *(
            "* Good, because @",
            "words @ stand here",
            "Date: 2026-01-02",
            "```\ncode @\n# no heading\n```",
            "<!-- @ -->",
        ),
        *("> quote @", "## Other @", "| a |\n|---|\n| @ |", "---", "Status: proposed @", "", ""),
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_no_line_of_a_record_is_lost(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    text = "\n".join(piece.replace("@", f"w{number}w") for number, piece in enumerate(pieces))
    file = _file(tmp_path_factory.mktemp("adr"), "adr/0001-x.md", text)
    assert_nothing_lost(file, AdrReader().read(file))


def assert_nothing_lost(file: SourceFile, result: ReadResult) -> None:
    told = {line for skipped in result.skipped if skipped.span for line in range(skipped.span[0], skipped.span[1] + 1)}
    spans = [draft.source.span for draft in result.drafts if draft.source.span]
    covered = {line for first, last in spans for line in range(first, last + 1)}
    said = " ".join(f"{d.title} {d.insight} {d.rationale} {d.tags} {d.source.native_id}" for d in result.drafts)
    for number, line in enumerate(file.text.split("\n"), 1):
        if line.strip():
            assert number in told | covered, line
            assert number in told or all(word in said for word in re.findall(r"w\d+w", line)), line
    assert len({draft.source.native_id for draft in result.drafts}) == len(result.drafts)
