"""The target `json`: one object, one memory per line, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memtui.pack.targets.base import (
    NOTE,
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    grouped,
    join,
)


class JsonTarget:
    """A JSON object with the note and the memories."""

    name = "json"
    label = "JSON"
    media = "application/json"

    def pieces(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        """Return the parts of the payload in order; none for no items."""
        if not items:
            return []
        ordered = [item for _, group in grouped(items) for item in group]
        head = f'{{"project": {_dump(info.project)}, "note": {_dump(NOTE)}, "memories": [\n'
        pieces = [Piece(head)]
        for item in ordered:
            end = "\n" if item is ordered[-1] else ",\n"
            pieces.append(Piece(_dump(_record(item)) + end, item.memory.id))
        return [*pieces, Piece("]}\n")]

    def render(self, items: Sequence[PackItem], info: PayloadInfo) -> str:
        """Return the payload; empty for no items."""
        return join(self.pieces(items, info))


def _record(item: PackItem) -> dict[str, Any]:
    memory = item.memory
    record: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind,
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
    record["verified"] = f"{memory.verified_at:%Y-%m-%d}" if memory.verified_at else None
    record["from"] = f"{memory.observed_at or memory.created_at:%Y-%m-%d}"
    return record


def _state(state: str | None) -> dict[str, str]:
    return {"state": state} if state else {}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
