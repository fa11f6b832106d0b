"""Which files an assistant reads by itself in a folder, as `loads.toml` has them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memtui.capture.draft import SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.includes import find_imports
from memtui.capture.places import memory_folders
from memtui.text.tables import read_table
from memtui.text.words import unknown
from memtui.tree import tree_files
from memtui.workspace import Workspace, find_workspace

When = Literal["always", "with files", "on request", "by description", "by name"]
"""When a file is read: at the start, with files that fit it, where it is asked for; of the last two only what it is
for, or the name."""

_MOST_FILES = 400  # Files of one pattern
_HIDES = "disable-model-invocation"  # The setting of a skill by which the assistant does not know of it


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of what an assistant reads."""

    path: str
    where: str
    alternatives: tuple[str, ...] = ()  # further names of which the first that exists counts
    more: tuple[str, ...] = ()  # further names that are read as well
    unless: tuple[str, ...] = ()
    scoped: str = ""
    always: tuple[str, str] | None = None
    is_manual: bool = False  # whether a file without either setting is read only where it is asked for
    is_whole: bool = True
    is_skill: bool = False  # whether its name and description are sent, and the rest where it is asked for
    in_chain: bool = False
    imports: int = 0
    limits: Mapping[str, int] = field(default_factory=dict)  # by unit


@dataclass(frozen=True, slots=True)
class Assistant:
    """What one assistant reads by itself."""

    name: str
    label: str
    version: str  # the release that the row is about
    source: str  # where it is known from
    target: str  # the target that memtui publishes to for it
    folder: Path  # its own folder
    rules: tuple[Rule, ...]
    chain: int | None  # most bytes of the rows of the chain
    file: int | None  # a file with more bytes is not read at all
    drops_comments: bool  # whether comments on lines of their own are taken out first


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that an assistant reads, and how."""

    path: Path
    rule: Rule
    when: When
    imported_by: Path | None = None


def assistant_names() -> tuple[str, ...]:
    return tuple(read_table(__file__, "loads.toml"))


def assistant_named(name: str) -> Assistant:
    """Return what an assistant reads. Raises `UsageError`: it is not in the table."""
    table = read_table(__file__, "loads.toml")
    wanted = name.strip().lower()
    wanted = {"claude": "claude-code", "claude-md": "claude-code"}.get(wanted, wanted)
    if wanted not in table:
        raise unknown("assistant", name, table)
    return _assistant(wanted, table[wanted])


def _assistant(name: str, row: Mapping[str, Any]) -> Assistant:
    variable, default = row["home"]
    own = os.environ.get(variable) if variable else None
    return Assistant(
        name=name,
        label=row["label"],
        version=row["version"],
        source=row["source"],
        target=row["target"],
        folder=Path(own or default).expanduser(),
        rules=tuple(map(_rule, row["files"])),
        chain=row.get("chain", {}).get("bytes"),
        file=row.get("file", {}).get("bytes"),
        drops_comments=row.get("comments", False),
    )


def _rule(row: Mapping[str, Any]) -> Rule:
    return Rule(
        path=row["path"],
        where=row["where"],
        alternatives=tuple(row.get("or", ())),
        more=tuple(row.get("and", ())),
        unless=tuple(row.get("unless", ())),
        scoped=row.get("scoped", ""),
        always=tuple(row["always"]) if "always" in row else None,
        is_manual=row.get("manual", False),
        is_whole=row.get("whole", True),
        is_skill=row.get("skill", False),
        in_chain=row.get("chain", False),
        imports=row.get("imports", 0),
        limits={unit: row[unit] for unit in ("lines", "bytes", "chars") if unit in row},
    )


def readings(assistant: Assistant, folder: Path, home: Path) -> list[Reading]:
    """Return the files that an assistant reads in a folder, in its order; a file may be there several times."""
    workspace = find_workspace(folder)
    found: list[Reading] = []
    for rule in assistant.rules:
        for path in _paths(rule, assistant, workspace, home):
            names = {one.path.name for one in found if one.rule.where == rule.where}
            if names.isdisjoint(rule.unless):
                found.append(Reading(path, rule, _when(path, rule)))
                found += _imports(found[-1], workspace.root, home)
    return found


def _paths(rule: Rule, assistant: Assistant, workspace: Workspace, home: Path) -> Iterator[Path]:
    if rule.where == "below":
        yield from _below(rule.path, assistant, workspace)
        return
    for base in _bases(rule, workspace):
        choices = [_matching(name, base, assistant, workspace, home) for name in (rule.path, *rule.alternatives)]
        yield from next(filter(None, choices), [])
        for name in rule.more:
            yield from _matching(name, base, assistant, workspace, home)


def _below(name: str, assistant: Assistant, workspace: Workspace) -> list[Path]:
    """Return the files of a name in the folders below this one that git does not ignore.

    What lies in a folder of the assistant's own, such as `.claude`, other rows have, or it belongs to a skill.
    """
    here = workspace.folder
    own = {rule.path.partition("/")[0] for rule in assistant.rules if rule.path.startswith(".") and "/" in rule.path}
    named = (workspace.root / path for path in tree_files(workspace.root) if path.rpartition("/")[2] == name)
    below = (path for path in named if path.parent != here and path.is_relative_to(here))
    return sorted(path for path in below if own.isdisjoint(path.relative_to(here).parts))[:_MOST_FILES]


def _bases(rule: Rule, workspace: Workspace) -> Sequence[Path]:
    """Return the folders in which a row's names are looked for, the outermost first."""
    if rule.where in {"fixed", "root"}:
        return [workspace.root]
    outer = [*reversed(workspace.folder.parents), workspace.folder]
    return outer if rule.where == "down" else [one for one in outer if one.is_relative_to(workspace.root)]


