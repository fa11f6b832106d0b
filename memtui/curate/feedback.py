"""What a memory or a pack was worth: signals that move usefulness."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.domain.actor import Actor
from memtui.domain.memory import Signal
from memtui.domain.usefulness import usefulness
from memtui.errors import AmbiguousIdError, NotFoundError, UsageError
from memtui.text.sanitising import one_line
from memtui.vault.reading import VaultReader
from memtui.vault.usage import StoredPack, packs_by_prefix
from memtui.vault.vault import Vault

VERDICTS = ("helped", "hurt", "corrected", "unused")


@dataclass(frozen=True, slots=True)
class Effect:
    """How a signal moved one memory's usefulness (0.5–1.5)."""

    memory_id: str
    title: str
    before: float
    after: float


def give_feedback(vault: Vault, prefix: str, verdict: str, *, actor: Actor, reason: str = "") -> list[Effect]:
    """Say of a pack, or of one memory, that it helped, hurt, was corrected or was not used.

    Raises:
        UsageError: the verdict is none of these.
        NotFoundError: neither a pack nor a memory has this id.
        AmbiguousIdError: several have ids that start so.
    """
    if verdict not in VERDICTS:
        raise UsageError("Unknown feedback", where=verdict, remedy=f"Say one of {', '.join(VERDICTS)}.")
    reason = one_line(reason)
    with vault.write(actor=actor.name, action="feedback", reason=reason) as writer:
        pack = _pack_meant(writer, prefix.strip())
        identifiers = [member.memory_id for member in pack.members] if pack else [writer.resolve(prefix)]
        memories = writer.get_many(identifiers)
        if not memories:
            raise NotFoundError("The pack holds no memory any more", where=prefix)
        old = writer.signals(memories)
        fresh = [
            Signal(
                memory_id=identifier,
                signal=verdict,
                at=writer.now,
                actor=actor.name,
                pack_id=pack.id if pack else None,
                reason=reason,
            )
            for identifier in memories
        ]
        writer.add_signals(fresh)
        subject = f"pack {pack.id}" if pack else next(iter(memories.values())).title
        writer.summary = f"feedback {verdict}: {subject}"
        return [
            Effect(
                identifier,
                memory.title,
                usefulness([signal for signal in old if signal.memory_id == identifier], writer.now),
                usefulness([signal for signal in (*old, *fresh) if signal.memory_id == identifier], writer.now),
            )
            for identifier, memory in memories.items()
        ]


def _pack_meant(reader: VaultReader, prefix: str) -> StoredPack | None:
    """Return the pack with this id or prefix; None if a memory is meant."""
    packs = packs_by_prefix(reader, prefix, limit=2) if prefix else []
    if not packs or packs[0].id == prefix:
        return packs[0] if packs else None
    try:
        memory = reader.resolve(prefix)
    except NotFoundError:
        memory = ""
    if memory == prefix:
        return None
    if memory or len(packs) > 1:
        found = [*(f"pack {pack.id}" for pack in packs), *([f"memory {memory}"] if memory else [])]
        raise AmbiguousIdError("Several ids start so", where=prefix, remedy=f"They are {', '.join(found)}.")
    return packs[0]
