"""Stores of single memories: the MCP memory server, mcp-memory-service, mem0, OpenMemory, agentmemory."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import (
    Contents,
    Record,
    Row,
    first,
    listed,
    mapping,
    moment,
    number_of,
    objects,
    share,
    text,
)
from memtui.capture.stores.sqlite_copy import Database, is_sqlite, opened
from memtui.capture.stores.text_files import file_text, json_lines, json_object, json_values, zip_member
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.errors import SourceError

PROJECT_TYPES = frozenset({"project", "repository", "repo", "codebase"})
SUPERSEDING = frozenset({"supersedes", "replaces"})

SERVICE_KINDS = {
    "decision": "decision",
    "pattern": "convention",
    "best_practice": "convention",
    "error": "bug-pattern",
    "anti_pattern": "bug-pattern",
    "gotcha": "bug-pattern",
    "bug": "bug-pattern",
    "learning": "lesson",
    "observation": "note",
    "architecture": "architecture",
    "reference": "tooling",
    "configuration": "tooling",
    "tool_choice": "tooling",
}
AGENTMEMORY_KINDS = {
    "pattern": "convention",
    "preference": "convention",
    "architecture": "architecture",
    "bug": "bug-pattern",
    "workflow": "tooling",
    "fact": "note",
    "lesson": "lesson",
}


def mcp_memory(place: Place) -> Contents:
    """Read the graph of the MCP reference memory server: one memory for each observation of an entity."""
    contents = Contents(once_a_pair=True)
    entities, relations = _graph(json_lines(place.path, contents))
    if not entities and not relations:
        raise SourceError("The file contains no entities of the MCP memory server", where=str(place.path))
    owners = _owners(entities, relations)
    for name, (kind, told) in entities.items():
        contents.left_out["entities without observations"] += not told
        project = name if kind in PROJECT_TYPES else owners.get(name)
        for number, observation in enumerate(told, 1):
            contents.add(
                Row(
                    native_id=f"{name}#{number}",
                    key=_entity_key(name, observation),
                    heading=name,
                    insight=observation,
                    type=kind or "entity",
                    project=project,
                    tags=[kind] if kind else (),
                )
            )
    firsts = {name: _entity_key(name, next(iter(told))) for name, (_, told) in entities.items() if told}
    for start, relation, end in relations:
        if start != end:
            kind = "supersedes" if relation.lower() in SUPERSEDING else "relates"
            contents.link(firsts.get(start), kind, firsts.get(end))
    return contents


Entities = dict[str, tuple[str, dict[str, None]]]  # Type and observations, each once and in order, by name


def _graph(records: Iterable[dict[str, Any]]) -> tuple[Entities, list[tuple[str, str, str]]]:
    """Return entities and relations; an entity that is there twice is one."""
    entities: Entities = {}
    relations: list[tuple[str, str, str]] = []
    for record in _graph_lines(records):
        if {"from", "to"} <= record.keys():
            relations.append((text(record["from"]), text(record.get("relationType")), text(record["to"])))
        elif "name" in record and ("observations" in record or record.get("type") == "entity"):
            _, told = entities.setdefault(text(record["name"]), (text(record.get("entityType")).lower(), {}))
            told |= dict.fromkeys(_observations(record.get("observations")))
    return entities, relations


def _graph_lines(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield entities and relations, also those of one object that holds them all."""
    for record in records:
        if isinstance(record.get("entities"), list) or isinstance(record.get("relations"), list):
            yield from (*objects(record.get("entities")), *objects(record.get("relations")))
        else:
            yield record


def _observations(value: object) -> list[str]:
    """Return observations as they are; newer clients write objects."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    told = (
        text(first(one, "content", "contents", "text", "observation")) if isinstance(one, dict) else text(one)
        for one in value
    )
    return [one for one in told if one.strip()]


def _entity_key(name: str, observation: str) -> str:
    return f"{name}\n{observation}"


def _owners(entities: Entities, relations: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return the project that each entity first has a relation to."""
    owners: dict[str, str] = {}
    for start, _, end in relations:
        if end in entities and entities[end][0] in PROJECT_TYPES:
            owners.setdefault(start, end)
    return owners


