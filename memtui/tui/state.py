"""What the app is started with, and what it remembers between two starts, drafts included.

Losing that loses no memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memtui.config import ContextSettings, InboxSettings, RecallSettings, TargetSettings, ValueSettings
from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.identity import Actor
from memtui.errors import MemtuiError
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.resident import ResidentMeaning


_LARGEST_BYTES = 256 * 1024
_MOST_VAULTS = 50


class State:
    """Small values by section: one file for all vaults, each with sections of its own.

    `path`: a JSON file; None remembers nothing beyond this object. `vault`: the vault in use; its values are kept apart
    from those of others.

    Attributes:
        in_run: what screens find again in this run alone, by a key of their own.
    """

    def __init__(self, path: Path | None, vault: Path) -> None:
        self._path = path
        self._vault = str(vault)
        self._values: dict[str, Any] = _read(path) if path is not None else {}
        self.in_run: dict[str, dict[str, Any]] = {}

    @property
    def theme(self) -> str:
        """The theme chosen last, empty where none was; the same for all vaults."""
        found = self._values.get("theme", "")
        return found if isinstance(found, str) else ""

    def choose_theme(self, name: str) -> None:
        self._values["theme"] = name

    def section(self, name: str) -> dict[str, Any]:
        """Return a copy of what a screen remembered for this vault, empty where that is nothing."""
        vaults = self._values.get("vaults")
        mine = vaults.get(self._vault) if isinstance(vaults, dict) else None
        found = mine.get(name) if isinstance(mine, dict) else None
        return dict(found) if isinstance(found, dict) else {}

    def remember(self, name: str, values: dict[str, Any]) -> None:
        """Keep what a screen wants to find again; values must be of JSON's types."""
        vaults = self._values.get("vaults")
        vaults = vaults if isinstance(vaults, dict) else {}
        mine = vaults.pop(self._vault, None)
        mine = mine if isinstance(mine, dict) else {}
        mine[name] = values
        # The vault used last stands last; the oldest make room.
        vaults[self._vault] = mine
        for oldest in list(vaults)[:-_MOST_VAULTS]:
            del vaults[oldest]
        self._values["vaults"] = vaults

    def save(self) -> None:
        """Write the file; a folder that cannot be written is no reason to trouble anybody."""
        if self._path is None:
            return
        from memtui.publish.files import write_atomically

        with suppress(MemtuiError, OSError, ValueError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(
                self._path, json.dumps(self._values, ensure_ascii=False).encode(), mode=0o600, durable=False
            )


def state_of(app: object, vault: Vault) -> State:
    """Return what an app remembers; nothing beyond this object where the app is not memtui's."""
    state = getattr(app, "state", None)
    return state if isinstance(state, State) else State(None, vault.path)


def _read(path: Path) -> dict[str, Any]:
    """Return what a file holds, nothing where it is missing, broken or absurdly large."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return {}
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


Start = Literal["list", "due"]

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for another process: the next one comes in two seconds anyway. For a thread of ours it waits
longer, see `memtui.vault.lease`."""


NO_FOLDER = Path(os.devnull)
"""Stands for the folder of a project that is not known on this machine, and of all projects: nothing lies in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Everything that the command line decides before the app starts, or a person by switching the project."""

    vault: Vault
    folder: Path  # the folder that says what project is in view: the working directory, or `NO_FOLDER`
    project: str | None = None  # the project that a person named, if any
    actor: Actor = field(default_factory=Actor)
    threshold: float = REVIEW_THRESHOLD  # freshness below which a memory is due
    recall: RecallSettings = field(default_factory=RecallSettings)
    # called before every change, outside the vault's lease; makes the daily backup
    before_change: Callable[[], object] = lambda: None
    tour: bool = False  # whether the guided tour is offered at once
    start: Start = "list"  # `list` for all, `due` for Review over it
    kinds: tuple[str, ...] = ()  # only these kinds in Review and in the list of what is due
    most: int | None = None  # at most this many in Review and in the list of what is due
    daily: int = 0  # at most this many a day in Review; 0 for all that are due
    weekly: int = 0  # at most this many a week in Review; 0 for all that are due
    keys: Mapping[str, str] = field(default_factory=dict)  # keys by action id, from the configuration
    burst: int = 0  # characters at once that are pasted rather than typed; 0 takes all as keys
    theme: str = ""  # the configuration's theme; empty for the one chosen last
    state_path: Path | None = None  # where the app keeps what it remembers; None remembers nothing
    context: ContextSettings = field(default_factory=ContextSettings)
    inbox: InboxSettings = field(default_factory=InboxSettings)
    # the user's own patterns of secrets, as (name, regular expression)
    secret_patterns: tuple[tuple[str, str], ...] = ()
    value: ValueSettings = field(default_factory=ValueSettings)  # assumptions of what memories were worth
    targets: tuple[tuple[str, TargetSettings], ...] = ()  # other limits of targets, from the configuration
    # compares tasks with memories by meaning once its model is loaded; None for words alone
    meaning: ResidentMeaning | None = None

    @property
    def place(self) -> str:
        """The folder and the named project: what was typed for another place is not brought back here."""
        return f"{self.folder}\n{self.project or ''}"

    @property
    def has_folder(self) -> bool:
        """Whether there is a folder whose files the screens may read and write."""
        return self.folder != NO_FOLDER

    @property
    def types_from(self) -> Path:
        """The folder that a path is relative to which a person types."""
        return self.folder if self.has_folder else Path.home()

    def vault_to_read(self) -> Vault:
        """Return the vault for looks that follow one another: they wait less long for the lease than a change does."""
        patience = min(READ_PATIENCE_SECONDS, self.vault.patience_seconds)
        return Vault(self.vault.path, kinds=self.vault.kinds, now=self.vault.now, patience_seconds=patience)
