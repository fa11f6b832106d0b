"""Checks of files that run behind a screen: once it has been there for a while, and now and then after that."""

from __future__ import annotations

from textual import work

from memtui.errors import MemtuiError
from memtui.tui.messages import LookFailed
from memtui.tui.screens.working import WorkingScreen

FIRST_SECONDS = 3.0
"""Pause before the first check: the list, its rows and its counts come first."""

AGAIN_SECONDS = 300.0
"""Pause between two checks; one over 5,000 files takes less than a second of one core."""


class FileChecks(WorkingScreen):
    """A screen behind which the files of memories are looked after."""

    def check_files_in_background(self) -> None:
        """Check soon, and again now and then."""
        self.set_timer(FIRST_SECONDS, self.check_files)
        self.set_interval(AGAIN_SECONDS, self.check_files)

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def check_files(self) -> None:
        """Check the files now; the look at the vault that comes anyway brings what was found."""
        try:
            self.access.look_after_files()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
