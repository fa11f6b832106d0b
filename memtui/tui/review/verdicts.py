"""Verdicts of a review, and the choices that some of them ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.clock import days_after
from memtui.errors import ConflictError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.review.queries import ReviewCard, Shown
from memtui.tui.screens.dialogs import pick
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.outcomes import Outcome
    from memtui.curate.review_sessions import ReviewSession
    from memtui.vault.packs import StoredPack

CHANGED_MEANWHILE = Done("The memory changed meanwhile; look again, then decide", changed=False)
"""What a verdict comes to on another version than the one that was shown."""


class Verdicts:
    """Verdicts on a memory in the version that was shown, and changes of a session as a whole."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def still_true(self, shown: Shown) -> Done:
        """Verify a memory; its files are taken as they are."""
        from memtui.curate import lifecycle

        with self._reading.read() as reader:
            found = reader.get_many([shown.id])
            tree = self._access.tree_of(reader, found[shown.id].project) if found else None
        return self._decide(shown, lifecycle.verify, "Verified", tree=tree)

    def pin(self, shown: Shown) -> Done:
        """Pin a memory."""
        from memtui.curate import lifecycle

        return self._decide(shown, lifecycle.pin, "Pinned")

    def retire(self, shown: Shown, reason: str) -> Done:
        """Retire a memory."""
        from memtui.curate import lifecycle

        patterns = self._opening.secret_patterns
        return self._decide(shown, lifecycle.retire, "Retired", reason=reason, secret_patterns=patterns)

    def snooze(self, shown: Shown, days: float) -> Done:
        """Snooze a memory for some days."""
        from memtui.curate import lifecycle

        until = days_after(self._vault.now(), days)
        return self._decide(shown, lifecycle.snooze, f"Snoozed until {until:%Y-%m-%d}", until=until)

    def snooze_until_change(self, shown: Shown) -> Done:
        """Snooze a memory until one of its files changes."""
        from memtui.curate.anchors import snooze_until_change

        with self._reading.read() as reader:
            tree = self._access.view_of(reader).tree
        return self._decide(shown, snooze_until_change, "Snoozed until a file changes", tree=tree)

    def change_kind(self, shown: Shown, kind: str) -> Done:
        """Give a memory another kind."""
        from memtui.curate import lifecycle

        return self._decide(shown, lifecycle.change_kind, f"Now a {kind}", kind=kind)

    def set_half_life(self, shown: Shown, days: float | None) -> Done:
        """Give a memory a half-life of its own, or that of its kind again."""
        from memtui.curate.memories import edit_memory

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
        """Let another memory supersede this one."""
        from memtui.curate.links import link

        self._opening.before_change()
        try:
            link(self._vault, newer, "supersedes", shown.id, actor=self._opening.actor, versions=shown.versions)
        except ConflictError:
            return CHANGED_MEANWHILE
        return Done("Superseded")

    def _decide(self, shown: Shown, service: Callable[..., Outcome], word: str, **options: Any) -> Done:
        from memtui.curate.outcomes import SkipReason

        self._opening.before_change()
        outcome = service(self._vault, [shown.id], actor=self._opening.actor, versions=shown.versions, **options)
        if any(each.reason is SkipReason.CHANGED for each in outcome.skipped):
            return CHANGED_MEANWHILE
        return Done(outcomes.acted(word, outcome), changed=bool(outcome.changed))

    # -- beyond one memory ------------------------------------------------------------------------

    def undo_all(self, session: ReviewSession) -> Done:
        """Undo every verdict of a session, the last one first."""
        from memtui.curate.review_sessions import undo_all

        self._opening.before_change()
        undone, stopped_by = undo_all(self._vault, session, actor=self._opening.actor)
        focus = next(iter(session.ids), None) if undone else None
        return Done(outcomes.verdicts_undone(undone, stopped_by), changed=bool(undone), focus=focus)

    def re_anchor(self, moves: Mapping[str, Mapping[str, str]]) -> Done:
        """Tie memories to where their files moved, as one change; this is no verdict."""
        from memtui.curate.anchors import re_anchor

        change = partial(re_anchor, self._vault, moves, actor=self._opening.actor)
        return MemoryActs(self._access).change(change, "Re-anchored")

    def rate_pack(self, pack: StoredPack, verdict: str) -> Done:
        """Give feedback on a pack; an empty verdict takes it off those that wait for feedback."""
        from memtui.curate.packs import give_feedback, mark_asked

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
