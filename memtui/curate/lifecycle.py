"""What a person decides about memories: accept, reject, verify, pin, retire, restore, snooze."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memtui.curate.editing import check_kind
from memtui.curate.files import rehashed
from memtui.curate.projects import project_for_writing
from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.content import content_hash
from memtui.domain.freshness import last_trusted_at
from memtui.domain.memory import Memory, Signal, Tombstone, Verdict
from memtui.errors import RefusedError, UsageError
from memtui.text.sanitising import one_line
from memtui.vault.vault import Vault
from memtui.vault.writing import VaultWriter
from memtui.workspace import Tree

_DAY_SECONDS = 86_400.0


@dataclass(slots=True)
class Outcome:
    """What an act on several memories came to.

    Attributes:
        changed: memories as stored afterwards.
        unchanged: (id, why nothing was to do).
    """

    changed: list[Memory] = field(default_factory=list)
    unchanged: list[tuple[str, str]] = field(default_factory=list)


Step = Callable[[VaultWriter, Memory], Memory | str]
"""Returns the changed memory, or why there is nothing to do."""


def _each(
    vault: Vault,
    prefixes: Sequence[str],
    actor: Actor,
    action: str,
    step: Step,
    *,
    reason: str = "",
    settle: Callable[[VaultWriter, Memory], None] | None = None,
) -> Outcome:
    """Apply a step to memories as one change: every id is resolved before anything is written.

    Args:
        vault: the vault.
        prefixes: ids or prefixes.
        actor: who does it.
        action: the word for it.
        step: what happens to each.
        reason: why, for the journal.
        settle: what follows from each changed memory, once all of them are stored.
    """
    outcome = Outcome()
    with vault.write(actor=actor.name, action=action, reason=reason) as writer:
        identifiers = list(dict.fromkeys(writer.resolve(prefix) for prefix in prefixes))
        memories = writer.get_many(identifiers)
        pending = []
        for identifier in identifiers:
            check_may_alter(actor, memories[identifier])
            result = step(writer, memories[identifier])
            if isinstance(result, str):
                outcome.unchanged.append((identifier, result))
            else:
                pending.append(result)
        outcome.changed = writer.put_many(pending)
        if settle is not None:
            for memory in outcome.changed:
                settle(writer, memory)
            stored = writer.get_many(memory.id for memory in outcome.changed)
            outcome.changed = [stored[memory.id] for memory in outcome.changed]
        title = outcome.changed[0].title if len(outcome.changed) == 1 else f"{len(outcome.changed)} memories"
        writer.summary = f"{action} {title}"
    return outcome


def verify(vault: Vault, prefixes: Sequence[str], *, actor: Actor, tree: Tree | None = None) -> Outcome:
    """Say "still true": resets freshness, adds evidence, ends a snooze, takes the files of the tree as they are now.

    Raises:
        RefusedError: an agent cannot verify.
    """
    _only_person(actor, "verify")

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "active":
            return f"it is {memory.status}; only active memories can be verified"
        writer.add_verdicts([verdict_on(memory, "still-true", writer.now, actor)])
        return replace(
            memory,
            verified_at=writer.now,
            verified_by=actor.name,
            snoozed_until=None,
            anchors=rehashed(memory.anchors, tree.root) if tree and memory.project == tree.project else memory.anchors,
        )

    return _each(vault, prefixes, actor, "verify", step)


def verdict_on(memory: Memory, verdict: str, now: datetime, actor: Actor, reason: str = "") -> Verdict:
    """Return a verdict with the days since the memory was last verified, else observed."""
    days = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return Verdict(
        memory_id=memory.id, verdict=verdict, at=now, actor=actor.name, exposure_days=round(days, 3), reason=reason
    )


def pin(vault: Vault, prefixes: Sequence[str], *, actor: Actor, pinned: bool = True) -> Outcome:
    """Pin memories: never stale, first in every payload of their project; or let go of them."""
    _only_person(actor, "pin")

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.pinned == pinned:
            return "it is pinned already" if pinned else "it is not pinned"
        return replace(memory, pinned=pinned)

    return _each(vault, prefixes, actor, "pin" if pinned else "unpin", step)


def retire(vault: Vault, prefixes: Sequence[str], *, actor: Actor, reason: str = "") -> Outcome:
    """Take memories out of use; a tombstone keeps an import from bringing them back."""
    reason = one_line(reason)

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status == "retired":
            return "it is retired already"
        writer.add_tombstones([_tombstone(memory, writer.now, actor, reason)])
        if memory.status == "active":
            writer.add_verdicts([verdict_on(memory, "outdated", writer.now, actor, reason)])
        return replace(memory, status="retired", status_reason=reason or "retired", pinned=False)

    return _each(vault, prefixes, actor, "retire", step, reason=reason)


def _tombstone(memory: Memory, now: datetime, actor: Actor, reason: str) -> Tombstone:
    return Tombstone(
        content_hash=content_hash(memory),
        project=memory.project,
        memory_id=memory.id,
        at=now,
        actor=actor.name,
        reason=reason,
    )


def restore(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> Outcome:
    """Bring retired or superseded memories back into use; their tombstones go."""
    _only_person(actor, "restore")

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status in {"active", "candidate"}:
            return f"it is {memory.status} already"
        if memory.status == "merged":
            return "it was merged; `memtui unmerge` brings it back"
        writer.drop([stone for stone in writer.tombstones() if stone.memory_id == memory.id])
        links = [link for link in writer.links([memory.id]) if link.type == "supersedes" and link.to_id == memory.id]
        writer.drop(links)
        return replace(
            memory,
            status="active",
            status_reason="",
            confirmed_at=memory.confirmed_at or writer.now,
            confirmed_by=memory.confirmed_by or actor.name,
        )

    return _each(vault, prefixes, actor, "restore", step)


def snooze(vault: Vault, prefixes: Sequence[str], *, until: datetime, actor: Actor) -> Outcome:
    """Keep memories out of the review until a day.

    Raises:
        UsageError: the day is past.
        RefusedError: an agent cannot put off what a person should affirm.
    """
    _only_person(actor, "snooze")
    if until <= vault.now():
        raise UsageError("A snooze ends in the future", where=until.date().isoformat())

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.snoozed_until == until:
            return f"it is snoozed until {until.date().isoformat()} already"
        return replace(memory, snoozed_until=until)

    return _each(vault, prefixes, actor, "snooze", step)


def accept(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    folder: Path,
    project: str | None = None,
    kind: str | None = None,
) -> Outcome:
    """Take candidates out of the inbox into use.

    An unassigned one goes to the named project, else to the project of the folder. What it was proposed to
    replace is superseded now.

    Raises:
        RefusedError: an agent cannot accept.
    """
    _only_person(actor, "accept")
    chosen_kind = check_kind(vault.kinds, kind) if kind else None

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "candidate":
            return f"it is {memory.status}, not a candidate"
        kept = project is None and memory.project is not None
        owner = memory.project if kept else project_for_writing(writer, folder, project)
        writer.add_signals([Signal(memory_id=memory.id, signal="accepted", at=writer.now, actor=actor.name)])
        return replace(
            memory,
            status="active",
            status_reason="",
            project=owner,
            kind=chosen_kind or memory.kind,
            confirmed_at=writer.now,
            confirmed_by=actor.name,
        )

    return _each(vault, prefixes, actor, "accept", step, settle=_settle_supersessions)


def _settle_supersessions(writer: VaultWriter, memory: Memory) -> None:
    replaced = [
        link.to_id for link in writer.links([memory.id]) if link.type == "supersedes" and link.from_id == memory.id
    ]
    for old in writer.get_many(replaced).values():
        if old.status == "active":
            writer.put(replace(old, status="superseded", status_reason=f"superseded by {memory.id}"))


def planted_reasons(memory: Memory) -> list[str]:
    """Return why a memory's text looks planted to steer an assistant; such a candidate is accepted by name alone."""
    from memtui.text.suspicion import planted_instructions

    return planted_instructions(f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}")


def reject(vault: Vault, prefixes: Sequence[str], *, actor: Actor, reason: str = "") -> Outcome:
    """Turn candidates down: retired, with a tombstone."""
    _only_person(actor, "reject")
    reason = one_line(reason)

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "candidate":
            return f"it is {memory.status}, not a candidate"
        writer.add_tombstones([_tombstone(memory, writer.now, actor, reason or "rejected")])
        return replace(memory, status="retired", status_reason=reason or "rejected")

    return _each(vault, prefixes, actor, "reject", step, reason=reason)


def change_kind(vault: Vault, prefixes: Sequence[str], kind: str, *, actor: Actor) -> Outcome:
    """Give memories another kind, in bulk.

    Raises:
        UsageError: there is no such kind.
    """
    chosen = check_kind(vault.kinds, kind)

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        return replace(memory, kind=chosen) if memory.kind != chosen else f"it is a {chosen} already"

    return _each(vault, prefixes, actor, "kind", step)


def _only_person(actor: Actor, act: str) -> None:
    if not actor.is_person:
        raise RefusedError(
            f"Only a person can {act}", where=f"actor {actor.name}", remedy="An agent proposes; a person decides."
        )
