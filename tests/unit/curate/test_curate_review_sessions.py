"""Review sessions: begun, resumed, undone, and their receipt."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import PERSON, add, everything, get
from support import FrozenClock

from memtui.curate import history, lifecycle, review_sessions
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.merge import merge
from memtui.curate.packs import give_feedback, mark_asked
from memtui.curate.review_sessions import receipt_of
from memtui.domain.identity import Actor
from memtui.domain.memory import Signal
from memtui.vault.filters import EVERYTHING
from memtui.vault.packs import PackMember, StoredPack, write_pack
from memtui.vault.vault import Vault
from memtui.wording.reviewing import receipt_text


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def ids(vault: Vault, clock: FrozenClock) -> list[str]:
    """Six tooling memories that are due, and one decision that is not."""
    made = [add(vault, f"Run make target {number} before a release", kind="tooling").id for number in range(6)]
    add(vault, "Use Postgres", kind="decision")
    clock.step(days=120)
    return made


def begin(vault: Vault, **options: object) -> review_sessions.ReviewSession:
    return review_sessions.begin(vault, EVERYTHING, project="shop", actor=PERSON, threshold=0.5, **options)  # type: ignore[arg-type]


def decide_everything(vault: Vault, ids: list[str]) -> None:
    """One verdict of each sort."""
    first, second, third, fourth, fifth, sixth = ids
    lifecycle.verify(vault, [first], actor=PERSON)
    lifecycle.retire(vault, [second], actor=PERSON, reason="was wrong")
    lifecycle.snooze(vault, [third], until=vault.now().replace(year=2027), actor=PERSON)
    lifecycle.pin(vault, [fourth], actor=PERSON)
    link(vault, first, "supersedes", fifth, actor=PERSON)
    merge(vault, [first, sixth], actor=PERSON)


@pytest.mark.words
def test_a_session_takes_what_is_due_the_riskiest_first_and_keeps_the_reasons(vault: Vault, ids: list[str]) -> None:
    session = begin(vault, size=4)
    assert len(session.ids) == 4
    assert set(session.ids) < set(ids)
    assert session.why[session.ids[0]] == ("accepted on 2026-03-01, 120 days old",)
    progress = review_sessions.progress(vault, session)
    assert (progress.total, progress.left, progress.results) == (4, 4, {})
    assert progress.minutes_left == pytest.approx(4 * review_sessions.SECONDS_EACH / 60)


def test_nothing_due_makes_no_session_and_no_vault(vault: Vault) -> None:
    assert begin(vault).ids == ()
    assert not vault.exists
    assert review_sessions.last(vault, project="shop") is None


@pytest.mark.usefixtures("ids")
def test_a_new_queue_has_nothing_to_tell_until_something_is_decided_in_it(vault: Vault, clock: FrozenClock) -> None:
    assert review_sessions.last_decided(vault, project="shop") is None
    first = begin(vault, size=4)
    assert review_sessions.last_decided(vault, project="shop") == first, "there is no other"
    lifecycle.verify(vault, list(first.ids), actor=PERSON)
    for _ in range(2):
        clock.step(minutes=1)
        second = review_sessions.note_standing(vault, begin(vault), 300, actor=PERSON)
        assert review_sessions.last(vault, project="shop") == second
        assert review_sessions.last_decided(vault, project="shop") == first
    lifecycle.retire(vault, second.ids[:1], actor=PERSON)
    assert review_sessions.last_decided(vault, project="shop") == second


@pytest.mark.words
def test_every_verdict_settles_a_memory_and_the_receipt_adds_up(vault: Vault, ids: list[str]) -> None:
    session = begin(vault)
    decide_everything(vault, ids)
    assert review_sessions.progress(vault, session).left == 0
    found = receipt_of(vault, session)
    assert found.counts == {"still true": 1, "retired": 1, "snoozed": 1, "pinned": 1, "superseded": 1, "merged": 1}
    assert found.total == 6
    assert found.tokens_out > 0
    text = receipt_text(found)
    assert text.startswith("Review of 2026-06-29: 6 of 6 memories\n")
    assert f"{found.tokens_out:,} tokens of text are out of use" in text
    assert "\n\n1 put off until 2027-06-29\n" in text


@pytest.mark.words
def test_the_receipt_says_what_is_due_by_now_beside_what_is_still_to_review(vault: Vault, clock: FrozenClock) -> None:
    for number in range(3):
        add(vault, f"Run make target {number} before a release", kind="tooling")
    clock.step(days=120)
    session = begin(vault, size=2)
    lifecycle.verify(vault, session.ids[:1], actor=PERSON)
    assert receipt_of(vault, session).due == 1, "one had no place in the session, one is still to review"
    lifecycle.verify(vault, session.ids[1:], actor=PERSON)
    assert "\n\n1 other is due now\n" in receipt_text(receipt_of(vault, session))
    clock.step(days=400)
    assert receipt_of(vault, session).due == 3


def test_undoing_one_by_one_opens_each_again_and_the_receipt_still_adds_up(vault: Vault, ids: list[str]) -> None:
    session = begin(vault)
    decide_everything(vault, ids)
    for undone in range(1, 7):
        history.undo(vault, actor=PERSON)
        found = receipt_of(vault, session)
        assert sum(found.counts.values()) == 6 - undone
        assert review_sessions.progress(vault, session).left == undone
    assert receipt_of(vault, session).tokens_out == 0
    for _ in range(6):
        history.redo(vault, actor=PERSON)
    assert sum(receipt_of(vault, session).counts.values()) == 6


def test_beginning_a_session_is_nothing_to_undo_and_keeps_what_can_be_redone(vault: Vault, ids: list[str]) -> None:
    lifecycle.pin(vault, [ids[0]], actor=PERSON)
    history.undo(vault, actor=PERSON)
    begin(vault)
    history.redo(vault, actor=PERSON)
    assert get(vault, ids[0]).pinned


def test_a_session_is_resumed_on_another_day_until_it_is_done_or_rested_too_long(
    vault: Vault, clock: FrozenClock, ids: list[str]
) -> None:
    session = begin(vault)
    lifecycle.verify(vault, ids[:2], actor=PERSON)
    clock.step(days=1)
    resumed = review_sessions.resume(Vault(vault.path, now=clock), project="shop")
    assert resumed == session
    assert review_sessions.progress(vault, session).left == 4
    assert review_sessions.resume(vault, project="other") is None
    assert review_sessions.resume(vault, project="shop", kinds=("note",)) is None
    assert review_sessions.resume(vault, project="shop", size=3) is None
    lifecycle.snooze(vault, ids[2:], until=clock().replace(year=2027), actor=PERSON)
    assert review_sessions.resume(vault, project="shop") is None, "it is done"
    assert review_sessions.last(vault, project="shop") == session, "its receipt can be asked for still"
    history.undo(vault, actor=PERSON)
    assert review_sessions.resume(vault, project="shop") == session
    clock.step(days=14)
    assert review_sessions.resume(vault, project="shop") is None, "it rested too long"


def test_what_was_brought_back_into_use_is_open_again(vault: Vault, ids: list[str]) -> None:
    session = begin(vault)
    lifecycle.retire(vault, [ids[0]], actor=PERSON)
    lifecycle.restore(vault, [ids[0]], actor=PERSON)
    assert ids[0] not in review_sessions.progress(vault, session).results


def test_a_pinned_memory_that_hurt_is_open_until_a_verdict(vault: Vault, clock: FrozenClock, ids: list[str]) -> None:
    lifecycle.pin(vault, [ids[0]], actor=PERSON)
    with vault.write(actor="person", action="use") as writer:
        writer.add_signals(Signal(memory_id=ids[0], signal="hurt", at=writer.now, actor="person") for _ in range(2))
    clock.step(days=1)
    session = begin(vault)
    assert ids[0] in session.ids
    assert ids[0] not in review_sessions.progress(vault, session).results
    lifecycle.verify(vault, [ids[0]], actor=PERSON)
    assert review_sessions.progress(vault, session).results == {ids[0]: "still true"}


@pytest.mark.words
def test_half_lives_that_were_changed_stand_in_the_receipt_and_leave_it_by_undo(
    vault: Vault, clock: FrozenClock, ids: list[str]
) -> None:
    edit_memory(vault, ids[1], {"half_life_days": 30.0}, actor=PERSON)
    clock.step(hours=1)
    session = begin(vault)
    edit_memory(vault, ids[0], {"half_life_days": 7.0}, actor=PERSON)
    edit_memory(vault, ids[1], {"half_life_days": None}, actor=PERSON)
    changed = {identifier: days for identifier, _, days in receipt_of(vault, session).half_lives}
    assert changed == {ids[0]: 7.0, ids[1]: None}
    assert review_sessions.progress(vault, session).left == 6, "a half-life is no verdict"
    text = receipt_text(receipt_of(vault, session))
    assert "7 d  Run make target 0" in text
    assert "6  still to review" in text
    history.undo(vault, actor=PERSON)
    history.undo(vault, actor=PERSON)
    assert receipt_of(vault, session).half_lives == ()


def test_the_pace_of_the_session_tells_how_long_is_left(vault: Vault, clock: FrozenClock, ids: list[str]) -> None:
    session = begin(vault)
    for identifier in ids[:3]:
        clock.step(seconds=20)
        lifecycle.verify(vault, [identifier], actor=PERSON)
    clock.step(hours=2)
    assert review_sessions.progress(vault, session).minutes_left == pytest.approx(3 * 20 / 60), "a break is no pace"


@pytest.mark.words
def test_a_source_that_still_says_it_is_named(vault: Vault, clock: FrozenClock, tmp_path: Path) -> None:
    from curating import bring, write_files

    write_files(tmp_path / "shop", {"CLAUDE.md": "# Tools\n\n- Always run `make lint` before you push a branch.\n"})
    (identifier,) = bring(vault, tmp_path / "shop" / "CLAUDE.md", project="shop", active=True).ids
    clock.step(days=400)
    session = begin(vault)
    lifecycle.retire(vault, [identifier], actor=PERSON)
    ((_, _, path),) = receipt_of(vault, session).still_said
    assert path.endswith("CLAUDE.md")
    assert f"{path}  " in receipt_text(receipt_of(vault, session))


@pytest.mark.parametrize("stored", ["", "[]", "{", '{"shop": 3}', '{"shop": {"ids": 1}}', '{"shop": {"kinds": []}}'])
def test_a_broken_record_of_a_session_is_no_session(vault: Vault, ids: list[str], stored: str) -> None:
    with vault.write(actor="person", action="review") as writer:
        writer.set_meta(review_sessions.SESSION_KEY, stored)
    assert review_sessions.last(vault, project="shop") is None
    assert set(begin(vault).ids) == set(ids)


# -- all at once, pace, packs ------------------------------------------------------------------------------


def test_all_verdicts_are_undone_at_once_and_done_again_one_by_one(vault: Vault, ids: list[str]) -> None:
    before = everything(vault)
    session = begin(vault)
    decide_everything(vault, ids)
    decided = everything(vault)
    assert review_sessions.undo_all(vault, session, actor=PERSON) == (6, "")
    assert everything(vault) == before
    assert review_sessions.progress(vault, session).left == 6
    assert review_sessions.undo_all(vault, session, actor=PERSON) == (0, "")
    for _ in range(6):
        history.redo(vault, actor=PERSON)
    assert everything(vault) == decided


def test_undoing_all_stops_at_what_is_not_the_sessions(vault: Vault, clock: FrozenClock, ids: list[str]) -> None:
    session = begin(vault)
    clock.step(minutes=1)
    lifecycle.verify(vault, ids[:1], actor=PERSON)
    other = add(vault, "Somebody else adds this")
    lifecycle.verify(vault, ids[1:2], actor=PERSON)
    assert review_sessions.undo_all(vault, session, actor=PERSON) == (1, f"add {other.title}")
    assert review_sessions.progress(vault, session).results == {ids[0]: "still true"}
    assert get(vault, other.id).status == "active"
    history.undo(vault, actor=PERSON)
    edit_memory(vault, ids[0], {"tags": ["x"]}, actor=Actor("ada"))
    assert review_sessions.undo_all(vault, session, actor=PERSON)[0] == 1
    assert get(vault, ids[0]).tags == ("x",), "what somebody else wrote stays"


def test_a_pace_leaves_what_is_left_of_the_day_and_the_week(vault: Vault, clock: FrozenClock, ids: list[str]) -> None:
    assert review_sessions.left_of_pace(vault) is None
    assert review_sessions.left_of_pace(vault, daily=4, weekly=9) == 4
    clock.step(days=-clock().weekday() + 7)
    lifecycle.verify(vault, ids[:2], actor=PERSON)
    lifecycle.retire(vault, ids[2:3], actor=PERSON)
    assert review_sessions.left_of_pace(vault, daily=4) == 1
    assert review_sessions.left_of_pace(vault, daily=3, weekly=9) == 0
    clock.step(days=1)
    assert review_sessions.left_of_pace(vault, daily=3, weekly=4) == 1
    clock.step(days=6)
    assert review_sessions.left_of_pace(vault, daily=3, weekly=4) == 3
    assert len(begin(vault, most=1).ids) == 1
    assert len(begin(vault, size=3, most=1).ids) == 1


def copied(vault: Vault, clock: FrozenClock, identifier: str, *members: str, project: str = "shop") -> None:
    pack = StoredPack(
        id=identifier,
        made_at=clock(),
        actor="person",
        project=project,
        task="make refunds idempotent",
        files=(),
        target="chat",
        budget="1200",
        encoding="o200k_base",
        tokens=100,
        payload_hash="0",
        members=tuple(PackMember(member, 1, 10, 1.0) for member in members),
    )
    with vault.write(actor="person", action="pack") as writer:
        write_pack(writer, pack)
        writer.add_signals(
            Signal(memory_id=member, signal="copied", at=writer.now, actor="person", pack_id=identifier)
            for member in members
        )


def test_packs_without_a_word_are_asked_about_once(vault: Vault, clock: FrozenClock, ids: list[str]) -> None:
    copied(vault, clock, "pack2222", ids[0])
    copied(vault, clock, "pack3333", ids[1])
    copied(vault, clock, "pack4444", ids[1], project="till")
    assert begin(vault).packs == (), "they are too fresh to ask about"
    clock.step(days=8)
    session = begin(vault)
    assert set(session.packs) == {"pack2222", "pack3333"}
    assert [pack.id for pack in review_sessions.awaiting_feedback(vault, session)] == ["pack2222", "pack3333"]
    give_feedback(vault, "pack2222", "helped", actor=PERSON)
    assert [pack.id for pack in review_sessions.awaiting_feedback(vault, session)] == ["pack3333"]
    history.undo(vault, actor=PERSON)
    assert len(review_sessions.awaiting_feedback(vault, session)) == 2, "an answer is undone like a verdict"
    (pack, _) = review_sessions.awaiting_feedback(vault, session)
    mark_asked(vault, pack, actor=PERSON, undoable=True)
    assert len(review_sessions.awaiting_feedback(vault, session)) == 1
    history.undo(vault, actor=PERSON)
    assert review_sessions.last(vault, project="shop") == session
    assert set(begin(vault).packs) == set(session.packs), "the question was never come to, so it stays"
    lifecycle.verify(vault, ids, actor=PERSON)
    assert begin(vault).packs == (), "it was asked, and nobody answered"
    assert review_sessions.awaiting_feedback(vault, session) == []


@pytest.mark.words
def test_the_receipt_tells_what_the_standing_payload_lost(vault: Vault, ids: list[str]) -> None:
    session = review_sessions.note_standing(vault, begin(vault), 300, actor=PERSON)
    assert review_sessions.last(vault, project="shop") == session
    lifecycle.retire(vault, ids[:1], actor=PERSON)
    found = receipt_of(vault, session, standing=260)
    assert found.standing == (300, 260)
    assert "40 tokens saved in the standing payload: 300 → 260" in receipt_text(found)
    larger = receipt_text(receipt_of(vault, session, standing=312))
    assert "12 tokens more in the standing payload, as others moved up: 300 → 312" in larger
    assert receipt_of(vault, session).standing is None
