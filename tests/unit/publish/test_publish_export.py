"""Exporting: what a scope holds, the same bytes for the same vault, and no file where none should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, everything, new_vault

from memtui.curate.lifecycle import reject, retire, verify
from memtui.curate.links import link
from memtui.errors import UnsafePathError, UsageError
from memtui.publish.files import jsonl_text
from memtui.publish.portable import export_jsonl, take_snapshot, write_vault
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = new_vault(tmp_path / "data")[0]
    shop = [add(vault, text) for text in ("Lock payments", "Seed first", "Use make")]
    till = add(vault, "Use tabs", project="till")
    nowhere = add(vault, "Use ninja", project=None, actor=AGENT)
    link(vault, shop[0].id, "relates", till.id, actor=PERSON)
    link(vault, shop[0].id, "relates", shop[1].id, actor=PERSON)
    verify(vault, [shop[1].id, till.id], actor=PERSON)
    retire(vault, [shop[2].id, till.id], actor=PERSON)
    reject(vault, [nowhere.id], actor=PERSON)
    return vault


def test_a_snapshot_of_everything_holds_every_status(vault: Vault) -> None:
    snapshot = take_snapshot(vault, EVERYTHING)
    assert len(snapshot.memories) == 5
    assert (len(snapshot.links), len(snapshot.verdicts), len(snapshot.tombstones)) == (2, 4, 3)


def test_a_snapshot_of_a_project_holds_what_hangs_on_its_memories(vault: Vault) -> None:
    snapshot = take_snapshot(vault, Scope.of_project("shop"))
    ids = {memory.id for memory in snapshot.memories}
    assert {memory.project for memory in snapshot.memories} == {"shop"}
    assert {verdict.memory_id for verdict in snapshot.verdicts} <= ids
    assert {stone.memory_id for stone in snapshot.tombstones} <= ids
    assert len(snapshot.tombstones) == 1


def test_a_snapshot_of_the_unassigned_holds_their_tombstones(vault: Vault) -> None:
    snapshot = take_snapshot(vault, Scope((), with_unassigned=True))
    assert [memory.insight for memory in snapshot.memories] == ["Use ninja"]
    assert len(snapshot.tombstones) == 1


def test_the_same_vault_gives_the_same_bytes(vault: Vault, tmp_path: Path) -> None:
    snapshot = take_snapshot(vault, EVERYTHING)
    size = export_jsonl(snapshot, tmp_path / "a.jsonl")
    assert export_jsonl(take_snapshot(vault, EVERYTHING), tmp_path / "b.jsonl") == size
    data = (tmp_path / "a.jsonl").read_bytes()
    assert data == (tmp_path / "b.jsonl").read_bytes() == everything(vault).encode()
    assert len(data) == size
    first = write_vault(tmp_path / "folder", snapshot)
    again = write_vault(tmp_path / "folder", take_snapshot(vault, EVERYTHING))
    assert (again.written, again.removed, again.unchanged) == ((), (), first.written)


def test_an_empty_vault_is_an_empty_file(tmp_path: Path) -> None:
    snapshot = take_snapshot(new_vault(tmp_path / "none")[0], EVERYTHING)
    assert jsonl_text(snapshot) == ""
    assert export_jsonl(snapshot, tmp_path / "a.jsonl") == 0
    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_a_dry_run_writes_no_file(vault: Vault, tmp_path: Path) -> None:
    report = write_vault(tmp_path / "folder", take_snapshot(vault, EVERYTHING), dry_run=True)
    assert len(report.written) == 7
    assert not (tmp_path / "folder").exists()


def test_a_target_that_cannot_be_written_is_an_error(vault: Vault, tmp_path: Path) -> None:
    snapshot = take_snapshot(vault, EVERYTHING)
    with pytest.raises(UnsafePathError, match="folder"):
        export_jsonl(snapshot, tmp_path)
    with pytest.raises(UsageError, match="folder does not exist"):
        export_jsonl(snapshot, tmp_path / "gone" / "a.jsonl")
    assert not (tmp_path / "gone").exists()
