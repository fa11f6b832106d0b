"""What a place costs."""

from desk.fares import total


def test_nobody_pays_nothing():
    assert total([], None) == 0
