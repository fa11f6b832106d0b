"""Verdicts that need a choice from a short list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.tui.review.queries import ReviewCard, Shown
from memtui.tui.review.verdicts import Verdicts
from memtui.tui.screen import MemtuiScreen
from memtui.tui.screens.dialogs import pick
from memtui.tui.text_layout import tame
from memtui.tui.values import Done

SNOOZES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("once a file of it changes", None),
)
HALF_LIVES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("a quarter", 90.0),
    ("half a year", 180.0),
    ("a year", 365.0),
    ("that of its kind", None),
)
REASONS = ("out of date", "was wrong", "no longer needed", "said elsewhere")

Give = Callable[[Shown, Callable[[Shown], Done]], None]
"""Gives a verdict on a memory, or changes it."""


class VerdictChoices:
    """Asks which, and then gives the verdict on the memory that was in review when the key was pressed.

    Args:
        subject: returns the memory in review.
        decide: gives a verdict, after which the next memory comes.
        change: changes a memory, which stays in review.
    """

    def __init__(
        self,
        screen: MemtuiScreen,
        verdicts: Verdicts,
        *,
        subject: Callable[[], ReviewCard],
        decide: Give,
        change: Give,
    ) -> None:
        self._screen = screen
        self._verdicts = verdicts
        self._subject = subject
        self._decide = decide
        self._change = change

    def retire(self) -> None:
        """Retire the memory, with a reason."""
        shown = self._subject().shown

        def retire(number: int) -> None:
            self._decide(shown, lambda chosen: self._verdicts.retire(chosen, REASONS[number]))

        self.choose("Retire, because it is", [(reason, "") for reason in REASONS], retire)

    def snooze(self) -> None:
        """Ask again later, or once a file changes."""
        card = self._subject()
        shown, has_files = card.shown, bool(card.detail.view.memory.anchors)

        def snooze(number: int) -> None:
            days = SNOOZES[number][1]
            if days is None and not has_files:
                self._screen.say("It is not tied to any file.", severity="warning")
            elif days is None:
                self._decide(shown, self._verdicts.snooze_until_change)
            else:
                self._decide(shown, lambda chosen: self._verdicts.snooze(chosen, days))

        files = "" if has_files else "it is not tied to any"
        self.choose("Ask again in", [(name, f"{days:g} d" if days else files) for name, days in SNOOZES], snooze)

    def supersede(self) -> None:
        """Choose the memory that supersedes this one."""
        shown = self._subject().shown
        self._choose_similar(
            "Superseded by",
            lambda other: self._decide(shown, lambda chosen: self._verdicts.supersede(chosen, other)),
        )

    def merge(self) -> None:
        """Choose a memory to merge this one into."""
        from memtui.tui.merge.screen import MergeScreen

        identifier, screen = self._subject().shown.id, self._screen

        def merge(other: str) -> None:
            merging = MergeScreen(screen.opening, [other, identifier])

            def closed(_: None) -> None:
                if merging.merged:
                    screen.acts_ended(identifier)

            screen.app.push_screen(merging, closed)

        self._choose_similar("Merge into", merge)

    def change_kind(self) -> None:
        """Choose another kind."""
        card, kinds = self._subject(), self._screen.opening.vault.kinds.names()
        now = card.detail.view.memory.kind

        def change(number: int) -> None:
            self._change(card.shown, lambda chosen: self._verdicts.change_kind(chosen, kinds[number]))

        self.choose("Kind", [(tame(kind), "") for kind in kinds], change, kinds.index(now) if now in kinds else 0)

    def set_half_life(self) -> None:
        """Choose how fast it fades."""
        shown = self._subject().shown

        def change(number: int) -> None:
            self._change(shown, lambda chosen: self._verdicts.set_half_life(chosen, HALF_LIVES[number][1]))

        self.choose("Half-life", [(name, f"{days:g} d" if days else "") for name, days in HALF_LIVES], change)

    def _choose_similar(self, title: str, then: Callable[[str], None]) -> None:
        others = self._subject().similar
        choices = [(other.title[:60], other.how) for other in others]
        self.choose(title, choices, lambda number: then(others[number].id))

    def choose(
        self, title: str, choices: Sequence[tuple[str, str]], then: Callable[[int], None], current: int = 0
    ) -> None:
        """Ask for one of a few; its number chooses at once."""
        numbered = [
            (str(number), f"{name}   {label}" if label else name) for number, (name, label) in enumerate(choices, 1)
        ]
        pick(self._screen.app, title, numbered, str(current + 1), lambda number: then(int(number) - 1))
