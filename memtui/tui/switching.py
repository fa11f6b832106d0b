"""Which project the screens are about: what can be chosen, what the app is opened with then, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import GLOBAL_PROJECT
from memtui.text.sanitize import tame
from memtui.text.words import clip_start
from memtui.tui.actions.registry import ACTIONS, BROWSE, GO, Action
from memtui.tui.state import NO_FOLDER, Opening
from memtui.tui.vault_access import ALL_PROJECTS

if TYPE_CHECKING:
    from textual.screen import Screen

SWITCH = "go-project"  # Id of the action
TOUR = "tour"  # Id of the one that begins on the first screen
EVERY = f"({ALL_PROJECTS})"  # The choice of no single project, as no project is called
PLACE_CELLS = 24  # Of a folder among the choices; its end tells it from others
SHOWN_NAME = 60  # Characters of a name in a sentence
PLACES = frozenset(one.id.removeprefix(GO) for one in ACTIONS if one.id.startswith(GO))  # Screens that hold no text


def project_choices(start: Opening, opening: Opening) -> tuple[list[tuple[str, str]], str]:
    """Return what can be switched to, all projects, then each by name with its folder, and which of it is in view.

    `start`: what the app was started with; its project is among them although the vault holds nothing of it yet.
    """
    from memtui.curate.projects import folders_here, view_of
    from memtui.vault.projects import project_names

    with start.vault_to_read().read() as reader:
        names = set(project_names(reader)) - {GLOBAL_PROJECT}
        folders = folders_here(reader)
        first = view_of(reader, start.folder, start.project)
        in_view = view_of(reader, opening.folder, opening.project).project or EVERY
    if first.project is not None:
        names.add(first.project)
        folders[first.project] = (first.root,) if first.stands_in else folders.get(first.project, ())
    places = {name: shown_folder(folders[name][0]) if folders.get(name) else "folder not known" for name in names}
    return [(EVERY, ""), *((name, clip_start(places[name], PLACE_CELLS)) for name in sorted(names))], in_view


def opening_for(start: Opening, name: str | None) -> Opening:
    """Return what puts a project in view, None for all: its folder where one is known, as if memtui were started there.

    What the app was started with comes back as it was, in the folder that the person stands in.
    """
    from memtui.curate.projects import known_folder, view_of

    with start.vault_to_read().read() as reader:
        if view_of(reader, start.folder, start.project).project == name:
            return start
        folder = known_folder(reader, name) if name is not None else None
    if folder is not None:
        return replace(start, folder=folder, project=None)
    return replace(start, folder=NO_FOLDER, project=name)


def why_not_go(action: Action, opening: Opening, screens: Sequence[Screen[Any]]) -> str | None:
    """Return why a screen cannot be gone to, the project not be switched or the tour not begin; None where it can."""
    if action.id == "go-publish" and not opening.has_folder:
        return f"Publish writes into a project's folder. {no_folder(opening)}"
    if action.id not in {SWITCH, TOUR}:
        return None
    if action.id == SWITCH and any(getattr(screen, "acting", False) for screen in screens):
        return "A change is being made: switch once it is stored."
    # A form, a merge: what is typed there is about memories of the project that would be left.
    areas = {getattr(screen, "AREA", BROWSE) for screen in screens}
    return None if areas <= PLACES else "Save or leave what you are editing first."


def no_folder(opening: Opening) -> str:
    """Return why there is no folder, and what to do."""
    if opening.project is None:
        return "All projects are shown: @ switches to one of them."
    name = tame(opening.project, SHOWN_NAME)
    return f"The folder of {name} is unknown: start memtui in it once, or run memtui project link {quote(name)} FOLDER"


def switched(opening: Opening, place: str) -> str:
    """Return what to say once the project was switched. `place`: what is in view, as the head names it."""
    told = f"Every screen now shows {tame(place, SHOWN_NAME)}"
    if opening.has_folder:
        return f"{told}, in {shown_folder(opening.folder)}"
    if opening.project is None:
        return f"{told}; payloads contain only global memories until @ selects a project"
    return f"{told}. {no_folder(opening)}"


def shown_folder(folder: Path) -> str:
    """Return a folder as people write it, `~` for the home."""
    home = Path.home()
    return tame(f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder), 300)
