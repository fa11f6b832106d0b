"""The entry point: parse, run one command, turn failures into messages and exit codes."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.cli.output import has_terminal, use_utf8, write_line
from memtui.cli.registry import BY_NAME, MODEL, NOTHING, TOKENS, VAULT, Peek, help_text, version_text
from memtui.errors import (
    EXIT_DONE,
    EXIT_ERROR,
    EXIT_USAGE,
    ConflictError,
    MemtuiError,
    OutputClosedError,
    OutputFailedError,
    VaultMissingError,
)
from memtui.progress import BACKGROUND

if TYPE_CHECKING:
    from memtui.config import Config

EXIT_INTERRUPTED = 130  # What shells expect after ctrl+c
TRACEBACK = "MEMTUI_TRACEBACK"  # Environment variable that lets the traceback of an internal error through
LONGEST_HALF = 600  # Characters shown of the beginning and of the end of an error message


def run() -> None:
    """Run `memtui` with the process's own arguments and exit."""
    # A command is over before its garbage matters; collecting it costs a tenth of the start.
    gc.disable()
    code = 0
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        print(f"memtui: {error.strerror}: standard output", file=sys.stderr)
        code = EXIT_ERROR
    _leave_quickly(code)
    sys.exit(code)


def _leave_quickly(code: int) -> None:
    """End the process without taking the interpreter apart, which takes 30 to 60 ms, unless a thread is at work.

    The app's own threads do not count: what they work for is gone.

    Nothing is lost: files are closed when they are written, and the vault is open only while it is used.
    """
    others = (one for one in threading.enumerate() if one is not threading.main_thread())
    if any(not one.daemon and not one.name.startswith(BACKGROUND) for one in others):
        return
    atexit._run_exitfuncs()  # noqa: SLF001 - the only way to do what ending does, without the rest of it
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return  # sys.exit reports it
    os._exit(code)


def _discard_output() -> None:
    """Send what is still buffered for stdout nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main(argv: Sequence[str]) -> int:
    """Run one command line; returns the exit code."""
    use_utf8()
    try:
        if len(argv) == 1 and argv[0] in {"-h", "--help", "--version"}:
            # Without a parser, whose import takes half the time.
            write_line(version_text() if argv[0] == "--version" else help_text())
            return EXIT_DONE
        words = list(argv)
        peek = Peek(words)
        if peek.command is BY_NAME["hook"] and not peek.asks_help:
            # An assistant runs it, and must not notice whatever is wrong.
            from memtui.cli.hook import run_hook

            return run_hook(words)
        return _dispatch(words, peek)
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else EXIT_ERROR
    except BrokenPipeError:
        _discard_output()
        return EXIT_DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - reported, an internal error included
        return _report(error)


def _dispatch(argv: list[str], peek: Peek) -> int:
    from memtui.cli.parsing import parse

    begin(peek)
    arguments = parse(argv)
    if arguments is None:
        return EXIT_DONE
    from memtui.embedding.planted_meaning import look_twice

    if not hasattr(arguments, "command"):
        if not has_terminal():
            print(help_text(), file=sys.stderr)
            print("\nThe app needs an interactive terminal; every action has a command too.", file=sys.stderr)
            return EXIT_USAGE
        from memtui.cli.app import open_app

        look_twice(is_on=True)
        return open_app(arguments)
    from memtui.cli.output import flush
    from memtui.cli.session import Session

    command = BY_NAME[arguments.command]
    # Not where a model would be waited for
    look_twice(is_on=command.looks_twice and not getattr(arguments, "fast", False))
    session = Session(arguments)
    if command.folds_spool:
        session.fold_spool()
    try:
        code = arguments.run(arguments, session) or EXIT_DONE
        flush()
    except VaultMissingError:
        raise
    except (OutputFailedError, OutputClosedError, BrokenPipeError) as error:
        session.say_change()
        if isinstance(error, OutputFailedError):
            _discard_output()  # else it would fail once more at the end
        raise
    except MemtuiError:
        session.say_vault_missing()
        raise
    session.say_vault_missing()
    session.fold_log()
    return int(code)


def _report(error: BaseException) -> int:
    """Say on stderr what went wrong; returns the exit code."""
    from memtui.cli.output import say

    if isinstance(error, MemtuiError):
        say(f"memtui: {_clipped(str(error))}")
        for side, text in _both_sides(error):
            say(f"\n--- {side}\n{text}")
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        say("memtui: interrupted; no partial changes were saved")
        return EXIT_INTERRUPTED
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        say("memtui: A path starts with ~ and an unknown user name")
        return EXIT_USAGE
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        place = f": {_clipped(error.filename)}" if error.filename else ""
        say(f"memtui: The disk is full{place}. Free some space and try again.")
        return EXIT_ERROR
    if isinstance(error, OSError):
        place = error.filename or "refused by the operating system"
        say(f"memtui: {_clipped(f'{error.strerror or error}: {place}')}")
        return EXIT_ERROR
    if os.environ.get(TRACEBACK):
        raise error
    say(f"memtui: internal error: {_clipped(f'{type(error).__name__}: {error}')}")
    say(f"No partial changes were saved. Please report this; {TRACEBACK}=1 shows where it happened.")
    return EXIT_ERROR


def _both_sides(error: MemtuiError) -> list[tuple[str, str]]:
    """Return the two texts of a conflict, each with what it is; none of other errors."""
    if not isinstance(error, ConflictError) or not (error.mine or error.theirs):
        return []
    return list(zip(error.sides, (error.mine, error.theirs), strict=True))


def _clipped(message: str) -> str:
    """Return a message without the middle of a pasted megabyte."""
    if len(message) <= 2 * LONGEST_HALF:
        return message
    return f"{message[:LONGEST_HALF]} … {message[-LONGEST_HALF:]}"


def begin(peek: Peek) -> None:
    """Start loading what a command line will need; what turns out to be unused ends with the process."""
    loaded = sys.modules.get("memtui.embedding.engine")
    if loaded is not None:
        # Another command ran in this process before; its model may be another.
        loaded.drop_begun()
    ahead = peek.command.ahead if peek.command is not None and not peek.asks_help else NOTHING
    if ahead < VAULT:
        return
    from memtui.vault.connection import warm_up

    warm_up()
    if ahead < MODEL or peek.is_fast or not peek.has_words or not _is_vault(peek.vault):
        return
    from memtui.embedding.engine import begin_opening

    begin_opening(lambda: _config().embedding.model)
    if ahead >= TOKENS:
        _begin_counting()


def _is_vault(named: str) -> bool:
    """Return whether there is a vault: without one there is nothing to compare with.

    `named`: as the command line names it, empty where it does not.
    """
    from pathlib import Path

    from memtui import locations
    from memtui.vault.lease import vault_file

    try:
        return vault_file(Path(named).expanduser() if named else locations.default_vault()).is_file()
    except (OSError, ValueError, RuntimeError):
        return False  # an impossible name is reported when the vault is opened


def _config() -> Config:
    from memtui import locations
    from memtui.config import load_config

    return load_config(locations.config_file())


def _begin_counting() -> None:
    """Load the token counter of payloads in a thread."""
    from contextlib import suppress
    from threading import Thread

    def load() -> None:
        from memtui.errors import MemtuiError
        from memtui.text.token_count import get_counter

        with suppress(MemtuiError):  # reported when tokens are counted
            get_counter(_config().context.encoding)

    Thread(target=load, name="tokens", daemon=True).start()
