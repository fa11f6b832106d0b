"""The assistants that memtui knows, from `assistants.toml`: their files, entries and events."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from memtui.assist.install.jsonc import Dialect
from memtui.domain.wiring import Scope, Use
from memtui.text.words import unknown


@dataclass(frozen=True, slots=True)
class Place:
    """A file by scope, as written in the table."""

    user: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    user_moved: tuple[str, ...] = ()  # instead of `user` where the assistant's folder is moved


@dataclass(frozen=True, slots=True)
class Server:
    """The entry of memtui's MCP server."""

    place: Place
    at: tuple[str, ...]
    entry: Mapping[str, Any]
    format: Literal["json", "toml", "yaml"] = "json"
    dialect: Dialect = field(default_factory=Dialect)


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the assistant at which memtui is called."""

    name: str
    use: Use
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Hooks:
    """How memtui's hooks are written."""

    place: Place
    shape: Literal["groups", "handlers", "plugin"]
    """`groups`: `{matcher, hooks: [handler]}`; `handlers`: the handlers themselves; `plugin`: a file of code."""
    events: tuple[Event, ...]
    handler: Mapping[str, Any] = field(default_factory=dict)
    base: Mapping[str, Any] = field(default_factory=dict)  # what a new file holds besides
    off_when: Mapping[str, Any] = field(default_factory=dict)  # settings that switch all hooks off
    dialect: Dialect = field(default_factory=Dialect)


@dataclass(frozen=True, slots=True)
class Assistant:
    """One assistant."""

    name: str
    title: str
    folder: str  # in the home; it is there where the assistant was ever started
    programs: tuple[str, ...]
    server: Server
    steps: tuple[str, ...]  # what the person still has to do
    loads: tuple[str, ...]  # what it reads by itself
    limit: str  # of a hook's text, or of its rule files
    hooks: Hooks | None = None  # None: memtui prints the lines to paste
    skill: Place | None = None
    block: str = ""  # export target of its managed block
    moved_by: str = ""  # environment variable that names the folder
    moved_to: str = ""  # folder inside that

    @property
    def is_written(self) -> bool:
        """Whether memtui writes its files; else it prints the lines to paste."""
        return self.hooks is not None

    @property
    def home(self) -> Path:
        """The assistant's own folder."""
        moved = os.environ.get(self.moved_by) if self.moved_by else None
        return Path(moved).expanduser() / self.moved_to if moved else Path.home() / self.folder

    @property
    def loads_here(self) -> tuple[str, ...]:
        """What it reads by itself, its own folder named as the environment has it."""
        named, here = f"~/{self.folder}/", f"{self.home}/"
        is_moved = self.home != Path.home() / self.folder
        return tuple(words.replace(named, here) for words in self.loads) if is_moved else self.loads

    @property
    def is_here(self) -> bool:
        """Whether the assistant seems to be installed on this machine."""
        return self.home.is_dir() or any(map(shutil.which, self.programs))

    def path(self, place: Place, scope: Scope, root: Path) -> Path | None:
        """Return the file of a scope, None where there is none; `root`: of the project."""
        if scope is Scope.PROJECT:
            paths = [root / name for name in place.project]
        else:
            is_moved = bool(self.moved_by and os.environ.get(self.moved_by))
            names = place.user_moved if is_moved and place.user_moved else place.user
            paths = [self._user_path(name) for name in names]
        return next((path for path in paths if path.exists()), paths[-1] if paths else None)

    def base(self, scope: Scope, root: Path) -> Path:
        """Return the folder that files of a scope must lie in."""
        if scope is Scope.PROJECT:
            return root
        home = Path.home()
        return home if self.home.is_relative_to(home) else self.home

    def _user_path(self, name: str) -> Path:
        start, _, rest = name.partition("/")
        return {"~": Path.home(), "@": self.home}.get(start, Path(start)) / rest


@cache
def assistants() -> Mapping[str, Assistant]:
    """Return all assistants by name, those that are written first."""
    table = tomllib.loads((files("memtui.assist.install") / "assistants.toml").read_text("utf-8"))
    return {name: _assistant(name, row) for name, row in table.items()}


def assistant_named(name: str) -> Assistant:
    """Return an assistant. Raises `UsageError`: there is none of that name."""
    known = assistants()
    if name not in known:
        raise unknown("assistant", name, known)
    return known[name]


def _assistant(name: str, row: Mapping[str, Any]) -> Assistant:
    hooks, skill = row.get("hooks"), row.get("skill")
    return Assistant(
        name=name,
        title=row["title"],
        folder=row["folder"],
        programs=tuple(row["programs"]),
        server=_server(row["mcp"]),
        steps=tuple(row["steps"]),
        loads=tuple(row["loads"]),
        limit=row["limit"],
        hooks=_hooks(hooks) if hooks else None,
        skill=_place(skill) if skill else None,
        block=row.get("block", ""),
        moved_by=row.get("moved_by", ""),
        moved_to=row.get("moved_to", ""),
    )


def _place(row: Mapping[str, Any]) -> Place:
    return Place(*(tuple(row.get(key, ())) for key in ("user", "project", "user_moved")))


def _dialect(row: Mapping[str, Any]) -> Dialect:
    return Dialect(comments=row.get("comments", False), trailing_commas=row.get("trailing_commas", False))


def _server(row: Mapping[str, Any]) -> Server:
    return Server(_place(row), tuple(row["at"]), row["entry"], row.get("format", "json"), _dialect(row))


def _hooks(row: Mapping[str, Any]) -> Hooks:
    events = tuple(Event(event["name"], Use(event["use"]), event.get("matcher", "")) for event in row["events"])
    more = {key: row[key] for key in ("handler", "base", "off_when") if key in row}
    return Hooks(_place(row), row["shape"], events, dialect=_dialect(row), **more)
