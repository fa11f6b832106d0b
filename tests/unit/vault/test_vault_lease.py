"""Whoever opens the vault holds the lease; the error names who has it; nobody is kept out for ever."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from support import start_python

from memtui.errors import MemtuiError, VaultBusyError
from memtui.vault import lease as lease_module
from memtui.vault.lease import lease, lock_path, queue_path

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
