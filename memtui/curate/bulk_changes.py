"""Apply one step to several memories as one change, and report what became of each."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from memtui.domain.causes import REJECTED, StoneCause
from memtui.domain.identity import Actor, check_may_alter
from memtui.domain.memory import Memory, Signal, Tombstone, Verdict, content_hash
from memtui.errors import ConflictError
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter


class SkipReason(StrEnum):
    """Why a memory was not changed; `Skipped.detail` holds the value in brackets."""

    CHANGED = "changed"  # It has another version than the one that was chosen
    MISSING = "missing"
    SAME = "same"  # The change would alter nothing
    HAS_STATUS = "has-status"  # It has the wanted status already [status]
    NOT_ACTIVE = "not-active"  # Only an active memory can be verified [status]
    NOT_CANDIDATE = "not-candidate"  # Only a candidate can be accepted or rejected [status]
    MERGED = "merged"
    PINNED = "pinned"
    NOT_PINNED = "not-pinned"
    SNOOZED = "snoozed"  # It is snoozed until that day already [ISO date]
    HAS_KIND = "has-kind"
    HAS_PROJECT = "has-project"
    NO_FILES = "no-files"  # It is tied to no file
    OTHER_FILES = "other-files"  # It is no longer tied to the files that moved
    UNKNOWN_FOLDER = "unknown-folder"  # The folder of its project is not known on this machine
    UNREADABLE_FILES = "unreadable-files"
    SOURCES_AGREE = "sources-agree"  # No source says anything else
    PLANTED = "planted"  # Its text may steer an assistant, so that it is accepted by itself only
    PLANTED_UNVERIFIED = "planted-unverified"  # The same, so that it is verified by itself only
    UNASSIGNED = "unassigned"  # It has no project, which is decided for each memory by itself


@dataclass(frozen=True, slots=True)
class Skipped:
    """A memory that was not changed, see `SkipReason`."""

    id: str
    reason: SkipReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of several memories; those that changed are as stored afterwards."""

    changed: tuple[Memory, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class Batch:
    """Evidence that the steps of one change add, stored together: one by one, 500 tombstones take seconds."""

    writer: VaultWriter
    actor: Actor
    tombstones: list[Tombstone] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)

    def bury(self, memory: Memory, cause: StoneCause, reason: str = "") -> None:
        """Keep an import from adding the text of a retired memory again; `reason`: in words, if any were given."""
        # The word is what versions of memtui without causes know a rejection by.
        words = reason or (REJECTED if cause == REJECTED else "")
        self.tombstones.append(
            Tombstone(
                content_hash=content_hash(memory),
                project=memory.project,
                memory_id=memory.id,
                at=self.writer.now,
                actor=self.actor.name,
                reason=words,
                cause=cause,
            )
        )

    def store(self) -> None:
        self.writer.add_tombstones(self.tombstones)
        self.writer.add_verdicts(self.verdicts)
        self.writer.add_signals(self.signals)


Step = Callable[[Batch, Memory], Memory | Skipped]  # Returns the changed memory, not yet stored, or why it is skipped


