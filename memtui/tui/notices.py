"""What the list says of itself: its title, its count, and why it is empty."""

from __future__ import annotations

from memtui.tui.access import BEST, SORTS, Listing, Wanted
from memtui.tui.facet_lines import chosen_words
from memtui.tui.wording import counted, tame


def list_title(wanted: Wanted, *, best: bool) -> str:
    """Return the title of the list: what it holds and in what order.

    Args:
        wanted: what is listed.
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
        words = f"{listed:,} marked" + (f", {hidden:,} not listed: left alone" if hidden else "")
    else:
        words = f"acts are for this row: {hidden:,} marked, not listed"
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
        return (f"Nothing fits “{tame(listing.query, 40)}”.", "esc clears the filter.")
    if base.wanted.chosen and base.elsewhere:
        return (f"No memory is {tame(chosen_words(base.wanted.chosen), 80)}.", "backspace lets go of the facets.")
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
