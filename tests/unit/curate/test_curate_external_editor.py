"""The person's own editor: found, opened at a line, and never at the price of what was written."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.curate.external_editor import (
    editor_command,
    find_editor,
    read_memory_file,
    read_text_file,
    run_editor,
    write_memory_file,
    write_text_file,
)
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError, UsageError

AT = datetime(2026, 6, 1, tzinfo=UTC)
MEMORY = Memory(id="m1/../x", title="Lock", insight="30 s", created_at=AT, updated_at=AT)


@pytest.fixture(autouse=True)
def _no_editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("MEMTUI_EDITOR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+41", "a.md"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+41", "a.md"]),
        ("code --wait", ["code", "--wait", "--goto", "a.md:41"]),
        ("hx", ["hx", "a.md:41"]),
        ("ed", ["ed", "a.md"]),
    ],
)
def test_a_file_opens_at_its_line_where_the_editor_takes_one(
    monkeypatch: pytest.MonkeyPatch, editor: str, command: list[str]
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    assert editor_command(Path("a.md"), 41) == command
    assert editor_command(Path("a.md"))[-1] == "a.md"


def test_the_most_particular_setting_wins_and_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="No editor is set"):
        find_editor()
    monkeypatch.setenv("EDITOR", "'unclosed")
    with pytest.raises(UsageError, match="not a valid command"):
        find_editor()
    monkeypatch.setenv("VISUAL", "emacs")
    assert find_editor() == ["emacs"]
    monkeypatch.setenv("MEMTUI_EDITOR", "hx")
    assert find_editor() == ["hx"]


def test_a_file_that_nobody_touched_goes_where_the_editor_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor")
    file = write_memory_file(MEMORY)
    assert file.path.exists()
    with pytest.raises(UsageError, match="cannot be started"):
        run_editor(file)
    assert not file.path.exists()
    kept = write_memory_file(MEMORY)
    kept.path.write_text("my words", encoding="utf-8")
    with pytest.raises(UsageError):
        run_editor(kept)
    assert kept.path.read_text(encoding="utf-8") == "my words"


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("code", ["--wait"]),
        ("code -w", ["-w"]),
        ("code --wait -n", ["--wait", "-n"]),
        ("vim", []),
        ("gvim", ["--nofork"]),
    ],
)
def test_an_editor_that_would_return_at_once_is_told_to_wait(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, given: list[str]
) -> None:
    script = tmp_path / command.split(maxsplit=1)[0]
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/given\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", f"{tmp_path}/{command}")
    file = write_text_file("some words", "inbox")
    run_editor(file)
    assert (tmp_path / "given").read_text(encoding="utf-8").split() == [*given, str(file.path)]
    assert read_text_file(file) == "some words"


def test_what_comes_back_is_read_and_what_is_not_edited_this_way_is_named() -> None:
    file = write_memory_file(replace(MEMORY, id="m1"))
    file.path.write_text(
        file.text.replace("30 s", "60 s").replace("status: active", "status: retired"), encoding="utf-8"
    )
    edited = read_memory_file(file)
    assert edited.values == {"insight": "60 s"}
    assert edited.left_alone == ("status",)
    file.path.write_text("nothing of a memory", encoding="utf-8")
    with pytest.raises(MemtuiError, match="cannot be read") as told:
        read_memory_file(file)
    assert told.value.where == str(file.path)
