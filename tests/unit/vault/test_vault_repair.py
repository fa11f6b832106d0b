"""A damaged vault comes back as whole as can be; what was lost is said; the damaged file is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import duckdb
import pytest
from support import NOON, FrozenClock, make_memory

from memtui.domain.causes import REJECTED
from memtui.domain.memory import Anchor, Link, Memory
from memtui.errors import VaultMissingError, VaultTooNewError
from memtui.vault import journal, salvage
from memtui.vault import repair as backup
from memtui.vault.connection import fold_log
from memtui.vault.doctor import diagnose
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import log_path
from memtui.vault.repair import reindex, repair
from memtui.vault.salvage import _Plan, _read_window, rebuild
from memtui.vault.subprocess_probe import ChildReport
from memtui.vault.vault import Vault, create_file

BLOCK = 262_144


def _memories(count: int) -> list[Memory]:
    return [make_memory(title=f"memory {number}", insight=f"number {number} of them") for number in range(count)]


def _add(vault: Vault, *memories: Memory) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(memories)


def _all(vault: Vault) -> dict[str, Memory]:
    with vault.read() as reader:
        return {m.id: m for m in reader.select(MemoryFilter(statuses=None), sort="created", now=NOON)}


@pytest.fixture
def filled(vault: Vault) -> Vault:
    _add(vault, *_memories(30))
    with vault.write(actor="person", action="link") as writer:
        ids = writer.select_ids(MemoryFilter(), sort="created", now=NOON)
        writer.add_links([Link(from_id=ids[0], type="relates", to_id=ids[1], created_at=NOON)])
    fold_log(vault.path)
    return vault


def _break(vault: Vault, block: int) -> None:
    raw = bytearray(vault.path.read_bytes())
    place = 12_288 + block * BLOCK + 3_000
    raw[place : place + 8] = b"\x55" * 8
    vault.path.write_bytes(raw)


def test_a_healthy_vault_is_left_untouched(filled: Vault) -> None:
    before = filled.path.read_bytes()
    done = repair(filled)
    assert (done.outcome, done.kept, done.memories) == ("healthy", None, 30)
    assert filled.path.read_bytes() == before
    assert not (filled.path.parent / "damaged").exists()


def test_missing_postings_are_reindexed(filled: Vault) -> None:
    with filled.connect(read_only=False) as connection:
        connection.execute("DELETE FROM postings")
    assert repair(filled).outcome == "reindexed"
    with filled.read() as reader:
        assert reader.search("number", MemoryFilter(), limit=50)


@pytest.mark.slow
def test_every_broken_block_is_survived(filled: Vault, clock: FrozenClock) -> None:
    expected = _all(filled)
    whole = filled.path.read_bytes()
    outcomes = []
    for block in range((len(whole) - 12_288) // BLOCK):
        filled.path.write_bytes(whole)
        _break(filled, block)
        damaged = filled.path.read_bytes()
        clock.step(seconds=1)
        done = repair(filled)
        outcomes.append(done.outcome)
        if done.outcome == "healthy":
            continue
        assert done.kept is not None
        assert done.kept.read_bytes() == damaged
        if done.outcome == "lost":
            assert filled.path.read_bytes() == damaged
            continue
        assert done.outcome == "salvaged"
        assert done.memories == 30
        assert diagnose(filled).healthy
        found = _all(filled)
        assert {m.id: m.insight for m in found.values()} == {m.id: m.insight for m in expected.values()}
    assert "salvaged" in outcomes
    assert not list(filled.path.parent.glob(".*repair*"))


def test_a_file_that_cannot_be_opened_is_replaced_by_the_newest_backup_that_can(
    filled: Vault, clock: FrozenClock
) -> None:
    backup.back_up(filled)
    clock.step(days=1)
    _add(filled, make_memory(id="sincethe"))
    broken = backup.back_up(filled)
    broken.write_bytes(b"rubbish")
    log_path(broken).unlink(missing_ok=True)
    filled.path.write_bytes(b"rubbish")
    done = repair(filled)
    assert (done.outcome, done.memories) == ("restored", 30)
    told = " ".join(done.lines)
    assert f"{broken.name} cannot be read and was skipped" in told
    assert "2026-03-01 12:00" in told
    assert "30 memories may lack later changes" in told
    assert diagnose(filled).healthy
    assert len(_all(filled)) == 30


def test_a_log_that_breaks_off_costs_only_what_follows(filled: Vault) -> None:
    for number in range(6):
        _add(filled, make_memory(id=f"inthelo{'abcdef'[number]}"))
    log = log_path(filled.path)
    raw = bytearray(log.read_bytes())
    place = int(len(raw) * 0.9)
    raw[place : place + 4] = bytes(byte ^ 0xFF for byte in raw[place : place + 4])
    log.write_bytes(raw)
    assert not diagnose(filled).healthy
    done = repair(filled)
    assert done.outcome == "log-cut"
    assert done.kept is not None
    assert log_path(done.kept).read_bytes() == bytes(raw)
    assert "lost" in " ".join(done.lines)
    kept = _all(filled)
    assert len(kept) >= 34
    assert "inthelof" not in kept
    assert diagnose(filled).healthy


def test_a_backup_newer_than_the_file_without_its_log_is_preferred(filled: Vault) -> None:
    _add(filled, make_memory(id="waitlogs"))
    log = log_path(filled.path)
    unfolded, written = filled.path.read_bytes(), log.read_bytes()
    backup.back_up(filled)
    filled.path.write_bytes(unfolded)
    log.write_bytes(written[:60] + b"\x00" * 200 + written[260:])
    assert repair(filled).outcome == "restored"
    assert "waitlogs" in _all(filled)


def test_what_can_be_read_is_preferred_to_a_backup_that_holds_less(filled: Vault, clock: FrozenClock) -> None:
    backup.back_up(filled)
    clock.step(days=1)
    _add(filled, *_memories(4))
    fold_log(filled.path)
    whole = filled.path.read_bytes()
    for block in range((len(whole) - 12_288) // BLOCK):
        filled.path.write_bytes(whole)
        _break(filled, block)
        clock.step(seconds=1)
        done = repair(filled)
        if done.outcome == "salvaged":
            assert done.memories == 34
            assert "What could be read has 34 memories, the newest backup 30." in done.lines
            return
    pytest.fail("no block was salvaged")


def test_a_block_that_a_kill_left_half_written_costs_nothing_else(filled: Vault) -> None:
    expected = _all(filled)
    raw = bytearray(filled.path.read_bytes())
    raw[12_288:12_296] = b"\x55" * 8  # the checksum of the first block, without which nothing is found
    filled.path.write_bytes(raw)
    done = repair(filled)
    assert (done.outcome, done.memories) == ("salvaged", 30)
    assert "1 block of it had been written in part: look through what changed last." in done.lines
    assert {m.id: m.insight for m in _all(filled).values()} == {m.id: m.insight for m in expected.values()}


def test_when_nothing_can_be_read_nothing_is_changed(filled: Vault) -> None:
    filled.path.write_bytes(b"rubbish")
    done = repair(filled)
    assert (done.outcome, done.memories) == ("lost", 0)
    assert filled.path.read_bytes() == b"rubbish"
    assert "Nothing was changed" in done.lines[-1]


def test_what_is_no_damage_is_not_repaired(filled: Vault, vault: Vault) -> None:
    with filled.write(actor="person", action="meta") as writer:
        writer.set_meta("schema_version", "999")
    with pytest.raises(VaultTooNewError):
        repair(filled)
    assert not (filled.path.parent / "damaged").exists()
    with pytest.raises(VaultMissingError):
        repair(Vault(vault.path.with_name("nowhere.duckdb")))


# -- salvaging rows ---------------------------------------------------------------------------------


class _Broken:
    """A connection on which some columns of some rows cannot be read."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, is_broken: Callable[[str, int, int], bool]) -> None:
        self._connection = connection
        self._is_broken = is_broken

    def execute(self, query: str) -> duckdb.DuckDBPyConnection:
        low, high = (int(number) for number in re.findall(r"rowid [<>]=? (\d+)", query))
        if self._is_broken(query, low, high):
            raise duckdb.IOException("Corrupt database file")
        return self._connection.execute(query)


