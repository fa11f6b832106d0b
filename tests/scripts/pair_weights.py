"""Fits the models by which two memories are judged, into `memtui/analysis/pair_weights.json` and, what they make of
words and phrases, into `pair_phrases.json`, with the model of kinds, `pair_kinds.json`, and prints their worth.

Learned from `tests/curation`: pairs by the project's author and by strangers, and `neighbours.jsonl`, features of the
nearest neighbours in vaults of real repositories, of which some were judged by hand; their texts are not kept.
Whether two memories put side by side are the same is also learned from `strangers-locked.jsonl`, after it had been
judged once; with it the models of a crowd proposed more in real repositories, half of it wrong, so these learned none
of the later pairs. The models of notes learned the files of pairs, each put into one vault, with its other neighbours
as what is not the same, and the neighbours in vaults of typed memories (`tests/eval/strangers-*-dev`).
Whether files say again what other files say, in other words, is learned from `said-again.jsonl`: neighbours in vaults
of seventeen real repositories that the model of many says no to, judged by hand without a look at their scores.
Figures are of strangers whose own pairs, and of vaults whose own neighbours, were left out of the fit.
`--neighbours VAULT…` computes the neighbours again. Needs `pip install scikit-learn==1.9.1`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from bench.pairs import CURATION, Figures, Pair, cosines, neighbours, read_pairs, strangers, vault_of
from scripts.logistic import fit_logistic
from scripts.pair_kinds import Kind, features_and_signs, fit_kinds, kind_of, store_kinds
from sklearn.linear_model import LogisticRegression

from memtui.analysis import pair_features
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import (
    EITHER,
    SAID_AGAIN,
    Nearness,
    Question,
    features,
    is_plain,
    is_told_by_phrases,
    judge_told,
    model_name,
    signs_of_repetition,
)
from memtui.analysis.pair_kinds import PairKinds
from memtui.analysis.pair_phrases import Phrases, beginnings_of, signs_between
from memtui.analysis.text_features import wording_of
from memtui.curate import snapshot_reader
from memtui.domain.memory import Memory, content_hash
from memtui.domain.record import memory_from_record
from memtui.embedding.bundled import BundledEngine
from memtui.recall.embedding_cache import embed_missing
from memtui.vault.vault import Vault

WEIGHTS = Path(pair_features.__file__).with_name("pair_weights.json")
PHRASES, KINDS = (WEIGHTS.with_name(f"pair_{name}.json") for name in ("phrases", "kinds"))
NEIGHBOURS = CURATION / "neighbours.jsonl"
AGAIN = CURATION / "said-again.jsonl"
RIDGE = 3.0  # Penalty of squared weights of standardised features; 5 and 8 give the same figures within .03
FEWEST_PAIRS, FEWEST_WRITERS = 4, 5  # Pairs, and writers of such, that a sign occurs in to be weighed
SPREAD = 9.0
"""How much a sign may weigh, as the standard deviation that would be its own if it were another feature: at 13 what is
proposed of unseen writers is the same within .01."""

OWN_WEIGHT = {"noted, vectors": 1.0}
"""Weight of a pair by the project's author, against one by a stranger, where it is not 0.3. With more, strangers' pairs
side by side are judged worse; among notes his are nearly all that is said twice in the same words."""

OTHER = {"duplicate": 0.3, "contradiction": 0.03}
"""Weight of a pair that was written for the other question; what differs a little may well contradict, so such pairs of
the duplicates' set say nothing of contradictions."""

NATURAL = {"duplicate": (100.0, 0.5), "contradiction": (60.0, 0.25)}
"""Total weight of unjudged neighbours, which are taken for neither, and the weight of each judged or telling one."""

LEAST = {
    "duplicate, alone, vectors": 0.25,
    "duplicate, alone, words": 0.4,
    "duplicate, crowded, vectors": 0.7,
    "duplicate, crowded, words": 0.85,
    "duplicate, noted, vectors": 0.75,
    "contradiction, alone, vectors": 0.37,
    "contradiction, alone, words": 0.4,
    "contradiction, crowded, vectors": 0.5,
    "contradiction, crowded, words": 0.55,
    "contradiction, noted, vectors": 0.65,
    SAID_AGAIN: 0.7,
    EITHER: 0.43,
}
"""Share from which a pair is proposed. In a crowd so that of the proposals in real repositories eight of ten are right,
among notes so that hardly any is in vaults of typed memories, which have no duplicates."""

