"""Many short texts in one block of memory: a tenth of what as many strings take."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

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
        texts: their texts.
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
