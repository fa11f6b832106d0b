"""What a carrier does: bring what others changed, and take what was changed here. The merge is the same for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from memtui.domain.record import Record
from memtui.vault.teams import Share, Thing


@dataclass(frozen=True, slots=True)
class Incoming:
    """One thing as the team has it now."""

    thing: Thing
    record: Record | None  # as in `memtui.sync.wire`; None where it was deleted
    seq: int = 0  # its position in the carrier's order, 0 where the carrier has none
    author: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Things that are taken over in one change of the vault."""

    things: Sequence[Incoming]
    cursor: str  # how far the carrier is read with it
    unread: Sequence[str] = ()  # places whose content makes no memory
    planted: frozenset[str] | None = None  # ids of memories that look planted; None if that was not looked for yet


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One thing as it is to be: what it was based on, and who changed it last."""

    thing: Thing
    base: int  # the `seq` that was known
    record: Record | None
    actor: str
    action: str
    summary: str
    at: datetime | None  # when it was changed, None if that is not known


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a carrier answers to a push that it took."""

    cursor: str | None = None  # how far it is read by that; None leaves the cursor where it is
    seqs: dict[Thing, int] = field(default_factory=dict)
    secrets: frozenset[Thing] = frozenset()  # things that the place took for secrets and did not store


@dataclass(frozen=True, slots=True)
class TeamProject:
    """A project as the team knows it."""

    name: str  # empty for unassigned memories
    identities: tuple[str, ...] = ()  # `remote:…` and `commit:…`
    may: str = "write"  # what one may do there: read, propose, write or admin


@dataclass(frozen=True, slots=True)
class Came:
    """What somebody sent lately."""

    author: str
    what: str
    at: datetime


class Carrier(Protocol):
    """A place where a team keeps what it shares."""

    team: str  # the id that the place gives itself; empty while it has none
    person: str  # the name that one has there

    def connect(self) -> None:
        """Reach the place and look at its state. Raises `MemtuiError`: it cannot be reached, or is another team's."""

    def projects(self) -> list[TeamProject]:
        """Return the projects that the place has."""

    def register(self, project: TeamProject) -> None:
        """Make a project known there, with the next push at the latest."""

    def sees(self, share: Share) -> bool:
        """Return whether one may see a project that was shared once."""

    def is_anew(self, share: Share) -> bool:
        """Return whether the place was put back to a state before a share's cursor."""

    def pages(self, share: Share) -> Iterator[Page]:
        """Yield what was changed there since a share's cursor."""

    def unreadable(self, share: Share, items: Sequence[Outgoing]) -> set[Thing]:
        """Return those things of which something was written there that could not be read: it may not be replaced."""

    def allows(self, share: Share, item: Outgoing) -> bool:
        """Return whether one's rights there let a thing be sent; the place itself decides in the end."""

    def may_purge(self, share: Share) -> bool:
        """Return whether what is purged here is to be purged by everybody."""

    def push(self, share: Share, items: Sequence[Outgoing]) -> Accepted | None:
        """Store things there, all or none; None if somebody else was faster, so that it has to be read again first."""

    def recent(self, limit: int) -> list[Came]:
        """Return what was sent last, the newest first, own things included."""

    def listen(self) -> bool:
        """Begin to hear of news; False where nothing tells of it, or so many listen that one is to look instead."""

    def wait(self, seconds: float) -> bool:
        """Wait for news, so long at most; returns whether there is some."""

    def close(self) -> None:
        """Let go of it."""
