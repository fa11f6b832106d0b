"""The facets that narrow the list, and what Browse remembers between starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from memtui.domain.memory import GLOBAL_PROJECT
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, FACETS
from memtui.tui.state import State
from memtui.tui.styled_text import fit
from memtui.tui.switching import SWITCH
from memtui.tui.values import SORTS, FacetCounts
from memtui.tui.widgets.lists import CURSOR_MARK, CursorList, Paint
from memtui.tui.widgets.pane_border import share_of

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

FEW_VALUES = 9  # Values of a long facet that are shown before `more` is asked for

_NAMES = {
    ("project", ""): "unassigned",
    ("source", "memtui"): "typed here",
    ("status", "retired"): "retired, rejected",
}


@dataclass(frozen=True, slots=True)
class FacetLine:
    """One line of the pane."""

    facet: str
    value: str | None  # a value of it; None for the heading
    text: str
    count: int  # memories that choosing it would list; of a heading, how many values there are
    chosen: bool = False  # whether it is chosen, or any of its values is
    more: bool = False  # whether it stands for values that are not shown


def facet_lines(
    counts: FacetCounts,  # values with their counts
    # chosen values by facet; one that no memory has any more is still listed, to clear it
    chosen: Mapping[str, Sequence[str]],
    *,
    folded: Collection[str],  # facets of which only the heading shows
    long: Collection[str],  # facets of which all values show
) -> list[FacetLine]:
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
    return _NAMES.get((facet, value)) or tame(value, 60)


def chosen_words(chosen: Mapping[str, Sequence[str]]) -> str:
    """Return the choice in a few words: `decision, lesson · due now`."""
    parts = []
    for facet, values in chosen.items():
        # What is snoozed is not due.
        of_due = facet == "due" and set(values) != {"snoozed"}
        parts.append(f"{'due ' if of_due else ''}{', '.join(value_name(facet, value) for value in values)}")
    return " · ".join(parts)


_CHOSEN = "✓"
NO_SINGLE = frozenset({None, "", GLOBAL_PROJECT})  # Lines below Project that are no project to switch to


class FacetPane(CursorList):
    """Lines of facets and values; says what was chosen and shows what it is given."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FACETS)
    PREFIX = "facets"
    PARTS = ("heading", "count", "chosen", "dim")
    COMPONENT_CLASSES = {f"facets--{part}" for part in (*PARTS, "cursor")}  # noqa: RUF012 - Textual declares it as a class variable

    @dataclass
    class Toggled(Message):
        """A value is to be chosen, or no longer."""

        facet: str
        value: str

    @dataclass
    class Switched(Message):
        """Every screen is to be about a project."""

        project: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.folded: set[str] = set(FIRST_FOLDED)
        self.chosen: Mapping[str, Sequence[str]] = {}
        self._long: set[str] = set()
        self._counts: FacetCounts | None = None
        self._lines: list[FacetLine] = []
        self._count_cells = 2
        self._are_old = False  # Whether the counts are of before a change of the vault

    def fold(self, folded: Collection[str]) -> None:
        self.folded = {facet for facet in folded if facet in TITLES}
        self._lay_out()

    def toggled(self, facet: str, value: str) -> dict[str, tuple[str, ...]]:
        """Return the choice with a value chosen, or no longer where it is."""
        mine = tuple(self.chosen.get(facet, ()))
        changed = tuple(one for one in mine if one != value) if value in mine else (*mine, value)
        return {name: tuple(values) for name, values in {**self.chosen, facet: changed}.items() if values}

    def show(self, counts: FacetCounts | None, chosen: Mapping[str, Sequence[str]]) -> None:
        """Show counts and the choice; None keeps the counts shown so far."""
        self._counts = counts or self._counts
        self._are_old = self._are_old and counts is None
        self.chosen = chosen
        words = chosen_words(chosen)
        self.border_title = Content("1 Facets" + (f" · {words}" if words else ""))
        self._lay_out()

    def count_again(self) -> None:
        """Show no number until the next counts: those that are shown are of before a change of the vault."""
        self._are_old = True
        self.refresh()

    @property
    def current(self) -> FacetLine | None:
        return self._lines[self.cursor] if self.cursor < len(self._lines) else None

    def _lay_out(self) -> None:
        """Lay the lines out again; the cursor stays on its value."""
        was = self.current
        counts = self._counts
        self._lines = facet_lines(counts, self.chosen, folded=self.folded, long=self._long) if counts else []
        self._count_cells = 1 + max((len(f"{line.count:,}") for line in self._lines), default=1)
        place = self.cursor
        if was is not None:
            same = (n for n, line in enumerate(self._lines) if (line.facet, line.value) == (was.facet, was.value))
            heading = (n for n, line in enumerate(self._lines) if line.facet == was.facet)
            place = next(same, next(heading, place))
        self.virtual_size = Size(0, len(self._lines))
        self.set_reactive(FacetPane.cursor, max(0, min(place, len(self._lines) - 1)))
        self.reveal_cursor()
        self.refresh()

    # -- moving and choosing ----------------------------------------------------------------------

    @property
    def count(self) -> int:
        return len(self._lines)

    def action_facet_choose(self) -> None:
        """Choose the value or clear it; fold or unfold the heading; show more or fewer values."""
        line = self.current
        if line is None:
            return
        if line.more:
            self._long ^= {line.facet}
            self._lay_out()
        elif line.value is None:
            self.folded ^= {line.facet}
            self._lay_out()
        else:
            self.post_message(self.Toggled(line.facet, line.value))

    async def action_facet_switch(self) -> None:
        """Switch to the project under the cursor, else let one be chosen."""
        line = self.current
        if line is None or line.facet != "project" or line.value in NO_SINGLE:
            await self.screen.run_action(f"screen.act('{SWITCH}')")
        else:
            self.post_message(self.Switched(str(line.value)))

    def action_facet_fold(self) -> None:
        if self.current is not None:
            self.folded |= {self.current.facet}
            self._lay_out()

    def action_facet_unfold(self) -> None:
        if self.current is not None:
            self.folded -= {self.current.facet}
            self._lay_out()

    def cursor_clicked(self, *, again: bool) -> None:
        del again
        self.action_facet_choose()

    # -- drawing ----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(self._lines):
            return Strip.blank(width, self._row_paint["base"])
        here = index == self.cursor and self.has_focus
        paint = self._current_paint if here else self._row_paint
        strip = Strip(self._segments(self._lines[index], width, paint, here=here))
        return strip.adjust_cell_length(width, paint["base"])

    def _segments(self, line: FacetLine, width: int, paint: Paint, *, here: bool) -> list[Segment]:
        """Return the cells of one line: a cursor, a tick, the text, the count."""
        edge = Segment(CURSOR_MARK if here else " ", paint["chosen"])
        tick = _CHOSEN if line.chosen else " "
        cells = max(4, width - 2 - self._count_cells)  # one is left free at the right
        # Headings count nothing: beside the numbers below them, which are of memories, one of values would be misread.
        counted = "" if line.more or line.value is None else "…" if self._are_old else f"{line.count:,}"
        blank = Segment(" " * max(0, self._count_cells - len(counted)), paint["base"])
        count = [blank, Segment(counted, paint["dim"])]
        if line.value is None:
            return [edge, Segment(fit(f"{line.text} {tick}", cells), paint["heading"]), *count]
        part = "chosen" if line.chosen else "dim" if line.more or not (line.count or self._are_old) else "count"
        return [
            edge,
            Segment(" ", paint["base"]),
            Segment(f"{tick} ", paint["chosen"]),
            Segment(fit(line.text, cells - 3), paint[part]),
            *count,
        ]


