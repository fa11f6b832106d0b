"""What a store of another tool holds, in one shape for all tools, and the values that they write."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from memtui.capture.draft import Skipped

Record = Mapping[str, Any]

MILLISECONDS = 100_000_000_000  # Numbers from here on are milliseconds, smaller ones seconds (1973 and 5138)
MICROSECONDS = 100_000_000_000_000

DELETED = "deleted there"
WORKING_STATE = "working state, not a memory"


@dataclass(slots=True, kw_only=True)
class Row:
    """One memory as a store states it: texts as they are, times and lists in whatever form the tool writes."""

    native_id: str  # how the tool names it; what a person sees
    key: str = ""  # what it is recognised by at the next import; by default the native id
    insight: object = ""
    title: object = ""
    rationale: object = ""
    snippet: object = ""
    type: str = ""  # the tool's own word for its kind
    kind: str = ""  # memtui's kind; empty: guessed from the words
    project: object = None  # a name, path or `owner/repository`; None: unassigned
    is_global: bool = False
    tags: object = ()
    files: object = ()
    created: object = None
    updated: object = None
    verified: object = None
    due: object = None
    valid_from: object = None
    valid_until: object = None
    importance: object = None
    confidence: object = None
    half_life: object = None
    pinned: bool = False
    status: str = ""  # empty for what is in use there
    reason: str = ""  # of the status
    agent: str = ""
    heading: str = ""  # what its title is read below, such as the name of an entity
    signals: list[tuple[str, object]] = field(default_factory=list)  # (type, when)
    path: Path | None = None  # its file, if it is not the store's

    def used(self, number: object, when: object, signal: str = "referenced") -> None:
        """Note uses that the tool only counts."""
        self.signals += [(signal, when or self.created)] * min(int(number_of(number) or 0), MOST_SIGNALS)


LONGEST_TEXT = 1_000_000
"""Characters of a memory; what is longer is data that nobody reads and no payload has room for."""
TOO_LONG = f"longer than {LONGEST_TEXT:,} characters"

MOST_SIGNALS = 100  # Of one memory; more say nothing more


@dataclass(slots=True)
class Contents:
    """What a store holds."""

    rows: list[Row] = field(default_factory=list)
    links: list[tuple[str, str, str, float]] = field(default_factory=list)  # (from, type, to, weight), by key
    deleted: list[Row] = field(default_factory=list)  # with the time of deletion as `updated`, if it is known
    left_out: Counter[str] = field(default_factory=Counter)  # rows by the reason why they are no memories
    problems: list[Skipped] = field(default_factory=list)  # what could not be read
    version: str = ""  # of the tool or its schema, where the store states it
    once_a_pair: bool = False  # whether it states each relation from both ends
    superseded: dict[str, str] = field(default_factory=dict)  # reasons by key

    def add(self, row: Row) -> None:
        """Add a row, with its own id as its key unless it has another."""
        row.key = row.key or row.native_id or text(row.insight)
        if not text(row.insight).strip():
            self.left_out["without text"] += 1
        elif sum(len(text(value)) for value in (row.insight, row.rationale, row.snippet)) > LONGEST_TEXT:
            self.left_out[TOO_LONG] += 1
        else:
            self.rows.append(row)

    def delete(self, row: Row) -> None:
        """Note a row that was deleted there."""
        row.key = row.key or row.native_id or text(row.insight)
        self.deleted.append(row)
        self.left_out[DELETED] += 1

    def link(self, start: object, kind: str, end: object, weight: float = 1.0) -> None:
        """Add a link between two rows."""
        first, last = text(start), text(end)
        if first and last and first != last:
            self.links.append((first, kind, last, weight))

    def supersede(self, newer: object, older: object, reason: str = "superseded") -> None:
        """Link a newer row to the one that it supersedes, whose status becomes superseded when all are read."""
        self.link(newer, "supersedes", older)
        self.superseded.setdefault(text(older), reason)

    def relate(self, start: object, kind: str, end: object, reason: str = "") -> None:
        """Add a link of a kind that may be `supersedes`; none without a kind."""
        if kind == "supersedes":
            self.supersede(start, end, reason or "superseded")
        elif kind:
            self.link(start, kind, end)

    def settle(self) -> None:
        """Give superseded rows their status, whatever their own columns say, and drop links that are there twice."""
        for row in self.rows:
            if row.key in self.superseded:
                row.status, row.reason = "superseded", row.reason or self.superseded[row.key]
        seen: set[tuple[str, str, str]] = set()
        kept = []
        for start, kind, end, weight in self.links:
            if (start, kind, end) not in seen:
                kept.append((start, kind, end, weight))
            seen.add((start, kind, end))
            if self.once_a_pair:
                seen.add((end, kind, start))
        self.links = kept


def text(value: object) -> str:
    """Return a value as text: bytes are decoded, objects written as JSON, None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def loaded(value: object) -> Any:
    """Return the value of a JSON text; None if it is none."""
    try:
        return json.loads(text(value)) if isinstance(value, str | bytes) else value
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, Any]:
    """Return an object, or one in JSON text; empty if it is none."""
    found = loaded(value)
    return found if isinstance(found, dict) else {}


