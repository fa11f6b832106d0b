"""Dialogs: cards, choices, themes, help and the command palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import Vertical
from textual.content import Content
from textual.markup import escape
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memtui.text.sanitize import without_surrogates
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, ERASING, EVERYWHERE, FACETS, FILTER, PANE, Action, Keymap
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.memory_view import MARK_DUE, MARK_PINNED, Block, describe
from memtui.tui.values import Detail
from memtui.tui.widgets.detail import DetailPane


class CardScreen(ModalScreen[None]):
    """Text to read; esc, enter and q close it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,i", "leave", "close")]
    AUTO_FOCUS = "#card"

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title = title
        self._blocks = tuple(blocks)

    def compose(self) -> ComposeResult:
        card = DetailPane(id="card")
        card.border_title = Content(self._title)  # a plain str would be read as markup
        card.border_subtitle = Content("esc closes")
        yield card

    def on_mount(self) -> None:
        """Show the text once the card has its width."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        self.query_one("#card", DetailPane).show(self._blocks, from_top=True)

    def action_leave(self) -> None:
        self.dismiss(None)


class _OptionScreen(ModalScreen[str | None]):
    """One list of options; returns None where it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "list('cursor_down')", show=False),
        Binding("k", "list('cursor_up')", show=False),
    ]

    def action_list(self, move: str) -> None:
        getattr(self.query_one(OptionList), f"action_{move}")()

    def action_leave(self) -> None:
        self.dismiss(None)


NUMBERED = 9  # Choices that a single digit chooses


