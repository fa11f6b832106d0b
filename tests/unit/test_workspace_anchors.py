"""Anchors are held against the working tree, and the check changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.domain.memory import Anchor, Memory
from memtui.workspace import Tree, anchor_state, file_hash

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("src/a.py", "fresh"),
        ("src/a.py::x", "fresh"),
        ("src/", "fresh"),
        ("src/**/*.py", "fresh"),
        ("lib/**/*.py", "gone"),
        ("src/b.py", "gone"),
        ("/etc/passwd", "unverifiable"),
        ("../elsewhere.py", "unverifiable"),
        ("https://example.com/a.py", "unverifiable"),
        ("~/notes.md", "unverifiable"),
        ("", "unverifiable"),
        ("x" * 5000, "unverifiable"),
    ],
)
def test_what_the_tree_says(root: Path, path: str, state: str) -> None:
    assert anchor_state(root, Anchor(path)) == state


def test_a_file_that_was_edited_since_the_verification_is_changed(root: Path) -> None:
    anchor = Anchor("src/a.py", file_hash(root / "src" / "a.py"))
    assert anchor_state(root, anchor) == "fresh"
    (root / "src" / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert anchor_state(root, anchor) == "changed"
    (root / "src" / "a.py").unlink()
    assert anchor_state(root, anchor) == "gone"


def test_line_ends_alone_change_nothing(root: Path) -> None:
    anchor = Anchor("src/a.py", file_hash(root / "src" / "a.py"))
    (root / "src" / "a.py").write_bytes(b"x = 1\r\n")
    assert anchor_state(root, anchor) == "fresh"


def test_only_the_tree_of_its_own_project_says_something_of_a_memory(root: Path) -> None:
    memory = Memory(
        id="abcdefgh",
        title="t",
        insight="i",
        project="shop",
        created_at=NOON,
        updated_at=NOON,
        anchors=(Anchor("src/a.py"), Anchor("src/b.py")),
    )
    assert Tree("shop", root).states(memory) == {"src/a.py": "fresh", "src/b.py": "gone"}
    assert Tree("other", root).states(memory) == {}
