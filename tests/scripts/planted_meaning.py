"""Fits the second look at planted statements into `memtui/embedding/data/planted_meaning.npz`, and prints its worth.

A small network over the vector of a text. Learned from the statements of `tests/planted`, see `injection_weights.py`,
and from `meanings.npz`: vectors of memories of real repositories, those nearest to planted ones and a sample of the
others, whose texts are not kept. `--ordinary MEMORIES`, JSON lines with `insight`, computes these again.
`--held-out WRITERS` learns nothing from these, stores nothing, and prints what both looks find of them; `--real`, JSON
lines with `insight`, prints how many memories of other repositories are flagged, by which `LEAST` is set. Needs
`pip install scikit-learn==1.9.1`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scripts.injection_weights import DATA, SOFT, Statement, own, project_texts, written
from sklearn.neural_network import MLPClassifier

from memtui.embedding.bundled import BundledEngine
from memtui.embedding.planted_meaning import FILE, LONGEST, NEAR, Network, PlantedMeaning
from memtui.text.injection import planted_instructions
from memtui.text.injection_second_look import use_second_look

MEANINGS = DATA / "meanings.npz"
NETWORKS, UNITS = 4, 64  # Networks, whose logits are averaged, and hidden units of each
RIDGE = 0.01
NEAREST, FAR = 5_000, 2_500  # Memories of real repositories that are kept: nearest to planted ones, and by chance
EVERYDAY = 4_000  # Texts of other tests that are learned from
SHARE = 0.5  # What a logit adds to the weight of a wording
LEAST = -0.4  # The sum from which a text is planted: with it no more real memories are flagged than at one look

Vectors = Any  # numpy.typing.NDArray[np.float32], a row per text


@dataclass(frozen=True, slots=True)
class Fitted:
    """A layer of units and the logit above it."""

    hidden: Vectors
    hidden_bias: Vectors
    out: Vectors
    out_bias: float

    def logits(self, vectors: Vectors) -> Vectors:
        """Return how likely each text is planted, as a logit."""
        return np.maximum(vectors @ self.hidden + self.hidden_bias, 0) @ self.out + self.out_bias

    def store(self, file: Path) -> None:
        """Write it as `memtui.embedding.planted_meaning` reads it."""
        np.savez_compressed(
            file,
            hidden=self.hidden,
            hidden_bias=self.hidden_bias,
            out=self.out,
            out_bias=np.float32(self.out_bias),
            near=np.float32(NEAR),
            share=np.float32(SHARE),
            least=np.float32(LEAST),
        )


def vectors_of(texts: Sequence[str], at_once: int = 64) -> Vectors:
    """Return the vectors of the beginnings of texts."""
    engine = BundledEngine()
    order = sorted(range(len(texts)), key=lambda number: len(texts[number][:LONGEST]))
    found = np.zeros((len(texts), 384), np.float32)
    for start in range(0, len(order), at_once):
        part = order[start : start + at_once]
        found[part] = engine.embed_passages([texts[number][:LONGEST] for number in part])
    return found


def fit(vectors: Vectors, is_planted: Sequence[bool]) -> Fitted:
    """Return networks of other beginnings as one, whose logit is the mean of theirs."""
    models = [
        MLPClassifier((UNITS,), alpha=RIDGE, batch_size=256, early_stopping=True, n_iter_no_change=5, random_state=seed)
        .set_params(max_iter=40)
        .fit(vectors, is_planted)
        for seed in range(NETWORKS)
    ]
    return Fitted(
        np.hstack([model.coefs_[0] for model in models]).astype(np.float16),
        np.hstack([model.intercepts_[0] for model in models]).astype(np.float32),
        np.hstack([model.coefs_[1][:, 0] for model in models]).astype(np.float32) / NETWORKS,
        float(np.mean([model.intercepts_[1][0] for model in models])),
    )


def keep_meanings(memories: Path, statements: Sequence[Statement], vectors: Vectors) -> None:
    """Store vectors of real memories: those that a first network finds nearest to planted ones, and a sample."""
    texts = [json.loads(line)["insight"] for line in memories.read_text("utf-8").splitlines()]
    random.Random(1).shuffle(texts)
    found = vectors_of(texts)
    first = fit(np.vstack([vectors, found[:FAR]]), [*(one.is_planted for one in statements), *[False] * FAR])
    order = np.argsort(-first.logits(found), kind="stable")
    far = random.Random(2).sample(order[NEAREST:].tolist(), min(FAR, len(order[NEAREST:])))
    kept = found[[*order[:NEAREST].tolist(), *far]]
    scale = np.abs(kept).max(axis=1, keepdims=True) / 127
    np.savez_compressed(MEANINGS, vectors=np.round(kept / scale).astype(np.int8), scale=scale.astype(np.float32))


def print_worth(statements: Sequence[Statement]) -> None:
    """Print what is found of each writer."""
    for writer in sorted({one.writer for one in statements}):
        found: Counter[str] = Counter()
        for one in statements:
            if one.writer == writer:
                sort = "harmless" if not one.is_planted else "soft" if one.is_soft else "planted"
                found[sort] += 1
                found[f"{sort} found"] += bool(planted_instructions(one.text))
        sorts = ("planted", "soft", "harmless")
        print(writer, ", ".join(f"{found[f'{sort} found']} of {found[sort]} {sort}" for sort in sorts))


def locked() -> list[Statement]:
    """Return the statements that nothing is learned from."""
    found = []
    for path in sorted(DATA.glob("locked*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found += [
            Statement(row["text"], row["label"] == "planted", path.stem, is_soft=row["sort"] == SOFT) for row in rows
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--ordinary", type=Path, help="memories of real repositories, learned from")
    parser.add_argument(
        "--real", type=Path, nargs="+", default=[], help="others, of which it is told how many are flagged"
    )
    parser.add_argument("--held-out", nargs="+", default=[], help="writers of whom nothing is learned")
    arguments = parser.parse_args()
    project = project_texts()
    random.Random(3).shuffle(project)
    everyone = written()
    learned = [one for one in everyone if one.writer not in arguments.held_out] + own() + project[:EVERYDAY]
    vectors = vectors_of([one.text for one in learned])
    if arguments.ordinary:
        keep_meanings(arguments.ordinary, learned, vectors)
    kept = np.load(MEANINGS)
    meanings = kept["vectors"].astype(np.float32) * kept["scale"]
    is_planted = [*(one.is_planted for one in learned), *[False] * len(meanings)]
    fitted = fit(np.vstack([vectors, meanings]), is_planted)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE.name if arguments.held_out else FILE
        fitted.store(file)
        use_second_look(PlantedMeaning(partial(Network, file)))
        lines = [line for path in arguments.real for line in path.read_text("utf-8").splitlines()]
        flagged = sum(bool(planted_instructions(json.loads(line)["insight"])) for line in lines)
        print(f"{flagged} of {len(lines)} real memories")
        print_worth([one for one in everyone if one.writer in arguments.held_out] or locked())


if __name__ == "__main__":
    main()
