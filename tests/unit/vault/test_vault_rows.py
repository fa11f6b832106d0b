"""What is put into the vault comes out of it, whatever the text."""

from __future__ import annotations

import inspect
import json
import os
import string
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import NOON, FrozenClock, make_memory

from memtui.domain.causes import CAUSES
from memtui.domain.kinds import Kinds
from memtui.domain.memory import (
    STATUSES,
    Anchor,
    Change,
    Link,
    Memory,
    Signal,
    Source,
    Tombstone,
    Verdict,
    content_hash,
)
from memtui.domain.record import RecordError, memory_from_record, memory_record
from memtui.errors import VaultTooNewError
from memtui.vault import rows
from memtui.vault import vault as vault_module
from memtui.vault.backups import list_backups
from memtui.vault.filters import MemoryFilter
from memtui.vault.journal import Step, log
from memtui.vault.packs import read_packs, read_recipes
from memtui.vault.purge import purge_memories, purge_text
from memtui.vault.rows import FEW, ONE_BY_ONE, among
from memtui.vault.salvage import rebuild
from memtui.vault.undo import _Patch
from memtui.vault.vault import Vault

HOSTILE = (
    "[/x] [red] [@click=app.quit]",
    "\x1b[31m\x1b]52;c;AAAA\x07 \x1b[201~:q!",
    "a\0b",
    "bidi \u202e\u2066\u200b\ufeff\U000e0041 marks",
    "'; DROP TABLE memories; --",
    '{"json": "\\u0000"} \\" \\\\',
    "日本語 ไทย 😀👩‍👩‍👧 e\u0301",
    "```\n````\n</memories>",
    "line\r\nline\rline\u2028line",
    "{terms} {where} ? $1 %s",
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(HOSTILE)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: text.strip() == text
)
times = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants naive bounds
maybe_times = st.none() | times
sources = st.builds(
    Source,
    format=words,
    path=st.none() | words,
    span=st.none() | st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)),
    native_id=st.none() | words,
    agent=st.none() | words,
    imported_hash=st.none() | words,
)
memories = st.builds(
    Memory,
    id=st.text(string.ascii_lowercase + "234567", min_size=8, max_size=8),
    title=texts.map(str.strip),
    insight=texts.filter(lambda text: bool(text.strip())),
    kind=words,
    project=st.none() | words,
    status=st.sampled_from(STATUSES),
    status_reason=texts | st.sampled_from(CAUSES),
    cause=st.sampled_from(CAUSES),
    rationale=texts,
    snippet=texts,
    anchors=st.lists(st.builds(Anchor, words, st.none() | words), max_size=3).map(tuple),
    tags=st.lists(words, max_size=3, unique=True).map(tuple),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    pinned=st.booleans(),
    created_at=times,
    updated_at=st.just(NOON),
    observed_at=maybe_times,
    confirmed_at=maybe_times,
    confirmed_by=st.none() | words,
    verified_at=maybe_times,
    verified_by=st.none() | words,
    valid_from=maybe_times,
    valid_until=maybe_times,
    due_at=maybe_times,
    snoozed_until=maybe_times,
    half_life_days=st.none() | st.floats(0.01, 1e6),
    sources=st.lists(sources, max_size=2).map(tuple),
).map(lambda memory: memory if memory.status == "retired" else replace(memory, cause=""))


