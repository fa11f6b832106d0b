"""Snoozing until a file changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, everything, get, repository, write_files

from memtui.curate.anchors import check_trees, snooze_until_change
from memtui.curate.history import redo, undo
from memtui.curate.lifecycle import verify
from memtui.curate.memories import edit_memory
from memtui.curate.outcomes import SkipReason
from memtui.curate.review_queue import review_queue
from memtui.curate.views import get_view, view_record
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.errors import RefusedError
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault
from memtui.workspace import Tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", {"pay/lock.py": "lock\n", "pay/card.py": "card\n", "docs/pay.md": "pay\n"})


def stale(vault: Vault, root: Path, *files: str) -> str:
    memory = add(vault, f"Rule on {' '.join(files)}", kind="note", files=list(files), folder=root)
    vault.now.pass_days(100)  # type: ignore[attr-defined] # the clock of the tests
    return memory.id


def due(vault: Vault) -> dict[str, str]:
    return {found.memory.id: found.why for found in review_queue(vault, EVERYTHING)}


def look(vault: Vault, root: Path) -> None:
    check_trees(vault, [Tree("shop", root)])


@pytest.mark.parametrize(
    ("anchor", "change"),
    [
        ("pay/lock.py", {"pay/lock.py": "another lock\n"}),
        ("pay/*.py", {"pay/new.py": "new\n"}),
        ("pay", {"pay/card.py": "another card\n"}),
    ],
)
def test_it_is_due_again_once_a_file_is_another(vault: Vault, root: Path, anchor: str, change: dict[str, str]) -> None:
    memory = stale(vault, root, anchor)
    assert memory in due(vault)
    (snoozed,) = snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root)).changed
    assert snoozed.snoozed_until == UNTIL_CHANGE
    look(vault, root)
    vault.now.pass_days(1_000)  # type: ignore[attr-defined] # as above
    write_files(root, {"docs/pay.md": "another page\n"})
    look(vault, root)
    assert due(vault) == {}, "neither time nor another file brings it back"
    assert get_view(vault, memory).due_at is None
    write_files(root, change)
    assert due(vault) == {}, "a check has to see it first"
    look(vault, root)
    assert "a file changed since it was snoozed" in due(vault)[memory]
    assert get_view(vault, memory).due_at is not None
    verify(vault, [memory], actor=PERSON, tree=Tree("shop", root))
    assert due(vault) == {}


def test_a_file_that_goes_or_comes_is_a_change_too(vault: Vault, root: Path) -> None:
    memory = stale(vault, root, "pay/lock.py")
    (root / "pay/lock.py").unlink()
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root))
    look(vault, root)
    assert due(vault) == {}
    write_files(root, {"pay/lock.py": "lock\n"})
    look(vault, root)
    assert memory in due(vault)


def test_a_second_snooze_waits_for_the_next_change(vault: Vault, root: Path) -> None:
    memory = stale(vault, root, "pay/lock.py")
    for text in ("two\n", "three\n"):
        snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root))
        assert due(vault) == {}
        look(vault, root)
        assert due(vault) == {}
        write_files(root, {"pay/lock.py": text})
        look(vault, root)
        assert memory in due(vault)


def test_undo_takes_the_snooze_and_what_it_waits_for_back(vault: Vault, root: Path) -> None:
    memory = stale(vault, root, "pay/lock.py")
    before = everything(vault)
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root))
    after = everything(vault)
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    assert memory in due(vault)
    redo(vault, actor=PERSON)
    assert everything(vault) == after
    write_files(root, {"pay/lock.py": "two\n"})
    look(vault, root)
    assert memory in due(vault)


def test_the_record_keeps_its_shape(vault: Vault, root: Path) -> None:
    memory = stale(vault, root, "pay/lock.py")
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root))
    record = view_record(get_view(vault, memory), vault.kinds)
    assert (record["snoozed_until"], record["due_at"]) == ("9999-12-31T00:00:00Z", None)


def test_what_cannot_change_is_left_alone_and_agents_may_not(vault: Vault, root: Path) -> None:
    loose, elsewhere = add(vault, "Tied to nothing"), add(vault, "Elsewhere", files=["x/*.py"], project="till")
    moved = stale(vault, root, "pay/lock.py")
    version = get(vault, moved).version
    edit_memory(vault, moved, {"tags": ["x"]}, actor=PERSON)
    tree = Tree("shop", root)
    ids = [loose.id, elsewhere.id, moved]
    outcome = snooze_until_change(vault, ids, actor=PERSON, tree=tree, versions={moved: version})
    assert outcome.changed == ()
    assert {each.id: each.reason for each in outcome.skipped} == {
        loose.id: SkipReason.NO_FILES,
        elsewhere.id: SkipReason.UNKNOWN_FOLDER,
        moved: SkipReason.CHANGED,
    }
    with pytest.raises(RefusedError):
        snooze_until_change(vault, [moved], actor=AGENT, tree=tree)
