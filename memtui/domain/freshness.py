"""Freshness, usefulness, importance and risk: the factors of a score."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memtui.domain.kinds import DEFAULT_FLOOR, DEFAULT_HURT_WEIGHT, Kinds
from memtui.domain.memory import DEFAULT_IMPORTANCE, MATCHED, Memory, Signal
from memtui.text.tables import read_lines

FLOOR = DEFAULT_FLOOR  # The default lower limit of freshness
REVIEW_THRESHOLD = 0.5  # Below this freshness a memory is due for review
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.06, 1.0  # Review thresholds that the configuration takes: above the floor
SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE = 0.01, 1_000_000.0  # The range of half-lives, in days, of one memory

GAMMA_SHAPE = 2.0
"""Shape `a` of the Gamma prior on the rate at which a kind's facts expire; its rate is 2 H / ln 2 days."""

MOST_GROWTH = 4.0  # A memory's half-life grows to so many times that of its kind by being verified

UNTIL_CHANGE = datetime(9999, 12, 31, tzinfo=UTC)
"""`snoozed_until` of a memory that is snoozed until one of its files changes."""

_DAY_SECONDS = 86_400.0

PERISHABLE = "(?i)" + "|".join(read_lines(__file__, "perishable.txt"))
"""A text that names a version or a date, or says that it holds for the moment; read by Python and by DuckDB alike."""

NO_VERSIONS = "(?i)" + "|".join(read_lines(__file__, "no_versions.txt"))
"""What looks like a version and is none, which is left out before a text is read so."""

CHECKABLE = (
    r"(?i)(^|\W)\d\d|https?://|@[\w-]+/\w|`[^`\s]*\w/[^`\s]*`|\w/[\w.*-]+/"
    r"|\w\.(tsx?|jsx?|mjs|json|toml|ya?ml|py|go|rs|md|mdx|sh|sql|cfg|ini|lock|html|s?css|cpp|h|java|kt|rb|php|cs|ex|xml)\b"
    r"|\b(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"
    r"|(`|\n|\$ )(npm|pnpm|yarn|npx|bun|uv|uvx|pip|poetry|cargo|go|make|just|task|docker|kubectl|helm|gh|composer"
    r"|bundle|mix|\./\w+|pixi|conda|apt-get|brew|cmake|bazel|rake|sbt|cabal|zig|hatch|pdm|wrangler|mvn"
    r"|gradle|dotnet|pytest|tox|nox|ruff|mypy|deno|nx|turbo|pio|terraform|swift|flutter) [\w./-]"
)
"""A text that names what can be looked up in a project and may have changed there: a number, a path, a command, an
address, a variable. What names none of these is a principle: a rule holds until somebody takes it back."""

POINTER = r"^Skill \S+:"  # A pointer to a skill, whose own file says when to use it

PERISHABLE_PACE = 2 / 3  # Share of the usual time after which a perishable text is due
STEADY_PACE = 2.0  # Share of it for any other text whose files were hashed: if one changes, it is due anyway
PRINCIPLE_PACE = 3.0  # Share of it for a rule of a file that names nothing to look up: its file is what makes it true
DESCRIPTION_PACE = 3 / 4
"""Share of it for a description that names something to look up: in the history of 19 public repositories these changed
most often, 40 of 100 within 120 to 240 days, against 22 of the rules that name nothing."""

DESCRIPTIVE = frozenset({"architecture"})  # Kinds that describe how things are
PRINCIPLED = frozenset({"constraint", "convention", "tooling"})
"""Kinds of rules. A decision, a fault or a description may be outdated without naming anything that changes."""

_PERISHABLE = re.compile(PERISHABLE, re.ASCII)
_NO_VERSIONS = re.compile(NO_VERSIONS, re.ASCII)
_CHECKABLE = re.compile(CHECKABLE, re.ASCII)
_POINTER = re.compile(POINTER)


def last_trusted_at(memory: Memory) -> datetime:
    """Return when the memory was last verified, else observed, else created."""
    return memory.verified_at or memory.observed_at or memory.created_at


def vouched_at(memory: Memory) -> datetime:
    """Return when the time to its next review began: when it was last trusted, or accepted where that was later.

    Accepting is no verification, so freshness ignores it; but what a person accepted today is not asked about today.
    """
    trusted = last_trusted_at(memory)
    return max(trusted, memory.confirmed_at) if memory.confirmed_at else trusted


def first_trusted_at(memory: Memory) -> datetime:
    """Return when the memory was first known: observed, else created."""
    return memory.observed_at or memory.created_at


