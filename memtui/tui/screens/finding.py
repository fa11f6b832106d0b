"""What help and palette share: a line to type in over a list of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.scroll_view import ScrollView
from textual.widgets import Input, OptionList, TextArea
from textual.widgets.option_list import Option

from memtui.tui.actions import registry
from memtui.tui.actions.registry import ACTIONS, GO, SCREENS, Action, Keymap, about
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.dialogs import OptionScreen

NOTHING_FOUND = "No such action"
ELSEWHERE = "On other screens"

_BOX_CELLS = 84
_EDGE_CELLS = 8  # Border, padding and scrollbar of the box


class FoundList(OptionList):
    """A list whose lines that are only read are reached too: the keys scroll to them where no choice is near.

    A choice that is scrolled out of sight is not the highlighted one any more: enter runs only what is seen.
    """

    @property
    def _page(self) -> int:
        """Lines in sight."""
        return max(1, self.scrollable_content_region.height)

    def _seen(self) -> list[int]:
        """Return the choices that are wholly in sight."""
        top, starts, heights = self.scroll_offset.y, self._index_to_line, self._heights
        return [
            place
            for place, option in enumerate(self.options)
            if not option.disabled and top <= starts[place] <= top + self._page - heights[place]
        ]

    def _scroll_by(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True, force=True)
        if self.highlighted not in self._seen():
            self.highlighted = None

    def _step(self, direction: int) -> None:
        """Highlight the next choice if no line is skipped by it, else scroll a line; from an end, go to the other."""
        if not self.options:
            return
        top, page = self.scroll_offset.y, self._page
        anchor = self._lines[top][0] if self.highlighted is None else self.highlighted
        ahead = range(anchor + 1, self.option_count) if direction > 0 else range(anchor - 1, -1, -1)
        near = next((place for place in ahead if not self.options[place].disabled), None)
        if near is not None:
            start = self._index_to_line[near]
            skipped = start + self._heights[near] - top - page if direction > 0 else top - start
            if skipped < page:
                self.highlighted = near
                return
        if 0 <= top + direction <= self.max_scroll_y:
            self._scroll_by(direction)
        elif direction > 0:
            self._go_to_first()
        else:
            self._go_to_last()

    def _once_laid_out(self, move: Callable[[], None]) -> None:
        """Move at once, or after the first layout where a key came before it; not in a list without a line of room."""
        if self._has_room():
            move()
        else:
            self.call_after_refresh(lambda: move() if self._has_room() else None)

    def _has_room(self) -> bool:
        """Whether the list was laid out: before that no choice has a place."""
        return bool(self.scrollable_content_region)

    def action_cursor_down(self) -> None:
        """Go on to the next choice or line."""
        self._once_laid_out(lambda: self._step(1))

    def action_cursor_up(self) -> None:
        """Go back to the choice or line before."""
        self._once_laid_out(lambda: self._step(-1))

    def action_first(self) -> None:
        """Go to the first line."""
        self._once_laid_out(self._go_to_first)

    def _go_to_first(self) -> None:
        self._scroll_by(-len(self._lines))
        self.highlighted = next(iter(self._seen()), None)

    def action_last(self) -> None:
        """Go to the last line."""
        self._once_laid_out(self._go_to_last)

    def _go_to_last(self) -> None:
        self._scroll_by(len(self._lines))
        self.highlighted = next(reversed(self._seen()), None)

    def action_page_down(self) -> None:
        """Go on by what is in sight; the last line of it stays in sight."""
        self._once_laid_out(self._go_on)

    def _go_on(self) -> None:
        self._scroll_by(max(1, self._page - 1))
        seen = self._seen()
        if seen:
            self.highlighted = seen[-1 if self.scroll_offset.y >= self.max_scroll_y else 0]

    def action_page_up(self) -> None:
        """Go back by what is in sight; the first line of it stays in sight."""
        self._once_laid_out(self._go_back)

    def _go_back(self) -> None:
        self._scroll_by(-max(1, self._page - 1))
        self.highlighted = next(iter(self._seen()), self.highlighted)


class FindScreen(OptionScreen, inherit_bindings=False):
    """Returns the id of the action to run on the screen beneath; subclasses say what is listed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("down", "list('cursor_down')", show=False),
        Binding("up", "list('cursor_up')", show=False),
        Binding("pagedown,ctrl+d", "list('page_down')", show=False, priority=True),
        Binding("pageup", "list('page_up')", show=False, priority=True),
        Binding("home,ctrl+home", "list('first')", show=False, priority=True),
        Binding("end,ctrl+end", "list('last')", show=False, priority=True),
    ]
    NAME: ClassVar[str]  # Start of the ids of its widgets
    HINT: ClassVar[str]  # What its keys do

    def __init__(self, screen: MemtuiScreen, title: str) -> None:
        super().__init__()
        self.of = screen
        self._title = title

    def options(self, words: Sequence[str]) -> Iterable[Option]:
        """Return what is listed; `words`: what is typed, in lower case."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay out the line to type in and the list."""
        with Vertical(id=f"{self.NAME}-box", classes="find-box") as box:
            box.border_title = Content(self._title)  # a plain str would be read as markup
            box.border_subtitle = Content(self.HINT)
            yield Input(
                placeholder="what do you want to do?", id=f"{self.NAME}-find", classes="find-line", compact=True
            )
            yield FoundList(id=f"{self.NAME}-list", classes="find-list", markup=False)

    def on_mount(self) -> None:
        """Show everything, ready to type."""
        self.query_one(Input).focus()

    def on_resize(self) -> None:
        """List for the room there is."""
        self._fill(self.query_one(Input).value)

    @property
    def keymap(self) -> Keymap:
        found = getattr(self.app, "keymap", None)
        return found if isinstance(found, Keymap) else Keymap()

    def keys_of(self, action: Action, *, most: int = 4) -> str:
        """Return the keys of an action that work on the screen beneath: where all of it is typed in, no letters."""
        if not self._is_typed_in:
            return self.keymap.shown(action, most=most)
        keys = (registry.key_text(key) for key in self.keymap.keys(action))
        return " ".join([key for key in keys if len(key) > 1][:most])

    @property
    def _is_typed_in(self) -> bool:
        """Whether the screen beneath is a form: fields to type into, and no list in which a letter is a key."""
        fields = [stop for stop in self.of.focus_chain if isinstance(stop, Input | TextArea)]
        lists = [stop for stop in self.of.focus_chain if isinstance(stop, ScrollView) and stop not in fields]
        return bool(fields) and not lists

    @property
    def line_cells(self) -> int:
        """Cells of a line of the list."""
        return max(1, min(_BOX_CELLS, self.size.width) - _EDGE_CELLS)

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    @on(Input.Submitted)
    def _run_first(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(OptionList).action_select()

    @on(OptionList.OptionSelected)
    def _run(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id is not None:
            self.dismiss(event.option_id)

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close once: a second key would close the screen beneath while this one is being left."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys for both ends to what is typed, where something is."""
        if action == "list" and parameters[0] in {"first", "last"}:
            return not self.query_one(Input).value
        return super().check_action(action, parameters)

    def _fill(self, typed: str) -> None:
        choices = self.query_one(OptionList)
        choices.clear_options()
        found = list(self.options(typed.lower().split()))
        choices.add_options(found or [Option(Content.styled(NOTHING_FOUND, "$memtui-dim"), disabled=True)])
        choices.highlighted = next((place for place, option in enumerate(choices.options) if not option.disabled), None)
        choices.scroll_to(y=0, animate=False)


def heading(text: str) -> Option:
    return Option(Content.styled(text, "bold $primary"), disabled=True)


def said(text: str) -> Option:
    """Return a line that is only read."""
    return Option(Content.styled(text, "$memtui-dim"), disabled=True)


_AT_A_WORD, _BY_ANOTHER_NAME, _WITHIN = 0.9, 0.7, 0.5
"""How well a hit fits: what is typed begins a word of the title or another word for the act, or is within the title."""


def score_of(words: Iterable[str], action: Action) -> float:
    """Return how well an action fits what was typed, 0 where a word of it is missing; words in lower case."""
    title = action.palette_title.lower()
    names = f" {action.known_by.replace(':', ' ').replace('-', ' ')}"
    score = 1.0
    for word in words:
        if f" {word}" in f" {title}":
            score = min(score, _AT_A_WORD)
        elif f" {word}" in names:
            score = min(score, _BY_ANOTHER_NAME)
        elif word in title:
            score = min(score, _WITHIN)
        else:
            return 0.0
    return score


def of_other_screens(screen: MemtuiScreen) -> list[Action]:
    """Return the actions that only other screens can run."""
    here = {action.id for action in screen.offered()}
    return [one for one in ACTIONS if one.menu and one.owner in SCREENS and one.id not in here]


def found_elsewhere(screen: MemtuiScreen, words: Sequence[str], here: Iterable[Action]) -> list[Action]:
    """Return the actions of other screens with words that begin as is typed; none where nothing is typed.

    Those of screens that can be gone to stand first, the likeliest of them before the others.

    `here`: the actions of this screen that fit; what begins with the same word is not told of again.
    """
    known = {_verb(action) for action in here}
    scored = [(score_of(words, one), one) for one in of_other_screens(screen) if _verb(one) not in known]
    found = [(registry.find(f"{GO}{one.owner}") is None, -score, one) for score, one in scored if score > _WITHIN]
    return [one for _, _, one in sorted(found, key=lambda entry: entry[:2])] if words else []


def _verb(action: Action) -> str:
    return action.title.split()[0].strip(",;:")


def where_words(action: Action) -> str:
    """Return which screen an action is of: `on Inbox`."""
    return f"on {about(action.owner).name}"


async def show_where(screen: MemtuiScreen, action: Action, key: str) -> None:
    """Go to the screen that an action is of, and say its key there; where it cannot be gone to, say what it is for."""
    told = about(action.owner)
    going = registry.find(f"{GO}{action.owner}")
    if going is None:
        screen.say(f"{action.title}: {where_words(action)}. {told.purpose}", severity="warning")
        return
    reason = screen.why_not(going)
    await screen.action_act(going.id)
    if reason is None:
        screen.say(f"{told.name}, {key}: {action.title}" if key else f"{told.name}: {action.title}")
