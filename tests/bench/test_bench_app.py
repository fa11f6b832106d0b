"""The app in a real terminal: first picture, large lists, keys, memory. `pytest -m bench -s` prints the figures."""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

import pytest
from bench.corpus import records
from bench.terminal import Terminal
from bench.timing import pace, percentile

from memtui.domain.record import memory_from_record
from memtui.vault.vault import Vault

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and /proc"),
]

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
FEW = 200 if SMALL else 1_000
MANY = 400 if SMALL else 10_000
MOST = 800 if SMALL else 100_000
RUNS = 1 if SMALL else 5
SESSION_SECONDS = 3 if SMALL else 1_200

HELLO = (
    "from textual.app import App\n"
    "from textual.widgets import Static\n"
    "class Hello(App):\n"
    "    def compose(self):\n"
    "        yield Static('hello, terminal')\n"
    "Hello().run()\n"
)

# A blinking cursor would never let the screen come to rest.
STILL = (
    "import sys\n"
    "from textual.widgets import Input\n"
    "Input.cursor_blink = False\n"
    "from memtui.cli.main import run\n"
    "sys.argv[0] = 'memtui'\n"
    "run()\n"
)


def check(name: str, value: float, bar: float, unit: str) -> None:
    scaled = bar * (pace() if unit == "ms" else 1.0)
    print(f"\n{name:<52}{value:>9.2f} {unit}   bar {bar:g} {unit}, here {scaled:.2f}")
    assert SMALL or value <= scaled, f"{name}: {value:.2f} {unit} over {scaled:.2f}"


def filled(folder: Path, count: int) -> Path:
    path = folder / f"vault-{count}.duckdb"
    vault = Vault(path)
    now = vault.now()
    with vault.write(actor="person", action="import", summary="made up") as writer:
        rows = records(count, projects=1)
        writer.put_many(
            memory_from_record(
                row | {"status": "active", "confirmed_at": row["created_at"]}, now=now, new_id=f"m{n:07d}"
            )
            for n, row in enumerate(rows)
        )
    return path


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("vaults")
    return {count: filled(folder, count) for count in (FEW, MANY, MOST)}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    names = ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME")
    return {name: str(tmp_path) for name in names} | {"MEMTUI_CONFIG": str(tmp_path / "config.toml")}


def app(vault: Path, environment: dict[str, str]) -> Terminal:
    # Beside the vault, in no repository: everything is in view.
    command = [sys.executable, "-c", STILL, "--vault", str(vault)]
    return Terminal(command, folder=vault.parent, environment=environment)


def hello_seconds() -> float:
    times = []
    for _ in range(RUNS + 1):
        with Terminal([sys.executable, "-c", HELLO]) as terminal:
            times.append(terminal.seconds_until("hello, terminal"))
    return statistics.median(times[1:] or times)


def opening_seconds(vault: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Return medians of the first picture and of the first rows."""
    paints, rows = [], []
    for _ in range(RUNS + 1):
        with app(vault, environment) as terminal:
            paints.append(terminal.seconds_until("memtui"))
            rows.append(_rows(terminal))
    return statistics.median(paints[1:] or paints), statistics.median(rows[1:] or rows)


def _rows(terminal: Terminal) -> float:
    """Return when the first row came: the titles all end in their number."""
    return terminal.seconds_until("lesson ", patience=90)


def test_first_picture_and_first_rows(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    hello = hello_seconds()
    paint, rows = opening_seconds(vaults[MANY], environment)
    check("first picture / hello-Textual", paint / hello, 2.0, "x")
    check(f"first rows of {MANY:,} / hello-Textual", rows / hello, 3.0, "x")


def test_a_large_list_opens_like_a_small_one(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    _, few = opening_seconds(vaults[FEW], environment)
    _, most = opening_seconds(vaults[MOST], environment)
    check(f"list of {MOST:,} / of {FEW:,}", most / few, 1.3, "x")


def test_keys_in_a_large_list(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    with app(vaults[MOST], environment) as terminal:
        _rows(terminal)
        moves = [terminal.press(key) for key in (b"j", b"j", b"k", b"\x04", b"\x15", b"G", b"g") * (1 if SMALL else 4)]
        check("cursor move to echo, p95", percentile([one for one, _ in moves], 0.95) * 1000, 50, "ms")
        check("cursor move with detail, p95", percentile([all_ for _, all_ in moves], 0.95) * 1000, 50, "ms")
        terminal.press(b"/")
        typed = []
        for word in (b"payment", b"retry", b"case77") if not SMALL else (b"retry",):
            typed += [terminal.press(bytes([letter])) for letter in word]
            typed += [terminal.press(b"\x7f") for _ in word]
        check("key to echo in the filter, p95", percentile([one for one, _ in typed], 0.95) * 1000, 50, "ms")
        check("key to filtered rows and count, p95", percentile([all_ for _, all_ in typed], 0.95) * 1000, 150, "ms")
        check(f"resident memory at {MOST:,}", terminal.resident_megabytes(), 250, "MB")


def test_a_long_session_leaks_nothing(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    with app(vaults[MANY], environment) as terminal:
        _rows(terminal)
        held: list[float] = []
        deadline = time.perf_counter() + SESSION_SECONDS
        while time.perf_counter() < deadline or len(held) < 3:
            for keys in (b"G", b"g", b"\x04", b"\x15", b"/", b"retry", b"\x1b", b"\x1b", b"p", b"u", b"?", b"\x1b"):
                terminal.press(keys)
            held.append(terminal.resident_megabytes())
        third = max(1, len(held) // 3)
        growth = statistics.median(held[-third:]) - statistics.median(held[third : 2 * third] or held)
        check(f"growth over the last half of {SESSION_SECONDS / 60:.0f} min", growth, 10, "MB")