def test_a_broken_column_costs_that_column_for_the_rows_it_breaks() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE links AS SELECT i AS from_id, i AS type FROM range(1000) r(i)")

    def is_broken(query: str, low: int, high: int) -> bool:
        return "type" in query and low <= 700 < high

    rows = _read_window(_Broken(connection, is_broken), "links", ("from_id", "type"), 0, 1000)  # type: ignore[arg-type]
    assert len(rows) == 1000
    lacking = [number for number, row in rows.items() if "type" not in row]
    assert 700 in lacking
    assert len(lacking) <= salvage.SMALLEST_ROWS
    assert all(row["from_id"] == number for number, row in rows.items())


def test_rows_that_kill_the_reader_are_narrowed_down_and_left_out(tmp_path: Path) -> None:
    asked: list[tuple[int, int]] = []

    def reader_that_dies(_module: str, _path: str, _out: str, plan: str) -> ChildReport:
        lines: list[dict[str, object]] = []
        stated = json.loads(plan)
        made = _Plan(tuple(stated["start"]), [tuple(x) for x in stated["skipped"]], [tuple(x) for x in stated["cuts"]])
        for table in salvage.SALVAGED[salvage.SALVAGED.index(made.start[0]) :]:
            if table != "memories":
                continue
            for low, high in made.windows("memories", 5_000):
                lines.append({"window": ["memories", low, high]})
                asked.append((low, high))
                if low <= 3_333 < high:
                    return ChildReport(tuple(lines), "signal 11")
                lines.append({"table": "memories", "rows": high - low})
        return ChildReport(tuple(lines), "")

    with patch.object(salvage, "run_child", reader_that_dies):
        found = salvage.salvage(tmp_path / "file", tmp_path / "out").found
    assert 5_000 - salvage.SMALLEST_ROWS <= found["memories"] < 5_000


