"""Keep the granularity of the last import, and match edited pieces with the memories they were."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memtui.capture.context import without_lead

SAME_CHUNK_RATIO = 60.0
"""A paragraph this similar to a missing one (rapidfuzz ratio, 0–100) is its new text; of 1,000 pairs of paragraphs
about different things below one heading, fewer than ten are as similar."""

_MOST_PAIRS = 40_000  # Beyond this (about a second of comparing) edited paragraphs are not looked for

_COMPARED_CHARACTERS = 600
_SHORTEST = 3
_ONE_SAYING = 80
_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+|(?<=[。！？])")
_CELLS = re.compile(r"(?<!\\)\|")
_MARK = re.compile(r"^[\s>]*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[[ xX]\]\s+)?")
_BREAK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """What one memory took from a source at the last import."""

    native_id: str | None  # the place that the source gave it
    text: str  # its words, rule and reasons in sequence

    @property
    def heading(self) -> str:
        """The headings above it."""
        return (self.native_id or "").rpartition("#")[0] or self.native_id or ""

    @property
    def headings(self) -> tuple[str, ...]:
        """Those headings one by one, outermost first."""
        return tuple(filter(None, self.heading.split(" > ")))


@dataclass(frozen=True, slots=True)
class Atom:
    """The smallest part of a text, never split."""

    text: str
    heading: str = ""  # the headings above it, as in a native id
    raw: str = ""  # its text as it stands in the source, if that differs, as for a row of a table


class Familiar:
    """The units of the last import, to be found again in the new text of their source.

    `units`: what the last import took. `text`: the whole new text.
    """

    def __init__(self, units: Sequence[KnownUnit], text: str) -> None:
        self.units = tuple(_bare(unit) for unit in units)
        self._with_lead = {bare.text for bare, unit in zip(self.units, units, strict=True) if bare is not unit}
        self._alone: dict[str, set[str]] = {}  # texts without such headings, and where they stood
        for bare, unit in zip(self.units, units, strict=True):
            if bare is unit:
                self._alone.setdefault(unit.text, set()).add(unit.heading)
        self._owners: dict[str, list[tuple[int, int]]] = {}
        self._chunks: list[tuple[int, int]] = []
        present = set(_sayings(text))
        self._lost: list[tuple[int, str]] = []
        for number, unit in enumerate(self.units):
            for chunk in filter(str.strip, _BREAK.split(unit.text)):
                sayings = dict.fromkeys(_sayings(chunk))
                weight = sum(map(len, sayings))
                for saying in sayings:
                    self._owners.setdefault(saying, []).append((number, len(self._chunks)))
                self._chunks.append((number, weight))
                if 2 * sum(len(saying) for saying in sayings if saying in present) < weight:
                    self._lost.append((number, " ".join(sayings)[:_COMPARED_CHARACTERS]))

    def stood_alone(self, text: str, heading: str) -> bool:
        """Return whether a text was taken without its headings before it, below the same heading if it was both."""
        places = self._alone.get(text, set())
        return heading in places if text in self._with_lead else bool(places)

    @property
    def simple(self) -> frozenset[int]:
        """Numbers of the units that are a single paragraph or list item."""
        sizes = Counter(number for number, _ in self._chunks)
        return frozenset(number for number, size in sizes.items() if size == 1)

    def units_of(self, atoms: Sequence[Atom]) -> list[int | None]:
        """Return the number of the unit that each atom belongs to, None for new text."""
        found = [self._stated(atom) for atom in atoms]
        for position, atom in enumerate(atoms):
            if found[position] is None and atom.raw not in {"", atom.text}:
                found[position] = self._stated(Atom(atom.raw, atom.heading))
        for position, number in self._edited([at for at, unit in enumerate(found) if unit is None], atoms):
            found[position] = number
        return found

    def same_units(self, pieces: Sequence[Atom]) -> list[int | None]:
        """Return for whole pieces the unit that says exactly the same, each once, below the same heading first."""
        numbers: dict[tuple[str, ...], list[int]] = {}
        for number, unit in enumerate(self.units):
            numbers.setdefault(tuple(_sayings(unit.text)), []).append(number)
        found: list[int | None] = []
        for piece in pieces:
            same = numbers.get(tuple(_sayings(piece.text)), [])
            best = next((one for one in same if self.units[one].heading == piece.heading), next(iter(same), None))
            if best is not None:
                same.remove(best)
            found.append(best)
        return found

    def stated_units(self, atoms: Sequence[Atom]) -> list[int | None]:
        """Return the same for whole pieces, but only where half of the piece or of the unit is identical."""
        return [self._stated(atom, whole=True) for atom in atoms]

    def distinct(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of the units that texts belong to, one for each text that belongs to any."""
        return [unit for unit in self.units_of([Atom(text) for text in texts]) if unit is not None]

    def _stated(self, atom: Atom, *, whole: bool = False) -> int | None:
        """Return the unit that shares most of its words with an atom."""
        sayings = dict.fromkeys(_sayings(atom.text))
        units: Counter[int] = Counter()
        chunks: Counter[int] = Counter()
        for saying in sayings:
            for number, chunk in self._owners.get(saying, ()):
                units[number] += len(saying)
                chunks[chunk] += len(saying)
        if not units:
            return None
        here = {number for number in units if self.units[number].heading == atom.heading}
        number, weight = max(units.items(), key=lambda vote: (vote[1], vote[0] in here, -vote[0]))
        least = sum(map(len, sayings))
        if whole:
            least = min(least, sum(size for owner, size in self._chunks if owner == number))
            return number if 2 * weight >= least else None
        enough = 2 * weight >= least or any(
            2 * said >= self._chunks[chunk][1] for chunk, said in chunks.items() if self._chunks[chunk][0] == number
        )
        return number if enough else None

    def _edited(self, unknown: Sequence[int], atoms: Sequence[Atom]) -> Iterable[tuple[int, int]]:
        """Yield which unknown atom is the new text of a missing chunk, the most similar first, each once."""
        if not unknown or not self._lost or len(unknown) * len(self._lost) > _MOST_PAIRS:
            return
        from rapidfuzz import fuzz

        pairs = []
        for position in unknown:
            text = " ".join(_sayings(atoms[position].text))[:_COMPARED_CHARACTERS]
            for at, (number, chunk) in enumerate(self._lost):
                ratio = fuzz.ratio(text, chunk, score_cutoff=SAME_CHUNK_RATIO)
                if ratio:
                    same_place = self.units[number].heading == atoms[position].heading
                    pairs.append((-ratio - 10 * same_place, position, at, number))
        taken: set[int] = set()
        matched: set[int] = set()
        for _, position, at, number in sorted(pairs):
            if position not in matched and at not in taken:
                matched.add(position)
                taken.add(at)
                yield position, number


