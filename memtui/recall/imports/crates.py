"""Rust crates of a working tree: where their modules start, and which other crates of the tree they depend on."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.recall.imports.sources import SourceTree, UnreadableFileError, ancestors, normal

_ROOT_NAMES = ("lib.rs", "main.rs")
_OWN_CRATES = ("tests", "examples", "benches", "src/bin")
"""Folders of a package in which every file is a crate of its own."""


@dataclass(slots=True)
class Crate:
    """A crate seen from one of its files.

    Attributes:
        tree: the working tree.
        folder: the folder that its modules lie in.
        root: the file that `crate` means, None if there is none.
        package: the folder of its Cargo.toml, None without one.
    """

    tree: SourceTree
    folder: str
    root: str | None
    package: str | None
    _others: dict[str, str] | None = field(default=None)

    def module_folder(self, file: str) -> str:
        """Return the folder that the submodules of a file lie in."""
        folder, name = posixpath.split(file)
        if file == self.root or name in {"mod.rs", *_ROOT_NAMES}:
            return folder
        return posixpath.join(folder, name.removesuffix(".rs"))

    def file_of(self, folder: str) -> str | None:
        """Return the file of the module whose submodules lie in a folder."""
        if folder == self.folder:
            return self.root
        return self.tree.first_file(iter((f"{folder}.rs", f"{folder}/mod.rs")))

    def other(self, name: str) -> Crate | None:
        """Return the library that a name means here: the package's own, or a dependency given by its path."""
        if self._others is None:
            self._others = _dependencies(self.tree, self.package) if self.package is not None else {}
        package = self._others.get(name)
        if package is None:
            return None
        sources = posixpath.join(package, "src")
        root = posixpath.join(sources, "lib.rs")
        return Crate(self.tree, sources, root, package) if self.tree.is_file(root) else None


def crate_of(tree: SourceTree, file: str) -> Crate:
    """Return the crate that a file belongs to."""
    folder = posixpath.dirname(file)
    package = next((one for one in ancestors(file) if tree.is_file(posixpath.join(one, "Cargo.toml"))), None)
    if package is not None and any(folder == posixpath.join(package, one) for one in _OWN_CRATES):
        return Crate(tree, folder, file, package)
    for above in ancestors(file):
        for name in _ROOT_NAMES:
            root = posixpath.join(above, name)
            if tree.is_file(root):
                return Crate(tree, above, root, package)
        if above == package:
            break
    sources = posixpath.join(package, "src") if package is not None else folder
    return Crate(tree, sources if file.startswith(sources + "/") else folder, None, package)


def _dependencies(tree: SourceTree, package: str) -> dict[str, str]:
    """Return the folders of the packages of this tree that a package may use, by their names in code."""
    manifest = _toml(tree, package)
    found = {}
    name = _mapping(manifest.get("package")).get("name")
    if isinstance(name, str):
        found[name.replace("-", "_")] = package
    library = _mapping(manifest.get("lib")).get("name")
    if isinstance(library, str):
        found[library] = package
    for table in ("dependencies", "dev-dependencies", "build-dependencies"):
        for key, entry in _mapping(manifest.get(table)).items():
            home = package
            value = _mapping(entry)
            if value.get("workspace") is True:
                home, value = _from_workspace(tree, package, key)
            path = value.get("path")
            folder = normal(posixpath.join(home, path)) if isinstance(path, str) else None
            if folder is not None:
                found[key.replace("-", "_")] = folder
    return found


def _from_workspace(tree: SourceTree, package: str, key: str) -> tuple[str, Mapping[str, Any]]:
    """Return the folder and the entry of a dependency that the workspace above names for its members."""
    for folder in ancestors(posixpath.join(package, "Cargo.toml")):
        workspace = _mapping(_toml(tree, folder).get("workspace"))
        if workspace:
            return folder, _mapping(_mapping(workspace.get("dependencies")).get(key))
    return package, {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _toml(tree: SourceTree, folder: str) -> Mapping[str, Any]:
    import tomllib

    path = posixpath.join(folder, "Cargo.toml")
    if not tree.is_file(path):
        return {}
    try:
        return tomllib.loads(tree.read(path).decode("utf-8", "replace"))
    except (UnreadableFileError, ValueError, RecursionError):
        return {}
