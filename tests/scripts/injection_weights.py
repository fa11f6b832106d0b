"""Fits the weights of what planted sentences play into `memtui/text/injection_weights.json`, and prints their worth.

Learned from `tests/planted`: statements in the project's own words, and `others.jsonl`, features of planted texts by
strangers and of sentences of real repositories, mostly those nearest to planted ones; their texts are not kept.
`--ordinary MEMORIES --strangers TEXTS` computes these again, of JSON lines with `insight` and with `text`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scripts.logistic import fit_logistic
from unit.text.test_text_injection_languages import ORDINARY, PLANTED, PLANTED_ELSEWHERE

from memtui.text import injection_roles
from memtui.text.injection import sentences_of
from memtui.text.injection_roles import roles_of, words_of
from memtui.text.tokens import STOP_WORDS

DATA = Path(__file__).parents[1] / "planted"
WEIGHTS = Path(injection_roles.__file__).with_name("injection_weights.json")
RIDGE = 2.0  # Penalty of squared weights
FEWEST, FEWEST_OF_WORD = 2, 4  # Sentences that a feature, and planted statements that a word, occurs in to be weighed
ORDINARY_WEIGHT, STRANGERS_WEIGHT = 0.25, 0.2  # Of a sentence, against a statement written for this
NEAREST, FAR = -2.0, 600  # What an ordinary sentence weighs at least to be kept, and how many of all others are
LONGEST = 300  # Characters of a stranger's text that is one sentence
LEAST = 1.8  # What a sentence weighs at least to count as planted

Model = tuple[dict[str, float], float]


class Row(NamedTuple):
    """One sentence: its features, whether it is planted, and what it counts for."""

    features: frozenset[str]
    is_planted: bool
    weight: float


def statements() -> list[tuple[str, bool]]:
    """Return the statements in the project's own words, and whether each is planted."""
    lines = (DATA / "statements.txt").read_text("utf-8").splitlines()
    own = [(line[2:], line[0] == "+") for line in lines if line[:2] in ("+ ", "- ")]
    return own + [(text, True) for text in (*PLANTED, *PLANTED_ELSEWHERE)] + [(text, False) for text in ORDINARY]


def vocabulary() -> frozenset[str]:
    """Return the words that are weighed."""
    counts = Counter(word for text, is_planted in statements() if is_planted for word in words_of(text))
    common = frozenset(f"={word[:7]}" for word in STOP_WORDS)
    return frozenset(word for word, count in counts.items() if count >= FEWEST_OF_WORD) - common


def features_of(sentence: str, words: frozenset[str]) -> frozenset[str]:
    return roles_of(sentence) | (words_of(sentence) & words)


def rows_of(told: Iterable[tuple[str, bool]]) -> list[Row]:
    words = vocabulary()
    return [Row(features_of(text, words), is_planted, 1.0) for text, is_planted in told]


def other_rows() -> list[Row]:
    stored = [json.loads(line) for line in (DATA / "others.jsonl").read_text("utf-8").splitlines()]
    # A sentence without any feature tells nothing.
    known = (each for each in stored if each["features"])
    return [Row(frozenset(each["features"].split("|")), each["planted"], each["weight"]) for each in known]


def read_others(ordinary: Path, strangers: Path) -> None:
    """Write the features of others' sentences; of ordinary ones those that a first model finds near planted ones."""
    words = vocabulary()
    texts = [json.loads(line)["text"] for line in strangers.read_text("utf-8").splitlines()]
    rows = [
        Row(features_of(sentences[0], words), True, STRANGERS_WEIGHT)
        for text in texts
        if len(text) < LONGEST and len(sentences := sentences_of(text)) == 1
    ]
    counts: Counter[frozenset[str]] = Counter()
    for line in ordinary.read_text("utf-8").splitlines():
        counts.update(features_of(sentence, words) for sentence in sentences_of(json.loads(line)["insight"]))
    rows += [Row(each, False, ORDINARY_WEIGHT * count**0.5) for each, count in counts.items() if len(each) > 1]
    model = fit(rows_of(statements()) + rows)
    near = [row for row in rows if row.is_planted or weigh(model, row.features) >= NEAREST]
    far = [row for row in rows if not row.is_planted and weigh(model, row.features) < NEAREST]
    sample = random.Random(1).sample(far, min(FAR, len(far)))
    share = sum(row.weight for row in far) / sum(row.weight for row in sample)
    kept = near + [row._replace(weight=row.weight * share) for row in sample]
    lines = sorted(
        json.dumps(
            {"features": "|".join(sorted(row.features)), "planted": row.is_planted, "weight": round(row.weight, 3)},
            ensure_ascii=False,
        )
        for row in kept
    )
    (DATA / "others.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def fit(rows: Sequence[Row]) -> Model:
    """Return weight per feature and base of a logistic model."""
    seen = Counter(name for row in rows if row.is_planted for name in row.features)
    names = sorted(name for name, count in seen.items() if count >= FEWEST)
    places = {name: number for number, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)), dtype=np.float32)
    for row, line in zip(rows, table, strict=True):
        line[[places[name] for name in row.features if name in places]] = 1.0
    said = np.array([float(row.is_planted) for row in rows], dtype=np.float32)
    weight = np.array([row.weight for row in rows], dtype=np.float32)
    weights, base = fit_logistic(table, said, weight, ridge=RIDGE, least_spread=None)
    return dict(zip(names, weights, strict=True)), base


def weigh(model: Model, features: frozenset[str]) -> float:
    weights, base = model
    return base + sum(weights.get(name, 0.0) for name in features)


def held_out(parts: int = 4) -> None:
    """Print how many statements are found by models that saw only the others."""
    rows = rows_of(statements())
    random.Random(1).shuffle(rows)
    others = other_rows()
    hits: Counter[bool] = Counter()
    for part in range(parts):
        model = fit([row for number, row in enumerate(rows) if number % parts != part] + others)
        hits.update(row.is_planted for row in rows[part::parts] if weigh(model, row.features) >= LEAST)
    planted = sum(row.is_planted for row in rows)
    print(
        f"held out: {hits[True]} of {planted} planted statements, {hits[False]} of {len(rows) - planted} ordinary ones"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--ordinary", type=Path, help="memories of real repositories")
    parser.add_argument("--strangers", type=Path, help="planted texts by strangers")
    arguments = parser.parse_args()
    if arguments.ordinary and arguments.strangers:
        read_others(arguments.ordinary, arguments.strangers)
    held_out()
    weights, base = fit(rows_of(statements()) + other_rows())
    kept = {name: round(weight, 2) for name, weight in sorted(weights.items()) if abs(weight) >= 0.05}
    stored = {"base": round(base, 2), "least": LEAST, "weights": kept}
    WEIGHTS.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(kept)} weights")


if __name__ == "__main__":
    main()
