"""End the app when it is told to by a signal, or when its terminal is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

EXIT_BY_SIGNAL = 128  # As shells count: the number of the signal more

LOOK_SECONDS = 1.0  # Between two looks at whether the terminal is still there
LAST_SECONDS = 3.0
"""How long an app without a terminal may take to end. Textual's threads never notice that it is gone: the one that
reads goes round for nothing, and the one that draws may stop, for which the app then waits for ever."""


def end_on_signals(end: Callable[[int], None]) -> None:
    """Leave the terminal as it was when the app is told to end. `end`: ends the app with an exit code."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # another system, or not the main thread
                asyncio.get_running_loop().add_signal_handler(number, end, EXIT_BY_SIGNAL + number)


def end_with_terminal(end: Callable[[int], None]) -> None:
    """Watch the terminal from a thread, and end the app and the process once it is gone. `end`: as of `end_on_signals`.

    Whatever was stored is safe in the journal, and what was typed is kept while one types: see `memtui.tui.drafts`.
    """
    try:
        terminal = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
    except ValueError:
        return
    if terminal < 0 or not os.isatty(terminal):
        return
    loop = asyncio.get_running_loop()
    code = EXIT_BY_SIGNAL + getattr(signal, "SIGHUP", 1)

    def watch() -> None:
        while os.isatty(terminal):
            time.sleep(LOOK_SECONDS)
        with suppress(RuntimeError):  # The loop has ended already
            loop.call_soon_threadsafe(end, code)
        time.sleep(LAST_SECONDS)
        os._exit(code)

    threading.Thread(target=watch, name="terminal-watch", daemon=True).start()
