"""The doctor tells what is wrong and what to do, and a damaged file cannot take it down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import NOON, FrozenClock, make_memory, start_python

from memtui.domain.memory import Link
from memtui.vault import repair
from memtui.vault import subprocess_probe as probe_module
from memtui.vault.connection import fold_log
from memtui.vault.doctor import Diagnosis, _file_system, diagnose
from memtui.vault.projects import add_identities
from memtui.vault.repair import reindex
from memtui.vault.subprocess_probe import ChildReport, run_child
from memtui.vault.vault import Vault


@pytest.fixture
def filled(vault: Vault) -> Vault:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(title=f"memory {number}") for number in range(5)])
    return vault


def _bad(diagnosis: Diagnosis) -> set[str]:
    return {check.name for check in diagnosis.checks if not check.ok}


def test_a_healthy_vault_is_told_healthy_and_left_as_it_is(filled: Vault) -> None:
    before = {path.name: path.read_bytes() for path in filled.path.parent.iterdir() if "duckdb" in path.suffixes[0]}
    diagnosis = diagnose(filled)
    assert diagnosis.healthy
    assert not _bad(diagnosis)
    assert "5 memories, 5 revisions" in diagnosis.check("opens").detail
    assert diagnosis.check("vectors").detail == "none are stored"
    assert "not a safeguard" in diagnosis.check("advice").detail
    assert diagnosis.check("lock").detail == "free"
    assert {path.name: path.read_bytes() for path in filled.path.parent.iterdir() if path.name in before} == before


def test_without_a_vault_there_is_nothing_wrong_and_nothing_is_made(vault: Vault) -> None:
    diagnosis = diagnose(vault)
    assert diagnosis.healthy
    assert "no vault yet" in diagnosis.check("file").detail
    assert not vault.path.parent.exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_files_that_others_may_read_are_told_with_the_cure(filled: Vault) -> None:
    filled.path.chmod(0o644)
    filled.path.parent.chmod(0o755)
    diagnosis = diagnose(filled)
    assert not diagnosis.healthy
    assert "0644" in diagnosis.check("file permissions").detail
    assert "chmod 600" in diagnosis.check("file permissions").remedy
    assert not diagnosis.check("folder permissions").ok
    filled.path.chmod(0o600)
    assert diagnose(filled).healthy


def test_who_holds_the_vault_is_told(filled: Vault, clock: FrozenClock) -> None:
    hold = (
        "import sys; from pathlib import Path; from memtui.vault.lease import lease\n"
        "with lease(Path(sys.argv[1]), exclusive=True, wait_seconds=5): print('held', flush=True); sys.stdin.read()"
    )
    with start_python(hold, filled.path) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        diagnosis = diagnose(Vault(filled.path, now=clock, patience_seconds=0.1))
        holder.stdin.close()
        holder.wait(10)
    assert not diagnosis.healthy
    assert f"PID {holder.pid}" in diagnosis.check("lock").detail


def test_a_foreign_program_that_holds_the_file_is_told(filled: Vault, clock: FrozenClock) -> None:
    hold = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with start_python(hold, filled.path) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        diagnosis = diagnose(Vault(filled.path, now=clock, patience_seconds=0.1))
        holder.stdin.close()
        holder.wait(10)
    assert f"PID {holder.pid}" in diagnosis.check("opens").detail


def test_damage_is_found_wherever_it_sits(filled: Vault) -> None:
    fold_log(filled.path)
    whole = filled.path.read_bytes()
    places = range(12_288 + 3_000, len(whole), 262_144)
    healthy = []
    for place in places:
        filled.path.write_bytes(whole[:place] + b"\x55" * 8 + whole[place + 8 :])
        healthy.append(diagnose(filled).healthy)
    # A block that holds nothing any more may be broken without harm.
    assert healthy.count(False) >= len(healthy) // 2
    filled.path.write_bytes(b"rubbish")
    opens = diagnose(filled).check("opens")
    assert not opens.ok
    assert "--repair" in opens.remedy


def test_a_child_that_dies_or_hangs_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dying_module.py").write_text(
        "import os, signal, sys, time\n"
        'print(\'{"step": "first"}\', flush=True)\n'
        "os.kill(os.getpid(), signal.SIGSEGV) if sys.argv[1] == 'die' else time.sleep(30)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    died = run_child("dying_module", "die")
    assert died.crashed == "signal 11"
    assert died.facts == {"step": "first"}
    hung = run_child("dying_module", "hang", seconds=1.5)
    assert "no answer in 1.5 s" in hung.crashed


def test_the_working_folder_slips_no_module_in(filled: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "duckdb.py").write_text(f"open({str(trap / 'sprung')!r}, 'w')")
    monkeypatch.chdir(trap)
    assert diagnose(filled).healthy
    assert not (trap / "sprung").exists()


def test_a_memory_that_is_not_indexed_is_found_and_reindex_cures_it(filled: Vault) -> None:
    with filled.connect(read_only=False) as connection:
        connection.execute("DELETE FROM postings WHERE memory_key = 1")
        connection.execute("UPDATE documents SET memory_key = 99 WHERE memory_key = 2")
    check = diagnose(filled).check("search index")
    assert not check.ok
    assert "2 memories" in check.detail
    assert "1 entries belong to no memory" in check.detail
    assert "reindex" in check.remedy
    reindex(filled)
    assert diagnose(filled).check("search index").ok


def test_revisions_that_cannot_be_read_and_ids_that_stand_twice_are_found(filled: Vault) -> None:
    with filled.connect(read_only=False) as connection:
        connection.execute("UPDATE revisions SET after = after || 'x' WHERE position = 0")
        connection.execute("UPDATE memories SET id = 'sameones' WHERE key < 3")
    diagnosis = diagnose(filled)
    assert "1 revisions" in diagnosis.check("journal").detail
    assert not diagnosis.check("ids").ok
    assert not diagnosis.healthy


def test_hints_do_not_make_a_vault_unhealthy(filled: Vault, tmp_path: Path) -> None:
    with filled.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id="nowhere2", type="relates", to_id="nowhere3", created_at=NOON)])
        add_identities(writer, "moved", [f"path:{tmp_path / 'gone'}"])
        add_identities(writer, "here", [f"path:{tmp_path}"])
        add_identities(writer, "cloned", [f"path:{tmp_path / 'gone2'}", "remote:github.com/acme/shop"])
    diagnosis = diagnose(filled)
    assert diagnosis.healthy
    assert _bad(diagnosis) == {"links", "projects"}
    assert "nowhere2 relates nowhere3" in diagnosis.check("links").detail
    orphan = diagnosis.check("projects")
    assert f"moved ({tmp_path / 'gone'})" in orphan.detail
    assert "here" not in orphan.detail
    assert "cloned" not in orphan.detail
    assert "project link" in orphan.remedy


def test_the_newest_backup_is_told_with_its_age(filled: Vault, clock: FrozenClock) -> None:
    assert "none yet" in diagnose(filled).check("backup").detail
    copy = repair.back_up(filled)
    clock.step(days=3)
    assert diagnose(filled).check("backup").detail == f"the newest is {copy.name}, 3 days old"


def test_a_damaged_copy_that_may_be_of_another_vault_is_told_as_such(tmp_path: Path, clock: FrozenClock) -> None:
    vaults = [Vault(tmp_path / name, now=clock) for name in ("work.db", "work.duckdb")]
    for vault in vaults:
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory())
    folder = tmp_path / "damaged"
    folder.mkdir()
    names = [f"work-20260102T030405678901.{ending}" for ending in ("db", "duckdb")]
    for name in names:
        (folder / name).write_bytes(b"rubbish")
    told = [[check for check in diagnose(vault).checks if check.name == "damaged copies"] for vault in vaults]
    own, unclear = told[0]
    assert told[1] == [unclear]
    assert own.detail == f"{folder} contains {names[0]}"
    assert unclear.detail == f"{folder} contains {names[1]}, of this vault or of another one with its name"
    assert "either" in unclear.remedy


def test_a_network_drive_is_known_by_its_mount() -> None:
    mounts = (
        "/dev/sda / ext4 rw 0 0\n"
        "server:/home /home nfs4 rw 0 0\n"
        "drive /mnt/my\\040share 9p rw 0 0\n"
        "short line\n"
        "/dev/sdb /home/ada/local ext4 rw 0 0\n"
    )
    cases = {
        "/srv/vault.duckdb": "ext4",
        "/home/ada/vault.duckdb": "nfs4",
        "/homestead/vault.duckdb": "ext4",
        "/home/ada/local/vault.duckdb": "ext4",
        "/mnt/my share/vault.duckdb": "9p",
    }
    assert {path: _file_system(Path(path), mounts) for path in cases} == cases
    assert _file_system(Path("/srv"), "") == ""


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (ChildReport((), "exit 1: ModuleNotFoundError: No module named 'duckdb'"), "refused"),
        (ChildReport(({"step": "open"},), "no answer in 120 s"), "refused"),
        (ChildReport(({"step": "open"},), "signal 9"), "refused"),
        (ChildReport(({"step": "open"},), ""), "refused"),
        (ChildReport(({"step": "open"}, {"table": "memories"}), "signal 11"), "damaged"),
        (ChildReport(({"step": "open"},), "signal 6"), "damaged"),
    ],
)
def test_only_what_speaks_against_the_file_is_called_damage(report: ChildReport, reason: str) -> None:
    found = probe_module._probe_of(report)
    assert (found.readable, found.reason) == (False, reason)
