"""Differences between two texts, by line and by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Literal

Sign = Literal[" ", "-", "+", "…"]

LONGEST_COMPARED = 20_000
"""Characters compared of each text: the cost grows faster than the text, and nobody reads more of a difference."""

CONTEXT_LINES = 2  # Equal lines shown on either side of a change

_WORDS_COMPARED = 2_000
_LEAST_ALIKE = 0.25
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_WHOLE = re.compile(
    r"`{3,}\w*|`[^`\s]+`"  # a fence, code without blanks
    r"|-{1,2}\w[\w=./-]*\w|[./~@$]*\w[\w./:@+~-]*\w/?"  # an option, a path or a name of several words
)
"""What differs as a whole: half of a path or of an option says nothing, and marks within code read as code."""

Pieces = tuple[tuple[str, bool], ...]  # Parts of a line, each with whether it differs


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a difference."""

    sign: Sign  # equal, removed, added, or `…` for omitted lines or a truncated text
    pieces: Pieces  # the line without its line end

    @property
    def text(self) -> str:
        """The line without marks."""
        return "".join(text for text, _ in self.pieces)


def diff_texts(before: str, after: str) -> list[DiffLine]:
    """Return the lines that differ, with some context; nothing for equal texts."""
    if before == after:
        return []
    old, new = _lines(before), _lines(after)
    found: list[DiffLine] = []
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    opcodes = matcher.get_opcodes()
    for place, (tag, start, end, new_start, new_end) in enumerate(opcodes):
        if tag == "equal":
            found += _context(old[start:end], first=place == 0, last=place == len(opcodes) - 1)
        else:
            found += _changed(old[start:end], new[new_start:new_end])
    cut = max(len(before), len(after)) - LONGEST_COMPARED
    if cut > 0:
        found.append(DiffLine("…", ((f"{cut:,} more characters are not compared", False),)))
    return found


def _lines(text: str) -> list[str]:
    return text[:LONGEST_COMPARED].split("\n") if text else []


def _context(lines: Sequence[str], *, first: bool, last: bool) -> Iterator[DiffLine]:
    """Yield the ends of equal lines that touch a change."""
    head = 0 if first else CONTEXT_LINES
    tail = 0 if last else CONTEXT_LINES
    if len(lines) <= head + tail + 1:
        yield from (DiffLine(" ", ((line, False),)) for line in lines)
        return
    yield from (DiffLine(" ", ((line, False),)) for line in lines[:head])
    yield DiffLine("…", ((f"{len(lines) - head - tail} equal lines", False),))
    yield from (DiffLine(" ", ((line, False),)) for line in lines[len(lines) - tail :])


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Yield removed and added lines; those in the same place with the words that differ."""
    pairs = [_words(before, after) for before, after in zip(old, new, strict=False)]
    yield from (DiffLine("-", pieces) for pieces, _ in pairs)
    yield from (DiffLine("-", ((line, False),)) for line in old[len(pairs) :])
    yield from (DiffLine("+", pieces) for _, pieces in pairs)
    yield from (DiffLine("+", ((line, False),)) for line in new[len(pairs) :])


def differing_words(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Return two texts with the differing words marked; no marks where hardly a word is shared."""
    return _words(before[:LONGEST_COMPARED], after[:LONGEST_COMPARED])


def _words(before: str, after: str) -> tuple[Pieces, Pieces]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    whole = ((before, False),), ((after, False),)
    if max(len(old), len(new)) > _WORDS_COMPARED:
        return whole
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    blocks = matcher.get_matching_blocks()
    shared = sum(not word.isspace() for block in blocks for word in old[block.a : block.a + block.size])
    if shared < _LEAST_ALIKE * max(len(old), len(new)) / 2:  # about half of the parts are blanks
        return whole
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        differs = tag != "equal"
        left += [("".join(old[start:end]), differs)] if start < end else []
        right += [("".join(new[new_start:new_end]), differs)] if new_start < new_end else []
    return _widened(before, left), _widened(after, right)


def _widened(text: str, pieces: Sequence[tuple[str, bool]]) -> Pieces:
    """Return the pieces of a text with what differs in part marked as a whole."""
    flags = [differs for part, differs in pieces for _ in part]
    for found in _WHOLE.finditer(text):
        start, end = found.span()
        if any(flags[start:end]):
            flags[start:end] = [True] * (end - start)
    runs = groupby(zip(text, flags, strict=True), key=itemgetter(1))
    return tuple(("".join(sign for sign, _ in run), differs) for differs, run in runs)
