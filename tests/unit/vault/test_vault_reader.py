"""What recall relies on when it reads the vault: counts that are true, and no useful memory missed."""

from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path
from random import Random

from recall_story import NOON, days_ago, memory, story_vault

from memtui.domain.freshness import freshness, multiplier, usefulness
from memtui.domain.memory import Signal
from memtui.recall.eligibility import outside_valid_time
from memtui.vault.filters import MemoryFilter, Scope


def test_terms_are_counted_over_all_projects_and_statuses(tmp_path: Path) -> None:
    memories = [
        memory("aaaaaaaa", "replica"),
        memory("bbbbbbbb", "replica port", project="storefront"),
        memory("cccccccc", "port", status="retired"),
    ]
    with story_vault(tmp_path, memories, []).read() as reader:
        counts = reader.match(["replica", "port", "unknown"]).counts
        assert counts.documents == 3
        assert counts.frequencies == {"replica": 2, "port": 2, "unknown": 0}
        assert reader.match([]).counts.frequencies == {}


def test_the_survey_tells_places_and_who_reaches_the_floor(tmp_path: Path) -> None:
    memories = [
        memory("aaaaaaaa", "replica port"),
        memory("bbbbbbbb", "port"),
        memory("cccccccc", "replica port", project="storefront"),
        memory("dddddddd", "replica port", project="storefront", status="candidate"),
        memory("eeeeeeee", "replica port", project=None),
        memory("ffffffff", "replica port", project=None, status="candidate"),
        memory("gggggggg", "replica port", status="retired"),
    ]
    with story_vault(tmp_path, memories, []).read() as reader:
        weights = {"replica": 2.0, "port": 1.0}
        matched = reader.match(list(weights))
        found = matched.survey(weights, Scope.of_project("payments-api"), floor=3.0)
        everything = matched.survey(weights, Scope(), floor=3.0)
        barred = matched.barred(weights, Scope.of_project("payments-api"), floor=3.0, limit=9)
        by_key = reader.get_by_keys([hit.key for hit in barred])
    assert found == {
        ("active", True): 1,
        ("active", False): 1,
        ("foreign", True): 1,
        ("unassigned", True): 1,
        ("candidate", True): 1,
        ("retired", True): 1,
    }
    assert everything["active", True] == 2
    assert [by_key[hit.key].id for hit in barred] == ["eeeeeeee", "ffffffff", "gggggggg"]
    assert barred[0].terms == {"replica": 2.0, "port": 1.0}


def test_the_most_useful_are_among_those_that_are_read(tmp_path: Path) -> None:
    random = Random(7)
    kinds = ("tooling", "decision", "lesson", "note")
    memories = [
        memory(
            f"memory{number:03}",
            f"Fact {number}",
            kind=random.choice(kinds),
            importance=random.randint(1, 5),
            created_at=days_ago(random.randint(0, 500)),
            verified_at=days_ago(random.randint(0, 200)) if random.random() < 0.3 else None,
        )
        for number in range(400)
    ]
    signals = [
        Signal(
            memory_id=f"memory{random.randrange(400):03}", signal=random.choice(("helped", "hurt")), at=NOON, actor="p"
        )
        for _ in range(80)
    ]
    vault = story_vault(tmp_path, memories, [])
    with vault.write(actor="person", action="feedback") as writer:
        writer.add_signals(signals)
    with vault.read() as reader:
        keys = reader.most_useful_keys(MemoryFilter(), at=NOON, now=NOON, weight=0.5, limit=60)
        read = {one.id for one in reader.get_by_keys(keys).values()}

    def worth(identifier: str) -> float:
        one = next(one for one in memories if one.id == identifier)
        own = [signal for signal in signals if signal.memory_id == identifier]
        return math.sqrt(freshness(one, NOON, vault.kinds)) * multiplier(one.importance) * usefulness(own, NOON)

    best = sorted((one.id for one in memories), key=worth, reverse=True)[:30]
    assert set(best) <= read
    assert len(read) <= 120


def test_what_is_outside_its_valid_time_is_counted_and_not_read(tmp_path: Path) -> None:
    memories = [
        memory("aaaaaaaa", "Now"),
        memory("bbbbbbbb", "Past", valid_until=days_ago(1)),
        memory("cccccccc", "Future", valid_from=days_ago(-1)),
    ]
    with story_vault(tmp_path, memories, []).read() as reader:
        keys = reader.most_useful_keys(MemoryFilter(), at=NOON, now=NOON, weight=0.5, limit=9)
        assert [one.id for one in reader.get_by_keys(keys).values()] == ["aaaaaaaa"]
        assert reader.count_outside_valid_time(MemoryFilter(), NOON) == 2
        assert reader.count_outside_valid_time(MemoryFilter(), days_ago(2)) == 1


def test_from_the_very_moment_that_it_ends_a_memory_is_not_valid(tmp_path: Path) -> None:
    """`valid_until` is the first moment at which it no longer holds, for the database as for the recall."""
    ended = memory("aaaaaaaa", "Ends at noon", valid_until=NOON)
    begun = memory("bbbbbbbb", "Begins at noon", valid_from=NOON)
    before = NOON - timedelta(microseconds=1)
    with story_vault(tmp_path, [ended, begun], []).read() as reader:
        for at, holds, fails in ((before, ended, begun), (NOON, begun, ended)):
            keys = reader.most_useful_keys(MemoryFilter(), at=at, now=NOON, weight=0.5, limit=9)
            assert [one.id for one in reader.get_by_keys(keys).values()] == [holds.id]
            assert reader.count_outside_valid_time(MemoryFilter(), at) == 1
            assert outside_valid_time(holds, at) is None
            assert outside_valid_time(fails, at) is not None


def test_names_are_ids_first_then_titles_case_aside(tmp_path: Path) -> None:
    memories = [memory("aaaaaaaa", "Replica"), memory("replica", "Something else"), memory("bbbbbbbb", "Replica port")]
    with story_vault(tmp_path, memories, []).read() as reader:
        keys = reader.keys_by_name("REPLICA", MemoryFilter())
        by_key = reader.get_by_keys(keys)
        assert [by_key[key].id for key in keys] == ["replica", "aaaaaaaa"]
