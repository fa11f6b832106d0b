"""Any Sentence Transformers model, from this machine alone; what is missing is told with model, place and command."""

from __future__ import annotations

import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memtui.embedding import sentence_transformers as module
from memtui.embedding.engine import model_state, open_engine
from memtui.errors import MemtuiError, ModelMissingError


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
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "own-model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.mark.usefixtures("extra")
def test_a_model_by_path_is_used_with_its_prompts_and_without_the_network(model: Path) -> None:
    engine = open_engine(f"sentence-transformers:{model}")
    assert isinstance(engine, module.SentenceTransformersEngine)
    assert engine.dimensions == 3
    assert engine.embed_passages(["a", "b"]).shape == (2, 3)
    assert engine.embed_queries(["c"]).dtype == np.float32
    assert engine.embed_queries([]).shape == (0, 3)
    assert engine._model.seen == [("a", "passage"), ("b", "passage"), ("c", "query")]
    assert "HF_HUB_OFFLINE" not in os.environ
    state = model_state(f"sentence-transformers:{model}")
    assert (state.state, state.name) == ("sentence-transformers", engine.name)


@pytest.mark.usefixtures("extra")
def test_a_model_that_changed_under_its_path_has_another_name(model: Path) -> None:
    before = model_state(f"sentence-transformers:{model}").name
    (model / "model.safetensors").write_bytes(b"retrained")
    after = model_state(f"sentence-transformers:{model}").name
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


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    state = model_state(f"sentence-transformers:{model}")
    assert state.state == "missing"
    assert "pip install 'memtui[sentence-transformers]'" in state.remedy
    with pytest.raises(ModelMissingError, match="not installed"):
        open_engine(f"sentence-transformers:{model}")
    with pytest.raises(ModelMissingError, match="not installed"):
        module.download("x/y")


@pytest.mark.usefixtures("extra")
def test_a_model_that_cannot_be_loaded_is_no_traceback(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no weights in here")

    monkeypatch.setattr(sys.modules["sentence_transformers"], "SentenceTransformer", broken)
    with pytest.raises(ModelMissingError, match="no weights in here"):
        open_engine(f"sentence-transformers:{model}")


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
