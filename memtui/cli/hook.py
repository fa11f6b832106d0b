"""`hook`: what assistants call at the events of a session."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memtui.assist.hooks.run import Hook, answer, moment, note_failure
from memtui.errors import EXIT_DONE

if TYPE_CHECKING:
    from io import BufferedReader

    from memtui.cli.parsing import Parser
    from memtui.cli.session import Commands, Session

_CHUNK_BYTES = 65_536


def _arguments(parser: Parser) -> None:
    parser.add_value("event", "EVENT", "the assistant's own name for the event, e.g. SessionStart")
    parser.add_value(
        "--assistant",
        "A",
        "claude-code, codex, gemini, copilot, cursor, opencode, vscode, cline or goose (default: from its input)",
    )


def _hook(arguments: argparse.Namespace, session: Session) -> None:
    """Answer an event of an assistant: JSON on stdin, its own form of answer on stdout.

    Installed by `memtui install`. Always exits 0: where anything is wrong it says nothing, and `memtui doctor` tells
    why.
    Nothing is served to sessions started with MEMTUI_INCOGNITO=1.
    """
    _run(arguments)


def run_hook(argv: Sequence[str]) -> int:
    """Run `memtui hook` without what other commands need; an assistant would take a failure as its own."""
    from memtui.cli.parsing import parse

    try:
        arguments = parse(list(argv))
    except Exception as error:  # noqa: BLE001 - also a wrong option must not stop an assistant
        note_failure("hook", error, moment())
        return EXIT_DONE
    if arguments is not None:
        _run(arguments)
    return EXIT_DONE


def _run(arguments: argparse.Namespace) -> None:
    named = getattr(arguments, "vault", None)
    hook = Hook(
        event=arguments.event,
        assistant=arguments.assistant,
        vault=Path(named).expanduser().absolute() if named else None,
        project=getattr(arguments, "project", None),
    )
    text = answer(hook, _stdin())
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()


def _stdin() -> bytes:
    """Return everything that the assistant sends; a person at a terminal sends nothing.

    One that leaves the pipe open is not waited for once its object is whole.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return b""
    stream, data = cast("BufferedReader", sys.stdin.buffer), b""
    while chunk := stream.read1(_CHUNK_BYTES):
        data += chunk
        if _is_whole(data):
            break
    return data


def _is_whole(data: bytes) -> bool:
    if not data.rstrip().endswith(b"}"):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


COMMANDS: Commands = {"hook": (_arguments, _hook)}
