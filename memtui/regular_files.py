"""Reads files whose names come from a project, in which a link may lead to a device and a pipe may stand for a file."""

from __future__ import annotations

import os
import stat
from errno import EINVAL
from pathlib import Path


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for whoever writes into a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular(path: Path, most: int = -1) -> bytes:
    """Return the bytes of a regular file, at most so many.

    Raises `OSError`: it cannot be read, or is none: a device may have no end, and a pipe is waited for.
    """
    with open(path, "rb", opener=_opened_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(EINVAL, "no regular file", str(path))
        return file.read(most)
