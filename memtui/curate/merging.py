"""Merging several memories into one, and taking a merge apart again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.content import normalise
from memtui.domain.memory import GLOBAL_PROJECT, Link, Memory
from memtui.domain.record import Record, memory_from_record
from memtui.errors import NotFoundError, RefusedError, UsageError
from memtui.vault import journal
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault

MOST_MERGED = 8

ORIGIN = "merge"
"""Origin of the links that a merge makes."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge came to: the memory that holds it all, and those that became `merged`."""

    result: Memory
    originals: tuple[Memory, ...]


def combine(into: Memory, others: Sequence[Memory], project: str | None) -> Memory:
    """Return one memory that keeps what each of them held.

    Texts that are not contained in the first are appended; tags, anchors and sources are united; it is
    pinned if any was, in use if any was, and dates from the earliest.
    """
    everyone = (into, *others)
    accepted = next((memory for memory in everyone if memory.status == "active"), into)
    anchors = {anchor.path: anchor for memory in reversed(everyone) for anchor in memory.anchors}
    sources = dict.fromkeys(source for memory in everyone for source in memory.sources)
    return replace(
        into,
        project=project,
        status=accepted.status,
        status_reason=accepted.status_reason,
        confirmed_at=into.confirmed_at or accepted.confirmed_at,
        confirmed_by=into.confirmed_by or accepted.confirmed_by,
        insight=_joined([memory.insight for memory in everyone]),
        rationale=_joined([memory.rationale for memory in everyone]),
        snippet=_joined([memory.snippet for memory in everyone]),
        tags=tuple(dict.fromkeys(tag for memory in everyone for tag in memory.tags)),
        anchors=tuple(anchors[path] for path in dict.fromkeys(a.path for m in everyone for a in m.anchors)),
        sources=tuple(sources),
        importance=max(memory.importance for memory in everyone),
        confidence=min(memory.confidence for memory in everyone),
        pinned=any(memory.pinned for memory in everyone),
        created_at=min(memory.created_at for memory in everyone),
        observed_at=_earliest([memory.observed_at for memory in everyone]),
        valid_until=_earliest([memory.valid_until for memory in everyone]),
    )


def _joined(texts: Sequence[str]) -> str:
    kept: list[str] = []
    for text in texts:
        plain = normalise(text)
        if plain.strip() and not any(plain in normalise(other) for other in kept):
            kept.append(text)
    return "\n\n".join(kept)


