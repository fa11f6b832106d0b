"""Review sessions: a queue taken once, resumable on another day, with a receipt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from memtui.curate.packs import ASKED, mark_asked, packs_awaiting_feedback
from memtui.curate.review_queue import review_queue
from memtui.curate.views import source_says_this
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory, Verdict
from memtui.text.sanitize import one_line, reveal
from memtui.vault import journal
from memtui.vault.filters import Scope
from memtui.vault.journal import half_lives_at, last_undoable
from memtui.vault.packs import StoredPack
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.vault import Vault

SESSION_KEY = "review_session"
"""Vault setting that holds the session under way, one per project."""

LONGEST_PAUSE = timedelta(days=14)
"""A session that rested longer is begun anew: what is due has changed."""

SECONDS_EACH = 9.0
"""Time for one memory before the session has shown its own pace: two keys and a few lines to read."""

LONGEST_QUEUE = 500
"""Memories of a session where no size was asked for: an hour and more at a brisk pace, the riskiest of what is due."""

MOST_PACKS = 3
"""Packs that one session asks about."""

REVIEWED = frozenset({"still-true", "edited", "outdated", "superseded", "snoozed"})
"""Verdicts that count as a memory reviewed."""

_ON_PACKS = frozenset({"feedback", ASKED})
"""Changes by which a session's packs are answered."""

_BEFORE = "before"
"""Where a stored session keeps the one before it in which anything was decided."""

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
        packs: packs that were copied a while ago without a word since, to be asked about once at the end.
        standing: tokens of the standing payload when the session was begun, None where nobody counted.
        after: number of the last change before the session; what comes later may be its own.
    """

    project: str
    kinds: tuple[str, ...]
    started_at: datetime
    ids: tuple[str, ...]
    size: int | None = None
    pinned: frozenset[str] = frozenset()
    why: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    packs: tuple[str, ...] = ()
    standing: int | None = None
    after: int = 0


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


def begin(
    vault: Vault,
    scope: Scope,
    *,
    project: str | None,
    actor: Actor,
    kinds: tuple[str, ...] = (),
    size: int | None = None,
    most: int | None = None,
    threshold: float,
) -> ReviewSession:
    """Take the riskiest memories that are due into a new session and remember it with the vault.

    Args:
        scope: the projects in view.
        project: the project in view, None for all.
        kinds: only these kinds; all by default.
        size: how many were asked for at most.
        most: how many the pace of the configuration leaves, see `left_of_pace`.
        threshold: freshness below which a memory is due.
    """
    limits = [limit for limit in (size, most) if limit is not None]
    queue = review_queue(vault, scope, kinds=kinds, threshold=threshold, limit=min(limits, default=LONGEST_QUEUE))
    packs = _packs_to_ask_about(vault, project, actor)
    told = last_told(vault, project=project)
    session = ReviewSession(
        project=project or "",
        kinds=kinds,
        started_at=vault.now(),
        size=size,
        ids=tuple(due.memory.id for due in queue),
        pinned=frozenset(due.memory.id for due in queue if due.memory.pinned),
        why={due.memory.id: due.reasons for due in queue},
        packs=packs,
        after=_last_number(vault),
    )
    if session.ids or session.packs:
        _store(vault, session.project, {**_record(session), _BEFORE: _record(told) if told else None}, actor)
    return session


def _last_number(vault: Vault) -> int:
    with vault.read() as reader:
        changes = journal.log(reader, limit=1)
    return changes[0].number if changes else 0


def _packs_to_ask_about(vault: Vault, project: str | None, actor: Actor) -> tuple[str, ...]:
    """Return the packs to ask about; those that the session before asked about in vain are not asked about again."""
    awaiting = packs_awaiting_feedback(vault, project=project)
    before = last(vault, project=project)
    if before is not None and before.packs and awaiting:
        with vault.read() as reader:
            came_to_its_end = len(settled_of(reader, before)) == len(before.ids)
        asked = [pack for pack in awaiting if came_to_its_end and pack.id in before.packs]
        for pack in asked:
            mark_asked(vault, pack, actor=actor)
        awaiting = [pack for pack in awaiting if pack not in asked]
    return tuple(pack.id for pack in awaiting[:MOST_PACKS])


def awaiting_feedback(vault: Vault, session: ReviewSession) -> list[StoredPack]:
    """Return the packs that this session asks about and that nobody said anything of yet, the newest first."""
    if not session.packs:
        return []
    return [pack for pack in packs_awaiting_feedback(vault) if pack.id in session.packs]


def left_of_pace(vault: Vault, *, daily: int = 0, weekly: int = 0) -> int | None:
    """Return how many memories are left of what a person wants to review a day and a week; None without a limit.

    Args:
        daily: memories a day, from midnight UTC; 0 for no limit.
        weekly: memories a week, from Monday; 0 for no limit.
    """
    if not daily and not weekly:
        return None
    now = vault.now()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    with vault.read() as reader:
        verdicts = [verdict for verdict in reader.verdicts() if verdict.verdict in REVIEWED]
    left = [
        limit - len({verdict.memory_id for verdict in verdicts if verdict.at >= since})
        for limit, since in ((daily, today), (weekly, today - timedelta(days=now.weekday())))
        if limit
    ]
    return max(0, min(left))


def note_standing(vault: Vault, session: ReviewSession, tokens: int, *, actor: Actor) -> ReviewSession:
    """Remember how large the standing payload was when a session was begun, for its receipt."""
    noted = replace(session, standing=tokens)
    _store(vault, session.project, _record(noted), actor)
    return noted


def resume(
    vault: Vault, *, project: str | None, kinds: tuple[str, ...] = (), size: int | None = None
) -> ReviewSession | None:
    """Return the session under way for a project; None if there is none, it is done, or it rested too long.

    Args:
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
        return session if len(settled_of(reader, session)) < len(session.ids) else None


