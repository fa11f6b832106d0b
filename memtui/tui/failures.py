"""Why a change could not be made, with the keys that help."""

from __future__ import annotations

from collections.abc import Callable

from memtui.errors import BlockChangedError, BuiltUponError, MemtuiError, NothingToUndoError
from memtui.tui.actions.registry import HISTORY
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING

START_AGAIN = "If this persists, restart memtui: it may have been updated meanwhile."
"""What to do about an error that nobody foresaw."""


def end_reading(title: TitleLine | None) -> None:
    """Let the title of a screen whose read failed no longer say that it is being read."""
    if title is not None and title.note == READING:
        title.note = "could not be read"


def why_not_changed(error: MemtuiError, key_of: Callable[[str], str], area: str) -> str:
    """Return why a change failed where a key helps; empty where the error itself says all there is.

    `key_of`: returns the key of an action by its id. `area`: that of the screen.
    """
    from memtui.wording import outcomes

    history = key_of("go-history") or "History"
    if isinstance(error, NothingToUndoError):
        where = "" if area == HISTORY else f" {history} lists the changes."
        return f"{error.what}.{where}"
    if isinstance(error, BlockChangedError):
        return outcomes.edited_block(error, *(key_of(name) or name for name in ("go-publish", "go-history")))
    if isinstance(error, BuiltUponError):
        undo = key_of("history-undo") or "undo"
        return outcomes.built_upon(error, undo if area == HISTORY else f"{history} lists the changes: {undo}")
    return ""
