"""What sources say of memories: the texts on both sides of a conflict, and what was taken in at the last import."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import Memory, content_hash, hash_parts
from memtui.vault import rows
from memtui.vault.rows import FEW_WIDE, among

if TYPE_CHECKING:
    from memtui.vault.reader import VaultReader
    from memtui.vault.writer import VaultWriter


@dataclass(frozen=True, slots=True)
class Texts:
    """The four texts of a memory."""

    title: str
    insight: str
    rationale: str = ""
    snippet: str = ""

    @classmethod
    def of(cls, memory: Memory) -> Texts:
        """Return those of a memory."""
        return cls(memory.title, memory.insight, memory.rationale, memory.snippet)

    @property
    def hash(self) -> str:
        """Their content hash."""
        return hash_parts(self.title, self.insight, self.rationale, self.snippet)


@dataclass(frozen=True, slots=True)
class SourceText:
    """What a source says of a memory that says something else.

    Attributes:
        path: the source, as the memory names it.
        native_id: the place within it; empty where it gives none.
        span: its lines, counted from 1, both inclusive.
        base: what it said when it was last taken in; None where nothing tells any more.
        stated: what it says now.
        seen_hash: content hash of what it says now.
    """

    memory_id: str
    path: str
    native_id: str
    span: tuple[int, int] | None
    base: Texts | None
    stated: Texts
    seen_hash: str
    seen_at: datetime


def source_texts(reader: VaultReader, identifiers: Iterable[str] | None = None) -> list[SourceText]:
    """Return the texts that are kept of these memories' sources, or of all, the oldest first."""
    names = ", ".join(rows.COLUMNS["source_texts"])
    condition: str = "true"
    parameters: list[object] = []
    if identifiers is not None:
        condition, parameters = among("memory_id", list(identifiers))
    found = reader.connection.execute(
        f"SELECT {names} FROM source_texts WHERE {condition} ORDER BY seen_at, path, span, memory_id",  # noqa: S608 - names are ours
        parameters,
    ).fetchall()
    return [_from_row(row) for row in found]


def _from_row(values: Sequence[Any]) -> SourceText:
    memory_id, path, native_id, span, base, stated, seen_hash, seen_at = values
    return SourceText(
        memory_id,
        path,
        native_id,
        (span[0], span[1]) if span else None,
        Texts(**base) if base else None,
        Texts(**stated),
        seen_hash,
        rows.utc(seen_at),
    )


def put_source_texts(writer: VaultWriter, texts: Sequence[SourceText], *, moot: Iterable[tuple[str, str]] = ()) -> None:
    """Keep what sources say, in place of what was kept of the same memory and source.

    Args:
        moot: (memory id, path) of sources that say nothing else any more.
    """
    known = {(text.memory_id, text.path): text for text in source_texts(writer)}
    fresh = {(text.memory_id, text.path): text for text in texts}
    same = {place for place, text in fresh.items() if place in known and known[place].seen_hash == text.seen_hash}
    gone = known.keys() & (({*moot} | fresh.keys()) - same)
    for memory_id, path in sorted(gone):
        writer.connection.execute("DELETE FROM source_texts WHERE memory_id = ? AND path = ?", [memory_id, path])
    new = [text for place, text in fresh.items() if place not in same]
    if new:
        writer.insert_unjournaled("source_texts", map(_row, new))
    elif gone:
        writer.mark_dirty()


def _row(text: SourceText) -> rows.Row:
    return {
        "memory_id": text.memory_id,
        "path": text.path,
        "native_id": text.native_id,
        "span": list(text.span) if text.span else None,
        "base": asdict(text.base) if text.base else None,
        "stated": asdict(text.stated),
        "seen_hash": text.seen_hash,
        "seen_at": text.seen_at,
    }


def is_open(text: SourceText, memory: Memory) -> bool:
    """Return whether nobody decided yet between what a source says and what the memory says.

    What was decided is remembered by the memory: its source's `imported_hash` is that of the text looked at.
    """
    if memory.status not in {"active", "candidate"} or content_hash(memory) == text.seen_hash:
        return False
    taken = [source.imported_hash for source in memory.sources if source.path == text.path]
    return bool(taken) and text.seen_hash not in taken


def bases_of(reader: VaultReader, memories: Sequence[Memory], path: str) -> dict[str, Texts]:
    """Return, by id, what a source said of each memory when it was last taken in.

    That is the memory itself while nobody edited it, else what a conflict or the journal tells; where nothing does,
    the memory stands in.
    """
    wanted = {
        memory.id: {source.imported_hash for source in memory.sources if source.path == path}
        for memory in memories
        if content_hash(memory) not in {source.imported_hash for source in memory.sources if source.path == path}
    }
    return {memory.id: Texts.of(memory) for memory in memories} | imported_texts(reader, wanted)


def imported_texts(reader: VaultReader, wanted: dict[str, set[str | None]]) -> dict[str, Texts]:
    """Return, by id, the texts with one of these content hashes, as conflicts and the journal tell them."""
    if not wanted:
        return {}
    found: dict[str, Texts] = {}
    for text in source_texts(reader, wanted):
        for side in (text.stated, text.base):
            if side is not None and side.hash in wanted[text.memory_id]:
                found[text.memory_id] = side
    missing = [identifier for identifier in wanted if identifier not in found]
    for identifier, texts in _journaled(reader, missing):
        if identifier not in found and texts.hash in wanted[identifier]:
            found[identifier] = texts
    return found


def _journaled(reader: VaultReader, identifiers: Sequence[str]) -> Iterator[tuple[str, Texts]]:
    if not identifiers:
        return
    condition, parameters = among("entity_key", identifiers, few=FEW_WIDE)
    sides = reader.connection.execute(
        f"SELECT entity_key, before, after FROM revisions WHERE entity = 'memory' AND {condition}"  # noqa: S608 - as above
        " ORDER BY change_number DESC",
        parameters,
    ).fetchall()
    for identifier, *texts in sides:
        for record in (json.loads(side) for side in texts if side):
            yield (
                str(identifier),
                Texts(*(str(record.get(part) or "") for part in ("title", "insight", "rationale", "snippet"))),
            )
