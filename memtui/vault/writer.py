"""Write to an open vault: one transaction and one change of the journal, postings included."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui.domain import record as records
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Link, Memory, Signal, Tombstone, Verdict
from memtui.errors import ConflictError
from memtui.progress import ProgressCallback
from memtui.text.sanitize import without_surrogates
from memtui.vault import rows
from memtui.vault.bm25 import delete_postings, write_postings
from memtui.vault.executing import executing
from memtui.vault.indexed import TOGETHER, Indexed, indexed_text, posting_insertions
from memtui.vault.journal import abandon_undone
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.rows import HALF_LIFE, among, stored_half_lives, write_half_life, write_meta

if TYPE_CHECKING:
    import duckdb


@dataclass(slots=True)
class Revision:
    """Before and after of one thing within a change; None where it did not exist."""

    entity: str  # `memory`, `link`, `verdict`, `signal`, `tombstone`, `half-life`, `recipe` or `identity`
    entity_key: str
    version: int
    before: records.Record | None
    after: records.Record | None
    after_text: str = ""  # `after` as JSON, if it was made already


class VaultWriter(VaultReader):
    """The vault during one change. Everything done here commits together or not at all.

    Attributes:
        now: the moment of the change.
        summary: one line for people; may be set until the change ends.
        number: that of the change in the journal once it is written there, which is at its end; 0 before, and where
            nothing was journaled.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        kinds: Kinds,
        *,
        actor: str,
        now: datetime,
        action: str,
        summary: str,
        reason: str = "",
    ) -> None:
        super().__init__(connection, kinds)
        self.actor = actor
        self.now = now
        self.action = action
        self.summary = summary
        self.reason = reason
        self.undoable = True
        self.number = 0
        self._revisions: list[Revision] = []
        self._repost: dict[int, Memory] = {}
        self._stale_postings: set[int] = set()
        self._next_key: int | None = None
        self._dirty = False
        self._abandoned = False

    @property
    def revisions(self) -> tuple[Revision, ...]:
        return tuple(self._revisions)

    # -- memories ---------------------------------------------------------------------------------

    def put(self, memory: Memory, *, if_version: int | None = None) -> Memory:
        """Store one memory, see `put_many`."""
        return self.put_many([memory], if_versions=None if if_version is None else {memory.id: if_version})[0]

    def put_many(
        self,
        memories: Iterable[Memory],  # each id at most once
        *,
        # the version that each save was based on; a version conflict stops the whole change
        if_versions: dict[str, int] | None = None,
        # ids of memories that were made from a portable record, so that their own record makes them again; to verify
        # that costs as much as storing them
        as_recorded: Collection[str] = (),
        indexed: Mapping[str, Indexed] | None = None,  # postings that were made before, by the id of the memory
        progress: ProgressCallback | None = None,  # called with the number of memories stored, and of all
    ) -> list[Memory]:
        """Store memories, new or changed; returns them with their new versions.

        A memory that equals the stored one is left unchanged. A new memory whose id existed before continues with
        the version after its last one.

        Raises:
            ConflictError: a memory has another version than expected.
            Cancelled: the person stopped it; the change has to be given up.
        """
        storable = [_storable(memory, is_recorded=memory.id in as_recorded) for memory in memories]
        wanted = [one.memory for one in storable]
        stored = self.keyed(memory.id for memory in wanted)
        self._check_versions(wanted, stored, if_versions or {})
        last_versions = self._last_versions({memory.id for memory in wanted} - stored.keys())
        self._find_next_key()
        is_much = len(storable) > TOGETHER
        results: list[Memory] = []
        with executing(self.connection, beside=is_much) as execute:
            for start in range(0, len(storable), TOGETHER):
                saved: list[tuple[int, Memory]] = []
                together = storable[start : start + TOGETHER]
                results += [self._put(one, stored.get(one.memory.id), last_versions, saved) for one in together]
                for statement in _statements(saved, stored):
                    execute(statement)
                if is_much or indexed is not None:
                    self._index_new(execute, [one for one in saved if one[1].id not in stored], indexed)
                if progress:
                    progress(min(start + TOGETHER, len(storable)), len(storable))
        return results

    def _put(
        self,
        one: _Storable,
        held: tuple[int, Memory] | None,
        last_versions: Mapping[str, int],
        saved: list[tuple[int, Memory]],
    ) -> Memory:
        """Journal a memory, and add it with its key to those to be saved, unless it equals the one that is held."""
        key, before = held or (0, None)
        before_record = records.memory_record(before) if before else None
        if before is not None and before_record == one.record:
            return before
        version = (before.version if before else last_versions.get(one.memory.id, 0)) + 1
        after = self._stamped(one.memory, version)
        saved.append((key if before else self._take_key(), after))
        self._revisions.append(Revision("memory", after.id, version, before_record, one.record, one.text))
        self._index(saved[-1][0], before, after)
        return after

    def _index_new(
        self,
        execute: Callable[[rows.Statement], object],
        memories: Sequence[tuple[int, Memory]],
        known: Mapping[str, Indexed] | None,
    ) -> None:
        """Write the postings of new memories at once, beside what is done next, rather than at the end."""
        if memories:
            for statement in posting_insertions(memories, known):
                execute(statement)
        for key, _ in memories:
            del self._repost[key]

    def _stamped(self, memory: Memory, version: int) -> Memory:
        if memory.version == version and memory.updated_at == self.now:
            return memory
        return replace(memory, version=version, updated_at=self.now)

    def _index(self, key: int, before: Memory | None, saved: Memory) -> None:
        """Note that a memory has to be indexed, unless its indexed text is unchanged."""
        if before is None or indexed_text(before) != indexed_text(saved):
            self._repost[key] = saved
            if before is not None:
                self._stale_postings.add(key)

    def _check_versions(
        self, wanted: list[Memory], stored: dict[str, tuple[int, Memory]], if_versions: dict[str, int]
    ) -> None:
        for memory in wanted:
            expected = if_versions.get(memory.id)
            if expected is None:
                continue
            current = stored[memory.id][1] if memory.id in stored else None
            if current is None or current.version != expected:
                raise ConflictError(
                    f"Somebody changed this memory: it has version {current.version if current else 'none'},"
                    f" the save was based on {expected}",
                    where=memory.id,
                    remedy="Nothing was written. Compare both texts and save again.",
                    mine=_readable(memory),
                    theirs=_readable(current) if current else "(deleted)",
                    base_version=expected,
                    current_version=current.version if current else 0,
                )

    def remove(self, identifiers: Iterable[str]) -> None:
        """Remove memories, as the undo of their creation; the journal keeps them."""
        stored = self.keyed(identifiers)
        keys = [key for key, _ in stored.values()]
        if not keys:
            return
        rows.delete_where_in(self.connection, "memories", "key", keys)
        for key, memory in stored.values():
            self._repost.pop(key, None)
            self._stale_postings.add(key)
            self._revisions.append(Revision("memory", memory.id, memory.version, records.memory_record(memory), None))

    def _last_versions(self, identifiers: Collection[str]) -> dict[str, int]:
        if not identifiers:
            return {}
        condition, parameters = among("entity_key", identifiers)
        found = self.connection.execute(
            f"SELECT entity_key, max(version) FROM revisions WHERE entity = 'memory' AND {condition} GROUP BY 1",
            parameters,
        ).fetchall()
        return {str(identifier): int(version) for identifier, version in found}

    def _find_next_key(self) -> None:
        if self._next_key is None:
            row = self.connection.execute("SELECT coalesce(max(key), 0) FROM memories").fetchone()
            self._next_key = int(row[0]) if row else 0

    def _take_key(self) -> int:
        self._next_key = (self._next_key or 0) + 1
        return self._next_key

    # -- what hangs on memories -------------------------------------------------------------------

    def add_links(self, links: Iterable[Link]) -> int:
        """Add links that do not exist yet; returns how many were new."""
        wanted = list(links)
        known = {(link.from_id, link.type, link.to_id) for link in self.links()} if wanted else set()
        fresh = []
        for link in wanted:
            place = (link.from_id, link.type, link.to_id)
            if place not in known:
                known.add(place)
                fresh.append(link)
        self._add("link", fresh)
        return len(fresh)

    def add_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        self._add("verdict", list(verdicts))

    def add_signals(self, signals: Iterable[Signal]) -> None:
        self._add("signal", list(signals))

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        self._add("tombstone", list(tombstones))

    def drop(self, things: Iterable[Link | Verdict | Signal | Tombstone]) -> None:
        """Remove links, verdicts, signals or tombstones; the journal keeps them."""
        by_entity: dict[str, list[Any]] = {}
        for thing in things:
            by_entity.setdefault(type(thing).__name__.lower(), []).append(thing)
        for entity, group in by_entity.items():
            rows.delete_equal(self.connection, f"{entity}s", [rows.row_of(thing) for thing in group])
            self._revisions += [_revision_of(entity, thing, added=False) for thing in group]

    def _add(self, entity: str, things: list[Any]) -> None:
        if things:
            rows.insert_rows(self.connection, f"{entity}s", map(rows.row_of, things))
            self._revisions += [_revision_of(entity, thing, added=True) for thing in things]

    def insert_unjournaled(self, table: str, new_rows: Iterable[rows.Row]) -> None:
        """Insert rows of a table that the writer does not journal: projects, packs, recipes, derived tables."""
        rows.insert_rows(self.connection, table, new_rows)
        self._dirty = True

    def delete_unjournaled(self, table: str, column: str, values: list[str]) -> None:
        if values:
            rows.delete_where_in(self.connection, table, column, values)
            self._dirty = True

    def put_source_states(
        self, states: Iterable[SourceState], *, nothing_new: Mapping[str, datetime] | None = None
    ) -> None:
        """Store what sources say now, replacing what was known of the same memory and place.

        `nothing_new`: memories whose sources say what they said before, with the moment to store for a place that is
        seen for the first time, or states its memory again; for the others it is now.
        """
        known = {state.place: state for state in self.source_states()}
        new_rows = []
        for state in {state.place: state for state in states}.values():
            before = known.get(state.place)
            if before == state:
                continue
            seen_at = self.now
            if before is None or not before.seen_hash:
                seen_at = (nothing_new or {}).get(state.memory_id, self.now)
            if before is not None:
                self.connection.execute(
                    "DELETE FROM source_states WHERE memory_id = ? AND path = ? AND native_id = ?", state.place
                )
            new_rows.append({**asdict(state), "seen_at": seen_at})
        if new_rows:
            self.insert_unjournaled("source_states", new_rows)

    def set_half_life(self, kind: str, days: float | None) -> None:
        """Set the half-life of a kind in days; None restores the default."""
        before = stored_half_lives(self.connection).get(kind)
        if days == before:
            return
        write_half_life(self.connection, kind, days)
        old, new = (None if side is None else {"kind": kind, "half_life_days": side} for side in (before, days))
        self._revisions.append(Revision(HALF_LIFE, kind, 0, old, new))

    def note(self, entity: str, key: str, before: records.Record | None, after: records.Record | None) -> None:
        """Journal a change of something other than memories; None where it did not exist."""
        self._revisions.append(Revision(entity, key, 0, before, after))

    def set_meta(self, key: str, value: str) -> None:
        write_meta(self.connection, key, value)
        self._dirty = True

    def abandon(self) -> None:
        """Discard this change at its end."""
        self._abandoned = True

    def mark_dirty(self) -> None:
        """Commit this change even if it has no revision, because something was written without one."""
        self._dirty = True

    # -- the end of a change ----------------------------------------------------------------------

    def finish(self) -> bool:
        """Write postings and journal; returns False when there is nothing to commit."""
        if self._abandoned or (not self._revisions and not self._dirty):
            return False
        delete_postings(self.connection, sorted(self._stale_postings))
        if self._repost:
            write_postings(self.connection, list(self._repost.items()))
        if self._revisions:
            self._write_change()
        write_meta(self.connection, "change_counter", str(self.change_counter() + 1))
        return True

    def _write_change(self) -> None:
        row = self.connection.execute("SELECT coalesce(max(number), 0) + 1 FROM changes").fetchone()
        self.number = int(row[0]) if row else 1
        if self.undoable:
            abandon_undone(self.connection, self.actor)
        rows.insert_rows(
            self.connection,
            "changes",
            [
                {
                    "number": self.number,
                    "made_at": self.now,
                    "actor": self.actor,
                    "action": self.action,
                    "summary": self.summary,
                    "reason": self.reason,
                    "state": "done",
                    "undoable": self.undoable,
                }
            ],
        )
        rows.insert_rows(
            self.connection,
            "revisions",
            (
                {
                    "change_number": self.number,
                    "position": position,
                    "entity": revision.entity,
                    "entity_key": revision.entity_key,
                    "version": revision.version,
                    "before": _dump(revision.before),
                    "after": revision.after_text or _dump(revision.after),
                }
                for position, revision in enumerate(self._revisions)
            ),
        )


