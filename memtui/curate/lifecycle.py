"""Change the state of memories: accept, reject, verify, pin, retire, restore, snooze, bulk edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from memtui.curate.fields import check_half_life, check_importance, check_kind, check_tags, clean_tags, rehashed
from memtui.curate.memories import expiry_of, verdict_on
from memtui.curate.projects import project_for_writing
from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.memory import GLOBAL_PROJECT, Memory, Signal, Tombstone, Verdict, content_hash
from memtui.errors import ConflictError, RefusedError, UsageError
from memtui.text.sanitize import one_line
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reader import VaultReader
from memtui.vault.secret_scan import refuse_secrets_in, secrets_in
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import Tree


@dataclass(slots=True)
class Outcome:
    """What an act on several memories came to.

    Attributes:
        changed: memories as stored afterwards.
        unchanged: (id, why nothing was to do).
    """

    changed: list[Memory] = field(default_factory=list)
    unchanged: list[tuple[str, str]] = field(default_factory=list)


MOVED = "it was changed meanwhile"
"""Why a memory that was chosen by a query is left alone."""

Step = Callable[[VaultWriter, Memory], Memory | str]
"""Returns the changed memory, or why there is nothing to do."""


def apply_to_each(
    vault: Vault,
    prefixes: Sequence[str],
    actor: Actor,
    action: str,
    step: Step,
    *,
    reason: str = "",
    settle: Callable[[VaultWriter, Sequence[Memory]], None] | None = None,
    gathered: Callable[[VaultWriter], None] | None = None,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Apply a step to memories as one change: every id is resolved before anything is written.

    Args:
        action: the word for it.
        step: what happens to each.
        reason: why, for the journal.
        settle: what follows from the changed memories, once all of them are stored.
        gathered: stores at once what the steps put aside: one by one, 500 tombstones take seconds.
        versions: version of each memory when it was chosen; those that moved since are left alone.
    """
    outcome = Outcome()
    with vault.write(actor=actor.name, action=action, reason=reason) as writer:
        # Whole ids, as the app has them, need no search for what they begin: 4 ms each at 100,000 memories.
        memories = writer.get_many(prefixes)
        identifiers = list(dict.fromkeys(p if p in memories else writer.resolve(p) for p in prefixes))
        memories.update(writer.get_many(identifier for identifier in identifiers if identifier not in memories))
        pending = []
        for identifier in identifiers:
            if versions and versions.get(identifier, memories[identifier].version) != memories[identifier].version:
                outcome.unchanged.append((identifier, MOVED))
                continue
            check_may_alter(actor, memories[identifier])
            result = step(writer, memories[identifier])
            if isinstance(result, str):
                outcome.unchanged.append((identifier, result))
            else:
                pending.append(result)
        if gathered is not None:
            gathered(writer)
        outcome.changed = writer.put_many(pending)
        if settle is not None:
            settle(writer, outcome.changed)
            stored = writer.get_many(memory.id for memory in outcome.changed)
            outcome.changed = [stored[memory.id] for memory in outcome.changed]
        title = outcome.changed[0].title if len(outcome.changed) == 1 else f"{len(outcome.changed)} memories"
        writer.summary = f"{action} {title}"
    return outcome


def insist(outcome: Outcome, versions: Mapping[str, int], *, what: str) -> None:
    """Take it for an error that a memory moved since it was looked at, as a single verdict does.

    Raises:
        ConflictError: a memory has another version than the one that was looked at; nothing of it was changed.
    """
    for identifier, reason in outcome.unchanged:
        if reason == MOVED:
            raise ConflictError(
                f"Somebody changed this memory since its version {versions.get(identifier, 0)}: it was not {what}",
                where=identifier,
                remedy="Look at it again, then decide.",
                base_version=versions.get(identifier, 0),
            )


