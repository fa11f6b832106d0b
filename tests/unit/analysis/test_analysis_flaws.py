"""Memories that are fragments, hold no fact or hold too much: what is found, what is left alone, what mends it."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memtui.analysis.flaws import FlawReason, Mend, Neighbours, flaw_in, flaw_of, heading_above, mend_of, parts_of
from memtui.domain.memory import Memory, Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)

FLAWED = [
    (FlawReason.OPEN, "Adding a quay", "To add a quay, change these files:"),
    (FlawReason.OPEN, "When a ferry is late", "When a ferry is late:"),
    (FlawReason.OPEN, "Berths", "The berths are listed below"),
    (FlawReason.BACK, "Tides", "Apply the steps above before the tide table is read."),
    (FlawReason.BACK, "确认", "按上述流程执行"),
    (FlawReason.DANGLING, "All three run without a tide table", "All three run without a tide table."),
    (FlawReason.DANGLING, "These replace the crane log", "These replace the crane log of the old harbour."),
    (FlawReason.DANGLING, "This keeps the berth free", "This keeps the berth free for the pilot."),
    (FlawReason.RESUMED, "Mooring", "4. Tie the bow line.\n5. Tie the stern line."),
    (FlawReason.CODE, "Examples", "```python\nmoor(ship)\n```"),
    (FlawReason.HALF, "The bow line slips", "Problem: the bow line slips."),
    (FlawReason.NAMELESS, "A list of all berths", "A list of all berths and their depths."),
    (FlawReason.NAMELESS, "Settings for the tide gauge", "Settings for the tide gauge."),
    (FlawReason.POINTER, "See docs/tides.md", "See `docs/tides.md` for the tides."),
    (FlawReason.ANNOUNCES, "This file describes the harbour", "This file describes the harbour to coding agents."),
    (FlawReason.STAMP, "Last updated", "Last updated: 2026-01-06\nVersion: 2"),
    (FlawReason.ECHO, "Skill weigh-containers", "Skill `weigh-containers`: Weigh the containers"),
    (FlawReason.PLATITUDE, "Be careful", "Be careful with errors."),
]


@pytest.mark.parametrize(("reason", "title", "insight"), FLAWED)
def test_what_does_not_stand_by_itself_or_says_nothing_is_found(reason: FlawReason, title: str, insight: str) -> None:
    found = flaw_in(title, insight)
    assert found is not None
    assert found[0] is reason


SOUND = [
    ("Cranes", "The cranes are numbered from the quay: the nearest is 1."),
    ("Adding a quay", "To add a quay, change these files:\n\n- `quays.toml`\n- `berths.toml`"),
    ("This repository holds the harbour's timetable", "This repository holds the harbour's timetable."),
    ("It is never safe to skip the weighing", "It is never safe to skip the weighing."),
    ("Both client and server check the berth", "Both client and server check the berth."),
    ("Tides: This doubles the waiting time", "This doubles the waiting time."),
    ("Keep the load above 80 %", "Keep the load of the generator above 80 %."),
    ("Mooring", "1. Tie the bow line.\n2. Tie the stern line."),
    ("Weighing a container", "```python\n# the scale needs two seconds\nweigh(container)\n```"),
    ("Read docs/tides.md", "Read `docs/tides.md` before you change the tide gauge."),
    ("A component that weighs must lock the scale", "A component that weighs a container must lock the scale."),
    ("The silo for rye holds 35 tonnes", "The silo for rye holds 35 tonnes."),
    ("Berths for ferries stay free", "Berths for ferries closed in winter stay free."),
    ("Ferries wait for the pilot", "Ferries wait for the pilot"),
    ("Ferries of the islands wait for the pilot", "Ferries of the islands wait for the pilot."),
    ("Cranes run for ten hours", "Cranes run for ten hours."),
    ("Diese Anwendung plant die Kräne", "Diese Anwendung plant die Kräne."),
    ("Users of the quay", "Users of the quay get a key at noon."),
    ("Workers for the import", "Workers for the import run at night."),
    ("Problem: the bow line slips", "Problem: the bow line slips. Tie it twice, and check the cleat after an hour."),
]


@pytest.mark.parametrize(("title", "insight"), SOUND)
def test_what_stands_by_itself_is_left_alone(title: str, insight: str) -> None:
    assert flaw_in(title, insight) is None


def piece(
    identifier: str, first: int, last: int, heading: str = "Harbour > Mooring", insight: str = "Tie the bow line."
) -> Memory:
    source = Source(format="claude-md", path="CLAUDE.md", span=(first, last), native_id=f"{heading}#1")
    return Memory(
        id=identifier,
        title="Mooring",
        insight=insight,
        project="harbour",
        created_at=NOW,
        updated_at=NOW,
        sources=(source,),
    )


def test_a_fragment_is_joined_with_what_stood_next_to_it_in_its_file() -> None:
    before, middle, after = piece("a", 3, 4), piece("b", 6, 6), piece("c", 8, 9)
    far = piece("d", 40, 41)
    neighbours = Neighbours([far, after, before, middle])
    assert mend_of(middle, FlawReason.DANGLING, neighbours, 1) == (Mend.JOIN, "a")
    assert mend_of(middle, FlawReason.OPEN, neighbours, 1) == (Mend.JOIN, "c")
    assert mend_of(far, FlawReason.OPEN, neighbours, 1) == (Mend.HEADING, "")


def test_a_fragment_is_not_joined_with_the_last_text_of_another_heading() -> None:
    last, fragment = piece("a", 3, 4, "Harbour > Ropes"), piece("b", 6, 6, "Harbour > Trust", "These ropes are tested.")
    following = piece("c", 8, 9, "Harbour > Trust > Cranes")
    neighbours = Neighbours([last, fragment, following])
    assert mend_of(fragment, FlawReason.BACK, neighbours, 1) == (Mend.HEADING, "")
    assert mend_of(fragment, FlawReason.OPEN, neighbours, 1) == (Mend.HEADING, "")


def test_what_refers_to_a_section_further_above_is_left_to_a_person() -> None:
    before, middle = piece("a", 3, 4), piece("b", 6, 6, insight="Apply the rules of the section above.")
    assert mend_of(middle, FlawReason.BACK, Neighbours([before, middle]), 1) == (Mend.EDIT, "")
    steps = piece("a", 3, 4, insight="- Tie the bow line.\n- Tie the stern line.")
    nearer = piece("b", 6, 6, insight="Do this after the two steps above.")
    assert mend_of(nearer, FlawReason.BACK, Neighbours([steps, nearer]), 1) == (Mend.JOIN, "a")


def test_a_fragment_is_joined_only_with_what_holds_what_it_refers_to_and_found_again_otherwise() -> None:
    fragment = piece("b", 6, 6, insight="Prefer the knots shown in the files above.")
    beside, holder = piece("a", 3, 4, insight="Keep the lines dry."), piece("a", 3, 4, insight="Read `knots/bow.md`.")
    assert mend_of(fragment, FlawReason.BACK, Neighbours([beside, fragment]), 1) == (Mend.EDIT, "")
    assert mend_of(fragment, FlawReason.BACK, Neighbours([holder, fragment]), 1) == (Mend.JOIN, "a")
    began = time.process_time()
    for odd in ("a-", "a@.", "\n"):
        long = piece("a", 3, 4, insight=f"Tie{odd * 60_000}it")
        assert mend_of(fragment, FlawReason.BACK, Neighbours([long, fragment]), 1) == (Mend.EDIT, "")
    assert time.process_time() - began < 2
    assert flaw_in("Mooring", f"{beside.insight}\n\n{fragment.insight}") == (FlawReason.BACK, "the files above")
    assert flaw_in("Mooring", f"{holder.insight}\n\n{fragment.insight}") is None


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("The harbour master checks all of the above at noon.", ("a", "b", "c")),
        ("Both are checked at noon.", ("b", "c")),
        ("These are checked at noon.", ("c",)),
        ("Bei Ebbe gelten alle oben genannten Knoten.", ("a", "b", "c")),
        ("以上全部由港务长检查。", ("a", "b", "c")),
    ],
)
def test_what_means_several_is_joined_with_all_of_them_or_left_to_a_person(text: str, joined: tuple[str, ...]) -> None:
    before = [piece(name, line, line, insight=f"Tie line {name}.") for line, name in enumerate("abc", 4)]
    elsewhere, last = piece("z", 3, 3, "Harbour > Ropes"), piece("d", 7, 7, insight=text)
    flaw = flaw_of(last, (FlawReason.BACK, ""), Neighbours([elsewhere, *before, last]), 1)
    assert (flaw.mend, (*flaw.more, flaw.other)) == (Mend.JOIN, joined)
    if len(joined) > 1:
        long = [replace(one, insight="Tie it. " * 400) for one in before]
        flaw = flaw_of(last, (FlawReason.BACK, ""), Neighbours([*long, last]), 1)
        assert (flaw.mend, flaw.other, flaw.more) == (Mend.EDIT, "", ())


def test_without_neighbour_the_heading_is_taken_in_or_a_person_edits_it() -> None:
    alone = piece("a", 3, 4, insight="Settings for the tide gauge.")
    assert heading_above(alone) == "Mooring"
    below = "Use it for crews that:\n- sail at night\n- relieve another night crew\n- sign a log per watch"
    assert (
        heading_above(piece("c", 3, 6, "Crew rota > Night (one log per watch)", insight=below))
        == "Night (one log per watch)"
    )
    assert mend_of(alone, FlawReason.NAMELESS, Neighbours([alone]), 1) == (Mend.HEADING, "")
    generic = piece("b", 3, 4, heading="Notes", insight="Settings for the tide gauge.")
    assert heading_above(generic) == ""
    assert mend_of(generic, FlawReason.NAMELESS, Neighbours([generic]), 1) == (Mend.EDIT, "")


def test_what_says_nothing_is_retired_and_what_says_too_much_is_split_where_it_has_parts() -> None:
    one = piece("a", 3, 4)
    assert mend_of(one, FlawReason.POINTER, Neighbours([one]), 1) == (Mend.RETIRE, "")
    assert mend_of(one, FlawReason.OVERSIZED, Neighbours([one]), 3) == (Mend.SPLIT, "")
    assert mend_of(one, FlawReason.OVERSIZED, Neighbours([one]), 1) == (Mend.EDIT, "")


def test_a_text_is_split_between_paragraphs_and_items_and_loses_nothing() -> None:
    items = "\n".join(f"- Crane {number} lifts {number} tonnes\n  at most." for number in range(9))
    code = "```\nlift()\n\nlower()\n```"
    text = f"The cranes lift by the book:\n\n{items}\n\nA paragraph of its own.\n{code}"
    parts = parts_of(text, 120)
    assert len(parts) > 2
    assert parts[0].startswith("The cranes lift by the book:\n\n- Crane 0")
    assert parts[-1].endswith(code)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert parts_of("One sentence only.", 5) == ["One sentence only."]
    assert parts_of("First.\n\nSecond.\n\n- item", 20) == ["First.\n\nSecond.", "- item"]


@pytest.mark.parametrize("text", ["Cranes" + "\n" * 800_000 + "lift", "Cranes:\n\n" * 100_000], ids=["blank", "leads"])
def test_a_long_text_is_split_in_time_that_is_linear_in_its_lines(text: str) -> None:
    began = time.process_time()
    assert "".join("".join(parts_of(text, 120)).split()) == "".join(text.split())
    assert time.process_time() - began < 2


@pytest.mark.parametrize("value", ["Tern 4 (dock build). Do NOT use Tern 5.", "2, and never 3 on the old quay"])
def test_a_version_that_forbids_another_says_something(value: str) -> None:
    assert flaw_in("Crane software", f"Version: {value}") is None
    assert flaw_in("Crane software", "Version: Tern 4 (dock build)") == (FlawReason.STAMP, "")
