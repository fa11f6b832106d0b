"""A review session: a queue taken once, gone through at one's own pace, resumed on another day, ending in a receipt.

Only what was queued and when is stored, with the vault. What became of each memory is read from the vault's
own evidence, so that an undo, a change from another process or a merge is never counted twice or forgotten.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from memtui.curate.reviewing import review_queue
from memtui.curate.views import source_says_this
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory, Verdict
from memtui.text.sanitising import one_line, reveal
from memtui.vault.filters import Scope
from memtui.vault.journal import half_lives_at
from memtui.vault.reading import SourceState, VaultReader
from memtui.vault.vault import Vault

SESSION_KEY = "review_session"
"""Vault setting that holds the session under way, one per project."""

LONGEST_PAUSE = timedelta(days=14)
"""A session that rested longer is begun anew: what is due has changed."""

SECONDS_EACH = 9.0
"""Time for one memory before the session has shown its own pace: two keys and a few lines to read."""

_ENCODING = "o200k_base"
_LONGEST_STEP_SECONDS = 180.0
_FEWEST_STEPS = 3


@dataclass(frozen=True, slots=True)
class ReviewSession:
    """What was taken into review.

    Attributes:
        project: the project in view, empty for all.
        kinds: the kinds asked for; empty for all.
        size: how many were asked for at most; None for all.
        ids: in the order of the queue.
        pinned: those that were pinned already, e.g. pinned ones that hurt.
        why: reasons in words, by id.
    """

    project: str
    kinds: tuple[str, ...]
    started_at: datetime
    ids: tuple[str, ...]
    size: int | None = None
    pinned: frozenset[str] = frozenset()
    why: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is.

    Attributes:
        settled: what became of each memory that is done with, by id, in a word.
        minutes_left: at the pace so far.
    """

    total: int
    settled: Mapping[str, str]
    minutes_left: float

    @property
    def left(self) -> int:
        """Memories still to be looked at."""
        return self.total - len(self.settled)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a session came to.

    Attributes:
        counts: memories by what became of them, the most first.
        tokens_out: tokens of the texts that were taken out of use (o200k_base).
        half_lives: (id, title, days) of memories that were given another; None for that of their kind.
        still_said: (id, title, source path) of memories taken out of use whose source still says so.
    """

    started_at: datetime
    total: int
    counts: Mapping[str, int]
    tokens_out: int = 0
    half_lives: tuple[tuple[str, str, float | None], ...] = ()
    still_said: tuple[tuple[str, str, str], ...] = ()


def begin(
    vault: Vault,
    scope: Scope,
    *,
    project: str | None,
    actor: Actor,
    kinds: tuple[str, ...] = (),
    size: int | None = None,
    threshold: float,
) -> ReviewSession:
    """Take the riskiest memories that are due into a new session and remember it with the vault."""
    queue = review_queue(vault, scope, kinds=kinds, threshold=threshold, limit=size)
    session = ReviewSession(
        project=project or "",
        kinds=kinds,
        started_at=vault.now(),
        size=size,
        ids=tuple(due.memory.id for due in queue),
        pinned=frozenset(due.memory.id for due in queue if due.memory.pinned),
        why={due.memory.id: due.reasons for due in queue},
    )
    if session.ids:
        _store(vault, session.project, _record(session), actor)
    return session


def resume(
    vault: Vault, *, project: str | None, kinds: tuple[str, ...] = (), size: int | None = None
) -> ReviewSession | None:
    """Return the session under way for a project; None if there is none, it is done, or it rested too long.

    Args:
        vault: the vault.
        project: the project in view, None for all.
        kinds: the kinds asked for; a session of other kinds is another one.
        size: the size asked for, likewise; None takes a session of any size.
    """
    session = last(vault, project=project)
    if session is None or session.kinds != kinds or size not in {None, session.size}:
        return None
    if vault.now() - session.started_at > LONGEST_PAUSE:
        return None
    with vault.read() as reader:
        return session if _settled(reader, session).keys() < set(session.ids) else None


def last(vault: Vault, *, project: str | None) -> ReviewSession | None:
    """Return the session of a project that was begun last, done or not; None if there never was one."""
    with vault.read() as reader:
        return _session(project or "", _stored(reader).get(project or ""))


def progress(vault: Vault, session: ReviewSession) -> Progress:
    """Return how far a session is, from what the vault tells of its memories."""
    with vault.read() as reader:
        settled = _settled(reader, session)
        verdicts = [verdict for verdict in reader.verdicts(session.ids) if verdict.at >= session.started_at]
    left = len(session.ids) - len(settled)
    return Progress(len(session.ids), settled, left * _seconds_each(session.started_at, verdicts) / 60)


def receipt(vault: Vault, session: ReviewSession) -> Receipt:
    """Return what a session came to so far."""
    with vault.read() as reader:
        settled = _settled(reader, session)
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
        half_lives=tuple(
            (memory.id, memory.title, memory.half_life_days)
            for memory in memories.values()
            if before.get(memory.id, memory.half_life_days) != memory.half_life_days
        ),
        still_said=tuple(
            (memory.id, memory.title, memory.source.path or "")
            for memory in out
            if memory.source is not None and source_says_this(memory, seen.get(memory.id, ()))
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
    if found.half_lives:
        lines += ["", "Half-lives changed"]
        lines += [
            f"  {f'{days:g} d' if days else 'its kind'}  {_shown(title)}  ({identifier})"
            for identifier, title, days in found.half_lives
        ]
    if found.still_said:
        lines += ["", "Sources that still say what was taken out of use"]
        lines += [f"  {_shown(path)}  {_shown(title)}  ({identifier})" for identifier, title, path in found.still_said]
    return "\n".join(lines) + "\n"


def _shown(text: str) -> str:
    return reveal(one_line(text))


# -- what became of each memory ------------------------------------------------------------------------


def _settled(reader: VaultReader, session: ReviewSession) -> dict[str, str]:
    """Return, by id, what became of the memories that need no further look."""
    found: dict[str, str] = {}
    memories = reader.get_many(session.ids)
    for identifier in session.ids:
        memory = memories.get(identifier)
        word = "gone" if memory is None else _standing(memory, session)
        if word:
            found[identifier] = word
    for verdict in reader.verdicts(session.ids):
        # A verdict only says which word fits; whether it stands, the memory itself tells: a restored one is open again.
        if verdict.at >= session.started_at and found.get(verdict.memory_id) in _AFFIRMED:
            found[verdict.memory_id] = _WORDS.get(verdict.verdict, "verified")
    return found


_WORDS = {"still-true": "still true", "edited": "edited"}
_AFFIRMED = frozenset({"verified", *_WORDS.values()})
_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


def _standing(memory: Memory, session: ReviewSession) -> str | None:
    since = session.started_at
    if memory.status != "active":
        return memory.status
    if memory.pinned and memory.id not in session.pinned:
        return "pinned"
    if memory.snoozed_until is not None and memory.snoozed_until > since:
        return "snoozed"
    return "verified" if memory.verified_at is not None and memory.verified_at >= since else None


def _seconds_each(start: datetime, verdicts: Sequence[Verdict]) -> float:
    """Return the usual time between two verdicts; a break for coffee is no pace."""
    moments = sorted({start, *(verdict.at for verdict in verdicts)})
    steps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    brisk = sorted(step for step in steps if step <= _LONGEST_STEP_SECONDS)
    return brisk[len(brisk) // 2] if len(brisk) >= _FEWEST_STEPS else SECONDS_EACH


# -- the vault's setting -------------------------------------------------------------------------------


def _record(session: ReviewSession) -> dict[str, Any]:
    return {
        "kinds": list(session.kinds),
        "started_at": session.started_at.isoformat(),
        "size": session.size,
        "ids": list(session.ids),
        "pinned": sorted(session.pinned),
        "why": {identifier: list(reasons) for identifier, reasons in session.why.items()},
    }


def _session(project: str, record: object) -> ReviewSession | None:
    """Return a stored session, None where it is broken: a queue is quickly taken again."""
    try:
        values: dict[str, Any] = dict(record)  # type: ignore[call-overload] # whatever it is, it is checked here
        return ReviewSession(
            project=project,
            kinds=tuple(map(str, values["kinds"])),
            started_at=datetime.fromisoformat(values["started_at"]),
            size=values.get("size"),
            ids=tuple(map(str, values["ids"])),
            pinned=frozenset(map(str, values.get("pinned", ()))),
            why={str(key): tuple(map(str, reasons)) for key, reasons in values["why"].items()},
        )
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


def _stored(reader: VaultReader) -> dict[str, Any]:
    try:
        values = json.loads(reader.meta(SESSION_KEY) or "{}")
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _store(vault: Vault, project: str, record: dict[str, Any] | None, actor: Actor) -> None:
    with vault.write(actor=actor.name, action="review") as writer:
        sessions = _stored(writer)
        sessions.pop(project, None)
        if record is not None:
            sessions[project] = record
        writer.set_meta(SESSION_KEY, json.dumps(sessions, ensure_ascii=False))
