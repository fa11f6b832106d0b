"""Change the state of memories: accept, reject, verify, pin, retire, restore, snooze, and edit in bulk.

With `versions`, the version of each memory when it was chosen, memories that changed since are skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from memtui.curate.bulk_changes import Batch, Outcome, Skipped, SkipReason, apply_to_each
from memtui.curate.fields import (
    KIND_HALF_LIFE,
    check_half_life,
    check_importance,
    check_kind,
    check_tags,
    clean_tags,
    rehashed,
)
from memtui.curate.memories import expiry_of, mark_superseded, verdict_on
from memtui.curate.projects import project_for_writing
from memtui.curate.views import by_memory
from memtui.domain.causes import REJECTED, RETIRED
from memtui.domain.identity import PERSON, Actor, require_person
from memtui.domain.lessons import SNOOZED
from memtui.domain.memory import GLOBAL_PROJECT, Anchor, Link, Memory, Signal, content_hash, held_back, planted_reasons
from memtui.errors import UsageError
from memtui.text.planted import Planted
from memtui.text.sanitize import one_line
from memtui.text.words import shorten
from memtui.tree import Tree
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reader import VaultReader
from memtui.vault.source_texts import is_unstated
from memtui.vault.text_search import refuse_secrets_in, secrets_in
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter


def verify(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    tree: Tree | None = None,
    reason: str = "",
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Say "still true": resets freshness, adds evidence, ends a snooze, and records the tree's files as they are now.

    What looks planted reaches assistants from then on, so that it is verified by itself only.

    Raises `RefusedError`: an agent cannot verify.
    """
    require_person(actor, "verify")

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status != "active":
            return Skipped(memory.id, SkipReason.NOT_ACTIVE, memory.standing)
        if len(prefixes) > 1 and held_back(memory):
            return Skipped(memory.id, SkipReason.PLANTED_UNVERIFIED)
        return record_verification(batch, memory, tree)

    return apply_to_each(vault, prefixes, actor, "verify", step, reason=reason, versions=versions)


def record_verification(batch: Batch, memory: Memory, tree: Tree | None) -> Memory:
    """Return a memory as "still true" and add the evidence to the batch."""
    now, actor = batch.writer.now, batch.actor
    batch.verdicts.append(verdict_on(memory, "still-true", now, actor))
    return replace(
        memory,
        verified_at=now,
        verified_by=actor.name,
        snoozed_until=None,
        anchors=rehashed(memory.anchors, tree) if tree and memory.project == tree.project else memory.anchors,
    )


def record_affirmation(writer: VaultWriter, memories: Iterable[Memory], actor: Actor) -> list[Memory]:
    """Return memories that a person just decided a conflict about; the active ones count as verified by that.

    What looks planted and is held back stays so: only a look at it alone lets it out.
    """
    batch = Batch(writer, actor)
    decided = [
        record_verification(batch, memory, None) if memory.status == "active" and not held_back(memory) else memory
        for memory in memories
    ]
    batch.store()
    return decided


