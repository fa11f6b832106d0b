"""What the words and phrases of two memories tell."""

from __future__ import annotations

import time

import pytest

from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, is_told_by_phrases, judge
from memtui.analysis.pair_phrases import FEWEST_SIGNS, Phrases, beginnings_of, phrases, signs_between
from memtui.analysis.text_features import wording_of


def test_words_count_by_their_beginning_and_in_twos() -> None:
    assert beginnings_of("Sorting isn’t done: 3.5") == {
        *("sorti", "isn't", "done", ":", "3.5"),
        *("^ sorti", "sorti isn't", "isn't done", "done :", ": 3.5"),
    }


def test_signs_are_what_one_says_and_the_words_of_both() -> None:
    signs = signs_between(beginnings_of("Gulls may land"), beginnings_of("Gulls must land"))
    assert signs == {"2gulls", "2land", "1may", "1must", "1gulls may", "1gulls must", "1may land", "1must land"}


def test_the_sum_counts_less_the_more_signs_are_known() -> None:
    model = Phrases({"one": 0, "two": 1}, {f"1w{number}": (100, -50) for number in range(80)})
    assert model.odds("one", {"1w1", "1unknown"}) == pytest.approx(1.0 / FEWEST_SIGNS**0.5)
    assert model.odds("two", {f"1w{number}" for number in range(80)}) == pytest.approx(-40.0 / 80**0.5)
    assert model.odds("of files", {"1w1"}) == 0.0


def test_every_model_has_a_weight_for_every_sign() -> None:
    assert {len(weights) for weights in phrases().weights.values()} == {len(phrases().models)}


def test_files_are_judged_without_phrases() -> None:
    assert not is_told_by_phrases(Nearness(0.6, is_crowded=True))
    assert not is_told_by_phrases(Nearness())
    assert is_told_by_phrases(Nearness(0.6, is_crowded=True, is_noted=True))


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (
            "Seat maps of the ferry planner are drawn on the server, the phone only shows the picture.",
            "The phone app of the ferry planner draws every seat map itself, nothing is drawn on the server.",
            "contradiction",
        ),
        (
            "Only Ondrej may publish the tide tables.",
            "Anybody on the harbour team can publish the tide tables.",
            "contradiction",
        ),
        (
            "The tide importer gives up after the first bad row.",
            "The tide importer skips bad rows and carries on.",
            "contradiction",
        ),
        (
            "On the kiosk the tide tables are refreshed at noon.",
            "On phones the tide tables are refreshed whenever the app is opened.",
            None,
        ),
    ],
)
def test_what_excludes_what_shows_in_the_words_of_one(one: str, other: str, said: str | None) -> None:
    facts = [Facts(wording_of(text, text), text) for text in (one, other)]
    found = judge(facts[0], facts[1], Nearness(0.65))
    assert (found.question if found else None) == said


def test_paths_of_a_text_are_found_in_short_time() -> None:
    text = "Read src/quay/berth.py, ./docs and https://quay.example/map; mind up/down. "
    assert Facts(wording_of("", text), text).paths == {"src/quay/berth.py", "/docs", "example/map", "up/down"}
    began = time.process_time()
    assert Facts(wording_of("", long := "a-" * 60_000), long).paths == frozenset()
    assert time.process_time() - began < 2
