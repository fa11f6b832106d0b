"""What thread workers report to the Review screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui.tui.access.review import Opened, ReviewCard


@dataclass
class SessionRead(Message):
    """A session was begun, resumed or looked at again.

    Attributes:
        ticket: number of the request; older ones than the newest are dropped.
    """

    opened: Opened
    ticket: int


@dataclass
class CardRead(Message):
    """A memory in review was read.

    Attributes:
        card: None if the memory is gone.
        ahead: whether it was read for the next step, before anybody asked to see it.
    """

    id: str
    card: ReviewCard | None
    ahead: bool = False


@dataclass
class ReviewMoved(Message):
    """Somebody changed the vault since the session was looked at."""
