"""The path of a file that moved is replaced in a text where it stands whole."""

from __future__ import annotations

import pytest
from flows.app_driver import memory

from memtui.curate.moved_paths import that_name_old_paths, with_new_paths
from memtui.domain.memory import Source

MOVES = {"ferry/src/quay.py": "ferry/src/quay/lamp.py"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mirror it in `ferry/src/quay.py`.", "Mirror it in `ferry/src/quay/lamp.py`."),
        ("See ferry/src/quay.py.", "See ferry/src/quay/lamp.py."),
        ("See src/quay.py:12.", "See src/quay/lamp.py:12."),
        ("old/ferry/src/quay.py is another", "old/ferry/src/quay.py is another"),
        ("ferry/src/quay.pyi is another", "ferry/src/quay.pyi is another"),
        ("quay.py may be any", "quay.py may be any"),
    ],
)
def test_a_whole_path_is_replaced_and_no_other(text: str, expected: str) -> None:
    one = memory(1, "Quay", insight=text, rationale=text, sources=(Source(format="claude-md", path="ferry/CLAUDE.md"),))
    changed = with_new_paths(one, MOVES)
    assert (changed.title, changed.insight, changed.rationale) == ("Quay", expected, expected)
    assert that_name_old_paths([one], {one.id: MOVES}) == ([one] if text != expected else [])


@pytest.mark.parametrize(
    ("old", "text", "expected"),
    [
        ("run", "run the lamps with `run`", "run the lamps with `run`"),
        ("docs", "keep docs short", "keep docs short"),
        ("lamp.py", "lamp.py of any quay", "lamp.py of any quay"),
        ("lamp.py", "light it in `lamp.py`", "light it in `quay/lamp.py`"),
    ],
)
def test_a_name_at_the_root_is_a_path_in_backticks_with_an_extension_alone(old: str, text: str, expected: str) -> None:
    assert with_new_paths(memory(1, "Quay", insight=text), {old: f"quay/{old}"}).insight == expected


def test_one_path_that_takes_the_place_of_another_is_not_followed_twice() -> None:
    one = memory(1, "Quay", insight="From a/x.py to a/y.py")
    assert with_new_paths(one, {"a/x.py": "a/y.py", "a/y.py": "a/z.py"}).insight == "From a/y.py to a/z.py"


def test_a_long_text_is_read_in_short_time() -> None:
    one = memory(1, "Quay", insight="ferry/src/quay.py" * 60_000)
    assert with_new_paths(one, MOVES).insight == one.insight
