"""Which project is meant, and which working trees are known on this machine."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.curate.fields import check_files
from memtui.domain.identity import (
    commit_identity,
    is_remote,
    linked_folder,
    path_identity,
    remote_identity,
    suggest_name,
)
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.domain.scope import matches
from memtui.errors import UsageError, missing_file
from memtui.tree import Tree
from memtui.vault import projects as store
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.projects import list_projects
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import Workspace, find_workspace

MOST_NAMED = 5  # Projects named in a sentence; `--json` lists all


@dataclass(frozen=True, slots=True)
class Places:
    """What the vault notes of where projects are, read under its lease so that git is asked about it after that."""

    owners: Mapping[str, str]  # as `memtui.vault.projects.owners` returns them
    asked: frozenset[str]  # projects that are looked for where they were seen last


def read_places(reader: VaultReader, asked: Iterable[str]) -> Places:
    """Return what `known_trees` needs; git may be run for each of the `asked` projects, so name those that matter."""
    return Places(store.owners(reader), frozenset(asked))


def known_trees(places: Places, here: Tree | None = None) -> dict[str, Tree]:
    """Return the working tree of each project whose folder is known on this machine, by project.

    Runs git, up to five seconds for each project: it is called with no lease held.

    `here`: the tree of the current folder; it takes precedence over a linked folder, and that over the one in which
    the project was seen last, such as at its import.
    """
    owned = sorted((project, identity) for identity, project in places.owners.items())
    linked = {name: folder for name, identity in owned if (folder := linked_folder(identity))}
    trees = {name: Tree(name, folder) for name, folder in linked.items() if folder.is_dir()}
    trees |= {here.project: here} if here is not None else {}
    seen = {
        name: _folder_of(places.owners, name, [folder for folder in folders if folder.is_dir()])
        for name, folders in store.seen_among(places.owners).items()
        if name in places.asked and name not in trees
    }
    return trees | {name: Tree(name, folder) for name, folder in seen.items() if folder is not None}


def unchecked_projects(anchored: Iterable[str], known: Container[str]) -> tuple[str, ...]:
    """Return the projects whose files cannot be checked: they have anchors, and their folder is not known here."""
    return tuple(name for name in anchored if name not in known and name != GLOBAL_PROJECT)


def unchecked_words(projects: tuple[str, ...]) -> str:
    """Return the sentence about files that were not checked."""
    more = f" and {len(projects) - MOST_NAMED:,} more" if len(projects) > MOST_NAMED else ""
    return (
        f"The files of {', '.join(projects[:MOST_NAMED])}{more} were not checked: their folder is not known here."
        " Link it with `memtui project link NAME FOLDER`, or run this inside it."
    )


DEFAULT_SCOPE_KEY = "default_scope"
"""Vault setting: `all` in the demo's vault, so that it shows all projects from any working directory."""


@dataclass(frozen=True, slots=True)
class View:
    """What the working directory and `--project` put in view."""

    project: str | None  # the project that new memories go to, None while unknown
    scope: Scope  # what is listed and searched
    workspace: Workspace
    root: Path  # the folder that anchors are relative to: the repository's, or the linked folder
    named: bool = False  # whether a person named the project
    known: bool = True  # whether the vault knows the project
    stands_in: bool = False  # whether the working directory belongs to the project
    # the project's tree, where the working directory is outside of it but a given file is inside
    elsewhere: Tree | None = None
    shows_all: bool = False  # whether the vault shows all projects from anywhere (the demo)
    kin: str | None = None  # a project with another remote that shares its first commit with this unknown repository

    @property
    def payload_scope(self) -> Scope:
        """What may reach a payload: outside of projects only `global`, as others are denied by default."""
        return self.scope if self.project is not None or self.shows_all else Scope.of_project(None)

    @property
    def listing_scope(self) -> Scope:
        """What is listed and searched: everything while the vault does not know the current project."""
        return self.scope if self.known or self.named else EVERYTHING

    @property
    def tree(self) -> Tree | None:
        """The working tree to check anchors against: the current project's, or that of the given files."""
        return Tree(self.project, self.root) if self.project is not None and self.stands_in else self.elsewhere


