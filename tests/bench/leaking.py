"""Uses the app for minutes as a person does and watches what it holds: resident memory, and objects by type.

`python -m bench.leaking VAULT MINUTES` from `tests/` prints a line per sample and the growth per 1,000 acts.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.terminal import Terminal

WATCHED = (
    "import collections, gc, json, os, signal, sys, threading\n"
    "from textual.widgets import Input\n"
    "Input.cursor_blink = False\n"
    "def tell(*_):\n"
    "    gc.collect()\n"
    "    held = gc.get_objects()\n"
    "    kinds = collections.Counter(f'{type(one).__module__}.{type(one).__qualname__}' for one in held)\n"
    "    told = {'objects': len(held), 'threads': threading.active_count(), 'kinds': kinds}\n"
    "    path = os.environ['MEMTUI_TOLD']\n"
    "    with open(path + '.new', 'w') as stream:\n"
    "        json.dump(told, stream)\n"
    "    os.replace(path + '.new', path)\n"
    "signal.signal(signal.SIGUSR1, tell)\n"
    "from memtui.cli.main import run\n"
    "sys.argv[0] = 'memtui'\n"
    "run()\n"
)

_ESC = b"\x1b"


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that a person does from the list, and comes back.

    Attributes:
        keys: pressed one after the other, each once the screen has come to rest.
        shows: what is written on the screen once the last key but those in `then` has done its work; empty for none.
        then: pressed after that.
        ends: what is written on the screen after those; empty for nothing to wait for.
    """

    keys: Sequence[bytes]
    shows: str = ""
    then: Sequence[bytes] = ()
    ends: str = ""


def letters(word: str) -> list[bytes]:
    """Return the keys of a word."""
    return [letter.encode() for letter in word]


FILTER = "enter to list"

EVERY_ROUND = (
    Errand([b"g", b"j", b"j", b"\x04", b"\x04", b"G", b"\x15", b"g"]),
    Errand([b"/"], FILTER, [*letters("payment lock"), *[b"\x7f"] * 5, b"\r", b"j", b"j"]),
    Errand([b"/"], FILTER, letters("rettry")),
    Errand([b" ", b" ", b"v", b"j", b"j", b"v", b"x", b"u"]),
    Errand([b"p", b"u", b"x", b"u", b"\x12", b"u"]),
    Errand([b"s", b"s", b"s", b"s", b"i", b"i"]),
    Errand([b"1", b"j", b"j", b" ", b" ", b"3", b"j", b"2"]),
    Errand([b"e"], "Edit "),
    Errand([b"c"], "Context ", letters("retry")),
    Errand([b"r"], "Review ", [b"j"]),
    Errand([b"H"], "History", [b"j", b"j"]),
    Errand([b"K"], "1 Packs"),
    Errand([b"l"], "Decay lab", [b"j"]),
    Errand([b"b"], "1 Waiting"),
    Errand([b"?"], "Help", [b"j"]),
    Errand([b":"], "what do you want", [*letters("go: health"), b"\r"], "1 Needs att"),
)

SELDOM = (Errand([b"T"], "Tidy "),)
"""Once in `SELDOM_ROUNDS`: its pass over the whole vault takes as long as a round."""

SELDOM_ROUNDS = 5

SLOW_SECONDS = 10.0
"""How long a busy app may take for an escape: the next key must not come together with it, or it is another key."""

PATIENCE_SECONDS = 60.0
MOST_KEYS = 60
"""Keys of an errand and its way back, of which a screen that is still busy may take some in vain."""

HOME_KEYS = " / filter   e edit"
"""What the footer of the list says."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the app held at a moment.

    Attributes:
        acts: keys pressed so far.
        megabytes: resident memory.
        objects: what the collector knows, after a collection.
    """

    seconds: float
    acts: int
    megabytes: float
    objects: int
    threads: int
    kinds: Mapping[str, int]


def rounds() -> Iterator[Errand]:
    """Yield errand after errand, for ever."""
    number = 0
    while True:
        yield from EVERY_ROUND
        number += 1
        if number % SELDOM_ROUNDS == 0:
            yield from SELDOM