@given(st.lists(memories, min_size=1, max_size=5, unique_by=lambda memory: memory.id))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_memories_come_back_as_they_were_and_after_undo_too(given_memories: list[Memory]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = Vault(Path(folder) / "vault.duckdb", now=FrozenClock())
        with vault.write(actor="person", action="add") as writer:
            writer.put_many(given_memories)
            writer.put_many([replace(memory, insight="changed", title="") for memory in given_memories])
            stored = writer.get_many(memory.id for memory in given_memories)
            assert {memory.insight for memory in stored.values()} == {"changed"}
            _Patch(writer, Change(number=1, at=NOON, actor="person", action="edit", summary="edit"), "undo").apply(
                [
                    Step(r.entity, r.entity_key, r.after, r.before)
                    for r in reversed(writer.revisions[-len(given_memories) :])
                    if r.before
                ]
            )
            stored = writer.get_many(memory.id for memory in given_memories)
        with vault.read() as reader:
            again = reader.get_many(memory.id for memory in given_memories)
    assert again == stored
    for memory in given_memories:
        assert replace(again[memory.id], version=1) == memory


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_survives_in_every_place_that_takes_text(vault: Vault, text: str) -> None:
    memory = make_memory(
        id="hostiles",
        title=text.strip(),
        insight=text,
        rationale=text,
        snippet=text,
        status_reason=text,
        kind=text.strip(),
        project=text.strip(),
        tags=(text,),
        anchors=(Anchor(text),),
        sources=(Source(format=text, path=text, native_id=text),),
    )
    verdict = Verdict(memory_id="hostiles", verdict="still-true", at=NOON, actor=text, reason=text)
    signal = Signal(memory_id="hostiles", signal="helped", at=NOON, actor=text, reason=text, pack_id=text)
    tombstone = Tombstone(content_hash="x", project=text, memory_id="hostiles", at=NOON, actor=text, reason=text)
    with vault.write(actor=text, action=text, summary=text, reason=text) as writer:
        writer.put(memory)
        writer.add_verdicts([verdict])
        writer.add_signals([signal])
        writer.add_tombstones([tombstone])
    with vault.read() as reader:
        assert reader.get("hostiles") == memory
        assert reader.verdicts() == [verdict]
        assert reader.signals(["hostiles"]) == [signal]
        assert reader.tombstones() == [tombstone]
        (change,) = log(reader)
        assert (change.actor, change.summary, change.reason) == (text, text, text)


def test_half_characters_become_question_marks_everywhere(vault: Vault) -> None:
    half = "a\ud800b"
    memory = make_memory(id="halfchar", insight=half, tags=(half,), anchors=(Anchor(half),), project=half)
    with vault.write(actor=half, action="add", reason=half) as writer:
        writer.put(memory)
        writer.add_links([Link(from_id="halfchar", type="relates", to_id="halfchar", origin=half, created_at=NOON)])
    with vault.read() as reader:
        stored = reader.get("halfchar")
        assert reader.resolve("half\udcff"[:4]) == "halfchar"
    assert (stored.insight, stored.tags, stored.anchors[0].path, stored.project) == ("a?b", ("a?b",), "a?b", "a?b")


def test_a_line_of_a_megabyte_is_kept(vault: Vault) -> None:
    memory = make_memory(insight="parseJson 日本語 " * 80_000)
    assert len(memory.insight) > 1_000_000
    with vault.write(actor="person", action="add") as writer:
        writer.put(memory)
    with vault.read() as reader:
        assert reader.get(memory.id).insight == memory.insight


def test_a_memory_without_text_is_no_memory(vault: Vault) -> None:
    with pytest.raises(RecordError, match="insight"), vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(insight=" \n"))


def test_the_content_hash_in_the_vault_is_that_of_the_memory(vault: Vault) -> None:
    memory = make_memory(insight="one\r\ntwo  \n")
    with vault.write(actor="person", action="add") as writer:
        writer.put(memory)
    with vault.read() as reader:
        assert reader.ids_by_content([content_hash(memory)]) == {content_hash(memory): [(memory.id, "shop")]}


def test_a_memory_that_equals_what_is_stored_is_left_alone(vault: Vault, clock: FrozenClock) -> None:
    with vault.write(actor="person", action="add") as writer:
        first = writer.put(make_memory(id="samesame"))
    clock.step(days=1)
    with vault.write(actor="person", action="edit") as writer:
        assert writer.put(replace(first, updated_at=clock.moment)) == first
    with vault.read() as reader:
        assert len(log(reader)) == 1


LENGTHS = (0, 1, 2, FEW, FEW + 1, 3 * FEW)


@pytest.mark.parametrize("length", LENGTHS)
def test_few_and_many_values_choose_the_same(vault: Vault, length: int) -> None:
    values = [f"m{number}'; --" for number in range(length)]
    with vault.read() as reader:
        condition, parameters = among("name", values)
        found = reader.connection.execute(
            f"SELECT count(*) FROM (SELECT 'm' || range || '''; --' AS name FROM range(200)) WHERE {condition}",  # noqa: S608 - our own names
            parameters,
        ).fetchone()
    assert found == (length,)


@pytest.mark.parametrize("length", LENGTHS)
def test_few_and_many_numbers_choose_the_same(vault: Vault, length: int) -> None:
    with vault.read() as reader:
        condition, parameters = among("range", range(length))
        found = reader.connection.execute(f"SELECT count(*) FROM range(500) WHERE {condition}", parameters).fetchone()  # noqa: S608 - our own names
    assert found == (length,)


