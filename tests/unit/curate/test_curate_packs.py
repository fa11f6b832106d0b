"""Packs looked back on: what was said of them, and what became of their memories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curating import PERSON, add, new_vault

from memtui.curate.packs import give_feedback, used_members, used_packs, verdicts_on
from memtui.domain.memory import Signal
from memtui.vault.packs import PackMember, StoredPack, write_pack
from memtui.vault.vault import Vault


def _copied(vault: Vault, identifier: str, *members: str) -> StoredPack:
    pack = StoredPack(
        id=identifier,
        made_at=vault.now(),
        actor="person",
        project="shop",
        task="refund",
        files=(),
        target="chat",
        budget="1,200 tokens",
        encoding="o200k_base",
        tokens=10,
        payload_hash="f0",
        members=tuple(PackMember(member, 1, 5, 0.5) for member in members),
    )
    with vault.write(actor="person", action="copied") as writer:
        write_pack(writer, pack)
        there = writer.get_many(list(members))
        writer.add_signals(
            Signal(memory_id=one, signal="copied", at=writer.now, actor="person", pack_id=identifier) for one in there
        )
    return pack


def test_what_awaits_feedback_stands_first_and_members_tell_what_became_of_them(tmp_path: Path) -> None:
    vault, clock = new_vault(tmp_path)
    first, second = add(vault, "Lock payments"), add(vault, "Sail times")
    old = _copied(vault, "packold1", first.id, second.id)
    clock.pass_days(8)
    _copied(vault, "packnew1", first.id)
    assert [(used.pack.id, used.awaits) for used in used_packs(vault)] == [("packold1", True), ("packnew1", False)]

    give_feedback(vault, "packold1", "hurt", actor=PERSON, reason="old port")
    give_feedback(vault, "packold1", "helped", actor=PERSON, only=[second.id])
    listed = used_packs(vault)
    assert [(used.pack.id, used.awaits, dict(used.said)) for used in listed] == [
        ("packnew1", False, {}),
        ("packold1", False, {"helped": 1, "hurt": 2}),
    ]
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(first.id), title="Lock by card"))
    one, other = used_members(vault, old)
    assert (one.has_changed, other.has_changed) == (True, False)
    assert one.said == (("hurt", "old port"),)
    assert {verdict for verdict, _ in other.said} == {"hurt", "helped"}
    told = {(said.verdict, said.reason, said.memories) for said in verdicts_on(vault, old)}
    assert told == {("hurt", "old port", 2), ("helped", "", 1)}
