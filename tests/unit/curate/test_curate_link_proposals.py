"""Links are proposed from use that helped and from likeness, and never made or proposed again unasked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from curating import AGENT, PERSON, Clock, add, everything

from memtui.analysis.snapshot import NOT_RELATED
from memtui.analysis.suggestions import LinkProposal, propose_links
from memtui.curate.history import undo
from memtui.curate.lifecycle import pin, retire
from memtui.curate.links import link, link_proposals, proposals_about
from memtui.curate.memories import edit_memory
from memtui.curate.packs import give_feedback
from memtui.curate.resolutions import dismiss
from memtui.curate.snapshot import read_snapshot
from memtui.domain.memory import Memory
from memtui.errors import RefusedError
from memtui.vault import packs
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.packs import PackMember, StoredPack
from memtui.vault.vault import Vault

NOTE = "On Friday the lock of a slow refund ran out at noon, and the card was paid twice"
RULE = "Whoever holds a lock renews it in time, since a slow refund outlives it"


def use(vault: Vault, name: str, *members: Memory) -> str:
    """Record a pack of these memories, as copying it does."""
    with vault.write(actor="person", action="copied") as writer:
        packs.write_pack(
            writer,
            StoredPack(
                id=name,
                made_at=writer.now,
                actor="person",
                project="shop",
                task="refunds",
                files=(),
                target="chat",
                budget="1200",
                encoding="o200k_base",
                tokens=9,
                payload_hash="0" * 32,
                members=tuple(PackMember(member.id, 1, 9, 0.5) for member in members),
            ),
        )
    return name


def pairs(proposals: list[LinkProposal]) -> set[tuple[str, str, str]]:
    return {(proposal.from_id, proposal.type, proposal.to_id) for proposal in proposals}


def both(vault: Vault, memory: Memory) -> tuple[list[LinkProposal], list[LinkProposal]]:
    """Return what the whole vault proposes, and what is proposed of one memory."""
    return link_proposals(vault, EVERYTHING), proposals_about(vault, memory.id)


def test_what_helped_together_twice_is_proposed_with_the_reason(vault: Vault) -> None:
    lock, key, other = add(vault, "Alpha"), add(vault, "Beta"), add(vault, "Gamma")
    for name in ("packaaaa", "packbbbb"):
        use(vault, name, lock, key, *([other] if name == "packbbbb" else []))
    give_feedback(vault, "packaaaa", "helped", actor=PERSON)
    assert both(vault, key) == ([], []), "once is chance"
    give_feedback(vault, "packbbbb", "helped", actor=PERSON)
    everywhere, about = both(vault, key)
    assert everywhere == about
    assert pairs(about) == {(key.id, "relates", lock.id)}
    assert about[0].why == "together in 2 packs that helped"
    undo(vault, actor=PERSON)
    assert both(vault, key) == ([], [])


def test_packs_that_did_not_help_and_what_is_in_all_of_them_say_nothing(vault: Vault) -> None:
    one, two, pinned, common = (add(vault, text) for text in ("Alpha", "Beta", "Gamma", "Delta"))
    pin(vault, [pinned.id], actor=PERSON)
    for number in range(6):
        used = use(vault, f"packaaa{'abcdef'[number]}", pinned, common, *([one] if number < 2 else [two]))
        give_feedback(vault, used, "helped" if number != 1 else "unused", actor=PERSON)
    found = {frozenset(proposal.ids) for proposal in link_proposals(vault, EVERYTHING)}
    assert found == {frozenset((two.id, common.id))}, "four packs of the rarer one's four; the pinned one never"


def test_a_newer_conclusion_is_derived_from_the_older_note(vault: Vault, clock: Clock) -> None:
    note = add(vault, NOTE, kind="note")
    clock.pass_days(9)
    rule = add(vault, RULE, kind="constraint")
    add(vault, "Release notes are written by the team lead", kind="convention")
    everywhere, about = both(vault, note)
    assert pairs(everywhere) == pairs(about) == {(rule.id, "derived-from", note.id)}
    assert about[0].why.endswith("shared words")
    clock.pass_days(9)
    later = add(vault, NOTE.replace("On Friday", "On Monday"), kind="note")
    kinds = {frozenset(p.ids): p.type for p in link_proposals(vault, EVERYTHING)}
    assert kinds[frozenset((later.id, rule.id))] == "relates", "what happened later is no source of the rule"


def test_duplicates_clashes_and_other_projects_are_no_neighbours(vault: Vault) -> None:
    lock = add(vault, "Refunds take the lock of the payment for 30 seconds")
    others: list[tuple[str, dict[str, Any]]] = [
        ("Refunds take the lock of the payment for 30 seconds!", {}),
        ("Refunds take the lock of the payment for 60 seconds", {}),
        ("A refund that takes the payment lock waits 30 seconds at most", {"project": "docks"}),
    ]
    for text, options in others:
        add(vault, text, **options)
    assert proposals_about(vault, lock.id) == []


def test_meaning_proposes_what_no_word_shares(vault: Vault) -> None:
    one, two = add(vault, "Alpha"), add(vault, "Beta")
    gathered = read_snapshot(vault, MemoryFilter())
    (found,) = propose_links(gathered, [], vault.kinds, alike=[(one.id, two.id, 0.75)])
    assert (found.why, found.score) == ("75% alike in meaning", 0.75)
    assert propose_links(gathered, [], vault.kinds, alike=[(one.id, two.id, 0.6)]) == []


def test_a_memory_has_few_neighbours_the_most_alike_first(vault: Vault) -> None:
    hub, *others = [add(vault, f"Word{number}") for number in range(7)]
    alike = [(hub.id, other.id, 0.73 + number / 100) for number, other in enumerate(others)]
    found = propose_links(read_snapshot(vault, MemoryFilter()), [], vault.kinds, alike=alike)
    assert [proposal.score for proposal in found] == [0.78, 0.77, 0.76]


def test_accepting_links_and_dismissing_is_remembered_until_a_text_changes(vault: Vault) -> None:
    note = add(vault, NOTE, kind="note")
    rule = add(vault, RULE, kind="constraint")
    (proposal,) = proposals_about(vault, rule.id)
    before = everything(vault)
    link(vault, proposal.from_id, proposal.type, proposal.to_id, actor=PERSON)
    assert both(vault, rule) == ([], [])
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    with pytest.raises(RefusedError):
        dismiss(vault, NOT_RELATED, [rule.id, note.id], actor=AGENT)
    assert dismiss(vault, NOT_RELATED, [rule.id, note.id], actor=PERSON)
    assert dismiss(vault, NOT_RELATED, [note.id, rule.id], actor=PERSON) == []
    assert both(vault, rule) == both(vault, note) == ([], [])
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    assert proposals_about(vault, note.id) == [proposal]
    dismiss(vault, NOT_RELATED, [rule.id, note.id], actor=PERSON)
    edit_memory(vault, note.id, {"insight": note.insight + ", once more"}, actor=PERSON)
    assert pairs(proposals_about(vault, rule.id)) == pairs([proposal])


def test_what_is_out_of_use_has_no_proposals(vault: Vault) -> None:
    note = add(vault, NOTE, kind="note")
    rule = add(vault, RULE, kind="constraint")
    retire(vault, [note.id], actor=PERSON)
    assert both(vault, rule) == both(vault, note) == ([], [])
    assert proposals_about(vault, "nosuchid") == []
    assert proposals_about(vault, replace(rule, id="gonegone").id) == []