_RECORDS: dict[str, Any] = {
    "link": records.link_record,
    "verdict": records.verdict_record,
    "signal": records.signal_record,
    "tombstone": records.tombstone_record,
}


def _revision_of(entity: str, thing: Link | Verdict | Signal | Tombstone, *, added: bool) -> Revision:
    key = f"{thing.from_id} {thing.type} {thing.to_id}" if isinstance(thing, Link) else thing.memory_id
    record = _RECORDS[entity](thing)
    return Revision(entity, key, 0, None if added else record, record if added else None)


def _dump(record: records.Record | None) -> str | None:
    return None if record is None else json.dumps(record, ensure_ascii=False)


def _readable(memory: Memory) -> str:
    parts = [memory.title, memory.insight, memory.rationale, memory.snippet]
    return "\n\n".join(part for part in parts if part)


def _statements(saved: Sequence[tuple[int, Memory]], stored: Container[str]) -> Iterator[rows.Statement]:
    """Yield the SQL that saves memories, each with its key; `stored`: the ids of those whose rows are replaced."""
    replaced = [key for key, memory in saved if memory.id in stored]
    if replaced:
        yield rows.deletion_in("memories", "key", replaced)
    yield from rows.insertions("memories", (rows.memory_row(memory, key) for key, memory in saved))


class _Storable(NamedTuple):
    """A memory as its portable record states it."""

    memory: Memory
    record: records.Record
    text: str  # the record as JSON


def _storable(memory: Memory, *, is_recorded: bool = False) -> _Storable:
    """Return a memory as its portable record states it, so that undo restores exactly that.

    Lone surrogates, which no database accepts, become question marks.

    Raises `RecordError`: it has no insight, or a number out of range.
    """
    record = records.memory_record(memory)
    text = _dump(record) or ""
    if not _is_utf8(text):
        record = _without_surrogates(record)
    elif is_recorded:
        return _Storable(memory, record, text)
    stated = records.memory_from_record(record, now=memory.updated_at, new_id=memory.id, version=memory.version)
    if stated != memory:
        record = records.memory_record(stated)
        text = _dump(record) or ""
    return _Storable(stated, record, text)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_without_surrogates(part) for part in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(part) for key, part in value.items()}
    return value


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
