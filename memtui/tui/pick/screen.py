"""A few lines under the prompt: type, choose, and the memory is copied."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input, Static

from memtui.errors import MemtuiError
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.list_reader import ListReader
from memtui.tui.browse.view import notice_of
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.state import Opening
from memtui.tui.values import Listing
from memtui.tui.widgets.filter_bar import FilterBar
from memtui.tui.widgets.memory_list import MemoryList

_ANSWERED = frozenset({"back", "quit"})
"""Actions that are possible here: nothing else can be gone to."""

_HINT, _HINT_OF_NOTHING = "enter copies   ↑↓ move   esc leaves", "nothing to copy   esc leaves"


def pick_notice(listing: Listing) -> tuple[str, ...]:
    """Return what an empty list says here, where esc leaves and no other screen can be gone to."""
    why = notice_of(listing)
    if listing.problem:
        return (*why[:-1], "In quotes it is words.")
    return (*why[:-1], "Other words may match.") if listing.base.ids else (why[0], "`memtui` opens the app.")


class PickScreen(MemtuiScreen):
    """A line to type into over a list of ten rows."""

    AREA = "pick"
    AUTO_FOCUS = "#filter"

    def __init__(self, opening: Opening, query: str) -> None:
        super().__init__(opening)
        self._list = MemoryList(id="list")
        self._list.can_focus = False
        self._hint = Static(_HINT, id="pick-hint", markup=False)
        self.lists = ListReader(self, self._list, self._show, pick_notice)
        self.lists.query = query
        finds = "words, part of a title, or kind:tooling"
        self._bar = FilterBar(self._list, finds, self.lists.type_query, kept=self._choose, line_id="filter")

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._list
        yield self._hint

    def on_mount(self) -> None:
        """Read the vault after the first picture."""
        with self.prevent(Input.Changed):
            self._bar.line.value = self.lists.query
        self._list.say_reading()
        self.call_after_refresh(self.lists.reload)

    def _show(self, listing: Listing) -> None:
        self._bar.count.update(f"{len(listing.ids):,} of {len(listing.base.ids):,}")
        self._hint.update(_HINT if listing.ids else _HINT_OF_NOTHING)

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault cannot be read in place of the list."""
        self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave every other key of the app alone."""
        return parameters[0] in _ANSWERED if action == "act" else super().check_action(action, parameters)

    @on(MemoryList.RowsWanted)
    def _fill_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self.lists.fill(message.ids, urgent=message.urgent, then=lambda: None)

    @on(MemoryList.Chosen)
    def _choose(self) -> None:
        """Take the memory under the cursor, and leave; where none is, nothing is done."""
        if self._list.current is not None and isinstance(self.app, PickApp):
            self.app.picked = self._list.current
            self.app.exit()

    def action_back(self) -> None:
        self.app.exit()


class PickApp(MemtuiApp):
    """The app with this one screen. `picked`: id of the chosen memory, None where none was."""

    def __init__(self, opening: Opening, query: str = "") -> None:
        self.picked: str | None = None
        self._query = query
        super().__init__(opening)

    def get_default_screen(self) -> Screen[None]:
        return PickScreen(self.opening, self._query)
