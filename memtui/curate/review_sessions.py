"""Review sessions: a queue taken once, resumable on another day, with a receipt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any

from memtui.curate.packs import ASKED, mark_asked, packs_awaiting_feedback
from memtui.curate.review_queue import review_queue
from memtui.curate.views import by_memory, source_says_this, stated_otherwise, tokens_of
from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Verdict
from memtui.errors import ConflictError
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.journal import half_lives_at, last_undoable, log
from memtui.vault.packs import StoredPack
from memtui.vault.reader import VaultReader
from memtui.vault.undo import undo
from memtui.vault.vault import Vault

SESSION_KEY = "review_session"  # Vault setting that holds the current session of each project
LONGEST_PAUSE = timedelta(days=14)  # A session that was left for longer starts over, as other memories are due by then
SECONDS_EACH = 9.0  # Time for one memory until the session has a pace of its own: two keys and a few lines to read

LONGEST_QUEUE = 500
"""Memories of a session without a requested size, the riskiest first: an hour and more at a brisk pace."""

MOST_PACKS = 3  # Packs that one session asks about

REVIEWED = frozenset({"still-true", "edited", "outdated", "superseded", "snoozed"})
"""Verdicts that count as a memory reviewed."""

_ON_PACKS = frozenset({"feedback", ASKED})  # Actions of changes that answer a session's packs
_BEFORE = "before"  # Key under which a stored session keeps the last one before it in which anything was decided

_LONGEST_STEP_SECONDS = 180.0
_FEWEST_STEPS = 3


@dataclass(frozen=True, slots=True)
class ReviewSession:
    """A queue that was taken into review."""

    project: str  # the project in view, empty for all
    kinds: tuple[str, ...]  # the requested kinds; empty for all
    started_at: datetime
    ids: tuple[str, ...]  # in the order of the queue
    size: int | None = None  # the requested size; None for all
    pinned: frozenset[str] = frozenset()  # those that were pinned already, e.g. pinned ones that hurt
    why: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # reasons in words, by id
    packs: tuple[str, ...] = ()  # packs that await feedback, to be asked about once at the end
    # tokens of the standing payload when the session began, None where they were not counted
    standing: int | None = None
    after: int = 0  # number of the last change before the session


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is."""

    total: int
    results: Mapping[str, Result]  # what became of each memory that needs no further look, by id
    minutes_left: float  # at the pace so far
    memories: Mapping[str, Memory] = field(default_factory=dict)  # as they are, by id; missing ones left out

    @property
    def left(self) -> int:
        """Number of memories still to be reviewed."""
        return self.total - len(self.results)


def begin(
    vault: Vault,
    scope: Scope,
    *,
    project: str | None,
    actor: Actor,
    kinds: tuple[str, ...] = (),
    size: int | None = None,  # the requested size
    most: int | None = None,  # what the configured pace leaves, see `left_of_pace`
    threshold: float,
) -> ReviewSession:
    """Take the riskiest memories that are due into a new session and store it in the vault."""
    limits = [limit for limit in (size, most) if limit is not None]
    queue = review_queue(vault, scope, kinds=kinds, threshold=threshold, limit=min(limits, default=LONGEST_QUEUE))
    packs = _packs_to_ask_about(vault, project, actor)
    before = last_decided(vault, project=project)
    session = ReviewSession(
        project=project or "",
        kinds=kinds,
        started_at=vault.now(),
        size=size,
        ids=tuple(due.memory.id for due in queue),
        pinned=frozenset(due.memory.id for due in queue if due.memory.pinned),
        why={due.memory.id: due.said for due in queue},
        packs=packs,
        after=_last_number(vault),
    )
    if session.ids or session.packs:
        _store(vault, session.project, {**_record(session), _BEFORE: _record(before) if before else None}, actor)
    return session


def _last_number(vault: Vault) -> int:
    with vault.read() as reader:
        changes = log(reader, limit=1)
    return changes[0].number if changes else 0


def _packs_to_ask_about(vault: Vault, project: str | None, actor: Actor) -> tuple[str, ...]:
    """Return the packs to ask about; those that the last session asked about in vain are not asked about again."""
    awaiting = packs_awaiting_feedback(vault, project=project)
    before = last(vault, project=project)
    if before is not None and before.packs and awaiting:
        with vault.read() as reader:
            was_finished = len(_results_of(reader, before)) == len(before.ids)
        asked = [pack for pack in awaiting if was_finished and pack.id in before.packs]
        for pack in asked:
            mark_asked(vault, pack, actor=actor)
        awaiting = [pack for pack in awaiting if pack not in asked]
    return tuple(pack.id for pack in awaiting[:MOST_PACKS])


