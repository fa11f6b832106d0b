"""Keys in their order and pastes as one text, also while the focus changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memtui.text.sanitize import one_line, sanitise
from memtui.tui.typed import HOLD_SECONDS, QUIET_SECONDS, Fate, TypedWords

_ROUNDS = 3
"""Times that a mark follows a key from the focus up to the app: the key itself, what its act posts (`Submitted`), and
what is posted in answer to that (`Entered`)."""

PATIENCE_SECONDS = 5.0
"""After this long a key that was never dealt with holds up no other, nor does a screen that never takes the focus."""

LOOK_SECONDS = 0.02  # How often a screen that is coming up is looked at

_LINE_KEYS = frozenset("/:?")
"""Keys that open a line to type into: what comes after them is for that line."""

_DIFFERENT = 4  # Different characters in a paste at least

_LEAVING = frozenset({"escape", "ctrl+q", "ctrl+c"})


class KeyOrder:
    """The turns of keys and pastes.

    Textual gives a key to the widget that has the focus when the key arrives, while the act of the key before it may
    still wait in the queue of a widget, or a screen that it opens may not be there yet: what is typed fast, or while
    the app is busy, would land where the focus was, and run acts there that nobody asked for.

    A screen that comes up takes keys once something on it has the focus, where anything can. One that reads before it
    can be typed into says by `is_opening` how long that is; meanwhile it can be left, and if it closes, what was meant
    for it is let go.

    `words`: tells words, typed where nothing takes text, from commands; None takes all as commands.
    """

    def __init__(self, app: App[Any], words: TypedWords | None = None) -> None:
        self._app = app
        self._words = words
        self._held: deque[events.Key | events.Paste] = deque()
        self._waiting: list[events.Key] = []  # Keys that may be letters of a word
        self._settled: WeakSet[events.Key] = WeakSet()  # Those of them that are commands
        self._newest: events.Key | None = None
        self._is_under_way = False
        self._awaited: Screen[Any] | None = None  # The screen that is coming up, while keys wait for it
        self._came_up: WeakKeyDictionary[Screen[Any], float] = WeakKeyDictionary()
        self._turn = 0
        self._began = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a key is being dealt with; not while all wait for a screen."""
        return self._is_under_way and self._awaited is None

    def keeps(self, event: events.Event) -> bool:
        """Return whether an event has to wait for its turn; it is then handed to the app again in its turn."""
        if isinstance(event, events.MouseDown) and self._words is not None:
            self._words.forget_slash()
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
        if self._waits_for_more(event):
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

    # -- words that are typed where nothing takes text --------------------------------------------

    def _waits_for_more(self, event: events.Key | events.Paste) -> bool:
        """Return whether a key waits for the next one, is a letter of a word, or comes after what waits."""
        if self._words is None or not isinstance(event, events.Key) or event in self._settled:
            return False
        fate = self._words.fate_of(event)
        if fate is Fate.RUN and not self._waiting:
            return False
        if fate is Fate.TEXT:
            self._waiting.clear()
        else:
            self._waiting.append(event)
        if fate is Fate.RUN:
            self._settle()
        else:
            pause = HOLD_SECONDS if fate is Fate.HOLD else QUIET_SECONDS
            self._app.set_timer(pause, lambda: self._app.call_later(self._look_for_more, event))
        self._newest = event
        return True

    def _look_for_more(self, newest: events.Key) -> None:
        """Go on once no other key came after the newest."""
        if self._words is None or self._newest is not newest:
            return
        if self._is_under_way:
            self._app.set_timer(QUIET_SECONDS, lambda: self._app.call_later(self._look_for_more, newest))
        elif self._waiting:
            self._settle()
        else:
            self._words.tell()

    def _settle(self) -> None:
        """Hand out what waited, before all that came after it."""
        if self._words is not None:
            self._words.settle()
        self._settled.update(self._waiting)
        self._held.extendleft(reversed(self._waiting))
        self._waiting.clear()
        self._is_under_way = True
        self._awaited = None
        self._turn += 1
        self._began = monotonic()
        self._app.call_later(self._end, self._turn)

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
        self._waiting.clear()
        self._is_under_way = False
        self._awaited = None
        self._turn += 1


@dataclass
class Stripped(Message):
    """A paste held control characters, which were taken out."""

    number: int  # of control characters and escape sequences


