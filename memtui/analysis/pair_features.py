"""How two memories compare, in numbers, and what a model learned from judged pairs makes of them.

`pair_weights.json` holds the models, `pair_phrases.json` what they make of words and phrases, and `pair_kinds.json` one
of kinds of pairs: `tests/scripts/pair_weights.py` fits them on `tests/curation` and prints what they are worth on
writers that they have not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log, log1p
from pathlib import Path
from typing import Literal

from memtui.analysis.claims import Denial, difference_in_denials, light_stems, rivals_between
from memtui.analysis.ordered_acts import order_of_other_acts
from memtui.analysis.pair_facts import Facts, gone_but_used, manners, numbers_of_one, sides_of_word
from memtui.analysis.pair_kinds import KindOdds, pair_kinds
from memtui.analysis.pair_phrases import phrases, signs_between

Question = Literal["duplicate", "contradiction"]

LONG = 30  # Words of meaning from which a text counts as long: models learned on shorter ones
MOST_COUNTED = 3  # Of shared names, of denied words


UNKNOWN_CROWD = 0.35  # How near the next neighbours of memories are that have too few to tell


@dataclass(frozen=True, slots=True)
class Nearness:
    """What is known of two memories besides their texts.

    Among many memories the nearest of one is rarely the same again; two that somebody puts side by side often are.
    Files repeat their structure from part to part; notes that were typed or captured one by one do not.
    """

    cosine: float | None = None  # of their vectors
    crowd: float = UNKNOWN_CROWD  # mean cosine of each to its next neighbours
    is_crowded: bool = False  # whether they were picked from many
    is_noted: bool = False  # whether, of many, both are short notes of their own rather than parts of files
    elsewhere: bool | None = None  # whether two parts of files stand in different ones; None of anything else


def features(one: Facts, other: Facts, near: Nearness) -> dict[str, float]:
    """Return what the models weigh; amounts in another notation are the same."""
    return _as_written(one, other.in_notation_of(one), near)


def _as_written(one: Facts, other: Facts, near: Nearness) -> dict[str, float]:
    found = {**_likeness(one, other), **_differences(one, other), **_frames(one, other), **_cues(one, other)}
    same = found["dice"]
    for name in ("number", "name", "scope", "negated_once", "number_once", "subject_mixed", "plan"):
        found[f"{name}_in_same"] = found[name] * same
    evidence = ("number_of_one", "rival", "denies", "left", "swapped", "opposite", "placed")
    said = sum(found[name] > 0 for name in evidence)
    found["evidence"], found["no_evidence"] = float(said), float(not said)
    found["nearly_same"] = max(0.0, same - 0.8)
    if near.cosine is not None:
        found.update(_nearness(near.cosine, near.crowd))
        if near.is_noted or not near.is_crowded:
            found.update(_manners(one.manners, other.manners))
    return found


def _nearness(cosine: float, crowd: float) -> Iterator[tuple[str, float]]:
    yield "cosine", cosine
    yield "margin", cosine - crowd
    yield "very_near", max(0.0, cosine - 0.85)
    yield "nearer", (cosine - crowd) / max(0.1, 1.0 - crowd)


def _manners(mine: AbstractSet[str], theirs: AbstractSet[str]) -> Iterator[tuple[str, float]]:
    for name in manners():
        yield f"{name}_both", float(name in mine and name in theirs)
        yield f"{name}_once", float((name in mine) != (name in theirs))


def _likeness(one: Facts, other: Facts) -> dict[str, float]:
    heading = one.label_parts & other.label_parts  # What stands under one heading is no more alike for that
    mine, theirs = one.wording.parts - heading, other.wording.parts - heading
    shared, least, most = len(mine & theirs), min(len(mine), len(theirs)), max(len(mine), len(theirs))
    same = max(dice(mine, theirs), dice(one.wording.terms - heading, other.wording.terms - heading))
    rest = min(len(mine - theirs), len(theirs - mine))
    return {
        "dice": same,
        "contained": shared / max(1, least),
        "shared": log1p(min(len((mine & theirs) - light_stems()), LONG / 2)),
        "shorter": log1p(min(least, LONG)),
        "longer": log1p(min(most, 2 * LONG)),
        "ratio": log(min(8.0, max(1, most) / max(1, least))),
        "rest": rest / max(1, least),
        "substitutes": 4 * same * (1 - same) if rest and same > 0.5 else 0.0,  # noqa: PLR2004 - mostly the same
        "copy": float(one.wording.stems == other.wording.stems),
    }


def dice(mine: AbstractSet[str], theirs: AbstractSet[str]) -> float:
    words = len(mine) + len(theirs)
    return 2.0 * len(mine & theirs) / words if words else 0.0


def _differences(one: Facts, other: Facts) -> dict[str, float]:
    mine = {number: unit for number, unit in one.numbers.items() if number not in other.numbers}
    theirs = {number: unit for number, unit in other.numbers.items() if number not in one.numbers}
    comparable = set(mine.values()) & set(theirs.values())
    code, their_code = names_apart(one, other)
    words, their_words = one.wording, other.wording
    denied = (one.denied & their_words.parts) - other.denied, (other.denied & words.parts) - one.denied
    how = difference_in_denials(words, their_words)
    return {
        "number": float(bool(comparable)),
        "number_unit": float(bool(comparable - {""})),
        "number_of_one": max((sure for *_, sure in numbers_of_one(one, other)), default=0.0),
        "left": float(bool(gone_but_used(one, other) | gone_but_used(other, one))),
        "number_once": float(bool(mine) != bool(theirs)),
        "number_same": float(bool(one.numbers.keys() & other.numbers.keys())),
        "name": float(bool(code and their_code)),
        "name_same": float(
            min(MOST_COUNTED, len(words.identifiers | their_words.identifiers) - len(code) - len(their_code))
        ),
        "negated_once": float(bool(words.negations) != bool(their_words.negations)),
        "negated_both": float(bool(words.negations) and bool(their_words.negations)),
        "denied": float(min(MOST_COUNTED, max(map(len, denied)))),
        "denies": float(how is Denial.DENIES),
        "rules_out": float(how is Denial.EXCLUDES),
        "plan": float(words.is_plan != their_words.is_plan),
        "direction": float(bool(_directions(one, other) and _directions(other, one))),
        "rival": float(rivals_between(one.names, other.names, (words.plain, their_words.plain)) is not None),
        "rival_named": float(bool(one.names & other.names)),
        "opposite": float(_is_opposite(one, other)),
        "swapped": float(any((late, early) in other.order for early, late in one.order - other.order if early != late)),
        "ordered": float(bool(one.order & other.order)),
        "within": float(one.keeps_to(other) or other.keeps_to(one)),
    }


def _directions(one: Facts, other: Facts) -> frozenset[str]:
    """Return the words of order and direction that only the first text has."""
    apart = order_of_other_acts(one.wording.plain, other.wording.plain)
    return one.wording.directions - other.wording.directions - apart


def _is_opposite(one: Facts, other: Facts) -> bool:
    apart = order_of_other_acts(one.wording.plain, other.wording.plain)
    mine = one.opposites.difference(*(sides_of_word(word) for word in apart))
    return any(-side in other.opposites and side not in other.opposites for side in mine)


def names_apart(one: Facts, other: Facts) -> tuple[set[str], set[str]]:
    """Return the names of code that only one text holds; one that is in the other's prose counts as the same."""
    mine, theirs = one.wording.identifiers, other.wording.identifiers
    return (
        {name for name in mine - theirs if not other.wording.says(name)},
        {name for name in theirs - mine if not one.wording.says(name)},
    )


