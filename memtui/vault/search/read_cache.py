"""What recall and lists read of every memory, cached between two searches of a process."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from memtui.domain.memory import Anchor, AnchorState, Link, Memory, Signal, Status
from memtui.vault.filters import MemoryFilter
from memtui.vault.reader import VaultReader
from memtui.vault.search.text_table import Sparse, Texts

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Column = npt.NDArray[Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = ("created_at", "observed_at", "verified_at", "due_at", "snoozed_until")
_NEVER = -(1 << 62)
"""Microseconds that stand for no time."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All memories of a vault at one moment, by their number: the place of their internal key among all.

    Attributes:
        lower_titles: in lower case, with a space for a line end.
        names: the projects, kinds and statuses that occur.
        columns: codes into `names` (0 for no project), times in microseconds, and plain values.
        anchors: JSON of those that have any.
        states: JSON of [path, last known state], of memories whose anchors were checked.
        signals: JSON of [signal, microseconds, weight], oldest first, of memories that have any.
    """

    keys: npt.NDArray[np.int64]
    ids: Texts
    titles: Texts
    lower_titles: Texts
    names: Mapping[str, Sequence[str]]
    columns: Mapping[str, Column]
    anchors: Sparse
    states: Sparse
    signals: Sparse
    _by_id: tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]

    @classmethod
    def of(cls, columns: Columns, texts: JoinedTexts) -> Catalogue:
        """Return the catalogue of what was read at one moment."""
        import numpy as np

        values = dict(columns.values)
        keys, id_lengths, title_lengths = (values.pop(name) for name in ("key", "id_length", "title_length"))
        ids = Texts.of(texts.ids, id_lengths)
        hashes = np.fromiter(
            (hash(ids[number].lower()) for number in range(len(keys))), dtype=np.int64, count=len(keys)
        )
        order = np.argsort(hashes, kind="stable")
        return cls(
            keys=keys,
            ids=ids,
            titles=Texts.of(texts.titles, title_lengths),
            lower_titles=Texts.of_lines(texts.lower_titles, len(keys)),
            names=columns.names,
            columns=values,
            anchors=columns.anchors,
            states=columns.states,
            signals=columns.signals,
            _by_id=(hashes[order], order),
        )

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        held = (self.ids, self.titles, self.lower_titles, self.anchors, self.states, self.signals)
        columns = (self.keys, *self.columns.values(), *self._by_id)
        return sum(part.nbytes for part in held) + sum(int(column.nbytes) for column in columns)

    def number(self, identifier: str) -> int | None:
        """Return the number of a memory by its id, None if there is none."""
        return next((number for number in self._same_id(identifier) if self.ids[number] == identifier), None)

    def numbers(self, identifiers: Sequence[str]) -> npt.NDArray[np.intp]:
        """Return the numbers of many memories by their ids; -1 where there is none."""
        import numpy as np

        hashes, order = self._by_id
        wanted = np.fromiter((hash(one.lower()) for one in identifiers), dtype=np.int64, count=len(identifiers))
        if not len(hashes):
            return np.full(len(wanted), -1, dtype=np.intp)
        first = np.searchsorted(hashes, wanted)
        sole = np.searchsorted(hashes, wanted, side="right") == first + 1
        found = order[np.minimum(first, len(order) - 1)]
        # Hashes that several ids share, or none, are looked up one by one.
        for place in np.flatnonzero(~sole):
            number = self.number(identifiers[int(place)])
            found[place] = -1 if number is None else number
        return found

    def numbers_of_keys(self, keys: Sequence[int]) -> list[int]:
        """Return the numbers of memories by their internal keys, all of which there are."""
        import numpy as np

        return [int(number) for number in np.searchsorted(self.keys, np.array(keys, dtype=np.int64))]

    def named(self, name: str, allowed: Mask, *, limit: int = 20) -> list[int]:
        """Return the numbers of memories whose id or title is exactly this, case aside, as `evidence.keys_by_name`."""
        lowered = lower(name)
        by_id = [number for number in self._same_id(name) if allowed[number]]
        found = {
            number
            for number in self.lower_titles.equal(lowered.replace("\n", " "), most=len(self))
            if allowed[number] and lower(self.titles[number]) == lowered
        }
        return [*sorted(by_id), *sorted(found.difference(by_id))][:limit]

    def resolve(self, prefix: str) -> int | None:
        """Return the memory whose id this is, or the only one whose id starts so; None where several do, or none."""
        exact = self.number(prefix)
        if exact is not None:
            return exact
        found = self.ids.starting(prefix, most=2) if prefix else []
        return found[0] if len(found) == 1 else None

    def allowed(self, wanted: MemoryFilter) -> Mask:
        """Return whether each memory is of the projects and statuses of a filter; one more, false, for those gone."""
        import numpy as np

        mask = np.zeros(len(self) + 1, dtype=np.bool_)
        mask[: len(self)] = True
        if wanted.statuses is not None:
            mask[:-1] &= self._among("status", wanted.statuses)
        if wanted.scope.projects is not None:
            inside = self._among("project", wanted.scope.projects)
            if wanted.scope.with_unassigned:
                inside |= self.columns["project"] == 0
            mask[:-1] &= inside
        return mask

    def memory(self, number: int) -> Memory:
        """Return a memory without its texts: its title, and all that scores and rows are made of."""
        half_life = float(self.columns["half_life_days"][number])
        created = self._time("created_at", number) or _EPOCH
        return Memory(
            id=self.ids[number],
            title=self.titles[number],
            insight="",
            kind=self._name("kind", number),
            project=self._name("project", number) or None,
            status=cast("Status", self._name("status", number)),
            anchors=self._anchors(number),
            importance=int(self.columns["importance"][number]),
            pinned=bool(self.columns["pinned"][number]),
            created_at=created,
            updated_at=created,
            observed_at=self._time("observed_at", number),
            verified_at=self._time("verified_at", number),
            due_at=self._time("due_at", number),
            snoozed_until=self._time("snoozed_until", number),
            half_life_days=half_life if half_life >= 0 else None,
        )

    def anchor_states(self, number: int) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path) of a memory."""
        text = self.states.of(number)
        identifier = self.ids[number] if text else ""
        return {(identifier, held["path"]): held["state"] for held in json.loads(text)} if text else {}

    def signals_of(self, number: int) -> list[Signal]:
        """Return the signals of a memory as far as usefulness is made of them, the oldest first."""
        text = self.signals.of(number)
        if not text:
            return []
        identifier = self.ids[number]
        return [
            Signal(
                memory_id=identifier,
                signal=held["signal"],
                at=_EPOCH + timedelta(microseconds=held["at"]),
                actor="",
                weight=held["weight"],
            )
            for held in json.loads(text)
        ]

    def _same_id(self, identifier: str) -> list[int]:
        """Return the numbers of the memories whose id this is, case aside."""
        import numpy as np

        hashes, order = self._by_id
        wanted = hash(identifier.lower())
        first, last = (int(np.searchsorted(hashes, wanted, side=side)) for side in ("left", "right"))
        lowered = lower(identifier)
        return [int(number) for number in order[first:last] if lower(self.ids[int(number)]) == lowered]

    def _among(self, name: str, values: Sequence[str]) -> Mask:
        import numpy as np

        codes = [code for code, value in enumerate(self.names[name], 1) if value in set(values)]
        return np.isin(self.columns[name], codes)

    def _name(self, column: str, number: int) -> str:
        code = int(self.columns[column][number])
        return self.names[column][code - 1] if code else ""

    def _time(self, column: str, number: int) -> datetime | None:
        value = int(self.columns[column][number])
        return None if value == _NEVER else _EPOCH + timedelta(microseconds=value)

    def _anchors(self, number: int) -> tuple[Anchor, ...]:
        text = self.anchors.of(number)
        return tuple(Anchor(held["path"], held["content_hash"]) for held in json.loads(text)) if text else ()


