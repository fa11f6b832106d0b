"""Freshness: what a user relies on when trust fades and a memory becomes due."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.freshness import (
    FLOOR,
    HIGHEST,
    LOWEST,
    SIGNAL_TYPES,
    crossing_days,
    decay,
    due_at,
    freshness,
    from_counts,
    half_life_days,
    last_trusted_at,
    review_pace,
    usefulness,
)
from memtui.domain.kinds import Kind, Kinds
from memtui.domain.memory import MATCHED, Anchor, Memory, Signal, Source

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KINDS = Kinds()


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def memory(*, kind: str = "decision", created: datetime = NOW, **fields: object) -> Memory:
    return Memory(id="m", title="t", insight="i", kind=kind, created_at=created, updated_at=NOW, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("half_life", "threshold", "floor"), [(90.0, 0.5, FLOOR), (30.0, 0.9, 0.2), (7.0, 1.0, 0.0)])
def test_the_crossing_is_where_freshness_meets_the_threshold(half_life: float, threshold: float, floor: float) -> None:
    assert decay(crossing_days(half_life, threshold, floor), half_life, floor) == pytest.approx(threshold)


def test_what_ends_at_the_threshold_or_above_never_crosses_it() -> None:
    assert crossing_days(90.0, 0.2, floor=0.2) == crossing_days(90.0, 0.1, floor=0.2) == math.inf
    assert due_at(memory(), Kinds().weighed(floor=0.6), 0.5) == datetime.max.replace(tzinfo=UTC)


def test_trust_halves_towards_the_floor_once_per_half_life() -> None:
    assert decay(0, 90) == 1.0
    assert decay(90, 90) == pytest.approx(FLOOR + (1 - FLOOR) / 2)
    assert decay(180, 90) == pytest.approx(FLOOR + (1 - FLOOR) / 4)


@given(
    st.floats(0, 1e7),
    st.floats(0, 1e7),
    st.floats(0.01, 1e6),
)
def test_freshness_only_falls_with_age_and_stays_between_the_floor_and_one(
    one: float, other: float, half_life: float
) -> None:
    younger, older = sorted((one, other))
    assert FLOOR <= decay(older, half_life) <= decay(younger, half_life) <= 1.0


def test_a_pinned_memory_is_always_fresh() -> None:
    assert freshness(memory(created=days_ago(3 * 365), pinned=True), NOW, KINDS) == 1.0


def test_a_date_in_the_future_counts_as_now() -> None:
    assert freshness(memory(observed_at=datetime(2099, 1, 1, tzinfo=UTC)), NOW, KINDS) == 1.0


def test_age_counts_from_the_last_verification_else_the_observation_else_the_creation() -> None:
    created = memory(created=days_ago(30))
    observed = memory(created=days_ago(30), observed_at=days_ago(200))
    verified = memory(created=days_ago(30), observed_at=days_ago(200), verified_at=days_ago(3))
    assert [last_trusted_at(m) for m in (created, observed, verified)] == [days_ago(30), days_ago(200), days_ago(3)]


def test_a_decision_of_200_days_outlives_a_tooling_memory_of_100() -> None:
    decision = freshness(memory(kind="decision", created=days_ago(200)), NOW, KINDS)
    tooling = freshness(memory(kind="tooling", created=days_ago(100)), NOW, KINDS)
    assert decision > 0.5 > tooling


def test_a_note_fades_within_a_week() -> None:
    assert freshness(memory(kind="note", created=days_ago(8)), NOW, KINDS) < 0.5


def test_a_persons_half_life_beats_the_kinds() -> None:
    assert half_life_days(memory(half_life_days=12.5, verified_at=NOW, created=days_ago(500)), KINDS) == 12.5


def test_a_memory_that_held_for_long_gets_a_longer_half_life() -> None:
    fresh = memory(kind="tooling", created=days_ago(200))
    proven = memory(kind="tooling", created=days_ago(200), verified_at=NOW)
    assert half_life_days(fresh, KINDS) == 90
    # ln 2 * (b + t) / a with b = 2 * 90 / ln 2, t = 200 days, a = 2
    assert half_life_days(proven, KINDS) == pytest.approx(90 + 0.693147 * 200 / 2, abs=1e-3)


def test_a_verification_before_the_observation_proves_nothing() -> None:
    odd = memory(kind="tooling", observed_at=NOW, verified_at=days_ago(50))
    assert half_life_days(odd, KINDS) == pytest.approx(90)


def test_kinds_of_the_configuration_bring_their_own_half_life() -> None:
    kinds = Kinds([Kind("runbook", "procedural", 30)])
    assert half_life_days(memory(kind="runbook"), kinds) == 30
    assert half_life_days(memory(kind="unheard-of"), kinds) == 180


def test_a_memory_is_due_exactly_when_it_falls_below_the_threshold() -> None:
    fading = memory(kind="tooling")
    due = due_at(fading, KINDS)
    assert due is not None
    assert freshness(fading, due - timedelta(minutes=1), KINDS) > 0.5
    assert freshness(fading, due + timedelta(minutes=1), KINDS) < 0.5


@pytest.mark.parametrize("threshold", [0.06, 0.5, 0.9, 1.0])
def test_a_higher_threshold_is_crossed_at_its_own_moment(threshold: float) -> None:
    fading = memory(kind="tooling")
    due = due_at(fading, KINDS, threshold)
    assert due is not None
    assert freshness(fading, due, KINDS) == pytest.approx(threshold, abs=1e-6)


def test_a_day_that_a_person_set_comes_earlier_than_fading_but_never_later() -> None:
    soon = NOW + timedelta(days=2)
    assert due_at(memory(due_at=soon), KINDS) == soon
    far = NOW + timedelta(days=9000)
    assert due_at(memory(due_at=far), KINDS) == due_at(memory(), KINDS)


def test_a_snooze_defers_being_due_and_nothing_brings_it_forward() -> None:
    until = NOW + timedelta(days=4000)
    assert due_at(memory(snoozed_until=until, due_at=NOW), KINDS) == until
    assert due_at(memory(snoozed_until=days_ago(5)), KINDS) == due_at(memory(), KINDS)


def test_a_pinned_memory_is_due_only_on_a_day_that_was_set() -> None:
    soon = NOW + timedelta(days=2)
    later = NOW + timedelta(days=9)
    assert due_at(memory(pinned=True), KINDS) is None
    assert due_at(memory(pinned=True, snoozed_until=soon), KINDS) is None
    assert due_at(memory(pinned=True, due_at=soon), KINDS) == soon
    assert due_at(memory(pinned=True, due_at=soon, snoozed_until=later), KINDS) == later


def test_the_longest_half_life_is_due_at_the_end_of_time_and_not_an_error() -> None:
    due = due_at(memory(half_life_days=1_000_000.0, created=datetime(9000, 1, 1, tzinfo=UTC)), KINDS, 0.06)
    assert due is not None
    assert due.year == 9999


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_what_was_accepted_lately_is_due_later_yet_no_fresher() -> None:
    waiting = memory(kind="tooling", created=days_ago(1), observed_at=days_ago(300))
    accepted = replace(waiting, confirmed_at=days_ago(1))
    assert freshness(accepted, NOW, KINDS) == freshness(waiting, NOW, KINDS)
    before, after = due_at(waiting, KINDS), due_at(accepted, KINDS)
    assert before is not None
    assert after is not None
    assert before < NOW
    assert after - before == timedelta(days=299)
    verified = replace(accepted, verified_at=NOW)
    assert due_at(verified, KINDS) == due_at(replace(verified, confirmed_at=None), KINDS)


def signals(name: str, count: int = 1, *, days: float = 0, weight: float = 1.0) -> list[Signal]:
    at = NOW - timedelta(days=days)
    return [Signal(memory_id="m", signal=name, at=at, actor="person", weight=weight)] * count


def test_a_memory_nobody_used_counts_as_it_is() -> None:
    assert usefulness([], NOW) == 1.0


def test_helping_lifts_and_hurting_lowers() -> None:
    assert usefulness(signals("helped"), NOW) == pytest.approx(2 * 2 / 3)
    assert usefulness(signals("hurt"), NOW) == LOWEST
    assert usefulness(signals("unused"), NOW) < 1.0
    assert usefulness(signals("corrected"), NOW) < usefulness(signals("unused"), NOW)


@pytest.mark.parametrize("verdict", ["hurt", "corrected"])
@pytest.mark.parametrize("use", ["injected", "copied", "referenced"])
def test_no_amount_of_use_outweighs_one_bad_verdict(verdict: str, use: str) -> None:
    assert usefulness([*signals(use, 100_000), *signals(verdict)], NOW) < 1.0


@pytest.mark.parametrize("use", ["injected", "copied", "referenced"])
def test_no_amount_of_use_lifts_as_much_as_one_good_verdict(use: str) -> None:
    assert usefulness(signals(use, 100_000), NOW) < usefulness(signals("helped"), NOW)


def test_frequent_use_counts_a_little_and_less_and_less() -> None:
    values = [usefulness(signals("injected", count), NOW) for count in (0, 10, 20, 30)]
    assert values == sorted(set(values))
    assert values[1] - values[0] > values[2] - values[1] > values[3] - values[2]


def test_a_reference_says_more_than_a_copy() -> None:
    assert usefulness(signals("referenced"), NOW) > usefulness(signals("copied"), NOW)


@pytest.mark.parametrize("name", ["accepted", "previewed", "displayed"])
def test_what_is_no_use_counts_for_nothing(name: str) -> None:
    assert usefulness(signals(name, 100), NOW) == 1.0


@pytest.mark.parametrize("name", ["helped", "hurt", "injected"])
def test_every_signal_fades(name: str) -> None:
    distances = [abs(usefulness(signals(name, days=days), NOW) - 1.0) for days in (0, 90, 400, 4000)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-6


def test_a_signal_counts_half_after_ninety_days() -> None:
    assert usefulness(signals("helped", days=90), NOW) == pytest.approx(from_counts(0.5, 0))


def test_a_signal_from_the_future_counts_as_one_of_now() -> None:
    assert usefulness(signals("helped", days=-400), NOW) == usefulness(signals("helped"), NOW)


@given(
    st.lists(
        st.builds(
            Signal,
            memory_id=st.just("m"),
            signal=st.sampled_from(SIGNAL_TYPES),
            at=st.datetimes(timezones=st.just(UTC)),
            actor=st.just("a"),
            weight=st.floats(0, 1000),
        )
    )
)
def test_usefulness_stays_within_its_bounds(found: list[Signal]) -> None:
    assert LOWEST <= usefulness(found, NOW) <= HIGHEST


@pytest.mark.parametrize(
    ("insight", "pace"),
    [
        ("We build with Node 20.11.", 2 / 3),
        ("Remix 2.17.4 is in use", 2 / 3),
        ("(v3) of the API", 2 / 3),
        ("Frozen since 2026-03-01.", 2 / 3),
        ("For now the queue is polled.", 2 / 3),
        ("Current first goal: the queue drains by itself", 2 / 3),
        ("The retry worker is parked while the queue comes up.", 2 / 3),
        ("Main goal now: drain the queue.", 2 / 3),
        ("When polling resumes, lower the interval.", 2 / 3),
        ("Retries are not counted yet.", 2 / 3),
        ("Zurzeit wird gepollt.", 2 / 3),
        ("Pour le moment, la file est vide.", 2 / 3),
        ("Por el momento no hay reintentos.", 2 / 3),
        ("现阶段只有一个队列。", 2 / 3),
        ("リトライは保留中です。", 2 / 3),
        ("Drain the current queue before the next.", 1.0),
        ("Block 10.0/8 and 172.16/12.", 1.0),
        ("Call `Retry(10.0, first=0.5)`.", 1.0),
        ("Tag it as v1.2.3.", 1.0),
        ("Post to `/api/v1/queue`.", 1.0),
        ("Warn at 0.7 and after 1.5 s.", 1.0),
        ("The client is pinned to 0.27.2.", 2 / 3),
        ("Pin the linter at 0.9.1.", 2 / 3),
        ("The queue needs its client <2.0.", 2 / 3),
        ("Runs on Python 3.11/3.12.", 2 / 3),
        ("Needs 3.12 min.", 2 / 3),
        ("The queue is full after 2.5 min.", 1.0),
        ("It listens on 127.0.0.1.", 1.0),
        ("Section 4 has 30 rules.", 1.0),
        ("The router matches paths.", 1.0),
    ],
)
def test_a_version_a_date_and_a_stopgap_are_due_sooner(insight: str, pace: float) -> None:
    one = replace(memory(), insight=insight)
    assert review_pace(one) == pytest.approx(pace)
    tied = replace(one, anchors=(Anchor("a.py", "abc"),))
    assert review_pace(tied) == pytest.approx(pace if pace < 1 else 2.0)
    assert review_pace(replace(one, half_life_days=50.0)) == review_pace(one)
    assert review_pace(replace(one, anchors=(Anchor("*.py", MATCHED), Anchor("src/")))) == pytest.approx(pace)


@pytest.mark.parametrize(
    ("insight", "pace", "typed"),
    [
        ("Prefer short functions and name them by what they return.", 3.0, 1.0),
        ("Explain `why` in a comment, never `what`/`how`.", 3.0, 1.0),
        ("Keep lines below 110 characters.", 1.0, 1.0),
        ("Strings live in `src/strings.ts`.", 1.0, 1.0),
        ("Read the key from PAYMENT_KEY.", 1.0, 1.0),
        ("Before a commit: `pnpm lint`", 1.0, 1.0),
        ("See https://docs.example.com first.", 1.0, 1.0),
        ("Write styles with Tailwind 4.", 2 / 3, 2 / 3),
        ("The legacy endpoints stay as they are.", 2 / 3, 2 / 3),
        ("目前只支持一个租户。", 2 / 3, 2 / 3),
    ],
)
def test_a_rule_of_a_file_that_names_nothing_to_look_up_is_due_much_later(
    insight: str, pace: float, typed: float
) -> None:
    rule = replace(memory(kind="convention"), insight=insight, sources=(Source(format="agents-md", path="AGENTS.md"),))
    assert review_pace(rule) == pytest.approx(pace)
    assert review_pace(replace(rule, sources=())) == pytest.approx(typed)
    assert review_pace(replace(rule, kind="decision")) == pytest.approx(typed)


def test_a_description_that_names_something_to_look_up_is_due_sooner_unless_its_files_are_watched() -> None:
    described = replace(memory(kind="architecture"), insight="The queue lives in `src/queue.ts`.")
    assert review_pace(described) == 0.75
    assert review_pace(replace(described, insight="The queue keeps the order of what it takes.")) == 1.0
    assert review_pace(replace(described, anchors=(Anchor("src/queue.ts", "abc"),))) == 2.0


def test_a_pointer_to_a_skill_is_hardly_ever_asked_about_as_the_skill_says_itself_when_to_use_it() -> None:
    source = Source(format="skill", path=".claude/skills/release/SKILL.md")
    pointer = memory(kind="tooling", sources=(source,))
    pointer = replace(pointer, title="Skill release: use it", insight="Skill `release`: use it for version 2.1.")
    assert review_pace(pointer) == 3.0


@given(
    insight=st.sampled_from(
        ("Prefer short functions.", "We build with Node 22.", "Lives in `src/queue.ts`.", "The queue keeps the order.")
    ),
    kind=st.sampled_from(("architecture", "convention", "tooling", "lesson")),
    sources=st.sampled_from(((), (Source(format="agents-md", path="AGENTS.md"),))),
    anchors=st.sampled_from(((), (Anchor("src/queue.ts", "abc"),))),
    verified=st.none() | st.floats(0, 900),
    half_lives=st.tuples(st.floats(1, 4000), st.floats(1, 4000)),
)
def test_a_longer_half_life_never_makes_a_memory_due_earlier(
    insight: str,
    kind: str,
    sources: tuple[Source, ...],
    anchors: tuple[Anchor, ...],
    verified: float | None,
    half_lives: tuple[float, float],
) -> None:
    one = memory(kind=kind, created=days_ago(1000), sources=sources, anchors=anchors)
    one = replace(one, insight=insight, verified_at=None if verified is None else days_ago(verified))

    def due(days: float | None) -> datetime:
        found = due_at(replace(one, half_life_days=days), KINDS)
        assert found is not None
        return found

    shorter, longer = sorted(half_lives)
    assert due(shorter) <= due(longer)
    today = half_life_days(one, KINDS)
    assert due(today) == due(None), "the half-life that it has already changes nothing"
    assert due(min(shorter, today)) <= due(None) <= due(max(longer, today))
