"""What every command needs: vault, configuration, actor, and the project in view."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui import clock, locations
from memtui.cli.output import say, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.config import Config, holiday_of, load_config
from memtui.curate.bulk_changes import Outcome
from memtui.curate.projects import View, view_of
from memtui.domain.identity import Actor, normalise_remote, parse_actor
from memtui.domain.kinds import Kind, Kinds
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.embedding.engine import model_state
from memtui.errors import MemtuiError, NotFoundError, RefusedError, UsageError
from memtui.text.words import did_you_mean, some_of
from memtui.vault.filters import MemoryFilter
from memtui.vault.projects import project_names
from memtui.vault.vault import Vault
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.health import HealthOptions
    from memtui.recall.semantic import ModelMeaning

UNDO_HINT = "`memtui undo` reverts it."

IDS_SHOWN = 8  # Ids named of a change whose output was lost; `memtui log` has them all


def working_folder() -> Path:
    """Return the working directory; if it was deleted, by the name the shell has for it.

    Raises `UsageError`: it was deleted, and nothing says where it was.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        shell = Path(os.environ.get("PWD", ""))
        # A PWD that exists is another folder than the deleted one, and maybe another project.
        if shell.is_absolute() and not shell.exists():
            return shell
    raise UsageError("The current folder was deleted", where="the working directory", remedy="Change to another: cd ~")


