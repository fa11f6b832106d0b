"""What the thread workers of the Context screen report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.tui.access import Detail
    from memtui.tui.access.context import Answer


@dataclass
class Answered(Message):
    """A payload was made."""

    answer: Answer
    ticket: int


@dataclass
class NotAnswered(Message):
    """No payload could be made."""

    error: MemtuiError
    ticket: int


@dataclass
class FilesKnown(Message):
    """The names that complete the line of files are here."""

    names: Sequence[str]


@dataclass
class MemoryRead(Message):
    """A memory was read in full; None if it is gone."""

    detail: Detail | None


@dataclass
class FileWritten(Message):
    """A payload was written, or was not."""

    outcome: Path | MemtuiError
    answer: Answer
