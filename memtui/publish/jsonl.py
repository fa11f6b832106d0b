"""memtui's own JSONL: one typed line per memory, link, verdict, signal, tombstone, applied half-life and recipe.

The same vault gives the same bytes: lines have a fixed order, keys the order of the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui.domain.memory import Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import (
    Record,
    half_life_record,
    link_record,
    memory_record,
    signal_record,
    tombstone_record,
    verdict_record,
)
from memtui.vault.packs import Recipe, recipe_record

HIDDEN = re.compile(
    "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]",
)
"""Characters that JSON allows in a line but that split lines, cannot be encoded, or are invisible in a diff."""


def dump_line(value: Any) -> str:
    """Return one line of JSON that is one line for every reader; other scripts stay readable."""
    return HIDDEN.sub(_escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that is exported, as it stood under one lease.

    Attributes:
        gone: ids of memories that the vault once held and no longer does.
        half_lives: days by kind, and by kind in a project, as applied to the vault.
        recipes: saved tasks of the exported projects, by name.
    """

    memories: Sequence[Memory] = ()
    links: Sequence[Link] = ()
    verdicts: Sequence[Verdict] = ()
    signals: Sequence[Signal] = ()
    tombstones: Sequence[Tombstone] = ()
    gone: frozenset[str] = frozenset()
    half_lives: Mapping[str, float] = field(default_factory=dict)
    recipes: Sequence[Recipe] = ()


def jsonl_text(snapshot: Snapshot) -> str:
    """Return the JSONL of a snapshot: memories by project, time and id, then each kind of kin sorted."""
    memories = [
        dump_line({"type": "memory", **memory_record(memory)}) for memory in sorted(snapshot.memories, key=_place)
    ]
    return "".join(f"{line}\n" for line in (*memories, *kin_lines(snapshot)))


def kin_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the lines of everything but memories, without line ends, each kind sorted by its own text."""
    kinds: tuple[Iterable[Record], ...] = (
        map(link_record, snapshot.links),
        map(verdict_record, snapshot.verdicts),
        map(signal_record, snapshot.signals),
        map(tombstone_record, snapshot.tombstones),
        (half_life_record(kind, days) for kind, days in snapshot.half_lives.items()),
        map(recipe_record, snapshot.recipes),
    )
    for records in kinds:
        yield from sorted(map(dump_line, records))


def _place(memory: Memory) -> tuple[str, Any, str]:
    return (memory.project or "", memory.created_at, memory.id)
