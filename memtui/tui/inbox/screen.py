"""The Inbox: candidates by file and heading, and one of them in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import INBOX, RESEMBLING, Action
from memtui.tui.edit.acts import EditActions
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.inbox.batch import SheetEditing
from memtui.tui.inbox.candidates import CandidateList
from memtui.tui.inbox.grouping import Candidate, file_key, kind_key, section_key
from memtui.tui.inbox.view import (
    CandidateRead,
    InboxAccess,
    Waiting,
    candidate_blocks,
    group_blocks,
    head_counts,
    inbox_notice,
)
from memtui.tui.list_detail import LIST, ListDetail
from memtui.tui.screens.dialogs import ask_planted, pick
from memtui.tui.source_opener import SourceOpener
from memtui.tui.state import Opening, state_of
from memtui.tui.styled_text import Block
from memtui.tui.values import Done
from memtui.tui.vault_access import ALL_PROJECTS
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.filter_bar import FilterBar
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.memory_list import MemoryList

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import SourceConflict
    from memtui.curate.inbox import Offer

_ON_ONE = frozenset({"inbox-edit", "inbox-source"})
_ON_SOME = _ON_ONE | {
    *("inbox-accept", "inbox-reject", "inbox-kind", "inbox-file-kind", "inbox-project", "inbox-never", "inbox-batch"),
    *("inbox-read", "inbox-mark", "inbox-range", "inbox-file", "inbox-section", "inbox-same-kind"),
}

_LOOKED_AT_ONCE = 50  # Candidates of which one reading tells the filter what is odd
_SCREENFUL = 20  # Candidates that one key accepts; more of them at a second press


class InboxScreen(ListDetail):
    """The candidates in view, and every decision on them, one by one or in bulk."""

    AREA = INBOX
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(INBOX, RESEMBLING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "inbox-mark": ("_list.mark_current",),
        "inbox-range": ("_list.mark_range",),
        "inbox-all": ("_mark_all",),
        "inbox-file": ("_list.mark_alike", file_key),
        "inbox-section": ("_list.mark_alike", section_key),
        "inbox-same-kind": ("_list.mark_alike", kind_key),
        "inbox-fold": ("_list.fold",),
        "inbox-unfold": ("_list.unfold",),
        "inbox-fold-all": ("_list.fold_all",),
        "inbox-list": ("enter_first",),
        "inbox-detail": ("enter_second",),
        "inbox-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#inbox-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._list = CandidateList(id="inbox-list")
        self._list.most = opening.inbox.most
        self._detail = DetailPane(id="inbox-detail")
        super().__init__(opening, self._list, self._detail)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self._source = SourceOpener(self, self._read_current)
        self._inbox = InboxAccess(self.access)
        self._sheet = SheetEditing(self, self._inbox, self._take_out)
        self.parts = (self.resemblance, self.editing, self._sheet)
        self._title = TitleLine("Inbox", id="inbox-head")
        finds = "words of a text, a file, a heading, a kind; planted"
        self._filter = FilterBar(self._list, finds, self._type_filter, line_id="inbox-filter")
        self._waiting: Waiting | None = None
        self._shown_id: str | None = None
        self._is_unsure = False  # Whether more may wait than the list holds: some that was removed from it, or came
        self._marks_found = False  # Whether to mark all that the first look at the vault finds

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="inbox-panes"):
            yield self._list
            yield self._detail
        yield self._filter
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._detail.set_title("2 Candidate")
        self._list.restore(state_of(self.app, self.opening.vault).in_run.get(self._run_key, {}))
        self._show_head()
        self.begin_looking()

    @property
    def _run_key(self) -> str:
        return f"{INBOX} {self.opening.place}"

    def on_unmount(self) -> None:
        """Keep how the list looks for the next time."""
        state_of(self.app, self.opening.vault).in_run[self._run_key] = self._list.looks

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read what waits."""
        self._read_waiting(None)

    def acts_ended(self, focus: str | None) -> None:
        """Read what waits, and go to what changed."""
        self._read_waiting(focus)

    def _read_waiting(self, focus: str | None) -> None:
        self.looked_at = self.access.signature()
        self._is_unsure = self._is_unsure or not self._list.offers
        self._show_head()
        self.loader.read(self._inbox.waiting, partial(self._show_waiting, focus), group=LIST)

    def _show_waiting(self, focus: str | None, waiting: Waiting) -> None:
        if self.acting:
            return
        self.trouble_is_over()
        self._waiting, self._is_unsure = waiting, False
        self._list.show_projects = waiting.project is None
        is_there = any(offer.id == focus for offer in waiting.offers)
        follow = focus if is_there else self._list.line
        self._list.show_offers(waiting.offers, follow=follow, notice=inbox_notice(waiting))
        self._look_for_odd()
        if self._marks_found:
            self._marks_found = False
            self._list.mark_all()
        self._show_head()

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error, in the list too where nothing was read yet."""
        super().look_failed(error)
        if self._waiting is None:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    @on(MemoryList.RowsWanted)
    def _read_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self.loader.read(partial(self._inbox.candidates, message.ids), self._list.put_rows, group="rows")

    @on(MemoryList.Highlighted)
    def _follow_cursor(self, message: MemoryList.Highlighted) -> None:
        message.stop()
        identifier = message.id
        self.hints.place = self.hint_place
        if identifier is None:
            self.stop_rest()
            self._shown_id = None
            self._detail.show(self._about_group(), from_top=True)
            if self._list.line is None and self.focused is self._detail:
                self.enter_first()  # which says why nothing is left to read
        elif self._shown_id is None:
            self._read_current()
        else:
            self.read_rested(partial(self._inbox.read, identifier), partial(self._show_candidate, identifier))

    @property
    def current_memory(self) -> str | None:
        return self._list.current

    def _about_group(self) -> list[Block]:
        group = self._list.group
        return group_blocks(group, [self._list.offers[each] for each in group.members]) if group is not None else []

    def _read_current(self) -> None:
        identifier = self._list.current
        if identifier is not None:
            read = partial(self._inbox.read, identifier)
            self.loader.read(read, partial(self._show_candidate, identifier), group="detail")

    def _show_candidate(self, identifier: str, read: CandidateRead | None) -> None:
        if identifier == self._list.current:
            blocks = candidate_blocks(read, self._list.offers.get(identifier)) if read is not None else ()
            self._detail.show(blocks, from_top=identifier != self._shown_id)
            self._shown_id = identifier

    def _mark_all(self) -> None:
        """Mark all that match the filter, or none; before the list is there, mark all that it will hold."""
        if self._waiting is None:
            self._marks_found = not self._marks_found
        else:
            self._list.mark_all()

    @on(MemoryList.Marked)
    def _show_marks(self, message: MemoryList.Marked) -> None:
        message.stop()
        self._show_head()

    def _show_head(self) -> None:
        number, marked, waiting = len(self._list.offers), len(self._list.marked), self._waiting
        shown = len(self._list.arranged.shown)
        if waiting is not None:
            self._title.place = waiting.project or ALL_PROJECTS
        self._title.counts = head_counts(None if self._is_unsure else waiting, self._list.offers.values())
        matching = f"{shown:,} of {number:,}" if shown != number else f"{number:,}" if number else ""
        count = f"{marked:,} marked of {number:,}" if marked else matching
        if unlooked := len(self._list.unlooked) if self._list.asks_for_odd else 0:
            count = f"{count or '0'}, {unlooked:,} not checked yet"
        self._list.set_title("1 Waiting · by kind" if self._list.by_kind else "1 Waiting · by file", count)
        self.hints.place = self.hint_place

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        if self._filter.is_typed_in:
            return "filter"
        if self.focused is self._detail:
            return "inbox-detail"
        return "inbox-marked" if self._list.marked else "inbox-group" if self._list.group else INBOX

    # -- deciding ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if self._waiting is None and not self.in_trouble and action.id in _ON_SOME | {"undo"}:
            return "The inbox is being read."
        if action.id == "inbox-filter" and self._waiting is not None and not self._list.offers:
            return "The inbox is empty."
        has_none = action.id == "inbox-all" and self._waiting is not None and not self._list.count
        if has_none or (action.id in _ON_SOME and not self._list.members):
            return "No candidate matches." if self._list.offers else "The inbox is empty."
        return self._why_not_this(action) or super().why_not(action)

    def _why_not_this(self, action: Action) -> str | None:
        if action.id in _ON_ONE and self._list.group is not None:
            return "This key is for one candidate; right opens the group."
        if action.id in {"inbox-never", "inbox-file-kind"} and self._offer.path is None:
            return "This did not come from a file."
        if action.id == "inbox-conflicts" and self._waiting is not None and not self._waiting.conflicts:
            return "No source conflicts."
        return None

    @property
    def _offer(self) -> Offer:
        """The first candidate under the cursor."""
        return self._list.offers[self._list.members[0]]

    def _chosen(self) -> list[str]:
        """Return what an action is about: what is marked, else the candidate or the group under the cursor."""
        return self._list.marked or list(self._list.members)

    def _alike(self, key: Callable[[Offer], str]) -> list[str]:
        """Return all that is listed and shares something with the first candidate under the cursor."""
        wanted, offers = key(self._offer), self._list.offers
        return [each for each in self._list.arranged.shown if key(offers[each]) == wanted]

    def _whole_file(self) -> list[str]:
        """Return all of the file of the first candidate under the cursor, whatever is filtered."""
        offers = self._list.offers
        files = {file_key(offers[each]) for each in self._list.members[:1]}
        return [each for each, offer in offers.items() if file_key(offer) in files]

    def _decide(self, act: Callable[[list[str]], Done]) -> None:
        chosen = self._chosen()
        self._is_unsure = self._is_unsure or len(chosen) > 1
        self._take_out(chosen)
        self._list.say_reading()
        self.do(lambda: act(chosen))

    def _take_out(self, identifiers: Sequence[str]) -> None:
        """Show the list without candidates that are being decided on."""
        self._list.take_out(identifiers)
        self._show_head()

    def action_inbox_accept(self) -> None:
        """Accept, and look for similar memories; what fills a screen, and what looks planted, only if sure."""
        if not self._is_sure("inbox-accept", "accepts"):
            return
        number, careful = len(self._chosen()), bool(self._group_label)
        if number > _SCREENFUL:
            self.say(f"Accepting {number:,} …")
        if number == 1 and not careful and self._asks_planted(self._chosen()[0]):
            return
        self._accept(careful=careful)

    @property
    def _group_label(self) -> str:
        """What the group is called that a verdict is about; empty if it is about one candidate, or what is marked."""
        return self._list.group.label if self._list.group is not None and not self._list.marked else ""

    def _is_sure(self, action: str, does: str) -> bool:
        """Return whether a verdict on more than fill a screen, of a group or marked, was asked for twice."""
        number = len(self._chosen())
        if number <= _SCREENFUL:
            return True
        those = "of this group; / filters" if self._group_label else "that are marked"
        words = f"{self.key_of(action)} again {does} all {number:,} {those}"
        return self.again.agrees(action, words, self._chosen)

    def _accept(self, *, careful: bool = False, is_vouched: bool = False) -> None:
        group = self._group_label

        def accept(chosen: list[str]) -> Done:
            done = self._inbox.accept(chosen, group=group, careful=careful, is_vouched=is_vouched)
            if done.changed:
                self.resemblance.look(chosen, said=done.message)
            return done

        self._decide(accept)

    def _asks_planted(self, identifier: str) -> bool:
        """Show why a candidate looks planted; whoever accepts it then stands for it. False if it does not look so."""
        row = self._list.row(identifier)
        if not isinstance(row, Candidate) or not row.planted:
            return False
        offer = self._list.offers[identifier]

        def take() -> None:
            if self._chosen() == [identifier]:
                self._accept(is_vouched=True)

        ask_planted(self.app, row.planted, {"title": offer.title, "insight": offer.insight}, take)
        return True

    def action_inbox_reject(self) -> None:
        """Reject; what fills a screen only if sure."""
        if self._is_sure("inbox-reject", "rejects"):
            self._decide(partial(self._inbox.reject, group=self._group_label))

    def action_inbox_edit(self) -> None:
        """Edit; saving accepts."""
        if self._list.current is not None:
            self.editing.open_form(self._list.current, "accept")

    def action_inbox_kind(self) -> None:
        """Choose another kind."""
        self._choose("Kind", self.opening.vault.kinds.names(), self._offer.kind, self._inbox.change_kind)

    def action_inbox_file_kind(self) -> None:
        """Choose another kind for all of the file."""
        chosen, kinds = self._alike(file_key), self.opening.vault.kinds.names()
        self._choose("Kind", kinds, self._offer.kind, self._inbox.change_kind, chosen)

    def action_inbox_project(self) -> None:
        """Choose a project."""
        projects = self._waiting.projects if self._waiting else ()
        self._choose("Project", (*projects, "global"), self._offer.project or "", self._inbox.assign)

    def _choose(
        self,
        title: str,
        names: Sequence[str],
        current: str,
        change: Callable[[list[str], str], Done],
        those: list[str] | None = None,
    ) -> None:
        chosen = those or self._chosen()
        of = "" if len(chosen) == 1 else f" of {counted(len(chosen), 'candidate')}"
        choices = [(name, "") for name in dict.fromkeys(names)]
        pick(self.app, title + of, choices, current, lambda name: self.do(lambda: change(chosen, name)))

    def action_inbox_never(self) -> None:
        """Never offer the file again, at a second press: the whole file, whatever is filtered."""
        offer, shown = self._offer, self._alike(file_key)
        whole = self._whole_file()
        hidden = f", {len(whole) - len(shown):,} of them not shown" if len(whole) > len(shown) else ""
        waits = f"{counted(len(whole), 'candidate')}{hidden}"
        words = f"{self.key_of('inbox-never')} again: ignore {tame(str(offer.path), 80)} and reject its {waits}"
        if not self.again.agrees("inbox-never", words, self._whole_file):
            return
        self._take_out(whole)
        self.do(lambda: self._inbox.never(offer.project, str(offer.path)))

    def action_inbox_batch(self) -> None:
        """Decide in the editor on what is marked, else on the group by kind or the file, else on all that is listed."""
        chosen = self._list.marked or (self._list.members if self._list.by_kind and self._list.group else ())
        self._sheet.open(chosen or (self._alike(file_key) if self._offer.path else self._list.arranged.shown))

    def action_inbox_conflicts(self) -> None:
        """Resolve the source conflicts, one after the other."""
        self.loader.read(self._inbox.conflicts, self._show_conflict, group="conflicts")

    def _show_conflict(self, read: tuple[list[SourceConflict], bool]) -> None:
        from memtui.tui.edit.version_conflict import SourceConflictScreen

        conflicts, moved = read
        if not conflicts or not self.is_current:
            self.look_again()
            return
        screen = SourceConflictScreen(self.opening, conflicts[0], len(conflicts), moved=moved)

        def closed(_: None) -> None:
            if screen.saved is not None and len(conflicts) > 1:
                self.call_after_refresh(self.action_inbox_conflicts)
            self.look_again()

        self.app.push_screen(screen, closed)

    def action_inbox_source(self) -> None:
        """Open the source at its line."""
        if self._list.current is not None:
            self._source.open(self._list.current)

    # -- panes ------------------------------------------------------------------------------------

    def enter_second(self) -> None:
        """Go to what stands beside the list."""
        if self._list.members:
            super().enter_second()

    def action_inbox_read(self) -> None:
        """Read the candidate in full; fold or unfold a group."""
        if self._list.group is not None:
            self._list.toggle_fold()
        else:
            self.enter_second()

    def action_inbox_group(self) -> None:
        """Group by kind, or by file."""
        self._list.regroup()
        self._show_head()

    # -- the filter -------------------------------------------------------------------------------

    def action_inbox_filter(self) -> None:
        """Open the filter."""
        self._filter.open()

    def _look_for_odd(self) -> None:
        """Let the filter find what looks planted, or is odd in another way; some at a time, for others to read too."""
        unlooked = self._list.unlooked[:_LOOKED_AT_ONCE] if self._list.asks_for_odd else []
        if unlooked:
            self.loader.read(partial(self._inbox.odd_words, unlooked), self._find_odd, group="odd")

    def _find_odd(self, words: Mapping[str, str]) -> None:
        self._list.find_odd(words)
        self._show_head()
        self._look_for_odd()

    def _type_filter(self, typed: str) -> None:
        self._list.filter(typed)
        self._look_for_odd()
        self._show_head()

    def leave_line(self) -> bool:
        """Clear and close the filter, else clear the marks; False where there is neither."""
        if self._filter.leave():
            return True
        if not self._list.marks:
            return False
        self._list.unmark()
        return True

    @on(MemoryList.Chosen)
    def _read_clicked(self, message: MemoryList.Chosen) -> None:
        message.stop()
        self.action_inbox_read()
