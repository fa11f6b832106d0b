"""The portable record of a memory and its kin: a JSON object without anything derived.

The same shape serves JSONL, the portable vault, the journal's revisions and `--json`. It holds no
freshness, usefulness, tier, anchor state, version or updated_at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unicodedata import category

from memtui.domain.causes import CAUSES, STONE_CAUSES, Cause, StoneCause, cause_from_words, stone_cause_from_words
from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.kinds import split_project
from memtui.domain.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    LINK_TYPES,
    STATUSES,
    Anchor,
    Link,
    Memory,
    Signal,
    Source,
    Tombstone,
    Verdict,
)

Record = dict[str, Any]

TIME_FIELDS = (
    "created_at",
    "observed_at",
    "confirmed_at",
    "verified_at",
    "valid_from",
    "valid_until",
    "due_at",
    "snoozed_until",
)


class RecordError(ValueError):
    """A record holds a value that a memory cannot take; the message names the key."""

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key  # the key of the record without which it may do; empty if that is not known


def format_time(moment: datetime | None) -> str | None:
    """Return ISO 8601 in UTC with a Z; fractions of a second only where there are any."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_time(value: object, key: str = "time") -> datetime | None:
    """Return a UTC time from ISO 8601 text; a date alone is midnight UTC, no offset is UTC.

    Raises `RecordError`: the value is no such time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    try:
        moment = datetime.fromisoformat(str(value).strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise RecordError(f"{key} is not an ISO 8601 time: {str(value)[:40]!r}", key=key) from None


def memory_record(memory: Memory) -> Record:
    """Return the portable record of a memory, keys in the fixed order, without empty values."""
    record: Record = {"id": memory.id, "project": memory.project, "kind": memory.kind, "status": memory.status}
    if memory.status_reason:
        record["status_reason"] = memory.status_reason
    if memory.put_out_by != _cause(record | {"confirmed_at": memory.confirmed_at}):
        record["cause"] = memory.put_out_by  # else the reason alone says it, as in records of before there were causes
    record["title"] = memory.title
    record["insight"] = memory.insight
    if memory.rationale:
        record["rationale"] = memory.rationale
    if memory.snippet:
        record["snippet"] = memory.snippet
    if memory.anchors:
        record["anchors"] = [_anchor_record(anchor) for anchor in memory.anchors]
    if memory.tags:
        record["tags"] = list(memory.tags)
    if memory.rules:
        record["rules"] = list(memory.rules)
    record["importance"] = memory.importance
    record["confidence"] = memory.confidence
    record["pinned"] = memory.pinned
    return record | _time_record(memory) | _origin_record(memory)


def _time_record(memory: Memory) -> Record:
    moments = {key: getattr(memory, key) for key in TIME_FIELDS}
    return {key: format_time(moment) for key, moment in moments.items() if moment is not None}


def _origin_record(memory: Memory) -> Record:
    record: Record = {}
    for key in ("confirmed_by", "verified_by", "half_life_days"):
        value = getattr(memory, key)
        if value is not None:
            record[key] = value
    if memory.sources:
        record["source"] = source_record(memory.sources[0])
    if len(memory.sources) > 1:
        record["other_sources"] = [source_record(source) for source in memory.sources[1:]]
    return record


def names_a_path(path: str) -> bool:
    """Return whether a text can name a path: it is not blank and holds no control character."""
    return bool(path.strip()) and (path.isprintable() or not any(category(sign) in {"Cc", "Cs"} for sign in path))


def without_odd_anchors(memory: Memory) -> Memory:
    """Return a memory without the anchors that can name no path."""
    if all(names_a_path(anchor.path) for anchor in memory.anchors):
        return memory
    return replace(memory, anchors=tuple(anchor for anchor in memory.anchors if names_a_path(anchor.path)))


def _anchor_record(anchor: Anchor) -> Record:
    return {"path": anchor.path} | ({"content_hash": anchor.content_hash} if anchor.content_hash else {})


def source_record(source: Source) -> Record:
    """Return the record of a source, without empty keys."""
    record: Record = {"format": source.format}
    for key in ("path", "native_id", "agent", "imported_hash"):
        if getattr(source, key) is not None:
            record[key] = getattr(source, key)
    if source.span is not None:
        record["span"] = list(source.span)
    return record


def memory_from_record(record: Mapping[str, Any], *, now: datetime, new_id: str, version: int = 1) -> Memory:
    """Return the memory that a record states; only `insight` is required, a given id is kept.

    Args:
        record: the portable record; unknown keys are ignored, derived keys too.
        now: stands in for a missing `created_at`, and is the memory's `updated_at`.
        new_id: stands in for a missing id.

    Raises:
        RecordError: a value does not fit; the message names its key.
    """
    insight = _text(record, "insight")
    if not insight.strip():
        raise RecordError("insight is missing or empty")
    status = record.get("status") or "active"
    if status not in STATUSES:
        raise RecordError(f"status must be one of {', '.join(STATUSES)}, not {str(status)[:40]!r}", key="status")
    times = {key: parse_time(record.get(key), key) for key in TIME_FIELDS}
    created = times.pop("created_at") or now
    half_life = record.get("half_life_days")
    return Memory(
        id=_text(record, "id").strip() or new_id,
        project=_text(record, "project").strip() or None,
        kind=_text(record, "kind").strip() or "lesson",
        status=status,
        status_reason=_text(record, "status_reason"),
        cause=_cause(record),
        title=_text(record, "title").strip(),
        insight=insight,
        rationale=_text(record, "rationale"),
        snippet=_text(record, "snippet"),
        anchors=tuple(_anchors(record.get("anchors"))),
        tags=tuple(dict.fromkeys(_strings(record.get("tags"), "tags"))),
        rules=tuple(dict.fromkeys(_lines(record.get("rules"), "rules"))),
        importance=int(_number(record, "importance", DEFAULT_IMPORTANCE, 1, 5)),
        confidence=_number(record, "confidence", DEFAULT_CONFIDENCE, 0, 1),
        pinned=_flag(record, "pinned"),
        created_at=created,
        updated_at=now,
        confirmed_by=_text(record, "confirmed_by") or None,
        verified_by=_text(record, "verified_by") or None,
        half_life_days=None
        if half_life is None
        else _number(record, "half_life_days", 1, SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE),
        sources=tuple(_sources(record)),
        version=version,
        **times,
    )


_OTHER_NAMES = {"files": "anchors", "why": "rationale"}


def with_known_names(record: Mapping[str, Any]) -> Record:
    """Return a record whose `files` and `why`, as other tools name them, are called what they are here."""
    renamed = {key: name for key, name in _OTHER_NAMES.items() if key in record and name not in record}
    return {renamed.get(key, key): value for key, value in record.items()}


def link_in_row(identifier: str, link: object) -> Record:
    """Return the record of a link that a memory's row states as `{type, id}` or `{relation, target}`.

    Raises `RecordError`: it is no object, lacks a type or a target, or has an unknown type, or the row has no id.
    """
    if not isinstance(link, dict):
        raise RecordError(f"not an object: {str(link)[:40]!r}")
    if not identifier:
        raise RecordError("the row has no id to link from")
    kind, target = link.get("type") or link.get("relation"), link.get("id") or link.get("target")
    if not kind or not target:
        has = ", ".join(str(key)[:20] for key in list(link)[:_MOST_KEYS]) or "none"
        raise RecordError(f"it needs the keys type and id, or relation and target, and has {has}")
    if kind not in LINK_TYPES:
        raise RecordError(f"its type must be one of {', '.join(LINK_TYPES)}, not {str(kind)[:40]!r}")
    return {"from": identifier, "link": kind, "to": target}


_MOST_KEYS = 6  # Keys of a link that a message names


def _cause(record: Mapping[str, Any]) -> Cause:
    """Return what put the memory of a record out of use; a cause that is not known here counts as none stated."""
    if record.get("status") != "retired":
        return ""
    stated = next((cause for cause in CAUSES if cause == record.get("cause")), None)
    was_in_use = bool(record.get("confirmed_at"))
    return stated or cause_from_words(_text(record, "status_reason"), was_in_use=was_in_use)


def stone_cause(record: Mapping[str, Any]) -> StoneCause:
    """Return what left the tombstone of a typed line."""
    stated = next((cause for cause in STONE_CAUSES if cause == record.get("cause")), None)
    return stated or stone_cause_from_words(_text(record, "reason"))


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError(f"{key} is not text: {str(value)[:40]!r}", key=key)
    return value


def _flag(record: Mapping[str, Any], key: str) -> bool:
    value = record.get(key, False)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise RecordError(f"{key} is neither true nor false: {str(value)[:40]!r}", key=key)
    return value


def _number(record: Mapping[str, Any], key: str, default: float, low: float, high: float) -> float:
    value = record.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RecordError(f"{key} is not a number from {low} to {high}: {str(value)[:40]!r}", key=key)
    return value


def _strings(value: object, key: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return [part for part in value if part]
    raise RecordError(f"{key} is not a list of texts: {str(value)[:40]!r}", key=key)


def _lines(value: object, key: str) -> list[str]:
    """Return texts that may hold commas; a text alone has one a line."""
    if isinstance(value, str):
        return [part.strip() for part in value.split("\n") if part.strip()]
    return _strings(value, key)


def _anchors(value: object) -> list[Anchor]:
    if isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        anchors = []
        for part in value:
            if isinstance(part, str):
                anchors.append(Anchor(part))
            elif isinstance(part, Mapping) and isinstance(part.get("path"), str):
                anchors.append(Anchor(part["path"], _text(part, "content_hash") or None))
            else:
                raise RecordError(f"anchors hold something other than a path: {str(part)[:40]!r}", key="anchors")
        return anchors
    return [Anchor(path) for path in _strings(value, "anchors")]


def _sources(record: Mapping[str, Any]) -> list[Source]:
    sources = []
    others = record.get("other_sources") or []
    if not isinstance(others, list):
        raise RecordError("other_sources is not a list", key="other_sources")
    for value in (record.get("source"), *others):
        if value is None:
            continue
        if isinstance(value, str):
            sources.append(Source(format=value))
            continue
        if not isinstance(value, Mapping):
            raise RecordError(f"source is not an object: {str(value)[:40]!r}", key="source")
        sources.append(
            Source(
                format=_text(value, "format") or "memtui",
                path=_text(value, "path") or None,
                span=_span(value.get("span")),
                native_id=_text(value, "native_id") or None,
                agent=_text(value, "agent") or None,
                imported_hash=_text(value, "imported_hash") or None,
            )
        )
    return sources


def _span(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and all(type(line) is int for line in value):  # noqa: PLR2004 - a pair
        return (value[0], value[1])
    raise RecordError(f"span is not a pair of line numbers: {str(value)[:40]!r}")


def link_record(link: Link) -> Record:
    return {
        "type": "link",
        "from": link.from_id,
        "link": link.type,
        "to": link.to_id,
        "weight": link.weight,
        "origin": link.origin,
        "created_at": format_time(link.created_at),
    }


def verdict_record(verdict: Verdict) -> Record:
    return {
        "type": "verdict",
        "memory": verdict.memory_id,
        "verdict": verdict.verdict,
        "at": format_time(verdict.at),
        "actor": verdict.actor,
        "exposure_days": verdict.exposure_days,
    } | ({"reason": verdict.reason} if verdict.reason else {})


def signal_record(signal: Signal) -> Record:
    record: Record = {
        "type": "signal",
        "memory": signal.memory_id,
        "signal": signal.signal,
        "at": format_time(signal.at),
        "actor": signal.actor,
        "weight": signal.weight,
    }
    if signal.pack_id:
        record["pack"] = signal.pack_id
    if signal.reason:
        record["reason"] = signal.reason
    return record


def tombstone_record(tombstone: Tombstone) -> Record:
    record: Record = {
        "type": "tombstone",
        "content_hash": tombstone.content_hash,
        "project": tombstone.project,
        "memory": tombstone.memory_id,
        "at": format_time(tombstone.at),
        "actor": tombstone.actor,
    }
    if tombstone.reason:
        record["reason"] = tombstone.reason
    if tombstone.cause != stone_cause(record):
        record["cause"] = tombstone.cause
    return record


def half_life_record(name: str, days: float) -> Record:
    """Return the typed line of a half-life that was applied to a kind, or to a kind in one project.

    `name`: the kind, or what `memtui.domain.kinds.in_project` makes of kind and project.
    """
    kind, project = split_project(name)
    return {"type": "half-life", "kind": kind} | ({"project": project} if project else {}) | {"half_life_days": days}
