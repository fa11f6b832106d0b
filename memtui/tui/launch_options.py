"""What the app is started with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memtui.config import ContextSettings, RecallSettings, TargetSettings
from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.resident import ResidentMeaning

Start = Literal["list", "due"]

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for the lease: the next one comes in two seconds anyway, and quitting waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Everything that the command line decides before the app starts.

    Attributes:
        folder: the working directory, which says what project is in view.
        project: the project that a person named, if any.
        threshold: freshness below which a memory is due.
        before_change: called before every change, outside the vault's lease; makes the daily backup.
        start: `list` for all, `due` for Review over it.
        kinds: only these kinds in Review and in the list of what is due.
        most: at most this many in Review and in the list of what is due.
        daily: at most this many a day in Review; 0 for all that are due.
        weekly: at most this many a week in Review; 0 for all that are due.
        keys: keys by action id, from the configuration.
        theme: the configuration's theme; empty for the one chosen last.
        state_path: where the app keeps what it remembers; None remembers nothing.
        secret_patterns: the user's own patterns of secrets, as (name, regular expression).
        targets: other limits of targets, from the configuration.
        meaning: compares tasks with memories by meaning once its model is loaded; None for words alone.
    """

    vault: Vault
    folder: Path
    project: str | None = None
    actor: Actor = field(default_factory=Actor)
    threshold: float = REVIEW_THRESHOLD
    recall: RecallSettings = field(default_factory=RecallSettings)
    before_change: Callable[[], object] = lambda: None
    start: Start = "list"
    kinds: tuple[str, ...] = ()
    most: int | None = None
    daily: int = 0
    weekly: int = 0
    keys: Mapping[str, str] = field(default_factory=dict)
    theme: str = ""
    state_path: Path | None = None
    context: ContextSettings = field(default_factory=ContextSettings)
    secret_patterns: tuple[tuple[str, str], ...] = ()
    targets: tuple[tuple[str, TargetSettings], ...] = ()
    meaning: ResidentMeaning | None = None

    def vault_to_read(self) -> Vault:
        """Return the vault for looks that follow one another: they wait less long for the lease than a change does."""
        patience = min(READ_PATIENCE_SECONDS, self.vault.patience_seconds)
        return Vault(self.vault.path, kinds=self.vault.kinds, now=self.vault.now, patience_seconds=patience)
