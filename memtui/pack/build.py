"""Build a pack: the chosen memories of a task, or of all recipes, under one budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial, reduce
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, TypeVar

from memtui.config import RecallSettings
from memtui.domain.identity import PERSON
from memtui.domain.memory import Memory, content_hash
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.budget import WHOLE, Measure, counter_for
from memtui.pack.filters import (
    PUT_IN,
    loaded_form,
    read_by,
    with_ticks,
    with_unconfirmed,
    without_loaded,
    without_planted,
    without_secrets,
)
from memtui.pack.options import PackOptions, task_of
from memtui.pack.relevance import without_unrelated, worths
from memtui.pack.repeats import with_referents
from memtui.pack.select import PINNED, Choice, Selection, over_bound, select
from memtui.pack.targets.base import PayloadInfo, Piece, Style, Target, join, status_marker
from memtui.pack.targets.formats import target_named
from memtui.recall.rank import MOST_HITS, recall
from memtui.recall.result import Covered, Hit, Recall, Sureness, Task, Withheld, listed_and_counted, order_key
from memtui.text.words import Budget, parse_budget
from memtui.tree import Tree
from memtui.vault.filters import Scope
from memtui.vault.packs import Recipe
from memtui.vault.source_texts import Texts, imported_texts
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.pack.compile import Compiler
    from memtui.recall.semantic import Meaning

MOST_ROUNDS = 4  # Times that what was chosen is read for planted texts, before everything is
MOST_STANDING = 1_000
"""Hits without a task, the recipes' aside: most may stand in files that the target reads by itself, and make room."""

_FOR_WANT_OF_ROOM = frozenset({ReasonCode.OVER_BUDGET, ReasonCode.OVER_LIMIT, ReasonCode.TOO_MANY})

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def recipes_of(recipes: Iterable[Recipe], project: str | None) -> list[Recipe]:
    """Return the recipes that belong to a project, or to none; all of them where no project is in view."""
    return [recipe for recipe in recipes if project is None or recipe.project in {None, project}]


def _recalled_for(
    vault: Vault, task: Task, recall_one: Callable[[Task], Recall], recipe: Recipe | None = None
) -> Recall:
    """Return what is recalled for a task and matters for it, with what that refers to.

    `recipe`: whose task it is; what a person ticked for it goes in or stays out, as where the recipe is run alone.
    """
    found = with_referents(vault, without_unrelated(recall_one(task), task))
    return found if recipe is None else with_ticks(vault, found, PackOptions().chosen(recipe.options), at=task.as_of)


def _recalled_for_all(
    vault: Vault, recipes: Sequence[Recipe], recall_one: Callable[[Task], Recall]
) -> tuple[Task, Recall]:
    """Return the union of what each recipe recalls, with the union of their tasks.

    Without recipes it is what is recalled without a task. A memory takes the best of its scores, and is withheld only
    where no recipe recalls it.
    """
    if not recipes:
        return Task(), _recalled_for(vault, Task(), recall_one)
    tasks = [task_of(recipe.task, recipe.files, recipe.options) for recipe in recipes]
    found = [_recalled_for(vault, task, recall_one, recipe) for recipe, task in zip(recipes, tasks, strict=True)]
    files = dict.fromkeys(chain.from_iterable(task.files for task in tasks))
    return Task(" ".join(task.text for task in tasks), tuple(files)), _union(found)


def _union(found: Sequence[Recall]) -> Recall:
    put_in = _best(found, lambda one: one.put_in)
    by_hand = {hit.memory.id for hit in put_in}
    pins, hits = _best(found, lambda one: one.pins, but=by_hand), _best(found, lambda one: one.hits, but=by_hand)
    there = {hit.memory.id for hit in (*put_in, *pins, *hits)}
    named, rest = _withheld_by_all(found, there)
    return replace(
        found[0],
        hits=hits,
        pins=pins,
        put_in=put_in,
        meant=_joined(found, lambda one: one.meant),
        left_out=_best(found, lambda one: one.left_out, but=there),
        withheld=named,
        withheld_counts=rest,
        other_projects=max(one.other_projects for one in found),
        abstained=None if hits or put_in else found[0].abstained,
        covered=None,
        chances={},
        needed={},
        features={},
        phase=None,
        links=tuple({(link.from_id, link.type, link.to_id): link for one in found for link in one.links}.values()),
        states=_joined(found, lambda one: one.states),
        published=_joined(found, lambda one: one.published),
        statuses=_joined(found, lambda one: one.statuses),
    )


