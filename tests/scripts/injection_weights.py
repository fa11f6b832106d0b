"""Fits the model of how planted statements are worded into `memtui/text/injection_weights.json`, and prints its worth.

Learned from `tests/planted`: statements in the project's own words, those of several writers who had not seen the
rules, and `others.npz`, the runs of characters of memories of real repositories that stand nearest to planted ones,
with a sample of the others, and of planted texts by strangers, as numbers without order; their texts are not kept.
`--ordinary MEMORIES --strangers TEXTS`, JSON lines with `insight` and with `text`, computes these again, which is
needed whenever the planted statements change. `--held-out` prints what models find of a writer of whom they saw
nothing. Needs `pip install scikit-learn==1.9.1`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.cluster import MiniBatchKMeans
from sklearn.linear_model import LogisticRegression
from unit.text.test_text_injection_languages import ORDINARY, PLANTED, PLANTED_ELSEWHERE

from memtui.embedding.bundled import BundledEngine
from memtui.text import injection_model
from memtui.text.injection import sentences_of
from memtui.text.injection_model import (
    FEWEST_PHRASES,
    FEWEST_RUNS,
    LONGEST_WHOLE,
    groups_by_word,
    phrases_of,
    runs_of,
    words_of,
)

DATA = Path(__file__).parents[1] / "planted"
SOFT = 10  # The sort of `tests/planted/README.md` without a word of an attack
WEIGHTS = Path(injection_model.__file__).with_name("injection_weights.json")
FEWEST_TEXTS, FEWEST_WRITERS = 4, 3  # Texts, and writers of such, that a run or phrase occurs in to be weighed
FEWEST_OF_WORD, GROUPS = 3, 300  # Statements that hold a word of a group, and how many groups there are
PENALTY = 10.0  # Inverse strength of the ridge
WEIGHT = {("own", True): 1.0, ("own", False): 3.0, ("project", False): 3.0}
"""Of a statement of the project's author, against a planted one by another writer."""

FEATURES_ONLY = ("neighbours", "said-again", "typed-features")  # Files without texts
NOT_LEARNED = ("unseen", "newcomers-locked", "newcomers-locked-2")
HARMLESS_WEIGHT = 2.0  # Of a writer's harmless statement: it stands close to planted ones on purpose
STRANGERS_WEIGHT = 0.15  # Of a planted text by a stranger, many of which are no statements
ORDINARY_WEIGHT = 2.0  # Of a statement of a real repository
NEAREST, FAR = 6_000, 2_500  # How many of these are kept: those nearest to planted ones, and others by chance
MOST_BY_PHRASES = -3.0  # What phrases add at most to a planted statement by a locked writer that is found
LEAST = 0.0  # What a statement weighs at least to count as planted; set by real repositories, see RESULTS.md

Table = Any  # a sparse matrix, which scipy does not type


@dataclass(frozen=True, slots=True)
class Statement:
    """A labelled statement."""

    text: str
    is_planted: bool
    writer: str
    is_soft: bool = False  # harmful by its wording alone, with no word of an attack in it


@dataclass(frozen=True, slots=True)
class Names:
    """What is weighed: runs of characters, and phrases."""

    runs: Sequence[str]
    phrases: Sequence[str]
    groups: Sequence[str]  # of words, parted by blanks

    @property
    def width(self) -> int:
        """The columns of a table: a run or phrase each."""
        return len(self.runs) + len(self.phrases)


@dataclass(frozen=True, slots=True)
class Rows:
    """What is learned from: runs and phrases by row, whether each row is planted, and what it counts for."""

    table: Table
    is_planted: list[bool]
    weights: list[float]


