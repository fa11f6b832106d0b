"""What every test shares: no test sees the user's own files, and time stands still in the vault."""

from __future__ import annotations

import functools
import gc
import os
import shutil
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from support import FrozenClock

from memtui.text.injection_second_look import use_second_look
from memtui.vault import vault as vault_module
from memtui.vault.lease import restrict
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import WorkStealingScheduling

# The same examples everywhere, so that a test that passes here passes there. `.ci/run` looks for new ones
# with `--hypothesis-profile=random --hypothesis-seed=N`; what it finds becomes a fixed test.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None)
settings.register_profile("random", deadline=None, database=None)
settings.load_profile("fixed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Let `-n auto` start one more than there are cores: the flows of the app wait about a third of their time."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling | None:
    """Let a worker with nothing left take from the others: `load` hands out parts of up to a sixth of what is left."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make modules and tests without the garbage collector, and leave them out of all that it looks at later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the unit tests that take less than about half a second as `fast`, and begin with the slow ones."""
    for item in items:
        is_slow = any(item.get_closest_marker(name) for name in ("slow", "long", "bench", "extras"))
        if "unit" in item.path.parts and not is_slow:
            item.add_marker(pytest.mark.fast)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)  # else one worker ends with them, alone


_numbers = count()

_FOLDERS = {
    "HOME": "home",
    "USERPROFILE": "home",
    "APPDATA": "home/appdata",
    "LOCALAPPDATA": "home/localappdata",
    "XDG_DATA_HOME": "home/data",
    "XDG_CONFIG_HOME": "home/config",
    "XDG_STATE_HOME": "home/state",
    "XDG_CACHE_HOME": "home/cache",
    "XDG_RUNTIME_DIR": "home/run",
}


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a home of its own, with vault and config inside it."""
    # Numbered by us: pytest looks at all its folders to find the next number.
    base = tmp_path_factory.getbasetemp() / "homes" / str(next(_numbers))
    (base / "home").mkdir(parents=True)
    for name, folder in _FOLDERS.items():
        monkeypatch.setenv(name, str(base / folder))
    monkeypatch.setenv("MEMTUI_VAULT", str(base / "home" / "default-vault" / "vault.duckdb"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(base / "home" / "config" / "memtui" / "config.toml"))
    for name in ("MEMTUI_NOW", "MEMTUI_ACTOR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    yield base / "home"
    use_second_look(None)  # a command that ran in this process left it
    shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def quick_vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Make the empty vault once and copy it from then on: making it costs 50 ms, a copy one."""
    template = tmp_path_factory.mktemp("template") / "vault.duckdb"
    make = vault_module.create_file
    make(template)

    @functools.wraps(make)
    def copy(path: Path) -> None:
        partial = path.with_name(path.name + ".new")
        partial.with_name(partial.name + ".wal").unlink(missing_ok=True)
        shutil.copyfile(template, partial)
        restrict(partial, 0o600)
        partial.replace(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vault_module, "create_file", copy)
        yield


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that stands still until the test moves it."""
    return FrozenClock()


@pytest.fixture
def vault(tmp_path: Path, clock: FrozenClock) -> Vault:
    """A vault that does not exist yet, with the frozen clock."""
    return Vault(tmp_path / "data" / "vault.duckdb", now=clock)
