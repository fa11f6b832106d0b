"""Write into files of assistants what was planned, and take out what was retired, so that undo takes it back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.domain.causes import RETIRED
from memtui.domain.memory import Memory, Source
from memtui.domain.record import Record
from memtui.errors import MemtuiError, RefusedError
from memtui.publish import managed_blocks
from memtui.publish.edits import Edit, finish_unfinished, read_file, written
from memtui.publish.plan import FilePlan, Plan
from memtui.text.words import counted, some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.publications import BLOCK, CUT, publication_of, set_publication
from memtui.vault.teams import past_states
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

_NAMED = 3  # Files that a summary names


def publish(vault: Vault, plans: Sequence[Plan], *, actor: str, action: str = "publish") -> list[FilePlan]:
    """Write the files of some plans, all or none, and return those that changed.

    Raises:
        MemtuiError: one of the plans is refused, or a file cannot be written; nothing is changed.
        ConflictError: a file changed since it was planned.
    """
    finish_unfinished(vault)
    files = [file for plan in plans for file in plan.files]
    refused = next((file.problem for file in files if file.problem is not None), None)
    if refused is not None:
        raise refused
    if not files:
        return []
    changed = [file for file in files if file.is_change]
    edits = [Edit(file.path, file.base, file.before, file.after) for file in changed]
    names = some_of([file.path.name for file in changed], _NAMED)
    # The files are put back where the change of the vault fails: they are entered last, and left after it.
    with ExitStack() as stack, vault.write(actor=actor, action=action, summary=f"{action} {names}") as writer:
        stack.enter_context(written(vault, writer, edits))
        for file in files:
            if file.is_change:
                _note_replaced(writer, file)
            publication = None if file.publication is None else replace(file.publication, actor=actor)
            set_publication(writer, f"{file.path}#{file.target}", publication)
    return changed


def _note_replaced(writer: VaultWriter, file: FilePlan) -> None:
    """Journal what stood in a file where the publication's own record does not take it back there."""
    if file.on_disk == file.written != file.head + file.text:
        return
    known = publication_of(writer, str(file.path), file.target)
    ids = [identifier for one in (known, file.publication) if one is not None for identifier in one.memory_ids]
    about = {"path": str(file.path), "block": file.target, "memory_ids": sorted(set(ids))}
    before, after = (about | {"text": managed_blocks.piece(data, file.target)} for data in (file.before, file.after))
    writer.note(BLOCK, f"{file.path}#{file.target}", before, after)


