"""Suggested links, and groups of notes that are ripe for a conclusion."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, START, Clock, add, everything, new_vault

from memtui.analysis.snapshot import NOT_RELATED, NOT_RIPE, Alike, pair_of
from memtui.analysis.suggestions import MOST_SOURCES, LinkProposal, RipeGroup, propose_links, ripe_groups
from memtui.curate.history import undo
from memtui.curate.lifecycle import pin, retire
from memtui.curate.links import Conclusion, link, link_proposals, proposals_about, reflect
from memtui.curate.memories import edit_memory
from memtui.curate.packs import give_feedback
from memtui.curate.resolutions import dismiss
from memtui.curate.snapshot_reader import read_snapshot
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import report_record
from memtui.domain.memory import Anchor, Memory, Source
from memtui.errors import RefusedError
from memtui.progress import Cancelled
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
    (found,) = propose_links(gathered, [], vault.kinds, alike=[Alike(one.id, two.id, 0.75)])
    assert (found.why, found.score) == ("75% alike in meaning", 0.75)
    assert propose_links(gathered, [], vault.kinds, alike=[Alike(one.id, two.id, 0.6)]) == []


def test_a_memory_has_few_neighbours_the_most_alike_first(vault: Vault) -> None:
    hub, *others = [add(vault, f"Word{number}") for number in range(7)]
    alike = [Alike(hub.id, other.id, 0.73 + number / 100) for number, other in enumerate(others)]
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


INCIDENT = (
    ("The refund worker lost its lock at noon", "note"),
    ("A slow refund outlives the lock it took", "lesson"),
    ("Two workers refunded one card, as the lock was gone", "bug-pattern"),
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path, Clock(START + timedelta(days=200)))[0]


def put(vault: Vault, number: int, title: str, kind: str = "note", *, day: float = 0.0, **fields: Any) -> Memory:
    at = START + timedelta(days=day)
    values: dict[str, Any] = {"project": "shop", "created_at": at, "updated_at": at, "insight": title, **fields}
    with vault.write(actor="person", action="test") as writer:
        return writer.put(Memory(id=f"n{number:07d}", title=title, kind=kind, **values))


def incident(vault: Vault, **fields: Any) -> list[str]:
    values = {"anchors": (Anchor("pay/lock.py"),), "tags": ("Refunds",), **fields}
    return [
        put(vault, number, title, kind, day=number * 3, **values).id for number, (title, kind) in enumerate(INCIDENT)
    ]


def ripe(vault: Vault, **options: Any) -> list[RipeGroup]:
    return ripe_groups(read_snapshot(vault, MemoryFilter()), vault.kinds, **options)


def test_notes_of_one_incident_are_ripe_and_say_why(vault: Vault) -> None:
    found = incident(vault)
    put(vault, 10, "Deploys wait for the smoke test", "note", day=2)
    put(vault, 11, "Refunds are locked by card", "decision", day=2, anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    (group,) = ripe(vault)
    assert group.ids == tuple(found), "the oldest first, and no decision among them"
    assert group.why == "3 memories of 6 days: pay/lock.py, #refunds"
    assert group.score >= 1.0


@pytest.mark.parametrize(("hour", "places", "found"), [(7, 1, False), (0, 1, True), (7, 3, True)])
def test_items_of_one_list_that_only_a_commit_dates_are_no_story(
    vault: Vault, hour: int, places: int, *, found: bool
) -> None:
    at = datetime(2026, 3, 4, hour, tzinfo=UTC)
    for number, (title, kind) in enumerate(INCIDENT):
        path = f"docs/{number % places}.md"
        source = Source(format="lessons", path=path, native_id=f"Pitfalls#{number}")
        shared: dict[str, Any] = {"anchors": (Anchor("pay/lock.py"),), "tags": ("refunds",), "sources": (source,)}
        put(vault, number, title, kind, observed_at=at, **shared)
    assert bool(ripe(vault)) == found


def test_meaning_alone_makes_a_group(vault: Vault) -> None:
    names = [put(vault, number, text).id for number, text in enumerate(("alpha", "beta", "gamma", "delta"))]
    assert ripe(vault) == []
    near = [Alike(one, other, 0.8) for one, other in ((names[0], names[1]), (names[1], names[2]), (names[0], names[2]))]
    chain = Alike(names[2], names[3], 0.9)
    (group,) = ripe(vault, alike=[*near, chain])
    assert set(group.ids) == set(names[:3]), "every two are alike; a chain is no group"
    assert group.why == "3 notes of one day: alike in what they say"
    assert ripe(vault, alike=near, apart=[pair_of(names[0], names[1])]) == []


@pytest.mark.parametrize("change", ["far apart in time", "other projects", "a tag that everything has", "retired"])
def test_what_is_no_group(vault: Vault, change: str) -> None:
    if change == "a tag that everything has":
        for number in range(12):
            put(vault, number, f"word{number} happened", tags=("ops", "prod"), day=number / 10)
    else:
        found = incident(vault)
        with vault.write(actor="person", action="test") as writer:
            memory = writer.get(found[-1])
            late = {"observed_at": START + timedelta(days=90)}
            fields: dict[str, dict[str, Any]] = {
                "far apart in time": late,
                "other projects": {"project": "docks"},
                "retired": {"status": "retired"},
            }
            writer.put(replace(memory, **fields[change]))
    assert ripe(vault) == []


def test_what_was_reflected_or_dismissed_is_not_proposed_again(vault: Vault) -> None:
    found = incident(vault)
    with pytest.raises(RefusedError):
        dismiss(vault, NOT_RIPE, found, actor=AGENT)
    dismiss(vault, NOT_RIPE, found, actor=PERSON)
    assert ripe(vault) == []
    put(vault, 0, INCIDENT[0][0] + ", and at one again", "note", anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    assert ripe(vault) == [], "two of its three pairs changed, one stands"
    put(vault, 1, INCIDENT[1][0] + ", always", "lesson", day=3, anchors=(Anchor("pay/lock.py"),), tags=("refunds",))
    (group,) = ripe(vault)
    reflect(vault, group.ids, Conclusion(text="A lock must outlive what it guards."), actor=PERSON)
    assert ripe(vault) == []


def test_a_group_is_no_larger_than_a_conclusion_takes_and_the_search_can_be_stopped(vault: Vault) -> None:
    names = [put(vault, number, f"word{number} happened").id for number in range(MOST_SOURCES + 5)]
    pairs = [Alike(one, other, 0.9) for place, one in enumerate(names) for other in names[place + 1 :]]
    groups = ripe(vault, alike=pairs)
    assert max(len(group.ids) for group in groups) <= MOST_SOURCES

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ripe(vault, progress=stop)


def test_tidy_offers_ripe_groups_and_is_clean_all_the_same(vault: Vault) -> None:
    found = incident(vault)
    with vault.write(actor="person", action="test") as writer:
        everyone = writer.get_many(found)
        now = writer.now
        writer.put_many(replace(each, confirmed_at=now, verified_at=now) for each in everyone.values())
    report = tidy(vault, TidyOptions())
    assert not report.total, "an offer is no finding"
    assert report_record(report)["ripe"] == [
        {"ids": found, "score": report.ripe[0].score, "why": "3 memories of 6 days: pay/lock.py, #refunds"}
    ]
    dismiss(vault, NOT_RIPE, found, actor=PERSON)
    assert tidy(vault, TidyOptions()).ripe == ()


@pytest.mark.parametrize("end", [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 28, tzinfo=UTC)])
def test_an_incident_at_an_end_of_the_calendar_is_ripe_too(vault: Vault, end: datetime) -> None:
    day = (end - START).days
    shared: dict[str, Any] = {"anchors": (Anchor("pay/lock.py"),), "tags": ("refunds",)}
    found = [
        put(vault, number, title, kind, day=day + number, **shared).id for number, (title, kind) in enumerate(INCIDENT)
    ]
    assert [group.ids for group in ripe(vault)] == [tuple(found)]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("skills/tide/SKILL.md", "skills/crane/SKILL.md", False),
        ("docs/tide-rules.md", "docs/crane-rules.md", False),
        ("docs/tide-rules.md", "docs/moorings.md", True),
    ],
)
def test_what_two_skills_or_two_files_of_one_row_have_in_common_is_their_form(
    vault: Vault, one: str, other: str, *, found: bool
) -> None:
    kept = [
        replace(
            add(vault, text, kind="constraint"), sources=(Source(format="claude-rules", path=path, native_id=path),)
        )
        for path, text in ((one, NOTE), (other, RULE))
    ]
    gathered = replace(read_snapshot(vault, MemoryFilter()), memories=kept)
    alike = [Alike(kept[0].id, kept[1].id, 0.9)]
    assert bool(propose_links(gathered, [], vault.kinds, alike=alike)) == found
