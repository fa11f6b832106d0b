"""Read a memory in full over the screen, and open its source in an editor."""

from __future__ import annotations

from typing import Any

from textual import on, work
from textual.app import App, SuspendNotSupported

from memtui.errors import MemtuiError
from memtui.text.sanitize import without_surrogates
from memtui.tui.memory_view import describe
from memtui.tui.messages import PlaceFound, Told
from memtui.tui.screen import MemtuiScreen
from memtui.tui.screens.dialogs import CardScreen
from memtui.tui.values import Detail, Found


def read_memory(screen: MemtuiScreen, identifier: str) -> None:
    """Read a memory in full over a screen."""

    def show(detail: Detail | None) -> None:
        if detail is None:
            screen.say("This memory no longer exists.", severity="warning")
        else:
            screen.app.push_screen(CardScreen("Memory", describe(detail)))

    screen.loader.read(lambda: screen.access.detail(identifier), show, group="memory")


def send_escape(app: App[Any], text: str) -> bool:
    """Send a text as OSC 52 between two frames rather than into one."""
    app.copy_to_clipboard(without_surrogates(text))
    return True


class OpeningFiles(MemtuiScreen):
    """A screen from which sources and files are opened."""

    def open_source_of(self, identifier: str | None) -> None:
        """Open the source of a memory, or its first file; where there is none, say why."""
        if identifier is not None:
            self._find_place(identifier)

    def editor_closed(self) -> None:
        """Take in what may have changed in the file; called once the person is back."""

    @work(thread=True, exclusive=True, group="place", exit_on_error=False)
    def _find_place(self, identifier: str) -> None:
        try:
            place = self.access.place(identifier)
        except MemtuiError as error:
            self.post_message(Told(f"No file to open: {error}", good=False))
        else:
            self.post_message(PlaceFound(place))

    @on(PlaceFound)
    def _open_place(self, message: PlaceFound) -> None:
        message.stop()
        reason = self._edit_place(message.place)
        if reason:
            self.say(reason, severity="warning")
        self.editor_closed()

    @on(Told)
    def _tell(self, message: Told) -> None:
        message.stop()
        self.say(message.text, severity="information" if message.good else "warning")

    def _edit_place(self, place: Found) -> str:
        """Give the terminal to the editor; return why it could not be done, empty where it was."""
        import subprocess

        from memtui.curate.external_editor import editor_command

        try:
            command = editor_command(place.path, place.line)
            with self.app.suspend():
                done = subprocess.run(command, check=False)  # the person's own editor
        except SuspendNotSupported:
            return f"This terminal cannot be lent to an editor. The file is {place.path}, line {place.line}"
        except MemtuiError as error:
            return str(error)
        except OSError as error:
            return f"The editor cannot be started ({error.strerror}): {command[0]}"
        return f"The editor ended with status {done.returncode}" if done.returncode else ""
