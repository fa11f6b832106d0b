"""The task that memories are recalled for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Task:
    """What a person is about to do.

    Attributes:
        text: the task in the person's words; may be empty.
        files: project-relative POSIX paths of the files, folders or anchors in hand.
        phase: one of `phase.PHASES`, or None to guess it from the words.
        as_of: the day on which memories must be valid, or None for now.
    """

    text: str = ""
    files: tuple[str, ...] = ()
    phase: str | None = None
    as_of: datetime | None = None

    @property
    def has_words(self) -> bool:
        """Whether there is any text to go by."""
        return bool(self.text.strip())
