"""The target `json`: one object, one memory per line, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memtui.pack.targets.base import (
    COMPILED_NOTE,
    NOTE,
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    grouped,
    short_ids,
    status_words,
)


def write_json(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    ordered = [item for _, group in grouped(items) for item in group]
    compiled = info.style == "compiled"
    ids = short_ids(items) if compiled else {}
    note = COMPILED_NOTE if compiled else NOTE
    project = clean_line(info.project) if info.project else None
    head = f'{{"project": {_dump(project)}, "note": {_dump(note)}, "memories": [\n'
    pieces = [Piece(head)]
    for item in ordered:
        record = _compiled_record(item, ids[item.memory.id]) if compiled else _record(item)
        pieces.append(Piece(_dump(record) + ("\n" if item is ordered[-1] else ",\n"), item.memory.id))
    return [*pieces, Piece("]}\n")]


def _compiled_record(item: PackItem, short_id: str) -> dict[str, Any]:
    memory = item.memory
    record: dict[str, Any] = {"id": short_id, "kind": clean_line(memory.kind), "text": clean_line(memory.insight)}
    if memory.snippet.strip():
        record["snippet"] = clean(memory.snippet).strip("\n")
    if memory.anchors:
        record["files"] = [clean_line(anchor.path) for anchor in memory.anchors]
    return record


def _record(item: PackItem) -> dict[str, Any]:
    memory = item.memory
    record: dict[str, Any] = {
        "id": memory.id,
        "kind": clean_line(memory.kind),
        "title": clean_line(memory.title),
        "insight": clean(memory.insight).strip("\n"),
    }
    if memory.rationale.strip():
        record["rationale"] = clean(memory.rationale).strip()
    if memory.snippet.strip():
        record["snippet"] = clean(memory.snippet).strip("\n")
    if memory.anchors:
        record["files"] = [
            {"path": clean_line(anchor.path)} | _state(item.states.get(anchor.path)) for anchor in memory.anchors
        ]
    if memory.status == "candidate":
        record["confirmed"] = False
    status = status_words(memory, item.status)
    if status:
        record["status"] = status
    record["verified"] = f"{memory.verified_at:%Y-%m-%d}" if memory.verified_at else None
    record["from"] = f"{memory.observed_at or memory.created_at:%Y-%m-%d}"
    return record


def _state(state: str | None) -> dict[str, str]:
    return {"state": state} if state else {}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
