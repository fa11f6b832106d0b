"""A capture in the background: it goes on while the person decides, or works on another screen."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App
from textual.worker import get_current_worker

from memtui.errors import MemtuiError
from memtui.progress import Cancelled, ProgressCallback
from memtui.text.sanitize import tame
from memtui.tui.values import Done

_MEGABYTE = 1_000_000
_LONGEST_TOAST = 600


class CaptureRun:
    """One capture under way; the app holds it, so that it outlives the screen it was started from."""

    def __init__(self, work: Callable[[ProgressCallback], Done]) -> None:
        self._work = work
        self._done = self._total = 0
        self._is_stopped = False
        self.is_running = True

    def start(self, app: App[object], ended: Callable[[], object]) -> None:
        """Work in a thread of the app; `ended` is called on the app's own thread."""

        def work() -> None:
            try:
                done = self._work(self._report)
                message, severity = done.message, "information" if done.changed else "warning"
            except MemtuiError as error:
                message, severity = str(error), "error"
            self.is_running = False
            if not get_current_worker().is_cancelled:
                app.call_later(self._tell, app, message, severity, ended)

        app.run_worker(work, thread=True, group="capture", exit_on_error=False)

    def stop(self) -> None:
        """Stop soon; what was found by then is kept."""
        self._is_stopped = True

    @property
    def words(self) -> str:
        """How far it is, and how it is stopped."""
        if self._is_stopped:
            return "stopping …"
        if not self._total:
            return "looking for sessions …"
        done, total = (-(-size // _MEGABYTE) for size in (self._done, self._total))
        return f"reading {done:,} of {total:,} MB · esc stops"

    def _report(self, done: int, total: int) -> None:
        if self._is_stopped or get_current_worker().is_cancelled:
            raise Cancelled
        self._done, self._total = done, total

    def _tell(self, app: App[object], message: str, severity: str, ended: Callable[[], object]) -> None:
        kind = "error" if severity == "error" else "warning" if severity == "warning" else "information"
        app.notify(tame(message, _LONGEST_TOAST), severity=kind, markup=False)  # type: ignore[arg-type]
        ended()