NOTED = Nearness(0.5, is_crowded=True, is_noted=True)
SIDE_BY_SIDE = Nearness(0.5)
SETTINGS = (
    *(Nearness(cosine, is_crowded=crowded) for crowded in (False, True) for cosine in (0.5, None)),
    NOTED,
)
QUESTIONS: tuple[Question, ...] = ("duplicate", "contradiction")
BEFORE = ("own", "strangers-dev", "strangers-locked")
NEWCOMERS = tuple(f"newcomers-{number}" for number in range(1, 27))
NOTES = ("strangers-dev", "strangers-locked", *NEWCOMERS)  # Files of pairs of which each is put into one vault
VAULTS = sorted((CURATION.parent / "eval").glob("strangers-*-dev/memories.jsonl"))
"""Typed memories of which none says the same as another."""

STRAY, TYPED = 0.3, 1.0
"""Weight of two neighbours of a file of pairs that are no pair, and of two in a vault of typed memories."""

FAINT, NEAREST = 0.25, 4  # How far the neighbours in these vaults may be, so that there are enough of them

SHORT = 60  # Words of the longest text from which contradictions in a crowd are learned and looked for


@dataclass(frozen=True, slots=True)
class Row:
    """What is learned from one pair."""

    found: dict[str, float]
    says_yes: bool
    weight: float
    writer: str
    signs: frozenset[str] = field(default=frozenset(), repr=False)  # where the model weighs words and phrases


@dataclass(frozen=True, slots=True)
class Trained:
    """A model as it is stored, and its weights of signs in hundredths, none where it does not weigh them."""

    model: dict[str, Any]
    signs: dict[str, int]


@cache
def rows_of_pairs(question: Question, pairs: tuple[Pair, ...], near: Nearness) -> list[Row]:
    """Return a row for each pair. `near`: says which model they are for."""
    found: list[Row] = []
    for pair, cosine in zip(pairs, _cosines(pairs), strict=True):
        first, second = (Facts(wording_of(one.title, one.insight), one.insight) for one in pair.memories)
        told = features(first, second, replace(near, cosine=None if near.cosine is None else cosine))
        found.append(_row(question, pair, told, near))
    return found


@cache
def _signs(one: str, other: str) -> frozenset[str]:
    return frozenset(signs_between(beginnings_of(one), beginnings_of(other)))


def _row(question: Question, pair: Pair, told: dict[str, float], near: Nearness) -> Row:
    signs = _signs(*(memory.insight for memory in pair.memories)) if is_told_by_phrases(near) else frozenset[str]()
    own = OWN_WEIGHT.get(model_name(question, near).partition(", ")[2], 0.3)
    weight = own if pair.writer == "own" else 1.0
    if pair.set != question:
        silent = question == "contradiction" and pair.label == "near-miss"
        weight *= 0.0 if silent else OTHER[question]
    return Row(told, pair.is_same if question == "duplicate" else pair.clashes, weight, pair.writer, signs)


def rows_of_either(pairs: tuple[Pair, ...], near: Nearness) -> list[Row]:
    """Return the pairs that say the same or contradict each other, whichever they were written for."""
    rows = rows_of_pairs("contradiction", pairs, near)
    return [
        replace(row, weight=0.3 if pair.writer == "own" else 1.0)
        for pair, row in zip(pairs, rows, strict=True)
        if pair.is_same or pair.clashes
    ]


@cache
def kinds_of(pairs: tuple[Pair, ...], without: str = "") -> dict[str, Any]:
    """Return the model of kinds as it is stored. `without`: a writer whose pairs are left out."""
    rows = zip(pairs, rows_of_pairs("contradiction", pairs, SIDE_BY_SIDE), strict=True)
    return fit_kinds(
        [
            Kind(row.found, row.signs, kind_of(pair), pair.writer)
            for pair, row in rows
            if pair.writer in NEWCOMERS and pair.writer != without
        ]
    )


@cache
def among_notes(name: str) -> list[tuple[Pair | None, dict[str, float], frozenset[str]]]:
    """Return the neighbours in a vault of all pairs of a file, each with the pair that it is."""
    pairs = read_pairs(name)
    with tempfile.TemporaryDirectory() as folder:
        vault = vault_of(pairs, Path(folder), BundledEngine(), together=True)
        return [
            (pairs[int(one.id[:5])] if one.id[:5] == other.id[:5] else None, found, _signs(one.insight, other.insight))
            for one, other, _, found in neighbours([vault], is_noted=True)
        ]


