"""The clipboard: the first route that can work here, what it carried, and whether that is known to have arrived.

Locally a native tool; in tmux its own buffer, which it passes on; over SSH an escape sequence that the
terminal may ignore without a word; else a file. Nothing here raises.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Literal

from memtui import locations
from memtui.text.sanitize import without_surrogates

TOOL_SECONDS = 2.0
"""Longest time for one call of a clipboard tool: they answer within tenths of a second, PowerShell within one."""

ALL_SECONDS = 4.0  # Longest time for all tools together: one that hangs does not answer the next time either

MOST_OSC_BYTES = 74_000
"""Largest text sent as an escape sequence: terminals drop longer ones without a word (about 100 kB encoded)."""


class NoClipboard(Enum):
    """Why no clipboard took a text."""

    TOO_LARGE = auto()  # for what a terminal takes over SSH
    WAYLAND = auto()  # no tool of Wayland worked
    X11 = auto()  # no tool of X11 worked
    UNREACHABLE = auto()


@dataclass(frozen=True, slots=True)
class CopyResult:
    """What became of a text on its way to the clipboard."""

    route: str  # `pbcopy`, `wl-copy`, `xclip`, `xsel`, `clip.exe`, `tmux`, `osc52` or `file`; `none` if all failed
    bytes: int  # size of the text in UTF-8
    confirmed: bool  # whether it was read back and was equal
    path: Path | None = None  # the file, for the route `file`
    why_not: NoClipboard | None = None  # why no clipboard took it, for the routes `file` and `none`
    damaged: tuple[str, ...] = ()  # the tools that kept another text; the clipboard may still hold that one


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that takes the clipboard's text on its standard input."""

    name: str
    write: tuple[str, ...]
    read: tuple[str, ...] | None  # command that prints what is stored, or None
    encoding: str = "utf-8"  # what the program expects


_POWERSHELL_READ = (
    "powershell.exe",
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "[Console]::OutputEncoding=[Text.Encoding]::UTF8;Get-Clipboard -Raw",
)
PBCOPY = Tool("pbcopy", ("pbcopy",), ("pbpaste",))
WL_COPY = Tool("wl-copy", ("wl-copy",), ("wl-paste", "--no-newline"))
XCLIP = Tool("xclip", ("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-o"))
XSEL = Tool("xsel", ("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"))
# clip.exe takes UTF-16 with a byte order mark; UTF-8 arrives as question marks.
CLIP_EXE = Tool("clip.exe", ("clip.exe",), _POWERSHELL_READ, "utf-16")
TMUX = Tool("tmux", ("tmux", "load-buffer", "-w", "-"), ("tmux", "save-buffer", "-"))


def copy(text: str, *, send_escape: Callable[[str], bool] | None = None) -> CopyResult:
    """Bring a text to the clipboard, else to a file; never raises.

    `send_escape`: sends a text as OSC 52 and returns whether it was sent; given by an app that owns the terminal, so
    that the sequence does not come into the midst of what it draws.
    """
    size = len(text.encode("utf-8", "replace"))
    tools, until = routes(os.environ), time.monotonic() + ALL_SECONDS
    damaged: list[str] = []
    for tool in tools:
        if not (shutil.which(tool.write[0]) and _write(tool, text, until)):
            continue
        state = _read_back(tool, text, until)
        if state != "different":
            return CopyResult(tool.name, size, confirmed=state == "equal", damaged=tuple(damaged))
        damaged.append(tool.name)
    return replace(_without_tools(text, size, tools, send_escape), damaged=tuple(damaged))


def _without_tools(
    text: str, size: int, tools: Sequence[Tool], send_escape: Callable[[str], bool] | None
) -> CopyResult:
    if _is_remote(os.environ) and size <= MOST_OSC_BYTES and (send_escape or _write_escape)(text):
        return CopyResult("osc52", size, confirmed=False)
    return _to_file(text, size, _why_no_clipboard(os.environ, tools, size))