def awaiting_feedback(vault: Vault, session: ReviewSession) -> list[StoredPack]:
    """Return the packs that this session asks about and that have no feedback yet, the newest first."""
    if not session.packs:
        return []
    return [pack for pack in packs_awaiting_feedback(vault) if pack.id in session.packs]


def left_of_pace(vault: Vault, *, daily: int = 0, weekly: int = 0) -> int | None:
    """Return how many memories are left of the configured pace; None without a limit.

    `daily`: memories a day, from midnight UTC; 0 for no limit. `weekly`: memories a week, from Monday; 0 for no limit.
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
    """Store how large the standing payload was when a session began, for its receipt."""
    noted = replace(session, standing=tokens)
    _store(vault, session.project, _record(noted), actor)
    return noted


def resume(
    vault: Vault, *, project: str | None, kinds: tuple[str, ...] = (), size: int | None = None
) -> ReviewSession | None:
    """Return the current session of a project; None if there is none, it is done, or it was left for too long.

    `kinds`: the requested kinds; a session of other kinds does not count. `size`: the requested size, likewise; None
    takes a session of any size.
    """
    session = last(vault, project=project)
    if session is None or session.kinds != kinds or size not in {None, session.size}:
        return None
    if vault.now() - session.started_at > LONGEST_PAUSE:
        return None
    with vault.read() as reader:
        return session if len(_results_of(reader, session)) < len(session.ids) else None


def last(vault: Vault, *, project: str | None) -> ReviewSession | None:
    """Return the latest session of a project, done or not; None if there never was one."""
    with vault.read() as reader:
        return _session(project or "", _stored(reader).get(project or ""))


def last_decided(vault: Vault, *, project: str | None) -> ReviewSession | None:
    """Return the latest session of a project in which anything was decided, else the latest; None without any."""
    with vault.read() as reader:
        record = _stored(reader).get(project or "")
        session = _session(project or "", record)
        if session is None or _results_of(reader, session):
            return session
        before = _session(project or "", dict(record or {}).get(_BEFORE))
        return before if before is not None and _results_of(reader, before) else session


def progress(vault: Vault, session: ReviewSession) -> Progress:
    with vault.read() as reader:
        memories = reader.get_many(session.ids)
        results = _results_of(reader, session, memories)
        verdicts = [verdict for verdict in reader.verdicts(session.ids) if verdict.at >= session.started_at]
    left = len(session.ids) - len(results)
    return Progress(len(session.ids), results, left * _seconds_each(session.started_at, verdicts) / 60, memories)


def undo_all(vault: Vault, session: ReviewSession, *, actor: Actor) -> tuple[int, str]:
    """Undo a person's changes to a session's memories, the last change first, each as its own undo.

    It stops at a change of this person that touches only other memories, or whose words others changed since.

    Returns:
        How many changes were undone, and the summary of the change it stopped at, empty without one.
    """
    mine, undone = set(session.ids), 0
    while True:
        with vault.write(actor=actor.name, action="undo") as writer:
            change = last_undoable(writer, actor=actor.name)
            if change is None or change.number <= session.after or change.at < session.started_at:
                writer.abandon()
                return undone, ""
            if not mine.intersection(change.memory_ids) and change.action not in _ON_PACKS:
                writer.abandon()
                return undone, change.summary
            try:
                undo(writer, actor=actor.name)
            except ConflictError:
                writer.abandon()
                return undone, change.summary
        undone += 1


# -- what became of each memory ------------------------------------------------------------------------


class Result(StrEnum):
    """What became of a memory in a session; the value is what people read."""

    GONE = "gone"
    CANDIDATE = "candidate"
    RETIRED = "retired"
    SUPERSEDED = "superseded"
    MERGED = "merged"
    PINNED = "pinned"
    SNOOZED = "snoozed"
    VERIFIED = "verified"
    STILL_TRUE = "still true"
    EDITED = "edited"


_OF_VERDICT = {"still-true": Result.STILL_TRUE, "edited": Result.EDITED}
_AFFIRMED = frozenset({Result.VERIFIED, *_OF_VERDICT.values()})


def _results_of(
    reader: VaultReader, session: ReviewSession, memories: Mapping[str, Memory] | None = None
) -> dict[str, Result]:
    """Return, by id, what became of the memories that need no further look; they are read unless they are given."""
    memories = reader.get_many(session.ids) if memories is None else memories
    results = {identifier: _result_of(memories.get(identifier), session) for identifier in session.ids}
    found = {identifier: result for identifier, result in results.items() if result is not None}
    for verdict in reader.verdicts(session.ids):
        # The memory itself tells whether a verdict stands: one that was restored is open again.
        if verdict.at >= session.started_at and found.get(verdict.memory_id) in _AFFIRMED:
            found[verdict.memory_id] = _OF_VERDICT.get(verdict.verdict, Result.VERIFIED)
    return found


def _result_of(memory: Memory | None, session: ReviewSession) -> Result | None:
    since = session.started_at
    if memory is None:
        return Result.GONE
    if memory.status != "active":
        return Result(memory.status)
    if memory.pinned and memory.id not in session.pinned:
        return Result.PINNED
    if memory.snoozed_until is not None and memory.snoozed_until > since:
        return Result.SNOOZED
    return Result.VERIFIED if memory.verified_at is not None and memory.verified_at >= since else None


def _seconds_each(start: datetime, verdicts: Sequence[Verdict]) -> float:
    """Return the median time between two verdicts, breaks left out."""
    moments = sorted({start, *(verdict.at for verdict in verdicts)})
    steps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    brisk = sorted(step for step in steps if step <= _LONGEST_STEP_SECONDS)
    if len(brisk) < _FEWEST_STEPS:
        return SECONDS_EACH
    # Computed here because `statistics` takes 15 ms to import.
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
    """Return a stored session, None where it is damaged: a queue is quickly taken again."""
    try:
        values: dict[str, Any] = dict(record)  # type: ignore[call-overload] # anything else raises
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


_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a session changed."""

    started_at: datetime
    total: int
    counts: Mapping[Result, int]  # memories by what became of them, the most common first
    tokens_out: int = 0  # tokens of the texts that were taken out of use (o200k_base)
    # tokens of the standing payload before and now; None where they were not counted
    standing: tuple[int, int] | None = None
    # (id, title, days) of memories with another half-life; None for that of their kind
    half_lives: tuple[tuple[str, str, float | None], ...] = ()
    # (id, title, source path) of memories whose source still says what was changed or taken out of use
    still_said: tuple[tuple[str, str, str], ...] = ()
    due: int = 0  # memories that are due now and not among those still to review: most came due meanwhile
    put_off: tuple[datetime, ...] = ()  # the ends of the snoozes of its memories, the first first


