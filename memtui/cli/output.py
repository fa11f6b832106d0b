"""What the command line prints: data on stdout, messages on stderr, both UTF-8."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from memtui.errors import OutputFailedError
from memtui.text.plural import counted
from memtui.text.sanitize import reveal
from memtui.text.width import cell_width, clip, pad

NARROWEST_LAST_COLUMN = 12
WIDEST_COLUMN = 60
"""A longer cell is shown whole, but does not push every other row apart."""


def read_input() -> str:
    """Return all of standard input as text: UTF-8, or UTF-16 if its BOM says so, with LF line ends."""
    from memtui.text.sanitize import decode

    decoded = decode(sys.stdin.buffer.read())
    if decoded.replaced:
        say(f"{plural(decoded.replaced, 'byte')} were no UTF-8; each stands as \N{REPLACEMENT CHARACTER}")
    return decoded.text


def say(message: str) -> None:
    """Print a message for people on stderr, hidden characters written out."""
    print(reveal(message), file=sys.stderr)


def write(text: str) -> None:
    """Write data to stdout as it is, without a newline of ours.

    Raises:
        OutputFailedError: stdout takes no more.
        OutputClosedError: stdout is closed.
        BrokenPipeError: whoever reads it has gone.
    """
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailedError(error.strerror or str(error)) from error


def flush() -> None:
    """Hand on what was written to stdout; raises as `write` does."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailedError(error.strerror or str(error)) from error


def write_line(text: str) -> None:
    """Write one line of data to stdout."""
    write(text + "\n")


def write_json(value: Any) -> None:
    """Write JSON to stdout, CJK as it is."""
    write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


plural = counted


def write_table(rows: Sequence[Sequence[str]], *, headings: Sequence[str] = ()) -> None:
    """Write columns to stdout, hidden characters written out; on a terminal the last one is clipped to its width."""
    shown = [[reveal(cell) for cell in row] for row in ([headings, *rows] if headings else rows)]
    if not shown:
        return
    widths = [min(WIDEST_COLUMN, max(cell_width(row[at]) for row in shown)) for at in range(len(shown[0]) - 1)]
    room = _room(sys.stdout, sum(widths) + 2 * len(widths))
    for row in shown:
        cells = [cell if cell_width(cell) > width else pad(cell, width) for cell, width in zip(row, widths)]  # noqa: B905 - the last cell has no width
        last = clip(row[-1], room) if room else row[-1]
        write_line("  ".join([*cells, last]).rstrip())


def _room(stream: TextIO, used: int) -> int:
    """Return the cells left for the last column on a terminal, 0 for no limit."""
    if not stream.isatty():
        return 0
    from shutil import get_terminal_size

    return max(NARROWEST_LAST_COLUMN, get_terminal_size().columns - used)
