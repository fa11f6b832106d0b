"""An import plan as the Import screen lists it; knows no widgets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.text.sanitising import reveal
from memtui.tui.describing import Block
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.capture.planning import ImportPlan, Planned

MOST_SHOWN = 2_000
"""Rows of one group; the rest are counted."""

_GROUPS = (
    ("New", ("add", "restore"), "+"),
    ("Changed in their source", ("update", "replace"), "~"),
    ("In conflict, left as they are", ("conflict", "clash"), "!"),
    ("Left out", ("skip",), "−"),
)
SETTLED_BY = " · once imported, b then d settles"
"""Said of conflicts: the keys to where a person decides."""

UNASSIGNED = "unassigned: of no project"
"""Said of what reaches no payload until a project is chosen for it."""

_STRUCTURE = ("heading", "comment", "thematic")


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What happens to one memory of a source.

    Attributes:
        mark: `+` new, `~` changed, `!` conflict, `−` left out.
        place: name of the file, and line.
        note: why, and what to look at.
    """

    mark: str
    kind: str
    title: str
    place: str
    note: str
    planned: Planned | None = None


def plan_lines(plan: ImportPlan) -> list[PlanRow | str]:
    """Return rows under headings; what stays as it is is counted."""
    lines: list[PlanRow | str] = []
    for heading, actions, mark in _GROUPS:
        found = [item for item in plan.items if item.action in actions]
        if found:
            lines += [""] if lines else []
            unassigned = sum(item.project is None for item in found) if mark == "+" else 0
            note = f" · {UNASSIGNED}" if unassigned == len(found) else ""
            settle = SETTLED_BY if any(item.action == "conflict" for item in found) else ""
            lines.append(f"{heading} · {len(found):,}{note}{settle}")
            lines += [_row(item, mark, told=bool(note)) for item in found[:MOST_SHOWN]]
            if len(found) > MOST_SHOWN:
                lines.append(f"  … and {len(found) - MOST_SHOWN:,} more")
    return [*lines, *_rest(plan, bool(lines))]


def _rest(plan: ImportPlan, has_rows: bool) -> list[str]:
    lines = []
    if plan.count("unchanged"):
        lines.append(f"  {counted(plan.count('unchanged'), 'memory', 'memories')} unchanged: known already")
    if plan.missing:
        gone = counted(len(plan.missing), "memory", "memories")
        lines.append(f"  {gone} no longer in their source: kept")
    telling = Counter(tame(one.reason, 80) for one in plan.skipped if not one.reason.startswith(_STRUCTURE))
    lines += [f"  {number:,}× passed over: {reason}" for reason, number in telling.most_common(6)]
    return ["", *lines] if lines and has_rows else lines


def _row(item: Planned, mark: str, *, told: bool) -> PlanRow:
    draft = item.draft
    # A draft that looks like a secret is shown nowhere.
    title = "(not shown)" if "secret" in item.reason else tame(draft.title) or tame(draft.insight)
    span = draft.source.span
    place = tame((draft.source.path or "").rsplit("/", 1)[-1]) + (f":{span[0]}" if span else "")
    notes = [note for note in (item.reason, *draft.notes) if note]
    if item.project is None and mark == "+" and not told:
        notes.append(UNASSIGNED)
    return PlanRow(mark, tame(draft.kind, 40), title, place, tame("; ".join(notes)), item)


def plan_words(plan: ImportPlan, *, active: bool) -> str:
    """Return what an import would come to."""
    new, changed = plan.count("add", "restore"), plan.count("update", "replace")
    where = "active" if active else "inbox"
    return f"{new:,} new → {where} · {changed:,} changed · {plan.count('unchanged'):,} known"


def row_blocks(row: PlanRow) -> list[Block]:
    """Return a memory of a source in full."""
    blocks = [Block(((row.title, "title"),)), Block(((f"{row.kind} · {row.place}", "dim"),))]
    if row.note:
        blocks.append(Block(((row.note, "warning"),)))
    if row.planned is None or row.title == "(not shown)":
        return blocks
    draft = row.planned.draft
    blocks.append(Block(((reveal(draft.insight[:20_000]), "text"),), gap=True))
    if draft.rationale:
        blocks.append(Block(((reveal(draft.rationale[:20_000]), "text"),), label="Why", gap=True))
    if draft.snippet:
        blocks.append(Block(((reveal(draft.snippet[:20_000]), "code"),), gap=True))
    if draft.anchors:
        blocks.append(Block(((tame(", ".join(draft.anchors)), "text"),), label="Files", gap=True))
    blocks.append(Block(((tame(row.planned.project or "unassigned"), "text"),), label="Project", gap=True))
    blocks.append(
        Block(((tame(draft.source.path or ""), "text"), (f"  ({draft.source.format})", "dim")), label="Source")
    )
    return blocks
