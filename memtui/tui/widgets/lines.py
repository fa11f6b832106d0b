"""One-line widgets: inputs, questions, the filter, the title, header and footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from textual.widgets import Input, Static, TextArea

from memtui.text.sanitize import tame
from memtui.text.words import cell_width, clip, steady
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ASK, FILTER, Action, Keymap
from memtui.tui.drafts import ELSEWHERE, typed_before
from memtui.tui.styled_text import clipped
from memtui.tui.textual_patches.input import OneLineInput

_GAP = "   "
_HELP = registry.by_id("help")
_PLACE_CELLS = 30  # That the place has before the counts have any
_SHORT_PLACE_CELLS = 12  # The same where it is narrow; between them a quarter of the screen
_LEAST_PLACE_CELLS = 8  # A shorter piece of it says nothing
_PLACE_CHARACTERS = 200
_BRAND_FROM = 60  # Cells from which the head names the program too


class _KeyLine(Widget):
    """A line that names keys, among them that of the help, which is another one where text is typed."""

    ALLOW_SELECT = False
    keymap: reactive[Keymap] = reactive(Keymap)

    def on_mount(self) -> None:
        self.keymap = getattr(self.app, "keymap", None) or self.keymap
        self.watch(self.screen, "focused", self._focus_moved, init=False)

    def _focus_moved(self) -> None:
        self.refresh()

    def key_of(self, action: Action) -> str:
        """Return the key of an action that works where the focus is: in a text `?` is a sign."""
        keys = self.keymap.keys(action)
        typing = isinstance(self.screen.focused, Input | TextArea)
        works = next((key for key in keys if len(registry.key_text(key)) > 1), "") if typing else ""
        return registry.key_text(works) or self.keymap.first(action)


LASTING_SECONDS = 0.15  # What is not possible for less, as between two memories, stays in the footer


class KeyHints(_KeyLine):
    """The keys that matter in the focused pane and do something now; a click on one presses it."""

    place: reactive[str] = reactive("list")  # What the screen shows the keys of while nothing asks
    off: reactive[frozenset[str]] = reactive(frozenset())  # Ids of actions of this place that are not possible now
    words: reactive[Mapping[str, str]] = reactive({})  # What is said just now of some actions, by id, for their labels
    busy: reactive[str] = reactive("")  # What takes its time just now, at the right end
    is_covered: reactive[bool] = reactive(False)  # Whether a box lies over the screen, which names its own keys

    @dataclass
    class Pressed(Message):
        """A hint was clicked."""

        action: Action

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._looked_at = ""  # The place that `off` was told of
        self._off_now: frozenset[str] = frozenset()
        self._waits = False

    @property
    def shown_place(self) -> str:
        """What the footer shows the keys of: a line that asks, wherever it is, else the screen's `place`."""
        asks = self.is_attached and isinstance(self.screen.focused, AskInput)  # an inline list shows no footer
        return ASKING if asks else self.place

    def watch_is_covered(self) -> None:
        """Let the head name no key either; an inline list shows neither."""
        for head in self.screen.query(TitleLine) if self.is_attached else ():
            head.is_covered = self.is_covered

    def leave_out(self, off: frozenset[str]) -> None:
        """Take actions of this place that are not possible now out of the footer once that lasts."""
        self._off_now = off
        if self._looked_at != self.shown_place:
            self._looked_at, self.off = self.shown_place, off
            return
        self.off &= off
        if self.off != off and not self._waits:
            self._waits = True
            self.set_timer(LASTING_SECONDS, self._leave_out_lasting)

    def _leave_out_lasting(self) -> None:
        self._waits = False
        self.off = self._off_now

    def render(self) -> Content:
        if self.is_covered:
            return Content("")
        parts = [
            Content.assemble((self.key_of(action), "bold $primary"), " ", (self._label(action), "$memtui-dim"))
            for action in self.shown
        ]
        keys = Content.assemble(" ", Content(_GAP).join(parts)) if parts else Content("")
        if not self.busy:
            return keys
        room = max(0, self.size.width - len(self.busy) - 2)
        left = clipped(keys, room)
        return Content.assemble(left, " " * (room - left.cell_length + 1), (self.busy, "$memtui-due"), " ")

    @property
    def shown(self) -> list[Action]:
        """The actions whose keys are shown."""
        return [action for action, _, _ in self._spans()]

    def on_click(self, event: events.Click) -> None:
        for action, start, end in self._spans():
            if start <= event.x < end:
                event.stop()
                self.post_message(self.Pressed(action))

    def _spans(self) -> list[tuple[Action, int, int]]:
        """Return the hints with the cells that each takes: all, or the first that fit beside the key for the others."""
        offered = [action for action in registry.hints(self.shown_place, self.off) if self.keymap.keys(action)]
        spans = self._laid_out(offered)
        while spans and spans[-1][2] > self.size.width:
            offered = [action for action in offered[:-1] if action is not _HELP]
            spans = self._laid_out([*offered, _HELP] if offered else [])
        return spans

    def _laid_out(self, actions: Sequence[Action]) -> list[tuple[Action, int, int]]:
        found: list[tuple[Action, int, int]] = []
        start = 1
        for action in actions:
            end = start + len(self.key_of(action)) + 1 + len(self._label(action))
            found.append((action, start, end))
            start = end + len(_GAP)
        return found

    def _label(self, action: Action) -> str:
        """Return the word of an action in the footer; the help is there for what has no room."""
        return self.words.get(action.id, action.label) or "more"


