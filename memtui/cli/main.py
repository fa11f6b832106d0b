"""The entry point: parse, run one command, turn failures into messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from memtui.errors import EXIT_ERROR, EXIT_USAGE, ConflictError, MemtuiError, VaultMissingError

EXIT_INTERRUPTED = 130
"""What shells expect after ctrl+c."""


def run() -> None:
    """Run `memtui` with the process's own arguments and exit."""
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line; returns the exit code."""
    from memtui.cli.output import say, use_utf8

    use_utf8()
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
        say(f"memtui: {error}")
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        say("memtui: interrupted; nothing half-done was kept")
        return EXIT_INTERRUPTED
    except OSError as error:
        say(f"memtui: {error.strerror or error}: {error.filename or 'the operating system refused'}")
        return EXIT_ERROR


def _dispatch(argv: list[str]) -> int:
    from memtui.cli.parsing import help_text, parse

    command, arguments = parse(argv)
    if command is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            print(help_text(), file=sys.stderr)
            return EXIT_USAGE
        from memtui.cli.app import open_app

        return open_app(arguments)
    from memtui.cli.registry import load
    from memtui.cli.session import Session

    session = Session(arguments)
    try:
        code = int(load(command).run(arguments, session))
    except VaultMissingError:
        raise
    except MemtuiError:
        session.tell_missing_vault()
        raise
    session.tell_missing_vault()
    return code
