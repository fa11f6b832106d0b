"""Groups that are ripe for a conclusion: few, alike, of a few weeks, and never proposed twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, START, Clock, new_vault

from memtui.analysis.snapshot import NOT_RIPE, pair_of
from memtui.analysis.suggestions import MOST_SOURCES, RipeGroup, ripe_groups
from memtui.curate.reflect import Conclusion, reflect
from memtui.curate.resolutions import dismiss
from memtui.curate.snapshot import read_snapshot
from memtui.curate.tidy import TidyOptions, report_record, tidy
from memtui.domain.memory import Anchor, Memory
from memtui.errors import RefusedError
from memtui.progress import Cancelled
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

INCIDENT = (
    ("The refund worker lost its lock at noon", "note"),
    ("A slow refund outlives the lock it took", "lesson"),
    ("Two workers refunded one card, as the lock was gone", "bug-pattern"),
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path, Clock(START + timedelta(days=200)))[0]


def put(vault: Vault, number: int, title: str, kind: str = "note", *, day: float = 0.0, **fields: Any) -> Memory:
    at = START + timedelta(days=day)
    values: dict[str, Any] = {"project": "shop", "created_at": at, "updated_at": at, "insight": title, **fields}
    with vault.write(actor="person", action="test") as writer:
        return writer.put(Memory(id=f"n{number:07d}", title=title, kind=kind, **values))


def incident(vault: Vault, **fields: Any) -> list[str]:
    values = {"anchors": (Anchor("pay/lock.py"),), "tags": ("Refunds",), **fields}
    return [
        put(vault, number, title, kind, day=number * 3, **values).id for number, (title, kind) in enumerate(INCIDENT)
    ]


def ripe(vault: Vault, **options: Any) -> list[RipeGroup]:
    return ripe_groups(read_snapshot(vault, MemoryFilter()), vault.kinds, **options)


def test_notes_of_one_incident_are_ripe_and_say_why(vault: Vault) -> None:
    found = incident(vault)
    put(vault, 10, "Deploys wait for the smoke test", "note", day=2)
    put(vault, 11, "Refunds are locked by card", "decision", day=2, anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    (group,) = ripe(vault)
    assert group.ids == tuple(found), "the oldest first, and no decision among them"
    assert group.why == "3 memories of 6 days: pay/lock.py, #refunds"
    assert group.score >= 1.0


def test_meaning_alone_makes_a_group(vault: Vault) -> None:
    names = [put(vault, number, text).id for number, text in enumerate(("alpha", "beta", "gamma", "delta"))]
    assert ripe(vault) == []
    near = [(one, other, 0.8) for one, other in ((names[0], names[1]), (names[1], names[2]), (names[0], names[2]))]
    chain = (names[2], names[3], 0.9)
    (group,) = ripe(vault, alike=[*near, chain])
    assert set(group.ids) == set(names[:3]), "every two are alike; a chain is no group"
    assert group.why == "3 notes of one day: alike in what they say"
    assert ripe(vault, alike=near, apart=[pair_of(names[0], names[1])]) == []


@pytest.mark.parametrize("change", ["far apart in time", "other projects", "a tag that everything has", "retired"])
def test_what_is_no_group(vault: Vault, change: str) -> None:
    if change == "a tag that everything has":
        for number in range(12):
            put(vault, number, f"word{number} happened", tags=("ops", "prod"), day=number / 10)
    else:
        found = incident(vault)
        with vault.write(actor="person", action="test") as writer:
            memory = writer.get(found[-1])
            late = {"observed_at": START + timedelta(days=90)}
            fields: dict[str, dict[str, Any]] = {
                "far apart in time": late,
                "other projects": {"project": "docks"},
                "retired": {"status": "retired"},
            }
            writer.put(replace(memory, **fields[change]))
    assert ripe(vault) == []


def test_what_was_reflected_or_dismissed_is_not_proposed_again(vault: Vault) -> None:
    found = incident(vault)
    with pytest.raises(RefusedError):
        dismiss(vault, NOT_RIPE, found, actor=AGENT)
    dismiss(vault, NOT_RIPE, found, actor=PERSON)
    assert ripe(vault) == []
    put(vault, 0, INCIDENT[0][0] + ", and at one again", "note", anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    assert ripe(vault) == [], "two of its three pairs changed, one stands"
    put(vault, 1, INCIDENT[1][0] + ", always", "lesson", day=3, anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    (group,) = ripe(vault)
    reflect(vault, group.ids, Conclusion(text="A lock must outlive what it guards."), actor=PERSON)
    assert ripe(vault) == []


def test_a_group_is_no_larger_than_a_conclusion_takes_and_the_search_can_be_stopped(vault: Vault) -> None:
    names = [put(vault, number, f"word{number} happened").id for number in range(MOST_SOURCES + 5)]
    pairs = [(one, other, 0.9) for place, one in enumerate(names) for other in names[place + 1 :]]
    groups = ripe(vault, alike=pairs)
    assert max(len(group.ids) for group in groups) <= MOST_SOURCES

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ripe(vault, progress=stop)


def test_tidy_offers_ripe_groups_and_is_clean_all_the_same(vault: Vault) -> None:
    found = incident(vault)
    with vault.write(actor="person", action="test") as writer:
        everyone = writer.get_many(found)
        now = writer.now
        writer.put_many(replace(each, confirmed_at=now, verified_at=now) for each in everyone.values())
    report = tidy(vault, TidyOptions())
    assert not report.total, "an offer is no finding"
    assert report_record(report)["ripe"] == [
        {"ids": found, "score": report.ripe[0].score, "why": "3 memories of 6 days: pay/lock.py, #refunds"}
    ]
    dismiss(vault, NOT_RIPE, found, actor=PERSON)
    assert tidy(vault, TidyOptions()).ripe == ()


@pytest.mark.parametrize("end", [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 28, tzinfo=UTC)])
def test_an_incident_at_an_end_of_the_calendar_is_ripe_too(vault: Vault, end: datetime) -> None:
    day = (end - START).days
    shared: dict[str, Any] = {"anchors": (Anchor("pay/lock.py"),), "tags": ("refunds",)}
    found = [
        put(vault, number, title, kind, day=day + number, **shared).id for number, (title, kind) in enumerate(INCIDENT)
    ]
    assert [group.ids for group in ripe(vault)] == [tuple(found)]
