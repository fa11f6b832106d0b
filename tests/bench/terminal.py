"""A program in a real pseudo-terminal, with the moment of every byte that it writes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

QUIET_SECONDS = 0.25
"""A screen that wrote nothing for so long has settled."""

_PARTS = re.compile(rb"\x1b\[([0-9;?<>=]*)([a-zA-Z~])|\x1b[()][A-Z0-9]|\x1b[=>78]|[\r\n]|[^\x1b\r\n]+")

Box = tuple[int, int, int, int]
"""A part of the screen: first and last line, first and last column, all counted from 0."""


class Screen:
    """What stands on a terminal of a program that positions its cursor, and when each cell changed last."""

    def __init__(self, columns: int, lines: int) -> None:
        self._cells = [[" "] * columns for _ in range(lines)]
        self._changed = [[0.0] * columns for _ in range(lines)]
        self._line = self._column = 0
        self._rest = b""

    def write(self, data: bytes, at: float) -> None:
        """Take what was written at a moment."""
        data = self._rest + data
        # The end may be half a sequence, or half a letter.
        whole = data.rfind(b"\x1b") if b"\x1b" in data[-40:] else len(data)
        data, self._rest = data[:whole], data[whole:]
        for found in _PARTS.finditer(data):
            if found[2] == b"H":
                numbers = [int(number or 1) for number in (found[1] or b"1;1").split(b";")]
                self._line, self._column = numbers[0] - 1, numbers[-1] - 1
            elif found[0] == b"\r":
                self._column = 0
            elif found[0] == b"\n":
                self._line += 1
            elif not found[0].startswith(b"\x1b"):
                self._put(found[0].decode("utf-8", "replace"), at)

    def flush(self, at: float) -> None:
        """Take what was kept back, once no more is written."""
        if self._rest:
            data, self._rest = self._rest + b"\x1b", b""
            self.write(data, at)
            self._rest = b""

    def _put(self, text: str, at: float) -> None:
        for letter in text:
            wide = unicodedata.east_asian_width(letter) in "WF"
            for cell in (letter, "") if wide else (letter,):
                if self._line < len(self._cells) and self._column < len(self._cells[0]):
                    if self._cells[self._line][self._column] != cell:
                        self._cells[self._line][self._column] = cell
                        self._changed[self._line][self._column] = at
                    self._column += 1

    def lines(self) -> list[str]:
        """Return the lines."""
        return ["".join(cells) for cells in self._cells]

    def box(self, title: str) -> Box:
        """Return the pane whose border holds a title."""
        rows = self.lines()
        top = next(number for number, line in enumerate(rows) if title in line)
        at = rows[top].index(title)
        left = rows[top].rindex("╭", 0, at)
        right = rows[top].index("╮", at)
        bottom = next(number for number in range(top + 1, len(rows)) if rows[number][left] == "╰")
        return top, bottom, left, right

    def last_change(self, *boxes: Box) -> float:
        """Return when a cell of these parts changed last, 0 for never."""
        return max(
            max(self._changed[line][left : right + 1])
            for top, bottom, left, right in boxes
            for line in range(top, bottom + 1)
        )


WHOLE_SECONDS = 0.1
"""What was written so long ago ends in no half sequence."""

_ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z~]|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Terminal:
    """Runs a command in a terminal of its own.

    Args:
        command: program and arguments.
        folder: working directory.
        environment: variables beside those of this process.
        columns: width in cells.
        lines: height in cells.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        environment: dict[str, str] | None = None,
        columns: int = 120,
        lines: int = 40,
    ) -> None:
        # A user's Python keeps its compiled modules; a machine that is told not to would time the compiler.
        kept = {key: value for key, value in os.environ.items() if key not in {"PYTHONDONTWRITEBYTECODE", "NO_COLOR"}}
        values = {**kept, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", **(environment or {})}
        self.started = time.perf_counter()
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.chdir(folder or ".")
            os.execvpe(command[0], list(command), values)  # noqa: S606 - the program that is timed
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._written: list[tuple[float, bytes]] = []
        self._screen, self._drawn = Screen(columns, lines), 0
        self._open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._reader.join(timeout=2)
        os.close(self._master)

    def _read(self) -> None:
        while self._open:
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if not ready:
                continue
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            self._written.append((time.perf_counter(), data))

    def text(self, since: float = 0.0) -> str:
        """What was written since a moment, without escape sequences."""
        data = b"".join(part for at, part in list(self._written) if at >= since)
        return _ESCAPES.sub(b"", data).decode("utf-8", "replace")

    @property
    def screen(self) -> Screen:
        """What stands on the screen now."""
        parts = self._written[self._drawn :]
        for at, data in parts:
            self._screen.write(data, at)
        self._drawn += len(parts)
        if self._written and time.perf_counter() - self._written[-1][0] > WHOLE_SECONDS:
            self._screen.flush(self._written[-1][0])
        return self._screen

    def seconds_until(self, words: str, *, since: float | None = None, patience: float = 60.0) -> float:
        """Return the seconds from a moment, by default the start, until these words were written."""
        start = self.started if since is None else since
        deadline = time.perf_counter() + patience
        seen = 0
        collected = b""
        while time.perf_counter() < deadline:
            parts = list(self._written)
            for at, data in parts[seen:]:
                if at < start:
                    continue
                collected += data
                if words in _ESCAPES.sub(b"", collected).decode("utf-8", "replace"):
                    return at - start
            seen = len(parts)
            time.sleep(0.002)
        raise AssertionError(f"{words!r} never came; the screen said: {self.text(start)[-2000:]!r}")

    def settled(self, *, patience: float = 60.0) -> float:
        """Wait until nothing more is written; return the moment of the last byte."""
        deadline = time.perf_counter() + patience
        while time.perf_counter() < deadline:
            parts = list(self._written)
            last = parts[-1][0] if parts else self.started
            if time.perf_counter() - last > QUIET_SECONDS:
                return last
            time.sleep(0.01)
        raise AssertionError(f"the screen never came to rest: {self.text()[-500:]!r}")

    def press(self, keys: bytes) -> tuple[float, float]:
        """Press a key; return the seconds until the screen answered, and until it had settled."""
        self.settled()
        start = time.perf_counter()
        os.write(self._master, keys)
        while True:
            first = next((at for at, _ in list(self._written) if at >= start), None)
            if first is not None:
                break
            if time.perf_counter() - start > 5:
                raise AssertionError(f"no answer to {keys!r}")
            time.sleep(0.001)
        return first - start, self.settled() - start

    def type(self, keys: bytes, *, patience: float = 60.0) -> None:
        """Press a key, answered or not, and wait until the screen has settled."""
        os.write(self._master, keys)
        # A key alone: an escape followed at once by a letter would be another key, and four different letters within
        # .3 s of each other are taken for a word, of which none acts.
        time.sleep(0.12 if keys == b"\x1b" else 0.08)
        self.settled(patience=patience)

    def resident_megabytes(self) -> float:
        """Return the memory that the program holds, in MiB; Linux only."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else 0.0