def lower(text: str) -> str:
    """Return a text in lower case as the vault's engine does: letter by letter, each for one."""
    return text.lower() if text.isascii() else "".join(letter.lower()[:1] for letter in text)


@dataclass(frozen=True, slots=True)
class Columns:
    """What was read of the memories beside their texts, in the order of their keys."""

    names: Mapping[str, Sequence[str]]
    values: Mapping[str, Column]
    anchors: Sparse
    states: Sparse
    signals: Sparse


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """Ids, titles and titles in lower case, each as one text of lines, in the order of the keys."""

    ids: str
    titles: str
    lower_titles: str


def read_columns(reader: VaultReader) -> Columns:
    """Return the columns of all memories of an open vault: 0.1 s of processor time at 100,000."""
    connection = reader._connection  # noqa: SLF001 - the same package
    names = {name: _distinct(connection, name) for name in ("project", "kind", "status")}
    values = _columns(connection, names)
    sparse = (_sparse(connection, values["key"], query) for query in (_ANCHORS, _STATES, _SIGNALS))
    return Columns(names, values, *sparse)


def read_texts(reader: VaultReader) -> JoinedTexts:
    """Return ids and titles of all memories of an open vault: 0.15 s of processor time at 100,000.

    Three long texts cross over from the engine, where as many rows would take twice as long.
    """
    row = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT string_agg(id, chr(10) ORDER BY key), string_agg(title, chr(10) ORDER BY key),"
        " string_agg(translate(lower(title), chr(10), ' '), chr(10) ORDER BY key) FROM memories"
    ).fetchone()
    return JoinedTexts(*(str(value or "") for value in row or ("", "", "")))


