"""Backups hold everything, also what waits in the log, and restoring keeps what was there."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from support import FrozenClock, make_memory, start_python

from memtui.errors import MemtuiError, NotFoundError, UsageError, VaultBusyError, VaultDamagedError, VaultMissingError
from memtui.vault import backups, repair
from memtui.vault import lease as lease_module
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import lease, lock_path, log_path, queue_path, remove_files
from memtui.vault.purge import purge_memories
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("probed_in_place")


@pytest.fixture
def filled(vault: Vault) -> Vault:
    _add(vault, "firstone")
    return vault


def _add(vault: Vault, identifier: str) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id=identifier))


def _ids(vault: Vault) -> set[str]:
    with vault.read() as reader:
        return set(reader.select_ids(MemoryFilter(statuses=None), sort="created", now=vault.now()))


def test_a_backup_holds_what_is_still_in_the_log(filled: Vault, clock: FrozenClock) -> None:
    assert log_path(filled.path).stat().st_size > 0
    copy = repair.back_up(filled)
    _add(filled, "secondon")
    assert _ids(Vault(copy, now=clock)) == {"firstone"}
    assert copy.stat().st_mode & 0o777 == 0o600


def test_restoring_brings_back_that_day_and_keeps_what_was_there(filled: Vault, clock: FrozenClock) -> None:
    copy = repair.back_up(filled)
    _add(filled, "secondon")
    clock.step(minutes=1)
    used, kept = repair.restore(filled, None)
    assert used == copy
    assert _ids(filled) == {"firstone"}
    assert kept is not None
    assert _ids(Vault(kept, now=clock)) == {"firstone", "secondon"}
    clock.step(minutes=1)
    repair.restore(filled, kept.name)
    assert _ids(filled) == {"firstone", "secondon"}


def test_restoring_brings_back_a_vault_that_is_gone(filled: Vault) -> None:
    repair.back_up(filled)
    filled.path.unlink()
    log_path(filled.path).unlink(missing_ok=True)
    repair.restore(filled, None)
    assert _ids(filled) == {"firstone"}


def test_a_backup_that_cannot_be_opened_is_refused_and_the_vault_stays(filled: Vault, clock: FrozenClock) -> None:
    copy = repair.back_up(filled)
    copy.write_bytes(b"rubbish")
    clock.step(minutes=1)
    with pytest.raises(VaultDamagedError, match="backup cannot be opened"):
        repair.restore(filled, copy.name)
    assert _ids(filled) == {"firstone"}
    assert not list(filled.path.parent.glob("*.partial*"))


def test_a_damaged_vault_can_be_restored_over(filled: Vault, clock: FrozenClock) -> None:
    repair.back_up(filled)
    filled.path.write_bytes(b"rubbish")
    clock.step(minutes=1)
    _, kept = repair.restore(filled, None)
    assert _ids(filled) == {"firstone"}
    assert kept is not None
    assert kept.read_bytes() == b"rubbish"


def test_a_daily_backup_is_made_once_a_day_and_old_ones_go_but_for_those_made_by_hand(
    filled: Vault, clock: FrozenClock
) -> None:
    by_hand = repair.back_up(filled)
    clock.step(days=1, seconds=1)
    made = []
    for _ in range(repair.KEPT + 2):
        copy = repair.back_up_daily(filled)
        assert copy is not None
        assert repair.back_up_daily(filled) is None
        made.append(copy)
        clock.step(days=1, seconds=1)
    left = backups.list_backups(filled.path)
    assert by_hand in left
    assert set(left) == {by_hand, *made[-repair.KEPT :]}
    assert clock.moment - backups.made_at(backups.list_backups(filled.path)[0]) == timedelta(days=1, seconds=1)


def test_two_backups_of_one_moment_are_two(filled: Vault) -> None:
    assert repair.back_up(filled) != repair.back_up(filled)
    assert len(backups.list_backups(filled.path)) == 2


def test_backups_of_a_vault_with_a_like_name_are_not_mistaken(filled: Vault, clock: FrozenClock) -> None:
    other = Vault(filled.path.with_name("vault-2.duckdb"), now=clock)
    _add(other, "otherone")
    theirs = repair.back_up(other)
    assert backups.list_backups(filled.path) == []
    assert backups.list_backups(other.path) == [theirs]
    with pytest.raises(NotFoundError, match="No backup"):
        repair.restore(filled, None)


def _work(folder: Path, name: str, clock: FrozenClock) -> Vault:
    clock.step(minutes=1)
    vault = Vault(folder / name, now=clock)
    _add(vault, f"of{name.replace('.', '')}xx"[:8])
    return vault


@pytest.mark.parametrize("name", ["work.db", "work"])
def test_two_vaults_that_differ_in_their_suffix_have_backups_of_their_own(
    tmp_path: Path, clock: FrozenClock, name: str
) -> None:
    one, other = _work(tmp_path, name, clock), _work(tmp_path, "work.duckdb", clock)
    mine, theirs = _ids(one), _ids(other)
    for _ in range(repair.KEPT + 1):
        for vault in (one, other):
            assert repair.back_up_daily(vault), "the other's backup is none of this one"
        clock.step(days=2)
    assert len(backups.list_backups(one.path)) == len(backups.list_backups(other.path)) == repair.KEPT
    for vault, ids in ((one, mine), (other, theirs)):
        _add(vault, "addition")
        repair.restore(vault, None)
        assert _ids(vault) == ids


def _earlier(vault: Vault, clock: FrozenClock) -> Path:
    """Make a backup with a name of earlier versions, which ended in `.duckdb` for every vault."""
    clock.step(minutes=1)
    made = repair.back_up(vault)
    return made.rename(made.with_suffix(".duckdb"))


def test_backups_of_earlier_versions_go_to_the_vault_that_they_were_made_of(tmp_path: Path, clock: FrozenClock) -> None:
    one, other = _work(tmp_path, "work.db", clock), _work(tmp_path, "work.duckdb", clock)
    copy, theirs = _earlier(one, clock), repair.back_up(other)
    newest = _earlier(one, clock)
    assert backups.backups_of(one.path) == backups.Backups([newest, copy], [])
    assert backups.backups_of(other.path) == backups.Backups([theirs], [])
    ids = _ids(one)
    one.path.write_bytes(b"rubbish")
    done = repair.repair(one)
    assert _ids(one) == ids
    assert done.kept is not None
    assert backups.damaged_copies(one.path) == backups.Backups([done.kept], [])
    assert backups.damaged_copies(other.path) == backups.Backups([], [])


def test_what_an_earlier_version_left_unfinished_beside_a_namesake_is_named_by_a_purge(
    tmp_path: Path, clock: FrozenClock
) -> None:
    one, _ = _work(tmp_path, "work.db", clock), _work(tmp_path, "work.duckdb", clock)
    made = _earlier(one, clock)
    partial = made.rename(made.with_name(f"{made.name}.partial"))
    log = log_path(_earlier(one, clock))
    lone = log_path(made)
    for path in (log, lone):
        path.write_bytes(b"")
    (identifier,) = _ids(one)
    assert purge_memories(one, [identifier]).leftovers == (partial, lone)


def test_an_earlier_backup_stays_unclear_while_another_program_has_the_vault_open(
    tmp_path: Path, clock: FrozenClock
) -> None:
    one, _ = _work(tmp_path, "work.db", clock), _work(tmp_path, "work.duckdb", clock)
    copy = _earlier(one, clock)
    opens = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with start_python(opens, one.path) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        assert backups.backups_of(one.path) == backups.Backups([], [copy])
        holder.stdin.close()


def test_a_backup_of_an_earlier_version_is_the_vaults_where_no_other_has_its_name(
    tmp_path: Path, clock: FrozenClock
) -> None:
    one = _work(tmp_path, "work.db", clock)
    copy = _earlier(one, clock)
    # A copy that a person made, which memtui has never opened.
    (tmp_path / "work.bak").write_bytes(one.path.read_bytes())
    assert backups.list_backups(one.path) == [copy]


def test_a_backup_that_two_vaults_may_have_made_is_taken_by_its_name_alone(tmp_path: Path, clock: FrozenClock) -> None:
    one, other = _work(tmp_path, "work.db", clock), _work(tmp_path, "work.duckdb", clock)
    ids = _ids(one)
    copy = _earlier(one, clock)
    remove_files(other.path)
    remove_files(one.path)
    _add(one, "anewvaul")
    assert backups.backups_of(one.path) == backups.Backups([], [copy])
    with pytest.raises(NotFoundError, match=copy.name):
        repair.restore(one, None)
    assert copy in purge_memories(one, ["anewvaul"]).leftovers
    one.path.write_bytes(b"rubbish")
    assert any(copy.name in line for line in repair.repair(one).lines)
    repair.restore(one, copy.name)
    assert _ids(one) == ids


def test_a_file_whose_name_has_no_date_that_there_can_be_is_no_backup(filled: Vault) -> None:
    copy = repair.back_up(filled)
    odd = copy.with_name("vault-99999999T999999999999-manual.duckdb")
    odd.write_bytes(b"")
    assert backups.list_backups(filled.path) == [copy]
    assert repair.back_up_daily(filled) is None
    assert repair.restore(filled, None)[0] == copy
    assert odd in purge_memories(filled, ["firstone"]).leftovers


def test_a_backup_that_cannot_be_written_names_its_place_and_what_to_do(filled: Vault, tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "copy.duckdb"
    with pytest.raises(UsageError, match="folder") as refused:
        repair.back_up(filled, to=missing)
    assert refused.value.where == str(missing.parent)
    too_long = tmp_path / f"{'x' * 300}.duckdb"
    with pytest.raises(MemtuiError, match="cannot be written") as failed:
        repair.back_up(filled, to=too_long)
    assert (failed.value.where, bool(failed.value.remedy)) == (str(too_long), True)


def test_a_backup_goes_where_it_is_told_and_never_over_a_file(
    filled: Vault, tmp_path: Path, clock: FrozenClock
) -> None:
    target = tmp_path / "elsewhere.duckdb"
    assert repair.back_up(filled, to=target) == target
    assert _ids(Vault(target, now=clock)) == {"firstone"}
    with pytest.raises(UsageError, match="already exists"):
        repair.back_up(filled, to=target)


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be unlinked there")
def test_no_writer_comes_before_a_copy_to_read_is_unlinked(filled: Vault, monkeypatch: pytest.MonkeyPatch) -> None:

    def seen(copy: Path) -> None:
        with pytest.raises(VaultBusyError), lease(filled.path, exclusive=True, wait_seconds=0):
            pass
        remove_files(copy)

    monkeypatch.setattr(repair, "remove_files", seen)
    with repair.snapshot(filled) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (1,)
        with lease(filled.path, exclusive=True, wait_seconds=0):
            pass


def test_without_a_vault_there_is_nothing_to_back_up(vault: Vault) -> None:
    with pytest.raises(VaultMissingError):
        repair.back_up(vault)
    assert repair.back_up_daily(vault) is None
    with pytest.raises(NotFoundError):
        repair.restore(vault, None)


def test_an_unknown_backup_is_an_error_that_lists_the_known(filled: Vault) -> None:
    copy = repair.back_up(filled)
    with pytest.raises(NotFoundError, match=copy.name):
        repair.restore(filled, "nowhere.duckdb")


HOLD = """
import sys, time
from pathlib import Path
from memtui.vault.lease import lease
sys.argv[0] = "/usr/bin/holder-program"
with lease(Path(sys.argv[1]), exclusive=sys.argv[2] == "alone", wait_seconds=5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.duckdb"


def test_a_writer_keeps_everybody_out_and_is_named_with_its_pid(path: Path) -> None:
    with start_python(HOLD, path, "alone") as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        for exclusive in (True, False):
            with pytest.raises(VaultBusyError) as refused, lease(path, exclusive=exclusive, wait_seconds=0.1):
                pass
            assert f"holder-program (PID {holder.pid})" in str(refused.value)
            assert "Nothing was changed" in str(refused.value)
        holder.stdin.close()
        holder.wait(10)
    with lease(path, exclusive=True, wait_seconds=0):
        pass


def test_readers_share_and_keep_a_writer_out(path: Path) -> None:
    with start_python(HOLD, path, "shared") as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        with lease(path, exclusive=False, wait_seconds=0):
            pass
        with pytest.raises(VaultBusyError), lease(path, exclusive=True, wait_seconds=0.05):
            pass
        holder.stdin.close()
        holder.wait(10)


def test_a_lease_dies_with_its_process(path: Path) -> None:
    with start_python(HOLD, path, "alone") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait(10)
        with lease(path, exclusive=True, wait_seconds=1):
            pass


def test_waiting_ends_at_the_given_time(path: Path) -> None:
    with lease(path, exclusive=True, wait_seconds=0):
        begun = time.monotonic()
        with pytest.raises(VaultBusyError), lease(path, exclusive=True, wait_seconds=0.2):
            pass
        assert 0.2 <= time.monotonic() - begun < 30, "it ends, however busy the machine is"


def test_a_waiting_lease_is_taken_once_it_is_free(path: Path) -> None:
    order: list[str] = []

    def wait() -> None:
        with lease(path, exclusive=True, wait_seconds=10):
            order.append("second")

    with lease(path, exclusive=True, wait_seconds=0):
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_readers_without_a_gap_do_not_starve_a_writer(path: Path) -> None:
    done = threading.Event()

    def read_on() -> None:
        while not done.is_set():
            with lease(path, exclusive=False, wait_seconds=10):
                time.sleep(0.02)

    readers = [threading.Thread(target=read_on) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(5):
            with lease(path, exclusive=True, wait_seconds=3):
                pass
    finally:
        done.set()
        for reader in readers:
            reader.join()


def test_the_lease_is_let_go_when_the_work_fails(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lease(path, exclusive=True, wait_seconds=0):
        _ = 1 / 0
    with lease(path, exclusive=True, wait_seconds=0):
        pass


def test_lock_files_are_private(path: Path) -> None:
    with lease(path, exclusive=True, wait_seconds=0):
        pass
    for file in (lock_path(path), queue_path(path)):
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "vault.duckdb"
    with pytest.raises(MemtuiError, match="lock file cannot be opened"), lease(missing, exclusive=True, wait_seconds=0):
        pass


def test_where_the_kernel_tells_nothing_the_last_writer_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "_pid_from_kernel", lambda _descriptor: None)
    held, wanted = lease(path, exclusive=True, wait_seconds=0), lease(path, exclusive=False, wait_seconds=0)
    with held, pytest.raises(VaultBusyError, match="last writer: PID"), wanted:
        pass


def test_a_drive_without_locks_is_told_with_a_way_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_descriptor: int, _exclusive: bool) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lease_module, "_try_lock", no_locks)
    with (
        pytest.raises(MemtuiError, match=r"No locks available.*local disk"),
        lease(path, exclusive=True, wait_seconds=0),
    ):
        pass
