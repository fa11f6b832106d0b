"""What a user relies on when a used pack is looked at again: its very bytes, or an honest no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import memory, story_vault

from memtui.curate.packs import as_it_was, text_changes
from memtui.pack.options import PackOptions
from memtui.pack.recipes import get_pack, record_pack
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.result import Task
from memtui.vault.packs import StoredPack
from memtui.vault.purge import purge_memories
from memtui.vault.vault import Vault

TASK = Task("make refunds idempotent", ("payments/service.py",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return story_vault(tmp_path)


def used(vault: Vault, target: str = "chat", **chosen: Any) -> tuple[StoredPack, str]:
    options = PackOptions(**chosen)
    pack = packed(vault, TASK, target=target, **chosen)
    identifier = record_pack(
        vault, pack, TASK, actor="person", project="payments-api", signal="copied", options=options
    )
    return get_pack(vault, identifier), pack.payload


def again(vault: Vault, stored: StoredPack) -> str | None:
    found = as_it_was(vault, stored, target_named(stored.target), PackOptions())
    return found.payload if found else None


def change(vault: Vault, identifier: str, insight: str) -> None:
    with vault.write(actor="ana", action="edit") as writer:
        writer.put(replace(writer.get(identifier), insight=insight))


@pytest.mark.parametrize("style", ["full", "compiled"])
def test_every_target_gives_its_very_bytes_after_its_memories_changed(vault: Vault, style: str) -> None:
    kept = [used(vault, target, style=style, budget="2k") for target in target_names()]
    kept.append(used(vault, with_ids=frozenset({"lockuser"}), without=frozenset({"twicebug"}), style=style))
    kept.append(used(vault, budget="1500 chars", style=style))
    change(vault, "lockpaym", "Something else by now.")
    with vault.write(actor="ana", action="retire") as writer:
        writer.put(replace(writer.get("cardlogs"), status="retired"))
        writer.put(memory("freshone", "Refunds are idempotent since today"))
    for stored, payload in kept:
        assert again(vault, stored) == payload, stored.target


def test_what_was_purged_is_gone_from_packs_and_their_ticks(vault: Vault) -> None:
    stored, payload = used(vault, with_ids=frozenset({"lockuser"}))
    assert "user_id" in payload
    purge_memories(vault, ["lockuser"])
    left = get_pack(vault, stored.id)
    assert "lockuser" not in str(left.options)
    assert "lockuser" not in {member.memory_id for member in left.members}
    assert again(vault, left) is None


def test_a_pack_of_an_older_memtui_is_built_again_in_the_usual_style(vault: Vault) -> None:
    stored, payload = used(vault)
    assert again(vault, replace(stored, options={})) == payload
    assert again(vault, replace(stored, encoding="of tomorrow")) is None
    assert again(vault, replace(stored, members=())) is None


def test_a_difference_names_the_lines() -> None:
    assert text_changes("a\nb\nc\n", "a\nB\nc\n") == ["@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert text_changes("same\n", "same\n") == []
