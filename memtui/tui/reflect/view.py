"""Sources of a conclusion, one below the other."""

from __future__ import annotations

from memtui.text.sanitize import reveal
from memtui.tui.memory_view import LONGEST_SHOWN, Block, highlighted
from memtui.tui.reflect.queries import Sources
from memtui.tui.text_layout import tame


def source_blocks(sources: Sources) -> list[Block]:
    """Return the sources one below the other: title, kind and age, text and reason."""
    blocks: list[Block] = []
    for place, (memory, heading) in enumerate(zip(sources.memories, sources.headings, strict=True), 1):
        blocks.append(Block(((f"{place} ", "label"), (tame(memory.title, 300), "title")), gap=place > 1))
        blocks.append(Block(((heading, "dim"),)))
        for label, text in (("", memory.insight), ("Why", memory.rationale)):
            shown = reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip()
            if shown and shown != memory.title:
                blocks.append(Block(highlighted(shown + ("\n…" if len(text) > LONGEST_SHOWN else "")), label=label))
    return blocks
