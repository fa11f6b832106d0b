"""What stores offer: the same drafts in the same order, whether a child process makes a part of them or not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from stores import make_store, observation

from memtui import children
from memtui.capture.stores import importing
from memtui.capture.stores.importing import Choice, Names, StoresRead, look_into, offer
from memtui.capture.stores.place import Place
from memtui.progress import Cancelled
from memtui.vault.indexed import indexed_text, postings_of
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ROWS = [
    observation(
        f"Berth {number}",
        "<private>The code of the gate is 4711.</private>" if number == 7 else f"Berth {number} is checked daily.",
        type="decision" if number % 3 else "bugfix",
        project="harbour" if number % 2 else "quay",
        created_at_epoch=1e12 + number,
    )
    for number in range(450)
]


def offered(vault: Vault, folder: Path) -> StoresRead:
    path = folder / "claude-mem.db"
    if not path.exists():
        make_store(path, "claude-mem", {"observations": ROWS})
    with vault.read() as reader:
        names = Names(reader)
    found = look_into([Place("claude-mem", path, folder)])
    return offer(found, names, now=NOW, choices={path: Choice(projects=frozenset({"harbour"}))})


def test_a_child_makes_the_same_drafts(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = offered(vault, tmp_path)
    monkeypatch.setattr(importing, "MANY_ROWS", 1)
    monkeypatch.setattr(children, "TOGETHER", 50)
    shared = offered(vault, tmp_path)
    assert [draft.stated for draft in shared.drafts] == [draft.stated for draft in here.drafts]
    assert shared.drafts == here.drafts
    assert shared.left_out == here.left_out == {importing.UNCHOSEN: 225, "without text": 1}
    assert len(here.drafts) == 224
    assert all(draft.indexed == postings_of(indexed_text(draft.stated)) for draft in shared.drafts if draft.stated)


def test_cancelling_while_a_child_works_stops_the_import(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MANY_ROWS", 1)
    monkeypatch.setattr(children, "TOGETHER", 50)
    make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": ROWS})
    found = look_into([Place("claude-mem", tmp_path / "claude-mem.db", tmp_path)])

    def cancel(done: int, total: int) -> None:
        assert 0 < done <= total == len(ROWS)
        raise Cancelled

    with vault.read() as reader, pytest.raises(Cancelled):
        offer(found, Names(reader), now=NOW, progress=cancel)
