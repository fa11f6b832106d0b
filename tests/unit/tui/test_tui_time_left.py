"""The time left of a review: what is told goes down as one gets on, and does not leap with each verdict."""

from __future__ import annotations

from itertools import pairwise

import pytest
from curating import PERSON, add
from support import FrozenClock

from memtui.curate import lifecycle, review_sessions
from memtui.curate.review_sessions import Progress
from memtui.tui.review.verdicts import STEPS, TimeLeft
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault


def minutes(words: str) -> int:
    return 0 if "under a minute" in words else int(words.split("about ")[1].split(maxsplit=1)[0])


def test_verdicts_now_quick_now_slow_do_not_make_it_leap(vault: Vault, clock: FrozenClock) -> None:
    ids = [add(vault, f"Run make target {number}", kind="tooling").id for number in range(24)]
    clock.step(days=400)
    session = review_sessions.begin(vault, EVERYTHING, project="shop", actor=PERSON, threshold=0.5)
    assert len(session.ids) == len(ids)
    time_left, told = TimeLeft(), []
    for number, identifier in enumerate(session.ids[:16]):
        clock.step(seconds=40 if number % 2 else 5)
        lifecycle.verify(vault, [identifier], actor=PERSON)
        progress = review_sessions.progress(vault, session)
        time_left.take(progress)
        told.append(minutes(time_left.words(progress.left)))
    turns = [later > earlier for earlier, later in pairwise(told) if later != earlier]
    assert sum(one != other for one, other in pairwise(turns)) <= 1, told
    places = [STEPS.index(one) for one in told]
    assert max(abs(later - earlier) for earlier, later in pairwise(places)) <= 2, told
    assert told[-1] < told[5]


@pytest.mark.parametrize(
    ("left", "each", "words"),
    [
        (0, 0.15, "all done"),
        (3, 0.15, "3 left, under a minute"),
        (15, 0.15, "15 left, about 2 min"),
        (1_200, 1.0, "1,200 left, about 300 min"),
    ],
)
def test_it_is_told_in_steps(left: int, each: float, words: str) -> None:
    time_left = TimeLeft()
    time_left.take(Progress(left, {}, left * each))
    assert time_left.words(left) == words
