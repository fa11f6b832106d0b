"""Reading other tools' stores safely: copies only, nothing executed, what is damaged said and the rest kept."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import sqlite3
import time
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from curating import write_files
from stores import make_store, observation, state_of

from memtui.capture.stores import sqlite_copy, text_files
from memtui.capture.stores.find import places_at
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import LONGEST_TEXT, TOO_LONG, Contents, listed, moment, with_facts
from memtui.capture.stores.tools import read_store
from memtui.errors import SourceError

ROWS = [
    observation(f"Berth {number}", f"Berth {number} is checked daily.", created_at_epoch=1e12 + number)
    for number in range(300)
]


def store(folder: Path) -> Path:
    return make_store(folder / "claude-mem.db", "claude-mem", {"observations": ROWS})


def read(path: Path, tool: str = "claude-mem") -> Contents:
    return read_store(Place(tool, path, path.parent))


def test_a_store_that_its_tool_holds_locked_is_read(tmp_path: Path) -> None:
    path = store(tmp_path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    before = state_of(tmp_path)
    assert len(read(path).rows) == len(ROWS)
    assert state_of(tmp_path) == before
    holder.close()


def test_half_a_transaction_in_a_hot_journal_is_rolled_back_in_the_copy(tmp_path: Path) -> None:
    path, kept = store(tmp_path), tmp_path / "kept"
    kept.mkdir()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 2")
    writer.execute("BEGIN")
    writer.execute("UPDATE observations SET narrative = 'half written'")
    for side in ("", "-journal"):
        (kept / f"claude-mem.db{side}").write_bytes(Path(f"{path}{side}").read_bytes())
    writer.execute("ROLLBACK")
    writer.close()
    before = state_of(kept)
    rows = read(kept / "claude-mem.db").rows
    assert len(rows) == len(ROWS)
    assert not any(row.insight == "half written" for row in rows)
    assert state_of(kept) == before


def test_rows_around_a_damaged_page_are_kept_and_the_gap_is_said(tmp_path: Path) -> None:
    path = store(tmp_path)
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(raw)
    contents = read(path)
    titles = {row.title for row in contents.rows}
    lost = [number for number in range(len(ROWS)) if f"Berth {number}" not in titles]
    assert 0 < len(lost) < len(ROWS) / 2
    assert lost == list(range(lost[0], lost[-1] + 1))
    assert "could be read, the others not" in contents.problems[0].reason


def test_a_database_that_was_cut_off_gives_what_is_left(tmp_path: Path) -> None:
    path = store(tmp_path)
    path.write_bytes(path.read_bytes()[:-8192])
    contents = read(path)
    assert 0 < len(contents.rows) < len(ROWS)
    assert contents.problems


def test_a_view_in_the_place_of_a_table_is_never_asked(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    endless = (
        "WITH RECURSIVE r(type, created_at_epoch) AS (SELECT 'a', 1 UNION ALL SELECT type, 2 FROM r) SELECT * FROM r"
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE VIEW observations AS {endless}")
    with pytest.raises(SourceError, match="Not a store of claude-mem"):
        read(path)


def test_a_store_that_is_written_all_the_time_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store(tmp_path)
    monkeypatch.setattr(sqlite_copy, "ATTEMPT_SECONDS", 0.0)
    copied = sqlite_copy._copy_bytes

    def and_write(source: Path, target: Path) -> None:
        copied(source, target)
        os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))

    monkeypatch.setattr(sqlite_copy, "_copy_bytes", and_write)
    with pytest.raises(SourceError, match="constantly being written"):
        read(path)


class _Planted:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("planted",)


def test_pickles_are_never_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "qdrant" / "collection" / "mem0"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "storage.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE points (id TEXT, point BLOB)")
        connection.execute("INSERT INTO points VALUES ('a', ?)", [pickle.dumps(_Planted())])
    (place,) = places_at("mem0", tmp_path / "qdrant", tmp_path)
    with pytest.raises(SourceError, match="loading one would run code"):
        read_store(place)
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &a [x, x]\nb: &b [*a, *a]\nbullets: [*b, *b]\n", "YAML aliases"),
        ('bullets:\n- !!python/object/apply:os.mkdir ["planted"]\n', "Invalid YAML"),
        (f"bullets: {'[' * 4000}{']' * 4000}\n", "Invalid YAML"),
        ("bullets: a text\n", "Not a cass_memory_system playbook"),
    ],
)
def test_yaml_that_grows_or_makes_objects_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "playbook.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(SourceError, match=words):
        read(path, "cass")
    assert not Path("planted").exists()


def test_a_playbook_that_is_damaged_gives_the_rules_before_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "playbook.yaml"
    rules = "\n".join(f"  - id: b-{number}\n    content: Berth {number} is free." for number in range(6))
    path.write_text(f"schema_version: 2\nbullets:\n{rules}\n".replace("Berth 4 is", "'Berth 4 is"), "utf-8")
    contents = read(path, "cass")
    assert [row.native_id for row in contents.rows] == ["b-0", "b-1", "b-2", "b-3"]
    assert "damaged YAML" in contents.problems[0].reason


def test_a_compressed_file_is_expanded_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "LARGEST_EXPANDED", 1000)
    path = tmp_path / "memory.jsonl"
    path.write_bytes(gzip.compress(b" " * 2000))
    with pytest.raises(SourceError, match="expands to more than"):
        read(path, "mcp-memory")


def test_an_export_that_was_cut_off_gives_what_stands_before(tmp_path: Path) -> None:
    rows = [
        {"id": str(number), "memory": f'Berth {number} is "free".', "metadata": {"tags": ["a"]}} for number in range(9)
    ]
    written = json.dumps({"results": rows}, indent=1)
    path = tmp_path / "all.json"
    path.write_text(written[: written.index("Berth 6")], "utf-8")
    contents = read(path, "mem0")
    assert [row.native_id for row in contents.rows] == ["0", "1", "2", "3", "4", "5"]
    assert "damaged JSON" in contents.problems[0].reason
    path.write_text(written.replace('"Berth 4', '"Berth 4" oops'), "utf-8")
    assert len(read(path, "mem0").rows) == 4


def test_links_out_of_a_store_are_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path, {"tide/.serena/memories/a.md": "Inside.", "outside/b.md": "Outside."})
    folder = tmp_path / "tide" / ".serena" / "memories"
    (folder / "b.md").symlink_to(tmp_path / "outside" / "b.md")
    (folder / "more").symlink_to(tmp_path / "outside")
    (place,) = places_at("serena", tmp_path / "tide", tmp_path)
    contents = read_store(place)
    assert [row.insight for row in contents.rows] == ["Inside."]
    assert [problem.reason for problem in contents.problems] == ["a link that leads outside the store"] * 2
    linked = tmp_path / "quay" / ".beads"
    linked.mkdir(parents=True)
    (linked / "issues.jsonl").symlink_to(tmp_path / "outside" / "b.md")
    with pytest.raises(SourceError, match="leads outside its repository"):
        read_store(Place("beads", linked / "issues.jsonl", tmp_path, linked.parent))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_768_205_700_000, datetime(2026, 1, 12, 8, 15, tzinfo=UTC)),
        (1_768_205_700.0, datetime(2026, 1, 12, 8, 15, tzinfo=UTC)),
        ("2026-01-12 08:15:00", datetime(2026, 1, 12, 8, 15, tzinfo=UTC)),
        ("2026-01-12T17:15:00.123456789+09:00", datetime(2026, 1, 12, 8, 15, 0, 123456, tzinfo=UTC)),
        ("2026-01-12", datetime(2026, 1, 12, tzinfo=UTC)),
        ("yesterday", None),
        ("9" * 4000, None),
        (None, None),
        (0, None),
    ],
)
def test_times_of_every_tool_are_read_as_utc(value: object, expected: datetime | None) -> None:
    assert moment(value) == expected


def test_lists_are_read_in_whatever_form_they_are_written() -> None:
    written: tuple[object, ...] = (["a", "b"], '["a", "b"]', "a, b", b'["a","b"]')
    assert [listed(value) for value in written] == [["a", "b"]] * len(written)
    nothing: tuple[object, ...] = (None, "", "null", "[]", {"a": 1}, 5)
    assert [listed(value) for value in nothing] == [[]] * len(nothing)
    assert with_facts("A holds.", '["A holds.", "B too."]') == "A holds.\n\n- B too."
    assert with_facts(None, "[broken") == "- [broken"


@pytest.mark.parametrize(
    "stated",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
        *("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", date(1, 1, 1), 0, -5, 1e300, "NaN", True),
    ],
)
def test_a_time_that_cannot_be_is_none(stated: object) -> None:
    assert moment(stated) is None


@pytest.mark.parametrize("name", ["NULL", "x'6d656d'", "5"])
def test_a_database_with_a_table_that_has_no_name_is_read(tmp_path: Path, name: str) -> None:
    path = store(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE odd (a)")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"UPDATE sqlite_master SET name = {name} WHERE name = 'odd'")  # noqa: S608 - the names above
        connection.commit()
    assert len(read(path).rows) == len(ROWS)


def test_a_large_graph_is_read_in_short_time(tmp_path: Path) -> None:
    number = 20_000
    lines: list[dict[str, object]] = [{"type": "entity", "name": "tide", "entityType": "project", "observations": []}]
    lines += [
        {"type": "entity", "name": f"part {one}", "entityType": "part", "observations": [f"Part {one} floats."]}
        for one in range(number)
    ]
    lines.append(
        {
            "type": "entity",
            "name": "log",
            "entityType": "log",
            "observations": [f"Entry {one}." for one in range(number)],
        }
    )
    lines += [
        {"type": "relation", "from": f"part {one}", "to": end, "relationType": "of"}
        for one in range(number)
        for end in ("nowhere", "tide")
    ]
    path = tmp_path / "memory.json"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    began = time.process_time()
    contents = read(path, "mcp-memory")
    assert time.process_time() - began < 8
    assert len(contents.rows) == 2 * number
    assert {row.project for row in contents.rows[:number]} == {"tide"}


def test_a_text_that_nobody_reads_is_left_out_with_the_reason(tmp_path: Path) -> None:
    rows = [observation("Tide log", "x" * (LONGEST_TEXT + 1)), observation("Berths", "Berths are checked daily.")]
    found = read(make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": rows}))
    assert len(found.rows) == 1
    assert found.left_out[TOO_LONG] == 1


def test_an_empty_file_is_no_database_but_an_empty_graph(tmp_path: Path) -> None:
    for name in ("claude-mem.db", "memory.jsonl"):
        (tmp_path / name).touch()
    with pytest.raises(SourceError, match="empty"):
        read(tmp_path / "claude-mem.db")
    assert not read(tmp_path / "memory.jsonl", "mcp-memory").rows
