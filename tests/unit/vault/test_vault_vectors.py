"""Vectors follow the memories, are told apart by model, and never show up as a change."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from support import make_memory

from memtui.publish.files import jsonl_text
from memtui.publish.portable import take_snapshot
from memtui.vault import rows
from memtui.vault import vault as vault_module
from memtui.vault.backups import list_backups
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.purge import purge_memories, purge_text
from memtui.vault.repair import reindex
from memtui.vault.search import vectors
from memtui.vault.search.vectors import NewVector
from memtui.vault.vault import Vault

ANY = MemoryFilter(statuses=None)


def unit(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


AXES = {"firstmem": unit(1, 0, 0), "secondme": unit(1, 1, 0), "thirdmem": unit(-1, 0, 0.2)}


@pytest.fixture
def filled(vault: Vault) -> Vault:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(id=name, insight=f"the text of {name}") for name in AXES])
    embed(vault, "small")
    return vault


def embed(vault: Vault, model: str, *names: str) -> int:
    with vault.read() as reader:
        keyed = reader.keyed(names or AXES)
        waiting = {each.key: each for each in vectors.missing(reader, model, limit=99)}
    made = [NewVector(key, waiting[key].content_hash, AXES[name]) for name, (key, _) in keyed.items() if key in waiting]
    return vectors.store(vault, model, made)


def near(vault: Vault, model: str = "small", wanted: MemoryFilter = ANY, limit: int = 9) -> list[tuple[str, float]]:
    with vault.read() as reader:
        found = vectors.ScoredVectors(reader, model, AXES["firstmem"]).nearest(wanted, limit)
        memories = reader.get_by_keys(found)
        return [(memories[key].id, round(cosine, 4)) for key, cosine in found.items()]


def test_the_nearest_come_first_with_their_cosines(filled: Vault) -> None:
    assert near(filled) == [("firstmem", 1.0), ("secondme", 0.7071), ("thirdmem", -0.9806)]
    assert [name for name, _ in near(filled, limit=1)] == ["firstmem"]
    assert near(filled, wanted=MemoryFilter(ids=("secondme",))) == [("secondme", 0.7071)]
    assert near(filled, wanted=MemoryFilter(scope=Scope.of_project("elsewhere"))) == []
    assert near(filled, model="other") == []


def test_the_questions_agree_with_one_another(filled: Vault) -> None:
    query = AXES["firstmem"]
    with filled.read() as reader:
        scored = vectors.ScoredVectors(reader, "small", query)
        found = scored.nearest(ANY, 9)
        assert scored.of([*found, 999]) == found
        assert (scored.count, scored.missing) == (3, 0)
        assert scored.mean == pytest.approx(np.mean(list(found.values())), abs=1e-6)
        table = vectors.all_vectors(reader, "small")
        assert {int(key): float(row @ query) for key, row in zip(table.keys, table.matrix, strict=True)} == (
            pytest.approx(found, abs=1e-5)
        )
        some = vectors.vectors_of(reader, "small", [int(table.keys[2]), 999, int(table.keys[0])])
        assert some.keys.tolist() == [table.keys[0], table.keys[2]]
        assert np.array_equal(some.matrix, table.matrix[[0, 2]])
        assert vectors.all_vectors(reader, "other").keys.size == 0
        assert vectors.vectors_of(reader, "small", []).keys.size == 0
        assert vectors.ScoredVectors(reader, "other", query).count == 0


def test_an_edited_memory_waits_for_a_new_vector_and_a_reverted_one_has_its_own_again(filled: Vault) -> None:
    with filled.read() as reader:
        memory = reader.get("firstmem")
    with filled.write(actor="person", action="edit") as writer:
        writer.put(replace(memory, insight="Something else altogether."))
    assert "firstmem" not in dict(near(filled))
    with filled.read() as reader:
        (waiting,) = vectors.missing(reader, "small", limit=9)
        assert vectors.count_missing(reader, "small") == 1
        assert vectors.count_current(reader, "small") == 2
    assert "Something else altogether." in waiting.text
    with filled.write(actor="person", action="edit") as writer:
        writer.put(memory)
    assert "firstmem" in dict(near(filled))


def test_a_change_of_anything_but_the_text_leaves_the_vector(filled: Vault) -> None:
    with filled.read() as reader:
        memory = reader.get("firstmem")
    with filled.write(actor="person", action="pin") as writer:
        writer.put(replace(memory, pinned=True, tags=("x",)))
    assert "firstmem" in dict(near(filled))


def test_a_vector_of_a_text_that_moved_meanwhile_is_not_stored(filled: Vault) -> None:
    with filled.read() as reader:
        waiting = vectors.missing(reader, "late", limit=9)
        memory = reader.get("firstmem")
    with filled.write(actor="person", action="edit") as writer:
        writer.put(replace(memory, insight="Moved."))
    purge_memories(filled, ["thirdmem"])
    made = [NewVector(each.key, each.content_hash, unit(0, 0, 1)) for each in waiting]
    assert vectors.store(filled, "late", made) == 1
    assert [name for name, _ in near(filled, "late")] == ["secondme"]


def test_active_and_newest_memories_are_embedded_first(vault: Vault) -> None:
    with vault.write(actor="person", action="add") as writer:
        for name, status in (("retiredm", "retired"), ("olderone", "active"), ("newerone", "active")):
            writer.put(make_memory(id=name, insight=name, status=status))
    with vault.read() as reader:
        texts = [each.text.split("\n")[-1] for each in vectors.missing(reader, "small", limit=9)]
        assert texts == ["newerone", "olderone", "retiredm"]
        assert len(vectors.missing(reader, "small", limit=2)) == 2


def test_vectors_are_no_change_but_move_the_stamp(filled: Vault) -> None:
    with filled.read() as reader:
        counter, stamp = reader.change_counter(), vectors.stamp(reader, "small")
        version = reader.get("firstmem").version
    embed(filled, "another")
    with filled.read() as reader:
        assert reader.change_counter() == counter
        assert reader.get("firstmem").version == version
        assert vectors.stamp(reader, "small") != stamp
        assert vectors.counts(reader) == {"another": 3, "small": 3}
    assert vectors.drop_others(filled, "another") == 3
    with filled.read() as reader:
        assert vectors.counts(reader) == {"another": 3}


def test_storing_again_replaces(filled: Vault) -> None:
    with filled.read() as reader:
        key, memory = reader.keyed(["firstmem"])["firstmem"]
    with filled.connect(read_only=True) as connection:
        (content,) = connection.execute("SELECT content_hash FROM memories WHERE key = ?", [key]).fetchall()[0]
    assert vectors.store(filled, "small", [NewVector(key, content, unit(0, 0, 1))]) == 1
    assert dict(near(filled))[memory.id] == 0.0
    with filled.read() as reader:
        assert vectors.counts(reader) == {"small": 3}


def test_token_vectors_are_read_by_model_and_leave_with_their_memory(filled: Vault) -> None:
    with filled.read() as reader:
        (key, _) = reader.keyed(["firstmem"])["firstmem"]
        (other, _) = reader.keyed(["secondme"])["secondme"]
        (first,) = [each for each in vectors.missing(reader, "tokens", limit=9) if each.key == key]
    vectors.store(filled, "tokens", [NewVector(key, first.content_hash, unit(1), b"\x01\x01\xff")])
    with filled.read() as reader:
        assert vectors.tokens_of(reader, "tokens", [key, other]) == {key: b"\x01\x01\xff"}
        assert vectors.tokens_of(reader, "small", [key]) == {}
    purge_memories(filled, ["firstmem"])
    with filled.read() as reader:
        assert vectors.tokens_of(reader, "tokens", [key]) == {}


def test_no_vault_is_an_empty_one(vault: Vault) -> None:
    assert vectors.store(vault, "small", [NewVector(1, "x", unit(1))]) == 0
    assert vectors.drop_others(vault, "small") == 0
    with vault.read() as reader:
        assert vectors.missing(reader, "small", limit=9) == []
        assert vectors.all_vectors(reader, "small").keys.size == 0
    assert not vault.exists


def test_a_purge_takes_the_vectors_along(filled: Vault) -> None:
    with filled.read() as reader:
        keys = {name: key for name, (key, _) in reader.keyed(AXES).items()}
    purge_memories(filled, ["firstmem"])
    purge_text(filled, "text of secondme")
    with filled.connect(read_only=True) as connection:
        left = connection.execute("SELECT memory_key FROM vectors").fetchall()
    assert left == [(keys["thirdmem"],)]


def test_a_reindex_keeps_vectors_and_an_export_knows_none(filled: Vault) -> None:
    reindex(filled)
    assert len(near(filled)) == 3
    with filled.read() as reader:
        before = vectors.counts(reader)
    assert before == {"small": 3}
    assert "vector" not in jsonl_text(take_snapshot(filled, EVERYTHING))


def test_a_vault_of_version_1_gets_the_table_after_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    first = (Path(rows.__file__).parent / "migrations" / "0001_initial.sql").read_text(encoding="utf-8")
    with monkeypatch.context() as older:
        older.setattr(rows, "SCHEMA_VERSION", 1)
        older.setattr(vault_module, "SCHEMA_VERSION", 1)
        older.setattr(rows, "_scripts", lambda _after: [first])
        older.setattr(vault_module, "create_file", inspect.unwrap(vault_module.create_file))
        early = {name: kind for name, kind in rows.COLUMNS["memories"].items() if name not in {"rules", "cause"}}
        older.setattr(rows, "COLUMNS", {**rows.COLUMNS, "memories": early})
        with vault.connect(read_only=False) as connection:
            rows.insert_rows(connection, "memories", [rows.memory_row(make_memory(id="oldmemry"), 1)])
    with vault.read() as reader:
        assert reader.get("oldmemry").title
        assert reader.get("oldmemry").rules == ()
        assert vectors.count_missing(reader, "small") == 1
    (backup,) = list_backups(vault.path)
    with duckdb.connect(str(backup), read_only=True) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone() == ("1",)
