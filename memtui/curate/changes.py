"""What a change of the journal did: each memory that it touched, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memtui.domain.record import Record
from memtui.errors import NotFoundError
from memtui.text.differing import DiffLine, diff_texts
from memtui.vault import changes as store
from memtui.vault.changes import ChangeRow, MemoryStep
from memtui.vault.vault import Vault

MOST_MEMORIES = 40
"""Memories of one change that are compared at a time; the rest are counted."""

Fate = Literal["made", "taken out", "changed"]

_UNSAID = frozenset({"id", "created_at"})
"""Keys that no person reads a change for."""

_MADE = ("kind", "project", "status", "insight", "rationale", "snippet", "anchors", "tags")
"""Keys told of a memory that was made: the others hold what every new memory has."""


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """A field that differs, line by line."""

    name: str
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """What a change did to one memory.

    Attributes:
        title: after the change; before it where the memory was taken out.
        version: after the change.
    """

    id: str
    title: str
    version: int
    fate: Fate
    fields: tuple[FieldDiff, ...]


@dataclass(frozen=True, slots=True)
class ChangeDiff:
    """What a change did.

    Attributes:
        row: the change, with the number of memories that it touched.
        memories: at most `MOST_MEMORIES`, in order.
        kin: links, verdicts, signals and tombstones added and taken away, by name.
    """

    row: ChangeRow
    memories: tuple[MemoryDiff, ...]
    kin: Mapping[str, tuple[int, int]]


def change_numbers(vault: Vault, *, query: str = "", memory_id: str | None = None) -> list[int]:
    """Return the numbers of the changes that hold every word of a query, the newest first."""
    with vault.read() as reader:
        return store.change_numbers(reader, words=query.split(), memory_id=memory_id)


def change_rows(vault: Vault, numbers: Sequence[int]) -> dict[int, ChangeRow]:
    """Return changes by their numbers, missing ones left out."""
    with vault.read() as reader:
        return store.change_rows(reader, numbers)


def change_diff(vault: Vault, number: int, *, first: str | None = None, most: int = MOST_MEMORIES) -> ChangeDiff:
    """Return what a change did to memories, field by field.

    Args:
        vault: read under one lease, which is over before anything is compared.
        number: of the change.
        first: a memory that comes before the others.
        most: memories compared.

    Raises:
        NotFoundError: there is no such change.
    """
    with vault.read() as reader:
        row = store.change_rows(reader, [number]).get(number)
        steps = store.memory_steps(reader, number, first=first, most=most)
        kin = store.kin_counts(reader, number)
    if row is None:
        raise NotFoundError("The journal holds no such change", where=str(number))
    return ChangeDiff(row, tuple(_diff(step) for step in steps), kin)


def _diff(step: MemoryStep) -> MemoryDiff:
    before, after = step.before or {}, step.after or {}
    fate: Fate = "changed" if before and after else "made" if after else "taken out"
    title = str((after or before).get("title", ""))
    names = _MADE if fate != "changed" else tuple(dict.fromkeys([*after, *before]))
    fields = (FieldDiff(name, tuple(_compared(name, before, after))) for name in names if name not in _UNSAID)
    return MemoryDiff(step.id, title, step.version, fate, tuple(field for field in fields if field.lines))


def _compared(name: str, before: Record, after: Record) -> list[DiffLine]:
    return diff_texts(_text(before.get(name)), _text(after.get(name)))


def _text(value: Any) -> str:
    """Return a value of a record as lines for people."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value)
    if isinstance(value, dict):
        place = str(value.get("path") or value.get("format") or "")
        span = value.get("span")
        return f"{place}:{span[0]}" if isinstance(span, list) and span else place
    return str(value)
