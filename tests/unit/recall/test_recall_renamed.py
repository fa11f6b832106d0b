"""What a user relies on after `git mv`: a file finds what is tied to its former name, and git is seldom asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, set_state, story_vault

from memtui.recall import anchors as renamed
from memtui.recall.anchors import former_names
from memtui.recall.rank import recall
from memtui.recall.result import Task
from memtui.workspace import Tree

TEXT = "def pay():\n    return 1\n\n\nRATE = 3\n"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree below the root of its repository, whose src/a.py became src/b.py and then lib/c.py."""
    root = tmp_path / "repo" / "shop"
    (root / "src").mkdir(parents=True)
    (root / "lib").mkdir()
    (root / "src" / "a.py").write_text(TEXT)
    git(root, "init", "-q", "..")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "mv", "src/a.py", "src/b.py")
    git(root, "commit", "-q", "-m", "two")
    git(root, "mv", "src/b.py", "lib/c.py")
    return Tree("payments-api", root)


def test_all_former_names_are_found_committed_or_staged(tree: Tree) -> None:
    anchors = ["src/a.py::pay", "./src/b.py", "src/never.py", "src/*.py", "https://x.y/a.py", "lib/c.py"]
    assert former_names(tree, ["lib/c.py"], anchors) == {"src/a.py": "lib/c.py", "src/b.py": "lib/c.py"}


def test_git_is_not_asked_where_no_anchor_of_this_ending_is_gone(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(renamed, "run_git", lambda *words, **_: asked.append(words))
    assert former_names(tree, ["lib/c.py"], ["lib/c.py", "docs/gone.md"]) == {}
    assert former_names(tree, [], ["src/a.py"]) == {}
    assert former_names(None, ["lib/c.py"], ["src/a.py"]) == {}
    assert asked == []


def test_without_git_nothing_moved(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(TEXT)
    assert former_names(Tree("shop", tmp_path), ["b.py"], ["a.py"]) == {}


def test_what_a_check_knows_to_have_moved_is_not_gone_for_recall(tmp_path: Path) -> None:
    moved, gone = (memory(f"{name}mem2", "The refund ledger", files=(f"{name}.py",)) for name in ("moved", "goned"))
    vault = story_vault(tmp_path, [moved, gone], [])
    set_state(vault, moved.id, "moved.py", "moved")
    set_state(vault, gone.id, "goned.py", "fresh")
    folder = tmp_path / "tree"
    folder.mkdir()
    found = recall(
        vault, Task("refund ledger"), PAYMENTS, settings=SETTINGS, now=NOON, tree=Tree("payments-api", folder)
    )
    assert ids(found.hits) == [moved.id, gone.id]
    penalties = [{part.name for part in hit.parts} & {"files gone"} for hit in found.hits]
    assert penalties == [set(), {"files gone"}]
    assert found.states[moved.id, "moved.py"] == "moved"
