"""Apply an import plan as one undoable change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from memtui.capture.draft import HISTORICAL, PLANTED, SUPERSEDED_NOTE, Draft
from memtui.capture.import_plan import ImportOptions, ImportPlan, Planned, PlanReason
from memtui.capture.jsonl_records import add_typed_lines
from memtui.capture.readers.own_formats import memory_of_record
from memtui.capture.source_conflicts import store_conflicts
from memtui.capture.successions import AT_SOURCE, link_successions
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Memory, Status, content_hash, new_id
from memtui.progress import ProgressCallback
from memtui.vault.indexed import Indexed
from memtui.vault.passed_files import put_foreign_keys
from memtui.vault.projects import ensure_project
from memtui.vault.reader import SourceState
from memtui.vault.source_texts import imported_anchors
from memtui.vault.text_search import without_values
from memtui.vault.writer import VaultWriter


@dataclass(slots=True)
class ImportReport:
    """The result of an import."""

    added: int = 0
    superseded: int = 0  # of those: replaced by their source, so that they wait nowhere
    updated: int = 0
    updated_in_use: int = 0  # of those: memories in use that say something else now
    unchanged: int = 0
    moved: int = 0  # of those: memories whose source was found at another path
    linked: int = 0  # records that were linked with those that they replace, as their sources say
    conflicts: list[Planned] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)  # memories added or updated, in the order of the sources
    # (id, notes) of memories that need a closer look
    flagged: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    dropped: list[Memory] = field(default_factory=list)  # memories that their sources no longer state, as was new
    bad_records: list[str] = field(default_factory=list)  # typed lines that were rejected, with the reason


@lru_cache(maxsize=256)
def _shown_path(path: str | None) -> str | None:
    return None if path is None else without_values(path)


def spared_by_agents(item: Planned) -> Planned:
    """Return what happens to an item when an agent imports: what a person decided or vouched for stays."""
    memory = item.memory
    if memory is None:
        return item
    if item.action == "restore":
        return replace(item, action="skip", why=PlanReason.NOT_RESTORED.why(memory.standing, memory.id))
    if item.action in {"update", "replace"} and (memory.pinned or memory.verified_at):
        vouched = "pinned" if memory.pinned else "verified"
        return replace(item, action="conflict", why=PlanReason.NOT_ALTERED.why(vouched))
    return item


def skipped_rows(plan: ImportPlan) -> list[dict[str, Any]]:
    """Return what a plan leaves out, as `{path, line, reason, reason_code}`."""
    rows = [
        {
            "path": _shown_path(item.draft.source.path),
            "line": item.draft.source.span[0] if item.draft.source.span else None,
            "reason": item.reason,
            "reason_code": item.reason_code,
        }
        for item in plan.items
        if item.action == "skip"
    ]
    rows.extend(
        {
            "path": _shown_path(skipped.path),
            "line": skipped.span[0] if skipped.span else None,
            "reason": skipped.reason,
            "reason_code": skipped.reason_code,
        }
        for skipped in plan.skipped
    )
    return rows


def moved_alone(plan: ImportPlan) -> int:
    """Return how many memories are unchanged but for the path of their source."""
    unchanged = {item.memory.id for item in plan.items if item.action == "unchanged" and item.memory is not None}
    return len(unchanged & {memory.id for memory in plan.moved})


def apply_plan(
    writer: VaultWriter,
    plan: ImportPlan,
    options: ImportOptions,
    *,
    actor: Actor,
    progress: ProgressCallback | None = None,
) -> ImportReport:
    """Write a plan within the open change; the caller names and commits it."""
    report = ImportReport(skipped=skipped_rows(plan))
    report.conflicts = [item for item in plan.items if item.action in {"conflict", "clash"}]
    report.unchanged = plan.count("unchanged")
    report.moved = moved_alone(plan)
    report.dropped = plan.newly_missing
    pending: list[Memory] = []
    states: list[SourceState] = []
    nothing_new: dict[str, datetime] = {}
    changed = [item.memory.id for item in plan.items if item.action == "update" and item.memory is not None]
    from_source = imported_anchors(writer, changed)
    extras: dict[str, Mapping[str, Any]] = {}
    indexed: dict[str, Indexed] = {}
    owners: dict[int, Memory] = {}  # the memory that each item concerns, by its place
    for place, item in enumerate(plan.items):
        memory = _outcome(item, options, writer.now, actor, from_source)
        owner = memory or item.memory
        if owner is not None:
            owners[place] = owner
            if item.draft.extra:
                extras[owner.id] = item.draft.extra
        if memory is not None:
            pending.append(memory)
            _count(report, item, memory)
            if item.draft.indexed is not None:
                indexed[memory.id] = item.draft.indexed
        states.extend(_states(item, memory))
        if memory is None and item.memory is not None and item.action not in {"conflict", "clash"}:
            nothing_new[item.memory.id] = item.memory.created_at
    states += _dropped(plan.newly_missing)
    _drop_stones_of_restored(writer, plan)
    _ensure_projects(writer, pending)
    _store(writer, plan, pending, indexed, progress)
    writer.put_source_states(states, nothing_new=nothing_new)
    put_foreign_keys(writer, extras, "okf")
    store_conflicts(writer, plan, report.conflicts)
    stating = {at: owner for at, owner in owners.items() if plan.items[at].action not in {"conflict", "clash", "skip"}}
    report.linked = link_successions(writer, plan.items, stating, set(report.ids), actor)
    report.bad_records.extend(add_typed_lines(writer, plan.records, options, actor))
    return report


def _drop_stones_of_restored(writer: VaultWriter, plan: ImportPlan) -> None:
    restored = {item.memory.id for item in plan.items if item.action == "restore" and item.memory is not None}
    writer.drop([stone for stone in writer.tombstones() if stone.memory_id in restored])


def _ensure_projects(writer: VaultWriter, memories: Iterable[Memory]) -> None:
    for name in sorted({memory.project for memory in memories if memory.project is not None} - {"global"}):
        ensure_project(writer, name)


def _count(report: ImportReport, item: Planned, memory: Memory) -> None:
    report.ids.append(memory.id)
    if item.action in {"add", "restore"}:
        report.added += 1
        report.superseded += memory.status == "superseded"
    elif item.action in {"update", "replace"}:
        report.updated += 1
        report.updated_in_use += _says_anew(item.memory, memory)
    if item.draft.notes:
        report.flagged.append((memory.id, item.draft.notes))


def _store(
    writer: VaultWriter,
    plan: ImportPlan,
    pending: Sequence[Memory],
    indexed: Mapping[str, Indexed],
    progress: ProgressCallback | None,
) -> None:
    stored = {memory.id for memory in pending}
    writer.put_many(memory for memory in (*plan.moved, *plan.followed) if memory.id not in stored)
    new = {memory.id for memory in pending} - {item.memory.id for item in plan.items if item.memory is not None}
    # Drafts of other sources are no records, so none of them says that its memory is one.
    recorded = new if all(item.draft.stated is not None for item in plan.items) else ()
    writer.put_many(pending, as_recorded=recorded, indexed=indexed, progress=progress)


def _outcome(
    item: Planned, options: ImportOptions, now: datetime, actor: Actor, from_source: Mapping[str, Sequence[str]]
) -> Memory | None:
    """Return the memory to store for an item, None if there is none. `from_source`: of `imported_anchors`."""
    if item.action in {"add", "replace"} and item.draft.record is not None:
        memory = memory_of_record(item.draft, item.project, now, over=item.memory)
        if item.action == "add" and not item.draft.record.get("status"):
            memory = _confirmed(memory, item, options, now, actor)
        return memory if actor.is_person else _as_proposal(memory)
    if item.action == "add":
        return _confirmed(_new_memory(item, now), item, options, now, actor)
    if item.becomes is not None:
        return item.becomes
    if item.action == "update" and item.memory is not None and item.anchors is not None:
        return replace(item.memory, anchors=item.anchors)
    if item.action == "update" and item.memory is not None:
        return _updated(item.memory, item, now, from_source.get(item.memory.id, ()))
    if item.action == "restore" and item.memory is not None:
        revived = item.memory.taken_up("candidate")
        return _confirmed(revived, item, options, now, actor)
    return None


def _new_memory(item: Planned, now: datetime) -> Memory:
    draft = item.draft
    retired_at_source = SUPERSEDED_NOTE in draft.notes
    status: Status = "superseded" if retired_at_source else "candidate"
    content = draft.content
    sources = (draft.source, *item.more_sources)
    return Memory(
        id=new_id(),
        title=draft.title,
        insight=draft.insight,
        kind=draft.kind,
        project=item.project,
        status=status,
        status_reason=AT_SOURCE if retired_at_source else "",
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
    """Accept a candidate at once if asked to; what looks planted or may be history stays in the inbox."""
    held = not {PLANTED, HISTORICAL}.isdisjoint(item.draft.notes)
    if not options.active or held or memory.status != "candidate" or not actor.is_person:
        return memory
    return replace(memory, status="active", confirmed_at=now, confirmed_by=actor.name)


def _as_proposal(memory: Memory) -> Memory:
    """Drop from a record that an agent imports everything only a person can grant."""
    return replace(
        memory,
        status="candidate" if memory.status == "active" else memory.status,
        pinned=False,
        confirmed_at=None,
        confirmed_by=None,
        verified_at=None,
        verified_by=None,
    )


def _says_anew(before: Memory | None, after: Memory) -> bool:
    """Return whether a memory that was and stays in use has another text."""
    if before is None or not before.status == after.status == "active":
        return False
    return content_hash(before) != content_hash(after)


def _updated(memory: Memory, item: Planned, now: datetime, from_source: Collection[str]) -> Memory:
    draft, content = item.draft, item.draft.content
    stated = {source.path: source for source in (*item.more_sources, *draft.loaded_by, draft.source)}
    places = Counter(source.path for source in memory.sources)
    sources = tuple(
        replace(stated[source.path], imported_hash=content)
        if source.path in stated and (places[source.path] == 1 or source.imported_hash == item.replaces)
        else source
        for source in memory.sources
    )
    # A source that turns an accepted memory into what looks planted has to be accepted again.
    planted = PLANTED in draft.notes and memory.status == "active"
    return replace(
        memory,
        status="candidate" if planted else memory.status,
        title=draft.title,
        insight=draft.insight,
        rationale=draft.rationale,
        snippet=draft.snippet,
        anchors=_updated_anchors(memory, draft, from_source),
        observed_at=min(draft.observed_at, now) if draft.observed_at else memory.observed_at,
        sources=sources,
    )


def _updated_anchors(memory: Memory, draft: Draft, from_source: Collection[str]) -> tuple[Anchor, ...]:
    """Return the anchors with what the source changed of its own: what a person wrote or took out stays so.

    What the source no longer names stays too where a person verified it.
    """
    if not draft.anchors:
        return memory.anchors
    gone = {path for path in from_source if path not in draft.anchors}
    known = {anchor.path: anchor for anchor in memory.anchors}
    named = [known.get(path, Anchor(path)) for path in draft.anchors if path in known or path not in from_source]
    kept = [anchor for anchor in memory.anchors if anchor.content_hash or anchor.path not in gone]
    return (*named, *(anchor for anchor in kept if anchor not in named))


def _dropped(missing: Iterable[Memory]) -> Iterable[SourceState]:
    """Yield that the sources of memories state them no longer; the memories are due for review by that."""
    for memory in missing:
        for source in memory.sources:
            if source.path:
                yield SourceState(memory.id, source.path, source.native_id or "", "")


def _states(item: Planned, memory: Memory | None) -> Iterable[SourceState]:
    """Yield what the sources of an item state now, for the memory it concerns."""
    owner = memory or item.memory
    if owner is None or item.draft.record is not None:
        return
    content = item.draft.content
    known = {source.path: source for source in owner.sources}
    for source in (item.draft.source, *item.more_sources):
        # Under the memory's own place, which stays when its piece moves up or down in the file.
        place = known.get(source.path, source)
        yield SourceState(owner.id, place.path or "", place.native_id or "", content)
