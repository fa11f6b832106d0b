"""Where the chance comes from that a memory matters for a task: what raises or lowers it beside the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from memtui.pack.relevance_features import OF_MEANING, model

LEAST_TELLING = 0.3  # Log-odds that a group of signs must add or take beside the mean of all memories
MOST_TOLD = 3  # Groups that are told on either side

WORDS_AND_MEANING = "its words and meaning"

_GROUPS = {
    WORDS_AND_MEANING: "share log_rank coverage by_words title_coverage names_in_task alone_share"
    " alone_log_rank alone_coverage alone_title_coverage below_floor",
    "the place it applies to": "holds holds_narrowly names names_narrowly holds_elsewhere names_elsewhere exact tie"
    " reached topic_of_place",
    "the names and words of the edited files": "in_files names_in_files in_path in_path_by_title",
    "its neighbours in the source": "file_share section_share",
    "the kind of work": "topic alone_topic topic_said topic_of_path topic_brought topic_instead topic_of_title"
    " main_topic main_topic_brought same_language other_language plain_files docs_files rule_for_plain rule_for_code"
    " asks_only mends_errors tests_of_new",
    "its kind and wording": "constraint convention architecture decision tooling length orders insists of_itself"
    " names_a_skill general general_title number_of_names",
}
"""Names of features by what a person calls them; those of meaning belong to the first."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What speaks for a memory and against it, the strongest first."""

    speaking_for: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


def grounds(features: Mapping[str, Mapping[str, float]], identifier: str) -> Grounds:
    """Return what sets the chance of a memory apart from that of the others which were judged with it.

    `features`: what tells of each memory, by id.
    """
    return grounds_of(features, [identifier])[identifier]


def grounds_of(features: Mapping[str, Mapping[str, float]], identifiers: Iterable[str]) -> dict[str, Grounds]:
    """Return the same for several memories, by id."""
    if not features:
        return {identifier: Grounds() for identifier in identifiers}
    weights = model(with_meaning=any(one["tokens"] > 0 for one in features.values())).weights
    means = {name: math.fsum(one[name] for one in features.values()) / len(features) for name in weights}
    return {
        identifier: _told(features[identifier], weights, means) if identifier in features else Grounds()
        for identifier in identifiers
    }


def _told(mine: Mapping[str, float], weights: Mapping[str, float], means: Mapping[str, float]) -> Grounds:
    told: dict[str, float] = {}
    for name, weight in weights.items():
        group = _group_of(name)
        told[group] = told.get(group, 0.0) + weight * (mine[name] - means[name])
    ranked = sorted((-abs(value), group) for group, value in told.items() if group and abs(value) >= LEAST_TELLING)
    raising = tuple(group for _, group in ranked if told[group] > 0)
    lowering = tuple(group for _, group in ranked if told[group] < 0)
    return Grounds(raising[:MOST_TOLD], lowering[:MOST_TOLD])


@cache
def _group_of(name: str) -> str:
    if name in OF_MEANING:
        return WORDS_AND_MEANING
    return next((group for group, names in _GROUPS.items() if name in names.split()), "")
