"""What every command needs: vault, configuration, actor, and the project in view."""

from __future__ import annotations

import argparse
from functools import cached_property
from pathlib import Path

from memtui import clock, locations
from memtui.config import Config, load_config
from memtui.curate.projects import View, view_of
from memtui.domain.actor import Actor, parse_actor
from memtui.domain.kinds import Kind, Kinds
from memtui.vault.vault import Vault


class Session:
    """One run of the command line.

    Args:
        arguments: the parsed arguments, global options among them where given.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.folder = Path.cwd()

    @property
    def json(self) -> bool:
        """Whether data is printed as JSON."""
        return bool(getattr(self._arguments, "json", False))

    @property
    def project(self) -> str | None:
        """The project that was named, if any."""
        return getattr(self._arguments, "project", None)

    @cached_property
    def config(self) -> Config:
        """The configuration."""
        return load_config(locations.config_file())

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds in force."""
        return Kinds(Kind(name, kind.tier, kind.half_life_days) for name, kind in self.config.kinds)

    @cached_property
    def actor(self) -> Actor:
        """Who acts."""
        return parse_actor(getattr(self._arguments, "actor", None))

    @property
    def vault_path(self) -> Path:
        """The vault that was chosen."""
        chosen = getattr(self._arguments, "vault", None)
        return Path(chosen) if chosen else locations.default_vault()

    @cached_property
    def vault(self) -> Vault:
        """The vault."""
        return Vault(
            self.vault_path, kinds=self.kinds, now=clock.now, patience_seconds=self.config.vault.patience_seconds
        )

    @cached_property
    def view(self) -> View:
        """The project in view."""
        with self.vault.read() as reader:
            return view_of(reader, self.folder, self.project)

    def back_up_daily(self) -> None:
        """Copy the vault before the first change of a day, where the configuration says so."""
        if self.config.vault.daily_backup:
            from memtui.vault.maintenance import back_up_daily

            back_up_daily(self.vault)
