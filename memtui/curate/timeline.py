"""Undo, redo, the log, the history of a memory, and going back to an earlier revision."""

from __future__ import annotations

from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.memory import Change, Memory
from memtui.domain.record import memory_from_record
from memtui.errors import NotFoundError
from memtui.vault import journal
from memtui.vault.vault import Vault


def undo(vault: Vault, *, actor: Actor) -> Change:
    """Undo the last change; returns it."""
    with vault.write(actor=actor.name, action="undo") as writer:
        return journal.undo(writer)


def redo(vault: Vault, *, actor: Actor) -> Change:
    """Do the last undone change again; returns it."""
    with vault.write(actor=actor.name, action="redo") as writer:
        return journal.redo(writer)


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

    Raises:
        NotFoundError: the journal holds no such version.
    """
    with vault.write(actor=actor.name, action="go-back") as writer:
        identifier = writer.resolve(prefix)
        check_may_alter(actor, writer.get(identifier))
        for step in journal.history(writer, identifier):
            if step.version == version and step.after is not None:
                memory = memory_from_record(step.after, now=writer.now, new_id=identifier)
                writer.summary = f"bring back version {version} of {memory.title}"
                return writer.put(memory)
        raise NotFoundError(
            "This memory has no such version",
            where=f"{identifier} version {version}",
            remedy=f"`memtui show {identifier} --history`",
        )
