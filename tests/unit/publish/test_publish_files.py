"""What a user relies on when memtui writes files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from memtui.errors import MemtuiError, UnsafePathError
from memtui.publish.files import refuse_outside, write_atomically

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="permission bits and free symlinks")


def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "note.md"
    write_atomically(target, b"one\r\n")
    assert target.read_bytes() == b"one\r\n"
    assert [path.name for path in target.parent.iterdir()] == ["note.md"]


@posix_only
def test_mode_is_the_given_one_else_that_of_the_old_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    write_atomically(secret, b"1", mode=0o600)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.chmod(0o640)
    write_atomically(secret, b"2")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o640


@posix_only
def test_a_link_inside_the_root_is_written_through(tmp_path: Path) -> None:
    real = tmp_path / "AGENTS.md"
    real.write_bytes(b"old")
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "note.md"
    target.write_bytes(b"old")

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(MemtuiError, match=r"No space left on device.*note\.md"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_an_interrupt_leaves_no_rest_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "note.md", b"new")
    assert list(tmp_path.iterdir()) == []


@posix_only
@pytest.mark.parametrize("name", ["rc", "folder/x.md", "ring", "back/inside.md", "dangling"])
def test_links_that_leave_the_root_are_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / "repo"
    outside = tmp_path / "outside"
    (root / "docs").mkdir(parents=True)
    outside.mkdir()
    (outside / "rc").write_text("x")
    (root / "rc").symlink_to(outside / "rc")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    (root / "ring").symlink_to("../outside/ring")
    (outside / "ring").symlink_to("../repo/ring")
    (outside / "home").symlink_to(root / "docs", target_is_directory=True)
    (root / "back").symlink_to(outside / "back", target_is_directory=True)
    (root / "dangling").symlink_to(outside / "nothing-here")
    with pytest.raises(UnsafePathError, match="outside"):
        refuse_outside(root / name, root)


@posix_only
def test_a_way_out_and_back_in_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "in").symlink_to(root / "docs", target_is_directory=True)
    (root / "out").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UnsafePathError):
        refuse_outside(root / "out" / "in" / "note.md", root)


def test_dots_and_neighbours_of_a_like_name_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    for path in (root / ".." / "x", tmp_path / "repo2" / "x", root / "a" / ".." / ".." / "x"):
        with pytest.raises(UnsafePathError):
            refuse_outside(path, root)


@posix_only
def test_what_stays_inside_passes_even_when_the_root_is_a_link(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (root / "CLAUDE.md").symlink_to("docs/AGENTS.md")
    alias = tmp_path / "alias"
    alias.symlink_to(root, target_is_directory=True)
    for base in (root, alias):
        refuse_outside(base / "CLAUDE.md", base)
        refuse_outside(base / "new" / "file.md", base)
        refuse_outside(base, base)
    refuse_outside(root / "docs" / "a.md", alias)
