"""`memtui vault`."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, UsageError
from memtui.vault.backup import list_backups, log_path
from memtui.vault.maintenance import back_up, restore, waiting_log_bytes


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("path", parents=[parent], help="print where the vault is")
    backup = actions.add_parser("backup", parents=[parent], help="copy the vault; prints the copy's path")
    backup.add_argument("--to", metavar="PATH", help="another place than the folder of backups")
    back = actions.add_parser(
        "restore", parents=[parent], help="put a backup in the vault's place; what was there is backed up first"
    )
    back.add_argument("name", metavar="BACKUP", nargs="?", help="file name or path (default: the newest)")
    actions.add_parser("backups", parents=[parent], help="list the backups, the newest first")


def _tell_waiting_log(session: Session) -> None:
    """Say that the file alone is not all of the vault, where that is so."""
    waiting = waiting_log_bytes(session.vault)
    if waiting:
        say(
            f"The file alone is not all: {waiting:,} bytes of changes stand in {log_path(session.vault.path).name}"
            " beside it. `memtui vault backup` copies both as one."
        )


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of the subcommands."""
    if arguments.action is None:
        raise UsageError("Which action?", remedy="path, backup, restore or backups.")
    if arguments.action == "path":
        paths = [session.vault.path]
        _tell_waiting_log(session)
    elif arguments.action == "backup":
        paths = [back_up(session.vault, to=Path(arguments.to).expanduser() if arguments.to else None)]
    elif arguments.action == "backups":
        paths = list_backups(session.vault.path)
    else:
        session.only_a_person("restore the vault")
        used, kept = restore(session.vault, arguments.name)
        say(f"restored {used.name}" + (f"; what was there is {kept.name}" if kept else ""))
        paths = [used]
    if session.json:
        write_json([str(path) for path in paths] if arguments.action == "backups" else {"path": str(paths[0])})
        return EXIT_DONE
    for path in paths:
        write_line(str(path))
    if arguments.action == "backups" and not paths:
        say("There is no backup yet.")
    return EXIT_DONE