def listed(value: object) -> list[str]:
    """Return a list of texts: a list, one in JSON text, or a text with commas."""
    if isinstance(value, str | bytes):
        written = text(value).strip()
        value = loaded(written) if written[:1] in {"[", "{", '"'} else None
        if value is None:
            value = written.strip("[]").split(",") if written not in {"", "null"} else ()
    if isinstance(value, Mapping) or not isinstance(value, Iterable) or isinstance(value, str):
        value = [value] if isinstance(value, str) else ()
    return [item for part in value if (item := text(part).strip())]


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; everything else in it is left out."""
    found = loaded(value)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def number_of(value: object) -> float | None:
    """Return a number, also one in text; None if it is none."""
    if value is None or value == "":
        return None
    try:
        found = float(text(value)) if not isinstance(value, bool) else None
    except ValueError:
        return None
    return found if found is not None and abs(found) < float("inf") else None


def share(value: object) -> float | None:
    """Return a number from 0 to 1; None if it is none."""
    found = number_of(value)
    return found if found is not None and 0 <= found <= 1 else None


def moment(value: object) -> datetime | None:
    """Return a UTC time from ISO text, a date, or a number of seconds or milliseconds; None if it is none of these."""
    if value is None or value == "":
        return None
    number = None if isinstance(value, date) else number_of(value)
    try:
        if isinstance(value, datetime):
            found = value
        elif isinstance(value, date):
            found = datetime.combine(value, time(), UTC)
        elif number is not None:
            scale = 1_000_000 if number >= MICROSECONDS else 1000 if number >= MILLISECONDS else 1
            found = datetime.fromtimestamp(number / scale, UTC)
        else:
            found = datetime.fromisoformat(_FRACTION.sub(r"\1", text(value).strip()))
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found > _EPOCH else None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Nothing was written before; a number of 0 and the year 1 say that there is no time."""


_FRACTION = re.compile(r"(\.\d{6})\d+")


def first(record: Record, *names: str) -> Any:
    """Return the first value of these names that says something; None if there is none."""
    return next((record[name] for name in names if record.get(name) not in (None, "", [], {})), None)


def with_facts(body: object, facts: object) -> str:
    """Return a text with the facts that it does not hold yet, as a list."""
    told = text(body).strip()
    fresh = [fact for fact in listed_facts(facts) if fact not in told]
    return "\n\n".join(filter(None, (told, "\n".join(f"- {fact}" for fact in fresh))))


def listed_facts(facts: object) -> list[str]:
    """Return facts, each once; a text that is no JSON is one fact."""
    found = loaded(facts)
    if isinstance(found, list):
        return list(dict.fromkeys(item for part in found if (item := text(part).strip())))
    return [text(facts).strip()] if text(facts).strip() not in {"", "null", "[]"} else []
