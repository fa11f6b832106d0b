"""What files say, kept by the hash of their content, so that a file is parsed once.

One small file per content: nothing has to be read but what is asked for, two processes never spoil each
other's, and a damaged one is as good as none.
"""

from __future__ import annotations

import contextlib
import json
import os
from hashlib import blake2b
from pathlib import Path

from memtui.recall.imports.statements import Language, Statement

FORMAT = 1
"""Raised when statements come to mean something else."""

MOST_PER_SHARD = 24
"""Entries in each of the 256 folders: at most 6,144 in all, about what three large repositories reach."""


class StatementCache:
    """Statements by content, below one folder; every failure of the file system means a miss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, source: bytes, language: Language) -> tuple[Statement, ...] | None:
        """Return the statements of a content, None if they are not known."""
        try:
            record = json.loads(self._file(source, language).read_bytes())
            return tuple(Statement(kind, path, tuple(names)) for kind, path, *names in map(_strings, record))
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def put(self, source: bytes, language: Language, statements: tuple[Statement, ...]) -> None:
        """Keep the statements of a content."""
        target = self._file(source, language)
        part = target.with_suffix(f".{os.getpid()}.part")
        text = json.dumps([[one.kind, one.path, *one.names] for one in statements], ensure_ascii=True)
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_room(target.parent)
            part.write_text(text, encoding="ascii")
            part.replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()

    def _file(self, source: bytes, language: Language) -> Path:
        salt = f"{FORMAT} {language.name}".encode()
        name = blake2b(source, key=blake2b(salt, digest_size=32).digest(), digest_size=16).hexdigest()
        return self._folder / name[:2] / f"{name}.json"


def _strings(row: object) -> list[str]:
    """Return a row as it must be.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(one, str) for one in row):  # noqa: PLR2004 - kind and path
        raise TypeError
    return row


def _make_room(folder: Path) -> None:
    """Remove the oldest entries of a full folder."""
    entries = [Path(entry) for entry in os.scandir(folder)]
    if len(entries) < MOST_PER_SHARD:
        return
    for oldest in sorted(entries, key=_written)[: len(entries) - MOST_PER_SHARD + 1]:
        with contextlib.suppress(OSError):
            oldest.unlink()


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
