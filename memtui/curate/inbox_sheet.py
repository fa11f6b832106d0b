"""Candidates as one text for the editor: a deleted block rejects, an edited one rewords, the others are accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from memtui.curate.fields import check_kind
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, new_id, normalise, planted_reasons
from memtui.errors import UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import counted

_FIELD = re.compile(r"(kind|title):[ \t]*(.*)")
_SHORT = 30  # A text of fewer characters may stand in another one by chance

_HEAD = """\
{number} from the inbox, one block each, below this text.

- Leave a block as it is to accept it.
- Change its kind, title or text to accept it reworded.
- Delete it, with its line of %%, to reject it.

Nothing happens before you confirm, and nothing at all if you save an empty file.
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The text as written, with what it stands for."""

    text: str
    memories: Mapping[str, Memory]
    mark: str  # what every line that begins a block begins with; no memory contains it

    @property
    def versions(self) -> dict[str, int]:
        """The versions that the text shows."""
        return {memory.id: memory.version for memory in self.memories.values()}


@dataclass(frozen=True, slots=True)
class Decisions:
    """What an edited text decides."""

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    edits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # new values by field, of accepted ones

    @property
    def is_untouched(self) -> bool:
        """Whether the text says what it said, as after an editor that was left without saving."""
        return not self.rejected and not self.edits

    @property
    def words(self) -> str:
        """The counts, for people."""
        if self.is_untouched:
            return f"nothing was edited: accept all {len(self.accepted):,} as they are"
        reworded = f" ({len(self.edits):,} reworded)" if self.edits else ""
        return f"accept {len(self.accepted):,}{reworded}, reject {len(self.rejected):,}"


def write_sheet(memories: Sequence[Memory]) -> Sheet:
    """Return candidates as one text."""
    texts = "\n".join(f"{memory.title}\n{memory.insight}" for memory in memories)
    mark = f"%% {new_id()[:4]}"
    while mark in texts:
        mark = f"%% {new_id()}"
    blocks = [_block(memory, mark) for memory in memories]
    head = _HEAD.format(number=counted(len(memories), "candidate"))
    return Sheet("\n".join([head, *blocks]), {memory.id: memory for memory in memories}, mark)


def _block(memory: Memory, mark: str) -> str:
    source = memory.source
    lines = f":{source.span[0]}–{source.span[1]}" if source and source.span else ""
    notes = [one_line(f"{source.path}{lines}")] if source and source.path else []
    notes += [f"looks planted: it {reason}; accept it by itself" for reason in planted_reasons(memory)[:1]]
    shown = _shown(memory)
    head = "  ".join([f"{mark} {memory.id}", *notes])
    return f"{head}\nkind: {shown['kind']}\ntitle: {shown['title']}\n\n{shown['insight']}\n"


def _shown(memory: Memory) -> dict[str, str]:
    return {"kind": memory.kind, "title": one_line(memory.title), "insight": normalise(memory.insight)}


def read_sheet(sheet: Sheet, text: str, kinds: Kinds) -> Decisions | None:
    """Return what an edited text decides, None if it is empty.

    Raises `UsageError`: a block cannot be read; names its line.
    """
    if not text.strip():
        return None
    found: dict[str, dict[str, str]] = {}
    lines = normalise(text.removeprefix("\ufeff")).split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith(sheet.mark)]
    _check_head(sheet, lines[: starts[0] if starts else len(lines)])
    for start, end in pairwise([*starts, len(lines)]):
        identifier = "".join(lines[start].removeprefix(sheet.mark).split()[:1])
        where = f"line {start + 1}"
        if identifier not in sheet.memories or identifier in found:
            problem = f"{identifier} stands twice" if identifier in found else f"“{identifier}” was not in this text"
            raise UsageError(f"The block {problem}", where=where, remedy="Nothing was changed.")
        found[identifier] = _read_block(lines[start + 1 : end], where, kinds)
    edits: dict[str, dict[str, Any]] = {}
    for identifier, said in found.items():
        shown = _shown(sheet.memories[identifier])
        if changed := {name: value for name, value in said.items() if value != shown[name]}:
            edits[identifier] = changed
    gone = [identifier for identifier in sheet.memories if identifier not in found]
    _check_no_head_is_lost(sheet, gone, edits)
    return Decisions(tuple(found), tuple(gone), edits)


def _check_head(sheet: Sheet, lines: Sequence[str]) -> None:
    """Refuse text above the first block: it is that of a block whose line of %% is gone or garbled.

    Raises `UsageError`: names its line.
    """
    head = {line.strip() for line in sheet.text.partition(sheet.mark)[0].splitlines()} | {""}
    foreign = next((number for number, line in enumerate(lines, 1) if line.strip() not in head), None)
    if foreign is not None:
        raise UsageError(
            "Text above the first line of %% belongs to no block",
            where=f"line {foreign}",
            remedy="Restore its line of %%, or delete the text as well to reject it. Nothing was changed.",
        )


def _read_block(lines: Sequence[str], where: str, kinds: Kinds) -> dict[str, str]:
    said: dict[str, str] = {}
    rest = list(lines)
    while rest and (match := _FIELD.fullmatch(rest[0])) and match[1] not in said:
        said[match[1]] = one_line(match[2])
        rest.pop(0)
    said["insight"] = normalise("\n".join(rest))
    if not said["insight"].strip():
        raise UsageError("A block has no text", where=where, remedy="To reject it, delete its line of %% as well.")
    try:
        check_kind(kinds, said.get("kind") or "lesson")
    except UsageError as error:
        raise UsageError(error.what, where=f"{where}: {error.where}", remedy=error.remedy) from error
    return {name: value for name, value in said.items() if value}


def _check_no_head_is_lost(sheet: Sheet, gone: Sequence[str], edits: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a text in which a block lost its first line and so became part of the one above.

    Raises `UsageError`: names the memory.
    """
    for identifier in gone:
        lost = normalise(sheet.memories[identifier].insight)
        for other, values in edits.items():
            taken = values.get("insight", "")
            has_text = len(lost) >= _SHORT and lost in taken and lost not in sheet.memories[other].insight
            if has_text or f"\ntitle: {one_line(sheet.memories[identifier].title)}\n" in taken:
                raise UsageError(
                    f"The line of %% of {identifier} is missing, but its text is still in the block {other}",
                    where=one_line(sheet.memories[identifier].title)[:80],
                    remedy="Delete both, or neither. Nothing was changed.",
                )
