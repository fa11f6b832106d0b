"""The review queue: memories to look at again, the riskiest first, each with its reasons and what its source says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from memtui.curate.snapshot_reader import WINDOW
from memtui.domain.freshness import (
    DESCRIPTION_PACE,
    PERISHABLE_PACE,
    PRINCIPLE_PACE,
    REVIEW_THRESHOLD,
    STEADY_PACE,
    USES,
    freshness,
    held_share,
    last_trusted_at,
    review_pace,
    review_risk,
)
from memtui.domain.kinds import Kinds
from memtui.domain.lessons import MOST_SNOOZES, snoozes_of
from memtui.domain.memory import Memory, Signal, Verdict, content_hash
from memtui.text.normal_form import normal_form
from memtui.text.words import counted
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import Asked, asked_about, riskiest
from memtui.vault.source_texts import SourceText, Texts, imported_texts, is_open, source_texts, texts_at
from memtui.vault.vault import Vault


class DueReason(StrEnum):
    """Why a memory is due, or what to know of it then; the values are part of `--json`."""

    FILE_CHANGED = "file-changed"
    FILE_MOVED = "file-moved"
    FILE_GONE = "file-gone"
    WOKEN = "woken"  # a file changed since it was snoozed
    CONTRADICTED = "contradicted"
    SOURCE_CHANGED = "source-changed"
    SOURCE_DROPPED = "source-dropped"  # its source no longer says it
    CANDIDATE_WAITS = "candidate-waits"
    DEADLINE = "deadline"
    AGE = "age"
    PACE = "pace"  # what it says ages sooner or later than others
    USED = "used"
    HURT = "hurt"
    REPEATED = "repeated"  # another that is due has the same title


Reasoned = tuple[DueReason, str]  # A reason, and its words for people


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that is due for review."""

    memory: Memory
    freshness: float
    risk: float  # larger is more urgent, see `memtui.domain.freshness.review_risk`
    because: tuple[Reasoned, ...]  # why it is due
    snoozes: int = 0  # how often it was snoozed since it was last verified

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is due, in words for people."""
        return tuple(words for _, words in self.because)

    @property
    def reason_codes(self) -> tuple[str, ...]:
        """The same for scripts, in the same order."""
        return tuple(reason.value for reason, _ in self.because)

    @property
    def offers_retiring(self) -> bool:
        """Whether it was snoozed so often that nobody seems to need it."""
        return self.snoozes >= MOST_SNOOZES

    @property
    def said(self) -> tuple[str, ...]:
        """The reasons, and what is offered."""
        return (*self.reasons, f"snoozed {self.snoozes:,} times: retire it?") if self.offers_retiring else self.reasons

    @property
    def why(self) -> str:
        """All of it in one line, the strongest reason first."""
        return ", ".join(self.said)


def review_queue(
    vault: Vault,
    scope: Scope,
    *,
    kinds: tuple[str, ...] = (),
    threshold: float = REVIEW_THRESHOLD,
    limit: int | None = None,
) -> list[Due]:
    """Return what is due now, by risk. Reading or using a memory never clears it; only a verdict does.

    What has the title of one before it, as copies in several rule files have, comes last: it is the same question.
    `memtui.vault.review_triggers` defines what is due, for the header, lists and counts alike. The states of files
    are those of the last check, see `memtui.curate.anchors.check_trees`.
    """
    now = vault.now()
    wanted = MemoryFilter(scope=scope, kinds=kinds, stale_at=now, threshold=threshold)
    with vault.read() as reader:
        ids = riskiest(reader, wanted, now=now, limit=None if limit is None else _LOOKED_AT * limit)
    queue: list[Due] = []
    for start in range(0, len(ids), WINDOW):
        queue += _read(vault, ids[start : start + WINDOW], wanted, now)
    queue.sort(key=lambda due: (-round(due.risk, 9), due.memory.created_at, due.memory.id))
    return _repeats_last(queue)[:limit]


_LOOKED_AT = 2  # Times as many as are wanted, since what repeats another is asked last


def _repeats_last(queue: Sequence[Due]) -> list[Due]:
    """Return a queue with what has the title of one before it behind the others, and says so."""
    asked: set[tuple[str | None, str]] = set()
    firsts: list[Due] = []
    repeats: list[Due] = []
    for due in queue:
        question = (due.memory.project, normal_form(due.memory.title))
        if question in asked:
            repeats.append(replace(due, because=(*due.because, _REPEATED)))
        else:
            asked.add(question)
            firsts.append(due)
    return firsts + repeats


_REPEATED = (DueReason.REPEATED, "another that is due has the same title")


def _read(vault: Vault, ids: Sequence[str], wanted: MemoryFilter, now: datetime) -> list[Due]:
    """Return memories that are due with their reasons; those decided since the ids were read are left out."""
    with vault.read() as reader:
        memories = reader.select(replace(wanted, ids=tuple(ids)), sort="created", now=now)
        asked = asked_about(reader, ids)
        signals: dict[str, list[Signal]] = {}
        for signal in reader.signals(ids):
            signals.setdefault(signal.memory_id, []).append(signal)
        verdicts: dict[str, list[Verdict]] = {}
        for verdict in reader.verdicts(ids):
            verdicts.setdefault(verdict.memory_id, []).append(verdict)
    return [
        replace(
            _due(memory, vault.kinds, now, signals.get(memory.id, ()), asked.get(memory.id, ())),
            snoozes=snoozes_of(memory, verdicts.get(memory.id, ())),
        )
        for memory in memories
    ]


_FILE_REASONS = {"changed": DueReason.FILE_CHANGED, "moved": DueReason.FILE_MOVED, "gone": DueReason.FILE_GONE}
_FILE_WORDS = {"changed": "changed since", "moved": "was moved since", "gone": "is gone"}


def _due(memory: Memory, kinds: Kinds, now: datetime, signals: Iterable[Signal], asked: Sequence[Asked]) -> Due:
    said = list(signals)
    uses = sum(signal.signal in USES for signal in said)
    since = max(filter(None, (memory.verified_at, memory.confirmed_at)), default=None)
    hurts = sum(signal.signal == "hurt" and (since is None or signal.at > since) for signal in said)
    causes: dict[str, list[Asked]] = {}
    for one in asked:
        causes.setdefault("file" if one.cause in _FILE_WORDS else one.cause, []).append(one)
    disputes = len({one.what for one in causes.get("contradicted", ())})
    risk = review_risk(
        held=held_share(memory, now, kinds),
        importance=memory.importance,
        uses=uses,
        changed_anchors=len(causes.get("file", ())) or len(causes.get("woken", ())),
        contradictions=disputes,
        hurts=hurts,
        imports=sum(len(causes.get(cause, ())) for cause in ("source", "dropped", "import")),
    )
    counts = ((DueReason.USED, "used", uses), (DueReason.HURT, "hurt", hurts))
    used = [(reason, _times(word, number)) for reason, word, number in counts if number]
    pace = [] if "file" in causes else [PACE_REASONS[each] for each in (review_pace(memory),) if each in PACE_REASONS]
    aged = [(DueReason.PACE, words) for words in pace]
    age = (DueReason.AGE, _age(memory, now))
    because = (*_events(causes, disputes), *_deadline(memory, now), age, *aged, *used)
    return Due(memory, freshness(memory, now, kinds), risk, because)


PACE_REASONS = {
    PERISHABLE_PACE: "names a version, date or stopgap",
    STEADY_PACE: "its files are unchanged",
    DESCRIPTION_PACE: "describes what may have changed",
    PRINCIPLE_PACE: "names nothing that may change",
}
"""Why a memory is due after another share of the usual time, by `memtui.domain.freshness.review_pace`."""


def _age(memory: Memory, now: datetime) -> str:
    days = counted((now - last_trusted_at(memory)).days, "day")
    if memory.verified_at:
        return f"last verified {days} ago"
    vouched = f"accepted on {memory.confirmed_at:%Y-%m-%d}" if memory.confirmed_at else "never verified"
    return f"{vouched}, {days} old"


def _times(word: str, number: int) -> str:
    return f"{word} once" if number == 1 else f"{word} {counted(number, 'time')}"


def _events(causes: Mapping[str, Sequence[Asked]], disputes: int) -> Iterator[Reasoned]:
    """Yield what happened since a memory was verified."""
    for one in causes.get("file", ()):
        yield _FILE_REASONS[one.cause], f"{one.what} {_FILE_WORDS[one.cause]}"
    if "woken" in causes:
        yield DueReason.WOKEN, "a file changed since it was snoozed"
    if disputes:
        yield DueReason.CONTRADICTED, f"contradicted by {counted(disputes, 'other')}"
    for words in _said(causes.get("source", ()), ("says something else", "say something else")):
        yield DueReason.SOURCE_CHANGED, words
    for words in _said(causes.get("dropped", ()), ("no longer says this", "no longer say this")):
        yield DueReason.SOURCE_DROPPED, words
    imports = causes.get("import", ())
    if imports:
        waits = "a candidate on the same files waits" if len(imports) == 1 else "candidates on the same files wait"
        yield DueReason.CANDIDATE_WAITS, f"{waits} since {min(one.at for one in imports):%Y-%m-%d}"


def _said(news: Sequence[Asked], words: tuple[str, str]) -> Iterator[str]:
    """Yield since when sources say something, those of one day together; `words`: of one of them, and of several."""
    days: dict[str, list[str]] = {}
    for one in news:
        days.setdefault(f"{one.at:%Y-%m-%d}", []).append(one.what)
    for day, found in days.items():
        *others, last = dict.fromkeys(found)
        yield f"{', '.join(others)} and {last} {words[1]} since {day}" if others else f"{last} {words[0]} since {day}"


def _deadline(memory: Memory, now: datetime) -> list[Reasoned]:
    if memory.due_at is None or memory.due_at > now:
        return []
    return [(DueReason.DEADLINE, f"due since {memory.due_at:%Y-%m-%d}")]


@dataclass(frozen=True, slots=True)
class SourceNews:
    """A source that says something else than when a person last looked."""

    paths: tuple[str, ...]  # the files that say the same anew
    at: datetime  # when that was found last
    before: Texts | None  # what it said; None where that was not kept
    now: Texts | None  # None where that was not kept
    is_taken: bool  # whether the memory says by now what the source says; else the two wait to be settled
    is_undone: bool = False  # whether the memory took it over, and that was undone: the next import does so again


def source_news(reader: VaultReader, memory: Memory) -> list[SourceNews]:
    """Return what sources of a memory say anew since it was made, accepted or verified; empty without any news."""
    asked = [one for one in asked_about(reader, [memory.id]).get(memory.id, ()) if one.cause == "source"]
    if not asked:
        return []
    waiting = {text.seen_hash: text for text in source_texts(reader, [memory.id]) if is_open(text, memory)}
    of_path = {text.path: text.seen_hash for text in waiting.values()}
    says = {state.path: state.seen_hash for state in reader.source_states([memory.id])}
    looked = (memory.created_at, memory.confirmed_at, memory.verified_at)
    since = max(moment for moment in looked if moment is not None)
    earlier = texts_at(reader, memory.id, since)
    undone = _undone(reader, memory, {path: said for path, said in says.items() if said not in waiting})
    groups: dict[str, list[Asked]] = {}
    for one in _latest(asked):
        said = of_path.get(one.what, says.get(one.what, ""))
        groups.setdefault(said if said in waiting or said in undone else "", []).append(one)
    return [
        SourceNews(*_told(same), Texts.of(memory), undone[said], is_taken=False, is_undone=True)
        if said in undone
        else _news(memory, same, waiting.get(said), earlier)
        for said, same in groups.items()
    ]


def _undone(reader: VaultReader, memory: Memory, says: Mapping[str, str]) -> dict[str, Texts | None]:
    """Return, by its hash, each text of a source that the memory does not hold because taking it over was undone."""
    held = {(source.path, source.imported_hash) for source in memory.sources}
    mine = content_hash(memory)
    undone = {said for path, said in says.items() if said and said != mine and (path, said) not in held}
    return {said: imported_texts(reader, {memory.id: {said}}).get(memory.id) for said in sorted(undone)}


def _latest(asked: Sequence[Asked]) -> list[Asked]:
    """Return one for each source, though several places of it may have news."""
    return list({one.what: one for one in sorted(asked, key=lambda one: one.at)}.values())


def _told(same: Sequence[Asked]) -> tuple[tuple[str, ...], datetime]:
    return tuple(one.what for one in same), max(one.at for one in same)


def _news(memory: Memory, same: Sequence[Asked], waiting: SourceText | None, earlier: Texts | None) -> SourceNews:
    paths, at = _told(same)
    if waiting is None:
        return SourceNews(paths, at, earlier, Texts.of(memory), is_taken=True)
    return SourceNews(paths, at, waiting.base, waiting.stated, is_taken=False)
