"""What thread workers report to the Inbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.tui.inbox_access import Read, Waiting

if TYPE_CHECKING:
    from memtui.capture.conflicts import SourceConflict


@dataclass
class WaitingRead(Message):
    """What waits was read."""

    waiting: Waiting
    ticket: int
    focus: str | None


@dataclass
class CandidateRead(Message):
    """A candidate was read in full; None if it is gone."""

    id: str
    read: Read | None


@dataclass
class InboxMoved(Message):
    """Somebody changed the vault."""


@dataclass
class ConflictsRead(Message):
    """What was edited both in its source and here was read.

    Attributes:
        moved: whether the source of the first one is not where it was when it was read last.
    """

    conflicts: list[SourceConflict]
    moved: bool = False
