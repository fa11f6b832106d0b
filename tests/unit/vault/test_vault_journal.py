"""Every change can be undone and done again; versions only ever grow; nothing is forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import NOON, FrozenClock, make_memory

from memtui.domain.memory import Change, Link, Memory, Signal, Tombstone, Verdict
from memtui.errors import ConflictError, NotFoundError, NothingToUndoError
from memtui.vault import journal
from memtui.vault.filters import MemoryFilter
from memtui.vault.undo import redo, undo
from memtui.vault.vault import Vault


def _put(vault: Vault, *memories: Memory, action: str = "edit") -> list[Memory]:
    with vault.write(actor="person", action=action) as writer:
        return writer.put_many(memories)


def _get(vault: Vault, identifier: str = "memoryaa") -> Memory:
    with vault.read() as reader:
        return reader.get(identifier)


def _undo(vault: Vault) -> Change:
    with vault.write(actor="person", action="undo") as writer:
        return undo(writer)


def _redo(vault: Vault) -> Change:
    with vault.write(actor="person", action="redo") as writer:
        return redo(writer)


@pytest.fixture
def edited(vault: Vault) -> Vault:
    (first,) = _put(vault, make_memory(id="memoryaa", insight="first"), action="add")
    (second,) = _put(vault, replace(first, insight="second"))
    _put(vault, replace(second, insight="third"))
    return vault


def test_undo_and_redo_walk_through_the_changes_and_versions_only_grow(edited: Vault) -> None:
    seen = [_get(edited)]
    for step in (_undo, _undo, _redo, _redo, _undo):
        step(edited)
        seen.append(_get(edited))
    assert [memory.insight for memory in seen] == ["third", "second", "first", "second", "third", "second"]
    assert [memory.version for memory in seen] == [3, 4, 5, 6, 7, 8]


def test_undo_of_a_creation_takes_the_memory_out_and_redo_brings_it_back_with_a_higher_version(edited: Vault) -> None:
    for _ in range(3):
        _undo(edited)
    with edited.read() as reader:
        assert reader.count(MemoryFilter(statuses=None)) == 0
        assert not reader.search("idempotency", MemoryFilter(), limit=5)
    with pytest.raises(NothingToUndoError):
        _undo(edited)
    _redo(edited)
    again = _get(edited)
    assert again.insight == "first"
    assert again.version == 6
    with edited.read() as reader:
        assert [hit.key for hit in reader.search("idempotency", MemoryFilter(), limit=5)]


def test_a_memory_made_anew_after_the_undo_of_its_creation_goes_on_counting(edited: Vault) -> None:
    for _ in range(3):
        _undo(edited)
    (again,) = _put(edited, make_memory(id="memoryaa", insight="anew"), action="add")
    assert again.version > 5
    with edited.read() as reader:
        assert len(journal.history(reader, "memoryaa")) == 7


def test_a_new_change_after_an_undo_ends_what_could_be_redone(edited: Vault) -> None:
    _undo(edited)
    _put(edited, replace(_get(edited), insight="another"))
    with pytest.raises(NothingToUndoError, match="Nothing to redo"):
        _redo(edited)
    with edited.read() as reader:
        states = {change.number: change.state for change in journal.log(reader)}
    assert states == {1: "done", 2: "done", 3: "abandoned", 4: "done", 5: "done"}
    _undo(edited)
    assert _get(edited).insight == "second"
    _undo(edited)
    assert _get(edited).insight == "first"


def test_undo_survives_a_restart(edited: Vault, clock: FrozenClock) -> None:
    reopened = Vault(edited.path, now=clock)
    _undo(reopened)
    assert _get(reopened).insight == "second"


def test_everything_that_one_change_did_is_undone_at_once(vault: Vault) -> None:
    one, two = _put(vault, make_memory(id="memoryaa"), make_memory(id="memorybb"), action="add")
    link = Link(from_id="memoryaa", type="supersedes", to_id="memorybb", created_at=NOON)
    with vault.write(actor="person", action="merge") as writer:
        writer.put(replace(one, pinned=True, tags=("new",)))
        writer.put(replace(two, status="merged", status_reason="into the other"))
        writer.put(make_memory(id="memorycc"))
        writer.add_links([link])
        writer.add_verdicts([Verdict(memory_id="memoryaa", verdict="still-true", at=NOON, actor="person")])
        writer.add_signals([Signal(memory_id="memoryaa", signal="helped", at=NOON, actor="person")])
        writer.add_tombstones([Tombstone(content_hash="h", project=None, memory_id="x", at=NOON, actor="person")])
    _undo(vault)
    with vault.read() as reader:
        assert {m.id: replace(m, version=1) for m in reader.get_many(["memoryaa", "memorybb"]).values()} == {
            "memoryaa": one,
            "memorybb": two,
        }
        assert not reader.get_many(["memorycc"])
        assert (reader.links(), reader.verdicts(), reader.signals(), reader.tombstones()) == ([], [], [], [])
    _redo(vault)
    with vault.read() as reader:
        assert reader.get("memoryaa").pinned
        assert reader.get("memorybb").status == "merged"
        assert reader.get("memorycc").title
        assert reader.links() == [link]
        assert len(reader.verdicts()) == len(reader.signals()) == len(reader.tombstones()) == 1


def test_of_two_equal_signals_undo_takes_one(vault: Vault) -> None:
    _put(vault, make_memory(id="memoryaa"), action="add")
    signal = Signal(memory_id="memoryaa", signal="helped", at=NOON, actor="person")
    for _ in range(2):
        with vault.write(actor="person", action="feedback") as writer:
            writer.add_signals([signal])
    _undo(vault)
    with vault.read() as reader:
        assert reader.signals() == [signal]


def test_a_memory_changed_twice_in_one_change_goes_back_to_before_it(vault: Vault) -> None:
    (first,) = _put(vault, make_memory(id="memoryaa", insight="first"), action="add")
    with vault.write(actor="person", action="edit") as writer:
        second = writer.put(replace(first, insight="second words"))
        writer.put(replace(second, insight="third words"))
    with vault.read() as reader:
        assert reader.search("third", MemoryFilter(), limit=5)
        assert not reader.search("second", MemoryFilter(), limit=5)
    _undo(vault)
    assert _get(vault).insight == "first"


def test_a_save_on_a_version_that_moved_writes_nothing_and_gives_both_texts(edited: Vault) -> None:
    mine = replace(_get(edited), insight="mine")
    _put(edited, replace(_get(edited), insight="theirs"))

    def save() -> None:
        with edited.write(actor="person", action="edit") as writer:
            writer.put(make_memory(id="memorybb"))
            writer.put(mine, if_version=mine.version)

    with pytest.raises(ConflictError) as refused:
        save()
    assert "mine" in refused.value.mine
    assert "theirs" in refused.value.theirs
    assert (refused.value.base_version, refused.value.current_version) == (3, 4)
    assert _get(edited).insight == "theirs"
    with edited.read() as reader:
        assert not reader.get_many(["memorybb"])


def test_a_save_on_a_memory_that_is_gone_is_a_conflict(edited: Vault) -> None:
    mine = _get(edited)
    for _ in range(3):
        _undo(edited)
    with pytest.raises(ConflictError, match="none"), edited.write(actor="person", action="edit") as writer:
        writer.put(mine, if_version=3)


def test_changes_that_cannot_be_undone_are_passed_over(edited: Vault) -> None:
    with edited.write(actor="codex", action="recall") as writer:
        writer.undoable = False
        writer.add_signals([Signal(memory_id="memoryaa", signal="injected", at=NOON, actor="codex")])
    _undo(edited)
    assert _get(edited).insight == "second"
    with edited.read() as reader:
        assert len(reader.signals()) == 1


def test_the_log_tells_who_what_why_and_which(edited: Vault, clock: FrozenClock) -> None:
    later = clock.step(hours=1)
    with edited.write(actor="codex", action="retire", summary="retire two", reason="outdated") as writer:
        writer.put_many([make_memory(id="memorycc"), make_memory(id="memorybb")])
    with edited.read() as reader:
        change, *_ = journal.log(reader, limit=1)
    assert change == Change(
        number=4,
        at=later,
        actor="codex",
        action="retire",
        summary="retire two",
        reason="outdated",
        memory_ids=("memorybb", "memorycc"),
    )


def test_history_tells_every_step_also_of_what_was_taken_out(edited: Vault) -> None:
    for _ in range(3):
        _undo(edited)
    with edited.read() as reader:
        steps = journal.history(reader, "memoryaa")
        with pytest.raises(NotFoundError):
            journal.history(reader, "unknownn")
    assert [(step.after or {}).get("insight") for step in steps] == [
        None,
        "first",
        "second",
        "third",
        "second",
        "first",
    ]
    assert steps[-1].before is None