def _frames(one: Facts, other: Facts) -> dict[str, float]:
    """Compare where both hold and what they are about."""
    opening, other_opening = one.opening_code, other.opening_code
    return {
        **_scopes(one, other),
        **_subjects(one, other),
        "code_apart": float(bool(opening and other_opening) and opening != other_opening),
        "code_same": float(bool(opening) and opening == other_opening),
        "code": min(one.code_share, other.code_share),
        "lines": float("\n" in one.insight.strip() and "\n" in other.insight.strip()),
    }


def _scopes(one: Facts, other: Facts) -> dict[str, float]:
    """Compare where both hold, and the words before what they state."""
    # Of two values of one key, `target: staging` and `target: production`, none says where the other holds.
    values = bool(one.value and other.value) and one.label == other.label
    scopes = {kind: not values and _apart(one.scopes[kind], other.scopes[kind]) for kind in one.scopes}
    word, lead = one.lead
    other_word, other_lead = other.lead
    return {
        **{f"scope_{kind}": float(apart) for kind, apart in scopes.items()},
        "scope": float(any(scopes.values())),
        "scope_same": float(any(one.scopes[kind] & other.scopes[kind] for kind in one.scopes)),
        "lead_apart": float(_differ(lead, other_lead)),
        "lead_word": float(bool(word and other_word) and word != other_word),
    }


