"""What a user relies on in the portable plain-text vault."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.domain.memory import Link, Memory, Tombstone
from memtui.errors import UnsafePathError
from memtui.publish.files import Snapshot
from memtui.publish.portable import (
    MANIFEST,
    RECORDS,
    _was_said,
    file_name,
    folder_name,
    plan_vault,
    project_of_folder,
    vault_version,
    write_vault,
)

NOON = datetime(2026, 1, 12, 12, tzinfo=UTC)
LINK = Link(from_id="aaa", type="relates", to_id="bbb", created_at=NOON)
BURIED = Tombstone(content_hash="ff", project="shop", memory_id="zzz", at=NOON, actor="ana")


def _memory(identity: str = "k3m9x2pq", title: str = "Never retry", **more: object) -> Memory:
    more = {"project": "shop", "insight": f"About {title}"} | more
    return Memory(id=identity, title=title, created_at=NOON, updated_at=NOON, **more)  # type: ignore[arg-type] # keyword arguments of the dataclass


@pytest.mark.parametrize(
    ("title", "identity", "name"),
    [
        ("Never retry a captured payment!", "k3m9x2pq", "never-retry-a-captured-payment.k3m9x2pq.md"),
        ("Größe über alles", "a", "groe-uber-alles.a.md"),
        ("日本語のルール", "a", "memory.a.md"),
        ("", "a", "memory.a.md"),
        ("CON", "nul", "memory-con._6eul.md"),
        ("../../etc/passwd", "../x", "etc-passwd._2e_2e_2fx.md"),
        ("x" * 90, "bench:decision-1", "x" * 48 + ".bench_3adecision-1.md"),
        (
            "One two three four five six seven eight nine ten e",
            "A_b",
            "one-two-three-four-five-six-seven-eight-nine-ten._41_5fb.md",
        ),
    ],
)
def test_file_names_are_safe_and_readable(title: str, identity: str, name: str) -> None:
    assert file_name(_memory(identity, title)) == name


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8"), min_size=1))
def test_different_projects_never_share_a_folder_on_any_system(one: str, other: str) -> None:
    names = [folder_name(one), folder_name(other), folder_name(None)]
    assert len({name.casefold() for name in names}) == (3 if one != other else 2)
    for name in names:
        assert len(name) <= 80
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
    if len(one.encode()) <= 26:
        assert project_of_folder(names[0]) == one
    assert project_of_folder(names[2]) is None


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert folder_name("x" * 300) != folder_name("x" * 300 + "y")
    assert folder_name("é" * 60 + "a") != folder_name("é" * 60 + "b")


def test_the_plan_holds_a_manifest_the_memories_and_what_hangs_on_them() -> None:
    plan = plan_vault(Snapshot([_memory(), _memory("b", "B", project=None)], [LINK], tombstones=[BURIED]))
    assert list(plan) == [
        "memtui-vault.json",
        "memories/_unassigned/b.b.md",
        "memories/shop/never-retry.k3m9x2pq.md",
        "records.jsonl",
    ]
    assert plan[MANIFEST] == b'{"format": "memtui-vault", "version": 1}\n'
    assert [json.loads(line)["type"] for line in plan[RECORDS].splitlines()] == ["link", "tombstone"]
    assert RECORDS not in plan_vault(Snapshot([_memory()]))


def test_only_files_that_differ_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    memories = [_memory("aaa", "A"), _memory("bbb", "B")]
    first = write_vault(folder, Snapshot(memories, [LINK]), prune=True)
    assert first.written == tuple(sorted(plan_vault(Snapshot(memories, [LINK]))))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    again = write_vault(folder, Snapshot(memories[::-1], [LINK]), prune=True)
    assert (again.written, again.removed) == ((), ())
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    memories[0] = replace(memories[0], insight="new")
    assert write_vault(folder, Snapshot(memories, [LINK]), prune=True).written == ("memories/shop/a.aaa.md",)


def test_renamed_and_gone_memories_leave_no_file_and_no_empty_folder(tmp_path: Path) -> None:
    write_vault(tmp_path, Snapshot([_memory("aaa", "A"), _memory("bbb", "B", project="web")], [LINK]), prune=True)
    report = write_vault(tmp_path, Snapshot([_memory("aaa", "Other")]), prune=True)
    assert report.removed == ("memories/shop/a.aaa.md", "memories/web/b.bbb.md", "records.jsonl")
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == [
        "memories",
        "memories/shop",
        "memories/shop/other.aaa.md",
        "memtui-vault.json",
    ]


def test_files_of_others_are_never_touched(tmp_path: Path) -> None:
    write_vault(tmp_path, Snapshot([_memory("aaa", "A")]), prune=True)
    others = {
        "README.md": b"mine",
        ".gitattributes": b"* text=auto",
        "memories/README.md": b"---\nid: aaa\n---\nx",
        "memories/shop/notes.md": b"no frontmatter",
        "memories/shop/draft.md": b"---\nid: hand-made\n---\n\nnot exported by memtui\n",
        "memories/shop/deep/a.aaa.md": b"---\nid: aaa\n---\n\nx\n",
        "memories/shop/picture.png": b"\x89PNG",
        "records.jsonl": b'{"type": "something else"}\n',
    }
    for name, data in others.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    report = write_vault(tmp_path, Snapshot([]), prune=True)
    assert report.removed == ("memories/shop/a.aaa.md",)
    assert {name: (tmp_path / name).read_bytes() for name in others} == others


def test_a_dry_run_reports_the_same_and_writes_nothing(tmp_path: Path) -> None:
    write_vault(tmp_path, Snapshot([_memory("aaa", "A"), _memory("bbb", "B")]), prune=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    now = [_memory("aaa", "C")]
    dry = write_vault(tmp_path, Snapshot(now), prune=True, dry_run=True)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    assert write_vault(tmp_path, Snapshot(now), prune=True) == dry
    missing = tmp_path / "missing"
    write_vault(missing, Snapshot(now), prune=True, dry_run=True)
    assert not missing.exists()


def test_a_folder_with_other_things_may_become_a_vault(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    assert vault_version(tmp_path) is None
    write_vault(tmp_path, Snapshot([_memory()]), prune=True)
    assert vault_version(tmp_path) == 1


@pytest.mark.parametrize("name", ["memories/x.txt", "records.jsonl"])
def test_a_folder_that_uses_our_names_for_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(UnsafePathError, match="holds"):
        write_vault(tmp_path, Snapshot([_memory()]), prune=True)
    assert [path.name for path in tmp_path.iterdir()] == [Path(name).parts[0]]


@pytest.mark.parametrize("manifest", ["{}", "[]", "not json", '{"format": "memtui-vault", "version": 2}'])
def test_a_manifest_of_something_else_or_newer_is_refused(tmp_path: Path, manifest: str) -> None:
    (tmp_path / MANIFEST).write_text(manifest)
    with pytest.raises(UnsafePathError, match="manifest"):
        write_vault(tmp_path, Snapshot([_memory()]), prune=True)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vault").write_text("x")
    with pytest.raises(UnsafePathError, match="file"):
        write_vault(tmp_path / "vault", Snapshot([]), prune=True)


@pytest.mark.skipif(sys.platform == "win32", reason="free symlinks")
@pytest.mark.parametrize("planted", ["memories", "memories/shop", "memories/shop/never-retry.k3m9x2pq.md", MANIFEST])
def test_a_planted_link_writes_and_removes_nothing_outside(tmp_path: Path, planted: str) -> None:
    folder, outside = tmp_path / "vault", tmp_path / "outside"
    write_vault(folder, Snapshot([]), prune=True)
    (outside / "shop").mkdir(parents=True)
    victim = outside / "victim.vvv.md"
    victim.write_text("---\nid: vvv\n---\n\nx\n")
    link = folder / planted
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    if planted == MANIFEST:
        (outside / MANIFEST).write_text('{"version": 1, "format": "memtui-vault"}')
        link.symlink_to(outside / MANIFEST)
    else:
        link.symlink_to(victim if planted.endswith(".md") else outside)
    before = {path: path.read_bytes() for path in outside.rglob("*.*")}
    with pytest.raises(UnsafePathError):
        write_vault(folder, Snapshot([_memory()]), prune=True)
    assert before == {path: path.read_bytes() for path in outside.rglob("*.*")}


def test_a_past_state_that_cannot_be_read_is_not_that_of_a_file() -> None:
    said, broken = {"insight": "Moor with two lines."}, {"insight": "Moor.", "status": "sunk"}
    assert _was_said(said, [broken, said], "k3m9x2pq", NOON)
    assert not _was_said(said, [broken], "k3m9x2pq", NOON)
