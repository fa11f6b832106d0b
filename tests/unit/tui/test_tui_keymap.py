"""Keys of one's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.actions import registry
from memtui.tui.actions.registry import Keymap
from memtui.tui.actions.table import ACTIONS, WIDGETS


def test_keys_are_taken_as_people_write_them() -> None:
    keymap = Keymap({"filter": ",", "help": "f1, ?", "retire": "D"})
    assert keymap.problems == []
    assert keymap.keys(registry.by_id("filter")) == ("comma",)
    assert keymap.keys(registry.by_id("help")) == ("f1", "question_mark")
    assert keymap.shown(registry.by_id("help")) == "f1 ?"
    assert keymap.for_textual() == {"filter": "comma", "help": "f1,question_mark", "retire": "D"}


def test_two_acts_may_change_their_keys_with_each_other() -> None:
    keymap = Keymap({"pin": "x", "retire": "p"})
    assert keymap.problems == []
    assert keymap.first(registry.by_id("pin")) == "x"
    assert keymap.first(registry.by_id("retire")) == "p"


def test_quitting_is_never_taken_away() -> None:
    keymap = Keymap({"quit": "Q", "pin": "ctrl+q"})
    assert keymap.problems == ["keys.pin: ctrl+q always quits"]
    assert keymap.first(registry.by_id("pin")) == "p"


def test_what_clashes_or_names_nothing_is_told_and_left_out() -> None:
    keymap = Keymap({"pin": "q", "retire": ",,", "rediscover": "z", "retre": "z"})
    assert keymap.first(registry.by_id("pin")) == "p"
    assert [problem.split(":")[0] for problem in keymap.problems] == [
        "keys.retire",
        "keys.rediscover",
        "keys.retre",
        "keys.pin",
    ]
    assert "Did you mean retire?" in keymap.problems[2]
    assert keymap.for_textual() == {}


@given(st.dictionaries(st.sampled_from([action.id for action in ACTIONS]), st.text(max_size=6), max_size=6))
def test_no_configuration_leaves_two_acts_on_one_key(chosen: dict[str, str]) -> None:
    keymap = Keymap(chosen)
    for owner in {action.owner for action in ACTIONS} - WIDGETS:
        acts = registry.of_owners(owner, "everywhere")
        keys = [key for action in acts for key in keymap.keys(action)]
        assert len(keys) == len(set(keys)), owner
