"""What a memory is worth for a task in a payload, and which ones do not matter for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from memtui.domain.memory import Memory
from memtui.domain.reasons import UNFOUND, VAULT, Reason, ReasonCode
from memtui.domain.scope import plain_path
from memtui.pack.calls import is_asked_for, is_due, is_of_folder_unnamed, titles_called_for
from memtui.pack.relevance_features import (
    Model,
    belongs_elsewhere,
    features_of,
    model,
    without_files,
)
from memtui.pack.topics import words_of_path
from memtui.recall.anchors import folders_of
from memtui.recall.fusion import WORDS_ALONE
from memtui.recall.lexical import LONGEST_QUERY
from memtui.recall.result import SCORE_DIGITS, Covered, Hit, Recall, Signs, Sureness, Task, Withheld, order_key
from memtui.text.tokens import is_pair, query_terms

LEAST_CHANCE, LEAST_CHANCE_ALONE = 0.2, 0.12
"""Chance of mattering without which a memory goes into no payload: for work in files, and without files, where a
question may have but one answer. What lies below the floor of a search needs the first in both. See RESULTS.md."""

FIRST = 6  # The likeliest memories, which need no more than that

LEAST_CHANCE_OF_MORE, LEAST_CHANCE_OF_MORE_ALONE = 0.4, 0.25
"""Chance that a memory behind the likeliest needs."""

LEAST_OF_BEST, LEAST_OF_BEST_ALONE = 0.35, 0.2
"""Chance of the likeliest memory without which the vault is silent about a task: nothing goes in but what is pinned or
put in."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The chances that memories need, by their places."""

    of_best: float  # the likeliest of all, without which nothing goes in
    first: float  # the likeliest few
    more: float  # those behind them


WITH_FILES = Steps(LEAST_OF_BEST, LEAST_CHANCE, LEAST_CHANCE_OF_MORE)
ALONE = Steps(LEAST_OF_BEST_ALONE, LEAST_CHANCE_ALONE, LEAST_CHANCE_OF_MORE_ALONE)

LEAST_OF_NEAREST, LEAST_OF_CLOSE, CLOSE = 0.18, 0.15, 0.2
"""Chance that suffices, for a question without files, for the memory that a search finds nearest: it goes in alone and
as unsure, as in a small vault few are likelier than others. The second suffices where the cosine is the third. In
vaults of ten memories three of five unanswered questions get their answer so, one of 155 unanswerable ones a memory."""

SURE_ANYWHERE = 0.65
"""Chance by the words of a task alone from which a memory speaks to it, although nothing says so of the files in hand:
of three judged tasks with such a memory two have their essential one so, and one has a memory that does not matter."""

KEPT_BESIDE_FILES = 0.8
"""Share of its chance without files that a memory keeps where some are named, if it belongs to no others."""

WELL_COVERED = 0.5
"""Chance of the likeliest memory from which the vault covers a task."""

RELATED_SHARE = 0.7  # Share of a memory's chance that one has which is linked to it


COVERED_CHANCE = 0.4
"""Chance of a memory that has nearly all of the words of a task, whatever else speaks against it: a short task says
little of itself. Of those that were judged 40 % matter, where it has nine tenths of the words 60 %."""

BEGINNING, ABOUT_IT = 400, 0.5
"""Characters of a memory, and share of the words of a task in them, or in its title, from which it has nearly all of
them for being about the task. Where they were scattered none of 21 mattered, where not all of 4."""

LONG = 1_500  # Characters of a memory that takes the room of several
SCATTERED = 0.3  # Share of the words of a task below which the beginning of a long memory is not about it
WORTH_ITS_ROOM = 0.5
"""Share of its chance that a long memory keeps whose beginning is not about the task and that holds for no file in
hand: of such 15 % matter."""

LEFT_OF_FOLDER = 0.15
"""Share of its chance that a rule of a subfolder keeps where a task has no files and neither names the folder nor, by
its own words, the rule: most likely the work lies elsewhere, where its prohibitions would be wrong. Of 37 such none
mattered. What is sure anywhere keeps all of it."""

NAMES_RULE = 0.25  # Share of the weight of a task's words that the title of a rule has which it names

SAYS_WORK = 0.35
"""Cosine of the nearest sentence of the likeliest memory of all from which the work lies in the folder that it comes
from. Where all rules belong to folders, nothing else tells the place of a task that speaks of what is done alone: of 72
memories that go in so or by their titles in five repositories, 51 matter."""

ACT_CHANCE = 0.7
"""Chance that a memory has at least whose title names what the task is as a whole: of 23 such 18 matter."""

