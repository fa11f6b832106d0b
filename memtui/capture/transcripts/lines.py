"""Lines of JSON in a file that is still being written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from memtui.capture.transcripts.session import START, Position

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that is still parsed; a longer one is counted as bad."""


HEAD_BYTES = 700
"""Bytes of a line in which its kind shows."""

LONGEST_FILE = 256 * 1024 * 1024
"""Bytes of a file that is one object; such a file is read as a whole."""


@dataclass(frozen=True, slots=True)
class Line:
    """One record, its number counted from 1, and where it starts and ends."""

    number: int
    start: Position
    end: Position
    record: dict[str, Any]


def records(
    file: Path, bad_lines: list[int], *, since: Position = START, skip: re.Pattern[bytes] | None = None
) -> Iterator[Line]:
    """Yield the records of a file after a position; other lines are noted in `bad_lines`.

    Half a line at the end is noted, not yielded, and lies behind the end of every line that is. Lines whose beginning
    `skip` finds are left out unparsed: much of a transcript is what only its assistant reads.

    Raises:
        OSError: the file cannot be read.
    """
    number, offset = since.lines, since.offset
    with file.open("rb") as stream:
        stream.seek(offset)
        for raw, length in _raw_lines(stream):
            start = Position(offset, number)
            number += 1
            offset += length
            if skip is not None and skip.search(raw, 0, HEAD_BYTES):
                continue
            record = _parsed(raw)
            if record is None:
                if raw.strip() or (raw.endswith(b"\n") and start.offset != since.offset):
                    bad_lines.append(number)
                continue
            yield Line(number, start, Position(offset, number), record)


def _raw_lines(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of a file with their lengths; of one that is too long only the beginning is held."""
    while raw := stream.readline(LONGEST_LINE):
        length = len(raw)
        if length == LONGEST_LINE and not raw.endswith(b"\n"):
            while rest := stream.readline(LONGEST_LINE):
                length += len(rest)
                if rest.endswith(b"\n"):
                    break
        yield raw, length


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def json_file(file: Path, bad_lines: list[int]) -> dict[str, Any]:
    """Return the object of a whole file; a list becomes its `messages`, and what is no JSON is noted as bad.

    Raises:
        OSError: the file cannot be read.
    """
    if file.stat().st_size > LONGEST_FILE:
        bad_lines.append(1)
        return {}
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        bad_lines.append(1)
        return {}
    return {"messages": found} if isinstance(found, list) else found if isinstance(found, dict) else {}
