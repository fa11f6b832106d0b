"""What a person's decision says of a fact, as evidence of how long facts of its kind hold."""

from __future__ import annotations

from datetime import datetime

from memtui.domain.actor import Actor
from memtui.domain.freshness import EXPIRED, last_trusted_at
from memtui.domain.memory import Memory, Verdict
from memtui.vault.writer import VaultWriter

_DAY_SECONDS = 86_400.0


def verdict_on(memory: Memory, verdict: str, now: datetime, actor: Actor, reason: str = "") -> Verdict:
    """Return a verdict with the days since the memory was last verified, else observed."""
    days = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return Verdict(
        memory_id=memory.id, verdict=verdict, at=now, actor=actor.name, exposure_days=round(days, 3), reason=reason
    )


def expiry_of(writer: VaultWriter, memory_id: str) -> list[Verdict]:
    """Return the last verdict that a memory expired, for an act that takes it back; empty without one."""
    return [verdict for verdict in writer.verdicts([memory_id]) if verdict.verdict in EXPIRED][-1:]
