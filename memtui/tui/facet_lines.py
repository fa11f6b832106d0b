"""The facets as lines: headings that fold, values with their counts; knows nothing of widgets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui.tui.access import FacetCounts
from memtui.tui.wording import tame

TITLES = {
    "project": "Project",
    "kind": "Kind",
    "tag": "Tag",
    "status": "Status",
    "due": "Due",
    "pinned": "Pinned",
    "source": "Source",
    "health": "Health",
}

FIRST_FOLDED = frozenset({"tag", "pinned", "source"})
"""Headings that are folded at the first start: long ones, and those that are seldom asked for."""

FEW_VALUES = 9
"""Values of a long facet that are shown before `more` is asked for."""

_NAMES = {("project", ""): "unassigned", ("source", "memtui"): "typed here"}


@dataclass(frozen=True, slots=True)
class FacetLine:
    """One line of the pane.

    Attributes:
        facet: its facet.
        value: a value of it; None for the heading.
        text: what is read.
        count: memories that choosing it would list; of a heading, how many values there are.
        chosen: whether it is chosen, or any of its values is.
        more: whether it stands for values that are not shown.
    """

    facet: str
    value: str | None
    text: str
    count: int
    chosen: bool = False
    more: bool = False


def facet_lines(
    counts: FacetCounts,
    chosen: Mapping[str, Sequence[str]],
    *,
    folded: Collection[str],
    long: Collection[str],
) -> list[FacetLine]:
    """Return the lines of all facets.

    Args:
        counts: values with their counts.
        chosen: chosen values by facet; one that no memory has any more is still listed, to let go of it.
        folded: facets of which only the heading shows.
        long: facets of which all values show.
    """
    lines: list[FacetLine] = []
    for facet, title in TITLES.items():
        mine = chosen.get(facet, ())
        values = list(counts.values.get(facet, ()))
        known = {value for value, _ in values}
        values += [(value, 0) for value in mine if value not in known]
        sign = "▸" if facet in folded else "▾"
        lines.append(FacetLine(facet, None, f"{sign} {title}", len(values), chosen=bool(mine)))
        if facet not in folded:
            lines += _values(facet, values, mine, long=facet in long)
    return lines


def _values(
    facet: str, values: Sequence[tuple[str, int]], chosen: Collection[str], *, long: bool
) -> Iterator[FacetLine]:
    shown = 0
    for value, count in values:
        if long or shown < FEW_VALUES or value in chosen:
            shown += 1
            yield FacetLine(facet, value, value_name(facet, value), count, chosen=value in chosen)
    if shown < len(values):
        yield FacetLine(facet, "", f"… {len(values) - shown:,} more", 0, more=True)
    elif long and len(values) > FEW_VALUES:
        yield FacetLine(facet, "", "… fewer", 0, more=True)


def value_name(facet: str, value: str) -> str:
    """Return a value as people read it."""
    return _NAMES.get((facet, value)) or tame(value, 60)


def chosen_words(chosen: Mapping[str, Sequence[str]]) -> str:
    """Return the choice in a few words: `decision, lesson · due now`."""
    parts = []
    for facet, values in chosen.items():
        names = ", ".join(value_name(facet, value) for value in values)
        parts.append(f"due {names}" if facet == "due" else names)
    return " · ".join(parts)
