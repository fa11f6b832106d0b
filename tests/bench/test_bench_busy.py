"""Every screen while both cores are busy and vectors are being made: opened, used and left. `pytest -m bench -s`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
HOGS = 0 if SMALL else 2  # A smoke run leaves the cores to the tests beside it
ESCAPE_SECONDS = 0.5  # An escape that is followed at once by a letter is another key
ALL_KEYS = 60.0  # Seconds after which a screen that is not left has failed

SCREENS: tuple[tuple[bytes, str, bytes], ...] = (
    (b"c", "Context", b"x"),
    (b"r", "Review", b"z"),
    (b"b", "Inbox", b"j"),
    (b"T", "Tidy", b"j"),
    (b"H", "History", b"j"),
    (b"K", "Packs", b"j"),
    (b"l", "Decay lab", b"j"),
    (b"J", "Import", b"j"),
    (b"D", "Capture", b"j"),
    (b"V", "Assistants", b"j"),
    (b"W", "Publish", b"j"),
    (b"Z", "Team", b"j"),
    (b"e", "Edit", b"\t"),
    (b"a", "Add a memory", b"\t"),
)
"""A key of the list, the name in the head of the screen that it opens, and a key that is used there."""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep two cores busy with something else."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(HOGS)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def opened_seconds(terminal: Terminal, key: bytes, name: str, use: bytes) -> tuple[float, float]:
    """Open a screen, use it and leave it; return the seconds until it showed itself, and until it was left."""
    start = time.perf_counter()
    os.write(terminal._master, key)
    while not _is_in_front(terminal, name):
        assert time.perf_counter() - start < ALL_KEYS, "\n".join([name, *terminal.screen.lines()])
        time.sleep(0.005)
    shown = time.perf_counter() - start
    os.write(terminal._master, use)
    left = time.perf_counter()
    while not _is_home(terminal):
        assert time.perf_counter() - left < ALL_KEYS, "\n".join([name, *terminal.screen.lines()])
        os.write(terminal._master, b"\x1b")
        deadline = time.perf_counter() + 1.0
        while time.perf_counter() < deadline and not _is_home(terminal):
            time.sleep(0.02)
    ended = time.perf_counter() - left
    time.sleep(ESCAPE_SECONDS)
    return shown, ended


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
            for key, name, use in SCREENS:
                shown, left = opened_seconds(terminal, key, name, use)
                times.setdefault(name, []).append(shown)
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
