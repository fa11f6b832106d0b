"""What installing into an assistant, and uninstalling, would change; nothing is written until it is carried out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from memtui.assist.install.assistants import Assistant, Hooks, Place
from memtui.assist.install.command import PATIENCE_SECONDS, Program, shell_line, skill_text, words_of
from memtui.assist.install.parts import COMMAND_KEYS, ConfigFile, pasted
from memtui.assist.installed import apply, is_as_written, without_ours
from memtui.assist.splice import FileEdit, TextFile, read_file
from memtui.domain.wiring import Scope, Use
from memtui.errors import MemtuiError, RefusedError


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is installed besides the hooks and the server."""

    skill: bool = False  # the skill in place of the server
    commands: bool = False  # a hook before each command, for constraints that forbid it


@dataclass(frozen=True, slots=True)
class Paste:
    """Lines for a person to paste."""

    path: str  # the file
    lines: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """A file that cannot be edited, and what to paste into it instead."""

    path: Path
    error: MemtuiError
    pastes: tuple[Paste, ...] = ()


class Owner(Protocol):
    """Whose files are changed: an assistant, or something that runs the check."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def steps(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes of files, to be shown and then carried out."""

    assistant: Owner
    scope: Scope
    edits: tuple[FileEdit, ...] = ()  # files that change
    kept: tuple[Path, ...] = ()  # files that are already as they should be
    blocked: tuple[Blocked, ...] = ()
    pastes: tuple[Paste, ...] = ()  # for assistants whose files memtui does not write

    @property
    def is_change(self) -> bool:
        return bool(self.edits)


def config_files(
    assistant: Assistant, scope: Scope, root: Path, program: Program, wishes: Wishes | None = None
) -> list[ConfigFile]:
    """Return the files of an assistant that memtui writes into, each with its parts.

    `wishes`: None for every part that there is.
    """
    base = assistant.base(scope, root)
    files: dict[Path, ConfigFile] = {}

    def add(place: Place | None, *, wanted: bool, **parts: Any) -> None:
        path = assistant.path(place, scope, root) if place is not None and wanted else None
        if path is not None:
            files[path] = replace(files.get(path) or ConfigFile(path, base, name=assistant.name), **parts)

    with_skill = wishes is not None and wishes.skill
    add(assistant.server.place, wanted=not with_skill, server=assistant.server)
    if assistant.hooks is not None:
        add(assistant.hooks.place, wanted=True, **_hooks(assistant.hooks, program, wishes))
    skill = skill_text(assistant.name, shell_line(program.argv()))
    add(assistant.skill, wanted=with_skill or wishes is None, whole=skill)
    return list(files.values())


def _hooks(hooks: Hooks, program: Program, wishes: Wishes | None) -> dict[str, Any]:
    """Return the hooks of a file with the events that are wanted."""
    with_commands = wishes is not None and wishes.commands
    events = tuple(event for event in hooks.events if with_commands or event.use is not Use.COMMAND)
    whole = _plugin([event.name for event in events], program) if hooks.shape == "plugin" else None
    return {"hooks": hooks, "events": events, "whole": whole}


def _plugin(events: list[str], program: Program) -> str:
    """Return the plugin of OpenCode: the command line and the time limit are put into it."""
    text = (files("memtui.assist.install") / "opencode.js").read_text("utf-8")
    command = [program.path, *program.words[1:]]
    options = ["--vault", program.vault] if program.vault else []
    for name, value in (
        ("__COMMAND__", command),
        ("__OPTIONS__", options),
        ("__LIMIT_MS__", PATIENCE_SECONDS * 1000),
        ("__EVENTS__", events),
    ):
        text = text.replace(name, json.dumps(value, ensure_ascii=False))
    return text


def plan_install(assistant: Assistant, scope: Scope, root: Path, program: Program, wishes: Wishes) -> Plan:
    """Return what installing would change. `root`: the project's folder; in user scope it does not matter."""
    if not assistant.is_written:
        return Plan(assistant, scope, pastes=tuple(server_pastes(assistant, program, scope)))
    _refuse_plugin(assistant)

    def with_ours(config: ConfigFile, file: TextFile) -> bytes | None:
        return config.put(file, program)

    return _plan(assistant, scope, config_files(assistant, scope, root, program, wishes), with_ours, program)


def plan_uninstall(assistant: Assistant, scope: Scope, root: Path, program: Program) -> Plan:
    """Return what uninstalling would change: every part of memtui goes, also where the record is lost."""
    if not assistant.is_written:
        return Plan(assistant, scope)
    return _plan(assistant, scope, config_files(assistant, scope, root, program), None, program)


