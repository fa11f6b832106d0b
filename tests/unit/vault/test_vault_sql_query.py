"""`sql` answers questions about the vault and reaches nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import make_memory

from memtui.domain.memory import Anchor, Source
from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.vault import sql_query
from memtui.vault.filters import MemoryFilter
from memtui.vault.repair import snapshot
from memtui.vault.sql_query import OTHER_NAMES, STABLE_VIEWS, as_text, jsonable, run_query
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb


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
    monkeypatch.setattr(sql_query, "IN_PLACE_SECONDS", 0.001)
    long = "SELECT count(*), (SELECT count(*) FROM memories) FROM range(30_000) a, range(3_000) b WHERE hash(a, b) = 1"
    assert run_query(filled, long).rows[0][1] == 1
    assert copies == ([[]] if os.name == "posix" else copies[:1])
    assert not list(filled.path.parent.glob(".snapshot-*"))
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 2
