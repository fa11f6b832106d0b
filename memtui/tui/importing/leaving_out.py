"""Leave a source out for good by a line in its repository, after showing that line, and take it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.importing.stores import StoreRow
from memtui.tui.importing.view import LeftOutRow, PlaceRow, line_for
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screen_part import ScreenPart

if TYPE_CHECKING:
    from memtui.capture.left_out import IgnoreLine

LEAVE_OUT = "import-leave-out"


class LeavingOut(ScreenPart[MemtuiScreen]):
    """Asks before it writes, and answers the undo right after it.

    `then`: called with the line, and whether it is in the file now.
    """

    def __init__(self, screen: MemtuiScreen, then: Callable[[IgnoreLine, bool], None]) -> None:
        super().__init__(screen)
        self._then = then
        self._last: tuple[IgnoreLine, bool] | None = None  # What was done last, unless the vault was changed since

    def takes(self, identifier: str) -> bool:
        """Take the last line back where nothing was changed since."""
        if identifier != "undo" or self._last is None:
            return False
        line, was_written = self._last
        self._do(line, written=not was_written)
        self._last = None
        return True

    def changed(self) -> None:
        self._last = None

    def ask(self, line: IgnoreLine, about: Callable[[], object]) -> None:
        """Say what would be written, and write it at the second time. `about`: returns the source under the cursor."""
        how = "writes the line" if line.path.exists() else "creates the file with a comment and the line"
        key, where = self.screen.key_of(LEAVE_OUT), tame(str(line.path), 160)
        words = f"{tame(line.text, 80)} would be ignored from now on: {key} again {how}, {where}. Any other key cancels"
        if self.screen.again.agrees(LEAVE_OUT, words, about):
            self._do(line, written=True)

    def take_out(self, line: IgnoreLine) -> None:
        """Take a line out of its file."""
        self._do(line, written=False)

    def _do(self, line: IgnoreLine, *, written: bool) -> None:
        try:
            line.write() if written else line.take_out()
        except MemtuiError as error:
            self.screen.say(str(error), severity="warning")
            return
        self._last = (line, written)
        self._then(line, written)
        text, name = tame(line.text, 80), line.path.name
        if written:
            self.screen.say(f"Ignored from now on: the line {text} is in {name} of the repository. u or x removes it")
        else:
            left = "" if line.path.exists() else f", and {name}, which was then empty"
            self.screen.say(f"Included again: the line {text} was removed{left}. u puts it back")


def why_not_chosen(row: object, *, leaves_out: bool) -> str | None:
    """Return why the row of a source cannot be ticked, or left out, now; None if it can."""
    if leaves_out and isinstance(row, StoreRow):
        return "space unticks a store; it is never changed."
    if leaves_out and isinstance(row, PlaceRow) and line_for(row.place) is None:
        return "Only sources inside the project can be ignored; space unticks it."
    if isinstance(row, LeftOutRow) and not leaves_out:
        return f"The line {tame(row.line.text, 80)} in {row.line.path.name} ignores it: x removes the line."
    return None
