"""Keys one after the other: each is handed out once the one before has done all that it does, also to the focus."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode

_ROUNDS = 3
"""Times that a mark follows a key from the focus up to the app: the key itself, what its act posts (`Submitted`), and
what is posted in answer to that (`Entered`)."""

PATIENCE_SECONDS = 5.0
"""After this long a key that was never dealt with holds up no other."""


class KeyOrder:
    """The turns of keys and pastes.

    Textual gives a key to the widget that has the focus when the key arrives, while the act of the key before it may
    still wait in the queue of a widget: what is typed fast, or while the app is busy, would land where the focus was.

    Args:
        app: the app whose screens with `KEYS_IN_ORDER` are to take keys in turn.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._held: deque[events.Event] = deque()
        self._is_under_way = False
        self._turn = 0
        self._began = 0.0

    def keeps(self, event: events.Event) -> bool:
        """Return whether an event has to wait for its turn; it is then handed to the app again in its turn."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._is_under_way:
            self._held.append(event)
            if monotonic() - self._began > PATIENCE_SECONDS:
                self._app.call_later(self._end, self._turn)
            return True
        if getattr(self._app.screen, "KEYS_IN_ORDER", False):
            self._begin(self._app.focused or self._app.screen)
        return False

    def _begin(self, target: DOMNode) -> None:
        self._is_under_way = True
        self._turn += 1
        self._began = monotonic()
        path = [*(node for node in target.ancestors_with_self if node is not self._app), self._app]
        # By the app's queue: the key itself is handed out first.
        self._app.call_later(self._follow, self._turn, path * _ROUNDS)

    async def _follow(self, turn: int, path: Sequence[DOMNode]) -> None:
        """Go on to the next queue that the key, or what came of it, went through; each is first in, first out."""
        for place, node in enumerate(path, 1):
            # A widget that is closed takes nothing more, and has dealt with all that it took.
            if node.call_later(self._follow, turn, path[place:]):
                return
        await self._end(turn)

    async def _end(self, turn: int) -> None:
        if turn != self._turn:
            return
        self._is_under_way = False
        while self._held and not self._is_under_way:
            await self._app.on_event(self._held.popleft())
