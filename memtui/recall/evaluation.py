"""How well recall finds what it should: the measures of a file of queries, over a vault or a corpus."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.config import RecallSettings
from memtui.domain.kinds import Kinds
from memtui.recall.meaning import Meaning
from memtui.recall.questions import Corpus, Question
from memtui.recall.ranking import MOST_HITS, recall
from memtui.recall.result import Hit, Recall
from memtui.recall.task import Task
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import FILE_NAME, Vault
from memtui.workspace import Tree

CORPUS_PROJECT = "corpus"
"""The project of a corpus's memories that name none: unassigned ones would reach no payload."""

_SHORT, _LONG = 5, 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for one question.

    Attributes:
        ids: the recalled memories, the best first, without those that the question excludes.
        empty: whether nothing was found relevant.
        milliseconds: how long the recall took.
    """

    question: Question
    ids: tuple[str, ...]
    empty: bool
    milliseconds: float

    def recall_at(self, depth: int) -> float:
        """Return the share of the expected memories among the first so many."""
        return len(self._found(depth)) / len(self.question.expected)

    def hit_at(self, depth: int) -> float:
        """Return 1.0 if any expected memory is among the first so many."""
        return float(bool(self._found(depth)))

    def ndcg_at(self, depth: int) -> float:
        """Return the normalised discounted cumulative gain, every expected memory being equally good."""
        wanted = set(self.question.expected)
        gain = math.fsum(1 / math.log2(at + 2) for at, one in enumerate(self.ids[:depth]) if one in wanted)
        return gain / math.fsum(1 / math.log2(at + 2) for at in range(min(depth, len(wanted))))

    def reciprocal_rank(self) -> float:
        """Return 1 / the rank of the first expected memory, 0 if none came."""
        wanted = set(self.question.expected)
        return next((1 / rank for rank, one in enumerate(self.ids, 1) if one in wanted), 0.0)

    def _found(self, depth: int) -> set[str]:
        return set(self.question.expected) & set(self.ids[:depth])


def evaluate(
    vault: Vault,
    questions: Iterable[Question],
    scope: Scope,
    *,
    settings: RecallSettings,
    now: datetime,
    meaning: Meaning | None = None,
    tree: Tree | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Answer]:
    """Return what recall gives for each question, as `context` would see it.

    Args:
        vault: the vault.
        questions: the questions.
        scope: the projects in view.
        settings: the weights of recall.
        now: the moment freshness is measured at.
        meaning: how queries are compared by meaning, None for words alone.
        tree: the working tree in which imports of the questions' files are followed.
        progress: told how many are done.
    """
    answers = []
    for number, question in enumerate(questions, 1):
        task = Task(question.query, question.files)
        limit = max(MOST_HITS, _LONG + len(question.exclude))
        start = time.perf_counter()
        found = recall(vault, task, scope, settings=settings, now=now, limit=limit, meaning=meaning, tree=tree)
        taken = (time.perf_counter() - start) * 1000
        ids = tuple(one for one in ranked_ids(found) if one not in question.exclude)
        answers.append(Answer(question, ids, found.abstained is not None, taken))
        if progress:
            progress(number)
    return answers


def ranked_ids(found: Recall) -> list[str]:
    """Return the relevant memories of a recall in order, pinned ones where they would stand without their pin."""
    ranked = [(hit.memory.id, hit.score) for hit in found.hits]
    pins = [hit for hit in found.pins if hit.memory.id in found.relevant_pins]
    for hit in pins:
        score = _unpinned(hit)
        at = next((place for place, (_, other) in enumerate(ranked) if other < score), len(ranked))
        ranked.insert(at, (hit.memory.id, score))
    return [identifier for identifier, _ in ranked]


def _unpinned(hit: Hit) -> float:
    pin = math.fsum(part.value for part in hit.parts if part.name == "pinned")
    return hit.score * (1 - pin / hit.relevance) if hit.relevance else 0.0


def measures(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the measures of some answers; those of finding are None where no question expects anything."""
    asked = [answer for answer in answers if answer.question.expected]
    times = sorted(answer.milliseconds for answer in answers)
    return {
        "queries": len(answers),
        "recall@5": _mean([one.recall_at(_SHORT) for one in asked]),
        "recall@10": _mean([one.recall_at(_LONG) for one in asked]),
        "hit@5": _mean([one.hit_at(_SHORT) for one in asked]),
        "hit@10": _mean([one.hit_at(_LONG) for one in asked]),
        "ndcg@10": _mean([one.ndcg_at(_LONG) for one in asked]),
        "mrr": _mean([one.reciprocal_rank() for one in asked]),
        "empty": _mean([float(one.empty) for one in answers]),
        "p50_ms": _percentile(times, 0.50),
        "p95_ms": _percentile(times, 0.95),
    }


def evaluation_record(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the measures in all and per kind of question, for `eval --json`."""
    by_kind: dict[str, list[Answer]] = {}
    for answer in answers:
        by_kind.setdefault(answer.question.kind, []).append(answer)
    return {**measures(answers), "by_kind": {kind: measures(some) for kind, some in sorted(by_kind.items())}}


def corpus_vault(folder: Path, corpus: Corpus, *, kinds: Kinds, now: Callable[[], datetime]) -> Vault:
    """Return a vault in a folder of the caller's that holds a corpus."""
    vault = Vault(folder / FILE_NAME, kinds=kinds, now=now)
    memories = [one if one.project else replace(one, project=CORPUS_PROJECT) for one in corpus.memories]
    with vault.write(actor="person", action="evaluation") as writer:
        writer.put_many(memories)
        writer.add_links(corpus.links)
    return vault


def known_ids(vault: Vault) -> set[str]:
    """Return the ids of all memories of a vault, of any status."""
    from memtui.vault.filters import MemoryFilter

    with vault.read() as reader:
        return set(reader.select_ids(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now()))


def _mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), 4) if values else None


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else None