def apply_to_each(
    vault: Vault,
    prefixes: Iterable[str],
    actor: Actor,
    action: str,  # its name in the journal
    step: Step,
    *,
    reason: str = "",  # why, for the journal
    # version of each memory when it was chosen; memories that changed since are skipped
    versions: Mapping[str, int] | None = None,
    # what follows from the changed memories once all are stored
    afterwards: Callable[[VaultWriter, Sequence[Memory]], None] | None = None,
    # what is done beside it, before the steps
    first: Callable[[VaultWriter], None] | None = None,
    # for the journal, of the changed memories
    summary: Callable[[Sequence[Memory]], str] | None = None,
) -> Outcome:
    """Apply a step to memories as one change; every id is resolved before anything is written.

    Raises:
        NotFoundError, AmbiguousIdError: a prefix names no memory, or several.
        RefusedError: an agent would alter what a person vouched for.
    """
    prefixes, chosen = list(prefixes), versions or {}
    pending: list[Memory] = []
    with vault.write(actor=actor.name, action=action, reason=reason) as writer:
        batch = Batch(writer, actor)
        if first is not None:
            first(writer)
        memories = resolved(writer, prefixes, optional=chosen)
        found = {memory.id for memory in memories}
        skipped = [Skipped(each, SkipReason.MISSING) for each in prefixes if each in chosen and each not in found]
        for memory in memories:
            if chosen.get(memory.id, memory.version) != memory.version:
                skipped.append(Skipped(memory.id, SkipReason.CHANGED))
                continue
            check_may_alter(actor, memory)
            result = step(batch, memory)
            if isinstance(result, Skipped):
                skipped.append(result)
            else:
                pending.append(result)
        batch.store()
        changed = writer.put_many(pending)
        if afterwards is not None:
            afterwards(writer, changed)
            stored = writer.get_many(memory.id for memory in changed)
            changed = [stored[memory.id] for memory in changed]
        writer.summary = summary(changed) if summary else f"{action} {_title_or_count(changed)}"
    return Outcome(tuple(changed), tuple(skipped))


def resolved(reader: VaultReader, prefixes: Iterable[str], *, optional: Container[str] = ()) -> list[Memory]:
    """Return the memories that ids or their prefixes name, in order, each once.

    Whole ids, as the app has them, need no search for what begins with them: 4 ms each at 100,000 memories.

    `optional`: ids that are left out where no memory has them.

    Raises `NotFoundError` or `AmbiguousIdError`: a prefix names no memory, or several.
    """
    prefixes = list(prefixes)
    known = reader.get_many(prefixes)
    wanted = dict.fromkeys(p if p in known else reader.resolve(p) for p in prefixes if p in known or p not in optional)
    known = {**known, **reader.get_many(identifier for identifier in wanted if identifier not in known)}
    return [known[identifier] for identifier in wanted]


def _title_or_count(memories: Sequence[Memory]) -> str:
    """Return the title of a single memory, else how many there are, for the journal."""
    return memories[0].title if len(memories) == 1 else f"{len(memories)} memories"


def require_versions(memories: Iterable[Memory], versions: Mapping[str, int]) -> None:
    """Check that memories are as they were when a person read them.

    Raises `ConflictError`: one has another version; nothing was saved.
    """
    for memory in memories:
        read = versions.get(memory.id, memory.version)
        if read != memory.version:
            raise ConflictError(
                f"This memory was changed since you read it: it has version {memory.version}, you read {read}",
                where=f"{memory.id} ({memory.title[:60]})",
                remedy="Nothing was saved. Read it again, then decide.",
                base_version=read,
                current_version=memory.version,
            )


def require_texts(memories: Iterable[Memory], texts: Mapping[str, str]) -> None:
    """Check that memories say what they said when something was proposed about them.

    `texts`: content hash of each memory at that time, by id.

    Raises `ConflictError`: one says something else; nothing was saved.
    """
    for memory in memories:
        if texts.get(memory.id, content_hash(memory)) != content_hash(memory):
            raise ConflictError(
                "The text of this memory was changed since this was proposed",
                where=f"{memory.id} ({memory.title[:60]})",
                remedy="Nothing was saved. Read it again, then decide.",
            )


def require_changed(outcome: Outcome, versions: Mapping[str, int]) -> None:
    """Make a version conflict of a memory that was skipped because it changed, as a single edit does.

    Raises `ConflictError`: a memory has another version than the one that was read.
    """
    for skipped in outcome.skipped:
        if skipped.reason is SkipReason.CHANGED:
            read = versions.get(skipped.id, 0)
            raise ConflictError(
                f"This memory was changed since you read version {read}",
                where=skipped.id,
                remedy="Nothing was saved. Read it again, then decide.",
                base_version=read,
            )
