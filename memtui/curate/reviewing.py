"""The review queue: memories that a person should look at again, the riskiest first, with the reason in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.freshness import REVIEW_THRESHOLD, freshness, last_trusted_at
from memtui.domain.memory import Link, Memory, Signal
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault

HURTS_TO_DUE = 2
"""A memory that hurt this often is due whatever its age."""


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that is due.

    Attributes:
        risk: larger is more urgent: lost trust, multiplied by use, changed anchors, contradictions and hurt.
        reasons: why it is due, in words.
    """

    memory: Memory
    freshness: float
    risk: float
    reasons: tuple[str, ...]


def review_queue(
    vault: Vault,
    scope: Scope,
    *,
    kinds: tuple[str, ...] = (),
    threshold: float = REVIEW_THRESHOLD,
    limit: int | None = None,
) -> list[Due]:
    """Return what is due now, by risk. Reading or using a memory never clears it; only a verdict does."""
    now = vault.now()
    wanted = MemoryFilter(scope=scope, kinds=kinds)
    stale = MemoryFilter(scope=scope, kinds=kinds, stale_at=now, threshold=threshold)
    with vault.read() as reader:
        memories = {memory.id: memory for memory in reader.select(stale, sort="due", now=now)}
        signals: dict[str, list[Signal]] = {}
        for signal in reader.signals():
            signals.setdefault(signal.memory_id, []).append(signal)
        hurting = [key for key, found in signals.items() if _hurts(found, None) >= HURTS_TO_DUE and key not in memories]
        in_scope = MemoryFilter(scope=wanted.scope, kinds=kinds, ids=tuple(hurting))
        for memory in reader.select(in_scope, sort="due", now=now) if hurting else []:
            if _hurts(signals[memory.id], memory.verified_at) >= HURTS_TO_DUE and not _snoozed(memory, now):
                memories[memory.id] = memory
        disputed = _disputed(reader, memories)
        states = reader.anchor_states(memories)
    queue = []
    for memory in memories.values():
        changed = [
            path
            for path in (a.path for a in memory.anchors)
            if states.get((memory.id, path)) in {"changed", "gone", "moved"}
        ]
        trust = freshness(memory, now, vault.kinds)
        queue.append(_due(memory, trust, now, signals.get(memory.id, []), changed, disputed.get(memory.id, 0)))
    queue.sort(key=lambda due: (-round(due.risk, 9), due.memory.created_at, due.memory.id))
    return queue[:limit]


def _disputed(reader: VaultReader, identifiers: Iterable[str]) -> Counter[str]:
    """Return how many memories in use contradict each."""
    links = [link for link in reader.links(identifiers) if link.type == "contradicts"]
    others = reader.get_many({end for link in links for end in (link.from_id, link.to_id)})
    pairs = {(end, other) for link in links for end, other in (_ends(link), _ends(link)[::-1])}
    return Counter(end for end, other in pairs if other in others and others[other].status == "active")


def _ends(link: Link) -> tuple[str, str]:
    return (link.from_id, link.to_id)


def _snoozed(memory: Memory, now: datetime) -> bool:
    return memory.snoozed_until is not None and memory.snoozed_until > now


def _hurts(signals: list[Signal], since: datetime | None) -> int:
    return sum(1 for signal in signals if signal.signal == "hurt" and (since is None or signal.at > since))


def _due(memory: Memory, trust: float, now: datetime, signals: list[Signal], changed: list[str], disputes: int) -> Due:
    days = (now - last_trusted_at(memory)).days
    uses = sum(1 for signal in signals if signal.signal in {"copied", "injected", "referenced", "helped"})
    hurts = _hurts(signals, memory.verified_at)
    reasons = [f"not verified for {days} days" if memory.verified_at else f"never verified, {days} days old"]
    if uses:
        reasons.append(f"used {uses} times" if uses > 1 else "used once")
    if hurts:
        reasons.append(f"hurt {hurts} times" if hurts > 1 else "hurt once")
    reasons.extend(f"{path} changed since" for path in changed)
    if disputes:
        reasons.append(f"contradicted by {disputes} other{'s' if disputes > 1 else ''}")
    if memory.due_at is not None and memory.due_at <= now:
        reasons.append(f"due since {memory.due_at.date().isoformat()}")
    risk = (1.0 - trust) * (1.0 + 0.2 * uses) * (1.0 + len(changed)) * (1.0 + disputes) * (1.0 + hurts)
    return Due(memory, trust, risk, tuple(reasons))
