"""Fits the model that finds lessons in what people type into `memtui/capture/lessons/weights.json`.

Learned from the statements of `tests/lessons/exchanges-dev.jsonl` and `statements-dev.jsonl`, and from the features of
statements that people typed in sessions of five public repositories (`typed-features.jsonl`; their words are not kept):
there one in two hundred is worth keeping. The figures that it prints are of languages that were left out of the fit:
the statements of each are judged by a model of the others.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from lessons.exchanges import HERE, labelled_statements, read_exchanges
from scripts.logistic import fit_logistic

from memtui.capture.lessons import features as lesson_features
from memtui.capture.lessons.detect import LEAST, is_out
from memtui.capture.lessons.features import Model, features

if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHTS = Path(lesson_features.__file__).with_name("weights.json")
RIDGE = 6.0  # Penalty of squared weights of standardised features; 3 and 8 give the same figures within .02
LEAST_SPREAD = 0.1  # A feature that hardly varies is not blown up

Row = tuple[dict[str, float], bool, str, str]


def rows() -> list[Row]:
    """Return features, label, language and text of each statement that the gates let through."""
    written = [*read_exchanges("exchanges-dev"), *read_exchanges("statements-dev")]
    return [
        (features(statement, setting), is_lesson, exchange.language, statement.text)
        for exchange, statement, setting, is_lesson in labelled_statements(written)
        if not is_out(statement, setting)
    ]


def typed() -> list[Row]:
    """Return the same of statements that strangers typed, without their words."""
    lines = (HERE / "typed-features.jsonl").read_text("utf-8").splitlines()
    return [(row["features"], row["lesson"], row["lang"], "") for row in map(json.loads, lines)]


def fit(chosen: Sequence[Row]) -> Model:
    """Return a logistic model."""
    names = sorted(next(row[0] for row in chosen if row[3]))
    table = np.array([[row[0].get(name, 0.0) for name in names] for row in chosen])
    said = np.array([float(row[1]) for row in chosen])
    weights, base = fit_logistic(table, said, ridge=RIDGE, least_spread=LEAST_SPREAD)
    return Model({name: round(weight, 3) for name, weight in zip(names, weights, strict=True)}, round(base, 3))


def main() -> None:
    everything, strangers = rows(), typed()
    right = false = missed = 0
    for language in sorted({row[2] for row in everything}):
        other = fit([row for row in (*everything, *strangers) if row[2] != language])
        for found, is_lesson, spoken, text in everything:
            if spoken != language:
                continue
            share = other.share(found)
            right += is_lesson and share >= LEAST
            false += not is_lesson and share >= LEAST
            missed += is_lesson and share < LEAST
            if is_lesson != (share >= LEAST) and "-v" in sys.argv:
                print(f"{'missed' if is_lesson else 'false '} {spoken} {share:.2f} {text}")
    print(f"statements of a language left out: {right} right, {false} false, {missed} missed of {len(everything)}")
    whole = fit([*everything, *strangers])
    if "-v" in sys.argv:
        for name, weight in sorted(whole.weights.items(), key=lambda each: each[1]):
            print(f"{name:18}{weight:7.2f}")
    stored = {"base": whole.base, "weights": whole.weights}
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
