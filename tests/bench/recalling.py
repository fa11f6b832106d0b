"""Sets to measure recall on, the baselines that stand beside it, and the interval of a paired difference."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.config import RecallSettings
from memtui.domain.identity import Actor
from memtui.domain.kinds import Kinds
from memtui.embedding.engine import Engine, open_engine
from memtui.recall.embedding_cache import ResidentVectors, embed_missing
from memtui.recall.evaluation import Answer, Question, corpus_vault, evaluate, read_corpus, read_questions
from memtui.recall.search import search
from memtui.recall.semantic import ModelMeaning
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests" / "eval"
SHARED = Path(os.environ.get("MEMTUI_BENCH_SETS", ROOT.parent / "shared" / "bench"))
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SETTINGS = RecallSettings()
TREES = ("ferry-desk", "sensor-hub")
RESAMPLES = 2_000
DEPTH = 60

Method = Callable[["Bench", Sequence[Question]], list[Answer]]


@dataclass(frozen=True)
class Bench:
    """A vault with its vectors in memory, ready to be asked."""

    vault: Vault
    engine: Engine
    resident: ResidentVectors
    scope: Scope = EVERYTHING
    tree: Tree | None = None

    @property
    def meaning(self) -> ModelMeaning:
        return ModelMeaning(self.vault, "bundled", engine=self.engine, resident=self.resident, catches_up=False)


class Benches:
    """Makes each vault once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Bench] = {}
        engine = open_engine("bundled")
        assert engine is not None
        self.engine = engine

    def corpus(self, path: Path, tree: Path | None = None) -> Bench:
        def make(folder: Path) -> Vault:
            corpus = read_corpus(path.read_text(encoding="utf-8"), path.name, NOW)
            return corpus_vault(folder, corpus, kinds=Kinds(), now=lambda: NOW)

        name = path.stem if tree else f"{path.parent.name}-{path.stem}"
        scope = Scope.of_project(path.stem) if tree else EVERYTHING
        return self._bench(name, make, scope, Tree(path.stem, tree) if tree else None)

    def sample(self, project: str | None = None) -> Bench:
        whole = self._bench("sample", sample_vault, EVERYTHING, None)
        if project is None:
            return whole
        tree = Tree(project, ROOT / "sample_vault" / "trees" / project)
        return Bench(whole.vault, whole.engine, whole.resident, Scope.of_project(project), tree)

    def mixed(self, names: Sequence[str]) -> Bench:
        """The sample among the memories of shared sets."""

        def make(folder: Path) -> Vault:
            vault = sample_vault(folder)
            for name in names:
                text = (SHARED / name / "memories.jsonl").read_text(encoding="utf-8")
                with vault.write(actor="person", action="mix") as writer:
                    writer.put_many(replace(one, project=name) for one in read_corpus(text, name, NOW).memories)
            return vault

        return self._bench("mixed", make, EVERYTHING, None)

    def _bench(self, name: str, make: Callable[[Path], Vault], scope: Scope, tree: Tree | None) -> Bench:
        if name not in self._made:
            folder = self._folder / name
            folder.mkdir()
            vault = make(folder)
            embed_missing(vault, self.engine)
            self._made[name] = Bench(vault, self.engine, ResidentVectors(self.engine.name), scope, tree)
        return self._made[name]


def sample_vault(folder: Path) -> Vault:
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    source = ROOT / "sample_vault"
    request = ImportRequest(paths=[source], folder=source, home=folder, format="vault")
    run_import(vault, read_sources(request), request, actor=Actor())
    return vault


def questions(path: Path, most: int | None) -> list[Question]:
    return read_questions(path.read_text(encoding="utf-8"), path.name)[:most]


# -- methods: ours, and what stands beside it -----------------------------------------------------


def ours(bench: Bench, asked: Sequence[Question]) -> list[Answer]:
    return evaluate(bench.vault, asked, bench.scope, settings=SETTINGS, now=NOW, meaning=bench.meaning, tree=bench.tree)


def ours_by_words(bench: Bench, asked: Sequence[Question]) -> list[Answer]:
    return evaluate(bench.vault, asked, bench.scope, settings=SETTINGS, now=NOW, tree=bench.tree)


def words_alone(bench: Bench, asked: Sequence[Question]) -> list[Answer]:
    return _plain(bench, asked, 0.0)


def vectors_alone(bench: Bench, asked: Sequence[Question]) -> list[Answer]:
    return _plain(bench, asked, 1.0)


def weighted_sum(bench: Bench, asked: Sequence[Question]) -> list[Answer]:
    return _plain(bench, asked, 0.5)


