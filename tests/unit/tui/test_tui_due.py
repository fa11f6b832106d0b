"""When a memory is due is said alike in its details, in the review queue, in the lab and by the counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from flows.app_driver import NOW, empty_vault, memory

from memtui.curate.decay import Knobs, effect
from memtui.curate.health import health
from memtui.curate.review_queue import review_queue
from memtui.curate.views import list_memories
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Link, Signal, Source
from memtui.tui.lab.curve import curve_of
from memtui.tui.lab.screen import effect_lines, paced
from memtui.tui.lab.trial import MEMORY, Trial, read_lab
from memtui.tui.memory_view import describe, due_words
from memtui.tui.state import Opening
from memtui.tui.values import Explained
from memtui.tui.vault_access import VaultAccess, health_options
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

MEMORIES = (
    memory(1, "Fresh", days=3),
    memory(2, "Faded", days=900),
    memory(3, "Faded and pinned", days=900, pinned=True),
    memory(4, "Faded and verified", days=900, verified_at=NOW - timedelta(days=40), verified_by="person"),
    memory(5, "Snoozed", days=900, snoozed_until=NOW + timedelta(days=5)),
    memory(6, "Snoozed until a file changes", days=900, snoozed_until=UNTIL_CHANGE, anchors=(Anchor("a.py"),)),
    memory(7, "On its own day", days=3, due_at=NOW - timedelta(days=2)),
    memory(8, "On a day to come", days=3, due_at=NOW + timedelta(days=2)),
    memory(9, "Contradicted", days=3),
    memory(10, "Hurt twice", days=3),
    memory(11, "Names version 3.11 of it", days=200),
    memory(12, "Half-life of its own", days=20, half_life_days=10.0),
)


def filled(folder: Path) -> Vault:
    vault = empty_vault(folder)
    hurts = [
        Signal(memory_id="m0000010", signal="hurt", at=NOW - timedelta(hours=hours), actor="person") for hours in (1, 2)
    ]
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many(MEMORIES)
        writer.add_links([Link(from_id="m0000009", type="contradicts", to_id="m0000001", created_at=NOW)])
        writer.add_signals(hurts)
    return vault


def test_details_queue_lab_and_counts_agree_on_what_is_due_and_since_when(tmp_path: Path) -> None:
    vault = filled(tmp_path)
    opening = Opening(vault=vault, folder=tmp_path, actor=Actor(), project="ferry")
    access = VaultAccess(opening)
    views = {view.memory.id: view for view in list_memories(vault, MemoryFilter(), threshold=opening.threshold)}
    now = vault.now()
    due = {identifier for identifier, view in views.items() if view.due_at is not None and view.due_at <= now}
    assert due == {one.memory.id for one in review_queue(vault, EVERYTHING, threshold=opening.threshold)}
    assert {"m0000002", "m0000007", "m0000009", "m0000010", "m0000012"} <= due
    assert not due & {"m0000003", "m0000005", "m0000006", "m0000008"}
    assert health(vault, health_options(access)).counts["due"] == len(due)
    for identifier, view in views.items():
        read = read_lab(access, identifier)
        assert read.due_words(Knobs()) == due_words(view.memory, view.due_at, now), view.memory.title
    assert effect(read.snapshot, Knobs()).before == len(due)


def test_the_words_say_when_and_why_never() -> None:
    at = {one.id: one for one in MEMORIES}
    assert due_words(at["m0000001"], NOW - timedelta(days=3), NOW) == "due since 2026-05-29"
    assert due_words(at["m0000001"], NOW + timedelta(days=12), NOW) == "due 2026-06-13, in 12 d"
    assert due_words(at["m0000003"], None, NOW) == "never due: pinned"
    assert due_words(at["m0000006"], None, NOW) == "due once one of its files changes"


def test_the_lab_says_when_a_memory_would_be_due_with_another_half_life(tmp_path: Path) -> None:
    access = VaultAccess(Opening(vault=filled(tmp_path), folder=tmp_path, actor=Actor(), project="ferry"))
    read = read_lab(access, "m0000004")
    assert ", in " in read.due_words(Knobs())
    assert read.due_words(Knobs(memory=("m0000004", 1.0))).startswith("due since 2026-04")


def test_the_lab_makes_a_rule_of_a_file_due_later_with_every_longer_half_life_and_says_what_else_counts(
    tmp_path: Path,
) -> None:
    vault = empty_vault(tmp_path)
    source = Source(format="agents-md", path="AGENTS.md")
    rule = memory(1, "Prefer short ropes", kind="tooling", days=3, sources=(source,))
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many([rule])
    access = VaultAccess(Opening(vault=vault, folder=tmp_path, actor=Actor(), project="ferry"))
    detail = access.detail("m0000001")
    assert detail is not None
    explained = replace(detail, explained=Explained("", []))
    said = ["".join(text for text, _ in block.pieces) for block in describe(explained)]
    assert "waits 3 × as long: names nothing that may change" in said
    read = read_lab(access, "m0000001")
    trial = Trial(memory_id="m0000001", subject=MEMORY)
    days = [read.due_words(Knobs())]
    for _ in range(4):
        trial = trial.stepped(read, 1)
        days.append(read.due_words(trial.knobs))
    assert days == sorted(set(days))
    shown = effect_lines(
        read, effect(read.snapshot, trial.knobs), [], configuration=(), paced=paced(read, trial), width=60, height=9
    )
    assert "due      3 × its fading time: names nothing that may change" in [line.plain.rstrip() for line in shown]
    narrow = effect_lines(
        read, effect(read.snapshot, trial.knobs), [], configuration=(), paced=paced(read, trial), width=34, height=9
    )
    told = " ".join(line.plain[9:].strip() for line in narrow[:3])
    assert told == "3 × its fading time: names nothing that may change", "what explains is not cut"
    assert not paced(read, replace(trial, subject="tooling")), "a kind has memories of all sorts"


def test_the_curve_of_a_memory_names_the_day_it_fades_and_the_later_one_on_which_it_is_due(tmp_path: Path) -> None:
    """One that was accepted long after it was written: it has faded already, and is not due."""
    vault = empty_vault(tmp_path)
    written = NOW - timedelta(days=450)
    late = replace(memory(1, "Tie the ferry at both ends", days=450), observed_at=written, confirmed_at=NOW)
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many([late])
    read = read_lab(VaultAccess(Opening(vault=vault, folder=tmp_path, actor=Actor(), project="ferry")), "m0000001")
    curve = curve_of(read.snapshot, Trial(memory_id="m0000001", subject=MEMORY), due=read.due_words)
    places = {word.split()[0]: place for place, word in curve.labels}
    assert places["faded"] < (curve.today or 0) < places["due"]
    assert len(curve.ticks) == 2
    assert "written" in places
    assert "since acceptance" in curve.caption
    assert not curve.line_word, "nothing is due at the line itself"
