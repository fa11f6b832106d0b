"""The quality and speed of recall. `pytest -m bench -s tests/bench/test_bench_recall.py` prints the tables.

`MEMTUI_BENCH_SMALL=1` only shows that they run, on a few queries; the shared sets are read from beside the checkout.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench import recalling
from bench.corpus import queries, records
from bench.recalling import OWN, SHARED, TREES, Bench, Benches, compare, mean, questions
from bench.timing import memtui, pace, percentile, process_seconds, seconds

from memtui.domain.record import memory_from_record
from memtui.recall.questions import Question
from memtui.recall.searching import search
from memtui.recall.sensing import ModelMeaning
from memtui.recall.vectoring import ResidentVectors
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
MOST = 8 if SMALL else None
MIGRATION = 300 if SMALL else 11_637
LARGE = 500 if SMALL else 100_000
SAMPLE_PROJECTS = ("payments-api", "storefront", "ops-infra")


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Benches:
    return Benches(tmp_path_factory.mktemp("benches"))


def shared(benches: Benches, name: str) -> Bench:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the shared set {name} is not beside this checkout")
    return benches.corpus(folder / "memories.jsonl")


def bar(name: str, value: float, least: float) -> None:
    print(f"{name}: {value:.3f}, bar {least:g}")
    assert SMALL or value >= least, f"{name}: {value:.3f} under {least}"


@pytest.mark.parametrize("name", ["devbench"] if SMALL else ["seamonkey-title", "devmem", "devbench"])
def test_shared_sets_beside_the_weighted_sum(benches: Benches, name: str) -> None:
    bench = shared(benches, name)
    asked = questions(SHARED / name / "queries.jsonl", MOST)
    found, beside = recalling.ours(bench, asked), recalling.weighted_sum(bench, asked)
    print(recalling.HEADING)
    compare(name, found, beside, "weighted sum")
    if name == "seamonkey-title":
        bar("nDCG@10", mean([a.ndcg_at(10) for a in found]), 0.72)
        bar("recall@10", mean([a.recall_at(10) for a in found]), 0.81)
    if name == "devmem":
        bar("hit@5", mean([a.hit_at(5) for a in found]), mean([a.hit_at(5) for a in beside]))
        bar("nDCG@10", mean([a.ndcg_at(10) for a in found]), mean([a.ndcg_at(10) for a in beside]))


@pytest.mark.parametrize("name", ["paraphrases", "answerable"])
def test_tasks_over_the_sample_beside_vectors_and_words(benches: Benches, name: str) -> None:
    bench = benches.sample()
    asked = questions(OWN / f"{name}.jsonl", MOST)
    found = recalling.ours(bench, asked)
    print(recalling.HEADING)
    compare(name, found, recalling.vectors_alone(bench, asked), "vectors alone")
    compare("", found, recalling.weighted_sum(bench, asked), "weighted sum")
    compare("", found, recalling.ours_by_words(bench, asked), "without a model")
    # Paraphrases: vectors alone, which refuse nothing, reach 0.725; what is refused costs 0.05 (RESULTS.md).
    bar(f"{name} recall@5", mean([a.recall_at(5) for a in found]), {"paraphrases": 0.65, "answerable": 0.95}[name])


def test_what_is_current_stands_before_what_it_replaced(benches: Benches) -> None:
    bench = benches.corpus(OWN / "superseded-memories.jsonl")
    asked = questions(OWN / "superseded-queries.jsonl", MOST)
    found = recalling.ours(bench, asked)
    print(recalling.HEADING)
    compare("superseded", found, recalling.weighted_sum(bench, asked), "weighted sum")
    bar("MRR", mean([a.reciprocal_rank() for a in found]), 0.95)


def test_files_lead_to_what_is_tied_to_them(benches: Benches) -> None:
    found = []
    for project in (*SAMPLE_PROJECTS, *TREES):
        tied = OWN / "trees" / f"{project}.jsonl"
        bench = benches.corpus(tied, tied.with_suffix("")) if project in TREES else benches.sample(project)
        found += recalling.ours(bench, questions(OWN / f"files-{project}.jsonl", MOST))
    for kind in sorted({one.question.kind for one in found}):
        some = [one.recall_at(5) for one in found if one.question.kind == kind]
        print(f"{kind:<14}{len(some):>4} tasks   recall@5 {mean(some):.3f}")
    bar("recall@5", mean([one.recall_at(5) for one in found]), 0.95)


def test_what_nothing_answers_is_refused(benches: Benches) -> None:
    sample = benches.sample()
    answerable = [*questions(OWN / "answerable.jsonl", MOST), *questions(OWN / "paraphrases.jsonl", MOST)]
    foreign = questions(OWN / "unanswerable.jsonl", MOST)
    print()
    kept = _answered(sample, answerable)
    refused = 1 - _answered(sample, foreign)
    print(f"{'sample':<18} kept {kept:.3f} of {len(answerable)}, refused {refused:.3f} of {len(foreign)}")
    for name in ("seamonkey-title", "devmem", "devbench"):
        if SMALL or not (SHARED / name).is_dir():
            continue
        bench = shared(benches, name)
        own = _answered(bench, questions(SHARED / name / "queries.jsonl", None))
        strange = [*foreign, *questions(OWN / "answerable.jsonl", None)]
        print(
            f"{name:<18} kept {own:.3f}, refused {1 - _answered(bench, strange):.3f} of {len(strange)} of the sample's"
        )
        assert own >= 0.95
    bar("kept", kept, 0.95)
    bar("refused", refused, 0.40)


def _answered(bench: Bench, asked: list[Question]) -> float:
    return mean([1.0 - one.empty for one in recalling.ours(bench, asked)])


# -- speed ----------------------------------------------------------------------------------------


def filled(folder: Path, count: int, model: str, dimensions: int) -> Vault:
    """A vault of made-up memories with made-up vectors: what they say does not change how long it takes."""
    import numpy as np

    from memtui.vault import vectors

    vault = Vault(folder / "vault.duckdb")
    now = datetime.now(UTC)
    memories = [memory_from_record(record, now=now, new_id=f"m{i:07}") for i, record in enumerate(records(count))]
    with vault.write(actor="bench", action="fill") as writer:
        for start in range(0, count, 5_000):
            writer.put_many(memories[start : start + 5_000])
    chance = np.random.default_rng(3)
    while True:
        with vault.read() as reader:
            waiting = vectors.missing(reader, model, limit=5_000)
        if not waiting:
            return vault
        made = chance.normal(size=(len(waiting), dimensions)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        rows = [vectors.NewVector(one.key, one.content_hash, row) for one, row in zip(waiting, made, strict=True)]
        vectors.store(vault, model, rows)


def ceiling(name: str, value: float, most: float) -> None:
    scaled = most * pace()
    print(f"\n{name:<52}{value:>9.3f} s   bar {most:g} s, here {scaled:.3f}")
    assert SMALL or value <= scaled, f"{name}: {value:.3f} s over {scaled:.3f}"


def test_cold_context_with_vectors(tmp_path: Path, benches: Benches) -> None:
    vault = filled(tmp_path, MIGRATION, benches.engine.name, benches.engine.dimensions)
    # The words of a memory, since made-up vectors are near to nothing.
    title = list(records(2))[1]["title"]
    command = memtui(vault.path, "context", title, "--project", "project-1")
    ceiling(f"cold context at {MIGRATION:,} with vectors", process_seconds(command), 0.8)
    ceiling(f"cold context --fast at {MIGRATION:,}", process_seconds([*command, "--fast"]), 0.4)


@pytest.mark.parametrize(("count", "most"), [(MIGRATION, 0.045), (LARGE, 0.080)])
def test_warm_hybrid_search(tmp_path: Path, benches: Benches, count: int, most: float) -> None:
    vault = filled(tmp_path, count, benches.engine.name, benches.engine.dimensions)
    resident = ResidentVectors(benches.engine.name)
    meaning = ModelMeaning(vault, "bundled", engine=benches.engine, resident=resident, catches_up=False)
    scope = Scope.of_project("project-1")

    def ask(query: str) -> None:
        search(vault, query, scope, limit=20, settings=recalling.SETTINGS, now=vault.now(), meaning=meaning)

    ask("warm up")
    times = [seconds(lambda query=query: ask(query)) for query in queries(20 if SMALL else 100)]  # type: ignore[misc] # bound at once
    print(f"\nwarm hybrid search at {count:,}: p50 {percentile(times, 0.5) * 1000:.1f} ms")
    ceiling(f"warm hybrid search at {count:,}, p95", percentile(times, 0.95), most)
