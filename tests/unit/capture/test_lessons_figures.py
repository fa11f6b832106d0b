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