def _withheld_by_all(
    found: Sequence[Recall], there: Collection[str]
) -> tuple[tuple[Withheld, ...], Mapping[Reason, int]]:
    by_nearness = sorted(chain.from_iterable(one.withheld for one in found), key=lambda one: one.nearness)
    nearest = {one.id: one for one in by_nearness if one.id not in there}
    # The rest of one recipe may be the rest of another too, so that the largest count is the surest.
    counts = reduce(or_, (Counter(one.withheld_counts) for one in found))
    return listed_and_counted(nearest.values(), counts)


def _joined(found: Iterable[Recall], what: Callable[[Recall], Mapping[_Key, _Value]]) -> dict[_Key, _Value]:
    return dict(chain.from_iterable(what(one).items() for one in found))


def _best(
    found: Iterable[Recall], what: Callable[[Recall], Iterable[Hit]], *, but: Collection[str] = ()
) -> tuple[Hit, ...]:
    """Return each memory once, with its best score, the best first, without some."""
    best: dict[str, Hit] = {}
    for one in found:
        for hit in what(one):
            known = best.get(hit.memory.id)
            if hit.memory.id not in but and (known is None or hit.score > known.score):
                best[hit.memory.id] = hit
    return tuple(sorted(best.values(), key=order_key))


@dataclass(frozen=True, slots=True)
class Included:
    """A memory of the payload."""

    memory: Memory  # as it went in, shortened if it had to be
    tokens: int  # tokens of its own text in the payload
    score: float
    hit: Hit  # as recalled, with the reasons and every part of its score
    states: Mapping[str, str] = field(default_factory=dict)  # state per anchor path, as shown in the payload
    detail: str = WHOLE  # how much of it is included: `whole`, a level of `memtui.pack.budget.Detail`, or `opening`
    status: str = ""  # what the payload says of it where it is not in use, else empty


_NOT_IN_USE = frozenset(
    {
        *(ReasonCode.OTHER_PROJECT, ReasonCode.UNASSIGNED, ReasonCode.UNCONFIRMED, ReasonCode.RETIRED),
        *(ReasonCode.SUPERSEDED, ReasonCode.MERGED),
    }
)


