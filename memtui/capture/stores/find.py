"""Find the stores of other tools: at their default places, and below a folder that a person names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import loaded, text
from memtui.capture.stores.tools import AUTO, TOOLS, Tool, owners, tool_named
from memtui.errors import NotFoundError, SourceError, missing_file
from memtui.workspace import find_workspace

DEEPEST = 10
MOST_FOLDERS = 20_000
PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target", "backups", "chroma"})


def default_places(name: str, home: Path, folders: Iterable[Path] = ()) -> list[Place]:
    """Return the stores of a tool, or with `auto` of all, at their default places.

    `folders`: working folders and repositories; stores inside them count too.
    """
    tools = list(TOOLS.values()) if name == AUTO else [tool_named(name)]
    roots = list(dict.fromkeys(find_workspace(folder).root for folder in folders))
    found: dict[Path, Place] = {}
    for tool in tools:
        most = 1 if tool.first_only else None
        for path in islice(_at_home(tool, home), most):
            found.setdefault(path, Place(tool.name, path, home))
        for root in roots:
            for path in islice(_in_repository(tool, root) if root != home else (), most):
                found.setdefault(path, Place(tool.name, path, home, root))
    return list(found.values())


def _in_repository(tool: Tool, root: Path) -> Iterator[Path]:
    yield from (root / pattern for pattern in tool.repository if _exists(tool, root / pattern))
    yield from (root / name for name in tool.root if (root / name).is_file() and _is_its(tool, root / name))


def _at_home(tool: Tool, home: Path) -> Iterator[Path]:
    for pattern in tool.home:
        if pattern.startswith("$"):
            variable, _, rest = pattern[1:].partition("/")
            stated = os.environ.get(variable) or _setting(variable, home)
            base = Path(stated).expanduser() if stated else None
            paths = [] if base is None else sorted(base.glob(rest)) if "*" in rest else [base / rest if rest else base]
        else:
            paths = sorted(home.glob(pattern)) if "*" in pattern else [home / pattern]
        yield from (path for path in paths if _exists(tool, path))


def _setting(variable: str, home: Path) -> str:
    """Return what the settings of claude-mem say in place of a variable of the environment; empty if nothing."""
    if variable != "CLAUDE_MEM_DATA_DIR":
        return ""
    try:
        stated = loaded((home / ".claude-mem" / "settings.json").read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    return text(stated.get(variable)) if isinstance(stated, dict) else ""


def _exists(tool: Tool, path: Path) -> bool:
    try:
        return path.is_file() or (path.is_dir() and tool.knows_folder(path))
    except OSError:
        return False


def places_at(name: str, path: Path, home: Path) -> list[Place]:
    """Return the stores of a tool, or with `auto` of any, that a path names or holds.

    Raises:
        NotFoundError: there is nothing at the path, or nothing that is known.
    """
    if not path.exists():
        raise missing_file(path, NotFoundError)
    tools = list(TOOLS.values()) if name == AUTO else [tool_named(name)]
    if path.is_file():
        return [_placed(tools[0] if name != AUTO else _owner(path), path, home)]
    found = [_placed(tool, path, home) for tool in tools if _is_named(tool, path) and tool.knows_folder(path)]
    found = found or list(_below(tools, path, home))
    if not found and name != AUTO and tools[0].inside and tools[0].knows_folder(path):
        found = [_placed(tools[0], path, home)]
    if not found:
        what = f"No store of {tools[0].label}" if name != AUTO else "No store that is known here"
        raise NotFoundError(
            what, where=str(path), remedy="This folder holds none; name the store's own file or folder."
        )
    return found


def _owner(path: Path) -> Tool:
    """Return the tool whose store a file is. Raises `SourceError`: none that is known."""
    named = [tool for tool in TOOLS.values() if _is_named(tool, path)] if path.name not in GENERIC else []
    known = named or owners(path)
    if not known:
        remedy = f"--from names one of {', '.join(TOOLS)}."
        raise SourceError("Unknown type of store", where=str(path), remedy=remedy)
    return known[0]


def _is_named(tool: Tool, path: Path) -> bool:
    return any(path.match(end) for end in (*tool.ends, *tool.repository))


def _placed(tool: Tool, path: Path, home: Path) -> Place:
    """Return a store with the repository around it, if it lies in one as its tool lays it."""
    for pattern in tool.repository:
        if path.match(pattern) and not any(
            path.match(end) for end in tool.ends if "/" in end and end not in tool.repository
        ):
            return Place(tool.name, path, home, path.parents[pattern.count("/")])
    return Place(tool.name, path, home)


def _below(tools: Iterable[Tool], root: Path, home: Path) -> Iterator[Place]:
    """Yield the stores below a folder, in order; links are not followed."""
    tools = list(tools)
    seen: set[Path] = set()
    visited = 0
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        visited += 1
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER and not (here / name).is_symlink())
        if visited > MOST_FOLDERS or len(here.relative_to(root).parts) >= DEEPEST:
            folders.clear()
        for name in sorted((*folders, *names)):
            path = here / name
            if path.is_symlink():
                continue
            for tool in tools:
                if path not in seen and _is_named(tool, path) and _exists(tool, path) and _is_its(tool, path):
                    seen.add(path)
                    yield _placed(tool, path, home)


GENERIC = frozenset(
    {"memory.json", "memory.jsonl", "history.db", "context.db", "issues.jsonl", "playbook.yaml", "observations.db"}
)
"""Names that other programs give their files too."""


def _is_its(tool: Tool, path: Path) -> bool:
    if path.name not in GENERIC or not path.is_file():
        return True
    try:
        return tool in owners(path)
    except SourceError:
        return False
