"""Find the parts of a text that git could not merge and nobody has decided on yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from memtui.capture.blocks import Span
from memtui.capture.skip_codes import SkipWords


class Unresolved(SkipWords):
    """Why a part of a file, or all of it, is not read."""

    CONFLICT = "unresolved merge conflict"
    CONFLICT_IN_SETTINGS = "unresolved merge conflict in the frontmatter"


_MARKER = re.compile(r"(<{7}|\|{7}|>{7})(?= \S|$)|={7}$")
_ANY = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: |\r?$)", re.MULTILINE)


def has_marker(text: str) -> bool:
    """Return whether any line of a text looks like the beginning or the end of a conflict."""
    return _ANY.search(text) is not None


def merge_conflicts(lines: Sequence[str], *, code: AbstractSet[int] = frozenset()) -> list[Span]:
    """Return the conflicts of a text, from `<<<<<<<` to `>>>>>>>`, by the numbers of their lines from 0.

    A conflict whose end was removed lasts to the end of the text: what is decided in it cannot be told. A `<<<<<<<`
    left over alone is a conflict of one line. Without one before it, `=======` underlines a heading, and `>>>>>>>` is a
    quote.

    `lines`: the text's lines without line ends. `code`: numbers of lines that are code, where markers are examples.
    """
    found: list[Span] = []
    start, halfway = -1, False
    for number, sign in _markers(lines, code):
        if start >= 0 and sign in "|=":
            halfway |= sign == "="
        elif start >= 0 and sign == ">" and halfway:
            found.append(Span(start, number))
            start = -1
        elif sign == "<" or (start >= 0 and sign == ">"):
            alone = (start, -1 if sign == "<" else number)
            found += [Span(one, one) for one in alone if one >= 0]
            start, halfway = (number, False) if sign == "<" else (-1, False)
    if start >= 0:
        found.append(Span(start, len(lines) - 1 if halfway else start))
    return found


def _markers(lines: Sequence[str], code: AbstractSet[int]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines):
        if line[:1] in "<|=>" and (mark := _MARKER.match(line.rstrip())) and number not in code:
            yield number, mark[0][0]
