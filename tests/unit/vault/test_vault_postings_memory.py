"""Postings in memory answer as the vault does, after whatever happened to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support import NOON, make_memory

from memtui.domain.memory import STATUSES, Link, Memory, Signal
from memtui.text.tokens import query_terms
from memtui.vault.bm25 import LexicalHit
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.journal import undo
from memtui.vault.purge import purge_memories
from memtui.vault.review_triggers import store_states
from memtui.vault.search import postings_memory, postings_table
from memtui.vault.search.postings_memory import TermIndex
from memtui.vault.vault import Vault

WORDS = ("payment", "retry", "lock", "webhook", "ledger", "cart", "coupon", "port 8788", "parseJson", "二重課金", "the")
ANY = MemoryFilter(statuses=None)
STATUS_SETS = (None, ("active",), ("retired", "merged"))
NAMES = ("memory003", "MEMORY003", "payment payment", "Retry Lock", "no such title")
SCOPES = (EVERYTHING, Scope(("north",)), Scope(("north", "global")), Scope(("nobody",)), Scope(("north",), True))
QUERIES = (*WORDS, "retry the payment lock", "cart coupon parseJson nowhere", "ledger ledger webhook", "")


def some_memory(chance: random.Random, number: int) -> Memory:
    return make_memory(
        id=f"memory{number:03}",
        title=" ".join(chance.choices(WORDS, k=2)),
        insight=" ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
        project=chance.choice(("north", "south", "global", None)),
        status=chance.choices(STATUSES, weights=(1, 5, 1, 1, 1))[0],
    )


def filled(path: Path, chance: random.Random, count: int) -> Vault:
    vault = Vault(path)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(some_memory(chance, number) for number in range(count))
    return vault


def plain(hits: list[LexicalHit]) -> list[tuple[int, float, list[tuple[str, float]]]]:
    return [
        (hit.key, round(hit.score, 9), [(term, round(points, 9)) for term, points in hit.terms.items()]) for hit in hits
    ]


def assert_same_answers(vault: Vault, index: TermIndex, chance: random.Random) -> None:
    """Compare some of the answers; which ones differs from call to call."""
    with vault.read() as stored:
        keys = [key for key, _ in stored.keyed(stored.select_ids(ANY, sort="created", now=vault.now())).values()]
        for _ in range(3):
            wanted = MemoryFilter(scope=chance.choice(SCOPES), statuses=chance.choice(STATUS_SETS))
            cached = index.reader(stored, wanted)
            assert cached is not stored
            name, query = chance.choice(NAMES), chance.choice(QUERIES)
            assert cached.count(ANY) == stored.count(ANY)
            assert cached.keys_within(wanted, [*keys, 9_999]) == stored.keys_within(wanted, [*keys, 9_999])
            assert cached.keys_by_name(name, wanted) == stored.keys_by_name(name, wanted)
            limit, floor = chance.choice((3, 1_000)), chance.choice((0.5, 2.5))
            weights = {term: 1.0 + place for place, term in enumerate(query_terms(query))}
            one, other = stored.match(query_terms(query)), cached.match(query_terms(query))
            assert other.counts == one.counts
            assert plain(other.search(wanted, limit=limit)) == plain(one.search(wanted, limit=limit))
            survey = one.survey(weights, wanted.scope, floor=floor)
            assert other.survey(weights, wanted.scope, floor=floor) == survey
            barred = other.barred(weights, wanted.scope, floor=floor, limit=5)
            assert plain(barred) == plain(one.barred(weights, wanted.scope, floor=floor, limit=5))


@pytest.mark.parametrize("count", [0, 1, 40])
def test_it_answers_as_the_vault_does(tmp_path: Path, count: int) -> None:
    chance = random.Random(count)
    vault = filled(tmp_path / "vault.duckdb", chance, count)
    assert_same_answers(vault, TermIndex(), chance)


def _edit(vault: Vault, number: int) -> None:
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(f"memory{number:03}"), insight="coupon coupon for a webhook", project="north"))


def _add(vault: Vault, number: int) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id=f"added{number:03}", title="Retry Lock", insight="ledger cart", project="north"))


def _undo(vault: Vault, number: int) -> None:  # noqa: ARG001 - as the others
    with vault.write(actor="person", action="undo") as writer:
        undo(writer)


CHANGES: tuple[Callable[[Vault, int], object], ...] = (
    _edit,
    _undo,
    _add,
    lambda vault, number: purge_memories(vault, [f"memory{number:03}"]),
)


def test_it_keeps_up_with_every_change(tmp_path: Path) -> None:
    chance = random.Random(4)
    vault = filled(tmp_path / "vault.duckdb", chance, 30)
    index = TermIndex()
    assert_same_answers(vault, index, chance)
    for number, change in enumerate((*CHANGES, _edit)):
        change(vault, number)
        assert_same_answers(vault, index, chance)
    index.load(vault)
    assert_same_answers(vault, index, random.Random(1))


def test_it_is_loaded_under_many_leases_and_takes_up_what_changed_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = filled(tmp_path / "vault.duckdb", random.Random(5), 30)
    monkeypatch.setattr(postings_memory, "MOST_AT_ONCE", 10)
    monkeypatch.setattr(postings_memory, "POSTINGS_PER_LEASE", 40)
    index = TermIndex()
    with vault.read() as reader:
        assert index.state_at(reader) is None
        assert index.reader(reader, ANY) is reader
    made: list[object] = []
    made_of = postings_table.table_of

    def changing(*arguments: object) -> object:
        # Called after each lease, when others may write.
        made.append(arguments)
        if len(made) == 2:
            _edit(vault, 7)
            _add(vault, 1)
            purge_memories(vault, ["memory003"])
        return made_of(*arguments)  # type: ignore[arg-type] # what it was given

    monkeypatch.setattr(postings_memory, "table_of", changing)
    index.load(vault)
    assert len(made) > 3
    assert_same_answers(vault, index, random.Random(1))


def test_too_much_at_once_is_left_to_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = filled(tmp_path / "vault.duckdb", random.Random(6), 10)
    index = TermIndex()
    index.load(vault)
    monkeypatch.setattr(postings_memory, "MOST_CHANGED", 3)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(some_memory(random.Random(number), number) for number in range(100, 120))
    with vault.read() as reader:
        assert index.state_at(reader) is None
        assert index.reader(reader, ANY) is reader
    monkeypatch.setattr(postings_memory, "MOST_AT_ONCE", 0)
    index.load(vault)
    assert_same_answers(vault, index, random.Random(1))


def test_another_vault_in_its_place_is_read_anew(tmp_path: Path) -> None:
    vault = filled(tmp_path / "vault.duckdb", random.Random(7), 12)
    other = filled(tmp_path / "other.duckdb", random.Random(8), 12)
    index = TermIndex()
    assert_same_answers(vault, index, random.Random(1))
    other.path.replace(vault.path)
    assert_same_answers(vault, index, random.Random(1))


def test_what_is_held_of_memories_is_what_the_vault_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings_memory, "MOST_MEMORIES", 5)
    vault = filled(tmp_path / "vault.duckdb", random.Random(9), 20)
    index = TermIndex()

    def assert_same_rows() -> None:
        with vault.read() as reader:
            cached = index.reader(reader, ANY)
            keyed = reader.keyed(reader.select_ids(ANY, sort="created", now=vault.now()))
            ids, keys = list(keyed), [key for key, _ in keyed.values()]
            for part in (keys[:4], keys[2:9], keys):
                assert cached.get_by_keys(part) == reader.get_by_keys(part)
            for some in (ids, ids[:3], []):
                assert cached.links(some) == reader.links(some)
                assert sorted(cached.signals(some), key=str) == sorted(reader.signals(some), key=str)
                assert cached.anchor_states(some) == reader.anchor_states(some)
                assert cached.get_many(some) == reader.get_many(some)

    assert_same_rows()
    with vault.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id="memory001", type="supersedes", to_id="memory002", created_at=NOON)])
        writer.add_signals([Signal(memory_id="memory004", signal="helped", at=NOON, actor="person")])
        store_states(writer, {("memory005", "a.py"): "gone"}, {})
    assert_same_rows()
    _edit(vault, 3)
    monkeypatch.setattr(postings_memory, "MOST_ROWS", 0)
    assert_same_rows()
