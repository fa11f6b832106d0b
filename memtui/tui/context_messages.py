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
    from memtui.tui.access.context_keeping import Since
    from memtui.vault.usage import Recipe


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


@dataclass
class RecipesRead(Message):
    """The recipes were read.

    Attributes:
        name: of the recipe that is to be saved, empty where one is to be chosen.
    """

    recipes: Sequence[Recipe]
    name: str = ""


@dataclass
class SinceRead(Message):
    """What changed since the last pack of a task was read."""

    since: Since


@dataclass
class QuestionNoted(Message):
    """An evaluation question was noted, or was not."""

    outcome: Path | MemtuiError
    answer: Answer
