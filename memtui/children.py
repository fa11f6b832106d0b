"""Child processes for work that keeps an interpreter busy: the keys of the app stay quick, and two cores share it."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path


def child_pool(most: int) -> ProcessPoolExecutor:
    """Return a pool of child processes, at most one for each core; none starts before it has work."""
    return ProcessPoolExecutor(min(most, os.cpu_count() or 1), mp_context=get_context("spawn"), initializer=_be_quiet)


def _be_quiet() -> None:
    """Write nothing to the terminal of the app, and let it decide about Ctrl+C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open as long as the child lives
