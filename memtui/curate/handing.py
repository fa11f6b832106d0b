"""Handing a memory on: as text to paste, and where it stands in files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from memtui.domain.memory import Anchor, Memory
from memtui.errors import NotFoundError
from memtui.text.sanitising import one_line, sanitise

MOST_READ_BYTES = 2 << 20
"""Bytes of a file that are looked through for a symbol."""

_FENCE = re.compile(r"`{3,}")


def memory_text(memories: Sequence[Memory]) -> str:
    """Return memories as plain text to paste: title, insight, why, snippet in a fence; without control characters."""
    return "\n---\n\n".join(_text(memory) for memory in memories)


def _text(memory: Memory) -> str:
    parts = [memory.title, memory.insight]
    if memory.rationale:
        parts.append(f"Why: {memory.rationale}")
    if memory.snippet:
        longest = max((len(run) for run in _FENCE.findall(memory.snippet)), default=2)
        fence = "`" * (longest + 1)
        parts.append(f"{fence}\n{memory.snippet.rstrip()}\n{fence}")
    if memory.anchors:
        parts.append("Files: " + ", ".join(anchor.path for anchor in memory.anchors))
    return sanitise("\n\n".join(dict.fromkeys(part.strip("\n") for part in parts))).text + "\n"


def place_of(memory: Memory, root: Path | None) -> tuple[Path, int]:
    """Return the file and line, counted from 1, that a memory came from; else those of its first file that is there.

    Args:
        memory: the memory.
        root: the folder that its paths are relative to, None where that is not known.

    Raises:
        NotFoundError: there is no such file; the text says why.
    """
    for source in memory.sources:
        path = _existing(source.path, root) if source.path else None
        if path is not None:
            return path, source.span[0] if source.span else 1
    for anchor in memory.anchors:
        plain, _, symbol = anchor.path.partition("::")
        path = None if Anchor(plain).is_glob else _existing(plain, root)
        if path is not None:
            return path, _line_of(path, symbol)
    raise NotFoundError(_why_nowhere(memory, root))


def _existing(given: str, root: Path | None) -> Path | None:
    """Return the absolute path of a file that is there, None for what is none or cannot be looked at."""
    path = Path(given).expanduser() if given.startswith("~") else Path(given)
    if not path.is_absolute():
        if root is None:
            return None
        path = root / path
    try:
        return path if os.path.isfile(path) else None  # noqa: PTH113 - Path.is_file raises for impossible names
    except ValueError:
        return None


def _line_of(path: Path, symbol: str) -> int:
    """Return the first line that names a symbol, 1 where none does."""
    if not symbol:
        return 1
    word = re.compile(rf"(?<!\w){re.escape(symbol.rsplit('.', 1)[-1])}(?!\w)")
    try:
        with path.open("rb") as stream:
            text = stream.read(MOST_READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return 1
    return next((number for number, line in enumerate(text.split("\n"), 1) if word.search(line)), 1)


def _why_nowhere(memory: Memory, root: Path | None) -> str:
    paths = [source.path for source in memory.sources if source.path] + [anchor.path for anchor in memory.anchors]
    if not paths:
        return "It was typed here and is tied to no file"
    first = one_line(paths[0])[:80]
    if root is None and not Path(paths[0]).is_absolute():
        return f"{first} lies in a project whose folder is not known here"
    return f"{first} is not there"
