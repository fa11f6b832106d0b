"""The bundled model reads the tokens that it was trained on, agrees with its publisher's, and is as shipped."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.embedding import bundled
from memtui.embedding.bundled import DATA, LONGEST, VOCABULARY_FILE, BundledEngine, WordPiece, batches
from memtui.embedding.engine import can_read, damage_of, model_state, open_engine
from memtui.errors import ConfigError, ModelMissingError

TEXTS: list[str] = json.loads(Path(__file__).with_name("parity.json").read_text(encoding="utf-8"))
REFERENCE = np.load(Path(__file__).with_name("parity.npy")).astype(np.float32)
"""What Sentence Transformers gives for them in fp32, one text at a time."""


@pytest.fixture(scope="module")
def engine() -> BundledEngine:
    return BundledEngine()


def test_it_agrees_with_sentence_transformers(engine: BundledEngine) -> None:
    vectors = engine.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), engine.dimensions) == (40, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors * REFERENCE).sum(axis=1).min() >= 0.99


def test_a_text_means_the_same_alone_and_in_company(engine: BundledEngine) -> None:
    together = engine.embed_passages(TEXTS)
    for number in (0, 3, 13, 36):
        (alone,) = engine.embed_queries([TEXTS[number]])
        assert alone @ together[number] > 0.998


def test_likeness_is_likeness_of_meaning(engine: BundledEngine) -> None:
    refunds, retries, bread, asked = engine.embed_queries(
        [TEXTS[1], TEXTS[2], "sourdough bread with rye", "why was the customer billed two times?"]
    )
    assert asked @ retries > asked @ bread + 0.2
    assert refunds @ retries > refunds @ bread + 0.2


def test_no_texts_give_no_vectors(engine: BundledEngine) -> None:
    assert engine.embed_passages([]).shape == (0, 384)


def test_batches_hold_every_text_once_and_stay_within_bounds() -> None:
    lengths = [256, 3, 7, 256, 90, *[5] * 100, *[200] * 30]
    made = list(batches(lengths))
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) <= bundled.MOST_TEXTS
        assert len(batch) * max(lengths[place] for place in batch) <= bundled.MOST_TOKENS


def test_it_works_with_the_network_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    opened = open_engine("bundled")
    assert opened is not None
    assert opened.embed_queries(["a task"]).shape == (1, 384)


def test_a_damaged_or_missing_file_is_told_and_never_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(bundled, "DATA", folder)
    assert model_state("bundled").state == "missing"
    with pytest.raises(ModelMissingError) as missing:
        BundledEngine(folder)
    assert str(folder) in missing.value.where
    shutil.copy(Path(bundled.__file__).parent / "data" / "vocab.txt", folder)
    (folder / "model.onnx").write_bytes(b"something else")
    assert damage_of(model_state("bundled")) == "The bundled model is not the file that was shipped"
    with pytest.raises(ModelMissingError) as damaged:
        BundledEngine(folder)
    assert "Reinstall memtui" in damaged.value.remedy
    assert "none" in damaged.value.remedy


def test_what_is_set_is_what_is_opened() -> None:
    assert open_engine("none") is None
    assert model_state("none").state == "off"
    state = model_state("bundled")
    assert (state.state, state.name, damage_of(state)) == ("bundled", "all-MiniLM-L6-v2-int8", "")
    for wrong in ("", "bundeld", "sentence-transformers:", "sentence-transformers: "):
        with pytest.raises(ConfigError, match="no such embedding model"):
            model_state(wrong)


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("refund lock", True),
        ("Übergröße für Café-Stühle", True),
        ("payment_id の二重課金", True),
        ("二重課金はロックのキーが違うと起きる", False),
        ("退款按钮提交后必须立即禁用", False),
        ("блокировка возврата", False),
        ("503 -> 504", True),
        ("—", True),
        ("", True),
    ],
)
def test_it_says_which_scripts_it_can_read(engine: BundledEngine, text: str, readable: bool) -> None:
    assert can_read(engine, text) is readable


# -- tokens -----------------------------------------------------------------------------------------

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