_LONGEST = 200
_MOST_VALUES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseState:
    """Looks and choices."""

    place: str = ""  # where it was: folder and project. A filter of another place is not brought back
    cursor: str | None = None  # id of the memory under the cursor
    query: str = ""
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folded: frozenset[str] = FIRST_FOLDED
    sort: str = "newest"
    due_sort: str = "stalest"
    best: bool = True  # whether a filtered list shows the best match first
    share: int | None = None  # of the list, in per cent, beside the details; None where nobody chose it
    rendered: bool = False  # whether Markdown is rendered
    facets_hidden: bool = False  # also where they have room of their own

    def section(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "cursor": self.cursor,
            "query": self.query,
            "chosen": {facet: list(values) for facet, values in self.chosen.items()},
            "folded": sorted(self.folded),
            "sort": self.sort,
            "due_sort": self.due_sort,
            "best": self.best,
            "list_share": self.share,
            "rendered": self.rendered,
            "facets_hidden": self.facets_hidden,
        }


_OF_A_PLACE = ("cursor", "query", "chosen")


def kept_state(state: State, place: str) -> BrowseState:
    """Return what Browse finds again in a place: its list too, where it was left there in this run or left last."""
    return read_state(state.section(BROWSE) | state.in_run.get(f"{BROWSE}\n{place}", {}), place)


def keep_state(state: State, values: dict[str, Any]) -> None:
    """Keep a section of Browse, and its list for when its place is in view again."""
    place = values["place"]
    state.in_run[f"{BROWSE}\n{place}"] = {"place": place, **{name: values[name] for name in _OF_A_PLACE}}
    state.remember(BROWSE, values)


def read_state(values: dict[str, Any], place: str) -> BrowseState:
    """Return what a section says; what is no such value is as at the first start.

    `values`: of JSON's types, or anything else. `place`: where the app is opened.
    """
    first = BrowseState(place=place)
    here = values.get("place") == place
    folded = _texts(values.get("folded"))
    return BrowseState(
        place=place,
        cursor=_text(values.get("cursor")) if here else None,
        query=(_text(values.get("query")) or "") if here else "",
        chosen=_chosen(values.get("chosen")) if here else {},
        folded=first.folded if folded is None else frozenset(name for name in folded if name in TITLES),
        sort=_sort(values.get("sort"), first.sort),
        due_sort=_sort(values.get("due_sort"), first.due_sort),
        best=values.get("best") is not False,
        share=share_of(values.get("list_share")),
        rendered=values.get("rendered") is True,
        facets_hidden=values.get("facets_hidden") is True,
    )


def _texts(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST else None


def _sort(value: Any, first: str) -> str:
    return value if isinstance(value, str) and value in SORTS else first


def _chosen(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    return {
        facet: tuple(values[:_MOST_VALUES])
        for facet, values in value.items()
        if facet in TITLES and values and _texts(values)
    }