def _earliest(moments: Sequence[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)


def merge(
    vault: Vault, prefixes: Sequence[str], *, into: str | None = None, actor: Actor, project: str | None = None
) -> Merged:
    """Merge two to eight memories into one of them, by default the first.

    Raises:
        UsageError: too few or too many, or of different projects without `project` to decide.
        RefusedError: one of them is not in use.
    """
    with vault.write(actor=actor.name, action="merge") as writer:
        identifiers = list(dict.fromkeys(writer.resolve(prefix) for prefix in prefixes))
        target_id = writer.resolve(into) if into else identifiers[0]
        others_ids = [identifier for identifier in identifiers if identifier != target_id]
        if not 1 <= len(others_ids) < MOST_MERGED:
            raise UsageError(f"A merge takes 2 to {MOST_MERGED} different memories", where=" ".join(identifiers))
        stored = writer.get_many([target_id, *others_ids])
        target, others = stored[target_id], [stored[identifier] for identifier in others_ids]
        _check(target, others, actor)
        if project is not None:
            project = check_name(project)
            ensure_project(writer, project)
        result = combine(target, others, project or _common_project(target, others))
        writer.summary = f"merge {len(others) + 1} memories into {result.title}"
        saved = writer.put(result)
        originals = writer.put_many(
            [
                replace(other, status="merged", status_reason=f"merged into {target_id}", pinned=False)
                for other in others
            ]
        )
        writer.add_links(_inherited(writer, target_id, others_ids, writer.now))
        writer.add_links(
            Link(from_id=target_id, type="derived-from", to_id=other.id, origin=ORIGIN, created_at=writer.now)
            for other in others
        )
        return Merged(saved, tuple(originals))


def _inherited(reader: VaultReader, target: str, originals: Sequence[str], now: datetime) -> list[Link]:
    """Return the links of the originals to others as links of the merged memory."""
    members = {target, *originals}
    found = []
    for link in reader.links(originals):
        ends = [target if end in originals else end for end in (link.from_id, link.to_id)]
        is_trace = link.type == "derived-from" and link.origin == ORIGIN
        if not is_trace and not {link.from_id, link.to_id} <= members:
            found.append(replace(link, from_id=ends[0], to_id=ends[1], origin=ORIGIN, created_at=now))
    return found


def _check(target: Memory, others: Sequence[Memory], actor: Actor) -> None:
    for memory in (target, *others):
        check_may_alter(actor, memory)
        if memory.status not in {"active", "candidate"}:
            raise RefusedError(
                f"Only memories in use can be merged, this one is {memory.status}",
                where=f"{memory.id} ({memory.title[:60]})",
            )
    if not actor.is_person and len({memory.status for memory in (target, *others)}) > 1:
        raise RefusedError(
            "An agent may not merge a candidate into what a person accepted",
            where=f"{target.id} ({target.title[:60]})",
            remedy="A person accepts the candidate first: `memtui inbox accept ID`.",
        )


def _common_project(target: Memory, others: Sequence[Memory]) -> str | None:
    """Return the strictest project that they share: a named one before `global`, that before none."""
    everyone = {memory.project for memory in (target, *others)}
    named = everyone - {GLOBAL_PROJECT, None}
    if len(named) > 1:
        raise UsageError(
            "The memories belong to different projects",
            where=", ".join(sorted(str(name) for name in named)),
            remedy="Say which one the merged memory belongs to with --project.",
        )
    return next(iter(named), GLOBAL_PROJECT if GLOBAL_PROJECT in everyone else None)


def unmerge(vault: Vault, prefix: str, *, actor: Actor) -> tuple[Memory, list[Memory]]:
    """Take the last merge into a memory apart; the originals are again what they were.

    The merged memory goes back to what it was before; edits made to it since stay in its history.

    Raises:
        NotFoundError: nothing was merged into it.
    """
    with vault.write(actor=actor.name, action="unmerge") as writer:
        identifier = writer.resolve(prefix)
        target = writer.get(identifier)
        if target.status == "merged":
            identifier = target.status_reason.removeprefix("merged into ")
        records = _before_merge(writer, identifier)
        restored = [memory_from_record(record, now=writer.now, new_id=record["id"]) for record in records]
        check_may_alter(actor, writer.get(identifier))
        originals = [memory.id for memory in restored if memory.id != identifier]
        made = {_ends(link) for link in _inherited(writer, identifier, originals, writer.now)}
        made |= {(identifier, "derived-from", original) for original in originals}
        writer.drop(link for link in writer.links([identifier]) if link.origin == ORIGIN and _ends(link) in made)
        writer.summary = f"unmerge {len(restored)} memories"
        saved = {memory.id: memory for memory in writer.put_many(restored)}
        return saved[identifier], [saved[original] for original in originals]


def _ends(link: Link) -> tuple[str, str, str]:
    return (link.from_id, link.type, link.to_id)


def _before_merge(reader: VaultReader, identifier: str) -> list[Record]:
    """Return the records, before the last merge that still stands, of the merged memory and of its originals.

    The originals lead to the merge, because a memory that held all of it before was not changed by it.
    """
    still_merged = {
        link.to_id
        for link in reader.links([identifier])
        if link.origin == ORIGIN and link.type == "derived-from" and link.from_id == identifier
    }
    numbers = {
        step.change.number
        for original in still_merged
        for step in journal.history(reader, original)
        if step.change.action == "merge" and step.change.state == "done" and _was_merged(step)
    }
    if not numbers:
        raise NotFoundError("Nothing was merged into this memory", where=identifier)
    number = max(numbers)
    target = next(
        step.before if step.change.number == number else step.after
        for step in journal.history(reader, identifier)
        if step.change.number <= number
    )
    revisions = [step for step in journal.memory_revisions(reader, number) if _was_merged(step)]
    records = [target, *(step.before for step in revisions)]
    return [record for record in records if record is not None]


def _was_merged(step: journal.MemoryRevision) -> bool:
    return step.before is not None and step.after is not None and step.after["status"] == "merged"