class Session:
    """One run of the command line.

    Attributes:
        json: whether data is printed as JSON.
        project: the project that was named, if any.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        # The global options alone: a command's own arguments are its business.
        self.json = bool(getattr(arguments, "json", False))
        self.project: str | None = getattr(arguments, "project", None)
        self._actor: str | None = getattr(arguments, "actor", None)
        self._vault: str | None = getattr(arguments, "vault", None)
        self.folder = working_folder()

    def put(self, record: Any, lines: Iterable[str] = ()) -> None:
        """Print a result: the record with `--json`, else the lines."""
        if self.json:
            write_json(record)
            return
        for line in lines:
            write_line(line)

    def put_rows(self, records: Iterable[Any], rows: Iterable[Sequence[str]]) -> None:
        """Print several results: a JSON list with `--json`, else a table; only one of both is evaluated."""
        if self.json:
            write_json(list(records))
        else:
            write_table(rows)

    def put_outcome(self, outcome: Outcome, verb: str) -> None:
        """Print the ids that were changed; without `--json` also say how many were and why others were skipped."""
        ids = [memory.id for memory in outcome.changed]
        skipped = {each.id: outcomes.skip_reason(each) for each in outcome.skipped}
        unchanged = [{"id": identifier, "reason": reason} for identifier, reason in skipped.items()]
        self.put({"changed": ids, "unchanged": unchanged}, ids)
        if self.json:
            return
        if ids:
            say(f"{outcomes.done(verb, outcome.changed)}. {UNDO_HINT}")
        for identifier, reason in skipped.items():
            say(f"{identifier} skipped: {reason}")

    def path(self, text: str) -> Path:
        """Return a path that was given on the command line, absolute."""
        return self.folder / Path(text).expanduser()

    @cached_property
    def config(self) -> Config:
        """The configuration."""
        return load_config(locations.config_file())

    @property
    def secret_patterns(self) -> Sequence[tuple[str, str]]:
        """The configured patterns of secrets."""
        return self.config.secrets.patterns

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds in force."""
        extra = (Kind(name, kind.tier, kind.half_life_days) for name, kind in self.config.kinds)
        recall, holiday = self.config.recall, holiday_of(self.config.review.holiday)
        return Kinds(extra, floor=recall.floor, hurt_weight=recall.hurt_weight, holiday=holiday)

    @cached_property
    def actor(self) -> Actor:
        """Who acts."""
        return parse_actor(self._actor)

    def only_a_person(self, act: str) -> None:
        """Let a person go on. Raises `RefusedError`: an agent asks."""
        if not self.actor.is_person:
            raise RefusedError(f"Only a person can {act}", where=f"actor {self.actor.name}")

    @property
    def vault_path(self) -> Path:
        """The vault that was chosen, as it was named."""
        return self.folder / (Path(self._vault).expanduser() if self._vault else locations.default_vault())

    def nothing_where_off(self) -> None:
        """Let a person go on everywhere. Raises `RefusedError`: an agent asks where memories are off."""
        if self.actor.is_person:
            return
        from memtui.curate.off_switch import memory_off

        with self.vault.read() as reader:
            off = memory_off(self.folder, reader, named=self.project)
        if off is not None:
            raise RefusedError("Memories are off here", where=off.value, remedy="Only a person can switch them on.")

    @cached_property
    def vault(self) -> Vault:
        """The vault that was chosen."""
        path = self.vault_path
        return Vault(path, kinds=self.kinds, now=clock.now, patience_seconds=self.config.vault.patience_seconds)

    def wait_at_most(self, seconds: float) -> None:
        """Give up sooner on a vault that is in use, where somebody else waits for this run."""
        self.vault.patience_seconds = min(self.vault.patience_seconds, seconds)

    @property
    def used_vault(self) -> Vault | None:
        """The vault, None if this run has not touched it."""
        return self.vault if "vault" in self.__dict__ else None

    @property
    def is_vault_missing(self) -> bool:
        """Whether a vault was named, with `--vault` or `MEMTUI_VAULT`, and does not exist: maybe a typing error."""
        named = self._vault or os.environ.get("MEMTUI_VAULT")
        return bool(named) and not self.vault.exists

    def resolve(self, prefixes: Iterable[str]) -> list[str]:
        """Return whole ids, each once, in their order.

        Raises `NotFoundError` or `AmbiguousIdError`: a prefix fits no memory or several.
        """
        with self.vault.read() as reader:
            return list(dict.fromkeys(reader.resolve(prefix) for prefix in prefixes))

    def selected(self, arguments: argparse.Namespace) -> dict[str, int]:
        """Return the ids and versions that `--where` selects in the project in view; empty where ids are given.

        Raises:
            UsageError: both are given, or neither, or the query is empty.
            NotFoundError: the query selects nothing.
        """
        query = arguments.where
        if bool(arguments.id) == (query is not None):
            raise UsageError("Give ids, or a query with --where", remedy=f"See `memtui {arguments.command} --help`.")
        if query is None:
            return {}
        from memtui.curate.query import chosen_by, parse_choice

        base = MemoryFilter(scope=self.view.listing_scope, threshold=self.config.review.threshold)
        found = chosen_by(self.vault, parse_choice(query, self.kinds, self.vault.now()), base)
        if not found:
            raise NotFoundError("No memory matches", where=query, remedy="`memtui list --where` shows what matches.")
        return found

    @cached_property
    def view(self) -> View:
        """The project in view; an unknown name is reported with the nearest known one."""
        with self.vault.read() as reader:
            view = view_of(reader, self.folder, self.project)
            if view.named and not view.known and view.project != GLOBAL_PROJECT:
                hint = did_you_mean(str(view.project), project_names(reader))
                say(f"Project {view.project} is not in the vault yet. {hint}".rstrip())
            if view.kin and view.workspace.remote:
                say(
                    f"This repository is new to the vault but shares its history with project {view.kin}: a fork, or"
                    f" moved. `memtui project alias {view.kin} {normalise_remote(view.workspace.remote)}` joins them."
                )
            return view

    def say_new_project(self, name: str | None) -> None:
        """Say to somebody at a terminal that a memory makes a new project, and which one may be meant."""
        if name is None or name == GLOBAL_PROJECT or not sys.stderr.isatty() or not self.vault.exists:
            return
        with self.vault.read() as reader:
            known = project_names(reader)
        if known and name not in known:
            say(f"note: {name} is a new project. {did_you_mean(name, known)}".rstrip())

    @cached_property
    def meaning(self) -> ModelMeaning | None:
        """How tasks are compared by meaning, None where the configuration says `none`; loads nothing yet."""
        model = self.config.embedding.model
        # Imported here: most commands and the app's first picture compare nothing by meaning.
        from memtui.recall.semantic import ModelMeaning, has_model

        return ModelMeaning(self.vault, model) if has_model(model) else None

    @property
    def stored_model(self) -> str | None:
        """The name of the model whose stored vectors can be compared; no model is loaded for it."""
        state = model_state(self.config.embedding.model)
        return state.name if state.usable else None

    @property
    def health_options(self) -> HealthOptions:
        """What the health report depends on."""
        # Imported here: few commands look at the health, and it imports all that is analysed.
        from memtui.curate.health import HealthOptions

        return HealthOptions(
            view=self.view,
            threshold=self.config.review.threshold,
            context=self.config.context,
            recall=self.config.recall,
            secret_patterns=self.secret_patterns,
            targets=self.config.targets,
            value=self.config.value,
            model=self.stored_model,
        )

    def back_up_daily(self) -> None:
        """Copy the vault before the first change of a day, if the configuration says so."""
        if self.config.vault.daily_backup:
            from memtui.vault.repair import back_up_daily

            back_up_daily(self.vault)

    def fold_spool(self) -> None:
        """Take into the vault what assistants were served since the last command."""
        from memtui.assist.spool import Spool, fold_quietly

        with suppress(MemtuiError, OSError, ValueError, RuntimeError):  # the command reports what is wrong
            if not Spool(self.vault_path).is_empty:
                fold_quietly(Vault(self.vault_path, kinds=self.kinds, now=clock.now))

    def fold_log(self) -> None:
        """Leave a vault that was written whole in its file, unless another process is using it."""
        if self.used_vault and self.used_vault.wrote:
            self.used_vault.fold_log_if_free()

    def say_vault_missing(self) -> None:
        """Say on stderr that the vault that was named, and used, does not exist."""
        if self.used_vault and self.is_vault_missing:
            say(f"No vault at {self.vault.path} yet; `memtui add` or `memtui import` creates it.")

    def say_model_problem(self) -> None:
        """Say on stderr why the configured model was not used."""
        meaning = self.__dict__.get("meaning")
        if meaning is not None and meaning.problem:
            say(f"Semantic search is off: {meaning.problem}")

    def say_change(self) -> None:
        """Say on stderr what was changed, where the output that would have said so could not be written."""
        from memtui.vault.journal import change_at, touched_by

        vault = self.used_vault
        if vault is None or not vault.made:
            return
        with suppress(MemtuiError), vault.read() as reader:
            made = change_at(reader, max(vault.made))
            if made is None:
                return
            touched = touched_by(reader, made.number)
            ids = f" ({some_of(touched, IDS_SHOWN)})" if touched else ""
            say(f"The change was saved: {made.summary}{ids}. {UNDO_HINT}")


Run = Callable[[argparse.Namespace, Session], int | None]  # Runs a command; returns its exit code, None for done

Commands = Mapping[str, tuple[Callable[[Parser], None], Run]]
"""The commands of a module by name: what adds their arguments, and what runs them."""


def no_arguments(parser: Parser) -> None:
    """Add no arguments."""
