"""memorix: observations, the skills and long-term memories that it made of them, and its claims."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, Record, Row, first, listed, objects, text, with_facts
from memtui.capture.stores.sqlite_copy import is_sqlite, opened
from memtui.capture.stores.text_files import file_text, json_values

MEMORIX_KINDS = {
    "gotcha": "bug-pattern",
    "problem-solution": "bug-pattern",
    "how-it-works": "architecture",
    "what-changed": "note",
    "discovery": "lesson",
    "why-it-exists": "decision",
    "decision": "decision",
    "trade-off": "decision",
    "reasoning": "decision",
}


def memorix(place: Place) -> Contents:
    """Read memorix's database, or the JSON of its export."""
    contents = Contents()
    if not is_sqlite(place.path):
        values = json_values(file_text(place.path), place.path.as_posix(), contents)
        whole = values[0] if len(values) == 1 else values
        export = whole if isinstance(whole, dict) else {"observations": whole}
        contents.version = f"export {export['version']}" if export.get("version") else ""
        _memorix_observations(objects(export.get("observations")), contents)
        return contents
    with opened(place.path) as database:
        contents.problems = database.problems
        _memorix_observations(database.rows(database.table("observations", "narrative", "projectId")), contents)
        for record in database.rows(database.table("mini_skills", "instruction")):
            _mini_skill(record, contents)
        for record in database.rows(database.table("long_term_memories", "content", "state")):
            _long_term(record, contents)
        for record in database.rows(database.table("knowledge_claims", "subject", "predicate")):
            _claim(record, contents)
        contents.version = "1.7" if "long_term_memories" in database.tables else "1.0"
    return contents


def _memorix_key(project: object, identifier: object) -> str:
    return f"observation\n{text(project)}\n{text(identifier)}"


def _memorix_observations(records: Iterable[Record], contents: Contents) -> None:
    for record in records:
        kind, state = text(record.get("type")), text(record.get("status")) or "active"
        if kind == "session-request":
            contents.left_out["session requests"] += 1
            continue
        done = state in {"resolved", "archived"}
        contents.add(
            Row(
                native_id=f"observation/{record.get('id')}",
                key=_memorix_key(record.get("projectId"), record.get("id")),
                title=record.get("title"),
                insight=with_facts(record.get("narrative"), record.get("facts")),
                type=kind or "observation",
                kind=MEMORIX_KINDS.get(kind, ""),
                project=record.get("projectId"),
                tags=listed(record.get("concepts")),
                files=listed(record.get("filesModified")),
                created=record.get("createdAt"),
                updated=record.get("updatedAt"),
                importance={"core": 5, "ephemeral": 2}.get(text(record.get("valueCategory"))),
                status="retired" if done else "",
                reason=state if done else "",
            )
        )


def _mini_skill(record: Record, contents: Contents) -> None:
    row = Row(
        native_id=f"mini_skill/{record.get('id')}",
        key=f"mini_skill\n{record.get('projectId')}\n{record.get('id')}",
        title=record.get("title"),
        insight=with_facts(record.get("instruction"), record.get("facts")),
        rationale=first(record, "trigger_desc", "trigger"),
        type="mini-skill",
        kind="convention",
        project=record.get("projectId"),
        tags=listed(record.get("tags")),
        created=record.get("createdAt"),
    )
    row.used(record.get("usedCount"), record.get("lastUsedAt"))
    contents.add(row)
    for one in listed(record.get("sourceObservationIds")):
        contents.link(row.key, "derived-from", _memorix_key(record.get("projectId"), one))


LONG_TERM_STATES = {
    "candidate": "candidate",
    "qualified": "candidate",
    "archived": "retired",
    "superseded": "superseded",
}


def _long_term(record: Record, contents: Contents) -> None:
    state, kind = text(record.get("state")), text(record.get("kind"))
    status = LONG_TERM_STATES.get(state, "")
    row = Row(
        native_id=text(record.get("id")),
        title=record.get("title"),
        insight=with_facts(record.get("content"), record.get("factsJson")),
        type=f"long-term {kind}".strip(),
        kind={"procedural": "convention", "episodic": "note"}.get(kind, ""),
        project=record.get("originProjectId"),
        is_global=record.get("scope") == "user",
        tags=listed(record.get("tagsJson")),
        created=record.get("createdAt"),
        verified=record.get("lastValidatedAt"),
        status=status,
        reason=state if status in {"retired", "superseded"} else "",
    )
    row.used(record.get("accessCount"), first(record, "lastAccessedAt", "updatedAt"))
    contents.add(row)
    if record.get("supersededBy"):
        contents.supersede(record.get("supersededBy"), row.key)


def _claim(record: Record, contents: Contents) -> None:
    review, state = text(record.get("reviewState")), text(record.get("status"))
    waits = review in {"needs-review", "draft"} or state in {"disputed", "unknown"}
    status = (
        "superseded" if state == "superseded" else "retired" if review == "rejected" else "candidate" if waits else ""
    )
    words = (record.get("subject"), record.get("predicate"), record.get("objectValue"))
    row = Row(
        native_id=text(record.get("id")),
        insight=" ".join(text(word).strip() for word in words if text(word).strip()),
        type="claim",
        project=record.get("projectId"),
        is_global=record.get("scope") == "user",
        created=record.get("createdAt"),
        confidence=record.get("confidence"),
        valid_from=record.get("validFrom"),
        valid_until=record.get("validTo"),
        status=status,
        reason="rejected" if status == "retired" else "",
    )
    contents.add(row)
    if record.get("supersededBy"):
        contents.supersede(record.get("supersededBy"), row.key)
