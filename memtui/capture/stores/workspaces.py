"""Stores that lie in a repository, or belong to one: ConPort, beads, cass_memory_system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import (
    MOST_SIGNALS,
    WORKING_STATE,
    Contents,
    Record,
    Row,
    first,
    listed,
    loaded,
    number_of,
    objects,
    text,
)
from memtui.capture.stores.sqlite_copy import Database, is_sqlite, opened
from memtui.capture.stores.text_files import json_lines, yaml_value
from memtui.errors import SourceError

LINKS = {
    "supersedes": "supersedes",
    "replaces": "supersedes",
    "contradicts": "contradicts",
    "conflicts_with": "contradicts",
    "derived_from": "derived-from",
    "based_on": "derived-from",
}


def conport(place: Place) -> Contents:
    """Read ConPort's database of one workspace."""
    contents = Contents()
    with opened(place.path) as database:
        contents.problems = database.problems
        names: dict[str, str] = {}
        for row, record in _conport_rows(database, names):
            row.key, row.project = f"{place.project or ''}\n{row.native_id}", place.project
            row.tags = row.tags or listed(record.get("tags"))
            row.created = record.get("timestamp")
            contents.add(row)
        for table, why in (("active_context", WORKING_STATE), ("progress_entries", "task progress")):
            contents.left_out[why] += sum(1 for _ in database.rows(table))
        for record in database.rows(database.table("context_links", "source_item_type", "target_item_type")):
            start, end = (
                _item(record.get(f"{side}_item_type"), record.get(f"{side}_item_id"), names, place.project or "")
                for side in ("source", "target")
            )
            relation = LINKS.get(text(record.get("relationship_type")).lower().replace("-", "_"), "relates")
            contents.relate(start, relation, end, text(record.get("description")))
        version = database.value("SELECT version_num FROM alembic_version")
        contents.version = f"schema {version}" if version else ""
    return contents


def _conport_rows(database: Database, names: dict[str, str]) -> Iterator[tuple[Row, Record]]:
    """Yield what becomes a memory, with its record; puts the names of custom data under their numbers."""
    for one in database.rows(database.table("decisions", "summary", "rationale")):
        told = first(one, "implementation_details", "summary")
        name = f"decision/{one.get('id')}"
        title, why = one.get("summary"), one.get("rationale")
        yield Row(native_id=name, title=title, insight=told, rationale=why, type="decision", kind="decision"), one
    for one in database.rows(database.table("system_patterns", "name", "description")):
        told = first(one, "description", "name")
        name = f"system_pattern/{one.get('id')}"
        yield Row(native_id=name, title=one.get("name"), insight=told, type="pattern", kind="convention"), one
    for one in database.rows(database.table("custom_data", "category", "key", "value")):
        category, key, told = text(one.get("category")), one.get("key"), _fields(one.get("value"))
        name = names[text(one.get("id"))] = f"custom_data/{category}/{text(key)}"
        kind = "note" if "glossary" in category.lower() else "tooling"
        yield Row(native_id=name, title=key, insight=told, type="custom data", kind=kind, tags=[category]), one
    for one in database.rows(database.table("product_context", "content")):
        if told := _fields(one.get("content")):
            kind, title = "architecture", "Product context"
            yield Row(native_id="product_context", title=title, insight=told, type="product context", kind=kind), one


def _item(kind: object, identifier: object, names: dict[str, str], space: str) -> str:
    named = text(identifier)
    if text(kind) == "custom_data":
        return f"{space}\n{names.get(named, named)}"
    return f"{space}\n{text(kind)}/{named}"


def _fields(value: object) -> str:
    """Return a JSON value as text: a text as it is, an object one field a line."""
    found = loaded(value)
    if found is None:
        return text(value)
    if isinstance(found, dict):
        if set(found) <= {"text", "value", "content", "description"} and len(found) == 1:
            return text(next(iter(found.values())))
        return "\n".join(f"{key}: {_inline(item)}" for key, item in found.items() if item not in (None, "", [], {}))
    return _inline(found)


def _inline(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_inline(one) for one in value)
    return (
        "; ".join(f"{key}: {_inline(item)}" for key, item in value.items()) if isinstance(value, dict) else text(value)
    )


DEPENDENCIES = {
    "supersedes": "supersedes",
    "duplicates": "duplicates",
    "related": "relates",
    "relates-to": "relates",
    "relates_to": "relates",
    "discovered-from": "derived-from",
}
LEAST_WORDS = 3  # Of a reason for closing that says what was learned


