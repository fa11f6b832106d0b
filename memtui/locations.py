"""Where memtui keeps its files, and the folders that ship with it. Asking creates nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memtui.errors import MemtuiError


def _folder(kind: str) -> Path:
    from platformdirs import PlatformDirs

    folders = PlatformDirs("memtui", appauthor=False)
    return Path(str(getattr(folders, f"user_{kind}_dir")))


def default_vault() -> Path:
    """Return the vault file: `MEMTUI_VAULT`, else `vault.duckdb` in the user's data folder."""
    chosen = os.environ.get("MEMTUI_VAULT")
    return Path(chosen) if chosen else _folder("data") / "vault.duckdb"


def config_file() -> Path:
    """Return the configuration file: `MEMTUI_CONFIG`, else `config.toml` in the user's config folder."""
    chosen = os.environ.get("MEMTUI_CONFIG")
    return Path(chosen) if chosen else _folder("config") / "config.toml"


def state_folder() -> Path:
    """Return the folder of what memtui remembers between runs: `MEMTUI_STATE`, else in the user's state folder."""
    chosen = os.environ.get("MEMTUI_STATE")
    return Path(chosen) if chosen else _folder("state")


def installs_folder() -> Path:
    """Return the folder of what was written into files of other programs: the record, and those files as they were."""
    return state_folder() / "installs"


def app_state() -> Path:
    """Return the file of what the app remembers between two starts, such as the last task."""
    return state_folder() / "app.json"


PAYLOAD_PREFIX, PAYLOAD_SUFFIX = "memtui-payload-", ".txt"


def payload_file() -> Path:
    """Return the file that a payload is written to where no clipboard can be reached."""
    return state_folder() / "payload.txt"


def payload_files() -> list[Path]:
    """Return the files that hold payloads, of the owner alone: also in the system's folder for temporary files."""
    named = f"{PAYLOAD_PREFIX}*{PAYLOAD_SUFFIX}"
    return [payload_file(), *_own_files(state_folder(), named), *_own_files(_temporary_folder(), named)]


def _temporary_folder() -> Path:
    import tempfile

    return Path(tempfile.gettempdir())


def _own_files(folder: Path, pattern: str) -> list[Path]:
    """Return the owner's regular files of a folder in which others may have put anything."""

    def is_own(path: Path) -> bool:
        try:
            state = path.lstat()
        except OSError:
            return False
        return stat.S_ISREG(state.st_mode) and (os.name != "posix" or state.st_uid == os.getuid())

    return [path for path in sorted(folder.glob(pattern)) if is_own(path)]


EDITOR_PREFIX, EDITOR_SUFFIX = "memtui-", ".md"


def editor_files(identifier: str = "") -> list[Path]:
    """Return the files that an editor has or had open, of one memory or of all; an edit that failed is kept in one."""
    from glob import escape

    stated = escape(file_stem(identifier)) + "-" if identifier else ""
    return _own_files(_temporary_folder(), f"{EDITOR_PREFIX}{stated}*{EDITOR_SUFFIX}")


def file_stem(identifier: str) -> str:
    """Return what the name of a memory's file for an editor states of its id: its beginning."""
    return identifier[:20].replace(os.sep, "_")


def cache_folder() -> Path:
    return _folder("cache")


def team_copy(team: str) -> Path:
    """Return the local copy of a team's branch: what a sync fetches again."""
    return cache_folder() / "teams" / f"{team}.git"


def team_copies() -> list[Path]:
    """Return the local copies of branches, also of teams that were left and of other vaults."""
    named = team_copy("*")
    return sorted(named.parent.glob(named.name))


def user_themes() -> Path:
    return config_file().parent / "themes"


_PACKAGE = Path(__file__).parent


def resource_folder(name: str) -> Path:
    """Return the folder `themes` or `sample_vault`: inside an installed package, else in the checkout.

    Raises `MemtuiError`: the installation lacks it.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise MemtuiError(
        "A folder that ships with memtui is missing from this installation",
        where=name,
        remedy="Reinstall it: pip install --force-reinstall memtui.",
    )
