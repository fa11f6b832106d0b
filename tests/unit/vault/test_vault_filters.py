"""The filters of the vault agree with the rules of the domain."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from support import NOON, FrozenClock, make_memory

from memtui.domain.freshness import due_at, freshness
from memtui.domain.kinds import Kind, Kinds
from memtui.domain.memory import MATCHED, Anchor, Memory, Source
from memtui.vault.filters import SORTS, MemoryFilter, Scope, freshness_sql
from memtui.vault.vault import Vault

KINDS = Kinds([Kind("owner's note", "working", 3.5)])
TEXTS = (
    "Prefer short functions.",
    "We build with Node 22.",
    "Strings live in `src/strings.ts`.",
    "`what`/`how` is read from PAYMENT_KEY",
    "Before a commit:\npnpm lint",
    "目前只支持一个租户。",
)


def _random_memory(chance: random.Random) -> Memory:
    def moment() -> datetime:
        return NOON + timedelta(days=chance.uniform(-900, 30), microseconds=chance.randrange(10**6))

    def maybe(value: object, share: float = 0.5) -> object:
        return value if chance.random() < share else None

    return make_memory(
        kind=chance.choice([*KINDS.names(), "unknown kind"]),
        pinned=chance.random() < 0.1,
        importance=chance.randint(1, 5),
        created_at=moment(),
        observed_at=maybe(moment()),
        confirmed_at=maybe(moment()),
        verified_at=maybe(moment()),
        due_at=maybe(moment(), 0.2),
        snoozed_until=maybe(moment(), 0.2),
        half_life_days=maybe(chance.uniform(0.01, 400), 0.2),
        title=chance.choice((f"title {chance.randrange(100)}", "Skill release: when to use it")),
        insight=chance.choice(TEXTS),
        sources=chance.choice(((), (Source(format="agents-md", path="AGENTS.md"),), (Source(format="memtui"),))),
        anchors=chance.choice(((), (Anchor("src/a.py", "abc"),), (Anchor("*.py", MATCHED),))),
    )


@pytest.fixture(scope="module")
def many() -> list[Memory]:
    chance = random.Random(7)
    return [_random_memory(chance) for _ in range(400)]


@pytest.fixture
def filled(vault: Vault, many: list[Memory]) -> Vault:
    filled = Vault(vault.path, kinds=KINDS, now=vault.now)
    with filled.write(actor="person", action="add") as writer:
        writer.put_many(many)
    return filled


def test_freshness_in_sql_equals_freshness_in_the_domain(filled: Vault, many: list[Memory]) -> None:
    for now in (NOON, NOON + timedelta(days=400.123456), NOON - timedelta(days=1000)):
        with filled.connect(read_only=True) as connection:
            query = f"SELECT id, {freshness_sql(KINDS, now)} FROM memories m"  # noqa: S608 - our own SQL
            found = connection.execute(query).fetchall()
        stored = dict(found)
        for memory in many:
            assert stored[memory.id] == pytest.approx(freshness(memory, now, KINDS), rel=1e-9, abs=1e-12)


def test_what_is_due_is_what_the_domain_calls_due(filled: Vault, many: list[Memory]) -> None:
    with filled.read() as reader:
        due = set(reader.select_ids(MemoryFilter(stale_at=NOON), sort="due", now=NOON))
    expected = {memory.id for memory in many if (when := due_at(memory, KINDS)) is not None and when <= NOON}
    assert due == expected
    assert 0 < len(due) < len(many)


def test_a_snoozed_memory_is_not_due_until_then(vault: Vault) -> None:
    old = make_memory(created_at=NOON - timedelta(days=2000), snoozed_until=NOON + timedelta(days=1))
    with vault.write(actor="person", action="add") as writer:
        writer.put(old)
    with vault.read() as reader:
        assert reader.count(MemoryFilter(stale_at=NOON)) == 0
        assert reader.count(MemoryFilter(stale_at=NOON + timedelta(days=1))) == 1


def test_the_threshold_moves_what_is_due(filled: Vault) -> None:
    with filled.read() as reader:
        counts = [reader.count(MemoryFilter(stale_at=NOON, threshold=share)) for share in (0.1, 0.5, 0.9)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_is_total_and_a_limit_takes_its_beginning(filled: Vault, sort: str) -> None:
    with filled.read() as reader:
        whole = reader.select_ids(MemoryFilter(), sort=sort, now=NOON)
        start = [memory.id for memory in reader.select(MemoryFilter(), sort=sort, now=NOON, limit=150)]
    assert start == whole[:150]
    assert len(set(whole)) == 400


def test_sorts_put_the_right_one_first(vault: Vault, clock: FrozenClock) -> None:
    early = make_memory(id="earlyone", title="b", importance=5, verified_at=NOON)
    late = make_memory(id="lateones", title="A", importance=1, created_at=NOON + timedelta(days=1))
    with vault.write(actor="person", action="add") as writer:
        writer.put(early)
    clock.step(days=1)
    with vault.write(actor="person", action="add") as writer:
        writer.put(late)
    with vault.read() as reader:
        first = {sort: reader.select(MemoryFilter(), sort=sort, now=clock.moment)[0].id for sort in SORTS}
    assert first == {
        "updated": "lateones",
        "created": "lateones",
        "title": "lateones",
        "kind": "lateones",
        "importance": "earlyone",
        "freshness": "lateones",
        "due": "earlyone",
        "verified": "earlyone",
    }


def test_scopes_shut_other_projects_out(vault: Vault) -> None:
    places = {"shopones": "shop", "opsmemor": "ops", "globalme": "global", "nowhere2": None}
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(id=name, project=place) for name, place in places.items()])
    scopes = {
        "shop": Scope.of_project("shop"),
        "none": Scope.of_project(None),
        "all": Scope(),
        "nothing": Scope(()),
        "unassigned": Scope((), with_unassigned=True),
    }
    with vault.read() as reader:
        seen = {
            name: set(reader.select_ids(MemoryFilter(scope=scope), sort="title", now=NOON))
            for name, scope in scopes.items()
        }
    assert seen == {
        "shop": {"shopones", "globalme"},
        "none": {"globalme"},
        "all": set(places),
        "nothing": set(),
        "unassigned": {"nowhere2"},
    }


def test_conditions_are_joined_by_and(vault: Vault) -> None:
    wanted = make_memory(id="wantedme", kind="decision", tags=("a", "b'"), pinned=True, status="candidate")
    others = [
        replace(wanted, id="otherkin", kind="lesson"),
        replace(wanted, id="othertag", tags=("a",)),
        replace(wanted, id="otherpin", pinned=False),
        replace(wanted, id="othersta", status="retired"),
    ]
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([wanted, *others])
    wish = MemoryFilter(kinds=("decision",), tags=("a", "b'"), pinned=True, statuses=("candidate", "active"))
    with vault.read() as reader:
        assert reader.select_ids(wish, sort="title", now=NOON) == ["wantedme"]
        assert reader.count(wish) == 1
        assert reader.count(MemoryFilter(statuses=None)) == 5
        assert reader.count(MemoryFilter(statuses=None, ids=("otherkin", "nobodyxx"))) == 1
        assert reader.counts_by("status", MemoryFilter(statuses=None)) == {"candidate": 4, "retired": 1}
