"""`memtui project`."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.cli.output import plural, say, write_json, write_table
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.curate.projects import alias_remote, link_folder
from memtui.domain.project import linked_folder
from memtui.errors import EXIT_DONE, UsageError
from memtui.vault.projects import check_name, list_projects

DESCRIPTIONS = {
    "project": "A project is a git repository, known by its remote, else by its root commit. "
    "Other folders belong to one only when linked."
}


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", parents=[parent], help="list projects with what they are known by (default)")
    link = actions.add_parser("link", parents=[parent], help="let a folder belong to a project")
    link.add_argument("name", metavar="NAME", help="the project")
    link.add_argument("path", metavar="PATH", nargs="?", default=".", help="the folder (default: where you are)")
    alias = actions.add_parser("alias", parents=[parent], help="let another git remote mean the project too")
    alias.add_argument("name", metavar="NAME", help="the project")
    alias.add_argument("remote", metavar="REMOTE", help="the remote's URL")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of the subcommands."""
    if arguments.action in {None, "list"}:
        return _list(session)
    session.only_a_person("say what a project is")
    name = check_name(arguments.name)
    if name == "global":
        raise UsageError("`global` is no folder's project", remedy="Name it for one memory: --project global.")
    if arguments.action == "link":
        folder = (session.folder / Path(arguments.path).expanduser()).resolve()
        before, what = link_folder(session.vault, name, folder), str(folder)
    else:
        before, what = alias_remote(session.vault, name, arguments.remote), arguments.remote
    if session.json:
        write_json({"project": name, "before": before})
    moved = f" (was {before})" if before and before != name else ""
    say(f"{what} belongs to {name}{moved}")
    return EXIT_DONE


def _list(session: Session) -> int:
    with session.vault.read() as reader:
        projects = list_projects(reader)
    if session.json:
        write_json([{"name": p.name, "memories": p.memories, "identities": list(p.identities)} for p in projects])
        return EXIT_DONE
    write_table(
        [[p.name, plural(p.memories, "memory"), ", ".join(p.identities) + _lost(p.identities)] for p in projects]
    )
    if not projects:
        say("No projects yet. They appear with the first memory of a repository.")
    return EXIT_DONE


def _lost(identities: tuple[str, ...]) -> str:
    """Say that a linked folder is gone, so that a moved project can be linked again."""
    gone = [str(folder) for name in identities if (folder := linked_folder(name)) and not folder.is_dir()]
    return f"  (gone: {', '.join(gone)}; link its new place)" if gone else ""
