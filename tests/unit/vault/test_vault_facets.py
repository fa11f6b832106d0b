"""Facets and their counts against the same questions asked in plain Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.domain.freshness import due_at
from memtui.domain.memory import Link, Memory, Signal, Source
from memtui.vault.facets import BROWSE_SORTS, FACETS, Browsing, count_facets, last_changes, listed_ids, lower_titles
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
SCOPE = Scope.of_project("ferry")


def made(number: int) -> Memory:
    """Return one of a varied lot: each facet varies with another period."""
    at = NOW - timedelta(days=number * 11)
    return Memory(
        id=f"m{number:07d}",
        title=f"Title {number} {'Lock' if number % 3 == 0 else 'Sail'}",
        insight="Text.",
        kind=("decision", "note", "o'clock")[number % 3],
        project=("ferry", "barge", "global", None)[number % 4],
        status=("active", "active", "retired", "candidate", "superseded")[number % 5],
        tags=(("sea", "a\"b'c") if number % 2 else ("sea",)) if number % 7 else (),
        pinned=number % 6 == 0,
        created_at=at,
        updated_at=at,
        confirmed_at=at if number % 4 else None,
        valid_until=NOW - timedelta(days=1) if number % 9 == 0 else None,
        snoozed_until=NOW + timedelta(days=9) if number % 8 == 0 else None,
        sources=(Source(format="claude-md", path="CLAUDE.md"),) if number % 2 else (),
    )


LOT = [made(number) for number in range(60)]
CONFLICTING = {"m0000002", "m0000011"}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    vault = Vault(tmp_path_factory.mktemp("browsing") / "v.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many(LOT)
        writer.add_links([Link(from_id="m0000002", type="contradicts", to_id="m0000011", created_at=NOW)])
        writer.add_signals([Signal(memory_id="m0000040", signal="copied", at=NOW, actor="person")])
    return vault


def values_of(vault: Vault, memory: Memory, facet: str) -> set[str]:
    """Return the values that a memory has in a facet."""
    health = {
        "contradicted": memory.id in CONFLICTING,
        "dead anchors": memory.id == "m0000001",
        "unconfirmed": memory.confirmed_at is None,
        "expired": memory.valid_until is not None and memory.valid_until <= NOW,
    }
    due = due_at(memory, vault.kinds)
    snoozed = memory.snoozed_until is not None and memory.snoozed_until > NOW
    now = due is not None and due <= NOW
    soon = due is not None and NOW < due <= NOW + timedelta(days=30)
    values: dict[str, set[str]] = {
        "project": {memory.project or ""},
        "kind": {memory.kind},
        "tag": set(memory.tags),
        "status": {memory.status},
        "due": {name for name, is_so in {"now": now, "within 30 days": soon, "snoozed": snoozed}.items() if is_so},
        "pinned": {"pinned" if memory.pinned else "not pinned"},
        "source": {memory.sources[0].format if memory.sources else "memtui"},
        "health": {name for name, is_so in health.items() if is_so},
    }
    return values[facet]


def fitting(vault: Vault, browsing: Browsing, *, without: str = "") -> list[Memory]:
    def fits(memory: Memory, facet: str) -> bool:
        chosen = browsing.chosen.get(facet)
        if facet == without:
            return True
        if not chosen and facet == "project":
            return browsing.scope.projects is None or memory.project in browsing.scope.projects
        if not chosen:
            return facet != "status" or memory.status == "active"
        return not values_of(vault, memory, facet).isdisjoint(chosen)

    said = [m for m in LOT if not browsing.text or browsing.text in m.title.lower() or m.id in browsing.hits]
    return [memory for memory in said if all(fits(memory, facet) for facet in FACETS)]


@pytest.mark.parametrize("scope", [EVERYTHING, SCOPE])
def test_values_are_alternatives_facets_narrow_and_counts_say_what_a_choice_would_list(
    vault: Vault, scope: Scope
) -> None:
    choices: list[dict[str, tuple[str, ...]]] = [
        {},
        {"kind": ("decision", "o'clock")},
        {"project": ("", "barge"), "status": ("retired", "active")},
        {"tag": ("a\"b'c",), "source": ("claude-md",)},
        {"due": ("now", "snoozed"), "pinned": ("not pinned",)},
        {"due": ("within 30 days",)},
        {"health": ("contradicted", "expired", "dead anchors"), "status": ("active", "candidate", "retired")},
        {"health": ("unconfirmed", "no such value"), "kind": ("note",)},
    ]
    key = next(number for number, memory in enumerate(LOT, 1) if memory.id == "m0000001")
    with vault.read() as reader:
        for chosen in choices:
            for text, hits in (("", ()), ("lock", ("m0000001", "m0000002"))):
                browsing = Browsing(scope=scope, chosen=chosen, now=NOW, text=text, hits=hits, gone=(key,))
                assert set(listed_ids(reader, browsing, sort="newest")) == {m.id for m in fitting(vault, browsing)}
                counts = count_facets(reader, browsing)
                for facet in FACETS:
                    lot = fitting(vault, browsing, without=facet)
                    wanted = Counter(value for memory in lot for value in values_of(vault, memory, facet))
                    assert {v: n for v, n in counts[facet] if n} == dict(wanted), (facet, chosen, text)


def test_what_is_due_can_be_asked_for_apart_from_the_facets(vault: Vault) -> None:
    browsing = Browsing(now=NOW, stale_only=True, kinds=("note",))
    wanted = {m.id for m in fitting(vault, Browsing(now=NOW, chosen={"due": ("now",), "kind": ("note",)}))}
    with vault.read() as reader:
        assert set(listed_ids(reader, browsing, sort="stalest")) == wanted
        assert dict(count_facets(reader, browsing)["kind"]) == {"note": len(wanted)}


def test_sorts_are_total(vault: Vault) -> None:
    with vault.read() as reader:
        browsing = Browsing(now=NOW)
        orders = {sort: listed_ids(reader, browsing, sort=sort) for sort in BROWSE_SORTS}
    active = [memory for memory in LOT if memory.status == "active"]
    assert orders["newest"] == [memory.id for memory in active]
    assert orders["title"] == [memory.id for memory in sorted(active, key=lambda m: m.title.lower())]
    assert orders["use"][0] == "m0000040"
    assert orders["use"][1:] == [identifier for identifier in orders["newest"] if identifier != "m0000040"]
    assert len(set(orders["stalest"])) == len(active)


def test_titles_are_read_in_lower_case_whatever_they_hold(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "v.duckdb", now=lambda: NOW)
    titles = ["Plain", "Two\nLines", "Unit\x1fSeparator", "", "ÄÖ 日本語 '\"; DROP TABLE"]
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([replace(made(1), id=f"t{n:07d}", title=title) for n, title in enumerate(titles)])
    with vault.read() as reader:
        found = lower_titles(reader, Browsing(now=NOW))
    assert [found[f"t{n:07d}"] for n in range(5)] == [
        "plain",
        "two lines",
        "unit separator",
        "",
        "äö 日本語 '\"; drop table",
    ]


def test_an_empty_vault_counts_nothing(tmp_path: Path) -> None:
    with Vault(tmp_path / "none.duckdb").read() as reader:
        counts = count_facets(reader, Browsing(now=NOW))
        assert not any(number for values in counts.values() for _, number in values)
        assert lower_titles(reader, Browsing(now=NOW)) == {}


def test_the_last_changes_of_one_memory_come_newest_first(tmp_path: Path) -> None:
    moments = iter([NOW, NOW + timedelta(days=1), NOW + timedelta(days=2)])
    vault = Vault(tmp_path / "v.duckdb", now=lambda: next(moments))
    for title, actor in (("One", "person"), ("Two", "codex"), ("Three", "person")):
        with vault.write(actor=actor, action="edit", summary=f"say {title}") as writer:
            writer.put_many([replace(made(1), title=title)])
    with vault.read() as reader:
        assert last_changes(reader, "m0000001", limit=2) == [
            (NOW + timedelta(days=2), "person", "say Three"),
            (NOW + timedelta(days=1), "codex", "say Two"),
        ]


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_have_facets_too(vault: Vault, now: datetime) -> None:
    with vault.write(actor="person", action="test") as writer:
        writer.put(made(1))
    with vault.read() as reader:
        assert set(count_facets(reader, Browsing(now=now))) >= {"due", "kind"}
