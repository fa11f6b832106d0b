"""The speed bars of curation. `pytest -m bench -s` runs them; `MEMTUI_BENCH_SMALL=1` only shows that they run."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.corpus import queries, records
from bench.pairs import CURATION, judged, measured, read_pairs
from bench.timing import pace, seconds
from curating import git

from memtui.analysis.contradictions import find_contradictions
from memtui.analysis.duplicates import find_duplicates
from memtui.curate.anchors import check_anchors, check_trees
from memtui.curate.decay import Knobs, PayloadOptions, Payloads, effect, take_snapshot
from memtui.curate.lifecycle import retire
from memtui.curate.projects import view_of
from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot
from memtui.curate.tidy import TidyCache, TidyOptions, tidy
from memtui.domain.identity import Actor
from memtui.domain.kinds import in_project
from memtui.domain.memory import Anchor, Link, Memory, Signal
from memtui.domain.record import memory_from_record
from memtui.embedding.bundled import BundledEngine
from memtui.pack.recipes import save_recipe
from memtui.recall.embedding_cache import embed_missing
from memtui.recall.result import Task
from memtui.tree import Tree
from memtui.tui.lab.curve import curve_of
from memtui.tui.lab.trial import Trial
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.review_triggers import riskiest
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
MIGRATION = 300 if SMALL else 11_637
LARGE = 600 if SMALL else 100_000
FILES = 50 if SMALL else 5_000


def check(name: str, value: float, bar: float) -> None:
    scaled = bar * pace()
    print(f"\n{name:<60}{value:>9.3f} s   bar {bar:g} s, here {scaled:.3f}")
    assert SMALL or value <= scaled, f"{name}: {value:.3f} over {scaled:.3f}"


def filled(path: Path, count: int) -> tuple[Vault, list[Memory]]:
    vault = Vault(path)
    now = datetime.now(UTC)
    memories = [memory_from_record(record, now=now, new_id=f"m{i:07}") for i, record in enumerate(records(count))]
    with vault.write(actor="bench", action="fill") as writer:
        for start in range(0, count, 5_000):
            writer.put_many(memories[start : start + 5_000])
    return vault, memories


def with_vectors(vault: Vault, dimensions: int = 384) -> str:
    """Store made-up vectors, as embedding would take minutes; a pass costs the same whatever they say."""
    import numpy as np

    from memtui.vault.search.vectors import NewVector, missing, store

    chance = np.random.default_rng(7)
    with vault.read() as reader:
        waiting = missing(reader, "made-up", limit=MIGRATION)
    matrix = chance.standard_normal((len(waiting), dimensions), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    for start in range(0, len(waiting), 2_000):
        rows = [
            NewVector(text.key, text.content_hash, matrix[start + at])
            for at, text in enumerate(waiting[start : start + 2_000])
        ]
        store(vault, "made-up", rows)
    return "made-up"


def look_through(vault: Vault, model: str | None) -> None:
    gathered = read_snapshot(vault, MemoryFilter())
    alike = pairs_by_meaning(vault, gathered, model)
    conflicts = find_contradictions(gathered, alike=alike)
    groups = find_duplicates(gathered, alike=alike, apart=[conflict.ids for conflict in conflicts])
    print(f"\n{len(conflicts):,} conflicts, {len(groups):,} groups of duplicates")


def test_duplicates_and_conflicts_with_vectors(tmp_path: Path) -> None:
    vault, _ = filled(tmp_path / "vault.duckdb", MIGRATION)
    model = with_vectors(vault)
    check(f"duplicates and conflicts of {MIGRATION:,} with vectors", seconds(lambda: look_through(vault, model)), 10.0)


@pytest.mark.parametrize(
    ("name", "least_precision", "least_recall", "least_f1"),
    [
        ("strangers-dev", 0.85, 0.85, 0.85),
        ("strangers-locked", 0.85, 0.82, 0.81),
        ("unseen", 0.85, 0.4, 0.0),
        ("newcomers-1", 0.9, 0.9, 0.85),
        ("newcomers-2", 0.9, 0.9, 0.85),
        ("newcomers-3", 0.9, 0.9, 0.85),
    ],
)
def test_strangers_pairs_are_judged_as_a_person_would(
    name: str, least_precision: float, least_recall: float, least_f1: float
) -> None:
    """The models were fitted on the pairs of strangers and newcomers; the unseen ones have no contradictions."""
    pairs = read_pairs(CURATION / f"{name}.jsonl")
    duplicates, contradictions, wrong = measured(pairs, judged(pairs, BundledEngine(), together=False))
    print(f"\nduplicates      {duplicates}\ncontradictions  {contradictions}\nwrong in the easy pile: {wrong}")
    assert duplicates.precision >= least_precision
    assert duplicates.recall >= least_recall
    assert contradictions.f1 >= least_f1
    assert not wrong


@pytest.mark.parametrize("name", ["newcomers-1", "newcomers-2", "newcomers-3"])
def test_what_is_said_again_among_many_notes_is_proposed_and_rarely_wrong(name: str) -> None:
    """All pairs of a writer in one project, which is what a vault of typed memories looks like."""
    pairs = read_pairs(CURATION / f"{name}.jsonl")
    duplicates, contradictions, wrong = measured(pairs, judged(pairs, BundledEngine(), together=True))
    print(f"\nduplicates      {duplicates}\ncontradictions  {contradictions}\nwrong in the easy pile: {wrong}")
    assert duplicates.precision >= 0.75
    assert duplicates.recall >= 0.35
    assert contradictions.precision >= 0.75
    assert contradictions.recall >= 0.27
    assert not wrong


@pytest.mark.parametrize("name", ["strangers-1-locked", "strangers-2-locked", "strangers-3-locked"])
def test_hardly_anything_is_proposed_where_typed_memories_say_nothing_twice(name: str, tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    now = datetime.now(UTC)
    lines = (CURATION.parent / "eval" / name / "memories.jsonl").read_text("utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if record["type"] == "memory"]
    with vault.write(actor="bench", action="fill") as writer:
        writer.put_many(memory_from_record(record, now=now, new_id=record["id"]) for record in records)
    embed_missing(vault, BundledEngine())
    report = tidy(vault, TidyOptions(model=BundledEngine().name))
    assert len(report.duplicates) <= 1
    assert len(report.contradictions) <= 2


def test_duplicates_and_conflicts_of_a_large_vault(tmp_path: Path) -> None:
    vault, _ = filled(tmp_path / "vault.duckdb", LARGE)
    check(f"duplicates and conflicts of {LARGE:,}", seconds(lambda: look_through(vault, None)), 90.0)


def test_a_pass_after_an_act_looks_only_at_what_moved(tmp_path: Path) -> None:
    vault, memories = filled(tmp_path / "vault.duckdb", MIGRATION)
    options, cache = TidyOptions(model=with_vectors(vault)), TidyCache()
    check(f"tidy of {MIGRATION:,}, every finding", seconds(lambda: tidy(vault, options, cache=cache)), 15.0)
    retire(vault, [memories[0].id], actor=Actor())
    check("the same after an act", seconds(lambda: tidy(vault, options, cache=cache)), 1.5)


def test_the_decay_lab_follows_its_knobs(tmp_path: Path) -> None:
    vault, _ = filled(tmp_path / "vault.duckdb", MIGRATION)
    for number, text in enumerate(queries(8)):
        task = Task(text, ("src/module3/file3.py",) if number % 2 else ())
        recipe = {"actor": "bench", "project": "project-0", "target": "chat", "budget": "1200"}
        save_recipe(vault, f"task {number}", task, **recipe)  # type: ignore[arg-type] # texts by name
    with vault.read() as reader:
        view = view_of(reader, tmp_path, "project-0")
    snapshot = take_snapshot(vault, EVERYTHING)
    payloads = Payloads(vault, PayloadOptions(view=view))
    payloads.members(snapshot.in_force)
    knobs = Knobs(half_lives={"tooling": 30.0, in_project("note", "project-0"): 3.0}, threshold=0.6, floor=0.02)

    def turn() -> None:
        curve_of(snapshot, Trial(subject="tooling", knobs=knobs))
        effect(snapshot, knobs)

    check(f"a knob to curve and counts at {MIGRATION:,}", seconds(turn), 0.1)
    taken = seconds(lambda: payloads.members(knobs.kinds(snapshot.in_force)))
    check("then the payloads of eight recipes", taken, 0.5)


def test_what_is_due_in_a_large_vault(tmp_path: Path) -> None:
    vault, memories = filled(tmp_path / "vault.duckdb", LARGE)
    now = vault.now()
    with vault.write(actor="bench", action="use") as writer:
        writer.add_signals(
            Signal(memory_id=one.id, signal="hurt" if n % 10 == 0 else "copied", at=now, actor="bench")
            for n, one in enumerate(memories)
            for _ in range(2)
            if n % 3 == 0
        )
        writer.add_links(
            Link(from_id=one.id, type="contradicts", to_id=other.id, created_at=now)
            for one, other in zip(memories[: LARGE // 50], memories[LARGE // 50 :], strict=False)
        )
        states = [(one.id, held.path, n) for n, one in enumerate(memories) for held in one.anchors]
        writer.insert_unjournaled(
            "anchor_states",
            [
                {"memory_id": owner, "path": path, "state": "changed" if n % 7 == 0 else "fresh", "checked_at": now}
                for owner, path, n in states
            ],
        )
    due = MemoryFilter(stale_at=now)
    with vault.read() as reader:
        check(f"count of what is due of {LARGE:,}", seconds(lambda: reader.count(due)), 0.15)
        check(f"the forty riskiest of {LARGE:,}", seconds(lambda: riskiest(reader, due, now=now, limit=40)), 0.5)


def test_anchors_of_a_large_repository(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    for number in range(FILES):
        path = root / f"src/module{number % 100}/file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def work{number}():\n    return {number}\n" * 20, encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "Start")
    git(root, "mv", "src/module7", "src/seventh")
    now = datetime.now(UTC)
    memories = [
        Memory(
            id=f"m{number:07}",
            title=f"Fact {number}",
            insight="It holds.",
            project="shop",
            anchors=(Anchor(f"src/module{number % 100}/file{number}.py", "0" * 32),),
            created_at=now,
            updated_at=now,
        )
        for number in range(FILES)
    ]
    taken = seconds(lambda: check_anchors(memories, Tree("shop", root)))
    check(f"anchors of {FILES:,} memories over {FILES:,} files", taken, 5.0)
    vault = Vault(tmp_path / "vault.duckdb")
    with vault.write(actor="bench", action="fill") as writer:
        writer.put_many(memories)
    taken = seconds(lambda: check_trees(vault, [Tree("shop", root)]))
    check(f"the same, read from and remembered in the vault, of {FILES:,}", taken, 5.0)
