"""What a user relies on in the lists of Context: the numbers add up, and every reason can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, story_vault

from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions
from memtui.recall.result import Task
from memtui.tui.context import view

if TYPE_CHECKING:
    from memtui.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("rows"))


def _pack(vault: Vault, text: str = "make refunds idempotent", **more: Any) -> Pack:
    target = more.pop("target", "chat")
    return context(
        vault,
        Task(text),
        PAYMENTS,
        PackOptions(**more),
        project="payments-api",
        target=target,
        settings=SETTINGS,
        now=NOON,
    )


@pytest.mark.parametrize("target", ["chat", "cursor", "json"])
def test_the_sections_add_up_to_the_payload_and_the_rest_to_the_budget(vault: Vault, target: str) -> None:
    pack = _pack(vault, target=target)
    sections = view.sections(pack)
    assert sum(section.tokens for section in sections) == pack.tokens
    assert view.tokens_left(pack) == pack.budget.amount - pack.tokens_at_most
    assert f"{pack.tokens:,}" in view.payload_title(pack)
    assert view.tokens_left(_pack(vault, target=target, budget="9000 chars")) is None


def test_pins_stand_first_then_scores_and_what_was_left_out_keeps_its_place(vault: Vault) -> None:
    whole = view.ranked_rows(_pack(vault))
    assert [row.id for row in whole] == [
        row.id for row in sorted(whole, key=lambda row: (not row.pinned, -row.score, row.id))
    ]
    second = whole[1]
    rows = view.ranked_rows(_pack(vault, without={second.id}))
    left_out = next(row for row in rows if row.id == second.id)
    assert (left_out.state, left_out.is_in, left_out.kind) == ("left out", False, second.kind)
    assert second.id not in {row.id for row in view.withheld_rows(_pack(vault, without={second.id}))}


def test_a_reason_names_the_other_memory_by_its_title(vault: Vault) -> None:
    pack = _pack(vault)
    titles = {one.memory.id: one.memory.title for one in pack.included} | {one.id: one.title for one in pack.withheld}
    named = [one for one in pack.withheld if one.reason.other in titles]
    rows = {row.id: row.reason for row in view.withheld_rows(pack)}
    assert named
    assert all("“" in rows[one.id] for one in named)


def test_an_empty_payload_says_why_and_what_to_do(vault: Vault) -> None:
    assert view.empty_notice(_pack(vault, budget="0"), has_task=True)[1] == "B changes the budget."
    nothing = view.empty_notice(_pack(vault, "zebra xylophone"), has_task=True)
    assert nothing[0].startswith("Nothing to say: ")
    assert "standing payload" in nothing[1]
