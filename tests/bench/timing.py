"""Timing whole processes, and the machine's own pace: bars are scaled by how long a bare interpreter takes here."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

REFERENCE_BARE_SECONDS = 0.014
"""Start of a bare interpreter on the two-core machine that the bars were set on."""


def process_seconds(command: Sequence[str], *, runs: int = 5, environment: dict[str, str] | None = None) -> float:
    """Return the median wall time of a command, after one warm-up; no runs only warm up."""
    times = []
    # A user's Python keeps its compiled modules; a machine that is told not to would time the compiler.
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for run in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env={**kept, **(environment or {})})
        if run:
            times.append(time.perf_counter() - start)
    return statistics.median(times) if times else 0.0


def bare_seconds() -> float:
    return process_seconds([sys.executable, "-S", "-E", "-c", ""], runs=9)


def pace() -> float:
    """Return how much slower than the reference machine this one is now; never below 1."""
    return max(1.0, bare_seconds() / REFERENCE_BARE_SECONDS)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def memtui(vault: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "memtui", "--vault", str(vault), *words]