def _subjects(one: Facts, other: Facts) -> dict[str, float]:
    mine, theirs = one.subject, other.subject
    both = bool(mine and theirs)
    return {
        "label_apart": float(_differ(one.label, other.label)),
        "label_same": float(bool(one.label) and one.label == other.label),
        "subject_mixed": float(bool(mine & theirs and mine - theirs and theirs - mine)),
        "subject_apart": float(both and not mine & theirs),
        "subject_same": float(both and mine == theirs),
        "subject_within": float(bool(mine & theirs) and (mine < theirs or theirs < mine)),
        "subject_said": _said_share(mine, other) + _said_share(theirs, one),
    }


def _apart(mine: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    return bool(mine and theirs) and not mine & theirs


def _differ(mine: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    return bool(mine and theirs) and (not mine & theirs or bool(mine - theirs and theirs - mine))


MOSTLY = 0.6  # Share of the words of a subject from which a text names it


def _said_share(subject: AbstractSet[str], other: Facts) -> float:
    return float(bool(subject) and len(subject & other.wording.parts) >= MOSTLY * len(subject))


def _cues(one: Facts, other: Facts) -> dict[str, float]:
    once, both = one.cues ^ other.cues, one.cues & other.cues
    apart = bool(one.paths - other.paths and other.paths - one.paths)
    return {
        **{name: float(name in once) for name in ("gone", "change")},
        **{name: float(name in once or name in both) for name in ("exception", "option", "verdict")},
        **{name: float(name in both) for name in ("example", "owner", "place", "order")},
        "strict": float("strict" in one.cues) + float("strict" in other.cues),
        "path": float(apart),
        "placed": float(apart and "place" in both),
    }


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model of whether a person would answer a question with yes."""

    weights: Mapping[str, float]  # per unit of a feature
    base: float
    least: float  # share of yes from which a pair is proposed

    def odds(self, found: Mapping[str, float]) -> float:
        """Return the logarithm of the odds, relative to where a pair is proposed."""
        return self.relative(self.base + sum(weight * found[name] for name, weight in self.weights.items()))

    def relative(self, odds: float) -> float:
        """Return the logarithm of odds relative to where a pair is proposed."""
        return odds - log(self.least / (1.0 - self.least))


@cache
def _models() -> dict[str, Model]:
    stored = json.loads(Path(__file__).with_name("pair_weights.json").read_text("utf-8"))
    return {name: Model(**model) for name, model in stored.items()}


def model_name(question: Question, near: Nearness) -> str:
    where = "noted" if near.is_noted else "crowded" if near.is_crowded else "alone"
    by = "words" if near.cosine is None else "vectors"
    return f"{question}, {where}, {by}"


DOUBT = 0.5
"""How much the odds of a contradiction must exceed those of a duplicate where both are proposed."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What two memories are to each other."""

    question: Question  # the one that is answered with yes
    score: float  # 0.5 where a pair is just proposed, near 1 where it is certain


def judge(one: Facts, other: Facts, near: Nearness) -> Judgement | None:
    """Return whether two memories say the same or contradict each other, None if neither is likely.

    That both have a value in one notation or in two never makes a contradiction of them, nor no duplicate.
    """
    alike = other.in_notation_of(one)
    found = _judged(one, alike, near)
    if alike is other or (found is not None and found.question == "duplicate"):
        return found
    written = _judged(one, other, near)
    is_excluded = found is None and written is not None and written.question == "contradiction"
    return None if is_excluded else written


def _judged(one: Facts, other: Facts, near: Nearness) -> Judgement | None:
    found = _as_written(one, other, near)
    signs = signs_between(one.beginnings, other.beginnings) if is_told_by_phrases(near) else _NO_SIGNS
    return judge_told(found, near, signs)


def judge_told(found: Mapping[str, float], near: Nearness, signs: AbstractSet[str]) -> Judgement | None:
    """Return the same by features and by what words tell, see `memtui.analysis.pair_phrases`."""
    odds = model_odds(found, near, signs)
    if not is_told_by_phrases(near) or (near.is_noted and odds["contradiction"] < UNLIKELY):
        return decide(found, odds["duplicate"], odds["contradiction"], near)
    by_kind = _odds_by_kind(found, near, signs)
    same = _mixed(model_name("duplicate", near), odds["duplicate"], by_kind.duplicate)
    clash = _mixed(model_name("contradiction", near), odds["contradiction"], by_kind.contradiction)
    either = _mixed(EITHER, _models()[EITHER].odds(found) + phrases().odds(EITHER, signs), by_kind.either)
    return decide(found, same, clash, near, either - NOTES_SAY_AGAIN if near.is_noted else either)


UNLIKELY = -4.0
"""Odds of a contradiction among notes, relative to where it is proposed, below which the kinds are not asked."""


def _odds_by_kind(found: Mapping[str, float], near: Nearness, signs: AbstractSet[str]) -> KindOdds:
    """Return the odds by the model of kinds, which learned from pairs side by side, whatever is near to them."""
    if near.is_noted and near.cosine is not None:
        found = {**found, **dict(_nearness(near.cosine, UNKNOWN_CROWD))}
    return pair_kinds().odds(found, signs)


def is_told_by_phrases(near: Nearness) -> bool:
    """Return whether the models also weigh words and phrases: not of files, whose texts they have not learned from."""
    return near.cosine is not None and (near.is_noted or not near.is_crowded)


_NO_SIGNS: frozenset[str] = frozenset()

EITHER = "contradiction rather than duplicate, vectors"
"""The model of which of the two it is, asked where both are proposed."""

BY_KIND = {
    "duplicate, alone, vectors": 0.5,
    "contradiction, alone, vectors": 0.5,
    "contradiction, noted, vectors": 0.35,
    EITHER: 0.5,
}
"""How much the odds by kinds count beside those of a model. Among notes nearly all are of no kind that strangers wrote
pairs of: what says the same among them is told by its own model alone."""

NOTES_SAY_AGAIN = 2.5
"""How much more the odds of a contradiction must be among notes: with less, fewer that say the same are proposed."""


def model_odds(
    found: Mapping[str, float], near: Nearness, signs: AbstractSet[str] = _NO_SIGNS
) -> dict[Question, float]:
    """Return the logarithm of the odds of both questions, relative to where a pair is proposed.

    `signs`: what their words tell, see `memtui.analysis.pair_phrases`.
    """
    names = {question: model_name(question, near) for question in _QUESTIONS}
    odds = {question: _models()[name].odds(found) for question, name in names.items()}
    if signs:
        odds = {question: odds[question] + phrases().odds(name, signs) for question, name in names.items()}
    if near.is_noted and found["dice"] >= HALF_THE_WORDS:
        # What is the same in files, much of it word for word, is so in notes.
        of_files = model_name("duplicate", replace(near, is_noted=False))
        odds["duplicate"] = max(odds["duplicate"], _models()[of_files].odds(found))
    if near.is_crowded and near.elsewhere is not None and near.cosine is not None and odds["duplicate"] <= 0.0:
        odds["duplicate"] = _models()[SAID_AGAIN].odds(signs_of_repetition(found, odds["duplicate"], near))
    return odds


def _mixed(name: str, odds: float, by_kind: float) -> float:
    """Return the odds of a model, relative to where a pair is proposed, with those by kinds."""
    share = BY_KIND.get(name, 0.0)
    return (1.0 - share) * odds + share * _models()[name].relative(by_kind)


SAID_AGAIN = "duplicate, said again, vectors"
"""The model of what files say again in other words, asked of what the one of many says no to."""

LEAST_ODDS = -6.0  # Odds below which two are no more unlike


def signs_of_repetition(found: Mapping[str, float], odds: float, near: Nearness) -> dict[str, float]:
    """Return what tells whether two parts of files say the same in other words.

    Files repeat what other files say, and hardly themselves; and what is said again stands out of its neighbours.
    Two reports of the same form differ in their numbers.

    `odds`: by the model of many, relative to where a pair is proposed.
    """
    cosine = near.cosine or 0.0
    return {
        "odds": max(LEAST_ODDS, min(1.0, odds)),
        "cosine": cosine,
        "margin": cosine - near.crowd,
        "elsewhere": float(bool(near.elsewhere)),
        "number": found["number"],
    }


HALF_THE_WORDS = 0.5  # Dice share of the words from which the model of files is asked about notes as well

_QUESTIONS: tuple[Question, ...] = ("duplicate", "contradiction")


def decide(
    found: Mapping[str, float], same: float, clash: float, near: Nearness, either: float | None = None
) -> Judgement | None:
    """Return the judgement by the odds of both questions.

    `either`: the odds that two contradict each other, given that they do or say the same; None if nothing tells.
    """
    differs = any(found[name] for name in _TURNED)
    if found["copy"] and not differs:
        return Judgement("duplicate", 1.0)
    if found["denies"] and found["negated_once"] and found["dice"] >= WORD_FOR_WORD:
        return Judgement("contradiction", 1.0)
    if near.is_crowded and not near.is_noted and not is_plain(found):
        clash = -1.0
    clashes = clash > same + DOUBT if either is None else either > 0.0
    if clash > 0.0 and (same <= 0.0 or clashes):
        return Judgement("contradiction", _share(clash))
    return Judgement("duplicate", _share(same)) if same > 0.0 else None


_TURNED = ("name", "number", "negated_once", "denies", "swapped", "direction", "plan")
"""Differences that turn the meaning of the same words."""

WORD_FOR_WORD = 0.85  # Dice share of the words from which a statement and its denial say no more than that


def _share(odds: float) -> float:
    return 1.0 / (1.0 + exp(-min(30.0, odds)))


FEWEST_DENIED = (
    2  # Words of meaning that a statement and its denial share: `use types` denies `no any type` only in one
)
LEAST_SHARED = 0.28  # Dice share of the words of two memories that contradict each other among many
_EVIDENT = ("number_of_one", "rival", "denies", "left", "swapped")
_EXCUSED = (
    "label_apart", "code_apart", "subject_mixed", "option", "example", "verdict", "exception", "plan", "within",
    "scope_environment", "scope_platform", "scope_language", "copy",
)  # fmt: skip


def is_plain(found: Mapping[str, float]) -> bool:
    """Return whether a contradiction shows in the words themselves, and nothing excuses it."""
    evidence = {name for name in _EVIDENT if found[name] >= 1.0}
    if evidence == {"denies"} and found["shared"] < log1p(FEWEST_DENIED):
        return False
    return bool(evidence) and found["dice"] >= LEAST_SHARED and not any(found[name] for name in _EXCUSED)
