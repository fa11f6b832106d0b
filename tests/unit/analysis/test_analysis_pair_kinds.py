"""What the kinds of pairs tell of two memories."""

from __future__ import annotations

from math import log

import pytest

from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, features, judge
from memtui.analysis.pair_kinds import LABELS, PairKinds, pair_kinds
from memtui.analysis.text_features import wording_of


def stored(**base: int) -> PairKinds:
    """Return a model of one feature and one sign, with one kind a label and two of what is in conflict."""
    kinds = ["conflict, causes", "conflict, ports", *(f"{label}, all" for label in LABELS[1:])]
    return PairKinds.read(
        {
            "kinds": kinds,
            "base": [base.get(kind.partition(", ")[0].replace("-", "_"), 0) for kind in kinds],
            "features": {"cosine": [0, 0, 200, 0, 0, 0]},
            "signs": {"1port": [0, 400, 0, 0, 0, 0]},
        }
    )


def test_every_kind_of_a_label_counts_against_what_is_neither() -> None:
    odds = stored().odds({"cosine": 0.0}, set())
    assert odds.duplicate == pytest.approx(log(1 / 3))  # against near misses, no conflicts and what is related
    assert odds.contradiction == pytest.approx(log(2 / 2), abs=1e-6)
    assert odds.either == pytest.approx(log(2))


def test_features_and_known_signs_weigh_for_the_kinds_that_they_tell() -> None:
    plain = stored().odds({"cosine": 0.0}, {"1unknown"})
    assert stored().odds({"cosine": 1.0}, set()).duplicate == pytest.approx(plain.duplicate + 2.0)
    assert stored().odds({"cosine": 0.0}, {"1port"}).contradiction > plain.contradiction
    assert stored(duplicate=300).odds({"cosine": 0.0}, set()).either == pytest.approx(plain.either - 3.0)


def test_the_stored_model_weighs_what_is_computed_of_two_memories() -> None:
    facts = Facts(wording_of("", "x"), "x")
    assert set(pair_kinds().features) == set(features(facts, facts, Nearness(0.5)))


def test_two_facts_of_one_subject_do_not_contradict_each_other() -> None:
    texts = ("Buoy telemetry is stored for ninety days.", "The map shows the buoys in green.")
    one, other = (Facts(wording_of(text, text), text) for text in texts)
    assert judge(one, other, Nearness(0.55)) is None