def beads(place: Place) -> Contents:
    """Read the issues that beads exports: memories, decisions, pinned issues, and bugs closed with an explanation."""
    contents = Contents()
    known = False
    records = _beads_database(place, contents) if is_sqlite(place.path) else json_lines(place.path, contents)
    for record in records:
        if record.get("_type") == "memory" or ({"key", "value"} <= record.keys() and "title" not in record):
            name = f"memory/{text(record.get('key'))}"
            contents.add(
                Row(
                    native_id=name,
                    key=_issue_key(place, name),
                    insight=record.get("value"),
                    type="memory",
                    project=place.project,
                )
            )
        elif "id" in record and ("title" in record or "status" in record):
            _issue(record, place, contents)
        else:
            continue
        known = True
    if not known:
        raise SourceError("The file contains no beads issues", where=str(place.path))
    return contents


def _beads_database(place: Place, contents: Contents) -> list[dict[str, Any]]:
    with opened(place.path) as database:
        contents.problems = database.problems
        issues = {text(one.get("id")): one for one in database.rows(database.table("issues", "title", "issue_type"))}
        for table, key in (("labels", "labels"), ("dependencies", "dependencies"), ("comments", "comments")):
            for one in database.rows(database.table(table, "issue_id")):
                if text(one["issue_id"]) in issues:
                    issues[text(one["issue_id"])].setdefault(key, []).append(
                        one.get("label", "") if key == "labels" else one
                    )
    return list(issues.values())


_MUST = re.compile(r"\b(?:must|never|always|only|do not|don't|required?)\b", re.IGNORECASE)  # Words of a rule


def _issue(record: Record, place: Place, contents: Contents) -> None:
    kind, state = text(first(record, "issue_type", "type")), text(record.get("status"))
    pinned = state == "pinned" or bool(record.get("pinned"))
    is_lesson = _is_lesson(record, kind, state)
    closed = record.get("close_reason") if is_lesson and not pinned else None
    told = text(closed or first(record, "description", "title"))
    row = Row(
        native_id=text(record["id"]),
        key=_issue_key(place, text(record["id"])),
        title=record.get("title"),
        insight=told,
        rationale=_why(record, told),
        type=kind or "issue",
        kind=_issue_kind(kind, told, is_lesson=is_lesson),
        project=place.project,
        tags=listed(record.get("labels")),
        created=record.get("created_at"),
        updated=first(record, "deleted_at", "updated_at"),
        importance=_importance(record.get("priority")),
        pinned=pinned,
    )
    if state == "tombstone" or record.get("deleted_at"):
        contents.delete(row)
        return
    if not (pinned or kind == "decision" or is_lesson):
        contents.left_out["work items"] += 1
        return
    contents.add(row)
    for one in objects(record.get("dependencies")):
        other = _issue_key(place, text(first(one, "depends_on_id", "to")))
        contents.relate(row.key, DEPENDENCIES.get(text(one.get("type")), ""), other)


def _issue_key(place: Place, native_id: str) -> str:
    return f"{place.project or ''}\n{native_id}"


def _is_lesson(record: Record, kind: str, state: str) -> bool:
    """Return whether the reason for closing an issue may say what was learned."""
    return kind == "bug" and state == "closed" and len(text(record.get("close_reason")).split()) >= LEAST_WORDS


def _why(record: Record, told: str) -> str:
    """Return the parts of an issue beside what it tells, one below the other."""
    parts = [text(record.get(key)) for key in ("description", "design", "notes")]
    parts += [text(one.get("text")) for one in objects(record.get("comments"))]
    return "\n\n".join(part for part in parts if part.strip() and part != told)


def _issue_kind(kind: str, told: str, *, is_lesson: bool) -> str:
    if kind == "decision" or is_lesson:
        return "decision" if kind == "decision" else "bug-pattern"
    return "constraint" if _MUST.search(told) else "note"


def _importance(priority: object) -> int | None:
    """Return the importance of a priority, of which 0 is the highest."""
    found = number_of(priority)
    return None if found is None else min(5, max(1, int(5 - found)))