def mcp_memory_service(place: Place) -> Contents:
    """Read mcp-memory-service's database, or its export."""
    contents = Contents()
    if not is_sqlite(place.path):
        export = json_object(place.path, place.tool, contents)
        contents.version = f"export {text(mapping(export.get('export_metadata')).get('exporter_version'))}".strip()
        for record in objects(export.get("memories")):
            _service_row(record, contents)
        return contents
    with opened(place.path) as database:
        contents.problems = database.problems
        for record in database.rows(database.table("memories", "content_hash", "content")):
            _service_row(record, contents)
        for record in database.rows(database.table("memory_graph", "source_hash", "target_hash")):
            weight = share(record.get("similarity"))
            kind = "contradicts" if record.get("relationship_type") == "contradicts" else "relates"
            contents.link(record["source_hash"], kind, record["target_hash"], 1.0 if weight is None else weight)
        for record in database.rows(database.table("beliefs", "status", "derived_from")):
            _belief(record, contents)
    return contents


_PROJECT_TAG = re.compile(r"(?:project|proj|repo)[:=](.+)", re.IGNORECASE)


def _service_row(record: Record, contents: Contents) -> None:
    meta = mapping(record.get("metadata"))
    tags = listed(record.get("tags")) or listed(meta.get("tags"))
    tagged = next((found[1] for tag in tags if (found := _PROJECT_TAG.fullmatch(tag))), None)
    kind, source = text(record.get("memory_type")), text(meta.get("source"))
    score, confidence = share(meta.get("importance_score")), share(record.get("confidence"))
    row = Row(
        native_id=text(record.get("content_hash")),
        key=text(record.get("content_hash")) or text(record.get("content")),
        insight=record.get("content"),
        type=kind or "memory",
        kind=SERVICE_KINDS.get(kind, ""),
        project=first(meta, "project") or tagged or first(meta, "cwd"),
        tags=_service_tags(tags, text(record.get("store"))),
        created=first(record, "created_at", "created_at_iso"),
        updated=first(record, "updated_at", "updated_at_iso"),
        importance=None if score is None else 1 + round(4 * score),
        confidence=None if confidence == 1.0 else confidence,
        agent=source if source in KNOWN_AGENTS else "",
    )
    newer = first(record, "superseded_by") or meta.get("superseded_by")
    if record.get("deleted_at"):
        row.updated = record["deleted_at"]
        contents.delete(row)
        return
    contents.add(row)
    if newer:
        contents.supersede(newer, row.key, text(meta.get("evolution_reason")) or "superseded")


KNOWN_AGENTS = frozenset({"claude-code", "cursor", "codex", "gemini"})


def _service_tags(tags: Iterable[str], store: str) -> list[str]:
    kept = [tag for tag in tags if tag != "untagged" and not _PROJECT_TAG.fullmatch(tag)]
    return kept if store in {"", "default"} else [*kept, f"store:{store}"]


def _belief(record: Record, contents: Contents) -> None:
    state = text(record.get("status"))
    row = Row(
        native_id=f"belief/{text(first(record, 'id', 'belief_id'))}",
        insight=first(record, "statement", "content", "text", "belief", "claim"),
        type="belief",
        kind="lesson",
        created=first(record, "created_at", "created_at_iso"),
        confidence=record.get("confidence"),
        status={"candidate": "candidate", "disputed": "candidate", "superseded": "superseded"}.get(state, ""),
        reason="superseded" if state == "superseded" else "",
    )
    contents.add(row)
    for one in listed(record.get("derived_from")):
        contents.link(row.key, "derived-from", one)
    for one in listed(record.get("contradicted_by")):
        contents.link(row.key, "contradicts", one)


def mem0(place: Place) -> Contents:
    """Read what `get_all()` answered, or the history that mem0 keeps; its pickled vector store is never loaded."""
    contents = Contents()
    if is_sqlite(place.path):
        with opened(place.path) as database:
            contents.problems = database.problems
            if not database.table("history", "memory_id", "event") and database.table("points", "id", "point"):
                raise SourceError(
                    "This is Qdrant's folder: its memories are Python pickles, and loading one would run code",
                    where=str(place.path),
                    remedy="Name mem0's history.db, or a file with the JSON of `get_all(top_k=100000)`.",
                )
            _fold(database.rows(database.table("history", "memory_id", "event")), contents)
        return contents
    for value in json_values(file_text(place.path), place.path.as_posix(), contents):
        found = value.get("results", value.get("memories", [value])) if isinstance(value, dict) else value
        for record in objects(found):
            _mem0_row(record, contents)
    return contents


