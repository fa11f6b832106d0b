"""Stores of what assistants observed in their sessions: claude-mem, engram, Korva, memorix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memtui.capture.draft import Skipped
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import (
    WORKING_STATE,
    Contents,
    Record,
    Row,
    first,
    listed,
    listed_facts,
    mapping,
    number_of,
    objects,
    share,
    text,
    with_facts,
)
from memtui.capture.stores.sqlite_copy import Database, is_sqlite, opened
from memtui.capture.stores.text_files import file_text, json_object, json_values
from memtui.errors import SourceError

CLAUDE_MEM_KINDS = {
    "decision": "decision",
    "bugfix": "bug-pattern",
    "feature": "architecture",
    "refactor": "architecture",
    "change": "note",
    "discovery": "lesson",
    "security_alert": "constraint",
    "security_note": "constraint",
    "sensitive": "constraint",
}
ENGRAM_KINDS = {
    "decision": "decision",
    "architecture": "architecture",
    "bugfix": "bug-pattern",
    "pattern": "convention",
    "preference": "convention",
    "config": "tooling",
    "policy": "constraint",
    "learning": "lesson",
    "discovery": "lesson",
}
KORVA_KINDS = {
    "decision": "decision",
    "pattern": "convention",
    "bugfix": "bug-pattern",
    "antipattern": "bug-pattern",
    "incident": "bug-pattern",
    "learning": "lesson",
    "discovery": "lesson",
    "feature": "architecture",
    "refactor": "architecture",
    "context": "note",
    "task": "note",
}
RELATIONS = {
    "conflicts_with": "contradicts",
    "contradicts": "contradicts",
    "related": "relates",
    "compatible": "relates",
    "scoped": "relates",
}


def claude_mem(place: Place) -> Contents:
    """Read claude-mem's database, or the JSON of its export script."""
    contents = Contents()
    if not is_sqlite(place.path):
        export = json_object(place.path, place.tool, contents)
        for record in objects(export.get("observations")):
            contents.add(_observation(record, {}))
        _summaries(objects(export.get("summaries")), contents)
        contents.left_out["user prompts"] += len(objects(export.get("prompts")))
        return contents
    with opened(place.path) as database:
        contents.problems = database.problems
        sessions = database.table("sdk_sessions", "platform_source")
        agents = {
            text(first(one, "memory_session_id", "sdk_session_id")): text(one.get("platform_source"))
            for one in (database.rows(sessions) if sessions else ())
        }
        for record in database.rows(database.table("observations", "type", "created_at_epoch")):
            contents.add(_observation(record, agents))
        _summaries(database.rows(database.table("session_summaries", "request", "learned")), contents)
        projects = {
            text(one.get("id")): one.get("name") for one in database.rows(database.table("projects", "id", "name"))
        }
        for record in database.rows(database.table("memory_items", "kind", "legacy_observation_id")):
            _item(record, projects, contents)
        for table, why in (
            ("user_prompts", "user prompts"),
            ("tool_uses", "tool calls"),
            ("pending_messages", WORKING_STATE),
        ):
            _count(database, table, why, contents)
        version = database.value("SELECT max(version) FROM schema_versions")
        contents.version = f"schema {version}" if version else ""
    return contents


def _count(database: Database, table: str, why: str, contents: Contents) -> None:
    if table in database.tables:
        contents.left_out[why] += int(number_of(database.value(f'SELECT count(*) FROM "{table}"')) or 0)  # noqa: S608


def _observation(record: Record, agents: Mapping[str, str]) -> Row:
    facts = listed_facts(record.get("facts"))
    session = text(first(record, "memory_session_id", "sdk_session_id"))
    insight = with_facts(first(record, "narrative", "text"), record.get("facts"))
    subtitle = text(record.get("subtitle")).strip()
    title = first(record, "title", "subtitle") or next(iter(facts), "")
    epoch = first(record, "created_at_epoch", "created_at")
    project = text(record.get("merged_into_project")) or text(record.get("project")).split("/")[0]
    return Row(
        native_id=f"observations/{record.get('id')}",
        key=f"{session}\n{epoch}\n{text(record.get('title')) or insight[:200]}",
        title=title,
        insight=insight or subtitle or text(title),
        rationale="" if subtitle in insight or subtitle == MANUAL else subtitle,
        type=text(record.get("type")) or "observation",
        kind=CLAUDE_MEM_KINDS.get(text(record.get("type")), ""),
        project=project,
        tags=listed(record.get("concepts")),
        files=[*listed(record.get("files_read")), *listed(record.get("files_modified"))],
        created=epoch,
        agent=AGENTS.get(agents.get(session, ""), agents.get(session, "")),
    )


MANUAL = "Manual memory"  # The subtitle of what a person saved by hand
AGENTS = {"claude": "claude-code"}


