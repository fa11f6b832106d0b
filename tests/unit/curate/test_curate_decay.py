"""What-if of how kinds fade: right against a brute-force count, applied as one undoable change, learned honestly."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.curate import history
from memtui.curate.decay import (
    Knobs,
    PayloadOptions,
    Payloads,
    apply,
    effect,
    payload_changes,
    take_snapshot,
)
from memtui.curate.lifecycle import restore, retire
from memtui.curate.links import link
from memtui.curate.projects import View
from memtui.curate.review_queue import review_queue
from memtui.domain.freshness import due_at, freshness
from memtui.domain.identity import Actor
from memtui.domain.kinds import DEFAULT_KINDS, Kind, Kinds, in_project
from memtui.domain.memory import Link, Memory, Signal, Verdict
from memtui.errors import RefusedError, UsageError
from memtui.pack.recipes import save_recipe
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
PERSON = Actor()
AGENT = Actor("codex", is_person=False)


def new_vault(folder: Path, *extra: Kind) -> Vault:
    return Vault(folder / "vault.duckdb", kinds=Kinds(extra), now=lambda: NOW)


def memory(number: int, *, days: float, **values: Any) -> Memory:
    at = NOW - timedelta(days=days)
    chosen: dict[str, Any] = {
        "kind": "tooling",
        "project": "shop",
        "title": f"Tool {number}",
        "insight": f"What tool {number} does.",
        **values,
    }
    return Memory(id=f"m{number:07d}", created_at=at, updated_at=at, **chosen)


def many(count: int) -> list[Memory]:
    """Return memories of every sort: pinned, snoozed, verified, due on a day, with half-lives of their own."""
    chance = random.Random(3)
    kinds = [*DEFAULT_KINDS, "unheard-of"]
    made = []
    for number in range(count):
        days = chance.uniform(0, 500)
        made.append(
            memory(
                number,
                days=days,
                kind=chance.choice(kinds),
                project=("shop", "bank")[number % 2],
                pinned=chance.random() < 0.1,
                verified_at=NOW - timedelta(days=chance.uniform(0, days)) if chance.random() < 0.4 else None,
                half_life_days=chance.choice([None, None, None, 20.0, 400.0]),
                due_at=NOW + timedelta(days=chance.uniform(-50, 50)) if chance.random() < 0.1 else None,
                snoozed_until=NOW + timedelta(days=chance.uniform(-50, 50)) if chance.random() < 0.1 else None,
            )
        )
    return made


def fill(vault: Vault, memories: list[Memory]) -> None:
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(memories)
        writer.add_links([Link(from_id="m0000001", type="contradicts", to_id="m0000002", created_at=NOW)])
        hurt = [Signal(memory_id="m0000003", signal="hurt", at=NOW, actor="person") for _ in range(2)]
        writer.add_signals(hurt)


def due_ids(vault: Vault, threshold: float) -> set[str]:
    return {due.memory.id for due in review_queue(vault, EVERYTHING, threshold=threshold)}


@pytest.mark.parametrize(
    "knobs",
    [
        Knobs(half_lives={"tooling": 30.0}),
        Knobs(half_lives={"tooling": 400.0, "note": 60.0, "unheard-of": 5.0}, threshold=0.7),
        Knobs(threshold=0.2),
        Knobs(memory=("m0000008", 1.0)),
        Knobs(half_lives={in_project("tooling", "shop"): 5.0}),
        Knobs(half_lives={in_project("tooling", "shop"): 400.0, "tooling": 5.0, "note": 300.0}),
    ],
    ids=["one kind", "kinds and threshold", "threshold", "one memory", "one project", "a project beside the kind"],
)
def test_the_effect_is_what_the_queue_would_become(tmp_path: Path, knobs: Knobs) -> None:
    vault = new_vault(tmp_path)
    fill(vault, many(300))
    snapshot = take_snapshot(vault, EVERYTHING, threshold=0.5)

    found = effect(snapshot, knobs)

    before = due_ids(vault, 0.5)
    if knobs.half_lives or knobs.memory:
        apply(vault, dict(knobs.half_lives), memory=knobs.memory, actor=PERSON)
    after = due_ids(vault, knobs.threshold or 0.5)
    assert (found.before, found.after) == (len(before), len(after))
    assert {one.id for one in found.entering} == after - before
    assert {one.id for one in found.leaving} == before - after
    assert before != after
    with vault.read() as reader:
        stored = reader.get_many(one.id for one in (*found.entering, *found.leaving))
    for one in (*found.entering, *found.leaving):
        assert one.after == pytest.approx(freshness(stored[one.id], NOW, vault.kinds))


@pytest.mark.parametrize("knobs", [Knobs(floor=0.3, threshold=0.32), Knobs(floor=0.0, threshold=0.06)])
def test_the_floor_is_tried_like_the_rest_and_the_configuration_keeps_it(tmp_path: Path, knobs: Knobs) -> None:
    vault = new_vault(tmp_path)
    fill(vault, many(300))
    found = effect(take_snapshot(vault, EVERYTHING, threshold=0.5), knobs)
    configured = Vault(vault.path, kinds=Kinds(floor=knobs.floor or 0.0), now=lambda: NOW)
    assert knobs.threshold is not None
    after = due_ids(configured, knobs.threshold)
    assert found.after == len(after)
    assert {one.id for one in found.leaving} == due_ids(vault, 0.5) - after
    assert due_at(memory(1, days=10_000), Kinds(floor=0.3), 0.3) == datetime.max.replace(tzinfo=UTC)


def test_a_half_life_of_one_project_is_one_change_and_goes_through_the_portable_form(tmp_path: Path) -> None:
    from curating import bring, everything

    vault = new_vault(tmp_path)
    fill(vault, many(6))
    name = in_project("tooling", "shop")
    assert apply(vault, {name: 30.0}, actor=PERSON) == "half-life of tooling in shop 90 d → 30 d"
    with vault.read() as reader:
        kinds = reader.kinds
    assert [kinds.half_life("tooling", project) for project in ("shop", "bank", None)] == [30.0, 90.0, 90.0]
    path = tmp_path / "all.jsonl"
    path.write_text(everything(vault), "utf-8")
    copy = Vault(tmp_path / "copy" / "vault.duckdb", now=lambda: NOW)
    bring(copy, path)
    with copy.read() as reader:
        assert reader.kinds.half_life("tooling", "shop") == 30.0
    history.undo(vault, actor=PERSON)
    assert vault.kinds.half_life("tooling", "shop") == 90.0
    history.redo(vault, actor=PERSON)
    assert apply(vault, {name: None}, actor=PERSON) == "half-life of tooling in shop 30 d → 90 d"
    assert vault.kinds.project_half_lives() == {}


def test_a_snapshot_stays_what_it_was(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    fill(vault, many(60))
    snapshot = take_snapshot(vault, EVERYTHING)
    first = effect(snapshot, Knobs(half_lives={"tooling": 10.0}))
    apply(vault, {"tooling": 10.0}, actor=PERSON)
    assert effect(snapshot, Knobs(half_lives={"tooling": 10.0})) == first
    again = take_snapshot(vault, EVERYTHING)
    assert effect(again, Knobs(half_lives={"tooling": 10.0})).entering == ()
    assert again.kind("tooling").origin == "vault"


def test_applying_is_one_change_that_undo_takes_back(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    fill(vault, many(5))
    said = apply(vault, {"tooling": 30.0, "note": 14.0}, actor=PERSON)
    assert said == "half-life of tooling 90 d → 30 d, note 7 d → 14 d"
    other = new_vault(tmp_path)
    with other.read() as reader:
        assert reader.kinds.get("tooling").half_life_days == 30.0
    history.undo(vault, actor=PERSON)
    for opened in (vault, other):
        with opened.read() as reader:
            assert [reader.kinds.get(name).half_life_days for name in ("tooling", "note")] == [90.0, 7.0]
    history.redo(vault, actor=PERSON)
    assert vault.kinds.get("note").half_life_days == 14.0
    apply(vault, {"note": None}, actor=PERSON)
    assert (vault.kinds.get("note").half_life_days, vault.kinds.origin("note")) == (7.0, "default")


def test_kinds_and_a_memory_are_one_change(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    fill(vault, [memory(1, days=3, title="Old Node [/x]")])
    said = apply(vault, {"tooling": 30.0}, memory=("m0000001", 12.0), actor=PERSON)
    assert said == "half-life of tooling 90 d → 30 d, Old Node [/x] 12 d"
    history.undo(vault, actor=PERSON)
    with vault.read() as reader:
        assert reader.get("m0000001").half_life_days is None
        assert reader.kinds.get("tooling").half_life_days == 90.0


def test_the_configuration_beats_the_vault_and_says_so(tmp_path: Path) -> None:
    plain = new_vault(tmp_path)
    fill(plain, many(5))
    apply(plain, {"tooling": 30.0}, actor=PERSON)
    configured = new_vault(tmp_path, Kind("tooling", "procedural", 55.0))
    with configured.read() as reader:
        assert reader.kinds.get("tooling").half_life_days == 55.0
    with pytest.raises(RefusedError, match=r"configuration sets the half-life of tooling"):
        apply(configured, {"note": 3.0, "tooling": 20.0}, actor=PERSON)
    assert configured.kinds.get("note").half_life_days == 7.0, "one that is refused stops the whole change"


@pytest.mark.parametrize(
    ("half_lives", "actor", "error"),
    [
        ({}, PERSON, UsageError),
        ({"nonsense": 3.0}, PERSON, UsageError),
        ({"tooling": 0.0}, PERSON, UsageError),
        ({"tooling": math.nan}, PERSON, UsageError),
        ({"tooling": 3.0}, AGENT, RefusedError),
    ],
)
def test_what_is_not_applied(
    tmp_path: Path, half_lives: dict[str, float | None], actor: Actor, error: type[Exception]
) -> None:
    vault = new_vault(tmp_path)
    fill(vault, many(5))
    with pytest.raises(error):
        apply(vault, half_lives, actor=actor)
    assert vault.kinds.get("tooling").half_life_days == 90.0


def test_what_was_learned_is_offered_and_does_not_feed_itself(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    fill(vault, [memory(number, days=40) for number in range(6)])
    with vault.write(actor="person", action="review") as writer:
        writer.add_verdicts(
            Verdict(
                memory_id=f"m{number:07d}",
                verdict="outdated",
                at=NOW + timedelta(seconds=10 * number),
                actor="person",
                exposure_days=20.0,
            )
            for number in range(6)
        )
    lesson = take_snapshot(vault, EVERYTHING).kind("tooling").lesson
    assert lesson is not None
    assert 90 / 2.5 <= lesson.half_life_days < 60
    assert (lesson.verdicts, lesson.expired) == (6, 6)
    assert vault.kinds.get("tooling").half_life_days == 90.0, "it is offered, not applied"
    apply(vault, {"tooling": lesson.half_life_days}, actor=PERSON)
    assert take_snapshot(vault, EVERYTHING).kind("tooling").lesson == lesson


def test_taking_a_memory_out_of_use_says_that_it_is_no_longer_true(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    fill(vault, [memory(number, days=40) for number in range(4)])
    assert take_snapshot(vault, EVERYTHING).kind("tooling").lesson is None

    def expired() -> tuple[int, int]:
        lesson = take_snapshot(vault, EVERYTHING).kind("tooling").lesson
        assert lesson is not None
        return (lesson.verdicts, lesson.expired)

    retire(vault, ["m0000000"], actor=PERSON, reason="out of date")
    assert expired() == (1, 1)
    link(vault, "m0000001", "supersedes", "m0000002", actor=PERSON)
    assert expired() == (2, 2)
    history.undo(vault, actor=PERSON)
    assert expired() == (1, 1)
    restore(vault, ["m0000000"], actor=PERSON)
    assert take_snapshot(vault, EVERYTHING).kind("tooling").lesson is None


def test_the_payloads_of_recipes_change_as_they_would(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    words = "the refund lock of the payment service"
    fading = [
        memory(1, days=200, title="Refund lock tool", kind="tooling"),
        memory(2, days=5, title="Refund lock note"),
    ]
    fading = [replace(one, insight=f"{one.title}: {words} {'and more ' * 20}", confirmed_at=NOW) for one in fading]
    lasting = replace(
        fading[0], id="m0000003", title="Refund lock rule", kind="decision", insight=f"Rule: {words} " * 3
    )
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([*fading, lasting])
    save_recipe(vault, "refunds", Task(text=words), actor="person", project="shop", target="chat", budget="140")
    view = View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path)
    options = PayloadOptions(view=view)
    payloads = Payloads(vault, options)
    before = payloads.members(vault.kinds)
    supposed = payloads.members(vault.kinds.with_half_lives({"decision": 1.0, "tooling": 10_000.0}))
    assert before is not None
    assert supposed is not None
    assert before["refunds"]
    (change,) = payload_changes(before, supposed)
    assert change.leaving == ("m0000003",)
    assert vault.kinds.get("decision").half_life_days == 365.0, "supposing changes nothing"
    apply(vault, {"decision": 1.0, "tooling": 10_000.0}, actor=PERSON)
    assert Payloads(vault, options).members(vault.kinds) == supposed
    assert payloads.members(vault.kinds, is_wanted=lambda: False) is None


def test_the_weight_of_a_hurt_changes_who_is_in_a_payload(tmp_path: Path) -> None:
    vault = new_vault(tmp_path)
    words = "the refund lock of the payment service"
    pair = [
        memory(n, days=5, title=f"Refund lock {n}", confirmed_at=NOW, insight=f"Rule {n}: {words} {'and more ' * 20}")
        for n in (1, 2)
    ]
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(pair)
        given = {"m0000001": ["helped", "helped", "hurt"], "m0000002": []}
        writer.add_signals(
            Signal(memory_id=one, signal=said, at=NOW, actor="person")
            for one, all_of in given.items()
            for said in all_of
        )
    save_recipe(vault, "refunds", Task(text=words), actor="person", project="shop", target="chat", budget="110")
    view = View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path)
    payloads = Payloads(vault, PayloadOptions(view=view))
    taken = {weight: payloads.members(Knobs(hurt_weight=weight).kinds(vault.kinds)) for weight in (4.0, 0.0)}
    assert taken == {4.0: {"refunds": ("m0000002",)}, 0.0: {"refunds": ("m0000001",)}}
