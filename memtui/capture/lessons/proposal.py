"""A lesson proposed of a session: the person's words, what they teach, where they stand, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b

from memtui.capture.transcripts.session import Place
from memtui.domain.memory import normalise

LONGEST_QUOTE = 500
"""Characters of a transcript that are kept."""


TRANSCRIPT_FORMAT = "transcript"
COMMIT_FORMAT = "commit"


class LessonSignal(StrEnum):
    """What in the exchange shows a lesson."""

    REJECTED_TOOL = "rejected-tool"
    """A person refused a call and said why."""

    REMEMBER = "remember"
    CORRECTION = "correction"
    """A person contradicted what was just done."""

    REPEATED_CORRECTION = "repeated-correction"
    """They said it before, in this session or another."""

    STANDING_RULE = "standing-rule"
    DECISION = "decision"
    FAIL_THEN_PASS = "fail-then-pass"  # noqa: S105 - the name of a signal
    """A command failed, and another with the same purpose passed."""

    ROOT_CAUSE = "root-cause"
    DISCOVERY = "discovery"
    """The assistant found it, and a person took it up."""

    COMMIT_TRAILER = "commit-trailer"
    """A trailer of a commit states it, such as `Decision:`."""

    COMMIT_REVERT = "commit-revert"
    COMMIT_BREAKING = "commit-breaking"
    COMMIT_RULE = "commit-rule"
    COMMIT_FIX = "commit-fix"
    COMMIT_DECISION = "commit-decision"
    COMMIT_NOTE = "commit-note"

    @property
    def source_format(self) -> str:
        """The format of the source that showed it."""
        return COMMIT_FORMAT if self.value.startswith("commit-") else TRANSCRIPT_FORMAT


@dataclass(frozen=True, slots=True)
class Evidence:
    """One more place that says or shows a lesson."""

    place: Place
    quote: str
    at: datetime | None = None
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a careful colleague would write down, proposed and not yet kept."""

    quote: str
    """Words of the source, at most `LONGEST_QUOTE` characters."""

    title: str
    insight: str
    rationale: str
    kind: str
    signal: LessonSignal
    score: float
    """How probable it is that a person accepts it, 0–1."""

    place: Place
    evidence: tuple[Evidence, ...] = ()
    """Further places: where it was said again, and the calls that failed or were refused."""

    assistant: str = ""
    session: str = ""
    at: datetime | None = None
    until: datetime | None = None
    """The end that the words give to it; None for what holds until further notice."""

    files: tuple[str, ...] = field(default=())
    """Paths that the words name, relative to the project."""

    stated: bool = False
    """Whether the rules that the session began with say it."""

    @property
    def digest(self) -> str:
        """What a dismissal is remembered by: the hash of the insight without case and marks."""
        words = " ".join(normalise(self.insight).casefold().split())
        return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
