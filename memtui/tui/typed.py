"""Words that are typed where nothing takes text, told from commands that a person gives fast."""

from __future__ import annotations

from collections.abc import Callable, Sized
from enum import Enum, auto
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import PANE, WIDGETS, Keymap

QUIET_SECONDS = 0.3
"""Letters that follow each other within this are one run: a typist's come every 100 to 250 ms. A command that may be a
letter of a word waits as long for the next key."""

HOLD_SECONDS = 0.06
"""The first act of a run waits as long, which nobody sees: letters that come together, as over a slow line, by a macro
or under two fingers, follow each other within it."""

WORDS_SECONDS = 0.8  # Letters that come so soon after those of a word are of it, or of the next

LINE_KEY = "slash"  # Opens the line of a screen that text can be typed into

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
    HOLD = auto()  # it runs unless another letter follows at once
    WAIT = auto()  # it runs unless what follows makes it a letter of a word
    TEXT = auto()  # it is typed text, and so is what waits


class TypedRun:
    """The keys that came one soon after the other.

    A word is told from commands by its different letters. Until there are enough of them, acts that follow other
    letters wait, and the first act of a run for a moment; a key that is repeated, or moves, never does.

    Attributes:
        text: what was typed since the run began.
        is_text: whether it is a word.
        acted: the letters that ran as acts.
    """

    def __init__(self) -> None:
        self.text, self.acted, self.is_text = "", "", False
        self._letters: set[str] = set()
        self._fewest = _ENOUGH
        self._waiting = ""  # Keys that did not run yet
        self._acts_waiting = ""  # Those of them that are acts
        self._waits_long = False  # Whether they wait for more than a moment
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
        if fate is not Fate.TEXT and bound is Bound.ACT:
            self._acts_waiting += sign
        if fate in {Fate.HOLD, Fate.WAIT}:
            self._waiting += sign
        elif fate is Fate.RUN:
            self.settle()
        return fate

    def settle(self) -> None:
        """Take note that what waited runs."""
        self.acted += self._acts_waiting
        self._waiting, self._acts_waiting, self._waits_long = "", "", False

    def _fate(self, sign: str, bound: Bound) -> Fate:
        if sign.isalpha() and bound is not Bound.MOVE:
            self._letters.add(sign)
            if bound is Bound.NOTHING:
                self._fewest = _ENOUGH_WITH_A_STRANGER
        if self.is_text or len(self._letters) >= self._fewest:
            self.is_text = True
            return Fate.TEXT
        is_after_others = bound is Bound.ACT and len(self._letters) > 1
        if is_after_others or self._waits_long:
            self._waits_long = True
            return Fate.WAIT
        if self._waiting:
            return Fate.RUN if set(self._waiting) == {sign} else Fate.HOLD
        return Fate.HOLD if bound is Bound.ACT and sign.isalpha() and sign not in self.acted else Fate.RUN

    def ends(self, key: str, at: float) -> bool:
        """Return whether a key that types nothing is a command that ends the run, rather than the end of a word.

        What comes after enter is no part of the word any more.
        """
        if not self.is_text or key not in {"enter", "backspace"} or not self._goes_on(at, is_of_words=True):
            return True
        self.text = self.text[:-1] if key == "backspace" else self.text
        self._at = at if key == "backspace" else float("-inf")
        return False


class SlashText:
    """What is typed after a `/` that opened no line: text, until esc or enter ends it or the cursor is moved.

    Attributes:
        text: what was typed after the `/`.
        is_refused: whether the screen said why there is nothing to type into; otherwise it is to be said.
    """

    def __init__(self, screen: Screen[Any], *, is_refused: bool) -> None:
        self.text = ""
        self.is_refused = is_refused
        self._screen = screen

    def is_over(self, screen: Screen[Any]) -> bool:
        """Return whether another screen is in front, or a line was opened after all."""
        return screen is not self._screen or isinstance(screen.focused, Input | TextArea)

    def take(self, event: events.Key) -> bool | None:
        """Take a key as text; False where it is a command again, None where it ends the text and does nothing else."""
        if event.is_printable and event.character is not None:
            self.text += event.character
            return True
        if event.key == "backspace":
            self.text = self.text[:-1]
            return True
        return None if event.key in {"escape", "enter"} and (self.text or not self.is_refused) else False

    def words(self) -> str:
        """Return what is said of it."""
        if not self.text:
            return "" if self.is_refused else "Nothing is filtered here: letters run no commands until esc"
        typed = f"“/{tame(self.text, _SHOWN)}” was typed where nothing takes text: no command was run"
        return f"{typed}. After esc, letters are commands again"


