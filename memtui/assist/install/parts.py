"""memtui's parts of one configuration file: put in, taken out, and found, whatever their keys and positions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.assist.install import toml_table
from memtui.assist.install.assistants import Event, Hooks, Server
from memtui.assist.install.command import Program, runs_memtui
from memtui.assist.install.json_editor import Editor, dumped
from memtui.assist.install.jsonc import STRICT, Dialect, Key
from memtui.assist.installed import Installed
from memtui.assist.splice import TextFile
from memtui.domain.wiring import Use
from memtui.errors import RefusedError

_HOOKS = "hooks"
_MARKS = ("installed by memtui", "generated-by: memtui")  # What files that are memtui's own say
COMMAND_KEYS = frozenset({"command", "args", "bash", "powershell"})
"""What is brought up to date in an entry that is there; the rest of it may have been changed by the user."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file, and what memtui writes into it."""

    path: Path
    root: Path  # the folder that it must lie in
    server: Server | None = None
    hooks: Hooks | None = None
    events: tuple[Event, ...] = ()
    name: str = ""  # the assistant's name, for the hooks' command line
    whole: str | None = None  # the text of a file that is memtui's own

    def put(self, file: TextFile, program: Program) -> bytes:
        """Return the file with memtui's parts.

        Raises:
            SourceError: it cannot be parsed.
            RefusedError: something else stands in the place.
        """
        if self.whole is not None:
            if file.data is not None and not _is_own(file.text):
                raise RefusedError("A file that memtui did not write already exists", where=str(self.path))
            return file.encoded(self.whole)
        text = file.text
        if self.server is not None and self.server.format == "toml":
            entry = program.filled(self.server.entry, "mcp")
            text = toml_table.put(text, self._place_in(toml_table.parse(text)), entry, file.newline)
            return file.encoded(text)
        editor = self._editor(file)
        before = without_ours(editor.value)
        for key, value in self._base.items():
            if key not in editor.value:
                editor.put((key,), value)
        if self.server is not None:
            _put_server(editor, self._place_in(editor.value), program.filled(self.server.entry, "mcp"))
        events = self._events_beside(editor.value)
        for event in events:
            _put_hook(editor, event, self.wanted(event, program))
        for event_name in _own_events(editor.value) - {event.name for event in events} if self.hooks else ():
            _remove_hooks(editor, event_name, (), keep=None)
        _check(without_ours(editor.value), before, self._base)
        return file.encoded(editor.text)

    def strip(self, file: TextFile, record: Installed | None) -> bytes | None:
        """Return the file without memtui's parts; None where it is to go. Raises `SourceError`: it cannot be parsed."""
        is_ours = record is not None and record.without is None
        if self.whole is not None:
            return None if is_ours or _is_own(file.text) else file.data
        if self._is_toml:
            text = self._without_tables(file.text)
            return None if is_ours and not text.strip() else file.encoded(text)
        is_ours = is_ours or (self.hooks is not None and self.path.stem == "memtui")
        editor = self._without_entries(file, record)
        is_left_empty = editor.value in ({}, self._base) and not editor.has_comment
        return None if is_ours and is_left_empty else file.encoded(editor.text)

    def _without_tables(self, text: str) -> str:
        for place in self._places_in(toml_table.parse(text)):
            text = toml_table.remove(text, place)
        return text

    def _without_entries(self, file: TextFile, record: Installed | None) -> Editor:
        kept_empty = [tuple(path.split("/")) for path in record.kept_empty] if record else []
        editor = self._editor(file)
        before = without_ours(editor.value)
        for place in self._places_in(editor.value):
            editor.remove(place, keep_empty=kept_empty)
        for event_name in sorted(_own_events(editor.value)) if self.hooks is not None else ():
            _remove_hooks(editor, event_name, kept_empty, keep=None)
        _check(without_ours(editor.value), before, {})
        return editor

    def server_entry(self, file: TextFile) -> Any:
        """Return memtui's entry as it stands, None where there is none."""
        if self.server is None or file.data is None:
            return None
        if self.server.format == "toml":
            values: Any = toml_table.parse(file.text)
        else:
            values = self.values(file)
        places = self._places_in(values)
        return toml_table.get(values, places[0]) if places else None

    def handlers(self, file: TextFile) -> dict[str, list[tuple[tuple[int, ...], Any]]]:
        """Return memtui's handlers as they stand: by event, with their indices in it."""
        if self.hooks is None or file.data is None or self.whole is not None:
            return {}
        values = self.values(file)
        return {name: found for name in sorted(_own_events(values)) if (found := list(_ours_of(values, name)))}

    def values(self, file: TextFile) -> Any:
        """Return everything in a JSON file. Raises `SourceError` or `RefusedError`: it cannot be edited."""
        if self._dialect == STRICT:
            # Python's own parser is many times faster: Claude Code's file can have megabytes.
            with suppress(ValueError, RecursionError):
                values = json.loads(file.text)
                if isinstance(values, dict):
                    return values
        return self._editor(file).value

    def wanted(self, event: Event, program: Program) -> dict[str, Any]:
        """Return what stands in the list of an event."""
        if self.hooks is None:
            return {}
        handler = program.filled(self.hooks.handler, "hook", event.name, "--assistant", self.name)
        matcher = {"matcher": event.matcher} if event.matcher else {}
        return {**matcher, "hooks": [handler]} if self.hooks.shape == "groups" else {**handler, **matcher}

    def empty_containers(self, data: bytes | None) -> tuple[str, ...]:
        """Return which containers on the way to memtui's parts are there and empty."""
        if not data or self.whole is not None or self._is_toml:
            return ()
        values = self.values(TextFile(self.path, data))
        paths = [self.server.at[:depth] for depth in range(1, len(self.server.at))] if self.server else []
        paths += [(_HOOKS,), *((_HOOKS, event.name) for event in self.events)] if self.hooks else []
        return tuple("/".join(path) for path in paths if toml_table.get(values, path) in ({}, []))

    def _events_beside(self, values: Mapping[str, Any]) -> list[Event]:
        """Return the events to install: those that are wanted, and that of commands where somebody wanted it before."""
        if self.hooks is None:
            return []
        there = _own_events(values)
        return [
            one for one in self.hooks.events if one in self.events or (one.use is Use.COMMAND and one.name in there)
        ]

    def _editor(self, file: TextFile) -> Editor:
        editor = Editor(file.text, self._dialect, file.newline)
        if not isinstance(editor.value, dict):
            raise RefusedError("The file must contain an object", where=str(self.path))
        return editor

    @property
    def _is_toml(self) -> bool:
        return self.server is not None and self.server.format == "toml"

    @property
    def _base(self) -> Mapping[str, Any]:
        """What the file holds beside hooks before anything is installed."""
        return self.hooks.base if self.hooks else {}

    @property
    def _dialect(self) -> Dialect:
        return self.server.dialect if self.server else self.hooks.dialect if self.hooks else Dialect()

    def _places_in(self, values: Mapping[str, Any]) -> list[tuple[str, ...]]:
        """Return the paths of the entries that run memtui's server."""
        if self.server is None:
            return []
        servers = toml_table.get(values, self.server.at[:-1])
        found = (
            [key for key, entry in servers.items() if runs_memtui(entry, "mcp")] if isinstance(servers, dict) else []
        )
        return [(*self.server.at[:-1], key) for key in found]

    def _place_in(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """Return where memtui's entry stands or is to stand. Raises `RefusedError`: another one is there."""
        places = self._places_in(values)
        at = self.server.at if self.server else ()
        if not places and toml_table.get(values, at) is not None:
            raise RefusedError("An entry of this name runs another program", where=f"{self.path}: {'/'.join(at)}")
        return places[0] if places else at


def _is_own(text: str) -> bool:
    """Return whether a whole file is memtui's own: it says so."""
    return any(mark in text for mark in _MARKS)


def _put_server(editor: Editor, at: tuple[str, ...], entry: Mapping[str, Any]) -> None:
    there = editor.get(at)
    if not isinstance(there, dict):
        editor.put(at, entry)
        return
    for key, value in entry.items():
        if key not in there or (key in COMMAND_KEYS and there[key] != value):
            editor.put((*at, key), value)


def _put_hook(editor: Editor, event: Event, wanted: dict[str, Any]) -> None:
    """Put memtui's handler of an event in, at the end of its list, or bring the one that is there up to date."""
    ours = list(_ours_of(editor.value, event.name))
    if not ours:
        editor.append((_HOOKS, event.name), wanted)
        return
    indices, there = ours[0]
    path: tuple[Key, ...] = (_HOOKS, event.name, indices[0], *((_HOOKS, indices[1]) if len(indices) > 1 else ()))
    handler = wanted[_HOOKS][0] if _HOOKS in wanted else wanted
    for key, value in handler.items():
        if key in COMMAND_KEYS and there.get(key) != value:
            editor.put((*path, key), value)
    _remove_hooks(editor, event.name, (), keep=indices)


def _remove_hooks(
    editor: Editor, event: str, kept_empty: Sequence[tuple[str, ...]], *, keep: tuple[int, ...] | None
) -> None:
    """Remove memtui's handlers of an event, but for the one in the place `keep`."""
    for indices, _ in reversed(list(_ours_of(editor.value, event))):
        if indices != keep:
            group: tuple[Key, ...] = (_HOOKS, event, indices[0])
            inner = editor.get((*group, _HOOKS)) if len(indices) > 1 else None
            is_alone = inner is None or len(inner) == 1
            editor.remove(group if is_alone else (*group, _HOOKS, indices[1]), keep_empty=kept_empty)


def _own_events(values: Any) -> set[str]:
    events = values.get(_HOOKS) if isinstance(values, dict) else None
    return {name for name in events if any(_ours_of(values, name))} if isinstance(events, dict) else set()


def _ours_of(values: Any, event: str) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield memtui's handlers of an event with their indices: of the group, and in it."""
    events = values.get(_HOOKS)
    groups = events.get(event) if isinstance(events, dict) else None
    for at, group in enumerate(groups if isinstance(groups, list) else ()):
        inner = group.get(_HOOKS) if isinstance(group, dict) else None
        if isinstance(inner, list):
            yield from (((at, place), handler) for place, handler in enumerate(inner) if runs_memtui(handler, "hook"))
        elif runs_memtui(group, "hook"):
            yield (at,), group


def without_ours(values: Any) -> Any:
    """Return the values of a file without memtui's entries and the containers that are empty then, for comparison."""
    if isinstance(values, dict):
        kept = {key: without_ours(value) for key, value in values.items() if not _is_entry(value)}
        return {key: value for key, value in kept.items() if value not in ({}, [])}
    if isinstance(values, list):
        kept_items = [without_ours(value) for value in values if not _is_entry(value)]
        return [value for value in kept_items if not _is_bare_group(value)]
    return values


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and (runs_memtui(value, "mcp") or runs_memtui(value, "hook"))


def _is_bare_group(value: Any) -> bool:
    """Return whether only the frame of a group is left of it."""
    return isinstance(value, dict) and not value.keys() - {"matcher", "sequential"}


def _check(after: Any, before: Any, base: Mapping[str, Any]) -> None:
    """Refuse a result that changed more than memtui's own entries."""
    more = {key: value for key, value in base.items() if isinstance(before, dict) and key not in before}
    if after != ({**before, **more} if isinstance(before, dict) else before):
        raise RefusedError("The file cannot be edited without changing other settings")


def pasted(path: Sequence[str], value: Any, form: str) -> str:
    """Return the lines that a person can paste: `value` at `path`."""
    if form == "toml":
        return toml_table.rendered(tuple(path), value)
    for key in reversed(path):
        value = {key: value}
    if form == "yaml":
        import yaml

        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
    return dumped(value, "  ") + "\n"