def _summaries(records: Iterable[Record], contents: Contents) -> None:
    for record in records:
        if not text(record.get("learned")).strip():
            contents.left_out["session summaries that learned nothing"] += 1
            continue
        session = text(first(record, "memory_session_id", "sdk_session_id"))
        epoch = first(record, "created_at_epoch", "created_at")
        contents.add(
            Row(
                native_id=f"session_summaries/{record.get('id')}",
                key=f"summary {session}\n{epoch}\n{text(record.get('request'))}",
                title=record.get("request"),
                insight=record.get("learned"),
                type="summary",
                kind="lesson",
                project=text(record.get("merged_into_project")) or text(record.get("project")).split("/")[0],
                files=[*listed(record.get("files_read")), *listed(record.get("files_edited"))],
                created=epoch,
            )
        )


def _item(record: Record, projects: Mapping[str, Any], contents: Contents) -> None:
    """Add what the server runtime stored, without copies of observations."""
    if record.get("legacy_observation_id") or record.get("kind") not in {"observation", "manual"}:
        contents.left_out["copies, summaries and prompts of the server"] += 1
        return
    row = _observation({**record, "project": projects.get(text(record.get("project_id")), record.get("project"))}, {})
    row.native_id = f"memory_items/{record.get('id')}"
    contents.add(row)


_PART = re.compile(
    r"^\s*(?:[-*]\s+)?\*\*(what|why|where|learned)\*\*\s*:?\s*|^\s*(?:[-*]\s+)?\*\*(what|why|where|learned):\*\*\s*",
    re.IGNORECASE | re.MULTILINE,
)


def _parts(content: str) -> dict[str, str]:
    """Return the parts of `**What**: … **Why**: …`; empty for plain text."""
    found = list(_PART.finditer(content))
    parts: dict[str, str] = {}
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(content)
        name = (match[1] or match[2]).lower()
        parts[name] = "\n".join(filter(None, (parts.get(name, ""), content[match.end() : end].strip())))
    lead = content[: found[0].start()].strip() if found else ""
    if lead:
        parts["what"] = "\n\n".join(filter(None, (lead, parts.get("what", ""))))
    return parts


def engram(place: Place) -> Contents:
    """Read engram's database, its JSON export, or the chunks that it keeps in a repository."""
    contents = Contents()
    if place.path.is_dir():
        _engram_rows(*_chunks(place, contents), contents)
    elif is_sqlite(place.path):
        with opened(place.path) as database:
            contents.problems = database.problems
            sessions = _projects_of(database.rows(database.table("sessions", "id", "project")))
            _engram_rows(
                database.rows(database.table("observations", "content", "normalized_hash")),
                sessions,
                database.rows(database.table("memory_relations", "source_id", "target_id", "relation")),
                contents,
            )
            contents.version = f"schema {database.value('PRAGMA user_version')}"
    else:
        export = json_object(place.path, place.tool, contents)
        contents.version = f"export {text(export.get('version'))}"
        sessions = _projects_of(objects(export.get("sessions")))
        _engram_rows(objects(export.get("observations")), sessions, objects(export.get("relations")), contents)
        contents.left_out["user prompts"] += len(objects(export.get("prompts")))
    return contents


def _projects_of(sessions: Iterable[Record]) -> dict[str, Any]:
    return {text(one.get("id")): first(one, "project", "directory") for one in sessions}


def _engram_rows(
    records: Iterable[Record], sessions: Mapping[str, Any], relations: Iterable[Record], contents: Contents
) -> None:
    for record in records:
        row = _engram_row(record, sessions)
        if record.get("deleted_at") or record.get("deleted") is True:
            row.updated = record.get("deleted_at") or row.updated
            contents.delete(row)
        elif row.type == "session_summary":
            contents.left_out["session summaries"] += 1
        else:
            contents.add(row)
    judged = [one for one in relations if text(one.get("judgment_status")) == "judged"]
    judged.sort(key=lambda one: (one.get("marked_by_kind") == "human", text(first(one, "updated_at", "created_at"))))
    _relate(judged, contents)


def _relate(relations: Iterable[Record], contents: Contents) -> None:
    """Link what was judged; of several judgements about one pair the last counts."""
    last: dict[frozenset[str], Record] = {}
    for one in relations:
        last[frozenset((text(one.get("source_id")), text(one.get("target_id"))))] = one
    for one in last.values():
        relation = text(one.get("relation"))
        if relation == "supersedes":
            contents.supersede(one.get("source_id"), one.get("target_id"), text(one.get("reason")) or "superseded")
        elif relation in RELATIONS:
            weight = share(one.get("confidence"))
            contents.link(
                one.get("source_id"), RELATIONS[relation], one.get("target_id"), 1.0 if weight is None else weight
            )


