"""A newer vault is refused unchanged, an older one is migrated after a backup; half-lives are journaled settings."""

from __future__ import annotations

import inspect
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from support import make_memory

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.errors import VaultTooNewError
from memtui.vault import journal, rows
from memtui.vault import vault as vault_module
from memtui.vault.filters import MemoryFilter
from memtui.vault.packs import read_packs, read_recipes
from memtui.vault.purge import purge_memories, purge_text
from memtui.vault.repair import list_backups
from memtui.vault.salvage import rebuild
from memtui.vault.vault import Vault


@pytest.fixture
def filled(vault: Vault) -> Vault:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="keptmems"))
    return vault


def test_a_vault_of_a_newer_memtui_is_refused_and_not_touched(filled: Vault) -> None:
    with filled.write(actor="person", action="meta") as writer:
        writer.set_meta("written_by", "9.9.9")
        writer.set_meta("schema_version", "999")
    before = filled.path.read_bytes(), filled.path.with_name("vault.duckdb.wal").read_bytes()
    for attempt in (filled.read(), filled.write(actor="person", action="add")):
        with pytest.raises(VaultTooNewError) as refused, attempt:
            pass
        assert "999" in refused.value.what
        assert "9.9.9" in refused.value.what
        assert "Upgrade memtui" in refused.value.remedy
    assert (filled.path.read_bytes(), filled.path.with_name("vault.duckdb.wal").read_bytes()) == before