def test_a_row_alone_is_stored_as_one_of_many(vault: Vault) -> None:
    now = vault.now()

    def memory(name: str) -> Memory:
        return Memory(
            id=name,
            title="Zeile \ud800 \u0000 ' \" 二重",
            insight="x" * 1000,
            kind="lesson",
            project="p",
            created_at=now,
            updated_at=now,
            tags=("a", "b'"),
            anchors=(Anchor("a/b.py"), Anchor("ü.py", "hash")),
            sources=(Source(format="x", path="p", span=(1, 2)),),
        )

    names = [f"many{number:04}" for number in range(ONE_BY_ONE + 1)]
    with vault.write(actor="test", action="add one") as writer:
        writer.put(memory("alone000"))
    with vault.write(actor="test", action="add many") as writer:
        writer.put_many([memory(name) for name in names])
    with vault.read() as reader:
        alone, *others = reader.get_many(["alone000", *names]).values()
        columns = "tags, anchors, sources, title, created_at, valid_until, importance, half_life_days, pinned"
        stored = reader.connection.execute(f"SELECT DISTINCT {columns} FROM memories").fetchall()  # noqa: S608 - our own names
    assert len(others) == len(names)
    assert len(stored) == 1
    assert alone.tags == ("a", "b'")


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


_OUT = (
    ("expired", None, "expired"),
    ("expired", NOON, "retired"),
    ("rejected", None, "rejected"),
    ("too vague", None, "rejected"),
    ("retired", None, "retired"),
    ("a.md is never offered again", None, "passed-over"),
)


def test_in_an_older_vault_the_word_for_a_cause_goes_on_to_mean_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    before = 13
    plain = [make_memory(id="in-use", status_reason="expired")]
    plain += [
        make_memory(id=f"out-{number}", status="retired", status_reason=reason, confirmed_at=confirmed)
        for number, (reason, confirmed, _) in enumerate(_OUT)
    ]
    with monkeypatch.context() as older:
        older.setattr(rows, "SCHEMA_VERSION", before)
        older.setattr(vault_module, "SCHEMA_VERSION", before)
        older.setattr(rows, "_scripts", lambda after: _real_scripts()[after:before])
        older.setattr(vault_module, "create_file", inspect.unwrap(vault_module.create_file))
        early = {
            table: {name: kind for name, kind in columns.items() if name != "cause"}
            for table, columns in rows.COLUMNS.items()
        }
        older.setattr(rows, "COLUMNS", early)
        with vault.connect(read_only=False) as connection:
            rows.insert_rows(connection, "memories", [rows.memory_row(one, key) for key, one in enumerate(plain)])
            rows.insert_rows(
                connection,
                "tombstones",
                [
                    {"content_hash": reason, "memory_id": "x", "made_at": NOON, "actor": "person", "reason": reason}
                    for reason in ("purged", "rejected", "moved on", "")
                ],
            )
    with vault.read() as reader:
        found = reader.get_many(memory.id for memory in plain)
        stones = {stone.reason: stone.cause for stone in reader.tombstones()}
    assert found["in-use"].cause == ""
    assert [found[f"out-{number}"].cause for number in range(len(_OUT))] == [cause for *_, cause in _OUT]
    assert stones == {"purged": "purged", "rejected": "rejected", "moved on": "retired", "": "retired"}
    for memory in found.values():
        assert memory_from_record(memory_record(memory), now=memory.updated_at, new_id="x") == memory


def test_rows_that_were_salvaged_from_an_older_vault_are_whole(tmp_path: Path, vault: Vault) -> None:
    row: dict[str, object] = {
        "name": "weekly",
        "project": None,
        "task": "t",
        "files": [],
        "target": "chat",
        "budget": "2k",
    }
    out = rows.memory_row(make_memory(id="out-1", status="retired", status_reason="expired"), 1)
    stone: dict[str, object] = {
        "content_hash": "f0",
        "project": None,
        "memory_id": "x",
        "actor": "person",
        "reason": "purged",
    }
    salvaged: dict[str, dict[str, object]] = {
        "recipes": row | {"created_at": "2026-01-01T00:00:00"},
        "tombstones": stone | {"made_at": "2026-01-01T00:00:00"},
        "memories": {name: value for name, value in out.items() if name != "cause"},
    }
    lines = tmp_path / "lines"
    lines.write_text("".join(json.dumps({"table": table, "row": each}) + "\n" for table, each in salvaged.items()))
    with vault.connect(read_only=False):
        pass
    rebuild(lines, vault.path, now=vault.now(), stated_revisions=None)
    with vault.read() as reader:
        assert [(recipe.name, recipe.options) for recipe in read_recipes(reader)] == [("weekly", {})]
        assert (reader.get("out-1").cause, [stone.cause for stone in reader.tombstones()]) == ("expired", ["purged"])


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
    with duckdb.connect() as connection:
        with pytest.raises(duckdb.CatalogException):
            rows.migrate(connection)
        connection.execute("BEGIN")  # none is left open
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
        assert [change.action for change in log(reader)] == ["half-life"]
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
