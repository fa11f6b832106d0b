"""Facets and their counts against the same questions asked in plain Python."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from support import make_memory

from memtui.domain.freshness import due_at
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source
from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.vault import sql_query
from memtui.vault.facets import BROWSE_SORTS, FACETS, Browsing, count_facets, last_changes, listed_ids, lower_titles
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.repair import snapshot
from memtui.vault.sql_query import OTHER_NAMES, STABLE_VIEWS, as_text, jsonable, run_query
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
def vault_facets(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    vault_facets = Vault(tmp_path_factory.mktemp("browsing") / "v.duckdb", now=lambda: NOW)
    with vault_facets.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many(LOT)
        writer.add_links([Link(from_id="m0000002", type="contradicts", to_id="m0000011", created_at=NOW)])
        writer.add_signals([Signal(memory_id="m0000040", signal="copied", at=NOW, actor="person")])
    return vault_facets


def values_of(vault_facets: Vault, memory: Memory, facet: str) -> set[str]:
    """Return the values that a memory has in a facet."""
    health = {
        "contradicted": memory.id in CONFLICTING,
        "dead anchors": memory.id == "m0000001",
        "unconfirmed": memory.confirmed_at is None,
        "expired": memory.valid_until is not None and memory.valid_until <= NOW,
    }
    # What is not in use is due for nothing.
    due = due_at(memory, vault_facets.kinds) if memory.status == "active" else None
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


def fitting(vault_facets: Vault, browsing: Browsing, *, without: str = "") -> list[Memory]:
    def fits(memory: Memory, facet: str) -> bool:
        chosen = browsing.chosen.get(facet)
        if facet == without:
            return True
        if not chosen and facet == "project":
            return browsing.scope.projects is None or memory.project in browsing.scope.projects
        if not chosen:
            return facet != "status" or memory.status == "active"
        return not values_of(vault_facets, memory, facet).isdisjoint(chosen)

    said = [m for m in LOT if not browsing.text or browsing.text in m.title.lower() or m.id in browsing.hits]
    return [memory for memory in said if all(fits(memory, facet) for facet in FACETS)]


@pytest.mark.parametrize("scope", [EVERYTHING, SCOPE])
def test_values_are_alternatives_facets_narrow_and_counts_say_what_a_choice_would_list(
    vault_facets: Vault, scope: Scope
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
    with vault_facets.read() as reader:
        for chosen in choices:
            for text, hits in (("", ()), ("lock", ("m0000001", "m0000002"))):
                browsing = Browsing(scope=scope, chosen=chosen, now=NOW, text=text, hits=hits, gone=(key,))
                assert set(listed_ids(reader, browsing, sort="newest")) == {
                    m.id for m in fitting(vault_facets, browsing)
                }
                counts = count_facets(reader, browsing)
                for facet in FACETS:
                    lot = fitting(vault_facets, browsing, without=facet)
                    wanted = Counter(value for memory in lot for value in values_of(vault_facets, memory, facet))
                    assert {v: n for v, n in counts[facet] if n} == dict(wanted), (facet, chosen, text)


def test_what_is_due_can_be_asked_for_apart_from_the_facets(vault_facets: Vault) -> None:
    browsing = Browsing(now=NOW, stale_only=True, kinds=("note",))
    wanted = {m.id for m in fitting(vault_facets, Browsing(now=NOW, chosen={"due": ("now",), "kind": ("note",)}))}
    with vault_facets.read() as reader:
        assert set(listed_ids(reader, browsing, sort="stalest")) == wanted
        assert dict(count_facets(reader, browsing)["kind"]) == {"note": len(wanted)}


def test_sorts_are_total(vault_facets: Vault) -> None:
    with vault_facets.read() as reader:
        browsing = Browsing(now=NOW)
        orders = {sort: listed_ids(reader, browsing, sort=sort) for sort in BROWSE_SORTS}
    active = [memory for memory in LOT if memory.status == "active"]
    assert orders["newest"] == [memory.id for memory in active]
    assert orders["title"] == [memory.id for memory in sorted(active, key=lambda m: m.title.lower())]
    assert orders["use"][0] == "m0000040"
    assert orders["use"][1:] == [identifier for identifier in orders["newest"] if identifier != "m0000040"]
    assert len(set(orders["stalest"])) == len(active)


def test_titles_are_read_in_lower_case_without_accents_whatever_they_hold(tmp_path: Path) -> None:
    vault_facets = Vault(tmp_path / "v.duckdb", now=lambda: NOW)
    titles = ["Plain", "Two\nLines", "Unit\x1fSeparator", "", "ÄÖ 日本語 '\"; DROP TABLE"]
    with vault_facets.write(actor="person", action="import") as writer:
        writer.put_many([replace(made(1), id=f"t{n:07d}", title=title) for n, title in enumerate(titles)])
    with vault_facets.read() as reader:
        found = lower_titles(reader, Browsing(now=NOW))
    assert [found[f"t{n:07d}"] for n in range(5)] == [
        "plain",
        "two lines",
        "unit separator",
        "",
        "ao 日本語 '\"; drop table",
    ]


def test_an_empty_vault_counts_nothing(tmp_path: Path) -> None:
    with Vault(tmp_path / "none.duckdb").read() as reader:
        counts = count_facets(reader, Browsing(now=NOW))
        assert not any(number for values in counts.values() for _, number in values)
        assert lower_titles(reader, Browsing(now=NOW)) == {}


def test_the_last_changes_of_one_memory_come_newest_first(tmp_path: Path) -> None:
    moments = iter([NOW, NOW + timedelta(days=1), NOW + timedelta(days=2)])
    vault_facets = Vault(tmp_path / "v.duckdb", now=lambda: next(moments))
    for title, actor in (("One", "person"), ("Two", "codex"), ("Three", "person")):
        with vault_facets.write(actor=actor, action="edit", summary=f"say {title}") as writer:
            writer.put_many([replace(made(1), title=title)])
    with vault_facets.read() as reader:
        assert last_changes(reader, "m0000001", limit=2) == [
            (NOW + timedelta(days=2), "person", "say Three"),
            (NOW + timedelta(days=1), "codex", "say Two"),
        ]


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_have_facets_too(vault_facets: Vault, now: datetime) -> None:
    with vault_facets.write(actor="person", action="test") as writer:
        writer.put(made(1))
    with vault_facets.read() as reader:
        assert set(count_facets(reader, Browsing(now=now))) >= {"due", "kind"}


@pytest.fixture
def filled(vault: Vault) -> Vault:
    memory = make_memory(id="askmeabt", anchors=(Anchor("a.py"), Anchor("b.py")), sources=(Source(format="claude-md"),))
    with vault.write(actor="person", action="add") as writer:
        writer.put(memory)
    return vault


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT id, title LIKE 'Retries%' FROM memory", [("askmeabt", True)]),
        ("WITH m AS (SELECT id FROM memory) SELECT count(*) FROM m", [(1,)]),
        ("FROM memory SELECT round(freshness, 2)", [(1.0,)]),
        ("SELECT path FROM anchor ORDER BY path DESC", [("b.py",), ("a.py",)]),
        ("SELECT format FROM source", [("claude-md",)]),
        ("SELECT action FROM change_log", [("add",)]),
        ("VALUES (1)", [(1,)]),
        ("SELECT 'a;b' -- ; DROP TABLE memories", [("a;b",)]),
    ],
)
def test_reading_is_answered(filled: Vault, query: str, rows: list[tuple[object, ...]]) -> None:
    assert list(run_query(filled, query).rows) == rows


def test_every_stable_view_can_be_read_and_explained(filled: Vault) -> None:
    for view, columns in STABLE_VIEWS.items():
        assert run_query(filled, f"SELECT * FROM {view}").columns == columns  # noqa: S608 - names of views
        assert run_query(filled, f"EXPLAIN SELECT * FROM {view}").rows  # noqa: S608 - the same
    for view in OTHER_NAMES:
        assert run_query(filled, f"SELECT count(*) FROM {view}").rows  # noqa: S608 - the same


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_blob('{file}')",
        "SELECT * FROM read_json('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM sniff_csv('{file}')",
        "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
        "SELECT getenv('HOME')",
        "COPY memories TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out.csv'",
        "ATTACH '{folder}/out.csv'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "PRAGMA enable_external_access = true",
        "PRAGMA database_list",
        " /* a */ -- b\n ; pragma table_info('memories')",
        "/* /* a */ b */ PRAGMA database_list",
        "-- a\rPRAGMA database_list",
        "\ufeffPRAGMA database_list",
        "CALL pragma_version()",
        "INSERT INTO memories SELECT * FROM memories",
        "UPDATE memories SET title = ''",
        "DELETE FROM memories",
        "DROP TABLE memories",
        "CREATE TABLE x AS SELECT 1",
        "CREATE TEMP TABLE x AS SELECT 1",
        "ALTER TABLE memories DROP COLUMN title",
        "INSTALL httpfs",
        "LOAD httpfs",
        "BEGIN",
        "CHECKPOINT",
        "VACUUM",
        "USE memory",
        "SELECT 1; DELETE FROM memories",
        "SELECT 1; SELECT 2",
        "",
        "-- nothing",
        "selec 1",
        "SELECT * FROM nowhere",
        "SELECT * FROM postings",
        "SELECT content_hash FROM memories",
    ],
)
@pytest.mark.parametrize("exists", [True, False], ids=["vault", "no vault"])
def test_whatever_writes_or_reaches_outside_is_refused(
    vault: Vault, tmp_path: Path, query: str, *, exists: bool
) -> None:
    if exists:
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory(id="askmeabt"))
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nhunter2\n")
    with pytest.raises(MemtuiError) as refused:
        run_query(vault, query.format(file=secret, folder=tmp_path))
    assert isinstance(refused.value, RefusedError | UsageError)
    assert "hunter2" not in str(refused.value)
    assert not (tmp_path / "out.csv").exists()
    if exists:
        with vault.read() as reader:
            assert reader.get("askmeabt").title
    else:
        assert not vault.exists


@pytest.mark.parametrize("write", ["INSERT INTO memories SELECT * FROM memories", "DELETE FROM memories"])
def test_explaining_a_write_with_figures_does_not_write(filled: Vault, write: str) -> None:
    with pytest.raises(RefusedError):
        run_query(filled, f"EXPLAIN ANALYZE {write}")
    assert list(run_query(filled, "SELECT count(*) FROM memory").rows) == [(1,)]


_NEEDS_LINEAR_PARSER = pytest.mark.skipif(
    duckdb.__version__ < "2", reason="DuckDB 1.5 itself takes quadratic time for block comments without a space between"
)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("/**/" * 50_000, id="side by side", marks=_NEEDS_LINEAR_PARSER),
        pytest.param("--\n" * 50_000, id="lines"),
        pytest.param("/* " * 20_000 + "*/" * 20_000, id="nested"),
        pytest.param(" /*;*/; " * 20_000, id="parted"),
    ],
)
def test_comments_take_no_time_to_look_past(filled: Vault, before: str) -> None:
    began = time.process_time()
    for query in (f"{before}SELECT 1", f"{before}EXPLAIN {before.replace(chr(59), chr(32))} ANALYZE SELECT 1"):
        assert run_query(filled, query).rows
    assert time.process_time() - began < 5


def test_after_a_query_the_vault_can_be_written(filled: Vault) -> None:
    run_query(filled, "SELECT 1")
    with filled.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    assert list(run_query(filled, "SELECT count(*) FROM memory").rows) == [(2,)]


def test_cells_can_be_told_in_json(filled: Vault) -> None:
    (row,) = run_query(filled, "SELECT created_at, tags, {'a': 1}, 1.5::DECIMAL(4, 2) FROM memory").rows
    assert [jsonable(cell) for cell in row] == ["2026-03-01 12:00:00", [], {"a": 1}, "1.50"]


def test_json_takes_every_cell_and_no_column_is_lost(filled: Vault) -> None:
    table = run_query(
        filled, "SELECT 'nan'::DOUBLE AS a, ['inf'::DOUBLE, 1.5] AS a, 'ab'::BLOB AS a_2, 2::HUGEINT AS a, MAP {[1]: 2}"
    )
    assert len(set(table.columns)) == 5
    (row,) = table.rows
    assert [jsonable(cell) for cell in row][:4] == [None, [None, 1.5], "6162", 2]
    json.dumps([jsonable(cell) for cell in row], allow_nan=False)
    assert [as_text(cell) for cell in row][:3] == ["nan", "[null, 1.5]", "6162"]


def test_a_long_query_goes_on_with_a_copy_and_lets_others_write(filled: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = []

    @contextmanager
    def seen(vault: Vault) -> Iterator[duckdb.DuckDBPyConnection]:
        with snapshot(vault) as connection:
            with vault.write(actor="person", action="add") as writer:
                writer.put(make_memory())
            copies.append(list(vault.path.parent.glob(".snapshot-*/*")))
            yield connection

    monkeypatch.setattr(sql_query, "snapshot", seen)
    monkeypatch.setattr(sql_query, "IN_PLACE_SECONDS", 0.0)
    long = "SELECT count(*), (SELECT count(*) FROM memories) FROM range(30_000) a, range(3_000) b WHERE hash(a, b) = 1"
    assert run_query(filled, long).rows[0][1] == 1
    assert copies == ([[]] if os.name == "posix" else copies[:1])
    assert not list(filled.path.parent.glob(".snapshot-*"))
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 2