CASS_KINDS = {
    "project_convention": "convention",
    "workflow_rule": "convention",
    "stack_pattern": "lesson",
    "anti_pattern": "bug-pattern",
}
MATURITIES = {"candidate": 0.5, "established": 0.7, "proven": 0.9, "deprecated": 0.2}
USUAL_HALF_LIFE = 90
FEEDBACK = {"helpful": "helped", "harmful": "hurt"}


def cass(place: Place) -> Contents:
    """Read a playbook of cass_memory_system, and beside it what was forgotten for good."""
    contents = Contents()
    book = yaml_value(place.path, contents)
    if not isinstance(book, dict) or not isinstance(book.get("bullets", []), list | None):
        raise SourceError("Not a cass_memory_system playbook", where=str(place.path))
    contents.version = f"schema {text(book.get('schema_version'))}" if book.get("schema_version") else ""
    bullets = objects(book.get("bullets"))
    for record in bullets:
        _bullet(record, place, contents)
    for record in objects(book.get("deprecatedPatterns")):
        pattern = text(record.get("pattern"))
        why = text(record.get("reason")) or "deprecated"
        told = "\n\n".join(
            filter(None, (pattern, text(record.get("replacement")) and f"Instead: {text(record.get('replacement'))}"))
        )
        contents.add(
            Row(
                native_id=f"deprecated/{pattern[:80]}",
                key=f"deprecated\n{pattern}",
                insight=told,
                type="deprecated pattern",
                is_global=place.repository is None,
                project=place.project,
                created=record.get("deprecatedAt"),
                status="retired",
                reason=why,
            )
        )
    _blocked(place.path.with_name("blocked.log"), {text(one.get("id")) for one in bullets}, contents)
    return contents


def _blocked(path: Path, kept: Iterable[str], contents: Contents) -> None:
    """Note what was forgotten for good and is no longer in the playbook."""
    if path.is_file():
        known = set(kept)
        for record in json_lines(path, contents):
            if text(record.get("id")) not in known:
                contents.delete(
                    Row(
                        native_id=text(record.get("id")),
                        insight=record.get("content"),
                        updated=record.get("forgottenAt"),
                        is_global=True,
                    )
                )


def _bullet(record: Record, place: Place, contents: Contents) -> None:
    workspace = text(record.get("workspace")) or (place.project if record.get("scope") == "workspace" else None)
    half_life = number_of(record.get("confidenceDecayHalfLifeDays"))
    row = Row(
        native_id=text(record.get("id")),
        insight=record.get("content"),
        rationale=record.get("reasoning"),
        type=text(first(record, "kind", "type")),
        kind=_bullet_kind(record),
        project=workspace,
        is_global=not workspace,
        tags=[*listed(record.get("tags")), *filter(None, (text(record.get(key)) for key in ("category", "scopeKey")))],
        created=record.get("createdAt"),
        updated=record.get("updatedAt"),
        verified=record.get("lastValidatedAt"),
        confidence=MATURITIES.get(text(record.get("maturity"))),
        pinned=record.get("pinned") is True,
        half_life=None if half_life == USUAL_HALF_LIFE else half_life,
        signals=_feedback(record),
    )
    newer = text(record.get("replacedBy"))
    if _is_retired(record):
        row.status = "retired"
        row.reason = text(record.get("deprecationReason")) or ("replaced" if newer else "retired")
    contents.add(row)
    if newer and row.status:
        contents.supersede(newer, row.key)


def _bullet_kind(record: Record) -> str:
    if record.get("type") == "anti-pattern" or record.get("isNegative") is True:
        return "bug-pattern"
    return CASS_KINDS.get(text(record.get("kind")), "")


def _is_retired(record: Record) -> bool:
    return (
        record.get("state") == "retired" or record.get("maturity") == "deprecated" or record.get("deprecated") is True
    )


def _feedback(record: Record) -> list[tuple[str, object]]:
    """Return what helped and hurt, with its times; where only a counter says so, with that of the last change."""
    events = [one for one in objects(record.get("feedbackEvents")) if text(one.get("type")) in FEEDBACK]
    signals: list[tuple[str, object]] = [(FEEDBACK[text(one["type"])], one.get("timestamp")) for one in events]
    for name, counter in (("helped", "helpfulCount"), ("hurt", "harmfulCount")):
        stated = sum(1 for signal, _ in signals if signal == name)
        more = int(number_of(record.get(counter)) or 0) - stated
        signals += [(name, first(record, "updatedAt", "createdAt"))] * min(more, MOST_SIGNALS)
    return signals
