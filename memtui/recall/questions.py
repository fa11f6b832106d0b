"""Files of evaluation queries and of corpora: JSONL that is read strictly, because a skipped line would flatter."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from memtui.domain.content import new_id
from memtui.domain.memory import LINK_TYPES, Link, Memory
from memtui.domain.record import RecordError, memory_from_record, parse_time
from memtui.errors import SourceError

_SHOWN_LINES = 5

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Question:
    """One line of an evaluation: a task, and the memories that should come.

    Attributes:
        query: the task in words; may be empty where there are files.
        expected: ids of the memories that should come; none for a task that nothing answers.
        files: project-relative paths in hand.
        exclude: ids that do not count, such as the memory that the query was taken from.
        kind: a name that results are grouped by.
    """

    query: str
    expected: tuple[str, ...]
    files: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Memories and links to be put into a throw-away vault."""

    memories: tuple[Memory, ...]
    links: tuple[Link, ...] = ()


def read_questions(text: str, where: str) -> list[Question]:
    """Return the questions of a file.

    Args:
        text: its content.
        where: its name, for errors.

    Raises:
        SourceError: lines are no questions; they are named by number, each with its reason.
    """
    questions = _lines(text, where, _question)
    if not questions:
        raise SourceError("There is no query in this file", where=where, remedy="memtui eval --add writes one.")
    return questions


def question_line(question: Question) -> str:
    """Return a question as a line of JSON, without its end of line."""
    record: dict[str, Any] = {"query": question.query}
    for key, values in (("files", question.files), ("expected", question.expected), ("exclude", question.exclude)):
        if values or key == "expected":
            record[key] = list(values)
    if question.kind:
        record["kind"] = question.kind
    return json.dumps(record, ensure_ascii=False)


def with_question(content: str, question: Question, where: str) -> str:
    """Return the content of a file of questions with one more at its end.

    Raises:
        SourceError: the file holds something else.
    """
    if content.strip():
        read_questions(content, where)
    return f"{content}{'' if not content or content.endswith(chr(10)) else chr(10)}{question_line(question)}\n"


def read_corpus(text: str, where: str, now: datetime) -> Corpus:
    """Return the memories and links of a JSONL file: memtui's own typed lines, or memories alone.

    Args:
        text: its content.
        where: its name, for errors.
        now: stands in for a missing date.

    Raises:
        SourceError: lines are neither, or an id stands twice; they are named by number.
    """
    seen: set[str] = set()

    def read(record: dict[str, Any]) -> Memory | Link | None:
        kind = record.get("type", "memory")
        if kind == "link":
            return _link(record, now)
        if kind != "memory":
            return None
        memory = memory_from_record(record, now=now, new_id=new_id())
        if memory.id in seen:
            raise RecordError(f"the id {memory.id} stands twice")
        seen.add(memory.id)
        return memory

    found = _lines(text, where, read)
    return Corpus(
        tuple(one for one in found if isinstance(one, Memory)), tuple(one for one in found if isinstance(one, Link))
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
    query, kind = record.get("query"), record.get("kind") or ""
    if not isinstance(query, str):
        raise RecordError("query is missing or no text")
    if not isinstance(kind, str):
        raise RecordError("kind is no text")
    if "expected" not in record:
        raise RecordError("expected is missing; an empty list says that nothing should come")
    question = Question(
        query=query,
        expected=_texts(record, "expected"),
        files=_texts(record, "files"),
        exclude=_texts(record, "exclude"),
        kind=kind,
    )
    if not query.strip() and not question.files:
        raise RecordError("there is neither a query nor a file")
    return question


def _texts(record: dict[str, Any], key: str) -> tuple[str, ...]:
    values = record.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise RecordError(f"{key} is no list of texts")
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
