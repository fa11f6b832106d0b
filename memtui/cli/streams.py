"""The standard streams, made to speak UTF-8."""

from __future__ import annotations

import os
import sys


def use_utf8() -> None:
    """Make the standard streams speak UTF-8 whatever the locale says, and stdout carry the very bytes written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # A closed descriptor: there is nobody to read from or to write to, and that is no fault.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open as long as the process
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n" if stream is sys.stdout else None)


def has_terminal() -> bool:
    """Return whether somebody sits at a terminal that can show the app: one that moves its cursor."""
    dumb = os.environ.get("TERM", "") in {"dumb", "unknown"}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb
