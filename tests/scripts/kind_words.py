"""Fits the model of how kinds are worded into `memtui/analysis/kind_words.json`, and prints its worth.

Learned from `tests/kinds/labelled.npz`: what fresh readers called memories of real repositories, each with the kinds
that a reasonable colleague could choose, as cues and signs in numbers, whose texts are not kept; and from the sentences
of `test_analysis_classify.py` and the texts of `tests/reading` that were developed on. `--labelled FILE…`,
JSON lines with `repo`, `path`, `headings`, `title`, `text`, `hint` and `kinds` (the best first), computes these again,
which is needed whenever the cues change. Figures are of repositories that were left out of the fit.
Needs `pip install scikit-learn==1.9.1`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from reading.checks import imported, matching, texts
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from unit.analysis.test_analysis_classify import NOT_ONE_WORD, SAMPLES, SENTENCES, SET_UP_OR_PLANNED, VOICES

from memtui.analysis import kind_words
from memtui.analysis.classify import cues_and_signs, longest_of_best, without_lead
from memtui.analysis.kind_words import FEWEST_SIGNS, LEAST_CUES, MOST_CUES, SIGNS_SHARE
from memtui.domain.kinds import DEFAULT_KINDS

LABELLED = Path(__file__).parents[1] / "kinds" / "labelled.npz"
WEIGHTS = Path(kind_words.__file__).with_name("kind_words.json")
KINDS = tuple(DEFAULT_KINDS)
FEWEST_TEXTS, FEWEST_REPOSITORIES = 5, 4  # memories, and repositories of such, that a sign occurs in to be weighed
PENALTY = 0.3  # inverse strength of the ridge; .2 and .5 give the same shares within .004
CUES_SCALE = 0.8  # how much a cue may weigh beside a sign
ALSO_WEIGHT = 0.7  # of a memory to a kind that is its second best; 1 and .4 give the same within .003
OWN_WEIGHT = 2.0  # of a sentence in the project's own words
OWN = -1  # the repository of these: always learned from, and no part of the figures
FOLDS = 8
HUNDREDTHS = 100

Table = Any  # a sparse matrix, which scipy does not type


@dataclass(frozen=True, slots=True)
class Labelled:
    """What was labelled, a row a memory."""

    names: list[str]  # of the signs
    signs: list[Any]  # which of them each memory has
    cues: Any  # one column a kind
    kinds: Any  # 2 for the best kind, 1 for one that would do as well; one column a kind
    repositories: Any  # the number of each memory's

    def known(self, rows: Sequence[int]) -> list[int]:
        """Return the signs that occur in enough memories and repositories of some rows."""
        texts: Counter[int] = Counter()
        repositories: defaultdict[int, set[int]] = defaultdict(set)
        for row in rows:
            texts.update(self.signs[row].tolist())
            for sign in self.signs[row]:
                repositories[sign].add(int(self.repositories[row]))
        return [
            sign
            for sign, count in sorted(texts.items())
            if count >= FEWEST_TEXTS and len(repositories[sign]) >= FEWEST_REPOSITORIES
        ]

    def table(self, rows: Sequence[int], known: Sequence[int]) -> Table:
        """Return signs and cues of some rows, weighed as `kind_words.odds_of_kinds` does."""
        place = {sign: at for at, sign in enumerate(known)}
        found = [[place[sign] for sign in self.signs[row].tolist() if sign in place] for row in rows]
        shares = [SIGNS_SHARE / np.sqrt(max(FEWEST_SIGNS, len(each))) for each in found]
        table = csr_matrix(
            (
                np.repeat(shares, [len(each) for each in found]),
                np.array([sign for each in found for sign in each], dtype=int),
                np.cumsum([0, *(len(each) for each in found)]),
            ),
            shape=(len(rows), len(known)),
        )
        cues = np.clip(self.cues[list(rows)], LEAST_CUES, MOST_CUES)
        return hstack([table, csr_matrix(CUES_SCALE * cues)]).tocsr()


def fit(labelled: Labelled, rows: Sequence[int], known: Sequence[int]) -> list[LogisticRegression]:
    """Return a model for each kind: whether a reader would take it."""
    table = labelled.table(rows, known)
    said = labelled.kinds[list(rows)]
    own = np.where(labelled.repositories[list(rows)] == OWN, OWN_WEIGHT, 1.0)
    models = []
    for at in range(len(KINDS)):
        weight = own * np.where(said[:, at] == 1, ALSO_WEIGHT, 1.0)
        model = LogisticRegression(C=PENALTY, solver="liblinear", max_iter=300, tol=1e-3)
        models.append(model.fit(table, said[:, at] > 0, sample_weight=weight))
    return models


def stored(labelled: Labelled) -> dict[str, Any]:
    """Return the model of all that was labelled, as it is stored."""
    rows = range(len(labelled.signs))
    known = labelled.known(rows)
    models = fit(labelled, rows, known)
    weights = np.array([model.coef_[0] for model in models])
    signs = np.rint(HUNDREDTHS * weights[:, : len(known)]).astype(int).T.tolist()
    cues = np.round(CUES_SCALE * weights[:, len(known) :], 3).T.tolist()
    return {
        "kinds": list(KINDS),
        "base": [round(float(model.intercept_[0]), 3) for model in models],
        "cues": dict(zip(KINDS, cues, strict=True)),
        "signs": {labelled.names[sign]: row for sign, row in zip(known, signs, strict=True) if any(row)},
    }


def held_out(labelled: Labelled) -> None:
    """Print how many memories of repositories of which nothing was learned get a kind that a reader would take."""
    own = np.flatnonzero(labelled.repositories == OWN).tolist()
    count = len(labelled.signs) - len(own)
    odds = np.zeros((count, len(KINDS)))
    folds = GroupKFold(FOLDS, shuffle=True, random_state=1).split(odds, groups=labelled.repositories[:count])
    for learned, left_out in folds:
        rows = [*learned.tolist(), *own]
        known = labelled.known(rows)
        table = labelled.table(left_out.tolist(), known)
        for at, model in enumerate(fit(labelled, rows, known)):
            odds[left_out, at] = model.decision_function(table)
    cued = labelled.cues[:count].argmax(1)
    told = np.array([KINDS.index(longest_of_best(dict(zip(KINDS, row, strict=True)))) for row in odds.tolist()])
    for name, said in (("by cues alone", cued), ("by words as well", told)):
        taken = labelled.kinds[np.arange(count), said]
        print(f"{name}: right {(taken > 0).mean():.3f}, the best one {(taken > 1).mean():.3f} of {count}")
    best, second = np.sort(odds, 1)[:, -1], np.sort(odds, 1)[:, -2]
    right = labelled.kinds[np.arange(count), told] > 0
    for least, most in ((2.0, 99.0), (0.8, 2.0), (0.0, 0.8)):
        led = (best - second >= least) & (best - second < most)
        print(f"  lead {least} to {most}: {led.mean():.2f} of all, right {right[led].mean():.3f}")


def compute(files: Iterable[Path]) -> None:
    """Store the cues and signs of labelled memories."""
    rows = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()] + own_words()
    told = [
        cues_and_signs(row["text"], row["title"], row["headings"], path=row["path"], hint=row["hint"]) for row in rows
    ]
    texts = Counter(sign for _, signs in told for sign in signs)
    names = sorted(sign for sign, count in texts.items() if count >= FEWEST_TEXTS)
    place = {name: at for at, name in enumerate(names)}
    signs = [sorted(place[sign] for sign in found if sign in place) for _, found in told]
    names_of = sorted({row["repo"] for row in rows} - {""})
    repositories = {"": OWN} | {name: at for at, name in enumerate(names_of)}
    LABELLED.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        LABELLED,
        names=np.array("\n".join(names)),
        signs=np.array([sign for found in signs for sign in found], dtype=np.int32),
        ends=np.cumsum([len(found) for found in signs]),
        cues=np.array([[cues.get(kind, 0.0) for kind in KINDS] for cues, _ in told], dtype=np.float32),
        kinds=np.array([[_said(row["kinds"], kind) for kind in KINDS] for row in rows], dtype=np.int8),
        repositories=np.array([repositories[row["repo"]] for row in rows], dtype=np.int16),
    )


def own_words() -> list[dict[str, Any]]:
    """Return the sentences in the project's own words, of those with halves the one that is developed on."""
    told = [(text, headings, kind) for text, headings, kind in (*SAMPLES, *VOICES, *NOT_ONE_WORD, *SET_UP_OR_PLANNED)]
    told += [
        (text, ("Notes", heading) if heading else (), kind)
        for half, _, kind, heading, text in SENTENCES
        if half == "dev"
    ]
    rows = [
        {"repo": "", "path": "", "headings": headings, "title": text[:40], "text": text, "hint": None, "kinds": [kind]}
        for text, headings, kind in told
    ]
    return [*rows, *read_as_a_person_would()]


