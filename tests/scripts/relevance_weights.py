"""Fits the models of what matters for a task into `memtui/pack/relevance_weights.json`, and prints their worth.

Learned from `tests/relevance/judged.jsonl`, features of memories of public repositories and whether people found that
they matter for a task there; the texts are not kept. The questions of `tests/eval/strangers-*-dev` are added, so that
a question without files is answered too. Figures are of repositories that were left out of the fit.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from bench.recalling import NOW, OWN, SETTINGS, Benches, questions
from scripts.logistic import fit_logistic

from memtui.pack import relevance_features
from memtui.pack.relevance import LEAST_CHANCE, LEAST_CHANCE_ALONE, chance_of
from memtui.pack.relevance_features import OF_MEANING, features_of
from memtui.recall.rank import recall
from memtui.recall.result import Task
from memtui.vault.filters import Scope

WEIGHTS = Path(relevance_features.__file__).with_name("relevance_weights.json")
JUDGED = Path(__file__).parents[1] / "relevance" / "judged.jsonl"
STRANGERS = ("strangers-1-dev", "strangers-2-dev", "strangers-3-dev")
WHOLE_LISTS = ("fresh",)  # Judges who chose from all memories, and had no part in the features
RIDGE = 60.0  # Penalty of squared weights of standardised features; 30 and 120 give the same areas within .01
LEAST_SPREAD = 0.05  # A feature that hardly varies is not blown up


@dataclass(frozen=True, slots=True)
class Row:
    """One memory for one task."""

    repository: str
    judge: str  # who judged it; each has a measure of their own
    task: str
    matters: float  # share of the judges who say so
    is_essential: float
    weight: float
    found: dict[str, float]
    is_judged: bool = True  # otherwise it was far from what was shown to the judges, and counts as not mattering


def judged() -> list[Row]:
    names, *lines = map(json.loads, JUDGED.read_text("utf-8").splitlines())
    return [
        Row(repository, judge, task, matters, essential, weight, dict(zip(names, values, strict=True)), bool(is_judged))
        for repository, judge, task, matters, essential, weight, is_judged, values in lines
    ]


def asked(benches: Benches, *, with_meaning: bool) -> Iterator[Row]:
    """Yield what recall finds for the questions of strangers."""
    for name in STRANGERS:
        bench = benches.corpus(OWN / name / "memories.jsonl")
        for number, one in enumerate(questions(OWN / name / "queries.jsonl", None)):
            task = Task(one.query, one.files)
            scope = Scope.of_project(one.project) if one.project else bench.scope
            meaning = bench.meaning if with_meaning else None
            found = recall(bench.vault, task, scope, settings=SETTINGS, now=NOW, meaning=meaning)
            hits = [hit for hit in (*found.hits, *found.near) if hit.memory.id not in one.exclude]
            for identifier, features in features_of(hits, task, found.in_hand).items():
                yield Row(name, "", f"{name} {number}", float(identifier in one.expected), 0.0, 0.5, features)


def fit(rows: Sequence[Row], names: Sequence[str]) -> tuple[dict[str, float], float]:
    """Return weight per feature and base of a logistic model.

    One judge calls three times as much relevant as another, so that each has a base of their own; that of the model
    is the mean of those of the judges who saw whole lists.
    """
    table = np.array([[row.found[name] for name in names] for row in rows])
    judges = sorted({row.judge for row in rows if row.judge})
    whose = np.array([[row.judge == judge for judge in judges] for row in rows], float)
    said, weight = np.array([row.matters for row in rows]), np.array([row.weight for row in rows])
    found, base = fit_logistic(np.c_[table, whose], said, weight, ridge=RIDGE, least_spread=LEAST_SPREAD)
    weights, bases = found[: len(names)], dict(zip(judges, found[len(names) :], strict=True))
    own = [bases[judge] for judge in WHOLE_LISTS if judge in bases]
    return dict(zip(names, weights, strict=True)), base + sum(own) / max(1, len(own))


def train(rows: Sequence[Row], *, with_meaning: bool) -> relevance_features.Model:
    names = sorted(name for name in rows[0].found if with_meaning or name not in OF_MEANING)
    weights, base = fit(rows, names)
    return relevance_features.Model({name: round(weight, 4) for name, weight in weights.items()}, round(base, 4))


def held_out(rows: Sequence[Row], *, with_meaning: bool) -> list[float]:
    """Return the chance of each row by a model that saw none of its repository."""
    models = {
        name: train([row for row in rows if row.repository != name], with_meaning=with_meaning)
        for name in sorted({row.repository for row in rows})
    }
    return [chance_of(models[row.repository], row.found).value for row in rows]


def figures(rows: Sequence[Row], chances: Sequence[float]) -> Iterator[str]:
    """Yield the curve over the bar of tasks with files; the bar of the others moves with it."""
    for name, chosen in (("work in repositories", False), ("questions", True)):
        group = [
            (row, chance)
            for row, chance in zip(rows, chances, strict=True)
            if row.is_judged and (row.repository in STRANGERS) == chosen
        ]
        yield name
        whole, essential = sum(row.matters for row, _ in group), sum(row.is_essential for row, _ in group)
        for bar in sorted({0.15, 0.2, 0.3, 0.35, 0.4, 0.5, LEAST_CHANCE}):
            alone = bar * LEAST_CHANCE_ALONE / LEAST_CHANCE
            kept = [row for row, chance in group if chance >= (alone if row.found["alone"] else bar)]
            right = sum(row.matters for row in kept)
            first = f", essential {sum(row.is_essential for row in kept) / essential:.2f}" if essential else ""
            yield f"  {bar:.2f} kept {len(kept):4} precision {right / len(kept):.2f}, recall {right / whole:.2f}{first}"


def main() -> None:
    models = {}
    with tempfile.TemporaryDirectory() as folder:
        benches = Benches(Path(folder))
        for name in ("meaning", "words"):
            with_meaning = name == "meaning"
            rows = [*judged(), *asked(benches, with_meaning=with_meaning)]
            print(name, *figures(rows, held_out(rows, with_meaning=with_meaning)), sep="\n")
            model = train(rows, with_meaning=with_meaning)
            models[name] = {"weights": model.weights, "base": model.base}
    WEIGHTS.write_text(json.dumps(models, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
