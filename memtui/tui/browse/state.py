"""What Browse remembers between starts, and what the list says about itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memtui.tui.browse.facets import FIRST_FOLDED, TITLES, chosen_words
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import BEST, SORTS, Listing, Wanted


def list_title(wanted: Wanted, *, best: bool) -> str:
    """Return the title of the list: what it holds and in what order.

    Args:
        best: whether the best match stands first.
    """
    name = "Due for review" if wanted.due_only else "Memories"
    chosen = [tame(chosen_words(wanted.chosen), 60)] if wanted.chosen else []
    return " · ".join((f"2 {name}", BEST if best else SORTS[wanted.sort], *chosen))


def shown_count(listing: Listing) -> str:
    """Return `120`, with a filter `12 of 120`; what is wrong with a query that cannot be read."""
    if listing.problem:
        return tame(listing.problem, 70)
    total = len(listing.base.ids)
    if not listing.query.strip():
        return f"{total:,}" if total else ""
    return f"{len(listing.ids):,}{'+' if listing.more or listing.partial else ''} of {total:,}"


def marked_count(listed: int, hidden: int, *, drawing: bool) -> str:
    """Return `3 marked`, with what is marked and not listed, which acts leave alone; empty where nothing is."""
    if not listed and not hidden:
        return ""
    if listed:
        words = f"{listed:,} marked" + (f", {hidden:,} not listed: left out" if hidden else "")
    else:
        words = f"actions apply to this row: {hidden:,} marked, not listed"
    return f"{words} (v ends the range)" if drawing else words


_FILLING = (
    'a            adds one memory: memtui add "…"',
    ": import     brings in rule files: memtui import .",
)
"""What fills an empty list: the key, what it does, and the same on the command line."""


def notice_of(listing: Listing) -> tuple[str, ...]:
    """Return what an empty list says: why it is empty, and what to do."""
    base = listing.base
    if base.ids:
        return (f"No match for “{tame(listing.query, 40)}”.", "esc clears the filter.")
    if base.wanted.chosen and base.elsewhere:
        return (f"No memory is {tame(chosen_words(base.wanted.chosen), 80)}.", "backspace clears the facets.")
    if base.due_only and base.active:
        return ("Nothing is due for review.", "d lists all memories.")
    if base.inbox and not base.wanted.chosen:
        return (
            "Nothing is in use yet.",
            f"{counted(base.inbox, 'memory waits', 'memories wait')} in the inbox: b goes there.",
        )
    if base.elsewhere:
        where = f"project {tame(base.project, 40)}" if base.project else "view"
        held = counted(base.elsewhere, "memory", "memories")
        return (
            f"No active memories in {where}.",
            f"The vault holds {held}: other projects, the inbox, or retired.",
            "",
            *_FILLING,
            "memtui list --all-projects --status any",
        )
    return (
        "The vault is empty.",
        "",
        *_FILLING,
        "memtui demo  looks around in a sample vault",
    )


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
