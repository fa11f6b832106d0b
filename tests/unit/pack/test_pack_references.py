"""What a user relies on when a memory means another one: they come together, or neither does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import memory, recalled, story_vault

from memtui.domain.memory import Memory, Source
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.build import Pack
from memtui.pack.repeats import refers
from memtui.recall.result import Task
from memtui.vault.vault import Vault


def at(one: Memory, first: int, last: int) -> Memory:
    return replace(one, sources=(Source(format="agents-md", path="AGENTS.md", span=(first, last)),))


RULE = at(memory("rulefirst", "Cool kilns overnight", "Porcelain cools in the closed kiln overnight."), 3, 3)
RAKU = "Raku is the opposite of the rule above: open the lid and take bowls out."
OPPOSITE = at(memory("opposite", "Raku", RAKU), 4, 4)
TASK = Task("take raku bowls out of the open lid")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("This is the opposite of the rule above.", True),
        ("Unlike the glaze table above, raku needs no wax.", True),
        ("As described above, wax the foot.", True),
        ("The previous step applies to stoneware too.", True),
        ("Fire above 1,200 degrees.", False),
        ("Wax the foot. The rule above all others is patience.", False),
        ("Shelves hold bowls above and plates below.", False),
    ],
)
def test_a_reference_in_the_first_sentence_is_known(text: str, *, is_one: bool) -> None:
    assert refers(memory("anything", "Kiln", text)) is is_one


def vault_of(folder: Path, *memories: Memory) -> Vault:
    return story_vault(folder, memories, [])


def build(vault: Vault, task: Task = TASK, **more: Any) -> Pack:
    return packed(vault, task, **more)


def ids(pack: Pack) -> set[str]:
    return {one.memory.id for one in pack.included}


def test_a_memory_brings_the_one_that_it_refers_to_although_the_task_does_not(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, RULE, OPPOSITE)
    assert RULE.id not in {hit.memory.id for hit in recalled(vault, TASK.text).hits}
    pack = build(vault)
    assert ids(pack) == {RULE.id, OPPOSITE.id}
    reasons = {one.memory.id: one.hit.reasons[0] for one in pack.included}
    assert reasons[RULE.id] == Reason(ReasonCode.MEANT, other=OPPOSITE.id)
    # It stands in the list where what needs it does, not below what was left out.
    assert pack.chances[RULE.id] == pack.chances[OPPOSITE.id] >= pack.needed[OPPOSITE.id] >= pack.needed[RULE.id]


def test_without_the_one_that_it_refers_to_it_is_left_out_with_the_reason(tmp_path: Path) -> None:
    pack = build(vault_of(tmp_path, OPPOSITE))
    assert ids(pack) == set()
    assert [(one.id, one.reason) for one in pack.withheld] == [(OPPOSITE.id, Reason(ReasonCode.NEEDS_ANOTHER))]
    assert OPPOSITE.id in ids(build(vault_of(tmp_path / "other", OPPOSITE), with_ids=[OPPOSITE.id]))


def test_where_a_person_leaves_out_the_one_the_other_does_not_come(tmp_path: Path) -> None:
    pack = build(vault_of(tmp_path, RULE, OPPOSITE), without=[RULE.id])
    assert ids(pack) == set()
    assert {one.id: one.reason.code for one in pack.withheld}[OPPOSITE.id] is ReasonCode.NEEDS_ANOTHER
