"""What is written with a blank line between all its lines: chains of steps, questions, and parts of one rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memtui.analysis.title_blocks import LABEL_LINE
from memtui.analysis.title_words import matches
from memtui.capture.blocks import Block, Span
from memtui.capture.units import PIECE_CHARS

_ARROWS = re.compile(r"(?:[↓→⇓⇒⬇➡▼|\ufe0f]|-->?|=>|\s)+")
_LEADS = (":", "：")
_QUESTIONS = ("?", "？")
_FEWEST_QUESTIONS, _FEWEST_PARTS = 2, 3
_STEP_WORDS = 12


def joined(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in which each chain of short paragraphs with arrows between them is one paragraph.

    So are the questions below words that lead to them, with these, and the named parts of a rule with their code.
    """
    found: list[Block] = []
    at = 0
    while at < len(blocks):
        count = _chain(blocks, at) or _questions(blocks, at) or _named_parts(blocks, at)
        found.append(_one(blocks[at : at + count]) if count else blocks[at])
        at += max(1, count)
    return found


def _one(blocks: Sequence[Block]) -> Block:
    lines = Span(blocks[0].lines.first, blocks[-1].lines.last)
    return Block("paragraph", lines, content="\n".join(block.content for block in blocks))


def _paragraphs(blocks: Sequence[Block], at: int) -> Iterator[str]:
    for block in _from(blocks, at):
        if block.kind != "paragraph":
            return
        yield block.content.strip()


def _from(blocks: Sequence[Block], at: int) -> Iterator[Block]:
    """Yield the blocks from one on, without a copy of a list that may be long."""
    return (blocks[place] for place in range(at, len(blocks)))


def _chain(blocks: Sequence[Block], at: int) -> int:
    """Return how many blocks from one on are steps and the arrows between them; 0 for fewer than two steps."""
    count = 0
    for place, text in enumerate(_paragraphs(blocks, at)):
        is_arrow = bool(_ARROWS.fullmatch(text))
        if is_arrow != bool(place % 2) or (not is_arrow and len(text.split()) > _STEP_WORDS):
            break
        if not is_arrow:
            count = place + 1
    return count if count > 1 else 0


def _questions(blocks: Sequence[Block], at: int) -> int:
    """Return how many blocks are words that lead to questions, and these; 0 where there are fewer than two."""
    behind = _paragraphs(blocks, at)
    lead = next(behind, "")
    if not lead.endswith(_LEADS) or "\n" in lead:
        return 0
    count = sum(1 for _ in takewhile(lambda text: text.endswith(_QUESTIONS), behind))
    return count + 1 if count >= _FEWEST_QUESTIONS else 0


def _named_parts(blocks: Sequence[Block], at: int) -> int:
    """Return how many blocks are parts of a rule, each below its bold name, one of which is code; else 0.

    A name alone above code would be read as a heading, and what follows as below it.
    """
    names: list[str] = []
    parts: list[Block] = []
    size = 0
    for block in _from(blocks, at):
        named = LABEL_LINE.match(block.content) if block.kind == "paragraph" else None
        if not named and not (
            parts and parts[-1].kind == "paragraph" and block.kind in {"fence", "bullets", "ordered"}
        ):
            break
        names += [named[1].strip()] if named else []
        parts.append(block)
        size += len(block.content)
        if size > PIECE_CHARS:
            return 0
    has_code = any(part.kind == "fence" for part in parts)
    is_rule = sum(matches("labels", "part", name) for name in names) > 1
    return len(parts) if has_code and is_rule and len(names) >= _FEWEST_PARTS else 0