DUE_CHANCE = 0.6
"""Chance that a memory has at least which says itself that it holds for changes where a file in hand lies: of three
such all matter."""

AT_FILE_CHANCE = 0.6
"""Chance that a memory has at least which is tied to the very path of a file in hand: of fifteen such in seven
repositories nine in ten matter."""

NAMED_CHANCE, NAMED_NARROWLY = 0.4, 0.7
"""Chance that a rule has at least whose text names where a file in hand lies, and from how narrow a place: one for all
code that names a folder as its exception holds there before all. Of thirty such in ten repositories 43 % matter."""

REACHED_CHANCE, REACHED_FROM = LEAST_OF_BEST, 0.4
"""Chance that a memory has at least which is tied to a file that one in hand imports, so that it breaks a vault's
silence, and how strongly: in six repositories that nothing was learned from an essential memory more is served so, and
none is lost. A file that is imported by way of another, or is one of many in an imported package, is too far for that.
"""


def worths(found: Recall, task: Task) -> Mapping[str, float]:
    """Return what each memory is worth for a task, by id: the chance that it matters, times the factors of its score.

    Of what was not measured for a task in words it is the score.
    """
    hits = (*found.put_in, *found.pins, *found.hits)
    if found.chances:
        return {hit.memory.id: _worth(hit, found.chances) for hit in hits}
    known = {one: chance.value for one, chance in _linked(found, task).items()}
    return _corrected(found, {hit.memory.id: _worth(hit, known) for hit in hits})


def _worth(hit: Hit, known: Mapping[str, float]) -> float:
    chance = known.get(hit.memory.id)
    if chance is None:
        return hit.score
    return round(chance * math.prod(part.value for part in hit.parts if part.role == "factor"), SCORE_DIGITS)


def judge(found: Recall, task: Task) -> Mapping[str, float]:
    """Return the chance that each memory matters for a task, by id, of those that were measured for it."""
    return _judged(found, _linked(found, task))


