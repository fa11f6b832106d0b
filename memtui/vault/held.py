"""What recall reads of memories, kept between two searches of a process while the vault stands still."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from memtui.domain.memory import AnchorState, Link, Memory, Signal
from memtui.vault.reading import VaultReader

MOST_MEMORIES = 4_000
"""Memories kept, about 10 MB: what some ten searches read. Typing on changes few of them."""

MOST_ROWS = 20_000
"""Rows of links, signals or anchor states that are kept all; of larger tables only what is asked for is read."""


@dataclass(slots=True)
class Held:
    """What was read while the vault stood still.

    Attributes:
        memories: by internal key, those asked for last.
        links: all, in the order of their reading; None while unread, or where there are too many.
        signals: the same by memory id.
        states: the same, by memory id the state per path.
    """

    memories: dict[int, Memory] = field(default_factory=dict)
    links: list[Link] | None = None
    signals: dict[str, list[Signal]] | None = None
    states: dict[str, dict[str, AnchorState]] | None = None
    is_read: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class HeldReader:
    """Answers what `VaultReader` does, from memory where it can.

    Args:
        reader: an open vault.
        held: what was read of it since it last changed.
    """

    def __init__(self, reader: VaultReader, held: Held) -> None:
        self._reader = reader
        self._held = held

    def get_by_keys(self, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories with these internal keys, missing ones left out."""
        wanted = list(keys)
        with self._held.lock:
            found = {key: self._held.memories[key] for key in wanted if key in self._held.memories}
        missing = self._reader.get_by_keys([key for key in wanted if key not in found])
        with self._held.lock:
            kept = self._held.memories
            # What was asked for goes to the end, so that the oldest goes first.
            for key, memory in (found | missing).items():
                kept.pop(key, None)
                kept[key] = memory
            for key in list(kept)[: max(0, len(kept) - MOST_MEMORIES)]:
                del kept[key]
        return found | missing

    def get_many(self, identifiers: Iterable[str]) -> dict[str, Memory]:
        """Return the memories with these ids, missing ones left out."""
        return self._reader.get_many(identifiers)

    def links(self, identifiers: Iterable[str]) -> list[Link]:
        """Return links that touch these memories."""
        wanted = set(identifiers)
        links = self._read().links
        if links is None:
            return self._reader.links(wanted)
        return [link for link in links if link.from_id in wanted or link.to_id in wanted]

    def signals(self, identifiers: Iterable[str]) -> list[Signal]:
        """Return signals of these memories, oldest first of each memory."""
        signals = self._read().signals
        if signals is None:
            return self._reader.signals(identifiers)
        return [signal for identifier in identifiers for signal in signals.get(identifier, ())]

    def anchor_states(self, identifiers: Iterable[str]) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path)."""
        states = self._read().states
        if states is None:
            return self._reader.anchor_states(identifiers)
        return {
            (identifier, path): state
            for identifier in identifiers
            for path, state in states.get(identifier, {}).items()
        }

    def _read(self) -> Held:
        """Read the small tables whole, the first time."""
        held = self._held
        with held.lock:
            if not held.is_read:
                counts = [_count(self._reader, table) for table in ("links", "signals", "anchor_states")]
                if counts[0] <= MOST_ROWS:
                    held.links = self._reader.links()
                if counts[1] <= MOST_ROWS:
                    held.signals = {}
                    for signal in self._reader.signals():
                        held.signals.setdefault(signal.memory_id, []).append(signal)
                if counts[2] <= MOST_ROWS:
                    held.states = _states(self._reader)
                held.is_read = True
        return held


def _count(reader: VaultReader, table: str) -> int:
    row = reader._connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608, SLF001 - names are ours; the same package
    return int(row[0]) if row else 0


def _states(reader: VaultReader) -> dict[str, dict[str, AnchorState]]:
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT memory_id, path, state FROM anchor_states ORDER BY memory_id, path"
    ).fetchall()
    states: dict[str, dict[str, AnchorState]] = {}
    for identifier, path, state in found:
        states.setdefault(identifier, {})[path] = state
    return states
