"""The bars of the embedding engine and of its vectors. `pytest -m bench -s` runs them."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.corpus import sentences
from bench.test_bench_speed import LARGE, MIGRATION, SMALL, check
from bench.timing import pace, percentile, process_seconds, seconds
from bench.vaults import filled
from numpy.typing import NDArray

from memtui.embedding.bundled import BundledEngine
from memtui.recall.embedding_cache import ResidentVectors
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.search import vectors

pytestmark = pytest.mark.bench

SETS = Path(os.environ.get("MEMTUI_BENCH_SETS", str(Path(__file__).parents[3] / "shared" / "bench")))
"""Retrieval sets, each a folder with memories.jsonl and queries.jsonl."""

MODEL = os.environ.get("MEMTUI_FP32_MODEL", "")
"""Folder of all-MiniLM-L6-v2 in fp32, for Sentence Transformers."""


def rate(engine: BundledEngine, words: int, count: int) -> float:
    """Return texts per second, for texts of so many words of English prose."""
    pool = " ".join(sentences()).split()
    texts = [" ".join(pool[start : start + words]) for start in range(0, count * 7, 7)]
    engine.embed_passages(texts[:8])
    return count / seconds(lambda: engine.embed_passages(texts))


@pytest.mark.parametrize(("words", "bar"), [(20, 250), (60, 90)])
def test_bulk(words: int, bar: int) -> None:
    got = rate(BundledEngine(), words, 32 if SMALL else 320)
    print(f"\nembedding in bulk, {words} words: {got:.0f} texts a second, bar {bar}, here {bar / pace():.0f}")
    assert SMALL or got >= bar / pace()


def test_opening_the_model() -> None:
    script = "from memtui.embedding.engine import open_engine; open_engine('bundled').embed_queries(['a task'])"
    bare = process_seconds([sys.executable, "-c", "import memtui.embedding.engine"])
    check("opening the model and one query", process_seconds([sys.executable, "-c", script]) - bare, 0.35)


def some_query() -> NDArray[np.float32]:
    row = np.random.default_rng(6).standard_normal(BundledEngine.dimensions).astype(np.float32)
    return row / np.float32(np.linalg.norm(row))


def _nearest(reader: VaultReader, wanted: MemoryFilter) -> None:
    vectors.ScoredVectors(reader, BundledEngine.name, some_query()).nearest(wanted, 120)


def test_nearest_by_sql(tmp_path: Path) -> None:
    vault = filled(tmp_path, MIGRATION, BundledEngine.name)
    times = []
    for scope in (Scope(), Scope.of_project("project-1")):
        for _ in range(5):
            with vault.read() as reader:
                times.append(seconds(partial(_nearest, reader, MemoryFilter(scope=scope))))
    check(f"nearest by SQL at {MIGRATION:,}, freshly opened", percentile(times, 0.5), 0.030)


def test_resident_scores(tmp_path: Path) -> None:
    vault = filled(tmp_path, LARGE, BundledEngine.name)
    resident = ResidentVectors(BundledEngine.name)
    taken = seconds(lambda: resident.load(vault))
    times = [seconds(lambda: resident.held.cosines(some_query())) for _ in range(30)]
    print(f"\nreading {len(resident.held.keys):,} vectors into memory: {taken * 1000:.0f} ms")
    check(f"resident scores at {LARGE:,}, p95", percentile(times, 0.95), 0.015)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.skipif(not SETS.is_dir(), reason="the shared retrieval sets are not here (MEMTUI_BENCH_SETS)")
@pytest.mark.skipif(
    not MODEL or importlib.util.find_spec("sentence_transformers") is None,
    reason="needs memtui[sentence-transformers] and the fp32 model (MEMTUI_FP32_MODEL)",
)
@pytest.mark.parametrize("name", ["seamonkey-title", "devmem"])
def test_top_ten_against_fp32(name: str) -> None:
    from sentence_transformers import SentenceTransformer

    texts = [f"{row['title']}\n{row['insight']}" for row in lines(SETS / name / "memories.jsonl")]
    asked = [row["query"] for row in lines(SETS / name / "queries.jsonl")]
    if SMALL:
        texts, asked = texts[:50], asked[:5]
    ours, theirs = BundledEngine(), SentenceTransformer(MODEL, local_files_only=True)
    exact = [theirs.encode(part, normalize_embeddings=True) for part in (asked, texts)]
    int8 = [ours.embed_passages(part) for part in (asked, texts)]
    parity = np.concatenate([(a * b).sum(axis=1) for a, b in zip(exact, int8, strict=True)])
    shared = [
        len({*np.argsort(-a, kind="stable")[:10]} & {*np.argsort(-b, kind="stable")[:10]}) / 10
        for a, b in zip(exact[0] @ exact[1].T, int8[0] @ int8[1].T, strict=True)
    ]
    print(f"\n{name}: top-10 overlap {np.mean(shared):.3f}; cosine mean {parity.mean():.4f}, least {parity.min():.4f}")
    assert parity.min() >= 0.99
    assert np.mean(shared) >= 0.95
