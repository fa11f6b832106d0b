"""How well lessons are found in the exchanges of `tests/lessons`, held to what was published in RESULTS.md."""

from __future__ import annotations

import pytest
from lessons.exchanges import Figures, judge, read_exchanges

from memtui.capture.lessons.detect import propose


@pytest.mark.parametrize(
    ("half", "precision", "recall"), [("exchanges-dev", 0.95, 0.9), ("exchanges-locked", 0.92, 0.8)]
)
def test_lessons_are_found_as_well_as_was_published(half: str, precision: float, recall: float) -> None:
    whole = Figures()
    for exchange in read_exchanges(half):
        whole.add(judge(exchange, propose(exchange.session))[0])
    assert whole.precision >= precision, whole
    assert whole.recall >= recall, whole
    assert whole.kinds >= 0.85 * whole.right, whole


def test_ordinary_turns_in_seven_languages_are_told_apart() -> None:
    exchanges = read_exchanges("statements-ordinary")
    proposed = {exchange.id: len(propose(exchange.session)) for exchange in exchanges}
    taught = {exchange.id for exchange in exchanges if exchange.lessons}
    right = sum(proposed[each] > 0 for each in taught)
    false = sum(number - (each in taught and number > 0) for each, number in proposed.items())
    assert right >= 0.9 * len(taught)
    assert right >= 0.95 * (right + false)
