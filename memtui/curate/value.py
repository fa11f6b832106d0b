"""What memories were worth: what assistants were served, what that spared them, and what it cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from memtui.config import ValueSettings
from memtui.curate.packs import PAID, Effect, give_feedback
from memtui.domain.freshness import AUTOMATIC
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Signal
from memtui.errors import UsageError
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import Serving, servings
from memtui.vault.vault import Vault

OFTEN = 10  # Servings after which a memory that was never used for anything is offered for retiring
USED = frozenset({"copied", "helped", "corrected", "hurt", "referenced", "followed", "stopped", "paid"})
"""Signals that tell that somebody made something of a memory, for better or worse; to be served is not among them."""

_AMOUNT = re.compile(
    r"(?P<before>[^\d\s.,-]{0,8})\s*(?P<number>\d{1,12}(?:[.,]\d{1,18})?)\s*(?P<after>[^\d\s.,-]{0,8})"
)


@dataclass(frozen=True, slots=True)
class Served:
    """A memory in use."""

    id: str
    title: str
    pinned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The figures."""

    sessions: int = 0  # sessions that hooks or a server heard of
    served: int = 0  # sessions among them that got a memory
    tokens: int = 0  # tokens served
    memories: int = 0  # memories served, each once a session
    repeats: int = 0  # lessons that a session knew when a file or task of theirs came up
    rediscovery_tokens: int = 0  # what finding one out again is assumed to take
    by_assistant: Mapping[str, int] = field(default_factory=dict)  # sessions per assistant, the most first
    automatic: Mapping[str, int] = field(default_factory=dict)  # signals that programs found, by type
    said: Mapping[str, int] = field(default_factory=dict)  # signals of what a person did or said, by type
    paid: Mapping[str, str] = field(default_factory=dict)  # what was paid for by currency
    idle: tuple[Served, ...] = ()  # memories that were served often and never used, the most often first

    @property
    def without(self) -> int:
        return self.sessions - self.served

    @property
    def saved(self) -> int:
        """Tokens that rediscovering would have taken."""
        return self.repeats * self.rediscovery_tokens

    @property
    def per_session(self) -> int:
        """Tokens of a session that was served something."""
        return round(self.tokens / self.served) if self.served else 0


def value(vault: Vault, scope: Scope, settings: ValueSettings) -> Value:
    """Return the figures of the projects in a scope."""
    with vault.read() as reader:
        found = servings(reader, scope)
        active = {
            str(identifier): Served(str(identifier), str(title), bool(pinned))
            for identifier, title, pinned in reader.rows_of("m.id, m.title, m.pinned", MemoryFilter(scope=scope))
        }
        signals = [signal for signal in reader.signals() if signal.memory_id in active]
    return Value(
        **_sessions(found),
        rediscovery_tokens=settings.rediscovery_tokens,
        automatic=_counts(signals, automatic=True),
        said=_counts(signals, automatic=False),
        paid=_paid(signals),
        idle=tuple(active[one] for one in idle_ids(active.values(), signals)),
    )


def _sessions(found: Sequence[Serving]) -> dict[str, Any]:
    assistant = {one.session: one.assistant for one in found}
    return {
        "sessions": len(assistant),
        "served": len({one.session for one in found if one.memories}),
        "tokens": sum(one.tokens for one in found),
        "memories": sum(one.memories for one in found),
        "repeats": sum(one.repeats for one in found),
        "by_assistant": dict(Counter(assistant.values()).most_common()),
    }


def _counts(signals: Iterable[Signal], *, automatic: bool) -> dict[str, int]:
    return dict(Counter(one.signal for one in signals if (one.signal in AUTOMATIC) is automatic).most_common())


def idle_ids(memories: Iterable[Memory | Served], signals: Iterable[Signal]) -> list[str]:
    """Return the ids of memories that were served often and never used, the most often served first."""
    served: Counter[str] = Counter()
    used = set()
    for signal in signals:
        if signal.signal == "injected":
            served[signal.memory_id] += 1
        elif signal.signal in USED:
            used.add(signal.memory_id)
    idle = [one.id for one in memories if served[one.id] >= OFTEN and one.id not in used and not one.pinned]
    return sorted(idle, key=lambda one: (-served[one], one))


def pay(vault: Vault, prefix: str, amount: str, *, actor: Actor, only: Sequence[str] = ()) -> list[Effect]:
    """Note that somebody paid for a pack or a memory: an event of x402, or of a meter.

    It counts less than a person's word: a program paid.

    Raises:
        UsageError: the amount is none, or `only` names a memory that is not in the pack.
        NotFoundError, AmbiguousIdError: the prefix names nothing, or several.
    """
    return give_feedback(vault, prefix, PAID, actor=actor, reason=read_amount(amount), only=only)


def read_amount(text: str) -> str:
    """Return an amount as it is stored: `0.02 USD`. Raises `UsageError`: it is none."""
    found = _AMOUNT.fullmatch(text.strip())
    number = found and found["number"].replace(",", ".")
    if found is None or not number or not Decimal(number) or (found["before"] and found["after"]):
        raise UsageError("Not an amount", where=text[:40], remedy="Write it like 0.02 or `0.02 USDC`.")
    return f"{number} {found['before'] or found['after']}".strip()


def _paid(signals: Iterable[Signal]) -> dict[str, str]:
    """Return the sums by currency; a pack was paid for once, however many memories it held."""
    sums: dict[str, Decimal] = {}
    seen = set()
    for signal in signals:
        place = (signal.pack_id, signal.at, signal.actor)
        if signal.signal != PAID or (signal.pack_id and place in seen):
            continue
        seen.add(place)
        number, _, currency = signal.reason.partition(" ")
        try:
            sums[currency] = sums.get(currency, Decimal(0)) + Decimal(number)
        except InvalidOperation:
            continue
    return {currency: str(total) for currency, total in sorted(sums.items())}


def value_record(found: Value) -> dict[str, Any]:
    """Return the figures for `stats --value --json`."""
    record = asdict(found)
    return record | {
        "without": found.without,
        "tokens_per_session": found.per_session,
        "saved_tokens": found.saved,
        "net_tokens": found.saved - found.tokens,
        "idle": [{"id": memory.id, "title": memory.title} for memory in found.idle],
    }