@dataclass(frozen=True, slots=True)
class Pack:
    """A finished payload."""

    payload: str  # the exact text; empty if nothing is in it
    target: str  # name of the form
    encoding: str  # what tokens were counted in
    exact: bool  # whether the count is exact for that encoding; an estimate stays above it
    size: int  # size of the payload in the budget's unit
    tokens: int  # tokens of the payload
    frame_tokens: int  # tokens of headings and notes; with those of the memories they make up `tokens`
    budget: Budget
    included: tuple[Included, ...]  # in the order of the payload
    withheld: tuple[Withheld, ...]  # at most fifty, the nearest first
    withheld_counts: Mapping[Reason, int]  # the rest per `Reason.group`
    other_projects: int  # relevant memories of projects that are not in scope
    abstained: Reason | None  # why nothing is relevant or the payload is empty; pins may be in it all the same
    phase: str | None = None  # the phase of the work that kinds were favoured by, None if there was none
    pieces: tuple[Piece, ...] = ()  # the payload in parts; joined they are the payload
    left_out: tuple[Hit, ...] = ()  # memories that a person left out, the best first; they are among the withheld too
    margin: float = 0.0  # share by which the assistant's own tokenizer may exceed the count; 0 where it is known
    tokens_at_most: int = 0  # the tokens with that margin; this is what a budget in tokens is held against
    style: Style = "full"
    sure: Sureness = "sure"  # whether what was recalled answers the task
    covered: Covered | None = None  # how well the vault covers the task, None without a task in words
    without_vector: int = 0  # memories that could not be compared by meaning because they have no vector yet
    # how like each other the memories are that are nearest to the task, by two ids, the smaller first
    kinship: Mapping[tuple[str, str], float] = field(default_factory=dict, repr=False, compare=False)
    chances: Mapping[str, float] = field(default_factory=dict)  # that memories matter for the task, by id, where judged
    needed: Mapping[str, float] = field(default_factory=dict)  # the chances that they need to go in, by id
    features: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # what the chances were made of, by id
    # ids of those of which the reason alone is included, since the target reads the rest from their source
    explained: frozenset[str] = frozenset()

    @property
    def told_in_use(self) -> int:
        """How many memories in use the pack accounts for: they are in it, or it says why they are not."""
        known = [*(one.memory for one in self.included), *(hit.memory for hit in self.left_out)]
        left_out = {hit.memory.id for hit in self.left_out}
        named = [one.reason for one in self.withheld if one.id not in left_out]
        others = sum(reason.code not in _NOT_IN_USE for reason in named)
        others += sum(number for reason, number in self.withheld_counts.items() if reason.code not in _NOT_IN_USE)
        return sum(memory.status == "active" for memory in known) + others

    @property
    def left(self) -> int:
        """How much of the budget was not used, in its unit."""
        return self.budget.amount - self.size

    @property
    def has_all(self) -> bool:
        """Whether nothing that matters was left out for want of room."""
        reasons = (*(one.reason for one in self.withheld), *self.withheld_counts)
        return not any(reason.code in _FOR_WANT_OF_ROOM for reason in reasons)


def context(
    vault: Vault,
    task: Task,
    scope: Scope,  # the projects in view
    options: PackOptions,  # budget, style, ticks and what else was chosen
    *,
    project: str | None,  # name of the project, for the payload's heading
    target: str | Target,  # the form, or its name
    settings: RecallSettings,  # the weights of recall
    now: datetime,  # the moment freshness is measured at
    tree: Tree | None = None,  # the working tree to check anchors against
    recipes: Sequence[Recipe] | None = None,  # instead of the task, the recipes whose union is the standing payload
    meaning: Meaning | None = None,  # compares the task with memories by meaning, None for words, files and links alone
    # recalls a task with a limit of hits, instead of `recall` on the vault
    recall_by: Callable[[Task, int], Recall] | None = None,
) -> Pack:
    """Return the pack for a task: recall, then selection under the budget and the target's limits.

    Raises `UsageError`: target, budget, encoding or phase are unknown.
    """
    form = target_named(target) if isinstance(target, str) else target
    is_standing = not task.has_words and not task.files
    most = max(MOST_STANDING if is_standing else MOST_HITS, options.max_memories)

    def recall_one(one: Task) -> Recall:
        if recall_by is not None:
            return recall_by(one, most)
        return recall(vault, one, scope, settings=settings, now=now, limit=most, tree=tree, meaning=meaning)

    if recipes is None:
        found = _recalled_for(vault, task, recall_one)
    else:
        task, found = _recalled_for_all(vault, recipes, recall_one)
    if options.publishing:
        info = PayloadInfo.published(project, options.style)
    elif recipes is not None:
        info = PayloadInfo.standing(project, options.style)
    else:
        info = PayloadInfo.for_task(task, project, options.style)
    return pack_of_recall(vault, task, found, options, target=form, info=info)


