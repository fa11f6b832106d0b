"""Opening the file: foreign holders, damage, other versions, threads of one process."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import duckdb
import pytest
from support import Contested, FrozenClock, make_memory, start_python

from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError, VaultTooNewError
from memtui.vault import connection
from memtui.vault.connection import _is_lock_conflict, engine_errors, open_connection
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import is_being_written
from memtui.vault.sql_query import run_query
from memtui.vault.vault import Vault

FOREIGN = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def filled(vault: Vault) -> Vault:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(title=f"memory {number}") for number in range(20)])
    return vault


def test_a_program_that_is_not_memtui_is_named_with_its_pid(filled: Vault, clock: FrozenClock) -> None:
    hasty = Vault(filled.path, now=clock, patience_seconds=0.1)
    with start_python(FOREIGN, filled.path) as foreign:
        assert foreign.stdout is not None
        assert foreign.stdin is not None
        assert foreign.stdout.readline() == "open\n"
        with pytest.raises(VaultBusyError) as refused, hasty.read():
            pass
        assert f"(PID {foreign.pid})" in str(refused.value)
        assert "Close the vault in that program" in refused.value.remedy
        with pytest.raises(VaultBusyError), hasty.write(actor="person", action="add"):
            pass
        foreign.stdin.close()
        foreign.wait(10)
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 20


def test_who_waits_beside_us_hears_of_the_foreign_program_and_not_of_us(filled: Vault, clock: FrozenClock) -> None:
    patient = Vault(filled.path, now=clock, patience_seconds=4.0)
    told: list[str] = []

    def look() -> None:
        try:
            with patient.write(actor="person", action="add") as writer:
                writer.put(make_memory(title="too late"))
        except VaultBusyError as error:
            told.append(str(error))

    with start_python(FOREIGN, filled.path) as foreign:
        assert foreign.stdout is not None
        assert foreign.stdin is not None
        assert foreign.stdout.readline() == "open\n"
        threads = [threading.Thread(target=look) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        foreign.stdin.close()
        foreign.wait(10)
    assert len(told) == 3
    assert all(f"(PID {foreign.pid})" in text for text in told), told


def test_a_vault_that_is_gone_beside_its_log_is_not_taken_for_empty(filled: Vault) -> None:
    aside = filled.path.with_name("aside")
    filled.path.rename(aside)
    for attempt in (filled.read, lambda: filled.write(actor="person", action="add")):
        with pytest.raises(VaultDamagedError, match="its log is still there"), attempt():
            pass
    assert not filled.path.exists()
    aside.rename(filled.path)
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 20


def test_the_log_of_another_copy_is_told_as_such(filled: Vault, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copy(filled.path, old)
    with filled.connect(read_only=False) as connection:
        connection.execute("CHECKPOINT")
    with filled.write(actor="person", action="add") as writer:
        writer.put(make_memory(title="later"))
    shutil.copy(old, filled.path)
    with pytest.raises(VaultDamagedError, match="belongs to another copy"), filled.read():
        pass


def test_pid_0_is_told_as_a_network_drive(tmp_path: Path) -> None:
    text = 'IO Error: Could not set lock on file "/n/v.duckdb": Conflicting lock is held in PID 0. See also'
    assert _is_lock_conflict(duckdb.IOException(text))
    with pytest.raises(VaultBusyError) as refused, engine_errors(tmp_path / "v.duckdb"):
        raise duckdb.IOException(text)
    assert "another program" in refused.value.what
    assert "network drive" in refused.value.remedy
    assert "local disk" in refused.value.remedy


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(MemtuiError, match="disk is full"), engine_errors(tmp_path / "v.duckdb"):
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")


@pytest.mark.parametrize("content", [b"", b"hello world" * 1000, b"\0" * 20_000], ids=["empty", "text", "zeros"])
def test_a_file_that_is_no_database_is_damaged_and_doctor_is_named(vault: Vault, content: bytes) -> None:
    vault.path.parent.mkdir(parents=True)
    vault.path.write_bytes(content)
    with pytest.raises(VaultDamagedError) as refused, vault.read():
        pass
    assert str(vault.path) in str(refused.value)
    assert "memtui doctor" in refused.value.remedy
    assert vault.path.read_bytes() == content


def test_a_broken_header_or_block_is_damage_never_another_error(filled: Vault) -> None:
    with filled.connect(read_only=False) as connection:
        connection.execute("CHECKPOINT")
    whole = filled.path.read_bytes()
    noticed = 0
    for place in (100, *range(12_288 + 3_000, len(whole), 262_144)):
        filled.path.write_bytes(whole[:place] + b"\x55" * 64 + whole[place + 64 :])
        try:
            with filled.read() as reader:
                assert len(reader.select(MemoryFilter(), sort="title", now=filled.now())) == 20
        except VaultDamagedError as error:
            assert "memtui doctor" in error.remedy  # noqa: PT017 - blocks that nobody reads raise nothing
            noticed += 1
    assert noticed >= 2
    filled.path.write_bytes(whole)
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 20


def _checksum(block: bytes) -> int:
    """DuckDB's checksum of a header block."""
    result = 5381
    for start in range(0, len(block), 8):
        word = int.from_bytes(block[start : start + 8], "little")
        result ^= (word * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    return result


def test_a_file_of_a_newer_duckdb_is_not_called_damaged(filled: Vault) -> None:
    with filled.connect(read_only=False) as connection:
        connection.execute("CHECKPOINT")
    raw = bytearray(filled.path.read_bytes())
    assert int.from_bytes(raw[:8], "little") == _checksum(bytes(raw[8:4096]))
    raw[12:20] = (99_999).to_bytes(8, "little")
    raw[:8] = _checksum(bytes(raw[8:4096])).to_bytes(8, "little")
    filled.path.write_bytes(raw)
    with pytest.raises(VaultTooNewError) as refused, filled.read():
        pass
    assert "pip install -U duckdb" in refused.value.remedy


def test_a_duckdb_file_of_something_else_is_left_as_it_is(vault: Vault) -> None:
    vault.path.parent.mkdir(parents=True)
    with duckdb.connect(str(vault.path)) as connection:
        connection.execute("CREATE TABLE orders (number INTEGER)")
    vault.path.chmod(0o644)
    before = vault.path.read_bytes()
    for attempt in (vault.read(), vault.write(actor="person", action="add")):
        with pytest.raises(MemtuiError, match="not a memtui vault"), attempt:
            pass
    assert vault.path.read_bytes() == before
    assert vault.path.stat().st_mode & 0o777 == 0o644


def test_the_storage_version_is_pinned(filled: Vault) -> None:
    with filled.connect(read_only=True) as connection:
        row = connection.execute("SELECT tags['storage_version'] FROM duckdb_databases() WHERE NOT internal").fetchone()
    assert row is not None
    assert str(row[0]).startswith("v1.5.0")


def test_a_name_in_a_query_never_reaches_a_python_variable() -> None:
    secret_rows = [(1,)]  # noqa: F841 - what the query must not see
    connection = open_connection(None, read_only=False)
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT * FROM secret_rows")
    connection.close()


def test_threads_of_one_process_read_and_write_through_one_vault(filled: Vault) -> None:
    failures: list[BaseException] = []

    def work(task: str) -> None:
        try:
            for number in range(5):
                if task == "write":
                    with filled.write(actor="person", action="add") as writer:
                        writer.put(make_memory(title=f"from a thread {number}"))
                elif task == "query":
                    run_query(filled, "SELECT count(*) FROM memory")
                else:
                    with filled.read() as reader:
                        reader.search("retries", MemoryFilter(), limit=5)
        except BaseException as error:  # noqa: BLE001 - any failure of a thread fails the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(task,)) for task in ("read", "query", "read", "write", "query")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with filled.read() as reader:
        assert reader.count(MemoryFilter()) == 25


def test_two_threads_that_wait_for_the_engine_made_ahead_have_one_each(
    filled: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_idle", [])
    monkeypatch.setattr(connection, "_warming", Contested())
    connection.warm_up()
    read: list[int] = []

    def look() -> None:
        with filled.read() as reader:
            read.append(reader.change_counter())

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(30)
    assert len(read) == 2


def test_a_log_is_read_by_readers_and_survives_many_openings(filled: Vault) -> None:
    log = filled.path.with_name(filled.path.name + ".wal")
    with filled.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="waitlogs"))
    assert log.stat().st_size > 0
    for _ in range(3):
        with filled.read() as reader:
            assert reader.get("waitlogs").title
    assert log.stat().st_size > 0


