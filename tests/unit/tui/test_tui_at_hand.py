"""A list that is held in memory is filtered as the vault itself would: ids, order, hits, rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.domain.memory import STATUSES, Anchor, Memory, Signal
from memtui.recall.resident import ResidentMeaning
from memtui.tui.browse import queries
from memtui.tui.browse.queries import ListQueries
from memtui.tui.state import Opening
from memtui.tui.values import SORTS, Listing, Wanted
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WORDS = (
    *("retry", "refund", "payment", "lock", "harbour", "storm", "Straße", "支付"),
    *("quay_printer", "lockTimeout", "UTC", "the", "of", "ferry"),
)
QUERIES = (
    *("r", "re", "retr", "retry", "retry pay", "refnud", "stromy", "payemnt lock"),
    *("支付", "ss", "m00000", "zzz", "of", "e"),
)


def made(number: int, chance: random.Random) -> Memory:
    at = NOW - timedelta(days=chance.randrange(700), seconds=number)
    return Memory(
        id=f"m{number:07d}",
        title=" ".join(chance.choices(WORDS, k=chance.randrange(5))),
        insight=" ".join(chance.choices(WORDS, k=6)),
        kind=chance.choice(["decision", "lesson", "note"]),
        project=chance.choice(["ferry", "barge", None]),
        status=chance.choice([*STATUSES, "active", "active", "active"]),
        tags=tuple(chance.sample(["storm", "harbours"], k=chance.randrange(3))),
        anchors=(Anchor("pay/lock.py"),) if chance.random() < 0.3 else (),
        pinned=chance.random() < 0.1,
        importance=chance.randrange(1, 6),
        created_at=at,
        updated_at=at,
        verified_at=NOW - timedelta(days=3) if chance.random() < 0.2 else None,
    )


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setattr(queries, "LARGE_VAULT", 1)
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    chance = random.Random(5)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(made(number, chance) for number in range(260))
        writer.add_signals(
            Signal(memory_id=f"m{number:07d}", signal="copied", at=NOW - timedelta(days=number), actor="person")
            for number in range(0, 60, 7)
        )
    return vault


def opened(vault: Vault, **values: Any) -> ListQueries:
    return ListQueries(VaultAccess(Opening(vault=vault, folder=vault.path.parent, **values)))


def prepared(vault: Vault, wanted: Wanted, **values: Any) -> tuple[ListQueries, Listing]:
    access = opened(vault, **values)
    found = access.load("", wanted)
    access.prepare(found.base)
    assert access.is_prepared(found.base)
    return access, found


def alike(quick: Listing, slow: Listing) -> None:
    assert quick.ids == slow.ids, quick.query
    assert (quick.hits, quick.more, quick.best) == (slow.hits, slow.more, slow.best), quick.query


@pytest.mark.parametrize(
    "chosen", [{}, {"kind": ("lesson",)}, {"status": ("retired", "candidate")}, {"project": ("ferry", "")}]
)
def test_every_filter_finds_what_the_vault_finds(vault: Vault, chosen: dict[str, Sequence[str]]) -> None:
    slow = opened(vault)
    for sort in SORTS:
        wanted = Wanted(sort=sort, chosen={facet: tuple(values) for facet, values in chosen.items()})
        access, found = prepared(vault, wanted)
        base = slow.load("", wanted).base
        assert base.ids == found.base.ids
        for query in QUERIES if sort == "newest" else QUERIES[2:6]:
            for best in (True, False):
                alike(access.filtered(found.base, query, best=best), slow.filtered(base, query, best=best))


def test_rows_at_hand_say_what_the_vault_says_but_for_the_texts(vault: Vault) -> None:
    access, found = prepared(vault, Wanted(chosen={"status": STATUSES}))
    full = access.rows(found.base.ids)
    at_hand = access.rows_at_hand(found.base, found.base.ids)
    titled = {identifier for identifier, row in full.items() if row.memory and row.memory.title.strip()}
    assert set(at_hand) == titled
    assert at_hand == {identifier: replace(full[identifier], memory=None) for identifier in titled}
    assert access.rows_at_hand(replace(found.base), found.base.ids) == {}


def test_what_is_held_is_dropped_and_read_anew_when_the_vault_changed(vault: Vault) -> None:
    access, found = prepared(vault, Wanted())
    gone = access.filtered(found.base, "retry").ids[0]
    MemoryActs(access._access).retire([gone])
    fresh = access.load("", Wanted()).base
    assert not access.is_prepared(fresh)
    alike(access.filtered(fresh, "retry"), opened(vault).filtered(fresh, "retry"))
    access.prepare(fresh)
    assert access.is_prepared(fresh)
    after = access.filtered(fresh, "retry")
    assert gone not in after.ids
    alike(after, opened(vault).filtered(fresh, "retry"))
    # One that is read while the vault moves on is of no list that is shown.
    MemoryActs(access._access).undo()
    access.prepare(fresh)
    access.prepare(access.load("", Wanted()).base, wanted=lambda: False)
    assert not access.is_prepared(access.load("", Wanted()).base)


def test_the_postings_of_the_search_by_meaning_serve_the_filter_too(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "none")
    meaning.load()
    access, found = prepared(vault, Wanted(), meaning=meaning)
    assert access._words is not None
    with vault.read() as reader:
        assert access._words.postings is meaning.terms.state_at(reader)
    alike(access.filtered(found.base, "retry lock"), opened(vault).filtered(found.base, "retry lock"))
