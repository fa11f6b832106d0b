"""Carrying out an import plan as one undoable change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memtui.capture.draft import Draft, ProgressCallback
from memtui.capture.planning import ImportOptions, ImportPlan, Planned, draft_hash
from memtui.domain.actor import Actor
from memtui.domain.content import new_id
from memtui.domain.memory import Anchor, Link, Memory, Signal, Status, Tombstone, Verdict
from memtui.domain.record import Record, RecordError, memory_from_record, memory_record
from memtui.text.sanitising import one_line, sanitise
from memtui.vault.journal import thing_from_record
from memtui.vault.projects import ensure_project
from memtui.vault.reading import SourceState
from memtui.vault.writing import VaultWriter

CHUNK = 500
"""Memories written between two reports of progress."""


@dataclass(slots=True)
class ImportReport:
    """What an import came to.

    Attributes:
        ids: memories added or updated, in the order of the sources.
        flagged: (id, notes) of memories that a person should look at closely.
        bad_records: typed lines that could not be taken, with the reason.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    conflicts: list[Planned] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    flagged: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    bad_records: list[str] = field(default_factory=list)


def skipped_rows(plan: ImportPlan) -> list[dict[str, Any]]:
    """Return what a plan leaves out as `{path, line, reason}`."""
    rows = [
        {
            "path": item.draft.source.path,
            "line": item.draft.source.span[0] if item.draft.source.span else None,
            "reason": item.reason,
        }
        for item in plan.items
        if item.action == "skip"
    ]
    rows.extend(
        {"path": skipped.path, "line": skipped.span[0] if skipped.span else None, "reason": skipped.reason}
        for skipped in plan.skipped
    )
    return rows


def apply_plan(
    writer: VaultWriter,
    plan: ImportPlan,
    options: ImportOptions,
    *,
    actor: Actor,
    progress: ProgressCallback | None = None,
) -> ImportReport:
    """Write a plan within the running change; the caller names the change and commits it."""
    report = ImportReport(skipped=skipped_rows(plan))
    report.conflicts = [item for item in plan.items if item.action == "conflict"]
    report.unchanged = plan.count("unchanged")
    pending: list[Memory] = []
    states: list[SourceState] = []
    stones = writer.tombstones()
    dropped: list[Tombstone] = []
    for item in plan.items:
        memory = _outcome(item, options, writer.now, actor)
        if memory is not None:
            pending.append(memory)
            report.ids.append(memory.id)
            report.added += item.action in {"add", "restore"}
            report.updated += item.action in {"update", "replace"}
            if item.draft.notes:
                report.flagged.append((memory.id, item.draft.notes))
            if item.action == "restore":
                dropped.extend(stone for stone in stones if stone.memory_id == memory.id)
        states.extend(_states(item, memory))
    writer.drop(dropped)
    for name in sorted({memory.project for memory in pending if memory.project not in {None, "global"}} - {None}):
        ensure_project(writer, str(name))
    for start in range(0, len(pending), CHUNK):
        writer.put_many(pending[start : start + CHUNK])
        if progress:
            progress(min(start + CHUNK, len(pending)), len(pending))
    writer.put_source_states(states)
    _add_records(writer, plan.records, report)
    return report


def _outcome(item: Planned, options: ImportOptions, now: datetime, actor: Actor) -> Memory | None:
    """Return the memory to store for an item, None if there is nothing to store."""
    if item.action in {"add", "replace"} and item.draft.record is not None:
        memory = memory_of_record(item.draft, item.project, now)
        return _confirmed(memory, item, options, now, actor) if item.action == "add" else memory
    if item.action == "add":
        return _confirmed(_new_memory(item, now), item, options, now, actor)
    if item.action == "update" and item.memory is not None:
        return _updated(item.memory, item.draft)
    if item.action == "restore" and item.memory is not None:
        revived = replace(item.memory, status="candidate", status_reason="")
        return _confirmed(revived, item, options, now, actor)
    return None


def _new_memory(item: Planned, now: datetime) -> Memory:
    draft = item.draft
    retired_at_source = "superseded-at-source" in draft.notes
    status: Status = "superseded" if retired_at_source else "candidate"
    content = draft_hash(draft)
    sources = (draft.source, *item.more_sources)
    return Memory(
        id=new_id(),
        title=draft.title,
        insight=draft.insight,
        kind=draft.kind,
        project=item.project,
        status=status,
        status_reason="superseded at its source" if retired_at_source else "",
        rationale=draft.rationale,
        snippet=draft.snippet,
        anchors=tuple(Anchor(path) for path in draft.anchors),
        tags=draft.tags,
        importance=draft.importance,
        created_at=now,
        updated_at=now,
        observed_at=min(draft.observed_at, now) if draft.observed_at else None,
        sources=tuple(replace(source, imported_hash=content) for source in sources),
    )


