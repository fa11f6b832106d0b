"""Progress of long work, and how a person cancels it."""

from __future__ import annotations

from collections.abc import Callable

ProgressCallback = Callable[[int, int], None]  # Called with (done, total); raising `Cancelled` inside it stops the work

BACKGROUND = "memtui-background"  # Start of the names of threads that the end of the process does not wait for


class Cancelled(Exception):  # noqa: N818 - not an error: the person asked for it
    """A person cancelled a long piece of work."""