def use(vault: Path, seconds: float, *, environment: dict[str, str], every: float) -> list[Sample]:
    """Use the app on a vault for some time and return a sample at each interval, the first after one full round."""
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        command = [sys.executable, "-c", WATCHED, "--vault", str(vault)]
        values = {**environment, "MEMTUI_TOLD": str(told)}
        with Terminal(command, folder=vault.parent, environment=values) as terminal:
            terminal.seconds_until(" less ", patience=90)
            start, acts = time.perf_counter(), 0
            following = start
            for errands, errand in enumerate(rounds()):
                now = time.perf_counter()
                if errands >= len(EVERY_ROUND) and now >= following:
                    samples.append(_sample(terminal, told, now - start, acts))
                    print(_line(samples[-1]), flush=True)
                    following = now + every
                if now - start > seconds and len(samples) > 2:
                    return samples
                acts += _run(terminal, errand)
    return samples


def _run(terminal: Terminal, errand: Errand) -> int:
    """Do an errand and come back to the list; returns how many keys that took."""
    for keys, words in ((errand.keys, errand.shows), (errand.then, errand.ends)):
        start = time.perf_counter()
        for key in keys:
            terminal.type(key)
        if words:
            _await(terminal, errand, words, start)
    acts = len(errand.keys) + len(errand.then)
    while not _is_home(terminal):
        terminal.type(_ESC)
        acts += 1
        assert acts < MOST_KEYS, f"{errand} never came back: {terminal.screen.lines()}"
        deadline = time.perf_counter() + SLOW_SECONDS
        while time.perf_counter() < deadline and not _is_home(terminal):
            time.sleep(0.05)
    time.sleep(0.3)
    return acts


def _await(terminal: Terminal, errand: Errand, words: str, since: float) -> None:
    try:
        terminal.seconds_until(words, since=since, patience=PATIENCE_SECONDS)
    except AssertionError:
        raise AssertionError("\n".join([f"{errand} came to nothing:", *terminal.screen.lines()])) from None


def _is_home(terminal: Terminal) -> bool:
    """Return whether the whole list is in front, with the keys of its pane and neither filter nor marks."""
    terminal.settled()
    *lines, last = terminal.screen.lines()
    listed = any("2 Memories" in line for line in lines) and last.startswith(HOME_KEYS)
    covered = any(words in line for line in lines for words in ("esc closes", "what do you want"))
    narrowed = any(words in line for line in lines[-3:] for words in (" of ", " marked", " / "))
    return listed and not covered and not narrowed


def _sample(terminal: Terminal, told: Path, seconds: float, acts: int) -> Sample:
    terminal.settled()
    told.unlink(missing_ok=True)
    os.kill(terminal.pid, signal.SIGUSR1)
    deadline = time.perf_counter() + 30
    while not told.exists():
        assert time.perf_counter() < deadline, f"the app is gone: {terminal.screen.lines()}"
        time.sleep(0.02)
    held = json.loads(told.read_text())
    megabytes = terminal.resident_megabytes()
    return Sample(seconds, acts, megabytes, held["objects"], held["threads"], held["kinds"])


def _line(sample: Sample) -> str:
    return (
        f"{sample.seconds / 60:6.1f} min {sample.acts:7,} acts {sample.megabytes:7.1f} MB"
        f" {sample.objects:9,} objects {sample.threads:3} threads"
    )


def growth(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return megabytes and objects per 1,000 acts: the slope over all but the first third, which still fills caches."""
    later = samples[len(samples) // 3 :]
    acts = [float(sample.acts) for sample in later]
    slopes = [
        statistics.linear_regression(acts, values).slope
        for values in ([sample.megabytes for sample in later], [float(sample.objects) for sample in later])
    ]
    return 1_000 * slopes[0], 1_000 * slopes[1]


def growing(samples: Sequence[Sample], *, most: int = 15) -> list[tuple[str, int, int]]:
    """Return the types of which there are more and more: name, at first and at last."""
    first, last = samples[len(samples) // 3].kinds, samples[-1].kinds
    rows = [(kind, first.get(kind, 0), count) for kind, count in last.items()]
    return sorted(rows, key=lambda row: row[1] - row[2])[:most]


def main() -> None:
    """Use the app and print what came of it."""
    minutes = float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(shutil.copy(sys.argv[1], folder))
        names = ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME")
        settings = Path(folder) / "config.toml"
        settings.write_text('[embedding]\nmodel = "none"\n')
        environment = dict.fromkeys(names, folder) | {"MEMTUI_CONFIG": str(settings)}
        samples = use(vault, minutes * 60, environment=environment, every=max(5.0, minutes * 2))
    megabytes, objects = growth(samples)
    print(f"growth per 1,000 acts: {megabytes:.2f} MB, {objects:.0f} objects")
    for kind, before, after in growing(samples):
        print(f"  {kind:<60} {before:>8,} → {after:,}")


if __name__ == "__main__":
    main()
