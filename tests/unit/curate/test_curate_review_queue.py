"""The review queue: what is due and why."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from curating import AGENT, PERSON, START, Clock, add, bring, get, git, new_vault, repository, write_files
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.apply import ImportReport
from memtui.curate.anchors import check_trees
from memtui.curate.decay import Knobs, effect, take_snapshot
from memtui.curate.history import undo
from memtui.curate.lifecycle import accept, pin, reject, retire, snooze, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.packs import give_feedback
from memtui.curate.review_queue import Due, review_queue
from memtui.curate.views import count_vault, get_view, list_memories
from memtui.domain.freshness import due_at, review_risk
from memtui.domain.memory import Anchor, Memory, Signal
from memtui.tree import Tree
from memtui.vault.facets import Browsing, count_facets
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault


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


@pytest.mark.words
def test_copies_of_a_rule_are_asked_about_after_everything_else(vault: Vault, clock: Clock) -> None:
    tides, other_tides, dated = (
        add(vault, text, title=title, kind="tooling", importance=importance).id
        for text, title, importance in (
            ("Run make tides before a release.", "Tide tables", 3),
            ("Run `make tides` before every release.", "Tide tables.", 3),
            ("Run make dates.", "Dates", 1),
        )
    )
    clock.pass_days(110)
    assert due_ids(vault) == [tides, dated, other_tides]
    assert due_ids(vault, limit=2) == [tides, dated]
    assert [due.memory.id for due in queue(vault) if "same title" in due.why] == [other_tides]


def test_the_queue_agrees_with_the_day_that_is_shown(vault: Vault, clock: Clock) -> None:
    memory = verify(vault, [add(vault, "Run make", kind="tooling").id], actor=PERSON).changed[0]
    due = due_at(memory, vault.kinds)
    assert due is not None
    clock.moment = due - timedelta(minutes=5)
    assert due_ids(vault) == []
    clock.moment = due + timedelta(minutes=5)
    assert due_ids(vault) == [memory.id]


@pytest.mark.words
def test_nothing_is_due_right_after_it_was_accepted(tmp_path: Path, clock: Clock) -> None:
    rules = "- Run the suite with `make check`.\n- Never hold src/gone.py open while it runs.\n"
    root = repository(tmp_path / "shop", {"CLAUDE.md": rules}, on="2024-01-15")
    vault, _ = new_vault(tmp_path, clock)
    ids = bring(vault, root).ids
    link(vault, ids[0], "contradicts", ids[1], actor=PERSON)
    check_trees(vault, [Tree("shop", root)])
    clock.pass_days(1)
    accept(vault, ids, actor=PERSON, folder=root)
    assert all(get_view(vault, each).freshness < 0.5 for each in ids)
    assert due_ids(vault) == []
    assert effect(take_snapshot(vault, EVERYTHING), Knobs()).before == 0
    clock.pass_days(1000)
    assert set(due_ids(vault)) == set(ids)
    assert all(f"accepted on {START + timedelta(days=1):%Y-%m-%d}" in due.why for due in queue(vault))
    undo(vault, actor=PERSON)
    assert [get(vault, each).confirmed_at for each in ids] == [None, None]


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


@pytest.mark.words
def test_use_makes_a_faded_memory_more_urgent(vault: Vault, clock: Clock) -> None:
    quiet = add(vault, "a", kind="tooling")
    clock.pass_days(1)
    used = add(vault, "b", kind="tooling")
    clock.pass_days(150)
    assert due_ids(vault) == [quiet.id, used.id]
    use(vault, used.id, "copied", 3)
    assert due_ids(vault) == [used.id, quiet.id]
    assert queue(vault)[0].reasons == ("accepted on 2026-03-02, 150 days old", "used 3 times")


@pytest.mark.words
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
    assert [due.memory.id for due in found] == [ids[1], ids[2], rival.id, ids[0]]
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


@pytest.mark.words
def test_a_file_that_changed_since_makes_a_fresh_memory_due_until_a_verdict(tmp_path: Path, clock: Clock) -> None:
    root = repository(tmp_path / "shop", {"src/pay.py": "one\n", "src/lock.py": "lock\n" * 9})
    vault, _ = new_vault(tmp_path, clock)
    tree = Tree("shop", root)
    changed = add(vault, "Refunds are locked.", files=["src/pay.py"], folder=root)
    moved = add(vault, "The lock expires.", files=["src/lock.py"], folder=root)
    check_trees(vault, [tree])
    assert due_ids(vault) == []
    (root / "src/pay.py").write_text("two\n")
    git(root, "mv", "src/lock.py", "src/locking.py")
    assert due_ids(vault) == [], "only what a check found counts"
    check_trees(vault, [tree])
    assert [due.why for due in queue(vault)] == [
        "src/pay.py changed since, accepted on 2026-03-01, 0 days old",
        "src/lock.py was moved since, accepted on 2026-03-01, 0 days old",
    ]
    verify(vault, [changed.id], actor=PERSON, tree=tree)
    assert due_ids(vault) == [moved.id]
    check_trees(vault, [tree])
    assert due_ids(vault) == [moved.id]
    snooze(vault, [moved.id], until=vault.now() + timedelta(days=2), actor=PERSON)
    assert due_ids(vault) == []


def imported(vault: Vault, root: Path, text: str, **options: object) -> ImportReport:
    write_files(root, {"CLAUDE.md": text})
    return bring(vault, root / "CLAUDE.md", project="shop", **options)


RULES = "# Pay\n\n- Always lock `pay/lock.py` by payment before a refund.\n- Never log the number of a card.\n"


@pytest.mark.words
def test_an_import_that_changes_what_the_source_says_makes_a_memory_due_until_a_verdict(
    vault: Vault, clock: Clock, tmp_path: Path
) -> None:
    root = repository(tmp_path / "shop", {"pay/lock.py": "lock\n"})
    first = imported(vault, root, RULES, active=True)
    assert due_ids(vault) == [], "it is new, and nothing changed since"
    assert imported(vault, root, RULES).unchanged == 2
    write_files(root, {"AGENTS.md": RULES})
    bring(vault, root / "AGENTS.md", project="shop")
    assert due_ids(vault) == [], "saying the same again is no news"
    clock.pass_days(1)
    changed = RULES.replace("number of a card", "number of a card or its owner")
    report = imported(vault, root, changed)
    assert report.updated == 1
    (due,) = queue(vault)
    assert due.memory.id in first.ids
    assert due.reasons[0] == "CLAUDE.md says something else since 2026-03-02"
    due_at = get_view(vault, due.memory.id).due_at
    assert due_at is not None
    assert due_at.date().isoformat() == "2026-03-02"
    verify(vault, [due.memory.id], actor=PERSON)
    assert due_ids(vault) == []


def test_an_import_that_is_kept_back_because_of_an_edit_here_makes_it_due(
    vault: Vault, clock: Clock, tmp_path: Path
) -> None:
    imported(vault, tmp_path / "shop", RULES, active=True)
    with vault.read() as reader:
        (card,) = [m for m in reader.select(MemoryFilter(), sort="created", now=vault.now()) if "card" in m.insight]
    edit_memory(vault, card.id, {"insight": "Never log the number of a card, not even masked."}, actor=PERSON)
    clock.pass_days(1)
    report = imported(vault, tmp_path / "shop", RULES.replace("of a card", "of a card in a trace"))
    assert len(report.conflicts) == 1
    assert due_ids(vault) == [card.id]


@pytest.mark.words
def test_a_candidate_on_just_the_same_files_makes_it_due_until_it_is_decided_on(
    vault: Vault, clock: Clock, tmp_path: Path
) -> None:
    root = repository(tmp_path / "shop", {"pay/lock.py": "lock\n"})
    memory = add(vault, "The lock is held for 30 s.", files=["pay/lock.py"], folder=root)
    wider = add(vault, "Pay is one package.", files=["pay"], folder=root)
    clock.pass_days(1)
    (candidate,) = imported(vault, root, "# Pay\n\n- Always renew the lock of `pay/lock.py` after 20 s.\n").ids
    assert [anchor.path for anchor in get(vault, candidate).anchors] == ["pay/lock.py"]
    (due,) = queue(vault)
    assert (due.memory.id, due.reasons[0]) == (memory.id, "a candidate on the same files waits since 2026-03-02")
    assert wider.id not in due_ids(vault)
    reject(vault, [candidate], actor=PERSON)
    assert due_ids(vault) == []


def test_the_header_the_list_and_the_queue_count_the_same(vault: Vault, clock: Clock, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"a.py": "a\n", "b.py": "b\n"})
    stale = add(vault, "Run make", kind="note")
    clock.pass_days(100)
    file, hurt, one, other, later = (add(vault, f"Rule {n}", files=["a.py"], folder=root) for n in range(5))
    add(vault, "Nothing is wrong with this one.")
    (root / "a.py").write_text("changed\n")
    check_trees(vault, [Tree("shop", root)])
    verify(vault, [hurt.id, one.id, other.id], actor=PERSON, tree=Tree("shop", root))
    for _ in range(2):
        give_feedback(vault, hurt.id, "hurt", actor=PERSON)
    link(vault, one.id, "contradicts", other.id, actor=PERSON)
    snooze(vault, [later.id], until=vault.now() + timedelta(days=3), actor=PERSON)
    expected = {stale.id, file.id, hurt.id, one.id, other.id}
    now = vault.now()
    with vault.read() as reader:
        wanted = MemoryFilter(stale_at=now)
        listed = set(reader.select_ids(wanted, sort="due", now=now))
        in_order = reader.select_ids(MemoryFilter(), sort="due", now=now)
        counts = dict(count_facets(reader, Browsing(now=now))["due"])
    assert set(due_ids(vault)) == listed == expected
    assert set(in_order[: len(expected)]) == expected, "the sort by what is due knows every reason"
    assert in_order[0] == stale.id
    assert counts["now"] == count_vault(vault, EVERYTHING)["due"] == len(expected)
    views = list_memories(vault, MemoryFilter())
    assert {view.memory.id for view in views if view.due_at is not None and view.due_at <= now} == expected
    shot = take_snapshot(vault, EVERYTHING)
    assert effect(shot, Knobs()).before == len(expected), "the decay lab counts the same"


def test_a_conflict_makes_a_fresh_memory_due(vault: Vault) -> None:
    one, other = add(vault, "Use tabs"), add(vault, "Never use tabs")
    link(vault, other.id, "contradicts", one.id, actor=PERSON)
    assert sorted(due_ids(vault)) == sorted([one.id, other.id])
    verify(vault, [one.id], actor=PERSON)
    assert due_ids(vault) == [other.id], "who says that it is still true has seen the contradiction"
    retire(vault, [one.id], actor=PERSON)
    assert due_ids(vault) == [], "nothing in use contradicts it any more"


def test_the_vault_ranks_as_the_formula_does(vault: Vault, clock: Clock, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"a.py": "a\n", "b.py": "b\n"})
    made = [
        add(vault, f"Rule {n}", kind=kind, files=["a.py", "b.py"][: n % 3], folder=root).id
        for n, kind in enumerate(("note", "tooling", "lesson", "convention") * 3)
    ]
    clock.pass_days(1)
    verify(vault, made[:4], actor=PERSON, tree=Tree("shop", root))
    for n, identifier in enumerate(made):
        use(vault, identifier, "copied", n % 5)
        use(vault, identifier, "hurt", n % 4)
    link(vault, made[0], "contradicts", made[5], actor=PERSON)
    link(vault, made[5], "contradicts", made[0], actor=PERSON)
    link(vault, made[6], "contradicts", made[0], actor=PERSON)
    write_files(root, {"a.py": "changed\n"})
    (root / "b.py").unlink()
    clock.pass_days(170)
    check_trees(vault, [Tree("shop", root)])
    everything = queue(vault)
    assert len(everything) > 8
    risks = [due.risk for due in everything]
    assert risks == sorted(risks, reverse=True)
    for limit in range(1, len(everything)):
        first = [due.memory.id for due in everything[:limit]]
        assert due_ids(vault, limit=limit) == first, "the riskiest are chosen by the vault"


@given(
    held=st.floats(0, 1),
    importance=st.integers(1, 5),
    uses=st.integers(0, 50),
    changed=st.integers(0, 5),
    contradictions=st.integers(0, 5),
    hurts=st.integers(0, 5),
    imports=st.integers(0, 3),
)
def test_every_reason_adds_to_the_risk(
    held: float, importance: int, uses: int, changed: int, contradictions: int, hurts: int, imports: int
) -> None:
    reasons = {
        "importance": importance,
        "uses": uses,
        "changed_anchors": changed,
        "contradictions": contradictions,
        "hurts": hurts,
        "imports": imports,
    }
    here = review_risk(held=held, **reasons)
    assert 0 <= here <= 1.25 * 3
    assert here <= review_risk(held=held / 2, **reasons)
    for name in ("changed_anchors", "contradictions", "hurts", "imports"):
        assert here < review_risk(held=held, **{**reasons, name: reasons[name] + 1})
    assert here <= review_risk(held=held, **{**reasons, "uses": uses + 1})
    assert here <= review_risk(held=held, **{**reasons, "importance": min(5, importance + 1)})


@pytest.mark.words
def test_a_version_is_asked_about_before_a_description_whose_files_have_not_changed(
    tmp_path: Path, clock: Clock
) -> None:
    root = repository(tmp_path / "shop", {"src/router.py": "routes\n"})
    vault, _ = new_vault(tmp_path, clock)
    static = add(vault, "The router matches paths to handlers.", kind="tooling", files=["src/router.py"], folder=root)
    plain = add(vault, "Reviews happen on Mondays.", kind="tooling")
    version = add(vault, "We build with Node 20.11.", kind="tooling")
    days = {due_days(vault, one.id) for one in (version, plain, static)}
    assert days == {64, 97, 194}
    passed, due = 0, [version.id, plain.id, static.id]
    for day, count in ((63, 0), (65, 1), (96, 1), (98, 2), (193, 2), (195, 3)):
        clock.pass_days(day - passed)
        passed = day
        check_trees(vault, [Tree("shop", root)])
        assert {one.memory.id for one in queue(vault)} == set(due[:count]), day
    assert "its files are unchanged" in next(one.why for one in queue(vault) if one.memory.id == static.id)
    assert "names a version" in next(one.why for one in queue(vault) if one.memory.id == version.id)


def due_days(vault: Vault, identifier: str) -> int:
    with vault.read() as reader:
        memory = reader.get(identifier)
    when = due_at(memory, vault.kinds)
    assert when is not None
    return (when - memory.created_at).days


@pytest.mark.words
def test_a_file_that_was_missing_when_it_was_accepted_does_not_make_it_due(tmp_path: Path, clock: Clock) -> None:
    root = repository(tmp_path / "shop", {"a.py": "one\n"})
    vault, _ = new_vault(tmp_path, clock)
    one = Memory(
        id="m0000001",
        title="The entry",
        insight="server.tsx starts it, a.py is the tool.",
        project="shop",
        kind="decision",
        anchors=(Anchor("server.tsx"), Anchor("a.py")),
        created_at=clock(),
        updated_at=clock(),
        confirmed_at=clock(),
    )
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([one])
    clock.pass_days(1)
    check_trees(vault, [Tree("shop", root)])
    assert due_ids(vault) == [], "a person accepted it as it was"
    (root / "a.py").unlink()
    clock.pass_days(1)
    check_trees(vault, [Tree("shop", root)])
    assert [due.reasons[0] for due in queue(vault)] == ["a.py is gone"]


def test_a_snooze_keeps_it_out_until_its_day(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(200)
    snooze(vault, [memory.id], until=vault.now() + timedelta(days=5), actor=PERSON)
    assert due_ids(vault) == []
    clock.pass_days(6)
    assert due_ids(vault) == [memory.id]


@pytest.mark.words
def test_what_is_snoozed_again_and_again_is_offered_for_retiring_until_it_is_verified(
    vault: Vault, clock: Clock
) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(200)
    for number in range(3):
        assert not queue(vault)[0].offers_retiring, number
        snooze(vault, [memory.id], until=vault.now() + timedelta(days=7), actor=PERSON)
        clock.pass_days(8)
    (found,) = queue(vault)
    assert found.offers_retiring
    assert found.why.endswith("snoozed 3 times: retire it?")
    undo(vault, actor=PERSON)
    assert not queue(vault)[0].offers_retiring, "a snooze that was undone does not count"
    verify(vault, [memory.id], actor=PERSON)
    clock.pass_days(400)
    assert queue(vault)[0].snoozes == 0


@pytest.mark.words
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
