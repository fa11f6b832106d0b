"""What a user relies on when memories repeat each other: twins are told from look-alikes."""

from __future__ import annotations

import pytest
from recall_story import memory

from memtui.pack.filters import gist, overlap, say_the_same


def _same(one: str, other: str) -> bool:
    return say_the_same(gist(memory("a", one)), gist(memory("b", other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lock refunds by payment id", "Lock the refunds by `payment id`."),
        ("- Retry webhooks three times", "retry webhooks three times"),
        ("退款必须加锁", "退款必须加锁。"),
    ],
)
def test_texts_that_differ_in_marks_alone_say_the_same(one: str, other: str) -> None:
    assert _same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The replica listens on port 8788", "The replica listens on port 8789"),
        ("Use Postgres 14.2 in every environment", "Use Postgres 15.2 in every environment"),
        ("Retry webhooks on failure in production", "Never retry webhooks on failure in production"),
        ("You can retry webhooks", "You can’t retry webhooks"),
        ("Lock refunds by payment id", "Money is integer cents"),
        ("", ""),
    ],
)
def test_numbers_and_negations_make_a_difference(one: str, other: str) -> None:
    assert not _same(one, other)


def test_overlap_is_what_the_smaller_one_would_repeat() -> None:
    long = gist(memory("a", "Lock refunds by payment id because customers pay twice at once"))
    short = gist(memory("b", "Lock refunds"))
    assert overlap(long, short) == overlap(short, long) == 1.0
    assert overlap(gist(memory("c", "Tulip bed")), long) == 0.0
