"""The verdicts of the Review screen: each on the version that its card showed, each one undoable change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memtui.errors import ConflictError
from memtui.tui.access import Done, VaultAccess
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.lifecycle import Outcome
    from memtui.curate.sessions import ReviewSession
    from memtui.vault.usage import StoredPack

_NAMING = Lock()
"""Held while a name that is free is found and taken: two writes at once would find the same."""

MOVED_MEANWHILE = "It was changed meanwhile; look again, then decide"


@dataclass(frozen=True, slots=True)
class Shown:
    """The memory that a verdict is on, in the version that was shown."""

    id: str
    version: int

    @property
    def versions(self) -> Mapping[str, int]:
        """The version by id, as the services take it."""
        return {self.id: self.version}


class ReviewVerdicts(VaultAccess):
    """What a person decides in review."""

    def still_true(self, shown: Shown) -> Done:
        """Say "still true" of a memory; its files are taken as they are."""
        from memtui.curate import lifecycle

        with self._reading.read() as reader:
            found = reader.get_many([shown.id])
            tree = self._tree_of(reader, found[shown.id].project) if found else None
        return self._decide(
            partial(lifecycle.verify, self._vault, [shown.id], tree=tree, versions=shown.versions), "Verified"
        )

    def pin_one(self, shown: Shown) -> Done:
        """Pin a memory."""
        from memtui.curate import lifecycle

        return self._decide(partial(lifecycle.pin, self._vault, [shown.id], versions=shown.versions), "Pinned")

    def retire_for(self, shown: Shown, reason: str) -> Done:
        """Retire a memory with a reason."""
        from memtui.curate import lifecycle

        return self._decide(
            partial(
                lifecycle.retire,
                self._vault,
                [shown.id],
                reason=reason,
                versions=shown.versions,
                secret_patterns=self._opening.secret_patterns,
            ),
            "Retired",
        )

    def snooze(self, shown: Shown, days: float) -> Done:
        """Put a memory off for some days."""
        from memtui.clock import days_after
        from memtui.curate import lifecycle

        until = days_after(self._vault.now(), days)
        return self._decide(
            partial(lifecycle.snooze, self._vault, [shown.id], until=until, versions=shown.versions),
            f"Snoozed until {until:%Y-%m-%d}",
        )

    def snooze_until_change(self, shown: Shown) -> Done:
        """Put a memory off until a file of it changes."""
        from memtui.curate.snoozing import snooze_until_change

        with self._reading.read() as reader:
            tree = self._view_of(reader).tree
        return self._decide(
            partial(snooze_until_change, self._vault, [shown.id], tree=tree, versions=shown.versions),
            "Snoozed until a file changes",
        )

    def set_kind(self, shown: Shown, kind: str) -> Done:
        """Give a memory another kind."""
        from memtui.curate import lifecycle

        return self._decide(
            partial(lifecycle.change_kind, self._vault, [shown.id], kind, versions=shown.versions), f"Now a {kind}"
        )

    def set_half_life(self, shown: Shown, days: float | None) -> Done:
        """Give a memory a half-life of its own, or that of its kind again."""
        from memtui.curate.editing import edit_memory

        self._opening.before_change()
        try:
            memory = edit_memory(
                self._vault, shown.id, {"half_life_days": days}, actor=self._opening.actor, if_version=shown.version
            )
        except ConflictError:
            return Done(MOVED_MEANWHILE, changed=False)
        word = f"Half-life {days:g} d" if days else "Half-life of its kind"
        return Done(f"{word}: {tame(memory.title)}")

    def supersede_by(self, shown: Shown, newer: str) -> Done:
        """Say that another memory replaces this one."""
        from memtui.curate.linking import link

        self._opening.before_change()
        try:
            link(self._vault, newer, "supersedes", shown.id, actor=self._opening.actor, versions=shown.versions)
        except ConflictError:
            return Done(MOVED_MEANWHILE, changed=False)
        return Done("Superseded")

    def kinds(self) -> Sequence[str]:
        """Return the kinds there are."""
        return self._vault.kinds.names()

    def _decide(self, act: Callable[..., Outcome], word: str) -> Done:
        """Do something to the memory that was shown; one that moved meanwhile is left alone, and that is said."""
        from memtui.curate.lifecycle import MOVED

        self._opening.before_change()
        outcome = act(actor=self._opening.actor)
        if outcome.changed:
            return Done(f"{word}: {tame(outcome.changed[0].title)}")
        reason = next((reason for _, reason in outcome.unchanged), "there was nothing to do")
        return Done(MOVED_MEANWHILE if reason == MOVED else f"Left alone: {tame(reason)}", changed=False)

    def undo_all(self, session: ReviewSession) -> Done:
        """Undo every verdict of a session, the last one first."""
        from memtui.curate.sessions import undo_all

        self._opening.before_change()
        undone, stopped_by = undo_all(self._vault, session, actor=self._opening.actor)
        stopped = f"; {tame(stopped_by)} stands between, u undoes it" if stopped_by else ""
        if not undone:
            return Done(f"Nothing of this session is left to undo{stopped}", changed=False)
        first = next(iter(session.ids), None)
        return Done(f"Undid {counted(undone, 'verdict', 'verdicts')}{stopped}", focus=first)

    # -- files ------------------------------------------------------------------------------------

    def re_anchor(self, moves: Mapping[str, Mapping[str, str]]) -> Done:
        """Tie memories to where their files went, as one change; it is no verdict."""
        from memtui.curate.anchoring import re_anchor

        return self._act(partial(re_anchor, self._vault, moves, actor=self._opening.actor), "Re-anchored")

    # -- packs ------------------------------------------------------------------------------------

    def say_of_pack(self, pack: StoredPack, verdict: str) -> Done:
        """Say of a pack whether it helped, or with an empty verdict that nothing shall be said."""
        from memtui.curate.feedback import give_feedback, mark_asked

        self._opening.before_change()
        if not verdict:
            mark_asked(self._vault, pack, actor=self._opening.actor, undoable=True)
            return Done("Nothing said of the pack")
        effects = give_feedback(self._vault, pack.id, verdict, actor=self._opening.actor)
        words = "was not used" if verdict == "unused" else verdict
        return Done(f"The pack {words}: {counted(len(effects), 'memory', 'memories')}")

    # -- the receipt ------------------------------------------------------------------------------

    def copy_receipt(self, session: ReviewSession, send_escape: Callable[[str], bool]) -> Done:
        """Copy a session's receipt; the message says which route carried it."""
        from memtui.pack.clipboard import copy

        copied = copy(self._receipt_text(session), send_escape=send_escape)
        return Done(copied.message, changed=copied.route != "none")

    def write_receipt(self, session: ReviewSession, folder: Path) -> Done:
        """Write a session's receipt into the working directory, beside any earlier one."""
        from memtui.publish.files import write_atomically

        stem, text = f"memtui-review-{session.started_at:%Y-%m-%d}", self._receipt_text(session)
        with _NAMING:
            path, number = folder / f"{stem}.txt", 1
            while path.exists():
                number += 1
                path = folder / f"{stem}.{number}.txt"
            write_atomically(path, text.encode())
        return Done(f"Wrote {path}")

    def _receipt_text(self, session: ReviewSession) -> str:
        from memtui.curate.receipt import receipt_of, receipt_text

        return receipt_text(receipt_of(self._reading, session, standing=self.standing(session)))

    def standing(self, session: ReviewSession) -> int | None:
        """Return the tokens of the standing payload now, None where they were not counted at the beginning."""
        return None if session.standing is None else self.count_standing()

    def count_standing(self) -> int:
        """Return the tokens of the standing payload."""
        from memtui.curate.health import HealthOptions, standing_payload

        opening = self._opening
        with self._reading.read() as reader:
            view = self._view_of(reader)
        options = HealthOptions(
            view=view,
            threshold=opening.threshold,
            context=opening.context,
            recall=opening.recall,
            secret_patterns=opening.secret_patterns,
            targets=opening.targets,
        )
        return standing_payload(self._reading, options).tokens
