"""The receipt of a review session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.curate.review_sessions import ReviewSession, settled_of
from memtui.curate.views import source_says_this
from memtui.domain.memory import Memory
from memtui.text.sanitize import one_line, reveal
from memtui.vault.journal import half_lives_at
from memtui.vault.reader import SourceState
from memtui.vault.vault import Vault

_ENCODING = "o200k_base"
_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a session came to.

    Attributes:
        counts: memories by what became of them, the most first.
        tokens_out: tokens of the texts that were taken out of use (o200k_base).
        standing: tokens of the standing payload before and now; None where it was not counted.
        half_lives: (id, title, days) of memories that were given another; None for that of their kind.
        still_said: (id, title, source path) of memories whose source still says what was changed or taken out of use.
    """

    started_at: datetime
    total: int
    counts: Mapping[str, int]
    tokens_out: int = 0
    standing: tuple[int, int] | None = None
    half_lives: tuple[tuple[str, str, float | None], ...] = ()
    still_said: tuple[tuple[str, str, str], ...] = ()


def receipt_of(vault: Vault, session: ReviewSession, *, standing: int | None = None) -> Receipt:
    """Return what a session came to so far.

    Args:
        standing: tokens of the standing payload now, where it was counted.
    """
    with vault.read() as reader:
        settled = settled_of(reader, session)
        memories = reader.get_many(session.ids)
        seen: dict[str, list[SourceState]] = {}
        for state in reader.source_states(session.ids):
            seen.setdefault(state.memory_id, []).append(state)
        before = half_lives_at(reader, session.ids, session.started_at)
    out = [memory for memory in memories.values() if memory.status in _OUT_OF_USE]
    return Receipt(
        started_at=session.started_at,
        total=len(session.ids),
        counts=dict(Counter(settled.values()).most_common()),
        tokens_out=_tokens(out),
        standing=None if standing is None or session.standing is None else (session.standing, standing),
        half_lives=tuple(
            (memory.id, memory.title, memory.half_life_days)
            for memory in memories.values()
            if before.get(memory.id, memory.half_life_days) != memory.half_life_days
        ),
        still_said=tuple(
            (memory.id, memory.title, memory.source.path or "")
            for memory in memories.values()
            if memory.id in settled and memory.source is not None and source_says_this(memory, seen.get(memory.id, ()))
        ),
    )


def _tokens(memories: Sequence[Memory]) -> int:
    if not memories:
        return 0
    from memtui.text.token_count import get_counter

    counter = get_counter(_ENCODING)
    return sum(
        counter.count("\n".join(filter(None, (memory.title, memory.insight, memory.rationale, memory.snippet))))
        for memory in memories
    )


def receipt_text(found: Receipt) -> str:
    """Return a receipt as plain text, to be saved or copied."""
    lines = [f"Review of {found.started_at:%Y-%m-%d}: {sum(found.counts.values())} of {found.total} memories"]
    lines += [f"  {number:>4}  {word}" for word, number in found.counts.items()]
    if found.total > sum(found.counts.values()):
        lines.append(f"  {found.total - sum(found.counts.values()):>4}  still to look at")
    if found.tokens_out:
        lines += ["", f"{found.tokens_out:,} tokens of text are out of use and reach no payload"]
    if found.standing:
        lines += ["", standing_text(*found.standing)]
    if found.half_lives:
        lines += ["", "Half-lives changed"]
        lines += [
            f"  {f'{days:g} d' if days else 'its kind'}  {_shown(title)}  ({identifier})"
            for identifier, title, days in found.half_lives
        ]
    if found.still_said:
        lines += ["", "Sources that still say what was changed or taken out of use"]
        lines += [f"  {_shown(path)}  {_shown(title)}  ({identifier})" for identifier, title, path in found.still_said]
    return "\n".join(lines) + "\n"


def standing_text(before: int, now: int) -> str:
    """Return how the standing payload changed, in words."""
    if before == now:
        return f"The standing payload is as large as before: {now:,} tokens"
    difference = abs(before - now)
    word = "saved" if now < before else "more"
    noun = "token" if difference == 1 else "tokens"
    return f"{difference:,} {noun} {word} in the standing payload: {before:,} → {now:,}"


def _shown(text: str) -> str:
    return reveal(one_line(text))
