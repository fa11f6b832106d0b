"""Feedback on a memory or a pack: signals that change usefulness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.clock import days_after
from memtui.curate.review_queue import HURTS_TO_DUE
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory, Signal
from memtui.domain.usefulness import usefulness
from memtui.errors import AmbiguousIdError, NotFoundError, UsageError
from memtui.text.sanitize import one_line
from memtui.vault.packs import StoredPack, packs_by_prefix, read_packs, signals_of_packs
from memtui.vault.reader import VaultReader
from memtui.vault.secret_scan import refuse_secrets_in
from memtui.vault.vault import Vault

VERDICTS = ("helped", "hurt", "corrected", "unused")


AWAITING_DAYS = 7.0
"""So long after it was copied a pack without feedback is asked about."""

ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Effect:
    """How a signal moved one memory's usefulness (0.5–1.5).

    Attributes:
        is_due: whether it hurt so often since it was last verified that it is due for review.
    """

    memory_id: str
    title: str
    before: float
    after: float
    is_due: bool = False


def give_feedback(
    vault: Vault,
    prefix: str,
    verdict: str,
    *,
    actor: Actor,
    reason: str = "",
    only: Sequence[str] = (),
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Effect]:
    """Say of a pack, or of one memory, that it helped, hurt, was corrected or was not used.

    Args:
        prefix: id of a pack or a memory, or the beginning of one.
        reason: why, in the person's words.
        only: of a pack, the memories that the feedback is about, by their ids or beginnings of them.
        allow_secret: store the reason even if it looks like a secret.
        secret_patterns: the user's own patterns.

    Raises:
        SecretRefusedError: the reason holds what looks like a secret.
        UsageError: the verdict is none of these, or `only` names what is not in the pack.
        NotFoundError: neither a pack nor a memory has this id.
        AmbiguousIdError: several have ids that start so.
    """
    if verdict not in VERDICTS:
        raise UsageError("Unknown feedback", where=verdict, remedy=f"Say one of {', '.join(VERDICTS)}.")
    reason = one_line(reason)
    if not allow_secret:
        refuse_secrets_in(reason, secret_patterns, what="reason")
    with vault.write(actor=actor.name, action="feedback", reason=reason) as writer:
        pack = _pack_meant(writer, prefix.strip())
        identifiers = _members(writer, pack, only) if pack else [writer.resolve(prefix)]
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
        return [_effect(memory, old, fresh, writer.now, writer.kinds.hurt_weight) for memory in memories.values()]


def _effect(
    memory: Memory, old: Sequence[Signal], fresh: Sequence[Signal], now: datetime, hurt_weight: float
) -> Effect:
    before = [signal for signal in old if signal.memory_id == memory.id]
    after = [*before, *(signal for signal in fresh if signal.memory_id == memory.id)]
    since = memory.verified_at
    hurts = [signal for signal in after if signal.signal == "hurt" and (since is None or signal.at > since)]
    is_due = len(hurts) >= HURTS_TO_DUE
    was, is_now = (usefulness(signals, now, hurt_weight) for signals in (before, after))
    return Effect(memory.id, memory.title, was, is_now, is_due)


def _members(reader: VaultReader, pack: StoredPack, only: Sequence[str]) -> list[str]:
    members = [member.memory_id for member in pack.members]
    if not only:
        return members
    chosen = [reader.resolve(prefix) for prefix in only]
    for identifier in chosen:
        if identifier not in members:
            remedy = f"See `memtui pack show {pack.id}`."
            raise UsageError("This memory is not in the pack", where=identifier, remedy=remedy)
    return chosen


def feedback_on(vault: Vault, packs: Sequence[StoredPack]) -> dict[str, dict[str, int]]:
    """Return, per pack, what was said of it: a verdict with the number of memories that it was said of."""
    with vault.read() as reader:
        signals = signals_of_packs(reader, [pack.id for pack in packs])
    said: dict[str, dict[str, set[str]]] = {pack.id: {} for pack in packs}
    for signal in signals:
        if signal.signal in VERDICTS and signal.pack_id is not None:
            said[signal.pack_id].setdefault(signal.signal, set()).add(signal.memory_id)
    return {
        identifier: {verdict: len(found[verdict]) for verdict in VERDICTS if verdict in found}
        for identifier, found in said.items()
    }


def packs_awaiting_feedback(
    vault: Vault, *, after_days: float = AWAITING_DAYS, project: str | None = None
) -> list[StoredPack]:
    """Return the packs that a person copied at least so many days ago and nobody said anything of, the newest first.

    A pack is asked about once: `mark_asked` takes it off the list.

    Args:
        after_days: days that it was copied ago.
        project: only packs of this project; None for all.
    """
    latest = days_after(vault.now(), -after_days)
    with vault.read() as reader:
        packs = [
            pack
            for pack in read_packs(reader, limit=None)
            if pack.made_at <= latest and pack.members and project in {None, pack.project}
        ]
        signals = signals_of_packs(reader, [pack.id for pack in packs])
    copied = {signal.pack_id for signal in signals if signal.signal == "copied"}
    answered = {signal.pack_id for signal in signals if signal.signal in {*VERDICTS, ASKED}}
    return [pack for pack in packs if pack.id in copied - answered]


def mark_asked(vault: Vault, pack: StoredPack, *, actor: Actor, undoable: bool = False) -> None:
    """Remember that a person was asked about a pack, so that nobody asks again.

    Args:
        undoable: whether a person chose to say nothing, which undo takes back; else it was only asked.
    """
    with vault.write(actor=actor.name, action=ASKED, summary=f"asked about pack {pack.id}") as writer:
        writer.undoable = undoable
        there = writer.get_many([member.memory_id for member in pack.members])
        writer.add_signals(
            Signal(memory_id=identifier, signal=ASKED, at=writer.now, actor=actor.name, pack_id=pack.id)
            for identifier in list(there)[:1]
        )


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
