"""Half-lives of kinds in the vault: journaled, seen by all who share the kinds, and never a reason to fail."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.vault import journal
from memtui.vault.purge import purge_memories, purge_text
from memtui.vault.vault import Vault

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
