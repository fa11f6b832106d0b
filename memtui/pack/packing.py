"""The pack: the chosen memories of one task under one budget, with the exact text and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.config import RecallSettings
from memtui.domain.memory import Memory
from memtui.pack.budget import Measure
from memtui.pack.selection import OVER_BUDGET, PIN_OVER_BUDGET, Choice, Selection, select
from memtui.pack.targets.base import PayloadInfo, Target
from memtui.pack.targets.registry import target_named
from memtui.pack.tokens import counter_for
from memtui.recall.ranking import MOST_HITS, recall
from memtui.recall.result import Recall, Withheld, listed_and_counted
from memtui.recall.task import Task
from memtui.text.quantities import Budget, parse_budget
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree


@dataclass(frozen=True, slots=True)
class Included:
    """A memory of the payload.

    Attributes:
        memory: as it went in, shortened if it had to be.
        tokens: tokens of its own text in the payload.
        score: as recalled.
        reason: why it is here, in words.
    """

    memory: Memory
    tokens: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Pack:
    """A finished payload.

    Attributes:
        payload: the exact text; empty if nothing is in it.
        target: name of the form.
        encoding: what tokens were counted in.
        exact: whether the count is exact for that encoding; an estimate stays above it.
        size: size of the payload in the budget's unit.
        tokens: tokens of the payload.
        frame_tokens: tokens of headings and notes; with those of the memories they make up `tokens`.
        included: in the order of the payload.
        withheld: at most fifty, the nearest first.
        withheld_counts: the rest per reason.
        other_projects: relevant memories of projects that are not in scope.
        abstained: why the payload is empty; None if it is not.
    """

    payload: str
    target: str
    encoding: str
    exact: bool
    size: int
    tokens: int
    frame_tokens: int
    budget: Budget
    included: tuple[Included, ...]
    withheld: tuple[Withheld, ...]
    withheld_counts: Mapping[str, int]
    other_projects: int
    abstained: str | None


def context(
    vault: Vault,
    task: Task,
    scope: Scope,
    *,
    project: str | None,
    target: str,
    budget: str,
    encoding: str,
    max_memories: int,
    settings: RecallSettings,
    now: datetime,
    fast: bool = False,
    tree: Tree | None = None,
) -> Pack:
    """Return the pack for a task: recall, then selection under the budget.

    Args:
        vault: the vault.
        task: text and files.
        scope: the projects in view.
        project: name of the project, for the payload's heading.
        target: name of the form.
        budget: as people write it: `1200`, `10000 chars`, `32 KiB`.
        encoding: what tokens are counted in.
        max_memories: most memories in the payload.
        settings: the weights of recall.
        now: the moment freshness is measured at.
        fast: estimate tokens on the safe side instead of loading a tokenizer.
        tree: the working tree to check anchors against.

    Raises:
        UsageError: target, budget, encoding or phase are unknown.
    """
    form = target_named(target)
    size = parse_budget(budget)
    most = max(MOST_HITS, max_memories)
    found = recall(vault, task, scope, settings=settings, now=now, limit=most, tree=tree)
    return build_pack(
        found,
        target=form,
        budget=size,
        encoding=encoding,
        max_memories=max_memories,
        info=PayloadInfo(project),
        fast=fast,
    )


def build_pack(
    found: Recall,
    *,
    target: Target,
    budget: Budget,
    encoding: str,
    max_memories: int,
    info: PayloadInfo,
    fast: bool = False,
) -> Pack:
    """Return the pack of a recall: the same recall and options give the same bytes, within the budget."""
    measure = Measure(budget, counter_for(encoding, fast=fast))
    selection = select(found, target=target, measure=measure, max_memories=max_memories, info=info)
    payload = _within_budget(selection, target, measure, info)
    withheld, counts = listed_and_counted([*selection.withheld, *found.withheld], found.withheld_counts)
    included = _included(selection, target, measure, info)
    tokens = measure.tokens(payload)
    return Pack(
        payload=payload,
        target=target.name,
        encoding=measure.counter.encoding,
        exact=measure.counter.exact,
        size=measure.size(payload),
        tokens=tokens,
        frame_tokens=tokens - sum(one.tokens for one in included),
        budget=budget,
        included=included,
        withheld=withheld,
        withheld_counts=counts,
        other_projects=found.other_projects,
        abstained=None if payload else _abstained(found, selection, budget),
    )


def _within_budget(selection: Selection, target: Target, measure: Measure, info: PayloadInfo) -> str:
    """Return the finished payload, measured; drops the least until it fits."""
    while selection.chosen:
        payload = target.render([choice.item for choice in _ordered(selection)], info)
        if measure.fits(payload):
            return payload
        least = min(selection.chosen, key=lambda choice: (choice.hit.memory.pinned, choice.hit.score))
        selection.chosen.remove(least)
        reason = PIN_OVER_BUDGET if least.hit.memory.pinned else OVER_BUDGET
        selection.withheld.append(reason.of(least.hit.memory, least.hit.relevance))
    return ""


def _ordered(selection: Selection) -> list[Choice]:
    """Return the chosen as a target takes them: pins first, then by score."""
    return sorted(
        selection.chosen,
        key=lambda choice: (
            not choice.hit.memory.pinned,
            -choice.hit.score,
            choice.hit.memory.created_at,
            choice.hit.memory.id,
        ),
    )


def _included(selection: Selection, target: Target, measure: Measure, info: PayloadInfo) -> tuple[Included, ...]:
    choices = {choice.hit.memory.id: choice for choice in selection.chosen}
    pieces = target.pieces([choice.item for choice in _ordered(selection)], info)
    return tuple(
        Included(
            choices[piece.memory_id].item.memory,
            measure.tokens(piece.text),
            choices[piece.memory_id].hit.score,
            choices[piece.memory_id].hit.reason,
        )
        for piece in pieces
        if piece.memory_id is not None
    )


def _abstained(found: Recall, selection: Selection, budget: Budget) -> str:
    if selection.withheld and (found.hits or found.pins):
        return f"nothing fits the budget of {budget}"
    return found.abstained or "nothing is relevant"


def pack_record(pack: Pack) -> dict[str, Any]:
    """Return a pack for `context --json`."""
    record: dict[str, Any] = {
        "payload": pack.payload,
        "target": pack.target,
        "encoding": pack.encoding,
        "exact": pack.exact,
        "tokens": pack.tokens,
        "budget": pack.budget.amount,
        "budget_unit": pack.budget.unit,
        "size": pack.size,
        "included": [
            {"id": one.memory.id, "tokens": one.tokens, "score": one.score, "reason": one.reason}
            for one in pack.included
        ],
        "withheld": [{"id": one.id, "reason": one.reason} for one in pack.withheld],
        "withheld_counts": dict(pack.withheld_counts),
        "other_projects": pack.other_projects,
    }
    return record if pack.abstained is None else record | {"abstained": {"reason": pack.abstained}}