@cache
def among_typed(path: Path) -> list[tuple[dict[str, float], frozenset[str]]]:
    """Return the neighbours in a vault of typed memories."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    memories = [
        memory_from_record(each, now=now, new_id=each["id"])
        for each in records
        if each.get("type", "memory") == "memory"
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(snapshot_reader, "FAINT", FAINT),
        patch.object(snapshot_reader, "NEAREST", NEAREST),
    ):
        vault = Vault(Path(folder) / "vault.duckdb")
        with vault.write(actor="bench", action="fill") as writer:
            writer.put_many(memories)
        embed_missing(vault, BundledEngine())
        return [
            (found, _signs(one.insight, other.insight)) for one, other, _, found in neighbours([vault], is_noted=True)
        ]


def rows_of_notes(question: Question) -> list[Row]:
    found = [
        Row(told, says_yes=False, weight=TYPED, writer=path.parent.name, signs=signs)
        for path in VAULTS
        for told, signs in among_typed(path)
    ]
    for name in NOTES:
        for pair, told, signs in among_notes(name):
            stray = Row(told, says_yes=False, weight=STRAY, writer=name, signs=signs)
            found.append(_row(question, pair, told, NOTED) if pair is not None else stray)
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
    return tuple(features(empty, empty, Nearness(0.5 if vectors else None, is_crowded=True)))


def _filled(found: dict[str, float], *, vectors: bool) -> dict[str, float]:
    return {name: found.get(name, 0.0) for name in _names(vectors=vectors)}


def fit(rows: Sequence[Row]) -> tuple[dict[str, float], float]:
    """Return weight per feature and base of a logistic model."""
    names = list(rows[0].found)
    table = np.array([[row.found[name] for name in names] for row in rows])
    said, weight = np.array([float(row.says_yes) for row in rows]), np.array([row.weight for row in rows])
    weights, base = fit_logistic(table, said, weight, ridge=RIDGE)
    return dict(zip(names, weights, strict=True)), base


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the signs that are weighed."""
    counts: Counter[str] = Counter()
    writers: defaultdict[str, set[str]] = defaultdict(set)
    for pair in read_pairs(*BEFORE, *NEWCOMERS):
        for sign in _signs(*(memory.insight for memory in pair.memories)):
            counts[sign] += 1
            writers[sign].add(pair.writer)
    kept = (sign for sign in counts if counts[sign] >= FEWEST_PAIRS and len(writers[sign]) >= FEWEST_WRITERS)
    return tuple(sorted(kept))


def fit_with_signs(rows: Sequence[Row]) -> tuple[dict[str, float], float, dict[str, int]]:
    """Return weight per feature, base, and weight per sign in hundredths."""
    rows = [row for row in rows if row.weight > 0.0]
    names, places = list(rows[0].found), {sign: place for place, sign in enumerate(vocabulary())}
    whole, mean, spread = features_and_signs([(row.found, row.signs) for row in rows], places, SPREAD)
    model = LogisticRegression(C=1.0 / RIDGE, max_iter=500, tol=1e-3)
    model.fit(whole, [row.says_yes for row in rows], [row.weight for row in rows])
    weights = model.coef_[0][: len(names)] / spread
    told = {
        sign: round(100.0 * SPREAD * value) for sign, value in zip(places, model.coef_[0][len(names) :], strict=True)
    }
    return dict(zip(names, weights.tolist(), strict=True)), float(model.intercept_[0] - weights @ mean), told


def train(question: Question, near: Nearness, pairs: tuple[Pair, ...], *, without: str = "") -> Trained:
    """Return a model. `without`: a writer whose pairs are left out."""
    return trained(_rows(question, near, pairs), LEAST[model_name(question, near)], without=without)


def trained(rows: Sequence[Row], least: float, *, without: str = "") -> Trained:
    rows = [row for row in rows if row.writer != without]
    weights, base, told = fit_with_signs(rows) if any(row.signs for row in rows) else (*fit(rows), {})
    rounded = {name: round(weight, 4) for name, weight in weights.items()}
    return Trained({"weights": rounded, "base": round(base, 4), "least": least}, told)


def _rows(question: Question, near: Nearness, pairs: tuple[Pair, ...]) -> list[Row]:
    if near.is_noted:
        return rows_of_pairs(question, tuple(read_pairs("own")), near) + rows_of_notes(question)
    if near.is_crowded:
        rows = rows_of_pairs(question, tuple(read_pairs("own", "strangers-dev")), near)
        return rows + rows_of_neighbours(question, vectors=near.cosine is not None)
    if near.cosine is None:
        return rows_of_pairs(question, tuple(read_pairs(*BEFORE[: 3 if question == "duplicate" else 2])), near)
    return rows_of_pairs(question, pairs, near)


def rows_of_again(many: pair_features.Model) -> list[Row]:
    """Return the judged neighbours in vaults, the vault as their writer. `many`: the model that they come after."""
    found: list[Row] = []
    for line in AGAIN.read_text("utf-8").splitlines():
        row = json.loads(line)
        told = _filled(row["features"], vectors=True)
        near = Nearness(told["cosine"], told["cosine"] - told["margin"], is_crowded=True, elsewhere=row["elsewhere"])
        signs = signs_of_repetition(told, many.odds(told), near)
        found.append(Row(signs, row["label"] == "duplicate", 1.0, f"vault {row['vault']}"))
    return found


