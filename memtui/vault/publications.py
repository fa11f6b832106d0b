"""What memtui wrote into files of assistants, and pieces that it took out of them on a person's word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memtui.domain.memory import Source
from memtui.domain.record import Record, format_time, parse_time
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, utc
from memtui.vault.writer import VaultWriter

PUBLICATION = "publication"  # The journal's entity for a block in a file
BLOCK = "block"  # The journal's entity for what a publication wrote over, where no record of the vault says it
CUT = "cut"  # The journal's entity for a piece that was taken out of a file


@dataclass(frozen=True, slots=True)
class Publication:
    """A block as it was written last."""

    path: str  # absolute
    block: str  # id of the block: the target's name
    project: str | None
    text: str  # what was written between the markers
    head: str  # what was written above them in a file that is memtui's as a whole
    memory_ids: tuple[str, ...]
    hashes: tuple[str, ...]  # content hashes of these memories, in their order
    recipe: str | None  # the recipe that chose them, None for the standing payload
    query: str | None  # the query that chose them
    at: datetime
    actor: str

    @property
    def key(self) -> str:
        """What identifies it."""
        return f"{self.path}#{self.block}"


def publications(reader: VaultReader, path: str | None = None) -> list[Publication]:
    """Return the blocks that stand in files, or in one file, by path and id."""
    found = reader.connection.execute(
        f"SELECT {', '.join(COLUMNS['publications'])} FROM publications WHERE coalesce(path = ?, true)"
        " ORDER BY path, block",
        [path],
    ).fetchall()
    return [_from_row(row) for row in found]


def published_sources(reader: VaultReader, identifiers: Collection[str]) -> dict[str, tuple[Source, ...]]:
    """Return the blocks that memories stand in, by id, as sources of them: where, and what was written."""
    found: dict[str, tuple[Source, ...]] = {}
    for one in publications(reader) if identifiers else ():
        for identifier, content in zip(one.memory_ids, one.hashes, strict=False):
            if identifier in identifiers:
                source = Source(format=one.block, path=one.path, agent=one.project, imported_hash=content)
                found[identifier] = (*found.get(identifier, ()), source)
    return found


def publication_of(reader: VaultReader, path: str, block: str) -> Publication | None:
    return next((one for one in publications(reader, path) if one.block == block), None)


def set_publication(writer: VaultWriter, key: str, publication: Publication | None) -> None:
    """Store a block in place of the one with this key; None says that it is gone."""
    path, _, block = key.rpartition("#")
    known = publication_of(writer, path, block)
    if known == publication or (known and publication and replace(known, at=publication.at) == publication):
        return
    writer.connection.execute("DELETE FROM publications WHERE path = ? AND block = ?", [path, block])
    if publication is not None:
        writer.insert_unjournaled("publications", [_row(publication)])
    before, after = (None if one is None else publication_record(one) for one in (known, publication))
    writer.note(PUBLICATION, key, before, after)


def _row(publication: Publication) -> dict[str, Any]:
    row = {name: getattr(publication, name) for name in COLUMNS["publications"] if name != "made_at"}
    return row | {
        "memory_ids": list(publication.memory_ids),
        "hashes": list(publication.hashes),
        "made_at": publication.at,
    }


def _from_row(values: Sequence[Any]) -> Publication:
    row = dict(zip(COLUMNS["publications"], values, strict=True))
    at = utc(row.pop("made_at"))
    lists = {name: tuple(row[name] or ()) for name in ("memory_ids", "hashes")}
    return Publication(**row | lists, at=at)


def publication_record(publication: Publication) -> Record:
    """Return a block for the journal."""
    return {
        "path": publication.path,
        "block": publication.block,
        "project": publication.project,
        "text": publication.text,
        "head": publication.head,
        "memory_ids": list(publication.memory_ids),
        "hashes": list(publication.hashes),
        "recipe": publication.recipe,
        "query": publication.query,
        "at": format_time(publication.at),
        "actor": publication.actor,
    }


def publication_from_record(record: Record) -> Publication:
    at = parse_time(record["at"], "at")
    lists = {name: tuple(record[name]) for name in ("memory_ids", "hashes")}
    return Publication(**{**record, **lists, "at": at})


def files_written(reader: VaultReader, number: int) -> tuple[str, ...]:
    """Return the paths of the files that a change wrote into, so that undoing it writes them again."""
    found = reader.connection.execute(
        "SELECT DISTINCT json_extract_string(coalesce(after, before), '$.path') FROM revisions"
        " WHERE change_number = ? AND entity IN (?, ?, ?) ORDER BY 1",
        [number, PUBLICATION, BLOCK, CUT],
    ).fetchall()
    return tuple(str(row[0]) for row in found if row[0])
