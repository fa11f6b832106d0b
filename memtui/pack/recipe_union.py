"""The standing payload: the union of what the recipes of a project recall, under one budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from memtui.domain.memory import Link
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
) -> Recall:
    """Return the union of what each recipe recalls; without recipes what is recalled without a task.

    A memory takes the best of its scores. It is withheld only where no recipe recalls it.

    Args:
        recall: recalls for one task.
        chosen: applies what a person chose for a recipe, such as ticks, to what it recalls.
    """
    tasks = [task_of(recipe.task, recipe.files, recipe.options) for recipe in recipes] or [Task(text="")]
    found = [recall(task) for task in tasks]
    found = [chosen(recipe, one) for recipe, one in zip(recipes, found, strict=True)] if recipes else found
    put_in = _best(one.put_in for one in found)
    by_hand = {hit.memory.id for hit in put_in}
    pins, hits = _best((one.pins for one in found), but=by_hand), _best((one.hits for one in found), but=by_hand)
    there = {hit.memory.id for hit in (*put_in, *pins, *hits)}
    withheld: dict[str, Withheld] = {}
    counts: Counter[Reason] = Counter()
    links: dict[tuple[str, str, str], Link] = {}
    for one in found:
        for missing in one.withheld:
            if missing.id not in there and missing.nearness >= withheld.get(missing.id, missing).nearness:
                withheld[missing.id] = missing
        # The rest of one recipe may be the rest of another too, so that the largest count is the surest.
        counts |= Counter(one.withheld_counts)
        links.update({(link.from_id, link.type, link.to_id): link for link in one.links})
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
        task=Task(
            text=" ".join(task.text for task in tasks),
            files=tuple(dict.fromkeys(file for task in tasks for file in task.files)),
        ),
        phase=None,
        links=tuple(links.values()),
        states={place: state for one in found for place, state in one.states.items()},
        statuses={identifier: reason for one in found for identifier, reason in one.statuses.items()},
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
