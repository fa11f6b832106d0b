"""The working trees that anchors can be checked against: the one that one stands in, and the linked folders."""

from __future__ import annotations

from pathlib import Path

from memtui.vault.projects import list_projects
from memtui.vault.reading import VaultReader
from memtui.workspace import Tree

_LINKED = "path:"


def known_trees(reader: VaultReader, here: Tree | None = None) -> dict[str, Tree]:
    """Return the working tree of each project whose folder is known on this machine, by project.

    Args:
        reader: an open vault.
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
