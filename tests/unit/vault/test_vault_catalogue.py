"""Texts in one block, lower case, words at hand: each against the plain way to say the same."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.vault.connection import open_connection
from memtui.vault.search.catalogue import Texts, lower
from memtui.vault.search.spelling import nearest_of

lines = st.lists(st.text(alphabet="abß😀é ", max_size=6), max_size=12)


def packed(texts: list[str]) -> Texts:
    return Texts.of("\n".join(texts), np.array([len(text.encode()) for text in texts], dtype=np.int64))


@given(lines, st.text(alphabet="abß😀é ", max_size=3))
def test_parts_of_texts_are_found_where_they_are(texts: list[str], part: str) -> None:
    for held in (packed(texts), Texts.of_lines("\n".join(texts), len(texts))):
        assert [held[number] for number in range(len(held))] == texts
        assert held.holding(part).tolist() == [number for number, text in enumerate(texts) if part in text]
        starting = [number for number, text in enumerate(texts) if text.startswith(part)]
        assert held.starting(part, most=3) == starting[:3]
        assert held.equal(part, most=99) == [number for number, text in enumerate(texts) if text == part]


def test_a_text_with_a_line_end_is_kept_whole_and_is_no_start_of_another() -> None:
    held = packed(["a\nbc", "b"])
    assert [held[0], held[1]] == ["a\nbc", "b"]
    assert held.starting("b", most=9) == [1]
    assert held.equal("bc", most=9) == []
    assert held.holding("a\nb").tolist() == []


words = st.text(alphabet="abcd", min_size=3, max_size=9)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_connection(None, read_only=False)
    yield connection
    connection.close()


@settings(max_examples=40)
@given(st.lists(words, min_size=1, max_size=12), words, words)
def test_the_nearest_word_is_the_one_that_the_engine_names(
    engine: duckdb.DuckDBPyConnection, known: list[str], wrong: str, stem: str
) -> None:
    times = {word: known.count(word) for word in known}
    by_letter: dict[str, dict[str, int]] = {}
    for word, number in times.items():
        by_letter.setdefault(word[0], {})[word] = number
    found = engine.execute(
        "SELECT first(name ORDER BY errors, times DESC, name) FROM (SELECT name, times,"
        " least(damerau_levenshtein(name, $wrong), damerau_levenshtein(name, $stem)) AS errors"
        " FROM (SELECT unnest($names) AS name, unnest($times) AS times)"
        " WHERE name[1] = $wrong[1] AND abs(length(name) - length($wrong)) <= 2) WHERE errors <= 2",
        {"wrong": wrong, "stem": stem, "names": list(times), "times": list(times.values())},
    ).fetchone()
    expected = {wrong: found[0]} if found and found[0] else {}
    assert nearest_of({wrong: stem}, {wrong: 2}, by_letter) == expected


def test_lower_case_is_the_engines(engine: duckdb.DuckDBPyConnection) -> None:
    """Every letter there is, one by one: only a vault's engine says what its lower case is."""
    letters = [
        chr(code) for code in range(1, 0x20000) if not 0xD800 <= code < 0xE000 and chr(code).lower() != chr(code)
    ]
    found = engine.execute("SELECT lower(unnest(from_json(?, '[\"VARCHAR\"]')))", [json.dumps(letters)]).fetchall()
    differing = {letter for letter, (theirs,) in zip(letters, found, strict=True) if lower(letter) != theirs}
    # Letters that one of the two Unicode tables does not know yet.
    assert all(unicodedata.name(letter, "") for letter in differing)
    assert len(differing) < 40
