"""What a user relies on when the journal is looked through: every change found, and what it did in full."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import FrozenClock

from memtui.curate import history, lifecycle
from memtui.curate.history import change_diff, change_numbers, change_rows
from memtui.domain.actor import Actor
from memtui.domain.memory import Anchor, Link, Memory
from memtui.errors import NotFoundError
from memtui.vault.vault import Vault

PERSON = Actor()


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


def test_a_row_tells_who_what_and_how_many(told: Vault) -> None:
    rows = change_rows(told, [1, 2, 3, 99])
    assert {number: row.memories for number, row in rows.items()} == {1: 2, 2: 1, 3: 2}
    assert (rows[2].change.actor, rows[2].change.summary) == ("agent-x", "edit the lock")
    history.undo(told, actor=PERSON)
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
        history.undo(told, actor=PERSON)
    undone = change_numbers(told)[0]
    assert [memory.fate for memory in change_diff(told, undone).memories] == ["taken out", "taken out"]


def test_of_many_memories_the_wanted_one_comes_first_and_the_rest_are_counted(told: Vault) -> None:
    diff = change_diff(told, 3, first="aaaaaaa2", most=1)
    assert [memory.id for memory in diff.memories] == ["aaaaaaa2"]
    assert diff.row.memories == 2


def test_an_unknown_change_is_an_error(told: Vault) -> None:
    with pytest.raises(NotFoundError):
        change_diff(told, 99)