def read_as_a_person_would() -> Iterator[dict[str, Any]]:
    """Yield the memories of the texts of `tests/reading` that were developed on."""
    for text in (text for text in texts() if text["half"] == "dev"):
        with tempfile.TemporaryDirectory() as folder:
            read = imported(text, Path(folder))
        for expected in (each for each in text["memories"] if each.get("kinds")):
            try:
                draft = matching(expected, read)
            except AssertionError:
                continue  # which is on the list of what fails
            headings = (draft.source.native_id or "").rpartition("#")[0].split(" > ")
            yield {
                "repo": "",
                "path": text["file"],
                "headings": headings,
                "title": draft.title,
                "text": without_lead(f"{draft.insight}\n{draft.rationale}", headings),
                "hint": None,
                "kinds": expected["kinds"],
            }


def _said(kinds: Sequence[str], kind: str) -> int:
    return 2 if kind == kinds[0] else int(kind in kinds)


def read() -> Labelled:
    """Return what was labelled."""
    data = np.load(LABELLED)
    signs = np.split(data["signs"], data["ends"][:-1])
    return Labelled(str(data["names"]).split("\n"), signs, data["cues"], data["kinds"], data["repositories"])


def main() -> None:
    """Compute the signs again if asked to, print the held-out figures, and store the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labelled", type=Path, nargs="+", default=[])
    parser.add_argument("--held-out", action="store_true", help="print the figures only")
    options = parser.parse_args()
    if options.labelled:
        compute(options.labelled)
    labelled = read()
    held_out(labelled)
    if not options.held_out:
        WEIGHTS.write_text(json.dumps(stored(labelled), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
