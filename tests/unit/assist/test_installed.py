"""What memtui writes into foreign files is recorded, backed up, and taken back byte for byte."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memtui.assist.installed import Installed, apply, records, without_ours
from memtui.assist.splice import FileEdit, TextFile, read_file
from memtui.errors import ConflictError, MemtuiError, RefusedError
from memtui.vault.purge import purge_text
from memtui.vault.vault import Vault

AT = "2026-11-29T00:00:00Z"
PART = b"ours\n"


def _strip(file: TextFile, record: Installed | None) -> bytes | None:
    rest = (file.data or b"").replace(PART, b"")
    return None if not rest and record is not None and record.without is None else rest


def _install(path: Path) -> None:
    file = read_file(path, path.parents[1])
    without = without_ours(file, _strip)
    apply([FileEdit(path, file.data, (without or b"") + PART, without)], owner="tests", at=AT)


def _uninstall(path: Path) -> None:
    file = read_file(path, path.parents[1])
    without = without_ours(file, _strip)
    apply([FileEdit(path, file.data, without, without)], owner="tests", at=AT)


@pytest.fixture
def path(own_home: Path) -> Path:
    file = own_home / "tool" / "settings.txt"
    file.parent.mkdir()
    return file


@pytest.mark.parametrize("before", [b"theirs\n", b"", b"\xef\xbb\xbfa\r\nb"])
def test_uninstalling_gives_back_the_very_bytes(path: Path, before: bytes) -> None:
    path.write_bytes(before)
    _install(path)
    _install(path)
    _uninstall(path)
    assert path.read_bytes() == before
    assert records() == {}


def test_a_file_that_was_made_goes_with_the_folders_that_were_made_for_it(own_home: Path) -> None:
    path = own_home / "tool" / "deep" / "settings.txt"
    apply([FileEdit(path, None, PART, None)], owner="tests", at=AT)
    _uninstall(path)
    assert not (own_home / "tool").exists()


def test_what_others_wrote_since_stays(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    _install(path)
    path.write_bytes(path.read_bytes() + b"later\n")
    _uninstall(path)
    assert path.read_bytes() == b"theirs\nlater\n"


def test_a_file_that_changed_since_it_was_shown_is_left_alone(path: Path) -> None:
    path.write_bytes(b"now\n")
    with pytest.raises(ConflictError):
        apply([FileEdit(path, b"then\n", b"then\n" + PART, b"then\n")], owner="tests", at=AT)
    assert path.read_bytes() == b"now\n"


def test_where_the_second_file_fails_the_first_is_put_back(path: Path, own_home: Path) -> None:
    path.write_bytes(b"theirs\n")
    (own_home / "file").write_bytes(b"")
    unwritable = own_home / "file" / "settings.txt"
    edits = [FileEdit(path, b"theirs\n", PART, b"theirs\n"), FileEdit(unwritable, None, PART, None)]
    with pytest.raises((MemtuiError, OSError)):
        apply(edits, owner="tests", at=AT)
    assert path.read_bytes() == b"theirs\n"
    assert records() == {}


def test_where_nothing_can_be_recorded_nothing_is_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_bytes(b"a file")
    monkeypatch.setenv("MEMTUI_STATE", str(tmp_path / "state"))
    with pytest.raises(MemtuiError, match="records"):
        apply([FileEdit(path, None, PART, None)], owner="tests", at=AT)
    assert not path.exists()


def test_a_lost_record_or_backup_is_no_harm(path: Path, own_home: Path) -> None:
    path.write_bytes(b"theirs\n")
    _install(path)
    for file in (own_home / "state").rglob("*"):
        if file.is_file():
            file.write_bytes(b"{")
    _uninstall(path)
    assert path.read_bytes() == b"theirs\n"


def test_a_purged_text_is_in_no_backup_and_uninstalling_still_works(path: Path, vault: Vault, own_home: Path) -> None:
    path.write_bytes(b"key = harbour-mooring-key\n")
    _install(path)
    with vault.write(actor="person", action="add"):
        pass
    purge_text(vault, "harbour-mooring-key")
    assert not [file for file in (own_home / "state").rglob("*") if file.is_file() and b"mooring" in file.read_bytes()]
    _uninstall(path)
    assert path.read_bytes() == b"key = harbour-mooring-key\n"


def test_record_and_backups_are_private(path: Path, own_home: Path) -> None:
    path.write_bytes(b"theirs\n")
    _install(path)
    files = [file for file in (own_home / "state").rglob("*") if file.is_file()]
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_link_inside_the_home_is_written_through(own_home: Path) -> None:
    target, link = own_home / "dotfiles" / "settings.txt", own_home / "tool" / "settings.txt"
    target.parent.mkdir()
    target.write_bytes(b"theirs\n")
    link.parent.mkdir()
    link.symlink_to(target)
    _install(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"theirs\nours\n"


def test_what_cannot_be_edited_safely_is_refused(own_home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"x")
    (own_home / "link").symlink_to(outside)
    (own_home / "folder").mkdir()
    (own_home / "latin").write_bytes(b"caf\xe9")
    for name in ("link", "folder", "latin"):
        with pytest.raises(RefusedError):
            read_file(own_home / name, own_home)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_file_is_refused(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    path.chmod(0o400)
    with pytest.raises(RefusedError):
        read_file(path, path.parent)


def test_the_diff_of_a_large_file_shows_what_was_added_at_its_end(path: Path) -> None:
    before = b"line\n" * 20_000
    lines = FileEdit(path, before, before + PART, before).diff
    assert [line.text for line in lines if line.sign == "+"] == ["ours"]
    assert len(lines) < 8
