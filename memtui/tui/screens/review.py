"""The Review screen: what is due, one memory at a time with its evidence, one key for each verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.content import Content

from memtui.errors import MemtuiError
from memtui.tui.access import Done
from memtui.tui.access.review import Opened
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.review import ON_ONE, REVIEW
from memtui.tui.messages import Act, Told
from memtui.tui.screens.choice import ChoiceScreen
from memtui.tui.screens.review_reading import ReviewReading
from memtui.tui.widgets.chrome import KeyHints
from memtui.tui.wording import tame

SNOOZES: tuple[tuple[str, float], ...] = (("a week", 7.0), ("a month", 30.0), ("three months", 91.0))
HALF_LIVES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("a quarter", 90.0),
    ("half a year", 180.0),
    ("a year", 365.0),
    ("that of its kind", None),
)
REASONS = ("out of date", "was wrong", "no longer needed", "said elsewhere")


class ReviewScreen(ReviewReading):
    """Goes through the queue; every verdict is one undoable change, and none asks twice."""

    AREA = REVIEW
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(REVIEW)
    AUTO_FOCUS = "#review-memory"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide"), (108, "-roomy")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middling"), (32, "-high")]  # noqa: RUF012 - likewise

    def why_not(self, action: Action) -> str | None:
        """Return why a verdict cannot be given now."""
        if action.id in ON_ONE and self._card is None:
            waits = self._opened is None or bool(set(self._ids) - self._settled)
            return "The next memory is being read." if waits else "Nothing is left in this queue; a takes it anew."
        if action.id in {"review-copy", "review-write"} and not self._ids:
            return "There is no session to tell of."
        if action.id in {"review-supersede", "review-merge"} and self._card is not None and not self._card.similar:
            return "No other memory is linked to it or like it."
        return super().why_not(action)

    def tell_done(self, done: Done) -> None:
        """Tell what was done in the memory's frame: forty toasts would lie over the evidence."""
        if done.changed:
            self._memory.border_subtitle = Content(tame(done.message, 120))  # a plain str would be read as markup
        else:
            super().tell_done(done)

    # -- verdicts ---------------------------------------------------------------------------------

    @property
    def _subject_id(self) -> str:
        """The memory in review; `why_not` lets no verdict through without one."""
        return self._card.detail.view.memory.id if self._card is not None else ""

    def _settle_by(self, identifier: str, run: Callable[[str], Done]) -> None:
        """Give a verdict after which the next memory comes at once, while the vault takes the verdict."""
        self._decided.add(identifier)
        if identifier == self._current:
            self._go_on()
        self._change_by(identifier, run)

    def _change_by(self, identifier: str, run: Callable[[str], Done]) -> None:
        """Change a memory; where that fails, it is come back to."""

        def act() -> Done:
            try:
                done = run(identifier)
            except MemtuiError:
                self._failed = identifier
                raise
            if not done.changed:
                self._failed = identifier
            return done

        self.do(Act(act))

    def acts_ended(self, focus: str | None) -> None:
        """Look at what became of the queue; come back to what an undo touched, or what was refused."""
        for identifier in (self._failed, focus):
            if identifier in self._ids:
                self._place = self._ids.index(identifier)
        self._failed = ""
        self._reload()

    def action_review_verify(self) -> None:
        """Say "still true"."""
        self._settle_by(self._subject_id, lambda identifier: self._review.verify([identifier]))

    def action_review_pin(self) -> None:
        """Pin the memory: it never goes stale."""
        self._settle_by(self._subject_id, lambda identifier: self._review.pin([identifier], pinned=True))

    def action_review_edit(self) -> None:
        """Edit the memory; saving verifies it."""
        self.open_form(self._subject_id, "verify")

    def action_review_retire(self) -> None:
        """Take the memory out of use, with a reason from a short list."""
        identifier = self._subject_id

        def retire(number: int) -> None:
            self._settle_by(identifier, lambda chosen: self._review.retire_for(chosen, REASONS[number]))

        self._choose("Retire, because it is", [(reason, "") for reason in REASONS], retire)

    def action_review_snooze(self) -> None:
        """Ask again later."""
        identifier = self._subject_id

        def snooze(number: int) -> None:
            self._settle_by(identifier, lambda chosen: self._review.snooze(chosen, SNOOZES[number][1]))

        self._choose("Ask again in", [(name, f"{days:g} d") for name, days in SNOOZES], snooze)

    def action_review_supersede(self) -> None:
        """Choose the memory that replaces this one among those that are like it."""
        identifier, others = self._subject_id, self._card.similar if self._card is not None else ()

        def supersede(number: int) -> None:
            self._settle_by(identifier, lambda chosen: self._review.supersede_by(chosen, others[number].id))

        self._choose("Superseded by", [(other.title[:60], other.how) for other in others], supersede)

    def action_review_merge(self) -> None:
        """Choose a memory that is like it, and merge this one into that."""
        from memtui.tui.screens.merge import MergeScreen

        identifier, others = self._subject_id, self._card.similar if self._card is not None else ()

        def merge(number: int) -> None:
            screen = MergeScreen(self.opening, [others[number].id, identifier])

            def closed(_: None) -> None:
                if screen.merged:
                    self.acts_ended(identifier)

            self.app.push_screen(screen, closed)

        self._choose("Merge into", [(other.title[:60], other.how) for other in others], merge)

    def action_review_kind(self) -> None:
        """Choose another kind; the memory stays in review."""
        identifier, kinds = self._subject_id, self._review.kinds()
        now = self._card.detail.view.memory.kind if self._card is not None else ""

        def change(number: int) -> None:
            self._change_by(identifier, lambda chosen: self._review.set_kind(chosen, kinds[number]))

        current = kinds.index(now) if now in kinds else 0
        self._choose("Kind", [(tame(kind), "") for kind in kinds], change, current)

    def action_review_half_life(self) -> None:
        """Choose how fast its freshness halves; the memory stays in review."""
        identifier = self._subject_id

        def change(number: int) -> None:
            self._change_by(identifier, lambda chosen: self._review.set_half_life(chosen, HALF_LIVES[number][1]))

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
        """Open the source at its line."""
        self.open_source_of(self._subject_id)

    def action_review_anew(self) -> None:
        """Take the queue anew."""
        self._opened = None
        self._clear()
        self._reload(anew=True)

    # -- the receipt ------------------------------------------------------------------------------

    def action_review_copy(self) -> None:
        """Copy the receipt."""
        self._hand_on(lambda opened: self._review.copy_receipt(opened.session, self._send_escape))

    def _send_escape(self, text: str) -> bool:
        """Send OSC 52 between two pictures rather than into one."""
        self.app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        return True

    def action_review_write(self) -> None:
        """Write the receipt into the working directory."""
        folder = Path(self.opening.folder)
        self._hand_on(lambda opened: self._review.write_receipt(opened.session, folder))

    def _hand_on(self, run: Callable[[Opened], Done]) -> None:
        if self._opened is not None:
            self._hand_on_in_thread(self._opened, run)

    @work(thread=True, group="receipt", exit_on_error=False)
    def _hand_on_in_thread(self, opened: Opened, run: Callable[[Opened], Done]) -> None:
        try:
            done = run(opened)
        except MemtuiError as error:
            self.post_message(Told(str(error), good=False))
        else:
            self.post_message(Told(done.message, good=done.changed))

    @on(KeyHints.Pressed)
    async def _press(self, message: KeyHints.Pressed) -> None:
        message.stop()
        await self.action_act(message.action.id)
