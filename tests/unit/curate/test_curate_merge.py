"""Merging memories, previewing the result, and unmerging."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, START, Clock, add, everything, get, new_vault
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from support import make_memory

from memtui.curate.history import history, redo, undo
from memtui.curate.lifecycle import pin, retire, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.merge import combine, fields_of, marked_texts, merge, named_projects, preview, unmerge, what_differs
from memtui.curate.review_queue import review_queue
from memtui.curate.views import tokens_of
from memtui.domain.memory import MOST_MERGED, Anchor, Memory, Source
from memtui.domain.record import memory_record
from memtui.errors import ConflictError, MemtuiError, NotFoundError, RefusedError, SecretRefusedError, UsageError
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault


def put(vault: Vault, memory_merge: Memory) -> Memory:
    with vault.write(actor="person", action="test") as writer:
        return writer.put(memory_merge)


def memory_merge(name: str, **fields: Any) -> Memory:
    values: dict[str, Any] = {"project": "shop", "created_at": START, "updated_at": START, "insight": f"Text {name}."}
    return Memory(id=f"{name}222222"[:8], title=f"Title {name}", **{**values, **fields})


def test_a_merge_keeps_what_each_of_them_held() -> None:
    first = memory_merge(
        "a",
        rationale="Why a",
        tags=("db", "ci"),
        anchors=(Anchor("a.py", "aa"), Anchor("b.py")),
        importance=2,
        confidence=0.9,
        sources=(Source(format="memtui"), Source(format="claude-md", path="CLAUDE.md")),
        observed_at=START,
    )
    second = memory_merge(
        "b",
        created_at=START - timedelta(days=9),
        rationale="Why b",
        snippet="make b",
        tags=("ci", "lock"),
        anchors=(Anchor("b.py", "bb"), Anchor("c.py")),
        importance=5,
        confidence=0.4,
        pinned=True,
        sources=(Source(format="memtui"), Source(format="cursor", path=".cursorrules")),
        observed_at=START - timedelta(days=30),
        valid_until=START + timedelta(days=30),
    )
    merged = combine(first, [second], "shop")
    assert (merged.id, merged.title) == (first.id, "Title a")
    assert merged.insight == "Text a.\n\nText b."
    assert (merged.rationale, merged.snippet) == ("Why a\n\nWhy b", "make b")
    assert merged.tags == ("db", "ci", "lock")
    assert merged.anchors == (Anchor("a.py", "aa"), Anchor("b.py"), Anchor("c.py"))
    assert [source.format for source in merged.sources] == ["memtui", "claude-md", "cursor"]
    assert (merged.importance, merged.confidence, merged.pinned) == (5, 0.4, True)
    assert (merged.created_at, merged.observed_at) == (second.created_at, second.observed_at)
    assert merged.valid_until is None, "the first holds for good"


def test_a_text_that_is_contained_is_not_said_twice() -> None:
    first = memory_merge("a", insight="Lock payments.\nFor 30 s.")
    merged = combine(
        first, [memory_merge("b", insight="For 30 s.  \r\n"), memory_merge("c", insight="Never log.")], "shop"
    )
    assert merged.insight == "Lock payments.\nFor 30 s.\n\nNever log."


def test_a_merged_memory_holds_wherever_and_whenever_one_of_them_did(vault: Vault) -> None:
    dock, quay = Anchor("dock/**"), Anchor("quay/**")
    days = [START + timedelta(days=number) for number in range(4)]
    everywhere = memory_merge("a", tags=("tide",), valid_from=days[1])
    docks = memory_merge(
        "b", anchors=(dock,), tags=("only:dock", "only:debug"), valid_from=days[0], valid_until=days[2]
    )
    quays = memory_merge("c", anchors=(quay,), tags=("only:quay",), valid_until=days[3])
    both = combine(docks, [quays], "shop")
    assert (both.anchors, both.tags) == ((dock, quay), ("only:dock", "only:quay"))
    assert (both.valid_from, both.valid_until) == (None, days[3])
    merged = combine(docks, [everywhere], "shop")
    assert (merged.anchors, merged.tags) == ((), ("tide",))
    assert (merged.valid_from, merged.valid_until) == (days[0], None)
    named = memory_merge("d", insight="Tides are in tides.csv.", anchors=(Anchor("tides.csv"),))
    assert combine(named, [docks], "shop").anchors == named.anchors, "a file that a text names is no limit"
    into, other = put(vault, everywhere), put(vault, docks)
    assert merge(vault, [into.id, other.id], actor=PERSON).everywhere
    put(vault, quays)
    assert not merge(vault, [into.id, quays.id], actor=PERSON, into=quays.id).result.anchors


CREWS = "Crews sign the log before they sail.\n\n- Check the bilge pump by hand.\n- Radio the harbour on channel 12."


def test_of_two_that_say_the_same_the_fuller_is_kept_with_what_the_other_adds() -> None:
    short = memory_merge("a", insight="* Crews **sign the log** before they sail. Spare fuses lie below the wheel.")
    long = memory_merge("b", insight=CREWS)
    expected = f"{CREWS}\n\nSpare fuses lie below the wheel."
    assert combine(short, [long], "shop").insight == expected
    (field,) = [field for field in fields_of([short, long]) if field.name == "insight"]
    assert (field.proposed, field.text(field.proposed)) == ((1, 0), expected)
    assert field.text((0,)) == short.insight
    once = memory_merge("c", insight="Check the bilge pump by hand, and radio the harbour.")
    assert combine(memory_merge("d", insight="Radio the harbour on channel 12!"), [long], "shop").insight == CREWS
    assert combine(once, [memory_merge("e", insight="Paint the hull in May.")], "shop").insight.count("\n\n") == 1
    other = memory_merge("f", insight="Radio the harbour on channel 16.")
    assert combine(long, [other], "shop").insight == f"{CREWS}\n\n{other.insight}", "another number is another rule"


def test_the_originals_become_merged_and_say_into_what(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "Lock for 30 s", pinned=True)
    merged = merge(vault, [into.id, other.id[:6]], actor=PERSON)
    assert (merged.result.id, merged.result.version, merged.result.pinned) == (into.id, 2, True)
    (original,) = merged.originals
    assert (original.id, original.status, original.pinned) == (other.id, "merged", False)
    assert into.id in original.status_reason
    with vault.read() as reader:
        (trace,) = reader.links([other.id])
    assert (trace.from_id, trace.type, trace.to_id, trace.origin) == (into.id, "derived-from", other.id, "merge")


def test_the_one_that_stays_can_be_named(vault: Vault) -> None:
    first, second, third = (add(vault, text) for text in ("a", "b", "c"))
    assert merge(vault, [first.id, second.id], into=second.id, actor=PERSON).result.id == second.id
    merged = merge(vault, [second.id], into=third.id, actor=PERSON)
    assert (merged.result.id, [memory_merge.id for memory_merge in merged.originals]) == (third.id, [second.id])


def test_unmerging_brings_each_back_to_the_byte(vault: Vault, clock: Clock) -> None:
    into = add(vault, "Lock payments", tags=["lock"], files=["src/*.py"])
    others = [add(vault, "For 30 s", why="TTL", pinned=True), add(vault, "Keyed by payment_id", snippet="SET NX")]
    before = everything(vault)
    merge(vault, [into.id, *(other.id for other in others)], actor=PERSON)
    clock.pass_days(3)
    target, originals = unmerge(vault, into.id, actor=PERSON)
    assert memory_record(target) == memory_record(into)
    assert [memory_record(found) for found in originals] == [memory_record(other) for other in others]
    assert everything(vault) == before
    assert (target.version, originals[0].version) == (3, 3)


def test_what_was_merged_by_a_person_is_not_due_at_once(vault: Vault, clock: Clock) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    clock.pass_days(400)
    assert len(review_queue(vault, EVERYTHING)) == 2
    merged = merge(vault, [into.id, other.id], actor=PERSON).result
    assert review_queue(vault, EVERYTHING) == []
    assert merged.verified_at is None, "merging is no verification"


def test_an_original_names_the_merge_to_take_apart_too(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    merge(vault, [into.id, other.id], actor=PERSON)
    assert unmerge(vault, other.id, actor=PERSON)[0].id == into.id


def test_edits_since_the_merge_stay_in_the_history(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    merge(vault, [into.id, other.id], actor=PERSON)
    edit_memory(vault, into.id, {"insight": "Lock payments for 30 s, keyed by payment_id"}, actor=PERSON)
    target, _ = unmerge(vault, into.id, actor=PERSON)
    assert target.insight == "Lock payments"
    texts = [step.after["insight"] for step in history(vault, into.id) if step.after]
    assert "Lock payments for 30 s, keyed by payment_id" in texts


def test_a_memory_that_held_it_all_already_can_be_unmerged_too(vault: Vault) -> None:
    into = put(vault, memory_merge("a", insight="Lock payments. For 30 s."))
    other = put(vault, memory_merge("b", insight="For 30 s.", created_at=START + timedelta(days=1)))
    before = everything(vault)
    assert merge(vault, [into.id, other.id], actor=PERSON).result.version == 1
    edit_memory(vault, into.id, {"insight": "Changed since"}, actor=PERSON)
    target, originals = unmerge(vault, into.id, actor=PERSON)
    assert (target.insight, [found.id for found in originals]) == (into.insight, [other.id])
    assert everything(vault) == before


def test_merges_are_taken_apart_one_by_one(vault: Vault) -> None:
    into, second, third = (add(vault, text) for text in ("a", "b", "c"))
    before = everything(vault)
    merge(vault, [into.id, second.id], actor=PERSON)
    between = everything(vault)
    merge(vault, [into.id, third.id], actor=PERSON)
    assert [found.id for found in unmerge(vault, into.id, actor=PERSON)[1]] == [third.id]
    assert everything(vault) == between
    assert [found.id for found in unmerge(vault, into.id, actor=PERSON)[1]] == [second.id]
    assert everything(vault) == before
    with pytest.raises(NotFoundError, match="Nothing was merged"):
        unmerge(vault, into.id, actor=PERSON)


def test_links_of_the_originals_hold_for_the_merged_memory_until_it_is_taken_apart(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    old, rival = add(vault, "No lock"), add(vault, "Lock users")
    link(vault, other.id, "supersedes", old.id, actor=PERSON)
    link(vault, rival.id, "contradicts", other.id, actor=PERSON)
    link(vault, other.id, "relates", into.id, actor=PERSON)
    before = everything(vault)
    merge(vault, [into.id, other.id], actor=PERSON)
    with vault.read() as reader:
        ends = {(found.from_id, found.type, found.to_id) for found in reader.links([into.id])}
    assert (into.id, "supersedes", old.id) in ends
    assert (rival.id, "contradicts", into.id) in ends
    assert (into.id, "relates", into.id) not in ends
    unmerge(vault, into.id, actor=PERSON)
    assert everything(vault) == before


def test_merging_and_unmerging_can_be_undone_and_redone(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    states = [everything(vault)]
    merge(vault, [into.id, other.id], actor=PERSON)
    states.append(everything(vault))
    unmerge(vault, into.id, actor=PERSON)
    states.append(everything(vault))
    for state in (states[1], states[0]):
        undo(vault, actor=PERSON)
        assert everything(vault) == state
    for state in (states[1], states[2]):
        redo(vault, actor=PERSON)
        assert everything(vault) == state


def test_an_undone_merge_cannot_be_taken_apart(vault: Vault) -> None:
    into, other = add(vault, "Lock payments"), add(vault, "For 30 s")
    merge(vault, [into.id, other.id], actor=PERSON)
    undo(vault, actor=PERSON)
    with pytest.raises(NotFoundError):
        unmerge(vault, into.id, actor=PERSON)


def test_different_projects_ask_which(vault: Vault) -> None:
    shop, till = add(vault, "a"), add(vault, "b", project="till")
    before = everything(vault)
    with pytest.raises(UsageError, match="shop, till") as refused:
        merge(vault, [shop.id, till.id], actor=PERSON)
    assert "--project" in refused.value.remedy
    assert everything(vault) == before
    merged = merge(vault, [shop.id, till.id], actor=PERSON, project=" till ")
    assert (merged.result.project, merged.originals[0].project) == ("till", "till")


@pytest.mark.parametrize(
    ("projects", "result"),
    [
        (("global", "shop"), "shop"),
        (("shop", "global"), "shop"),
        ((None, "shop"), "shop"),
        ((None, "global"), "global"),
        ((None, None), None),
    ],
)
def test_the_strictest_scope_wins(vault: Vault, projects: tuple[str | None, str | None], result: str | None) -> None:
    first, second = (add(vault, f"t{number}", project=name) for number, name in enumerate(projects))
    assert merge(vault, [first.id, second.id], actor=PERSON).result.project == result


def test_a_merge_with_a_memory_in_use_is_in_use(vault: Vault) -> None:
    proposed, active = add(vault, "a", actor=AGENT), add(vault, "b")
    merged = merge(vault, [proposed.id, active.id], actor=PERSON).result
    assert (merged.status, merged.confirmed_by) == ("active", "person")


def test_candidates_stay_candidates(vault: Vault) -> None:
    ids = [add(vault, text, actor=AGENT).id for text in "ab"]
    assert merge(vault, ids, actor=AGENT).result.status == "candidate"


def test_an_agent_slips_no_candidate_into_what_a_person_accepted(vault: Vault) -> None:
    proposed, active = add(vault, "a", actor=AGENT), add(vault, "b")
    with pytest.raises(RefusedError):
        merge(vault, [active.id, proposed.id], actor=AGENT)


@pytest.mark.parametrize("vouch", [pin, verify])
def test_an_agent_merges_nothing_that_a_person_vouched_for(vault: Vault, vouch: Any) -> None:
    first, second = add(vault, "a"), add(vault, "b")
    vouch(vault, [second.id], actor=PERSON)
    with pytest.raises(RefusedError):
        merge(vault, [first.id, second.id], actor=AGENT)


def test_only_memories_in_use_are_merged(vault: Vault) -> None:
    first, second = add(vault, "a"), add(vault, "b")
    retire(vault, [second.id], actor=PERSON)
    with pytest.raises(RefusedError, match="retired"):
        merge(vault, [first.id, second.id], actor=PERSON)
    assert get(vault, first.id).version == 1


def test_two_to_eight_can_be_merged(vault: Vault) -> None:
    first = add(vault, "a")
    for ids in ([first.id], [first.id, first.id]):
        with pytest.raises(UsageError, match="2 to 8"):
            merge(vault, ids, actor=PERSON)
    with vault.write(actor="person", action="test") as writer:
        writer.put_many(replace(first, id=f"many{number:04}", title=str(number)) for number in range(8))
    ids = [f"many{number:04}" for number in range(8)]
    assert len(ids) == MOST_MERGED
    with pytest.raises(UsageError):
        merge(vault, [first.id, *ids], actor=PERSON)
    assert len(merge(vault, ids, actor=PERSON).originals) == 7


def lock(insight: str, **values: Any) -> Memory:
    return make_memory(title="Lock refunds", insight=insight, **values)


def test_only_fields_that_differ_are_asked_for() -> None:
    one, other = lock("The key is payment_id."), lock("The key is payment_id.", rationale="Double charge in March.")
    assert [field.name for field in fields_of([one, other])] == ["rationale"]
    assert fields_of([one, one]) == []


def test_what_says_the_same_is_taken_once_and_what_says_more_is_kept() -> None:
    alike = lock("Lock key is payment_id, TTL 30 s"), lock("Lock key is payment_id, TTL 60 s")
    (field,) = fields_of(alike)
    assert field.proposed == (0,)
    (field,) = fields_of([*alike, lock("Webhooks come twice: answer 200 and look at the ledger before you act.")])
    assert field.proposed == (0, 2)
    assert field.text((0, 2)).count("\n\n") == 1
    (field,) = fields_of([replace(alike[0], rationale=""), replace(alike[0], rationale="Because.")])
    assert field.proposed == (1,), "an empty text is no text"
    (field,) = fields_of([alike[0], replace(alike[0], title="Another title altogether, about webhooks")])
    assert (field.proposed, field.can_join) == ((0,), False)


def test_words_that_differ_are_marked_in_each_text() -> None:
    first, second, third = marked_texts(["Lock key, TTL 30 s", "Lock key, TTL 60 s", "Use a mutex around every call"])
    assert [part for part, differs in first if differs] == ["30"]
    assert [part for part, differs in second if differs] == ["60"]
    assert third == (("Use a mutex around every call", False),), "too different to mark a word"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_marks_leave_every_text_as_it_is(texts: list[str]) -> None:
    assert ["".join(part for part, _ in marked) for marked in marked_texts(texts)] == texts


def test_what_tells_them_apart_is_said() -> None:
    assert what_differs([lock("Lock for 30 s"), lock("Lock for 60 s")]) == ("numbers differ: 30 s / 60 s",)


def test_projects_that_differ_are_named_and_global_gives_way() -> None:
    assert named_projects([lock("a", project="shop"), lock("b", project="global"), lock("c", project=None)]) == ["shop"]


def test_the_preview_is_what_the_merge_makes(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.", tags=(word,)).id for word in ("alpha", "beta")]
    memories = [get(vault, identifier) for identifier in ids]
    chosen = {"title": "Lock refunds", "insight": "Lock refunds by payment.", "kind": "constraint"}
    shown = preview(memories, chosen, vault.kinds)
    made = merge(vault, ids, actor=PERSON, chosen=chosen, versions={one.id: one.version for one in memories}).result
    assert replace(made, version=0, updated_at=shown.updated_at, confirmed_at=shown.confirmed_at) == replace(
        shown, version=0
    )
    assert (made.title, made.kind, made.tags) == ("Lock refunds", "constraint", ("alpha", "beta"))
    assert 0 < tokens_of([made]) < tokens_of(memories)


def test_a_merge_by_chosen_texts_is_taken_apart_to_the_byte(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta", "gamma")]
    before = everything(vault)
    merge(vault, ids, actor=PERSON, chosen={"insight": "Written by hand."})
    assert get(vault, ids[0]).insight == "Written by hand."
    unmerge(vault, ids[0], actor=PERSON)
    assert everything(vault) == before
    undo(vault, actor=PERSON)
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_a_version_that_moved_since_it_was_looked_at_stops_the_merge(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta")]
    versions = {identifier: get(vault, identifier).version for identifier in ids}
    edit_memory(vault, ids[1], {"tags": ("moved",)}, actor=PERSON)
    before = everything(vault)
    with pytest.raises(ConflictError, match="This memory was changed since you read it"):
        merge(vault, ids, actor=PERSON, versions=versions)
    assert everything(vault) == before


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ({"insight": " \n"}, "needs a text"),
        ({"title": "\x1b[31m"}, "needs a text"),
        ({"kind": "rumour"}, "kind"),
        ({"status": "retired"}, "cannot be chosen"),
    ],
)
def test_what_cannot_be_chosen_is_refused(vault: Vault, chosen: dict[str, str], error: str) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta")]
    with pytest.raises(UsageError, match=error):
        merge(vault, ids, actor=PERSON, chosen=chosen)


def test_a_secret_written_by_hand_is_refused_and_one_that_was_there_is_not(vault: Vault) -> None:
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    ids = [add(vault, "Lock refunds.").id, add(vault, f"The key is {secret}.", allow_secret=True).id]
    with pytest.raises(SecretRefusedError):
        merge(vault, ids, actor=PERSON, chosen={"insight": f"Lock with {secret} at hand."})
    assert secret in merge(vault, ids, actor=PERSON).result.insight


THOROUGH = bool(os.environ.get("MEMTUI_THOROUGH"))
COUNT = 5
TEXTS = ("Take the payment lock.", "Take the payment lock for 30 s.", "使用 make 🙂", "[/x] ```")
DERIVED = ("version", "updated_at")
"""What the portable form does not hold."""


def portable(memory: Memory) -> dict[str, object]:
    return {name: value for name, value in memory_record(memory).items() if name not in DERIVED}


class Merging(RuleBasedStateMachine):
    """A person who merges, edits, takes apart and undoes, with a note of what went into each merge."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="merging-"))
        self.vault, _ = new_vault(self.folder)
        self.merges: dict[str, list[dict[str, dict[str, object]]]] = {}
        """By the memory that took the others up: what each was before, one entry for each merge that stands."""

    @initialize(texts=st.lists(st.sampled_from(TEXTS), min_size=COUNT, max_size=COUNT), pinned=st.booleans())
    def fill(self, texts: list[str], *, pinned: bool) -> None:
        with self.vault.write(actor="person", action="import") as writer:
            writer.put_many(
                Memory(
                    id=f"m{number:07d}",
                    title=f"Memory {number}",
                    insight=text,
                    project="shop",
                    tags=(f"tag-{number}",),
                    anchors=(Anchor(f"src/{number % 2}.py"),),
                    pinned=pinned and number == 1,
                    created_at=writer.now,
                    updated_at=writer.now,
                )
                for number, text in enumerate(texts)
            )

    def active(self) -> list[str]:
        memories = (get(self.vault, f"m{number:07d}") for number in range(COUNT))
        return [memory.id for memory in memories if memory.status == "active"]

    @precondition(lambda self: len(self.active()) > 1)
    @rule(picks=st.lists(st.integers(0, COUNT - 1), min_size=2, max_size=MOST_MERGED, unique=True))
    def merge(self, picks: list[int]) -> None:
        active = self.active()
        members = list(dict.fromkeys(active[pick % len(active)] for pick in picks))
        if len(members) > 1:
            before = {member: portable(get(self.vault, member)) for member in members}
            merge(self.vault, members, actor=PERSON)
            self.merges.setdefault(members[0], []).append(before)

    @rule(pick=st.integers(0, COUNT - 1), text=st.sampled_from(TEXTS), tag=st.sampled_from(("a", "b")))
    def edit(self, pick: int, text: str, tag: str) -> None:
        active = self.active()
        try:
            edit_memory(self.vault, active[pick % len(active)], {"insight": text, "tags": (tag,)}, actor=PERSON)
        except MemtuiError:
            return

    @precondition(lambda self: any(self.merges.values()))
    @rule(pick=st.integers(0, COUNT - 1), text=st.sampled_from(TEXTS), undone=st.booleans())
    def unmerge(self, pick: int, text: str, *, undone: bool) -> None:
        standing = [target for target in self.merges if self.merges[target] and target in self.active()]
        target = standing[pick % len(standing)]
        edit_memory(self.vault, target, {"insight": f"{text} Since the merge."}, actor=PERSON)
        merged = {name: portable(get(self.vault, name)) for name in self.merges[target][-1]}
        unmerge(self.vault, target, actor=PERSON)
        apart = self.merges[target][-1]
        assert {name: portable(get(self.vault, name)) for name in apart} == apart
        said = [(step.after or {}).get("insight") for step in history(self.vault, target)]
        assert f"{text} Since the merge." in said, "a later edit is kept as a revision"
        if undone:
            undo(self.vault, actor=PERSON)
            assert {name: portable(get(self.vault, name)) for name in apart} == merged
            redo(self.vault, actor=PERSON)
            assert {name: portable(get(self.vault, name)) for name in apart} == apart
        self.merges[target].pop()

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


TestMerging = Merging.TestCase
TestMerging.settings = settings(
    max_examples=300 if THOROUGH else 4,
    stateful_step_count=14 if THOROUGH else 6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
