"""What a change did, as blocks of text; knows no widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.text.sanitising import reveal
from memtui.tui.describing import Block
from memtui.tui.highlighting import Piece
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.changes import ChangeDiff, FieldDiff, MemoryDiff
    from memtui.text.differing import DiffLine

NAMES = {
    "rationale": "why",
    "status_reason": "reason",
    "anchors": "files",
    "importance": "weight",
    "confidence": "sure",
    "half_life_days": "half-life",
    "confirmed_at": "confirmed",
    "confirmed_by": "by",
    "verified_at": "verified",
    "verified_by": "by",
    "observed_at": "observed",
    "snoozed_until": "snoozed",
    "valid_from": "from",
    "valid_until": "until",
    "due_at": "due",
    "other_sources": "sources",
}
"""Short names of fields, for the margin."""

MOST_TOLD = 20_000
"""Characters told of one change: wrapping more would hold the screen up."""

_LONGEST_LINE = 1_000
_LONGEST_NAME = 8
_KIN = {
    "link": ("link", "links"),
    "verdict": ("verdict", "verdicts"),
    "signal": ("signal", "signals"),
    "half-life": ("half-life of a kind", "half-lives of kinds"),
    "identity": ("folder or remote of a project", "folders and remotes of projects"),
    "recipe": ("recipe", "recipes"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """A change in words.

    Attributes:
        blocks: all of it, top to bottom.
        heads: the block that each memory begins with.
    """

    blocks: tuple[Block, ...]
    heads: tuple[Block, ...]


def told(diff: ChangeDiff) -> Told:
    """Return what a change did."""
    blocks = list(_change(diff))
    heads: list[Block] = []
    told_characters = 0
    for memory in diff.memories:
        heads.append(_head(memory))
        blocks += [heads[-1], Block(((f"{memory.fate} · {memory.id} · version {memory.version}", "dim"),))]
        for field in memory.fields:
            if told_characters > MOST_TOLD:
                blocks.append(Block(((f"more differs: memtui show {memory.id} --history", "dim"),)))
                break
            told_characters += sum(len(line.text) for line in field.lines)
            blocks += _field(field)
        if not memory.fields:
            blocks.append(Block((("nothing that it says differs", "dim"),)))
    rest = diff.row.memories - len(diff.memories)
    if rest > 0:
        blocks.append(Block(((f"… and {counted(rest, 'more memory', 'more memories')}", "dim"),), gap=True))
    return Told(tuple(blocks), tuple(heads))


def _change(diff: ChangeDiff) -> Iterator[Block]:
    change = diff.row.change
    yield Block(((tame(change.summary, 300) or tame(change.action), "title"),))
    words = f"{change.at:%Y-%m-%d %H:%M:%S} UTC · {tame(change.actor, 60)} · {tame(change.action, 60)}"
    yield Block(((words, "dim"),))
    if change.reason:
        yield Block(((tame(change.reason), "text"),))
    if change.state != "done":
        meaning = (
            "undone; ctrl+r does it again" if change.state == "undone" else "undone, then overtaken by a new change"
        )
        yield Block(((meaning, "warning"),))
    for name, (added, removed) in diff.kin.items():
        one, many = _KIN.get(name, (tame(name, 40), tame(f"{name}s", 40)))
        if added:
            yield Block(((f"+ {counted(added, one, many)}", "good"),))
        if removed:
            yield Block(((f"- {counted(removed, one, many)}", "warning"),))


def _head(memory: MemoryDiff) -> Block:
    return Block((("▸ ", "label"), (tame(memory.title, 200) or memory.id, "title")), gap=True)


def _field(field: FieldDiff) -> Iterator[Block]:
    name = NAMES.get(field.name, field.name)
    if len(name) > _LONGEST_NAME:
        yield Block(((tame(name), "label"),))
        name = " "
    for place, line in enumerate(field.lines):
        yield Block(_line(line), label=tame(name) if place == 0 and name.strip() else " ")


def _line(line: DiffLine) -> tuple[Piece, ...]:
    if line.sign == "…":
        return ((f"… {line.text}", "dim"),)
    changed = {"-": "warning", "+": "good", " ": "dim"}[line.sign]
    plain = "dim" if line.sign == " " else changed if len(line.pieces) == 1 else "text" if line.sign == "+" else "dim"
    pieces: list[Piece] = [(f"{line.sign} ", changed)]  # type: ignore[list-item] # the names are of styles
    left = _LONGEST_LINE
    for text, differs in line.pieces:
        shown = reveal(text[:left])
        pieces.append((shown, changed if differs else plain))  # type: ignore[arg-type] # as above
        left -= len(text)
        if left <= 0:
            pieces.append(("…", "dim"))
            break
    return tuple(pieces)
