"""The source of a memory, in the user's editor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

from memtui.errors import MemtuiError
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.values import Found

T = TypeVar("T")


def outside(app: App[Any], work: Callable[[], T]) -> T:
    """Give the terminal to something else while it works; the app is back whether it succeeds or raises.

    Raises `SuspendNotSupported`: the app cannot leave this terminal.
    """
    ended: Future[T] = Future()
    with app.suspend():
        try:
            ended.set_result(work())
        except BaseException as error:  # noqa: BLE001 - if it left this block, Textual would not resume the app
            ended.set_exception(error)
    return ended.result()


class SourceOpener:
    """Opens the source of a memory, or its first file, in the user's editor.

    `closed`: called once the editor is closed, as its file may have changed.
    """

    def __init__(self, screen: MemtuiScreen, closed: Callable[[], object]) -> None:
        self._screen = screen
        self._closed = closed

    def open(self, identifier: str) -> None:
        """Open a memory's source; where there is none, say why."""
        screen = self._screen

        def failed(error: MemtuiError) -> None:
            screen.say(f"No file to open: {error}", severity="warning")

        screen.loader.read(lambda: screen.access.place(identifier), self._open, group="place", on_error=failed)

    def _open(self, place: Found) -> None:
        problem = self.edit(place)
        if problem:
            self._screen.say(problem, severity="warning")
        self._closed()

    def edit(self, place: Found) -> str:
        """Give the terminal to the editor; return why it could not be done, empty where it was."""
        import subprocess

        from memtui.curate.external_editor import waiting_command

        try:
            command = waiting_command(place.path, place.line)
            done = outside(self._screen.app, partial(subprocess.run, command, check=False))  # the user's own editor
        except SuspendNotSupported:
            return f"This terminal cannot run an editor. The file is {place.path}, line {place.line}"
        except MemtuiError as error:
            return str(error)
        except OSError as error:
            return f"Cannot start the editor ({error.strerror}): {command[0]}"
        return f"The editor exited with status {done.returncode}" if done.returncode else ""
