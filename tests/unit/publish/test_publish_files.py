"""What a user relies on when memtui writes files."""

from __future__ import annotations

import json
import os
import stat
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from curating import AGENT, PERSON, add, everything, new_vault
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.curate.lifecycle import reject, retire, verify
from memtui.curate.links import link
from memtui.domain.memory import Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import memory_from_record, memory_record
from memtui.errors import MemtuiError, RefusedError, SourceError, UnsafePathError, UsageError
from memtui.publish.files import (
    Snapshot,
    add_question,
    dump_line,
    jsonl_text,
    refuse_outside,
    write_atomically,
    write_payload,
)
from memtui.publish.portable import export_jsonl, take_snapshot, write_vault
from memtui.recall.evaluation import Question, read_questions
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="permission bits and free symlinks")


def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "note.md"
    write_atomically(target, b"one\r\n")
    assert target.read_bytes() == b"one\r\n"
    assert [path.name for path in target.parent.iterdir()] == ["note.md"]


@posix_only
def test_mode_is_the_given_one_else_that_of_the_old_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    write_atomically(secret, b"1", mode=0o600)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.chmod(0o640)
    write_atomically(secret, b"2")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o640


@posix_only
def test_a_link_inside_the_root_is_written_through(tmp_path: Path) -> None:
    real = tmp_path / "AGENTS.md"
    real.write_bytes(b"old")
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "note.md"
    target.write_bytes(b"old")

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(MemtuiError, match=r"No space left on device.*note\.md"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_an_interrupt_leaves_no_rest_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "note.md", b"new")
    assert list(tmp_path.iterdir()) == []


@posix_only
@pytest.mark.parametrize("name", ["rc", "folder/x.md", "ring", "back/inside.md", "dangling"])
def test_links_that_leave_the_root_are_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / "repo"
    outside = tmp_path / "outside"
    (root / "docs").mkdir(parents=True)
    outside.mkdir()
    (outside / "rc").write_text("x")
    (root / "rc").symlink_to(outside / "rc")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    (root / "ring").symlink_to("../outside/ring")
    (outside / "ring").symlink_to("../repo/ring")
    (outside / "home").symlink_to(root / "docs", target_is_directory=True)
    (root / "back").symlink_to(outside / "back", target_is_directory=True)
    (root / "dangling").symlink_to(outside / "nothing-here")
    with pytest.raises(UnsafePathError, match="outside"):
        refuse_outside(root / name, root)


@posix_only
def test_a_way_out_and_back_in_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "in").symlink_to(root / "docs", target_is_directory=True)
    (root / "out").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UnsafePathError):
        refuse_outside(root / "out" / "in" / "note.md", root)


def test_dots_and_neighbours_of_a_like_name_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    for path in (root / ".." / "x", tmp_path / "repo2" / "x", root / "a" / ".." / ".." / "x"):
        with pytest.raises(UnsafePathError):
            refuse_outside(path, root)