def _judged(found: Recall, known: Mapping[str, Chance]) -> Mapping[str, float]:
    values = _corrected(found, {one: chance.value for one, chance in known.items()})
    return {one: min(1.0, value) for one, value in values.items()}


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that a memory matters for a task.

    A named file adds what holds for it, and seldom makes anything else matter much less, so that `value` is never lower
    than most of the one without files, unless the memory belongs to others. Whether a vault speaks to some work in
    files at all is told by `here`.
    """

    value: float
    here: float  # by all that is known, the files included; above `value` never

    def at_least(self, least: float) -> Chance:
        return Chance(max(self.value, least), max(self.here, least))


def _linked(found: Recall, task: Task) -> dict[str, Chance]:
    """Return the chances; what is linked to a memory that matters has a share of its chance."""
    hits = (*found.put_in, *found.pins, *found.hits, *found.near)
    known = chances(hits, task, found.features or _features(found, task)) if task.has_words else {}
    seeds = {
        hit.memory.id: known[part.reason.other]
        for hit in hits
        for part in hit.parts
        if part.name == "neighbours" and part.reason.other in known
    }
    return {one: _passed(chance, seeds.get(one)) for one, chance in known.items()}


def _features(found: Recall, task: Task) -> Mapping[str, Mapping[str, float]]:
    return features_of((*found.put_in, *found.pins, *found.hits, *found.near), task, found.in_hand)


def _passed(chance: Chance, seed: Chance | None) -> Chance:
    if seed is None:
        return chance
    return Chance(max(chance.value, RELATED_SHARE * seed.value), max(chance.here, RELATED_SHARE * seed.here))


def chances(hits: Sequence[Hit], task: Task, found: Mapping[str, Mapping[str, float]]) -> dict[str, Chance]:
    """Return the chance that each hit matters for a task, by id; hits without signs are missing.

    `found`: the features of the hits.
    """
    judge = model(with_meaning=any(hit.signs is not None and hit.signs.tokens > 0 for hit in hits))
    words = frozenset(query_terms(task.text[:LONGEST_QUERY]))
    named = words.union(*(words_of_path(PurePosixPath(file).stem) for file in task.files))
    titles = titles_called_for(task.text)
    judged = []
    for hit in hits:
        features, signs, one = found.get(hit.memory.id), hit.signs, hit.memory
        if features is None or signs is None:
            continue
        chance = chance_of(judge, features, is_asked_for=bool(task.files) and is_asked_for(one, named))
        has_nearly_all, room = _by_beginning(one, signs, words, has_files=bool(task.files))
        judged.append((one, signs, features, chance.at_least(COVERED_CHANCE) if has_nearly_all else chance, room))
    at_work = _at_work([(chance.value, one, signs) for one, signs, _, chance, _ in judged])
    known = {}
    for one, signs, features, chance, room in judged:
        is_here = bool(task.files) or chance.value >= SURE_ANYWHERE or signs.title_coverage >= NAMES_RULE
        is_elsewhere = not is_here and at_work.isdisjoint(folders_of(one)) and is_of_folder_unnamed(one, words)
        left = room * LEFT_OF_FOLDER if is_elsewhere else room
        least = max(
            ACT_CHANCE if any(title.search(one.title) for title in titles) else 0.0,
            _least_by_files(one, signs, task.files, is_reached=features["reached"] >= REACHED_FROM),
        )
        known[one.id] = Chance(round(left * chance.value, 6), round(left * chance.here, 6)).at_least(least)
    return known


def _at_work(judged: Sequence[tuple[float, Memory, Signs]]) -> frozenset[str]:
    """Return the folders where the work lies by the likeliest of some memories; none where it does not say the work."""
    best = max(judged, key=lambda row: (row[0], row[1].id), default=None)
    says_work = best is not None and best[0] >= LEAST_OF_BEST and best[2].sentence >= SAYS_WORK
    return frozenset(folders_of(best[1])) if best is not None and says_work else frozenset()


def _least_by_files(memory: Memory, signs: Signs, files: Sequence[str], *, is_reached: bool) -> float:
    """Return the chance that a memory has at least for files in hand: that it is tied to one, or is due for one."""
    return max(_least_at_files(memory, signs, is_reached=is_reached), DUE_CHANCE if is_due(memory, files) else 0.0)


def _least_at_files(memory: Memory, signs: Signs, *, is_reached: bool) -> float:
    """Return the chance that a memory has at least for being tied to a file in hand, or to one that this imports."""
    if signs.is_exact:
        return AT_FILE_CHANCE
    holds_elsewhere = signs.has_place and not signs.holds_for
    if signs.names >= NAMED_NARROWLY and not holds_elsewhere and memory.kind in {"constraint", "convention"}:
        return NAMED_CHANCE
    return REACHED_CHANCE if is_reached else 0.0


def chance_of(judge: Model, found: Mapping[str, float], *, is_asked_for: bool = False) -> Chance:
    """Return the chance of a memory by its features."""
    here = judge.chance(found)
    if found["alone"] or (belongs_elsewhere(found) and not is_asked_for):
        return Chance(here, here)
    return Chance(max(here, round(KEPT_BESIDE_FILES * judge.chance(without_files(found)), 6)), here)


def _by_beginning(memory: Memory, signs: Signs, words: frozenset[str], *, has_files: bool) -> tuple[bool, float]:
    """Return whether a memory has nearly all words of a task for being about it, and the share that its room leaves."""
    has_nearly_all = signs.coverage >= WORDS_ALONE
    is_roomy = len(memory.insight) > LONG and has_files and not signs.holds_for
    if not words or not (has_nearly_all or is_roomy):
        return False, 1.0
    beginning = query_terms(f"{memory.title}\n{memory.insight[:BEGINNING]}")
    share = len(words.intersection(beginning)) / len(words)
    return has_nearly_all and share >= ABOUT_IT, WORTH_ITS_ROOM if is_roomy and share < SCATTERED else 1.0


def _corrected(found: Recall, values: Mapping[str, float]) -> dict[str, float]:
    """Return values in which what corrects a memory that the task asks more for has as much as that would have.

    Else the task could end up with neither.
    """
    corrected = dict(values)
    relevance = {hit.memory.id: hit.relevance for hit in (*found.put_in, *found.pins, *found.hits)}
    for one in found.withheld:
        correction = one.reason.other
        if one.reason.code is ReasonCode.SUPERSEDED and correction in corrected and relevance.get(correction, 0.0) > 0:
            corrected[correction] *= max(1.0, one.nearness / relevance[correction])
    return corrected


@dataclass(frozen=True, slots=True)
class Bar:
    """The chance that a memory needs."""

    least: float
    first: float | None = None  # the one of the likeliest where they stand before it; None where it is among them
    is_silence: bool = False  # whether it is what one memory of the vault needs before anything is served
    is_unfound: bool = False  # whether it is higher because a search would not find the memory


def _too_far(hit: Hit, judgement: _Judgement) -> Reason:
    """Return why a memory does not go in: the chance that it would need, and what ties it to the files all the same."""
    chance, bar = judgement.chances[hit.memory.id], judgement.bars[hit.memory.id]
    is_too_far_for_any = bar.first is not None and chance < bar.first
    return Reason(
        ReasonCode.TOO_FAR,
        path=_place_elsewhere(hit, judgement.asked),
        score=chance,
        bar=bar.first if is_too_far_for_any else bar.least,
        number=FIRST if bar.first is not None and not is_too_far_for_any else 0,
        unit=VAULT if bar.is_silence else UNFOUND if bar.is_unfound else "",
        because=tuple(one for one in hit.reasons if one.code is ReasonCode.FILE and one.file in judgement.asked.files),
    )


def _place_elsewhere(hit: Hit, asked: _Asked) -> str:
    """Return what a memory holds for if that is none of the files in hand, or a folder not named; empty otherwise."""
    signs, one = hit.signs, hit.memory
    if signs is None or not signs.has_place or signs.holds_for or signs.names:
        return ""
    if not asked.files and not is_of_folder_unnamed(one, asked.words):
        return ""
    return next((anchor.path for anchor in one.anchors if plain_path(anchor.path) not in one.insight), "")


def without_unrelated(found: Recall, task: Task) -> Recall:
    """Return a recall of what is likely to matter for a task, whether it lies below the floor of a search or not.

    Each hit that is not is withheld with the reason. What no recall measured stays, and all of it where there is no
    task in words to judge by.
    """
    if not task.has_words:
        return found
    found = replace(found, features=_features(found, task))
    judgement = _judgement(found, task)
    judged, bars, covered = judgement.chances, judgement.bars, judgement.covered
    far = {hit.memory.id: below for hit in found.hits if (below := _below_bar(hit, judgement))}
    raised = [hit for hit in found.near if _reaches_bar(hit, judgement)]
    hits = (*(hit for hit in found.hits if hit.memory.id not in far), *raised)
    found = _raised(found, raised) if raised else found
    if covered == "not":
        nothing = Reason(ReasonCode.NOTHING_RELEVANT, score=judgement.best, bar=judgement.asked.steps.of_best)
        # Where files are in hand, that no word is known is not all that was looked for.
        found = replace(found, abstained=nothing if task.files and judgement.best else found.abstained or nothing)
    elif raised:
        found = _without_silence(found)
    sure, covered = _verdict(found.sure, covered)
    return replace(
        found,
        hits=tuple(sorted(hits, key=order_key)),
        withheld=(*far.values(), *_judged_too(found, judgement)),
        sure=sure,
        covered=covered,
        chances=judged,
        needed={one: bar.least for one, bar in bars.items()},
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of a task decides on what may go in, beside the chances."""

    words: frozenset[str]  # stemmed
    files: tuple[str, ...]

    @classmethod
    def of(cls, task: Task) -> _Asked:
        return cls(frozenset(query_terms(task.text[:LONGEST_QUERY])), task.files)

    @property
    def steps(self) -> Steps:
        return WITH_FILES if self.files else ALONE

    @property
    def is_unread(self) -> bool:
        """Whether it is in a script that the model of meaning does not read: a search finds little for it."""
        return any(map(is_pair, self.words))


