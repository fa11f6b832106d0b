"""Fixtures of the pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from snapshots.pictures import Album, build_sample, keep_still
from syrupy.assertion import SnapshotAssertion


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample vault and its trees, built once; never written to."""
    return build_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_still(monkeypatch, tmp_path)


@pytest.fixture
def album(snapshot: SnapshotAssertion, tmp_path: Path) -> Album:
    """The pictures of the test."""
    return Album(snapshot, tmp_path)
