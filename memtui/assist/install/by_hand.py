"""What a person changed in memtui's own parts of a file: uninstalling takes it along, and has to say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.assist.install.command import Program, words_of
from memtui.assist.install.parts import COMMAND_KEYS, ConfigFile
from memtui.assist.installed import is_as_written
from memtui.assist.splice import TextFile


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
