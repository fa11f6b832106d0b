"""The queue of a review session, its panes, and the verdicts on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from textual.containers import Horizontal, Vertical

from memtui.clock import days_after
from memtui.curate import lifecycle
from memtui.curate.anchors import re_anchor, snooze_until_change
from memtui.curate.bulk_changes import Outcome, SkipReason
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.moved_paths import that_name_old_paths
from memtui.curate.packs import give_feedback, mark_asked
from memtui.curate.review_sessions import Progress, ReviewSession, undo_all
from memtui.domain.lessons import MOST_SNOOZES
from memtui.errors import ConflictError
from memtui.text.sanitize import tame
from memtui.text.words import clip_at_word, counted
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.review.queries import Opened, ReviewCard, Shown
from memtui.tui.review.view import (
    PANES,
    READING,
    TAKING,
    end_blocks,
    file_blocks,
    memory_blocks,
    similar_blocks,
    why_title,
)
from memtui.tui.screens.dialogs import pick
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.detail import CurveView, DetailPane, SeenPane
from memtui.vault.packs import StoredPack
from memtui.wording import outcomes


class ReviewPanes:
    """The memory, and beside it as much evidence as has room.

    Attributes:
        memory: the text, of which it is known whether it was seen.
        evidence: the container of the other panes.
        body: the container of all of them: the evidence lies below the memory, or beside it where that is wide enough.
    """

    def __init__(self) -> None:
        self.memory = SeenPane(id="review-memory")
        self._curve = CurveView(id="review-curve")
        self._files = DetailPane(id="review-files")
        self._similar = DetailPane(id="review-similar")
        self.evidence = Horizontal(self._curve, self._files, self._similar, id="review-evidence")
        self.body = Vertical(self.memory, self.evidence, id="review-body")
        for pane in (self.memory, self._curve, self._files, self._similar):
            pane.add_class("pane")

    def show(self, card: ReviewCard, *, from_top: bool) -> None:
        title, rest = why_title(card, self.memory.size.width)
        self.memory.set_title(title)
        shown = self._shown_evidence()
        self.memory.show(memory_blocks(card, why=rest, panes=shown), from_top=from_top)
        self._curve.show(card.curve)
        together = "similar" not in shown
        self._files.set_title("Files and neighbours" if together else "What changed in its files")
        self._similar.set_title("Neighbours")
        self._files.show([*file_blocks(card), *(similar_blocks(card, gap=True) if together else ())], from_top=from_top)
        is_beside = self.memory.screen.has_class("-vast")
        self._similar.show(similar_blocks(card, with_texts=is_beside), from_top=from_top)

    def _shown_evidence(self) -> AbstractSet[str]:
        if not self.evidence.display:
            return frozenset()
        return PANES if self._similar.display else PANES - {"similar"}

    def clear(self, *, is_first: bool) -> None:
        """Show that the next memory is being read: a key must never decide on one that was not seen."""
        self._curve.set_title("Freshness")
        self.memory.show_unseen()
        self.memory.set_title("Why now")
        self.memory.show((TAKING if is_first else READING,), from_top=True)
        self._curve.show(None)
        for pane in (self._files, self._similar):
            pane.show((), from_top=True)

    def show_end(self, opened: Opened, now: datetime, key_of: Callable[[str], str]) -> None:
        """Show the receipt, or why nothing is due."""
        self.memory.set_title("Receipt" if opened.receipt is not None else "Review")
        self.memory.show(end_blocks(opened, now, key_of), from_top=True)


STEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90, 120, 150, 180, 240, 300)
"""Minutes that are shown; nobody plans in finer steps."""

DAMPING = 0.2
"""Share of a new pace that is taken at once: the median of few verdicts leaps between 5 and 40 s, and a fifth of that
moves 20 memories by two minutes."""

SLACK = 0.5  # Share of a step by which an estimate may be beyond it before another is shown


class Queue:
    """The memories of a session and the current one; those with a verdict on its way count as reviewed.

    Attributes:
        opened: the session as read last, None before the first read.
        decided: memories with a verdict that is being saved.
        place: index of the current memory.
    """

    def __init__(self) -> None:
        self.opened: Opened | None = None
        self.decided: set[str] = set()
        self.place = 0

    @property
    def ids(self) -> tuple[str, ...]:
        return self.opened.session.ids if self.opened else ()

    @property
    def current(self) -> str | None:
        return self.ids[self.place] if self.place < len(self.ids) else None

    @property
    def reviewed(self) -> AbstractSet[str]:
        """The memories that need no further look."""
        return (self.opened.progress.results.keys() if self.opened else set()) | self.decided

    @property
    def is_over(self) -> bool:
        """Whether a session was read of which nothing is left."""
        return self.opened is not None and not self.opened.progress.left

    def is_current(self, shown: Shown) -> bool:
        """Return whether what is shown is the current memory, as it is now."""
        now = self.opened.progress.memories.get(shown.id) if self.opened and shown.id == self.current else None
        return now is not None and now.version == shown.version

    @property
    def asks_about_pack(self) -> bool:
        return self.opened is not None and self.is_over and bool(self.opened.packs)

    def next_open(self, after: int, step: int = 1) -> int:
        """Return the next place that is not reviewed, wrapping around the end; the same one where all are."""
        ids, reviewed = self.ids, self.reviewed
        for distance in range(1, len(ids) + 1):
            place = (after + step * distance) % len(ids)
            if ids[place] not in reviewed:
                return place
        return max(0, after)


class TimeLeft:
    """An estimate from the pace of a session, damped, and shown in steps."""

    def __init__(self) -> None:
        self._minutes_each: float | None = None
        self._step = -1

    def take(self, progress: Progress) -> None:
        if not progress.left:
            return
        each = progress.minutes_left / progress.left
        self._minutes_each = each if self._minutes_each is None else _between(self._minutes_each, each, DAMPING)

    def words(self, left: int) -> str:
        """Return `28 left, about 6 min` for so many memories."""
        if not left or self._minutes_each is None:
            return "all done"
        minutes = STEPS[self._place(self._minutes_each * left)]
        return f"{left:,} left, " + (f"about {minutes} min" if minutes else "under a minute")

    def _place(self, minutes: float) -> int:
        """Return the step of an estimate: the one shown last while the estimate is not clearly beyond it."""
        # Under a minute is less than one, not less than a half.
        bounds = [1.0, *(_between(low, high, 0.5) for low, high in pairwise(STEPS[1:]))]
        if self._step >= 0:
            low = bounds[self._step - 1] if self._step else 0.0
            high = bounds[self._step] if self._step < len(bounds) else float("inf")
            slack = SLACK * min(high - low, STEPS[-1])
            if low - slack <= minutes < high + slack:
                return self._step
        self._step = sum(1 for bound in bounds if minutes >= bound)
        return self._step


def clipped_title(title: str, how: str) -> str:
    """Return a title cut after a whole word, so that it and what is said behind it fit on one line of a choice."""
    return clip_at_word(tame(title), max(_LEAST_TITLE, _CHOICE_CELLS - len(how)))


_CHOICE_CELLS = 46  # Cells of a choice beside its number, the gap and the frame
_LEAST_TITLE = 20


def _between(low: float, high: float, share: float) -> float:
    return low + share * (high - low)


CHANGED_MEANWHILE = Done("The memory changed meanwhile; look again, then decide", changed=False)
"""What a verdict comes to on another version than the one that was shown."""


class Verdicts:
    """Verdicts on a memory in the version that was shown, and changes of a session as a whole."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def still_true(self, shown: Shown) -> Done:
        """Verify a memory; its files are taken as they are."""
        with self._reading.read() as reader:
            found = reader.get_many([shown.id])
            tree = self._access.tree_of(reader, found[shown.id].project) if found else None
        return self._decide(shown, lifecycle.verify, "Verified", tree=tree)

    def pin(self, shown: Shown) -> Done:
        return self._decide(shown, lifecycle.pin, "Pinned")

    def retire(self, shown: Shown, reason: str) -> Done:
        patterns = self._opening.secret_patterns
        done = self._decide(shown, lifecycle.retire, "Retired", reason=reason, secret_patterns=patterns)
        return self._access.offer_withdrawal(done, [shown.id])

    def snooze(self, shown: Shown, days: float) -> Done:
        """Snooze a memory for some days."""
        until = days_after(self._vault.now(), days)
        return self._decide(shown, lifecycle.snooze, f"Snoozed until {until:%Y-%m-%d}", until=until)

    def snooze_until_change(self, shown: Shown) -> Done:
        """Snooze a memory until one of its files changes."""
        with self._reading.read() as reader:
            tree = self._access.view_of(reader).tree
        return self._decide(shown, snooze_until_change, "Snoozed until a file changes", tree=tree)

    def change_kind(self, shown: Shown, kind: str) -> Done:
        return self._decide(shown, lifecycle.change_kind, f"Now a {kind}", kind=kind)

    def set_half_life(self, shown: Shown, days: float | None) -> Done:
        """Give a memory a half-life of its own, or that of its kind again."""
        self._opening.before_change()
        try:
            memory = edit_memory(
                self._vault, shown.id, {"half_life_days": days}, actor=self._opening.actor, if_version=shown.version
            )
        except ConflictError:
            return CHANGED_MEANWHILE
        word = f"Half-life {days:g} d" if days else "Half-life of its kind"
        return Done(f"{word}: {tame(memory.title)}")

    def supersede(self, shown: Shown, newer: str) -> Done:
        self._opening.before_change()
        try:
            link(self._vault, newer, "supersedes", shown.id, actor=self._opening.actor, versions=shown.versions)
        except ConflictError:
            return CHANGED_MEANWHILE
        return Done("Superseded")

    def _decide(self, shown: Shown, service: Callable[..., Outcome], word: str, **options: Any) -> Done:
        self._opening.before_change()
        outcome = service(self._vault, [shown.id], actor=self._opening.actor, versions=shown.versions, **options)
        if any(each.reason is SkipReason.CHANGED for each in outcome.skipped):
            return CHANGED_MEANWHILE
        return Done(outcomes.acted(word, outcome), changed=bool(outcome.changed))

    # -- beyond one memory ------------------------------------------------------------------------

    def undo_all(self, session: ReviewSession) -> Done:
        """Undo every verdict of a session, the last one first."""
        self._opening.before_change()
        undone, stopped_by = undo_all(self._vault, session, actor=self._opening.actor)
        focus = next(iter(session.ids), None) if undone else None
        return Done(outcomes.verdicts_undone(undone, stopped_by), changed=bool(undone), focus=focus)

    def re_anchor(self, moves: Mapping[str, Mapping[str, str]], *, in_text: bool = False) -> Done:
        """Tie memories to where their files moved, as one change; this is no verdict. `in_text`: as of `re_anchor`."""
        change = partial(re_anchor, self._vault, moves, actor=self._opening.actor, in_text=in_text)
        done = MemoryActs(self._access).change(change, "Re-anchored")
        left = that_name_old_paths(self._access.memories(tuple(moves)), moves)
        return replace(done, message=f"{done.message}; {outcomes.names_old_path(len(left))}") if left else done

    def rate_pack(self, pack: StoredPack, verdict: str) -> Done:
        """Give feedback on a pack; an empty verdict takes it off those that wait for feedback."""
        self._opening.before_change()
        if not verdict:
            mark_asked(self._vault, pack, actor=self._opening.actor, undoable=True)
            return Done("The pack was not rated")
        effects = give_feedback(self._vault, pack.id, verdict, actor=self._opening.actor)
        words = "was not used" if verdict == "unused" else verdict
        return Done(f"The pack {words}: {counted(len(effects), 'memory')}")