LONGEST = 2_000  # Characters of a line; recall reads no more of a task for its phase


class TextLine(OneLineInput):
    """A single line of text. `placeholder`: shown while it is empty; never from others."""

    def __init__(self, placeholder: str = "", *, longest: int = LONGEST, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(placeholder=placeholder, max_length=longest, id=id, compact=True, select_on_focus=False)


class AskInput(TextLine):
    """The line in which something is asked."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(ASK)

    async def action_ask_take(self) -> None:
        await self.action_submit()

    async def action_ask_cancel(self) -> None:
        await self.screen.run_action("act('back')")


ASKING = "asking"  # The footer's place while something is asked

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
        self._input = AskInput("", id=f"{id}-input")
        self._note = Static("", classes="ask-note", markup=False)
        self._replaceable: str | None = None
        self._opened_with = ""

    @property
    def _draft_key(self) -> str:
        about = getattr(self.screen, "typed_about", None) or ""
        return f"{ELSEWHERE}{self.id} {self._asked} {about}".strip()

    def unsaved(self) -> dict[str, dict[str, str]]:
        """Return the answer that is being typed."""
        typed = self._input.value
        return {self._draft_key: {"text": typed}} if self.is_open and typed not in {"", self._opened_with} else {}

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
        before = typed_before(self.app, self._draft_key).get("text")
        shown = before if before is not None else self._answers[name] if value is None else value
        self._input.value = self._opened_with = shown[: question.longest]
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


class TitleLine(_KeyLine):
    """The head of every screen: `memtui  Inbox   ferry        12 waiting   2 conflicts   ? help`.

    Where it is narrow the last counts are left out first, then the place is clipped; the first count stays, and the
    note where nothing is counted and a piece of the place has room beside it.
    `warns`: whether the screen is about something that is wrong.
    """

    screen_name: reactive[str] = reactive("")
    place: reactive[str | None] = reactive(None)  # The project, or the memory that the screen is about
    counts: reactive[Sequence[Content]] = reactive(())  # How much there is, the most important first
    note: reactive[str] = reactive("")  # What else there is to say, after the counts
    is_covered: reactive[bool] = reactive(False)  # Whether a box lies over the screen, where the help's key is another

    def __init__(self, screen_name: str, *, warns: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.set_reactive(TitleLine.screen_name, screen_name)
        self._name_style = "bold $memtui-due" if warns else "bold"

    def render(self) -> Content:
        width = self.size.width
        brand = ("memtui  ", "bold $primary") if width >= _BRAND_FROM else ""
        left = Content.assemble(" ", brand, (self.screen_name, self._name_style))
        key = (self.key_of(_HELP), "bold $primary")
        end = Content.assemble(_GAP, key, " ", ("help", "$memtui-dim"), " ")
        if left.cell_length + end.cell_length > width:
            end = Content.assemble(" ", key, " ")
            left = clipped(left, width - end.cell_length)
        end = Content(" " * end.cell_length) if self.is_covered else end
        place = steady(tame(self.place or "", _PLACE_CHARACTERS))
        room = width - left.cell_length - end.cell_length
        most = max(_SHORT_PLACE_CELLS, min(_PLACE_CELLS, width // 4))
        kept = min(cell_width(place), most) + len(_GAP) if place else 0
        said = self._said()
        rest = room - len(_GAP) - said[0].cell_length if said else room
        if self.counts or rest >= _LEAST_PLACE_CELLS + len(_GAP):
            kept = max(0, min(kept, rest))
        shown = _within(said, room - kept)
        room -= shown.cell_length + (len(_GAP) if shown else 0)
        if place and room >= min(cell_width(place), _LEAST_PLACE_CELLS) + len(_GAP):
            left = Content.assemble(left, _GAP, clip(place, room - len(_GAP)))
        pad = max(0, width - left.cell_length - shown.cell_length - end.cell_length)
        return Content.assemble(left, " " * pad, shown, end)

    def on_click(self, event: events.Click) -> None:
        """Open the help where its key is clicked."""
        if event.x >= self.size.width - len("? help "):
            event.stop()
            self.post_message(KeyHints.Pressed(_HELP))

    def _said(self) -> list[Content]:
        return [*self.counts, *([Content.styled(steady(tame(self.note)), "$memtui-dim")] if self.note else [])]


def _within(said: Sequence[Content], room: int) -> Content:
    """Return the counts and the note that fit; of what comes first at least a part."""
    shown: list[Content] = []
    for content in said:
        if content.cell_length + len(_GAP) <= room:
            room -= content.cell_length + len(_GAP)
            shown.append(content)
        elif not shown:
            return clipped(content, max(0, room - len(_GAP)))
    return Content(_GAP).join(shown) if shown else Content("")
