"""The review queue: memories that a person should look at again, the riskiest first, with the reason in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memtui.curate.anchoring import check_anchors
from memtui.domain.freshness import REVIEW_THRESHOLD, freshness, last_trusted_at
from memtui.domain.memory import AnchorState, Link, Memory, Signal
from memtui.domain.risk import review_risk
from memtui.vault.anchor_checks import unanswered_states
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault
from memtui.workspace import Tree

HURTS_TO_DUE = 2
"""A memory that hurt this often is due whatever its age."""


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that is due.

    Attributes:
        risk: larger is more urgent, see `memtui.domain.risk.review_risk`.
        reasons: why it is due, in words.
    """

    memory: Memory
    freshness: float
    risk: float
    reasons: tuple[str, ...]

    @property
    def why(self) -> str:
        """The reasons on one line."""
        return ", ".join(self.reasons)


def review_queue(
    vault: Vault,
    scope: Scope,
    *,
    kinds: tuple[str, ...] = (),
    threshold: float = REVIEW_THRESHOLD,
    limit: int | None = None,
    tree: Tree | None = None,
    contradicted: Mapping[str, int] | None = None,
) -> list[Due]:
    """Return what is due now, by risk. Reading or using a memory never clears it; only a verdict does.

    A memory is due when its freshness fell below the threshold or its day came, when a file that it is tied to
    changed, moved or went since it was verified, when a memory in use contradicts it, or when it hurt twice.

    Args:
        vault: the vault.
        scope: the projects in view.
        kinds: only these kinds; all by default.
        threshold: freshness below which a memory is due.
        limit: most memories.
        tree: a working tree whose files are looked at now; of other projects the last check counts.
        contradicted: how many conflicts were proposed for each memory, besides those that are linked.
    """
    now = vault.now()
    active = MemoryFilter(scope=scope, kinds=kinds)
    stale = MemoryFilter(scope=scope, kinds=kinds, stale_at=now, threshold=threshold)
    looked = _looked_at(vault, active, tree) if tree else {}
    with vault.read() as reader:
        memories = {memory.id: memory for memory in reader.select(stale, sort="due", now=now)}
        signals: dict[str, list[Signal]] = {}
        for signal in reader.signals():
            signals.setdefault(signal.memory_id, []).append(signal)
        hurting = {key for key, found in signals.items() if _hurts(found, None) >= HURTS_TO_DUE}
        states = {key: found for key, found in (unanswered_states(reader, active) | looked).items() if found}
        disputes = _disputed(reader)
        disputes.update(contradicted or {})
        others = {*hurting, *states, *disputes} - set(memories)
        besides = MemoryFilter(scope=scope, kinds=kinds, ids=tuple(sorted(others)))
        for memory in reader.select(besides, sort="due", now=now) if others else []:
            hurts = _hurts(signals.get(memory.id, []), memory.verified_at) >= HURTS_TO_DUE
            if (hurts or memory.id in states or disputes[memory.id]) and not _snoozed(memory, now):
                memories[memory.id] = memory
    queue = [
        _due(
            memory,
            freshness(memory, now, vault.kinds),
            now,
            signals.get(memory.id, []),
            states.get(memory.id, {}),
            disputes[memory.id],
        )
        for memory in memories.values()
    ]
    queue.sort(key=lambda due: (-round(due.risk, 9), due.memory.created_at, due.memory.id))
    return queue[:limit]


def _looked_at(vault: Vault, active: MemoryFilter, tree: Tree) -> dict[str, dict[str, AnchorState]]:
    """Return what a look at the tree says of its project's memories, also where nothing is wrong; holds no lease."""
    with vault.read() as reader:
        memories = reader.select(active, sort="due", now=vault.now())
    found: dict[str, dict[str, AnchorState]] = {memory.id: {} for memory in memories if memory.project == tree.project}
    for check in check_anchors(memories, tree):
        if check.state in UNTRUE:
            found[check.id][check.path] = check.state
    return found


UNTRUE = frozenset({"changed", "moved", "gone"})
"""States of an anchor that ask for a look."""


def _disputed(reader: VaultReader) -> Counter[str]:
    """Return how many memories in use contradict each."""
    links = [link for link in reader.links() if link.type == "contradicts"]
    others = reader.get_many({end for link in links for end in (link.from_id, link.to_id)})
    pairs = {(end, other) for link in links for end, other in (_ends(link), _ends(link)[::-1])}
    return Counter(end for end, other in pairs if other in others and others[other].status == "active")


def _ends(link: Link) -> tuple[str, str]:
    return (link.from_id, link.to_id)


def _snoozed(memory: Memory, now: datetime) -> bool:
    return memory.snoozed_until is not None and memory.snoozed_until > now


def _hurts(signals: Iterable[Signal], since: datetime | None) -> int:
    return sum(1 for signal in signals if signal.signal == "hurt" and (since is None or signal.at > since))


_STATE_WORDS = {"changed": "changed since", "moved": "was moved since", "gone": "is gone"}


def _due(
    memory: Memory, trust: float, now: datetime, signals: list[Signal], states: Mapping[str, str], disputes: int
) -> Due:
    days = (now - last_trusted_at(memory)).days
    uses = sum(1 for signal in signals if signal.signal in {"copied", "injected", "referenced", "helped"})
    hurts = _hurts(signals, memory.verified_at)
    reasons = [f"not verified for {days} days" if memory.verified_at else f"never verified, {days} days old"]
    if uses:
        reasons.append(f"used {uses} times" if uses > 1 else "used once")
    if hurts:
        reasons.append(f"hurt {hurts} times" if hurts > 1 else "hurt once")
    reasons.extend(f"{path} {_STATE_WORDS.get(state, state)}" for path, state in states.items())
    if disputes:
        reasons.append(f"contradicted by {disputes} other{'s' if disputes > 1 else ''}")
    if memory.due_at is not None and memory.due_at <= now:
        reasons.append(f"due since {memory.due_at.date().isoformat()}")
    risk = review_risk(trust=trust, uses=uses, changed_anchors=len(states), contradictions=disputes, hurts=hurts)
    return Due(memory, trust, risk, tuple(reasons))
