"""Where assistants and teams keep what they know, looked up by name without searching."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtui.capture.collect import walk
from memtui.capture.draft import Skipped, SourceFile
from memtui.text.tables import read_table
from memtui.workspace import find_workspace

MOST_FILES = 500
"""Files counted in one place; more are read all the same."""

Where = Literal["project", "home", "named"]


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A file or folder that holds what memtui can read.

    Attributes:
        where: in the project, in the home folder, or named by a person.
        label: what people call it.
        name: its path for display: from the project's root, or from the home folder with `~`.
        files: how many recognised files it holds, at most `MOST_FILES`.
    """

    path: Path
    where: Where
    label: str
    name: str
    files: int


def find_places(folder: Path, home: Path) -> list[KnownPlace]:
    """Return the known places that hold something, the project's first; each real file or folder once.

    Args:
        folder: the working directory; the project is the repository around it, or the folder itself.
        home: the user's home folder.
    """
    root = find_workspace(folder).root
    found: list[KnownPlace] = []
    seen: set[str] = set()
    for where, base, relative in _candidates(root, home):
        path = base / relative
        real = os.path.realpath(path)
        if real in seen or not os.path.lexists(path):
            continue
        place = look_at(path, where=where, base=base, home=home)
        if place is not None:
            seen.add(real)
            found.append(place)
    return found


def look_at(path: Path, *, where: Where, base: Path, home: Path) -> KnownPlace | None:
    """Return a place with the recognised files in it; None if there are none."""
    from memtui.capture.readers.registry import reader_for

    labels: dict[str, int] = {}
    for number, file in enumerate(_files(path)):
        if number >= MOST_FILES:
            break
        try:
            reader = reader_for(SourceFile(file, base, home))
        except OSError:
            continue
        if reader is not None:
            labels[reader.label] = labels.get(reader.label, 0) + 1
    if not labels:
        return None
    label = max(labels, key=lambda name: labels[name])
    return KnownPlace(path, where, label, _name(path, where, base), sum(labels.values()))


def _candidates(root: Path, home: Path) -> Iterator[tuple[Where, Path, str]]:
    """Yield every place to look at; a root that is the home folder itself is looked at once."""
    places = read_table(__file__, "places.toml")
    for relative in places["project"]:
        yield "project", root, relative
    slug = re.sub(r"[^A-Za-z0-9]", "-", root.as_posix())
    yield "project", home, f".claude/projects/{slug}/memory"
    for relative in places["home"]:
        yield "home", home, relative


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        skipped: list[Skipped] = []
        for found in walk(path, skipped):
            yield found.path


def _name(path: Path, where: Where, base: Path) -> str:
    if not path.is_relative_to(base) or where == "named":
        return str(path)
    relative = path.relative_to(base).as_posix()
    return relative if where == "project" and not relative.startswith(".claude/projects/") else f"~/{relative}"