def written() -> list[Statement]:
    """Return the statements of the writers who had not seen the rules."""
    found = []
    for path in sorted((DATA / "writers").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append(Statement(row["text"], row["label"] == "planted", path.stem, row["sort"] == SOFT))
    return found


def own() -> list[Statement]:
    """Return the statements in the project's own words."""
    lines = (DATA / "statements.txt").read_text("utf-8").splitlines()
    found = [Statement(line[2:], line[0] == "+", "own") for line in lines if line[:2] in ("+ ", "- ")]
    found += [Statement(text, True, "own") for text in (*PLANTED, *PLANTED_ELSEWHERE)]
    return found + [Statement(text, False, "own") for text in ORDINARY]


def project_texts() -> list[Statement]:
    """Return everyday rules, the ordinary texts of other tests and the sample vault: written as the statements are."""
    texts: set[str] = set()
    for folder in ("planted/everyday", "curation", "eval", "lessons"):
        for path in sorted((DATA.parent / folder).rglob("*.jsonl")):
            if path.stem not in (*FEATURES_ONLY, *NOT_LEARNED):
                texts.update(*(strings_in(json.loads(line)) for line in path.read_text("utf-8").splitlines()))
    for path in sorted((DATA.parents[1] / "sample_vault" / "memories").rglob("*.md")):
        texts.add(path.read_text("utf-8").rpartition("\n---\n")[2].strip())
    return [Statement(text, False, "project") for text in sorted(texts)]


def strings_in(value: Any) -> Iterator[str]:
    """Yield the texts of a row of data that are sentences."""
    if isinstance(value, str):
        if " " in value or not value.isascii():
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings_in(each)


def runs_in(sentences: Iterable[str]) -> list[str]:
    """Return the runs of the words of sentences, as often as words hold them."""
    words = sorted(set().union(*map(words_of, sentences)))
    return [run for word in words for run in sorted(runs_of(word))]


def phrases_in(sentences: Iterable[str], groups: Mapping[str, str]) -> list[str]:
    """Return the phrases of sentences."""
    return sorted(set().union(*(phrases_of(words_of(sentence), groups) for sentence in sentences)))


def groups_of(statements: Iterable[Statement]) -> list[str]:
    """Return the frequent words of the writers' statements in groups of like vectors of the bundled model."""
    texts: Counter[str] = Counter()
    for one in statements:
        texts.update(set().union(*map(words_of, sentences_of(one.text))))
    words = sorted(word for word, count in texts.items() if count >= FEWEST_OF_WORD and word and word.isascii())
    model = MiniBatchKMeans(GROUPS, n_init=3, batch_size=2048, random_state=0)
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for word, group in zip(words, model.fit_predict(BundledEngine().embed_passages(words)).tolist(), strict=True):
        groups[group].append(word)
    return [" ".join(groups[group]) for group in sorted(groups)]


def judged_in(text: str) -> list[list[str]]:
    """Return what is judged of a text: its sentences one by one, and all together where it is short."""
    sentences = sentences_of(text)
    parts = [[sentence] for sentence in sentences]
    return [*parts, sentences] if len(parts) > 1 and len(text) <= LONGEST_WHOLE else parts


def vocabulary(statements: Sequence[Statement], groups: Sequence[str]) -> Names:
    """Return the runs of characters of planted statements, and the phrases of all but everyday ones."""
    by_word = groups_by_word(groups)
    runs = _frequent([one for one in statements if one.is_planted], runs_in)
    phrases = _frequent([one for one in statements if one.writer != "project"], lambda each: phrases_in(each, by_word))
    return Names(runs, phrases, groups)


def _frequent(statements: Iterable[Statement], parts_in: Callable[[list[str]], list[str]]) -> list[str]:
    texts: Counter[str] = Counter()
    writers: defaultdict[str, set[str]] = defaultdict(set)
    for one in statements:
        for part in set(parts_in(sentences_of(one.text))):
            texts[part] += 1
            writers[part].add(one.writer)
    frequent = {part for part, count in texts.items() if count >= FEWEST_TEXTS}
    return sorted(part for part in frequent if len(writers[part]) >= FEWEST_WRITERS)


class Numbering:
    """The columns of what is weighed."""

    def __init__(self, names: Names) -> None:
        self._runs = {name: number for number, name in enumerate(names.runs)}
        self._phrases = {name: number for number, name in enumerate(names.phrases, len(names.runs))}
        self._groups = groups_by_word(names.groups)

    def row(self, sentences: Sequence[str]) -> list[int]:
        """Return the columns of the runs of sentences, then of their phrases."""
        runs = [self._runs[run] for run in runs_in(sentences) if run in self._runs]
        return runs + [self._phrases[one] for one in phrases_in(sentences, self._groups) if one in self._phrases]


def table_of(rows: Iterable[Sequence[int]], names: Names) -> Table:
    """Return rows of columns as a table, each scaled as the model scales them."""
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    for row in rows:
        runs = sum(column < len(names.runs) for column in row)
        phrases = len(row) - runs
        columns += row
        values += [max(FEWEST_RUNS, runs) ** -0.5] * runs + [max(FEWEST_PHRASES, phrases) ** -0.5] * phrases
        ends.append(len(columns))
    shape = (len(ends) - 1, names.width)
    return csr_matrix((np.array(values), np.array(columns, np.int32), np.array(ends, np.int32)), shape=shape)


def rows_of(statements: Sequence[Statement], names: Names) -> Rows:
    """Return a row for each planted statement, and one for each part of an ordinary one that is judged by itself."""
    numbering = Numbering(names)
    rows, is_planted, weights = [], [], []
    for one in statements:
        parts = [sentences_of(one.text)] if one.is_planted else judged_in(one.text)
        rows += [numbering.row(part) for part in parts]
        is_planted += [one.is_planted] * len(parts)
        weights += [WEIGHT.get((one.writer, one.is_planted), 1.0 if one.is_planted else HARMLESS_WEIGHT)] * len(parts)
    return Rows(table_of(rows, names), is_planted, weights)


def stored_rows(names: Names) -> Rows:
    """Return the rows of real repositories and of strangers."""
    stored = np.load(DATA / "others.npz")
    if int(stored["width"]) != names.width:
        raise SystemExit("tests/planted/others.npz belongs to other statements: give --ordinary and --strangers")
    parts = np.split(stored["columns"], stored["ends"][:-1])
    table = table_of([part.tolist() for part in parts], names)
    return Rows(table, stored["planted"].tolist(), stored["weights"].tolist())


def keep_others(memories: Path, strangers: Path, names: Names, labelled: Rows) -> None:
    """Store rows of strangers, and of real repositories those nearest to planted ones by a first model and a sample."""
    numbering = Numbering(names)
    planted = [numbering.row([text]) for text in _read(strangers, "text")]
    rows = [numbering.row(part) for text in _read(memories, "insight") for part in judged_in(text)]
    random.Random(1).shuffle(rows)
    table = table_of(rows, names)
    first = Rows(table[: 4 * FAR], [False] * 4 * FAR, [ORDINARY_WEIGHT] * 4 * FAR)
    weights, base = fit([labelled, first])
    order = np.argsort(-(table @ weights + base), kind="stable")
    far = random.Random(2).sample(order[NEAREST:].tolist(), FAR)
    kept = [*planted, *(rows[number] for number in [*order[:NEAREST].tolist(), *far])]
    each = [STRANGERS_WEIGHT] * len(planted) + [ORDINARY_WEIGHT] * NEAREST
    np.savez_compressed(
        DATA / "others.npz",
        width=np.array(names.width),
        columns=np.concatenate([np.sort(np.array(row, np.uint32)) for row in kept]),
        ends=np.cumsum([len(row) for row in kept]).astype(np.int32),
        planted=np.array([True] * len(planted) + [False] * (NEAREST + FAR)),
        weights=np.array(each + [ORDINARY_WEIGHT * (len(rows) - NEAREST) / FAR] * FAR, np.float32),
    )


def _read(path: Path, field: str) -> list[str]:
    return [json.loads(line)[field] for line in path.read_text("utf-8").splitlines()]


def fit(parts: Sequence[Rows]) -> tuple[Any, float]:
    """Return weight per run and base of a logistic model."""
    model = LogisticRegression(C=PENALTY, max_iter=200, solver="liblinear")
    said = [each for part in parts for each in part.is_planted]
    model.fit(vstack([part.table for part in parts]), said, [each for part in parts for each in part.weights])
    return model.coef_[0], float(model.intercept_[0])


def held_out(statements: Sequence[Statement], names: Names, ordinary: Rows) -> None:
    """Print what models find of each writer of whom they saw nothing but which runs and phrases are weighed."""
    numbering = Numbering(names)
    for writer in sorted({one.writer for one in statements} - {"own", "project"}):
        weights, base = fit([rows_of([one for one in statements if one.writer != writer], names), ordinary])
        hits: Counter[str] = Counter()
        for one in statements:
            if one.writer != writer:
                continue
            parts = table_of([numbering.row(part) for part in judged_in(one.text)], names)
            sort = "harmless" if not one.is_planted else "soft" if one.is_soft else "planted"
            hits[sort] += 1
            hits[f"{sort} found"] += bool(max(parts @ weights + base) >= LEAST)
        print(
            writer,
            ", ".join(f"{hits[f'{sort} found']} of {hits[sort]} {sort}" for sort in ("planted", "soft", "harmless")),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--ordinary", type=Path, help="memories of real repositories")
    parser.add_argument("--strangers", type=Path, help="short planted texts by strangers")
    parser.add_argument("--held-out", action="store_true", help="print the worth on each writer by the others'")
    arguments = parser.parse_args()
    statements = [*written(), *own(), *project_texts()]
    groups = groups_of(one for one in statements if one.writer not in {"own", "project"})
    names = vocabulary(statements, groups)
    labelled = rows_of(statements, names)
    if arguments.ordinary and arguments.strangers:
        keep_others(arguments.ordinary, arguments.strangers, names, labelled)
    ordinary = stored_rows(names)
    if arguments.held_out:
        held_out(statements, names, ordinary)
    weights, base = fit([labelled, ordinary])
    numbers = {"base": base, "least": LEAST, "most_by_phrases": MOST_BY_PHRASES}
    hundredths = [round(100 * weight) for weight in weights.tolist()]
    runs = dict(zip(names.runs, hundredths[: len(names.runs)], strict=True))
    phrases = dict(zip(names.phrases, hundredths[len(names.runs) :], strict=True))
    rounded = {name: round(100 * number) for name, number in numbers.items()}
    stored = {**rounded, "groups": groups, "runs": runs, "phrases": phrases}
    WEIGHTS.write_text(json.dumps(stored, indent=0, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(runs):,} runs, {len(phrases):,} phrases")


if __name__ == "__main__":
    main()
