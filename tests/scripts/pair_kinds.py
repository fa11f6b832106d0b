"""Fits the model of kinds for `pair_weights.py`: of what kind two memories are, as the strangers named their pairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench.pairs import Pair
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from memtui.analysis.pair_kinds import LABELS
from memtui.analysis.pair_phrases import FEWEST_SIGNS

RIDGE = 3.0  # Penalty of squared weights of standardised features; 2 and 6 give the same figures within .005
SPREAD = 18.0  # How much a sign may weigh, as in `pair_weights.py`; at 13 and 25 the same within .005
FEWEST_PAIRS, FEWEST_WRITERS = 8, 8  # Pairs, and writers of such, that a sign occurs in; with all signs no better
HUNDREDTHS = 100

_WITHIN = {
    "conflict": (
        "behaviour", "cause", "tool", "old new", "order", "style", "ownership", "location", "version", "number", "port",
        "default", "key value", "policy negation",
    ),
    "no-conflict": (
        "compatible|side by side", "correct|example", "option|pros", "command", "general|rule", "plan", "tool",
        "language", "environment|folder|phase|platform",
    ),
    "duplicate": (
        "command description", "digest paragraph", "list prose", "near verbatim", "other kind", "other language",
        "reason first", "symptom cause", "reworded",
    ),
    "near-miss": ("number|version", "negat", "plan", "order", "condition|name|environment|person|place|subject"),
    "related": ("related",),
}  # fmt: skip
"""Words of the types that pairs have, by which they are told apart; what has none of them is of the last kind."""


def kind_of(pair: Pair) -> str:
    """Return the kind of a stranger's pair, as it is stored: its label and what is within it."""
    label = "duplicate" if pair.is_same else pair.label
    said = pair.type.lower().replace("-", " ")
    kinds = _WITHIN[label]
    found = next((kind for kind in kinds if any(word in said for word in kind.split("|"))), kinds[-1])
    return f"{label}, {found.replace('|', ' or ')}"


@dataclass(frozen=True, slots=True)
class Kind:
    """What is learned from one pair."""

    found: dict[str, float]
    signs: AbstractSet[str]
    kind: str
    writer: str


def fit_kinds(rows: Sequence[Kind]) -> dict[str, Any]:
    """Return the model as it is stored."""
    kinds = sorted({row.kind for row in rows}, key=lambda kind: (LABELS.index(kind.partition(", ")[0]), kind))
    names, places = list(rows[0].found), {sign: place for place, sign in enumerate(_vocabulary(rows))}
    whole, mean, spread = features_and_signs([(row.found, row.signs) for row in rows], places, SPREAD)
    model = LogisticRegression(C=1.0 / RIDGE, max_iter=500, tol=1e-3)
    model.fit(whole, [kinds.index(row.kind) for row in rows])
    weights, told = model.coef_[:, : len(names)] / spread, SPREAD * model.coef_[:, len(names) :]
    return {
        "kinds": kinds,
        "base": _stored(model.intercept_ - weights @ mean),
        "features": {name: _stored(weights[:, place]) for place, name in enumerate(names)},
        "signs": {sign: _stored(told[:, place]) for sign, place in places.items()},
    }


def features_and_signs(
    rows: Sequence[tuple[Mapping[str, float], Iterable[str]]], places: Mapping[str, int], most: float
) -> tuple[Any, Any, Any]:
    """Return a table of standardised features and then of signs, a row each, with means and spreads of the features.

    `places`: the column of each sign that is weighed. `most`: what a sign weighs in a row at most.
    """
    names = list(rows[0][0])
    table = np.array([[found[name] for name in names] for found, _ in rows])
    mean, spread = table.mean(0), np.maximum(table.std(0), 1e-6)
    known = [[places[sign] for sign in signs if sign in places] for _, signs in rows]
    scaled = [most / max(FEWEST_SIGNS, len(each)) ** 0.5 for each in known for _ in each]
    at = ([row for row, each in enumerate(known) for _ in each], [place for each in known for place in each])
    whole = hstack([csr_matrix((table - mean) / spread), csr_matrix((scaled, at), (len(rows), len(places)))])
    return whole.tocsr(), mean, spread


def _vocabulary(rows: Sequence[Kind]) -> list[str]:
    counts = Counter(sign for row in rows for sign in row.signs)
    writers = Counter(sign for _, sign in {(row.writer, sign) for row in rows for sign in row.signs})
    return sorted(sign for sign in counts if counts[sign] >= FEWEST_PAIRS and writers[sign] >= FEWEST_WRITERS)


def _stored(weights: Any) -> list[int]:
    return [round(HUNDREDTHS * float(weight)) for weight in weights]


def store_kinds(model: dict[str, Any], path: Path) -> None:
    """Write a model, a line for each feature and sign."""

    def lines(rows: dict[str, list[int]]) -> str:
        return ",\n".join(
            f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(weights, separators=(',', ':'))}"
            for name, weights in rows.items()
        )

    kinds, base = json.dumps(model["kinds"]), json.dumps(model["base"])
    told = f'"features":{{\n{lines(model["features"])}\n}},"signs":{{\n{lines(model["signs"])}\n}}'
    path.write_text(f'{{"kinds":{kinds},\n"base":{base},\n{told}}}\n', "utf-8")
