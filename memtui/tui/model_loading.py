"""The model of meaning in the background: loaded after the first picture, then kept at work on what has no vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

if TYPE_CHECKING:
    from memtui.recall.resident import ResidentMeaning

FIRST_SECONDS = 0.5
"""After the first picture, and most likely after the first rows: loading the model takes a core for itself."""

TEND_SECONDS = 10.0  # How often memories without a vector are looked for


class ModelLoading:
    """Loads the model of meaning, and embeds what comes into the vault. `meaning`: None where there is no model."""

    def __init__(self, app: App[Any], meaning: ResidentMeaning | None) -> None:
        self._app = app
        self._meaning = meaning

    def begin(self) -> None:
        if self._meaning is not None:
            self._app.set_timer(FIRST_SECONDS, lambda: self._run(self._load))

    def end(self) -> None:
        if self._meaning is not None:
            self._meaning.cancel()

    def _run(self, work: Callable[[], None]) -> None:
        self._app.run_worker(work, group="model", exit_on_error=False, thread=True)

    def _load(self) -> None:
        if self._meaning is not None:
            self._meaning.load()
            self._meaning.tend()
            self._app.call_later(self._app.set_interval, TEND_SECONDS, lambda: self._run(self._tend))

    def _tend(self) -> None:
        """Embed what came into the vault meanwhile."""
        if self._meaning is not None and self._meaning.is_ready:
            self._meaning.tend()
