"""The review queue: what is due, in which order, why, and what does not clear it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from curating import AGENT, PERSON, Clock, add, get, git, new_vault, repository
from hypothesis import given
from hypothesis import strategies as st

from memtui.curate.anchoring import check_project, remember_states
from memtui.curate.editing import edit_memory
from memtui.curate.feedback import give_feedback
from memtui.curate.lifecycle import pin, retire, snooze, verify
from memtui.curate.linking import link
from memtui.curate.reviewing import Due, review_queue
from memtui.curate.views import get_view
from memtui.domain.freshness import due_at
from memtui.domain.memory import Signal
from memtui.domain.risk import review_risk
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock) -> Vault:
    return new_vault(tmp_path, clock)[0]


def queue(vault: Vault, **options: object) -> list[Due]:
    return review_queue(vault, EVERYTHING, **options)  # type: ignore[arg-type]


def due_ids(vault: Vault, **options: object) -> list[str]:
    return [due.memory.id for due in queue(vault, **options)]


def use(vault: Vault, identifier: str, name: str, times: int = 1) -> None:
    with vault.write(actor="person", action="use") as writer:
        at = writer.now
        writer.add_signals(Signal(memory_id=identifier, signal=name, at=at, actor="person") for _ in range(times))


def test_only_what_faded_is_due_the_most_faded_first(vault: Vault, clock: Clock) -> None:
    decision = add(vault, "Use Postgres", kind="decision")
    tooling = add(vault, "Run make", kind="tooling")
    note = add(vault, "Debugging login", kind="note")
    clock.pass_days(110)
    assert due_ids(vault) == [note.id, tooling.id]
    clock.pass_days(400)
    assert due_ids(vault) == [note.id, tooling.id, decision.id]


def test_the_queue_agrees_with_the_day_that_is_shown(vault: Vault, clock: Clock) -> None:
    memory = verify(vault, [add(vault, "Run make", kind="tooling").id], actor=PERSON).changed[0]
    due = due_at(memory, vault.kinds)
    assert due is not None
    clock.moment = due - timedelta(minutes=5)
    assert due_ids(vault) == []
    clock.moment = due + timedelta(minutes=5)
    assert due_ids(vault) == [memory.id]


def test_reading_and_using_clears_nothing_and_a_verdict_does(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(200)
    for name in ("injected", "copied", "referenced", "helped"):
        use(vault, memory.id, name)
    get_view(vault, memory.id)
    edit_memory(vault, memory.id, {"tags": ["x"]}, actor=PERSON)
    assert due_ids(vault) == [memory.id]
    verify(vault, [memory.id], actor=PERSON)
    assert due_ids(vault) == []


def test_use_makes_a_faded_memory_more_urgent(vault: Vault, clock: Clock) -> None:
    quiet = add(vault, "a", kind="tooling")
    clock.pass_days(1)
    used = add(vault, "b", kind="tooling")
    clock.pass_days(150)
    assert due_ids(vault) == [quiet.id, used.id]
    use(vault, used.id, "copied", 3)
    assert due_ids(vault) == [used.id, quiet.id]
    assert queue(vault)[0].reasons == ("never verified, 150 days old", "used 3 times")


def test_changed_anchors_and_contradictions_make_it_more_urgent(vault: Vault, clock: Clock) -> None:
    ids = [add(vault, text, kind="tooling", files=["src/*.py"]).id for text in "abc"]
    rival = add(vault, "Never do b", kind="decision")
    link(vault, rival.id, "contradicts", ids[1], actor=PERSON)
    link(vault, ids[1], "contradicts", rival.id, actor=PERSON)
    with vault.write(actor="person", action="check") as writer:
        row = {"memory_id": ids[2], "path": "src/*.py", "state": "changed", "checked_at": writer.now}
        writer.insert_unjournaled("anchor_states", [row])
    use(vault, ids[1], "copied")
    clock.pass_days(150)
    found = queue(vault)
    assert [due.memory.id for due in found] == [ids[1], ids[2], ids[0], rival.id]
    assert "contradicted by 1 other" in found[0].reasons
    assert "src/*.py changed since" in found[1].reasons


def test_a_contradiction_counts_only_while_the_other_is_in_use(vault: Vault, clock: Clock) -> None:
    memory, rival = add(vault, "a", kind="tooling"), add(vault, "b", kind="decision")
    link(vault, rival.id, "contradicts", memory.id, actor=PERSON)
    retire(vault, [rival.id], actor=PERSON)
    clock.pass_days(150)
    assert not any("contradicted" in reason for reason in queue(vault)[0].reasons)


def test_a_memory_that_hurt_twice_since_it_was_verified_is_due_at_any_age(vault: Vault, clock: Clock) -> None:
    memory, once = add(vault, "a"), add(vault, "b")
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    give_feedback(vault, once.id, "hurt", actor=PERSON)
    assert due_ids(vault) == []
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    assert due_ids(vault) == [memory.id]
    assert "hurt 2 times" in queue(vault)[0].reasons
    verify(vault, [memory.id], actor=PERSON)
    assert due_ids(vault) == []
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    assert due_ids(vault) == []
    give_feedback(vault, memory.id, "hurt", actor=PERSON)
    snooze(vault, [memory.id], until=vault.now() + timedelta(days=2), actor=PERSON)
    assert due_ids(vault) == []
    clock.pass_days(3)
    assert due_ids(vault) == [memory.id]


def test_a_file_that_changed_since_makes_a_fresh_memory_due_until_a_verdict(tmp_path: Path, clock: Clock) -> None:
    root = repository(tmp_path / "shop", {"src/pay.py": "one\n", "src/lock.py": "lock\n" * 9})
    vault, _ = new_vault(tmp_path, clock)
    tree = Tree("shop", root)
    changed = add(vault, "Refunds are locked.", files=["src/pay.py"], folder=root)
    moved = add(vault, "The lock expires.", files=["src/lock.py"], folder=root)
    assert due_ids(vault, tree=tree) == []
    (root / "src/pay.py").write_text("two\n")
    git(root, "mv", "src/lock.py", "src/locking.py")
    assert [due.why for due in queue(vault, tree=tree)] == [
        "never verified, 0 days old, src/pay.py changed since",
        "never verified, 0 days old, src/lock.py was moved since",
    ]
    assert due_ids(vault) == []
    remember_states(vault, check_project(vault, tree))
    assert due_ids(vault) == [changed.id, moved.id]
    verify(vault, [changed.id], actor=PERSON, tree=tree)
    assert due_ids(vault) == due_ids(vault, tree=tree) == [moved.id]
    snooze(vault, [moved.id], until=vault.now() + timedelta(days=2), actor=PERSON)
    assert due_ids(vault, tree=tree) == []


def test_a_conflict_makes_a_fresh_memory_due(vault: Vault) -> None:
    one, other, third = add(vault, "Use tabs"), add(vault, "Never use tabs"), add(vault, "Use UTC")
    link(vault, other.id, "contradicts", one.id, actor=PERSON)
    assert sorted(due_ids(vault)) == sorted([one.id, other.id])
    assert set(due_ids(vault, contradicted={third.id: 1})) == {one.id, other.id, third.id}


@given(
    trust=st.floats(0, 1),
    uses=st.integers(0, 50),
    changed=st.integers(0, 5),
    contradictions=st.integers(0, 5),
    hurts=st.integers(0, 5),
)
def test_every_reason_adds_to_the_risk(trust: float, uses: int, changed: int, contradictions: int, hurts: int) -> None:
    reasons = {"uses": uses, "changed_anchors": changed, "contradictions": contradictions, "hurts": hurts}
    here = review_risk(trust=trust, **reasons)
    assert here > 0
    assert here <= review_risk(trust=trust / 2, **reasons)
    for name in ("changed_anchors", "contradictions", "hurts"):
        assert here < review_risk(trust=trust, **{**reasons, name: reasons[name] + 1})
    assert here <= review_risk(trust=trust, **{**reasons, "uses": uses + 1})


def test_a_snooze_keeps_it_out_until_its_day(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(200)
    snooze(vault, [memory.id], until=vault.now() + timedelta(days=5), actor=PERSON)
    assert due_ids(vault) == []
    clock.pass_days(6)
    assert due_ids(vault) == [memory.id]


def test_a_day_that_a_person_set_makes_it_due(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Use Postgres", kind="decision")
    edit_memory(vault, memory.id, {"due_at": vault.now() + timedelta(days=3)}, actor=PERSON)
    assert due_ids(vault) == []
    clock.pass_days(4)
    assert due_ids(vault) == [memory.id]
    assert "due since 2026-03-04" in queue(vault)[0].reasons


def test_pinned_candidate_and_retired_memories_are_never_due_by_age(vault: Vault, clock: Clock) -> None:
    pinned, retired = add(vault, "a", kind="note"), add(vault, "b", kind="note")
    add(vault, "c", kind="note", actor=AGENT)
    pin(vault, [pinned.id], actor=PERSON)
    retire(vault, [retired.id], actor=PERSON)
    clock.pass_days(900)
    assert due_ids(vault) == []
    assert get_view(vault, pinned.id).due_at is None


def test_the_queue_can_be_narrowed(vault: Vault, clock: Clock) -> None:
    note, tooling = add(vault, "a", kind="note"), add(vault, "b", kind="tooling")
    other = add(vault, "c", kind="note", project="till")
    clock.pass_days(900)
    assert sorted(due_ids(vault)) == sorted([note.id, tooling.id, other.id])
    assert due_ids(vault, kinds=("tooling",)) == [tooling.id]
    assert len(due_ids(vault, limit=2)) == 2
    in_shop = review_queue(vault, Scope.of_project("shop"))
    assert {due.memory.id for due in in_shop} == {note.id, tooling.id}


def test_a_lower_threshold_asks_later(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(120)
    assert due_ids(vault, threshold=0.2) == []
    assert due_ids(vault, threshold=0.6) == [memory.id]
    assert get(vault, memory.id).version == 1
