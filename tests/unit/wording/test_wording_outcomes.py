"""What an action came to, in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import NOON, make_memory

from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.resemblance import Resemblance, Sort
from memtui.curate.bulk_changes import Outcome, Skipped, SkipReason
from memtui.curate.health import HealthOptions, health
from memtui.curate.packs import Effect
from memtui.curate.projects import View
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Anchor, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.publish.destinations import place_named
from memtui.publish.plan import Plan
from memtui.text.words import Budget, counted
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.wording import outcomes
from memtui.wording.checks import anchor_state
from memtui.wording.health import sections
from memtui.wording.outcomes import LONGEST_RESEMBLING, resembles
from memtui.wording.publishing import left_out_words
from memtui.wording.tidying import mass_words, records_words
from memtui.workspace import find_workspace

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def memory(title: str) -> Memory:
    return Memory(
        id="k3f9abcd",
        project="p",
        kind="note",
        status="active",
        title=title,
        insight=title,
        created_at=NOW,
        updated_at=NOW,
    )


def test_numbers_take_the_plural_of_their_noun() -> None:
    assert [counted(1, "memory"), counted(2, "memory"), counted(1143, "pack")] == [
        "1 memory",
        "2 memories",
        "1,143 packs",
    ]
    assert counted(0, "memory in", "memories in") == "0 memories in"


def test_one_memory_is_named_and_several_are_counted() -> None:
    assert outcomes.acted("Retired", Outcome((memory("Lock refunds"),))) == "Retired: Lock refunds"
    long = outcomes.acted("Retired", Outcome((memory("Lock refunds by the payment " * 4),)))
    assert long == "Retired: Lock refunds by the payment Lock refunds by the…", (
        "it leaves a count beside it at 80 cells"
    )
    assert (
        outcomes.acted(
            "Retired",
            Outcome(
                (
                    memory("a"),
                    memory("b"),
                )
            ),
        )
        == "Retired 2 memories"
    )


def test_what_was_skipped_is_said_with_its_reasons() -> None:
    skipped = (*(Skipped(name, SkipReason.CHANGED) for name in "ab"), Skipped("c", SkipReason.PINNED))
    said = outcomes.acted(
        "Pinned",
        Outcome(
            (
                memory("a"),
                memory("b"),
            ),
            skipped,
        ),
        missing=1,
    )
    assert said == "Pinned 2 memories; 4 skipped: changed since you read it ×2, already pinned, it no longer exists"


def test_a_single_unchanged_memory_gives_its_reason_alone() -> None:
    assert outcomes.acted("Pinned", Outcome(skipped=(Skipped("a", SkipReason.PINNED),))) == "Unchanged: already pinned"
    assert outcomes.acted("Pinned", Outcome()) == "Nothing to do"


def test_rare_reasons_are_counted_only() -> None:
    many = tuple(Skipped(str(number), SkipReason.HAS_STATUS, f"s{number}") for number in range(5))
    said = outcomes.acted("Pinned", Outcome(skipped=many))
    assert said == "5 skipped: already s0, already s1, already s2, 2 more"


def test_a_title_is_one_line_without_hidden_characters() -> None:
    assert outcomes.acted("Pinned", Outcome((memory("two\nlines\u202e"),))) == "Pinned: two lines‹U+202E›"


def test_feedback_names_the_first_memories_before_and_after_and_counts_the_others() -> None:
    effects = [Effect(f"m{n}", f"Title {n}", 1.0, 0.75 - n / 100, is_due=n == 0) for n in range(5)]
    assert outcomes.feedback_given("hurt", effects) == (
        "Hurt: usefulness of “Title 0” 1.00 → 0.75, “Title 1” 1.00 → 0.74, “Title 2” 1.00 → 0.73, 2 more; "
        "“Title 0” hurt more than once and is due for review"
    )
    assert outcomes.feedback_given("unused", effects[1:2]) == "Not used: usefulness of “Title 1” 1.00 → 0.74"
    alike = [Effect(f"m{n}", f"Title {n}", 1.0, 1.25) for n in range(5)]
    assert outcomes.feedback_given("helped", alike) == "Helped: usefulness of 5 memories 1.00 → 1.25"


NEW = make_memory(id="aaaaaaaa")


@pytest.mark.parametrize(
    ("sort", "command"),
    [
        ("same", "memtui merge bbbbbbbb aaaaaaaa"),
        ("reworded", "memtui merge bbbbbbbb aaaaaaaa"),
        ("differs", "memtui link aaaaaaaa relates bbbbbbbb"),
        ("clashes", "memtui link aaaaaaaa supersedes bbbbbbbb"),
    ],
)
def test_a_resemblance_is_one_line_with_its_command(sort: Sort, command: str) -> None:
    line = resembles(NEW, Resemblance("bbbbbbbb", "Lock refunds", sort, 0.9, "30 s against 60 s"))
    assert "\n" not in line
    assert "similar to bbbbbbbb (Lock refunds; " in line
    assert command in line


def test_the_link_that_is_offered_begins_with_what_holds() -> None:
    line = resembles(NEW, Resemblance("bbbbbbbb", "Lock refunds", "clashes", 0.9, "off", winner="bbbbbbbb"))
    assert "memtui link bbbbbbbb supersedes aaaaaaaa" in line


def test_a_quotation_that_is_cut_is_closed() -> None:
    new = make_memory(id="aaaaaaaa")
    why = "“Postgres 16 in every environment that we run” against “Postgres 14 in every environment that we run”"
    line = resembles(new, Resemblance("bbbbbbbb", "A title", "clashes", 0.9, why))
    assert line.count("“") == line.count("”") == 2
    assert "“Postgres 14 in every" in line
    assert "…”" in line
    assert len(line.split("; ", 1)[1].split("):", 1)[0]) <= LONGEST_RESEMBLING


def test_pairs_that_were_not_searched_for_name_the_command_that_does(tmp_path: Path) -> None:
    options = HealthOptions(view=View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path))
    found = health(Vault(tmp_path / "none.duckdb", now=lambda: NOON), options)
    large = replace(found, duplicates=None, proposed_contradictions=None)
    notes = [row.note for section in sections(large) for row in section.rows]
    assert any("memtui tidy" in note for note in notes)


def test_the_kinds_of_each_month_are_drawn_in_one_scale(tmp_path: Path) -> None:
    options = HealthOptions(view=View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path))
    empty = health(Vault(tmp_path / "none.duckdb", now=lambda: NOON), options)
    assert "By month" not in {section.title for section in sections(empty)}
    months = {"tooling": (0,) * 7 + (1, 0, 0, 1, 0), "note": (0,) * 11 + (1,)}
    found = replace(empty, by_month=months, first_month="2025-07")
    (drawn,) = (one for one in sections(found) if one.title == "By month")
    assert [(row.label, row.value, row.chart.strip()) for row in drawn.rows[:1]] == [("tooling", "2", "██    ██")]
    assert drawn.rows[-1].note == "since 2025-07, at most 1 a month"


@pytest.mark.parametrize(
    ("path", "state", "told"),
    [
        ("pay/lock.py", "gone", "gone"),
        ("pay/lock.py", None, "unchecked"),
        ("pay/lock.py", "unverifiable", "no such file here, and none is known to have been"),
        ("pay/*.sql", "unverifiable", "no file matches, and none is known to have"),
        ("https://quay.example/rules", "unverifiable", "outside the project"),
        ("~/notes.md", "unverifiable", "outside the project"),
    ],
)
def test_a_file_that_cannot_be_checked_is_told_why(path: str, state: str | None, told: str) -> None:
    assert anchor_state(Anchor(path), state) == told


def test_what_duplicates_save_is_promised_only_where_it_is_sure() -> None:
    sure = DuplicateGroup(("a", "b"), 1.0, "easy", (), copies=True, why="the same text")
    doubtful = replace(sure, ids=("c", "d"), pile="look")
    tokens = {"a": 9, "b": 30, "c": 9, "d": 12}

    def said(*groups: DuplicateGroup) -> str:
        return mass_words(TidyReport(duplicates=groups, tokens=tokens), "duplicates")

    assert said(sure) == "30 tokens to save"
    assert said(doubtful) == "up to 12 tokens to save"
    assert said(sure, doubtful) == "30 to 42 tokens to save"


def test_what_a_plan_leaves_out_is_counted_once_for_each_sentence() -> None:
    withheld = {Reason(ReasonCode.OVER_BUDGET): 80, Reason(ReasonCode.OVER_BUDGET, unit="tokens"): 2}
    plan = Plan(place_named("codex"), (), withheld=withheld, budget=Budget(1200, "tokens"))
    assert left_out_words(plan) == "82 memories left out: 82 over the budget of 1,200 tokens"


def test_long_records_are_summed_up_with_their_share() -> None:
    report = TidyReport(records=("one", "two"), tokens={"one": 700, "two": 300, "rule": 1_000})
    assert records_words(report) == (
        "2 decisions and skills, each read from a file as one long memory, take 50% of the tokens"
    )
    alone = records_words(TidyReport(records=("one",), tokens={"one": 700, "rule": 300}))
    assert alone == "1 decision or skill, read from a file as one long memory, takes 70% of the tokens"