@dataclass(frozen=True, slots=True)
class _Judgement:
    asked: _Asked
    chances: Mapping[str, float]  # that memories matter for a task, by id
    bars: Mapping[str, Bar]  # what they need, by id
    covered: Covered | None
    best: float  # the best chance of any memory


def _judgement(found: Recall, task: Task) -> _Judgement:
    """Return how likely what was found matters for a task, and what it needs to go in."""
    known, asked = _linked(found, task), _Asked.of(task)
    steps, is_open = asked.steps, bool(asked.files) or asked.is_unread
    best = _best_chance(found, known, with_near=is_open)
    covered = _covered(best, steps) if known else None
    if covered != "not":
        judged = _judged(found, known)
        bars = _bars((*found.hits, *found.near), judged, steps, covered)
        return _Judgement(asked, judged, bars, covered, best)
    # What would matter without the files says nothing here.
    judged = _judged(found, _here_alone(known))
    # Below the floor of a search nothing answers a question by itself.
    bars = _bars((*found.hits, *found.near) if is_open else found.hits, judged, steps, covered)
    nearest = None if asked.files else _nearest(found, known)
    if nearest is None:
        return _Judgement(asked, judged, bars, covered, best)
    return _Judgement(asked, judged, _let_in(nearest, bars, judged), "hardly", best)


def _here_alone(known: Mapping[str, Chance]) -> dict[str, Chance]:
    """Return chances with the files in hand alone."""
    return {one: Chance(chance.here, chance.here) for one, chance in known.items()}