def _bare(unit: KnownUnit) -> KnownUnit:
    text = without_lead(unit.text, unit.headings)
    return unit if text == unit.text else replace(unit, text=text)


def _sayings(text: str) -> list[str]:
    """Return the sentences of the lines, without list marks and empty phrases."""
    lines = (_MARK.sub("", part, count=1) for line in text.split("\n") for part in _cells(line))
    parts = (part.strip() for line in lines for part in (_SENTENCE.split(line) if len(line) > _ONE_SAYING else (line,)))
    return [part for part in parts if len(part) >= _SHORTEST and not part.startswith(("```", "~~~"))]


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table, any other line as it is."""
    return [cell.strip() for cell in _CELLS.split(line)] if line.lstrip().startswith("|") else [line]


@dataclass(frozen=True, slots=True)
class Cut:
    """How an atom was split by default."""

    part: int | None  # the number of its part, None where it only leads to what follows
    is_item: bool = False  # whether it is a list item


def regroup(
    units: Sequence[int | None], cuts: Sequence[Cut], *, single: frozenset[int]
) -> list[tuple[int | None, list[int]]] | None:
    """Return the atoms of a section in groups, each with its unit; None where the default split breaks no unit.

    Args:
        units: the unit of each atom.
        cuts: the default split of each atom.
        single: units that were one list item each; among those, new items stand alone too.
    """
    if _agrees(units, cuts):
        return None
    filled = _owned(_filled(units), cuts, single)
    taken = {cut.part for unit, cut in zip(filled, cuts, strict=True) if unit is not None}
    groups: list[tuple[int | None, list[int]]] = []
    for at, (unit, cut) in enumerate(zip(filled, cuts, strict=True)):
        if unit is None and cut.part is None:
            continue
        last = cuts[groups[-1][1][-1]] if groups and groups[-1][0] == unit else None
        if last is None:
            joins = False
        elif unit is not None:
            joins = unit not in single
        else:
            # New text keeps its default split, but its items stand alone where others of the list do.
            joins = last.part == cut.part and not (cut.part in taken and (last.is_item or cut.is_item))
        if joins:
            groups[-1][1].append(at)
        else:
            groups.append((unit, [at]))
    return groups


def _owned(units: Sequence[int | None], cuts: Sequence[Cut], single: frozenset[int]) -> list[int | None]:
    """Assign new words within a text that stands together to the unit before them, else to the one after."""
    owned = list(units)
    for at, cut in enumerate(cuts):
        if owned[at] is None and cut.part is not None and at and cuts[at - 1].part == cut.part:
            before = owned[at - 1]
            owned[at] = before if before not in single else None
    for at in range(len(cuts) - 2, -1, -1):
        part = cuts[at].part
        if owned[at] is None and part is not None and cuts[at + 1].part == part:
            after = owned[at + 1]
            owned[at] = after if after not in single else None
    return owned


def _agrees(units: Sequence[int | None], cuts: Sequence[Cut]) -> bool:
    parts: dict[int, set[int | None]] = {}
    members: dict[int | None, set[int]] = {}
    for unit, cut in zip(units, cuts, strict=True):
        if unit is not None:
            parts.setdefault(unit, set()).add(cut.part)
            members.setdefault(cut.part, set()).add(unit)
    return all(len(found) == 1 and None not in found for found in parts.values()) and all(
        len(found) == 1 for found in members.values()
    )


def _filled(units: Sequence[int | None]) -> list[int | None]:
    """Assign what stands between two atoms of one unit to that unit."""
    filled = list(units)
    before: int | None = None
    last = -1
    for at, unit in enumerate(units):
        if unit is None:
            continue
        if unit == before:
            filled[last + 1 : at] = [unit] * (at - last - 1)
        before, last = unit, at
    return filled
