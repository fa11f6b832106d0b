"""The standard streams, made to speak UTF-8."""

from __future__ import annotations

import io
import os
import sys

from memtui.errors import OutputClosedError

_TAKEN: list[object] = []
"""What keeps the number of a closed descriptor taken as long as the process runs."""


class ClosedOutput(io.TextIOBase):
    """Stands for a standard output that was closed: whoever writes data is told that nobody can have it."""

    def writable(self) -> bool:
        """Return True: a text can be handed over, if not written."""
        return True

    def write(self, text: str) -> int:
        """Take no text but the empty one.

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
            # A closed descriptor: nobody to read from or to talk to is no fault. Its number stays taken, lest the
            # next file that is opened, the vault itself, becomes the standard stream.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open as long as the process
            if name == "stdout":
                # Data that nobody gets is a fault.
                _TAKEN.append(sys.stdout)
                sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n" if stream is sys.stdout else None)


def has_terminal() -> bool:
    """Return whether somebody sits at a terminal that can show the app: one that moves its cursor."""
    dumb = os.environ.get("TERM", "") in {"dumb", "unknown"}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb
