"""What a person decides about memories, one or many at a time, and that all of it can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from curating import AGENT, PERSON, START, Clock, add, everything, get, repository, write_files

from memtui.curate.bulk_changes import Outcome, Skipped, SkipReason
from memtui.curate.history import redo, undo
from memtui.curate.lifecycle import accept, change_kind, pin, reject, restore, retire, snooze, verify
from memtui.curate.links import link
from memtui.curate.merge import merge
from memtui.domain.freshness import freshness
from memtui.domain.memory import MATCHED, Anchor, content_hash
from memtui.errors import EXIT_NOTHING, AmbiguousIdError, NotFoundError, RefusedError, UsageError
from memtui.tree import Tree, file_hash
from memtui.vault.vault import Vault

LATER = START + timedelta(days=30)


def test_verifying_resets_freshness_adds_evidence_and_ends_a_snooze(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Use make", kind="tooling")
    snooze(vault, [memory.id], until=LATER, actor=PERSON)
    clock.pass_days(45)
    assert freshness(get(vault, memory.id), vault.now(), vault.kinds) < 0.8
    (verified,) = verify(vault, [memory.id], actor=PERSON).changed
    assert freshness(verified, vault.now(), vault.kinds) > 0.999
    assert (verified.verified_by, verified.snoozed_until) == ("person", None)
    with vault.read() as reader:
        _, verdict = reader.verdicts([memory.id])
    assert (verdict.verdict, verdict.actor) == ("still-true", "person")
    assert verdict.exposure_days == pytest.approx(45, abs=0.01)


def test_verifying_takes_the_files_as_they_are_now_if_they_are_the_projects(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"src/pay.py": "x = 1\n"})
    memory = add(vault, "Lock payments", folder=root, files=["src/pay.py", "src/*.py"])
    write_files(root, {"src/pay.py": "x = 2\n"})
    (elsewhere,) = verify(vault, [memory.id], actor=PERSON, tree=Tree("till", root)).changed
    assert elsewhere.anchors == memory.anchors
    (verified,) = verify(vault, [memory.id], actor=PERSON, tree=Tree("shop", root)).changed
    assert verified.anchors[0].content_hash == file_hash(root / "src/pay.py") != memory.anchors[0].content_hash
    assert verified.anchors[1] == Anchor("src/*.py", MATCHED), "files fitted the glob"


def test_pinning_and_letting_go(vault: Vault) -> None:
    memory = add(vault, "Never log cards")
    assert pin(vault, [memory.id], actor=PERSON).changed[0].pinned
    assert pin(vault, [memory.id], actor=PERSON).skipped == (Skipped(memory.id, SkipReason.PINNED),)
    assert not pin(vault, [memory.id], actor=PERSON, pinned=False).changed[0].pinned
    assert pin(vault, [memory.id], actor=PERSON, pinned=False).skipped == (Skipped(memory.id, SkipReason.NOT_PINNED),)


def test_retiring_takes_out_of_use_with_reason_evidence_and_tombstone(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Use tabs", pinned=True)
    clock.pass_days(10)
    (retired,) = retire(vault, [memory.id], actor=PERSON, reason="we use spaces").changed
    assert (retired.status, retired.status_reason, retired.pinned) == ("retired", "we use spaces", False)
    with vault.read() as reader:
        (verdict,) = reader.verdicts([memory.id])
        (stone,) = reader.tombstones()
    assert (verdict.verdict, verdict.reason) == ("outdated", "we use spaces")
    assert verdict.exposure_days == pytest.approx(10, abs=0.01)
    assert (stone.content_hash, stone.project, stone.memory_id) == (content_hash(memory), "shop", memory.id)


def test_retiring_reports_what_was_retired_already(vault: Vault) -> None:
    memory = add(vault, "Use tabs")
    retire(vault, [memory.id], actor=PERSON)
    outcome = retire(vault, [memory.id], actor=PERSON)
    assert outcome == Outcome(skipped=(Skipped(memory.id, SkipReason.HAS_STATUS, "retired"),))
    with vault.read() as reader:
        assert len(reader.tombstones()) == 1


def test_restoring_brings_back_without_the_tombstone(vault: Vault) -> None:
    memory = add(vault, "Use tabs")
    retire(vault, [memory.id], actor=PERSON)
    (restored,) = restore(vault, [memory.id], actor=PERSON).changed
    assert (restored.status, restored.status_reason) == ("active", "")
    assert restored.confirmed_at == memory.confirmed_at
    with vault.read() as reader:
        assert reader.tombstones() == []


def test_restoring_what_was_superseded_takes_the_link_away(vault: Vault) -> None:
    old, new = add(vault, "Postgres 13"), add(vault, "Postgres 14")
    link(vault, new.id, "supersedes", old.id, actor=PERSON)
    restore(vault, [old.id], actor=PERSON)
    assert get(vault, old.id).status == "active"
    with vault.read() as reader:
        assert reader.links() == []


def test_restoring_says_why_it_leaves_the_others(vault: Vault) -> None:
    active, proposed = add(vault, "a"), add(vault, "b", actor=AGENT)
    into, merged = add(vault, "c"), add(vault, "d")
    merge(vault, [into.id, merged.id], actor=PERSON)
    outcome = restore(vault, [active.id, proposed.id, merged.id], actor=PERSON)
    assert outcome == Outcome(
        skipped=(
            Skipped(active.id, SkipReason.HAS_STATUS, "active"),
            Skipped(proposed.id, SkipReason.HAS_STATUS, "candidate"),
            Skipped(merged.id, SkipReason.MERGED),
        )
    )


def test_snoozing_until_a_day(vault: Vault) -> None:
    memory = add(vault, "Use make")
    assert snooze(vault, [memory.id], until=LATER, actor=PERSON).changed[0].snoozed_until == LATER
    assert snooze(vault, [memory.id], until=LATER, actor=PERSON).skipped[0].reason is SkipReason.SNOOZED
    with pytest.raises(UsageError, match="future"):
        snooze(vault, [memory.id], until=START, actor=PERSON)


def test_changing_the_kind_in_bulk(vault: Vault) -> None:
    first, second = add(vault, "a", kind="note"), add(vault, "b", kind="lesson")
    outcome = change_kind(vault, [first.id, second.id], "Lesson", actor=PERSON)
    assert [memory.id for memory in outcome.changed] == [first.id]
    assert outcome.skipped == (Skipped(second.id, SkipReason.HAS_KIND, "lesson"),)
    with pytest.raises(UsageError, match="Choose from"):
        change_kind(vault, [first.id], "zzz", actor=PERSON)


@pytest.mark.parametrize(
    "act",
    [
        lambda vault, ids: verify(vault, ids, actor=AGENT),
        lambda vault, ids: pin(vault, ids, actor=AGENT),
        lambda vault, ids: pin(vault, ids, actor=AGENT, pinned=False),
        lambda vault, ids: restore(vault, ids, actor=AGENT),
        lambda vault, ids: snooze(vault, ids, until=LATER, actor=AGENT),
        lambda vault, ids: accept(vault, ids, actor=AGENT, folder=Path()),
        lambda vault, ids: reject(vault, ids, actor=AGENT),
    ],
)
def test_what_only_a_person_may_do(vault: Vault, act: Callable[[Vault, list[str]], Outcome]) -> None:
    memory = add(vault, "Use make")
    with pytest.raises(RefusedError, match="Only a person"):
        act(vault, [memory.id])
    assert get(vault, memory.id) == memory


def test_an_agent_may_retire_its_proposal_but_nothing_of_a_bulk_with_a_pinned_one(vault: Vault) -> None:
    mine, pinned = add(vault, "a", actor=AGENT), add(vault, "b", pinned=True)
    with pytest.raises(RefusedError):
        retire(vault, [mine.id, pinned.id], actor=AGENT)
    assert get(vault, mine.id).status == "candidate"
    assert retire(vault, [mine.id], actor=AGENT).changed[0].status == "retired"


def test_a_bulk_act_reports_what_it_changed_and_why_not_the_rest(vault: Vault) -> None:
    active, retired, proposed = add(vault, "a"), add(vault, "b"), add(vault, "c", actor=AGENT)
    retire(vault, [retired.id], actor=PERSON)
    outcome = verify(vault, [retired.id, active.id, proposed.id, active.id], actor=PERSON)
    assert [memory.id for memory in outcome.changed] == [active.id]
    assert outcome.skipped == (
        Skipped(retired.id, SkipReason.NOT_ACTIVE, "retired"),
        Skipped(proposed.id, SkipReason.NOT_ACTIVE, "candidate"),
    )


def test_an_unknown_or_ambiguous_id_stops_the_whole_act(vault: Vault) -> None:
    memory, other = add(vault, "a"), add(vault, "b")
    before = everything(vault)
    with pytest.raises(NotFoundError) as missing:
        retire(vault, [memory.id, "zzzzzzzz"], actor=PERSON)
    assert missing.value.exit_code == EXIT_NOTHING
    assert "zzzzzzzz" in str(missing.value)
    with pytest.raises(NotFoundError):
        retire(vault, [other.id, ""], actor=PERSON)
    with vault.write(actor="person", action="test") as writer:
        for identifier in ("same2222", "same3333"):
            writer.put(replace(memory, id=identifier))
        writer.abandon()
    assert everything(vault) == before


def test_a_prefix_of_two_ids_names_them_both(vault: Vault) -> None:
    memory = add(vault, "a")
    with vault.write(actor="person", action="test") as writer:
        writer.put_many([replace(memory, id="same2222"), replace(memory, id="same3333")])
    with pytest.raises(AmbiguousIdError) as refused:
        retire(vault, ["same"], actor=PERSON)
    assert "same2222" in str(refused.value)
    assert "same3333" in str(refused.value)


def test_a_bulk_of_50_is_one_change_and_undone_at_once(vault: Vault) -> None:
    memory = add(vault, "a")
    with vault.write(actor="person", action="fill") as writer:
        writer.put_many(replace(memory, id=f"many{n:04}", title=f"t{n}") for n in range(50))
    before = everything(vault)
    ids = [f"many{number:04}" for number in range(50)]
    assert len(retire(vault, ids, actor=PERSON, reason="spring cleaning").changed) == 50
    retired = everything(vault)
    again = Vault(vault.path, now=vault.now)
    change = undo(again, actor=PERSON)
    assert "50 memories" in change.summary
    assert change.reason == "spring cleaning"
    assert everything(again) == before
    redo(again, actor=PERSON)
    assert everything(again) == retired


def test_accepting_confirms_without_verifying(vault: Vault) -> None:
    proposed = add(vault, "Use make", actor=AGENT)
    (accepted,) = accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent).changed
    assert (accepted.status, accepted.confirmed_by, accepted.verified_at) == ("active", "person", None)
    assert accepted.project == "shop"
    with vault.read() as reader:
        assert [signal.signal for signal in reader.signals([proposed.id])] == ["accepted"]


def test_accepting_gives_the_unassigned_a_project(vault: Vault, tmp_path: Path) -> None:
    folder = repository(tmp_path / "till", {}, remote="git@example.org:acme/till.git")
    ids = [add(vault, text, actor=AGENT, project=None).id for text in "abc"]
    assert get(vault, ids[0]).project is None
    by_folder = accept(vault, ids[:1], actor=PERSON, folder=folder).changed[0]
    by_name = accept(vault, ids[1:2], actor=PERSON, folder=folder, project=" shop ").changed[0]
    nowhere = accept(vault, ids[2:], actor=PERSON, folder=tmp_path).changed[0]
    assert [memory.project for memory in (by_folder, by_name, nowhere)] == ["till", "shop", None]


def test_accepting_may_move_and_change_the_kind(vault: Vault) -> None:
    proposed = add(vault, "Use make", actor=AGENT, kind="note")
    outcome = accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent, project="global", kind="tooling")
    assert (outcome.changed[0].project, outcome.changed[0].kind) == ("global", "tooling")
    other = add(vault, "Use ninja", actor=AGENT)
    with pytest.raises(UsageError):
        accept(vault, [other.id], actor=PERSON, folder=vault.path.parent, kind="zzz")


def test_what_was_proposed_to_be_replaced_waits_to_be_settled_whatever_the_order(vault: Vault) -> None:
    old = add(vault, "Postgres 13")
    middle = add(vault, "Postgres 14", actor=AGENT, supersedes=[old.id])
    newest = add(vault, "Postgres 16", actor=AGENT, supersedes=[middle.id])
    for order in ([middle.id, newest.id], [newest.id, middle.id]):
        outcome = accept(vault, order, actor=PERSON, folder=vault.path.parent)
        statuses = [get(vault, memory.id).status for memory in (old, middle, newest)]
        assert statuses == ["active"] * 3
        assert {memory.id: memory.status for memory in outcome.changed} == {middle.id: "active", newest.id: "active"}
        with vault.read() as reader:
            between = {(one.from_id, one.type, one.to_id) for one in reader.links()}
        assert between == {(newest.id, "contradicts", middle.id), (middle.id, "contradicts", old.id)}
        undo(vault, actor=PERSON)


def test_accepting_leaves_what_is_no_candidate(vault: Vault) -> None:
    memory = add(vault, "a")
    outcome = accept(vault, [memory.id], actor=PERSON, folder=vault.path.parent)
    assert outcome.skipped == (Skipped(memory.id, SkipReason.NOT_CANDIDATE, "active"),)


def test_rejecting_retires_with_a_tombstone_and_no_verdict(vault: Vault) -> None:
    proposed, active = add(vault, "a", actor=AGENT), add(vault, "b")
    outcome = reject(vault, [proposed.id, active.id], actor=PERSON, reason="too vague")
    assert (outcome.changed[0].status, outcome.changed[0].status_reason) == ("retired", "too vague")
    assert outcome.skipped == (Skipped(active.id, SkipReason.NOT_CANDIDATE, "active"),)
    with vault.read() as reader:
        assert [stone.memory_id for stone in reader.tombstones()] == [proposed.id]
        assert reader.verdicts() == []


@pytest.mark.parametrize(
    "act",
    [
        lambda vault, ids: verify(vault, ids, actor=PERSON),
        lambda vault, ids: pin(vault, ids, actor=PERSON),
        lambda vault, ids: retire(vault, ids, actor=PERSON),
        lambda vault, ids: snooze(vault, ids, until=LATER, actor=PERSON),
        lambda vault, ids: accept(vault, ids, actor=PERSON, folder=vault.path.parent, project="till"),
        lambda vault, ids: reject(vault, ids, actor=PERSON),
        lambda vault, ids: change_kind(vault, ids, "note", actor=PERSON),
    ],
)
def test_every_act_can_be_undone_and_redone_to_the_byte(
    vault: Vault, act: Callable[[Vault, list[str]], Outcome]
) -> None:
    old, active = add(vault, "old"), add(vault, "a")
    proposed = add(vault, "b", actor=AGENT, supersedes=[old.id])
    before = everything(vault)
    assert act(vault, [active.id, proposed.id]).changed
    after = everything(vault)
    assert after != before
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    redo(vault, actor=PERSON)
    assert everything(vault) == after
