"""What is installed in each assistant: read from its files, whatever the record says."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.assist.install.assistants import Assistant, assistants
from memtui.assist.install.command import Program, words_of
from memtui.assist.install.parts import ConfigFile
from memtui.assist.install.plan import config_files
from memtui.assist.installed import Installed, records
from memtui.assist.splice import TextFile, read_file
from memtui.domain.wiring import Part, Scope, Wiring
from memtui.errors import MemtuiError


@dataclass(frozen=True, slots=True)
class PartState:
    """The state of one part in one scope."""

    part: Part
    scope: Scope
    wiring: Wiring
    path: Path
    argv: tuple[str, ...] = ()  # what it runs, where it is there

    @property
    def is_there(self) -> bool:
        return self.wiring not in {Wiring.ABSENT, Wiring.UNREADABLE}


@dataclass(frozen=True, slots=True)
class AssistantState:
    """What is installed in one assistant."""

    assistant: Assistant
    is_here: bool
    parts: tuple[PartState, ...]
    elsewhere: tuple[str, ...] = ()  # files of other projects that the record names

    @property
    def is_installed(self) -> bool:
        return any(part.is_there for part in self.parts)

    @property
    def is_doubled(self) -> bool:
        """Whether the same part is installed for the user and for the project: both run."""
        return any(
            len([part for part in self.parts if part.part is kind and part.is_there]) > 1 for kind in (Part.HOOKS,)
        )

    def of(self, kind: Part) -> PartState | None:
        """Return the state of a part: that of the scope where it is, else that of the user's."""
        parts = [part for part in self.parts if part.part is kind]
        return next((part for part in parts if part.is_there), parts[0] if parts else None)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Where something is installed."""
        return tuple(scope for scope in Scope if any(part.is_there and part.scope is scope for part in self.parts))


def states(root: Path | None, program: Program) -> list[AssistantState]:
    """Return the state of every assistant. `root`: the project's folder, None outside of one."""
    known = records()
    return [state_of(assistant, root, program, known) for assistant in assistants().values()]


def state_of(
    assistant: Assistant, root: Path | None, program: Program, known: Mapping[str, Installed] | None = None
) -> AssistantState:
    """Return the state of an assistant; never fails because of what its files hold."""
    parts: list[PartState] = []
    if assistant.is_written:
        for scope in Scope:
            if scope is Scope.USER or root is not None:
                for config in config_files(assistant, scope, root or Path(), program):
                    parts += _parts(assistant, scope, config, program)
    shown = {str(part.path) for part in parts}
    kept = (records() if known is None else known).values()
    elsewhere = [
        row.path for row in kept if row.owner == assistant.name and row.path not in shown and Path(row.path).exists()
    ]
    return AssistantState(assistant, assistant.is_here, tuple(parts), tuple(elsewhere))


def _parts(assistant: Assistant, scope: Scope, config: ConfigFile, program: Program) -> Iterator[PartState]:
    try:
        file = read_file(config.path, config.root)
        if config.server is not None:
            yield PartState(Part.SERVER, scope, *_server(config, file, program))
        if config.hooks is not None:
            yield PartState(Part.HOOKS, scope, *_hooks(assistant, config, file, program))
        if config.server is None and config.hooks is None:
            yield PartState(Part.SKILL, scope, *_skill(config, file))
    except MemtuiError:
        kinds = ((Part.SERVER, config.server), (Part.HOOKS, config.hooks))
        yield from (PartState(kind, scope, Wiring.UNREADABLE, config.path) for kind, there in kinds if there)


Found = tuple[Wiring, Path, tuple[str, ...]]


def _server(config: ConfigFile, file: TextFile, program: Program) -> Found:
    entry = config.server_entry(file)
    if entry is None:
        return Wiring.ABSENT, config.path, ()
    argv = tuple(words_of(entry))
    is_off = entry.get("enabled") is False or entry.get("disabled") is True
    return Wiring.OFF if is_off else _wiring_of(argv, tuple(program.argv("mcp"))), config.path, argv


def _skill(config: ConfigFile, file: TextFile) -> Found:
    if file.data is None:
        return Wiring.ABSENT, config.path, ()
    return (Wiring.INSTALLED if file.text == config.whole else Wiring.MOVED), config.path, ()


def _hooks(assistant: Assistant, config: ConfigFile, file: TextFile, program: Program) -> Found:
    if config.whole is not None:
        return _plugin(config, file, program)
    found = config.handlers(file)
    if not found:
        return Wiring.ABSENT, config.path, ()
    event = next((event for event in config.events if event.name in found), config.events[0])
    places = found.get(event.name) or next(iter(found.values()))
    argv = tuple(words_of(places[0][1]))
    wanted = tuple(program.argv("hook", event.name, "--assistant", assistant.name))
    wiring = _wiring_of(argv, wanted)
    if config.hooks is not None and _contains(config.values(file), config.hooks.off_when):
        wiring = Wiring.OFF
    elif wiring is Wiring.INSTALLED and any(event.name not in found for event in config.events):
        wiring = Wiring.PARTIAL
    elif wiring is Wiring.INSTALLED and assistant.name == "codex" and not _is_trusted(config.path, found):
        wiring = Wiring.UNTRUSTED
    return wiring, config.path, argv


def _plugin(config: ConfigFile, file: TextFile, program: Program) -> Found:
    command = re.search(r"const COMMAND = (\[.*\])", file.text)
    if command is None:
        return Wiring.ABSENT, config.path, ()
    event = config.events[0].name
    argv = (*re.findall(r'"((?:[^"\\]|\\.)*)"', command[1]), "hook", event, "--assistant", config.name)
    if file.text == config.whole:
        return Wiring.INSTALLED, config.path, argv
    wiring = _wiring_of(argv, tuple(program.argv("hook", event, "--assistant", config.name)))
    return (Wiring.PARTIAL if wiring is Wiring.INSTALLED else wiring), config.path, argv


def can_run(program: str) -> bool:
    """Return whether a program is there; one that is named without its folder may be."""
    return not os.path.isabs(program) or os.access(program, os.X_OK)  # noqa: PTH117 - a text of somebody's configuration


def _wiring_of(argv: tuple[str, ...], wanted: tuple[str, ...]) -> Wiring:
    if not can_run(argv[0]):
        return Wiring.BROKEN
    return Wiring.INSTALLED if argv == wanted else Wiring.MOVED


def _contains(values: Any, part: Mapping[str, Any]) -> bool:
    """Return whether values say at least what a part of them says; nothing says nothing."""
    if not part or not isinstance(values, dict):
        return False
    return all(
        _contains(values.get(key), value) if isinstance(value, Mapping) else values.get(key) == value
        for key, value in part.items()
    )


def _is_trusted(path: Path, found: Mapping[str, Iterable[tuple[tuple[int, ...], Any]]]) -> bool:
    """Return whether the user accepted the hooks in Codex: it keeps a hash by file, event and position."""
    try:
        state = tomllib.loads((path.parent / "config.toml").read_text("utf-8-sig"))["hooks"]["state"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    accepted = {str(key) for key in state} if isinstance(state, dict) else set()
    wanted = {
        ":".join((str(path), re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower(), *map(str, indices)))
        for event, places in found.items()
        for indices, _ in places
    }
    return wanted <= accepted
