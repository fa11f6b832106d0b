"""Parts that several screens hold: actions with their state, asked by the screen before it acts itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from memtui.errors import MemtuiError
from memtui.tui.actions.action import Action
from memtui.tui.values import Found

if TYPE_CHECKING:
    from memtui.tui.list_detail import MemtuiScreen


class ScreenPart:
    """What a screen holds instead of inheriting it; the screen asks each of its `parts` in turn.

    Args:
        screen: the screen that holds it, in whose loader it reads.
    """

    def __init__(self, screen: MemtuiScreen) -> None:
        self.screen = screen

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now, None where it is."""
        del action
        return None

    def offered(self) -> list[Action]:
        """Return actions that help and the palette offer besides the screen's own."""
        return []

    def is_off(self, identifier: str) -> bool:
        """Return whether the key of an action is free for others now."""
        del identifier
        return False

    def takes(self, identifier: str) -> bool:
        """Look at an action before the screen runs it; True where that was all there is to do."""
        del identifier
        return False

    def answers_failure(self, error: MemtuiError) -> bool:
        """Handle a change that failed; False where a toast is to show the error."""
        del error
        return False

    def keeps_open(self) -> bool:
        """Return whether quitting has to wait, after saying why."""
        return False


class SourceOpener:
    """Opens the source of a memory, or its first file, in the user's editor.

    Args:
        closed: called once the editor is closed, as its file may have changed.
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

        from memtui.curate.external_editor import editor_command

        try:
            command = editor_command(place.path, place.line)
            with self._screen.app.suspend():
                done = subprocess.run(command, check=False)  # the user's own editor
        except SuspendNotSupported:
            return f"This terminal cannot run an editor. The file is {place.path}, line {place.line}"
        except MemtuiError as error:
            return str(error)
        except OSError as error:
            return f"Cannot start the editor ({error.strerror}): {command[0]}"
        return f"The editor exited with status {done.returncode}" if done.returncode else ""
