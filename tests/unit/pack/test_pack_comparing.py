"""What a user relies on when a task comes again, or every week: what is new, and one payload for all recipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import memory, story_vault

from memtui.pack.build import Pack, recipes_of
from memtui.pack.recipes import compare, list_recipes, previous_pack, record_pack, save_recipe
from memtui.recall.result import Task
from memtui.vault.vault import Vault

TASK = Task("make refunds idempotent", ("payments/service.py",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return story_vault(tmp_path)


def build(vault: Vault, task: Task = TASK, **more: Any) -> Pack:
    return packed(vault, task, **more)


def test_the_previous_pack_of_the_same_task_is_found_and_compared(vault: Vault) -> None:
    assert previous_pack(vault, TASK, "payments-api") is None
    before = build(vault)
    identifier = record_pack(vault, before, TASK, actor="person", project="payments-api", signal="copied")
    other = Task("lock exports", TASK.files)
    record_pack(vault, before, other, actor="person", project="payments-api", signal="copied")
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get("lockpaym"), insight="The refund lock lives 60 s."))
        writer.put(replace(writer.get("twicebug"), status="retired"))
        writer.put(memory("newrefun", "Refunds are idempotent by key"))
    found = previous_pack(vault, Task("make  refunds\nidempotent", TASK.files), "payments-api")
    assert found is not None
    assert found.id == identifier
    diff = compare(build(vault), found)
    assert (diff.added, diff.removed, diff.changed) == (("newrefun",), ("twicebug",), ("lockpaym",))
    assert not diff.is_empty
    assert compare(before, found).is_empty
    assert previous_pack(vault, TASK, "storefront") is None


def test_the_standing_payload_is_the_union_of_the_recipes(vault: Vault) -> None:
    for name, task in (("refunds", TASK), ("exports", Task("how do exports round"))):
        save_recipe(vault, name, task, actor="person", project="payments-api", target="chat", budget="1200")
    save_recipe(
        vault, "shop", Task("refund button"), actor="person", project="storefront", target="chat", budget="1200"
    )
    recipes = recipes_of(list_recipes(vault), "payments-api")
    assert [recipe.name for recipe in recipes] == ["exports", "refunds"]
    union = build(vault, recipes=recipes)
    wanted = {one.memory.id for task in (TASK, Task("how do exports round")) for one in build(vault, task).included}
    assert {one.memory.id for one in union.included} == wanted
    assert union.tokens <= 1200
    assert not wanted & {one.id for one in union.withheld}
    small = build(vault, recipes=recipes, budget="150")
    assert 0 < small.tokens <= 150


def test_without_recipes_the_standing_payload_is_what_serves_without_a_task(vault: Vault) -> None:
    assert build(vault, recipes=[]).payload == build(vault, Task("")).payload
