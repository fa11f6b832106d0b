"""Undo, redo, the log, and what a change did in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, everything, get, repository, write_files
from support import FrozenClock

from memtui.capture.import_plan import ImportOptions
from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.curate import lifecycle
from memtui.curate.history import change_diff, change_numbers, change_rows, go_back, history, log, redo, undo
from memtui.curate.lifecycle import accept, pin, retire
from memtui.curate.memories import edit_memory
from memtui.domain.memory import Anchor, Change, Link, Memory
from memtui.domain.record import memory_record
from memtui.errors import EXIT_NOTHING, ConflictError, NotFoundError, NothingToUndoError, RefusedError
from memtui.vault.vault import Vault


def test_undo_and_redo_walk_through_every_change(vault: Vault) -> None:
    states = [everything(vault)]
    memory = add(vault, "Lock payments")
    states.append(everything(vault))
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    states.append(everything(vault))
    retire(vault, [memory.id], actor=PERSON)
    states.append(everything(vault))
    for state in states[-2::-1]:
        undo(vault, actor=PERSON)
        assert everything(vault) == state
    with pytest.raises(NothingToUndoError) as nothing:
        undo(vault, actor=PERSON)
    assert nothing.value.exit_code == EXIT_NOTHING
    for state in states[1:]:
        redo(vault, actor=PERSON)
        assert everything(vault) == state
    with pytest.raises(NothingToUndoError):
        redo(vault, actor=PERSON)


@pytest.mark.parametrize("act", [undo, redo])
def test_where_no_vault_is_there_is_nothing_to_undo_and_none_is_made(
    tmp_path: Path, act: Callable[..., Change]
) -> None:
    missing = Vault(tmp_path / "missing" / "vault.duckdb")
    with pytest.raises(NothingToUndoError):
        act(missing, actor=PERSON)
    assert not missing.exists


def test_a_new_change_ends_what_could_be_redone(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    undo(vault, actor=PERSON)
    edit_memory(vault, memory.id, {"title": "Hold"}, actor=PERSON)
    with pytest.raises(NothingToUndoError):
        redo(vault, actor=PERSON)
    assert get(vault, memory.id).title == "Hold"


def test_versions_only_grow_undo_included(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    versions = [2]
    for step in (undo, redo, undo, undo, redo):
        step(vault, actor=PERSON)
        with vault.read() as reader:
            versions += [found.version for found in reader.get_many([memory.id]).values()]
    assert versions == sorted(set(versions))


def test_the_log_tells_who_did_what_to_which(vault: Vault) -> None:
    memory = add(vault, "Lock payments", title="Lock", actor=AGENT)
    retire(vault, [memory.id], actor=PERSON, reason="wrong")
    undo(vault, actor=PERSON)
    newest, retired, added = log(vault)
    assert (newest.action, newest.state, newest.actor) == ("undo", "done", "person")
    assert (retired.action, retired.state, retired.reason) == ("retire", "undone", "wrong")
    assert (added.actor, added.summary, added.memory_ids) == ("codex", "add Lock", (memory.id,))
    assert len(log(vault, limit=2)) == 2


def test_the_history_of_one_memory_survives_its_undoing(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    undo(vault, actor=PERSON)
    undo(vault, actor=PERSON)
    steps = history(vault, memory.id)
    assert [step.change.action for step in steps] == ["undo", "undo", "edit", "add"]
    assert steps[0].after is None
    with pytest.raises(NotFoundError):
        history(vault, "zzzzzzzz")


def test_going_back_is_a_new_change(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"insight": "Lock users", "tags": ["x"]}, actor=PERSON)
    edited = everything(vault)
    back = go_back(vault, memory.id[:6], 1, actor=PERSON)
    assert back.version == 3
    assert memory_record(back) == memory_record(memory)
    assert "version 1" in log(vault)[0].summary
    undo(vault, actor=PERSON)
    assert everything(vault) == edited


@pytest.mark.parametrize("version", [0, 3, -1, 99])
def test_a_version_that_never_was_is_an_error(vault: Vault, version: int) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    with pytest.raises(NotFoundError, match=f"version {version}"):
        go_back(vault, memory.id, version, actor=PERSON)


def test_going_back_brings_the_text_and_not_the_status(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=PERSON)
    retire(vault, [memory.id], actor=PERSON)
    back = go_back(vault, memory.id, 1, actor=PERSON)
    assert (back.title, back.status) == (memory.title, "retired")


def test_an_accepted_memory_stays_accepted_when_its_first_text_comes_back(vault: Vault) -> None:
    proposed = add(vault, "Seed first", actor=AGENT)
    accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent)
    edit_memory(vault, proposed.id, {"title": "Seed"}, actor=PERSON)
    assert go_back(vault, proposed.id, 1, actor=PERSON).status == "active"


def test_an_agent_does_not_go_back_behind_what_a_person_decided(vault: Vault) -> None:
    memory = add(vault, "Lock payments", actor=AGENT)
    edit_memory(vault, memory.id, {"title": "Lock"}, actor=AGENT)
    assert go_back(vault, memory.id, 1, actor=AGENT).title == memory.title
    accept(vault, [memory.id], actor=PERSON, folder=vault.path.parent)
    with pytest.raises(RefusedError):
        go_back(vault, memory.id, 2, actor=AGENT)
    other = add(vault, "Seed first")
    pin(vault, [other.id], actor=PERSON)
    with pytest.raises(RefusedError):
        go_back(vault, other.id, 1, actor=AGENT)


def test_an_agent_undoes_only_what_it_did_itself(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    proposed = add(vault, "Seed first", actor=AGENT)
    undo(vault, actor=AGENT)
    redo(vault, actor=AGENT)
    accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent)
    pin(vault, [memory.id], actor=PERSON)
    before = everything(vault)
    with pytest.raises(ConflictError):
        undo(vault, actor=AGENT)  # a person has accepted what the agent proposed
    for foreign in ({"anybody": True}, {"number": 1}):
        with pytest.raises(RefusedError, match="itself"):
            undo(vault, actor=AGENT, **foreign)
    assert everything(vault) == before
    undo(vault, actor=PERSON)
    with pytest.raises(RefusedError, match="itself"):
        redo(vault, actor=AGENT, anybody=True)
    with pytest.raises(NothingToUndoError):
        redo(vault, actor=AGENT)
    assert not get(vault, memory.id).pinned


def test_an_agent_undoes_no_words_that_a_person_accepted_meanwhile(vault: Vault) -> None:
    proposed = add(vault, "Seed first", actor=AGENT)
    edit_memory(vault, proposed.id, {"insight": "Seed before you migrate."}, actor=AGENT)
    accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent)
    with pytest.raises(RefusedError, match="accepted"):
        undo(vault, actor=AGENT)
    assert get(vault, proposed.id).insight == "Seed before you migrate."


def test_going_back_counts_as_an_edit_of_a_person_for_the_next_import(vault: Vault, tmp_path: Path) -> None:
    rules = "# Rules\n\nAlways take the payment lock before charging a card.\n"
    root = repository(tmp_path / "shop", {"CLAUDE.md": rules})
    request = ImportRequest(paths=[root], folder=root, home=tmp_path, options=ImportOptions(active=True))

    def import_again() -> tuple[int, int]:
        _, report = run_import(vault, read_sources(request), request, actor=PERSON)
        return report.updated, len(report.conflicts)

    import_again()
    (identifier,) = log(vault)[0].memory_ids
    write_files(root, {"CLAUDE.md": rules.replace("a card", "any card")})
    assert import_again() == (1, 0)
    go_back(vault, identifier, 1, actor=PERSON)
    write_files(root, {"CLAUDE.md": rules.replace("a card", "every card")})
    assert import_again() == (0, 1)
    assert "a card" in get(vault, identifier).insight


def test_a_moment_is_told_as_people_read_it(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    lifecycle.verify(vault, [memory.id], actor=PERSON)
    change = change_diff(vault, log(vault)[0].number)
    said = {field.name: [line.text for line in field.lines] for field in change.memories[0].fields}
    assert [f"{get(vault, memory.id).verified_at:%Y-%m-%d %H:%M:%S} UTC"] == said["verified_at"]
    edit_memory(vault, memory.id, {"valid_until": datetime(2027, 3, 1, tzinfo=UTC)}, actor=PERSON)
    change = change_diff(vault, log(vault)[0].number)
    said = {field.name: [line.text for line in field.lines] for field in change.memories[0].fields}
    assert said["valid_until"] == ["2027-03-01"]


@pytest.fixture
def told(vault: Vault, clock: FrozenClock) -> Vault:
    """A vault with three changes: two memories made, one of them edited, both retired."""
    now = clock()

    def memory(identifier: str, title: str) -> Memory:
        return Memory(
            id=identifier,
            title=title,
            insight=f"{title}.\nIt holds for all.",
            kind="decision",
            project="ferry",
            created_at=now,
            updated_at=now,
            confirmed_at=now,
        )

    with vault.write(actor="person", action="import", summary="import 2 memories from docs/") as writer:
        writer.put_many([memory("aaaaaaa1", "Lock by user_id"), memory("aaaaaaa2", "Sail times are UTC")])
        writer.add_links([Link(from_id="aaaaaaa1", type="relates", to_id="aaaaaaa2", created_at=now)])
    with vault.write(actor="agent-x", action="edit", summary="edit the lock") as writer:
        current = writer.get("aaaaaaa1")
        writer.put(replace(current, title="Lock by payment_id", anchors=(Anchor("pay/lock.py"),), pinned=True))
    lifecycle.retire(vault, ["aaaaaaa1", "aaaaaaa2"], actor=PERSON)
    return vault


def test_changes_are_found_by_words_who_and_memory(told: Vault) -> None:
    assert change_numbers(told) == [3, 2, 1]
    assert change_numbers(told, query="DOCS import") == [1]
    assert change_numbers(told, query="agent-x") == [2]
    assert change_numbers(told, query="agent-x docs") == []
    assert change_numbers(told, query="100%_' \0") == []
    assert change_numbers(told, memory_id="aaaaaaa2") == [3, 1]
    assert change_numbers(told, query="edit", memory_id="aaaaaaa2") == []


def test_an_undo_is_told_by_what_it_took_back_and_found_where_it_is_asked_for(told: Vault) -> None:
    undo(told, actor=PERSON)
    assert change_numbers(told) == [3, 2, 1]
    assert change_numbers(told, memory_id="aaaaaaa2") == [3, 1]
    assert change_numbers(told, query="undo: retire") == [4]
    reversal = change_diff(told, 3).reversal
    assert reversal is not None
    assert reversal.number == 4
    assert change_diff(told, 2).reversal is None


def test_a_row_tells_who_what_and_how_many(told: Vault) -> None:
    rows = change_rows(told, [1, 2, 3, 99])
    assert {number: row.memories for number, row in rows.items()} == {1: 2, 2: 1, 3: 2}
    assert (rows[2].change.actor, rows[2].change.summary) == ("agent-x", "edit the lock")
    undo(told, actor=PERSON)
    assert change_rows(told, [3])[3].change.state == "undone"


def test_a_change_is_told_field_by_field(told: Vault) -> None:
    diff = change_diff(told, 2)
    (memory,) = diff.memories
    assert (memory.id, memory.title, memory.fate, memory.version) == ("aaaaaaa1", "Lock by payment_id", "changed", 2)
    fields = {field.name: [line.sign + line.text for line in field.lines] for field in memory.fields}
    assert fields == {
        "title": ["-Lock by user_id", "+Lock by payment_id"],
        "anchors": ["+pay/lock.py"],
        "pinned": ["-no", "+yes"],
    }


def test_what_was_made_and_what_was_taken_out_are_told_whole(told: Vault) -> None:
    made = change_diff(told, 1)
    assert [memory.fate for memory in made.memories] == ["made", "made"]
    assert made.kin == {"link": (1, 0)}
    insight = next(field for field in made.memories[0].fields if field.name == "insight")
    assert [line.text for line in insight.lines] == ["Lock by user_id.", "It holds for all."]
    for _ in range(3):
        undo(told, actor=PERSON, anybody=True)
    undone = change_numbers(told, query="undo")[0]
    assert [memory.fate for memory in change_diff(told, undone).memories] == ["taken out", "taken out"]


def test_of_many_memories_the_wanted_one_comes_first_and_the_rest_are_counted(told: Vault) -> None:
    diff = change_diff(told, 3, first="aaaaaaa2", most=1)
    assert [memory.id for memory in diff.memories] == ["aaaaaaa2"]
    assert diff.row.memories == 2


def test_an_unknown_change_is_an_error(told: Vault) -> None:
    with pytest.raises(NotFoundError):
        change_diff(told, 99)
