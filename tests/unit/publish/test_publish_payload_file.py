"""What a user relies on when a payload is written to a file: the same bytes, and no file lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.publish.files import write_payload

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
