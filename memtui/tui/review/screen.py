"""Review: due memories one at a time with their evidence, one key for each verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from memtui.curate.review_sessions import ReviewSession
from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import RESEMBLING, REVIEW, Action
from memtui.tui.edit.acts import EditActions
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.list_detail import POLL_SECONDS, MemtuiScreen
from memtui.tui.loader import Task
from memtui.tui.review.queries import Opened, ReviewAccess, ReviewCard, Shown
from memtui.tui.review.session_acts import SessionActs
from memtui.tui.review.verdicts import (
    CHANGED_MEANWHILE,
    KEEPS_EVIDENCE,
    ON_ONE,
    ON_PACK,
    Queue,
    ReviewPanes,
    TimeLeft,
    VerdictChoices,
    Verdicts,
)
from memtui.tui.review.view import NOT_YET_SHOWN, NOTHING_DUE, changed_meanwhile, head_counts, resumed
from memtui.tui.source_opener import SourceOpener
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.vault_access import ALL_PROJECTS
from memtui.tui.widgets.lines import TitleLine

DRAWN_WITHIN = 0.25  # Seconds after which a change no longer waits for the picture
EVIDENCE_AFTER = 0.15  # Seconds until a memory's evidence is read: who goes on sooner does not wait for it


class ReviewScreen(MemtuiScreen):
    """Goes through the queue; every verdict is one undoable change and needs no confirmation."""

    AREA = REVIEW
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(REVIEW, RESEMBLING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "review-verify": ("_decide_now", Verdicts.still_true),
        "review-pin": ("_decide_now", Verdicts.pin),
        "review-retire": ("_choices.retire",),
        "review-snooze": ("_choices.snooze",),
        "review-supersede": ("_choices.supersede",),
        "review-merge": ("_choices.merge",),
        "review-kind": ("_choices.change_kind",),
        "review-half-life": ("_choices.set_half_life",),
        "review-undo-all": ("_session.undo_all",),
        "review-re-anchor-all": ("_session.re_anchor_all",),
        "review-copy": ("_session.copy_receipt",),
        "review-write": ("_session.write_receipt",),
        "review-next": ("_go_on", 1),
        "review-previous": ("_go_on", -1),
        "review-pack-helped": ("_rate_pack", "helped"),
        "review-pack-hurt": ("_rate_pack", "hurt"),
        "review-pack-unused": ("_rate_pack", "unused"),
        "review-pack-skip": ("_rate_pack", ""),
    }
    AUTO_FOCUS = "#review-memory"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide"), (108, "-roomy"), (150, "-vast")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middling"), (32, "-high")]  # noqa: RUF012 - likewise

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.parts = (self.resemblance, self.editing)
        self._source = SourceOpener(self, self._read_card)
        self._review = ReviewAccess(self.access)
        self._verdicts = Verdicts(self.access)
        self._choices = VerdictChoices(
            self, self._verdicts, subject=lambda: self._subject, decide=self._decide, change=self._change
        )
        self._title = TitleLine("Review", id="review-head")
        self._panes = ReviewPanes()
        self._queue = Queue()
        self._time_left = TimeLeft()
        self._headed: int | None = None  # The place that the header counts: that of the memory on the screen
        self._card: ReviewCard | None = None
        self._ahead: tuple[str, ReviewCard | None] | None = None
        """The next memory with its card, read while this one is shown."""
        self._ahead_is_old = False  # Whether evidence may have changed since it was read, by more than a verdict
        self._reading_ahead = ""  # The memory whose card is being read ahead
        self._failed = ""  # The memory whose verdict was refused, to come back to
        self._overtaken = ""  # The memory whose verdict was refused because somebody changed it meanwhile
        self._mine: set[str] = set()  # Memories that were changed here since they were shown
        self._anew = False  # Whether a new session is being started
        self._session = SessionActs(self, self._review, self._verdicts, self._queue, self._mine)
        self._pressed_at: float | None = None
        """When the key was pressed whose action comes next; None for the mouse and the palette."""
        self._early = ""  # What to say of a verdict that came before its memory was shown
        self._has_acted = False

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._panes.body
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._clear()
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll_files)

    @property
    def current_memory(self) -> str | None:
        return self._queue.current

    # -- the session ------------------------------------------------------------------------------

    def _reload(self, *, anew: bool = False, over: bool = False) -> None:
        """Read the session again; start or resume one where there is none yet, or nothing was due.

        `over`: also after one that is over, whose receipt stays where nothing became due since.
        """
        opened = self._queue.opened
        self._anew = anew = anew or (self._anew and opened is None)
        self.looked_at = self.looked_at or self.access.signature()
        read = partial(self._review.look_again, opened, anew=anew, over=over)
        self.loader.read(read, self._show_session, group="session")

    def _show_session(self, opened: Opened) -> None:
        # A session read while a verdict is being saved does not include it; the last verdict reads it again.
        if self.acting:
            return
        self.trouble_is_over()
        queue = self._queue
        if self._anew and not opened.session.ids:
            self.say(NOTHING_DUE)
        is_first = queue.opened is None or queue.ids != opened.session.ids
        queue.opened, self._anew = opened, False
        self.looked_at = opened.signature
        self._time_left.take(opened.progress)
        queue.decided.clear()
        self.set_class(queue.is_over, "-over")
        if is_first:
            queue.place = queue.next_open(-1)
            self._begin_in_background(opened)
            if opened.resumed:
                self.say(resumed(opened, self.key_of("review-anew")))
        elif queue.current in queue.reviewed:
            queue.place = queue.next_open(queue.place)
        if queue.is_over:
            self._show_end(opened)
        else:
            self.hints.place = REVIEW
            self._show_head()
            if self._ahead_is_old or self._card is None or not queue.is_current(self._card.shown):
                self._read_card()

    def _begin_in_background(self, opened: Opened) -> None:
        """Do what a session needs besides its first memory; a new one has checked the files already."""
        if opened.resumed:
            self.loader.read(self._review.files.check, self._show_files, group="files")
        elif opened.session.ids and opened.session.standing is None:
            note = partial(self._review.note_standing, opened.session)
            self.loader.read(note, self._keep_session, group="standing")

    def _show_files(self, _: None) -> None:
        if self._review.files.moves and not self.acting:
            self._ahead_is_old = True
            self._reload()

    def _keep_session(self, session: ReviewSession) -> None:
        opened = self._queue.opened
        if opened is not None and opened.session.started_at == session.started_at:
            self._queue.opened = replace(opened, session=session)

    def look_again(self) -> None:
        """Read the session again, which somebody may have changed."""
        if self.is_current and (self.in_trouble or self._queue.opened is not None):
            self._ahead_is_old = True
            self._reload()

    def gone_to_again(self) -> None:
        """Ask about what became due meanwhile, as when it is opened, where nothing is left to ask about."""
        if self._queue.is_over and not self.acting:
            self.looked_at = self.access.signature()  # or the look that follows would take its place
            self._reload(over=True)

    def _go_on(self, step: int = 1) -> None:
        """Show the next memory that is not reviewed."""
        self._say_in_frame("")  # What it says is about the one that is left.
        queue, ahead = self._queue, self._ahead
        queue.place = queue.next_open(queue.place, step)
        opened, current = queue.opened, queue.current
        memory = opened.progress.memories.get(current) if opened is not None and current is not None else None
        if current is None or current in queue.reviewed:
            self._clear()
        elif ahead is not None and ahead[0] == current:
            self._show(*ahead)
        elif opened is not None and memory is not None:
            self._show(current, self._review.sketch(opened.session, memory))
        else:
            self._clear()
            self._read_card()

    def _show_head(self) -> None:
        """Show the progress up to the memory on the screen, though another may be on its way."""
        place, queue = self._headed, self._queue
        counted = None if place is None else queue.opened
        words = self._time_left.words
        self._title.place = counted.session.project or ALL_PROJECTS if counted is not None else None
        self._title.counts = head_counts(counted, queue.reviewed, place or 0, self.size.width, words)

    # -- one memory -------------------------------------------------------------------------------

    def _read_card(self) -> None:
        if self._queue.current is not None:
            self._read(self._queue.current, self._show_card, group="card")

    def _read(self, identifier: str, then: Callable[[str, ReviewCard | None], None], *, group: str) -> None:
        opened = self._queue.opened
        if opened is not None:

            def read(task: Task) -> ReviewCard | None:
                return self._review.card(opened.session, identifier, wanted=lambda: task.is_wanted)

            self.loader.run(read, partial(then, identifier), group=group)

    def _show_card(self, identifier: str, card: ReviewCard | None) -> None:
        if identifier == self._queue.current and identifier not in self._queue.reviewed:
            self._show(identifier, card)

    def _take_ahead(self, identifier: str, card: ReviewCard | None) -> None:
        self._reading_ahead = ""
        if identifier == self._queue.current:
            self._show_card(identifier, card)
        else:
            self._ahead, self._ahead_is_old = (identifier, card), False

    def _show(self, identifier: str, card: ReviewCard | None) -> None:
        before = self._card
        if card is None:
            self._clear()
            self._reload()
            return
        self._card, self._headed = card, self._queue.place
        if before is None or before.shown != card.shown:
            self._panes.memory.show_unseen()
        self._show_head()
        self._panes.show(card, from_top=before is None or before.shown.id != identifier)
        self._say_if_changed(before, card)
        # Once this one is drawn, which the user waits for.
        if card.is_whole:
            self.loader.stop_pause("evidence")
            self.call_after_refresh(self._look_ahead)
        else:
            self.loader.after(EVIDENCE_AFTER, self._read_evidence, group="evidence")

    def _read_evidence(self) -> None:
        """Read the evidence of a memory that was shown without it, unless that is under way."""
        if self._reading_ahead != self._queue.current:
            self._read_card()

    def _look_ahead(self) -> None:
        """Read the next memory while this one is shown, so that it can be shown at once."""
        queue = self._queue
        following = queue.next_open(queue.place)
        if queue.opened is not None and following != queue.place:
            identifier = queue.ids[following]
            if self._ahead is None or self._ahead[0] != identifier or self._ahead_is_old:
                self._reading_ahead = identifier
                self._read(identifier, self._take_ahead, group="ahead")

    def _say_if_changed(self, before: ReviewCard | None, card: ReviewCard) -> None:
        """Say in the frame that somebody else changed the memory while it was shown."""
        shown = card.shown
        refused = self._overtaken == shown.id
        is_same = before is not None and before.shown.id == shown.id
        is_news = is_same and before is not None and before.shown != shown and shown.id not in self._mine
        self._mine.discard(shown.id)
        self._overtaken = "" if refused else self._overtaken
        if refused or is_news:
            self._panes.memory.border_subtitle = Content(changed_meanwhile(card, refused=refused))

    def on_resize(self) -> None:
        """Lay out the evidence for the room there is."""
        self._show_head()
        super().on_resize()

    def draw_again(self) -> None:
        """Lay out the memory, or the end of the session."""
        if self._card is not None:
            self._panes.show(self._card, from_top=False)
        elif self._queue.opened is not None and self._queue.is_over:
            self._show_end(self._queue.opened)

    def _clear(self) -> None:
        is_first = self._queue.opened is None
        self._card, self._headed = None, None if is_first else self._queue.place
        self._show_head()
        self._panes.clear(is_first=is_first)

    def _show_end(self, opened: Opened) -> None:
        self._clear()
        self._ahead = None
        empty = "review-paced" if opened.paced else "review-none"
        self.hints.place = "review-done" if opened.receipt is not None else empty
        self._panes.show_end(opened, self.opening.vault.now(), self.key_of)

    # -- keys -------------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        card, queue, reason = self._card, self._queue, None
        if action.id in ON_ONE:
            reason = self._why_not_on_one(action.id)
        elif action.id in ON_PACK and not queue.asks_about_pack:
            reason = "No pack is waiting for feedback."
        elif action.id == "review-source" and card is None and not self._still_said:
            reason = "No source to open."
        elif action.id in {"review-copy", "review-write"} and not queue.ids:
            reason = "No session to write a receipt for."
        elif action.id == "review-re-anchor-all" and not self._review.files.moves:
            reason = "No file is known to have moved."
        return reason or super().why_not(action)

    def _why_not_on_one(self, identifier: str) -> str | None:
        card = self._card
        if card is None:
            if self._is_read or not self._queue.ids:
                return "The next memory is being read." if self._is_read else NOTHING_DUE
            return f"Nothing is left; {self.key_of('review-anew')} starts over with what is due now."
        if identifier in {"review-supersede", "review-merge", "review-re-anchor"} and not card.is_whole:
            return "Its evidence is being read."
        if identifier in {"review-supersede", "review-merge"} and not card.similar:
            return "No other memory is linked or similar to it."
        if identifier == "review-re-anchor" and not card.moves:
            return "None of its files is known to have moved."
        return None

    @property
    def _is_read(self) -> bool:
        queue = self._queue
        return self._card is None and (queue.opened is None or bool(set(queue.ids) - queue.reviewed))

    def on_key(self, event: events.Key) -> None:
        """Note when a key was pressed, which may be long before its turn comes."""
        self._pressed_at = event.time

    async def action_act(self, identifier: str) -> None:
        """Run an action; a verdict only on what was on the screen when its key was pressed."""
        pressed_at, self._pressed_at = self._pressed_at, None
        asks = self._queue.asks_about_pack
        is_due = self._is_read if self._card is None else identifier in ON_ONE
        if identifier in ON_ONE | ON_PACK and (is_due or asks) and not self._was_seen(pressed_at):
            self._early = NOT_YET_SHOWN
            self._say_in_frame("")
            return
        if self._early and identifier in ON_PACK and not asks:
            return  # the number for a list that the key before did not open
        if identifier in {"undo", "redo"} and self._refuses(identifier):
            return
        self._early = ""
        self._ahead_is_old |= identifier in ON_ONE - KEEPS_EVIDENCE
        await super().action_act(identifier)

    def _refuses(self, identifier: str) -> bool:
        """Keep an undo that is meant for an ignored verdict, or a redo, from changes made before the review."""
        is_loading = self._headed is None and not self.in_trouble
        if self._has_acted or self.acting or not (is_loading or (self._early and identifier == "undo")):
            return False
        self._early = NOT_YET_SHOWN if is_loading else ""
        self._say_in_frame("" if is_loading else "no verdict to undo; u again undoes the last change")
        return True

    def _was_seen(self, pressed_at: float | None) -> bool:
        has_subject = self._card is not None or self._queue.asks_about_pack
        return has_subject and self._panes.memory.was_seen(pressed_at)

    def _say_in_frame(self, text: str) -> None:
        """Say something in the memory's frame: forty toasts would cover the evidence."""
        said = " · ".join(part for part in (self._early, text) if part)
        self._panes.memory.border_subtitle = Content(tame(said, 120))  # a plain str would be read as markup

    def on_screen_suspend(self) -> None:
        self._early = ""
        self._say_in_frame("")

    def tell_done(self, done: Done) -> None:
        """Say in the memory's frame what was done."""
        if done.changed:
            self._say_in_frame(done.message)
        else:
            super().tell_done(done)

    # -- verdicts ---------------------------------------------------------------------------------

    @property
    def _subject(self) -> ReviewCard:
        """The memory in review; `why_not` lets no verdict through without one."""
        assert self._card is not None  # noqa: S101 - as said
        return self._card

    def _decide_now(self, verdict: Callable[[Verdicts, Shown], Done]) -> None:
        """Give a verdict that needs no choice."""
        self._decide(self._subject.shown, partial(verdict, self._verdicts))

    def _decide(self, shown: Shown, verdict: Callable[[Shown], Done]) -> None:
        """Give a verdict; the next memory comes at once, while the verdict is being saved."""
        self._queue.decided.add(shown.id)
        if shown.id == self._queue.current:
            self._go_on()
        self._change(shown, verdict)

    def _change(self, shown: Shown, change: Callable[[Shown], Done]) -> None:
        """Change a memory once the next one is drawn, which the user waits for; come back where that is refused."""
        drawn = Event()
        self.call_after_refresh(drawn.set)

        def act() -> Done:
            drawn.wait(DRAWN_WITHIN)
            try:
                done = change(shown)
            except MemtuiError:
                self._failed = shown.id
                raise
            if done.changed:
                self._mine.add(shown.id)
            else:
                self._failed = shown.id
                self._overtaken = shown.id if done is CHANGED_MEANWHILE else ""
            return done

        self.do(act)

    def acts_ended(self, focus: str | None) -> None:
        """Read the session again; go to what an undo changed, or to what was refused."""
        queue, self._has_acted = self._queue, True
        if focus is not None:
            self._mine.add(focus)
            self._ahead_is_old = True
        for identifier in (self._failed, focus):
            if identifier in queue.ids:
                queue.place = queue.ids.index(identifier)
        self._failed = ""
        self._reload()

    def action_review_edit(self) -> None:
        """Edit the memory; saving verifies it."""
        self.editing.open_form(self._subject.shown.id, "verify")

    # -- files ------------------------------------------------------------------------------------

    def action_review_source(self) -> None:
        """Open the source at its line; at the end, one that still contains what was changed or retired."""
        said = self._still_said
        if self._card is not None:
            self._source.open(self._card.shown.id)
        elif len(said) == 1:
            self._source.open(said[0][0])
        else:
            choices = [(tame(path, 40), tame(title, 40)) for _, title, path in said]
            self._choices.choose("Open which source", choices, lambda number: self._source.open(said[number][0]))

    @property
    def _still_said(self) -> Sequence[tuple[str, str, str]]:
        receipt = self._queue.opened.receipt if self._queue.opened is not None else None
        return receipt.still_said if receipt is not None else ()

    def action_review_re_anchor(self) -> None:
        """Tie the memory to where its files moved; it stays in review."""
        moves = self._subject.moves
        self._change(self._subject.shown, lambda chosen: self._verdicts.re_anchor({chosen.id: moves}))

    # -- the end ----------------------------------------------------------------------------------

    def _rate_pack(self, verdict: str) -> None:
        opened = self._queue.opened
        if opened is not None and opened.packs:
            pack = opened.packs[0]
            self._panes.memory.show_unseen()
            self.do(lambda: self._verdicts.rate_pack(pack, verdict))

    def action_review_anew(self) -> None:
        """Start a new session."""
        self._queue.opened = None
        self._time_left = TimeLeft()
        self._clear()
        self._reload(anew=True)
