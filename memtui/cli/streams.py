"""The standard streams, made to speak UTF-8."""

from __future__ import annotations

import sys


def use_utf8() -> None:
    """Make the standard streams speak UTF-8 whatever the locale says, and stdout carry the very bytes written."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n" if stream is sys.stdout else None)
