"""What if kinds decayed faster or slower: the effect on the recipes' payloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.config import ContextSettings, RecallSettings, TargetSettings
from memtui.curate.projects import View
from memtui.domain.kinds import Kinds
from memtui.pack.build import context
from memtui.pack.options import PackOptions, task_of
from memtui.pack.recipe_union import recipes_of
from memtui.pack.targets.registry import target_named
from memtui.recall.rank import Evidence, gather
from memtui.recall.result import Task
from memtui.recall.semantic import Meaning
from memtui.vault.filters import Scope
from memtui.vault.packs import Recipe, read_recipes
from memtui.vault.vault import Vault

Members = Mapping[str, tuple[str, ...]]
"""Ids of a payload's memories by the name of the recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadOptions:
    """How payloads are made, as `memtui recipe run` makes them.

    Attributes:
        view: what is in view.
        recall: the weights of recall.
        secret_patterns: a person's own patterns of secrets.
        targets: other limits of targets, from the configuration.
        meaning: compares tasks with memories by meaning, None for words alone.
    """

    view: View
    context: ContextSettings = field(default_factory=ContextSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    secret_patterns: Sequence[tuple[str, str]] = ()
    targets: Sequence[tuple[str, TargetSettings]] = ()
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class PayloadChange:
    """One recipe whose payload would change.

    Attributes:
        entering: ids of memories that would come in.
        leaving: ids of memories that would fall out.
    """

    recipe: str
    entering: tuple[str, ...]
    leaving: tuple[str, ...]


class Payloads:
    """The payloads of the recipes in view, made again and again under other half-lives.

    What a task finds hangs on its words, files and links, not on freshness: it is read once.

    Args:
        options: how payloads are made.
    """

    def __init__(self, vault: Vault, options: PayloadOptions) -> None:
        self._vault = vault
        self._options = options
        self._now = vault.now()
        self._evidence: dict[str, Evidence] = {}
        with vault.read() as reader:
            self.recipes = recipes_of(read_recipes(reader), options.view.project)

    def members(
        self,
        kinds: Kinds,
        *,
        memory: tuple[str, float | None] | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Members | None:
        """Return who is in the payload of each recipe; None once it is not wanted any more.

        Args:
            kinds: the half-lives to reckon with, whatever is in force.
            memory: id of one memory with another half-life of its own, None for that of its kind.
            is_wanted: asked before each recipe.
        """
        members: dict[str, tuple[str, ...]] = {}
        for recipe in self.recipes:
            if not is_wanted():
                return None
            members[recipe.name] = self._members(recipe, kinds, memory)
        return members

    def _members(self, recipe: Recipe, kinds: Kinds, memory: tuple[str, float | None] | None) -> tuple[str, ...]:
        options, view = self._options, self._options.view
        if view.project is None and recipe.project is not None:
            view = replace(view, project=recipe.project, scope=Scope.of_project(recipe.project), stands_in=False)
        usual = PackOptions.of(options.context, options.secret_patterns)
        pack = context(
            self._vault,
            task_of(recipe.task, recipe.files, recipe.options),
            view.payload_scope,
            replace(usual.chosen(recipe.options), budget=recipe.budget),
            project=view.project,
            target=target_named(recipe.target, options.targets),
            settings=options.recall,
            now=self._now,
            recall_by=lambda task, most: _supposing(self._gathered(recipe.name, task, view, kinds), memory).rank(
                kinds, most
            ),
        )
        return tuple(one.memory.id for one in pack.included)

    def _gathered(self, name: str, task: Task, view: View, kinds: Kinds) -> Evidence:
        known = self._evidence.get(name)
        if known is not None:
            return known
        vault = self._vault
        # A task without words is read by freshness, under the half-lives that are supposed.
        supposed = vault if task.has_words else Vault(vault.path, kinds=kinds, patience_seconds=vault.patience_seconds)
        found = gather(
            supposed,
            task,
            view.payload_scope,
            settings=self._options.recall,
            now=self._now,
            tree=view.tree,
            meaning=self._options.meaning,
        )
        if task.has_words:
            self._evidence[name] = found
        return found


def payload_changes(before: Members, after: Members) -> list[PayloadChange]:
    """Return the recipes whose payload would hold other memories."""
    changes = []
    for name, now in before.items():
        then = after.get(name, ())
        if set(now) != set(then):
            changes.append(
                PayloadChange(
                    name,
                    tuple(identifier for identifier in then if identifier not in now),
                    tuple(identifier for identifier in now if identifier not in then),
                )
            )
    return changes


def _supposing(evidence: Evidence, memory: tuple[str, float | None] | None) -> Evidence:
    """Return what was read as if one memory had another half-life of its own."""
    if memory is None or memory[0] not in evidence.fetched.memories:
        return evidence
    identifier, days = memory
    memories = evidence.fetched.memories
    changed = memories | {identifier: replace(memories[identifier], half_life_days=days)}
    return replace(evidence, fetched=replace(evidence.fetched, memories=changed))
