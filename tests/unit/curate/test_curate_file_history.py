"""What git and the working tree say about a memory's files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import commit, git, repository, write_files
from support import make_memory

from memtui.curate.file_history import MOST_FILES, MOST_LINES, FileChange, file_changes
from memtui.domain.memory import Anchor, Memory
from memtui.workspace import Tree, file_hash

VERIFIED = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A repository whose file changed in March, after the memory was verified in February."""
    root = repository(
        tmp_path / "shop",
        {"pay/service.py": "for i in range(3):\n    send()\n", "pay/lock.py": "lock()\n", "[x]/a.py": "one\n"},
    )
    write_files(root, {"pay/service.py": "@idempotent\n    send()\n\x1b[31m\tred()\n", "[x]/a.py": "two\n"})
    commit(root, on="2026-03-01")
    return Tree("shop", root)


def tied(*paths: str, verified_at: datetime | None = VERIFIED, **values: object) -> Memory:
    anchors = tuple(Anchor(path) for path in paths)
    return make_memory(anchors=anchors, verified_at=verified_at, project="shop", **values)


def test_lines_added_and_taken_away_since_it_was_verified(tree: Tree) -> None:
    changed, same = file_changes(tied("pay/service.py", "pay/lock.py"), tree)
    assert (changed.added, changed.removed) == (2, 1)
    assert changed.lines[:2] == ("-for i in range(3):", "+@idempotent")
    assert "\x1b" not in "".join(changed.lines), "control characters are written out"
    assert (same.added, same.removed, same.lines) == (0, 0, ())


def test_nothing_changed_since_a_later_verification(tree: Tree) -> None:
    (change,) = file_changes(tied("pay/service.py", verified_at=datetime(2026, 4, 1, tzinfo=UTC)), tree)
    assert (change.added, change.removed) == (0, 0)


def test_names_are_taken_as_they_are_and_short_ones_are_found(tree: Tree) -> None:
    magic, short = file_changes(tied(":(exclude)pay", "service.py"), tree)
    assert not magic.lines
    assert (short.added, short.removed) == (2, 1)


def test_globs_folders_outside_and_many_files_are_no_trouble(tree: Tree) -> None:
    paths = ("pay/*.py", "../elsewhere.py", "/etc/passwd", "gone.py", "--output=x", *(f"f{n}.py" for n in range(9)))
    found = file_changes(tied(*paths), tree)
    assert len(found) == MOST_FILES
    assert all(not change.lines for change in found)
    assert not list(tree.root.glob("x"))


def test_only_the_first_lines_of_a_large_change_are_kept(tree: Tree) -> None:
    write_files(tree.root, {"pay/lock.py": "".join(f"line {number} {'y' * 500}\n" for number in range(1_000))})
    commit(tree.root, on="2026-03-02")
    (change,) = file_changes(tied("pay/lock.py"), tree)
    assert change.added == 1_000
    assert len(change.lines) == MOST_LINES
    assert max(map(len, change.lines)) <= 200


def test_without_a_tree_or_a_repository_git_says_nothing(tree: Tree, tmp_path: Path) -> None:
    assert file_changes(tied("pay/lock.py"), None) == [FileChange("pay/lock.py", None)]
    assert file_changes(tied("pay/lock.py"), Tree("other", tree.root)) == [FileChange("pay/lock.py", None)]
    (tmp_path / "plain").mkdir()
    (change,) = file_changes(tied("pay/lock.py"), Tree("shop", tmp_path / "plain"))
    assert change.added is None


def test_drivers_of_the_repository_are_not_run(tree: Tree, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(tree.root, "config", "diff.evil.textconv", f"touch {ran};cat")
    git(tree.root, "config", "diff.evil.command", f"touch {ran};true")
    write_files(tree.root, {".gitattributes": "*.py diff=evil\n"})
    (change,) = file_changes(tied("pay/service.py"), tree)
    assert change.added == 2
    assert not ran.exists()


def test_what_is_not_committed_yet_is_shown_too_and_runs_no_filter(tree: Tree, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(tree.root, "config", "filter.evil.clean", f"touch {ran};cat")
    git(tree.root, "config", "filter.evil.smudge", f"touch {ran};cat")
    write_files(tree.root, {".gitattributes": "*.py filter=evil\n"})
    verified = tied("pay/lock.py", verified_at=datetime(2026, 4, 1, tzinfo=UTC))
    memory = replace(verified, anchors=(Anchor("pay/lock.py", file_hash(tree.root / "pay/lock.py")),))
    write_files(tree.root, {"pay/lock.py": "lock()\nrelease()\n"})
    (change,) = file_changes(memory, tree)
    assert change == FileChange("pay/lock.py", "changed", 1, 0, ("+release()",))
    assert not ran.exists()


def test_a_move_is_no_change_of_the_text(tree: Tree) -> None:
    git(tree.root, "mv", "pay/lock.py", "pay/locking.py")
    commit(tree.root, on="2026-03-05")
    (before,) = file_changes(tied("pay/lock.py"), tree)
    assert (before.state, before.removed) == ("gone", 1)
    (told,) = file_changes(tied("pay/lock.py::lock"), tree, moves={"pay/lock.py::lock": "pay/locking.py::lock"})
    assert told == FileChange("pay/lock.py::lock", "moved", 0, 0)
    write_files(tree.root, {"pay/locking.py": "lock()\nrelease()\n" + "more()\n"})
    commit(tree.root, on="2026-03-06")
    (followed,) = file_changes(tied("pay/locking.py"), tree)
    assert followed.added is not None
    assert followed.lines[-1] == "+more()"
