"""What assistants did reaches the vault, also what was written before a file had become too large."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from support import NOON, make_memory

from memtui.assist import spool as spool_module
from memtui.assist.hooks import run
from memtui.assist.spool import Spool, Transcript
from memtui.domain.memory import Signal
from memtui.vault.vault import Vault


@pytest.fixture
def spool(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """A spool whose files give way to new ones after some lines, and a vault with two memories."""
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(id="memoryaa"), make_memory(id="memorybb", insight="Another fact.")])
    monkeypatch.setattr(spool_module, "LARGEST_BYTES", 300)
    return Spool(vault.path)


def _signal(number: int) -> Signal:
    return Signal(memory_id="memoryaa", signal="helped", at=NOON + timedelta(minutes=number), actor="agent")


def test_signals_of_the_file_before_are_folded_in_too(vault: Vault, spool: Spool) -> None:
    for number in range(4):
        spool.signal([_signal(number)])
    assert len(list(spool.folder.glob("spool.old"))) == 1, "the first lines gave way"
    assert spool.fold_into(vault) == 4
    assert spool.is_empty
    with vault.read() as reader:
        assert [signal.at for signal in reader.signals()] == [_signal(number).at for number in range(4)]


def test_the_file_before_alone_is_something_that_waits(vault: Vault, spool: Spool) -> None:
    spool.signal([_signal(0)])
    (lines,) = spool.folder.glob("spool.jsonl")
    lines.rename(lines.with_suffix(".old"))
    assert not spool.is_empty
    assert spool.fold_into(vault) == 1
    assert spool.is_empty


def test_sessions_of_the_file_before_are_returned_and_forgotten_once_they_were_read(spool: Spool) -> None:
    noted = [Transcript("claude-code", f"/sessions/{name}", name, "/work", "2026-05-05T09:00:00Z") for name in "abcd"]
    for one in noted:
        spool.transcript(one)
    assert len(list(spool.folder.glob("transcripts.old"))) == 1
    assert spool.transcripts() == noted
    spool.take_transcripts(noted[:1])
    assert spool.transcripts() == noted[1:]
    spool.take_transcripts(noted)
    assert spool.transcripts() == []


def test_failures_of_hooks_in_the_log_before_are_recent_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LARGEST_BYTES", 100)
    now = datetime(2026, 5, 5, tzinfo=UTC)
    for name in ("first", "second", "third"):
        run.note_failure(f"{name} of three hooks", ValueError(), now)
    assert [one.hook.split()[0] for one in run.recent_failures(now)] == ["first", "second", "third"]