_MARK = re.compile(rb"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+|^[ \t>]*#{1,6}[ \t]+", re.MULTILINE)
_SPACE = re.compile(rb"[\s>*_`]+")
_CONTEXT = 400  # Bytes around a piece by which its place is found again
_MOST_LINES = 200  # Lines of one memory


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of a file that say one memory."""

    memory: Memory
    start: int  # offset in the file
    end: int
    lines: tuple[int, int]  # from 1, both inclusive


@dataclass(frozen=True, slots=True)
class Cut:
    """What is to go from one file."""

    path: Path
    base: Path
    before: bytes
    pieces: tuple[Piece, ...]

    @property
    def after(self) -> bytes:
        kept, place = [], 0
        for piece in self.pieces:
            kept.append(self.before[place : piece.start])
            place = max(place, piece.end)
        return b"".join([*kept, self.before[place:]])


def plan_cuts(vault: Vault, root: Path, *, scope: Scope, ids: Sequence[str] | None = None) -> list[Cut]:
    """Return the files of a repository that still say what was retired, with the lines that do.

    `ids`: these memories alone. A memory whose lines cannot be told for certain is left out, and without `ids` also one
    that was never in use, or was turned down after an acceptance that was undone: that says nothing about its file.
    """
    with vault.read() as reader:
        wanted = MemoryFilter(scope=scope, statuses=("retired",), ids=None if ids is None else tuple(ids))
        memories = reader.select(wanted, sort="created", now=vault.now())
        if ids is None:
            states = past_states(reader, [memory.id for memory in memories])
            taken_out = [memory for memory in memories if memory.cause == RETIRED]
            memories = [memory for memory in taken_out if _was_in_use(states.get(memory.id, ()))]
    by_file: dict[Path, list[tuple[Memory, Source]]] = {}
    for memory in memories:
        for source in memory.sources:
            if source.path and not os.path.isabs(source.path):  # noqa: PTH117 - a text, not a file
                by_file.setdefault(root / source.path, []).append((memory, source))
    cuts = []
    for path, stated in sorted(by_file.items()):
        try:
            data = read_file(path, root)
        except MemtuiError:
            continue
        pieces = _pieces(data, stated) if data is not None else []
        if data is not None and pieces:
            cuts.append(Cut(path, root, data, tuple(pieces)))
    return cuts


def _was_in_use(states: Sequence[Record]) -> bool:
    """Return whether a memory was ever active, as far as the journal remembers anything of it."""
    return not states or any(state.get("status") == "active" for state in states)


def _pieces(data: bytes, stated: Sequence[tuple[Memory, Source]]) -> list[Piece]:
    """Return the pieces that are certain, in the order of the file, none within another."""
    found: dict[int, Piece] = {}
    for memory, source in stated:
        piece = _piece(data, memory, source)
        if piece is not None:
            found.setdefault(piece.start, piece)
    kept: list[Piece] = []
    for start in sorted(found):
        if not kept or start >= kept[-1].end:
            kept.append(found[start])
    return kept


def _piece(data: bytes, memory: Memory, source: Source) -> Piece | None:
    """Return the lines that say exactly what a memory says, where there is one such place."""
    texts = {_squeezed(memory.insight.encode()), _squeezed(f"{memory.insight}\n{memory.rationale}".encode())} - {b""}
    count = source.span[1] - source.span[0] + 1 if source.span else memory.insight.count("\n") + 1
    if not texts or not 0 < count <= _MOST_LINES:
        return None
    offsets = [0]
    for line in data.split(b"\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    last = len(offsets) - 1
    places = [
        Piece(memory, offsets[at], min(offsets[at + count], len(data)), (at + 1, at + count))
        for at in range(last - count + 1)
        if _squeezed(data[offsets[at] : offsets[at + count]]) in texts
    ]
    return places[0] if len(places) == 1 else None


def _squeezed(data: bytes) -> bytes:
    """Return a text without marks of lists, headings and emphasis, and without white space."""
    return _SPACE.sub(b"", _MARK.sub(b"", data))


def cut(vault: Vault, cuts: Sequence[Cut], *, actor: str) -> None:
    """Take the pieces out of the files, all or none, as one undoable change.

    Raises:
        ConflictError: a file changed since it was planned.
        RefusedError: a file is not UTF-8, so that undo could not find the places again.
        MemtuiError: the system refuses; nothing is changed.
    """
    if not cuts:
        return
    for one in cuts:
        try:
            managed_blocks.refuse_encoding(one.before)
        except RefusedError as error:
            raise RefusedError(error.what, where=f"{one.path}, {error.where}", remedy=error.remedy) from None
    finish_unfinished(vault)
    edits = [Edit(one.path, one.base, one.before, one.after) for one in cuts]
    number = sum(len(one.pieces) for one in cuts)
    names = some_of([one.path.name for one in cuts], _NAMED)
    summary = f"take {counted(number, 'retired memory')} out of {names}"
    # The files are put back where the change of the vault fails: they are entered last, and left after it.
    with ExitStack() as stack, vault.write(actor=actor, action="withdraw", summary=summary) as writer:
        stack.enter_context(written(vault, writer, edits))
        for one in cuts:
            for record in _records(one):
                writer.note(CUT, f"{one.path}@{record['memory_ids'][0]}", record, None)


def _records(one: Cut) -> Iterator[Record]:
    """Yield the pieces, the last one first, each with what stands around it once those after it are gone."""
    data = one.before
    for piece in reversed(one.pieces):
        text = data[piece.start : piece.end]
        data = data[: piece.start] + data[piece.end :]
        yield {
            "path": str(one.path),
            "memory_ids": [piece.memory.id],
            "text": text.decode(),
            "above": data[max(0, piece.start - _CONTEXT) : piece.start].decode("utf-8", "ignore"),
            "below": data[piece.start : piece.start + _CONTEXT].decode("utf-8", "ignore"),
        }
