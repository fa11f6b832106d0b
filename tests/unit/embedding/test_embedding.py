"""A model that was begun in advance is the one that is used, and its engine leaves nothing behind."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_engine import FakeEngine
from hypothesis import example, given
from hypothesis import strategies as st
from support import Contested

from memtui.embedding import bundled, engine
from memtui.embedding import sentence_transformers as module
from memtui.embedding.bundled import DATA, LONGEST, VOCABULARY_FILE, BundledEngine, WordPiece, batches
from memtui.embedding.engine import can_read, damage_of, model_state, open_engine
from memtui.errors import ConfigError, MemtuiError, ModelMissingError


@pytest.fixture
def opened_engine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    models: list[str] = []

    def open_one(model: str) -> FakeEngine | None:
        models.append(model)
        if model == "missing":
            raise ModelMissingError("not here", where="nowhere", remedy="none")
        return None if model == "none" else FakeEngine()

    monkeypatch.setattr(engine, "_opened", open_one)
    return models


def test_it_is_opened_once_and_used_once(opened_engine: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    first = engine.open_engine("bundled")
    assert opened_engine == ["bundled"]
    assert engine.open_engine("bundled") is not first
    assert opened_engine == ["bundled", "bundled"]


def test_whoever_asks_waits_for_it(opened_engine: list[str]) -> None:
    may_go_on = threading.Event()

    def find_model() -> str:
        may_go_on.wait(30)
        return "bundled"

    engine.begin_opening(find_model)
    answers: list[object] = []
    asking = threading.Thread(target=lambda: answers.append(engine.open_engine("bundled")))
    asking.start()
    assert not answers
    may_go_on.set()
    asking.join(30)
    assert len(answers) == 1
    assert opened_engine == ["bundled"]


@pytest.mark.usefixtures("opened_engine")
def test_two_threads_that_ask_at_once_have_a_model_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_begun", Contested())
    engine.begin_opening(lambda: "bundled")
    answers: list[object] = []
    asking = [threading.Thread(target=lambda: answers.append(engine.open_engine("bundled"))) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(30)
    assert len(answers) == 2


def test_another_model_than_the_begun_one_is_opened(opened_engine: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    assert engine.open_engine("none") is None
    assert sorted(opened_engine) == ["bundled", "none"]


def test_what_nobody_asked_for_is_given_to_no_later_command(opened_engine: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    engine.drop_begun()
    assert engine.open_engine("none") is None
    assert opened_engine[-1] == "none"


def test_what_failed_is_tried_and_told_again(opened_engine: list[str]) -> None:
    def broken() -> str:
        raise ConfigError("unreadable", where="config.toml", remedy="mend it")

    engine.begin_opening(broken)
    assert engine.open_engine("bundled") is not None
    engine.begin_opening(lambda: "missing")
    with pytest.raises(ModelMissingError):
        engine.open_engine("missing")
    assert opened_engine == ["bundled", "missing", "missing"]


SCRIPT = """
from memtui.embedding.engine import open_engine
engine = open_engine("bundled")
assert engine is not None
print(engine.embed_queries(["lock refunds by payment"]).shape)
"""


def test_no_session_file_and_no_cache_is_written(tmp_path: Path) -> None:
    """A telemetry client keeps its session in the folder for temporary files and its queue in the user's cache."""
    folders = {"TMPDIR": "tmp", "HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}
    for folder in folders.values():
        (tmp_path / folder).mkdir()
    environment = {**os.environ, **{name: str(tmp_path / folder) for name, folder in folders.items()}}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(1, 384)"
    assert [path for folder in folders.values() for path in (tmp_path / folder).rglob("*")] == []


TEXTS: list[str] = json.loads(Path(__file__).with_name("parity.json").read_text(encoding="utf-8"))
REFERENCE = np.load(Path(__file__).with_name("parity.npy")).astype(np.float32)
"""What Sentence Transformers gives for them in fp32, one text at a time."""


@pytest.fixture(scope="module")
def engine_bundled() -> BundledEngine:
    return BundledEngine()


def test_it_agrees_with_sentence_transformers(engine_bundled: BundledEngine) -> None:
    vectors = engine_bundled.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), engine_bundled.dimensions) == (40, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors * REFERENCE).sum(axis=1).min() >= 0.99


def test_a_text_means_the_same_alone_and_in_company(engine_bundled: BundledEngine) -> None:
    together = engine_bundled.embed_passages(TEXTS)
    for number in (0, 3, 13, 36):
        (alone,) = engine_bundled.embed_queries([TEXTS[number]])
        assert alone @ together[number] > 0.998


def test_likeness_is_likeness_of_meaning(engine_bundled: BundledEngine) -> None:
    refunds, retries, bread, asked = engine_bundled.embed_queries(
        [TEXTS[1], TEXTS[2], "sourdough bread with rye", "why was the customer billed two times?"]
    )
    assert asked @ retries > asked @ bread + 0.2
    assert refunds @ retries > refunds @ bread + 0.2


def test_no_texts_give_no_vectors(engine_bundled: BundledEngine) -> None:
    assert engine_bundled.embed_passages([]).shape == (0, 384)


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
        with pytest.raises(ConfigError, match="Unknown embedding model"):
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
def test_it_says_which_scripts_it_can_read(engine_bundled: BundledEngine, text: str, readable: bool) -> None:
    assert can_read(engine_bundled, text) is readable


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


