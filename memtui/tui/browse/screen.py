"""Browse: facets, the list of memories, and one memory in full."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from memtui.tui.actions import registry
from memtui.tui.actions.table import BROWSE, DUE
from memtui.tui.browse.acts import BrowseActs
from memtui.tui.browse.facets import FacetPane
from memtui.tui.browse.state import NARROWEST, STEP, WIDEST, BrowseState, list_title, read_state
from memtui.tui.edit.acts import EditActs
from memtui.tui.launch_options import Opening
from memtui.tui.state import State
from memtui.tui.values import SORTS
from memtui.tui.vault_access import FileChecks
from memtui.tui.widgets.lines import FilterLine
from memtui.tui.widgets.memory_list import MemoryList

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""

FIRST_SECONDS = 3.0
"""Pause before the first check of the files: the list, its rows and its counts come first."""

AGAIN_SECONDS = 300.0
"""Pause between two checks; one over 5,000 files takes less than a second of one core."""

TYPING_SECONDS = 0.03
"""Pause after a key before the filter asks the vault."""

QUICK_TYPING_SECONDS = 0.01
"""The same where the vault need not be asked: only keys of one burst, as of a paste, are taken together."""


class BrowseScreen(EditActs, BrowseActs):
    """Three panes side by side where there is room, else one over the other; the filter below."""

    AREA = BROWSE
    BINDINGS: ClassVar[list[BindingType]] = [*registry.bindings(BROWSE), *registry.bindings(DUE)]
    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide"), (100, "-roomy"), (150, "-vast")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._files = FileChecks(self.access)
        self._pause: Timer | None = None
        self._remembered = BrowseState()
        self._share = self._remembered.share

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._header
        with Horizontal(id="panes"):
            yield self._facets
            yield self._list
            yield self._detail
        with Horizontal(id="filter-bar"):
            yield Static("/", id="filter-mark", markup=False)
            yield self._filter
            yield self._filter_count
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        state = getattr(self.app, "state", None)
        self._restore(read_state(state.section(BROWSE) if isinstance(state, State) else {}, self._place))
        self._list.set_title(list_title(self._wanted, best=self._is_best), "")
        self._facets.show(None, self._chosen)
        self._detail.set_title("3 Detail")
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)
        self.set_timer(FIRST_SECONDS, self._check_files)
        self.set_interval(AGAIN_SECONDS, self._check_files)

    def _check_files(self) -> None:
        """Check the files now; the poll that comes anyway brings what was found."""
        self.loader.read(self._files.check, group="files")

    # -- what is remembered -----------------------------------------------------------------------

    def _restore(self, was: BrowseState) -> None:
        self._remembered = was
        self._sorts = {False: was.sort, True: was.due_sort}
        self._best = was.best
        self._share = was.share
        self._facets.fold(was.folded)
        self._detail.rendered = was.rendered
        self._share_out()
        if self._due_only:
            return
        self._chosen = was.chosen
        self._focus_wanted = was.cursor
        if was.query:
            self._query = was.query
            with self.prevent(Input.Changed):
                self._filter.value = was.query
            self.add_class("-filtering")

    def remember(self, state: State) -> None:
        """Keep cursor, filter, facets, sorts and sizes; a start with what is due leaves no filter behind."""
        now = self._snapshot(folded=frozenset(self._facets.folded), share=self._share)
        values = now.section()
        if self._due_only:
            was = self._remembered.section()
            values |= {key: was[key] for key in ("cursor", "query", "chosen")}
        state.remember(BROWSE, values)

    # -- panes ------------------------------------------------------------------------------------

    def action_facets(self) -> None:
        """Go to the facets; where they have no room of their own, they take that of another pane."""
        self._enter(self._facets, "-faceting")
        self._ask_for_counts()

    def action_list(self) -> None:
        """Go to the list."""
        self._enter(self._list, "")

    def action_detail(self) -> None:
        """Go to the details."""
        self._enter(self._detail, "-reading")

    def action_read(self) -> None:
        """Read the memory under the cursor; in the details, follow a link."""
        if self.focused is self._detail and self._linked():
            self.action_follow()
        elif self._subject is not None:
            self.action_detail()

    def action_next_pane(self) -> None:
        """Go to the next pane: facets, list, details."""
        if self.focused is self._list:
            self.action_detail()
        elif self.focused is self._detail:
            self.action_facets()
        else:
            self.action_list()

    def _enter(self, pane: Widget, name: str) -> None:
        for other in ("-faceting", "-reading"):
            self.set_class(other == name, other)
        # At once and not by `pane.focus`, which waits a turn: a key that comes in between would go elsewhere.
        self.set_focus(pane)

    def _show_details(self) -> None:
        """Go to the details where they are not in sight."""
        if not self._detail.display:
            self.action_detail()

    def action_wider(self) -> None:
        """Give the list more room."""
        self._share = min(WIDEST, self._share + STEP)
        self._share_out()

    def action_narrower(self) -> None:
        """Give the details more room."""
        self._share = max(NARROWEST, self._share - STEP)
        self._share_out()

    def _share_out(self) -> None:
        self._list.styles.width = f"{self._share}fr"
        self._detail.styles.width = f"{100 - self._share}fr"

    def on_resize(self) -> None:
        """Count the facets where they came into sight."""
        self.call_after_refresh(self._ask_for_counts)

    # -- facets and sorts -------------------------------------------------------------------------

    @on(FacetPane.Toggled)
    def _choose_facet(self, message: FacetPane.Toggled) -> None:
        message.stop()
        values = self._chosen.get(message.facet, ())
        if message.value in values:
            values = tuple(value for value in values if value != message.value)
        else:
            values = (*values, message.value)
        chosen = {**self._chosen, message.facet: values}
        self._choose({facet: values for facet, values in chosen.items() if values})

    def action_clear(self) -> None:
        """Let go of every chosen facet."""
        self._choose({})

    def _choose(self, chosen: dict[str, tuple[str, ...]]) -> None:
        self._chosen = chosen
        self._facets.show(None, chosen)
        self._list.rest_on_top()
        self._refilter()

    def action_due(self) -> None:
        """List only what is due for review, or all again."""
        self._due_only = not self._due_only
        self._refilter()
        self._settle()

    def action_sort(self) -> None:
        """Sort in the next way; a filtered list also by score."""
        names = list(SORTS)
        place = names.index(self._sorts[self._due_only])
        if self._is_best:
            self._best = False
            self._sorts[self._due_only] = names[0]
        elif self._query.strip() and place == len(names) - 1:
            self._best = True
        else:
            self._sorts[self._due_only] = names[(place + 1) % len(names)]
        self._refilter()

    # -- the filter -------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open the filter."""
        self.add_class("-filtering")
        self._enter(self._filter, "")
        if self._listing is not None:
            self._prepare_now(self._listing.base)

    def action_back(self) -> None:
        """Go back a step: from a link, from a pane, from marks; clear the filter, then leave it."""
        if self._return_from_link():
            return
        if self.focused in {self._detail, self._facets}:
            self.action_list()
        elif self.focused is self._list and (self._list.marks.drawing or len(self._list.marks)):
            self._list.unmark()
        elif self._filter.value:
            self._filter.value = ""
            if self.focused is not self._filter:
                self._close_filter()
        else:
            self._close_filter()

    def _close_filter(self) -> None:
        self.remove_class("-filtering")
        self.action_list()

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == self._query:
            return
        self._query = event.value
        self._list.rest_on_top()
        if self._pause is not None:
            self._pause.stop()
        quick = self._listing is not None and self.queries.is_prepared(self._listing.base)
        self._pause = self.set_timer(QUICK_TYPING_SECONDS if quick else TYPING_SECONDS, self._refilter)

    @on(FilterLine.Kept)
    def _keep_filter(self, message: FilterLine.Kept) -> None:
        message.stop()
        if self._filter.value.strip():
            self.action_list()
        else:
            self._filter.value = ""
            self._close_filter()

    @on(FilterLine.Moved)
    def _move_from_filter(self, message: FilterLine.Moved) -> None:
        message.stop()
        self._list.move_by(message.rows)

    # -- keys and clicks --------------------------------------------------------------------------

    @on(MemoryList.Chosen)
    def _read_clicked(self, message: MemoryList.Chosen) -> None:
        message.stop()
        self.action_read()

    def action_edit(self) -> None:
        """Edit the memory that is looked at in a form."""
        if self._subject is not None:
            self.open_form(self._subject)

    def action_edit_external(self) -> None:
        """Edit the memory that is looked at as a file in the person's own editor."""
        if self._subject is not None:
            self._read_for_editor(self._subject)

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused pane."""
        self._settle()

    def _settle(self) -> None:
        hints = self.hints
        if self.focused is self._filter:
            hints.place = "filter"
        elif self.focused is self._facets:
            hints.place = "facets"
        elif self.focused is self._detail and not self._due_only:
            hints.place = "detail"
        else:
            hints.place = self._hint_place
