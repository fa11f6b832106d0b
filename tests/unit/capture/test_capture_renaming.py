"""A source that was moved or renamed stays the source of its memories, edited or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import PERSON, bring, bring_with_plan, counter, get, outcome, repository, rewrite, write_files

from memtui.capture.source_conflicts import open_conflicts
from memtui.curate.lifecycle import retire
from memtui.curate.memories import edit_memory
from memtui.vault.vault import Vault

RULES = """# Shop

- Always take the payment lock before charging a card.
- Never log card numbers, not even masked ones.
- Retry refunds at most three times with a pause between.
"""
OTHER = "# Ferry\n\n- Never sell a seat twice.\n- Always close the gangway first.\n"
LOCK = "Always take the payment lock before charging a card."
LONGER = "Always take the payment lock for 30 s before charging a card."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", {"docs/CLAUDE.md": RULES, "ferry/AGENTS.md": OTHER})


def paths(vault: Vault, ids: list[str]) -> set[str | None]:
    return {source.path for identifier in ids for source in get(vault, identifier).sources}


@pytest.mark.parametrize("new", ["CLAUDE.md", "docs/sub/CLAUDE.md", "docs/AGENTS.md"])
def test_a_moved_file_is_the_source_of_its_memories_still(vault: Vault, root: Path, new: str) -> None:
    ids = bring(vault, root).ids
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    (root / "docs/CLAUDE.md").rename(root / new)
    assert outcome(bring(vault, root)) == (0, 0, 5, 0)
    assert paths(vault, ids) == {new, "ferry/AGENTS.md"}
    before = counter(vault)
    assert outcome(bring(vault, root)) == (0, 0, 5, 0)
    assert counter(vault) == before

    rewrite(root, LOCK, LONGER, new)
    plan, report = bring_with_plan(vault, root)
    assert outcome(report) == (0, 1, 4, 0)
    assert plan.missing == []


def test_a_file_that_was_moved_and_edited_at_once_brings_its_memories_along(vault: Vault, root: Path) -> None:
    ids = bring(vault, root).ids
    kept = next(identifier for identifier in ids if get(vault, identifier).insight == LOCK)
    gone = next(identifier for identifier in ids if "card numbers" in get(vault, identifier).insight)
    retire(vault, [gone], actor=PERSON, reason="wrong")
    (root / "docs/CLAUDE.md").rename(root / "RULES.md")
    rewrite(root, LOCK, LONGER, "RULES.md")
    plan, report = bring_with_plan(vault, root, root / "RULES.md")
    assert outcome(report) == (0, 1, 3, 0)
    assert [item.memory.id for item in plan.items if item.action == "skip" and item.memory] == [gone]
    assert get(vault, kept).insight == LONGER
    assert paths(vault, [kept]) == {"RULES.md"}


def test_a_conflict_is_found_in_a_moved_file_too(vault: Vault, root: Path) -> None:
    ids = bring(vault, root).ids
    mine = next(identifier for identifier in ids if get(vault, identifier).insight == LOCK)
    edit_memory(vault, mine, {"insight": "Take the lock in Redis."}, actor=PERSON)
    (root / "docs/CLAUDE.md").rename(root / "CLAUDE.md")
    rewrite(root, LOCK, LONGER)
    assert outcome(bring(vault, root)) == (0, 0, 4, 1)
    with vault.read() as reader:
        [conflict] = open_conflicts(reader)
    assert (conflict.memory.id, conflict.base.insight, conflict.text.stated.insight) == (mine, LOCK, LONGER)


def test_a_copy_and_an_unrelated_file_take_nothing_over(vault: Vault, root: Path) -> None:
    ids = bring(vault, root).ids
    write_files(root, {"GEMINI.md": "# Boats\n\n- Always paint the hull in spring.\n", "CLAUDE.md": RULES})
    (root / "ferry/AGENTS.md").unlink()
    assert bring(vault, root).added == 1
    assert paths(vault, ids) == {"docs/CLAUDE.md", "ferry/AGENTS.md"}