def pack_of_recall(
    vault: Vault,  # asked only for what was not recalled: the inbox, and memories that a person put in
    task: Task,
    found: Recall,
    options: PackOptions,
    *,
    target: Target,
    info: PayloadInfo,  # how it is written; which texts are read elsewhere is found out here
) -> Pack:
    """Return the pack of what was recalled for a task: what may go in, then selection and rendering."""
    found = with_unconfirmed(vault, found) if options.unconfirmed else found
    if options.withhold_loaded:
        retitled: frozenset[str] = frozenset()
        if info.is_public:
            found = replace(found, published={})  # What is published does not make way for itself.
            retitled, explained = _stated(vault, found, target)
            info = replace(info, explained=explained.difference(options.with_ids))  # what a person put in goes in whole
        found = without_loaded(
            found, target, task.files, project=info.project, standing=info.is_public, retitled=retitled
        )
    found = with_ticks(vault, found, options, at=task.as_of)
    found = without_secrets(found, options.secrets, options.secret_patterns)
    # What is put in by hand was read; what is published may have been chosen by a query, and others read it unwarned.
    allowed: Collection[str] = () if info.is_public else options.with_ids
    compiler = _compiler(task, info) if info.style == "compiled" else None
    build = partial(build_pack, options=options, target=target, info=info, compiler=compiler, task=task)
    return _settled(vault, found, build, allowed)


def _stated(vault: Vault, found: Recall, target: Target) -> tuple[frozenset[str], frozenset[str]]:
    """Return the recalled memories that a source which the target reads states but for what a person added.

    The first differ from it by their titles alone; to the others it gives no reason, which they have by now.
    """
    memories = {hit.memory.id: hit.memory for hit in (*found.pins, *found.hits)}
    wanted = {name: hashes for name, memory in memories.items() if (hashes := _hashes_read(memory, target))}
    if not wanted:
        return frozenset(), frozenset()
    with vault.read() as reader:
        stated = imported_texts(reader, wanted)
    named = {name: replace(texts, title=memories[name].title) for name, texts in stated.items()}
    mine = {name: Texts.of(memories[name]) for name in stated}
    explained = {
        name
        for name, texts in named.items()
        if _lacks_reason_alone(texts, mine[name])
        and read_by(target, memories[name], (), standing=True, is_retitled=True) is not None
    }
    return frozenset(name for name, texts in named.items() if texts == mine[name]), frozenset(explained)


def _hashes_read(memory: Memory, target: Target) -> set[str | None]:
    """Return the hashes of what a target reads of a memory, where none is that of the memory as it is now."""
    hashes = {source.imported_hash for source in memory.sources if loaded_form(source) in target.loads}
    return hashes if hashes and content_hash(memory) not in hashes else set()


def _lacks_reason_alone(stated: Texts, mine: Texts) -> bool:
    """Return whether a source states a memory but for the reason, of which it has none."""
    return bool(mine.rationale.strip()) and not stated.rationale.strip() and stated == replace(mine, rationale="")


def _settled(vault: Vault, found: Recall, build: Callable[[Recall], Pack], allowed: Collection[str]) -> Pack:
    """Return a pack without what looks planted, in which what a person kept apart is no duplicate."""
    for _ in range(MOST_ROUNDS):
        pack = build(found)
        if apart := _kept_apart(vault, pack, found):
            found = replace(found, apart=found.apart | apart)
            continue
        less = without_planted(found, [one.hit for one in pack.included], allowed)
        if less is None:
            return pack
        found = less
    return build(without_planted(found, None, allowed) or found)


def _kept_apart(vault: Vault, pack: Pack, found: Recall) -> set[tuple[str, str]]:
    """Return the pairs of which one was withheld as a duplicate although a person kept both, apart or as related."""
    repeats = {one.id: one.reason.other for one in pack.withheld if one.reason.code is ReasonCode.DUPLICATE}
    if not repeats:
        return set()
    ids = {*repeats, *repeats.values()}
    with vault.read() as reader:
        verdicts, links = reader.verdicts(ids), reader.links(ids)
    related = {
        (min(link.from_id, link.to_id), max(link.from_id, link.to_id))
        for link in links
        if link.type == "relates" and link.origin == PERSON and {link.from_id, link.to_id} <= ids
    }
    if not verdicts:
        return related - found.apart
    # Imported here: it brings the analysis of pairs, and few payloads have any that were judged.
    from memtui.analysis.snapshot import NOT_DUPLICATE, Snapshot

    memories = [hit.memory for hit in (*found.put_in, *found.pins, *found.hits)]
    return (related | Snapshot(memories, dismissals=verdicts).dismissed(NOT_DUPLICATE)) - found.apart


