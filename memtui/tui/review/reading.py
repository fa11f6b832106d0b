"""What the Review screen reads and shows."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.errors import MemtuiError
from memtui.tui.actions.table import REVIEW
from memtui.tui.edit.acts import EditActions
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.parts import SourceOpener
from memtui.tui.review.queries import Opened, ReviewAccess, ReviewCard
from memtui.tui.review.view import (
    PANES,
    READING,
    TAKING,
    CardRead,
    FilesChecked,
    ReviewMoved,
    SessionRead,
    StandingNoted,
    TimeLeft,
    changed_meanwhile,
    end_blocks,
    file_blocks,
    head_line,
    memory_blocks,
    similar_blocks,
    why_title,
)
from memtui.tui.screen import MemtuiScreen
from memtui.tui.screens.similar_on_save import SimilarOnSave
from memtui.tui.widgets.curve import CurveView
from memtui.tui.widgets.detail import DetailPane, SeenPane

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""


class ReviewReading(MemtuiScreen):
    """The panes of the Review screen, filled by workers."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.parts = (self.resemblance, self.editing)
        self._source = SourceOpener(self, self._read_card)
        self._review = ReviewAccess(self.access)
        self._head = Static("", id="review-head", markup=False)
        self._memory = SeenPane(id="review-memory")
        self._curve = CurveView(id="review-curve")
        self._files = DetailPane(id="review-files")
        self._similar = DetailPane(id="review-similar")
        self._opened: Opened | None = None
        self._time_left = TimeLeft()
        self._place = 0
        self._headed: int | None = None
        """The place that the header counts, which is that of the memory on the screen; None before there is one."""
        self._card: ReviewCard | None = None
        self._ahead: CardRead | None = None
        """The card of the next memory, read while this one is looked at."""
        self._ahead_is_old = False
        """Whether others changed the vault since the next card was read: it is read again.

        After a verdict here it need not be: whatever is on the screen is read again once the verdict is taken.
        """
        self._decided: set[str] = set()
        """Memories with a verdict that is on its way into the vault."""
        self._failed = ""
        """The memory whose verdict was not taken, to come back to."""
        self._overtaken = ""
        """The memory whose verdict was not taken because somebody changed it meanwhile."""
        self._mine: set[str] = set()
        """Memories that were changed here since they were shown."""
        self._ticket = 0
        self._anew = False
        """Whether a new queue is on its way."""

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        yield self._memory
        with Horizontal(id="review-evidence"):
            yield self._curve
            yield self._files
            yield self._similar
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        self.hints.place = REVIEW
        self._memory.set_title("Why now")
        self._memory.show((TAKING,), from_top=True)
        self._curve.set_title("Freshness")
        self._tell_head()
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)

    @property
    def current_memory(self) -> str | None:
        """The memory in review."""
        return self._current

    # -- the session ------------------------------------------------------------------------------

    def _reload(self, *, anew: bool = False) -> None:
        """Look at the session again; begin or resume one where there is none yet."""
        self._ticket += 1
        self._anew = anew or (self._anew and self._opened is None)
        self._read_session(self._ticket, self._opened, anew=self._anew)

    @work(thread=True, exclusive=True, group="session", exit_on_error=False)
    def _read_session(self, ticket: int, opened: Opened | None, *, anew: bool) -> None:
        review = self._review

        def read() -> Message:
            found = review.begin(anew=anew) if anew or opened is None else review.look_at(opened.session)
            return SessionRead(found, ticket)

        self._look(read)

    def _look(self, read: Callable[[], Message | None]) -> None:
        """Read in a thread and report what was found, or why nothing was."""
        try:
            found = read()
        except MemtuiError as error:
            found = LookFailed(error)
        if found is not None:
            self.post_message(found)

    @on(SessionRead)
    def _take_session(self, message: SessionRead) -> None:
        # A session read while a verdict is on its way does not know of it yet; the last verdict looks again.
        if message.ticket != self._ticket or self.acting:
            return
        self.trouble_is_over()
        is_first, opened = self._opened is None, message.opened
        self._opened, self._anew = opened, False
        self._time_left.take(opened.progress)
        self._decided.clear()
        self.set_class(not opened.progress.left, "-over")
        if is_first:
            self._place = self._next_open(-1)
            self._begin_in_background(opened)
            if opened.resumed:
                self.say(f"Going on where you left: {opened.progress.left} of {opened.progress.total} are left.")
        elif self._current in self._settled:
            self._place = self._next_open(self._place)
        if opened.progress.left:
            self.hints.place = REVIEW
            self._tell_head()
            self._read_card()
        else:
            self._show_end(opened)

    def _begin_in_background(self, opened: Opened) -> None:
        """Do what a session needs besides its first memory; a new one has looked at the files already."""
        if opened.resumed:
            self._check_files()
        elif opened.session.ids and opened.session.standing is None:
            self._count_standing(opened)

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def _check_files(self) -> None:
        def look() -> Message:
            self._review.files.check()
            return FilesChecked()

        self._look(look)

    @on(FilesChecked)
    def _take_files(self) -> None:
        if self._review.files.moves and not self.acting:
            self._ahead_is_old = True
            self._reload()

    @work(thread=True, exclusive=True, group="standing", exit_on_error=False)
    def _count_standing(self, opened: Opened) -> None:
        self._look(lambda: StandingNoted(self._review.note_standing(opened.session)))

    @on(StandingNoted)
    def _take_standing(self, message: StandingNoted) -> None:
        if self._opened is not None and self._opened.session.started_at == message.session.started_at:
            self._opened = replace(self._opened, session=message.session)

    def _poll(self) -> None:
        if self.acting or not self.is_current:
            return
        if self.in_trouble:
            self._reload(anew=self._anew)
        elif self._opened is not None:
            self._look_for_changes(self._opened)

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False)
    def _look_for_changes(self, opened: Opened) -> None:
        if self.access.signature() != opened.signature:
            self.post_message(ReviewMoved())

    @on(ReviewMoved)
    def _take_changes(self) -> None:
        if not self.acting:
            self._ahead_is_old = True
            self._reload()

    # -- where we are -----------------------------------------------------------------------------

    @property
    def _ids(self) -> tuple[str, ...]:
        return self._opened.session.ids if self._opened else ()

    @property
    def _current(self) -> str | None:
        return self._ids[self._place] if self._place < len(self._ids) else None

    @property
    def _settled(self) -> AbstractSet[str]:
        """The memories that need no further look, those with a verdict on its way among them."""
        return (self._opened.progress.results.keys() if self._opened else set()) | self._decided

    @property
    def _is_read(self) -> bool:
        """Whether a memory is on its way to the screen."""
        return self._card is None and (self._opened is None or bool(set(self._ids) - self._settled))

    @property
    def _asks_of_pack(self) -> bool:
        """Whether a pack is asked about."""
        return self._opened is not None and not self._opened.progress.left and bool(self._opened.packs)

    def _next_open(self, after: int, step: int = 1) -> int:
        """Return the next place that is not settled, around the end; the same one where all are."""
        ids, settled = self._ids, self._settled
        for distance in range(1, len(ids) + 1):
            place = (after + step * distance) % len(ids)
            if ids[place] not in settled:
                return place
        return max(0, after)

    def _go_on(self, step: int = 1) -> None:
        """Show the next memory that is not settled."""
        self._place = self._next_open(self._place, step)
        if self._current in self._settled:
            self._clear()
            return
        ahead = self._ahead
        if ahead is not None and ahead.id == self._current:
            self._show(ahead)
        else:
            self._clear()
            self._read_card()

    def _tell_head(self) -> None:
        """Tell how far the review is: of the memory on the screen, though another may be on its way."""
        place, opened = self._headed, self._opened
        counted = None if place is None else opened
        self._head.update(head_line(counted, self._settled, place or 0, self.size.width, self._time_left))

    # -- one memory -------------------------------------------------------------------------------

    def _read_card(self) -> None:
        if self._current is not None and self._opened is not None:
            self._read_memory(self._opened, self._current)

    @work(thread=True, exclusive=True, group="card", exit_on_error=False)
    def _read_memory(self, opened: Opened, identifier: str) -> None:
        self._look(lambda: CardRead(identifier, self._review.card(opened.session, identifier)))

    @work(thread=True, exclusive=True, group="ahead", exit_on_error=False)
    def _read_ahead(self, opened: Opened, identifier: str) -> None:
        self._look(lambda: CardRead(identifier, self._review.card(opened.session, identifier), ahead=True))

    @on(CardRead)
    def _take_card(self, message: CardRead) -> None:
        if message.ahead and message.id != self._current:
            self._ahead, self._ahead_is_old = message, False
        elif message.id == self._current and message.id not in self._settled:
            self._show(message)

    def _show(self, read: CardRead) -> None:
        before = self._card
        changed = before is None or before.shown.id != read.id
        if read.card is None:
            self._clear()
            self._reload()
            return
        self._card, self._headed = read.card, self._place
        if before is None or before.shown != read.card.shown:
            self._memory.show_unseen()
        self._tell_head()
        self._lay_out(from_top=changed)
        self._tell_of_others(before, read.card)
        # Once this one is drawn, which is waited for.
        self.call_after_refresh(self._look_ahead)

    def _look_ahead(self) -> None:
        """Read the next memory while this one is looked at, so that it is there at once."""
        following = self._next_open(self._place)
        if self._opened is not None and following != self._place:
            identifier = self._ids[following]
            if self._ahead is None or self._ahead.id != identifier or self._ahead_is_old:
                self._read_ahead(self._opened, identifier)

    def _tell_of_others(self, before: ReviewCard | None, card: ReviewCard) -> None:
        """Say in the frame that somebody changed the memory while it was looked at."""
        shown = card.shown
        refused, moved = self._overtaken == shown.id, before is not None and before.shown.id == shown.id
        is_news = moved and before is not None and before.shown.version != shown.version and shown.id not in self._mine
        self._mine.discard(shown.id)
        if refused:
            self._overtaken = ""
        if refused or is_news:
            self._memory.border_subtitle = Content(changed_meanwhile(card, refused=refused))

    def on_resize(self) -> None:
        """Put the evidence where there is room for it."""
        self._tell_head()
        self.call_after_refresh(self._lay_out_again)

    def _lay_out_again(self) -> None:
        if self._card is not None:
            self._lay_out(from_top=False)
        elif self._opened is not None and not self._opened.progress.left:
            self._show_end(self._opened)

    def _lay_out(self, *, from_top: bool) -> None:
        card = self._card
        if card is None:
            return
        title, rest = why_title(card, self._memory.size.width)
        self._memory.set_title(title)
        shown = self._shown_evidence()
        self._memory.show(memory_blocks(card, why=rest, panes=shown), from_top=from_top)
        self._curve.show(card.curve)
        together = "similar" not in shown
        self._files.set_title("Files and neighbours" if together else "What changed in its files")
        self._similar.set_title("Neighbours")
        self._files.show([*file_blocks(card), *(similar_blocks(card, gap=True) if together else ())], from_top=True)
        self._similar.show(similar_blocks(card), from_top=True)

    def _shown_evidence(self) -> AbstractSet[str]:
        """Return which evidence has a pane of its own at this size."""
        if not self.query_one("#review-evidence").display:
            return frozenset()
        return PANES if self._similar.display else PANES - {"similar"}

    def _clear(self) -> None:
        """Show that the next memory is being read: a key must never decide on one that was not seen."""
        self._card, self._headed = None, None if self._opened is None else self._place
        self._memory.show_unseen()
        self._tell_head()
        self._memory.set_title("Why now")
        self._memory.show((TAKING if self._opened is None else READING,), from_top=True)
        self._curve.show(None)
        for pane in (self._files, self._similar):
            pane.show((), from_top=True)

    def _show_end(self, opened: Opened) -> None:
        self._clear()
        self._ahead = None
        self.hints.place = "review-done" if opened.receipt is not None else "review-none"
        self._memory.set_title("Receipt" if opened.receipt is not None else "Review")
        self._memory.show(end_blocks(opened, self._review.now()), from_top=True)
