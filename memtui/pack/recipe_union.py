"""The standing payload: the union of what the recipes of a project recall, under one budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from memtui.domain.reasons import Reason
from memtui.pack.options import task_of
from memtui.recall.result import Hit, Recall, Task, Withheld, listed_and_counted, order_key
from memtui.vault.packs import Recipe


def recipes_of(recipes: Iterable[Recipe], project: str | None) -> list[Recipe]:
    """Return the recipes that belong to a project, or to none; all of them where no project is in view."""
    return [recipe for recipe in recipes if project is None or recipe.project in {None, project}]


def standing_recall(
    recipes: Sequence[Recipe],
    recall: Callable[[Task], Recall],
    chosen: Callable[[Recipe, Recall], Recall] = lambda _, found: found,
) -> tuple[Task, Recall]:
    """Return the union of what each recipe recalls, with the union of their tasks.

    Without recipes it is what is recalled without a task. A memory takes the best of its scores, and is withheld only
    where no recipe recalls it.

    Args:
        recall: recalls for one task.
        chosen: applies what a person chose for a recipe, such as ticks, to what it recalls.
    """
    if not recipes:
        return Task(), recall(Task())
    tasks = [task_of(recipe.task, recipe.files, recipe.options) for recipe in recipes]
    found = [chosen(recipe, recall(task)) for recipe, task in zip(recipes, tasks, strict=True)]
    files = dict.fromkeys(chain.from_iterable(task.files for task in tasks))
    return Task(" ".join(task.text for task in tasks), tuple(files)), _union(found)


def _union(found: Sequence[Recall]) -> Recall:
    put_in = _best(one.put_in for one in found)
    by_hand = {hit.memory.id for hit in put_in}
    pins, hits = _best((one.pins for one in found), but=by_hand), _best((one.hits for one in found), but=by_hand)
    there = {hit.memory.id for hit in (*put_in, *pins, *hits)}
    withheld: dict[str, Withheld] = {}
    counts: Counter[Reason] = Counter()
    for one in found:
        for missing in one.withheld:
            if missing.id not in there and missing.nearness >= withheld.get(missing.id, missing).nearness:
                withheld[missing.id] = missing
        # The rest of one recipe may be the rest of another too, so that the largest count is the surest.
        counts |= Counter(one.withheld_counts)
    named, rest = listed_and_counted(withheld.values(), counts)
    return replace(
        found[0],
        hits=hits,
        pins=pins,
        put_in=put_in,
        left_out=_best((one.left_out for one in found), but=there),
        withheld=named,
        withheld_counts=rest,
        other_projects=max(one.other_projects for one in found),
        abstained=None if hits or put_in else found[0].abstained,
        phase=None,
        links=tuple({(link.from_id, link.type, link.to_id): link for one in found for link in one.links}.values()),
        states=dict(chain.from_iterable(one.states.items() for one in found)),
        statuses=dict(chain.from_iterable(one.statuses.items() for one in found)),
    )


def _best(groups: Iterable[Iterable[Hit]], *, but: Collection[str] = ()) -> tuple[Hit, ...]:
    """Return each memory once, with its best score, the best first, without some."""
    best: dict[str, Hit] = {}
    for group in groups:
        for hit in group:
            known = best.get(hit.memory.id)
            if hit.memory.id not in but and (known is None or hit.score > known.score):
                best[hit.memory.id] = hit
    return tuple(sorted(best.values(), key=order_key))