def _compiler(task: Task, info: PayloadInfo) -> Compiler:
    # Imported here: it reads sentences by grammar, and hooks never compile.
    from memtui.pack.compile import Compiler

    return Compiler.for_task(task, says_lists_once=info.says_lists_once)


def build_pack(
    found: Recall,
    options: PackOptions,
    *,
    target: Target,
    info: PayloadInfo,
    compiler: Compiler | None = None,  # shortens memories for the task, where the style is compiled
    task: Task | None = None,  # what memories are worth something for; without words their score is what counts
) -> Pack:
    """Return the pack of a recall: the same recall and options give the same bytes, within the budget."""
    budget, most = parse_budget(options.budget), options.max_memories
    measure = Measure(budget, counter_for(options.encoding, fast=options.fast), target.limits, target.margin)
    values = worths(found, task or Task())
    selection = select(found, values, target=target, measure=measure, max_memories=most, info=info, compiler=compiler)
    put_in = {hit.memory.id for hit in found.put_in}
    pieces = _within_budget(selection, target, measure, info, values, put_in)
    payload = join(pieces)
    withheld, counts = listed_and_counted([*selection.withheld, *found.withheld], found.withheld_counts)
    included = _included(selection, pieces, measure)
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
        abstained=(None if found.put_in else found.abstained)
        if payload
        else _abstained(found, selection, budget, most),
        phase=found.phase,
        pieces=pieces,
        left_out=found.left_out,
        margin=target.margin,
        tokens_at_most=measure.tokens_at_most(payload),
        style=info.style,
        sure=found.sure,
        covered=found.covered,
        without_vector=found.without_vector,
        kinship=found.kinship,
        chances=found.chances,
        needed=found.needed,
        features=found.features,
        explained=info.explained,
    )


def _within_budget(
    selection: Selection,
    target: Target,
    measure: Measure,
    info: PayloadInfo,
    values: Mapping[str, float],  # what each memory is worth, by id
    put_in: Collection[str],
) -> tuple[Piece, ...]:
    """Return the pieces of the finished payload, measured; drops what is worth the least until it fits."""

    def worth(choice: Choice) -> tuple[bool, bool, float]:
        return choice.hit.memory.id in put_in, choice.hit.memory.pinned, values[choice.hit.memory.id]

    while selection.chosen:
        pieces = target.pieces([choice.item for choice in _ordered(selection)], info)
        exceeded = measure.exceeded(join(pieces))
        if exceeded is None:
            return tuple(pieces)
        least = min(selection.chosen, key=worth)
        selection.chosen.remove(least)
        is_put_in, is_pinned, _ = worth(least)
        whose = PUT_IN if is_put_in else PINNED if is_pinned else None
        reason = over_bound(exceeded, measure, target, whose)
        selection.withheld.append(Withheld.of(least.hit.memory, reason, least.hit.relevance))
    return ()


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


def _included(selection: Selection, pieces: tuple[Piece, ...], measure: Measure) -> tuple[Included, ...]:
    choices = {choice.hit.memory.id: choice for choice in selection.chosen}
    return tuple(
        _inside(choices[piece.memory_id], measure.tokens(piece.text)) for piece in pieces if piece.memory_id is not None
    )


def _inside(choice: Choice, tokens: int) -> Included:
    hit, item = choice.hit, choice.item
    return Included(
        memory=item.memory,
        tokens=tokens,
        score=hit.score,
        hit=hit,
        states=item.states,
        detail=item.detail,
        status=status_marker(item.memory, item.status),
    )


def _abstained(found: Recall, selection: Selection, budget: Budget, max_memories: int) -> Reason:
    if selection.withheld and (found.put_in or found.hits or found.pins):
        return Reason(ReasonCode.NO_ROOM, note=str(budget)) if max_memories else Reason(ReasonCode.NOTHING_ALLOWED)
    if found.left_out and not (found.hits or found.pins):
        return Reason(ReasonCode.ALL_LEFT_OUT)
    return found.abstained or Reason(ReasonCode.NOTHING_RELEVANT)
