"""`memtui mcp`."""

from __future__ import annotations

import argparse
import gc
from typing import TYPE_CHECKING

from memtui.assist.mcp.tools import DEFAULT_PROFILE, PROFILES
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session

if TYPE_CHECKING:
    from memtui.assist.mcp.place import Place

PATIENCE_SECONDS = 5.0
"""How long a call waits for the vault; after that an assistant goes on without."""


def _arguments(parser: Parser) -> None:
    parser.add_value(
        "--profile",
        "P",
        "reader: read only; agent: also proposes into the inbox and gives feedback; curator: also makes changes that a"
        f" person confirms (default: {DEFAULT_PROFILE})",
        choices=PROFILES,
        default=DEFAULT_PROFILE,
    )


def _run(arguments: argparse.Namespace, session: Session) -> None:
    """Serve an assistant over the Model Context Protocol on stdin and stdout, until it closes them.

    Assistants start it by themselves; see `docs/mcp.md`.
    """
    from memtui.assist.mcp.server import serve

    def open_place() -> Place:
        from memtui.assist.mcp.place import Place

        session.wait_at_most(PATIENCE_SECONDS)
        return Place(session.vault, session.config, session.folder, session.project, session.back_up_daily)

    # The command line runs without it; a server that stays needs it.
    gc.enable()
    serve(open_place, arguments.profile, None if session.actor.is_person else session.actor.name)


COMMANDS: Commands = {"mcp": (_arguments, _run)}