class ChoiceScreen(_OptionScreen):
    """Returns the name that was chosen, None where it was left.

    `choices`: (name, what people call it); a name that is the choice's own number is shown as that alone.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "leave"),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, NUMBERED + 1)),
    ]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._current = current

    def compose(self) -> ComposeResult:
        width = max((len(name) for name, _ in self._choices), default=0)
        options = [
            Option(_line(number, name, label, width), id=f"n{number}")
            for number, (name, label) in enumerate(self._choices, 1)
        ]
        names = [name for name, _ in self._choices]
        choices = OptionList(*options, id="choice-list", markup=False)
        choices.border_title = Content(self._title)  # a plain str would be read as markup
        choices.border_subtitle = Content("number or enter chooses · esc cancels")
        choices.highlighted = names.index(self._current) if self._current in names else 0
        yield choices

    @on(OptionList.OptionSelected, "#choice-list")
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index][0])

    def action_take(self, number: int) -> None:
        """Choose by number."""
        if number <= len(self._choices):
            self.dismiss(self._choices[number - 1][0])


def _line(number: int, name: str, label: str, width: int) -> Content:
    key = str(number) if number <= NUMBERED else " "
    if name == str(number):
        return Content.assemble((name, "bold $primary"), f"  {label}")
    return Content.assemble(
        (key, "bold $primary"), f"  {name.ljust(width)}", (f"  {label}", "$memtui-dim") if label else ""
    )


def pick(
    app: App[Any],
    title: str,
    choices: Sequence[tuple[str, str]],
    current: str,
    take: Callable[[str], object],
    *,
    left: str | None = None,
) -> None:
    """Let a name be chosen over the screen; `left` is taken where the choice is left, nothing if it is None."""

    def take_chosen(name: str | None) -> None:
        name = left if name is None else name
        if name is not None:
            take(name)

    app.push_screen(ChoiceScreen(title, choices, current), take_chosen)


class ThemePicker(_OptionScreen):
    """A list of themes; returns the one that was kept."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "back to the old theme")]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = list(names)
        self._current = current

    def compose(self) -> ComposeResult:
        choices = OptionList(*(Option(Content(name), id=name) for name in self._names), id="theme-list", markup=False)
        choices.border_title = Content("Theme")
        choices.border_subtitle = Content("enter keeps · esc goes back")
        choices.highlighted = self._names.index(self._current)
        yield choices

    @on(OptionList.OptionHighlighted, "#theme-list")
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self.app.theme = event.option_id

    @on(OptionList.OptionSelected, "#theme-list")
    def _keep(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    def action_leave(self) -> None:
        """Go back to the theme that was in force."""
        self.app.theme = self._current
        super().action_leave()


def read_memory(screen: MemtuiScreen, identifier: str) -> None:
    def show(detail: Detail | None) -> None:
        if detail is None:
            screen.say("This memory no longer exists.", severity="warning")
        else:
            screen.app.push_screen(CardScreen("Memory", describe(detail)))

    screen.loader.read(lambda: screen.access.detail(identifier), show, group="memory")


def send_escape(app: App[Any], text: str) -> bool:
    """Send a text as OSC 52 between two frames rather than into one."""
    app.copy_to_clipboard(without_surrogates(text))
    return True


NOTHING_FOUND = "No such action"
ERASED_BY = "To erase a memory for good: memtui purge, on the command line"

_AT_A_WORD, _BY_ANOTHER_NAME, _WITHIN, _NOTE = 0.9, 0.7, 0.5, 0.1
"""How well a hit fits: what is typed begins a word of the title or another word for the act, or is within the title."""


class ActProvider(Provider):
    """Offers the acts of the screen beneath."""

    async def discover(self) -> Hits:
        for command, _ in self._acts():
            yield DiscoveryHit(Content(command.title), command.callback, command.title, _harmless(command.help))

    async def search(self, query: str) -> Hits:
        words, found = query.lower().split(), False
        for command, known_by in self._acts():
            score = score_of(words, command.title.lower(), known_by)
            if score:
                found = True
                yield Hit(score, Content(command.title), command.callback, command.title, _harmless(command.help))
        if any(len(word) > 2 and one.startswith(word) for word in words for one in ERASING):  # noqa: PLR2004 - fewer letters begin too much
            found = True
            yield Hit(_NOTE, Content(ERASED_BY), self._do_nothing, ERASED_BY)
        if not found:
            yield Hit(_NOTE, Content(NOTHING_FOUND), self._help(), NOTHING_FOUND, "enter lists all there are")

    def _acts(self) -> Iterable[tuple[SystemCommand, str]]:
        screen = self.screen
        if isinstance(screen, MemtuiScreen):
            yield from zip(
                self.app.get_system_commands(screen), (action.known_by for action in screen.offered()), strict=True
            )

    def _help(self) -> Callable[[], object]:
        screen = self.screen
        return screen.action_help if isinstance(screen, MemtuiScreen) else self._do_nothing

    def _do_nothing(self) -> None:
        """Close the palette."""


def score_of(words: Iterable[str], title: str, known_by: str) -> float:
    """Return how well an act fits what was typed, 0 where a word of it is missing; all in lower case."""
    names = f" {known_by.replace(':', ' ').replace('-', ' ')}"
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


def _harmless(text: str) -> str | None:
    """Return a text that Textual reads as markup so that it says what it says."""
    return escape(text) if text else None


class Palette(CommandPalette):
    """Closes once: a command that is chosen while the palette is being left would close the screen beneath it."""

    def __init__(self) -> None:
        super().__init__([ActProvider], placeholder="what do you want to do?", id="--command-palette")

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close the palette, unless that was done."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


_KEY_CELLS = 16

MARKS = (
    (MARK_PINNED, "pinned: never stale, first in every payload"),
    (MARK_DUE, "due: nobody has verified it for too long"),
    ("✓", "marked: actions apply to all that are marked and listed"),
    ("? × »", "in the inbox · retired · superseded or merged"),
    ("~ ?", "in the Inbox, beside a kind: likely · a mere guess"),
    ("████▊", "freshness: the share of trust that is left"),
    ("12 d", "age: since verified, else since observed"),
)

NOTES = (
    "The filter finds words as memtui search does, and parts of titles; with a field in it, it is a query.",
    "Drag over the details to select text, ctrl+c copies it.",
    "Retired memories stay in the vault; undo brings them back, or the facet Status and R.",
)


class HelpScreen(_OptionScreen, inherit_bindings=False):
    """Returns the id of the act to run on the screen beneath."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("down", "list('cursor_down')", show=False),
        Binding("up", "list('cursor_up')", show=False),
        Binding("pagedown,ctrl+d", "list('page_down')", show=False, priority=True),
        Binding("pageup,ctrl+u", "list('page_up')", show=False, priority=True),
    ]

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__()
        self._of = screen

    def compose(self) -> ComposeResult:
        """Lay out the line to type in and the list."""
        with Vertical(id="help-box") as box:
            box.border_title = Content("Help")  # a plain str would be read as markup
            box.border_subtitle = Content("type to find · enter runs · esc closes")
            yield Input(placeholder="what do you want to do?", id="help-find", compact=True)
            yield OptionList(id="help-list", markup=False)

    def on_mount(self) -> None:
        """Show everything, ready to type."""
        self._fill("")
        self.query_one("#help-find").focus()

    @on(Input.Changed, "#help-find")
    def _find(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    @on(Input.Submitted, "#help-find")
    def _run_first(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one("#help-list", OptionList).action_select()

    @on(OptionList.OptionSelected, "#help-list")
    def _run(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id is not None:
            self.dismiss(event.option_id)

    def _fill(self, words: str) -> None:
        keymap: Keymap = getattr(self.app, "keymap", None) or Keymap()
        choices = self.query_one("#help-list", OptionList)
        choices.clear_options()
        found = list(self._options(keymap, words.lower().split()))
        choices.add_options(found or [Option(Content.styled(NOTHING_FOUND, "$memtui-dim"), disabled=True)])
        first = next((place for place, option in enumerate(choices.options) if not option.disabled), None)
        choices.highlighted = first
        choices.scroll_to(y=0, animate=False)

    def _options(self, keymap: Keymap, words: list[str]) -> Iterator[Option]:
        for area, actions in _by_area(self._of.AREA).items():
            found = [action for action in actions if _fits(f"{action.known_by} {keymap.shown(action)}", words)]
            if found:
                yield Option(Content.styled(area, "bold $primary"), disabled=True)
            for action in found:
                reason = self._of.why_not(action) if action.menu else None
                text = action.title + (f" – not now: {reason}" if reason else "")
                yield Option(
                    _help_line(keymap.shown(action), text),
                    id=action.id if action.menu else None,
                    disabled=not action.menu,
                )
        rest = [(mark, meaning) for mark, meaning in MARKS if _fits(meaning, words)]
        if rest:
            yield Option(Content.styled("marks", "bold $primary"), disabled=True)
        for mark, meaning in rest:
            yield Option(_help_line(mark, meaning), disabled=True)
        yield from _query_help(words)
        for note in NOTES:
            if _fits(note, words):
                yield Option(Content.styled(note, "$memtui-dim"), disabled=True)


def _by_area(area: str) -> dict[str, list[Action]]:
    """Return the acts of a screen under their headings, its own first."""
    owners = (area, FILTER, FACETS, EVERYWHERE, PANE) if area == BROWSE else (area, EVERYWHERE, PANE)
    found: dict[str, list[Action]] = {}
    for action in registry.of_owners(*owners):
        found.setdefault(action.area, []).append(action)
    return found


def _query_help(words: list[str]) -> Iterator[Option]:
    """Yield what the query language knows: it is one for the filter, for many at once, and for `list --where`."""
    # Imported here: the help is opened long after the first picture.
    from memtui.curate.query import help_lines

    found = [(name, meaning) for name, meaning in help_lines() if _fits(f"query {name} {meaning}", words)]
    if found:
        yield Option(Content.styled("query: in the filter, for many at once, --where", "bold $primary"), disabled=True)
    for name, meaning in found:
        yield Option(_help_line(name, meaning), disabled=True)


def _fits(text: str, words: Iterable[str]) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in words)


def _help_line(left: str, right: str) -> Content:
    return Content.assemble((left.ljust(_KEY_CELLS), "bold"), right)
