"""Browse: facets, the list of memories, and one memory in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, RESEMBLING, Action
from memtui.tui.browse.acts import ListActions
from memtui.tui.browse.details import Details
from memtui.tui.browse.facets import (
    NO_SINGLE,
    BrowseState,
    FacetPane,
    keep_state,
    kept_state,
)
from memtui.tui.browse.list_border import VAST, ListBorder
from memtui.tui.browse.list_reader import (
    COUNTING_SECONDS,
    COUNTING_WHILE_TYPING_SECONDS,
    LATE_SECONDS,
    ListReader,
)
from memtui.tui.browse.view import beyond_words, head_counts, list_title, marked_count, shown_count, waiting_words
from memtui.tui.edit.acts import EditActions
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.loader import Task
from memtui.tui.state import Opening, State, state_of
from memtui.tui.switching import SWITCH
from memtui.tui.values import FacetCounts, Listing
from memtui.tui.vault_access import ALL_PROJECTS, FileChecks
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.filter_bar import FilterBar
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING
from memtui.tui.widgets.memory_list import MemoryList
from memtui.tui.widgets.pane_border import STEP, PaneBorder

if TYPE_CHECKING:
    from memtui.capture.waiting import Waiting

POLL_SECONDS = 2.0  # How often the vault is checked for changes of others
FIRST_SECONDS = 3.0  # Pause before the first check of the files: the list, its rows and its counts come first
AGAIN_SECONDS = 300.0  # Pause between two checks; one over 5,000 files takes less than a second of one core
_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


class BrowseScreen(MemtuiScreen):
    """Three panes side by side where there is room, else one over the other; the filter below."""

    AREA = BROWSE
    BINDINGS: ClassVar[list[BindingType]] = [
        *registry.bindings(BROWSE),
        *registry.bindings(RESEMBLING),
    ]
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "add": ("editing.open_form", None),
        "edit": ("acts.edit",),
        "edit-external": ("acts.edit_external",),
        "open-source": ("acts.open_source",),
        "pin": ("acts.pin",),
        "retire": ("acts.retire",),
        "restore": ("acts.restore",),
        "verify": ("acts.verify",),
        "copy": ("acts.copy",),
        "merge": ("acts.merge",),
        "bulk": ("acts.bulk",),
        "reflect": ("acts.reflect",),
        "mark": ("_list.mark_current",),
        "mark-range": ("_list.mark_range",),
        "mark-all": ("_list.mark_all",),
        "sort": ("lists.next_sort",),
        "clear": ("choose", {}),
        "follow": ("details.follow",),
        "link-accept": ("details.accept_link",),
        "link-dismiss": ("details.dismiss_link",),
        "facets": ("_enter_facets",),
        "list": ("_enter_list",),
        "detail": ("_enter_detail",),
        "wider": ("_share_out", STEP),
        "narrower": ("_share_out", -STEP),
    }
    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide"), (VAST, "-vast")]  # noqa: RUF012 - Textual declares it as a class variable

    @dataclass
    class NothingStored(Message):
        """The vault holds no memory at all."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        # Held here rather than queried: a worker may report while the screen is being taken down.
        self._title = TitleLine("Browse", id="header")
        self._team = ""  # When memories were last exchanged with teams, and what waits
        self._facets = FacetPane(id="facets")
        self._list = MemoryList(id="list", heads=True)
        self._detail = DetailPane(id="detail")
        finds = "words, part of a title, or kind:tooling age>180d -pinned"
        self._bar = FilterBar(self._list, finds, self._type_filter, kept=self._keep_filter, line_id="filter")
        self._filter = self._bar.line
        self.lists = ListReader(self, self._list, self._show_list)
        self.details = Details(self, self._detail, self._list, self.lists.queries, lambda: self.lists.query)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.acts = ListActions(self, self._list, self.lists, self.details, self.editing)
        self.parts = (self.resemblance, self.editing, self.acts)
        self._files = FileChecks(self.access)
        self._remembered = BrowseState()
        self._facets_hidden = False
        self._waiting: Waiting | None = None  # Rule files of this project that are not imported, or changed since
        self.border = self._border = ListBorder(self._list, self._detail)

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="panes"):
            yield self._facets
            yield self._list
            yield self._detail
        yield self._bar
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first picture."""
        self._restore(kept_state(state_of(self.app, self.opening.vault), self.opening.place))
        self._list.set_title(list_title(self.lists.wanted, best=self.lists.is_best), "")
        self._facets.show(None, self.lists.chosen)
        self._detail.set_title("3 Detail")
        self.call_after_refresh(self.lists.reload)
        self.set_interval(POLL_SECONDS, self._poll)
        self.set_timer(FIRST_SECONDS, self._check_files)
        self.set_interval(AGAIN_SECONDS, self._check_files)

    @property
    def current_memory(self) -> str | None:
        return self.details.subject

    @property
    def typed(self) -> str:
        return self.lists.query

    @property
    def listed_project(self) -> str | None:
        """The other project whose memories are listed, where a single one is."""
        chosen, listing = self.lists.chosen.get("project", ()), self.lists.listing
        is_other = listing is not None and listing.base.project is not None
        return chosen[0] if is_other and len(chosen) == 1 and chosen[0] not in NO_SINGLE else None

    # -- what is remembered -----------------------------------------------------------------------

    def _restore(self, was: BrowseState) -> None:
        self._remembered = was
        self.lists.sorts = {False: was.sort, True: was.due_sort}
        self.lists.best = was.best
        self._facets.fold(was.folded)
        self._detail.rendered = was.rendered
        self._border.put(was.share)
        self._hide_facets(hide=was.facets_hidden)
        self.lists.chosen = was.chosen
        self.lists.focus = was.cursor
        if was.query:
            self.lists.query = was.query
            with self.prevent(Input.Changed):
                self._filter.value = was.query
            self.add_class("-filtering")
            # Who does not think of it takes what it hides for lost.
            self.call_after_refresh(self.say, "Filtered as last time: esc clears the filter")

    def remember(self, state: State) -> None:
        """Keep cursor, filter, facets, sorts and sizes; a list of what is due leaves no filter behind."""
        lists = self.lists
        now = BrowseState(
            place=self.opening.place,
            cursor=self._list.current,
            query=lists.query.strip(),
            chosen=lists.chosen,
            folded=frozenset(self._facets.folded),
            sort=lists.sorts[False],
            due_sort=lists.sorts[True],
            best=lists.best,
            share=self._border.share,
            facets_hidden=self._facets_hidden,
            rendered=self._detail.rendered,
        )
        values = now.section()
        if lists.due_only:
            was = self._remembered.section()
            values |= {key: was[key] for key in ("cursor", "query", "chosen")}
        keep_state(state, values)

    # -- reading ----------------------------------------------------------------------------------

    def _show_list(self, listing: Listing) -> None:
        self._title.place = listing.base.project or ALL_PROJECTS
        self._tell_counts()
        self._tell_titles()
        self._count_facets()
        self._border.share_usually(with_projects=self._list.show_projects)
        if not listing.base.ids and not listing.base.elsewhere and not self.lists.says_reading:
            self.post_message(self.NothingStored())

    @on(MemoryList.Marked)
    def _tell_titles(self) -> None:
        """Write the titles and the counts of the list and its marks."""
        listing, pane = self.lists.listing, self._list
        if listing is None:
            return
        best = listing.best and bool(listing.query.strip())
        pane.set_title(list_title(listing.base.wanted, best=best, only_closest=listing.only_closest), "")
        listed = len(pane.marked)
        marked = marked_count(listed, max(0, len(pane.marks) - listed), drawing=pane.marks.drawing)
        typed = self.lists.query.strip()
        count = shown_count(listing, typed)
        waiting = waiting_words(self._waiting, self.key_of("go-import")) if self._waiting is not None else ""
        beyond = beyond_words(listing, self.key_of(SWITCH))
        # Said once: beside what is typed, where something is.
        beside, below = (count, "") if typed else ("", count)
        pane.border_subtitle = Content(" · ".join(part for part in (beyond, waiting, marked, below) if part))
        self._bar.count.update(Content(beside))
        self.on_descendant_focus()

    def _tell_counts(self) -> None:
        """Write into the head how much there is, and what works in the background."""
        if self.lists.says_reading:
            self._title.counts = [Content.styled(READING, "$memtui-dim")]
        elif self.lists.listing is not None:
            meaning = "off" if self.opening.meaning is None else self.opening.meaning.words
            self._title.counts = head_counts(self.lists.listing.base, self._team, meaning)

    def tell_team(self, words: str) -> None:
        """Show how the sharing with teams stands; empty without a team."""
        self._team = words
        self._tell_counts()

    @on(MemoryList.SortWanted)
    def _sort(self, message: MemoryList.SortWanted) -> None:
        message.stop()
        self.lists.sort_by(message.sort)

    @on(MemoryList.RowsWanted)
    def _fill_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self.lists.fill(message.ids, urgent=message.urgent, then=self.on_descendant_focus)

    @on(MemoryList.Highlighted)
    def _follow_cursor(self, message: MemoryList.Highlighted) -> None:
        message.stop()
        self.details.rest_on(message.id)
        if not self._list.ids and self.focused is self._detail:
            self._enter_list()  # which says why nothing is left to read

    def _count_facets(self) -> None:
        """Count the facets where they are in sight, once the list has been still for a moment."""
        self._facets.show(None, self.lists.chosen)
        self.loader.stop_pause("facets")
        if self.lists.listing is not None and self._facets.display:
            typing = self.focused is self._filter
            self.lists.count_facets(COUNTING_WHILE_TYPING_SECONDS if typing else COUNTING_SECONDS, self._show_counts)

    def _show_counts(self, counts: FacetCounts) -> None:
        self._facets.show(counts, self.lists.chosen)

    def on_resize(self) -> None:
        """Count the facets where they came into sight."""
        self._border.share_usually(with_projects=self._list.show_projects)
        self.call_after_refresh(self._count_facets)

    def _poll(self) -> None:
        # A screen over it has the machine to itself; the list is looked at again once it is back. `is_current` is true
        # of the screen beneath as well.
        if self.app.screen is self:
            self._tell_counts()
            self.lists.poll()

    def _check_files(self) -> None:
        """Check the files of memories; the poll that comes anyway brings what was found."""
        self._read_waiting()
        self.loader.read(self._files.check, group="files")

    def _read_waiting(self) -> None:
        """Look for sources to import: what changed is told first, as all of them are read to tell what is new."""

        def look(task: Task) -> Waiting:
            changed = self._files.waiting_sources(at_a_glance=True)
            if changed.changed:
                task.show(self._take_waiting, changed)
            return self._files.waiting_sources()

        self.loader.run(look, self._take_waiting, group="sources")

    def _take_waiting(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._tell_titles()

    def on_screen_resume(self) -> None:
        if self.lists.listing is not None:
            has_moved = self.lists.queries.may_have_moved(self.lists.listing.base)
            self.lists.look_after()
            self.lists.queries.gone_files.forget()
            if has_moved:
                self._facets.count_again()
            self._count_facets()
            self._tell_counts()
            if self._waiting is not None and (self._waiting.new or self._waiting.changed):
                if has_moved:
                    self._waiting = None  # They may be imported by now: how many are left is read again.
                    self._tell_titles()
                self._read_waiting()

    def look_failed(self, error: MemtuiError) -> None:
        """Show why a read failed, in the list too where there is nothing else to show."""
        super().look_failed(error)
        if self.lists.listing is None or self.lists.says_reading:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    # -- which actions are possible ---------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id == "clear" and not self.lists.chosen:
            return "No facet is chosen."
        return super().why_not(action)

    # -- changes ----------------------------------------------------------------------------------

    def acts_ended(self, focus: str | None) -> None:
        """Read the list again, in the order on the screen, and what is looked at."""
        self.lists.reload(steady=True, focus=focus)
        self.details.look()

    # -- panes ------------------------------------------------------------------------------------

    def _enter(self, pane: Widget, name: str) -> None:
        for other in ("-faceting", "-reading"):
            self.set_class(other == name, other)
        # At once and not by `pane.focus`, which waits a turn: a key that comes in between would go elsewhere.
        self.set_focus(pane)

    def _enter_facets(self) -> None:
        """Go to the facets; where they have no room of their own, they take that of another pane."""
        self._enter(self._facets, "-faceting")
        self._count_facets()

    def action_facets_beside(self) -> None:
        """Show the facets beside the list, or no longer."""
        if self.focused is self._facets:
            self._enter_list()
        self._hide_facets(hide=not self._facets_hidden)
        self.call_after_refresh(self._count_facets)

    def _hide_facets(self, *, hide: bool) -> None:
        """Show the facets beside the list where they have room, or no longer."""
        self._facets_hidden = hide
        self.set_class(hide, "-no-facets")

    def _enter_list(self) -> None:
        self._enter(self._list, "")

    def _enter_detail(self) -> None:
        self._enter(self._detail, "-reading")

    @on(MemoryList.Chosen)
    def action_read(self) -> None:
        """Read the memory under the cursor; in the details, follow a link."""
        if self.focused is self._detail and self.details.linked():
            self.details.follow()
        elif self.details.subject is not None:
            self._enter_detail()

    def action_next_pane(self) -> None:
        """Go to the next pane: facets, list, details."""
        if self.focused is self._list:
            self._enter_detail()
        elif self.focused is self._detail:
            self._enter_facets()
        else:
            self._enter_list()

    def action_explain(self) -> None:
        """Show every part of the score, or no longer."""
        self.details.explaining = not self.details.explaining
        self._show_details()
        self.details.look()

    def _end_explaining(self) -> None:
        """Explain only the score that was asked for where the details cover the list; beside it, each one's."""
        if self.details.explaining and not self._detail.display:
            self.details.explaining = False
            self.details.look()

    def action_markdown(self) -> None:
        """Render Markdown, or show plain text."""
        self._detail.rendered = not self._detail.rendered
        self._show_details()

    def _show_details(self) -> None:
        """Go to the details where they are not in sight."""
        if not self._detail.display:
            self._enter_detail()

    def _share_out(self, change: int) -> None:
        """Give the list so many more per cent of the room, and the details the rest."""
        self._border.widen(change)

    def border_was_put(self, border: PaneBorder) -> None:
        """Leave it to `remember`, which keeps it with the rest."""

    # -- facets and filter ------------------------------------------------------------------------

    @on(FacetPane.Toggled)
    def _toggle_facet(self, message: FacetPane.Toggled) -> None:
        message.stop()
        self.choose(self._facets.toggled(message.facet, message.value))

    def choose(self, chosen: dict[str, tuple[str, ...]]) -> None:
        """List only what has the chosen values of facets."""
        self.lists.chosen = chosen
        self._facets.show(None, chosen)
        self._list.rest_on_top()
        self.lists.refilter()

    def action_due(self) -> None:
        """List only what is due for review, or all again."""
        self.lists.due_only = not self.lists.due_only
        self.lists.refilter()
        self.on_descendant_focus()

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self._enter(self._filter, "")
        if self.lists.listing is not None:
            self.lists.prepare(self.lists.listing.base)

    def action_back(self) -> None:
        """Go back a step: from a link, from a pane, from marks; clear and leave the filter, then the facets."""
        if self.details.go_back():
            return
        if self.focused in {self._detail, self._facets}:
            self._enter_list()
            self._end_explaining()
        elif self.focused is self._list and self._list.marks:
            self._list.unmark()
        elif self.lists.chosen and not self._filter.value and not self.has_class("-filtering"):
            self.choose({})
        else:
            self._filter.value = ""
            self._close_filter()

    def _close_filter(self) -> None:
        self.remove_class("-filtering")
        self._enter_list()

    def _type_filter(self, typed: str) -> None:
        self.lists.type_query(typed)
        self.loader.after(LATE_SECONDS, self._tell_titles, group="late")

    def _keep_filter(self) -> None:
        if self._filter.value.strip():
            self._enter_list()
            self.lists.await_list()
        else:
            self._filter.value = ""
            self._close_filter()

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows for what is focused, and for the list as it is."""
        if self.focused is self._filter:
            return "filter"
        if self.focused is self._facets:
            return "facets"
        if self.focused is self._detail and not self.lists.due_only:
            return "detail"
        if self._list.marks.drawing or (len(self._list.marks) and self._list.marked):
            return "marks"
        if self.lists.due_only:
            return "due"
        listing, row = self.lists.listing, self._list.current_row
        if listing is not None and not listing.base.ids:
            return "empty"
        return "retired" if row is not None and row.status in _OUT_OF_USE else "list"
