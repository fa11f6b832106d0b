"""What tells of the past of a file or project rather than of the project: change logs, tasks and who had them."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.analysis.title_words import undecorated
from memtui.capture.blocks import Block, item_text
from memtui.capture.prose import EDGES, is_strong, pattern
from memtui.capture.units import cells_of
from memtui.text.inline import plain_text

_DATED_SHARE = 0.5
_STRONG_SHARE = 0.34
_NEAR = 3  # Headings above a list that may say that it is of what was done


def is_history(block: Block, lines: Sequence[str], heading_path: Sequence[str]) -> bool:
    """Return whether a block below a heading like "Changelog", or below a version there, tells what changed when.

    How a change log is to be kept is a rule: its items and paragraphs begin with no date or version.
    """
    above = [bool(pattern("history_heading").match(plain_text(heading).strip(EDGES))) for heading in heading_path[-2:]]
    if not any(above) or block.kind in {"fence", "code", "heading"}:
        return False
    if above[-1] and block.kind != "paragraph" and not pattern("change_log").search(heading_path[-1]):
        return True
    if not above[-1]:
        return bool(pattern("dated").match(plain_text(heading_path[-1])))
    told = _entries(block, lines)
    dated = sum(1 for entry in told if pattern("dated").match(plain_text(entry).strip(EDGES)))
    return bool(told) and dated >= _DATED_SHARE * len(told)


def _entries(block: Block, lines: Sequence[str]) -> list[str]:
    """Return what a block lists: the first cells of its rows, its items, or the block itself."""
    if block.kind == "table":
        return [cells_of(lines[row.first])[0] for row in block.items]
    if block.items:
        return [item_text(lines, item) for item in block.items]
    return [block.content]


def is_of_tasks(block: Block, lines: Sequence[str], heading_path: Sequence[str]) -> bool:
    """Return whether a block lists tasks: a table of who has each and how far it is, what was done or is planned."""
    if len(block.items) > 1 and all(pattern("tracked").match(entry) for entry in _entries(block, lines)):
        return True
    if block.kind == "table":
        heads = [plain_text(head).strip(EDGES) for head in cells_of(lines[block.lines.first])]
        return all(any(map(pattern(name).match, heads)) for name in ("task_owner", "task_state"))
    names = [undecorated(plain_text(heading).strip(EDGES))[0] for heading in heading_path[-_NEAR:]]
    if not names or not (block.items or pattern("carried_heading").match(names[-1])):
        return False
    told = any(map(pattern("progress_heading").match, names)) or any(
        pattern(name).match(names[-1]) for name in ("carried_heading", "planned_heading")
    )
    entries = _entries(block, lines)
    told = told or _is_ticked(entries, names[-1])
    return told and sum(map(is_strong, entries)) <= _STRONG_SHARE * len(entries)


def _is_ticked(entries: Sequence[str], heading: str) -> bool:
    """Return whether a list says of phases, or below a heading of its state of anything, how far each is."""
    plain = [plain_text(entry) for entry in entries]
    marked = [found for entry in plain if (found := pattern("state_mark").match(entry))]
    if len(entries) <= 1 or len(marked) < len(entries):
        return False
    is_state = bool(pattern("state_heading").match(heading))
    return is_state or all(
        pattern("phase").match(entry[found.end() :]) for entry, found in zip(plain, marked, strict=True)
    )
