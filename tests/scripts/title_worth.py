"""Grows the trees that tell good titles into `memtui/analysis/title_worth.json`, and prints what a choice by them does.

Learned from `tests/titles/labelled.npz`: titles that memories of real repositories could have, and whether fresh
readers called them good; as signs in numbers, whose texts are not kept. `--labelled FILE…`, JSON lines with `memory`,
`repo`, `text`, `headings`, `titles` (each with `title`, `good` and whether it is the memory's `own`), `share` (how many
memories it stands for, 0 for one that figures leave out) and `weight`, computes these again, which is needed whenever
the signs change. Figures are of repositories that were left out of the fit. Needs `pip install scikit-learn==1.9.1`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from memtui.analysis import title_choice
from memtui.analysis.grammar import language_of
from memtui.analysis.title_blocks import blocks
from memtui.analysis.title_choice import LEAST_GAIN
from memtui.analysis.title_signs import TextSigns, signs_of
from memtui.text.inline import READ_CHARS

LABELLED = Path(__file__).parents[1] / "titles" / "labelled.npz"
WORTH = Path(title_choice.__file__).with_name("title_worth.json")
TREES, LEAVES, RATE = (
    60,
    8,
    0.15,
)  # 250 trees of 12 leaves at .05 leave one bad title of a thousand less, in five times the time
FEWEST_TITLES, RIDGE = 20, 5.0  # in a leaf
FOLDS = 10
DIGITS = 4
TOLD_CHARS = 400


@dataclass(frozen=True, slots=True)
class Labelled:
    """Titles, a row each."""

    names: list[str]  # of the signs
    signs: Any
    good: Any
    own: Any  # whether it is the title that the memory had
    weights: Any
    memories: Any  # the number of each title's
    shares: Any  # how many memories its memory stands for in the figures
    repositories: Any


def model() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        learning_rate=RATE,
        min_samples_leaf=FEWEST_TITLES,
        l2_regularization=RIDGE,
        early_stopping=False,
        random_state=0,
    )


def fit(labelled: Labelled, rows: Any) -> HistGradientBoostingClassifier:
    return model().fit(labelled.signs[rows], labelled.good[rows], sample_weight=labelled.weights[rows])


def stored(labelled: Labelled) -> dict[str, Any]:
    """Return the model of all that was labelled, as it is stored."""
    grown = fit(labelled, np.arange(len(labelled.good)))
    trees = [_tree(nodes[0].nodes, 0, labelled.names) for nodes in grown._predictors]  # no public way
    return {"base": round(float(grown._baseline_prediction.ravel()[0]), DIGITS), "trees": trees}


def _tree(nodes: Any, at: int, names: Sequence[str]) -> list[Any] | float:
    node = nodes[at]
    if node["is_leaf"]:
        return round(float(node["value"]), DIGITS)
    most = round(float(node["num_threshold"]), DIGITS)
    branches = (_tree(nodes, int(node[side]), names) for side in ("left", "right"))
    return [names[node["feature_idx"]], most, *branches]


def held_out(labelled: Labelled) -> None:
    """Print how many titles a choice mends and spoils on repositories of which nothing was learned, by least gain."""
    odds = np.zeros(len(labelled.good))
    for learned, left_out in GroupKFold(FOLDS, shuffle=True, random_state=1).split(odds, groups=labelled.repositories):
        odds[left_out] = fit(labelled, learned).decision_function(labelled.signs[left_out])
    titles: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(labelled.shares > 0).tolist():
        titles[labelled.memories[row]].append(row)
    known = [rows for rows in titles.values() if any(labelled.own[row] for row in rows)]
    print(f"{len(known)} memories, {sum(map(len, known))} titles")
    for least in sorted({0.8, 1.0, 1.6, LEAST_GAIN}):
        print(f"  least gain {least}: {_of_choice(labelled, known, odds, least)}")


def _of_choice(labelled: Labelled, known: Iterable[Sequence[int]], odds: Any, least: float) -> str:
    total = bad = mended = spoiled = changed = 0.0
    for rows in known:
        own = next(row for row in rows if labelled.own[row])
        best = max(rows, key=lambda row: odds[row])
        taken = best if odds[best] - odds[own] > least else own
        share = labelled.shares[own]
        total += share
        bad += share * (1 - labelled.good[own])
        changed += share * (taken != own)
        mended += share * (labelled.good[taken] > labelled.good[own])
        spoiled += share * (labelled.good[taken] < labelled.good[own])
    return (
        f"bad {bad / total:.3f} -> {(bad - mended + spoiled) / total:.3f}, changed {changed / total:.3f},"
        f" mended {mended / total:.3f}, spoiled {spoiled / total:.3f}"
    )


def compute(files: Iterable[Path]) -> None:
    """Store the signs of labelled titles."""
    memories = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    repositories = {name: at for at, name in enumerate(sorted({memory["repo"] for memory in memories}))}
    rows = []
    for memory in memories:
        text = memory["text"]
        told = TextSigns.of(blocks(text[:READ_CHARS]), memory["headings"], language_of(text[:TOLD_CHARS]))
        rows += [(memory, title, signs_of(title["title"], told)) for title in memory["titles"]]
    names = sorted(rows[0][2])
    LABELLED.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        LABELLED,
        names=np.array("\n".join(names)),
        signs=np.array([[signs[name] for name in names] for _, _, signs in rows], dtype=np.float32),
        good=np.array([title["good"] for _, title, _ in rows], dtype=np.int8),
        own=np.array([title["own"] for _, title, _ in rows], dtype=np.int8),
        weights=np.array([memory["weight"] for memory, _, _ in rows], dtype=np.float32),
        memories=np.array([memory["memory"] for memory, _, _ in rows], dtype=np.int32),
        shares=np.array([memory["share"] for memory, _, _ in rows], dtype=np.float32),
        repositories=np.array([repositories[memory["repo"]] for memory, _, _ in rows], dtype=np.int16),
    )


def read() -> Labelled:
    """Return what was labelled."""
    data = np.load(LABELLED)
    columns = [data[name] for name in ("signs", "good", "own", "weights", "memories", "shares", "repositories")]
    return Labelled(str(data["names"]).split("\n"), *columns)


def main() -> None:
    """Compute the signs again if asked to, print the held-out figures, and store the trees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labelled", type=Path, nargs="+", default=[])
    parser.add_argument("--held-out", action="store_true", help="print the figures only")
    options = parser.parse_args()
    if options.labelled:
        compute(options.labelled)
    labelled = read()
    held_out(labelled)
    if not options.held_out:
        WORTH.write_text(json.dumps(stored(labelled), separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
