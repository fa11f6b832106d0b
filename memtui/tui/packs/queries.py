"""What Packs reads from the vault, and feedback on packs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtui.errors import UsageError
from memtui.tui.context.ask import Ask
from memtui.tui.context.queries import Answer, Payloads, Since
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.packs import UsedMember, UsedPack, Verdict
    from memtui.pack.build import Pack
    from memtui.vault.packs import StoredPack


@dataclass(frozen=True, slots=True)
class PackRead:
    """A pack with its memories as they are now, and the feedback on it."""

    used: UsedPack
    members: Sequence[UsedMember]
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class PackSince:
    """What became of a payload.

    Attributes:
        since: the memories that were added, removed and changed.
        tokens: of the payload that its task gives today.
        lines: how the text differs; None where the old text is no longer available.
    """

    since: Since
    tokens: int
    lines: Sequence[str] | None


def read_pack(access: VaultAccess, used: UsedPack) -> PackRead:
    """Return a pack in full."""
    from memtui.curate.packs import used_members, verdicts_on

    vault = access.read_vault
    return PackRead(used, used_members(vault, used.pack), verdicts_on(vault, used.pack))


def give_feedback(
    access: VaultAccess, pack_id: str, verdict: str, *, only: Sequence[str] = (), reason: str = ""
) -> Done:
    """Give feedback on a pack, or on some of its memories; the message says how their usefulness changed."""
    from memtui.curate import packs

    opening = access.opening
    opening.before_change()
    effects = packs.give_feedback(
        access.vault,
        pack_id,
        verdict,
        actor=opening.actor,
        reason=reason,
        only=only,
        secret_patterns=opening.secret_patterns,
    )
    return Done(f"{outcomes.feedback_given(verdict, effects)}; u undoes it")


def stop_asking(access: VaultAccess, pack: StoredPack) -> Done:
    """Take a pack off those that wait for feedback."""
    from memtui.curate.packs import mark_asked

    access.opening.before_change()
    mark_asked(access.vault, pack, actor=access.opening.actor)
    return Done("This pack no longer waits for feedback; you can still give it")


def copy_again(access: VaultAccess, pack: StoredPack, send_escape: Callable[[str], bool]) -> Done:
    """Copy a pack's exact payload again, built from the versions of memories that it held."""
    from memtui.pack.options import task_of

    earlier = _as_it_was(access, pack)
    if earlier is None:
        words = "The exact text is no longer available: a memory was purged or shortened, or a file changed since"
        return Done(f"{words}; o opens its task", changed=False)
    task = task_of(pack.task, pack.files, pack.options)
    return Payloads(access).copy(Answer(Ask.of(pack), task, earlier, pack.project, pack.project or ""), send_escape)


def since_pack(access: VaultAccess, pack: StoredPack) -> PackSince:
    """Return what a pack's task gives today compared with what it gave then."""
    from memtui.curate.packs import text_changes
    from memtui.pack.recipes import compare

    earlier = _as_it_was(access, pack)
    in_project = VaultAccess(replace(access.opening, project=access.opening.project or pack.project))
    payloads = Payloads(in_project)
    today = payloads.answer(Ask.of(pack)).pack
    lines = None if earlier is None else tuple(text_changes(earlier.payload, today.payload))
    return PackSince(payloads.since(compare(today, pack)), today.tokens, lines)


def _as_it_was(access: VaultAccess, pack: StoredPack) -> Pack | None:
    """Return the pack with the exact bytes that were used, None where they are no longer available."""
    from memtui.curate.packs import as_it_was
    from memtui.curate.projects import view_of
    from memtui.pack.options import PackOptions
    from memtui.pack.targets.formats import target_named

    opening = access.opening
    with access.read_vault.read() as reader:
        view = view_of(reader, opening.folder, opening.project or pack.project)
    try:
        form = target_named(pack.target, opening.targets)
    except UsageError:
        return None  # a target of another version of memtui
    defaults = PackOptions.of(opening.context, opening.secret_patterns)
    return as_it_was(access.read_vault, pack, form, defaults, view.tree)