def _let_in(nearest: str, bars: Mapping[str, Bar], judged: Mapping[str, float]) -> dict[str, Bar]:
    """Return bars of a vault that is not silent, as its nearest memory goes in."""
    others = {one: replace(bar, is_silence=False) for one, bar in bars.items()}
    return others | {nearest: Bar(min(LEAST_OF_NEAREST, judged[nearest]))}


def _verdict(sure: Sureness, covered: Covered | None) -> tuple[Sureness, Covered | None]:
    """Return one verdict of a search and of the chances: either may doubt, and a payload is sure where neither does."""
    if covered == "not":
        return "nothing", "not"
    if covered is None or (sure == "sure" and covered == "well"):
        return sure, covered
    return "unsure", "hardly"


def _nearest(found: Recall, known: Mapping[str, Chance]) -> str | None:
    """Return the memory that a search finds nearest to a question without files, if it may answer it all the same."""
    for hit in found.hits:
        signs, chance = hit.signs, known.get(hit.memory.id)
        if signs is not None and chance is not None and signs.rank == 0:
            least = LEAST_OF_CLOSE if signs.cosine >= CLOSE else LEAST_OF_NEAREST
            return hit.memory.id if chance.value >= least else None
    return None


def _best_chance(found: Recall, known: Mapping[str, Chance], *, with_near: bool) -> float:
    """Return the best chance to matter of any memory that was found; 0 where none is known.

    What very likely matters by the words of the task alone counts as much, wherever its files lie. Without files what
    lies below the floor of a search does not count: nothing else ties it to the task.
    """
    hits = (*found.pins, *found.hits, *(found.near if with_near else ()))
    mine = (known[one.memory.id] for one in hits if one.memory.id in known)
    return max((one.value if one.value >= SURE_ANYWHERE else one.here for one in mine), default=0.0)


def _reaches_bar(hit: Hit, judgement: _Judgement) -> bool:
    bar = judgement.bars.get(hit.memory.id)
    return bar is not None and judgement.chances[hit.memory.id] >= bar.least


def _below_bar(hit: Hit, judgement: _Judgement) -> Withheld | None:
    """Return why a hit is withheld whose chance to matter lies below its bar; None for others."""
    if hit.memory.id not in judgement.bars or _reaches_bar(hit, judgement):
        return None
    return Withheld.of(hit.memory, _too_far(hit, judgement), hit.relevance)


def _judged_too(found: Recall, judgement: _Judgement) -> Iterator[Withheld]:
    """Yield what is withheld, with its chance as the reason where it was judged although a search found too little."""
    near = {hit.memory.id: hit for hit in found.near if hit.memory.id in judgement.bars}
    for one in found.withheld:
        if one.reason.code is ReasonCode.BELOW_FLOOR and one.id in near:
            yield replace(one, reason=_too_far(near[one.id], judgement))
        else:
            yield one


def _raised(found: Recall, hits: Sequence[Hit]) -> Recall:
    """Return a recall that no longer withholds or counts memories that go in from below its floor."""
    ids = {hit.memory.id for hit in hits}
    named = {one.id for one in found.withheld}
    counted = sum(hit.memory.id not in named and hit.relevance > 0 for hit in hits)
    below = Reason(ReasonCode.BELOW_FLOOR)
    counts = {group: number - counted * (group == below) for group, number in found.withheld_counts.items()}
    return replace(
        found,
        withheld=tuple(one for one in found.withheld if one.id not in ids),
        withheld_counts={group: number for group, number in counts.items() if number > 0},
    )


def _without_silence(found: Recall) -> Recall:
    """Return a recall that says that there is something, surely or not."""
    return replace(found, abstained=None, sure="unsure" if found.sure == "nothing" else found.sure)


def _covered(best: float, steps: Steps) -> Covered:
    return "well" if best >= WELL_COVERED else "hardly" if best >= steps.of_best else "not"


def _bars(hits: Sequence[Hit], judged: Mapping[str, float], steps: Steps, covered: Covered | None) -> dict[str, Bar]:
    """Return the chance that each hit needs that was judged, by its id, the likeliest first."""
    ranked = sorted(
        (hit for hit in hits if hit.memory.id in judged), key=lambda hit: (-judged[hit.memory.id], order_key(hit))
    )
    bars = {}
    for place, hit in enumerate(ranked):
        if covered == "not":
            bar = Bar(steps.of_best, is_silence=True)
        elif place < FIRST:
            is_below = hit.signs is not None and hit.signs.is_below and steps.first < LEAST_CHANCE
            bar = Bar(LEAST_CHANCE if is_below else steps.first, is_unfound=is_below)
        else:
            bar = Bar(steps.more, first=steps.first)
        bars[hit.memory.id] = bar
    return bars
