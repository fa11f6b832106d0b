"""Fits the models by which two memories are judged into `memtui/analysis/pair_weights.json`, and prints their worth.

Learned from `tests/curation`: pairs by the project's author and by strangers, and `neighbours.jsonl`, features of the
nearest neighbours in vaults of real repositories, of which some were judged by hand; their texts are not kept.
Whether two memories put side by side are the same is also learned from `strangers-locked.jsonl`, after it had been
judged once; with it the models of a crowd proposed more in real repositories, half of it wrong, and those of
contradictions did worse on the project's own pairs. Figures are of strangers whose own pairs
were left out of the fit. `--neighbours VAULT…` computes the neighbours again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from bench.pairs import CURATION, Figures, Pair, cosines, neighbours, read_pairs, strangers
from scripts.logistic import fit_logistic

from memtui.analysis import pair_features
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, Question, decide, features, is_plain, model_name
from memtui.analysis.text_features import wording_of
from memtui.domain.memory import Memory, content_hash
from memtui.embedding.bundled import BundledEngine

WEIGHTS = Path(pair_features.__file__).with_name("pair_weights.json")
NEIGHBOURS = CURATION / "neighbours.jsonl"
RIDGE = 3.0  # Penalty of squared weights of standardised features; 5 and 8 give the same figures within .03
OWN_WEIGHT = 0.3  # Of a pair by the project's author, against one by a stranger
OTHER = {"duplicate": 0.3, "contradiction": 0.03}
"""Weight of a pair that was written for the other question; what differs a little may well contradict, so such pairs of
the duplicates' set say nothing of contradictions."""

NATURAL = {"duplicate": (100.0, 0.5), "contradiction": (60.0, 0.25)}
"""Total weight of unjudged neighbours, which are taken for neither, and the weight of each judged or telling one."""

LEAST = {"duplicate": (0.4, 0.4, 0.7, 0.85), "contradiction": (0.4, 0.4, 0.5, 0.55)}
"""Share from which a pair is proposed: alone by vectors and by words, in a crowd by vectors and by words. In a crowd so
that of the proposals in real repositories eight of ten are right."""

QUESTIONS: tuple[Question, ...] = ("duplicate", "contradiction")
SHORT = 60  # Words of the longest text from which contradictions in a crowd are learned and looked for


@dataclass(frozen=True, slots=True)
class Row:
    """What is learned from one pair."""

    found: dict[str, float]
    says_yes: bool
    weight: float
    writer: str


@cache
def rows_of_pairs(question: Question, pairs: tuple[Pair, ...], near: Nearness) -> list[Row]:
    """Return a row for each pair. `near`: says which model they are for."""
    found: list[Row] = []
    for pair, cosine in zip(pairs, _cosines(pairs), strict=True):
        first, second = (Facts(wording_of(one.title, one.insight), one.insight) for one in pair.memories)
        weight = OWN_WEIGHT if pair.writer == "own" else 1.0
        if pair.set != question:
            silent = question == "contradiction" and pair.label == "near-miss"
            weight *= 0.0 if silent else OTHER[question]
        told = features(first, second, replace(near, cosine=None if near.cosine is None else cosine))
        found.append(Row(told, pair.is_same if question == "duplicate" else pair.clashes, weight, pair.writer))
    return found


@cache
def _cosines(pairs: tuple[Pair, ...]) -> list[float]:
    return cosines(pairs, BundledEngine())


@cache
def rows_of_neighbours(question: Question, *, vectors: bool) -> list[Row]:
    total, each = NATURAL[question]
    stored = [json.loads(line) for line in NEIGHBOURS.read_text("utf-8").splitlines()]
    if question == "contradiction":
        stored = [row for row in stored if row["words"] <= SHORT]
    unjudged = sum(_is_unjudged(question, row) for row in stored)
    return [
        Row(
            _filled(row["features"], vectors=vectors),
            row["label"] == question,
            total / unjudged if _is_unjudged(question, row) else each,
            "neighbours",
        )
        for row in stored
        if question == "contradiction" or row["label"] != "unsure"
    ]


def _is_unjudged(question: Question, row: dict[str, Any]) -> bool:
    if question == "contradiction" and row["label"] != "contradiction":
        return not is_plain(_filled(row["features"], vectors=True))
    return bool(row["label"] == "unjudged")


@cache
def _names(*, vectors: bool) -> tuple[str, ...]:
    empty = Facts(wording_of("", "x"), "x")
    return tuple(features(empty, empty, Nearness(0.5 if vectors else None)))