def phrases_of(models: dict[str, Trained]) -> Phrases:
    """Return the weights of signs as they are stored."""
    told = [model for model in models.values() if model.signs]
    places = {name: place for place, name in enumerate(name for name, model in models.items() if model.signs)}
    return Phrases(places, {sign: [model.signs[sign] for model in told] for sign in vocabulary()} if told else {})


def held_out_again(rows: Sequence[Row]) -> str:
    """Return the figures on each vault by a model of the others."""
    asked = []
    for vault in sorted({row.writer for row in rows}):
        model = pair_features.Model(**trained(rows, LEAST[SAID_AGAIN], without=vault).model)
        asked += [(row.says_yes, model.odds(row.found) > 0.0) for row in rows if row.writer == vault]
    figures = Figures(sum(a and b for a, b in asked), sum(b for _, b in asked), sum(a for a, _ in asked))
    return f"{SAID_AGAIN:<36}{figures}"


def held_out(near: Nearness, pairs: tuple[Pair, ...], writers: Iterable[str]) -> Iterator[str]:
    """Yield the figures of both questions on strangers by models that saw none of a stranger's pairs."""
    said: list[tuple[Pair, Question | None]] = []
    for writer in writers:
        settings = [near, replace(near, is_noted=False)] if near.is_noted else [near]
        models = {
            model_name(question, each): train(question, each, pairs, without=writer)
            for each in settings
            for question in QUESTIONS
        }
        if is_told_by_phrases(near):
            models[EITHER] = trained(rows_of_either(pairs, SIDE_BY_SIDE), LEAST[EITHER], without=writer)
        stored = {name: pair_features.Model(**each.model) for name, each in models.items()}
        told, kinds = phrases_of(models), PairKinds.read(kinds_of(pairs, writer))
        with (
            patch.object(pair_features, "_models", lambda found=stored: found),
            patch.object(pair_features, "phrases", lambda found=told: found),
            patch.object(pair_features, "pair_kinds", lambda found=kinds: found),
        ):
            said += [
                (pair, _answer(found, signs, near) if found else None)
                for pair, found, signs in _asked(writer, pairs, near)
            ]
    for question in QUESTIONS:
        asked = [(pair.says_yes, answer == question) for pair, answer in said if pair.set == question]
        figures = Figures(sum(a and b for a, b in asked), sum(b for _, b in asked), sum(a for a, _ in asked))
        yield f"{model_name(question, near):<36}{figures}"


def _answer(found: dict[str, float], signs: frozenset[str], near: Nearness) -> Question | None:
    answer = judge_told(found, near, signs)
    return answer.question if answer else None


def _asked(
    writer: str, pairs: tuple[Pair, ...], near: Nearness
) -> Iterator[tuple[Pair, dict[str, float] | None, frozenset[str]]]:
    """Yield the pairs of a stranger with their features and signs; among notes None for what are no neighbours."""
    if not near.is_noted:
        for pair, row in zip(pairs, rows_of_pairs("duplicate", pairs, near), strict=True):
            if pair.writer == writer:
                yield pair, row.found, row.signs
        return
    known = {pair: (told, signs) for pair, told, signs in among_notes(writer) if pair is not None}
    for pair in read_pairs(writer):
        yield pair, *known.get(pair, (None, frozenset[str]()))


def gather(vaults: Iterable[Vault]) -> None:
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
        gather(map(Vault, arguments.neighbours))
    models: dict[str, Trained] = {}
    pairs = tuple(read_pairs(*BEFORE, *NEWCOMERS))
    for near in SETTINGS:
        if not near.is_noted:
            print("the first three strangers", *held_out(near, pairs, strangers(read_pairs(*BEFORE))), sep="\n")
        print("newcomers", *held_out(near, pairs, NEWCOMERS), sep="\n")
        models |= {model_name(question, near): train(question, near, pairs) for question in QUESTIONS}
    models[EITHER] = trained(rows_of_either(pairs, SIDE_BY_SIDE), LEAST[EITHER])
    again = rows_of_again(pair_features.Model(**models["duplicate, crowded, vectors"].model))
    print(held_out_again(again))
    models[SAID_AGAIN] = trained(again, LEAST[SAID_AGAIN])
    store(models)
    store_kinds(kinds_of(pairs), KINDS)


def store(models: dict[str, Trained]) -> None:
    WEIGHTS.write_text(json.dumps({name: each.model for name, each in models.items()}, indent=1) + "\n", "utf-8")
    told = phrases_of(models)
    lines = ",\n".join(
        f"{json.dumps(sign, ensure_ascii=False)}:{json.dumps(weights, separators=(',', ':'))}"
        for sign, weights in told.weights.items()
    )
    PHRASES.write_text(f'{{"models":{json.dumps(list(told.models))},"weights":{{\n{lines}\n}}}}\n', "utf-8")


if __name__ == "__main__":
    main()