def verify(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    tree: Tree | None = None,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Say "still true": resets freshness, adds evidence, ends a snooze, takes the files of the tree as they are now.

    With `versions`, memories of another version than they had when they were chosen are left alone.

    Raises:
        RefusedError: an agent cannot verify.
    """
    only_person(actor, "verify")

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "active":
            return f"it is {memory.status}; only active memories can be verified"
        return verified(writer, memory, actor, tree)

    return apply_to_each(vault, prefixes, actor, "verify", step, versions=versions)


def verified(writer: VaultWriter, memory: Memory, actor: Actor, tree: Tree | None) -> Memory:
    """Return a memory as "still true", its evidence added to the running change; it is not stored yet."""
    writer.add_verdicts([verdict_on(memory, "still-true", writer.now, actor)])
    return replace(
        memory,
        verified_at=writer.now,
        verified_by=actor.name,
        snoozed_until=None,
        anchors=rehashed(memory.anchors, tree) if tree and memory.project == tree.project else memory.anchors,
    )


def pin(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    pinned: bool = True,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Pin memories: never stale, first in every payload of their project; or let go of them.

    With `versions`, memories of another version than they had when they were chosen are left alone.
    """
    only_person(actor, "pin")

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.pinned == pinned:
            return "it is pinned already" if pinned else "it is not pinned"
        return replace(memory, pinned=pinned)

    return apply_to_each(vault, prefixes, actor, "pin" if pinned else "unpin", step, versions=versions)


def retire(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    reason: str = "",
    versions: Mapping[str, int] | None = None,
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Outcome:
    """Take memories out of use; a tombstone keeps an import from bringing them back.

    With `versions`, memories of another version than they had when they were chosen are left alone.

    Raises:
        SecretRefusedError: the reason holds what looks like a secret, and `allow_secret` does not let it in.
    """
    reason = one_line(reason)
    if not allow_secret:
        refuse_secrets_in(reason, secret_patterns, what="reason")
    stones: list[Tombstone] = []
    verdicts: list[Verdict] = []

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status == "retired":
            return "it is retired already"
        stones.append(_tombstone(memory, writer.now, actor, reason))
        if memory.status == "active":
            verdicts.append(verdict_on(memory, "outdated", writer.now, actor, reason))
        return replace(memory, status="retired", status_reason=reason or "retired", pinned=False)

    def gathered(writer: VaultWriter) -> None:
        writer.add_tombstones(stones)
        writer.add_verdicts(verdicts)

    return apply_to_each(vault, prefixes, actor, "retire", step, reason=reason, gathered=gathered, versions=versions)


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
    only_person(actor, "restore")

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status in {"active", "candidate"}:
            return f"it is {memory.status} already"
        if memory.status == "merged":
            return "it was merged; `memtui unmerge` brings it back"
        writer.drop([stone for stone in writer.tombstones() if stone.memory_id == memory.id])
        links = [link for link in writer.links([memory.id]) if link.type == "supersedes" and link.to_id == memory.id]
        writer.drop([*links, *expiry_of(writer, memory.id)])
        return replace(
            memory,
            status="active",
            status_reason="",
            confirmed_at=memory.confirmed_at or writer.now,
            confirmed_by=memory.confirmed_by or actor.name,
        )

    return apply_to_each(vault, prefixes, actor, "restore", step)


def snooze(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    until: datetime,
    actor: Actor,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Keep memories out of the review until a day.

    With `versions`, memories of another version than they had when they were chosen are left alone.

    Raises:
        UsageError: the day is past.
        RefusedError: an agent cannot put off what a person should affirm.
    """
    only_person(actor, "snooze")
    if until <= vault.now():
        raise UsageError("A snooze ends in the future", where=until.date().isoformat())

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.snoozed_until == until:
            return f"it is snoozed until {until.date().isoformat()} already"
        return replace(memory, snoozed_until=until)

    return apply_to_each(vault, prefixes, actor, "snooze", step, versions=versions)


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
    only_person(actor, "accept")
    chosen_kind = check_kind(vault.kinds, kind) if kind else None
    signals: list[Signal] = []

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "candidate":
            return f"it is {memory.status}, not a candidate"
        signals.append(_accepted_signal(memory, writer, actor))
        return _in_use(writer, replace(memory, kind=chosen_kind or memory.kind), actor, folder, project)

    return apply_to_each(
        vault,
        prefixes,
        actor,
        "accept",
        step,
        gathered=lambda writer: writer.add_signals(signals),
        settle=partial(settle_supersessions, actor=actor),
    )


def accepted(writer: VaultWriter, memory: Memory, actor: Actor, *, folder: Path, project: str | None) -> Memory:
    """Return a candidate as taken into use, its signal added to the running change; it is not stored yet."""
    writer.add_signals([_accepted_signal(memory, writer, actor)])
    return _in_use(writer, memory, actor, folder, project)


def _accepted_signal(memory: Memory, writer: VaultWriter, actor: Actor) -> Signal:
    return Signal(memory_id=memory.id, signal="accepted", at=writer.now, actor=actor.name)


def _in_use(writer: VaultWriter, memory: Memory, actor: Actor, folder: Path, project: str | None) -> Memory:
    kept = project is None and memory.project is not None
    owner = memory.project if kept else project_for_writing(writer, folder, project)
    return replace(
        memory,
        status="active",
        status_reason="",
        project=owner,
        confirmed_at=writer.now,
        confirmed_by=actor.name,
    )


def settle_supersessions(writer: VaultWriter, memories: Sequence[Memory], actor: Actor) -> None:
    """Mark as superseded what accepted memories were proposed to replace."""
    ids = {memory.id for memory in memories}
    links = [link for link in writer.links(ids) if link.type == "supersedes" and link.from_id in ids]
    winners = {link.to_id: link.from_id for link in links}
    for old in writer.get_many(winners).values():
        if old.status == "active":
            reason = f"superseded by {winners[old.id]}"
            writer.put(replace(old, status="superseded", status_reason=reason))
            writer.add_verdicts([verdict_on(old, "superseded", writer.now, actor, reason)])


def planted_reasons(memory: Memory) -> list[str]:
    """Return why a memory's text looks planted to steer an assistant; such a candidate is accepted by name alone."""
    from memtui.text.injection import planted_instructions

    return planted_instructions(f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}")


def reject(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    reason: str = "",
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Outcome:
    """Turn candidates down: retired, with a tombstone.

    Raises:
        SecretRefusedError: the reason holds what looks like a secret, and `allow_secret` does not let it in.
    """
    only_person(actor, "reject")
    reason = one_line(reason)
    if not allow_secret:
        refuse_secrets_in(reason, secret_patterns, what="reason")
    stones: list[Tombstone] = []

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.status != "candidate":
            return f"it is {memory.status}, not a candidate"
        stones.append(_tombstone(memory, writer.now, actor, reason or "rejected"))
        return replace(memory, status="retired", status_reason=reason or "rejected")

    return apply_to_each(
        vault,
        prefixes,
        actor,
        "reject",
        step,
        reason=reason,
        gathered=lambda writer: writer.add_tombstones(stones),
    )


def change_kind(
    vault: Vault, prefixes: Sequence[str], kind: str, *, actor: Actor, versions: Mapping[str, int] | None = None
) -> Outcome:
    """Give memories another kind, in bulk.

    With `versions`, memories of another version than they had when they were chosen are left alone.

    Raises:
        UsageError: there is no such kind.
    """
    chosen = check_kind(vault.kinds, kind)

    def step(_writer: VaultWriter, memory: Memory) -> Memory | str:
        return replace(memory, kind=chosen) if memory.kind != chosen else f"it is a {chosen} already"

    return apply_to_each(vault, prefixes, actor, "kind", step, versions=versions)


def assign(vault: Vault, prefixes: Sequence[str], project: str, *, actor: Actor) -> Outcome:
    """Put memories into a project, in bulk; a new one is made.

    Raises:
        UsageError: this is no name of a project.
    """
    chosen = check_name(project)

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if memory.project == chosen:
            return f"it is in {chosen} already"
        if chosen != GLOBAL_PROJECT:
            ensure_project(writer, chosen)
        return replace(memory, project=chosen)

    return apply_to_each(vault, prefixes, actor, "move", step, reason=f"to {chosen}")


def only_person(actor: Actor, act: str) -> None:
    """Let a person go on.

    Raises:
        RefusedError: an agent asks.
    """
    if not actor.is_person:
        raise RefusedError(
            f"Only a person can {act}", where=f"actor {actor.name}", remedy="An agent proposes; a person decides."
        )


def waiting(scope: Scope, *, with_unassigned: bool) -> MemoryFilter:
    """Return the filter of what waits in a scope, with what has no project where that is wanted."""
    if with_unassigned and scope.projects is not None:
        scope = Scope(scope.projects, with_unassigned=True)
    return MemoryFilter(scope=scope, statuses=("candidate",))


@dataclass(frozen=True, slots=True)
class Oddities:
    """What a person should know before accepting a candidate.

    Attributes:
        planted: why its text looks planted to steer an assistant.
        secrets: rules of what looks like a secret in it.
        twins: ids of memories in use in the same project that hold the same text.
    """

    planted: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """A few words for each, for a row."""
        found = ["looks planted"] if self.planted else []
        found += ["secret"] if self.secrets else []
        return (*found, *(f"same as {identifier}" for identifier in self.twins[:1]))


def oddities(
    reader: VaultReader, memories: Sequence[Memory], patterns: Sequence[tuple[str, str]] = ()
) -> dict[str, Oddities]:
    """Return what is odd about candidates, by id.

    Args:
        patterns: the user's own patterns of secrets.
    """
    hashes = {memory.id: content_hash(memory) for memory in memories}
    holders = reader.ids_by_content(set(hashes.values()))
    twins = reader.get_many({identifier for found in holders.values() for identifier, _ in found})
    in_use = {identifier: twin.project for identifier, twin in twins.items() if twin.status == "active"}
    result = {}
    for memory in memories:
        same = [key for key, _ in holders.get(hashes[memory.id], ()) if in_use.get(key, "") == memory.project]
        secrets = dict.fromkeys(rule for rules in secrets_in(memory, patterns).values() for rule in rules)
        result[memory.id] = Oddities(tuple(planted_reasons(memory)), tuple(secrets), tuple(same))
    return result


@dataclass(slots=True)
class Accepted:
    """What accepting came to.

    Attributes:
        outcome: what was changed and what was not.
        planted: ids left out because their text looks planted.
        unassigned: ids left out because they have no project, which is decided for each.
    """

    outcome: Outcome = field(default_factory=Outcome)
    planted: tuple[str, ...] = ()
    unassigned: tuple[str, ...] = ()


def accept_many(
    vault: Vault, identifiers: Sequence[str], *, actor: Actor, folder: Path, project: str | None = None
) -> Accepted:
    """Accept candidates as one change; of several, those that a person should look at singly are left out.

    Left out are those that look planted, and those without a project, as they would go to that of the folder.
    A single one was looked at, so it is accepted whatever it is.

    Raises:
        RefusedError: an agent cannot accept.
    """
    planted: list[str] = []
    unassigned: list[str] = []
    if len(identifiers) > 1:
        with vault.read() as reader:
            found = reader.get_many(identifiers)
        planted = [key for key in identifiers if key in found and planted_reasons(found[key])]
        unassigned = [key for key in identifiers if key in found and found[key].project is None and key not in planted]
        left = {*planted, *unassigned}
        identifiers = [key for key in identifiers if key in found and key not in left]
    accepted = Accepted(planted=tuple(planted), unassigned=tuple(unassigned))
    if identifiers:
        accepted.outcome = accept(vault, identifiers, actor=actor, folder=folder, project=project)
    return accepted


def change_many(
    vault: Vault,
    versions: Mapping[str, int],
    *,
    actor: Actor,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    kind: str | None = None,
    half_life_days: float | None = None,
    importance: int | None = None,
) -> Outcome:
    """Change memories that were chosen by a query; those that moved since are left alone and told.

    Args:
        versions: id and version of each memory when it was chosen.
        remove_tags: tags to take away, whatever their case.
        half_life_days: the new half-life; `KIND_HALF_LIFE` to follow the kind's.
        importance: the new importance, 1–5.

    Raises:
        UsageError: nothing is to change, or a value is wrong.
        RefusedError: an agent would alter what a person vouched for, or a tag is too long.
    """
    if not (add_tags or remove_tags or kind or half_life_days is not None or importance is not None):
        raise UsageError("Say what to change", remedy="Tags, the kind, the half-life or the importance.")
    added, gone = check_tags(clean_tags(add_tags)), {tag.lower() for tag in clean_tags(remove_tags)}
    chosen_kind = check_kind(vault.kinds, kind) if kind else None
    days = check_half_life(half_life_days) if half_life_days else None

    def changed(memory: Memory) -> Memory:
        kept = [tag for tag in memory.tags if tag.lower() not in gone]
        return replace(
            memory,
            tags=tuple(dict.fromkeys([*kept, *added])),
            kind=chosen_kind or memory.kind,
            half_life_days=memory.half_life_days if half_life_days is None else days,
            importance=memory.importance if importance is None else check_importance(importance),
        )

    return _change(vault, versions, changed, actor)


def _change(vault: Vault, versions: Mapping[str, int], changed: Callable[[Memory], Memory], actor: Actor) -> Outcome:
    outcome = Outcome()
    with vault.write(actor=actor.name, action="edit") as writer:
        stored = writer.get_many(versions)
        pending = []
        for identifier, version in versions.items():
            memory = stored.get(identifier)
            if memory is None or memory.version != version:
                outcome.unchanged.append((identifier, MOVED))
                continue
            check_may_alter(actor, memory)
            fresh = changed(memory)
            if fresh == memory:
                outcome.unchanged.append((identifier, "it is so already"))
            else:
                pending.append(fresh)
        outcome.changed = writer.put_many(pending)
        title = outcome.changed[0].title if len(outcome.changed) == 1 else f"{len(outcome.changed)} memories"
        writer.summary = f"edit {title}"
    return outcome