@pytest.fixture
def _next_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the next memtui has one more migration."""
    own = rows._scripts
    version = rows.SCHEMA_VERSION + 1
    monkeypatch.setattr(rows, "SCHEMA_VERSION", version)
    monkeypatch.setattr(vault_module, "SCHEMA_VERSION", version)
    monkeypatch.setattr(
        rows, "_scripts", lambda after: [*own(after), "CREATE TABLE novelty (id VARCHAR)"][-(version - after) :]
    )


@pytest.mark.usefixtures("_next_schema")
@pytest.mark.parametrize("reading", [True, False], ids=["by a reader", "by a writer"])
def test_an_older_vault_is_migrated_after_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, reading: bool
) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    newest = rows.SCHEMA_VERSION
    with monkeypatch.context() as older:
        older.setattr(rows, "SCHEMA_VERSION", newest - 1)
        older.setattr(vault_module, "SCHEMA_VERSION", newest - 1)
        older.setattr(rows, "_scripts", lambda after: _real_scripts()[after:])
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory(id="oldmemry"))
    if reading:
        with vault.read() as reader:
            assert reader.get("oldmemry").title
            assert reader.meta("schema_version") == str(newest)
    else:
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory())
    for file in tmp_path.iterdir():
        assert file.is_dir() or os.name != "posix" or file.stat().st_mode & 0o077 == 0, f"{file.name} is private"
    with vault.connect(read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM novelty").fetchone() == (0,)
    (backup,) = list_backups(vault.path)
    assert "before-schema" in backup.name
    with duckdb.connect(str(backup), read_only=True) as connection:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
        assert row == (str(newest - 1),)
        assert connection.execute("SELECT id FROM memories").fetchall() == [("oldmemry",)]


def test_packs_and_recipes_of_an_older_vault_come_along_without_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    before = 3
    with monkeypatch.context() as older:
        older.setattr(rows, "SCHEMA_VERSION", before)
        older.setattr(vault_module, "SCHEMA_VERSION", before)
        older.setattr(rows, "_scripts", lambda after: _real_scripts()[after:before])
        older.setattr(vault_module, "create_file", inspect.unwrap(vault_module.create_file))
        with vault.connect(read_only=False) as connection:
            connection.execute(
                "INSERT INTO packs VALUES ('oldpack2', now()::TIMESTAMP, 'person', NULL, 'a task', ['a.py'], 'chat',"
                " '1,200 tokens', 'o200k_base', 7, 'hash', [])"
            )
            connection.execute(
                "INSERT INTO recipes VALUES ('weekly', NULL, 'a task', [], 'chat', '2k', now()::TIMESTAMP)"
            )
    with vault.read() as reader:
        (pack,), (recipe,) = read_packs(reader, limit=9), read_recipes(reader)
    assert (pack.id, pack.files, pack.options) == ("oldpack2", ("a.py",), {})
    assert (recipe.name, recipe.options) == ("weekly", {})


def test_rows_that_were_salvaged_from_an_older_vault_are_whole(tmp_path: Path, vault: Vault) -> None:
    row: dict[str, object] = {
        "name": "weekly",
        "project": None,
        "task": "t",
        "files": [],
        "target": "chat",
        "budget": "2k",
    }
    lines = tmp_path / "lines"
    lines.write_text(json.dumps({"table": "recipes", "row": row | {"created_at": "2026-01-01T00:00:00"}}) + "\n")
    with vault.connect(read_only=False):
        pass
    rebuild(lines, vault.path, now=vault.now(), stated_revisions=None)
    with vault.read() as reader:
        assert [(recipe.name, recipe.options) for recipe in read_recipes(reader)] == [("weekly", {})]


def _real_scripts() -> list[str]:
    folder = Path(rows.__file__).parent / "migrations"
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sql"))]


def test_a_migration_that_fails_changes_nothing(filled: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(str(filled.path)) as connection:
        older = str(rows.SCHEMA_VERSION - 1 or -1)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", [older])
    broken = ["CREATE TABLE half (id VARCHAR)", "CREATE TABLE half (id VARCHAR)"]
    monkeypatch.setattr(rows, "_scripts", lambda _after: broken)
    with pytest.raises(duckdb.CatalogException), filled.read():
        pass
    with duckdb.connect(str(filled.path), read_only=True) as connection:
        names = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        assert "half" not in names
        assert connection.execute("SELECT id FROM memories").fetchall() == [("keptmems",)]


def test_the_migrations_are_numbered_without_gaps_up_to_the_schema_version() -> None:
    folder = Path(rows.__file__).parent / "migrations"
    numbers = [int(path.name[:4]) for path in sorted(folder.glob("*.sql"))]
    assert numbers == list(range(1, rows.SCHEMA_VERSION + 1))


def test_a_vault_counts_its_writes(filled: Vault) -> None:
    with filled.read() as reader:
        before = reader.change_counter()
        assert reader.count(MemoryFilter()) == 1
    with filled.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    with filled.read() as reader:
        assert reader.change_counter() == before + 1


# -- half-lives -------------------------------------------------------------------------------------

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_whoever_shares_the_kinds_goes_by_what_is_stored(tmp_path: Path) -> None:
    kinds = Kinds()
    writing, reading = (Vault(tmp_path / "vault.duckdb", kinds=kinds, now=lambda: NOW) for _ in range(2))
    with writing.write(actor="person", action="half-life") as writer:
        writer.set_half_life("tooling", 30.0)
        writer.set_half_life("note", None)
    assert kinds.get("tooling").half_life_days == 30.0
    with reading.read() as reader:
        assert [change.action for change in journal.log(reader)] == ["half-life"]
    with Vault(tmp_path / "other.duckdb", kinds=kinds).read():
        assert kinds.get("tooling").half_life_days == 90.0, "another vault, other half-lives"


def test_a_change_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)

    def fail() -> None:
        with vault.write(actor="person", action="half-life") as writer:
            writer.set_half_life("tooling", 30.0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with vault.read():
        assert vault.kinds.get("tooling").half_life_days == 90.0


@pytest.mark.parametrize("value", ["", "soon", "nan", "inf", "-3", "0"])
def test_a_damaged_value_is_passed_over(tmp_path: Path, value: str) -> None:
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="damage") as writer:
        writer.set_meta("half_life:tooling", value)
    with vault.read():
        assert vault.kinds.get("tooling").half_life_days == 90.0
    with vault.write(actor="person", action="half-life") as writer:
        writer.set_half_life("tooling", 30.0)
    assert vault.kinds.get("tooling").half_life_days == 30.0


def test_a_purge_keeps_them(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="add") as writer:
        writer.put(Memory(id="m0000001", title="T", insight="I", created_at=NOW, updated_at=NOW))
        writer.set_half_life("tooling", 30.0)
    purge_memories(vault, ["m0000001"])
    with vault.read():
        assert vault.kinds.get("tooling").half_life_days == 30.0


def test_a_purged_name_is_gone_from_the_half_lives_of_its_project_too(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="half-life") as writer:
        writer.set_half_life("tooling@operation-walrus", 30.0)
        writer.set_half_life("note", 3.0)
    purge_text(vault, "operation-walrus")
    held = [path.name for path in tmp_path.rglob("*") if path.is_file() and b"operation-walrus" in path.read_bytes()]
    assert held == []
    with vault.read() as reader:
        assert reader.half_lives() == {"tooling@[purged]": 30.0, "note": 3.0}
