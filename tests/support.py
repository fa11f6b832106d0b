"""Small things that many tests need."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, SupportsIndex

from memtui.domain.memory import Memory, new_id
from memtui.vault.lease import lock_path

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""When the frozen clock stands still."""


class FrozenClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def step(self, **amounts: float) -> datetime:
        """Move by days, hours, seconds … as `timedelta` takes them; returns the new moment."""
        self.moment += timedelta(**amounts)
        return self.moment


class Contested(list[Any]):
    """A list of which two threads take something at the same moment."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2)

    def pop(self, index: SupportsIndex = -1) -> Any:
        with suppress(threading.BrokenBarrierError):
            self._both.wait(5)
        return super().pop(index)


def make_memory(**overrides: Any) -> Memory:
    """Return a memory with a new id, changed in the given ways."""
    values: dict[str, Any] = {
        "id": new_id(),
        "title": "Retries need an idempotency key",
        "insight": "A payment that is retried without a key is charged twice.",
        "kind": "lesson",
        "project": "shop",
        "created_at": NOON,
        "updated_at": NOON,
    }
    return Memory(**{**values, **overrides})


@dataclass(eq=False)
class Look:
    """A second look at what may be planted, which says that some texts are: those that hold a phrase."""

    phrase: str
    near: float = -9.0
    asked: list[tuple[str, float]] = field(default_factory=list)

    def decides(self, text: str, weight: float) -> bool | None:
        self.asked.append((text, weight))
        return self.phrase in text or None


def child_environment() -> dict[str, str]:
    """Return the environment for a process that imports memtui and the tests' helpers as this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}


def start_python(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a second process that runs some code; its output is a pipe of text."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment(),
    )


@contextmanager
def held_elsewhere(vault: Path) -> Iterator[None]:
    """Hold a vault as another process would; threads of one process wait for each other instead of giving up."""
    import fcntl

    descriptor = os.open(lock_path(vault), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