class LiteralPastes(XTermParser):
    """A parser to which everything between the marks of a bracketed paste is text.

    Textual's reads on for escape sequences in a paste; of one that it does not know it makes keys, which come before
    the text that stands in front of them.

    A terminal without bracketed pastes sends a paste as keys, all at once: so many characters, several of them
    different and none of them a key that opens a line, are a paste as well.

    A terminal sends a key with alt as escape and that key, and so does a slow line what were two keys: Textual takes
    both for alt. Here they are two keys, unless that key with alt does something.

    `burst`: characters read at once from which they are one; 0 reads keys however many come. `bound`: the keys that do
    something.
    """

    def __init__(self, debug: bool = False, burst: int = 0, bound: frozenset[str] = frozenset()) -> None:
        super().__init__(debug)
        self._burst = burst
        self._bound = bound
        self._pasted: list[str] | None = None  # Parts of the paste that is under way; None outside of one
        self._cut = ""  # The end of what was read last, where it may be the beginning of a mark

    def feed(self, data: str) -> Iterable[Message]:
        """Yield what came: keys as Textual reads them, a paste once it is whole, and what was taken out of it."""
        if not data:
            yield from super().feed(data)
        elif self._pasted is None and not self._cut and self._is_burst(data):
            yield events.Paste(sanitise(data).text)
            return
        while data:
            data = yield from (self._keys(data) if self._pasted is None else self._paste(data))

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        # Beside keys such as arrows Textual knows signs that a Mac types with alt and a digit.
        is_sign = len(sequence) == len("\x1b1") and isinstance(ANSI_SEQUENCES_KEYS.get(sequence), str)
        keys = list(super()._sequence_to_key_events(sequence[-1] if is_sign else sequence, alt=alt or is_sign))
        if (alt or is_sign) and self._bound.isdisjoint(key.key for key in keys):
            return [events.Key("escape", "\x1b"), *super()._sequence_to_key_events(sequence[-1])]
        return keys

    def _is_burst(self, data: str) -> bool:
        if not self._burst or len(data) < self._burst or data[0] in _LINE_KEYS:
            return False
        # Several times one key is a key that is held down.
        return len(set(data)) >= _DIFFERENT and all(sign.isprintable() or sign in "\r\n\t" for sign in data)

    def _keys(self, data: str) -> Generator[Message, None, str]:
        """Read up to the start of a paste; returns what follows it."""
        # Whatever was read in full, or was waited for too long, is no beginning of a mark any more.
        before = self._cut if self._awaiting.timeout is not None else ""
        start = (before + data).find(BRACKETED_PASTE_START)
        end = len(data) if start < 0 else start + len(BRACKETED_PASTE_START) - len(before)
        yield from super().feed(data[:end])
        self._cut = "" if start >= 0 else (before + data)[-len(BRACKETED_PASTE_START) + 1 :]
        if start >= 0:
            self._pasted = []
        return data[end:]

    def _paste(self, data: str) -> Generator[Message, None, str]:
        """Read up to the end of a paste; returns what follows it."""
        assert self._pasted is not None  # noqa: S101 - a paste is under way
        parts, data = self._pasted, self._cut + data
        end = data.find(BRACKETED_PASTE_END)
        if end < 0:
            kept = next(size for size in range(len(BRACKETED_PASTE_END) - 1, -1, -1) if _ends_in_mark(data, size))
            parts.append(data[: len(data) - kept])
            self._cut = data[len(data) - kept :]
            return ""
        self._pasted, self._cut = None, ""
        # Textual's own state leaves the paste too; what it makes of it is nothing.
        yield from (one for one in super().feed(BRACKETED_PASTE_END) if not isinstance(one, events.Paste))
        clean = sanitise("".join([*parts, data[:end]]))
        yield events.Paste(clean.text)
        if clean.removed:
            yield Stripped(clean.removed)
        return data[end + len(BRACKETED_PASTE_END) :]


def _ends_in_mark(data: str, size: int) -> bool:
    return data.endswith(BRACKETED_PASTE_END[:size])


def driver_taking_pastes(found: type[Driver], burst: int = 0, bound: frozenset[str] = frozenset()) -> type[Driver]:
    """Return a driver that takes pastes literally in place of Textual's for Linux and macOS; others as they are.

    `burst`, `bound`: as of `LiteralPastes`.
    """
    if found.__module__ != "textual.drivers.linux_driver":
        return found
    from textual.drivers import linux_driver

    class PastingDriver(linux_driver.LinuxDriver):
        """Textual's driver with another parser."""

        def run_input_thread(self) -> None:
            # Textual's driver names its parser here and takes no other.
            linux_driver.XTermParser = partial(LiteralPastes, burst=burst, bound=bound)  # type: ignore[assignment,attr-defined] # as said
            super().run_input_thread()

    return PastingDriver


READ_OF_A_PASTE = 20  # A paste is read up to this multiple of the line's room: white space may make up most of it


class OneLineInput(Input):
    """A line that takes a paste of several lines as one, without control characters and as far as there is room."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.take_paste(event.text)

    def take_paste(self, pasted: str) -> None:
        """Insert a text at the cursor, as one line without control characters."""
        longest = self.max_length or len(self.value) + len(pasted)
        text = one_line(pasted[: longest * READ_OF_A_PASTE])
        room = longest - len(self.value) + len(self.selected_text)
        self.replace(text[: max(0, room)], *sorted(self.selection))


class CleanTextArea(TextArea):
    """A text area whose pastes go through `take_paste`."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.take_paste(event.text)

    def take_paste(self, pasted: str) -> None:
        """Insert a text at the cursor without control characters."""
        if not self.read_only:
            self.replace(sanitise(pasted).text, *sorted(self.selection), maintain_selection_offset=False)
