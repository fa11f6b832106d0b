"""The app in a real terminal: first picture, large lists, keys, memory. `pytest -m bench -s` prints the figures."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.corpus import records
from bench.leaking import growing, growth, use
from bench.terminal import Box, Terminal
from bench.timing import pace, percentile, seconds

from memtui.domain.record import memory_from_record
from memtui.tui.browse.queries import ListQueries
from memtui.tui.state import Opening
from memtui.tui.values import Wanted
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.vault.vault import Vault

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and /proc"),
]

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
FEW = 200 if SMALL else 1_000
MANY = 400 if SMALL else 10_000
MOST = 800 if SMALL else 100_000
REVIEWED = 300 if SMALL else 11_637
RUNS = 0 if SMALL else 5  # after a first one, which counts where it is the only one
MINUTES = float(os.environ.get("MEMTUI_BENCH_MINUTES", "0.2" if SMALL else "20"))
"""How long the app is used for leaks; `MEMTUI_BENCH_MINUTES` says otherwise."""

BULK = 50 if SMALL else 500

TITLE_IN_REVIEW: Box = (2, 2, 1, 100)  # Where the title of the memory in review stands on the screen

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
    settings = tmp_path / "config.toml"
    # The bars are those without a model, which would embed the whole vault meanwhile.
    settings.write_text('[embedding]\nmodel = "none"\n')
    return dict.fromkeys(names, str(tmp_path)) | {"MEMTUI_CONFIG": str(settings)}


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
    return terminal.seconds_until(" less ", patience=90)


def test_first_picture_and_first_rows(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    hello = hello_seconds()
    paint, rows = opening_seconds(vaults[MANY], environment)
    check("first picture / hello-Textual", paint / hello, 2.0, "x")
    check(f"first rows of {MANY:,} / hello-Textual", rows / hello, 3.0, "x")


def test_a_large_list_opens_like_a_small_one(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    _, few = opening_seconds(vaults[FEW], environment)
    _, most = opening_seconds(vaults[MOST], environment)
    check(f"list of {MOST:,} / of {FEW:,}", most / few, 1.3, "x")


def pressed(terminal: Terminal, key: bytes, *boxes: Box) -> tuple[float, float]:
    """Press a key; return the seconds until the screen answered, and until these parts of it changed last."""
    terminal.settled()
    assert terminal.screen is not None
    start = time.perf_counter()
    echo, _ = terminal.press(key)
    return echo, max(0.0, terminal.screen.last_change(*boxes) - start)


def test_keys_in_a_large_list(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    with app(vaults[MOST], environment) as terminal:
        _rows(terminal)
        terminal.settled()
        # What the filter needs is read a moment after the first rows: two seconds on an idle machine.
        time.sleep(1 if SMALL else 8)
        terminal.settled()
        rows, detail = terminal.screen.box("2 Memories"), terminal.screen.box("3 Detail")
        keys = (b"j", b"j", b"k", b"\x04", b"\x15", b"G", b"g") * (1 if SMALL else 4)
        moves = [pressed(terminal, key, rows) for key in keys]
        check("cursor move to echo, p95", percentile([echo for echo, _ in moves], 0.95) * 1000, 50, "ms")
        check("cursor move with its row, p95", percentile([done for _, done in moves], 0.95) * 1000, 50, "ms")
        details = [pressed(terminal, key, detail)[1] for key in keys]
        print(f"\nmemory in full after a move, p50 / p95: {_two(details)}")
        terminal.press(b"/")
        rows = terminal.screen.box("2 Memories")
        count = (rows[1] + 1, rows[1] + 1, 0, 119)
        typed = []
        for word in (b"payment", b"retry", b"case77", b"rettry lock") if not SMALL else (b"retry",):
            typed += [pressed(terminal, bytes([letter]), rows, count) for letter in word]
            typed += [pressed(terminal, b"\x7f", rows, count) for _ in word]
        check("key to echo in the filter, p95", percentile([echo for echo, _ in typed], 0.95) * 1000, 50, "ms")
        print(f"\nrows and count after a key, p50 / p95: {_two([done for _, done in typed])}")
        check("key to filtered rows and count, p95", percentile([done for _, done in typed], 0.95) * 1000, 150, "ms")
        check(f"resident memory at {MOST:,}", terminal.resident_megabytes(), 250, "MB")


def _two(times: Sequence[float]) -> str:
    return f"{percentile(times, 0.5) * 1000:.0f} / {percentile(times, 0.95) * 1000:.0f} ms"


def crowded_inbox(folder: Path, count: int) -> Path:
    """Return a vault in which so many candidates wait, from 50 files of ten headings each."""
    path = folder / "inbox.duckdb"
    vault = Vault(path)
    now = vault.now()
    with vault.write(actor="person", action="import", summary="made up") as writer:
        writer.put_many(
            memory_from_record(
                row
                | {
                    "status": "candidate",
                    "source": {
                        "format": "agents-md",
                        "path": f"part{n * 50 // count:02}/AGENTS.md",
                        "span": [n, n],
                        "native_id": f"Part > Section {n % 10}#{n}",
                    },
                },
                now=now,
                new_id=f"m{n:07d}",
            )
            for n, row in enumerate(records(count, projects=1))
        )
    return path


def test_keys_in_a_crowded_inbox(tmp_path: Path, environment: dict[str, str]) -> None:
    path = crowded_inbox(tmp_path, 400 if SMALL else 5_000)
    with app(path, environment) as terminal:
        terminal.seconds_until("memtui")
        terminal.settled()
        start = time.perf_counter()
        os.write(terminal._master, b"b")
        paint = terminal.seconds_until("Inbox", since=start)
        groups = terminal.seconds_until("/AGENTS.md", since=start)
        check("inbox: first picture", paint * 1000, 150, "ms")
        check("inbox: first groups", groups * 1000, 400, "ms")
        terminal.press(b"-")  # everything unfolded
        rows = terminal.screen.box("1 Waiting · by file")
        keys = (b"j", b"j", b"k", b"\x04", b"\x15", b"G", b"g", b"f", b"f", b"m", b"m", b"S", b"S") * (
            1 if SMALL else 3
        )
        moves = [pressed(terminal, key, rows) for key in keys]
        check("inbox: key to echo, p95", percentile([echo for echo, _ in moves], 0.95) * 1000, 50, "ms")
        check("inbox: key to its rows, p95", percentile([done for _, done in moves], 0.95) * 1000, 150, "ms")
        terminal.press(b"/")
        typed = []
        for word in (b"payment", b"part07") if not SMALL else (b"part",):
            typed += [pressed(terminal, bytes([letter]), rows) for letter in word]
            typed += [pressed(terminal, b"\x7f", rows) for _ in word]
        check("inbox: key to echo in the filter, p95", percentile([echo for echo, _ in typed], 0.95) * 1000, 50, "ms")
        check("inbox: key to filtered rows, p95", percentile([done for _, done in typed], 0.95) * 1000, 150, "ms")


@pytest.mark.parametrize("model", ["none", "bundled"])
@pytest.mark.parametrize("count", [REVIEWED] if SMALL else [2_000, REVIEWED])
def test_the_next_card_of_a_review(count: int, model: str, tmp_path: Path, environment: dict[str, str]) -> None:
    """A person decides once a second; with the model vectors of the whole vault are made meanwhile."""
    path = filled(tmp_path, count)
    Path(environment["MEMTUI_CONFIG"]).write_text(f'[embedding]\nmodel = "{model}"\n')
    command = [sys.executable, "-c", STILL, "--vault", str(path), "review"]
    with Terminal(command, folder=tmp_path, environment=environment) as terminal:
        terminal.seconds_until("left, about", patience=90)
        assert terminal.screen is not None
        time.sleep(1 if SMALL else 3)
        waits = [_wait_for_card(terminal) for _ in range(2 if SMALL else 40)]
    print(f"\nnext card, {count:,} memories, model {model}, p50 / p95: {_two(waits)}")
    check(f"key to next card, {count:,}, model {model}, p95", percentile(waits, 0.95) * 1000, 100, "ms")


def _wait_for_card(terminal: Terminal) -> float:
    """Say that the memory in review is still true; return the seconds until the next one's title is on the screen."""
    assert terminal.screen is not None
    time.sleep(1)
    start = time.perf_counter()
    os.write(terminal._master, b"y")
    while time.perf_counter() - start < 10:
        changed = terminal.screen.last_change(TITLE_IN_REVIEW)
        if changed > start:
            return changed - start
        time.sleep(0.002)
    raise AssertionError("the next memory never came")


def test_a_bulk_retire_and_its_undo(vaults: dict[int, Path], tmp_path: Path) -> None:
    access = VaultAccess(Opening(vault=Vault(Path(shutil.copy(vaults[MOST], tmp_path))), folder=tmp_path))
    acts = MemoryActs(access)
    chosen = ListQueries(access).load("", Wanted()).base.ids[:: MOST // BULK][:BULK]
    for name, act in (("retire", lambda: acts.retire(chosen)), ("undo", acts.undo), ("redo", acts.redo)):
        check(f"{name} {BULK} of {MOST:,}", seconds(act), 2.0 * pace(), "s")


def test_a_long_session_leaks_nothing(vaults: dict[int, Path], environment: dict[str, str]) -> None:
    samples = use(vaults[MANY], MINUTES * 60, environment=environment, every=max(2.0, MINUTES * 2))
    megabytes, objects = growth(samples)
    for kind, before, after in growing(samples):
        print(f"  {kind:<60} {before:>8,} → {after:,}")
    check(f"growth per 1,000 acts in {MINUTES:g} min", megabytes, 5, "MB")
    check(f"objects per 1,000 acts in {MINUTES:g} min", objects, 2_000, "objects")