def _plain(bench: Bench, asked: Sequence[Question], weight: float) -> list[Answer]:
    """Rank by a fixed sum of min-max-normalised scores; no floor, no freshness, nothing refused."""
    answers = []
    with bench.vault.read() as reader:
        held = bench.resident.refresh(reader)
        active = reader.select_ids(MemoryFilter(scope=bench.scope), sort="created", now=NOW)
        keys = {key: one for one, (key, _) in reader.keyed(active).items()}
        for question in asked:
            found = held.cosines(_query(bench, question.query))
            cosines = {
                keys[key]: cosine for key, cosine in zip(held.keys.tolist(), found.tolist(), strict=True) if key in keys
            }
            hits = reader.search(question.query, MemoryFilter(scope=bench.scope), limit=len(keys))
            words = {keys[hit.key]: hit.score for hit in hits if hit.key in keys}
            low, high = min(cosines.values()), max(cosines.values())
            best = max(words.values(), default=0.0)
            total = {
                one: weight * (cosine - low) / (high - low) + (1 - weight) * (words.get(one, 0.0) / best if best else 0)
                for one, cosine in cosines.items()
            }
            ranked = sorted((one for one in total if total[one] > 0), key=lambda one: (-total[one], one))
            ids = tuple(one for one in ranked if one not in question.exclude)[:DEPTH]
            answers.append(Answer(question, ids, not ids, 0.0))
    return answers


def _query(bench: Bench, text: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = bench.engine.embed_queries([text])[0]
    return vector


# -- figures --------------------------------------------------------------------------------------


def paired_interval(one: Sequence[float], other: Sequence[float], *, seed: int = 5) -> tuple[float, float, float]:
    """Return the mean of one − other over the same queries, and its 95% bootstrap interval."""
    chance = random.Random(seed)
    differences = [a - b for a, b in zip(one, other, strict=True)]
    size = len(differences)
    means = sorted(sum(chance.choices(differences, k=size)) / size for _ in range(RESAMPLES))
    return sum(differences) / size, means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]


def compare(name: str, found: Sequence[Answer], beside: Sequence[Answer], label: str) -> None:
    """Print our figures, those of a baseline, and the interval of the difference in nDCG@10."""
    mean, low, high = paired_interval([a.ndcg_at(10) for a in found], [a.ndcg_at(10) for a in beside])
    print(f"{name:<24}{'memtui':<16}{_row(found)}")
    print(f"{'':<24}{label:<16}{_row(beside)}   nDCG@10 {mean:+.3f} [{low:+.3f}, {high:+.3f}]")


HEADING = f"\n{'set':<24}{'method':<16}{'r@5':>7}{'r@10':>7}{'hit@5':>7}{'nDCG':>7}{'MRR':>7}{'empty':>7}"


def _row(answers: Sequence[Answer]) -> str:
    columns = (
        [a.recall_at(5) for a in answers],
        [a.recall_at(10) for a in answers],
        [a.hit_at(5) for a in answers],
        [a.ndcg_at(10) for a in answers],
        [a.reciprocal_rank() for a in answers],
        [float(a.empty) for a in answers],
    )
    return "".join(f"{sum(values) / len(values):7.3f}" for values in columns)


BY_KIND = f"{'kind':<16}{'asked':>6}{'r@5':>7}{'hit@5':>7}{'nDCG':>7}{'sure':>7}{'nothing':>8}"


def print_kind(kind: str, answers: Sequence[Answer]) -> None:
    """Print the figures of some answers in the columns of `BY_KIND`."""
    asked = [one for one in answers if one.question.expected]
    columns = [[one.recall_at(5), one.hit_at(5), one.ndcg_at(10)] for one in asked]
    found = [f"{mean(column):7.3f}" for column in zip(*columns, strict=True)] or [f"{'–':>7}"] * 3
    sure = [float(one.sure == step) for step in ("sure", "nothing") for one in answers]
    half = len(answers)
    print(f"{kind:<16}{half:>6}{''.join(found)}{mean(sure[:half]):7.2f}{mean(sure[half:]):8.2f}")


def outdated_shown(bench: Bench, asked: Sequence[Question]) -> int:
    """Return how many questions show in the first five of a search what they exclude."""
    shown = 0
    for question in asked:
        scope = Scope.of_project(question.project) if question.project else bench.scope
        found = search(
            bench.vault,
            question.query,
            scope,
            limit=5,
            settings=SETTINGS,
            now=NOW,
            only_current=True,
            meaning=bench.meaning,
        )
        shown += not {hit.memory.id for hit in found.hits}.isdisjoint(question.exclude)
    return shown


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
