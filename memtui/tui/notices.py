"""What the list says of itself: its title, its count, and why it is empty."""

from __future__ import annotations

from memtui.tui.access import Listing
from memtui.tui.wording import counted, tame


def list_title(*, due_only: bool, query: str) -> str:
    """Return the title of the list: what it holds and in what order."""
    name, order = ("Due for review", "stalest first") if due_only else ("Memories", "newest first")
    return f"1 {name} · {'best match first' if query.strip() else order}"


def shown_count(listing: Listing) -> str:
    """Return `120`, or with a filter `12 of 120`."""
    total = len(listing.base.ids)
    if not listing.query.strip():
        return f"{total:,}" if total else ""
    return f"{len(listing.ids):,}{'+' if listing.more else ''} of {total:,}"


def notice_of(listing: Listing) -> tuple[str, ...]:
    """Return what an empty list says: why it is empty, and what to do."""
    base = listing.base
    if base.ids:
        return (f"Nothing fits “{tame(listing.query, 40)}”.", "esc clears the filter.")
    if base.due_only and base.active:
        return ("Nothing is due for review.", "r lists all memories.")
    if base.elsewhere:
        where = f"project {tame(base.project, 40)}" if base.project else "view"
        held = counted(base.elsewhere, "memory", "memories")
        return (
            f"No active memories in {where}.",
            f"The vault holds {held}: other projects, the inbox, or retired.",
            "",
            'memtui add "…"        remember one thing',
            "memtui import .       import this project's rule files",
            "memtui list --all-projects --status any",
        )
    return (
        "The vault is empty.",
        "",
        'memtui add "…"        remember one thing',
        "memtui import .       import this project's rule files",
        "memtui demo           look around in a sample vault",
    )
