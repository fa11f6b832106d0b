"""Pastes as one text: no key of them runs an action, no line of them is lost.

Textual reads on for escape sequences within a paste and makes keys of those that it does not know (its `XTermParser`);
its `Input` keeps the first line of a paste alone, and its `TextArea` keeps control characters.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.message import Message
from textual.widgets import Input, TextArea

from memtui.text.sanitize import one_line, sanitise

if TYPE_CHECKING:
    from textual.driver import Driver


@dataclass
class Stripped(Message):
    """A paste held control characters, which were taken out.

    Attributes:
        number: of control characters and escape sequences.
    """

    number: int


class LiteralPastes(XTermParser):
    """A parser to which everything between the marks of a bracketed paste is text.

    Textual's reads on for escape sequences in a paste; of one that it does not know it makes keys, which come before
    the text that stands in front of them.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: list[str] | None = None
        """Parts of the paste that is under way; None outside of one."""
        self._cut = ""
        """The end of what was read last, where it may be the beginning of a mark."""

    def feed(self, data: str) -> Iterable[Message]:
        """Yield what came: keys as Textual reads them, a paste once it is whole, and what was taken out of it."""
        if not data:
            yield from super().feed(data)
        while data:
            data = yield from (self._keys(data) if self._pasted is None else self._paste(data))

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


def driver_taking_pastes(found: type[Driver]) -> type[Driver]:
    """Return a driver that takes pastes literally in place of Textual's for Linux and macOS; others as they are."""
    if found.__module__ != "textual.drivers.linux_driver":
        return found
    from textual.drivers import linux_driver

    class PastingDriver(linux_driver.LinuxDriver):
        """Textual's driver with another parser."""

        def run_input_thread(self) -> None:
            """Read the terminal."""
            # Textual's driver names its parser here and takes no other.
            linux_driver.XTermParser = LiteralPastes  # type: ignore[attr-defined] # as said
            super().run_input_thread()

    return PastingDriver


_READ_OF_A_PASTE = 20
"""A paste is read up to this multiple of the line's room: white space may make up most of it."""


class OneLineInput(Input):
    """A line that takes a paste of several lines as one, without control characters and as far as there is room."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.take_paste(event.text)

    def take_paste(self, pasted: str) -> None:
        """Insert a text at the cursor, as one line without control characters."""
        longest = self.max_length or len(self.value) + len(pasted)
        text = one_line(pasted[: longest * _READ_OF_A_PASTE])
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