def _confirmed(memory: Memory, item: Planned, options: ImportOptions, now: datetime, actor: Actor) -> Memory:
    """Accept a candidate at once where the person asked for it; what looks planted stays in the inbox."""
    planted = "planted-instruction" in item.draft.notes
    if not options.active or planted or memory.status != "candidate" or not actor.is_person:
        return memory
    return replace(memory, status="active", confirmed_at=now, confirmed_by=actor.name)


def _updated(memory: Memory, draft: Draft) -> Memory:
    content = draft_hash(draft)
    sources = tuple(
        replace(draft.source, imported_hash=content) if source.path == draft.source.path else source
        for source in memory.sources
    )
    return replace(
        memory,
        title=draft.title,
        insight=draft.insight,
        rationale=draft.rationale,
        snippet=draft.snippet,
        anchors=tuple(Anchor(path) for path in draft.anchors) or memory.anchors,
        observed_at=draft.observed_at or memory.observed_at,
        sources=sources,
    )


def _states(item: Planned, memory: Memory | None) -> Iterable[SourceState]:
    """Return what the sources of an item say now, for the memory that it concerns."""
    owner = memory or item.memory
    if owner is None or item.draft.record is not None:
        return
    content = draft_hash(item.draft)
    known = {source.path: source for source in owner.sources}
    for source in (item.draft.source, *item.more_sources):
        # A conflict is remembered under the memory's own place, so that it is reported once.
        place = known.get(source.path, source)
        if item.action != "conflict":
            yield SourceState(owner.id, place.path or "", place.native_id or "", content)


def memory_of_record(draft: Draft, project: str | None, now: datetime) -> Memory:
    """Return the memory that a record of memtui's own states, sanitised.

    A row that gives no status of its own is a candidate, or active under `--active`.
    """
    record = dict(draft.record or {})
    for name in ("insight", "rationale", "snippet"):
        if isinstance(record.get(name), str):
            record[name] = sanitise(record[name]).text
    record["title"] = one_line(str(record.get("title") or "")) or draft.title
    record.setdefault("kind", draft.kind)
    record["project"] = record.get("project") or project
    if not record.get("status"):
        record["status"] = "candidate"
    return memory_from_record(record, now=now, new_id=new_id())


def same_record(stored: Memory, incoming: Memory) -> bool:
    """Return whether two memories are equal in the portable form, a creation time that was not given aside."""
    mine, theirs = memory_record(stored), memory_record(incoming)
    return mine == theirs


def _add_records(writer: VaultWriter, records: Iterable[Record], report: ImportReport) -> None:
    links: list[Link] = []
    verdicts = {(v.memory_id, v.verdict, v.at, v.actor): v for v in writer.verdicts()}
    signals = {(s.memory_id, s.signal, s.at, s.actor, s.pack_id): s for s in writer.signals()}
    stones = {(t.content_hash, t.project, t.memory_id): t for t in writer.tombstones()}
    new_verdicts: list[Verdict] = []
    new_signals: list[Signal] = []
    new_stones: list[Tombstone] = []
    for record in records:
        try:
            thing = thing_from_record(record)
        except (KeyError, RecordError, TypeError, ValueError) as error:
            report.bad_records.append(f"{record.get('type')}: {error}")
            continue
        if isinstance(thing, Link):
            links.append(thing)
        elif isinstance(thing, Verdict):
            key = (thing.memory_id, thing.verdict, thing.at, thing.actor)
            if key not in verdicts:
                verdicts[key] = thing
                new_verdicts.append(thing)
        elif isinstance(thing, Signal):
            place = (thing.memory_id, thing.signal, thing.at, thing.actor, thing.pack_id)
            if place not in signals:
                signals[place] = thing
                new_signals.append(thing)
        elif (thing.content_hash, thing.project, thing.memory_id) not in stones:
            stones[thing.content_hash, thing.project, thing.memory_id] = thing
            new_stones.append(thing)
    writer.add_links(links)
    writer.add_verdicts(new_verdicts)
    writer.add_signals(new_signals)
    writer.add_tombstones(new_stones)
