"""What is done with a review session as a whole: undone, moved files followed, the receipt copied and written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from memtui.curate.moved_paths import Moves
from memtui.curate.review_sessions import ReviewSession
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.review.queries import ReviewAccess
from memtui.tui.review.verdicts import Queue, Verdicts
from memtui.tui.screens.dialogs import ask_to_follow, send_escape
from memtui.tui.values import Done


class SessionActs:
    """Acts on the session of a screen. `mine`: the memories that were changed here, to which these are added."""

    def __init__(
        self, screen: MemtuiScreen, review: ReviewAccess, verdicts: Verdicts, queue: Queue, mine: set[str]
    ) -> None:
        self._screen = screen
        self._review = review
        self._verdicts = verdicts
        self._queue = queue
        self._mine = mine

    def undo_all(self) -> None:
        opened = self._queue.opened
        if opened is not None:
            self._mine.update(opened.session.ids)
            self._screen.do(lambda: self._verdicts.undo_all(opened.session), focus=True)

    def re_anchor_all(self) -> None:
        """Preview following every moved file, and do it if the user agrees."""
        self._screen.loader.read(self._review.moves_left, self._preview_moves, group="moves")

    def _preview_moves(self, moves: Moves) -> None:
        if not moves.paths:
            self._screen.say("Every moved file was already followed.", severity="warning")
            return

        def follow() -> None:
            self._mine.update(moves.paths)
            self._screen.do(lambda: self._verdicts.re_anchor(moves.paths, in_text=True))

        ask_to_follow(self._screen.app, moves, follow)

    def copy_receipt(self) -> None:
        self._export(lambda session: self._review.copy_receipt(session, partial(send_escape, self._screen.app)))

    def write_receipt(self) -> None:
        """Write the receipt into the working directory."""
        folder = Path(self._screen.opening.types_from)
        self._export(lambda session: self._review.write_receipt(session, folder))

    def _export(self, export: Callable[[ReviewSession], Done]) -> None:
        opened = self._queue.opened
        if opened is not None:
            self._screen.loader.read(
                lambda: export(opened.session),
                partial(MemtuiScreen.tell_done, self._screen),
                group="receipt",
                on_error=lambda error: self._screen.say(str(error), severity="warning"),
                exclusive=False,
            )