def _filled(found: dict[str, float], *, vectors: bool) -> dict[str, float]:
    return {name: found.get(name, 0.0) for name in _names(vectors=vectors)}


def fit(rows: Sequence[Row]) -> tuple[dict[str, float], float]:
    """Return weight per feature and base of a logistic model."""
    names = list(rows[0].found)
    table = np.array([[row.found[name] for name in names] for row in rows])
    said, weight = np.array([float(row.says_yes) for row in rows]), np.array([row.weight for row in rows])
    weights, base = fit_logistic(table, said, weight, ridge=RIDGE)
    return dict(zip(names, weights, strict=True)), base


def train(question: Question, near: Nearness, pairs: tuple[Pair, ...], *, without: str = "") -> dict[str, Any]:
    """Return a model as it is stored. `without`: a writer whose pairs are left out."""
    vectors = near.cosine is not None
    learned = pairs if question == "duplicate" and not near.is_crowded else tuple(read_pairs("own", "strangers-dev"))
    rows = list(rows_of_pairs(question, learned, near))
    if near.is_crowded:
        rows += rows_of_neighbours(question, vectors=vectors)
    weights, base = fit([row for row in rows if row.writer != without])
    rounded = {name: round(weight, 4) for name, weight in weights.items()}
    return {"weights": rounded, "base": round(base, 4), "least": LEAST[question][2 * near.is_crowded + (not vectors)]}


def held_out(near: Nearness, pairs: tuple[Pair, ...]) -> Iterator[str]:
    """Yield the figures of both questions on each stranger by models that saw none of that one's pairs."""
    said: list[tuple[Pair, Question | None]] = []
    for writer in strangers(pairs):
        same, clash = (
            pair_features.Model(**train(question, near, pairs, without=writer)) for question in QUESTIONS
        )  # fmt: skip
        for pair, row in zip(pairs, rows_of_pairs("duplicate", pairs, near), strict=True):
            if pair.writer == writer:
                found = decide(row.found, same.odds(row.found), clash.odds(row.found), near)
                said.append((pair, found.question if found else None))
    for question in QUESTIONS:
        asked = [(pair.says_yes, answer == question) for pair, answer in said if pair.set == question]
        figures = Figures(sum(a and b for a, b in asked), sum(b for _, b in asked), sum(a for a, _ in asked))
        yield f"{model_name(question, near):<36}{figures}"


def gather(vaults: Iterable[Path]) -> None:
    """Compute the features of neighbours again, and keep what was judged."""
    judged = {}
    if NEIGHBOURS.exists():
        for line in NEIGHBOURS.read_text("utf-8").splitlines():
            row = json.loads(line)
            judged[row["one"], row["other"]] = row["label"]
    lines = []
    for one, other, _near, found in neighbours(vaults):
        key = (_mark(one), _mark(other))
        label = judged.get(key, "unjudged")
        if label == "unjudged" and not _is_kept(key, found):
            continue
        told = {name: round(value, 3) for name, value in found.items() if round(value, 3)}
        words = max(len(memory.insight.split()) for memory in (one, other))
        lines.append({"one": key[0], "other": key[1], "label": label, "words": words, "features": told})
    lines.sort(key=lambda row: (row["one"], row["other"]))
    NEIGHBOURS.write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    print(f"{len(lines):,} neighbours")


def _mark(memory: Memory) -> str:
    return content_hash(memory)[:12]


def _is_kept(key: tuple[str, str], found: dict[str, float]) -> bool:
    """Return whether an unjudged pair is kept: what looks like a contradiction, and one of twelve of the others.

    What is nearly the same is not taken for two things without a judgement.
    """
    if found["dice"] >= 0.75 or found["cosine"] >= 0.88:
        return False
    return is_plain(found) or int(key[0][:4], 16) % 12 == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neighbours", nargs="+", type=Path, metavar="VAULT", help="compute the neighbours again")
    arguments = parser.parse_args()
    if arguments.neighbours:
        gather(arguments.neighbours)
    models: dict[str, dict[str, Any]] = {}
    for near in (Nearness(cosine, is_crowded=crowded) for crowded in (False, True) for cosine in (0.5, None)):
        pairs = tuple(read_pairs("own", "strangers-dev", "strangers-locked"))
        print(*held_out(near, pairs), sep="\n")
        models |= {model_name(question, near): train(question, near, pairs) for question in QUESTIONS}
    WEIGHTS.write_text(json.dumps(models, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
