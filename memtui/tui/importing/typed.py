"""A path that a person types in the Import screen: rule files, stores of other tools, or both."""

from __future__ import annotations

from pathlib import Path

from memtui.errors import MemtuiError, NotFoundError
from memtui.tui.importing.stores import Stores
from memtui.tui.importing.view import Places, places_at


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
    return places, stores


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