def _matching(name: str, base: Path, assistant: Assistant, workspace: Workspace, home: Path) -> list[Path]:
    """Return the files of a name or a pattern, by name."""
    if name.startswith("memory/"):
        kept = [home / folder for folder in memory_folders(workspace)]
        own = [assistant.folder / folder.relative_to(home / ".claude") for folder in kept]
        return next(([path] for one in own if (path := one / name.removeprefix("memory/")).is_file()), [])
    if name.startswith("@/"):
        base, name = assistant.folder, name[2:]
    elif name.startswith("~/"):
        base, name = home, name[2:]
    if "*" not in name:
        path = base / name
        try:
            return [path] if path.is_file() and path.stat().st_size else []
        except OSError:
            return []
    if "/**/" not in name:
        return sorted(path for path in base.glob(name) if path.is_file())[:_MOST_FILES]
    fixed, _, pattern = name.partition("/**/")
    folder = base / fixed
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.rglob(pattern) if path.is_file())[:_MOST_FILES]


def _when(path: Path, rule: Rule) -> When:
    if not rule.is_whole:
        return "by name"
    if rule.where == "below":
        return "with files"
    if rule.is_skill:
        hidden = split_frontmatter(text_of(path)).values.get(_HIDES)
        return "on request" if str(hidden).lower() == "true" else "by description"
    if not rule.scoped:
        return "always"
    values = split_frontmatter(text_of(path)).values
    if rule.always is not None and str(values.get(rule.always[0])).lower() == rule.always[1]:
        return "always"
    if values.get(rule.scoped):
        return "with files"
    return "on request" if rule.is_manual else "always"


def _imports(reading: Reading, root: Path, home: Path, depth: int = 0) -> list[Reading]:
    """Return what a file imports with `@path`, each after what it imports itself is known, up to the limit of steps."""
    if depth >= reading.rule.imports or reading.when != "always":
        return []
    found: list[Reading] = []
    folder = reading.path.parent
    for mark in find_imports(text_of(reading.path)):
        written = Path(mark.path.replace("~", str(home), 1)) if mark.path.startswith("~/") else folder / mark.path
        path = Path(os.path.normpath(written))
        if _is_file(path):
            found.append(Reading(path, reading.rule, "always", reading.path))
            found += _imports(found[-1], root, home, depth + 1)
        if len(found) > _MOST_FILES:
            break
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def start_of(reading: Reading) -> str:
    """Return what an assistant has of a file at the start of a session: of a skill its name and description."""
    text = text_of(reading.path)
    if reading.when != "by description":
        return text
    settings = split_frontmatter(text)
    return f"{settings.text('name') or reading.path.parent.name}: {settings.text('description')}"


def text_of(path: Path) -> str:
    """Return a file as text, with replacement characters where it is none; empty where it cannot be read."""
    try:
        return SourceFile(path, path.parent, path.parent).text
    except OSError:
        return ""
