"""Measures of the payloads that are made for a file of queries, beside those of the recall they are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memtui.config import RecallSettings
from memtui.pack.budget import counter_for
from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import PackItem, PayloadInfo, Target
from memtui.recall.evaluation import Answer, Question, evaluate, mean, measures
from memtui.recall.rank import MOST_HITS
from memtui.recall.result import Recall, Task
from memtui.recall.semantic import Meaning
from memtui.tree import Tree
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

_BOLD = "**"


@dataclass(frozen=True, slots=True)
class Served:
    """The payload for one question."""

    question: Question
    ids: tuple[str, ...]  # the memories in it, without pins that nobody expects
    tokens: int  # of the whole payload
    content: int  # of titles, texts, reasons and code alone

    @property
    def right(self) -> int:
        """How many of the expected memories are in it."""
        return len(set(self.ids) & set(self.question.expected))

    @property
    def has_essential(self) -> bool:
        return self.question.essential in self.ids


def evaluate_payloads(
    vault: Vault,
    questions: Iterable[Question],
    scope: Scope,  # the projects in view
    options: PackOptions,  # budget, style and whatever else the payloads are made with
    *,
    target: Target,
    project: str | None,  # name of the project, for the heading of payloads
    settings: RecallSettings,
    now: datetime,
    meaning: Meaning | None = None,
    tree: Tree | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Answer], list[Served], int]:
    """Return what recall gives for each question, and the payload that `context` makes of it.

    What a question excludes is in neither. The last is how many memories had no vector yet.

    Raises `UsageError`: budget or encoding are unknown.
    """
    served: list[Served] = []
    without_vector = 0

    def serve(question: Question, task: Task, found: Recall) -> None:
        nonlocal without_vector
        without_vector = max(without_vector, found.without_vector)
        pack = context(
            vault,
            task,
            Scope.of_project(question.project) if question.project else scope,
            replace(options, without=options.without.union(question.exclude)),
            project=question.project or project,
            target=target,
            settings=settings,
            now=now,
            recall_by=lambda _task, _limit: found,
        )
        served.append(_served(question, pack, target, options))

    answers = evaluate(
        *(vault, questions, scope),
        settings=settings,
        now=now,
        meaning=meaning,
        tree=tree,
        progress=progress,
        then=serve,
        limit=max(MOST_HITS, options.max_memories),
    )
    return answers, served, without_vector


def _served(question: Question, pack: Pack, target: Target, options: PackOptions) -> Served:
    ids = [one.memory.id for one in pack.included if not one.memory.pinned or one.memory.id in question.expected]
    return Served(question, tuple(ids), pack.tokens, content_tokens(pack, target, options))


def content_tokens(pack: Pack, target: Target, options: PackOptions) -> int:
    """Return the tokens of a payload without headings, notes, files, ages and marks."""
    bare = [PackItem(replace(one.memory, anchors=(), pinned=True, status="active")) for one in pack.included]
    info = PayloadInfo(style=pack.style, explained=pack.explained)
    counter = counter_for(options.encoding, fast=options.fast)
    texts = [piece.text for piece in target.pieces(bare, info) if piece.memory_id is not None]
    return sum(counter.count(_unmarked(text)) for text in texts)


def _unmarked(text: str) -> str:
    """Return a memory of a payload without the marks of a list or a heading, its margin, and those of a title."""
    if text.startswith("#"):
        return text.lstrip("#").strip()
    lines = [line.removeprefix("  ") for line in text.removeprefix("- ").splitlines()]
    if lines and lines[0].startswith(_BOLD):
        lines[0] = lines[0].replace(_BOLD, "", 2)
    return "\n".join(lines).strip()


def payload_measures(served: Sequence[Served]) -> dict[str, Any]:
    """Return the measures of some payloads; None where no question is of the sort that one is about.

    `relevant`, `complete`, `essential` and `empty` are of questions that something answers: which share of the memories
    in the payloads is expected, which share of the expected is in them, in how many the essential one is, and how many
    are empty. `refused` is the share of empty payloads for the other questions. The rest is of all that are not empty.
    """
    asked = [one for one in served if one.question.expected]
    others = [one for one in served if not one.question.expected]
    filled = [one for one in served if one.tokens]
    tokens, content = sum(one.tokens for one in filled), sum(one.content for one in filled)
    expected = sum(len(one.question.expected) for one in asked)
    return {
        "relevant": _share(sum(one.right for one in asked), sum(len(one.ids) for one in asked)),
        "complete": _share(sum(one.right for one in asked), expected),
        "essential": mean([float(one.has_essential) for one in asked if one.question.essential]),
        "empty": mean([float(not one.ids) for one in asked]),
        "refused": mean([float(not one.ids) for one in others]),
        "memories": mean([float(len(one.ids)) for one in filled]),
        "tokens": mean([float(one.tokens) for one in filled]),
        "metadata": _share(tokens - content, tokens),
    }


def payloads_record(answers: Sequence[Answer], served: Sequence[Served]) -> dict[str, Any]:
    """Return the measures of recall and of the payloads in all and per kind of question, for `eval --json`."""
    pairs = list(zip(answers, served, strict=True))
    kinds = sorted({one.question.kind for one in answers})

    def record(kind: str | None) -> dict[str, Any]:
        some = [pair for pair in pairs if kind is None or pair[0].question.kind == kind]
        return {
            **measures([answer for answer, _ in some]),
            "payload": payload_measures([payload for _, payload in some]),
        }

    return {**record(None), "by_kind": {kind: record(kind) for kind in kinds}}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