def _fold(records: Iterable[Record], contents: Contents) -> None:
    """Add the last text of each memory in a history; a deletion, which may bear no time, ends it."""
    rows: dict[str, tuple[Record, Record]] = {}  # first and last event of each
    for record in sorted(records, key=_event_order):
        name = text(record.get("memory_id"))
        rows[name] = (rows.get(name, (record, record))[0], record)
    for name, (begin, last) in rows.items():
        gone = _is_deletion(last)
        row = Row(
            native_id=name,
            insight=last.get("old_memory") if gone else last.get("new_memory"),
            type="memory",
            created=first(begin, "created_at", "updated_at"),
            updated=first(last, "updated_at", "created_at"),
            agent=text(last.get("actor_id")),
        )
        if gone:
            contents.delete(row)
        else:
            contents.add(row)


def _event_order(event: Record) -> tuple[bool, float]:
    """Return what events of a history are sorted by: their times, whatever the time zone, and deletions last."""
    at = moment(first(event, "updated_at", "created_at"))
    return _is_deletion(event), at.timestamp() if at is not None else 0.0


def _is_deletion(event: Record) -> bool:
    return text(event.get("event")).upper() == "DELETE" or bool(number_of(event.get("is_deleted")))


def _mem0_row(record: Record, contents: Contents) -> None:
    meta = mapping(record.get("metadata"))
    row = _tagged(meta, listed(record.get("categories")))
    row.native_id = text(record.get("id"))
    row.insight = first(record, "memory", "text", "content", "data")
    row.created, row.updated = record.get("created_at"), record.get("updated_at")
    row.valid_until = record.get("expiration_date")
    row.agent = text(record.get("agent_id"))
    contents.add(row)


def _tagged(meta: Record, categories: Iterable[str]) -> Row:
    """Return a row with what mem0's metadata say: kind, project, tags."""
    category = text(meta.get("category")).strip()
    kind = category if category in DEFAULT_KINDS else ""
    repository = text(meta.get("repo")).removesuffix(".git")
    tags = [*categories, *listed(meta.get("tags")), *([category] if category and not kind else [])]
    return Row(
        native_id="", type=category or "memory", kind=kind, project=first(meta, "project") or repository, tags=tags
    )


STATES = {"paused": "candidate", "archived": "retired"}


def openmemory(place: Place) -> Contents:
    """Read OpenMemory's database, or its backup: a zip, or the files in it."""
    contents = Contents()
    if zipfile.is_zipfile(place.path):
        whole = zip_member(place.path, "memories.json") or zip_member(place.path, "memories.jsonl.gz")
        _backup(json_values(whole, place.path.as_posix(), contents), contents)
    elif not is_sqlite(place.path):
        _backup(json_values(file_text(place.path), place.path.as_posix(), contents), contents)
    else:
        with opened(place.path) as database:
            contents.problems = database.problems
            _openmemory_tables(database, contents)
    return contents


def _openmemory_tables(database: Database, contents: Contents) -> None:
    apps = {text(one.get("id")): text(one.get("name")) for one in database.rows(database.table("apps", "id", "name"))}
    names = {
        text(one.get("id")): text(one.get("name")) for one in database.rows(database.table("categories", "id", "name"))
    }
    categories: dict[str, list[str]] = {}
    for one in database.rows(database.table("memory_categories", "memory_id", "category_id")):
        categories.setdefault(text(one["memory_id"]), []).append(names.get(text(one["category_id"]), ""))
    for record in database.rows(database.table("memories", "content", "state")):
        _openmemory_row(
            record, categories.get(text(record.get("id")), ()), apps.get(text(record.get("app_id")), ""), contents
        )


def _backup(values: Iterable[object], contents: Contents) -> None:
    """Add the memories of a backup: one object, or a line each."""
    for value in values:
        if not isinstance(value, dict):
            continue
        names = {text(one.get("id")): text(one.get("name")) for one in objects(value.get("categories"))}
        apps = {text(one.get("id")): text(one.get("name")) for one in objects(value.get("apps"))}
        for record in objects(value.get("memories")) or ([value] if "content" in value else []):
            tags = [names.get(one, "") for one in listed(record.get("category_ids"))] or listed(
                record.get("categories")
            )
            _openmemory_row(record, tags, apps.get(text(record.get("app_id")), text(record.get("app"))), contents)


