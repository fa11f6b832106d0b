"""Which memory an edited piece was before: by its heading where that tells, else by likeness."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import PERSON, bring, bring_with_plan, counter, get, outcome, repository, rewrite, write_files

from memtui.capture.draft import Draft
from memtui.capture.matching import match_edits
from memtui.capture.source_conflicts import open_conflicts
from memtui.curate.lifecycle import retire
from memtui.curate.memories import edit_memory
from memtui.domain.memory import Memory, Source
from memtui.vault.vault import Vault

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOCK = "Always take the payment lock before charging a card."
LOG = "Never log card numbers, not even masked ones."
REFUND = "Retry refunds at most three times with a pause between."


def source(place: str, line: int, path: str = "CLAUDE.md") -> Source:
    return Source(format="claude-md", path=path, native_id=place, span=(line, line))


def draft(text: str, place: str, line: int = 1, path: str = "CLAUDE.md") -> Draft:
    return Draft(title=text[:20], insight=text, kind="lesson", source=source(place, line, path))


def memory(text: str, place: str, line: int = 1, path: str = "CLAUDE.md") -> Memory:
    sources = (source(place, line, path),)
    return Memory(id=f"m{line}", title=text[:20], insight=text, created_at=NOW, updated_at=NOW, sources=sources)


def matched(drafts: list[Draft], memories: list[Memory]) -> dict[str, str]:
    found = match_edits(drafts, memories, all_drafts=drafts, all_memories=memories)
    return {drafts[number].insight: memory.insight for number, memory in found.items()}


def test_nothing_matches_nothing() -> None:
    assert matched([], []) == matched([draft(LOCK, "R#1")], []) == matched([], [memory(LOCK, "R#1")]) == {}


def test_the_only_piece_under_a_heading_is_known_by_it() -> None:
    assert matched([draft("Use uv.", "Rules > Tools#1")], [memory(LOCK, "Rules > Tools#1")]) == {"Use uv.": LOCK}


def test_an_id_that_the_source_gives_is_the_identity() -> None:
    drafts = [draft("Use uv.", "ADR-7"), draft("Use tox.", "ADR-8", 2)]
    memories = [memory(LOCK, "ADR-8", 1), memory(LOG, "ADR-7", 2)]
    assert matched(drafts, memories) == {"Use uv.": LOG, "Use tox.": LOCK}


def test_among_several_pieces_likeness_decides_and_the_place_helps() -> None:
    new_lock, new_log = LOCK.replace("charging", "refunding"), "Log neither card numbers nor masked ones."
    drafts = [draft("Invoices are numbered.", "R#1", 1), draft(new_lock, "R#2", 2), draft(new_log, "R#3", 3)]
    memories = [memory(LOCK, "R#1", 1), memory(REFUND, "R#2", 2), memory(LOG, "R#3", 3)]
    assert matched(drafts, memories) == {new_lock: LOCK, new_log: LOG}


def test_the_best_match_wins_whatever_the_order() -> None:
    near, nearer = "Never log card numbers at all, please.", "Never log card numbers, not even masked ones!"
    for drafts in ([draft(near, "R#1"), draft(nearer, "R#2")], [draft(nearer, "R#1"), draft(near, "R#2")]):
        assert matched(drafts, [memory(LOG, "R#7"), memory(REFUND, "R#8", 2)])[nearer] == LOG


def test_other_files_are_other_places() -> None:
    assert matched([draft(LOCK, "R#1", path="AGENTS.md")], [memory(LOCK + " ", "R#1")]) == {}


def test_nearly_all_pieces_of_a_long_edited_file_are_matched() -> None:
    chance = random.Random(3)
    words = [f"word{number}" for number in range(900)]
    texts = [" ".join(chance.choices(words, k=12)) for _ in range(600)]
    memories = [memory(text, f"R#{line}", line) for line, text in enumerate(texts, 1)]
    drafts = [draft(f"{text} now", f"R#{line + 5}", line + 5) for line, text in enumerate(texts, 1)]
    found = matched(drafts, memories)
    assert sum(new == f"{old} now" for new, old in found.items()) > 570


RULES = """# Shop

- Always take the payment lock before charging a card.
- Never log card numbers, not even masked ones.
- Retry refunds at most three times with a pause between.
"""
OTHER = "# Ferry\n\n- Never sell a seat twice.\n- Always close the gangway first.\n"
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
    kept = next(identifier for identifier in ids if get(vault, identifier).insight == f"Shop: {LOCK}")
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
    mine = next(identifier for identifier in ids if get(vault, identifier).insight == f"Shop: {LOCK}")
    edit_memory(vault, mine, {"insight": "Take the lock in Redis."}, actor=PERSON)
    (root / "docs/CLAUDE.md").rename(root / "CLAUDE.md")
    rewrite(root, LOCK, LONGER)
    assert outcome(bring(vault, root)) == (0, 0, 4, 1)
    with vault.read() as reader:
        [conflict] = open_conflicts(reader)
    assert (conflict.memory.id, conflict.base.insight, conflict.text.stated.insight) == (mine, f"Shop: {LOCK}", LONGER)


def test_a_copy_and_an_unrelated_file_take_nothing_over(vault: Vault, root: Path) -> None:
    ids = bring(vault, root).ids
    write_files(root, {"GEMINI.md": "# Boats\n\n- Always paint the hull in spring.\n", "CLAUDE.md": RULES})
    (root / "ferry/AGENTS.md").unlink()
    assert bring(vault, root).added == 1
    # The copy is one more source; it takes the place of none.
    assert paths(vault, ids) == {"docs/CLAUDE.md", "ferry/AGENTS.md", "CLAUDE.md"}
