"""Importing real repositories: what is added, updated, left alone, and told."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from curating import (
    PERSON,
    START,
    Clock,
    bring,
    bring_with_plan,
    commit,
    counter,
    everything,
    get,
    outcome,
    repository,
    rewrite,
    write_files,
)

from memtui.capture.importer import ImportRequest, plan_import, read_sources, run_import
from memtui.curate.fields import anchors_for
from memtui.curate.history import log, redo, undo
from memtui.curate.lifecycle import pin, reject, retire
from memtui.curate.memories import edit_memory
from memtui.domain.memory import Anchor, Memory, content_hash
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

RULES = """# Shop

## Payments

- Always take the payment lock before charging a card.
- Never log card numbers, not even masked ones.
- Retry refunds at most three times with a pause between.

## Testing

Seed the database before the tests, else the fixtures fail.
"""
LOCK = "Always take the payment lock before charging a card."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", {"CLAUDE.md": RULES}, remote="git@example.org:acme/shop.git")


def stored(vault: Vault, *statuses: str) -> dict[str, Memory]:
    """Return memories by their first words."""
    with vault.read() as reader:
        found = reader.select(MemoryFilter(statuses=statuses or None), sort="created", now=vault.now())
    return {" ".join(memory.insight.split()[:3]): memory for memory in found}


def test_what_a_file_says_waits_in_the_inbox_with_its_place_and_date(vault: Vault, root: Path) -> None:
    report = bring(vault, root)
    assert outcome(report) == (4, 0, 0, 0)
    memory = stored(vault, "candidate")["Always take the"]
    assert (memory.insight, memory.project, memory.confirmed_at) == (LOCK, "shop", None)
    assert memory.source is not None
    assert (memory.source.format, memory.source.path, memory.source.span) == ("claude-md", "CLAUDE.md", (5, 5))
    assert memory.source.agent == "claude-code"
    assert memory.observed_at == datetime(2026, 1, 15, 10, tzinfo=UTC)
    assert memory.created_at >= START
    assert log(vault)[0].summary == "import 4 new memories from shop"


def test_what_its_source_superseded_is_counted_as_it_waits_nowhere(vault: Vault, root: Path) -> None:
    words = "## Context\n\nTills were slow.\n\n## Decision\n\nKeep tills on paper tape.\n"
    for number, status in (("0001", "Superseded by ADR-0002"), ("0002", "Accepted")):
        (root / "docs" / "adr").mkdir(parents=True, exist_ok=True)
        text = f"# {number}. Tills {number}\n\n## Status\n\n{status}\n\n{words}"
        (root / "docs" / "adr" / f"{number}-tills.md").write_text(text)
    report = bring(vault, root / "docs" / "adr")
    assert (report.added, report.superseded) == (2, 1)
    assert len(stored(vault, "candidate")) == 1


def test_active_accepts_at_once(vault: Vault, root: Path) -> None:
    bring(vault, root, active=True)
    memories = stored(vault).values()
    assert {(memory.status, memory.confirmed_by, memory.verified_at) for memory in memories} == {
        ("active", "person", None)
    }


def test_importing_twice_changes_nothing_and_writes_no_journal(vault: Vault, root: Path, clock: Clock) -> None:
    bring(vault, root)
    before, entries, seen = everything(vault), len(log(vault)), counter(vault)
    clock.pass_days(3)
    commit(root, on="2026-02-20")
    report = bring(vault, root)
    assert outcome(report) == (0, 0, 4, 0)
    assert report.ids == []
    assert (everything(vault), len(log(vault)), counter(vault)) == (before, entries, seen)


def test_a_dry_run_tells_the_truth_and_writes_nothing(vault: Vault, root: Path) -> None:
    bring(vault, root)
    rewrite(root, "three times", "five times")
    rewrite(root, "## Testing", "- Never charge twice for the same order.\n\n## Testing")
    before, seen = everything(vault), counter(vault)
    request = ImportRequest(paths=[root], folder=root, home=vault.path.parent)
    read = read_sources(request)
    planned = plan_import(vault, read, request)
    assert (everything(vault), counter(vault)) == (before, seen)
    assert [planned.count(action) for action in ("add", "update", "unchanged")] == [1, 1, 3]
    done, _ = run_import(vault, read, request, actor=PERSON)
    assert [(item.action, item.project) for item in done.items] == [
        (item.action, item.project) for item in planned.items
    ]


def test_a_dry_run_of_a_new_repository_names_its_project_to_be(vault: Vault, root: Path) -> None:
    request = ImportRequest(paths=[root], folder=root, home=vault.path.parent)
    plan = plan_import(vault, read_sources(request), request)
    assert {item.project for item in plan.items} == {"shop"}
    assert not vault.exists


def test_an_edited_source_is_a_new_revision_of_its_memory(vault: Vault, root: Path) -> None:
    bring(vault, root, active=True)
    before = stored(vault)["Retry refunds at"]
    rewrite(root, "three times", "five times")
    commit(root, on="2026-02-20")
    report = bring(vault, root)
    assert outcome(report) == (0, 1, 3, 0)
    assert report.ids == [before.id]
    after = get(vault, before.id)
    assert "five times" in after.insight
    assert "five times" in after.title
    assert (after.version, after.status, after.confirmed_at) == (2, "active", before.confirmed_at)
    assert after.observed_at == datetime(2026, 2, 20, 10, tzinfo=UTC)
    assert bring(vault, root).updated == 0


def test_a_new_text_in_the_same_words_all_over_is_matched_by_its_heading(vault: Vault, root: Path) -> None:
    bring(vault, root)
    before = stored(vault)["Seed the database"]
    rewrite(root, "Seed the database before the tests, else the fixtures fail.", "Run `make fixtures` first.")
    bring(vault, root)
    assert get(vault, before.id).insight == "Run `make fixtures` first."


def test_what_a_person_edited_here_is_never_overwritten(vault: Vault, root: Path) -> None:
    bring(vault, root)
    memory = stored(vault)["Retry refunds at"]
    mine = edit_memory(vault, memory.id, {"insight": "Retry refunds twice, then call a person."}, actor=PERSON)
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)
    rewrite(root, "three times", "five times")
    for _ in range(2):
        before = everything(vault)
        plan, report = bring_with_plan(vault, root)
        assert outcome(report) == (0, 0, 3, 1)
        (conflict,) = report.conflicts
        assert conflict.memory == get(vault, memory.id) == mine
        assert "five times" in conflict.draft.insight
        assert "were edited" in conflict.reason
        assert plan.missing == []
        assert everything(vault) == before


def test_a_conflict_ends_when_both_say_the_same(vault: Vault, root: Path) -> None:
    bring(vault, root)
    memory = stored(vault)["Retry refunds at"]
    edit_memory(vault, memory.id, {"insight": "Retry refunds twice."}, actor=PERSON)
    rewrite(root, "three times", "five times")
    theirs = bring(vault, root).conflicts[0].draft
    edit_memory(vault, memory.id, {"insight": theirs.insight, "title": theirs.title}, actor=PERSON)
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)


def test_tagging_or_pinning_here_is_no_edit_of_the_text(vault: Vault, root: Path) -> None:
    bring(vault, root, active=True)
    memory = stored(vault)["Retry refunds at"]
    edit_memory(vault, memory.id, {"tags": ["refund"], "kind": "decision"}, actor=PERSON)
    pin(vault, [memory.id], actor=PERSON)
    rewrite(root, "three times", "five times")
    assert outcome(bring(vault, root)) == (0, 1, 3, 0)
    after = get(vault, memory.id)
    assert (after.tags, after.kind, after.pinned) == (("refund",), "decision", True)


def test_an_edited_source_keeps_the_files_that_a_person_tied(vault: Vault, tmp_path: Path) -> None:
    rule = "---\ndescription: Pay\nglobs: {}\n---\n\nAlways take the payment lock before charging {}.\n"
    name = ".cursor/rules/pay.mdc"
    root = repository(tmp_path / "shop", {name: rule.format("src/**/*.py", "a card"), "src/lock.py": "x\n"})
    identifier = bring(vault, root).ids[0]
    tied = anchors_for(["src/lock.py"], root=root, folder=root)
    edit_memory(vault, identifier, {"anchors": (*get(vault, identifier).anchors, *tied)}, actor=PERSON)
    write_files(root, {name: rule.format("lib/**/*.py", "any card")})
    assert bring(vault, root).updated == 1
    assert get(vault, identifier).anchors == (Anchor("lib/**/*.py"), *tied)


@pytest.mark.parametrize("drop", [retire, reject])
def test_what_was_deleted_does_not_come_back(vault: Vault, root: Path, drop: object) -> None:
    bring(vault, root)
    gone = [stored(vault)["Retry refunds at"].id, stored(vault)["Never log card"].id]
    drop(vault, gone, actor=PERSON)  # type: ignore[operator]
    before = everything(vault)
    report = bring(vault, root)
    assert outcome(report) == (0, 0, 2, 0)
    word = "retired" if drop is retire else "rejected"
    told = [row for row in report.skipped if f"you {word} this" in row["reason"]]
    assert [(row["path"], row["line"]) for row in told] == [("CLAUDE.md", 6), ("CLAUDE.md", 7)]
    assert everything(vault) == before


@pytest.mark.parametrize(("active", "status"), [(False, "candidate"), (True, "active")])
def test_what_was_deleted_comes_back_when_asked_for(vault: Vault, root: Path, active: bool, status: str) -> None:
    bring(vault, root)
    memory = stored(vault)["Retry refunds at"]
    retire(vault, [memory.id], actor=PERSON)
    report = bring(vault, root, include_deleted=True, active=active)
    assert outcome(report) == (1, 0, 3, 0)
    assert report.ids == [memory.id]
    assert get(vault, memory.id).status == status
    with vault.read() as reader:
        assert reader.tombstones() == []
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)


def test_what_was_deleted_stays_away_in_other_words_unless_it_says_something_else(vault: Vault, root: Path) -> None:
    bring(vault, root)
    gone = stored(vault)["Retry refunds at"].id
    retire(vault, [gone], actor=PERSON)
    said = "Retry refunds at most three times with a pause between."
    rewrite(root, said, "Retry the refunds at most three times, with a short pause between.")
    report = bring(vault, root)
    assert outcome(report) == (0, 0, 3, 0)
    assert any(f"you retired this in other words ({gone})" in row["reason"] for row in report.skipped)
    rewrite(
        root,
        "Retry the refunds at most three times, with a short pause",
        "Never retry the refunds, with no short pause",
    )
    assert outcome(bring(vault, root)) == (1, 0, 3, 0)


def test_another_value_of_a_setting_that_was_rejected_is_offered_again(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "quay", {"AGENTS.md": "# Quay\n\n- Default branch of the harbour plans: stable\n"})
    (identifier,) = bring(vault, root, active=False).ids
    reject(vault, [identifier], actor=PERSON)
    rewrite(root, "stable", "`tides`", name="AGENTS.md")
    assert outcome(bring(vault, root, active=False))[0] == 1


def test_what_a_person_moved_to_another_project_is_not_added_anew(vault: Vault, root: Path) -> None:
    bring(vault, root)
    moved = stored(vault)["Retry refunds at"].id
    edit_memory(vault, moved, {"project": "ledger"}, actor=PERSON)
    before = everything(vault)
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)
    assert everything(vault) == before


def test_a_tombstone_keeps_out_what_the_vault_no_longer_holds(vault: Vault, root: Path) -> None:
    bring(vault, root)
    memory = stored(vault)["Retry refunds at"]
    retire(vault, [memory.id], actor=PERSON)
    with vault.write(actor="person", action="test") as writer:
        writer.remove([memory.id])
    report = bring(vault, root)
    assert outcome(report) == (0, 0, 3, 0)
    assert any("you retired this" in row["reason"] for row in report.skipped)
    assert outcome(bring(vault, root, include_deleted=True)) == (1, 0, 3, 0)


def test_an_item_inserted_above_adds_one_memory_and_moves_none(vault: Vault, root: Path) -> None:
    bring(vault, root)
    before = {memory.id: content_hash(memory) for memory in stored(vault).values()}
    rewrite(root, "- Always take", "- Never keep an order open for longer than a day.\n- Always take")
    assert outcome(bring(vault, root)) == (1, 0, 4, 0)
    assert {identifier: content_hash(get(vault, identifier)) for identifier in before} == before


def test_an_edited_item_is_found_again_when_it_also_moved(vault: Vault, root: Path) -> None:
    bring(vault, root)
    before = stored(vault)
    new = "- Never keep an order open for longer than a day.\n- Orders above 500 need a second signature.\n"
    rewrite(root, "- Always take", f"{new}- Always take")
    rewrite(root, "before charging a card", "before charging or refunding a card")
    rewrite(root, "not even masked ones", "not even masked ones, nor their CVC")
    report = bring(vault, root)
    assert outcome(report) == (2, 2, 2, 0)
    assert "refunding" in get(vault, before["Always take the"].id).insight
    assert "CVC" in get(vault, before["Never log card"].id).insight


def test_an_unrelated_item_in_an_old_ones_place_takes_over_nothing(vault: Vault, root: Path) -> None:
    bring(vault, root, active=True)
    memory = stored(vault)["Retry refunds at"]
    pin(vault, [memory.id], actor=PERSON)
    rewrite(root, "Retry refunds at most three times with a pause between.", "Invoices are numbered per country.")
    plan, report = bring_with_plan(vault, root)
    assert outcome(report) == (1, 0, 3, 0)
    assert [found.id for found in plan.missing] == [memory.id]
    assert "Retry refunds" in get(vault, memory.id).insight
    assert stored(vault)["Invoices are numbered"].status == "candidate"


def test_what_its_source_no_longer_says_is_kept_and_told(vault: Vault, root: Path) -> None:
    bring(vault, root)
    memory = stored(vault)["Never log card"]
    rewrite(root, "- Never log card numbers, not even masked ones.\n", "")
    before = {found.id: content_hash(found) for found in stored(vault).values()}
    plan, report = bring_with_plan(vault, root)
    assert outcome(report) == (0, 0, 3, 0)
    assert [found.id for found in plan.missing] == [memory.id]
    assert {found.id: content_hash(found) for found in stored(vault).values()} == before


def test_a_merged_memory_is_not_updated_behind_the_one_that_holds_it(vault: Vault, root: Path) -> None:
    from memtui.curate.merge import merge

    bring(vault, root, active=True)
    found = stored(vault)
    ids = [found["Retry refunds at"].id, found["Never log card"].id]
    merge(vault, ids, actor=PERSON)
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)
    rewrite(root, "three times", "five times")
    before = everything(vault)
    assert outcome(bring(vault, root)) == (0, 0, 3, 1)
    assert everything(vault) == before


def test_an_import_is_undone_and_redone_as_one(vault: Vault, root: Path) -> None:
    empty = everything(vault)
    bring(vault, root)
    full = everything(vault)
    undo(vault, actor=PERSON)
    assert everything(vault) == empty
    redo(vault, actor=PERSON)
    assert everything(vault) == full


def test_an_undone_update_is_offered_again(vault: Vault, root: Path) -> None:
    bring(vault, root)
    rewrite(root, "three times", "five times")
    bring(vault, root)
    undo(vault, actor=PERSON)
    assert "three times" in stored(vault)["Retry refunds at"].insight
    assert outcome(bring(vault, root)) == (0, 1, 3, 0)


# -- linked, included and copied files -------------------------------------------------------------


def test_a_linked_file_is_imported_once(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": RULES})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    report = bring(vault, root)
    assert report.added == 4
    assert outcome(bring(vault, root / "CLAUDE.md", root / "AGENTS.md")) == (0, 0, 4, 0)


@pytest.mark.parametrize("text", ["@AGENTS.md\n", "AGENTS.md"])
def test_an_included_file_is_imported_once(vault: Vault, tmp_path: Path, text: str) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": RULES, "CLAUDE.md": text})
    assert bring(vault, root).added == 4
    assert outcome(bring(vault, root / "CLAUDE.md")) == (0, 0, 4, 0)


def test_a_copied_file_makes_one_memory_with_both_sources(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": RULES, "CLAUDE.md": RULES, "docs/RULES.md": "x"})
    assert bring(vault, root).added == 4
    memory = stored(vault)["Always take the"]
    assert sorted(str(source.path) for source in memory.sources) == ["AGENTS.md", "CLAUDE.md"]
    assert outcome(bring(vault, root)) == (0, 0, 4, 0)


def test_copies_that_part_ways_are_two_memories(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": RULES, "CLAUDE.md": RULES})
    bring(vault, root)
    rewrite(root, "three times", "five times")
    assert outcome(bring(vault, root)) == (1, 0, 4, 0)
    assert {memory.insight for memory in stored(vault).values() if "refunds" in memory.insight} != set()


def test_files_of_one_name_in_two_plain_folders_are_not_taken_for_each_other(vault: Vault, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write_files(tmp_path, {"one/CLAUDE.md": RULES, "other/CLAUDE.md": RULES.replace("three times", "five times")})
    bring(vault, one)
    first = stored(vault)["Retry refunds at"]
    assert first.project is None
    assert first.source is not None
    assert first.source.path == (one / "CLAUDE.md").as_posix()
    assert outcome(bring(vault, other)) == (1, 0, 3, 0)
    assert get(vault, first.id) == first


def test_the_users_own_rules_hold_everywhere(vault: Vault, tmp_path: Path) -> None:
    home = vault.path.parent
    write_files(home, {".claude/CLAUDE.md": "# Me\n\n- Always answer in short sentences.\n"})
    bring(vault, home / ".claude" / "CLAUDE.md", folder=tmp_path)
    assert {memory.project for memory in stored(vault).values()} == {"global"}


# -- dates --------------------------------------------------------------------------------------------


def test_an_uncommitted_file_dates_from_itself_and_never_from_the_future(vault: Vault, root: Path) -> None:
    write_files(
        root, {"AGENTS.md": "# A\n\n- Never deploy on Fridays after noon.\n", "GEMINI.md": "# G\n\n- Use uv.\n"}
    )
    past, future = datetime(2025, 5, 1, tzinfo=UTC), START + timedelta(days=900)
    os.utime(root / "AGENTS.md", (past.timestamp(), past.timestamp()))
    os.utime(root / "GEMINI.md", (future.timestamp(), future.timestamp()))
    bring(vault, root)
    found = stored(vault)
    assert found["Never deploy on"].observed_at == past
    clamped = found["Use uv."]
    assert clamped.observed_at == clamped.created_at


def test_the_date_that_a_decision_states_is_honoured(vault: Vault, tmp_path: Path) -> None:
    decision = "# 7. Use Postgres\n\nDate: {}\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use Postgres {}.\n"
    root = repository(
        tmp_path / "shop",
        {
            "docs/adr/0007-use-postgres.md": decision.format("2024-10-24", 13),
            "docs/adr/0008-use-postgres.md": decision.format("2099-01-01", 14),
        },
    )
    report = bring(vault, root)
    dates = {get(vault, one).insight.rstrip(".")[-2:]: get(vault, one).observed_at for one in report.ids}
    assert dates["13"] == datetime(2024, 10, 24, tzinfo=UTC)
    assert dates["14"] is not None
    assert dates["14"] <= vault.now()


def test_an_update_never_dates_from_the_future(vault: Vault, root: Path) -> None:
    bring(vault, root)
    rewrite(root, "three times", "five times")
    future = (START + timedelta(days=900)).timestamp()
    os.utime(root / "CLAUDE.md", (future, future))
    bring(vault, root)
    memory = stored(vault)["Retry refunds at"]
    assert memory.observed_at is not None
    assert memory.observed_at <= vault.now()


@pytest.mark.skipif(os.name != "posix", reason="names of any bytes")
def test_a_folder_whose_name_is_no_text_keeps_its_memories(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": "# Shop\n"})
    odd = root / os.fsdecode(b"bad\xff")
    write_files(odd, {"CLAUDE.md": RULES})
    assert bring(vault, root).added == 4
    rewrite(odd, LOCK, LOCK.replace("card", "debit card"))
    assert outcome(bring(vault, root)) == (0, 1, 3, 0)


def test_a_heavily_edited_memory_is_found_by_what_its_source_said(vault: Vault, root: Path) -> None:
    ids = bring(vault, root).ids
    lock = next(identifier for identifier in ids if get(vault, identifier).insight == LOCK)
    edit_memory(vault, lock, {"title": "Redis", "insight": "Something else altogether."}, actor=PERSON)
    rewrite(root, LOCK, LOCK.replace("card", "debit card"))
    plan, report = bring_with_plan(vault, root)
    assert outcome(report) == (0, 0, 3, 1)
    assert plan.missing == []