def _openmemory_row(record: Record, categories: Iterable[str], app: str, contents: Contents) -> None:
    state = text(record.get("state")).rsplit(".", 1)[-1].lower()
    row = _tagged(mapping(first(record, "metadata", "metadata_")), [one for one in categories if one])
    row.native_id = text(record.get("id"))
    row.key = row.native_id.replace("-", "").lower()
    row.insight = record.get("content")
    row.created, row.updated = record.get("created_at"), record.get("updated_at")
    row.agent = app
    row.status = STATES.get(state, "")
    row.reason = state if row.status == "retired" else ""
    if state == "deleted" or record.get("deleted_at"):
        row.updated = record.get("deleted_at") or row.updated
        contents.delete(row)
    else:
        contents.add(row)


def agentmemory(place: Place) -> Contents:
    """Read agentmemory's standalone file, or its export."""
    contents = Contents(once_a_pair=True)
    export = json_object(place.path, place.tool, contents)
    held = export.get("mem:memories", export.get("memories"))
    for record in [one for one in held.values() if isinstance(one, dict)] if isinstance(held, dict) else objects(held):
        _agent_row(record, contents)
    lessons = export.get("mem:lessons", export.get("lessons"))
    for record in list(lessons.values()) if isinstance(lessons, dict) else objects(lessons):
        _lesson(record, contents)
    for key, kind in (("semanticMemories", "semantic"), ("proceduralMemories", "procedural"), ("insights", "insight")):
        for record in objects(export.get(key)):
            _derived(record, kind, contents)
    for key, why in (("observations", "observations"), ("summaries", "summaries")):
        left = export.get(key)
        contents.left_out[why] += sum(map(len, left.values())) if isinstance(left, dict) else len(objects(left))
    if mapping(export.get("pagination")).get("hasMore"):
        contents.left_out["in later pages of the export: ask for all of it"] += 1
    contents.version = text(export.get("version"))
    return contents


def _agent_row(record: Record, contents: Contents) -> None:
    strength, kind = number_of(record.get("strength")), text(record.get("type"))
    row = Row(
        native_id=text(record.get("id")),
        insight=record.get("content"),
        type=kind or "memory",
        kind=AGENTMEMORY_KINDS.get(kind, ""),
        project=first(record, "project"),
        tags=listed(record.get("concepts")),
        files=listed(record.get("files")),
        created=record.get("createdAt"),
        updated=record.get("updatedAt"),
        valid_until=record.get("forgetAfter"),
        importance=None if strength is None else min(5, max(1, -int(-strength // 2))),
        status="superseded" if record.get("isLatest") is False else "",
        reason="superseded" if record.get("isLatest") is False else "",
        agent=text(record.get("agentId")),
    )
    contents.add(row)
    for one in listed(record.get("supersedes")):
        contents.supersede(row.key, one)
    for one in listed(record.get("relatedIds")):
        contents.link(row.key, "relates", one)


def _lesson(record: Record, contents: Contents) -> None:
    row = Row(
        native_id=text(record.get("id")),
        insight=record.get("content"),
        rationale=record.get("context"),
        type="lesson",
        kind="lesson",
        project=first(record, "project"),
        tags=listed(record.get("tags")),
        created=record.get("createdAt"),
        updated=record.get("updatedAt"),
        confidence=record.get("confidence"),
    )
    row.used(record.get("reinforcements"), record.get("lastReinforcedAt"), "helped")
    if record.get("deleted"):
        contents.delete(row)
    else:
        contents.add(row)


def _derived(record: Record, kind: str, contents: Contents) -> None:
    """Add what agentmemory derived: a fact, a procedure with its steps, an insight."""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(listed(record.get("steps")), 1))
    told = (text(first(record, "fact", "content", "name")), steps)
    contents.add(
        Row(
            native_id=text(record.get("id")),
            title=first(record, "title", "name"),
            insight="\n\n".join(filter(None, told)),
            rationale=record.get("triggerCondition"),
            type=kind,
            kind={"procedural": "tooling"}.get(kind, "lesson"),
            project=first(record, "project"),
            tags=listed(first(record, "concepts", "tags")),
            created=record.get("createdAt"),
            confidence=record.get("confidence"),
        )
    )
