"""The standard streams, made to speak UTF-8."""

from __future__ import annotations

import io
import os
import sys

from memtui.errors import OutputClosedError

_HELD: list[object] = []
"""Keeps the number of a closed descriptor taken as long as the process runs."""


class ClosedOutput(io.TextIOBase):
    """Stands for a closed standard output: writing data to it is an error."""

    def writable(self) -> bool:
        """Return True: a text can be handed over, if not written."""
        return True

    def write(self, text: str) -> int:
        """Accept only the empty text.

        Raises:
            OutputClosedError: there is something to write.
        """
        if text:
            raise OutputClosedError
        return 0


def use_utf8() -> None:
    """Make the standard streams speak UTF-8 whatever the locale says, and stdout carry the very bytes written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # A closed descriptor is not an error. Its number stays taken, or the next file that is opened, the vault
            # itself, would become the standard stream.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open as long as the process
            if name == "stdout":
                _HELD.append(sys.stdout)
                sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n" if stream is sys.stdout else None)


def has_terminal() -> bool:
    """Return whether there is a terminal that can show the app: one that moves its cursor."""
    dumb = os.environ.get("TERM", "") in {"dumb", "unknown"}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb
