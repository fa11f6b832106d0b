"""Nobody else reads the vault (P54), and asking creates nothing (P04)."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_memory

from memtui.errors import MemtuiError, NotFoundError
from memtui.vault import vault as vault_module
from memtui.vault.filters import MemoryFilter
from memtui.vault.repair import back_up
from memtui.vault.vault import Vault

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("_open_umask")
def test_with_an_open_umask_every_file_is_private(vault: Vault) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    modes = _modes(vault.path.parent)
    assert {"vault.duckdb", "vault.duckdb.wal", "vault.duckdb.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}
    back_up(vault)
    assert set(_modes(vault.path.parent).values()) == {0o600}
    assert vault.path.parent.stat().st_mode & 0o777 == 0o700
    assert (vault.path.parent / "backups").stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("_open_umask")
def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o755)
    vault = Vault(folder / "vault.duckdb")
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    assert folder.stat().st_mode & 0o777 == 0o755
    assert vault.path.stat().st_mode & 0o777 == 0o600


def test_reading_a_vault_that_is_not_there_sees_an_empty_one_and_makes_nothing(vault: Vault) -> None:
    with vault.read() as reader:
        assert reader.count(MemoryFilter(statuses=None)) == 0
        assert reader.change_counter() == 0
        with pytest.raises(NotFoundError):
            reader.resolve("abc")
    assert not vault.path.parent.exists()


def test_a_change_without_content_still_leaves_a_usable_vault(vault: Vault) -> None:
    with vault.write(actor="person", action="nothing"):
        pass
    with vault.read() as reader:
        assert reader.count(MemoryFilter()) == 0


def test_a_folder_means_the_vault_in_it(tmp_path: Path) -> None:
    assert Vault(tmp_path).path == tmp_path / "vault.duckdb"


def test_a_folder_that_cannot_be_made_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    vault = Vault(tmp_path / "file" / "deeper" / "vault.duckdb")
    with pytest.raises(MemtuiError, match="folder cannot be created"), vault.write(actor="person", action="add"):
        pass


def test_what_a_crash_left_of_a_creation_does_not_stand_in_the_way(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault_module, "create_file", inspect.unwrap(vault_module.create_file))
    vault.path.parent.mkdir(parents=True)
    vault.path.with_name("vault.duckdb.new").write_bytes(b"half a file")
    vault.path.with_name("vault.duckdb.new.wal").write_bytes(b"half a log")
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="firstone"))
    with vault.read() as reader:
        assert reader.get("firstone").title
    assert not list(vault.path.parent.glob("*.new*"))
