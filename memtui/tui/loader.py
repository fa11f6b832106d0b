"""Reads in threads: a screen asks and carries on; the answer comes back on the screen's own thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, get_current_worker

from memtui.errors import MemtuiError
from memtui.progress import BACKGROUND, Cancelled
from memtui.vault.lease import is_being_written

T = TypeVar("T")
P = ParamSpec("P")


ENDING_SECONDS = 0.2  # What is at work once the app has ended gets so long to come to an end by itself


class BackgroundThreads(ThreadPoolExecutor):
    """The threads of an app, which its end does not wait for.

    What is read or computed for a screen that is gone is of no use. A change that is being stored is made whole or not
    at all, also where the process ends in the midst of it; screens wait for those that a person asked for.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix=BACKGROUND)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End; wait no longer than `ENDING_SECONDS` for what is at work."""
        super().shutdown(wait=False, cancel_futures=True)
        until = monotonic() + (ENDING_SECONDS if wait else 0.0)
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        del cancel_futures


class Task:
    """A read under way, as the function that does it sees it."""

    def __init__(self, loader: Loader, group: str, number: int | None) -> None:
        self._loader = loader
        self._group = group
        self._number = number

    @property
    def is_wanted(self) -> bool:
        """Whether anybody still waits for the answer: the read was not stopped, and no newer one replaced it."""
        return self.is_newest and not get_current_worker().is_cancelled

    @property
    def is_newest(self) -> bool:
        """Whether no newer read of the group began; a read that is not exclusive is never replaced."""
        return self._number is None or self._number == self._loader.newest[self._group]

    def show(self, handler: Callable[[T], object], answer: T) -> None:
        """Give the screen an answer, the whole or a part of it, unless it is stale."""
        self._loader.post(self, handler, answer)

    def progress(self, handler: Callable[P, object]) -> Callable[P, None]:
        """Return a callback for long work: the screen gets the newest progress; a read not wanted any more is stopped.

        The callback raises `Cancelled`, which the loader takes as the end of the read.
        """
        latest: list[tuple[Any, Any]] = []

        def show_latest(_: None) -> None:
            args, kwargs = latest.pop()
            latest.clear()
            handler(*args, **kwargs)

        def report(*args: P.args, **kwargs: P.kwargs) -> None:
            if not self.is_wanted:
                raise Cancelled
            waiting = bool(latest)
            latest.append((args, kwargs))
            if not waiting:
                self.show(show_latest, None)

        return report


TELL_SECONDS = 0.15  # What takes longer is told of while it lasts


class Loader:
    """The reads of one screen, by group: a newer read replaces an older one, whose answer is dropped.

    Args:
        on_error: what to do about a `MemtuiError` where the read names nothing else. Other errors reach the screen as
            the worker's own.
        tell: called when the first read takes longer than a moment, and when it is over.

    Attributes:
        is_reading: whether nothing that was asked for was answered yet.
    """

    def __init__(
        self, screen: Screen[Any], on_error: Callable[[MemtuiError], object], tell: Callable[[], object] = lambda: None
    ) -> None:
        self.newest: Counter[str] = Counter()  # Number of the newest read of each group
        self.is_reading = False
        self._has_read = False
        self._under_way: dict[str, int] = {}
        self._tell = tell
        self._screen = screen
        self._on_error = on_error
        self._timers: dict[str, Timer] = {}

    def read(
        self,
        function: Callable[[], T],
        then: Callable[[T], object] | None = None,
        *,
        group: str,  # a newer read of the same group replaces this one
        on_error: Callable[[MemtuiError], object] | None = None,
        exclusive: bool = True,  # False for what has to be done however much is asked for after it, such as changes
    ) -> Worker[None]:
        """Run a function in a thread and hand its answer to `then` on the screen's thread."""
        return self.run(lambda _: function(), then, group=group, on_error=on_error, exclusive=exclusive)

    def run(
        self,
        function: Callable[[Task], T],
        then: Callable[[T], object] | None = None,
        *,
        group: str,
        on_error: Callable[[MemtuiError], object] | None = None,
        exclusive: bool = True,
    ) -> Worker[None]:
        """Like `read`, for a function that answers in parts, reports progress or can be stopped."""
        if not (self._has_read or self.is_reading):
            self.is_reading = True
            self._screen.set_timer(TELL_SECONDS, self._tell)
        self.newest[group] += exclusive
        number = self.newest[group] if exclusive else None
        if number is not None:
            self._under_way[group] = number
        task = Task(self, group, number)

        def work() -> None:
            if not task.is_wanted:
                return
            try:
                answer = function(task)
            except Cancelled:
                return
            except MemtuiError as error:
                task.show(on_error or self._on_error, error)
            else:
                if then is not None:
                    task.show(then, answer)
            finally:
                if number is not None:
                    self._screen.call_later(self._end_read, group, number)

        return self._screen.run_worker(work, thread=True, exclusive=exclusive, group=group, exit_on_error=False)

    def after(self, seconds: float, function: Callable[[], object], *, group: str) -> None:
        """Call a function after a pause, in place of the one of the group that still waits."""
        self.stop_pause(group)
        self._timers[group] = self._screen.set_timer(seconds, function)

    def stop_pause(self, group: str) -> None:
        """Call nothing that waits in a group."""
        if group in self._timers:
            self._timers.pop(group).stop()

    def stop(self, group: str) -> None:
        """Stop a read and what waits to be called, and drop the answer."""
        self.stop_pause(group)
        self.newest[group] += 1
        self._under_way.pop(group, None)
        self._screen.workers.cancel_group(self._screen, group)
        self._end_reading()

    def is_under_way(self, group: str) -> bool:
        """Return whether the newest read of a group goes on: what asks time and again has to let it come to an end."""
        return group in self._under_way

    def _end_read(self, group: str, number: int) -> None:
        if self._under_way.get(group) == number:
            del self._under_way[group]
            self._end_reading()  # also where the read broke, and nothing was answered

    def _end_reading(self) -> None:
        if self.is_reading:
            self.is_reading, self._has_read = False, True
            self._tell()

    def reading_words(self, vault: Path) -> str:
        """Return what the first read is doing or waits for; empty once it is over."""
        if not self.is_reading:
            return ""
        return "waiting for what is being stored …" if is_being_written(vault) else "reading …"

    def post(self, task: Task, handler: Callable[[T], object], answer: T) -> None:
        """Call a handler on the screen's thread, unless a newer read replaced the task until then."""

        def deliver() -> object:
            if not task.is_newest:
                return None
            self._end_reading()
            return handler(answer)

        if task.is_newest:
            self._screen.call_later(deliver)
