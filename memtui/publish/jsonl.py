"""memtui's own JSONL: one typed line for each memory, link, verdict, signal, tombstone, applied half-life and recipe.

The same vault gives the same bytes: lines have a fixed order, keys the order of the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
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
"""What JSON allows in a line but what splits lines, cannot be encoded, or cannot be seen in a diff."""


def dump_line(value: Any) -> str:
    """Return one line of JSON that stays one line for every reader; other scripts stay readable."""
    return HIDDEN.sub(_escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def to_jsonl(
    memories: Iterable[Memory],
    links: Iterable[Link] = (),
    verdicts: Iterable[Verdict] = (),
    signals: Iterable[Signal] = (),
    tombstones: Iterable[Tombstone] = (),
    half_lives: Mapping[str, float] | None = None,
    recipes: Iterable[Recipe] = (),
) -> Iterator[str]:
    """Yield the lines, without line ends: memories by project, time and id, then each kind of kin sorted."""
    for memory in sorted(memories, key=_place):
        yield dump_line({"type": "memory", **memory_record(memory)})
    yield from kin_lines(links, verdicts, signals, tombstones, half_lives, recipes)


def kin_lines(
    links: Iterable[Link] = (),
    verdicts: Iterable[Verdict] = (),
    signals: Iterable[Signal] = (),
    tombstones: Iterable[Tombstone] = (),
    half_lives: Mapping[str, float] | None = None,
    recipes: Iterable[Recipe] = (),
) -> Iterator[str]:
    """Yield the lines of everything but memories, without line ends, each kind sorted by its own text.

    Args:
        links: and the following: what hangs on memories.
        half_lives: days by kind, as they were applied to the vault.
    """
    kinds: tuple[Iterable[Record], ...] = (
        map(link_record, links),
        map(verdict_record, verdicts),
        map(signal_record, signals),
        map(tombstone_record, tombstones),
        (half_life_record(kind, days) for kind, days in (half_lives or {}).items()),
        map(recipe_record, recipes),
    )
    for records in kinds:
        yield from sorted(map(dump_line, records))


def _place(memory: Memory) -> tuple[str, Any, str]:
    return (memory.project or "", memory.created_at, memory.id)
