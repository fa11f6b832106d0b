"""What a memory is worth for a task in a payload, and which ones do not matter for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.relevance_features import chances
from memtui.recall.anchors import plain_path
from memtui.recall.result import Covered, Hit, Recall, Task, Withheld, order_key

LEAST_CHANCE = 0.18
"""Chance of mattering from which a memory goes into the payload of work in files: from here to 0.25 F0.5, which counts
a needless memory twice as much as a missing one, hardly falls on repositories it did not see; see RESULTS.md."""

LEAST_CHANCE_ALONE = 0.12
"""The same without files, where a question may have but one answer: of those that memories answer 93 % keep it."""

WELL_COVERED = 0.4
"""Chance of the best memory from which the vault covers a task. Where none has it 29 % of the first five matter, and
7 % of those behind."""

FIRST, FIRST_ALONE = 5, 3
"""The nearest hits, which need no more than the least chance, with files and without where a task is hardly covered."""

LEAST_CHANCE_OF_MORE = 0.22
"""Chance that a memory behind the nearest needs for work in files, unless it holds for them. Where the task is hardly
covered it would need `WELL_COVERED`, which none has. See RESULTS.md."""

RELATED_SHARE = 0.7  # Share of a memory's chance that one has which is linked to it


def worths(found: Recall, task: Task) -> Mapping[str, float]:
    """Return what each memory is worth for a task, by id: the chance that it matters, times the factors of its score.

    Of what was not measured for a task in words it is the score.
    """
    known = _linked(found, task)
    hits = (*found.put_in, *found.pins, *found.hits)
    return _corrected(found, {hit.memory.id: _worth(hit, known) for hit in hits})


def _worth(hit: Hit, known: Mapping[str, float]) -> float:
    chance = known.get(hit.memory.id)
    return hit.score if chance is None or not hit.relevance else chance * hit.score / hit.relevance


def judge(found: Recall, task: Task) -> Mapping[str, float]:
    """Return the chance that each memory matters for a task, by id, of those that were measured for it."""
    return {one: min(1.0, chance) for one, chance in _corrected(found, _linked(found, task)).items()}


def _linked(found: Recall, task: Task) -> dict[str, float]:
    """Return the chances; what is linked to a memory that matters has a share of its chance."""
    hits = (*found.put_in, *found.pins, *found.hits)
    known = chances(hits, task, found.in_hand) if task.has_words else {}
    passed = {
        hit.memory.id: RELATED_SHARE * known.get(part.reason.other, 0.0)
        for hit in hits
        for part in hit.parts
        if part.name == "neighbours"
    }
    return {one: max(chance, passed.get(one, 0.0)) for one, chance in known.items()}


def _corrected(found: Recall, values: Mapping[str, float]) -> dict[str, float]:
    """Return values in which what corrects a memory that the task asks more for has as much as that would have.

    Else the task could end up with neither.
    """
    corrected = dict(values)
    relevance = {hit.memory.id: hit.relevance for hit in (*found.put_in, *found.pins, *found.hits)}
    for one in found.withheld:
        correction = one.reason.other
        if one.reason.code is ReasonCode.SUPERSEDED and correction in corrected and relevance[correction] > 0:
            corrected[correction] *= max(1.0, one.nearness / relevance[correction])
    return corrected


def _place_elsewhere(hit: Hit, task: Task) -> str:
    """Return what a memory holds for if that is none of the files in hand; empty otherwise."""
    signs, one = hit.signs, hit.memory
    if not task.files or signs is None or not signs.has_place or signs.holds_for or signs.names:
        return ""
    return next((anchor.path for anchor in one.anchors if plain_path(anchor.path) not in one.insight), "")


def without_unrelated(found: Recall, task: Task) -> Recall:
    """Return a recall without the hits that hardly matter for a task; each is withheld with the reason.

    What no recall measured stays, and all of it where there is no task in words to judge by.
    """
    if not task.has_words:
        return found
    judged = judge(found, task)
    covered = _covered(judged, least_chance(task))
    far: dict[str, Withheld] = {}
    for hit, least in _bars(found.hits, judged, task, covered):
        one = hit.memory
        if judged[one.id] < least:
            reason = Reason(ReasonCode.TOO_FAR, path=_place_elsewhere(hit, task), score=judged[one.id], bar=least)
            far[one.id] = Withheld.of(one, reason, hit.relevance)
    hits = tuple(hit for hit in found.hits if hit.memory.id not in far)
    return replace(found, hits=hits, withheld=(*far.values(), *found.withheld), covered=covered)


def least_chance(task: Task) -> float:
    """Return the chance without which nothing goes into the payload of a task."""
    return LEAST_CHANCE if task.files else LEAST_CHANCE_ALONE


def _covered(judged: Mapping[str, float], least: float) -> Covered | None:
    if not judged:
        return None
    best = max(judged.values())
    return "well" if best >= WELL_COVERED else "hardly" if best >= least else "not"


def _bars(
    hits: Sequence[Hit], judged: Mapping[str, float], task: Task, covered: Covered | None
) -> Iterator[tuple[Hit, float]]:
    """Yield each hit that was judged with the chance that it needs, the nearest first."""
    least, is_well = least_chance(task), covered == "well"
    first = FIRST if task.files or is_well else FIRST_ALONE
    ranked = sorted(
        (hit for hit in hits if hit.memory.id in judged), key=lambda hit: (-judged[hit.memory.id], order_key(hit))
    )
    for place, hit in enumerate(ranked):
        is_bound = hit.signs is not None and hit.signs.holds_for > 0
        behind = WELL_COVERED if not is_well else LEAST_CHANCE_OF_MORE if task.files else least
        yield hit, least if place < first or is_bound else behind
