"""What a user relies on while turning the knobs of Context: a new payload at once, and never one of yesterday."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import NOON, memory, story_vault

from memtui.curate import explain_payload
from memtui.recall import rank
from memtui.recall.result import Task
from memtui.tui.context import view
from memtui.tui.context.ask import Ask, Choices
from memtui.tui.context.queries import RECALL_KEPT_SECONDS, Payloads
from memtui.tui.state import Opening
from memtui.tui.vault_access import VaultAccess
from memtui.vault.vault import Vault

TASK = "make refunds idempotent"
USUAL = Ask(TASK, (), "chat", "1200", None)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(story_vault(tmp_path).path, now=lambda: NOON)


@pytest.fixture
def recalls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were recalled."""
    asked: list[str] = []
    real = rank.recall

    def counting(vault: Vault, task: Task, *rest: Any, **more: Any) -> Any:
        asked.append(task.text)
        return real(vault, task, *rest, **more)

    monkeypatch.setattr(rank, "recall", counting)
    return asked


def test_the_ranking_is_kept_while_only_what_follows_it_changes(
    vault: Vault, tmp_path: Path, recalls: list[str]
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    changes: list[dict[str, Any]] = [{}, {"budget": "90"}, {"target": "cursor"}, {"style": "compiled"}]
    for change in changes:
        assert access.answer(replace(USUAL, **change)).pack == packed(vault, Task(TASK), **change), change
    choices: list[dict[str, Any]] = [
        {"without": frozenset({"lockpaym"})},
        {"with_ids": frozenset({"lockuser"})},
        {"unconfirmed": True},
        {"secrets": "mask"},
    ]
    for change in choices:
        shown = access.answer(replace(USUAL, choices=Choices(**change))).pack
        assert shown == packed(vault, Task(TASK), **change), change
    shown = access.answer(replace(USUAL, choices=Choices(with_loaded=True))).pack
    assert shown == packed(vault, Task(TASK), withhold_loaded=False)
    assert recalls == [TASK]


@pytest.mark.parametrize("change", [{"text": "lock exports"}, {"phase": "debug"}, {"files": ("payments/lock.py",)}])
def test_another_task_is_recalled_anew(
    vault: Vault, tmp_path: Path, recalls: list[str], change: dict[str, Any]
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    access.answer(USUAL)
    access.answer(replace(USUAL, **change))
    assert len(recalls) == 2


def test_what_others_write_and_what_time_does_is_seen(
    vault: Vault, tmp_path: Path, recalls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    assert "freshone" not in {one.memory.id for one in access.answer(USUAL).pack.included}
    with vault.write(actor="ana", action="add") as writer:
        writer.put(memory("freshone", "Refunds are idempotent by their payment"))
    assert "freshone" in {one.memory.id for one in access.answer(USUAL).pack.included}
    assert len(recalls) == 2
    clock = access._recall_kept._known[1] if access._recall_kept._known else 0.0
    monkeypatch.setattr("memtui.tui.context.queries.time.monotonic", lambda: clock + RECALL_KEPT_SECONDS + 1)
    access.answer(USUAL)
    assert len(recalls) == 3


def test_a_pack_of_the_standing_payload_is_compared_with_the_union_of_today(vault: Vault, tmp_path: Path) -> None:
    from memtui.pack.recipes import get_pack, record_pack, save_recipe
    from memtui.tui.packs.view import since_pack

    opening = Opening(vault=vault, folder=tmp_path, project="payments-api")
    access = VaultAccess(opening)
    payloads = Payloads(access)
    kept: dict[str, Any] = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1200"}
    save_recipe(vault, "refunds", Task(TASK), **kept)
    ask = replace(USUAL, text="", standing=("refunds",))
    was = payloads.answer(ask)
    identifier = record_pack(
        vault,
        was.pack,
        was.task,
        actor="person",
        project="payments-api",
        signal="copied",
        options=payloads.options(ask),
    )
    found = since_pack(access, get_pack(vault, identifier))
    assert (found.since.diff.is_empty, found.lines) == (True, ())
    save_recipe(vault, "exports", Task("how do exports round"), **kept)
    found = since_pack(access, get_pack(vault, identifier))
    union = payloads.answer(ask).pack
    assert set(found.since.diff.added) == {one.memory.id for one in union.included} - {
        one.memory.id for one in was.pack.included
    }
    assert found.since.diff.added


def test_what_contradicts_each_other_in_a_payload_is_shown_and_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = [memory(f"ttl{ttl}xxx", f"The payment lock has a TTL of {ttl} s") for ttl in (30, 60)]
    vault = Vault(story_vault(tmp_path, memories, []).path, now=lambda: NOON)
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    looks: list[int] = []
    real = explain_payload.contradictions_in

    def counting(*words: Any) -> Any:
        looks.append(1)
        return real(*words)

    monkeypatch.setattr(explain_payload, "contradictions_in", counting)
    for budget in ("1200", "1300"):
        answer = access.answer(replace(USUAL, text="the payment lock", budget=budget))
        assert view.title_note(answer).startswith("1 possible contradiction")
        assert view.rest_lines(answer)[0] == (
            "contradiction? The payment lock has a TTL of 30 s [ttl30xxx] 30 s"
            " against The payment lock has a TTL of 60 s [ttl60xxx] 60 s"
        )
    assert len(looks) == 1
    alone = access.answer(replace(USUAL, text="the payment lock", choices=Choices(without=frozenset({"ttl60xxx"}))))
    assert (alone.contradictions, len(looks)) == ((), 2)