def view_of(reader: VaultReader, folder: Path, named: str | None) -> View:
    """Return what is in view from a folder.

    That is the named project (`global` too), else the project of the folder, if the vault knows it, else
    everything in the demo's vault and outside of repositories, else the future project of the new repository,
    which holds nothing yet, and `global`.
    """
    workspace = find_workspace(folder)
    owner, kin = _owner_of(store.owners(reader), workspace)
    root = _root_of(owner[0] if owner else "", workspace)
    if named is not None:
        name = store.check_name(named)
        known = name in store.project_names(reader)
        stands_in = owner[1] == name if owner is not None else _is_called(workspace, name)
        return View(name, Scope.of_project(name), workspace, root, named=True, known=known, stands_in=stands_in)
    if owner is not None:
        return View(owner[1], Scope.of_project(owner[1]), workspace, root, stands_in=True)
    if reader.meta(DEFAULT_SCOPE_KEY) == "all":
        return View(None, EVERYTHING, workspace, root, known=False, shows_all=True)
    if not workspace.is_repository:
        return View(None, EVERYTHING, workspace, root, known=False)
    taken = {project.name for project in store.list_projects(reader) if project.identities}
    name = suggest_name(workspace.suggested_name, taken)
    return View(name, Scope.of_project(name), workspace, root, known=False, stands_in=True, kin=kin)


def _owner_of(owners: Mapping[str, str], workspace: Workspace) -> tuple[tuple[str, str] | None, str | None]:
    """Return the identity and project of a folder, or the project that an unknown repository shares its history with.

    A repository that is known by its root commit stays the same when it gets a remote. One whose root commit
    belongs to a project with another remote may be that one moved, or a fork: only a person knows.
    """
    identity = next((one for one in workspace.lookup_identities() if one in owners), None)
    if identity is not None:
        return (identity, owners[identity]), None
    # Where no project is known by a root commit, git need not be asked for one.
    if workspace.remote is None or not any(one.startswith("commit:") for one in owners):
        return None, None
    commit = commit_identity(workspace.root_commit) if workspace.root_commit else ""
    name = owners.get(commit)
    if name is None:
        return None, None
    if any(project == name and one.startswith("remote:") for one, project in owners.items()):
        return None, name
    return (commit, name), None


def _is_called(workspace: Workspace, name: str) -> bool:
    """Return whether a repository that belongs to no project has this name, by its remote or by its folder."""
    return workspace.is_repository and name in {suggest_name(workspace.suggested_name, ()), workspace.main_root.name}


def _root_of(identity: str, workspace: Workspace) -> Path:
    """Return the linked folder where the project was found by it, else the root of the workspace."""
    return linked_folder(identity) or workspace.root


def folders_here(reader: VaultReader) -> dict[str, tuple[Path, ...]]:
    """Return the folders of each project that are there: those linked to it, then those where it was seen last."""
    found = {
        project.name: [folder for identity in project.identities if (folder := linked_folder(identity))]
        for project in list_projects(reader)
    }
    for name, seen in store.seen_folders(reader).items():
        found.setdefault(name, []).extend(seen)
    return {name: there for name, folders in found.items() if (there := tuple(filter(Path.is_dir, folders)))}


def known_folder(reader: VaultReader, name: str) -> Path | None:
    """Return the folder of a project on this machine, None where none is known.

    It still has to belong to the project: another repository may have taken its place.
    """
    return _folder_of(store.owners(reader), name, folders_here(reader).get(name, ()))


def _folder_of(owners: Mapping[str, str], name: str, folders: Sequence[Path]) -> Path | None:
    for folder in folders:
        owner, _ = _owner_of(owners, find_workspace(folder))
        if owner is not None and owner[1] == name:
            return folder
    return None


def note_folder(vault: Vault, folder: Path) -> None:
    """Note where the project of a folder is on this machine, if the vault knows the project and not the place."""
    workspace = find_workspace(folder)
    with vault.read() as reader:
        owners = store.owners(reader)
    owner, _ = _owner_of(owners, workspace)
    if owner is None or linked_folder(owner[0]) or workspace.main_root in store.seen_among(owners).get(owner[1], ()):
        return
    with vault.write(actor="person", action="project-seen") as writer:
        store.note_folder(writer, owner[1], workspace.main_root.as_posix())


def root_for(reader: VaultReader, folder: Path) -> Path:
    """Return the folder that anchors of memories made here are relative to."""
    workspace = find_workspace(folder)
    owner, _ = _owner_of(store.owners(reader), workspace)
    return _root_of(owner[0] if owner else "", workspace)


