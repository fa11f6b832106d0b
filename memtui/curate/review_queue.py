"""The review queue: memories to look at again, the riskiest first, each with its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.curate.snapshot import WINDOW
from memtui.domain.freshness import REVIEW_THRESHOLD, freshness, last_trusted_at
from memtui.domain.memory import Memory, Signal
from memtui.domain.usefulness import USES, review_risk
from memtui.text.plural import counted
from memtui.vault.expressions import HURTS_TO_DUE
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.review_triggers import Asked, asked_about, riskiest
from memtui.vault.vault import Vault

__all__ = ["HURTS_TO_DUE", "Due", "review_queue"]


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that is due.

    Attributes:
        risk: larger is more urgent, see `memtui.domain.usefulness.review_risk`.
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
) -> list[Due]:
    """Return what is due now, by risk. Reading or using a memory never clears it; only a verdict does.

    What is due is said in `memtui.vault.review_triggers`, and is the same for the header, the lists and the counts.
    Of files it knows what the last check found: `memtui.curate.anchors.check_trees` checks them.

    Args:
        scope: the projects in view.
        kinds: only these kinds; all by default.
        threshold: freshness below which a memory is due.
    """
    now = vault.now()
    wanted = MemoryFilter(scope=scope, kinds=kinds, stale_at=now, threshold=threshold)
    with vault.read() as reader:
        ids = riskiest(reader, wanted, now=now, limit=limit)
    queue: list[Due] = []
    for start in range(0, len(ids), WINDOW):
        queue += _read(vault, ids[start : start + WINDOW], wanted, now)
    queue.sort(key=lambda due: (-round(due.risk, 9), due.memory.created_at, due.memory.id))
    return queue


def _read(vault: Vault, ids: Sequence[str], wanted: MemoryFilter, now: datetime) -> list[Due]:
    """Return some of what is due with its reasons; what was decided on since the ids were read is left out."""
    with vault.read() as reader:
        memories = reader.select(replace(wanted, ids=tuple(ids)), sort="created", now=now)
        asked = asked_about(reader, ids)
        signals: dict[str, list[Signal]] = {}
        for signal in reader.signals(ids):
            signals.setdefault(signal.memory_id, []).append(signal)
    return [
        _due(memory, freshness(memory, now, vault.kinds), now, signals.get(memory.id, ()), asked.get(memory.id, ()))
        for memory in memories
    ]


_FILE_WORDS = {"changed": "changed since", "moved": "was moved since", "gone": "is gone"}


def _due(memory: Memory, trust: float, now: datetime, signals: Iterable[Signal], asked: Sequence[Asked]) -> Due:
    said = list(signals)
    uses = sum(1 for signal in said if signal.signal in USES)
    since = memory.verified_at
    hurts = sum(1 for signal in said if signal.signal == "hurt" and (since is None or signal.at > since))
    causes = Counter(one.cause for one in asked)
    files = [one for one in asked if one.cause in _FILE_WORDS]
    disputes = len({one.what for one in asked if one.cause == "contradicted"})
    risk = review_risk(
        trust=trust,
        uses=uses,
        changed_anchors=len(files) or causes["woken"],
        contradictions=disputes,
        hurts=hurts,
        imports=causes["source"] + causes["import"],
    )
    return Due(memory, trust, risk, tuple(_reasons(memory, now, uses, hurts, disputes, asked)))


def _reasons(memory: Memory, now: datetime, uses: int, hurts: int, disputes: int, asked: Sequence[Asked]) -> list[str]:
    days = (now - last_trusted_at(memory)).days
    reasons = [
        f"not verified for {counted(days, 'day')}"
        if memory.verified_at
        else f"never verified, {counted(days, 'day')} old"
    ]
    if uses:
        reasons.append(f"used {counted(uses, 'time')}" if uses > 1 else "used once")
    if hurts:
        reasons.append(f"hurt {counted(hurts, 'time')}" if hurts > 1 else "hurt once")
    reasons += [f"{one.what} {_FILE_WORDS[one.cause]}" for one in asked if one.cause in _FILE_WORDS]
    if any(one.cause == "woken" for one in asked):
        reasons.append("a file changed since it was snoozed")
    if disputes:
        reasons.append(f"contradicted by {counted(disputes, 'other')}")
    reasons += [f"{one.what} says something else since {one.at:%Y-%m-%d}" for one in asked if one.cause == "source"]
    imports = [one for one in asked if one.cause == "import"]
    if imports:
        waits = "a candidate on the same files waits" if len(imports) == 1 else "candidates on the same files wait"
        reasons.append(f"{waits} since {min(one.at for one in imports):%Y-%m-%d}")
    if memory.due_at is not None and memory.due_at <= now:
        reasons.append(f"due since {memory.due_at:%Y-%m-%d}")
    return reasons
