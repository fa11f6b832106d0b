"""An app that is ended from outside: the terminal is as it was, and what was typed is offered again."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, shows
from flows.editing_driver import field, form_opens
from support import child_environment

from memtui.curate.drafts import keep_drafts, take_drafts
from memtui.vault.doctor import diagnose
from memtui.vault.lease import drafts_file
from memtui.vault.purge import purge_text
from memtui.vault.vault import Vault

TYPED = "Typed before the line dropped"
PATIENT_SECONDS = 60.0


def read_until(terminal: int, wanted: bytes, read: bytearray) -> None:
    """Read what is drawn until a text has come."""
    deadline = time.monotonic() + PATIENT_SECONDS
    while wanted not in read:
        assert time.monotonic() < deadline, f"never drawn: {wanted!r}"
        if select.select([terminal], [], [], 0.2)[0]:
            read += os.read(terminal, 65_536)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal_and_keeps_what_is_typed(ferry: Vault, tmp_path: Path, number: int) -> None:
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    command = [sys.executable, "-m", "memtui", "--vault", str(ferry.path)]
    home = {"HOME": str(tmp_path), "TERM": "xterm-256color", "MEMTUI_STATE": str(tmp_path / "state")}
    process = subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, env={**child_environment(), **home}, start_new_session=True
    )
    os.close(its)
    read = bytearray()
    try:
        read_until(ours, b"help", read)
        os.write(ours, b"a")
        read_until(ours, b"Add a memory", read)
        os.write(ours, TYPED.encode())
        read_until(ours, b"unsaved", read)
        process.send_signal(number)
        read_until(ours, b"\x1b[?1049l", read)
        assert process.wait(PATIENT_SECONDS) == 128 + number
    finally:
        process.kill()
        os.close(ours)
    assert read.rindex(b"\x1b[?1000l") > read.rindex(b"\x1b[?1000h"), "the mouse belongs to the terminal again"
    (kept,) = take_drafts(ferry.path).values()
    # Keys that had not been dealt with when the signal came are not in the field yet.
    assert list(kept) == ["insight"]
    assert kept["insight"]
    assert TYPED.startswith(kept["insight"])


async def test_what_was_typed_before_the_end_is_back_in_its_form(ferry: Vault, tmp_path: Path) -> None:
    assert keep_drafts(ferry.path, {"": {"insight": TYPED, "no such field": "x"}})
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "memtui was ended with 1 unsaved form")
        await pilot.press("a")
        await form_opens(pilot)
        await shows(pilot, TYPED)
        assert field(pilot, "insight").typed == TYPED
    assert not drafts_file(ferry.path).exists(), "it is the app's again"


def test_drafts_are_private_known_to_doctor_and_purged(ferry: Vault) -> None:
    keep_drafts(ferry.path, {"m0000002": {"title": "hunter2-in-a-draft"}})
    file = drafts_file(ferry.path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert any(check.name == "drafts" for check in diagnose(ferry).checks)
    purge_text(ferry, "another text")
    assert file.exists()
    purge_text(ferry, "hunter2-in-a-draft")
    assert not file.exists()


@pytest.mark.parametrize("content", ["[1]", "{", '{"a": 1}', json.dumps({"a": {"title": 3}}), ""])
def test_a_file_that_holds_no_drafts_offers_none(tmp_path: Path, content: str) -> None:
    vault = tmp_path / "vault.duckdb"
    drafts_file(vault).write_text(content, "utf-8")
    assert take_drafts(vault) == {}