def half_life_days(memory: Memory, kinds: Kinds) -> float:
    """Return the effective half-life of one memory in days: its own if a person set one, else by `half_life_after`."""
    if memory.half_life_days is not None:
        return memory.half_life_days
    default = kinds.half_life(memory.kind, memory.project)
    if memory.verified_at is None:
        return default
    held = max(0.0, (memory.verified_at - first_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return half_life_after(default, held)


def half_life_after(default: float, held: float) -> float:
    """Return the half-life after holding for t days: ln 2 * (b + t) / a with the Gamma prior, at most four-fold.

    `default`: that of its kind in days. A key pressed once on a memory of ten years must not settle it for decades.
    """
    return min(MOST_GROWTH * default, default + math.log(2) * held / GAMMA_SHAPE)


def review_pace(memory: Memory) -> float:
    """Return after what share of the usual time a memory is due by age, also where a person set its half-life.

    It hangs on the text and its files alone, so that a longer half-life never makes a memory due earlier. A version
    number is asked about sooner than others, and a description that names something to look up; what has files that
    have not changed later, and a rule of a file that names nothing to look up much later.
    """
    text = f"{memory.title}\n{memory.insight}"
    is_of_file = any(source.path for source in memory.sources)
    if is_of_file and _POINTER.search(text):
        return PRINCIPLE_PACE
    if _PERISHABLE.search(_NO_VERSIONS.sub(" ", text)):
        return PERISHABLE_PACE
    is_checkable = _CHECKABLE.search(text) is not None
    if is_of_file and memory.kind in PRINCIPLED and not is_checkable:
        return PRINCIPLE_PACE
    if any(anchor.content_hash not in {None, MATCHED} for anchor in memory.anchors):
        return STEADY_PACE
    return DESCRIPTION_PACE if memory.kind in DESCRIPTIVE and is_checkable else 1.0


def freshness(memory: Memory, now: datetime, kinds: Kinds) -> float:
    """Return the freshness of a memory at a moment, in FLOOR–1; 1.0 if pinned.

    A date in the future counts as now.
    """
    if memory.pinned:
        return 1.0
    age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return decay(age, half_life_days(memory, kinds), kinds.floor)


def decay(age_days: float, half_life: float, floor: float = FLOOR) -> float:
    """Return freshness at an age for a half-life, both in days."""
    return floor + (1.0 - floor) * math.pow(2.0, -age_days / half_life)


def crossing_days(half_life: float, threshold: float, floor: float = FLOOR) -> float:
    """Return at which age `decay` falls below a threshold, both in days; infinite at or below the floor."""
    return half_life * math.log2((1.0 - floor) / (threshold - floor)) if threshold > floor else math.inf


def due_at(
    memory: Memory,
    kinds: Kinds,  # the kinds in force
    threshold: float = REVIEW_THRESHOLD,  # freshness below which a memory is due
    *,
    # when something other than its age asked for a review, see `memtui.vault.review_triggers`
    asked_at: datetime | None = None,
    woken_at: datetime | None = None,  # when the file change that a snooze waited for was found
) -> datetime | None:
    """Return when a memory becomes due for review, or None if no day is known.

    The moment at which it has faded to the threshold since `vouched_at`, sooner or later by `review_pace`, its own
    `due_at`, or the moment something else asked for a review, whichever comes first; a snooze defers them all, unless
    the change that it waited for has come. What would become due in a holiday does after it.
    A pinned memory does not fade.
    """
    if woken_at is not None:
        return kinds.after_holiday(woken_at)
    moments = [moment for moment in (memory.due_at, asked_at) if moment is not None]
    if not memory.pinned:
        moments.append(_crossing(memory, kinds, threshold))
    if not moments or memory.snoozed_until == UNTIL_CHANGE:
        return None
    when = max(min(moments), memory.snoozed_until) if memory.snoozed_until else min(moments)
    return kinds.after_holiday(when)


def _crossing(memory: Memory, kinds: Kinds, threshold: float) -> datetime:
    """Return when a memory has faded to a threshold since it was vouched for; the end of time if it never does."""
    days = review_pace(memory) * crossing_days(half_life_days(memory, kinds), threshold, kinds.floor)
    try:
        return vouched_at(memory) + timedelta(days=days)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


SIGNAL_HALF_LIFE_DAYS = 90.0
HURT_WEIGHT = DEFAULT_HURT_WEIGHT
LOWEST, HIGHEST = 0.5, 1.5


@dataclass(frozen=True, slots=True)
class SignalType:
    """What one fresh signal of a type adds."""

    helped: float = 0.0  # to H; a person's "helped" is 1
    hurt: float = 0.0  # to B; a person's "hurt" is 1
    use: float = 0.0  # to the use u, which counts by its logarithm only


SIGNALS: Mapping[str, SignalType] = {
    "injected": SignalType(use=0.1),
    "copied": SignalType(use=0.1),
    "referenced": SignalType(use=0.3),
    # Accepting a proposal and being asked about a pack say nothing of the use.
    "accepted": SignalType(),
    "asked": SignalType(),
    # Somebody broke its rule and said why: no judgement yet, but shown at its next review.
    "allowed": SignalType(),
    "helped": SignalType(helped=1.0),
    # Found by a program, not said by a person: at most half as much.
    "paid": SignalType(helped=0.5),
    "stopped": SignalType(helped=0.5),
    "followed": SignalType(helped=0.2),
    "contradicted": SignalType(hurt=0.2),
    # Said again by a person to an assistant: it holds, and was not heeded.
    "restated": SignalType(helped=0.3),
    "hurt": SignalType(hurt=1.0),
    "corrected": SignalType(hurt=0.5),
    "unused": SignalType(hurt=0.1),
}
"""The types of signals with their weights; a new kind of signal adds its row here."""

SIGNAL_TYPES = tuple(SIGNALS)

AUTOMATIC = frozenset({"injected", "referenced", "followed", "contradicted", "restated", "stopped", "paid"})
"""What programs found of the use of a memory; the other types are what a person did or said."""

_NO_WEIGHT = SignalType()


def usefulness(signals: Iterable[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> float:
    """Return the usefulness of one memory from its signals, 0.5 to 1.5; 1.0 without any."""
    helped = hurt = use = 0.0
    for signal in signals:
        age = max(0.0, (now - signal.at).total_seconds() / _DAY_SECONDS)
        weight = signal.weight * math.pow(2.0, -age / SIGNAL_HALF_LIFE_DAYS)
        kind = SIGNALS.get(signal.signal, _NO_WEIGHT)
        helped += weight * kind.helped
        hurt += weight * kind.hurt
        use += weight * kind.use
    share = math.log1p(use)
    return from_counts(helped + share / (1.0 + share), hurt, hurt_weight)


def from_counts(helped: float, hurt: float, hurt_weight: float = HURT_WEIGHT) -> float:
    raw = 2.0 * (1.0 + helped) / (2.0 + helped + hurt_weight * hurt)
    return min(HIGHEST, max(LOWEST, raw))


MULTIPLIERS = {1: 0.8, 2: 0.894, 3: 1.0, 4: 1.118, 5: 1.25}


def multiplier(importance: int) -> float:
    """Return the multiplier of an importance; values outside 1–5 are clamped."""
    return MULTIPLIERS[min(5, max(1, importance))]


MOST_USES = 10  # Uses beyond these make a review no more urgent
USES_TO_DOUBLE = 5.0  # Uses that double the risk
USES = frozenset({"copied", "injected", "referenced", "helped"})  # Signals that count as a use

AGE_SHARE = 0.6  # How probable it is at most that a memory is outdated, as far as its age tells
LEFT_BY = {"changed_anchors": 0.6, "contradictions": 0.5, "hurts": 0.5, "imports": 0.7}
"""By what each of these multiplies the probability that a memory still holds."""


def review_risk(
    *,
    held: float,  # 2^(−age / half-life), 0–1, the age divided by its pace
    importance: int = DEFAULT_IMPORTANCE,
    uses: int = 0,  # how often it was injected, copied, referenced or helped
    changed_anchors: int = 0,  # anchors that changed, moved or went missing since it was verified
    contradictions: int = 0,  # active memories that contradict it
    hurts: int = 0,  # how often it hurt since it was verified
    imports: int = 0,  # sources and candidates on its subject imported since then
) -> float:
    """Return the probability that it is outdated × importance × exposure, which five uses double."""
    holds = 1.0 - AGE_SHARE * (1.0 - held)
    counts = {"changed_anchors": changed_anchors, "contradictions": contradictions, "hurts": hurts, "imports": imports}
    for name, number in counts.items():
        holds *= LEFT_BY[name] ** number
    return (1.0 - holds) * multiplier(importance) * (1.0 + min(uses, MOST_USES) / USES_TO_DOUBLE)


def held_share(memory: Memory, now: datetime, kinds: Kinds) -> float:
    """Return 2^(−age / half-life) with the age divided by `review_pace`; 1 if pinned."""
    if memory.pinned:
        return 1.0
    age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return decay(age / review_pace(memory), half_life_days(memory, kinds), 0.0)