class TypedWords:
    """Tells words from commands by what the keys do on the screen in front.

    `tell`: called with a word, and what is to be said of it. `made`: numbers of the changes that were made here.
    `finds_words`: whether words are told from commands by how fast they come; what follows a `/` always is.
    """

    def __init__(
        self,
        app: App[Any],
        tell: Callable[[str, str], None],
        made: Sized,
        keymap: Keymap,
        *,
        finds_words: bool = True,
    ) -> None:
        self._app = app
        self._tell = tell
        self._made = made
        self._keymap = keymap
        self._finds_words = finds_words
        self._slash: SlashText | None = None  # What is typed after a `/`
        self._run = TypedRun()
        self._made_before = 0  # Changes when the run began
        self._ids: dict[str, str | None] = {}  # Of the actions that the letters of the run run where they are typed

    def fate_of(self, event: events.Key) -> Fate:
        """Return what becomes of a key, in its turn."""
        run, sign = self._run, event.character
        screen = self._app.screen
        if isinstance(screen.focused, Input | TextArea) or getattr(screen, "takes_letters", False):
            self._run, self._slash = TypedRun(), None
            return Fate.RUN
        active = screen.active_bindings.get(event.key)
        identifier = None if active is None else active.binding.id
        if self._follows_slash(event, identifier):
            self._run = TypedRun()
            return Fate.TEXT
        if not self._finds_words:
            return Fate.RUN
        if not event.is_printable or sign is None:
            if not run.ends(event.key, event.time):
                return Fate.TEXT
            self._run = TypedRun()
            return Fate.RUN
        self._run = run.at(event.time, sign)
        if self._run is not run:
            self._made_before = len(self._made)
        self._ids[sign] = identifier
        bound = Bound.NOTHING if active is None else bound_by(event.key, identifier)
        return self._run.take(sign, bound, event.time)

    def _follows_slash(self, event: events.Key, identifier: str | None) -> bool:
        """Return whether a key is a `/` that opens nothing, or text after one that opened no line."""
        screen, action = self._app.screen, registry.find(identifier)
        if self._slash is not None and self._slash.is_over(screen):
            self._slash = None
        if action is not None and LINE_KEY in action.keys:  # Whatever key it has now
            self._slash = SlashText(screen, is_refused=True)
            return False
        if self._slash is None:
            if event.key != LINE_KEY or identifier is not None:
                return False
            self._slash = SlashText(screen, is_refused=False)
            return True
        taken = self._slash.take(event)
        if not taken:
            self._slash = None
        return taken is not False

    def forget_slash(self) -> None:
        """Take keys as commands again: the person went on with the mouse."""
        self._slash = None

    def settle(self) -> None:
        """Take note that what waited runs."""
        self._run.settle()

    def tell(self) -> None:
        """Tell a word, if it is one: which of its letters ran before it was known to be one, and how that is undone."""
        if self._slash is not None:
            words = self._slash.words()
            if words:
                self._tell(self._slash.text, words)
            return
        if not self._run.is_text:
            return
        told = f"“{tame(self._run.text, _SHOWN)}” was typed where nothing takes text: "
        actions = [(sign, registry.find(self._ids.get(sign))) for sign in self._run.acted]
        ran = [f"{sign} ran{f' ({action.beginning})' if action is not None else ''}" for sign, action in actions]
        number, undo = len(self._made) - self._made_before, self._keymap.first(registry.by_id("undo"))
        undone = f"; {undo} undoes {'it' if number == 1 else 'each'}" if ran and number > 0 and undo else ""
        self._tell(self._run.text, f"{told}{', '.join(ran) or 'no command was run'}{undone}")


_SHOWN = 30  # Characters of a word in what is said of it

_MOVING = frozenset("jkgG")  # Keys that move also where they are no pane's: in dialogs, among the kinds of the lab
_LOOKING = frozenset({"view", "move", "mark"})  # Areas of actions that only change what is shown or marked
_LEAVING = frozenset({"review-source", "packs-context"})  # Those of them that leave for something else


def bound_by(key: str, identifier: str | None) -> Bound:
    """Return what a key does that runs an action. `identifier`: None where it is none of the registry's."""
    action = registry.find(identifier)
    if key in _MOVING or (action is not None and action.owner == PANE):
        return Bound.MOVE
    if action is None:
        return Bound.ACT
    is_look = action.owner in WIDGETS or (action.area in _LOOKING and action.id not in _LEAVING)
    return Bound.LOOK if is_look else Bound.ACT
