from __future__ import annotations

import json
import os
import time

import pytest
from support import NOON, FrozenClock, make_memory, start_python

from memtui.assist.sessions import KEPT_DAYS, MOST_SESSIONS, Session, short_hash
from memtui.assist.spool import Spool, Transcript, fold_quietly, folder_of
from memtui.curate.history import log, undo
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Signal
from memtui.vault.lease import lease
from memtui.vault.vault import Vault


def stored(vault: Vault, **overrides: str) -> Memory:
    memory = make_memory(**overrides)
    with vault.write(actor="person", action="add") as writer:
        return writer.put(memory)


def signals_in(vault: Vault) -> list[tuple[str, str, str]]:
    with vault.read() as reader:
        return [(one.memory_id, one.signal, one.actor) for one in reader.signals()]


def session_of(vault: Vault, name: str = "s-1", assistant: str = "codex") -> Session:
    return Session(vault.path, name, assistant)


def test_a_session_is_served_no_memory_twice_whatever_its_id(vault: Vault) -> None:
    memory = make_memory()
    session = session_of(vault)
    assert session.claim([memory], event="SessionStart", at=NOON) == [memory]
    assert session.claim([memory], event="PostToolUse", at=NOON) == []
    copy = make_memory()
    assert copy.id != memory.id
    assert session_of(vault, assistant="cursor").claim([copy], event="SessionStart", at=NOON) == []
    assert session_of(vault, "s-2").claim([memory], event="SessionStart", at=NOON) == [memory]


def test_a_memory_that_was_edited_is_still_the_one_that_was_served(vault: Vault) -> None:
    memory = make_memory()
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    edited = make_memory(id=memory.id, insight="A retry without a key is charged twice.")
    assert session_of(vault).state().has(edited)


def test_a_context_that_was_cleared_is_served_again(vault: Vault) -> None:
    memory, session = make_memory(), session_of(vault)
    session.claim([memory], event="SessionStart", at=NOON)
    session.begin_anew()
    assert session.claim([memory], event="SessionStart", at=NOON) == [memory]


def test_what_a_session_was_served_is_known_again_by_its_words(vault: Vault) -> None:
    session = session_of(vault)
    session.claim([make_memory()], event="SessionStart", at=NOON)
    state = session.state()
    assert state.knows_text("a payment that is retried without a key is  charged twice")
    assert not state.knows_text("a payment that is retried with a key is charged once")


def test_no_text_of_a_memory_is_kept_outside_the_vault(vault: Vault) -> None:
    memory = make_memory(title="Zanzibar quota", insight="The zanzibar quota is 17.")
    session = session_of(vault)
    session.claim([memory], event="SessionStart", at=NOON, subjects=[short_hash("zanzibar/quota.py")], project="shop")
    kept = b"".join(path.read_bytes() for path in folder_of(vault.path).rglob("*") if path.is_file())
    assert memory.id.encode() in kept
    assert b"anzibar" not in kept


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b'{"served": [], "events": {"a": "b"}}', b"\xff\x00", b"[" * 5000]
)
def test_a_broken_file_of_a_session_is_a_session_that_was_served_nothing(vault: Vault, broken: bytes) -> None:
    memory, session = make_memory(), session_of(vault)
    session.claim([memory], event="SessionStart", at=NOON)
    (path,) = (folder_of(vault.path) / "sessions").glob("*.json")
    path.write_bytes(broken)
    assert session.claim([memory], event="SessionStart", at=NOON) == [memory]


def test_sessions_are_forgotten_when_they_are_old_or_many(vault: Vault) -> None:
    folder = folder_of(vault.path) / "sessions"
    folder.mkdir(parents=True)
    for number in range(MOST_SESSIONS + 20):
        path = folder / f"{number:04}.json"
        path.write_text("{}", encoding="utf-8")
        os.utime(path, (time.time() - number, time.time() - number))
    old = folder / "0001.json"
    os.utime(old, (0, time.time() - (KEPT_DAYS + 1) * 86_400))
    session_of(vault).claim([make_memory()], event="SessionStart", at=NOON)
    left = {path.name for path in folder.glob("*.json")}
    assert len(left) <= MOST_SESSIONS
    assert {"0000.json"} <= left
    assert old.name not in left


