"""`memtui config`."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from memtui import locations
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.config import default_text
from memtui.errors import EXIT_DONE, UsageError
from memtui.publish.files import write_atomically


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("path", parents=[parent], help="print where the configuration is read from")
    actions.add_parser("show", parents=[parent], help="print the configuration in force")
    actions.add_parser(
        "init", parents=[parent], help="write a file with every key commented; never over an existing one"
    )
    actions.add_parser("keys", parents=[parent], help="list the app's acts: id, keys in force, what each does")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of the subcommands."""
    path = locations.config_file()
    if arguments.action == "path":
        write_json({"path": str(path)}) if session.json else write_line(str(path))
    elif arguments.action == "show":
        _show(session)
    elif arguments.action == "init":
        if path.exists():
            raise UsageError(
                "There is a configuration already", where=str(path), remedy="Edit it, or move it away first."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, default_text().encode())
        write_json({"path": str(path)}) if session.json else write_line(str(path))
    elif arguments.action == "keys":
        _keys(session)
    else:
        raise UsageError("Which action?", remedy="path, show, init or keys.")
    return EXIT_DONE


def _keys(session: Session) -> None:
    from memtui.tui.actions.table import ACTIONS
    from memtui.tui.keymap import Keymap

    keymap = Keymap(dict(session.config.keys))
    for problem in keymap.problems:
        say(problem)
    if session.json:
        write_json(
            [
                {"id": action.id, "keys": list(keymap.keys(action)), "area": action.area, "title": action.title}
                for action in ACTIONS
            ]
        )
        return
    for action in ACTIONS:
        write_line(f"{action.id:<16} {keymap.shown(action):<16} {action.palette_title}")


def _show(session: Session) -> None:
    values = asdict(session.config)
    values.pop("path")
    values["keys"] = dict(values["keys"])
    values["kinds"] = dict(values["kinds"])
    values["targets"] = {
        name: {key: value for key, value in asdict(target).items() if value is not None}
        for name, target in session.config.targets
    }
    values["secrets"] = {"patterns": dict(values["secrets"]["patterns"])}
    if session.json:
        write_json(values)
        return
    say(f"from {session.config.path}" if session.config.path else "defaults; there is no configuration file")
    for section, keys in values.items():
        for line in _toml(section, keys):
            write_line(line)


def _toml(name: str, table: dict[str, Any]) -> Iterator[str]:
    """Yield a table as lines of TOML, tables within it last."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    if len(inner) < len(table) or not table:
        yield f"[{name}]"
    for key, value in table.items():
        if key not in inner:
            # JSON's texts, numbers and truth values are TOML's too.
            yield f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in inner.items():
        yield from _toml(f"{name}.{_key(key)}", value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
