"""What the flows of the app start from: a home of their own, and vaults that are made once and copied.

`conftest.py` makes the fixtures known to the flows.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from flows.app_driver import empty_vault, ferry_vault, isolate

from memtui.vault.vault import Vault


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the person's own settings out; mark a module with it, or take a vault, which brings it along."""
    isolate(monkeypatch, tmp_path)


@pytest.fixture
def blank(isolated: None, tmp_path: Path) -> Vault:
    """A vault that does not exist yet."""
    del isolated
    return empty_vault(tmp_path)


@pytest.fixture(scope="session")
def ferry_master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the ferry's vault, made once; never written to."""
    folder = tmp_path_factory.mktemp("ferry")
    ferry_vault(folder)
    return folder


@pytest.fixture
def ferry(ferry_master: Path, blank: Vault) -> Vault:
    """The ferry's vault: five memories, one of which supersedes another."""
    for file in ferry_master.glob("vault.duckdb*"):  # the last change may still be in the log beside it
        shutil.copy(file, blank.path.with_name(file.name))
    return blank
