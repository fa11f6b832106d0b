"""Content hashes and ids: what counts as the same memory."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.memory import ID_ALPHABET, Memory, content_hash, hash_parts, new_id, normalise

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEMORY = Memory(
    id="a", title="Seed first", insight="Seed the database\nbefore the tests.", created_at=NOW, updated_at=NOW
)


@pytest.mark.parametrize(
    "written",
    [
        "Seed the database\r\nbefore the tests.",
        "Seed the database\rbefore the tests.",
        "Seed the database  \t\nbefore the tests.  ",
        "\n\nSeed the database\nbefore the tests.\n\n",
    ],
)
def test_line_ends_and_trailing_blanks_make_no_other_memory(written: str) -> None:
    assert content_hash(replace(MEMORY, insight=written)) == content_hash(MEMORY)


def test_composed_and_decomposed_letters_are_the_same() -> None:
    composed = unicodedata.normalize("NFC", "Cafe\u0301 für alle")
    assert hash_parts("t", composed) == hash_parts("t", unicodedata.normalize("NFD", composed))


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Seed"},
        {"insight": "Seed the database\n  before the tests."},
        {"insight": "seed the database\nbefore the tests."},
        {"insight": "Seed the database\n\nbefore the tests."},
        {"rationale": "because"},
        {"snippet": "make seed"},
    ],
)
def test_another_text_is_another_content(other: dict[str, str]) -> None:
    assert content_hash(replace(MEMORY, **other)) != content_hash(MEMORY)  # type: ignore[arg-type]


def test_what_is_no_text_does_not_change_the_content() -> None:
    assert content_hash(replace(MEMORY, id="b", kind="note", tags=("x",), status="retired")) == content_hash(MEMORY)


def test_a_text_counts_in_its_own_field_alone() -> None:
    assert hash_parts("a", "b") != hash_parts("b", "a")
    assert hash_parts("a", "b", "c") != hash_parts("a", "b", "", "c")


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(), st.text())
def test_any_text_has_a_hash(title: str, insight: str) -> None:
    assert len(hash_parts(title, insight)) == 32
    assert len(hash_parts(title, "\ud800" + insight)) == 32


def test_ids_are_twelve_letters_that_nobody_confuses() -> None:
    made = {new_id() for _ in range(500)}
    assert len(made) == 500
    assert all(len(name) == 12 and set(name) <= set(ID_ALPHABET) for name in made)
    assert not set("0189") & set(ID_ALPHABET)
