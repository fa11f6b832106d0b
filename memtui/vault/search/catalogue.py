"""All memories of a vault without their long texts, in memory, for lists that filter at every key stroke."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from memtui.domain.memory import Anchor, AnchorState, Memory, Signal, Status
from memtui.text.words import plain_letters
from memtui.vault.reader import INSIDE_FROM, MOST_BEGUN

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memtui.vault.reader import VaultReader

    Mask = npt.NDArray[np.bool_]
    Column = npt.NDArray[Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = ("created_at", "observed_at", "confirmed_at", "verified_at", "due_at", "snoozed_until")
_NAMES = ("project", "kind", "status")
_NEVER = -(1 << 62)  # Microseconds that stand for no time

_END = b"\n"

_SHORT = 2  # Search strings of up to so many bytes are looked for byte by byte: they occur in most texts


class Texts:
    """Texts by their number, in one block of UTF-8 with a line end before each and after the last.

    `starts`: offset of each in bytes, and of where the next one would begin.
    """

    def __init__(self, block: bytes, starts: npt.NDArray[np.uint32]) -> None:
        self._block = block
        self._starts = starts

    @classmethod
    def of(cls, joined: str, lengths: npt.NDArray[np.int64]) -> Texts:
        """Return the texts that were joined by line ends; `lengths` are in bytes of UTF-8."""
        import numpy as np

        starts = np.ones(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths + 1, out=starts[1:])
        starts[1:] += 1
        return cls(_END + joined.encode() + _END, starts.astype(np.uint32))

    @classmethod
    def of_lines(cls, joined: str, count: int) -> Texts:
        """Return the texts of `count` joined lines, none of which contains a line end."""
        import numpy as np

        block = _END + joined.encode() + _END
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == _END[0]) if count else np.zeros(1, dtype=np.int64)
        return cls(block, (ends + 1).astype(np.uint32))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._block[int(self._starts[number]) : int(self._starts[number + 1]) - 1].decode()

    @property
    def nbytes(self) -> int:
        return len(self._block) + int(self._starts.nbytes)

    def holding(self, part: str) -> npt.NDArray[np.intp]:
        """Return the numbers of the texts that contain a string, in order; none contains a line end."""
        import numpy as np

        wanted = part.encode("utf-8", "replace")
        if not len(self) or _END in wanted:
            return np.zeros(0, dtype=np.intp)
        if not wanted:
            return np.arange(len(self), dtype=np.intp)
        if len(wanted) <= _SHORT:
            return self._holding_short(wanted)
        return np.array(self._holding_long(wanted), dtype=np.intp)

    def _holding_short(self, wanted: bytes) -> npt.NDArray[np.intp]:
        import numpy as np

        cells = np.frombuffer(self._block, dtype=np.uint8)
        fits = cells[: len(cells) - len(wanted) + 1] == wanted[0]
        for place, byte in enumerate(wanted[1:], 1):
            fits = fits & (cells[place : len(cells) - len(wanted) + 1 + place] == byte)
        # The last text ends before the end of the block, so that each start lies within what was compared.
        counts = np.add.reduceat(fits.view(np.uint8), np.minimum(self._starts[:-1], len(fits) - 1), dtype=np.uint32)
        return np.flatnonzero(counts)

    def _holding_long(self, wanted: bytes) -> list[int]:
        starts, find = self._starts.data, self._block.find
        found: list[int] = []
        at = find(wanted)
        while at >= 0:
            number = bisect_right(starts, at) - 1
            found.append(number)
            at = find(wanted, starts[number + 1])
        return found

    def starting(self, prefix: str, *, most: int) -> list[int]:
        """Return the numbers of the first texts with a prefix."""
        return self._from_start(_END + prefix.encode("utf-8", "replace"), most)

    def equal(self, text: str, *, most: int) -> list[int]:
        """Return the numbers of the first texts that equal a text."""
        return self._from_start(_END + text.encode("utf-8", "replace") + _END, most)

    def _from_start(self, wanted: bytes, most: int) -> list[int]:
        starts = self._starts.data
        found: list[int] = []
        at = self._block.find(wanted)
        while at >= 0 and len(found) < most:
            number = bisect_right(starts, at + 1) - 1
            # A line end within a text does not start one.
            if number < len(self) and starts[number] == at + 1:
                found.append(number)
            at = self._block.find(wanted, at + 1)
        return found


class Sparse:
    """Texts that only a few memories have. `numbers`: of the memories that have one, in order."""

    def __init__(self, numbers: npt.NDArray[np.int64], texts: Texts) -> None:
        self._numbers = numbers
        self._texts = texts

    @property
    def nbytes(self) -> int:
        return self._texts.nbytes + int(self._numbers.nbytes)

    def of(self, number: int) -> str | None:
        """Return the text of a memory, None if it has none."""
        import numpy as np

        place = int(np.searchsorted(self._numbers, number))
        if place < len(self._numbers) and int(self._numbers[place]) == number:
            return self._texts[place]
        return None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All memories of a vault at one moment. A memory's number is the rank of its internal key."""

    keys: npt.NDArray[np.int64]
    ids: Texts
    titles: Texts
    lower_titles: Texts  # in lower case, without accents, with line ends as spaces
    names: Mapping[str, Sequence[str]]  # the projects, kinds and statuses that occur
    columns: Mapping[str, Column]  # codes into `names` (0 for no project), times in microseconds, and plain values
    anchors: Sparse  # JSON, of memories that have any
    states: Sparse  # JSON of [path, last known state], of memories whose anchors were checked
    signals: Sparse  # JSON of [signal, microseconds, weight], oldest first, of memories that have any
    _by_id: tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]

    @classmethod
    def of(cls, columns: Columns, texts: Sequence[str]) -> Catalogue:
        """Return the catalogue of what `read_columns` and `read_texts` read at the same moment."""
        import numpy as np

        values = dict(columns.values)
        keys, id_lengths, title_lengths = (values.pop(name) for name in ("key", "id_length", "title_length"))
        joined_ids, joined_titles, joined_lower = texts
        ids = Texts.of(joined_ids, id_lengths)
        hashes = np.fromiter((hash(ids[number].lower()) for number in range(len(keys))), np.int64, len(keys))
        order = np.argsort(hashes, kind="stable")
        return cls(
            keys=keys,
            ids=ids,
            titles=Texts.of(joined_titles, title_lengths),
            lower_titles=Texts.of_lines(joined_lower, len(keys)),
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
        wanted = np.fromiter((hash(one.lower()) for one in identifiers), np.int64, len(identifiers))
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
        """Return the numbers of memories by their internal keys, all of which must exist."""
        import numpy as np

        return [int(number) for number in np.searchsorted(self.keys, np.array(keys, dtype=np.int64))]

    def named(self, name: str, allowed: Mask, *, limit: int = 20) -> list[int]:
        """Return the numbers of memories whose id or title is exactly this, ignoring case: `keys_by_name` in memory."""
        lowered = lower(name)
        by_id = [number for number in self._same_id(name) if allowed[number]]
        found = {
            number
            for number in self.lower_titles.equal(plain_letters(lowered).replace("\n", " "), most=len(self))
            if allowed[number] and lower(self.titles[number]) == lowered
        }
        return [*sorted(by_id), *sorted(found.difference(by_id))][:limit]

    def begun(self, parts: Sequence[str], allowed: Mask, *, limit: int = MOST_BEGUN) -> list[int]:
        """Return the numbers of memories whose title holds beginnings of words: `keys_by_letters` in memory."""
        found: set[int] | None = None
        for part in parts:
            letters = plain_letters(lower(part))
            inside = letters if len(part) >= INSIDE_FROM else f" {letters}"
            held = {int(number) for number in self.lower_titles.holding(inside)}
            if inside != letters:
                held |= set(self.lower_titles.starting(letters, most=len(self)))
            found = held if found is None else found & held
        return [number for number in sorted(found or ()) if allowed[number]][:limit]

    def resolve(self, prefix: str) -> int | None:
        """Return the memory with this id, or the only one whose id starts with it; None for none or several."""
        exact = self.number(prefix)
        if exact is not None:
            return exact
        found = self.ids.starting(prefix, most=2) if prefix else []
        return found[0] if len(found) == 1 else None

    def memory(self, number: int) -> Memory:
        """Return a memory without its texts: its title, and everything that scores and rows depend on."""
        half_life = float(self.columns["half_life_days"][number])
        times: dict[str, Any] = {name: self._time(name, number) for name in _TIMES}
        created = times.pop("created_at") or _EPOCH
        anchors = self.anchors.of(number)
        return Memory(
            id=self.ids[number],
            title=self.titles[number],
            insight="",
            kind=self._name("kind", number),
            project=self._name("project", number) or None,
            status=cast("Status", self._name("status", number)),
            anchors=tuple(Anchor(one["path"], one["content_hash"]) for one in json.loads(anchors or "[]")),
            importance=int(self.columns["importance"][number]),
            pinned=bool(self.columns["pinned"][number]),
            created_at=created,
            updated_at=created,
            half_life_days=half_life if half_life >= 0 else None,
            **times,
        )

    def anchor_states(self, number: int) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path) of a memory."""
        text = self.states.of(number)
        identifier = self.ids[number] if text else ""
        return {(identifier, held["path"]): held["state"] for held in json.loads(text or "[]")}

    def signals_of(self, number: int) -> list[Signal]:
        """Return the signals of a memory as far as usefulness depends on them, the oldest first."""
        text = self.signals.of(number)
        identifier = self.ids[number] if text else ""
        return [
            Signal(
                memory_id=identifier,
                signal=held["signal"],
                at=_EPOCH + timedelta(microseconds=held["at"]),
                actor="",
                weight=held["weight"],
            )
            for held in json.loads(text or "[]")
        ]

    def _same_id(self, identifier: str) -> list[int]:
        """Return the numbers of the memories with this id, ignoring case."""
        import numpy as np

        hashes, order = self._by_id
        wanted = hash(identifier.lower())
        first, last = (int(np.searchsorted(hashes, wanted, side=side)) for side in ("left", "right"))
        lowered = lower(identifier)
        return [int(number) for number in order[first:last] if lower(self.ids[int(number)]) == lowered]

    def _name(self, column: str, number: int) -> str:
        code = int(self.columns[column][number])
        return self.names[column][code - 1] if code else ""

    def _time(self, column: str, number: int) -> datetime | None:
        value = int(self.columns[column][number])
        return None if value == _NEVER else _EPOCH + timedelta(microseconds=value)


def lower(text: str) -> str:
    """Return a text in lower case as DuckDB does it: character by character, one for one."""
    return text.lower() if text.isascii() else "".join(letter.lower()[:1] for letter in text)


@dataclass(frozen=True, slots=True)
class Columns:
    """What was read of the memories besides their texts, in the order of their keys."""

    names: Mapping[str, Sequence[str]]
    values: Mapping[str, Column]
    anchors: Sparse
    states: Sparse
    signals: Sparse


def read_columns(reader: VaultReader) -> Columns:
    """Return the columns of all memories of an open vault: 0.1 s of processor time at 100,000."""
    names = {name: _distinct(reader, name) for name in _NAMES}
    values = _plain_columns(reader, names)
    sparse = (_sparse(reader, values["key"], query) for query in (_ANCHORS, _STATES, _SIGNALS))
    return Columns(names, values, *sparse)


def read_texts(reader: VaultReader) -> tuple[str, ...]:
    """Return ids, titles and titles in lower case, each joined by line ends: 0.15 s of processor time at 100,000.

    Three long texts are transferred from DuckDB in half the time that as many rows take.
    """
    row = reader.connection.execute(
        "SELECT string_agg(id, chr(10) ORDER BY key), string_agg(title, chr(10) ORDER BY key),"
        " string_agg(translate(strip_accents(lower(title)), chr(10), ' '), chr(10) ORDER BY key) FROM memories"
    ).fetchone()
    return tuple(str(value or "") for value in row or ("", "", ""))


_ANCHORS = "SELECT m.key, m.anchors AS held FROM memories m WHERE len(m.anchors) > 0"
_STATES = (
    "SELECT m.key, list({'path': s.path, 'state': s.state} ORDER BY s.path) AS held"
    " FROM anchor_states s JOIN memories m ON m.id = s.memory_id GROUP BY m.key"
)
_SIGNALS = (
    "SELECT m.key, list({'signal': s.signal, 'at': epoch_us(s.made_at), 'weight': s.weight}"
    " ORDER BY s.made_at, s.signal) AS held FROM signals s JOIN memories m ON m.id = s.memory_id GROUP BY m.key"
)


def _distinct(reader: VaultReader, column: str) -> list[str]:
    found = reader.connection.execute(
        f"SELECT DISTINCT {column} FROM memories WHERE {column} IS NOT NULL ORDER BY 1"
    ).fetchall()
    return [str(row[0]) for row in found]


def _plain_columns(reader: VaultReader, names: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """Return the plain columns, in the order of the keys; names as codes, counted from 1."""
    times = ", ".join(f"coalesce(epoch_us(m.{name}), {_NEVER}) AS {name}" for name in _TIMES)
    codes = ", ".join(f"coalesce({name}_codes.code, 0)::UINTEGER AS {name}" for name in names)
    joins = " ".join(
        f"LEFT JOIN (SELECT unnest(list) AS name, generate_subscripts(list, 1) AS code"
        f" FROM (SELECT from_json(?, '[\"VARCHAR\"]') AS list)) {name}_codes ON {name}_codes.name = m.{name}"
        for name in names
    )
    found = reader.connection.execute(
        f"SELECT m.key, strlen(m.id)::BIGINT AS id_length, strlen(m.title)::BIGINT AS title_length, {codes}, m.pinned,"
        f" m.importance::UTINYINT AS importance, coalesce(m.half_life_days, -1) AS half_life_days, {times}"
        f" FROM memories m {joins} ORDER BY m.key",
        [json.dumps(list(values)) for values in names.values()],
    ).fetchnumpy()
    return dict(found)


def _sparse(reader: VaultReader, keys: npt.NDArray[np.int64], query: str) -> Sparse:
    """Return what a query finds for a few memories, as JSON, which contains no line ends."""
    import numpy as np

    found = reader.connection.execute(f"SELECT key FROM ({query}) ORDER BY key").fetchnumpy()["key"]
    row = reader.connection.execute(
        f"SELECT string_agg(to_json(held)::VARCHAR, chr(10) ORDER BY key) FROM ({query})"
    ).fetchone()
    text = str(row[0]) if row and row[0] is not None else ""
    return Sparse(np.searchsorted(keys, found), Texts.of_lines(text, len(found)))
