"""What every command needs: vault, configuration, actor, and the project in view."""

from __future__ import annotations

import argparse
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui import clock, locations
from memtui.cli.output import say
from memtui.config import Config, load_config
from memtui.curate.projects import View, view_of
from memtui.domain.actor import Actor, parse_actor
from memtui.domain.kinds import Kind, Kinds
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.domain.project import normalise_remote
from memtui.errors import RefusedError, UsageError
from memtui.text.suggest import did_you_mean
from memtui.vault.projects import project_names
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.semantic import ModelMeaning


def working_folder() -> Path:
    """Return the working directory; one that was deleted meanwhile by the name that the shell has for it.

    Raises:
        UsageError: it was deleted, and nothing tells where it was.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        shell = Path(os.environ.get("PWD", ""))
        # A PWD that exists is another folder than the deleted one, and maybe another project.
        if shell.is_absolute() and not shell.exists():
            return shell
    raise UsageError("The folder you are in was deleted", where="the working directory", remedy="Go to another: cd ~")


MOST_IDS_TOLD = 8
"""Ids named of a change whose output was lost; `memtui log` has them all."""


class Session:
    """One run of the command line.

    Args:
        arguments: the parsed arguments, global options among them where given.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.folder = working_folder()

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
        extra = (Kind(name, kind.tier, kind.half_life_days) for name, kind in self.config.kinds)
        return Kinds(extra, floor=self.config.recall.floor, hurt_weight=self.config.recall.hurt_weight)

    @cached_property
    def actor(self) -> Actor:
        """Who acts."""
        return parse_actor(getattr(self._arguments, "actor", None))

    @property
    def vault_path(self) -> Path:
        """The vault that was chosen, absolute."""
        chosen = getattr(self._arguments, "vault", None)
        return self.folder / (Path(chosen).expanduser() if chosen else locations.default_vault())

    @cached_property
    def vault(self) -> Vault:
        """The vault."""
        return Vault(
            self.vault_path, kinds=self.kinds, now=clock.now, patience_seconds=self.config.vault.patience_seconds
        )

    @property
    def is_vault_missing(self) -> bool:
        """Whether a vault was named, with `--vault` or `MEMTUI_VAULT`, and is not there: maybe a slip of the pen."""
        named = getattr(self._arguments, "vault", None) or os.environ.get("MEMTUI_VAULT")
        return bool(named) and not self.vault.exists

    def tell_missing_vault(self) -> None:
        """Say on stderr that the vault that was named, and used, is not there."""
        if "vault" in self.__dict__ and self.is_vault_missing:
            say(f"There is no vault at {self.vault.path} yet; `memtui add` or `memtui import` makes one.")

    @cached_property
    def view(self) -> View:
        """The project in view; an unknown name is told with the nearest known one."""
        with self.vault.read() as reader:
            view = view_of(reader, self.folder, self.project)
            if view.named and not view.known and view.project != GLOBAL_PROJECT:
                hint = did_you_mean(str(view.project), project_names(reader))
                say(f"The vault knows no project {view.project} yet. {hint}".rstrip())
            if view.kin and view.workspace.remote:
                say(
                    f"This repository is new to the vault but began as project {view.kin}: a fork, or moved."
                    f" `memtui project alias {view.kin} {normalise_remote(view.workspace.remote)}` joins them."
                )
            return view

    @cached_property
    def meaning(self) -> ModelMeaning | None:
        """How tasks are compared by meaning, None where the configuration says `none`; loads nothing yet."""
        from memtui.recall import semantic

        model = self.config.embedding.model
        return semantic.ModelMeaning(self.vault, model) if semantic.has_model(model) else None

    def tell_missing_model(self) -> None:
        """Say on stderr why a model that the configuration names played no part."""
        meaning = self.__dict__.get("meaning")
        if meaning is not None and meaning.problem:
            say(f"Words alone: {meaning.problem}")

    def tell_change(self) -> None:
        """Say on stderr what was changed, where the output that would have told could not be written."""
        made = self.vault.last_change if "vault" in self.__dict__ else None
        if made is not None:
            ids = f" ({', '.join(made.ids[:MOST_IDS_TOLD])}{', …' if len(made.ids) > MOST_IDS_TOLD else ''})"
            say(f"changed nevertheless: {made.summary}{ids if made.ids else ''}; `memtui undo` takes it back")

    def back_up_daily(self) -> None:
        """Copy the vault before the first change of a day, where the configuration says so."""
        if self.config.vault.daily_backup:
            from memtui.vault.maintenance import back_up_daily

            back_up_daily(self.vault)

    def fold_log(self) -> None:
        """Leave a vault that was written whole in its file, where nobody else is at work on it."""
        if "vault" in self.__dict__ and self.vault.wrote:
            from memtui.vault.maintenance import fold_if_free

            fold_if_free(self.vault)

    def only_a_person(self, act: str) -> None:
        """Let a person go on.

        Raises:
            RefusedError: an agent asks.
        """
        if not self.actor.is_person:
            raise RefusedError(f"Only a person can {act}", where=f"actor {self.actor.name}")
