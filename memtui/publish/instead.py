"""Which file is written where an assistant's own is a link to another, or only imports it."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from memtui.publish.destinations import Place, places
from memtui.regular_files import read_regular


class Note(StrEnum):
    """What a person should know of a file; `wording` has the sentence."""

    IMPORTED_INSTEAD = "imported-instead"  # the assistant's own file only imports this one
    LINKED_INSTEAD = "linked-instead"  # the assistant's own file is a link to this one
    SAID_OTHERWISE = "said-otherwise"  # a line that is read beside the block says what was edited since


Notes = tuple[tuple[Note, str], ...]
"""What a person should know of a file, each with the path it is about."""

NO_NOTES: Notes = ()


def read_instead(place: Place, root: Path) -> tuple[Place, Notes]:
    """Return the place whose file is written where an assistant's own is a link to it, or only imports it."""
    if place.is_rule or place.base:
        return place, NO_NOTES
    file = root / place.path
    real, name, note = root.resolve(), "", Note.IMPORTED_INSTEAD
    if file.is_symlink():
        target = file.resolve()
        name, note = (target.relative_to(real).as_posix() if target.is_relative_to(real) else ""), Note.LINKED_INSTEAD
    elif (imported := _only_import(file)) and (root / imported).is_file():
        name = imported
    if not name:
        return place, NO_NOTES
    owner = next((one for one in places() if one.path == name and not one.base), replace(place, path=name))
    return owner, ((note, place.path),)


def _only_import(file: Path) -> str:
    """Return the file beside a file whose whole text is an import of it, such as `@AGENTS.md`; empty for others."""
    try:
        text = read_regular(file).decode("utf-8-sig").strip() if file.stat().st_size < 200 else ""  # noqa: PLR2004 - a line
    except (OSError, UnicodeDecodeError):
        return ""
    name = text.removeprefix("@").removeprefix("./")
    return name if text.startswith("@") and name.isprintable() and "/" not in name and " " not in name else ""
