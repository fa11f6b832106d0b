"""What a user relies on when a payload was used: it is remembered, and can be asked about later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import NOON, PAYMENTS, SETTINGS, memory, story_vault

from memtui.errors import AmbiguousIdError, NotFoundError, NothingToUndoError, UsageError
from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions
from memtui.pack.recipes import (
    delete_recipe,
    get_pack,
    get_recipe,
    list_packs,
    list_recipes,
    payload_hash,
    record_pack,
    save_recipe,
)
from memtui.recall.result import Task
from memtui.vault.journal import log, redo, undo
from memtui.vault.vault import Vault

TASK = Task("make refunds idempotent", ("payments/service.py",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return story_vault(tmp_path)


def _pack(vault: Vault, text: str = TASK.text) -> Pack:
    return context(
        vault,
        Task(text, TASK.files),
        PAYMENTS,
        PackOptions(),
        project="payments-api",
        target="chat",
        settings=SETTINGS,
        now=NOON,
    )


def test_a_copied_pack_is_found_again_by_its_id(vault: Vault) -> None:
    pack = _pack(vault)
    identifier = record_pack(vault, pack, TASK, actor="person", project="payments-api", signal="copied")
    stored = get_pack(vault, identifier[:5])
    assert len(identifier) == 8
    assert stored == list_packs(vault, 10)[0]
    assert (stored.id, stored.task, stored.files) == (identifier, TASK.text, TASK.files)
    assert (stored.project, stored.actor, stored.made_at) == ("payments-api", "person", NOON)
    assert (stored.tokens, stored.budget, stored.encoding) == (pack.tokens, "1,200 tokens", "o200k_base")
    assert stored.payload_hash == payload_hash(pack.payload)
    assert [one.memory_id for one in stored.members] == [one.memory.id for one in pack.included]


def test_each_memory_in_it_was_used_once(vault: Vault) -> None:
    pack = _pack(vault)
    identifier = record_pack(vault, pack, TASK, actor="claude-code", project=None, signal="injected")
    with vault.read() as reader:
        signals = reader.signals()
    assert [(one.memory_id, one.signal, one.actor, one.pack_id) for one in signals] == sorted(
        (one.memory.id, "injected", "claude-code", identifier) for one in pack.included
    )


def test_building_a_pack_is_no_use(vault: Vault) -> None:
    _pack(vault)
    with vault.read() as reader:
        assert reader.signals() == []


def test_undoing_takes_a_recorded_pack_back_and_nothing_else(vault: Vault) -> None:
    kept = record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    with vault.write(actor="person", action="undo") as writer:
        assert undo(writer).action == "copied"
    assert [pack.id for pack in list_packs(vault, 10)] == [kept]
    with vault.read() as reader:
        assert {signal.pack_id for signal in reader.signals()} == {kept}
    with vault.write(actor="person", action="redo") as writer:
        redo(writer)
    assert len(list_packs(vault, 10)) == 2


def test_what_a_program_records_by_itself_is_not_what_a_person_undoes(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [], [])
    with vault.write(actor="person", action="add") as writer:
        writer.undoable = False
        writer.put(memory("lockpaym", "Lock refunds by payment_id"))
    record_pack(vault, _pack(vault), TASK, actor="codex", project=None, signal="injected", undoable=False)
    with pytest.raises(NothingToUndoError), vault.write(actor="person", action="undo") as writer:
        undo(writer)
    assert len(list_packs(vault, 10)) == 1


def test_an_empty_payload_is_not_recorded(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [memory("replica2", "port 8788 for the replica")], [])
    with pytest.raises(NotFoundError):
        record_pack(vault, _pack(vault, "bake bread"), TASK, actor="person", project=None, signal="copied")


def test_packs_are_listed_newest_first_up_to_the_limit(vault: Vault) -> None:
    pack = _pack(vault)
    made = [record_pack(vault, pack, TASK, actor="person", project=None, signal="copied") for _ in range(3)]
    assert {one.id for one in list_packs(vault, 10)} == set(made)
    assert len(list_packs(vault, 2)) == 2


@pytest.mark.parametrize("prefix", ["", "zzzzzzzz", "%", "' OR 1=1"])
def test_an_unknown_pack_is_an_error(vault: Vault, prefix: str) -> None:
    record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    with pytest.raises(NotFoundError):
        get_pack(vault, prefix)


def test_an_ambiguous_prefix_names_the_packs(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    identifiers = iter(["abcd2222", "abcd3333"])
    monkeypatch.setattr("memtui.pack.recipes.new_id", lambda: next(identifiers))
    pack = _pack(vault)
    for _ in range(2):
        record_pack(vault, pack, TASK, actor="person", project=None, signal="copied")
    with pytest.raises(AmbiguousIdError, match="abcd2222, abcd3333"):
        get_pack(vault, "abcd")
    assert get_pack(vault, "ABCD2222").id == "abcd2222"


def test_a_recipe_is_saved_replaced_found_and_deleted(vault: Vault) -> None:
    save_recipe(
        vault, "refunds", Task("lock refunds"), actor="person", project="payments-api", target="chat", budget="1k"
    )
    saved = save_recipe(vault, " refunds ", TASK, actor="person", project="payments-api", target="json", budget="2k")
    other = save_recipe(vault, "auth", Task(""), actor="person", project=None, target="chat", budget="500")
    assert list_recipes(vault) == [other, saved]
    assert get_recipe(vault, "refunds") == saved
    assert (saved.files, saved.target, saved.budget) == (TASK.files, "json", "2k")
    assert delete_recipe(vault, "refunds", actor="person") == saved
    assert list_recipes(vault) == [other]


def test_a_recipe_keeps_what_was_chosen_and_its_saving_and_deleting_are_undone(vault: Vault) -> None:
    task = Task("lock refunds", TASK.files, phase="debug")
    options = PackOptions(style="compiled", without=frozenset({"lockuser"}))
    usual: Any = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1k"}
    plain = save_recipe(vault, "refunds", TASK, **usual)
    chosen = save_recipe(vault, "refunds", task, **usual, options=options)
    assert PackOptions().chosen(get_recipe(vault, "refunds").options) == options
    delete_recipe(vault, "refunds", actor="person")
    with vault.read() as reader:
        assert [(change.action, change.summary) for change in log(reader, limit=3)] == [
            ("recipe delete", "delete recipe refunds"),
            ("recipe save", "save recipe refunds"),
            ("recipe save", "save recipe refunds"),
        ]
    for expected in ([chosen], [plain], []):
        with vault.write(actor="person", action="undo") as writer:
            undo(writer)
        assert list_recipes(vault) == expected
    for expected in ([plain], [chosen], []):
        with vault.write(actor="person", action="redo") as writer:
            redo(writer)
        assert list_recipes(vault) == expected


def test_saving_the_same_recipe_again_at_the_same_moment_is_no_change(vault: Vault) -> None:
    for _ in range(2):
        save_recipe(vault, "refunds", TASK, actor="person", project=None, target="chat", budget="1k")
    with vault.read() as reader:
        assert [change.action for change in log(reader, limit=9)].count("recipe save") == 1


def test_the_union_of_recipes_keeps_the_ticks_of_each(vault: Vault) -> None:
    usual: Any = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1k"}
    first = save_recipe(vault, "a", TASK, **usual, options=PackOptions(without=frozenset({"twicebug"})))
    second = save_recipe(
        vault, "b", Task("replica port"), **usual, options=PackOptions(with_ids=frozenset({"lockuser"}))
    )
    pack = packed(vault, Task(""), recipes=[first, second])
    ids = {one.memory.id for one in pack.included}
    assert "lockuser" in ids
    assert "twicebug" not in ids
    third = save_recipe(vault, "c", TASK, **usual)
    assert "twicebug" in {one.memory.id for one in packed(vault, Task(""), recipes=[first, second, third]).included}


def test_a_mistyped_recipe_names_the_nearest(vault: Vault) -> None:
    save_recipe(vault, "refunds", TASK, actor="person", project=None, target="chat", budget="1k")
    with pytest.raises(NotFoundError, match="Did you mean refunds"):
        get_recipe(vault, "refund")
    with pytest.raises(NotFoundError):
        delete_recipe(vault, "other", actor="person")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\x1b"])
def test_a_recipe_needs_a_name_that_people_can_use(vault: Vault, name: str) -> None:
    with pytest.raises(UsageError):
        save_recipe(vault, name, TASK, actor="person", project=None, target="chat", budget="1k")


def test_reading_an_absent_vault_creates_nothing(tmp_path: Path) -> None:
    absent = Vault(tmp_path / "none.duckdb")
    assert list_packs(absent, 5) == []
    assert list_recipes(absent) == []
    assert not absent.exists
