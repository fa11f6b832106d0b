"""What a session is served for an event: whole memories, each once, within the assistant's limit, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memtui.assist.hooks.certain import certain_hits, tied_hits
from memtui.assist.hooks.dialects import Dialect
from memtui.assist.sessions import State
from memtui.config import Config
from memtui.curate.projects import View, view_of
from memtui.curate.switch import memory_off
from memtui.domain.memory import Memory
from memtui.pack.budget import WHOLE
from memtui.pack.build import Pack, context, pack_of_recall, recipes_of
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import Target
from memtui.pack.targets.formats import target_named
from memtui.recall.rank import Evidence, gather
from memtui.recall.result import Recall, Task
from memtui.vault.packs import Recipe, read_recipes
from memtui.vault.vault import Vault

MOST_ROUNDS = 6  # Rounds of leaving out what does not fit whole; each leaves out at least one


LESSONS = frozenset({"lesson", "bug-pattern"})  # Kinds of what was learned the hard way, and need not be again


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be served for an event."""

    pack: Pack | None = None
    lessons: tuple[Memory, ...] = ()  # the lessons that the event is about, also those that were served before


@dataclass(frozen=True, slots=True)
class Desk:
    """Where and for whom memories are served: one vault, one project, one assistant."""

    vault: Vault
    view: View
    recipes: Sequence[Recipe]
    dialect: Dialect
    config: Config
    now: datetime

    def _target(self) -> Target:
        """Return the form of what is injected: fenced Markdown without what the assistant reads by itself."""
        own = target_named(self.dialect.target, self.config.targets)
        form = target_named("plain" if self.dialect.plain else "claude-code")
        return replace(form, name=own.name, loads=own.loads, limit=self.dialect.limit, margin=own.margin)

    def _options(self, budget: str, most: int) -> PackOptions:
        options = PackOptions.of(self.config.context, self.config.secrets.patterns)
        # Masked or not, a secret goes to no assistant that nobody watches.
        return replace(options, budget=budget, max_memories=most, style="full", fast=True, secrets="withhold")

    def _evidence(self, task: Task) -> Evidence:
        return gather(self.vault, task, self.view.payload_scope, settings=self.config.recall, now=self.now)

    def standing(self, known: State, *, recipe: str | None = None) -> Offer:
        """Return the standing payload without what the session knows; of a named recipe, its own."""
        recipes = [one for one in self.recipes if recipe is None or one.name == recipe]
        pack = self._whole(
            lambda without: context(
                self.vault,
                Task(),
                self.view.payload_scope,
                replace(self._options(self.config.context.budget, self.config.context.max_memories), without=without),
                project=self.view.project,
                target=self._target(),
                settings=self.config.recall,
                now=self.now,
                recipes=recipes,
                recall_by=lambda task, limit: _servable(self._evidence(task).rank(self.vault.kinds, limit), known),
            )
        )
        return Offer(pack)

    def for_task(self, text: str, known: State) -> Offer:
        """Return what is known for sure to belong to a task."""
        task, settings = Task(text), self.config.hooks
        evidence = self._evidence(task)
        found = certain_hits(evidence, evidence.rank(self.vault.kinds))
        return self._offer(found, known, task, settings.prompt_budget, settings.prompt_memories)

    def for_files(self, files: Sequence[str], known: State) -> Offer:
        """Return what is tied to files."""
        task, settings = Task(files=tuple(files)), self.config.hooks
        found = tied_hits(self._evidence(task).rank(self.vault.kinds), self.view.project)
        return self._offer(found, known, task, settings.file_budget, settings.file_memories)

    def _offer(self, everything: Recall, known: State, task: Task, budget: str, most: int) -> Offer:
        about = [hit.memory for hit in (*everything.hits, *everything.pins)]
        lessons = tuple(memory for memory in about if memory.kind in LESSONS)
        found = _servable(everything, known)
        if not found.hits and not found.pins:
            return Offer(lessons=lessons)
        pack = self._whole(
            lambda without: pack_of_recall(
                self.vault,
                task,
                found,
                replace(self._options(budget, most), without=without),
                target=self._target(),
                project=self.view.project,
            )
        )
        return Offer(pack, lessons)

    def _whole(self, build: Callable[[frozenset[str]], Pack]) -> Pack:
        """Return the pack in which every memory is whole."""
        without: frozenset[str] = frozenset()
        for _ in range(MOST_ROUNDS):
            pack = build(without)
            unfit = {one.memory.id for one in pack.included if one.detail != WHOLE}
            if not unfit:
                return pack
            without |= unfit
        return build(frozenset(one.memory.id for one in pack.included) | without)


def open_desk(vault: Vault, folder: Path, dialect: Dialect, config: Config, *, named: str | None) -> Desk | None:
    """Return the desk for a working directory; None where a person switched its project off.

    `named`: the project, where the command line names it.
    """
    with vault.read() as reader:
        if memory_off(folder, reader, named=named) is not None:
            return None
        view = view_of(reader, folder, named)
        return Desk(vault, view, recipes_of(read_recipes(reader), view.project), dialect, config, vault.now())


def _servable(found: Recall, known: State) -> Recall:
    """Return a recall without what the session knows already."""
    return replace(
        found,
        hits=tuple(hit for hit in found.hits if not known.has(hit.memory)),
        pins=tuple(hit for hit in found.pins if not known.has(hit.memory)),
    )
