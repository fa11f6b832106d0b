"""A memory of a source in full, before it is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.tui.styled_text import Block, Piece, marked_pieces

if TYPE_CHECKING:
    from memtui.capture.import_plan import Planned
    from memtui.tui.importing.view import PlanRow

_LONGEST_TEXT = 20_000


def row_blocks(row: PlanRow) -> list[Block]:
    """Return a memory of a source in full."""
    blocks = [Block(((row.title, "title"),)), Block(((f"{row.kind} · {row.place}", "dim"),))]
    if row.note:
        blocks.append(Block(((row.note, "warning"),)))
    if row.planned.holds_secret:
        return blocks
    draft = row.planned.draft
    blocks += _insight_blocks(row.planned)
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


def _insight_blocks(planned: Planned) -> list[Block]:
    """Return what a source says; of a memory that is there already and says something else, both, marked."""
    said, memory = unwrapped(planned.draft.insight[:_LONGEST_TEXT]), planned.memory
    before = unwrapped(memory.insight[:_LONGEST_TEXT]) if memory is not None else said
    if before == said or planned.action not in _REPLACES:
        return [Block(((reveal(said), "text"),), gap=True)]
    from memtui.curate.merge import marked_texts  # loads what compares texts, which most imports need not

    sides = zip(_REPLACES[planned.action], marked_texts([before, said]), strict=True)
    return [Block(marked_pieces(marked), label=label, gap=True) for label, marked in sides]


_REPLACES = {
    "update": ("Before", "Now"),
    "replace": ("Before", "Now"),
    "conflict": ("Here", "There"),
    "clash": ("Here", "There"),
}
"""What the text in the vault is called and that of the source, by what an import does."""
