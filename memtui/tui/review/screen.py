"""Review: due memories one at a time with their evidence, one key for each verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.binding import BindingType
from textual.content import Content

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import RESEMBLING, REVIEW
from memtui.tui.launch_options import Opening
from memtui.tui.review.queries import MOVED_MEANWHILE, Opened, Shown
from memtui.tui.review.reading import ReviewReading
from memtui.tui.review.view import MovesRead, TimeLeft
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.screens.memory_cards import send_escape
from memtui.tui.screens.similar_on_save import SimilarOnSave
from memtui.tui.text_layout import tame
from memtui.tui.values import Done

SNOOZES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("once a file of it changes", None),
)
NOT_YET_SHOWN = "not yet shown: the key was not taken"

HALF_LIVES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("a quarter", 90.0),
    ("half a year", 180.0),
    ("a year", 365.0),
    ("that of its kind", None),
)
REASONS = ("out of date", "was wrong", "no longer needed", "said elsewhere")

ON_ONE = frozenset(
    f"review-{name}"
    for name in ("verify", "edit", "merge", "supersede", "retire", "snooze", "pin", "kind", "half-life", "re-anchor")
)
"""Actions that need a memory to look at."""

PACK_VERDICTS = {
    "review-pack-helped": "helped",
    "review-pack-hurt": "hurt",
    "review-pack-unused": "unused",
    "review-pack-skip": "",
}
"""Actions that rate a pack, with the verdict of each; an empty one does not rate it."""


class ReviewScreen(ReviewReading):
    """Goes through the queue; every verdict is one undoable change, and none asks twice."""

    AREA = REVIEW
    BINDINGS: ClassVar[list[BindingType]] = [*registry.bindings(REVIEW), *registry.bindings(RESEMBLING)]
    ANSWERS = SimilarOnSave.ANSWERS
    AUTO_FOCUS = "#review-memory"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide"), (108, "-roomy")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middling"), (32, "-high")]  # noqa: RUF012 - likewise

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._pressed_at: float | None = None
        """When the key was pressed whose act comes next; None for the mouse and the palette."""
        self._early = ""
        """What to say of a verdict that came before its memory was shown."""

    def why_not(self, action: Action) -> str | None:
        """Return why a verdict cannot be given now."""
        card = self._card
        if action.id in ON_ONE and card is None:
            return (
                "The next memory is being read." if self._is_read else "Nothing is left in this queue; a takes it anew."
            )
        if action.id == "review-source" and card is None and not self._still_said:
            return "There is no source to open."
        if action.id in {"review-copy", "review-write"} and not self._ids:
            return "There is no session to tell of."
        if action.id in {"review-supersede", "review-merge"} and card is not None and not card.similar:
            return "No other memory is linked to it or like it."
        if action.id == "review-re-anchor" and card is not None and not card.moves:
            return "None of its files is known to have moved."
        if action.id == "review-re-anchor-all" and not self._review.files.moves:
            return "No file is known to have moved."
        if action.id in PACK_VERDICTS and not self._asks_of_pack:
            return "No pack is asked about."
        return super().why_not(action)

    # -- keys that come before their memory ---------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Take note of when a key was pressed, which may be long before its turn comes."""
        self._pressed_at = event.time

    async def action_act(self, identifier: str) -> None:
        """Do what a key asks for; a verdict only on what was on the screen when the key was pressed."""
        pressed_at, self._pressed_at = self._pressed_at, None
        is_due = self._is_read if self._card is None else identifier in ON_ONE
        if (
            identifier in {*ON_ONE, *PACK_VERDICTS}
            and (is_due or self._asks_of_pack)
            and not self._was_seen(pressed_at)
        ):
            self._early = NOT_YET_SHOWN
            self._tell_in_frame("")
            return
        if self._early and identifier in PACK_VERDICTS and not self._asks_of_pack:
            return  # the number for a list that the key before did not open
        self._early = ""
        await super().action_act(identifier)

    def _was_seen(self, pressed_at: float | None) -> bool:
        return (self._card is not None or self._asks_of_pack) and self._memory.was_seen(pressed_at)

    def _tell_in_frame(self, text: str) -> None:
        """Tell something in the memory's frame: forty toasts would lie over the evidence."""
        told = " · ".join(part for part in (self._early, text) if part)
        self._memory.border_subtitle = Content(tame(told, 120))  # a plain str would be read as markup

    def tell_done(self, done: Done) -> None:
        """Tell what was done in the memory's frame."""
        if done.changed:
            self._tell_in_frame(done.message)
        else:
            super().tell_done(done)

    # -- verdicts ---------------------------------------------------------------------------------

    @property
    def _subject(self) -> Shown:
        """The memory in review as it is shown; `why_not` lets no verdict through without one."""
        assert self._card is not None  # noqa: S101 - as said
        return self._card.shown

    def _settle_by(self, shown: Shown, run: Callable[[Shown], Done]) -> None:
        """Give a verdict after which the next memory comes at once, while the vault takes the verdict."""
        self._decided.add(shown.id)
        if shown.id == self._current:
            self._go_on()
        self._change_by(shown, run)

    def _change_by(self, shown: Shown, run: Callable[[Shown], Done]) -> None:
        """Change a memory; where that fails, or it moved meanwhile, it is come back to."""

        def act() -> Done:
            try:
                done = run(shown)
            except MemtuiError:
                self._failed = shown.id
                raise
            if done.changed:
                self._mine.add(shown.id)
            else:
                self._failed = shown.id
                self._overtaken = shown.id if done.message == MOVED_MEANWHILE else ""
            return done

        self.do(act)

    def acts_ended(self, focus: str | None) -> None:
        """Look at what became of the queue; come back to what an undo touched, or what was refused."""
        if focus is not None:
            self._mine.add(focus)
            self._ahead_is_old = True
        for identifier in (self._failed, focus):
            if identifier in self._ids:
                self._place = self._ids.index(identifier)
        self._failed = ""
        self._reload()

    def action_review_verify(self) -> None:
        """Say "still true"."""
        self._settle_by(self._subject, self._review.still_true)

    def action_review_pin(self) -> None:
        """Pin the memory: it never goes stale."""
        self._settle_by(self._subject, self._review.pin_one)

    def action_review_undo_all(self) -> None:
        """Undo every verdict of this session."""
        opened = self._opened
        if opened is not None:
            self._mine.update(opened.session.ids)
            self.do(lambda: self._review.undo_all(opened.session), focus=True)

    def action_review_edit(self) -> None:
        """Edit the memory; saving verifies it."""
        self.editing.open_form(self._subject.id, "verify")

    def action_review_retire(self) -> None:
        """Take the memory out of use, with a reason from a short list."""
        shown = self._subject

        def retire(number: int) -> None:
            self._settle_by(shown, lambda chosen: self._review.retire_for(chosen, REASONS[number]))

        self._choose("Retire, because it is", [(reason, "") for reason in REASONS], retire)

    def action_review_snooze(self) -> None:
        """Ask again later, or once a file changes."""
        shown = self._subject
        has_files = self._card is not None and bool(self._card.detail.view.memory.anchors)

        def snooze(number: int) -> None:
            days = SNOOZES[number][1]
            if days is None and not has_files:
                self.say("It is tied to no file that could change.", severity="warning")
            elif days is None:
                self._settle_by(shown, self._review.snooze_until_change)
            else:
                self._settle_by(shown, lambda chosen: self._review.snooze(chosen, days))

        files = "" if has_files else "it is tied to none"
        self._choose("Ask again in", [(name, f"{days:g} d" if days else files) for name, days in SNOOZES], snooze)

    def action_review_supersede(self) -> None:
        """Choose the memory that replaces this one among those that are like it."""
        shown, others = self._subject, self._card.similar if self._card is not None else ()

        def supersede(number: int) -> None:
            self._settle_by(shown, lambda chosen: self._review.supersede_by(chosen, others[number].id))

        self._choose("Superseded by", [(other.title[:60], other.how) for other in others], supersede)

    def action_review_merge(self) -> None:
        """Choose a memory that is like it, and merge this one into that."""
        from memtui.tui.merge.screen import MergeScreen

        identifier, others = self._subject.id, self._card.similar if self._card is not None else ()

        def merge(number: int) -> None:
            screen = MergeScreen(self.opening, [others[number].id, identifier])

            def closed(_: None) -> None:
                if screen.merged:
                    self.acts_ended(identifier)

            self.app.push_screen(screen, closed)

        self._choose("Merge into", [(other.title[:60], other.how) for other in others], merge)

    def action_review_kind(self) -> None:
        """Choose another kind; the memory stays in review."""
        shown, kinds = self._subject, self._review.kinds()
        now = self._card.detail.view.memory.kind if self._card is not None else ""

        def change(number: int) -> None:
            self._change_by(shown, lambda chosen: self._review.set_kind(chosen, kinds[number]))

        current = kinds.index(now) if now in kinds else 0
        self._choose("Kind", [(tame(kind), "") for kind in kinds], change, current)

    def action_review_half_life(self) -> None:
        """Choose how fast its freshness halves; the memory stays in review."""
        shown = self._subject

        def change(number: int) -> None:
            self._change_by(shown, lambda chosen: self._review.set_half_life(chosen, HALF_LIVES[number][1]))

        self._choose("Half-life", [(name, f"{days:g} d" if days else "") for name, days in HALF_LIVES], change)

    def _choose(
        self, title: str, choices: Sequence[tuple[str, str]], then: Callable[[int], None], current: int = 0
    ) -> None:
        """Ask for one of a few; its number chooses at once."""

        def take(name: str | None) -> None:
            if name is not None:
                then(int(name) - 1)

        numbered = [
            (str(number), f"{name}   {label}" if label else name) for number, (name, label) in enumerate(choices, 1)
        ]
        self.app.push_screen(ChoiceScreen(title, numbered, str(current + 1)), take)

    # -- going about ------------------------------------------------------------------------------

    def action_review_next(self) -> None:
        """Go to the next one that is not settled."""
        self._go_on(1)

    def action_review_previous(self) -> None:
        """Go back to the one before that is not settled."""
        self._go_on(-1)

    def action_review_source(self) -> None:
        """Open the source at its line; of the receipt, one that still says what was changed or taken out of use."""
        if self._card is not None:
            self._source.open(self._subject.id)
            return
        said = self._still_said
        if len(said) == 1:
            self._source.open(said[0][0])
            return
        self._choose(
            "Open which source",
            [(tame(path, 40), tame(title, 40)) for _, title, path in said],
            lambda number: self._source.open(said[number][0]),
        )

    @property
    def _still_said(self) -> Sequence[tuple[str, str, str]]:
        receipt = self._opened.receipt if self._opened is not None else None
        return receipt.still_said if receipt is not None else ()

    # -- files that moved -------------------------------------------------------------------------

    def action_review_re_anchor(self) -> None:
        """Tie the memory to where its files moved; it stays in review."""
        shown, moves = self._subject, self._card.moves if self._card is not None else {}
        self._change_by(shown, lambda chosen: self._review.re_anchor({chosen.id: moves}))

    @work(thread=True, exclusive=True, group="moves", exit_on_error=False)
    def action_review_re_anchor_all(self) -> None:
        """Show what following every moved file would change, and do it if that is right."""
        self._look(lambda: MovesRead(self._review.moves_left()))

    @on(MovesRead)
    def _preview_moves(self, message: MovesRead) -> None:
        from memtui.tui.review.view import MovesScreen

        moves = message.moves
        if not moves:
            self.say("Every moved file was followed already.", severity="warning")
            return

        def take(agreed: bool | None) -> None:
            if agreed:
                self._mine.update(moves)
                self.do(lambda: self._review.re_anchor(moves))

        self.app.push_screen(MovesScreen(moves), take)

    # -- packs ------------------------------------------------------------------------------------

    def _say_of_pack(self, verdict: str) -> None:
        opened = self._opened
        if opened is not None and opened.packs:
            pack = opened.packs[0]
            self._memory.show_unseen()
            self.do(lambda: self._review.say_of_pack(pack, verdict))

    def action_review_pack_helped(self) -> None:
        """Say that the pack helped."""
        self._say_of_pack("helped")

    def action_review_pack_hurt(self) -> None:
        """Say that the pack hurt."""
        self._say_of_pack("hurt")

    def action_review_pack_unused(self) -> None:
        """Say that the pack was not used."""
        self._say_of_pack("unused")

    def action_review_pack_skip(self) -> None:
        """Say nothing of the pack, and be asked no more."""
        self._say_of_pack("")

    # -- the queue --------------------------------------------------------------------------------

    def action_review_anew(self) -> None:
        """Take the queue anew."""
        self._opened = None
        self._time_left = TimeLeft()
        self._clear()
        self._reload(anew=True)

    # -- the receipt ------------------------------------------------------------------------------

    def action_review_copy(self) -> None:
        """Copy the receipt."""
        self._hand_on(lambda opened: self._review.copy_receipt(opened.session, partial(send_escape, self.app)))

    def action_review_write(self) -> None:
        """Write the receipt into the working directory."""
        folder = Path(self.opening.folder)
        self._hand_on(lambda opened: self._review.write_receipt(opened.session, folder))

    def _hand_on(self, run: Callable[[Opened], Done]) -> None:
        opened = self._opened
        if opened is not None:
            self.loader.read(
                lambda: run(opened), super().tell_done, group="receipt", on_error=self._warn, exclusive=False
            )

    def _warn(self, error: MemtuiError) -> None:
        self.say(str(error), severity="warning")
