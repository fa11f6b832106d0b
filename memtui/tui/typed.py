"""Words that are typed where nothing takes text, told from commands that a person gives fast."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from textual import events
from textual.app import App
from textual.widgets import Input, TextArea

from memtui.tui.actions import registry
from memtui.tui.actions.registry import PANE, WIDGETS

QUIET_SECONDS = 0.3
"""Letters that follow each other within this are one run: a typist's come every 100 to 250 ms. A command that may be a
letter of a word waits as long for the next key."""

WORDS_SECONDS = 0.8  # Letters that come so soon after those of a word are of it, or of the next

_ENOUGH, _ENOUGH_WITH_A_STRANGER = 4, 3
"""Different letters of a run from which it is a word; fewer where one of them is no key here. Who knows the keys
repeats a few of them, and moves between."""


class Bound(Enum):
    """What a key does where it is pressed."""

    NOTHING = auto()
    MOVE = auto()  # goes to another row or line, as a person does between any two acts
    LOOK = auto()  # changes what is shown or marked
    ACT = auto()  # changes memories or files, or leaves for another screen or program


class Fate(Enum):
    """What becomes of a key."""

    RUN = auto()
    WAIT = auto()  # it runs unless what follows makes it a letter of a word
    TEXT = auto()  # it is typed text, and so is what waits


class TypedRun:
    """The keys that came one soon after the other.

    A word is told from commands by its different letters. Until there are enough of them, acts that follow other
    letters wait; the first key of a run never does, nor does a key that is repeated, or moves.

    Attributes:
        text: what was typed since the run began.
        is_text: whether it is a word.
        acted: the letters that ran as acts.
    """

    def __init__(self) -> None:
        self.text, self.acted, self.is_text = "", "", False
        self._letters: set[str] = set()
        self._fewest = _ENOUGH
        self._waiting = ""
        self._at = float("-inf")

    def at(self, moment: float, sign: str) -> TypedRun:
        """Return the run that a character belongs to: this one, or another that it begins."""
        return self if self._goes_on(moment, is_of_words=sign.isalpha()) else TypedRun()

    def _goes_on(self, moment: float, *, is_of_words: bool) -> bool:
        return moment - self._at <= (WORDS_SECONDS if self.is_text and is_of_words else QUIET_SECONDS)

    def take(self, sign: str, bound: Bound, at: float) -> Fate:
        """Add a printable character."""
        self.text += sign
        self._at = at
        fate = self._fate(sign, bound)
        if fate is Fate.WAIT:
            self._waiting += sign
        elif fate is Fate.RUN and bound is Bound.ACT:
            self.acted += sign
        return fate

    def _fate(self, sign: str, bound: Bound) -> Fate:
        if sign.isalpha() and bound is not Bound.MOVE:
            self._letters.add(sign)
            if bound is Bound.NOTHING:
                self._fewest = _ENOUGH_WITH_A_STRANGER
        if self.is_text or len(self._letters) >= self._fewest:
            self.is_text = True
            return Fate.TEXT
        is_after_others = bound is Bound.ACT and len(self._letters) > 1
        return Fate.WAIT if self._waiting or is_after_others else Fate.RUN

    def ends(self, key: str, at: float) -> bool:
        """Return whether a key that types nothing is a command that ends the run, rather than the end of a word.

        What comes after enter is no part of the word any more.
        """
        if not self.is_text or key not in {"enter", "backspace"} or not self._goes_on(at, is_of_words=True):
            return True
        self.text = self.text[:-1] if key == "backspace" else self.text
        self._at = at if key == "backspace" else float("-inf")
        return False


class TypedWords:
    """Tells words from commands by what the keys do on the screen in front.

    `tell`: called with a word, and those of its letters that ran before it was known to be one.
    """

    def __init__(self, app: App[Any], tell: Callable[[str, str], None]) -> None:
        self._app = app
        self._tell = tell
        self._run = TypedRun()

    def fate_of(self, event: events.Key) -> Fate:
        """Return what becomes of a key, in its turn."""
        run, sign = self._run, event.character
        if isinstance(self._app.screen.focused, Input | TextArea):
            self._run = TypedRun()
            return Fate.RUN
        if not event.is_printable or sign is None:
            if not run.ends(event.key, event.time):
                return Fate.TEXT
            self._run = TypedRun()
            return Fate.RUN
        self._run = run.at(event.time, sign)
        return self._run.take(sign, bound_on(self._app, event.key), event.time)

    def tell(self) -> None:
        """Tell the word, if it is one."""
        if self._run.is_text:
            self._tell(self._run.text, self._run.acted)


_MOVING = frozenset("jkgG")  # Keys that move also where they are no pane's: in dialogs, among the kinds of the lab
_LOOKING = frozenset({"view", "move", "mark"})  # Areas of actions that only change what is shown or marked
_LEAVING = frozenset({"review-source", "packs-context"})  # Those of them that leave for something else


def bound_on(app: App[Any], key: str) -> Bound:
    """Return what a key does on the screen in front."""
    active = app.screen.active_bindings.get(key)
    return Bound.NOTHING if active is None else bound_by(key, active.binding.id)


def bound_by(key: str, identifier: str | None) -> Bound:
    """Return what a key does that runs an action. `identifier`: None where it is none of the registry's."""
    action = registry.find(identifier)
    if key in _MOVING or (action is not None and action.owner == PANE):
        return Bound.MOVE
    if action is None:
        return Bound.ACT
    is_look = action.owner in WIDGETS or (action.area in _LOOKING and action.id not in _LEAVING)
    return Bound.LOOK if is_look else Bound.ACT
