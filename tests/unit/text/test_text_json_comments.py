"""JSON with comments is read as what it says, however it is written and in short time."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text.json_comments import plain_json, tokens, without_comments


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"a": 1, // one\n "b": [2, 3, /* and */ ], }', {"a": 1, "b": [2, 3]}),
        ('{"a": "// kept /* too */, }" /* gone, } */}', {"a": "// kept /* too */, }"}),
        ('{"a": "a \\" // b", }', {"a": 'a " // b'}),
        ('{"a": 1, /**/ /* x **/ // y\n}', {"a": 1}),
        ('{"a": 1,\n  // "b": [],   /* off */\n  // "c": {},   /* off */\n}', {"a": 1}),
    ],
)
def test_comments_and_commas_too_many_are_forgiven(written: str, value: object) -> None:
    assert json.loads(plain_json(written)) == value


def test_a_hash_begins_a_comment_only_where_that_is_asked_for() -> None:
    assert without_comments('["#a"] # b', hashes=True) == '["#a"] '
    assert without_comments('["#a"] # b') == '["#a"] # b'


def test_lines_keep_their_numbers() -> None:
    assert without_comments("1 /* a\nb */ 2 // c\n3") == "1 \n 2 \n3"


def test_a_star_that_no_comment_ends_hides_nothing() -> None:
    assert without_comments('src/*.ts\n{"a": 1} // b') == 'src/*.ts\n{"a": 1} '


VALUES = st.recursive(
    st.integers() | st.text(alphabet='ab/*,#}]"\\\n', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='a/*"', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_what_has_no_comments_stays_as_it_is(value: object, indent: int | None, hashes: bool) -> None:
    written = json.dumps(value, indent=indent)
    assert plain_json(written, hashes=hashes) == written


SEEDS = ["/*", "/**/", '"', '\\"', '// "x": [], /* y */\n', ",", ", ", ",\n// [] /* */", "/*/", "{", "*", ",/* */"]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_text_takes_longer_than_its_length_allows(seed: str) -> None:
    text = '{"a": 1,' + seed * (400_000 // len(seed))
    begin = time.process_time()
    plain_json(text)
    list(tokens(text, hashes=True))
    assert time.process_time() - begin < 3