@posix_only
def test_what_stays_inside_passes_even_when_the_root_is_a_link(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (root / "CLAUDE.md").symlink_to("docs/AGENTS.md")
    alias = tmp_path / "alias"
    alias.symlink_to(root, target_is_directory=True)
    for base in (root, alias):
        refuse_outside(base / "CLAUDE.md", base)
        refuse_outside(base / "new" / "file.md", base)
        refuse_outside(base, base)
    refuse_outside(root / "docs" / "a.md", alias)


TEXT = "## Memories\n\n- 日本語 é 😀\r\n"


def test_the_bytes_are_those_of_the_payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    for named in ("context.md", "new/folder/context.md", str(tmp_path / "absolute.md"), "~/mine.md"):
        path = write_payload(TEXT, named, folder=tmp_path)
        assert path.read_bytes() == TEXT.encode()
        assert path.is_absolute()
    assert (tmp_path / "home" / "mine.md").exists()


def test_a_file_that_is_there_is_replaced_only_when_said(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(RefusedError, match="already"):
        write_payload(TEXT, "notes.md", folder=tmp_path)
    assert (tmp_path / "notes.md").read_text() == "mine"
    write_payload(TEXT, "notes.md", folder=tmp_path, overwrite=True)
    assert (tmp_path / "notes.md").read_bytes() == TEXT.encode()


def test_a_link_that_leads_nowhere_counts_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(RefusedError):
        write_payload(TEXT, "link.md", folder=tmp_path)
    assert not (tmp_path / "elsewhere.md").exists()


@pytest.mark.parametrize("named", ["", "  ", ".", "/", "nul\0byte", "~nobody-of-this-name/x.md", "x" * 5_000])
def test_what_names_no_file_is_said_calmly(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError):
        write_payload(TEXT, named, folder=tmp_path)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(MemtuiError):
        write_payload(TEXT, "file/context.md", folder=tmp_path)


ASKED = Question("refund fails", ("m0000001",), ("pay/lock.py",))


def test_a_question_is_appended(tmp_path: Path) -> None:
    path = add_question(ASKED, "mine.jsonl", folder=tmp_path)
    before = path.read_text(encoding="utf-8")
    add_question(Question("sail", ()), str(path), folder=Path("/nowhere"))
    assert path.read_text(encoding="utf-8").startswith(before)
    assert [one.query for one in read_questions(path.read_text(encoding="utf-8"), "mine")] == ["refund fails", "sail"]


@pytest.mark.parametrize("content", [b"mine\n", b"\xff\xfe\x00"])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine").write_bytes(content)
    with pytest.raises(SourceError):
        add_question(ASKED, "mine", folder=tmp_path)
    assert (tmp_path / "mine").read_bytes() == content


@pytest.mark.parametrize("named", ["", "  ", "a\nb", "nul\0"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError):
        add_question(ASKED, named, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_asked_is_nothing_to_note(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        add_question(Question(" ", ("m0000001",)), "mine", folder=tmp_path)


NOON = datetime(2026, 1, 12, 12, tzinfo=UTC)


def _memory(number: int, project: str | None = "payments", **more: object) -> Memory:
    return Memory(
        id=f"m{number}",
        title=f"Title {number}",
        insight=f"Insight {number}",
        project=project,
        created_at=NOON + timedelta(minutes=number % 3),
        updated_at=NOON,
        **more,  # type: ignore[arg-type] # keyword arguments of the dataclass
    )


def test_memories_come_first_in_order_of_project_time_and_id_then_their_kin() -> None:
    memories = [_memory(number, project) for number in range(7) for project in ("b", None, "a")]
    memories = [
        Memory(
            id=f"{index:02}",
            title=m.title,
            insight=m.insight,
            project=m.project,
            created_at=m.created_at,
            updated_at=NOON,
        )
        for index, m in enumerate(memories)
    ]
    link = Link(from_id="01", type="relates", to_id="02", created_at=NOON)
    verdict = Verdict(memory_id="01", verdict="still-true", at=NOON, actor="ana")
    signal = Signal(memory_id="01", signal="helped", at=NOON, actor="ana")
    other = Signal(memory_id="00", signal="helped", at=NOON, actor="ana")
    tombstone = Tombstone(content_hash="ab", project=None, memory_id="zz", at=NOON, actor="ana")
    lines = jsonl_text(Snapshot(memories, [link], [verdict], [signal, other], [tombstone])).splitlines()
    loaded = [json.loads(line) for line in lines]
    assert [row["type"] for row in loaded[21:]] == ["link", "verdict", "signal", "signal", "tombstone"]
    assert [row["memory"] for row in loaded[23:25]] == ["00", "01"]
    places = [(row["project"] or "", row["created_at"], row["id"]) for row in loaded[:21]]
    assert places == sorted(places)
    shuffled = list(memories)
    Random(7).shuffle(shuffled)
    assert jsonl_text(Snapshot(shuffled, [link], [verdict], [other, signal], [tombstone])).splitlines() == lines


def test_a_line_reads_like_the_json_of_the_memory() -> None:
    line = jsonl_text(Snapshot([_memory(1, tags=("größe", "日本語"))])).removesuffix("\n")
    assert line.startswith('{"type": "memory", "id": "m1", "project": "payments", "kind": "lesson", ')
    assert '"tags": ["größe", "日本語"]' in line


def test_separators_surrogates_and_invisible_characters_are_escaped() -> None:
    text = "a\u2028b\u2029c\x85d\ud83de\u202ef\ufeffg\U000e0041h\ti\x1b"
    line = dump_line({"insight": text})
    assert json.loads(line) == {"insight": text}
    assert line.isascii()
    line.encode()


@settings(deadline=None)
@given(st.text())
def test_every_text_stays_on_one_line_and_comes_back(insight: str) -> None:
    memory = _memory(1)
    record = memory_record(memory) | {"insight": insight + "."}
    line = jsonl_text(Snapshot([memory_from_record(record, now=NOON, new_id="x")])).removesuffix("\n")
    assert len(line.splitlines()) == 1
    assert json.loads(line.encode()) == {"type": "memory", **record}


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
    with pytest.raises(UsageError, match="No such file or folder"):
        export_jsonl(snapshot, tmp_path / "gone" / "a.jsonl")
    assert not (tmp_path / "gone").exists()
