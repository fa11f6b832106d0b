"""The working trees that anchors can be checked against: the one that one stands in, and the linked folders."""

from __future__ import annotations

from pathlib import Path

from memtui.domain.memory import GLOBAL_PROJECT
from memtui.vault.anchor_states import anchored_projects
from memtui.vault.filters import MemoryFilter
from memtui.vault.projects import list_projects
from memtui.vault.reader import VaultReader
from memtui.workspace import Tree

_LINKED = "path:"

MOST_NAMED = 5
"""Projects named in a sentence; `--json` has all."""


def known_trees(reader: VaultReader, here: Tree | None = None) -> dict[str, Tree]:
    """Return the working tree of each project whose folder is known on this machine, by project.

    Args:
        here: the tree that one stands in; it goes before a linked folder.
    """
    trees = {
        project.name: Tree(project.name, Path(identity.removeprefix(_LINKED)))
        for project in list_projects(reader)
        for identity in project.identities
        if identity.startswith(_LINKED)
    }
    trees = {name: tree for name, tree in trees.items() if tree.root.is_dir()}
    return trees | {here.project: here} if here is not None else trees


def unchecked_projects(reader: VaultReader, wanted: MemoryFilter, here: Tree | None = None) -> tuple[str, ...]:
    """Return the projects of a filter's memories whose files cannot be looked at: their folder is not known here.

    Args:
        here: the tree that one stands in.
    """
    known = known_trees(reader, here)
    return tuple(name for name in anchored_projects(reader, wanted) if name not in known and name != GLOBAL_PROJECT)


def unchecked_words(projects: tuple[str, ...]) -> str:
    """Return the sentence that tells whose files were not looked at."""
    more = f" and {len(projects) - MOST_NAMED:,} more" if len(projects) > MOST_NAMED else ""
    return (
        f"The files of {', '.join(projects[:MOST_NAMED])}{more} were not checked: no folder of them is known here."
        " `memtui project link NAME FOLDER` names it, or run this in it."
    )
