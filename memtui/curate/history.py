"""Undo, redo, the log, the history of a memory, and the field-by-field effect of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any, Literal

from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.identity import Actor, check_may_alter
from memtui.domain.memory import Change, Memory
from memtui.domain.record import TIME_FIELDS, Record, memory_from_record
from memtui.errors import NotFoundError, RefusedError
from memtui.publish.edits import Edit, edits_of_undo, finish_unfinished, without_block, written
from memtui.text.diff import DiffLine, diff_texts
from memtui.vault import journal
from memtui.vault import undo as reverting
from memtui.vault.journal import ChangeRow, MemoryStep
from memtui.vault.publications import files_written
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

MOST_MEMORIES = 40  # Memories of one change that are compared; the rest are counted

Fate = Literal["made", "taken out", "changed"]

_HIDDEN = frozenset({"id", "created_at"})  # Keys that no diff shows

_MADE = ("kind", "project", "status", "insight", "rationale", "snippet", "anchors", "tags", "rules")
"""Keys shown for a new memory: the others hold what every new memory has."""


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """A field that differs, line by line."""

    name: str
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """What a change did to one memory."""

    id: str
    title: str  # after the change; before it where the memory was removed
    version: int
    fate: Fate
    fields: tuple[FieldDiff, ...]


@dataclass(frozen=True, slots=True)
class ChangeDiff:
    """What a change did."""

    row: ChangeRow  # the change, with the number of its memories
    memories: tuple[MemoryDiff, ...]  # at most `MOST_MEMORIES`, in order
    # numbers of links, verdicts, signals and tombstones that were added and removed, by name
    kin: Mapping[str, tuple[int, int]]
    files: tuple[str, ...] = ()  # outside the vault, which undoing it writes again
    reversal: Change | None = None  # what took it back, or made it again, last


def change_numbers(vault: Vault, *, query: str = "", memory_id: str | None = None) -> list[int]:
    """Return the numbers of the changes that match every word of a query, the newest first.

    Without a query, what took another change back or made it again is left out: that other one says so.
    """
    words = query.split()
    with vault.read() as reader:
        return journal.change_numbers(reader, words=words, memory_id=memory_id, with_reversals=bool(words))


def change_rows(vault: Vault, numbers: Sequence[int]) -> dict[int, ChangeRow]:
    """Return changes by their numbers, missing ones left out."""
    with vault.read() as reader:
        return journal.change_rows(reader, numbers)


def change_diff(vault: Vault, number: int, *, first: str | None = None, most: int = MOST_MEMORIES) -> ChangeDiff:
    """Return what a change did to memories, field by field.

    `vault`: read under one lease; nothing is compared under it. `first`: a memory that comes before the others.

    Raises `NotFoundError`: there is no such change.
    """
    with vault.read() as reader:
        row = journal.change_rows(reader, [number]).get(number)
        steps = journal.memory_steps(reader, number, first=first, most=most)
        kin = journal.kin_counts(reader, number)
        files = files_written(reader, number)
        reversal = journal.last_reversal(reader, number)
    if row is None:
        raise NotFoundError(
            "No such change in the journal", where=str(number), remedy="`memtui log` lists the changes."
        )
    return ChangeDiff(row, tuple(_diff(step) for step in steps), kin, files, reversal)


def _diff(step: MemoryStep) -> MemoryDiff:
    before, after = step.before or {}, step.after or {}
    fate: Fate = "changed" if before and after else "made" if after else "taken out"
    title = str((after or before).get("title", ""))
    names = _MADE if fate != "changed" else tuple(dict.fromkeys([*after, *before]))
    fields = (FieldDiff(name, tuple(_compared(name, before, after))) for name in names if name not in _HIDDEN)
    return MemoryDiff(step.id, title, step.version, fate, tuple(field for field in fields if field.lines))


def _compared(name: str, before: Record, after: Record) -> list[DiffLine]:
    values = before.get(name), after.get(name)
    old, new = (value_text(name, value) for value in values)
    # Two moments within one second.
    return diff_texts(*(map(_text, values) if old == new else (old, new)))


def value_text(name: str, value: Any) -> str:
    """Return the value of a field of a record as lines for people."""
    return _moment(value) if name in TIME_FIELDS and value is not None else _text(value)


def _moment(value: Any) -> str:
    """Return a moment of a record for people, in UTC; of a whole day the day."""
    try:
        moment = datetime.fromisoformat(str(value)).astimezone(UTC)
    except (ValueError, OverflowError):
        return _text(value)
    if moment == UNTIL_CHANGE:
        return "until a file changes"
    return f"{moment:%Y-%m-%d}" if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value)
    if isinstance(value, dict):
        place = str(value.get("path") or value.get("format") or "")
        span = value.get("span")
        return f"{place}:{span[0]}" if isinstance(span, list) and span else place
    return str(value)


REVERTED = (
    *("title", "insight", "rationale", "snippet", "kind", "tags", "anchors", "rules"),
    *("importance", "confidence", "half_life_days", "valid_from", "valid_until"),
)
"""Fields that going back to a version brings back."""


def undo(vault: Vault, *, actor: Actor, number: int | None = None, anybody: bool = False) -> Change:
    """Undo the last change of this actor and return it; what others wrote since stays.

    `number`: undo this change instead, whoever made it. `anybody`: undo the last change of anybody.

    Raises:
        NothingToUndoError: no such change is left.
        NotFoundError: there is no change with this number.
        RefusedError: an agent would undo what another did, or the change cannot be undone.
        ConflictError: others changed the same words since; nothing was written.
    """
    if not vault.exists:
        raise reverting.nothing_to_undo()  # opening the vault for writing would create it
    finish_unfinished(vault)
    # The files are put back where the change of the vault fails: they are entered last, and left after it.
    action = "undo" if number is None else journal.UNDO_ONE
    with ExitStack() as files, vault.write(actor=actor.name, action=action) as writer:
        change = reverting.change_to_undo(writer, actor=None if anybody else actor.name, number=number)
        _check_own(change, actor)
        steps = reverting.steps_back(writer, change)
        reverting.undo(writer, number=change.number)
        _check_vouched(writer, actor)
        gone = without_block(steps)
        files.enter_context(written(vault, writer, edits_of_undo(steps)))
        return replace(change, gone=gone)


@dataclass(frozen=True, slots=True)
class NextUndo:
    """What the next undo of a person comes to."""

    change: Change
    is_made_again: bool = False  # whether it makes the change again, which they undid by its number just before
    files: tuple[str, ...] = ()  # outside the vault, which it writes


def next_undo(reader: VaultReader, actor: Actor, number: int | None = None) -> NextUndo | None:
    """Return what taking back the last act of an actor means, None where nothing is left.

    That is to undo their last change; but where they have just undone one by its number, to make that one again.

    `number`: what undoing this change means instead.
    """
    if number is not None:
        change = journal.change_at(reader, number)
        return None if change is None else NextUndo(change, files=files_written(reader, number))
    picked = journal.last_picked(reader, actor.name)
    if picked is not None:
        return NextUndo(picked, is_made_again=True, files=files_written(reader, picked.number))
    last = journal.last_undoable(reader, actor=actor.name)
    return None if last is None else NextUndo(last, files=files_written(reader, last.number))


def next_redo(reader: VaultReader, actor: Actor) -> NextUndo | None:
    """Return the change that a redo of an actor makes again, None where none is left."""
    change = journal.last_redoable(reader, actor=actor.name)
    if change is None:
        return None
    return NextUndo(change, is_made_again=True, files=files_written(reader, change.number))


def edits_of(reader: VaultReader, upcoming: NextUndo) -> list[Edit]:
    """Return what files outside the vault become by the next undo or redo.

    Raises `ConflictError` and `RefusedError`: a file is not as the change left it; the undo or redo would fail alike.
    """
    change, is_again = upcoming.change, upcoming.is_made_again
    steps = journal.steps_of(reader, change.number) if is_again else reverting.steps_back(reader, change)
    return [edit for edit in edits_of_undo(steps) if edit.before != edit.after]


def take_back(vault: Vault, *, actor: Actor) -> NextUndo:
    """Take back the last act of an actor, as `next_undo` says; raises as `undo` and `redo`."""
    if not vault.exists:
        raise reverting.nothing_to_undo()
    with vault.read() as reader:
        upcoming = next_undo(reader, actor)
    if upcoming is not None and upcoming.is_made_again:
        return NextUndo(redo(vault, actor=actor), is_made_again=True)
    return NextUndo(undo(vault, actor=actor))


def redo(vault: Vault, *, actor: Actor, anybody: bool = False) -> Change:
    """Redo the change of this actor that was undone last and return it; what others wrote since stays.

    `anybody`: redo the last undone change of anybody.

    Raises:
        NothingToUndoError: nothing was undone.
        RefusedError: an agent would redo what another did.
        ConflictError: others changed the same words since; nothing was written.
    """
    if not vault.exists:
        raise reverting.nothing_to_redo()
    finish_unfinished(vault)
    with ExitStack() as files, vault.write(actor=actor.name, action="redo") as writer:
        change = reverting.redo(writer, actor=None if anybody else actor.name)
        _check_own(change, actor)
        _check_vouched(writer, actor)
        files.enter_context(written(vault, writer, edits_of_undo(journal.steps_of(writer, change.number))))
        return change


def _check_own(change: Change, actor: Actor) -> None:
    """Let an agent undo and redo only its own changes."""
    if not actor.is_person and change.actor != actor.name:
        raise RefusedError(
            "An agent may undo and redo only what it did itself",
            where=f"change {change.number} by {change.actor} ({change.summary[:60]})",
            remedy="Leave it to a person.",
        )


def _check_vouched(writer: VaultWriter, actor: Actor) -> None:
    """Let an agent's undo or redo alter nothing that a person has vouched for since; raising rolls it back."""
    for revision in writer.revisions:
        if revision.entity == "memory" and revision.before is not None:
            check_may_alter(actor, memory_from_record(revision.before, now=writer.now, new_id=revision.entity_key))


