"""The Packs screen's work on the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.errors import UsageError
from memtui.tui.access.context import Answer, Ask, ContextAccess
from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.pack_rows import effect_words
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.curate.packs import UsedMember, UsedPack, Verdict
    from memtui.vault.usage import StoredPack

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for the lease; the next poll asks again."""


@dataclass(frozen=True, slots=True)
class PackRead:
    """A pack with its memories as they are now, and what was said of it."""

    used: UsedPack
    members: Sequence[UsedMember]
    verdicts: Sequence[Verdict]


class PacksAccess:
    """The packs that were used, and feedback on them.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        patience = min(READ_PATIENCE_SECONDS, opening.vault.patience_seconds)
        self._reading = Vault(
            opening.vault.path, kinds=opening.vault.kinds, now=opening.vault.now, patience_seconds=patience
        )

    def packs(self) -> list[UsedPack]:
        """Return the packs, those that await feedback first, then the newest first."""
        from memtui.curate.packs import used_packs

        return used_packs(self._reading)

    def read(self, used: UsedPack) -> PackRead:
        """Return a pack in full."""
        from memtui.curate.packs import used_members, verdicts_on

        return PackRead(used, used_members(self._reading, used.pack), verdicts_on(self._reading, used.pack))

    def give(self, pack_id: str, verdict: str, *, only: Sequence[str] = (), reason: str = "") -> Done:
        """Say of a pack, or of some of its memories, what it was worth; the words tell what that moved."""
        from memtui.curate.feedback import give_feedback

        self._opening.before_change()
        effects = give_feedback(self._vault, pack_id, verdict, actor=self._opening.actor, reason=reason, only=only)
        return Done(effect_words(verdict, effects))

    def leave(self, pack: StoredPack) -> Done:
        """Take a pack off those that await feedback."""
        from memtui.curate.feedback import mark_asked

        self._opening.before_change()
        mark_asked(self._vault, pack, actor=self._opening.actor)
        return Done("Left unanswered: it is not asked about again, and feedback is still taken")

    def copy_again(self, pack: StoredPack, send_escape: Callable[[str], bool]) -> Done:
        """Copy a pack's payload again where the vault still gives the same bytes."""
        answer = self._rebuilt(pack)
        if answer is None:
            return Done("Its bytes are not kept, and the vault gives others by now: o opens its task", changed=False)
        return ContextAccess(self._opening).copy(answer, send_escape)

    def _rebuilt(self, pack: StoredPack) -> Answer | None:
        """Return the answer whose payload is that of the pack, None where there is none any more."""
        from memtui.pack.recording import payload_hash
        from memtui.pack.targets.base import STYLES

        payloads = ContextAccess(self._opening)
        for style in STYLES:
            # The pack does not say in what style it was written.
            ask = Ask(pack.task, pack.files, pack.target, pack.budget, None, style=style)
            try:
                answer = payloads.answer(ask)
            except UsageError:
                return None  # a file in hand, or the target, is no more
            if payload_hash(answer.pack.payload) == pack.payload_hash:
                return answer
        return None
