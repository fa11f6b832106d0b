"""The packs that were used, as a person looks back on them: what was said of each, and what became of its memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.curate.feedback import VERDICTS, feedback_on, packs_awaiting_feedback
from memtui.domain.memory import Memory, Signal
from memtui.vault.usage import PackMember, StoredPack, read_packs, signals_of_packs
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from datetime import datetime

MOST_PACKS = 500
"""Packs that are looked back on: ten a working day for ten weeks."""


@dataclass(frozen=True, slots=True)
class UsedPack:
    """A pack that was used.

    Attributes:
        said: a verdict with the number of memories that it was said of.
        awaits: whether it was copied so long ago that feedback is awaited.
    """

    pack: StoredPack
    said: Mapping[str, int]
    awaits: bool


@dataclass(frozen=True, slots=True)
class UsedMember:
    """A memory of a pack, then and now.

    Attributes:
        memory: as it is now; None where it is gone.
        said: the verdicts on it in this pack, the oldest first, each with its reason.
    """

    member: PackMember
    memory: Memory | None
    said: tuple[tuple[str, str], ...]

    @property
    def has_changed(self) -> bool:
        """Whether it was changed since the pack was made."""
        return self.memory is not None and self.memory.version != self.member.version


@dataclass(frozen=True, slots=True)
class Verdict:
    """Something that was said of a pack at one time.

    Attributes:
        memories: how many of its memories it was said of.
    """

    verdict: str
    at: datetime
    actor: str
    reason: str
    memories: int


def used_packs(vault: Vault, *, limit: int = MOST_PACKS) -> list[UsedPack]:
    """Return the packs that were used, those that await feedback first, then the newest first."""
    with vault.read() as reader:
        packs = read_packs(reader, limit=limit)
    awaiting = packs_awaiting_feedback(vault)
    ids = {pack.id for pack in awaiting}
    rest = [pack for pack in packs if pack.id not in ids]
    said = feedback_on(vault, rest)
    return [
        *(UsedPack(pack, {}, awaits=True) for pack in awaiting),
        *(UsedPack(p, said[p.id], awaits=False) for p in rest),
    ]


def used_members(vault: Vault, pack: StoredPack) -> list[UsedMember]:
    """Return the memories of a pack in the order of its payload, as they are now."""
    with vault.read() as reader:
        memories = reader.get_many([member.memory_id for member in pack.members])
        signals = signals_of_packs(reader, [pack.id])
    said: dict[str, list[tuple[str, str]]] = {}
    for signal in signals:
        if signal.signal in VERDICTS:
            said.setdefault(signal.memory_id, []).append((signal.signal, signal.reason))
    return [
        UsedMember(member, memories.get(member.memory_id), tuple(said.get(member.memory_id, ())))
        for member in pack.members
    ]


def verdicts_on(vault: Vault, pack: StoredPack) -> list[Verdict]:
    """Return what was said of a pack, the oldest first; what was said of several memories at once is one verdict."""
    with vault.read() as reader:
        signals = signals_of_packs(reader, [pack.id])
    groups: dict[tuple[str, datetime, str, str], list[Signal]] = {}
    for signal in signals:
        if signal.signal in VERDICTS:
            groups.setdefault((signal.signal, signal.at, signal.actor, signal.reason), []).append(signal)
    return [_verdict(found) for found in groups.values()]


def _verdict(signals: Sequence[Signal]) -> Verdict:
    first = signals[0]
    return Verdict(first.signal, first.at, first.actor, first.reason, len({one.memory_id for one in signals}))
