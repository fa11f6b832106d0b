"""Measures of recall over a file of queries, on a vault or a corpus."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from memtui.config import RecallSettings
from memtui.domain.kinds import Kinds
from memtui.domain.memory import LINK_TYPES, Link, Memory, new_id
from memtui.domain.record import RecordError, link_in_row, memory_from_record, parse_time, with_known_names
from memtui.errors import SourceError
from memtui.recall.rank import MOST_HITS, recall
from memtui.recall.result import Hit, Recall, Sureness, Task
from memtui.recall.semantic import Meaning
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.lease import FILE_NAME
from memtui.vault.vault import Vault

_SHOWN_LINES = 5

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Question:
    """One line of an evaluation: a task, and the memories that should come."""

    query: str  # the task in words; may be empty where there are files
    expected: tuple[str, ...]  # ids of the memories that should come; none for a task that nothing answers
    files: tuple[str, ...] = ()  # project-relative paths of the task
    exclude: tuple[str, ...] = ()  # ids that do not count, such as the memory that the query was taken from
    kind: str = ""  # a name that results are grouped by
    project: str = ""  # the project that it is asked in; empty for the projects in view
    essential: str = ""  # the one of the expected that matters most, empty where none does


@dataclass(frozen=True, slots=True)
class Corpus:
    """Memories and links to be put into a throw-away vault."""

    memories: tuple[Memory, ...]
    links: tuple[Link, ...] = ()


def read_questions(text: str, where: str) -> list[Question]:
    """Return the questions of a file.

    Raises `SourceError`: lines are no questions; they are named by number, each with its reason.
    """
    questions = _lines(text, where, _question)
    if not questions:
        raise SourceError("No query in this file", where=where, remedy="memtui eval --add writes one.")
    return questions


def question_line(question: Question) -> str:
    """Return a question as a line of JSON, without its end of line."""
    record: dict[str, Any] = {"query": question.query}
    for key, values in (("files", question.files), ("expected", question.expected), ("exclude", question.exclude)):
        if values or key == "expected":
            record[key] = list(values)
    others = ("essential", question.essential), ("kind", question.kind), ("project", question.project)
    record |= {key: value for key, value in others if value}
    return json.dumps(record, ensure_ascii=False)


def with_question(content: str, question: Question, where: str) -> str:
    """Return the content of a file of questions with one more at its end.

    Raises `SourceError`: the file holds something else.
    """
    if content.strip():
        read_questions(content, where)
    return f"{content}{'' if not content or content.endswith(chr(10)) else chr(10)}{question_line(question)}\n"


def read_corpus(text: str, where: str, now: datetime) -> Corpus:
    """Return the memories and links of a JSONL file: memtui's own typed lines, or memories alone.

    `now`: stands in for a missing date.

    Raises `SourceError`: lines are neither, or an id stands twice; they are named by number.
    """
    seen: set[str] = set()
    in_rows: list[Link] = []

    def read(record: dict[str, Any]) -> Memory | Link | None:
        kind = record.get("type", "memory")
        if kind == "link":
            return _link(record, now)
        if kind != "memory":
            return None
        memory = memory_from_record(with_known_names(record), now=now, new_id=new_id())
        if memory.id in seen:
            raise RecordError(f"the id {memory.id} occurs twice")
        seen.add(memory.id)
        in_rows.extend(_link(link_in_row(memory.id, link), now) for link in record.get("links") or ())
        return memory

    found = _lines(text, where, read)
    return Corpus(
        tuple(one for one in found if isinstance(one, Memory)),
        (*(one for one in found if isinstance(one, Link)), *in_rows),
    )


def _lines(text: str, where: str, read: Callable[[dict[str, Any]], Read]) -> list[Read]:
    """Return what a reader makes of each line that is not empty."""
    found: list[Read] = []
    bad: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(read(_object(line)))
        except RecordError as error:
            bad.append(f"line {number}: {error}")
    if bad:
        more = f"; and {len(bad) - _SHOWN_LINES} more" if len(bad) > _SHOWN_LINES else ""
        raise SourceError(
            "Lines of this file cannot be read",
            where=f"{where}, {'; '.join(bad[:_SHOWN_LINES])}{more}",
            remedy='A query is {"query": "…", "expected": ["id"]}, a memory {"id": "…", "insight": "…"}.',
        )
    return found


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(f"no valid JSON: {error.msg}, column {error.colno}") from None
    except (RecursionError, ValueError):  # nested without end; an integer of thousands of digits
        raise RecordError("no valid JSON: nested too deep, or a number too long") from None
    if not isinstance(value, dict):
        raise RecordError("no JSON object")
    return value


def _question(record: dict[str, Any]) -> Question:
    query = record.get("query")
    if not isinstance(query, str):
        raise RecordError("query is missing or no text")
    if "expected" not in record:
        raise RecordError("expected is missing; an empty list says that nothing should come")
    question = Question(
        query=query,
        expected=_texts(record, "expected"),
        files=_texts(record, "files"),
        exclude=_texts(record, "exclude"),
        kind=_one_text(record, "kind"),
        project=_one_text(record, "project"),
        essential=_one_text(record, "essential"),
    )
    if question.essential and question.essential not in question.expected:
        raise RecordError("essential is none of the expected")
    if not query.strip() and not question.files:
        raise RecordError("there is neither a query nor a file")
    return question


def _one_text(record: dict[str, Any], key: str) -> str:
    value = record.get(key) or ""
    if not isinstance(value, str):
        raise RecordError(f"{key} must be a string")
    return value


def _texts(record: dict[str, Any], key: str) -> tuple[str, ...]:
    values = record.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise RecordError(f"{key} must be a list of strings")
    return tuple(dict.fromkeys(values))


def _link(record: dict[str, Any], now: datetime) -> Link:
    ends = [record.get("from"), record.get("to")]
    kind = record.get("link")
    if not all(isinstance(end, str) and end for end in ends) or kind not in LINK_TYPES:
        raise RecordError("a link without from, to or a known type")
    return Link(
        from_id=str(ends[0]),
        type=kind,
        to_id=str(ends[1]),
        weight=float(record.get("weight") or 1.0),
        created_at=parse_time(record.get("created_at"), "created_at") or now,
    )


def unknown_ids(questions: Iterable[Question], known: set[str]) -> list[str]:
    """Return the expected ids that are not known, each once, in order."""
    return [one for one in dict.fromkeys(name for q in questions for name in q.expected) if one not in known]


CORPUS_PROJECT = "corpus"  # The project of a corpus's memories that name none: unassigned ones would reach no payload

_SHORT, _LONG = 5, 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for one question."""

    question: Question
    ids: tuple[str, ...]  # the recalled memories, the best first, without those that the question excludes
    empty: bool  # whether nothing was found relevant
    milliseconds: float  # how long the recall took
    sure: Sureness = "sure"  # whether the memories answer the question

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
    scope: Scope,  # the projects in view
    *,
    settings: RecallSettings,  # the weights of recall
    now: datetime,  # the moment freshness is measured at
    meaning: Meaning | None = None,  # how queries are compared by meaning, None for words alone
    tree: Tree | None = None,  # the working tree in which imports of the questions' files are followed
    progress: Callable[[int], None] | None = None,  # called with the number that are done
    limit: int = MOST_HITS,  # most memories that are recalled for a question; more where measures need them
    then: Callable[[Question, Task, Recall], None] | None = None,  # called with what was recalled for each question
) -> list[Answer]:
    """Return what recall gives for each question, before a payload is made of it."""
    answers = []
    for number, question in enumerate(questions, 1):
        task = Task(question.query, question.files)
        most = max(limit, _LONG + len(question.exclude))
        start = time.perf_counter()
        inside = Scope.of_project(question.project) if question.project else scope
        found = recall(vault, task, inside, settings=settings, now=now, limit=most, meaning=meaning, tree=tree)
        taken = (time.perf_counter() - start) * 1000
        ids = tuple(one for one in ranked_ids(found) if one not in question.exclude)
        answers.append(Answer(question, ids, found.abstained is not None, taken, found.sure))
        if then:
            then(question, task, found)
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
    """Return the measures of some answers: None where no question is of the sort that one is about.

    Those of finding, `sure` and `found` are of questions that something answers, `refused` of the others.
    """
    asked = [answer for answer in answers if answer.question.expected]
    unanswerable = [answer for answer in answers if not answer.question.expected]
    times = sorted(answer.milliseconds for answer in answers)
    return {
        "queries": len(answers),
        "recall@5": mean([one.recall_at(_SHORT) for one in asked]),
        "recall@10": mean([one.recall_at(_LONG) for one in asked]),
        "hit@5": mean([one.hit_at(_SHORT) for one in asked]),
        "hit@10": mean([one.hit_at(_LONG) for one in asked]),
        "ndcg@10": mean([one.ndcg_at(_LONG) for one in asked]),
        "mrr": mean([one.reciprocal_rank() for one in asked]),
        "empty": mean([float(one.empty) for one in answers]),
        "sure": mean([float(one.sure == "sure") for one in asked]),
        "found": mean([float(one.sure != "nothing") for one in asked]),
        "refused": mean([float(one.sure != "sure") for one in unanswerable]),
        "p50_ms": _percentile(times, 0.50),
        "p95_ms": _percentile(times, 0.95),
    }


def corpus_vault(folder: Path, corpus: Corpus, *, kinds: Kinds, now: Callable[[], datetime]) -> Vault:
    vault = Vault(folder / FILE_NAME, kinds=kinds, now=now)
    memories = [one if one.project else replace(one, project=CORPUS_PROJECT) for one in corpus.memories]
    with vault.write(actor="person", action="evaluation") as writer:
        writer.put_many(memories)
        writer.add_links(corpus.links)
    return vault


def known_ids(vault: Vault) -> set[str]:
    with vault.read() as reader:
        return set(reader.select_ids(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now()))


def mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), 4) if values else None


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else None
