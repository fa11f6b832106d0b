"""What Browse says of its list: the head, the title, the counts below it, and why it is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.domain.memory import GLOBAL_PROJECT
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.browse.facets import NO_SINGLE, chosen_words
from memtui.tui.switching import SWITCH
from memtui.tui.values import BEST, SORTS, Base, Listing, Wanted

if TYPE_CHECKING:
    from memtui.capture.waiting import Waiting
    from memtui.domain.memory import Memory


def head_counts(base: Base, team: str, meaning: str) -> list[Content]:
    """Return what the head of Browse counts; what waits before what is nothing, as there may be no room for all.

    `meaning`: how the search by meaning stands: ready, loading, off.
    """
    due = Content.styled(f"{base.due:,} due", "$memtui-due" if base.due else "$memtui-dim")
    inbox = Content.styled(f"{base.inbox:,} in inbox", "$foreground" if base.inbox else "$memtui-dim")
    return [
        Content(counted(base.active, "memory", "memories")),
        *([inbox, due] if base.inbox and not base.due else [due, inbox]),
        *([Content.styled(tame(team, 60), "$memtui-dim")] if team else []),
        Content.styled(f"by meaning: {meaning}", "$memtui-dim"),
    ]


_FILTERING = "filtering …"
_ONLY_CLOSEST = "nothing matches well; the closest"


def list_title(wanted: Wanted, *, best: bool, only_closest: bool = False) -> str:
    """Return the title of the list: what it holds and in what order.

    `best`: whether the best match stands first. `only_closest`: whether that matches badly too.
    """
    name = "Due for review" if wanted.due_only else "Memories"
    closest = [_ONLY_CLOSEST] if only_closest else []
    order = [] if best and only_closest else [BEST if best else SORTS[wanted.sort]]
    chosen = [tame(chosen_words(wanted.chosen), 60)] if wanted.chosen else []
    return " · ".join((f"2 {name}", *closest, *order, *chosen))


def shown_count(listing: Listing, typed: str) -> str:
    """Return `120`, with a filter `12 of 120`; nothing of a query that could not be read, as `notice_of` says why.

    `typed`: the filter; where the list is not that of it yet, only that is returned.
    """
    if listing.query.strip() != typed:
        return _FILTERING if typed else ""
    if listing.problem:
        return ""
    total = len(listing.base.ids)
    if not typed:
        return f"{total:,}" if total else ""
    near = f", {listing.near:,} by meaning only" if listing.near and not listing.only_closest else ""
    unread = f", {listing.without_vector:,} compared by words only" if listing.without_vector else ""
    count = f"{len(listing.ids):,}{'+' if listing.more or listing.partial else ''} of {total:,}{near}{unread}"
    if listing.misnamed is None:
        return count
    from memtui.wording.outcomes import no_field

    return f"{no_field(*listing.misnamed)} · {count}"


def beyond_words(listing: Listing, key: str) -> str:
    """Return that the list holds memories of another project than the other screens; empty where it does not.

    `key`: what switches the project.
    """
    here = listing.base.project
    others = set(listing.base.wanted.chosen.get("project", ())) - {here} - NO_SINGLE
    if here is None or not (others or listing.names_project):
        return ""
    return f"the project is still {tame(here, 40)}: {key} switches"


def waiting_words(waiting: Waiting, key: str) -> str:
    """Return how many rule files of the project changed or are new, and the key that imports them; else nothing."""
    changed, new = (counted(number, "file") if number else "" for number in (waiting.changed, waiting.new))
    if changed and new:
        return f"{changed} changed, {waiting.new:,} new: {key} imports"
    return f"{changed} changed: {key} imports" if changed else f"{new} to import here: {key}" if new else ""


def outside_words(memory: Memory, listing: Listing, key_of: Callable[[str], str]) -> str:
    """Return why a memory in use is not listed, with the key that changes it; empty where it should be.

    `key_of`: returns the key of an action by its id.
    """
    base, title = listing.base, f"“{tame(memory.title or memory.insight, 60)}”"
    if memory.status != "active":
        return ""
    if memory.id in base.id_set:
        return f"{title} is outside the filter: {key_of('back')} clears it"
    if base.wanted.chosen:
        return f"{title} is outside the chosen facets: {key_of('clear')} clears them"
    if base.due_only:
        return f"{title} is not due: {key_of('due')} lists all memories"
    if base.project is None or memory.project in {base.project, GLOBAL_PROJECT}:
        return ""
    return f"{title} is in {tame(memory.project or 'no project', 40)}: {key_of(SWITCH)} switches"


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
    'a            adds one memory (memtui add "…")',
    "J            brings in rule files (memtui import .)",
)
"""What fills an empty list: the key, what it does, and in brackets the same on the command line."""


def notice_of(listing: Listing) -> tuple[str, ...]:
    """Return what an empty list says: why it is empty, and what to do."""
    base = listing.base
    if listing.problem:
        error = listing.problem
        where = tame(error.where, 80)
        return (f"{error.what}: {where}", error.remedy, "", "In quotes it is searched as words. esc clears the filter.")
    if base.ids:
        from memtui.wording.outcomes import FILE_TAKES, no_field

        hint = [no_field(*listing.misnamed)] if listing.misnamed else []
        hint += [FILE_TAKES] if listing.names_file else []
        return (f"No match for “{tame(listing.query, 40)}”.", *hint, "esc clears the filter.")
    if base.wanted.chosen and base.elsewhere:
        return (f"No memory is {tame(chosen_words(base.wanted.chosen), 80)}.", "backspace clears the facets.")
    if base.due_only and base.active:
        return ("Nothing is due for review.", "d lists all memories.")
    if base.inbox and not base.wanted.chosen:
        return (
            "No memory is in use yet.",
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
            "@            switches the project: memtui list --all-projects",
        )
    return (
        "The vault is empty.",
        "",
        *_FILLING,
        "memtui demo  looks around in a sample vault",
    )
