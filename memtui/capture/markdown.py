"""Split Markdown by meaning: one rule, one memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from memtui.analysis.titles import plain_text
from memtui.capture.blocks import Block, Span, item_text, outline
from memtui.capture.prose import (
    LeadRole,
    SkipReason,
    contents_reason,
    is_condition,
    is_import,
    is_link_definition,
    is_rule_heading,
    is_table_of_contents,
    lead_role,
    no_memory_reason,
    pseudo_heading,
    splits_into_items,
)
from memtui.capture.stable_split import Atom, Cut, Familiar, regroup

PIECE_CHARS = 1_200
"""Prose below one heading up to this size stays one piece."""

LONGEST_LIST_CHARS = 3_000
"""A list that belongs together stays whole up to this size, then is split between its items."""

_LISTS = frozenset({"bullets", "ordered"})
_OPENS_A_PART = frozenset({"paragraph", "quote"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One future memory.

    Attributes:
        heading_path: the headings above it, outermost first, as plain text.
        slot: its number below that heading path, from 1.
        text: its source lines, a list item without its marker.
        span: first and last line, counted from 1 (or from `first_line`), both inclusive.
    """

    heading_path: tuple[str, ...]
    slot: int
    text: str
    span: tuple[int, int]

    @property
    def native_id(self) -> str:
        """The heading path joined with ` > `, and `#` with the slot."""
        return " > ".join(self.heading_path) + f"#{self.slot}"


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that become no memory, with the reason."""

    span: tuple[int, int]
    reason: str


@dataclass(frozen=True, slots=True)
class Split:
    """A text split into pieces and gaps, both in the order of the text."""

    pieces: list[Piece]
    skipped: list[Gap]


def split_markdown(
    text: str, *, first_line: int = 1, each_item: bool = False, familiar: Familiar | None = None
) -> Split:
    """Split a Markdown text into pieces that each stand alone, and gaps.

    Args:
        text: the text; line ends of any style.
        first_line: line number of its first line in the file.
        each_item: whether every list item is a piece of its own.
        familiar: how the text was split at the last import; what is still there is split alike.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    outlined = outline(lines)
    splitter = _Splitter(lines, list(accumulate((len(line) + 1 for line in lines), initial=0)), each_item=each_item)
    for section in _sections(outlined.blocks):
        splitter.part_section(section)
    if familiar is not None:
        splitter.recut(familiar)
    splitter.gaps.extend(outlined.set_aside)
    pieces = _pieces(splitter, first_line)
    return Split(pieces, _gaps(splitter, pieces, first_line))


@dataclass(slots=True)
class _Section:
    """A heading and the blocks up to the next heading of any level."""

    path: tuple[str, ...]
    heading: Block | None = None
    blocks: list[Block] = field(default_factory=list)
    has_children: bool = False


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    stack: list[tuple[int, str]] = []
    section = _Section(())
    for block in blocks:
        if block.kind != "heading":
            section.blocks.append(block)
            continue
        section.has_children = section.heading is not None and block.level > section.heading.level
        yield section
        while stack and stack[-1][0] >= block.level:
            stack.pop()
        if name := plain_text(block.content):
            stack.append((block.level, name))
        section = _Section(tuple(name for _, name in stack), block)
    yield section


@dataclass(slots=True)
class _Part:
    """Lines that will be one piece, or be packed with their neighbours into one.

    Attributes:
        alone: whether it is never packed.
        takes: whether a fence or table right after it belongs to it.
        text: its text, where that is not the source lines themselves.
    """

    lines: Span
    path: tuple[str, ...]
    alone: bool = False
    takes: bool = True
    text: str | None = None


@dataclass(slots=True)
class _Parted:
    """A section with the blocks that may become memories, and how they were split."""

    path: tuple[str, ...]
    blocks: Sequence[Block]
    dropped: Sequence[Span]
    parts: list[_Part]

    def atoms(self) -> Iterator[tuple[Span, Cut]]:
        """Yield the lines of each block, of a list each item, with the part that holds it."""
        for block in self.blocks:
            for span in block.items or (block.lines,):
                held = (at for at, part in enumerate(self.parts) if _within(span, part.lines))
                yield span, Cut(next(held, None), is_item=block.kind in _LISTS)


