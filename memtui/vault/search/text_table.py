"""Many short texts in one block of memory, and the vocabulary for spelling correction."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reader import VaultReader

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_END = b"\n"

_SHORT = 2
"""Bytes of a part up to which every byte is looked at: it is in most texts."""


class Texts:
    """Texts by their number. A line end stands before each, so that texts without any in them can be searched.

    Args:
        block: the texts in UTF-8, a line end before each and one after the last.
        starts: where each begins, counted in bytes, and behind the last where the next would.
    """

    def __init__(self, block: bytes, starts: npt.NDArray[np.uint32]) -> None:
        self._block = block
        self._starts = starts

    @classmethod
    def of(cls, joined: str, lengths: npt.NDArray[np.int64]) -> Texts:
        """Return the texts of one long text.

        Args:
            joined: the texts, with a line end between them.
            lengths: of each, in bytes of UTF-8.
        """
        import numpy as np

        starts = np.ones(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths + 1, out=starts[1:])
        starts[1:] += 1
        return cls(_END + joined.encode() + _END, starts.astype(np.uint32))

    @classmethod
    def of_lines(cls, joined: str, count: int) -> Texts:
        """Return the texts of one long text of lines, none of which holds a line end."""
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
        """Bytes that they take."""
        return len(self._block) + int(self._starts.nbytes)

    def holding(self, part: str) -> npt.NDArray[np.intp]:
        """Return the numbers of the texts that hold a part, in order; a part with a line end is in none."""
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
        """Return the numbers of the first texts that start so."""
        return self._from_start(_END + prefix.encode("utf-8", "replace"), most)

    def equal(self, text: str, *, most: int) -> list[int]:
        """Return the numbers of the first texts that are exactly this."""
        return self._from_start(_END + text.encode("utf-8", "replace") + _END, most)

    def _from_start(self, wanted: bytes, most: int) -> list[int]:
        starts = self._starts.data
        found: list[int] = []
        at = self._block.find(wanted)
        while at >= 0 and len(found) < most:
            number = bisect_right(starts, at + 1) - 1
            # A line end within a text is no start of one.
            if number < len(self) and starts[number] == at + 1:
                found.append(number)
            at = self._block.find(wanted, at + 1)
        return found


class Sparse:
    """Texts of a few among many things.

    Args:
        numbers: of the things that have a text, in order.
    """

    def __init__(self, numbers: npt.NDArray[np.int64], texts: Texts) -> None:
        self._numbers = numbers
        self._texts = texts

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return self._texts.nbytes + int(self._numbers.nbytes)

    def of(self, number: int) -> str | None:
        """Return the text of a thing, None where it has none."""
        import numpy as np

        place = int(np.searchsorted(self._numbers, number))
        if place < len(self._numbers) and int(self._numbers[place]) == number:
            return self._texts[place]
        return None


MOST_LETTERS_APART = 2
"""How much longer or shorter a meant word may be: as much as two errors make."""


def nearest_words(
    reader: VaultReader, wanted: MemoryFilter, words: Mapping[str, str], reach: Mapping[str, int]
) -> dict[str, str]:
    """Return, per mistyped word, the word of a title or tag within a filter that is nearest to it.

    Only words of the same first letter and about the same length are looked at, because mistyping rarely touches the
    first letter, and because a scan of 100,000 titles is what a search can wait for. Neighbouring letters that changed
    places count as one error. Of equally near words the more frequent wins.

    Args:
        wanted: whose titles and tags.
        words: the mistyped words in lower case, ASCII, and the stem of each.
        reach: most errors per word.
    """
    if not words:
        return {}
    rows = ", ".join("(?, ?, ?)" for _ in words)
    condition, parameters = where_sql(wanted, reader.kinds)
    given = [value for word, stem in words.items() for value in (word, stem, reach[word])]
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"WITH wrong(word, stem, reach) AS (VALUES {rows}),"  # noqa: S608 - placeholders alone
        " held AS (SELECT unnest(string_split_regex(lower(concat_ws(' ', m.title, array_to_string(m.tags, ' '))),"
        f" '[^a-z0-9]+')) AS name FROM memories m WHERE {condition}),"
        " known AS (SELECT name, count(*) AS times FROM held WHERE length(name) BETWEEN 3 AND 40"
        " AND name[1] IN (SELECT word[1] FROM wrong) GROUP BY name),"
        " near AS (SELECT w.word, k.name, k.times, w.reach,"
        " least(damerau_levenshtein(k.name, w.word), damerau_levenshtein(k.name, w.stem)) AS errors"
        " FROM wrong w JOIN known k ON k.name[1] = w.word[1]"
        f" AND abs(length(k.name) - length(w.word)) <= {MOST_LETTERS_APART})"
        " SELECT word, first(name ORDER BY errors, times DESC, name) FROM near WHERE errors <= reach GROUP BY word",
        [*given, *parameters],
    ).fetchall()
    return {str(word): str(name) for word, name in found}


def title_words(reader: VaultReader, wanted: MemoryFilter) -> dict[str, int]:
    """Return the words that `nearest_words` chooses from, with how often each occurs: 0.2 s at 100,000 memories."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT name, count(*) FROM (SELECT unnest(string_split_regex(lower(concat_ws(' ', m.title,"  # noqa: S608 - as above
        f" array_to_string(m.tags, ' '))), '[^a-z0-9]+')) AS name FROM memories m WHERE {condition})"
        " WHERE length(name) BETWEEN 3 AND 40 AND name[1] BETWEEN 'a' AND 'z' GROUP BY name",
        parameters,
    ).fetchall()
    return {str(name): int(times) for name, times in found}


def nearest_of(
    words: Mapping[str, str], reach: Mapping[str, int], known: Mapping[str, Mapping[str, int]]
) -> dict[str, str]:
    """Return what `nearest_words` returns, from words that are at hand.

    Args:
        words: the mistyped words in lower case, ASCII, and the stem of each.
        reach: most errors per word.
        known: by first letter, the words of `title_words` with how often each occurs.
    """
    from rapidfuzz.distance import DamerauLevenshtein

    distance = DamerauLevenshtein.distance
    nearest: dict[str, str] = {}
    for word, stem in words.items():
        most = reach[word]
        near = [
            (errors, -times, name)
            for name, times in known.get(word[0], {}).items()
            if abs(len(name) - len(word)) <= MOST_LETTERS_APART
            and (errors := min(distance(name, form, score_cutoff=most) for form in (word, stem))) <= most
        ]
        if near:
            nearest[word] = min(near)[2]
    return nearest