def project_for_writing(writer: VaultWriter, folder: Path, named: str | None) -> str | None:
    """Return the project of a new memory, registered if it is new; None outside any project."""
    if named is not None:
        name = store.check_name(named)
        if name != GLOBAL_PROJECT:
            store.ensure_project(writer, name)
        return name
    workspace = find_workspace(folder)
    owner, _ = _owner_of(store.owners(writer), workspace)
    identities = workspace.own_identities()
    if owner is not None:
        if owner[0].startswith("commit:") and workspace.remote:
            store.add_identities(writer, owner[1], identities)
        if linked_folder(owner[0]) is None:
            store.note_folder(writer, owner[1], workspace.main_root.as_posix())
        return owner[1]
    if not identities:
        return None
    name = store.register_project(writer, identities, workspace.suggested_name)
    if workspace.remote and workspace.root_commit:
        # Stored beside the remote, so that a clone without it, or with another one, is recognised.
        store.add_identities(writer, name, [commit_identity(workspace.root_commit)])
    if linked_folder(identities[0]) is None:
        store.note_folder(writer, name, workspace.main_root.as_posix())
    return name


def _refuse_secret_names(name: str) -> None:
    # Imported here: every command and the app's first picture read projects, few name one.
    from memtui.vault.text_search import refuse_secrets_in

    refuse_secrets_in(name, what="project")


def link_folder(vault: Vault, name: str, folder: Path) -> str | None:
    """Make a folder belong to a project; returns the project that it belonged to before.

    Raises:
        UsageError: the folder does not exist.
        SecretRefusedError: the name holds what looks like a secret.
    """
    _refuse_secret_names(name)
    if not folder.is_dir():
        raise missing_file(folder)
    with vault.write(actor="person", action="project-link", summary=f"link {folder} to {name}") as writer:
        return store.link_identity(writer, store.check_name(name), path_identity(folder.resolve().as_posix()))


def alias_remote(vault: Vault, name: str, remote: str) -> str | None:
    """Make a git remote identify a project; returns the project that it identified before.

    Raises:
        UsageError: this is not a remote.
        SecretRefusedError: the name holds what looks like a secret.
    """
    _refuse_secret_names(name)
    if not is_remote(remote):
        raise UsageError(
            "A remote is a URL such as git@host:owner/name.git",
            where=remote,
            remedy="`git remote -v` prints the URLs of a repository.",
        )
    with vault.write(actor="person", action="project-alias", summary=f"alias {remote} to {name}") as writer:
        return store.link_identity(writer, store.check_name(name), remote_identity(remote))


def check_named_files(vault: Vault, view: View, given: Sequence[str], *, folder: Path) -> list[str]:
    """Return the files of `--file` as memories name them.

    Raises `UsageError`: one neither exists nor matches an anchor in view.
    """
    found, error = usable_files(vault, view, given, folder=folder)
    if error is not None:
        raise error
    return found


def usable_files(
    vault: Vault, view: View, given: Sequence[str], *, folder: Path
) -> tuple[list[str], UsageError | None]:
    """Return the files as memories name them, without those that cannot be used, and what is wrong with the first."""
    if not given:
        return [], None
    with vault.read() as reader:
        anchors = [path for _, path in reader.anchored(MemoryFilter(scope=view.scope))]
    found: list[str] = []
    wrong: UsageError | None = None
    for name in given:
        try:
            found += check_files([name], root=view.root, folder=folder, anchors=anchors)
        except UsageError as error:
            wrong = wrong or error
    return list(dict.fromkeys(found)), wrong


def narrow_to_files(vault: Vault, view: View, files: Sequence[str]) -> View:
    """Return the view of the one project whose memories are tied to the files, where no project is known.

    The imports of the files are then followed in the project's own folder, also where a person named the project.
    """
    if not files or view.stands_in:
        return view
    with vault.read() as reader:
        if view.project is None and view.scope.is_everything:
            anchored = reader.anchored(MemoryFilter(scope=view.scope))
            keys = [key for key, path in anchored if any(matches(path, file.split("::", 1)[0]) for file in files)]
            found = {memory.project for memory in reader.get_by_keys(keys).values()} - {None, GLOBAL_PROJECT}
            if len(found) != 1:
                return view
            name = str(found.pop())
            view = replace(view, project=name, scope=Scope.of_project(name))
        places = read_places(reader, [view.project] if view.project else [])
    return _with_tree(places, view, files)


def _with_tree(places: Places, view: View, files: Sequence[str]) -> View:
    """Return a view with the folder that holds a given file: the working directory, else the project's known one.

    A person who names a project and a file of the working directory means the file that is there.
    """
    plain = [file.split("::", 1)[0] for file in files]
    trees = (Tree(view.project, view.root) if view.project else None, known_trees(places).get(view.project or ""))
    for tree in filter(None, trees):
        if any(os.path.exists(tree.root / file) for file in plain):  # noqa: PTH110 - Path.exists raises for a long name
            return replace(view, elsewhere=tree)
    return view
