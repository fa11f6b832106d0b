"""What sources say of memories: the texts on both sides of a source conflict, and what the last import took over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from memtui.domain.memory import Memory, content_hash, hash_parts
from memtui.vault import rows
from memtui.vault.filters import sql_time
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.writer import VaultWriter

TEAM_PLACE = "team:"
ERASURE_PLACE = f"{TEAM_PLACE}purge"  # Of the conflict between an edit and a purge that the team ordered
"""Begins the place of a text that one wrote while the team wrote another, or of what the team orders."""

_PARTS = ("title", "insight", "rationale", "snippet")


@dataclass(frozen=True, slots=True)
class Texts:
    """The four texts of a memory."""

    title: str
    insight: str
    rationale: str = ""
    snippet: str = ""

    @classmethod
    def of(cls, memory: Memory) -> Texts:
        return cls(memory.title, memory.insight, memory.rationale, memory.snippet)

    @property
    def hash(self) -> str:
        return hash_parts(self.title, self.insight, self.rationale, self.snippet)


def is_unstated(memory: Memory, seen: Iterable[SourceState]) -> bool:
    """Return whether no file that a memory came from states it any longer."""
    paths = {source.path for source in memory.sources if source.path}
    hashes = [state.seen_hash for state in seen if state.path in paths]
    return bool(hashes) and not any(hashes)


@dataclass(frozen=True, slots=True)
class SourceText:
    """What a source says of a memory that says something else."""

    memory_id: str
    path: str  # the source, as the memory names it
    native_id: str  # the place within it; empty where it gives none
    span: tuple[int, int] | None  # its lines, counted from 1, both inclusive
    base: Texts | None  # what it said when it was last imported; None if unknown
    stated: Texts  # what it says now
    seen_hash: str  # content hash of what it says now
    seen_at: datetime

    @property
    def is_team(self) -> bool:
        """Whether it parts from a team rather than from a file; what it states is then one's own text."""
        return self.path.startswith(TEAM_PLACE)

    @property
    def is_erasure(self) -> bool:
        """Whether a team erased the memory: the memory then holds one's own text, and this is what is left there."""
        return self.path == ERASURE_PLACE


def source_texts(reader: VaultReader, identifiers: Iterable[str] | None = None) -> list[SourceText]:
    """Return the stored texts of these memories' sources, or of all, the oldest first."""
    condition, parameters = ("true", []) if identifiers is None else rows.among("memory_id", identifiers)
    found = reader.connection.execute(
        f"SELECT {', '.join(rows.COLUMNS['source_texts'])} FROM source_texts"
        f" WHERE {condition} ORDER BY seen_at, path, span, memory_id",
        parameters,
    ).fetchall()
    return [_from_row(row) for row in found]


def _from_row(values: Sequence[Any]) -> SourceText:
    row = dict(zip(rows.COLUMNS["source_texts"], values, strict=True))
    return SourceText(
        **row
        | {
            "span": tuple(row["span"]) if row["span"] else None,
            "base": Texts(**row["base"]) if row["base"] else None,
            "stated": Texts(**row["stated"]),
            "seen_at": rows.utc(row["seen_at"]),
        }
    )


def put_source_texts(writer: VaultWriter, texts: Sequence[SourceText], *, moot: Iterable[tuple[str, str]] = ()) -> None:
    """Store what sources say, replacing what was stored of the same memory and source.

    `moot`: (memory id, path) of sources that no longer say anything else.
    """
    known = {(text.memory_id, text.path): text.seen_hash for text in source_texts(writer)}
    given = {(text.memory_id, text.path): text for text in texts}
    fresh = {place: text for place, text in given.items() if known.get(place) != text.seen_hash}
    unchanged = given.keys() - fresh.keys()
    gone = (known.keys() & {*moot, *fresh}) - unchanged
    for place in sorted(gone):
        writer.connection.execute("DELETE FROM source_texts WHERE memory_id = ? AND path = ?", place)
    if fresh:
        writer.insert_unjournaled("source_texts", map(asdict, fresh.values()))
    elif gone:
        writer.mark_dirty()


def is_open(text: SourceText, memory: Memory) -> bool:
    """Return whether the conflict between a source and a memory is undecided.

    A decision is stored in the memory: its source's `imported_hash` is that of the text that was looked at.
    """
    if memory.status not in {"active", "candidate"} or content_hash(memory) == text.seen_hash:
        return False
    imported = _imported_hashes(memory, text.path)
    # A row of an export states a memory by its id, without being a source of it.
    return (bool(imported) or text.native_id == memory.id) and text.seen_hash not in imported


def _imported_hashes(memory: Memory, path: str) -> set[str | None]:
    return {source.imported_hash for source in memory.sources if source.path == path}


