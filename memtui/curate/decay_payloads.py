"""What the recipes' payloads would become if kinds faded faster or slower."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.config import ContextSettings, RecallSettings
from memtui.curate.projects import View
from memtui.domain.kinds import Kinds
from memtui.pack.packing import context
from memtui.pack.standing import recipes_of
from memtui.recall.meaning import Meaning
from memtui.recall.task import Task
from memtui.vault.filters import Scope
from memtui.vault.usage import Recipe, read_recipes
from memtui.vault.vault import Vault

Members = Mapping[str, tuple[str, ...]]
"""Ids of a payload's memories by the name of the recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadOptions:
    """How payloads are made, as `memtui recipe run` makes them.

    Attributes:
        view: what is in view.
        context: defaults of payloads.
        recall: the weights of recall.
        secret_patterns: a person's own patterns of secrets.
        meaning: compares tasks with memories by meaning, None for words alone.
    """

    view: View
    context: ContextSettings = field(default_factory=ContextSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    secret_patterns: Sequence[tuple[str, str]] = ()
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class PayloadChange:
    """One recipe whose payload would change.

    Attributes:
        recipe: its name.
        entering: ids of memories that would come in.
        leaving: ids of memories that would fall out.
    """

    recipe: str
    entering: tuple[str, ...]
    leaving: tuple[str, ...]


def payload_members(
    vault: Vault, kinds: Kinds, options: PayloadOptions, *, is_wanted: Callable[[], bool] = lambda: True
) -> Members | None:
    """Return who is in the payload of each recipe in view; None once it is not wanted any more.

    Args:
        vault: the vault.
        kinds: the half-lives to reckon with, whatever is in force.
        options: how payloads are made.
        is_wanted: asked before each recipe.
    """
    with vault.read() as reader:
        recipes = recipes_of(read_recipes(reader), options.view.project)
    supposed = Vault(vault.path, kinds=kinds, now=vault.now, patience_seconds=vault.patience_seconds)
    members: dict[str, tuple[str, ...]] = {}
    for recipe in recipes:
        if not is_wanted():
            return None
        members[recipe.name] = _members(supposed, recipe, options)
    return members


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


def _members(vault: Vault, recipe: Recipe, options: PayloadOptions) -> tuple[str, ...]:
    view = options.view
    if view.project is None and recipe.project is not None:
        view = replace(view, project=recipe.project, scope=Scope.of_project(recipe.project), stands_in=False)
    pack = context(
        vault,
        Task(text=recipe.task, files=recipe.files),
        view.payload_scope,
        project=view.project,
        target=recipe.target,
        budget=recipe.budget,
        encoding=options.context.encoding,
        max_memories=options.context.max_memories,
        settings=options.recall,
        now=vault.now(),
        tree=view.tree,
        withhold_loaded=options.context.withhold_loaded,
        secret_patterns=options.secret_patterns,
        meaning=options.meaning,
    )
    return tuple(one.memory.id for one in pack.included)