@dataclass(slots=True)
class _Splitter:
    lines: Sequence[str]
    starts: Sequence[int]
    each_item: bool
    parts: list[_Part] = field(default_factory=list)
    gaps: list[tuple[Span, str]] = field(default_factory=list)
    parted: list[_Parted] = field(default_factory=list)

    def part_section(self, section: _Section) -> None:
        """Split one section and decide what becomes of its heading."""
        blocks = self._remembered(section)
        parts = self._packed(self._parts(section, blocks))
        dropped = [block.lines for block in section.blocks if block not in blocks]
        self.parted.append(_Parted(section.path, blocks, dropped, parts))
        self.parts.extend(parts)
        heading = section.heading
        if heading is None:
            return
        if parts or section.has_children:
            self.gaps.append((heading.lines, SkipReason.CONTEXT))
        elif not section.blocks and is_rule_heading(heading.content):
            self.parts.append(_Part(heading.lines, section.path[:-1], alone=True, text=heading.content))
        else:
            self.gaps.append((heading.lines, SkipReason.NO_TEXT))

    def recut(self, familiar: Familiar) -> None:
        """Split each section as before, as far as its old pieces are still there."""
        found = [(parted, list(parted.atoms())) for parted in self.parted]
        atoms = [(parted, span, cut) for parted, parts in found for span, cut in parts]
        units = familiar.units_of(
            [
                Atom(self._text(span), " > ".join(parted.path if cut.part is None else parted.parts[cut.part].path))
                for parted, span, cut in atoms
            ]
        )
        single = _single_items(units, [cut for _, _, cut in atoms], familiar.simple)
        rest = iter(units)
        for parted, parts in found:
            groups = regroup(list(islice(rest, len(parts))), [cut for _, cut in parts], single=single)
            if groups is not None:
                gone = set(map(id, parted.parts))
                self.parts = [part for part in self.parts if id(part) not in gone]
                self.parts.extend(self._rejoined(parted, parts, group) for _, group in groups)

    def _rejoined(self, parted: _Parted, atoms: Sequence[tuple[Span, Cut]], group: Sequence[int]) -> _Part:
        """Return the part that a group of atoms makes."""
        spans = [atoms[at][0] for at in group]
        whole = Span(spans[0].first, spans[-1].last)
        cuts = {atoms[at][1].part for at in group}
        usual = next(iter(cuts)) if len(cuts) == 1 else None
        if usual is not None and sum(cut.part == usual for _, cut in atoms) == len(group):
            return parted.parts[usual]
        path = parted.path if usual is None else parted.parts[usual].path
        if len(group) == 1 and atoms[group[0]][1].is_item:
            return _Part(whole, path, alone=True, text=item_text(self.lines, whole))
        text = text_without(self.lines, whole, parted.dropped)
        return _Part(whole, path, alone=True, text=text)

    def _parts(self, section: _Section, remembered: Sequence[Block]) -> list[_Part]:
        parts: list[_Part] = []
        path = section.path
        open_part: _Part | None = None
        blocks = iter(remembered)
        block = next(blocks, None)
        while block is not None:
            following = next(blocks, None)
            if following is not None and (label := pseudo_heading(block, following)):
                self.gaps.append((block.lines, SkipReason.CONTEXT))
                path, open_part, block = (*section.path, label), None, following
                continue
            role = lead_role(block) if following is not None and following.kind in _LISTS else None
            if following is not None and role is not None:
                if role == "label" or is_condition(block):
                    path = section.path
                new = self._led_list(block, following, role, path)
                following = next(blocks, None)
            elif block.kind in _LISTS:
                new = self._list(block, path)
            elif open_part is not None and open_part.takes and self._continues(open_part, block):
                open_part.lines = Span(open_part.lines.first, block.lines.last)
                new = []
            else:
                new = [_Part(block.lines, path)]
            parts.extend(new)
            open_part = parts[-1] if parts else None
            block = following
        return parts

    def _remembered(self, section: _Section) -> list[Block]:
        """Return the section's blocks that may become memories; note the others as gaps."""
        contents = bool(section.path) and is_table_of_contents(section.path[-1])
        remembered = []
        for block in section.blocks:
            reason = no_memory_reason(block, self._text(block.lines))
            if contents and block.kind in _LISTS and not reason:
                reason = contents_reason(block, self.lines)
            if reason:
                self.gaps.append((block.lines, reason))
            else:
                remembered.append(block)
        return remembered

    def _continues(self, part: _Part, block: Block) -> bool:
        """Return whether a fence, a table or the like belongs to the part right above it."""
        return block.kind not in _OPENS_A_PART and not self._parted(part.lines.last, block.lines.first)

    def _led_list(self, lead: Block, listed: Block, role: LeadRole, path: tuple[str, ...]) -> list[_Part]:
        """Split a list with the words that introduce it."""
        label = plain_text(lead.content).rstrip(" :：")
        labelled = (*path, label) if label else path
        if role != "needed" and self._splits(listed, labelled if role == "label" else path):
            self.gaps.append((lead.lines, SkipReason.CONTEXT if role == "label" else SkipReason.LEAD))
            return self._items(listed, labelled if role == "label" else path)
        whole = Span(lead.lines.first, listed.lines.last)
        if self._size(whole) <= LONGEST_LIST_CHARS:
            return [_Part(whole, path)]
        groups = self._grouped(listed, labelled)
        groups[0].lines = Span(lead.lines.first, groups[0].lines.last)
        return groups

    def _list(self, block: Block, path: tuple[str, ...]) -> list[_Part]:
        if self._splits(block, path):
            return self._items(block, path)
        if self._size(block.lines) <= LONGEST_LIST_CHARS:
            return [_Part(block.lines, path)]
        return self._grouped(block, path)

    def _splits(self, block: Block, path: tuple[str, ...]) -> bool:
        return self.each_item or splits_into_items(block, self.lines, path)

    def _items(self, block: Block, path: tuple[str, ...]) -> list[_Part]:
        parts = []
        for item in block.items:
            text = item_text(self.lines, item)
            if not text.strip():
                self.gaps.append((item, "empty list item"))
            elif is_import(text):
                self.gaps.append((item, SkipReason.IMPORT))
            else:
                parts.append(_Part(item, path, alone=True, takes=False, text=text))
        return parts

    def _grouped(self, block: Block, path: tuple[str, ...]) -> list[_Part]:
        """Split a long list between its items, each part up to the usual size."""
        groups: list[Span] = []
        size = 0
        for item in block.items:
            length = self._size(item)
            if groups and size + length <= PIECE_CHARS:
                groups[-1] = Span(groups[-1].first, item.last)
                size += length
            else:
                groups.append(item)
                size = length
        return [_Part(group, path, alone=True, takes=False) for group in groups]

    def _packed(self, parts: Sequence[_Part]) -> list[_Part]:
        """Join neighbouring prose below one heading up to the usual size."""
        packed: list[_Part] = []
        for part in parts:
            last = packed[-1] if packed else None
            if last is not None and self._joins(last, part):
                last.lines = Span(last.lines.first, part.lines.last)
            else:
                packed.append(part)
        return packed

    def _joins(self, last: _Part, part: _Part) -> bool:
        return (
            not (part.alone or last.alone)
            and last.path == part.path
            and self._size(Span(last.lines.first, part.lines.last)) <= PIECE_CHARS
            and not self._parted(last.lines.last, part.lines.first)
        )

    def _parted(self, last: int, first: int) -> bool:
        """Return whether anything but blank lines lies between two lines."""
        return any(line.strip() for line in self.lines[last + 1 : first])

    def _text(self, span: Span) -> str:
        return "\n".join(self.lines[span.first : span.last + 1])

    def _size(self, span: Span) -> int:
        return self.starts[span.last + 1] - self.starts[span.first]


