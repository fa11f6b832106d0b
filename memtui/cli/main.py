"""The entry point: parse, run one command, turn failures into messages and exit codes."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Sequence

from memtui.cli.streams import has_terminal, use_utf8
from memtui.errors import (
    EXIT_ERROR,
    EXIT_USAGE,
    ConflictError,
    MemtuiError,
    OutputClosedError,
    OutputFailedError,
    VaultMissingError,
)

EXIT_INTERRUPTED = 130
"""What shells expect after ctrl+c."""

TRACEBACK = "MEMTUI_TRACEBACK"
"""Environment variable that lets the traceback of a defect through."""

LONGEST_HALF = 600
"""Characters shown of the beginning and of the end of an error message."""


def run() -> None:
    """Run `memtui` with the process's own arguments and exit."""
    # A command is over before its garbage matters; collecting it costs a tenth of the start.
    gc.disable()
    code = 0
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"memtui: {error.strerror}: standard output", file=sys.stderr)
        code = EXIT_ERROR
    _leave_quickly(code)
    sys.exit(code)


def _leave_quickly(code: int) -> None:
    """End the process, unless somebody is at work in it: taking the interpreter apart takes 30 to 60 ms.

    Nothing is lost by that: files are closed when they are written, and the vault is nobody's between two uses.
    """
    if any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread()):
        return
    atexit._run_exitfuncs()  # noqa: SLF001 - the only way to do what ending does, without the rest of it
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # The interpreter knows what to say.
        return
    os._exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line; returns the exit code."""
    use_utf8()
    if len(argv) == 1 and argv[0] in {"-h", "--help", "--version"}:
        try:
            return _answer(argv[0])
        except OutputClosedError as error:
            print(f"memtui: {error}", file=sys.stderr)
            return error.exit_code
    try:
        return _told(argv)
    except Exception as error:
        # A defect of ours is told in words too, never as a traceback.
        if os.environ.get(TRACEBACK):
            raise
        from memtui.cli.output import say

        say(f"memtui: a defect of memtui: {_clipped(f'{type(error).__name__}: {error}')}")
        say(f"Nothing half-done was kept. {TRACEBACK}=1 shows where; please report it.")
        return EXIT_ERROR


def _told(argv: Sequence[str]) -> int:
    """Run one command line, with every failure that can be foreseen told in words."""
    from memtui.cli.output import say

    try:
        return _dispatch(list(argv))
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else EXIT_ERROR
    except ConflictError as error:
        say(f"memtui: {error}")
        if error.mine or error.theirs:
            say(f"\n--- yours (from version {error.base_version})\n{error.mine}")
            say(f"\n--- stored (version {error.current_version})\n{error.theirs}")
        return error.exit_code
    except MemtuiError as error:
        say(f"memtui: {_clipped(str(error))}")
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        say("memtui: interrupted; nothing half-done was kept")
        return EXIT_INTERRUPTED
    except RuntimeError as error:
        if "home directory" not in str(error):
            raise
        say("memtui: A path begins with ~ and a name, and the system knows no user of that name")
        return EXIT_USAGE
    except OSError as error:
        place = error.filename or "the operating system refused"
        say(f"memtui: {_clipped(f'{error.strerror or error}: {place}')}")
        return EXIT_ERROR


def _clipped(message: str) -> str:
    """Return a message without the middle of a pasted megabyte."""
    if len(message) <= 2 * LONGEST_HALF:
        return message
    return f"{message[:LONGEST_HALF]} … {message[-LONGEST_HALF:]}"


def _answer(option: str) -> int:
    """Print help or version without a parser: half the time of a parser's import."""
    if option == "--version":
        from memtui import __version__

        print(f"memtui {__version__}")
    else:
        from memtui.cli.helping import help_text

        print(help_text())
    return 0


def _dispatch(argv: list[str]) -> int:
    from memtui.cli.helping import help_text
    from memtui.cli.output import flush
    from memtui.cli.parsing import parse
    from memtui.cli.warmup import begin

    begin(argv)
    command, arguments = parse(argv)
    if command is None:
        if not has_terminal():
            print(help_text(), file=sys.stderr)
            print("\nThe app needs a terminal that moves its cursor; every act has a command too.", file=sys.stderr)
            return EXIT_USAGE
        from memtui.cli.app import open_app

        return open_app(arguments)
    from memtui.cli.registry import load
    from memtui.cli.session import Session

    session = Session(arguments)
    try:
        code = int(load(command).run(arguments, session))
        flush()
    except VaultMissingError:
        raise
    except (OutputFailedError, OutputClosedError, BrokenPipeError) as error:
        session.tell_change()
        if isinstance(error, OutputFailedError):
            # What is still held back would fail once more at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise
    except MemtuiError:
        session.tell_missing_vault()
        raise
    session.tell_missing_vault()
    session.fold_log()
    return code
