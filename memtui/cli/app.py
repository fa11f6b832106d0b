"""Open the terminal app, or a few lines of it: `memtui` and `memtui pick`."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui import locations
from memtui.cli.output import say, write, write_json
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.curate.fields import check_kind_in_use
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.tui.state import Opening


M_ARENA_MAX = -8  # malloc.h of glibc


def open_app(arguments: argparse.Namespace, start: str = "list", vault: Vault | None = None) -> int:
    """Open the app and return its exit code once the person leaves it.

    `start`: `list`, or `due` for what is due for review. `vault`: another vault than the chosen one, e.g. the demo's
    copy; it gets no daily backup.
    """
    import gc
    from dataclasses import replace

    from memtui.assist.spool import fold_quietly
    from memtui.tui.app import MemtuiApp

    # The command line runs without it; an app that stays open needs it.
    gc.enable()
    # What is on the screen waits a fifth as long for threads that read, as they hand the interpreter over sooner.
    sys.setswitchinterval(0.001)
    _share_malloc_arenas()
    session = Session(arguments)
    opened = vault or session.vault
    opening = opening_of(session, vault)
    if start == "due":
        review = {"kinds": _kinds(arguments, session), "most": arguments.size}
        opening = replace(opening, start="due", **review)
    fold_quietly(opened)
    app = MemtuiApp(opening)
    code = app.run(mouse=session.config.app.mouse) or app.return_code or EXIT_DONE
    if opened.wrote:
        opened.fold_log_if_free()
    return code


def _share_malloc_arenas() -> None:
    """Let threads share two arenas of glibc: each of their own keeps what it once held, 50 MB at 100,000 memories."""
    import ctypes

    with suppress(OSError, AttributeError, TypeError):  # another libc or system has no such thing
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def opening_of(session: Session, vault: Vault | None = None) -> Opening:
    """Return what the app is opened with. `vault`: another one than the chosen one."""
    from memtui.recall.resident import ResidentMeaning
    from memtui.tui.state import Opening

    config, opened = session.config, vault or session.vault
    return Opening(
        vault=opened,
        folder=session.folder,
        project=session.project,
        actor=session.actor,
        threshold=config.review.threshold,
        recall=config.recall,
        before_change=session.back_up_daily if vault is None else lambda: None,
        daily=config.review.daily,
        weekly=config.review.weekly,
        keys=dict(config.keys),
        theme=config.app.theme,
        burst=config.app.burst,
        # A demo starts the same for everybody, and leaves nothing behind.
        state_path=locations.app_state() if vault is None else None,
        tour=vault is not None,
        context=config.context,
        inbox=config.inbox,
        meaning=ResidentMeaning(opened, config.embedding.model),
        secret_patterns=tuple(config.secrets.patterns),
        targets=config.targets,
    )


def _kinds(arguments: argparse.Namespace, session: Session) -> tuple[str, ...]:
    """Return the kinds of `memtui review --kind`, checked."""
    return tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind)


def _arguments(parser: Parser) -> None:
    parser.add_value("query", "QUERY", "words to begin with", nargs="*")


def _pick(arguments: argparse.Namespace, session: Session) -> int:
    """Pick a memory from ten lines under the prompt and copy it.

    Where the output goes into a file or another program, the text is written there instead of the clipboard. `memtui
    completion SHELL --key KEYS` binds it to a key of the shell.
    """
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