def test_what_was_served_becomes_signals_of_the_assistant(vault: Vault) -> None:
    memory = stored(vault)
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    spool = Spool(vault.path)
    spool.signal([Signal(memory_id=memory.id, signal="referenced", at=NOON, actor="codex")])
    assert not spool.is_empty
    assert spool.fold_into(vault) == 2
    assert signals_in(vault) == [(memory.id, "injected", "codex"), (memory.id, "referenced", "codex")]
    assert spool.is_empty
    assert spool.fold_into(vault) == 0


def test_folding_takes_no_undo_from_a_person(vault: Vault) -> None:
    memory = stored(vault)
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    fold_quietly(vault)
    assert [change.action for change in log(vault)] == ["injected", "add"]
    assert undo(vault, actor=Actor()).action == "add"


def test_a_fold_that_was_killed_after_its_commit_counts_nothing_twice(vault: Vault, clock: FrozenClock) -> None:
    memory = stored(vault)
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    spool = Spool(vault.path)
    folder = spool.folder
    lines = (folder / "spool.jsonl").read_bytes()
    spool.fold_into(vault)
    (folder / "folding.jsonl").write_bytes(lines)
    clock.step(hours=1)
    session_of(vault, "s-2").claim([memory], event="SessionStart", at=clock())
    assert spool.fold_into(vault) == 1
    assert spool.fold_into(vault) == 0
    assert len(signals_in(vault)) == 2


def test_half_a_line_and_a_memory_that_is_gone_are_passed_over(vault: Vault) -> None:
    memory = stored(vault)
    spool = Spool(vault.path)
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    with (spool.folder / "spool.jsonl").open("ab") as file:
        file.write(b'\n{"kind":"served","memories":["abc')
    session_of(vault, "s-2").claim([make_memory(insight="Another")], event="SessionStart", at=NOON)
    spool.append({"kind": "later", "at": "tomorrow"})
    assert spool.fold_into(vault) == 1


def test_a_busy_vault_keeps_the_spool(vault: Vault) -> None:
    memory = stored(vault)
    session_of(vault).claim([memory], event="SessionStart", at=NOON)
    with lease(vault.path, exclusive=True, wait_seconds=0):
        fold_quietly(vault)
    assert signals_in(vault) == []
    fold_quietly(vault)
    assert len(signals_in(vault)) == 1


def test_transcripts_are_kept_once_each_until_they_are_taken(vault: Vault) -> None:
    spool = Spool(vault.path)
    first, again, second = (
        Transcript("codex", "/t/a.jsonl", "s-1", "/w", "2026-03-01T12:00:00+00:00"),
        Transcript("codex", "/t/a.jsonl", "s-1", "/w", "2026-03-01T13:00:00+00:00"),
        Transcript("claude-code", "/t/b.jsonl", "s-2", "/w", "2026-03-01T13:00:00+00:00"),
    )
    for one in (first, second, again):
        spool.transcript(one)
    assert spool.transcripts() == [second, again]
    spool.take_transcripts([second])
    assert spool.transcripts() == [again]


WORKER = """
import sys
from pathlib import Path
from support import NOON, make_memory
from memtui.assist.sessions import Session
for number in range(30):
    memory = make_memory(id=f"memory{number:02}", insight=f"insight {number}")
    claimed = Session(Path(sys.argv[1]), "s-1", "codex").claim([memory], event="PostToolUse", at=NOON)
    print(len(claimed), flush=True)
"""


def test_hooks_that_run_at_once_serve_every_memory_exactly_once(vault: Vault) -> None:
    workers = [start_python(WORKER, vault.path) for _ in range(4)]
    claims = [[int(line) for line in worker.communicate()[0].split()] for worker in workers]
    assert [len(each) for each in claims] == [30] * 4
    assert [sum(column) for column in zip(*claims, strict=True)] == [1] * 30
    assert len(session_of(vault).state().served) == 30


def test_a_session_that_is_killed_while_it_writes_loses_nothing_from_before(vault: Vault) -> None:
    session_of(vault).claim([make_memory()], event="SessionStart", at=NOON)
    worker = start_python(WORKER, vault.path)
    assert worker.stdout is not None
    worker.stdout.readline()
    worker.kill()
    worker.communicate()
    (path,) = (folder_of(vault.path) / "sessions").glob("*.json")
    assert len(json.loads(path.read_bytes())["served"]) >= 2
    assert session_of(vault).claim([make_memory(id="last", insight="Last")], event="PostToolUse", at=NOON)
