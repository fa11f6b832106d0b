"""A model that was begun in advance is the one that is used, and its engine leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fake_engine import FakeEngine

from memtui.embedding import engine
from memtui.errors import ConfigError, ModelMissingError


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    models: list[str] = []

    def open_one(model: str) -> FakeEngine | None:
        models.append(model)
        if model == "missing":
            raise ModelMissingError("not here", where="nowhere", remedy="none")
        return None if model == "none" else FakeEngine()

    monkeypatch.setattr(engine, "_opened", open_one)
    return models


def test_it_is_opened_once_and_used_once(opened: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    first = engine.open_engine("bundled")
    assert opened == ["bundled"]
    assert engine.open_engine("bundled") is not first
    assert opened == ["bundled", "bundled"]


def test_whoever_asks_waits_for_it(opened: list[str]) -> None:
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
    assert opened == ["bundled"]


def test_another_model_than_the_begun_one_is_opened(opened: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    assert engine.open_engine("none") is None
    assert sorted(opened) == ["bundled", "none"]


def test_what_nobody_asked_for_is_given_to_no_later_command(opened: list[str]) -> None:
    engine.begin_opening(lambda: "bundled")
    engine.drop_begun()
    assert engine.open_engine("none") is None
    assert opened[-1] == "none"


def test_what_failed_is_tried_and_told_again(opened: list[str]) -> None:
    def broken() -> str:
        raise ConfigError("unreadable", where="config.toml", remedy="mend it")

    engine.begin_opening(broken)
    assert engine.open_engine("bundled") is not None
    engine.begin_opening(lambda: "missing")
    with pytest.raises(ModelMissingError):
        engine.open_engine("missing")
    assert opened == ["bundled", "missing", "missing"]


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
