"""Paths that a person types in the Import screen, now or before: rule files, stores of other tools, or both."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, NotFoundError
from memtui.tui.importing.stores import Stores
from memtui.tui.importing.view import Places, places_at
from memtui.tui.state import NO_FOLDER
from memtui.tui.vault_access import VaultAccess
from memtui.workspace import find_workspace

if TYPE_CHECKING:
    from memtui.capture.places import KnownPlace


def found_at(typed: str, *, folder: Path, home: Path) -> tuple[Places, Stores]:
    """Return the rule files and the stores of a file or folder that a person typed, the stores ticked.

    Raises `NotFoundError`: there is none, or nothing in it that memtui can read.
    """
    stores = _stores_at(typed, folder, home)
    paths = {store.place.path for store in stores.found}
    try:
        path = folder / Path(typed.strip()).expanduser()
        places = Places(()) if path in paths and path.is_file() else places_at(typed, folder=folder, home=home)
    except NotFoundError:
        if not paths:
            raise
        places = Places(())
    for place in [place for place in places.rows if place.path in paths]:
        places = places.without(place)  # offered once, as the store, which keeps its notes whole
    root = None if folder == NO_FOLDER else find_workspace(folder).root
    return places if root is None else replace(places, rows=_named_from(root, places.rows)), stores


def known_places(folder: Path, home: Path) -> Places:
    """Return the places of the project around a folder and of the home folder."""
    from memtui.capture.left_out import ignore_lines
    from memtui.capture.places import find_places, home_sources, places_of

    if folder == NO_FOLDER:
        found = home_sources(home)
        return Places.of(places_of(found.sources, "home", home, home), found)
    rows, found = find_places(folder, home)
    return Places.of(rows, found, ignore_lines(find_workspace(folder).root))


def all_places(access: VaultAccess, folder: Path, home: Path) -> Places:
    """Return the places of `known_places`, and the files of the project that a person named for an earlier import."""
    from memtui.capture.places import places_of, sources_of

    places = known_places(folder, home)
    with access.read_vault.read() as reader:
        view = access.view_of(reader)
        named = reader.source_paths(view.project) if view.project is not None and view.stands_in else []
    known = {source.real for place in places.rows for source in place.sources}
    left_out = [line.root / line.name for line in places.left_out]
    for name in named:
        path = view.root / name
        if not _is_text_of(path, view.root) or os.path.realpath(path) in known:
            continue
        if any(path.is_relative_to(out) for out in left_out):
            continue
        found = sources_of(path, home)
        rows = _named_from(view.root, places_of(found.sources, "named", view.root, home))
        places = places.with_more(Places.of(rows, found))
    return places


def _named_from(root: Path, rows: Sequence[KnownPlace]) -> list[KnownPlace]:
    """Return places with those of a project named as the others of it are."""
    return [
        replace(row, name=row.path.relative_to(root).as_posix()) if root in row.path.parents else row for row in rows
    ]


def is_text(name: str) -> bool:
    """Return whether a file is Markdown or alike by its name."""
    return PurePath(name).suffix.lower() in _TEXTS


def _is_text_of(path: Path, root: Path) -> bool:
    """Return whether a path is a Markdown file of a project that is still there."""
    try:
        return is_text(path.name) and path.is_relative_to(root) and path.is_file()
    except (ValueError, OSError):
        return False


_TEXTS = frozenset({".md", ".mdc", ".markdown", ".txt", ".rst"})


def _stores_at(typed: str, folder: Path, home: Path) -> Stores:
    from memtui.capture.stores.find import places_at as stores_at
    from memtui.capture.stores.importing import look_into

    if not typed.strip():
        return Stores()
    try:
        found = look_into(stores_at("auto", folder / Path(typed.strip()).expanduser(), home))
    except (MemtuiError, RuntimeError, ValueError, OSError):
        return Stores()
    return Stores(found, frozenset(store.place.path for store in found if store.contents.rows))
