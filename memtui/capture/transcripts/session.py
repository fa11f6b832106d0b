"""A session of an assistant as every reader gives it: turns in order, each with who said it and where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path


class Role(StrEnum):
    """Who a turn is from; only what a person typed is `PERSON`."""

    PERSON = "person"
    ASSISTANT = "assistant"
    OTHER = "other"
    """Hook text, reminders, rules files, summaries, subagents' prompts: never a person's words."""


class CallKind(StrEnum):
    """What a tool call does."""

    COMMAND = "command"
    EDIT = "edit"
    READ = "read"
    OTHER = "other"


class CallResult(StrEnum):
    """How a tool call ended."""

    UNKNOWN = "unknown"
    PASSED = "passed"
    FAILED = "failed"
    REFUSED = "refused"
    """A person refused it; their reason, where they gave one with it, is `ToolCall.reason`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: the file, and its line (from 1) or the name of its row (`table/id`, `messages[3]`)."""

    file: Path
    line: int | None = None
    row: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """A point between two lines of a file that grows."""

    offset: int = 0
    lines: int = 0
    """Lines before it."""


START = Position()


@dataclass(frozen=True, slots=True)
class Resume:
    """Where an earlier run stopped in a file, and what it knew of the session by then."""

    start: Position = START
    """Where to read from; what lies between it and `seen_to` is context."""
    seen_to: int = 0
    """The byte before which an earlier run has read everything."""
    seen_until: datetime | None = None
    """For files that are rewritten, and for databases: the time of the last turn that was read."""
    id: str = ""
    folder: Path | None = None
    version: str = ""


WHOLE = Resume()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call with its result; texts are cut by the reader to what lesson detection needs."""

    id: str
    name: str
    kind: CallKind
    place: Place
    command: str = ""
    paths: tuple[str, ...] = ()
    written: str = ""
    """The text that an edit adds."""
    result: CallResult = CallResult.UNKNOWN
    output: str = ""
    exit_code: int | None = None
    reason: str = ""
    reason_place: Place | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said at one point, and the tool calls that it made there."""

    role: Role
    text: str
    place: Place
    record: str = ""
    at: datetime | None = None
    calls: tuple[ToolCall, ...] = ()


@dataclass(slots=True)
class Session:
    """One session: its turns in order, and what the reader could not read."""

    assistant: str
    id: str
    file: Path
    turns: list[Turn] = field(default_factory=list)
    folder: Path | None = None
    """The working directory that the records name; None where they name none."""
    version: str = ""
    subagent: bool = False
    unknown_records: Counter[str] = field(default_factory=Counter)
    bad_lines: list[int] = field(default_factory=list)
    seen: int = 0
    """How many of the first turns an earlier run has read; they are context, not news."""
    end: Position | None = None
    """For files that grow: the end of the last whole record."""
    context: Position | None = None
    """For files that grow: where the next run starts to read, so that it sees what its first news answers to."""

    @property
    def last_at(self) -> datetime | None:
        """When the last turn was said; None where no record has a time."""
        return max((turn.at for turn in self.turns if turn.at is not None), default=None)

    def typed(self) -> Iterable[Turn]:
        """Yield the turns that a person typed."""
        return (turn for turn in self.turns if turn.role is Role.PERSON)