def receipt_of(
    vault: Vault,
    session: ReviewSession,
    *,
    # tokens of the standing payload now, where counted
    standing: int | None = None,
    threshold: float = REVIEW_THRESHOLD,
) -> Receipt:
    """Return what a session changed so far, and what is to be reviewed after it."""
    scope = Scope.of_project(session.project) if session.project else EVERYTHING
    wanted = MemoryFilter(scope=scope, kinds=session.kinds, stale_at=vault.now(), threshold=threshold)
    with vault.read() as reader:
        memories = reader.get_many(session.ids)
        results = _results_of(reader, session, memories)
        seen = by_memory(reader.source_states(session.ids))
        stated = stated_otherwise(reader, memories.values(), seen)
        before = half_lives_at(reader, session.ids, session.started_at)
        still_open = tuple(identifier for identifier in session.ids if identifier not in results)
        due = reader.count(wanted) - (reader.count(replace(wanted, ids=still_open)) if still_open else 0)
    out = [memory for memory in memories.values() if memory.status in _OUT_OF_USE]
    return Receipt(
        started_at=session.started_at,
        total=len(session.ids),
        counts=dict(Counter(results.values()).most_common()),
        tokens_out=tokens_of(out),
        standing=None if standing is None or session.standing is None else (session.standing, standing),
        half_lives=tuple(
            (memory.id, memory.title, memory.half_life_days) for memory in _set_anew(memories.values(), before)
        ),
        still_said=tuple(
            (memory.id, memory.title, memory.source.path or "")
            for memory in memories.values()
            if memory.id in results
            and memory.source is not None
            and source_says_this(memory, seen.get(memory.id, ()), stated.get(memory.id))
        ),
        due=due,
        put_off=tuple(sorted(_ends_of_snoozes(memories.values(), results))),
    )


def _set_anew(memories: Iterable[Memory], before: Mapping[str, float | None]) -> Iterator[Memory]:
    """Yield the memories whose own half-life is another one than before."""
    return (one for one in memories if before.get(one.id, one.half_life_days) != one.half_life_days)


def _ends_of_snoozes(memories: Iterable[Memory], results: Mapping[str, Result]) -> Iterator[datetime]:
    for memory in memories:
        if memory.snoozed_until is not None and results.get(memory.id) == Result.SNOOZED:
            yield memory.snoozed_until