def test_a_new_vault_is_made_of_what_was_read(tmp_path: Path, vault: Vault) -> None:
    told = make_memory(id="whatwask", insight="known to the journal", tags=("a",), anchors=(Anchor("x.py"),)).put_out(
        REJECTED, "expired"
    )
    taken_out = make_memory(id="takenout")
    _add(vault, told, taken_out)
    with vault.write(actor="person", action="undo") as writer:
        writer.remove(["takenout"])
    lines = tmp_path / "lines.jsonl"
    fold_log(vault.path)
    salvage.salvage(vault.path, lines)
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    memory = next(line for line in rows if line["table"] == "memories")
    bare = {"id": "baretext", "insight": "only this\nis left"}
    without_id = {"insight": "whose?"}
    del memory["row"]["insight"], memory["row"]["tags"], memory["row"]["status"], memory["row"]["cause"]
    rows += [{"table": "memories", "row": bare}, {"table": "memories", "row": without_id}]
    lines.write_text("".join(json.dumps(line) + "\n" for line in rows) + '{"table": "memories", "row": {"id": "cut')
    new = Vault(tmp_path / "new.duckdb", now=vault.now)
    create_file(new.path)
    result = rebuild(lines, new.path, now=vault.now(), stated_revisions=3)
    assert result.memories == 2
    assert result.from_journal == {"whatwask"}
    assert result.incomplete == {"baretext"}
    found = _all(new)
    assert found["whatwask"] == replace(told, version=1)
    assert (found["baretext"].title, found["baretext"].status) == ("only this", "candidate")
    reindex(new)
    assert diagnose(new).healthy
    with new.read() as reader:
        assert len(journal.history(reader, "takenout")) == 2
