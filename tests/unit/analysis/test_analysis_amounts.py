"""Values are compared in one unit and form, so that only what differs in value differs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from support import NOON, make_memory

from memtui.analysis.amounts import MOST_AMOUNTS, amounts_in, are_equal
from memtui.analysis.contradictions import Contradiction, contradiction_between
from memtui.analysis.duplicates import compare
from memtui.analysis.pair_differences import text_differences
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Judgement, Nearness, Question, judge
from memtui.analysis.snapshot import TextCache
from memtui.analysis.text_features import Wording
from memtui.analysis.titles import title_for
from memtui.domain.memory import Memory

SAME = [
    ("60 minutes", "1 hour"),
    ("90 seconds", "1.5 minutes"),
    ("30s", "30000 ms"),
    ("15 minutes", "15 min"),
    ("45-minute", "45 mins"),
    ("7 days", "one week"),
    ("48 hours", "2 days"),
    ("half an hour", "30 minutes"),
    ("an hour and a half", "90 min"),
    ("1 hour and 30 minutes", "90 minutes"),
    ("1h30m", "5400 s"),
    ("30 days", "a month"),
    ("12 months", "365 days"),
    ("1 GB", "1024 MB"),
    ("1 GB", "1000 MB"),
    ("512 KiB", "0.5 MB"),
    ("50 percent", "0.5"),
    ("5%", "5 percent"),
    ("02:00", "2 am"),
    ("14:00", "2 p.m."),
    ("noon", "12:00"),
    ("12 am", "midnight"),
    ("10k", "10,000"),
    ("2M", "2 million"),
    ("v2.1", "2.1.0"),
    ("version 3", "3.0"),
]
OTHER = [
    ("60 minutes", "60 seconds"),
    ("60 minutes", "60"),
    ("90 seconds", "2 minutes"),
    ("1 GB", "1 MB"),
    ("1 GiB", "1000 MiB"),
    ("50 percent", "0.05"),
    ("50 percent", "50"),
    ("02:00", "2 pm"),
    ("02:00", "200"),
    ("2m", "2M"),
    ("2.1", "2.10"),
    ("v2.1", "v2.10"),
    ("Loom 3.1", "Loom 3.1.4"),
    ("10", "10.0.0.0"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_value_is_known_in_every_notation(one: str, other: str) -> None:
    (first,), (second,) = amounts_in(f"It takes {one}."), amounts_in(f"It takes {other}.")
    assert are_equal(first, second)
    assert are_equal(second, first)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_value_stays_another(one: str, other: str) -> None:
    (first,), (second,) = amounts_in(f"It takes {one}."), amounts_in(f"It takes {other}.")
    assert not are_equal(first, second)


@pytest.mark.parametrize(
    "text", ["Oil the wheel twice a day.", "A second miller helps.", "One must wait.", "See https://mill.example/3d"]
)
def test_what_only_looks_like_a_duration_is_none(text: str) -> None:
    assert not any(found.dimension for found in amounts_in(text))


def test_of_a_table_only_the_first_amounts_are_read() -> None:
    assert len(amounts_in("\n".join(f"| {number} | {number} ms |" for number in range(200)))) == MOST_AMOUNTS


def said(text: str, name: str, *, days: int = 0) -> Memory:
    return make_memory(id=name, title=title_for(text, ()), insight=text, created_at=NOON + timedelta(days=days))


def clash(one: str, other: str, *, days: int = 0) -> Contradiction | None:
    return contradiction_between(said(one, "aaaaaaaa"), said(other, "bbbbbbbb", days=days))


STATEMENTS = [
    ("The sluice closes after {}.", "60 minutes", "1 hour"),
    ("The sluice closes after {}.", "half an hour", "30 min"),
    ("Flour sacks are kept for {}.", "7 days", "one week"),
    ("Lanterns are lit at {}.", "02:00", "2 am"),
    ("Stop the wheel when {} of the teeth are worn.", "50 percent", "0.5"),
    ("The ledger holds at most {}.", "1 GB", "1024 MB"),
    ("The weaving room runs on {}.", "Loom 2.1", "Loom 2.1.0"),
]


@pytest.mark.parametrize(("statement", "one", "other"), STATEMENTS)
def test_one_value_in_two_notations_is_a_duplicate_without_difference(statement: str, one: str, other: str) -> None:
    texts = statement.format(one), statement.format(other)
    assert clash(*texts) is None
    assert compare(said(texts[0], "aaaaaaaa"), said(texts[1], "bbbbbbbb"), TextCache(), Nearness()) is not None
    assert text_differences(*map(Wording, texts)) == ()


@pytest.mark.parametrize(
    ("statement", "one", "other", "words"),
    [
        ("The sluice closes after {}.", "60 minutes", "2 hours", ("60 m", "2 h")),
        ("Flour sacks rest for {}.", "7 days", "2 weeks", ("7 d", "2 w")),
        ("The ledger holds at most {}.", "1 GB", "512 MB", ("1 gb", "512 mb")),
        ("The weaving room runs on {}.", "Loom 2.1", "Loom 2.4.0", ("2.1", "2.4.0")),
    ],
)
def test_other_values_still_exclude_each_other(statement: str, one: str, other: str, words: tuple[str, str]) -> None:
    found = clash(statement.format(one), statement.format(other))
    assert found is not None
    assert found.words == words


def test_a_version_excludes_none_that_it_begins_but_is_less_exact() -> None:
    one, other = "We build the mill with Node 20.", "We build the mill with Node 20.11."
    assert clash(one, other) is None
    assert [found.text for found in text_differences(Wording(one), Wording(other))] == ["versions differ: 20 / 20.11"]
    assert clash(one, "We build the mill with Node 22.11.") is not None


def test_a_text_of_several_versions_tells_of_a_change() -> None:
    found = clash("The loom runs on Weft 1.8.3.", "The loom runs on Weft 2.0.1, no loom runs on v1 any more.")
    assert found is not None


@pytest.mark.parametrize(
    ("rewritten", "written", "told"),
    [
        ("contradiction", None, None),
        ("contradiction", "duplicate", "duplicate"),
        ("contradiction", "contradiction", "contradiction"),
        ("duplicate", "contradiction", "duplicate"),
        (None, "contradiction", None),
        (None, "duplicate", "duplicate"),
    ],
)
def test_one_notation_makes_no_contradiction_and_takes_no_duplicate_away(
    monkeypatch: pytest.MonkeyPatch, rewritten: Question | None, written: Question | None, told: Question | None
) -> None:
    one, other = (Facts(Wording(text), text) for text in ("Rest 60 minutes.", "Rest one hour."))

    def judged(_one: Facts, second: Facts, _near: Nearness) -> Judgement | None:
        found = written if second is other else rewritten
        return Judgement(found, 0.9) if found else None

    monkeypatch.setattr("memtui.analysis.pair_features._judged", judged)
    found = judge(one, other, Nearness())
    assert (found.question if found else None) == told


@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        ("The loom runs on Weft 2.17.4.", "The loom runs on Weft 2.1.", "aaaaaaaa"),
        ("The loom runs on Weft 2.17.4.", "The loom was downgraded to Weft 2.1.", "bbbbbbbb"),
        ("The loom was rolled back to Weft 2.1.", "The loom runs on Weft 2.17.4.", "aaaaaaaa"),
        ("The loom runs on Weft 2.17.4.", "After the jam the loom was reverted to Weft 2.1.", "bbbbbbbb"),
        ("The token lives 90 seconds.", "The token lives 2 minutes.", ""),
        ("Stop the wheel when 50 percent of the teeth are worn.", "Stop the wheel when 0.7 of the teeth are worn.", ""),
    ],
)
def test_the_later_version_wins_unless_it_was_taken_back(one: str, other: str, winner: str) -> None:
    found = clash(one, other)
    assert found is not None
    assert found.winner == winner


def test_of_numbers_that_are_no_versions_the_newer_memory_wins() -> None:
    found = clash("The token lives 90 seconds.", "The token lives 1 minute.", days=3)
    assert found is not None
    assert found.winner == "bbbbbbbb"
