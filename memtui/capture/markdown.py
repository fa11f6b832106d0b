"""Split Markdown by meaning: one statement, one memory.

A text becomes blocks (blocks.py), the blocks of a heading a passage (sections.py), its blocks units and the units parts
(parts.py); a part is a piece unless the last import split the text in another way (stable_split.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from memtui.capture.blocks import Outline, Span, outline
from memtui.capture.no_memory import is_link_definition
from memtui.capture.parts import Parts
from memtui.capture.prose import is_rule_heading
from memtui.capture.sections import passages
from memtui.capture.skip_codes import SkipReason
from memtui.capture.spaced import joined
from memtui.capture.stable_split import Atom, Cut, Familiar, regroup
from memtui.capture.units import PIECE_CHARS, Page, Part, text_without

__all__ = ["PIECE_CHARS", "Gap", "Piece", "Split", "split_markdown", "text_without"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One future memory."""

    heading_path: tuple[str, ...]  # the headings above it, outermost first, as plain text
    slot: int  # its number below that heading path, from 1
    text: str  # its source lines, a list item without its marker, a row of a table with its column heads
    # first and last line, counted from 1 (or from `first_line`), both inclusive; pieces of one long line share it
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
    """A text split into pieces and gaps, both in the order of the text: each line is in one of them."""

    pieces: list[Piece]
    skipped: list[Gap]
    unclosed: list[Gap] = field(default_factory=list)  # lines, in pieces or not, that open what nothing closes


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
    outlined = outline(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    page = Page(outlined.lines, outlined.borders)
    found = [Parts(page, passage, each_item) for passage in passages(joined(outlined.blocks), page)]
    for parts in found:
        parts.part()
    if familiar is not None:
        found = _recut(found, familiar)
    pieces = _pieces(found, first_line)
    unclosed = [Gap((line + first_line, line + first_line), reason) for line, reason in outlined.unclosed]
    return Split(pieces, _gaps(found, outlined, pieces, first_line), unclosed)


# -- as at the last import -------------------------------------------------------------------------


def _recut(found: list[Parts], familiar: Familiar) -> list[Parts]:
    """Split as before, as far as the old pieces are still there."""
    cuts = [list(_cuts(parts)) for parts in found]
    atoms = [
        Atom(unit.text if unit.kind == "table" and unit.text else _raw(parts, at), _place(parts, cut), _raw(parts, at))
        for parts, of_parts in zip(found, cuts, strict=True)
        for at, (unit, cut) in enumerate(zip(parts.units, of_parts, strict=True))
    ]
    units = _with_same(found, familiar, familiar.units_of(atoms))
    single = _single_items(units, [cut for of_parts in cuts for cut in of_parts], familiar.simple)
    rest = iter(units)
    owners = [[next(rest) for _ in parts.units] for parts in found]
    recut: list[Parts] = []
    for parts, of_parts, owned in _zones(found, cuts, owners, single):
        groups = regroup(owned, of_parts, single=single)
        if groups is not None:
            parts.parts = [_rejoined(parts, of_parts, group) for _, group in groups]
        recut.append(parts)
    return recut


def _with_same(found: Sequence[Parts], familiar: Familiar, units: Sequence[int | None]) -> list[int | None]:
    """Return the old piece of each unit; those of a part that says what an old piece said belong to that alone."""
    same = iter(
        familiar.same_units(
            [Atom(parts.text_of(part), " > ".join(part.path)) for parts in found for part in parts.parts]
        )
    )
    settled: dict[int, int] = {}
    first = 0
    for parts in found:
        for part in parts.parts:
            if (number := next(same)) is not None:
                settled.update(dict.fromkeys(range(first + part.first, first + part.last + 1), number))
        first += len(parts.units)
    taken = set(settled.values())
    return [settled.get(at, None if unit in taken else unit) for at, unit in enumerate(units)]


def _cuts(parts: Parts) -> Iterator[Cut]:
    """Yield for each unit of a passage the number of the part that holds it."""
    for at, unit in enumerate(parts.units):
        held = (number for number, part in enumerate(parts.parts) if part.first <= at <= part.last)
        yield Cut(next(held, None), is_item=unit.is_item)


def _raw(parts: Parts, at: int) -> str:
    unit = parts.units[at]
    return parts.page.text[unit.start : unit.end]


def _place(parts: Parts, cut: Cut) -> str:
    return " > ".join(parts.passage.path if cut.part is None else parts.parts[cut.part].path)


def _zones(
    found: Sequence[Parts],
    cuts: Sequence[list[Cut]],
    owners: Sequence[list[int | None]],
    single: frozenset[int],
) -> Iterator[tuple[Parts, list[Cut], list[int | None]]]:
    """Yield the passages, neighbours joined that one memory went across."""
    current: tuple[Parts, list[Cut], list[int | None]] | None = None
    for parts, of_parts, owned in zip(found, cuts, owners, strict=True):
        if current is not None and _last(current[2]) is not None and _last(current[2]) == _last(owned[::-1]):
            before = current[0]
            if _last(owned[::-1]) not in single:
                current = _together(before, parts, current, of_parts, owned)
                continue
        if current is not None:
            yield current
        current = (parts, of_parts, owned)
    if current is not None:
        yield current


def _last(owned: Sequence[int | None]) -> int | None:
    return next((owner for owner in reversed(owned) if owner is not None), None)


def _together(
    before: Parts,
    after: Parts,
    current: tuple[Parts, list[Cut], list[int | None]],
    cuts: list[Cut],
    owned: list[int | None],
) -> tuple[Parts, list[Cut], list[int | None]]:
    units, count = len(before.units), len(before.parts)
    joined = Parts(before.page, before.passage, before.each_item)
    joined.units = [*before.units, *after.units]
    joined.parts = [
        *before.parts,
        *(replace(part, first=part.first + units, last=part.last + units) for part in after.parts),
    ]
    heading = after.passage.heading
    joined.gaps = [*before.gaps, *after.gaps]
    if heading is not None:
        joined.gaps.append((heading.lines, SkipReason.CONTEXT))
    joined.dropped = [*before.dropped, *after.dropped]
    moved = [Cut(None if cut.part is None else cut.part + count, is_item=cut.is_item) for cut in cuts]
    return joined, [*current[1], *moved], [*current[2], *owned]


def _rejoined(parts: Parts, cuts: Sequence[Cut], group: Sequence[int]) -> Part:
    """Return the part that a group of units makes."""
    of_group = {cuts[at].part for at in group}
    usual = next(iter(of_group)) if len(of_group) == 1 else None
    if usual is not None and sum(cut.part == usual for cut in cuts) == len(group):
        return parts.parts[usual]
    first = next((cuts[at].part for at in group if cuts[at].part is not None), None)
    same = usual is not None or len({parts.parts[part].path for part in of_group if part is not None}) == 1
    path = parts.parts[first].path if same and first is not None else parts.passage.path
    return Part(group[0], group[-1], path, alone=True)


def _single_items(units: Sequence[int | None], cuts: Sequence[Cut], simple: frozenset[int]) -> frozenset[int]:
    """Return the old pieces that are one item of a list each."""
    counts = Counter(units)
    of_items = {unit for unit, cut in zip(units, cuts, strict=True) if cut.is_item and unit is not None}
    return frozenset(unit for unit in of_items if counts[unit] == 1 or unit in simple)


# -- pieces and gaps -------------------------------------------------------------------------------


def _pieces(found: Sequence[Parts], first_line: int) -> list[Piece]:
    slots: Counter[tuple[str, ...]] = Counter()
    pieces: list[Piece] = []
    for parts in found:
        heading = parts.passage.heading
        if not parts.parts and heading is not None and _stands_as_rule(parts):
            path = parts.passage.path[:-1]
            slots[path] += 1
            pieces.append(Piece(path, slots[path], heading.content, _numbered(heading.lines, first_line)))
        for part in sorted(parts.parts, key=lambda part: part.first):
            text = parts.text_of(part)
            if not text.strip():
                continue
            slots[part.path] += 1
            span = Span(parts.units[part.first].lines.first, parts.units[part.last].lines.last)
            pieces.append(Piece(part.path, slots[part.path], text, _numbered(span, first_line)))
    return pieces


def _stands_as_rule(parts: Parts) -> bool:
    passage = parts.passage
    return (
        passage.heading is not None
        and not passage.has_children
        and not passage.all_blocks
        and is_rule_heading(passage.heading.content)
    )


def _numbered(span: Span, first_line: int) -> tuple[int, int]:
    return span.first + first_line, span.last + first_line


def _gaps(found: Sequence[Parts], outlined: Outline, pieces: Sequence[Piece], first_line: int) -> list[Gap]:
    """Return every non-blank line that is in no piece, with the reason."""
    reasons: list[str] = [_unclaimed_reason(line) for line in outlined.lines]
    noted = [gap for parts in found for gap in (*_heading_gap(parts), *parts.gaps)]
    noted.extend(outlined.set_aside)
    for span, reason in noted:
        reasons[span.first : span.last + 1] = [reason] * (span.last - span.first + 1)
    for piece in pieces:
        first, last = piece.span[0] - first_line, piece.span[1] - first_line
        reasons[first : last + 1] = [""] * (last - first + 1)
    unclosed = dict(outlined.unclosed)  # taken out of their lines, which stand blank
    left_out = ((span, reason) for parts in found for span, reason in parts.gaps if span in parts.dropped)
    for span, reason in left_out:  # from the middle of a piece
        for number in range(span.first, span.last + 1):
            reasons[number] = reason if outlined.lines[number].strip() else unclosed.get(number, "")
    return _joined_gaps(reasons, {span.first for span, _ in noted}, first_line)


def _joined_gaps(reasons: Sequence[str], starts: set[int], first_line: int) -> list[Gap]:
    """Return neighbouring lines with one reason as one gap, unless another is known to begin between them."""
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


def _heading_gap(parts: Parts) -> Iterator[tuple[Span, str]]:
    heading = parts.passage.heading
    if heading is not None:
        kept = bool(parts.parts) or parts.passage.has_children
        yield heading.lines, SkipReason.CONTEXT if kept else SkipReason.NO_TEXT
    elif parts.passage.members and (first := parts.passage.members[0].heading) is not None:
        yield first.lines, SkipReason.CONTEXT


def _unclaimed_reason(line: str) -> str:
    if not line.strip():
        return ""
    return SkipReason.LINK_DEFINITION if is_link_definition(line) else SkipReason.EMPTY