def test_an_error_inside_a_change_leaves_nothing(filled: Vault) -> None:
    def fail_halfway() -> None:
        with filled.write(actor="person", action="add") as writer:
            writer.put(make_memory(id="halfdone"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    with filled.read() as reader:
        assert not reader.get_many(["halfdone"])
        counter = reader.change_counter()
    with filled.write(actor="person", action="nothing"):
        pass
    with filled.read() as reader:
        assert reader.change_counter() == counter


@pytest.mark.parametrize("version", [1, 70, 199])
def test_another_storage_version_is_told_as_one_and_not_as_damage(filled: Vault, version: int) -> None:
    whole = filled.path.read_bytes()
    assert int.from_bytes(whole[12:20], "little") == 68
    filled.path.write_bytes(whole[:12] + version.to_bytes(8, "little") + whole[20:])
    with pytest.raises(VaultTooNewError, match=f"storage version {version}"), filled.read():
        pass
    filled.path.write_bytes(whole[:12] + b"\xff" * 8 + whole[20:])
    with pytest.raises(VaultDamagedError), filled.read():
        pass


def test_a_read_waits_for_a_change_of_its_own_process_however_hasty_it_is(filled: Vault) -> None:
    """As the app does while it imports: only other processes are given up on."""
    hasty = Vault(filled.path, now=filled.now, patience_seconds=0.05)
    found: list[int] = []

    def look() -> None:
        with hasty.read() as reader:
            found.append(reader.count(MemoryFilter()))

    with filled.write(actor="person", action="import") as writer:
        assert is_being_written(filled.path)
        reading = threading.Thread(target=look)
        reading.start()
        reading.join(0.8)
        assert not found
        writer.put(make_memory(title="the last of many"))
    reading.join(20)
    assert found == [21]
    assert not is_being_written(filled.path)
    # The thread that holds it would wait for itself.
    with filled.write(actor="person", action="import"), pytest.raises(VaultBusyError), hasty.read():
        pass
