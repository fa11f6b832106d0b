"""Sources to import from, and what importing them would do, as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.capture.prose import STRUCTURE
from memtui.text.sanitize import reveal
from memtui.text.words import counted
from memtui.tui.memory_view import Block, Piece
from memtui.tui.text_layout import tame
from memtui.tui.widgets.lists import Cell, TextRow

if TYPE_CHECKING:
    from memtui.capture.collect import KnownPlace
    from memtui.capture.plan import ImportPlan, Planned

HEADINGS = {"project": "This project", "home": "Your home folder, for every project", "named": "Named by you"}

MOST_SHOWN = 2_000
"""Rows of one group; the rest are counted."""

_GROUPS = (
    ("New", ("add", "restore"), "+"),
    ("Changed in their source", ("update", "replace"), "~"),
    ("In conflict: left unchanged", ("conflict", "clash"), "!"),
    ("Left out", ("skip",), "−"),
)
_UNASSIGNED = "unassigned: in no project"
_LONGEST_TEXT = 20_000
_SHORTEST_LABEL = 12


# -- sources -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A source, ticked or not."""

    place: KnownPlace
    ticked: bool


def place_rows(places: Sequence[KnownPlace], ticked: Collection[Path]) -> list[PlaceRow | TextRow]:
    """Return the sources under headings."""
    lines: list[PlaceRow | TextRow] = []
    for where, heading in HEADINGS.items():
        found = [place for place in places if place.where == where]
        if found:
            lines += [TextRow("")] if lines else []
            lines += [TextRow(heading), *(PlaceRow(place, place.path in ticked) for place in found)]
    return lines


def place_cells(row: PlaceRow, width: int) -> list[Cell]:
    """Return a source: its tick, its name, its format, how many files."""
    label = min(26, width - 33)
    mark, text, kind = ("good", "base", "kind") if row.ticked else ("dim", "dim", "dim")
    return [
        Cell("✓" if row.ticked else "·", mark, 2),
        Cell(tame(row.place.name), text),
        Cell(tame(row.place.label), kind, label if label >= _SHORTEST_LABEL else 0, before=1),
        Cell(counted(row.place.files, "file"), "dim", 9, right=True, after=1),
    ]


# -- what an import would do ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What happens to one memory of a source.

    Attributes:
        mark: `+` new, `~` changed, `!` conflict, `−` left out.
        place: name of the file, and line.
        note: why, and what to check.
    """

    mark: str
    kind: str
    title: str
    place: str
    note: str
    planned: Planned


def plan_lines(plan: ImportPlan) -> list[PlanRow | TextRow]:
    """Return rows under headings; memories that stay as they are are counted."""
    lines: list[PlanRow | TextRow] = []
    for heading, actions, mark in _GROUPS:
        found = [item for item in plan.items if item.action in actions]
        if found:
            lines += [*([TextRow("")] if lines else []), *_group(heading, mark, found)]
    rest = _rest(plan)
    return [*lines, *([TextRow("")] if lines and rest else []), *rest]


def _group(heading: str, mark: str, found: Sequence[Planned]) -> Iterator[PlanRow | TextRow]:
    all_unassigned = mark == "+" and all(item.project is None for item in found)
    parts = [heading, f"{len(found):,}"]
    parts += [_UNASSIGNED] if all_unassigned else []
    parts += ["after the import, b then d resolves them"] if any(item.action == "conflict" for item in found) else []
    yield TextRow(" · ".join(parts))
    for item in found[:MOST_SHOWN]:
        yield _row(item, mark, note_unassigned=mark == "+" and not all_unassigned)
    if len(found) > MOST_SHOWN:
        yield TextRow(f"  … and {len(found) - MOST_SHOWN:,} more", "dim")


def _rest(plan: ImportPlan) -> list[TextRow]:
    lines = []
    if plan.count("unchanged"):
        lines.append(f"{counted(plan.count('unchanged'), 'memory', 'memories')} unchanged: already in the vault")
    if plan.missing:
        lines.append(f"{counted(len(plan.missing), 'memory', 'memories')} no longer in their source: kept")
    reasons = Counter(tame(one.reason, 80) for one in plan.skipped if one.reason not in STRUCTURE)
    lines += [f"{number:,}× skipped: {reason}" for reason, number in reasons.most_common(6)]
    return [TextRow(f"  {line}", "dim") for line in lines]


def _row(item: Planned, mark: str, *, note_unassigned: bool) -> PlanRow:
    draft = item.draft
    title = "(not shown)" if item.holds_secret else tame(draft.title) or tame(draft.insight)
    span = draft.source.span
    place = tame((draft.source.path or "").rsplit("/", 1)[-1]) + (f":{span[0]}" if span else "")
    notes = [note for note in (item.reason, *draft.notes) if note]
    notes += [_UNASSIGNED] if note_unassigned and item.project is None else []
    return PlanRow(mark, tame(draft.kind, 40), title, place, tame("; ".join(notes)), item)


def plan_cells(row: PlanRow, width: int) -> list[Cell]:
    """Return a memory of a source: what happens to it, its kind, title, and a note or its place."""
    return [
        Cell(row.mark, "warning" if row.mark in "!−" else "good", 2),
        Cell(row.kind, "kind", 12, since=40, after=1),
        Cell(row.title, "base"),
        Cell(row.note, "warning", int(width * 0.4) if row.note else 0, before=1),
        Cell(row.place, "dim", 0 if row.note else 22, since=64, right=True, before=1, after=1),
    ]


def plan_words(plan: ImportPlan, *, active: bool) -> str:
    """Return how many memories an import would add and change."""
    new, changed = plan.count("add", "restore"), plan.count("update", "replace")
    where = "active" if active else "inbox"
    return f"{new:,} new → {where} · {changed:,} changed · {plan.count('unchanged'):,} known"


def row_blocks(row: PlanRow) -> list[Block]:
    """Return a memory of a source in full."""
    blocks = [Block(((row.title, "title"),)), Block(((f"{row.kind} · {row.place}", "dim"),))]
    if row.note:
        blocks.append(Block(((row.note, "warning"),)))
    if row.planned.holds_secret:
        return blocks
    draft = row.planned.draft
    blocks.append(Block(((reveal(draft.insight[:_LONGEST_TEXT]), "text"),), gap=True))
    if draft.rationale:
        blocks.append(Block(((reveal(draft.rationale[:_LONGEST_TEXT]), "text"),), label="Why", gap=True))
    if draft.snippet:
        blocks.append(Block(((reveal(draft.snippet[:_LONGEST_TEXT]), "code"),), gap=True))
    if draft.anchors:
        blocks.append(Block(((tame(", ".join(draft.anchors)), "text"),), label="Files", gap=True))
    blocks.append(Block(((tame(row.planned.project or "unassigned"), "text"),), label="Project", gap=True))
    source: tuple[Piece, ...] = ((tame(draft.source.path or ""), "text"), (f"  ({draft.source.format})", "dim"))
    blocks.append(Block(source, label="Source"))
    return blocks