def _engram_row(record: Record, sessions: Mapping[str, Any]) -> Row:
    content = text(record.get("content"))
    parts = _parts(content)
    told = "\n\n".join(filter(None, (parts.get("what", ""), parts.get("learned", ""))))
    session, kind = text(record.get("session_id")), text(record.get("type")) or "manual"
    named = text(record.get("sync_id")) or f"{session}\n{record.get('created_at')}\n{record.get('title')}"
    personal = text(record.get("scope")) == "personal"
    row = Row(
        native_id=text(record.get("sync_id")) or f"observations/{record.get('id')}",
        key=named,
        title=record.get("title"),
        insight=told or content,
        rationale=parts.get("why", "") if told else "",
        type=kind,
        kind=ENGRAM_KINDS.get(kind, ""),
        project=first(record, "project") or sessions.get(session),
        tags=["personal"] if personal else (),
        files=listed(parts.get("where", "")),
        created=record.get("created_at"),
        updated=record.get("updated_at"),
        due=record.get("review_after"),
        valid_until=record.get("expires_at"),
        pinned=bool(number_of(record.get("pinned"))) or record.get("pinned") is True,
    )
    row.used((number_of(record.get("duplicate_count")) or 1) - 1, record.get("last_seen_at"))
    return row


def _chunks(place: Place, contents: Contents) -> tuple[list[Record], dict[str, Any], list[Record]]:
    """Return the observations, sessions and relations of the chunks, after their mutations, the last word last."""
    manifest = json_object(place.path / "manifest.json", place.tool, contents)
    observations: dict[str, Record] = {}
    sessions: dict[str, Any] = {}
    relations: dict[str, Record] = {}
    for named in objects(manifest.get("chunks")) or [{"id": one} for one in listed(manifest.get("chunks"))]:
        name = text(first(named, "id", "chunk_id", "hash", "name"))
        path = (
            next(iter(sorted((place.path / "chunks").glob(f"{name}.jsonl*"))), None) if _CHUNK.fullmatch(name) else None
        )
        if path is None:
            contents.problems.append(
                Skipped(place.path.as_posix(), None, f"the chunk {name[:40]} is missing", code=SkipCode.MISSING)
            )
            continue
        for chunk in _chunk_values(Place(place.tool, path, place.home), contents):
            sessions |= _projects_of(objects(chunk.get("sessions")))
            for one in objects(chunk.get("observations")):
                observations[text(first(one, "sync_id", "id"))] = one
            for one in sorted(objects(chunk.get("mutations")), key=lambda one: number_of(one.get("seq")) or 0):
                _mutate(one, observations, relations, sessions)
    return list(observations.values()), sessions, list(relations.values())


_CHUNK = re.compile(r"[\w-]{1,64}")


def _chunk_values(place: Place, contents: Contents) -> Iterator[dict[str, Any]]:
    try:
        values = json_values(file_text(place.path), place.path.as_posix(), contents)
    except SourceError as error:
        contents.problems.append(Skipped(place.path.as_posix(), None, error.what, code=SkipCode.UNREADABLE))
        return
    yield from (one for one in values if isinstance(one, dict))


def _mutate(
    mutation: Record, observations: dict[str, Record], relations: dict[str, Record], sessions: dict[str, Any]
) -> None:
    payload = mapping(mutation.get("payload"))
    entity, key = text(mutation.get("entity")), text(mutation.get("entity_key"))
    gone = text(mutation.get("op")) == "delete" or bool(payload.get("deleted") or payload.get("hard_delete"))
    if entity == "observation":
        before = observations.get(key, {"sync_id": key})
        stated = {**before, **{name: value for name, value in payload.items() if value is not None}}
        observations[key] = (
            {**stated, "deleted_at": first(payload, "deleted_at") or mutation.get("occurred_at") or "deleted"}
            if gone
            else stated
        )
    elif entity == "relation":
        relations[key] = {} if gone else payload
    elif entity == "session" and payload:
        sessions |= _projects_of([{"id": key, **payload}])


def korva(place: Place) -> Contents:
    """Read Korva's vault: two of its tables; the others are of teams and telemetry."""
    contents = Contents()
    with opened(place.path) as database:
        contents.problems = database.problems
        for record in database.rows(database.table("observations", "team", "country", "content")):
            row = Row(
                native_id=text(record.get("id")),
                title=record.get("title"),
                insight=record.get("content"),
                type=text(record.get("type")) or "observation",
                kind=KORVA_KINDS.get(text(record.get("type")), ""),
                project=first(record, "project"),
                tags=listed(record.get("tags")),
                created=record.get("created_at"),
            )
            row.used(record.get("duplicate_count"), record.get("last_seen_at"))
            contents.add(row)
        relations = database.rows(database.table("observation_relations", "source_id", "target_id", "relation"))
        _relate(
            (one for one in relations if one.get("judgment_status") == "judged" and one.get("status") == "confirmed"),
            contents,
        )
    return contents