def log(vault: Vault, *, limit: int = 50) -> list[Change]:
    """Return the newest changes."""
    with vault.read() as reader:
        return journal.log(reader, limit=limit)


def history(vault: Vault, prefix: str) -> list[journal.MemoryRevision]:
    """Return every revision of one memory, the newest first, also of one that is gone."""
    with vault.read() as reader:
        try:
            identifier = reader.resolve(prefix)
        except NotFoundError:
            identifier = prefix
        return journal.history(reader, identifier)


def go_back(vault: Vault, prefix: str, version: int, *, actor: Actor) -> Memory:
    """Bring the fields of one memory back to an earlier version, as a new change.

    What its sources said last stays known, so that the next import sees an edit by a person and asks.

    Raises:
        NotFoundError: the journal holds no such version.
        RefusedError: an agent would alter what a person vouched for.
    """
    with vault.write(actor=actor.name, action="go-back") as writer:
        current = writer.get(writer.resolve(prefix))
        check_may_alter(actor, current)
        earlier = _version(writer, current, version)
        if earlier is None:
            raise NotFoundError(
                "This memory has no such version",
                where=f"{current.id} version {version}",
                remedy=f"`memtui show {current.id} --history`",
            )
        # That it was accepted, verified or retired since then stays.
        memory = replace(current, **{name: getattr(earlier, name) for name in REVERTED})
        writer.summary = f"bring back version {version} of {memory.title}"
        return writer.put(memory)


def is_at_version(vault: Vault, identifier: str, version: int) -> bool:
    """Return whether a memory says what it said at a version, so that going back would change nothing."""
    with vault.read() as reader:
        current = reader.get_many([identifier]).get(identifier)
        earlier = None if current is None else _version(reader, current, version)
    return earlier is not None and all(getattr(current, name) == getattr(earlier, name) for name in REVERTED)


def _version(reader: VaultReader, current: Memory, version: int) -> Memory | None:
    steps = (step.after for step in journal.history(reader, current.id) if step.version == version)
    record = next((after for after in steps if after is not None), None)
    return None if record is None else memory_from_record(record, now=current.updated_at, new_id=current.id)