def _plan(
    assistant: Assistant,
    scope: Scope,
    configs: list[ConfigFile],
    after: Callable[[ConfigFile, TextFile], bytes | None] | None,
    program: Program,
) -> Plan:
    edits, kept, blocked = [], [], []
    for config in configs:
        try:
            file = read_file(config.path, config.root)
            without = without_ours(file, config.strip)
            wanted = without if after is None else after(config, file)
        except MemtuiError as error:
            blocked.append(Blocked(config.path, error, tuple(_pastes(config, program))))
            continue
        edit = FileEdit(
            config.path,
            file.data,
            wanted,
            without,
            by_hand=after is None and file.data != wanted and is_changed_by_hand(config, file, program),
            kept_empty=config.empty_containers(without),
        )
        if edit.is_change:
            edits.append(edit)
        elif file.data is not None:
            kept.append(config.path)
    return Plan(assistant, scope, tuple(edits), tuple(kept), tuple(blocked))


def carry_out(plan: Plan, at: str) -> None:
    """Write what a plan shows.

    Raises:
        RefusedError: one of the files cannot be edited; nothing is written.
        ConflictError: a file changed since.
        MemtuiError: the system refuses; nothing is changed.
    """
    if plan.blocked:
        first = plan.blocked[0]
        raise RefusedError(first.error.what, where=_where(first), remedy=first.error.remedy or "Nothing was changed.")
    apply(plan.edits, owner=plan.assistant.name, at=at)


def _where(blocked: Blocked) -> str:
    path = str(blocked.path)
    return path if blocked.error.where in {"", path} else f"{path}: {blocked.error.where.removeprefix(f'{path}: ')}"


def server_pastes(assistant: Assistant, program: Program, scope: Scope) -> Iterator[Paste]:
    """Yield the lines of the server's entry, and where they go."""
    server = assistant.server
    names = (scope is Scope.PROJECT and server.place.project) or server.place.user
    entry = program.filled(server.entry, "mcp")
    path = names[-1].replace("@", f"~/{assistant.folder}")
    yield Paste(path, pasted(server.at, entry, server.format))


def _pastes(config: ConfigFile, program: Program) -> Iterator[Paste]:
    """Yield the lines that would go into a file that cannot be edited."""
    if config.whole is not None:
        return
    if config.server is not None:
        entry = program.filled(config.server.entry, "mcp")
        yield Paste(str(config.path), pasted(config.server.at, entry, config.server.format))
    if config.events:
        events = {event.name: [config.wanted(event, program)] for event in config.events}
        yield Paste(str(config.path), pasted(("hooks",), events, "json"))


def _refuse_plugin(assistant: Assistant) -> None:
    """Refuse where a plugin of the assistant already brings memtui: everything would be served twice."""
    settings = assistant.home / "settings.json"
    if assistant.name != "claude-code" or not settings.is_file():
        return
    try:
        enabled = json.loads(settings.read_text("utf-8-sig")).get("enabledPlugins", {})
        plugin = next((name for name, on in enabled.items() if on and name.startswith("memtui@")), None)
    except (OSError, ValueError, AttributeError):
        return
    if plugin is not None:
        raise RefusedError(
            "A plugin already brings memtui into this assistant",
            where=f"{settings}: {plugin}",
            remedy=f"Disable it first: claude plugin disable {plugin}.",
        )


def is_changed_by_hand(config: ConfigFile, file: TextFile, program: Program) -> bool:
    """Return whether memtui's part of a file says something that memtui does not write.

    Another path of the program or of the vault is no such change: another installation of memtui wrote it.
    Raises `SourceError` or `RefusedError`: the file cannot be read.
    """
    if file.data is None:
        return False
    if config.whole is not None:
        return is_as_written(file) is False
    entry = config.server_entry(file)
    if config.server is not None and isinstance(entry, dict):
        wanted = program.filled(config.server.entry, "mcp")
        if _differs(entry, wanted, "mcp"):
            return True
    return any(
        _is_handler_changed(config, file, name, places, program) for name, places in config.handlers(file).items()
    )


def _is_handler_changed(
    config: ConfigFile, file: TextFile, name: str, places: list[tuple[tuple[int, ...], Any]], program: Program
) -> bool:
    event = next((one for one in config.hooks.events if one.name == name), None) if config.hooks else None
    if event is None:
        return False
    wanted = config.wanted(event, program)
    inner = wanted["hooks"][0] if "hooks" in wanted else wanted
    for indices, handler in places:
        if _differs(handler, inner, "hook"):
            return True
        group = config.values(file)["hooks"][name][indices[0]]
        if len(indices) > 1 and len(group["hooks"]) == 1 and {**group, "hooks": None} != {**wanted, "hooks": None}:
            return True
    return False


def _differs(there: Mapping[str, Any], wanted: Mapping[str, Any], command: str) -> bool:
    settings = [{key: value for key, value in one.items() if key not in COMMAND_KEYS} for one in (there, wanted)]
    return settings[0] != settings[1] or _after(there, command) != _after(wanted, command)


def _after(entry: Mapping[str, Any], command: str) -> list[str]:
    """Return the words that follow memtui's command, without the vault."""
    words = words_of(entry)
    after = words[words.index(command) + 1 :]
    if "--vault" in after:
        at = after.index("--vault")
        del after[at : at + 2]
    return after
