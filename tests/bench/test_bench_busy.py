"""Every screen while both cores are busy and vectors are being made: opened, used and left. `pytest -m bench -s`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.leaking import HOME_KEYS
from bench.terminal import Terminal
from bench.test_bench_app import STILL, check, filled
from bench.timing import percentile

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and /proc"),
]

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
MEMORIES = 300 if SMALL else 2_500
ROUNDS = 1 if SMALL else 3
HOGS = 1 if SMALL else 2  # A smoke run leaves a core to the tests beside it
KEY_SECONDS = 0.1  # Between two keys that come before the one that opens a screen
ESCAPE_SECONDS = 0.5  # An escape that is followed at once by a letter is another key
ALL_KEYS = 60.0  # Seconds after which a screen that is not left has failed


@dataclass(frozen=True, slots=True)
class Visit:
    """A screen that is opened from the list, used, and left."""

    keys: Sequence[bytes]  # the last of them opens it, from when on is counted
    name: str  # in the head of the screen
    content: str  # what stands between head and keys once there is something to look at
    use: bytes = b"j"  # a key that is used there
    waits_for: str = ""  # what is shown before the last key


PALETTE = (b":", *(letter.encode() for letter in "go: health"))

VISITS = (
    Visit([b"c"], "Context", "memories are in other projects", b"x"),
    Visit([b"r"], "Review", "accepted on", b"z"),
    Visit([b"b"], "Inbox", "The inbox is empty."),
    Visit([b"T"], "Tidy", "Due for review"),
    Visit([b"H"], "History", "made up"),
    Visit([b"K"], "Packs", "No payload has been copied yet."),
    Visit([b"l"], "Decay lab", "this memory"),
    Visit([b"J"], "Import", "No rule files were found"),
    Visit([b"D"], "Capture", "No proposals wait."),
    Visit([b"V"], "Assistants", "Claude Code"),
    Visit([b"W"], "Publish", "Claude Code"),
    Visit([b"Z"], "Team", "does not share memories"),
    Visit([b"e"], "Edit", "Insight", b"\t"),
    Visit([b"a"], "Add a memory", "Insight", b"\t"),
    Visit([*PALETTE, b"\r"], "Health", "By kind", waits_for="Health"),
    Visit([b" ", b" ", b"B"], "Change many", "What to do", b"\x1b", waits_for="2 marked"),
    Visit([b" ", b" ", b"m"], "Merge", "Fields that differ", waits_for="2 marked"),
    Visit([b" ", b" ", b"C"], "Conclude", "Sources", b"\t", waits_for="2 marked"),
)
"""Every screen that a vault of active memories alone has something to show on; the last three are of what is marked."""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep as many cores busy as there are hogs."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(HOGS)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def opened_seconds(terminal: Terminal, visit: Visit) -> tuple[float, float]:
    """Open a screen, use it and leave it; return the seconds until its first content, and until it was left."""
    for key in visit.keys[:-1]:
        os.write(terminal._master, key)
        time.sleep(KEY_SECONDS)
    _wait(terminal, visit, lambda: visit.waits_for in "\n".join(terminal.screen.lines()))
    start = time.perf_counter()
    os.write(terminal._master, visit.keys[-1])
    _wait(terminal, visit, lambda: _is_in_front(terminal, visit.name) and visit.content in _content(terminal))
    shown = time.perf_counter() - start
    os.write(terminal._master, visit.use)
    left = time.perf_counter()
    while not _is_home(terminal):
        assert time.perf_counter() - left < ALL_KEYS, "\n".join([visit.name, *terminal.screen.lines()])
        os.write(terminal._master, b"\x1b")
        deadline = time.perf_counter() + 1.0
        while time.perf_counter() < deadline and not _is_home(terminal):
            time.sleep(0.02)
    ended = time.perf_counter() - left
    time.sleep(ESCAPE_SECONDS)
    return shown, ended


def _wait(terminal: Terminal, visit: Visit, is_so: Callable[[], bool]) -> None:
    start = time.perf_counter()
    while not is_so():
        assert time.perf_counter() - start < ALL_KEYS, "\n".join([visit.name, *terminal.screen.lines()])
        time.sleep(0.005)


def _content(terminal: Terminal) -> str:
    """Return what stands between the head and the keys."""
    return "\n".join(terminal.screen.lines()[1:-1])


def _is_in_front(terminal: Terminal, name: str) -> bool:
    return terminal.screen.lines()[0].startswith(f" memtui  {name}")


def _is_home(terminal: Terminal) -> bool:
    return _is_in_front(terminal, "Browse") and terminal.screen.lines()[-1].startswith(HOME_KEYS)


def test_screens_open_and_close_while_both_cores_are_busy(tmp_path: Path) -> None:
    vault = filled(tmp_path, MEMORIES)
    settings = tmp_path / "config.toml"
    settings.write_text('[embedding]\nmodel = "bundled"\n')
    names = ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME")
    environment = dict.fromkeys(names, str(tmp_path)) | {"MEMTUI_CONFIG": str(settings)}
    command = [sys.executable, "-c", STILL, "--vault", str(vault)]
    times: dict[str, list[float]] = {}
    with busy_cores(), Terminal(command, folder=tmp_path, environment=environment) as terminal:
        terminal.seconds_until(" less ", patience=90)
        time.sleep(2)  # the model is loaded, and vectors are being made from here on
        for _ in range(ROUNDS):
            for visit in VISITS:
                shown, left = opened_seconds(terminal, visit)
                times.setdefault(visit.name, []).append(shown)
                times.setdefault("left", []).append(left)
        start = time.perf_counter()
        os.write(terminal._master, b"q")
        while os.waitid(os.P_PID, terminal.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            assert time.perf_counter() - start < ALL_KEYS, "\n".join(["quit", *terminal.screen.lines()])
            time.sleep(0.005)
        ended = time.perf_counter() - start
    for name, found in times.items():
        print(f"\n{name:<16}" + "  ".join(f"{one * 1000:6.0f} ms" for one in found), end="")
    opened = [one for name, found in times.items() if name != "left" for one in found]
    check("busy: any screen to its first content, p95", percentile(opened, 0.95) * 1000, 500, "ms")
    check("busy: quit", ended * 1000, 500, "ms")
