"""The Packs screen's work on the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtui.errors import UsageError
from memtui.tui.access.context import Answer, Ask
from memtui.tui.access.context_keeping import PayloadAccess, Since
from memtui.tui.access.values import Done
from memtui.tui.context_choices import of_kept
from memtui.tui.opening import Opening
from memtui.tui.pack_rows import effect_words
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.curate.packs import UsedMember, UsedPack, Verdict
    from memtui.pack.packing import Pack
    from memtui.vault.usage import StoredPack


LOST = "Its bytes cannot be had any more: a memory was purged or had been shortened, or a file changed since"


@dataclass(frozen=True, slots=True)
class PackSince:
    """What became of a payload.

    Attributes:
        since: the memories that came, went and were changed.
        tokens: of the payload that its task gives today.
        lines: how the text differs; None where the old text cannot be had any more.
    """

    since: Since
    tokens: int
    lines: Sequence[str] | None


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
        self._reading = opening.vault_to_read()

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
        effects = give_feedback(
            self._vault,
            pack_id,
            verdict,
            actor=self._opening.actor,
            reason=reason,
            only=only,
            secret_patterns=self._opening.secret_patterns,
        )
        return Done(effect_words(verdict, effects))

    def leave(self, pack: StoredPack) -> Done:
        """Take a pack off those that await feedback."""
        from memtui.curate.feedback import mark_asked

        self._opening.before_change()
        mark_asked(self._vault, pack, actor=self._opening.actor)
        return Done("Left unanswered: it is not asked about again, and feedback is still taken")

    def copy_again(self, pack: StoredPack, send_escape: Callable[[str], bool]) -> Done:
        """Copy a pack's very payload again, built from the versions of memories that it held."""
        from memtui.pack.options import task_of

        was = self._as_it_was(pack)
        if was is None:
            return Done(f"{LOST}: o opens its task", changed=False)
        ask = ask_of(pack)
        task = task_of(pack.task, pack.files, pack.options)
        payloads = PayloadAccess(self._opening)
        return payloads.copy(Answer(ask, task, was, pack.project, pack.project or ""), send_escape)

    def since(self, pack: StoredPack) -> PackSince:
        """Return what a pack's task gives today beside what it gave then."""
        from memtui.curate.pack_again import text_changes
        from memtui.pack.comparing import compare

        was = self._as_it_was(pack)
        opening = replace(self._opening, project=self._opening.project or pack.project)
        today = PayloadAccess(opening).answer(ask_of(pack)).pack
        diff = compare(today, pack)
        with self._reading.read() as reader:
            found = reader.get_many([*diff.added, *diff.removed, *diff.changed])
        lines = None if was is None else tuple(text_changes(was.payload, today.payload))
        return PackSince(Since(diff, {one.id: tame(one.title) for one in found.values()}), today.tokens, lines)

    def _as_it_was(self, pack: StoredPack) -> Pack | None:
        """Return the pack with the very bytes that were used, None where they cannot be had any more."""
        from memtui.curate.pack_again import as_it_was
        from memtui.curate.projects import view_of
        from memtui.pack.options import PackOptions
        from memtui.pack.targets.registry import target_named

        opening = self._opening
        with self._reading.read() as reader:
            view = view_of(reader, opening.folder, opening.project or pack.project)
        try:
            form = target_named(pack.target, opening.targets)
        except UsageError:
            return None  # a target of another memtui
        usual = PackOptions.of(opening.context, opening.secret_patterns)
        return as_it_was(self._reading, pack, form, usual, view.tree)


def ask_of(pack: StoredPack) -> Ask:
    """Return what a pack was asked for with."""
    from memtui.pack.options import standing_of

    lines, choices = of_kept(pack)
    return Ask(
        pack.task,
        pack.files,
        pack.target,
        pack.budget,
        lines["phase"] or None,
        without=choices.without,
        with_ids=choices.with_ids,
        style="compiled" if lines["style"] == "compiled" else "full",
        unconfirmed=choices.unconfirmed,
        with_loaded=choices.with_loaded,
        secrets=choices.secrets,
        standing=standing_of(pack.options),
    )
