"""What thread workers report to the Inbox."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui.tui.inbox_access import Read, Waiting


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
