"""Texts put together without saying anything twice: no word of a statement is lost, and none is torn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.analysis.repeated_text import READ_CHARACTERS, differ
from memtui.analysis.text_features import Wording
from memtui.analysis.text_units import Unit, closed, contexts, units_of
from memtui.domain.memory import normalise

RULE = "---"
MOSTLY = 0.5  # Share of the words of a text from which another text takes its place

Statement = tuple[tuple[str, ...], str]
"""What a unit says, with what it stands under."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts put together."""

    text: str
    places: tuple[int, ...]  # positions of the texts that it holds something of, the one it begins with first


@dataclass(frozen=True, slots=True)
class _Read:
    """A text with what it says."""

    place: int
    text: str
    units: list[Unit]
    statements: list[Statement]

    @property
    def words(self) -> int:
        """How many words it says; what it says again does not make it fuller."""
        said = {unit.key: unit.text for unit in self.units}
        return sum(len(Wording(text).words) for text in said.values())

    def all_statements(self) -> set[Statement]:
        """Return what it says, with the sentences of its items."""
        inner = {
            (under, each)
            for unit, (under, _) in zip(self.units, self.statements, strict=True)
            for each in unit.sentences
        }
        return inner | set(self.statements)


def join(texts: Sequence[str], *, places: Sequence[str] = (), alike: float | None = None) -> Joined:
    """Put texts together: what one says in the same words as another is said once, and all else is kept.

    A sentence, a list item, a row of a table or a block of code that is said already is left out, and with it the
    headings and introductions that lead to nothing else. What is said in other words is kept.

    Args:
        texts: the texts, the first of which stays where none says most of it and more.
        places: the headings that each text stood under.
        alike: likeness in writing, 0–1, from which two texts and then two sentences say the same, for a person who
            looks at the result; sentences that differ in numbers or names do not.
    """
    read = [_read(at, normalise(text), places[at] if places else "") for at, text in enumerate(texts)]
    kept: list[tuple[_Read, str]] = []
    for one in _fullest_first([each for each in read if each.text.strip()], alike):
        known = set[Statement]().union(*(other.all_statements() for other, _ in kept))
        likeness = alike if _are_alike(one, [other for other, _ in kept], alike) else None
        shown = [unit.text for other, _ in kept for unit in other.units] if likeness is not None else []
        new = _lacking(one, known, shown, likeness) if kept else [True] * len(one.units)
        if all(new):
            kept.append((one, texts[one.place]))
        elif any(new):
            kept.append((one, _written(one.units, new)))
    return Joined(_one_after_the_other(kept), tuple(one.place for one, _ in kept))


def _one_after_the_other(kept: Sequence[tuple[_Read, str]]) -> str:
    """Return texts below each other; a rule ends what the heading or the introduction of one would lead to."""
    whole = ""
    for place, (one, text) in enumerate(kept):
        if place:
            whole = f"{closed(whole)}\n\n"
            whole += f"{RULE}\n\n" if _would_lead(kept[place - 1][0].units, one.units[0]) else ""
        whole += text
    return whole


def _would_lead(above: Sequence[Unit], first: Unit) -> bool:
    """Return whether a unit below others would be read as standing under one of them."""
    last = above[-1]
    headed = any(unit.is_heading for unit in above) and not first.is_heading
    return headed or last.announces or (last.is_item and first.is_item and last.parent is not None)


def _read(at: int, text: str, place: str) -> _Read:
    units = [Unit(text, "")] if len(text) > READ_CHARACTERS else units_of(text, place)
    return _Read(at, text, units, list(zip(contexts(units), (unit.key for unit in units), strict=True)))


def _fullest_first(read: Sequence[_Read], alike: float | None) -> list[_Read]:
    """Return texts in order; the first gives way to a longer one that says most of it."""
    if not read:
        return []
    first = read[0]
    for one in read[1:]:
        if one.words > first.words and (_says_most(one, first) or _are_alike(one, [first], alike)):
            first = one
    return [first, *(one for one in read if one is not first)]


def _says_most(one: _Read, other: _Read) -> bool:
    new = _lacking(other, one.all_statements(), [], None)
    sizes = [len(Wording(unit.text).words) for unit in other.units]
    left = sum(size for size, is_new in zip(sizes, new, strict=True) if is_new)
    return sum(sizes) - left >= MOSTLY * sum(sizes)


def _are_alike(one: _Read, others: Sequence[_Read], alike: float | None) -> bool:
    from rapidfuzz import fuzz

    if alike is None:
        return False
    return any(fuzz.ratio(one.text[:READ_CHARACTERS], each.text[:READ_CHARACTERS]) >= 100 * alike for each in others)


def _lacking(one: _Read, known: set[Statement], shown: Sequence[str], alike: float | None) -> list[bool]:
    """Return for each unit of a text whether it is kept: what says something new, and what leads to that."""
    leads = {unit.parent for unit in one.units}
    kept = [False] * len(one.units)
    for at in reversed(range(len(kept))):
        unit = one.units[at]
        if not kept[at] and (at not in leads or unit.binds):
            kept[at] = not _is_said(unit, one.statements[at], known) and not (
                alike is not None and _is_like(unit, shown, alike, single=len(one.units) == len(shown) == 1)
            )
        if kept[at] and unit.parent is not None:
            kept[unit.parent] = True
        if kept[at] and unit.after:
            kept[at - 1] = True
    return kept


def _is_said(unit: Unit, statement: Statement, known: set[Statement]) -> bool:
    under, _ = statement
    if not any(map(str.isalnum, unit.text)) or statement in known:
        return True
    return bool(unit.sentences) and all((under, each) in known for each in unit.sentences)


def _is_like(unit: Unit, shown: Sequence[str], alike: float, *, single: bool) -> bool:
    """Return whether a unit is written much like a known one; of several, with the same numbers and names."""
    from rapidfuzz import fuzz

    like = [text for text in shown if fuzz.ratio(unit.text, text) >= 100 * alike]
    return any(single or not differ(Wording(unit.text), Wording(text)) for text in like)


def _written(units: Sequence[Unit], kept: Sequence[bool]) -> str:
    """Return the kept units with the widest of the gaps between them."""
    parts: list[str] = []
    gap, rule = "", ""
    for unit, is_kept in zip(units, kept, strict=True):
        gap = max(gap, unit.gap, key=lambda each: (each.count("\n"), len(each)))
        rule = f"\n\n{unit.text}\n\n" if unit.is_rule else rule
        if is_kept:
            parts += [(rule or gap) if parts else "", unit.text]
            gap, rule = "", ""
    return "".join(parts)
