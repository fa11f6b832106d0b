"""What an import of the Import screen came to, and where its memories are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.text.sanitize import tame
from memtui.text.words import some_of
from memtui.tui.values import Done
from memtui.wording import imports

if TYPE_CHECKING:
    from memtui.capture.apply import ImportReport


@dataclass(frozen=True, slots=True)
class CameIn:
    """What an import came to."""

    done: Done
    words: str = ""  # what came in, and where it is
    project: str | None = None  # whose inbox it waits in, None for that of the project in view


def of_projects(names: Sequence[str]) -> str:
    """Return whose inbox memories go to, ` of tides`; empty for that of the project in view."""
    return f" of {some_of([tame(name, PROJECT_CELLS) for name in names], 2)}" if names else ""


PROJECT_CELLS = 24


def came_to(report: ImportReport, others: Sequence[str], *, active: bool, elsewhere: int = 0) -> CameIn:
    """Return what an import came to.

    `others`: of `Importer.other_projects`. `elsewhere`: how many wait in inboxes that are not opened.
    """
    changed = bool(report.added or report.updated or report.moved)
    in_inbox = report.added > report.superseded and not active
    told, review, dropped = imports.imported(report), _said_of_review(report), _said_of_dropped(report)
    opens = "b opens the inbox" if in_inbox else ""
    settles = "b, then d resolves conflicts" if report.conflicts else ""
    hints = [told, dropped, opens, review, settles, "u undoes it" if changed else ""]
    told += " (pane 2 lists them)" if imports.passed_over(row["reason_code"] for row in report.skipped) else ""
    said = " ".join(
        f"{one}." for one in (told, _where(report, others, elsewhere, active=active), review, dropped) if one
    )
    done = Done("; ".join(filter(None, hints)), changed=changed or bool(dropped))
    return CameIn(done, f"{said}   u undoes it." if changed else said, others[0] if others and in_inbox else None)


def _where(report: ImportReport, others: Sequence[str], elsewhere: int, *, active: bool) -> str:
    if not active:
        told = imports.new_in_inbox(report)
        more = f", {elsewhere:,} of them in other projects: @ there shows them" if elsewhere else ""
        return f"{told}{of_projects(others)}: b goes there{more}" if report.added > report.superseded else told
    if not report.added:
        return ""
    # Imported here: the screen needs no importer before something is imported.
    from memtui.capture.draft import PLANTED

    held = sum(PLANTED in notes for _, notes in report.flagged)
    old = f", except {imports.superseded_at_source(report.superseded)}" if report.superseded else ""
    if not held:
        return f"They are active{old}: esc goes to the list"
    look = "one that looks planted waits" if held == 1 else f"{held:,} that look planted wait"
    return f"They are active{old}: esc goes to the list; but {look} in the inbox: b goes there"


def _said_of_review(report: ImportReport) -> str:
    """Return which memories in use changed, and how to review them; empty without any."""
    anew = imports.in_use_anew(report)
    return f"{anew}: r reviews {'it' if report.updated_in_use == 1 else 'them'}" if anew else ""


def _said_of_dropped(report: ImportReport) -> str:
    """Return which memories the sources no longer state, and where to take them out; empty without any."""
    said = imports.dropped([memory.title for memory in report.dropped])
    is_due = any(memory.status == "active" for memory in report.dropped)
    return f"{said}: r reviews" if is_due else said
