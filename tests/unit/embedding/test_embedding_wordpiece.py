"""The bundled model sees the very tokens that it was trained on."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.embedding.bundled import DATA, LONGEST, VOCABULARY_FILE, WordPiece

FROZEN: list[tuple[str, list[int]]] = json.loads(Path(__file__).with_name("wordpiece.json").read_text(encoding="utf-8"))
"""Hostile texts and their ids, by the `tokenizers` package from the publisher's own file."""

WORDS = WordPiece(DATA / VOCABULARY_FILE)


def test_hostile_texts_have_the_tokens_of_the_reference() -> None:
    assert len(FROZEN) >= 60
    wrong = [(text, WORDS.encode(text), ids) for text, ids in FROZEN if WORDS.encode(text) != ids]
    assert wrong == []


@given(st.text())
@example("\ud800 half a character")
@example("[SEP]" * 300)
def test_any_text_gives_framed_ids_within_bounds(text: str) -> None:
    ids = WORDS.encode(text)
    assert 2 <= len(ids) <= LONGEST
    assert (ids[0], ids[-1]) == (101, 102)
    assert all(0 <= number < 30_522 for number in ids)


@pytest.mark.parametrize("unit", ["a", " ", "é", "日", "a ", "[SEP]", "\u0301", "\x00"])
def test_a_megabyte_costs_no_more_than_what_is_looked_at(unit: str) -> None:
    start = time.process_time()
    WORDS.encode(unit * 1_000_000)
    # Quadratic work would take minutes; this is no bar of speed.
    assert time.process_time() - start < 5


@pytest.mark.extras
@pytest.mark.skipif(importlib.util.find_spec("tokenizers") is None, reason="needs memtui[sentence-transformers]")
def test_any_text_has_the_tokens_of_the_installed_package() -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece as Model
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    pieces = (DATA / VOCABULARY_FILE).read_text(encoding="utf-8").split("\n")
    reference = Tokenizer(Model({piece: number for number, piece in enumerate(pieces) if piece}, unk_token="[UNK]"))
    reference.normalizer = BertNormalizer()
    reference.pre_tokenizer = BertPreTokenizer()

    # Both know every character up to Unicode 8; marks of later versions the package takes for letters.
    @given(st.text(st.characters(max_codepoint=0x5FF, blacklist_categories=["Cn"]), max_size=60))
    def agree(text: str) -> None:
        assert WORDS.encode(text)[1:-1] == reference.encode(text).ids[: LONGEST - 2]

    agree()
