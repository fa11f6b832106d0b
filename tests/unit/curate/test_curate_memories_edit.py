"""Editing: nothing is lost when two people save, agents keep their hands off, fields are cleaned."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from curating import AGENT, PERSON, START, add, everything, get

from memtui.curate.fields import ListChanges
from memtui.curate.history import undo
from memtui.curate.lifecycle import pin, verify
from memtui.curate.memories import EDITABLE, edit_memory
from memtui.domain.memory import Anchor, Memory
from memtui.errors import (
    EXIT_CONFLICT,
    EXIT_REFUSED,
    ConflictError,
    NotFoundError,
    RefusedError,
    SecretRefusedError,
    UsageError,
)
from memtui.vault.projects import list_projects
from memtui.vault.vault import Vault

TOKEN = "AKIA" + "QX7T3MZJ5WNDR2PL"


@pytest.fixture
def memory(vault: Vault) -> Memory:
    return add(vault, "Seed the database before the tests.", title="Seed first")


def edit(vault: Vault, memory: Memory, *, actor: Any = PERSON, **values: Any) -> Memory:
    return edit_memory(vault, memory.id, values, actor=actor)


def test_an_edit_makes_a_new_version_and_keeps_everything_else(vault: Vault, memory: Memory) -> None:
    edited = edit(vault, memory, insight="Run `make seed` first.")
    assert (edited.version, edited.insight, edited.title) == (2, "Run `make seed` first.", "Seed first")
    assert edited.updated_at > memory.updated_at
    assert edited.created_at == memory.created_at
    assert get(vault, memory.id) == edited


def test_a_prefix_of_the_id_will_do(vault: Vault, memory: Memory) -> None:
    assert edit_memory(vault, memory.id[:5], {"kind": "tooling"}, actor=PERSON).kind == "tooling"


def test_saving_what_is_stored_already_makes_no_version(vault: Vault, memory: Memory) -> None:
    assert edit(vault, memory, title=" Seed  first\n", tags=[]).version == 1


def test_a_save_over_a_moved_version_is_a_conflict_with_both_texts(vault: Vault, memory: Memory) -> None:
    edit(vault, memory, insight="Theirs: run make seed.")
    before = everything(vault)
    with pytest.raises(ConflictError) as conflict:
        edit_memory(vault, memory.id, {"insight": "Mine: run make fixtures."}, actor=PERSON, if_version=1)
    assert conflict.value.exit_code == EXIT_CONFLICT
    assert "Mine: run make fixtures." in conflict.value.mine
    assert "Theirs: run make seed." in conflict.value.theirs
    assert (conflict.value.base_version, conflict.value.current_version) == (1, 2)
    assert everything(vault) == before


def test_a_version_that_an_undo_made_is_another_version(vault: Vault, memory: Memory) -> None:
    edit(vault, memory, insight="Run make seed.")
    undo(vault, actor=PERSON)
    assert get(vault, memory.id).insight == memory.insight
    with pytest.raises(ConflictError):
        edit_memory(vault, memory.id, {"title": "x"}, actor=PERSON, if_version=1)
    assert edit_memory(vault, memory.id, {"title": "x"}, actor=PERSON, if_version=3).version == 4


def test_the_right_version_saves(vault: Vault, memory: Memory) -> None:
    assert edit_memory(vault, memory.id, {"title": "x"}, actor=PERSON, if_version=1).version == 2


def test_an_agent_may_edit_what_nobody_accepted(vault: Vault) -> None:
    proposed = add(vault, "Seed first", actor=AGENT)
    assert edit(vault, proposed, actor=AGENT, title="Seed early").title == "Seed early"


def test_an_agent_may_not_edit_what_a_person_accepted(vault: Vault, memory: Memory) -> None:
    with pytest.raises(RefusedError, match="accepted"):
        edit(vault, memory, actor=AGENT, insight="Do not seed.")


@pytest.mark.parametrize("vouch", [verify, pin])
def test_an_agent_may_not_edit_what_a_person_vouched_for(vault: Vault, memory: Memory, vouch: Any) -> None:
    vouch(vault, [memory.id], actor=PERSON)
    with pytest.raises(RefusedError) as refused:
        edit(vault, memory, actor=AGENT, insight="Do not seed.")
    assert refused.value.exit_code == EXIT_REFUSED
    assert get(vault, memory.id).insight == memory.insight


@pytest.mark.parametrize("field", ["title", "insight", "rationale", "snippet"])
def test_a_secret_in_an_edit_is_refused_without_echo(vault: Vault, memory: Memory, field: str) -> None:
    with pytest.raises(SecretRefusedError) as refused:
        edit(vault, memory, **{field: f"key {TOKEN}"})
    assert not any(TOKEN[start : start + 5] in str(refused.value) for start in range(len(TOKEN) - 4))
    assert get(vault, memory.id) == memory


def test_a_secret_that_was_allowed_once_does_not_stop_other_edits(vault: Vault) -> None:
    memory = add(vault, f"Example key {TOKEN}", allow_secret=True)
    assert edit(vault, memory, kind="note").kind == "note"
    with pytest.raises(SecretRefusedError):
        edit(vault, memory, insight=f"Example key {TOKEN}, again")
    allowed = {"insight": f"Example key {TOKEN}, again"}
    assert edit_memory(vault, memory.id, allowed, actor=PERSON, allow_secret=True).version == 3


def test_fields_are_cleaned(vault: Vault, memory: Memory) -> None:
    edited = edit(
        vault,
        memory,
        title=" Seed\r\nthe \x1b[31mdb ",
        insight="\r\nRun\x00 it.\r\n",
        kind="CONVENTION",
        tags=["#db, ci", "db", " "],
        project=" till ",
        half_life_days=30,
    )
    assert (edited.title, edited.insight, edited.kind) == ("Seed the db", "Run it.", "convention")
    assert (edited.tags, edited.project, edited.half_life_days) == (("db", "ci"), "till", 30)
    with vault.read() as reader:
        assert "till" in {project.name for project in list_projects(reader)}


@pytest.mark.parametrize("days", [0, -1, 0.001, 1e9, float("nan"), float("inf")])
def test_a_half_life_that_would_break_the_arithmetic_is_refused(vault: Vault, memory: Memory, days: float) -> None:
    with pytest.raises(UsageError, match="half-life"):
        edit(vault, memory, half_life_days=days)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"title": " \n"}, "title"),
        ({"insight": " \x00\n"}, "text"),
        ({"kind": "lessons"}, "Did you mean lesson"),
        ({"importance": 9}, "1 to 5"),
        ({"confidence": -0.1}, "0 to 1"),
        ({"confidence": float("nan")}, "0 to 1"),
        ({"project": " "}, "printable"),
        ({"status": "retired"}, "No such field"),
        ({"version": 7}, "No such field"),
    ],
)
def test_a_value_that_does_not_fit_changes_nothing(
    vault: Vault, memory: Memory, values: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        edit(vault, memory, **{"rationale": "kept out", **values})
    assert get(vault, memory.id) == memory


def test_every_editable_field_can_be_set_and_emptied(vault: Vault, memory: Memory) -> None:
    moment = START + timedelta(days=9)
    values: dict[str, Any] = {
        "rationale": "CI failed",
        "snippet": "make seed",
        "importance": 5,
        "confidence": 0.5,
        "half_life_days": 12.5,
        "anchors": (Anchor("db/"),),
        "valid_from": moment,
        "valid_until": moment,
        "due_at": moment,
        "project": "global",
        "tags": ("db",),
        "rules": ("protect 'db/'",),
        "pinned": True,
        "status_reason": "kept for its story",
    }
    assert values.keys() | {"title", "insight", "kind"} == set(EDITABLE)
    full = edit(vault, memory, **values)
    assert {name: getattr(full, name) for name in values} == values
    emptied = {name: getattr(memory, name) for name in values}
    bare = edit(vault, memory, **{**emptied, "project": None})
    assert bare.project is None
    assert {name: getattr(bare, name) for name in emptied} == {**emptied, "project": None}


def test_an_unknown_id_is_an_error(vault: Vault, memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        edit_memory(vault, "zzzzzzzz", {"title": memory.title}, actor=PERSON)


def test_a_rule_is_checked_added_beside_others_and_undone(vault: Vault, memory: Memory) -> None:
    first = edit(vault, memory, rules=["protect generated/"])
    assert first.rules == ("protect 'generated/'",)
    second = edit_memory(vault, memory.id, {}, actor=PERSON, lists=ListChanges(add_rules=("forbid 'x' in 'a'",)))
    assert second.rules == ("protect 'generated/'", "forbid 'x' in 'a'")
    with pytest.raises(UsageError, match="No such rule"):
        edit(vault, memory, rules=["forbidd x"])
    undo(vault, actor=PERSON)
    assert get(vault, memory.id).rules == first.rules
    cleared = edit_memory(vault, memory.id, {}, actor=PERSON, lists=ListChanges(remove_rules=True))
    assert cleared.rules == ()


def test_an_agent_sets_no_rule(vault: Vault, memory: Memory) -> None:
    with pytest.raises(RefusedError):
        edit(vault, memory, actor=AGENT, rules=["protect src/"])
