"""Recorded packs: feedback, looking back, and the same bytes again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, START, add, everything, new_vault
from pack_story import packed
from recall_story import memory, story_vault

from memtui.curate.history import log, undo
from memtui.curate.packs import (
    VERDICTS,
    as_it_was,
    feedback_on,
    give_feedback,
    mark_asked,
    packs_awaiting_feedback,
    text_changes,
    used_members,
    used_packs,
    verdicts_on,
)
from memtui.curate.review_queue import review_queue
from memtui.curate.views import get_view
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Signal
from memtui.errors import AmbiguousIdError, NotFoundError, UsageError
from memtui.pack.build import Pack, pack_of_recall
from memtui.pack.options import PackOptions
from memtui.pack.recipes import get_pack, record_pack
from memtui.pack.targets.base import EDITIONS, LINES_LEFT_OUT, STYLES, Style
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.packs import PackMember, StoredPack, read_packs, write_pack
from memtui.vault.purge import purge_memories
from memtui.vault.vault import Vault


def store_pack(vault: Vault, identifier: str, *members: str) -> None:
    pack = StoredPack(
        id=identifier,
        made_at=START,
        actor="person",
        project="shop",
        task="refund",
        files=(),
        target="chat",
        budget="1200",
        encoding="o200k_base",
        tokens=10,
        payload_hash="f0",
        members=tuple(PackMember(member, 1, 5, 0.5) for member in members),
    )
    with vault.write(actor="person", action="pack") as writer:
        write_pack(writer, pack)


def test_the_effect_on_a_memory_is_told_and_seen(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    (effect,) = give_feedback(vault, memory.id[:6], "helped", actor=PERSON, reason="found the race")
    assert (effect.memory_id, effect.title, effect.before) == (memory.id, memory.title, 1.0)
    assert effect.after > 1.3
    assert get_view(vault, memory.id).usefulness == pytest.approx(effect.after, abs=1e-3)
    (worse,) = give_feedback(vault, memory.id, "hurt", actor=PERSON)
    assert worse.before == pytest.approx(effect.after, abs=1e-3)
    assert worse.after < 1.0


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_word_moves_usefulness_in_its_direction(vault: Vault, verdict: str) -> None:
    memory = add(vault, "Lock payments")
    (effect,) = give_feedback(vault, memory.id, verdict, actor=AGENT)
    assert (effect.after > effect.before) == (verdict == "helped")
    with vault.read() as reader:
        (signal,) = reader.signals()
    assert (signal.signal, signal.actor, signal.pack_id) == (verdict, "codex", None)


def test_feedback_on_a_pack_goes_to_each_of_its_memories(vault: Vault) -> None:
    ids = [add(vault, text).id for text in ("a", "b")]
    store_pack(vault, "pack2222", *ids, "gone2222")
    effects = give_feedback(vault, "pack", "hurt", actor=PERSON, reason="misled")
    assert sorted(effect.memory_id for effect in effects) == sorted(ids)
    with vault.read() as reader:
        signals = reader.signals()
    assert {(signal.pack_id, signal.reason) for signal in signals} == {("pack2222", "misled")}


def test_a_pack_whose_memories_are_gone_is_told(vault: Vault) -> None:
    store_pack(vault, "pack2222", "gone2222")
    with pytest.raises(NotFoundError, match="memories of this pack no longer exist"):
        give_feedback(vault, "pack2222", "hurt", actor=PERSON)


def test_a_prefix_of_a_pack_and_of_a_memory_asks_which(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    store_pack(vault, f"{memory.id[:7]}9", memory.id)
    with pytest.raises(AmbiguousIdError) as refused:
        give_feedback(vault, memory.id[:7], "hurt", actor=PERSON)
    assert memory.id in str(refused.value)
    assert len(give_feedback(vault, memory.id, "helped", actor=PERSON)) == 1
    store_pack(vault, f"{memory.id[:7]}99", memory.id)
    give_feedback(vault, f"{memory.id[:7]}9", "helped", actor=PERSON)
    with vault.read() as reader:
        assert [signal.pack_id for signal in reader.signals()] == [None, f"{memory.id[:7]}9"]


@pytest.mark.parametrize("prefix", ["zzzzzzzz", "", "  "])
def test_an_unknown_id_is_an_error_even_with_one_pack_there(vault: Vault, prefix: str) -> None:
    store_pack(vault, "pack2222", add(vault, "Lock payments").id)
    with pytest.raises(NotFoundError):
        give_feedback(vault, prefix, "helped", actor=PERSON)


def test_an_unknown_word_is_an_error(vault: Vault) -> None:
    with pytest.raises(UsageError, match="helped, hurt, corrected, unused"):
        give_feedback(vault, "x", "great", actor=PERSON)


def test_feedback_can_be_undone(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    before = everything(vault)
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    assert "hurt" in log(vault)[0].summary
    undo(vault, actor=PERSON)
    with vault.read() as reader:
        assert len(reader.signals()) == 1
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def use_pack(vault: Vault, identifier: str, *members: str, signal: str = "copied") -> StoredPack:
    store_pack(vault, identifier, *members)
    with vault.write(actor="person", action=signal) as writer:
        writer.add_signals(
            Signal(memory_id=member, signal=signal, at=START, actor="person", pack_id=identifier) for member in members
        )
    with vault.read() as reader:
        return next(pack for pack in read_packs(reader, limit=None) if pack.id == identifier)


def test_feedback_may_be_about_some_memories_of_a_pack(vault: Vault) -> None:
    first, second = add(vault, "a").id, add(vault, "b").id
    pack = use_pack(vault, "pack2222", first, second)
    (effect,) = give_feedback(vault, "pack2222", "hurt", actor=PERSON, only=[first[:6]])
    assert effect.memory_id == first
    give_feedback(vault, "pack2222", "helped", actor=PERSON)
    assert feedback_on(vault, [pack]) == {"pack2222": {"helped": 2, "hurt": 1}}
    stranger = add(vault, "c").id
    with pytest.raises(UsageError, match="not in the pack"):
        give_feedback(vault, "pack2222", "hurt", actor=PERSON, only=[stranger])


def test_what_hurts_twice_becomes_due_and_verifying_ends_that(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    (once,) = give_feedback(vault, memory.id, "hurt", actor=PERSON)
    (twice,) = give_feedback(vault, memory.id, "hurt", actor=PERSON)
    assert (once.is_due, twice.is_due) == (False, True)
    due = review_queue(vault, EVERYTHING)
    assert [one.memory.id for one in due] == [memory.id]
    assert "hurt 2 times" in due[0].reasons
    undo(vault, actor=PERSON)
    assert review_queue(vault, EVERYTHING) == []


def test_a_pack_copied_a_week_ago_without_a_word_is_asked_about_once(tmp_path: Path) -> None:
    vault, clock = new_vault(tmp_path)
    ids = [add(vault, text).id for text in ("a", "b", "c", "d")]
    old = use_pack(vault, "oldoldol", ids[0])
    use_pack(vault, "answered", ids[1])
    use_pack(vault, "injected", ids[2], signal="injected")
    give_feedback(vault, "answered", "unused", actor=PERSON)
    assert packs_awaiting_feedback(vault) == []
    clock.pass_days(8)
    assert packs_awaiting_feedback(vault) == [old]
    assert packs_awaiting_feedback(vault, project="elsewhere") == []
    before = get_view(vault, ids[0]).usefulness
    mark_asked(vault, old, actor=PERSON)
    assert packs_awaiting_feedback(vault) == []
    assert get_view(vault, ids[0]).usefulness == pytest.approx(before, abs=1e-6)


def test_no_pack_awaits_feedback_where_the_calendar_begins(tmp_path: Path) -> None:
    vault, clock = new_vault(tmp_path)
    store_pack(vault, "old", add(vault, "Lock payments").id)
    clock.moment = datetime.min.replace(tzinfo=UTC)
    assert packs_awaiting_feedback(vault) == []


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
    assert not any(used.pack.project for used in used_packs(vault, Scope(("of-nobody",))))
    assert used_packs(vault, Scope((str(old.project),))) == used_packs(vault)

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


TASK = Task("make refunds idempotent", ("payments/service.py",))


@pytest.fixture
def story(tmp_path: Path) -> Vault:
    return story_vault(tmp_path)


def used(story: Vault, target: str = "chat", **chosen: Any) -> tuple[StoredPack, str]:
    options = PackOptions(**chosen)
    pack = packed(story, TASK, target=target, **chosen)
    identifier = record_pack(
        story, pack, TASK, actor="person", project="payments-api", signal="copied", options=options
    )
    return get_pack(story, identifier), pack.payload


def written(**otherwise: Any) -> Callable[..., Pack]:
    """Return what makes packs as another version of memtui wrote them."""
    return lambda *given, info, **more: pack_of_recall(*given, info=replace(info, **otherwise), **more)


def again(story: Vault, stored: StoredPack) -> str | None:
    found = as_it_was(story, stored, target_named(stored.target), PackOptions())
    return found.payload if found else None


def change(story: Vault, identifier: str, insight: str) -> None:
    with story.write(actor="ana", action="edit") as writer:
        writer.put(replace(writer.get(identifier), insight=insight))


@pytest.mark.parametrize("style", ["full", "compiled"])
def test_every_target_gives_its_very_bytes_after_its_memories_changed(story: Vault, style: str) -> None:
    kept = [used(story, target, style=style, budget="2k") for target in target_names()]
    kept.append(used(story, with_ids=frozenset({"lockuser"}), without=frozenset({"twicebug"}), style=style))
    kept.append(used(story, budget="1500 chars", style=style))
    change(story, "lockpaym", "Something else by now.")
    with story.write(actor="ana", action="retire") as writer:
        writer.put(replace(writer.get("cardlogs"), status="retired"))
        writer.put(memory("freshone", "Refunds are idempotent since today"))
    for stored, payload in kept:
        assert again(story, stored) == payload, stored.target


@pytest.mark.parametrize("style", STYLES)
def test_a_pack_with_the_lines_of_a_tree_that_its_task_names_keeps_its_bytes_and_so_does_one_with_all(
    story: Vault, monkeypatch: pytest.MonkeyPatch, style: Style
) -> None:
    tree = "\n".join(["payments/", *(f"├── part{n:02}.py   # reads ledger page {n} of refunds" for n in range(40))])
    text = f"Where refunds live.\n\n```\n{tree}\n├── service.py   # idempotent\n```"
    with story.write(actor="ana", action="add") as writer:
        writer.put(memory("treeeeee", "Layout of idempotent refunds", text, kind="architecture"))
    few, short = used(story, style=style)
    assert "part39.py" not in short
    assert "more lines: memtui show treeeeee" in short
    with monkeypatch.context() as earlier:
        earlier.setattr("memtui.pack.build.pack_of_recall", written(wanted=frozenset()))
        whole, long = used(story, style=style)
    assert "more lines" not in long
    assert (again(story, few), again(story, whole)) == (short, long)


def test_a_memory_that_says_the_same_in_a_higher_version_has_not_changed(story: Vault) -> None:
    stored, _ = used(story)
    first, second = (member.memory_id for member in stored.members[:2])
    change(story, first, "Said otherwise for a while.")
    undo(story, actor=Actor("ana"))
    change(story, second, "Said otherwise for good.")
    members = {one.member.memory_id: one for one in used_members(story, stored)}
    told = members[first].memory
    assert told is not None
    assert told.version > members[first].member.version
    assert [name for name, one in members.items() if one.has_changed] == [second]


def test_what_was_purged_is_gone_from_packs_and_their_ticks(story: Vault) -> None:
    stored, payload = used(story, with_ids=frozenset({"lockuser"}))
    assert "user_id" in payload
    purge_memories(story, ["lockuser"])
    left = get_pack(story, stored.id)
    assert "lockuser" not in str(left.options)
    assert "lockuser" not in {member.memory_id for member in left.members}
    assert again(story, left) is None


def test_a_pack_of_an_older_memtui_is_built_again_in_the_usual_style(story: Vault) -> None:
    stored, payload = used(story)
    assert again(story, replace(stored, options={})) == payload
    assert again(story, replace(stored, encoding="of tomorrow")) is None
    assert again(story, replace(stored, members=())) is None


def test_a_difference_names_the_lines() -> None:
    assert text_changes("a\nb\nc\n", "a\nB\nc\n") == ["@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert text_changes("same\n", "same\n") == []


@pytest.mark.parametrize("style", STYLES)
def test_a_pack_recorded_under_an_earlier_note_keeps_its_bytes(
    story: Vault, monkeypatch: pytest.MonkeyPatch, style: Style
) -> None:
    with story.write(actor="ana", action="edit") as writer:
        locks = "Locks:\n\n- payment_id pays\n- refund_id refunds\n- user_id waits"
        titled = "Locks: payment_id, refund_id and 1 more"
        place = (Anchor("pay/**"),)
        writer.put(
            replace(writer.get("lockpaym"), title=titled, insight=locks, rationale="", snippet="", anchors=place)
        )
    made = {}
    for edition in EDITIONS:
        with monkeypatch.context() as earlier:
            earlier.setattr("memtui.pack.build.pack_of_recall", written(edition=edition))
            stored, payload = used(story, style=style)
        made[edition] = payload
        assert ("Constraints are rules" in payload) is (edition in LINES_LEFT_OUT[1:])
        assert again(story, stored) == payload
    assert ["and 1 more" in payload for payload in made.values()] == [False] * 3 + [True] * (len(EDITIONS) - 3)
    assert ["In pay/" in payload for payload in made.values()] == [True] * 2 + [False] * (len(EDITIONS) - 2)
