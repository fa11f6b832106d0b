"""Undo, redo, the log, the history of a memory, and going back to an earlier revision."""

from __future__ import annotations

from dataclasses import replace

from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.memory import Change, Memory
from memtui.domain.record import memory_from_record
from memtui.errors import NotFoundError, RefusedError
from memtui.vault import journal
from memtui.vault.vault import Vault

SAID = (
    "title",
    "insight",
    "rationale",
    "snippet",
    "kind",
    "tags",
    "anchors",
    "importance",
    "confidence",
    "half_life_days",
    "valid_from",
    "valid_until",
)
"""Fields that an earlier version brings back."""


def undo(vault: Vault, *, actor: Actor) -> Change:
    """Undo the last change; returns it.

    Raises:
        NothingToUndoError: no change is left.
        RefusedError: an agent would undo what another did.
    """
    if not vault.exists:
        raise journal.nothing_to_undo()  # a look for something to undo makes no vault
    with vault.write(actor=actor.name, action="undo") as writer:
        return _own(journal.undo(writer), actor)


def redo(vault: Vault, *, actor: Actor) -> Change:
    """Do the last undone change again; returns it.

    Raises:
        NothingToUndoError: nothing was undone.
        RefusedError: an agent would redo what another did.
    """
    if not vault.exists:
        raise journal.nothing_to_redo()
    with vault.write(actor=actor.name, action="redo") as writer:
        return _own(journal.redo(writer), actor)


def _own(change: Change, actor: Actor) -> Change:
    """Let an agent take back its own changes alone; raising rolls the undo back."""
    if not actor.is_person and change.actor != actor.name:
        raise RefusedError(
            "An agent may undo and redo only what it did itself",
            where=f"change {change.number} by {change.actor} ({change.summary[:60]})",
            remedy="Leave it to a person.",
        )
    return change


def log(vault: Vault, *, limit: int = 50) -> list[Change]:
    """Return the newest changes."""
    with vault.read() as reader:
        return journal.log(reader, limit=limit)


def history(vault: Vault, prefix: str) -> list[journal.MemoryRevision]:
    """Return every step of one memory, the newest first."""
    with vault.read() as reader:
        try:
            identifier = reader.resolve(prefix)
        except NotFoundError:
            identifier = prefix
        return journal.history(reader, identifier)


def go_back(vault: Vault, prefix: str, version: int, *, actor: Actor) -> Memory:
    """Bring one memory back to the revision of that version, as a new change.

    What its sources said last stays known, so that the next import sees an edit of a person and asks.

    Raises:
        NotFoundError: the journal holds no such version.
        RefusedError: an agent would alter what a person vouched for.
    """
    with vault.write(actor=actor.name, action="go-back") as writer:
        identifier = writer.resolve(prefix)
        current = writer.get(identifier)
        check_may_alter(actor, current)
        for step in journal.history(writer, identifier):
            if step.version == version and step.after is not None:
                memory = memory_from_record(step.after, now=writer.now, new_id=identifier)
                # What the memory says comes back; that it was accepted, verified or retired since, stays.
                memory = replace(current, **{name: getattr(memory, name) for name in SAID})
                writer.summary = f"bring back version {version} of {memory.title}"
                return writer.put(memory)
        raise NotFoundError(
            "This memory has no such version",
            where=f"{identifier} version {version}",
            remedy=f"`memtui show {identifier} --history`",
        )


def says_already(vault: Vault, identifier: str, version: int) -> bool:
    """Return whether a memory says now what it said at a version, so that going back would change nothing."""
    with vault.read() as reader:
        current = reader.get_many([identifier]).get(identifier)
        steps = [step for step in journal.history(reader, identifier) if step.version == version and step.after]
        if current is None or not steps or steps[0].after is None:
            return False
        said = memory_from_record(steps[0].after, now=current.updated_at, new_id=identifier)
    return all(getattr(current, name) == getattr(said, name) for name in SAID)
