"""The text of a document with its lines, and the units that it is never split below."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memtui.capture.blocks import Block, BlockKind, Span, item_text
from memtui.capture.prose import sentence_ends
from memtui.text.inline import plain_text

PIECE_CHARS = 1_200
"""The most characters of prose in one memory; also the size up to which prose below one heading stays together."""

LISTS = frozenset({"bullets", "ordered"})
CODE = frozenset({"fence", "code"})
FENCE_MARK = re.compile(r"^[ \t>]*(?:`{3}|~{3})", re.MULTILINE)
_BREAKS = re.compile(r"\n[ \t>]*\n+|\n(?=[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_BETWEEN_CELLS = " — "
_LONGEST_SUBJECT = 120
_SEAMS = tuple(
    map(
        re.compile,
        (
            r"(?<=[a-zà-ÿ0-9)`][.!?])(?=[A-ZÀ-Þ][a-zà-ÿ]*\s)",
            r"[;；]\s?",
            r"\s(?=\d{1,3}[.)]\s)",
            r"\s(?=[-–—•▪‣◦●·]\s)",
            r",\s(?=(?:and|but|so|then|never|always|use|do|prefer|avoid|und|aber|et|mais|y|pero)\b)",
            r"[,，、]\s?",
            r"\s",
        ),
    )
)
"""Where an overlong sentence may be cut, the best first: a sentence without its space, a clause, a number, a word."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of the text that is never split."""

    lines: Span  # the lines that it touches
    start: int  # offset of its first character in the text
    end: int  # offset behind its last one
    kind: BlockKind
    text: str = ""  # what it says when it stands alone: an item without its marker, a row with its column heads
    is_item: bool = False  # whether it is an item of a list or a row of a table


@dataclass(slots=True)
class Part:
    """Units from first to last, both inclusive: one memory."""

    first: int
    last: int
    path: tuple[str, ...]
    alone: bool = False  # whether it is never packed with its neighbours
    text: str | None = None  # its text, where that is not the source itself


@dataclass(slots=True)
class Page:
    """The text of a document with its lines."""

    lines: Sequence[str]
    borders: Sequence[int]
    text: str = field(init=False)
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.text = "\n".join(self.lines)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def range_of(self, span: Span) -> tuple[int, int]:
        """Return the offsets at which lines begin and end."""
        return self.starts[span.first], max(self.starts[span.first], self.starts[span.last + 1] - 1)

    def of(self, span: Span) -> str:
        """Return the text of lines."""
        return "\n".join(self.lines[span.first : span.last + 1])

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds a character."""
        return bisect_right(self.starts, offset) - 1

    def are_apart(self, last: int, first: int) -> bool:
        """Return whether anything but blank lines, or the border of a callout, lies between two lines."""
        if any(line.strip() for line in self.lines[last + 1 : first]):
            return True
        return bisect_left(self.borders, first + 1) > bisect_left(self.borders, last + 1)


def units_of(block: Block, page: Page) -> Iterator[Unit]:
    """Yield the units of a block: items, rows, code as a whole, and prose up to the size of a memory."""
    if block.kind in LISTS:
        for item in block.items:
            yield from item_units(block, item, page)
    elif block.kind in CODE or block.kind == "heading":
        yield line_unit(block.lines, block.kind, page)
    elif block.kind == "table":
        for number in range(block.lines.first, block.lines.last + 1):
            yield line_unit(Span(number, number), "table", page)
    else:
        yield from _prose_units(block.lines, block.kind, page)


def line_unit(span: Span, kind: BlockKind, page: Page) -> Unit:
    """Return lines as one unit."""
    return Unit(span, *page.range_of(span), kind)


def item_units(block: Block, item: Span, page: Page) -> Iterator[Unit]:
    """Yield an item of a list, a long one without code in parts."""
    start, end = page.range_of(item)
    if end - start > PIECE_CHARS and not FENCE_MARK.search(page.text[start:end]):
        yield from _prose_units(item, block.kind, page)
    else:
        yield Unit(item, start, end, block.kind, item_text(page.lines, item), is_item=True)


def _prose_units(span: Span, kind: BlockKind, page: Page) -> Iterator[Unit]:
    start, end = page.range_of(span)
    text = page.text[start:end]
    for first, last in _ranges_in(text) if len(text) > PIECE_CHARS else [(0, len(text))]:
        lines = Span(page.line_at(start + first), page.line_at(start + max(first, last - 1)))
        yield Unit(lines, start + first, start + last, kind)


def cells_of(row: str) -> list[str]:
    """Return the cells of a row of a table."""
    bare = row.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", bare)]


def row_text(heads: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row as a statement, each cell with the head of its column."""
    named = ((plain_text(heads[at]) if at < len(heads) else "", cell) for at, cell in enumerate(cells) if cell)
    return _BETWEEN_CELLS.join(f"{head}: {cell}" if head and head != "#" else cell for head, cell in named)


def row_parts(text: str) -> list[str]:
    """Return a row as one text; a very long one as several, each with the first cell."""
    if len(text) <= PIECE_CHARS:
        return [text]
    subject = text.partition(_BETWEEN_CELLS)[0][:_LONGEST_SUBJECT]
    parts = [""]
    for first, last in _ranges_in(text):
        if parts[-1] and len(parts[-1]) + last - first > PIECE_CHARS - _LONGEST_SUBJECT:
            parts.append(f"{subject}{_BETWEEN_CELLS}")
        parts[-1] = f"{parts[-1].rstrip()} {text[first:last]}".lstrip()
    return parts


def _ranges_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the paragraphs and nested items of a long text begin and end, of long ones the sentences."""
    start = 0
    for found in [*_BREAKS.finditer(text), None]:
        end = len(text) if found is None else found.start()
        if text[start:end].strip():
            yield from _sentence_ranges(text, start, end)
        start = end if found is None else found.end()


def _sentence_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end - start <= PIECE_CHARS:
        yield start, end
        return
    last = start
    for stop in sentence_ends(text[start:end]):
        yield from _clauses(text, last, start + stop)
        last = start + stop
    if text[last:end].strip():
        yield from _clauses(text, last, end)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence; one that is too long by itself in parts."""
    while start < end and text[start].isspace():
        start += 1
    while end - start > PIECE_CHARS:
        stop = _seam(text, start)
        yield start, stop
        start = stop
    if start < end:
        yield start, end


def _seam(text: str, start: int) -> int:
    """Return where to cut a text that is too long: behind the last of the best seams in the second half."""
    for seam in _SEAMS:
        ends = [found.end() for found in seam.finditer(text, start + PIECE_CHARS // 2, start + PIECE_CHARS)]
        if ends:
            return ends[-1]
    return start + PIECE_CHARS


def text_without(lines: Sequence[str], whole: Span, dropped: Iterable[Span]) -> str:
    """Return lines as a text without some of them, and without the blank line that would stand twice then."""
    gone = {number for span in dropped for number in range(span.first, span.last + 1)}
    kept: list[str] = []
    for number in range(whole.first, whole.last + 1):
        doubled = number - 1 in gone and kept and not (kept[-1].strip() or lines[number].strip())
        if number not in gone and not doubled:
            kept.append(lines[number])
    return "\n".join(kept).strip("\n")
