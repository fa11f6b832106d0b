"""The branch's file of links, verdicts, tombstones and settings: one JSON line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from memtui.capture.readers.own_formats import clean
from memtui.domain.record import Record
from memtui.publish.files import dump_line
from memtui.sync.carrier import Outgoing
from memtui.sync.wire import LINK, TOMBSTONE, VERDICT, key_of, memories_of
from memtui.vault.packs import RECIPE
from memtui.vault.rows import HALF_LIFE
from memtui.vault.teams import Share, Thing

_KIN = frozenset({LINK, VERDICT, TOMBSTONE, HALF_LIFE, RECIPE})


def kin_of_records(data: bytes) -> dict[Thing, Record]:
    found: dict[Thing, Record] = {}
    for line in _lines(data):
        record = _kin_line(line)
        if record is not None:
            found[_placed_key(record)] = record
    return found


def _lines(data: bytes) -> list[str]:
    """Return the lines that are not blank; other line ends than a line feed may stand within a text."""
    return [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]


def _kin_line(line: str) -> Record | None:
    """Return the record of a line that is shared; None for signals, other tools' lines and broken ones."""
    try:
        record = clean(json.loads(line))
        if isinstance(record, dict) and record.get("type") in _KIN:
            key_of(record)
            return record
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return None


def _placed_key(record: Record) -> Thing:
    """Return the key of a line among all projects: settings of two projects have the same key on the wire."""
    entity, key = key_of(without_project(record))
    return (entity, f"{key} {record.get('project') or ''}") if entity in {HALF_LIFE, RECIPE} else (entity, key)


def without_project(record: Record) -> Record:
    if record["type"] == TOMBSTONE:
        return {**record, "project": None}
    return {key: value for key, value in record.items() if key != "project"}


def _with_project(record: Record, share: Share) -> Record:
    if record["type"] == TOMBSTONE:
        return {**record, "project": share.remote or None}
    if record["type"] == HALF_LIFE and share.remote not in {"", "global"}:
        return {"type": HALF_LIFE, "kind": record["kind"], "project": share.remote, **record}
    if record["type"] == RECIPE and share.remote:
        return {"type": RECIPE, "name": record["name"], "project": share.remote, **record}
    return record


def belongs(thing: Thing, record: Record, share: Share, memories: Mapping[str, object]) -> bool:
    """Return whether a line belongs to a shared project: by what it states, else by its memory."""
    if record["type"] in {HALF_LIFE, RECIPE}:
        default = "global" if record["type"] == HALF_LIFE else ""
        return str(record.get("project") or default) == share.remote
    if record["type"] == TOMBSTONE:
        return str(record.get("project") or "") == share.remote
    return memories_of(thing)[0] in memories


def with_kin(before: bytes, share: Share, items: Iterable[Outgoing]) -> bytes:
    """Return the records file with some lines changed; lines of others stay as they are."""
    lines = {_line_key(line): line for line in _lines(before)}
    for item in items:
        entity, key = item.thing
        place: object = (entity, f"{key} {share.remote}") if entity in {HALF_LIFE, RECIPE} else item.thing
        if entity == HALF_LIFE and share.remote == "global":
            place = (entity, f"{key} ")
        lines.pop(place, None)
        if item.record is not None:
            lines[place] = dump_line(_with_project(item.record, share))
    return "".join(f"{line}\n" for line in sorted(lines.values(), key=_order)).encode("utf-8", "replace")


_ORDER = (LINK, VERDICT, "signal", TOMBSTONE, HALF_LIFE, RECIPE)


def _order(line: str) -> tuple[int, str]:
    record = _kin_line(line) or {}
    entity = str(record.get("type"))
    return (_ORDER.index(entity) if entity in _ORDER else len(_ORDER), line)


def _line_key(line: str) -> object:
    record = _kin_line(line)
    return line if record is None else _placed_key(record)
