"""What the Browse screen remembers between two starts, read back whatever the file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memtui.tui.access import SORTS
from memtui.tui.facet_lines import FIRST_FOLDED, TITLES

NARROWEST, WIDEST, STEP = 30, 80, 5
"""Share of the list, in per cent, beside the details; and what a key changes of it."""

_LONGEST = 200
_MOST_VALUES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseState:
    """Looks and choices.

    Attributes:
        place: where it was: folder and project. A filter of another place is not brought back.
        cursor: id of the memory under the cursor.
        share: of the list, in per cent, beside the details.
        best: whether a filtered list shows the best match first.
        rendered: whether Markdown is rendered.
    """

    place: str = ""
    cursor: str | None = None
    query: str = ""
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folded: frozenset[str] = FIRST_FOLDED
    sort: str = "newest"
    due_sort: str = "stalest"
    best: bool = True
    share: int = 65
    rendered: bool = False

    def section(self) -> dict[str, Any]:
        """Return it as JSON's types."""
        return {
            "place": self.place,
            "cursor": self.cursor,
            "query": self.query,
            "chosen": {facet: list(values) for facet, values in self.chosen.items()},
            "folded": sorted(self.folded),
            "sort": self.sort,
            "due_sort": self.due_sort,
            "best": self.best,
            "share": self.share,
            "rendered": self.rendered,
        }


def read_state(values: dict[str, Any], place: str) -> BrowseState:
    """Return what a section says; what is no such value is as at the first start.

    Args:
        values: of JSON's types, or anything else.
        place: where the app is opened.
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
        share=_share(values.get("share"), first.share),
        rendered=values.get("rendered") is True,
    )


def _texts(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST else None


def _sort(value: Any, first: str) -> str:
    return value if isinstance(value, str) and value in SORTS else first


def _share(value: Any, first: int) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return max(NARROWEST, min(WIDEST, value)) if whole else first


def _chosen(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    return {
        facet: tuple(values[:_MOST_VALUES])
        for facet, values in value.items()
        if facet in TITLES and values and _texts(values)
    }