class FakeModel:
    """Stands in for a loaded model: knows prompts, and what the environment said while it worked."""

    prompts: dict[str, str] = {"query": "query: ", "passage": "passage: "}  # noqa: RUF012 - as the real one has it

    def __init__(self, path: str, *, local_files_only: bool) -> None:
        assert local_files_only
        assert os.environ["HF_HUB_OFFLINE"] == "1"
        self.path = path
        self.seen: list[tuple[str, str | None]] = []

    def get_sentence_embedding_dimension(self) -> int:
        return 3

    def encode(self, texts: Sequence[str], *, prompt_name: str | None = None, **options: Any) -> Any:
        assert os.environ["HF_HUB_OFFLINE"] == "1"
        assert options["normalize_embeddings"]
        self.seen += [(text, prompt_name) for text in texts]
        return np.tile(np.array([1.0, 0.0, 0.0]), (len(texts), 1))


@pytest.fixture
def extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra, as far as these tests need it."""
    fake = types.ModuleType("sentence_transformers")
    fake.SentenceTransformer = FakeModel  # type: ignore[attr-defined] # a stand-in
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    monkeypatch.setattr(module, "find_spec", lambda _name: object())
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


@pytest.fixture
def model_transformers(tmp_path: Path) -> Path:
    folder = tmp_path / "own-model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.mark.usefixtures("extra")
def test_a_model_by_path_is_used_with_its_prompts_and_without_the_network(model_transformers: Path) -> None:
    engine = open_engine(f"sentence-transformers:{model_transformers}")
    assert isinstance(engine, module.SentenceTransformersEngine)
    assert engine.dimensions == 3
    assert engine.embed_passages(["a", "b"]).shape == (2, 3)
    assert engine.embed_queries(["c"]).dtype == np.float32
    assert engine.embed_queries([]).shape == (0, 3)
    assert engine._model.seen == [("a", "passage"), ("b", "passage"), ("c", "query")]
    assert "HF_HUB_OFFLINE" not in os.environ
    state = model_state(f"sentence-transformers:{model_transformers}")
    assert (state.state, state.name) == ("sentence-transformers", engine.name)


@pytest.mark.usefixtures("extra")
def test_a_model_that_changed_under_its_path_has_another_name(model_transformers: Path) -> None:
    before = model_state(f"sentence-transformers:{model_transformers}").name
    (model_transformers / "model.safetensors").write_bytes(b"retrained")
    after = model_state(f"sentence-transformers:{model_transformers}").name
    assert before != after
    assert before.startswith("sentence-transformers:own-model@")


@pytest.mark.usefixtures("extra")
def test_a_missing_model_is_told_with_place_and_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(ModelMissingError) as missing:
        open_engine("sentence-transformers:intfloat/e5-small-v2")
    text = str(missing.value)
    assert "intfloat/e5-small-v2" in text
    assert str(tmp_path / "hub" / "models--intfloat--e5-small-v2") in text
    assert "`memtui model get intfloat/e5-small-v2`" in text
    with pytest.raises(ModelMissingError) as nowhere:
        open_engine("sentence-transformers:./nowhere")
    assert "Check the path" in nowhere.value.remedy


@pytest.mark.usefixtures("extra")
def test_a_model_of_the_hub_is_found_in_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--sentence-transformers--all-mpnet-base-v2" / "snapshots" / "0123456789abcdef"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}", encoding="utf-8")
    state = model_state("sentence-transformers:all-mpnet-base-v2")
    assert state.usable
    assert state.where == str(snapshot)
    assert state.name == "sentence-transformers:all-mpnet-base-v2@0123456789ab"


def test_without_the_extra_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, model_transformers: Path
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    state = model_state(f"sentence-transformers:{model_transformers}")
    assert state.state == "missing"
    assert "pip install 'memtui[sentence-transformers]'" in state.remedy
    with pytest.raises(ModelMissingError, match="not installed"):
        open_engine(f"sentence-transformers:{model_transformers}")
    with pytest.raises(ModelMissingError, match="not installed"):
        module.download("x/y")


@pytest.mark.usefixtures("extra")
def test_a_model_that_cannot_be_loaded_is_no_traceback(
    model_transformers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no weights in here")

    monkeypatch.setattr(sys.modules["sentence_transformers"], "SentenceTransformer", broken)
    with pytest.raises(ModelMissingError, match="no weights in here"):
        open_engine(f"sentence-transformers:{model_transformers}")


@pytest.mark.usefixtures("extra")
def test_a_download_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = types.ModuleType("huggingface_hub")

    def refuse(*_: object, **__: object) -> str:
        raise ConnectionError("no route")

    hub.snapshot_download = refuse  # type: ignore[attr-defined] # a stand-in
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    with pytest.raises(MemtuiError, match="cannot be downloaded") as failed:
        module.download("x/y")
    assert failed.value.where == "x/y"


@pytest.mark.extras
@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra")
@pytest.mark.skipif(not os.environ.get("MEMTUI_TEST_MODEL"), reason="MEMTUI_TEST_MODEL names no model's folder")
def test_a_real_model_by_path() -> None:
    engine = open_engine(f"sentence-transformers:{os.environ['MEMTUI_TEST_MODEL']}")
    assert engine is not None
    vectors = engine.embed_passages(["refunds lock the payment row", "bread with rye"])
    assert vectors.shape == (2, engine.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