def last(vault: Vault, *, project: str | None) -> ReviewSession | None:
    """Return the session of a project that was begun last, done or not; None if there never was one."""
    with vault.read() as reader:
        return _session(project or "", _stored(reader).get(project or ""))


def last_told(vault: Vault, *, project: str | None) -> ReviewSession | None:
    """Return the last session of a project in which anything was decided, else the last one; None without any.

    A queue that was only just taken has nothing to tell yet.
    """
    with vault.read() as reader:
        record = _stored(reader).get(project or "")
        session = _session(project or "", record)
        if session is None or settled_of(reader, session):
            return session
        before = _session(project or "", dict(record or {}).get(_BEFORE))
        return before if before is not None and settled_of(reader, before) else session


def progress(vault: Vault, session: ReviewSession) -> Progress:
    """Return how far a session is, from what the vault tells of its memories."""
    with vault.read() as reader:
        settled = settled_of(reader, session)
        verdicts = [verdict for verdict in reader.verdicts(session.ids) if verdict.at >= session.started_at]
    left = len(session.ids) - len(settled)
    return Progress(len(session.ids), settled, left * _seconds_each(session.started_at, verdicts) / 60)


def undo_all(vault: Vault, session: ReviewSession, *, actor: Actor) -> tuple[int, str]:
    """Undo what a person did to a session's memories since it was begun, the last change first, each as its own undo.

    A change in between that somebody else made, or that touches other memories alone, is not the session's: there
    it stops.

    Returns:
        How many changes were undone, and what it stopped at in words, empty where nothing was in the way.
    """
    mine, undone = set(session.ids), 0
    while True:
        with vault.write(actor=actor.name, action="undo") as writer:
            change = last_undoable(writer)
            if change is None or change.number <= session.after or change.at < session.started_at:
                writer.abandon()
                return undone, ""
            touches = bool(mine.intersection(change.memory_ids)) or change.action in _ON_PACKS
            if not touches or change.actor != actor.name:
                writer.abandon()
                return undone, change.summary
            journal.undo(writer)
        undone += 1


# -- what became of each memory ------------------------------------------------------------------------


def settled_of(reader: VaultReader, session: ReviewSession) -> dict[str, str]:
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
    if len(brisk) < _FEWEST_STEPS:
        return SECONDS_EACH
    # The median by hand: `statistics` takes 15 ms to import.
    return (brisk[(len(brisk) - 1) // 2] + brisk[len(brisk) // 2]) / 2


# -- the vault's setting -------------------------------------------------------------------------------


def _record(session: ReviewSession) -> dict[str, Any]:
    return {
        "kinds": list(session.kinds),
        "started_at": session.started_at.isoformat(),
        "size": session.size,
        "ids": list(session.ids),
        "pinned": sorted(session.pinned),
        "why": {identifier: list(reasons) for identifier, reasons in session.why.items()},
        "packs": list(session.packs),
        "standing": session.standing,
        "after": session.after,
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
            packs=tuple(map(str, values.get("packs", ()))),
            standing=values.get("standing"),
            after=int(values.get("after", 0)),
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
        replaced = sessions.pop(project, None)
        if record is not None and _BEFORE not in record and isinstance(replaced, dict):
            record = {**record, _BEFORE: replaced.get(_BEFORE)}
        if record is not None:
            sessions[project] = record
        writer.set_meta(SESSION_KEY, json.dumps(sessions, ensure_ascii=False))


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
