"""Handle keys strictly one after the other, also across focus changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

_ROUNDS = 3
"""Times that a mark follows a key from the focus up to the app: the key itself, what its act posts (`Submitted`), and
what is posted in answer to that (`Entered`)."""

PATIENCE_SECONDS = 5.0
"""After this long a key that was never dealt with holds up no other, nor does a screen that never takes the focus."""

LOOK_SECONDS = 0.02
"""How often a screen that is coming up is looked at."""

_LEAVING = frozenset({"escape", "ctrl+q", "ctrl+c"})


class KeyOrder:
    """The turns of keys and pastes.

    Textual gives a key to the widget that has the focus when the key arrives, while the act of the key before it may
    still wait in the queue of a widget, or a screen that it opens may not be there yet: what is typed fast, or while
    the app is busy, would land where the focus was, and run acts there that nobody asked for.

    A screen that comes up takes keys once something on it has the focus, where anything can. One that reads before it
    can be typed into says by `is_opening` how long that is; meanwhile it can be left, and if it closes, what was meant
    for it is let go.

    Args:
        app: the app whose keys are to be taken in turn.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._held: deque[events.Key | events.Paste] = deque()
        self._is_under_way = False
        self._awaited: Screen[Any] | None = None
        """The screen that is coming up, while keys wait for it."""
        self._came_up: WeakKeyDictionary[Screen[Any], float] = WeakKeyDictionary()
        self._turn = 0
        self._began = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a key is being dealt with; not while all wait for a screen."""
        return self._is_under_way and self._awaited is None

    def keeps(self, event: events.Event) -> bool:
        """Return whether an event has to wait for its turn; it is then handed to the app again in its turn."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._awaited is not None and self._awaited not in self._app.screen_stack:
            self._let_go()
        if self._is_under_way:
            if self._leaves(event):
                self._let_go()
                self._begin()
                return False
            self._held.append(event)
            if self._awaited is None and monotonic() - self._began > PATIENCE_SECONDS:
                self._app.call_later(self._end, self._turn)
            return True
        if self._is_opening(self._app.screen) and not self._may_leave(event):
            self._held.append(event)
            self._await_screen()
            return True
        self._begin()
        return False

    # -- turns ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        target: DOMNode = self._app.focused or self._app.screen
        self._is_under_way = True
        self._awaited = None
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
        self._awaited = None
        while self._held and not self._is_under_way:
            if self._is_opening(self._app.screen) and not self._may_leave(self._held[0]):
                self._await_screen()
                return
            await self._app.on_event(self._held.popleft())

    # -- screens that come up ---------------------------------------------------------------------

    def _is_opening(self, screen: Screen[Any]) -> bool:
        """Return whether a screen cannot be typed into yet."""
        own: bool | None = getattr(screen, "is_opening", None)
        if own is not None:
            return own
        if screen.focused is not None or (screen.is_mounted and not screen.focus_chain):
            return False
        return monotonic() - self._came_up.setdefault(screen, monotonic()) < PATIENCE_SECONDS

    def _may_leave(self, event: events.Key | events.Paste) -> bool:
        """Return whether a key leaves a screen that reads first; any other is left once it is there."""
        return isinstance(event, events.Key) and event.key in _LEAVING and hasattr(self._app.screen, "is_opening")

    def _leaves(self, event: events.Key | events.Paste) -> bool:
        """Return whether a key is not to wait for the screen: nothing was typed for it, or it is asked for twice."""
        if self._awaited is None or self._awaited is not self._app.screen or not self._may_leave(event):
            return False
        return not self._held or any(isinstance(one, events.Key) and one.key in _LEAVING for one in self._held)

    def _await_screen(self) -> None:
        self._is_under_way = True
        self._awaited = self._app.screen
        self._turn += 1
        turn = self._turn
        # In the app's own turn, as keys are.
        self._app.set_timer(LOOK_SECONDS, lambda: self._app.call_later(self._look, turn))

    async def _look(self, turn: int) -> None:
        """Go on once the screen takes keys, or is gone."""
        if turn != self._turn:
            return
        if self._awaited is self._app.screen and self._is_opening(self._app.screen):
            self._await_screen()
            return
        if self._awaited not in self._app.screen_stack:
            self._let_go()
        await self._end(self._turn)

    def _let_go(self) -> None:
        """Hand out nothing of what was meant for a screen that is left."""
        self._held.clear()
        self._is_under_way = False
        self._awaited = None
        self._turn += 1
