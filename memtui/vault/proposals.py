"""What transcripts proposed: the quoted words with their place, kept beside the candidate that came of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, utc
from memtui.vault.writer import VaultWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProposal:
    """One proposal; of the transcript nothing else is kept."""

    memory_id: str
    digest: str
    """The hash of its insight without case and marks."""

    signal: str
    score: float
    quote: str
    assistant: str
    session: str
    task: str
    """The first words of the session's task."""

    file: str
    """The transcript, absolute."""

    line: int | None = None
    place: str = ""
    """The row of a database, or the record of a file that has no lines; empty for a line."""

    said_at: datetime | None = None
    evidence: str = "[]"
    """Further places as a JSON list of objects with `quote`, `file`, `line`, `place` and `at`."""


@dataclass(frozen=True, slots=True)
class ProposalOutcome:
    """A proposal with what became of it."""

    proposal: StoredProposal
    project: str | None
    status: str
    kind: str
    title: str
    insight: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How many proposals of a signal a person accepted, and turned down."""

    signal: str
    accepted: int
    rejected: int
    waiting: int

    @property
    def rate(self) -> float | None:
        """The share that was accepted of what was decided; None before the first decision."""
        decided = self.accepted + self.rejected
        return self.accepted / decided if decided else None


_COLUMNS = tuple(COLUMNS["proposals"])
_SELECTED = ", ".join(f"p.{name}" for name in _COLUMNS)


def put_proposals(writer: VaultWriter, proposals: Iterable[StoredProposal]) -> None:
    """Store proposals; one of the same memory is replaced. Undoing the change removes the memories alone."""
    found = {proposal.memory_id: proposal for proposal in proposals}
    if not found:
        return
    writer.delete_unjournaled("proposals", "memory_id", list(found))
    writer.insert_unjournaled("proposals", [{name: getattr(one, name) for name in _COLUMNS} for one in found.values()])


def proposal_outcomes(reader: VaultReader, *, projects: Sequence[str | None] | None = None) -> list[ProposalOutcome]:
    """Return the proposals whose memories exist, the latest said first; of some projects, or of all."""
    rows = reader.connection.execute(
        f"SELECT {_SELECTED}, m.project, m.status, m.kind, m.title, m.insight"
        " FROM proposals p JOIN memories m ON m.id = p.memory_id ORDER BY p.said_at DESC NULLS LAST, m.key"
    ).fetchall()
    width = len(_COLUMNS)
    told = [ProposalOutcome(_proposal(row[:width]), *row[width:]) for row in rows]
    return told if projects is None else [one for one in told if one.project in projects]


def acceptance(reader: VaultReader) -> list[Acceptance]:
    """Return how each signal fared, by name."""
    rows = reader.connection.execute(
        "SELECT p.signal,"
        " count(*) FILTER (m.confirmed_at IS NOT NULL),"
        " count(*) FILTER (m.confirmed_at IS NULL AND m.status = 'retired'),"
        " count(*) FILTER (m.status = 'candidate')"
        " FROM proposals p JOIN memories m ON m.id = p.memory_id GROUP BY p.signal ORDER BY p.signal"
    ).fetchall()
    return [Acceptance(*row) for row in rows]


def _proposal(row: Sequence[Any]) -> StoredProposal:
    fields = dict(zip(_COLUMNS, row, strict=True))
    said_at = fields.pop("said_at")
    return StoredProposal(said_at=utc(said_at) if said_at is not None else None, **fields)
