"""The portable record: what goes out comes back, and a wrong value is named."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.causes import CAUSES, ERASED, PURGED, REJECTED, RETIRED, WAITED_TOO_LONG
from memtui.domain.memory import LINK_TYPES, STATUSES, Anchor, Link, Memory, Signal, Source, Tombstone, Verdict
from memtui.domain.record import (
    RecordError,
    format_time,
    link_record,
    memory_from_record,
    memory_record,
    names_a_path,
    parse_time,
    signal_record,
    stone_cause,
    tombstone_record,
    verdict_record,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINIMAL = {"insight": "Seed the database before the tests."}

times = st.datetimes(timezones=st.just(UTC))
words = st.text(min_size=1, max_size=12)
names = words.map(str.strip).filter(bool)
texts = st.text(max_size=60)
sources = st.builds(
    Source,
    format=words,
    path=st.none() | words,
    span=st.none() | st.tuples(st.integers(1, 9999), st.integers(1, 9999)),
    native_id=st.none() | words,
    agent=st.none() | words,
    imported_hash=st.none() | words,
)
memories = st.builds(
    Memory,
    id=names,
    title=texts.map(str.strip),
    insight=texts.filter(str.strip),
    kind=names,
    project=st.none() | names,
    status=st.sampled_from(STATUSES),
    status_reason=texts | st.sampled_from(CAUSES),
    cause=st.sampled_from(CAUSES),
    rationale=texts,
    snippet=texts,
    anchors=st.lists(
        st.builds(Anchor, path=words.filter(names_a_path), content_hash=st.none() | words), max_size=3
    ).map(tuple),
    tags=st.lists(words, max_size=3, unique=True).map(tuple),
    rules=st.lists(words, max_size=3, unique=True).map(tuple),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    pinned=st.booleans(),
    created_at=times,
    updated_at=st.just(NOW),
    observed_at=st.none() | times,
    confirmed_at=st.none() | times,
    confirmed_by=st.none() | words,
    verified_at=st.none() | times,
    verified_by=st.none() | words,
    valid_from=st.none() | times,
    valid_until=st.none() | times,
    due_at=st.none() | times,
    snoozed_until=st.none() | times,
    half_life_days=st.none() | st.floats(0.01, 1e6),
    sources=st.lists(sources, max_size=3).map(tuple),
    version=st.integers(1, 99),
).map(lambda memory: memory if memory.status == "retired" else replace(memory, cause=""))


@given(memories)
def test_a_memory_comes_back_from_its_record_as_it_was(memory: Memory) -> None:
    record = json.loads(json.dumps(memory_record(memory)))
    assert memory_from_record(record, now=NOW, new_id="other", version=memory.version) == memory


@given(memories)
def test_a_record_holds_nothing_derived(memory: Memory) -> None:
    derived = {"freshness", "usefulness", "tier", "version", "updated_at", "anchor_state"}
    assert not derived & memory_record(memory).keys()
    assert all(set(anchor) <= {"path", "content_hash"} for anchor in memory_record(memory).get("anchors", ()))


def test_keys_come_in_one_order_and_empty_ones_are_left_out() -> None:
    plain = memory_from_record(MINIMAL, now=NOW, new_id="abcd2345")
    assert list(memory_record(plain)) == [
        *("id", "project", "kind", "status", "title", "insight"),
        *("importance", "confidence", "pinned", "created_at"),
    ]


def test_only_the_insight_is_required() -> None:
    made = memory_from_record(MINIMAL, now=NOW, new_id="abcd2345")
    assert (made.id, made.kind, made.status, made.project) == ("abcd2345", "lesson", "active", None)
    assert (made.created_at, made.updated_at, made.importance, made.confidence) == (NOW, NOW, 3, 1.0)


def test_a_given_id_is_kept_and_unknown_keys_do_no_harm() -> None:
    made = memory_from_record({**MINIMAL, "id": " PAY-7 ", "freshness": 0.2, "x": [1]}, now=NOW, new_id="abcd2345")
    assert made.id == "PAY-7"


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"insight": ""},
        {"insight": " \n"},
        {"insight": 7},
        {**MINIMAL, "title": ["a"]},
        {**MINIMAL, "id": 12},
        {**MINIMAL, "status": "done"},
        {**MINIMAL, "importance": 0},
        {**MINIMAL, "importance": "3"},
        {**MINIMAL, "importance": True},
        {**MINIMAL, "confidence": 1.5},
        {**MINIMAL, "confidence": float("nan")},
        {**MINIMAL, "pinned": "yes"},
        {**MINIMAL, "half_life_days": 0},
        {**MINIMAL, "half_life_days": float("inf")},
        {**MINIMAL, "tags": {"a": 1}},
        {**MINIMAL, "tags": [1]},
        {**MINIMAL, "anchors": [{"file": "a.py"}]},
        {**MINIMAL, "anchors": 3},
        {**MINIMAL, "source": 3},
        {**MINIMAL, "source": {"format": "x", "span": [1]}},
        {**MINIMAL, "source": {"format": "x", "span": [1, "2"]}},
        {**MINIMAL, "other_sources": "x"},
        {**MINIMAL, "created_at": "yesterday"},
        {**MINIMAL, "valid_until": 5},
    ],
)
def test_a_value_that_does_not_fit_is_named(record: dict[str, Any]) -> None:
    with pytest.raises(RecordError) as refused:
        memory_from_record(record, now=NOW, new_id="abcd2345")
    key = next(reversed(record), "insight")
    assert key.removeprefix("other_") in str(refused.value) or "span" in str(refused.value)


def test_an_error_shows_the_beginning_of_a_huge_value_alone() -> None:
    with pytest.raises(RecordError) as refused:
        memory_from_record({**MINIMAL, "status": "x" * 1_000_000}, now=NOW, new_id="abcd2345")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2025-10-24", datetime(2025, 10, 24, tzinfo=UTC)),
        ("2025-10-24T08:30:00", datetime(2025, 10, 24, 8, 30, tzinfo=UTC)),
        ("2025-10-24T08:30:00Z", datetime(2025, 10, 24, 8, 30, tzinfo=UTC)),
        (" 2026-01-08T16:42:38.411118+09:00 ", datetime(2026, 1, 8, 7, 42, 38, 411118, tzinfo=UTC)),
        ("2099-01-01", datetime(2099, 1, 1, tzinfo=UTC)),
        (None, None),
        ("", None),
    ],
)
def test_times_of_every_form_become_utc(written: str | None, moment: datetime | None) -> None:
    assert parse_time(written) == moment


@pytest.mark.parametrize("written", ["yesterday", "24.10.2025", "2025-13-01", "0001-01-01T00:00:00+14:00", 5, True, []])
def test_what_is_no_time_is_an_error_that_names_the_key(written: object) -> None:
    with pytest.raises(RecordError, match="due_at"):
        parse_time(written, "due_at")


@given(st.datetimes(datetime.min.replace(year=2), datetime.max.replace(year=9998), timezones=st.timezones()))  # noqa: DTZ901 - the very ends of the calendar
def test_a_time_is_written_in_utc_and_read_back_to_the_microsecond(moment: datetime) -> None:
    written = format_time(moment)
    assert written is not None
    assert written.endswith("Z")
    assert parse_time(written) == moment.astimezone(UTC)


def test_whole_seconds_are_written_short() -> None:
    east = timezone(timedelta(hours=9))
    assert format_time(datetime(2026, 1, 8, 16, 42, 38, tzinfo=east)) == "2026-01-08T07:42:38Z"
    assert format_time(None) is None


def test_tags_and_anchors_may_be_written_by_hand() -> None:
    made = memory_from_record(
        {**MINIMAL, "tags": "db, tests, ,db", "anchors": ["a.py", {"path": "b.py", "content_hash": "f0"}]},
        now=NOW,
        new_id="abcd2345",
    )
    assert made.tags == ("db", "tests")
    assert made.anchors == (Anchor("a.py"), Anchor("b.py", "f0"))


def test_a_source_may_be_a_name_alone() -> None:
    made = memory_from_record({**MINIMAL, "source": "slack"}, now=NOW, new_id="abcd2345")
    assert made.source == Source(format="slack")
    assert replace(made, sources=()).source is None


def test_what_hangs_on_memories_has_typed_lines_with_fixed_keys() -> None:
    link = Link(from_id="a", type="relates", to_id="b", created_at=NOW)
    verdict = Verdict(memory_id="a", verdict="still-true", at=NOW, actor="person", exposure_days=2.5)
    signal = Signal(memory_id="a", signal="helped", at=NOW, actor="person")
    stone = Tombstone(content_hash="f0", project=None, memory_id="a", at=NOW, actor="person")
    assert list(link_record(link)) == ["type", "from", "link", "to", "weight", "origin", "created_at"]
    assert list(verdict_record(verdict)) == ["type", "memory", "verdict", "at", "actor", "exposure_days"]
    assert list(signal_record(signal)) == ["type", "memory", "signal", "at", "actor", "weight"]
    assert list(tombstone_record(stone)) == ["type", "content_hash", "project", "memory", "at", "actor"]
    assert verdict_record(replace(verdict, reason="r"))["reason"] == "r"
    assert signal_record(replace(signal, reason="r", pack_id="p")).items() >= {"reason": "r", "pack": "p"}.items()
    assert tombstone_record(replace(stone, reason="r"))["reason"] == "r"


def test_a_record_states_a_cause_only_where_its_reason_alone_would_say_another() -> None:
    memory = memory_from_record(MINIMAL, now=NOW, new_id="abcd2345")
    for out in (memory.put_out(WAITED_TOO_LONG), memory.put_out(REJECTED), memory.put_out(REJECTED, "too vague")):
        assert "cause" not in memory_record(out)
    assert memory_record(memory.put_out(REJECTED, "expired"))["cause"] == REJECTED
    assert memory_record(replace(memory.put_out(RETIRED, "moved on"), confirmed_at=NOW)).get("cause") is None
    stone = Tombstone(content_hash="f0", project=None, memory_id="a", at=NOW, actor="person")
    for mark in (replace(stone, reason=PURGED, cause=PURGED), replace(stone, reason=REJECTED, cause=REJECTED), stone):
        assert "cause" not in tombstone_record(mark)
        assert stone_cause(tombstone_record(mark)) == mark.cause
    assert tombstone_record(replace(stone, reason=PURGED))["cause"] == RETIRED
    assert tombstone_record(replace(stone, reason=PURGED, cause=ERASED))["cause"] == ERASED


@pytest.mark.parametrize("cause", ["of tomorrow", 7, None, ["expired"]])
def test_a_cause_that_is_not_known_counts_as_none(cause: object) -> None:
    stated = {**MINIMAL, "status": "retired", "status_reason": "expired", "cause": cause}
    assert memory_from_record(stated, now=NOW, new_id="abcd2345").cause == WAITED_TOO_LONG
    assert memory_from_record({**stated, "status": "active"}, now=NOW, new_id="abcd2345").cause == ""
    assert stone_cause({"reason": PURGED, "cause": cause}) == PURGED


def test_the_link_types_and_statuses_are_those_of_the_design() -> None:
    assert LINK_TYPES == ("supersedes", "contradicts", "duplicates", "relates", "derived-from")
    assert STATUSES == ("candidate", "active", "retired", "superseded", "merged")
