"""What thread workers report to the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui.errors import MemtuiError
from memtui.tui.values import Row


@dataclass
class RowsRead(Message):
    """Rows were read."""

    rows: dict[str, Row]
    ticket: int


@dataclass
class LookFailed(Message):
    """The vault could not be read."""

    error: MemtuiError