_ANCHORS = "SELECT m.key, m.anchors AS held FROM memories m WHERE len(m.anchors) > 0"
_STATES = (
    "SELECT m.key, list({'path': s.path, 'state': s.state} ORDER BY s.path) AS held"
    " FROM anchor_states s JOIN memories m ON m.id = s.memory_id GROUP BY m.key"
)
_SIGNALS = (
    "SELECT m.key, list({'signal': s.signal, 'at': epoch_us(s.made_at), 'weight': s.weight}"
    " ORDER BY s.made_at, s.signal) AS held FROM signals s JOIN memories m ON m.id = s.memory_id GROUP BY m.key"
)


def _distinct(connection: duckdb.DuckDBPyConnection, column: str) -> list[str]:
    found = connection.execute(
        f"SELECT DISTINCT {column} FROM memories WHERE {column} IS NOT NULL ORDER BY 1"  # noqa: S608 - our own names
    ).fetchall()
    return [str(row[0]) for row in found]


def _columns(connection: duckdb.DuckDBPyConnection, names: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """Return the plain columns, in the order of the keys; names as codes, counted from 1."""
    times = ", ".join(f"coalesce(epoch_us(m.{name}), {_NEVER}) AS {name}" for name in _TIMES)
    codes = ", ".join(f"coalesce({name}_codes.code, 0)::UINTEGER AS {name}" for name in names)
    joins = " ".join(
        f"LEFT JOIN (SELECT unnest(list) AS name, generate_subscripts(list, 1) AS code"  # noqa: S608 - our own names
        f" FROM (SELECT from_json(?, '[\"VARCHAR\"]') AS list)) {name}_codes ON {name}_codes.name = m.{name}"
        for name in names
    )
    found = connection.execute(
        f"SELECT m.key, strlen(m.id)::BIGINT AS id_length, strlen(m.title)::BIGINT AS title_length, {codes}, m.pinned,"  # noqa: S608 - as above
        f" m.importance::UTINYINT AS importance, coalesce(m.half_life_days, -1) AS half_life_days, {times}"
        f" FROM memories m {joins} ORDER BY m.key",
        [json.dumps(list(values)) for values in names.values()],
    ).fetchnumpy()
    return dict(found)


def _sparse(connection: duckdb.DuckDBPyConnection, keys: npt.NDArray[np.int64], query: str) -> Sparse:
    """Return what a query says of a few memories, as JSON, in which no line ends."""
    import numpy as np

    found = connection.execute(f"SELECT key FROM ({query}) ORDER BY key").fetchnumpy()["key"]  # noqa: S608 - ours
    row = connection.execute(
        f"SELECT string_agg(to_json(held)::VARCHAR, chr(10) ORDER BY key) FROM ({query})"  # noqa: S608 - ours
    ).fetchone()
    text = str(row[0]) if row and row[0] is not None else ""
    return Sparse(np.searchsorted(keys, found), Texts.of_lines(text, len(found)))


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
