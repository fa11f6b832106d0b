"""`memtui pick`."""

from __future__ import annotations

import argparse
import os
import sys

from memtui.cli.output import say, write, write_json
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError


def _arguments(parser: Parser) -> None:
    parser.add_value("query", "QUERY", "words to begin with", nargs="*")


def _pick(arguments: argparse.Namespace, session: Session) -> int:
    """Pick a memory from ten lines under the prompt and copy it.

    Where the output goes into a file or another program, the text is written there instead of the clipboard. `memtui
    completion SHELL --key KEYS` binds it to a key of the shell.
    """
    from memtui.cli.app import opening_of
    from memtui.curate.views import get_view, memory_text, view_record
    from memtui.tui.pick.screen import PickApp
    from memtui.tui.vault_access import VaultAccess

    # The list is drawn on standard error, so that standard output is free for the memory.
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or os.environ.get("TERM", "") in {"dumb", "unknown"}:
        raise UsageError("pick needs a terminal", remedy="`memtui search QUERY` and `memtui show ID` work without one.")
    opening = opening_of(session)
    app = PickApp(opening, " ".join(arguments.query))
    if not sys.stdout.isatty():
        # Textual asks this stream for the size of the terminal, and draws on standard error anyway.
        sys.__stdout__ = sys.__stderr__  # type: ignore[misc] # final for type checkers alone
    app.run(inline=True, mouse=session.config.app.mouse)
    if app.picked is None:
        return EXIT_NOTHING
    access = VaultAccess(opening)
    if session.json:
        write_json(view_record(get_view(session.vault, app.picked), session.kinds))
    elif sys.stdout.isatty():
        say(access.copy([app.picked]).message)
    else:
        write(memory_text(access.memories([app.picked])) + "\n")
    return EXIT_DONE


COMMANDS: Commands = {"pick": (_arguments, _pick)}
