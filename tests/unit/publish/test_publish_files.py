"""What a user relies on when memtui writes files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from memtui.errors import MemtuiError, RefusedError, SourceError, UnsafePathError, UsageError
from memtui.publish.files import add_question, refuse_outside, write_atomically, write_payload
from memtui.recall.evaluation import Question, read_questions

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


TEXT = "## Memories\n\n- 日本語 é 😀\r\n"


def test_the_bytes_are_those_of_the_payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    for named in ("context.md", "new/folder/context.md", str(tmp_path / "absolute.md"), "~/mine.md"):
        path = write_payload(TEXT, named, folder=tmp_path)
        assert path.read_bytes() == TEXT.encode()
        assert path.is_absolute()
    assert (tmp_path / "home" / "mine.md").exists()


def test_a_file_that_is_there_is_replaced_only_when_said(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(RefusedError, match="already"):
        write_payload(TEXT, "notes.md", folder=tmp_path)
    assert (tmp_path / "notes.md").read_text() == "mine"
    write_payload(TEXT, "notes.md", folder=tmp_path, overwrite=True)
    assert (tmp_path / "notes.md").read_bytes() == TEXT.encode()


def test_a_link_that_leads_nowhere_counts_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(RefusedError):
        write_payload(TEXT, "link.md", folder=tmp_path)
    assert not (tmp_path / "elsewhere.md").exists()


@pytest.mark.parametrize("named", ["", "  ", ".", "/", "nul\0byte", "~nobody-of-this-name/x.md", "x" * 5_000])
def test_what_names_no_file_is_said_calmly(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError):
        write_payload(TEXT, named, folder=tmp_path)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(MemtuiError):
        write_payload(TEXT, "file/context.md", folder=tmp_path)


ASKED = Question("refund fails", ("m0000001",), ("pay/lock.py",))


def test_a_question_is_appended(tmp_path: Path) -> None:
    path = add_question(ASKED, "mine.jsonl", folder=tmp_path)
    before = path.read_text(encoding="utf-8")
    add_question(Question("sail", ()), str(path), folder=Path("/nowhere"))
    assert path.read_text(encoding="utf-8").startswith(before)
    assert [one.query for one in read_questions(path.read_text(encoding="utf-8"), "mine")] == ["refund fails", "sail"]


@pytest.mark.parametrize("content", [b"mine\n", b"\xff\xfe\x00"])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine").write_bytes(content)
    with pytest.raises(SourceError):
        add_question(ASKED, "mine", folder=tmp_path)
    assert (tmp_path / "mine").read_bytes() == content


@pytest.mark.parametrize("named", ["", "  ", "a\nb", "nul\0"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError):
        add_question(ASKED, named, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_asked_is_nothing_to_note(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        add_question(Question(" ", ("m0000001",)), "mine", folder=tmp_path)