def pin(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    pinned: bool = True,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Pin or unpin memories; pinned ones never go stale and come first in every payload of their project."""
    require_person(actor, "pin")

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.pinned == pinned:
            return Skipped(memory.id, SkipReason.PINNED if pinned else SkipReason.NOT_PINNED)
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
    """Take memories out of use; a tombstone keeps an import from adding them again.

    Raises `SecretRefusedError`: the reason holds what looks like a secret, and `allow_secret` is not set.
    """
    reason = _checked_reason(reason, secret_patterns, allow_secret=allow_secret)

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status == "retired":
            return Skipped(memory.id, SkipReason.HAS_STATUS, memory.standing)
        return record_retirement(batch, memory, reason)

    return apply_to_each(vault, prefixes, actor, "retire", step, reason=reason, versions=versions)


def record_retirement(batch: Batch, memory: Memory, reason: str) -> Memory:
    """Return a memory as it is out of use, with what a batch stores of that beside it."""
    batch.bury(memory, RETIRED, reason)
    if memory.status == "active":
        batch.verdicts.append(verdict_on(memory, "outdated", batch.writer.now, batch.actor, reason))
    return replace(memory.put_out(RETIRED, reason), pinned=False)


def _checked_reason(reason: str, patterns: Sequence[tuple[str, str]], *, allow_secret: bool) -> str:
    reason = one_line(reason)
    if reason and not allow_secret:
        refuse_secrets_in(reason, patterns, what="reason")
    return reason


def restore(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> Outcome:
    """Bring retired or superseded memories back into use and drop their tombstones.

    Raises `RefusedError`: an agent cannot restore.
    """
    require_person(actor, "restore")

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status in {"active", "candidate"}:
            return Skipped(memory.id, SkipReason.HAS_STATUS, memory.standing)
        if memory.status == "merged":
            return Skipped(memory.id, SkipReason.MERGED)
        writer = batch.writer
        writer.drop([stone for stone in writer.tombstones() if stone.memory_id == memory.id])
        links = [link for link in writer.links([memory.id]) if link.type == "supersedes" and link.to_id == memory.id]
        writer.drop([*links, *expiry_of(writer, memory.id)])
        return replace(
            memory.taken_up("active"),
            confirmed_at=memory.confirmed_at or writer.now,
            confirmed_by=memory.confirmed_by or actor.name,
        )

    return apply_to_each(vault, prefixes, actor, "restore", step)


def snooze(
    vault: Vault, prefixes: Sequence[str], *, until: datetime, actor: Actor, versions: Mapping[str, int] | None = None
) -> Outcome:
    """Keep memories out of the review until a day.

    Raises:
        UsageError: the day is past.
        RefusedError: an agent cannot put off what a person should confirm.
    """
    require_person(actor, "snooze")
    if until <= vault.now():
        raise UsageError("A snooze ends in the future", where=until.date().isoformat(), remedy="Give a later day.")

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.snoozed_until == until:
            return Skipped(memory.id, SkipReason.SNOOZED, until.date().isoformat())
        batch.verdicts.append(verdict_on(memory, SNOOZED, batch.writer.now, actor))
        return replace(memory, snoozed_until=until)

    return apply_to_each(vault, prefixes, actor, "snooze", step, versions=versions)


def change_kind(
    vault: Vault, prefixes: Sequence[str], kind: str, *, actor: Actor, versions: Mapping[str, int] | None = None
) -> Outcome:
    """Give memories another kind. Raises `UsageError`: there is no such kind."""
    chosen = check_kind(vault.kinds, kind)

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.kind == chosen:
            return Skipped(memory.id, SkipReason.HAS_KIND, chosen)
        return replace(memory, kind=chosen)

    return apply_to_each(vault, prefixes, actor, "kind", step, versions=versions)


def assign(vault: Vault, prefixes: Sequence[str], project: str, *, actor: Actor) -> Outcome:
    """Put memories into a project, which is created if it is new.

    Raises `UsageError`: this is not a valid project name.
    """
    chosen = check_name(project)

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.project == chosen:
            return Skipped(memory.id, SkipReason.HAS_PROJECT, chosen)
        if chosen != GLOBAL_PROJECT:
            ensure_project(batch.writer, chosen)
        return replace(memory, project=chosen)

    return apply_to_each(vault, prefixes, actor, "move", step, reason=f"to {chosen}")


def change_many(
    vault: Vault,
    versions: Mapping[str, int],  # id and version of each memory when it was chosen
    *,
    actor: Actor,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),  # tags to remove, in any case
    kind: str | None = None,
    half_life_days: float | None = None,  # the new half-life; `KIND_HALF_LIFE` to follow the kind's
    importance: int | None = None,  # 1–5
    add_anchors: Sequence[Anchor] = (),
    remove_files: Collection[str] = (),  # paths of anchors to remove, as memories name them
) -> Outcome:
    """Edit memories that were chosen by a query.

    Raises:
        UsageError: nothing is to change, or a value is wrong.
        RefusedError: an agent would alter what a person vouched for, or a tag is too long.
    """
    added, removed = check_tags(clean_tags(add_tags)), {tag.lower() for tag in clean_tags(remove_tags)}
    values = _checked(vault, kind, half_life_days, importance)
    if not (add_tags or remove_tags or values or add_anchors or remove_files):
        raise UsageError("Say what to change", remedy="Tags, files, the kind, the half-life or the importance.")

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        kept = [tag for tag in memory.tags if tag.lower() not in removed]
        known = {anchor.path for anchor in memory.anchors}
        anchors = [anchor for anchor in memory.anchors if anchor.path not in remove_files]
        anchors += [anchor for anchor in add_anchors if anchor.path not in known]
        changed = replace(
            memory, tags=tuple(dict.fromkeys([*kept, *added])), anchors=tuple(dict.fromkeys(anchors)), **values
        )
        return Skipped(memory.id, SkipReason.SAME) if changed == memory else changed

    return apply_to_each(vault, versions, actor, "edit", step, versions=versions)


def _checked(vault: Vault, kind: str | None, half_life_days: float | None, importance: int | None) -> dict[str, Any]:
    """Return the values that are given, by field; arguments and errors as of `change_many`."""
    values: dict[str, Any] = {}
    if kind:
        values["kind"] = check_kind(vault.kinds, kind)
    if half_life_days is not None:
        values["half_life_days"] = check_half_life(None if half_life_days == KIND_HALF_LIFE else half_life_days)
    if importance is not None:
        values["importance"] = check_importance(importance)
    return values


# -- the inbox -----------------------------------------------------------------------------------------


def waiting(scope: Scope, *, with_unassigned: bool) -> MemoryFilter:
    """Return the filter of candidates in a scope, with those that have no project where that is wanted."""
    if with_unassigned and scope.projects is not None:
        scope = Scope(scope.projects, with_unassigned=True)
    return MemoryFilter(scope=scope, statuses=("candidate",))


def accept(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    folder: Path,
    project: str | None = None,
    kind: str | None = None,
    reason: str = "",
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Take candidates out of the inbox into use; see `settle_replaced` for what they replace.

    An unassigned one goes to the named project, else to the project of the folder.

    Raises `RefusedError`: an agent cannot accept.
    """
    from memtui.curate.anchors import note_states

    require_person(actor, "accept")
    note_states(vault, prefixes, folder, project)
    chosen_kind = check_kind(vault.kinds, kind) if kind else None

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status != "candidate":
            return Skipped(memory.id, SkipReason.NOT_CANDIDATE, memory.standing)
        return record_acceptance(
            batch, replace(memory, kind=chosen_kind or memory.kind), folder=folder, project=project
        )

    afterwards = partial(settle_replaced, actor=actor)
    return apply_to_each(
        vault, prefixes, actor, "accept", step, reason=reason, versions=versions, afterwards=afterwards
    )


def record_acceptance(batch: Batch, memory: Memory, *, folder: Path, project: str | None) -> Memory:
    """Return a candidate as taken into use and add its signal to the batch."""
    writer, actor = batch.writer, batch.actor
    batch.signals.append(Signal(memory_id=memory.id, signal="accepted", at=writer.now, actor=actor.name))
    # A project in view has the global ones in view as well: accepting them with it does not move them.
    kept = memory.project == GLOBAL_PROJECT or (project is None and memory.project is not None)
    return replace(
        memory.taken_up("active"),
        project=memory.project if kept else project_for_writing(writer, folder, project),
        confirmed_at=writer.now,
        confirmed_by=actor.name,
    )


def would_replace(reader: VaultReader, memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """Return what is in use and candidates were proposed to replace, by the id of the candidate."""
    waiting = {memory.id for memory in memories if memory.status == "candidate"}
    return _ends_in_use(
        reader, [link for link in reader.links(waiting) if link.type == "supersedes" and link.from_id in waiting]
    )


def left_beside(reader: VaultReader, memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """Return what accepted memories were proposed to replace and what stayed in use as they were accepted, by id.

    `settle_replaced` made "contradicts" of these links in the change that accepted the memory, so that they bear the
    very moment of that; what was found to contradict it before or after was never proposed to be replaced by it.
    """
    accepted_at = {memory.id: memory.confirmed_at for memory in memories if memory.status != "candidate"}
    return _ends_in_use(
        reader,
        [
            link
            for link in reader.links(accepted_at)
            if link.type == "contradicts" and link.created_at == accepted_at.get(link.from_id)
        ],
    )


def _ends_in_use(reader: VaultReader, links: Sequence[Link]) -> dict[str, list[Memory]]:
    """Return the active memories that links lead to, by the id that each comes from."""
    ends = _in_use(reader, {link.to_id for link in links})
    found: dict[str, list[Memory]] = {}
    for link in links:
        if link.to_id in ends:
            found.setdefault(link.from_id, []).append(ends[link.to_id])
    return found


def settle_replaced(writer: VaultWriter, memories: Sequence[Memory], actor: Actor) -> None:
    """Mark as superseded what a person, or the source that one imported, says that accepted memories replace.

    What others proposed that they replace stays in use and contradicts them: a person decides with both texts in view.
    """
    links = [link for link in writer.links({memory.id for memory in memories}) if link.type == "supersedes"]
    in_use = _in_use(writer, {end for link in links for end in (link.from_id, link.to_id)})
    links = [link for link in links if {link.from_id, link.to_id} <= in_use.keys()]
    decided = {link.to_id: link.from_id for link in links if link.origin in {PERSON, "import"}}
    for identifier, winner in decided.items():
        mark_superseded(writer, in_use[identifier], winner, actor)
    proposed = [link for link in links if link.to_id not in decided]
    writer.drop(proposed)
    writer.add_links([replace(link, type="contradicts", created_at=writer.now) for link in proposed])


def _in_use(reader: VaultReader, ids: Iterable[str]) -> dict[str, Memory]:
    return {identifier: memory for identifier, memory in reader.get_many(ids).items() if memory.status == "active"}


def reject(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    reason: str = "",
    versions: Mapping[str, int] | None = None,
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Outcome:
    """Turn candidates down: retired, with a tombstone.

    Raises:
        RefusedError: an agent cannot reject.
        SecretRefusedError: the reason holds what looks like a secret, and `allow_secret` is not set.
    """
    require_person(actor, "reject")
    reason = _checked_reason(reason, secret_patterns, allow_secret=allow_secret)

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status != "candidate":
            return Skipped(memory.id, SkipReason.NOT_CANDIDATE, memory.standing)
        batch.bury(memory, REJECTED, reason)
        return memory.put_out(REJECTED, reason)

    return apply_to_each(vault, prefixes, actor, "reject", step, reason=reason, versions=versions)


LONGEST_REPLACED = 40  # Characters of a title in a row


LOOKS_PLANTED, HOLDS_SECRET, WOULD_REPLACE, IN_USE = "looks planted", "secret", "would replace", "in use already"
NOT_STATED = "no longer in its source"


@dataclass(frozen=True, slots=True)
class Oddities:
    """What a person should know before accepting a candidate."""

    planted: tuple[Planted, ...] = ()  # why its text looks planted to steer an assistant
    secrets: tuple[str, ...] = ()  # rules of what looks like a secret in it
    twins: tuple[str, ...] = ()  # ids of active memories in the same project with the same text
    replaces: tuple[str, ...] = ()  # titles of active memories that it was proposed to replace
    is_unstated: bool = False  # whether none of its sources states it any longer

    @property
    def words(self) -> tuple[str, ...]:
        """A few words for each, for a row."""
        found = [LOOKS_PLANTED] if self.planted else []
        found += [HOLDS_SECRET] if self.secrets else []
        found += [f"{WOULD_REPLACE} “{shorten(one_line(self.replaces[0]), LONGEST_REPLACED)}”"] if self.replaces else []
        found += [NOT_STATED] if self.is_unstated else []
        return (*found, *([IN_USE] if self.twins else []))


def oddities(
    reader: VaultReader, memories: Sequence[Memory], patterns: Sequence[tuple[str, str]] = ()
) -> dict[str, Oddities]:
    """Return what is odd about candidates, by id; `patterns` are the user's own patterns of secrets."""
    hashes = {memory.id: content_hash(memory) for memory in memories}
    holders = reader.ids_by_content(set(hashes.values()))
    twins = reader.get_many({identifier for found in holders.values() for identifier, _ in found})
    in_use = {identifier: twin.project for identifier, twin in twins.items() if twin.status == "active"}
    replaced = would_replace(reader, memories)
    states = by_memory(reader.source_states(list(hashes)))
    result = {}
    for memory in memories:
        same = [key for key, _ in holders.get(hashes[memory.id], ()) if in_use.get(key, "") == memory.project]
        secrets = dict.fromkeys(rule for rules in secrets_in(memory, patterns).values() for rule in rules)
        old = tuple(one.title for one in replaced.get(memory.id, ()))
        unstated = is_unstated(memory, states.get(memory.id, ()))
        result[memory.id] = Oddities(planted_reasons(memory), tuple(secrets), tuple(same), old, unstated)
    return result
