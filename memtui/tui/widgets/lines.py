"""One-line widgets: inputs, questions, the filter, the title, header and footer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from memtui.text.sanitize import tame
from memtui.text.words import clip, counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import FILTER, Action, Keymap
from memtui.tui.memory_view import clipped, fit
from memtui.tui.textual_patches.input import OneLineInput
from memtui.tui.values import Base

_GAP = "   "
_PROJECT_CELLS = 30


class HeaderLine(Widget):
    """Where we are and what is there: project, counts, the key for help."""

    ALLOW_SELECT = False
    base: reactive[Base | None] = reactive(None)
    semantic: reactive[str] = reactive("")  # How the search by meaning stands: ready, loading, off
    busy: reactive[str] = reactive("")  # What takes its time just now
    team: reactive[str] = reactive("")  # When memories were last exchanged with teams, and what waits

    def render(self) -> Content:
        project = "" if self.base is None else tame(self.base.project or "all projects")
        left = Content.assemble(
            " ", ("memtui  ", "bold $primary"), fit(project, min(len(project), _PROJECT_CELLS)) if project else ""
        )
        end = Content.assemble(_GAP, ("?", "bold $primary"), " ", ("help", "$memtui-dim"), " ")
        room = self.size.width - left.cell_length - end.cell_length
        counts: list[Content] = []
        for content in self._counts():
            if content.cell_length + len(_GAP) <= room:
                room -= content.cell_length + len(_GAP)
                counts.append(content)
        middle = Content(_GAP).join(counts) if counts else Content("")
        pad = max(0, self.size.width - left.cell_length - middle.cell_length - end.cell_length)
        return Content.assemble(left, " " * pad, middle, end)

    def _counts(self) -> list[Content]:
        if self.base is None:
            return []
        due, inbox = self.base.due, self.base.inbox
        return [
            *([Content.styled(self.busy, "$memtui-due")] if self.busy else []),
            Content(counted(self.base.active, "memory", "memories")),
            Content.styled(f"{due:,} due", "$memtui-due" if due else "$memtui-dim"),
            Content.styled(f"{inbox:,} inbox", "$foreground" if inbox else "$memtui-dim"),
            *([Content.styled(tame(self.team, 60), "$memtui-dim")] if self.team else []),
            *([Content.styled(f"semantic {self.semantic}", "$memtui-dim")] if self.semantic else []),
        ]


class KeyHints(Widget):
    """The keys that matter in the focused pane; a click on one presses it."""

    ALLOW_SELECT = False
    place: reactive[str] = reactive("list")
    keymap: reactive[Keymap] = reactive(Keymap)

    @dataclass
    class Pressed(Message):
        """A hint was clicked."""

        action: Action

    def on_mount(self) -> None:
        self.keymap = getattr(self.app, "keymap", None) or self.keymap

    def render(self) -> Content:
        parts: list[Content] = []
        for action, start, end in self._spans():
            del start, end
            parts.append(
                Content.assemble((self.keymap.first(action), "bold $primary"), " ", (action.label, "$memtui-dim"))
            )
        return Content.assemble(" ", Content(_GAP).join(parts)) if parts else Content("")

    def on_click(self, event: events.Click) -> None:
        for action, start, end in self._spans():
            if start <= event.x < end:
                event.stop()
                self.post_message(self.Pressed(action))

    def _spans(self) -> list[tuple[Action, int, int]]:
        """Return the hints that fit, with the cells that each takes."""
        found: list[tuple[Action, int, int]] = []
        start = 1
        for action in registry.hints(self.place):
            if not self.keymap.keys(action):
                continue
            end = start + len(self.keymap.first(action)) + 1 + len(action.label)
            if end > self.size.width:
                break
            found.append((action, start, end))
            start = end + len(_GAP)
        return found


LONGEST = 2_000  # Characters of a line; recall reads no more of a task for its phase


class TextLine(OneLineInput):
    """A single line of text. `placeholder`: shown while it is empty; never from others."""

    def __init__(self, placeholder: str = "", *, longest: int = LONGEST, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(placeholder=placeholder, max_length=longest, id=id, compact=True, select_on_focus=False)


ASK_AGAIN = "it exists: enter again replaces it"


@dataclass(frozen=True, slots=True)
class Question:
    """What a line may ask for; all of it our own words."""

    label: str
    suggestion: str = ""  # what stands there at first
    verb: str = "takes it"
    longest: int = 4_000


class AskLine(Horizontal):
    """A line with a note beside it, hidden until it is opened. At the second enter it replaces what exists already."""

    DEFAULT_CLASSES: ClassVar[str] = "ask-line"

    @dataclass
    class Given(Message):
        """An answer was given."""

        name: str
        text: str
        again: bool  # whether the person said that what is there may be replaced

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
        yield self._label
        yield self._input
        yield self._note

    @property
    def is_open(self) -> bool:
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
        self.remove_class("-open")

    def ask_again(self) -> None:
        """Say that there is such a thing; the next enter replaces it unless the text is changed before."""
        self._replaceable = self._input.value
        self._note.update(ASK_AGAIN)

    def _hint(self) -> str:
        return f"enter {self._questions[self._asked].verb} · esc cancels"

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


class FilterLine(OneLineInput):
    """The line of the filter: up and down move the cursor of the list."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FILTER)

    @dataclass
    class Kept(Message):
        """The filter is to stay and the list to be looked at."""

    @dataclass
    class Moved(Message):
        """The cursor of the list is to move while the filter is typed."""

        rows: int

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(
            placeholder=placeholder,
            max_length=200,
            id=id,
            compact=True,
        )

    def action_filter_keep(self) -> None:
        self.post_message(self.Kept())

    def action_filter_down(self) -> None:
        """Move the cursor of the list down."""
        self.post_message(self.Moved(1))

    def action_filter_up(self) -> None:
        """Move the cursor of the list up."""
        self.post_message(self.Moved(-1))


class TitleLine(Widget):
    """`memtui  project   Screen      note   ? help`."""

    ALLOW_SELECT = False
    project: reactive[str | None] = reactive(None)
    note: reactive[str] = reactive("")

    def __init__(self, screen: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._screen_name = screen

    def render(self) -> Content:
        project = clip(tame(self.project or ""), _PROJECT_CELLS)
        left = Content.assemble(
            " ", ("memtui  ", "bold $primary"), project + _GAP if project else "", (self._screen_name, "bold")
        )
        end = Content.assemble(_GAP, ("?", "bold $primary"), " ", ("help", "$memtui-dim"), " ")
        if left.cell_length + end.cell_length > self.size.width:
            end = Content.assemble(" ", ("?", "bold $primary"), " ")
            left = clipped(left, self.size.width - end.cell_length)
        room = self.size.width - left.cell_length - end.cell_length - len(_GAP)
        note = Content.styled(clip(tame(self.note), room), "$memtui-dim")
        pad = max(0, self.size.width - left.cell_length - note.cell_length - end.cell_length)
        return Content.assemble(left, " " * pad, note, end)
