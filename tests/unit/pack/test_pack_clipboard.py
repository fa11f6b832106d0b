"""What a user relies on when text is copied: a route that works, and no message that claims more than is known."""

from __future__ import annotations

import base64
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memtui.pack import clipboard
from memtui.pack.clipboard import CLIP_EXE, PBCOPY, TMUX, WL_COPY, XCLIP, XSEL, copy, is_wsl, routes
from memtui.wording.copying import copied_words

TEXT = "日本語 é 😀\n"
VARIABLES = ("TMUX", "SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "WAYLAND_DISPLAY", "DISPLAY")

posix_only = pytest.mark.skipif(os.name != "posix", reason="fake programs are shell scripts")


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is all of PATH, on a Linux desktop without anything."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(clipboard, "is_wsl", lambda: False)
    monkeypatch.setattr("memtui.locations.state_folder", lambda: tmp_path / "state")
    return tmp_path


def _program(desk: Path, name: str, script: str) -> None:
    path = desk / "bin" / name
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def _xclip(desk: Path, read: str = 'cat "$store"') -> None:
    store = desk / "clip"
    _program(desk, "xclip", f'store={store}\nif [ "$3" = -o ]; then {read}; else cat > "$store"; fi')


# -- which route ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "wsl", "environment", "expected"),
    [
        ("darwin", False, {}, [PBCOPY]),
        ("darwin", False, {"SSH_TTY": "/dev/pts/1"}, []),
        ("linux", False, {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, [WL_COPY, XCLIP, XSEL]),
        ("linux", False, {"DISPLAY": ":0"}, [XCLIP, XSEL]),
        ("linux", False, {}, []),
        ("linux", True, {}, [CLIP_EXE]),
        ("win32", False, {}, [CLIP_EXE]),
        ("linux", False, {"TMUX": "x", "DISPLAY": ":0"}, [XCLIP, XSEL, TMUX]),
        ("linux", False, {"TMUX": "x", "SSH_CONNECTION": "x", "DISPLAY": "localhost:10"}, [TMUX]),
    ],
)
def test_the_route_fits_the_place(
    platform: str, wsl: bool, environment: dict[str, str], expected: list[clipboard.Tool]
) -> None:
    assert routes(environment, platform=platform, wsl=wsl) == expected


def test_linux_under_windows_is_recognised(tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("Linux version 5.15.90.1-microsoft-standard-WSL2", encoding="utf-8")
    assert is_wsl(version)
    version.write_text("Linux version 6.1.0-generic", encoding="utf-8")
    assert not is_wsl(version)
    assert not is_wsl(tmp_path / "missing")


# -- native tools -----------------------------------------------------------------------------------


@posix_only
@pytest.mark.words
def test_what_was_read_back_and_is_equal_is_confirmed(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    _xclip(desk)
    result = copy(TEXT)
    assert (result.route, result.confirmed, result.bytes) == ("xclip", True, len(TEXT.encode()))
    assert (desk / "clip").read_text(encoding="utf-8") == TEXT
    assert "reading back" in copied_words(result)
    assert f"{len(TEXT.encode())} bytes" in copied_words(result)


@posix_only
@pytest.mark.parametrize("loss", ["head -c 100", "head -c 300000", "tr -d y", "cat /dev/null; true"])
@pytest.mark.words
def test_a_clipboard_that_loses_text_gives_way_to_a_file(
    desk: Path, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    """P69: what is kept is not what was given, and nobody may paste it as if it were."""
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    _program(desk, "wl-copy", f"{loss} > {desk}/clip; cat > /dev/null")
    _program(desk, "wl-paste", f"cat {desk}/clip")
    text = "x" * 200_000 + "y" + "x" * 200_000
    result = copy(text)
    assert result.route == "file"
    assert result.path is not None
    assert result.path.read_text(encoding="utf-8") == text
    assert copied_words(result).startswith("Warning: wl-copy stored a different text. Wrote 400,001 bytes to ")


@posix_only
@pytest.mark.words
def test_a_clipboard_that_loses_text_gives_way_to_the_next_tool(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("DISPLAY", ":0")
    _program(desk, "wl-copy", f"head -c 5 > {desk}/lossy")
    _program(desk, "wl-paste", f"cat {desk}/lossy")
    _xclip(desk)
    result = copy(TEXT)
    assert (result.route, result.confirmed) == ("xclip", True)
    assert copied_words(result).startswith("Warning: wl-copy stored a different text")


@posix_only
def test_tools_that_hang_cost_no_more_than_all_may(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a call may take is what is left of the time for all of them."""
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(clipboard, "ALL_SECONDS", 0.3)
    monkeypatch.setattr(clipboard, "TOOL_SECONDS", 0.2)
    allowed: list[float] = []

    def hanging(*_command: object, timeout: float, **_options: object) -> None:
        allowed.append(timeout)
        after = time.monotonic() + timeout
        monkeypatch.setattr("time.monotonic", lambda: after)
        raise subprocess.TimeoutExpired("xclip", timeout)

    for name in ("xclip", "xsel"):
        _program(desk, name, "exec sleep 30")
    monkeypatch.setattr(subprocess, "run", hanging)
    assert copy(TEXT).route == "file"
    assert len(allowed) == 2
    assert sum(allowed) <= 0.3


@posix_only
@pytest.mark.words
def test_a_tool_that_fails_gives_way_to_the_next(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")  # noqa: S108 - a made-up value
    _program(desk, "xclip", "exit 1")
    _program(desk, "tmux", f'if [ "$1" = load-buffer ]; then cat > {desk}/buffer; else cat {desk}/buffer; fi')
    result = copy(TEXT)
    assert (result.route, result.confirmed) == ("tmux", True)
    assert copied_words(result).endswith(
        "in tmux, its prefix and ] paste; other programs can paste it only with its set-clipboard on"
    )
    assert (desk / "buffer").read_text(encoding="utf-8") == TEXT


@posix_only
def test_a_tool_that_stays_behind_does_not_hold_us_up(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    _program(desk, "wl-copy", f"cat > {desk}/clip; sleep 20 &")
    _program(desk, "wl-paste", f"cat {desk}/clip")
    monkeypatch.setattr(clipboard, "TOOL_SECONDS", 3.0)
    assert copy(TEXT).confirmed


@posix_only
@pytest.mark.words
def test_windows_gets_utf_16_with_its_mark(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "is_wsl", lambda: True)
    _program(desk, "clip.exe", f"cat > {desk}/clip")
    result = copy(TEXT)
    assert (result.route, result.confirmed) == ("clip.exe", False)
    assert (desk / "clip").read_bytes().decode("utf-16") == TEXT
    assert "could not be read back" in copied_words(result)


# -- over SSH ---------------------------------------------------------------------------------------


def _sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    sent: list[bytes] = []

    def send(text: str) -> bool:
        sent.append(base64.b64encode(text.encode()))
        return True

    monkeypatch.setattr(clipboard, "_write_escape", send)
    return sent


@pytest.mark.words
def test_over_ssh_the_terminal_is_asked_and_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    sent = _sent(monkeypatch)
    result = copy(TEXT)
    assert (result.route, result.confirmed) == ("osc52", False)
    assert base64.b64decode(sent[0]).decode() == TEXT
    assert "cannot confirm" in copied_words(result)


@pytest.mark.words
def test_what_is_too_large_for_the_terminal_goes_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    sent = _sent(monkeypatch)
    result = copy("x" * 74_001)
    assert sent == []
    assert result.route == "file"
    assert "exceed" in copied_words(result)
    assert copy("x" * 74_000).route == "osc52"


def test_without_a_terminal_ssh_falls_back_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    monkeypatch.setattr(clipboard, "_write_escape", lambda _text: False)
    assert copy(TEXT).route == "file"


# -- files ------------------------------------------------------------------------------------------


@pytest.mark.words
def test_without_any_clipboard_the_path_of_a_private_file_is_told() -> None:
    result = copy(TEXT)
    assert result.route == "file"
    assert result.path is not None
    assert str(result.path) in copied_words(result)
    assert result.path.read_text(encoding="utf-8") == TEXT
    if os.name == "posix":
        assert stat.S_IMODE(result.path.stat().st_mode) == 0o600


@posix_only
def test_a_planted_link_is_replaced_and_not_followed(desk: Path) -> None:
    target = desk / "precious"
    target.write_text("keep", encoding="utf-8")
    (desk / "state").mkdir()
    (desk / "state" / "payload.txt").symlink_to(target)
    assert copy(TEXT).path == desk / "state" / "payload.txt"
    assert target.read_text(encoding="utf-8") == "keep"


@pytest.mark.parametrize(("variable", "hint"), [("WAYLAND_DISPLAY", "wl-clipboard"), ("DISPLAY", "xclip or xsel")])
@pytest.mark.words
def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, hint: str) -> None:
    monkeypatch.setenv(variable, "0")
    assert hint in copied_words(copy(TEXT))


@pytest.mark.words
def test_when_nothing_works_that_is_said_and_nothing_raised(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = desk / "blocked"
    blocked.write_text("a file, no folder", encoding="utf-8")
    monkeypatch.setattr("memtui.locations.state_folder", lambda: blocked)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(blocked))
    result = copy("lone surrogate \ud800")
    assert (result.route, result.confirmed, result.path) == ("none", False, None)
    assert copied_words(result).startswith("Nothing was copied")


def test_an_app_that_owns_the_terminal_sends_the_escape_itself(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    sent: list[str] = []

    def send(text: str) -> bool:
        sent.append(text)
        return len(sent) == 1

    result = copy(TEXT, send_escape=send)
    assert (result.route, result.confirmed, sent) == ("osc52", False, [TEXT])
    assert copy(TEXT, send_escape=send).route == "file"
    assert (desk / "state" / "payload.txt").read_text(encoding="utf-8") == TEXT
