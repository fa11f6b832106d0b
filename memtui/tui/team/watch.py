"""Syncing with teams in the background, as long as the app is open."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual.app import App
from textual.worker import Worker

from memtui.errors import MemtuiError
from memtui.tui.state import Opening
from memtui.vault.lease import signature_of

LOOK_SECONDS = 5.0  # How often a vault that changed is looked at for a team that was joined
FIRST_SECONDS = 1.0  # After the first rows: a vault without a team costs one read then


class TeamWatch:
    """Syncs with the teams of a vault; one may be joined, or all be left, while the app is open.

    `show`: shows how the sharing stands.

    Attributes:
        words: what was shown last, empty without a team.
    """

    def __init__(self, app: App[Any], opening: Opening, show: Callable[[str], None]) -> None:
        self._app = app
        self._opening = opening
        self._show = show
        self.words = ""
        self._ending = threading.Event()
        self._worker: Worker[None] | None = None  # What syncs, or found that there are no teams
        self._seen: tuple[int, ...] = ()  # The vault's files when it was looked for teams

    def begin(self) -> None:
        self._app.set_timer(FIRST_SECONDS, self._look)

    def end(self) -> None:
        self._ending.set()

    def _look(self) -> None:
        """Sync, where there are teams and nothing does so yet."""
        signature = signature_of(self._opening.vault.path)
        is_watching = self._worker is not None and not self._worker.is_finished
        if not is_watching and signature != self._seen:
            self._seen = signature
            self._worker = self._app.run_worker(self._watch, group="team", exit_on_error=False, thread=True)
        self._app.set_timer(LOOK_SECONDS, self._look)

    def _watch(self) -> None:
        """Sync as long as the app is open and there is a team; runs in a thread."""
        from memtui.vault.teams import read_teams

        vault = self._opening.vault
        with suppress(MemtuiError):
            if not vault.exists:
                return
            with vault.read() as reader:
                if not read_teams(reader):
                    return
        # Imported here: it brings the other side's libraries, and most vaults have no team.
        from memtui.tui.team.view import watch_teams

        with suppress(MemtuiError):  # a vault that is busy or damaged is told by what the person does
            watch_teams(self._opening, self._ending, self._tell)

    def _tell(self, words: str) -> None:
        if not self._ending.is_set():
            self._app.call_later(self._take, words)

    def _take(self, words: str) -> None:
        self.words = words
        self._show(words)