def bases_of(
    reader: VaultReader, memories: Sequence[Memory], path: str, *, said: set[str | None] | None = None
) -> dict[str, Texts]:
    """Return, by id, what a source said of each memory when it was last imported.

    That is the memory itself until somebody edits it, then what a source conflict or the journal contains; without
    those, the memory again.

    `said`: content hashes of what it said, if only one of several texts of the source is meant.
    """
    edited = {
        memory.id: hashes
        for memory in memories
        if content_hash(memory) not in (hashes := said or _imported_hashes(memory, path))
    }
    return {memory.id: Texts.of(memory) for memory in memories} | imported_texts(reader, edited)


def imported_texts(reader: VaultReader, wanted: dict[str, set[str | None]]) -> dict[str, Texts]:
    """Return, by id, the texts with one of these content hashes, from conflicts, the journal and merged memories."""
    found: dict[str, Texts] = {}
    for text in source_texts(reader, wanted) if wanted else ():
        for side in (text.stated, text.base):
            if side is not None and side.hash in wanted[text.memory_id]:
                found[text.memory_id] = side
    missing = [identifier for identifier in wanted if identifier not in found]
    for identifier, texts in _journaled(reader, missing):
        if identifier not in found and texts.hash in wanted[identifier]:
            found[identifier] = texts
    return found | _merged(reader, {identifier: wanted[identifier] for identifier in wanted if identifier not in found})


def _merged(reader: VaultReader, wanted: dict[str, set[str | None]]) -> dict[str, Texts]:
    """Return the texts that memories have of others which were merged into them."""
    owners = reader.ids_by_content({text for texts in wanted.values() for text in texts if text}) if wanted else {}
    found = ((identifier, owners.get(text or "")) for identifier, texts in wanted.items() for text in texts)
    return {identifier: Texts.of(reader.get(owner[0][0])) for identifier, owner in found if owner}


def _journaled(reader: VaultReader, identifiers: Sequence[str]) -> Iterator[tuple[str, Texts]]:
    if not identifiers:
        return
    condition, parameters = rows.among("entity_key", identifiers, few=rows.FEW_WIDE)
    sides = reader.connection.execute(
        f"SELECT entity_key, before, after FROM revisions WHERE entity = 'memory' AND {condition}"
        " ORDER BY change_number DESC",
        parameters,
    ).fetchall()
    for identifier, *texts in sides:
        for record in (json.loads(side) for side in texts if side):
            yield str(identifier), _stated(record)


def _stated(record: dict[str, Any]) -> Texts:
    return Texts(*(str(record.get(part) or "") for part in _PARTS))


def texts_at(reader: VaultReader, identifier: str, moment: datetime) -> Texts | None:
    """Return what a memory said at a moment, or at first where it came later; None where the journal does not tell."""
    is_earlier = f"c.made_at <= {sql_time(moment)}"
    found = reader.connection.execute(
        "SELECT r.after FROM revisions r JOIN changes c ON c.number = r.change_number"
        " WHERE r.entity = 'memory' AND r.entity_key = ? AND r.after IS NOT NULL"
        f" ORDER BY {is_earlier} DESC, CASE WHEN {is_earlier} THEN -c.number ELSE c.number END,"
        f" CASE WHEN {is_earlier} THEN -r.position ELSE r.position END LIMIT 1",
        [identifier],
    ).fetchone()
    return None if found is None else _stated(json.loads(found[0]))


def imported_anchors(reader: VaultReader, identifiers: Iterable[str]) -> dict[str, list[str]]:
    """Return, by id, the paths of the anchors that memories have from their sources, as of the last import.

    They are those that imports brought, less those that imports took out again: what a person changed in between is
    none of them. Of a memory that no import made, nothing is known.
    """
    condition, parameters = rows.among("r.entity_key", identifiers, few=rows.FEW_WIDE)
    made = reader.connection.execute(
        "SELECT r.entity_key, r.before, r.after FROM revisions r JOIN changes c ON c.number = r.change_number"
        " WHERE r.entity = 'memory' AND r.after IS NOT NULL AND c.action = 'import' AND c.state = 'done'"
        f" AND {condition} ORDER BY r.change_number, r.position",
        parameters,
    ).fetchall()
    found: dict[str, list[str]] = {}
    for identifier, *sides in made:
        before, after = (_anchor_paths(side) for side in sides)
        if sides[0] is None:
            found[identifier] = after
        elif identifier in found:
            brought = [path for path in after if path not in before]
            kept = [path for path in found[identifier] if path not in before or path in after]
            found[identifier] = [*brought, *(path for path in kept if path not in brought)]
    return found


def _anchor_paths(record: str | None) -> list[str]:
    return [] if record is None else [one["path"] for one in json.loads(record).get("anchors", ())]
