"""Three-way merges of memories, line by line and field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from memtui.domain.memory import Memory

MOST_LINES = 4_000
"""Longer texts are not compared but become one clash: the matcher is quadratic, about 0.5 s for twice 4,000 lines."""

LINE_TEXTS = frozenset({"insight", "rationale", "snippet"})
"""Fields that are merged line by line. A text that is missing here clashes even where two sides changed different
lines, and one side's text is lost."""

ITEM_FIELDS = frozenset({"tags", "rules", "anchors"})
"""Fields that are merged item by item. A list that is missing here clashes even where two sides added other items."""

COMPARED = (
    "title",
    "insight",
    "rationale",
    "snippet",
    "kind",
    "tags",
    "anchors",
    "rules",
    "project",
    "importance",
    "confidence",
    "pinned",
    "valid_from",
    "valid_until",
    "half_life_days",
    "due_at",
    "status_reason",
)
"""The fields that an edit may change, in the order of a form.

One that is missing here is not compared when two people edit a memory at once: one of its values is lost unnoticed.
"""

ChangedBy = Literal["theirs", "mine", "both"]


@dataclass(frozen=True, slots=True)
class Merged:
    """A text made of two."""

    text: str
    clashes: int = 0  # places where both changed the same lines; both are kept, theirs first


def merge_lines(base: str, theirs: str, mine: str) -> Merged:
    """Merge two versions of one text line by line (diff3); changes in different places are both applied."""
    if theirs in {base, mine}:
        return Merged(mine)
    if mine == base:
        return Merged(theirs)
    lines = [text.split("\n") for text in (base, theirs, mine)]
    if max(map(len, lines)) > MOST_LINES:
        return Merged(f"{theirs}\n{mine}", clashes=1)
    merged: list[str] = []
    clashes = 0
    for old, their, my in _regions(*lines):
        if their in (old, my):
            merged += my
        elif my == old:
            merged += their
        else:
            clashes += 1
            merged += [*their, *my]
    return Merged("\n".join(merged), clashes)


def _regions(base: list[str], theirs: list[str], mine: list[str]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield stretches of the three texts: those that all share, and what lies between them."""
    at_base = at_theirs = at_mine = 0
    for in_base, in_theirs, in_mine, length in _shared(base, theirs, mine):
        if (in_base, in_theirs, in_mine) != (at_base, at_theirs, at_mine):
            yield base[at_base:in_base], theirs[at_theirs:in_theirs], mine[at_mine:in_mine]
        at_base, at_theirs, at_mine = in_base + length, in_theirs + length, in_mine + length
        if length:
            same = base[in_base:at_base]
            yield same, same, same


def _shared(base: list[str], theirs: list[str], mine: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (base, theirs, mine, length) of the stretches of lines that all three share, and the end of all."""
    ours = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    others = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    first = second = 0
    while first < len(ours) and second < len(others):
        one, two = ours[first], others[second]
        start = max(one.a, two.a)
        end = min(one.a + one.size, two.a + two.size)
        if start < end:
            yield start, one.b + start - one.a, two.b + start - two.a, end - start
        if one.a + one.size < two.a + two.size:
            first += 1
        else:
            second += 1
    yield len(base), len(theirs), len(mine), 0


def merge_items(base: Sequence[Any], theirs: Sequence[Any], mine: Sequence[Any]) -> tuple[Any, ...]:
    """Merge two versions of a list without repeats: what either removed is out, what either added is in."""
    gone = {_key(item) for item in base} - {_key(item) for item in mine}
    kept = [item for item in theirs if _key(item) not in gone]
    known = {_key(item) for item in (*base, *theirs)}
    return (*kept, *(item for item in mine if _key(item) not in known))


def merge_field(name: str, *, base: Any, mine: Any, theirs: Any) -> tuple[Any, bool]:
    """Merge one field of two records; where both set it in ways that cannot be combined, that is theirs, and True."""
    if theirs in (base, mine):
        return mine, False
    if mine == base:
        return theirs, False
    if name in ITEM_FIELDS:
        return list(merge_items(base or (), theirs or (), mine or ())), False
    if name in LINE_TEXTS and base is not None:
        merged = merge_lines(base, theirs or "", mine or "")
        if not merged.clashes:
            return merged.text, False
    return theirs, True


def _key(item: Any) -> Any:
    """Return what identifies an item: for an anchor the path, since its hash only tells when it was looked at."""
    return item["path"] if isinstance(item, dict) else getattr(item, "path", item)


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that somebody changed."""

    field: str
    base: Any  # its value when the edit began
    theirs: Any  # its value as stored now
    mine: Any  # its value as the person wants it
    changed_by: ChangedBy  # who changed it; `both` must be decided

    @property
    def combined(self) -> tuple[Any, int] | None:
        """Both changes in one value with the number of clashes; None for a field without parts."""
        if self.field in LINE_TEXTS:
            merged = merge_lines(self.base, self.theirs, self.mine)
            return merged.text, merged.clashes
        if self.field in ITEM_FIELDS:
            return merge_items(self.base, self.theirs, self.mine), 0
        return None


def differences(base: Memory, theirs: Memory, mine: Mapping[str, Any]) -> list[Difference]:
    """Return the fields that differ between what was read, what is stored now and what a person wants.

    `base`: the memory that the edit began with. `mine`: the values that the person wants, by field; others stay as in
    `base`.
    """
    found = []
    for name in COMPARED:
        old, their = getattr(base, name), getattr(theirs, name)
        my = mine.get(name, old)
        by_them, by_me = not _same(old, their), not _same(old, my)
        if by_them and by_me and not _same(their, my):
            found.append(Difference(name, old, their, my, "both"))
        elif by_them and not by_me:
            found.append(Difference(name, old, their, my, "theirs"))
        elif by_me and not by_them:
            found.append(Difference(name, old, their, my, "mine"))
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return [_key(item) for item in one] == [_key(item) for item in other]
    return bool(one == other)
