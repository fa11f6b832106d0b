"""A line that asks for one thing in words: a file, a name, a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from memtui.tui.widgets.text_line import TextLine

ASK_AGAIN = "it exists: enter again replaces it"


@dataclass(frozen=True, slots=True)
class Question:
    """What a line may ask for; all of it our own words.

    Attributes:
        suggestion: what stands there at first.
        verb: what enter does.
        longest: most characters.
    """

    label: str
    suggestion: str = ""
    verb: str = "takes it"
    longest: int = 4_000


class AskLine(Horizontal):
    """A line with a note beside it; hidden until it is opened. What there is already it replaces at the second enter.

    Args:
        questions: what it may ask, by name.
    """

    DEFAULT_CLASSES: ClassVar[str] = "ask-line"

    @dataclass
    class Given(Message):
        """An answer was given.

        Attributes:
            name: of the question.
            again: whether the person said that what is there may be replaced.
        """

        name: str
        text: str
        again: bool

    def __init__(self, questions: Mapping[str, Question], *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._questions = questions
        self._asked = next(iter(questions))
        self._answers = {name: question.suggestion for name, question in questions.items()}
        self._label = Static("", classes="ask-label", markup=False)
        self._input = TextLine("", id=f"{id}-input")
        self._note = Static("", classes="ask-note", markup=False)
        self._replaceable: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        yield self._label
        yield self._input
        yield self._note

    @property
    def is_open(self) -> bool:
        """Whether something is asked."""
        return self.has_class("-open")

    def open(self, name: str, value: str | None = None) -> None:
        """Ask, with a value, else the answer of last time or the suggestion."""
        question = self._questions[name]
        self._asked, self._replaceable = name, None
        self._label.update(f" {question.label} ")
        self._input.max_length = question.longest
        self._input.value = self._answers[name] if value is None else value[: question.longest]
        self._note.update(self._hint())
        self.add_class("-open")
        self._input.focus()
        self._input.action_select_all()

    def close(self) -> None:
        """Hide it."""
        self.remove_class("-open")

    def ask_again(self) -> None:
        """Say that there is such a thing; the next enter replaces it unless the text is changed before."""
        self._replaceable = self._input.value
        self._note.update(ASK_AGAIN)

    def _hint(self) -> str:
        return f"enter {self._questions[self._asked].verb} · esc leaves"

    @on(Input.Changed)
    def _change(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._replaceable:
            self._replaceable = None
            self._note.update(self._hint())

    @on(Input.Submitted)
    def _give(self, event: Input.Submitted) -> None:
        event.stop()
        self._answers[self._asked] = event.value
        self.post_message(self.Given(self._asked, event.value, again=event.value == self._replaceable))
