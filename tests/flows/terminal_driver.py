"""memtui in a real terminal of its own, as a second process."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from support import child_environment

PATIENT_SECONDS = 60.0
_WHERE_IS_THE_CURSOR = b"\x1b[6n"


@dataclass
class RealTerminal:
    """A terminal of 100 × 30 cells and the process in it."""

    process: subprocess.Popen[bytes]
    ours: int
    drawn: bytearray = field(default_factory=bytearray)

    def shows(self, wanted: str) -> None:
        """Read what is drawn until a text has come."""
        self.reads_until(lambda: wanted.encode() in self.drawn, f"never drawn: {wanted!r}")

    def reads_until(self, is_so: Callable[[], bool], otherwise: str) -> None:
        """Read what is drawn until something is so, as a program whose terminal takes nothing stands still."""
        deadline = time.monotonic() + PATIENT_SECONDS
        while not is_so():
            assert time.monotonic() < deadline, otherwise
            if select.select([self.ours], [], [], 0.2)[0]:
                part = os.read(self.ours, 65_536)
                self.drawn += part
                if _WHERE_IS_THE_CURSOR in part:
                    self.type("\x1b[1;1R")

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def hang_up(self) -> None:
        """Close the terminal, as a window or a connection does."""
        os.close(self.ours)
        self.ours = -1


@contextmanager
def memtui_in_a_terminal(*words: str | Path, home: Path, stdout: IO[bytes] | None = None) -> Iterator[RealTerminal]:
    """Start memtui with these words. `stdout`: where its output goes, by default to the terminal."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    own = {"HOME": str(home), "TERM": "xterm-256color", "MEMTUI_STATE": str(home / "state")}
    process = subprocess.Popen(
        [sys.executable, "-m", "memtui", *map(str, words)],
        stdin=its,
        stdout=stdout or its,
        stderr=its,
        env={**child_environment(), **own},
        cwd=home,
        start_new_session=True,
    )
    os.close(its)
    terminal = RealTerminal(process, ours)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        if terminal.ours >= 0:
            os.close(ours)