def routes(environment: Mapping[str, str], *, platform: str = sys.platform, wsl: bool | None = None) -> list[Tool]:
    """Return the tools to try here, in order. `wsl`: whether this is Linux under Windows; None to look."""
    tools = [TMUX] if environment.get("TMUX") else []
    if _is_remote(environment):
        return tools
    if platform == "darwin":
        return [PBCOPY, *tools]
    if platform == "win32" or (is_wsl() if wsl is None else wsl):
        return [CLIP_EXE, *tools]
    local = [WL_COPY] if environment.get("WAYLAND_DISPLAY") else []
    if environment.get("DISPLAY"):
        local += [XCLIP, XSEL]
    return [*local, *tools]


def is_wsl(version_file: Path = Path("/proc/version")) -> bool:
    """Return whether this is Linux under Windows."""
    try:
        return "microsoft" in version_file.read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False


def _is_remote(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in ("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"))


def _run(command: Sequence[str], given: bytes | None, *, until: float, keep_output: bool) -> bytes | None:
    """Return what a program prints, or None if it fails or does not end in time; `until` is of the monotonic clock.

    Copying tools stay behind as servers of the clipboard and would hold a pipe open, so their output goes
    nowhere.
    """
    try:
        done = subprocess.run(
            command,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=max(0.0, min(TOOL_SECONDS, until - time.monotonic())),
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout or b"") if done.returncode == 0 else None


def _write(tool: Tool, text: str, until: float) -> bool:
    return _run(tool.write, text.encode(tool.encoding, "replace"), until=until, keep_output=False) is not None


def _read_back(tool: Tool, text: str, until: float) -> Literal["equal", "different", "unread"]:
    """Return what reading back gives, line ends at the end and CRLF aside; `unread` where it cannot be read."""
    if tool.read is None or not shutil.which(tool.read[0]):
        return "unread"
    found = _run(tool.read, None, until=until, keep_output=True)
    if found is None:
        return "unread"
    return "equal" if _comparable(found.decode("utf-8", "replace")) == _comparable(text) else "different"


def _comparable(text: str) -> str:
    return without_surrogates(text).replace("\r\n", "\n").lstrip("\ufeff").rstrip("\n")


def _write_escape(text: str) -> bool:
    """Send OSC 52 to the terminal itself, because standard output may be a pipe."""
    encoded = base64.b64encode(text.encode("utf-8", "replace"))
    try:
        with Path("/dev/tty").open("wb") as terminal:
            terminal.write(b"\x1b]52;c;" + encoded + b"\x07")
    except OSError:
        return False
    return True


def _why_no_clipboard(environment: Mapping[str, str], tools: Sequence[Tool], size: int) -> NoClipboard:
    if _is_remote(environment) and size > MOST_OSC_BYTES:
        return NoClipboard.TOO_LARGE
    if environment.get("WAYLAND_DISPLAY") and WL_COPY in tools:
        return NoClipboard.WAYLAND
    if environment.get("DISPLAY") and XCLIP in tools:
        return NoClipboard.X11
    return NoClipboard.UNREACHABLE


def _to_file(text: str, size: int, why: NoClipboard) -> CopyResult:
    """Write the text to a file of the owner's alone."""
    for folder in (locations.state_folder(), Path(tempfile.gettempdir())):
        try:
            path = _write_private(folder, text)
        except OSError:
            continue
        return CopyResult("file", size, confirmed=True, path=path, why_not=why)
    return CopyResult("none", size, confirmed=False, why_not=why)


def _write_private(folder: Path, text: str) -> Path:
    """Write a new file beside the old one, then take its place: never through a link, never readable by others."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=locations.PAYLOAD_PREFIX, suffix=locations.PAYLOAD_SUFFIX, dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
    if folder == Path(tempfile.gettempdir()):
        return Path(name)
    return Path(name).replace(locations.payload_file())
