"""What thread workers report to the Review screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.tui.access.review import Opened, ReviewCard

if TYPE_CHECKING:
    from memtui.curate.sessions import ReviewSession


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


@dataclass
class FilesChecked(Message):
    """The files of the memories were looked at; some may have moved."""


@dataclass
class StandingNoted(Message):
    """The standing payload was counted at the beginning of a session."""

    session: ReviewSession


@dataclass
class MovesRead(Message):
    """The moved files that may be followed were found.

    Attributes:
        moves: per memory id, old path to new path.
    """

    moves: Mapping[str, Mapping[str, str]]
