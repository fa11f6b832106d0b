"""Help: every act of the screen it was asked on, found by typing and run with enter; then the marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.also_called import words_of
from memtui.tui.actions.browse import BROWSE, DUE, FACETS, FILTER
from memtui.tui.actions.everywhere import EVERYWHERE, PANE
from memtui.tui.keymap import Keymap
from memtui.tui.screens.palette import NOTHING_FOUND
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.wording import MARK_DUE, MARK_PINNED

_KEY_CELLS = 16

MARKS = (
    (MARK_PINNED, "pinned: never stale, first in every payload"),
    (MARK_DUE, "due: nobody has verified it for too long"),
    ("✓", "marked: acts are for all that are marked and listed"),
    ("? × »", "in the inbox · retired · superseded or merged"),
    ("████▊", "freshness: the share of trust that is left"),
    ("12 d", "age: since verified, else since observed"),
)

NOTES = (
    "The filter finds words as memtui search does, and parts of titles; with a field in it, it is a query.",
    "Drag over the details to select text, ctrl+c copies it.",
    "Retired memories stay in the vault; undo brings them back, or the facet Status and R.",
)


class HelpScreen(ModalScreen[str | None]):
    """Returns the id of the act to run on the screen beneath.

    Args:
        screen: the screen that help is asked for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("down", "list('cursor_down')", show=False),
        Binding("up", "list('cursor_up')", show=False),
        Binding("pagedown,ctrl+d", "list('page_down')", show=False, priority=True),
        Binding("pageup,ctrl+u", "list('page_up')", show=False, priority=True),
    ]

    def __init__(self, screen: WorkingScreen) -> None:
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

    def action_list(self, move: str) -> None:
        """Move the cursor of the list."""
        getattr(self.query_one("#help-list", OptionList), f"action_{move}")()

    def action_leave(self) -> None:
        """Close without running anything."""
        self.dismiss(None)

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
            found = [action for action in actions if _fits(f"{words_of(action)} {keymap.shown(action)}", words)]
            if found:
                yield Option(Content.styled(area, "bold $primary"), disabled=True)
            for action in found:
                reason = self._of.why_not(action) if action.menu else None
                text = action.title + (f" – not now: {reason}" if reason else "")
                yield Option(
                    _line(keymap.shown(action), text), id=action.id if action.menu else None, disabled=not action.menu
                )
        rest = [(mark, meaning) for mark, meaning in MARKS if _fits(meaning, words)]
        if rest:
            yield Option(Content.styled("marks", "bold $primary"), disabled=True)
        for mark, meaning in rest:
            yield Option(_line(mark, meaning), disabled=True)
        yield from _query_help(words)
        for note in NOTES:
            if _fits(note, words):
                yield Option(Content.styled(note, "$memtui-dim"), disabled=True)


def _by_area(area: str) -> dict[str, list[Action]]:
    """Return the acts of a screen under their headings, its own first."""
    owners = (area, DUE, FILTER, FACETS, EVERYWHERE, PANE) if area == BROWSE else (area, EVERYWHERE, PANE)
    found: dict[str, list[Action]] = {}
    for action in registry.of_owners(*owners):
        found.setdefault(action.area, []).append(action)
    return found


def _query_help(words: list[str]) -> Iterator[Option]:
    """Yield what the query language knows: it is one for the filter, for many at once, and for `list --where`."""
    # Imported here: the help is opened long after the first picture.
    from memtui.curate.querying import help_lines

    found = [(name, meaning) for name, meaning in help_lines() if _fits(f"query {name} {meaning}", words)]
    if found:
        yield Option(Content.styled("query: in the filter, for many at once, --where", "bold $primary"), disabled=True)
    for name, meaning in found:
        yield Option(_line(name, meaning), disabled=True)


def _fits(text: str, words: Iterable[str]) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in words)


def _line(left: str, right: str) -> Content:
    return Content.assemble((left.ljust(_KEY_CELLS), "bold"), right)
