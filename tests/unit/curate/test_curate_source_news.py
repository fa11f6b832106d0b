"""What a source says anew stands beside what it said when a person last looked."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from curating import PERSON, Clock, add, bring, rewrite, write_files

from memtui.curate.history import undo
from memtui.curate.lifecycle import verify
from memtui.curate.memories import edit_memory
from memtui.curate.review_queue import SourceNews, review_queue, source_news
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault

RULE = "# Berths\n\n- Moor at berth 4 before noon, because the tide turns then.\n"


def news(vault: Vault, identifier: str) -> list[SourceNews]:
    with vault.read() as reader:
        return source_news(reader, reader.get(identifier))


def moor(vault: Vault, clock: Clock, root: Path) -> str:
    write_files(root, {"CLAUDE.md": RULE})
    (identifier,) = bring(vault, root / "CLAUDE.md", project="ferry", active=True).ids
    clock.moment += timedelta(days=9)
    return identifier


def test_what_an_import_took_over_is_shown_beside_what_was_verified(vault: Vault, clock: Clock, tmp_path: Path) -> None:
    identifier = moor(vault, clock, tmp_path)
    assert news(vault, identifier) == []
    verify(vault, [identifier], actor=PERSON)
    for berth, seen in ((4, 5), (5, 6)):
        clock.moment += timedelta(days=1)
        rewrite(tmp_path, f"berth {berth}", f"berth {seen}")
        bring(vault, tmp_path / "CLAUDE.md", project="ferry")
    (found,) = news(vault, identifier)
    assert found.is_taken
    assert found.before is not None
    assert "berth 4" in found.before.insight, "the text that was verified, not the one between"
    assert found.now is not None
    assert "berth 6" in found.now.insight
    verify(vault, [identifier], actor=PERSON)
    assert news(vault, identifier) == [], "whoever verified it has seen it"


def test_what_was_taken_over_and_undone_is_told_as_the_source_says_it_and_taken_over_again(
    vault: Vault, clock: Clock, tmp_path: Path
) -> None:
    identifier = moor(vault, clock, tmp_path)
    rewrite(tmp_path, "berth 4", "berth 5")
    bring(vault, tmp_path / "CLAUDE.md", project="ferry")
    undo(vault, actor=PERSON)
    (found,) = news(vault, identifier)
    assert (found.is_taken, found.is_undone) == (False, True)
    assert found.before is not None
    assert found.now is not None
    assert ("berth 4" in found.before.insight, "berth 5" in found.now.insight) == (True, True)
    bring(vault, tmp_path / "CLAUDE.md", project="ferry")
    (found,) = news(vault, identifier)
    assert (found.is_taken, found.is_undone) == (True, False)


def test_where_both_were_edited_the_source_s_own_two_texts_are_shown(
    vault: Vault, clock: Clock, tmp_path: Path
) -> None:
    identifier = moor(vault, clock, tmp_path)
    edit_memory(vault, identifier, {"insight": "Moor at berth 9."}, actor=PERSON)
    rewrite(tmp_path, "berth 4", "berth 5")
    bring(vault, tmp_path / "CLAUDE.md", project="ferry")
    (found,) = news(vault, identifier)
    assert ([Path(path).name for path in found.paths], found.is_taken) == (["CLAUDE.md"], False)
    assert found.before is not None
    assert "berth 4" in found.before.insight
    assert found.now is not None
    assert "berth 5" in found.now.insight


def test_two_files_that_say_the_same_anew_are_one_piece_of_news(vault: Vault, clock: Clock, tmp_path: Path) -> None:
    files = ("AGENTS.md", "CLAUDE.md")
    write_files(tmp_path, dict.fromkeys(files, RULE))
    (identifier,) = bring(vault, tmp_path, project="ferry", active=True).ids
    clock.moment += timedelta(days=9)
    edit_memory(vault, identifier, {"insight": "Moor at berth 9."}, actor=PERSON)
    for name in files:
        rewrite(tmp_path, "berth 4", "berth 5", name)
    bring(vault, tmp_path, project="ferry")
    (found,) = news(vault, identifier)
    assert (sorted(Path(path).name for path in found.paths), found.is_taken) == (sorted(files), False)
    assert found.now is not None
    assert "berth 5" in found.now.insight
    assert "CLAUDE.md say something else since" in review_queue(vault, EVERYTHING)[0].why


def test_a_typed_memory_has_no_news(vault: Vault) -> None:
    assert news(vault, add(vault, "Moor at berth 4").id) == []
