"""What an import would do: with each draft, and in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from memtui.capture.draft import SUPERSEDED_NOTE, Draft, Skipped
from memtui.domain.memory import Anchor, Memory, Source
from memtui.domain.record import Record

Action = Literal["add", "update", "unchanged", "conflict", "skip", "restore", "clash", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to import."""

    active: bool = False  # accept at once instead of adding candidates to the inbox
    include_deleted: bool = False  # restore what a person deleted
    allow_secret: bool = False  # store texts that look like secrets
    replace: bool = False  # let incoming records of memtui's own formats replace others with the same id
    secret_patterns: Sequence[tuple[str, str]] = ()  # the user's own patterns


class PlanReason(Enum):
    """Why something other than a plain add happens to a draft: a code, and a sentence with room for details."""

    FOUND_TWICE = ("found-twice", "found twice")
    REPEATED = ("repeated", "occurs twice in the import")
    TWO_TEXTS = ("two-texts", "occurs twice, with two texts")  # the import says something else under its id before
    DECIDED = ("decided", "you decided on this text before")
    OTHER_TEXT = ("other-text", "the vault holds another text of this id")
    OTHER_FIELDS = ("other-text", "the vault states another {} of this memory; --replace takes the file's")
    REPLACES = ("replaces", "replaces what the vault holds")
    ELSEWHERE = ("elsewhere", "moved to {} here")
    DELETED = ("deleted", "you {} this ({})")
    DELETED_REWORDED = ("deleted-reworded", "you {} this in other words ({})")
    DELETED_THERE = ("deleted-there", "deleted in {}")  # in the store that it comes from
    RESTORED = ("restored", "restored: you had {} it")
    EDITED = ("edited", "its source was edited")
    BOTH_EDITED = ("both-edited", "both its source and the memory were edited")
    MERGED_EDITED = ("merged-edited", "a text merged into it was edited")
    PLANTED = ("planted", "its source now contains what looks like an instruction to an AI")
    OTHER_FILES = ("other-files", "its source now covers other files")
    SECRET = ("secret", "{}")
    SAID_BY_OTHER = ("said-by-other", "another memory says the same")
    MERGED = ("merged", "merged into another memory here")
    NEW_STATUS = ("new-status", "{} there now")
    PROJECT_KNOWN = ("project-known", "its project is known now")
    # an agent imports, and leaves to people what a person decided
    NOT_RESTORED = ("person-decided", "a person {} this ({}), only a person can restore it")
    NOT_ALTERED = ("person-decided", "an agent may not alter what a person {}")

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code  # part of `--json`
        self.sentence = sentence

    def why(self, *details: str) -> Why:
        """Return the reason with what its sentence names."""
        return Why(self, details)


@dataclass(frozen=True, slots=True)
class Why:
    """A reason with the details that its sentence has room for."""

    reason: PlanReason
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.reason.sentence.format(*self.details)


@dataclass(frozen=True, slots=True)
class Planned:
    """What happens to one draft."""

    action: Action  # `clash` is an incoming record that says something else than the memory with its id
    draft: Draft
    project: str | None  # where it goes, None if unassigned
    memory: Memory | None = None  # the memory in the vault that it concerns, if any
    why: Why | None = None  # None for a plain add
    holds_secret: bool = False
    more_sources: tuple[Source, ...] = ()  # further places that state the same
    copies: int = 0  # further places of the import, in the same file or others, that state the same
    replaces: str | None = None  # content hash of what the source said before, where the memory has several texts of it
    anchors: tuple[Anchor, ...] | None = None  # those that an update alone changes; None where it takes the texts
    becomes: Memory | None = None  # what an update makes of the memory, where the plan says so

    @property
    def reason(self) -> str:
        """Why, for people; empty for a plain add."""
        return str(self.why or "")

    @property
    def reason_code(self) -> str:
        """Why, as a word for scripts; empty for a plain add."""
        return self.why.reason.code if self.why else ""

    @property
    def kind(self) -> str:
        """The kind that the memory has after the import: an edit of its source leaves it as it is."""
        return self.memory.kind if self.action == "update" and self.memory is not None else self.draft.kind


@dataclass(slots=True)
class ImportPlan:
    """Everything an import would do."""

    items: list[Planned] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)  # lines of the sources that became no draft
    records: list[Record] = field(default_factory=list)  # typed lines other than memories
    lost_links: int = 0  # links of stores that are left out, as one of their ends is
    # memories whose source was read and no longer states them; they are kept
    missing: list[Memory] = field(default_factory=list)
    newly_missing: list[Memory] = field(default_factory=list)  # those of them that no earlier import missed
    moved: list[Memory] = field(default_factory=list)  # memories whose source was found at a new path, with that path
    followed: list[Memory] = field(default_factory=list)  # others whose text is in other lines or files now, with those

    def count(self, *actions: Action) -> int:
        """Return how many drafts meet with one of these actions."""
        return sum(1 for item in self.items if item.action in actions)

    @property
    def superseded(self) -> int:
        """How many new memories wait nowhere, as their source says that they are superseded."""
        return sum(item.action == "add" and SUPERSEDED_NOTE in item.draft.notes for item in self.items)