ON_ONE = frozenset(
    f"review-{name}"
    for name in ("verify", "edit", "merge", "supersede", "retire", "snooze", "pin", "kind", "half-life", "re-anchor")
)
"""Actions on the memory in review."""

KEEPS_EVIDENCE = frozenset(
    f"review-{name}" for name in ("verify", "pin", "retire", "snooze", "next", "previous", "half-life")
)
"""Actions that change nothing of what is shown beside another memory."""

ON_PACK = frozenset({"review-pack-helped", "review-pack-hurt", "review-pack-unused", "review-pack-skip"})
"""Actions on the pack that feedback is asked for."""

SNOOZES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("when one of its files changes", None),
)
HALF_LIVES: tuple[tuple[str, float | None], ...] = (
    ("a week", 7.0),
    ("a month", 30.0),
    ("a quarter", 90.0),
    ("half a year", 180.0),
    ("a year", 365.0),
    ("the kind's default", None),
)
REASONS = ("out of date", "was wrong", "no longer needed", "said elsewhere")

Give = Callable[[Shown, Callable[[Shown], Done]], None]  # Gives a verdict on a memory, or changes it


class VerdictChoices:
    """Asks which, and then gives the verdict on the memory that was in review when the key was pressed."""

    def __init__(
        self,
        screen: MemtuiScreen,
        verdicts: Verdicts,
        *,
        subject: Callable[[], ReviewCard],  # returns the memory in review
        decide: Give,  # gives a verdict, after which the next memory comes
        change: Give,  # changes a memory, which stays in review
    ) -> None:
        self._screen = screen
        self._verdicts = verdicts
        self._subject = subject
        self._decide = decide
        self._change = change

    def retire(self) -> None:
        shown = self._subject().shown

        def retire(number: int) -> None:
            self._decide(shown, lambda chosen: self._verdicts.retire(chosen, REASONS[number]))

        self.choose("Retire, because it is", [(reason, "") for reason in REASONS], retire)

    def snooze(self) -> None:
        """Ask again later, or once a file changes."""
        card = self._subject()
        shown, has_files = card.shown, bool(card.detail.view.memory.anchors)

        def snooze(number: int) -> None:
            if number == len(SNOOZES):
                self.retire()
                return
            days = SNOOZES[number][1]
            if days is None and not has_files:
                self._screen.say("It is not tied to any file.", severity="warning")
            elif days is None:
                self._decide(shown, self._verdicts.snooze_until_change)
            else:
                self._decide(shown, lambda chosen: self._verdicts.snooze(chosen, days))

        files = "" if has_files else "it is not tied to any"
        choices = [(name, f"{days:g} d" if days else files) for name, days in SNOOZES]
        if card.snoozes >= MOST_SNOOZES:
            choices.append(("never: retire it", f"snoozed {card.snoozes:,} times"))
        self.choose("Ask again in", choices, snooze)

    def supersede(self) -> None:
        shown = self._subject().shown
        self._choose_similar(
            "Superseded by",
            lambda other: self._decide(shown, lambda chosen: self._verdicts.supersede(chosen, other)),
        )

    def merge(self) -> None:
        identifier, screen = self._subject().shown.id, self._screen

        def merge(other: str) -> None:
            merging = MergeScreen(screen.opening, [other, identifier])

            def closed(_: None) -> None:
                if merging.settled:
                    screen.acts_ended(identifier)

            screen.app.push_screen(merging, closed)

        self._choose_similar("Merge into", merge)

    def change_kind(self) -> None:
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
        choices = [(clipped_title(other.title, other.how), other.how) for other in others]
        self.choose(title, choices, lambda number: then(others[number].id))

    def choose(
        self, title: str, choices: Sequence[tuple[str, str]], then: Callable[[int], None], current: int = 0
    ) -> None:
        """Ask for one of a few; its number chooses at once."""
        numbered = [
            (str(number), f"{name}   {label}" if label else name) for number, (name, label) in enumerate(choices, 1)
        ]
        pick(self._screen.app, title, numbered, str(current + 1), lambda number: then(int(number) - 1))
