"""What a user relies on when a payload is made again: what was chosen is kept, and odd records do no harm."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.config import ContextSettings
from memtui.pack.options import PackOptions, choices_record, choices_words, task_of
from memtui.recall.result import Task

CHOSEN = PackOptions(
    style="compiled",
    without=frozenset({"lockuser", "twicebug"}),
    with_ids=frozenset({"cardlogs"}),
    unconfirmed=True,
    withhold_loaded=False,
    secrets="mask",
)
TASK = Task("refund", ("a.py",), phase="debug", as_of=datetime(2026, 3, 1, tzinfo=UTC))


def test_what_was_chosen_comes_back_from_its_record() -> None:
    record = choices_record(CHOSEN, TASK)
    assert PackOptions().chosen(record) == CHOSEN
    assert task_of(TASK.text, TASK.files, record) == TASK
    assert choices_words(record) == (
        "compiled · debug · as of 2026-03-01 · 1 put in, 2 left out"
        " · with unconfirmed · with what is loaded · secrets: mask"
    )
    assert choices_words(choices_record(PackOptions(), Task(""))) == ""


def test_the_configuration_of_today_does_not_change_how_a_pack_was_made() -> None:
    plain = choices_record(PackOptions(), Task(""))
    other = PackOptions.of(
        ContextSettings(style="compiled", secrets="allow", withhold_loaded=False, budget="9", max_memories=3)
    )
    again = other.chosen(plain)
    assert (again.style, again.secrets, again.withhold_loaded) == ("full", "withhold", True)
    assert (again.budget, again.max_memories) == ("9", 3)
    assert other.chosen({}).style == "compiled"


ODD: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["compiled", "mask", "debug"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
NAMES = st.sampled_from(["style", "phase", "as_of", "with", "without", "unconfirmed", "with_loaded", "secrets", "x"])


@given(st.dictionaries(NAMES, ODD, max_size=9))
def test_a_record_of_another_memtui_is_read_as_far_as_it_makes_sense(record: dict[str, Any]) -> None:
    options, task = PackOptions().chosen(record), task_of("refund", ["a.py"], record)
    assert PackOptions().chosen(choices_record(options, task)) == options
    assert task_of("refund", ["a.py"], choices_record(options, task)) == task
    assert isinstance(choices_words(record), str)


@pytest.mark.parametrize("text", ["", "not json", "[1]", "null", '{"style": 1}'])
def test_options_that_cannot_be_read_are_passed_over(text: str) -> None:
    from memtui.vault.packs import _load

    assert PackOptions().chosen(_load(text)) == PackOptions()
