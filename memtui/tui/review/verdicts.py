"""What the user decides in review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.clock import days_after
from memtui.errors import ConflictError
from memtui.tui.review.queries import Shown
from memtui.tui.text_layout import counted, tame
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