def _single_items(units: Sequence[int | None], cuts: Sequence[Cut], simple: frozenset[int]) -> frozenset[int]:
    """Return the units that are one item of a list each."""
    counts = Counter(units)
    of_items = {unit for unit, cut in zip(units, cuts, strict=True) if cut.is_item and unit is not None}
    return frozenset(unit for unit in of_items if counts[unit] == 1 or unit in simple)


def text_without(lines: Sequence[str], whole: Span, dropped: Iterable[Span]) -> str:
    """Return lines as a text without some of them, and without the blank line that would stand twice then."""
    gone = {number for span in dropped for number in range(span.first, span.last + 1)}
    kept: list[str] = []
    for number in range(whole.first, whole.last + 1):
        doubled = number - 1 in gone and kept and not (kept[-1].strip() or lines[number].strip())
        if number not in gone and not doubled:
            kept.append(lines[number])
    return "\n".join(kept).strip("\n")


def _within(inner: Span, outer: Span) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def _pieces(splitter: _Splitter, first_line: int) -> list[Piece]:
    slots: dict[tuple[str, ...], int] = {}
    pieces = []
    for part in sorted(splitter.parts, key=lambda part: part.lines.first):
        source = splitter.lines[part.lines.first : part.lines.last + 1]
        text = "\n".join(source).strip("\n") if part.text is None else part.text
        slots[part.path] = slots.get(part.path, 0) + 1
        span = (part.lines.first + first_line, part.lines.last + first_line)
        pieces.append(Piece(part.path, slots[part.path], text, span))
    return pieces


def _gaps(splitter: _Splitter, pieces: Sequence[Piece], first_line: int) -> list[Gap]:
    """Return the noted gaps less what a piece holds, and a gap for every other non-blank line."""
    reasons = [_unclaimed_reason(line) for line in splitter.lines]
    for span, reason in splitter.gaps:
        reasons[span.first : span.last + 1] = [reason] * (span.last - span.first + 1)
    for piece in pieces:
        first, last = piece.span[0] - first_line, piece.span[1] - first_line
        reasons[first : last + 1] = [""] * (last - first + 1)
    starts = {span.first for span, _ in splitter.gaps}
    gaps: list[Gap] = []
    before = ""
    for number, reason in enumerate(reasons):
        line = number + first_line
        if reason and reason == before and number not in starts:
            gaps[-1] = Gap((gaps[-1].span[0], line), reason)
        elif reason:
            gaps.append(Gap((line, line), reason))
        before = reason
    return gaps


def _unclaimed_reason(line: str) -> str:
    if not line.strip():
        return ""
    return SkipReason.LINK_DEFINITION if is_link_definition(line) else "holds no text"
