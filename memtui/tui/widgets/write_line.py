"""The line that asks where to write a file; it never replaces one at the first enter."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from memtui.tui.widgets.text_line import TextLine

_HINT = "enter writes · esc leaves"
_ASK = "it exists: enter again replaces it"


class WriteLine(Horizontal):
    """A path with a note beside it; hidden until it is opened."""

    @dataclass
    class Given(Message):
        """A path was given.

        Attributes:
            overwrite: whether the person said that a file of this name may be replaced.
        """

        path: str
        overwrite: bool

    def __init__(self, suggestion: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._suggestion = suggestion
        self._path = TextLine("a file to write to", longest=4_000, id="write-path")
        self._note = Static("", id="write-note", markup=False)
        self._replaceable: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        yield Static(" Write to ", id="write-label", markup=False)
        yield self._path
        yield self._note

    def open(self) -> None:
        """Show it, ready to type, with the path of last time or a suggestion."""
        self._replaceable = None
        self._path.value = self._path.value or self._suggestion
        self._note.update(_HINT)
        self._path.focus()
        self._path.action_select_all()

    def ask_to_replace(self) -> None:
        """Say that there is such a file; the next enter replaces it unless the path is changed before."""
        self._replaceable = self._path.value
        self._note.update(_ASK)

    @on(Input.Changed)
    def _rename(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._replaceable:
            self._replaceable = None
            self._note.update(_HINT)

    @on(Input.Submitted)
    def _give(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Given(event.value, overwrite=event.value == self._replaceable))
