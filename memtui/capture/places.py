"""Where sources lie: those of a project, those of the home folder, and the places that a person chooses among."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtui.capture.collect import SourceFound, SourcesFound, find
from memtui.capture.left_out import Exclusions
from memtui.capture.readers.rule_files import RuleReader
from memtui.progress import ProgressCallback
from memtui.publish.okf import is_bundle
from memtui.publish.portable import MANIFEST
from memtui.text.tables import read_table
from memtui.workspace import Workspace, find_workspace

Where = Literal["project", "home", "named"]

_Groups = dict[tuple[Path, str], list[SourceFound]]


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A file, or a folder of rules, that holds what memtui can read."""

    path: Path
    where: Where  # In the project, in the home folder, or named by a person
    label: str  # What people call it
    name: str  # Its path for display: from the project's root, or from the home folder with `~`
    sources: tuple[SourceFound, ...]
    is_loaded: bool = True  # Whether an assistant loads it by itself, so that it is imported unless a person says no


def memory_folders(workspace: Workspace) -> list[str]:
    """Return the folders, below the home folder, of Claude's auto memory of a checkout.

    All checkouts of a repository share that of the main one; some versions gave each its own.
    """
    slugs = (re.sub(r"[^A-Za-z0-9]", "-", root.as_posix()) for root in (workspace.main_root, workspace.root))
    return [f".claude/projects/{slug}/memory" for slug in dict.fromkeys(slugs)]


def sources_of(
    path: Path,
    home: Path,
    *,
    format: str = "auto",  # noqa: A002 - the word of the design
    exclusions: Exclusions | None = None,
    progress: ProgressCallback | None = None,
) -> SourcesFound:
    """Return the sources of a file or folder, and with a project's root those of its auto memory.

    This is what both the command line and the app import, whether a person names a folder or works in it.

    Raises:
        NotFoundError: the path does not exist.
        UsageError: the format is unknown, or a pattern cannot be read.
        Cancelled: raised by `progress`, and passed on.
    """
    workspace = find_workspace(path)
    root = workspace.root if workspace.is_repository else None
    exclusions = exclusions or Exclusions()
    found = find(path, root=root, home=home, format=format, exclusions=exclusions, progress=progress)
    found.exclusions = exclusions
    if path.is_dir() and path.resolve() == workspace.root:
        for folder in memory_folders(workspace):
            if (home / folder).is_dir():
                found.add(find(home / folder, root=None, home=home, format=format, progress=progress))
    return found


def project_sources(
    folder: Path, home: Path, *, exclusions: Exclusions | None = None, progress: ProgressCallback | None = None
) -> SourcesFound:
    """Return the sources of the project around a folder, with its auto memory.

    The home folder, or one above it, is no project: it is searched only where a person names it.
    """
    root = find_workspace(folder).root
    if home.resolve().is_relative_to(root):
        return SourcesFound()
    return sources_of(root, home, exclusions=exclusions, progress=progress)


def home_sources(home: Path, *, progress: ProgressCallback | None = None) -> SourcesFound:
    """Return the sources of the home folder that hold for every project."""
    found = SourcesFound()
    for name in read_table(__file__, "places.toml")["home"]:
        if (home / name).exists():
            found.add(find(home / name, root=home, home=home, progress=progress))
    found.sources = [source for source in found.sources if source.reader is not None]
    found.unloaded = []
    return found


def find_places(
    folder: Path, home: Path, *, progress: ProgressCallback | None = None
) -> tuple[list[KnownPlace], SourcesFound]:
    """Return the places of the project around a folder, then those of the home folder, and everything found there."""
    root = find_workspace(folder).root
    found = project_sources(folder, home, progress=progress)
    own = places_of(found.sources, "project", root, home)
    own += unloaded_places(found.unloaded, root, home, known={place.path for place in own})
    seen = {source.real for source in found.sources}
    others = home_sources(home, progress=progress)
    others.sources = [source for source in others.sources if source.real not in seen]
    places = [*own, *places_of(others.sources, "home", home, home)]
    found.add(others)
    return places, found


def places_of(sources: Sequence[SourceFound], where: Where, base: Path, home: Path) -> list[KnownPlace]:
    """Return the places of sources, in their order: a folder of rules is one, any other file is one by itself.

    So is a folder that holds nothing but several files of one sort.
    """
    groups: _Groups = {}
    for source in sources:
        label = source.reader.label if source.reader else "Any Markdown"
        groups.setdefault((_place(source), label), []).append(source)
    groups = _by_folder(groups, base)
    return [
        KnownPlace(path, where, label, _name(path, where, base, home), tuple(group))
        for (path, label), group in groups.items()
    ]


_FEWEST_IN_A_FOLDER = 3  # Files from which their folder stands for them


def _by_folder(groups: _Groups, base: Path) -> _Groups:
    """Return places with the files of a folder as one, where they are of one sort and it holds no other place.

    `groups`: sources by path and label. `base`: a folder whose files are named one by one.
    """
    inside: dict[Path, list[tuple[Path, str]]] = {}
    for path, label in groups:
        inside.setdefault(path.parent, []).append((path, label))
    taken = {base, *(path for path, _ in groups)}
    folders = {
        folder
        for folder, places in inside.items()
        if len(places) >= _FEWEST_IN_A_FOLDER
        and folder not in taken
        and len({label for _, label in places}) == 1
        and all(groups[place][0].file.path == place[0] for place in places)
    }
    found: _Groups = {}
    for (path, label), sources in groups.items():
        place = path.parent if path.parent in folders else path
        found.setdefault((place, label), []).extend(sources)
    return found


def unloaded_places(
    texts: Sequence[SourceFound], base: Path, home: Path, *, known: Collection[Path] = ()
) -> list[KnownPlace]:
    """Return the folders of a project's texts that no assistant loads by itself.

    `known`: places of others; a text in one of these is a place by itself.
    """
    folders: dict[Path, list[SourceFound]] = {}
    for text in texts:
        path = text.file.path
        folders.setdefault(path if path.parent in known else path.parent, []).append(text)
    return [
        KnownPlace(path, "project", "Not loaded by itself", _name(path, "project", base, home), tuple(group), False)
        for path, group in folders.items()
    ]


def _place(source: SourceFound) -> Path:
    reader, path = source.reader, source.file.path
    if isinstance(reader, RuleReader):
        return Path(reader.folder(source.file) or path)
    if reader is not None and reader.format == "skill":
        return path.parent.parent
    if reader is not None and reader.format in {"adr", "claude-memory"}:
        return path.parent
    if reader is not None and reader.format in {"vault", "okf"}:
        roots = (folder for folder in path.parents if (folder / MANIFEST).is_file() or is_bundle(folder))
        return next(roots, path)
    return path


def _name(path: Path, where: Where, base: Path, home: Path) -> str:
    if where == "project" and path.is_relative_to(base):
        return path.relative_to(base).as_posix()
    if where != "named" and path.is_relative_to(home):
        return f"~/{path.relative_to(home).as_posix()}"
    return str(path)
