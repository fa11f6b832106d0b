"""A memory and what belongs to it: anchors, sources, links, verdicts, signals, tombstones, tags; what is planted."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from textwrap import dedent
from typing import Literal

from memtui.domain.causes import (
    ERASED,
    PASSED_OVER,
    PURGED,
    REJECTED,
    RETIRED,
    WAITED_TOO_LONG,
    Cause,
    StoneCause,
)
from memtui.text.injection_second_look import SecondLook, second_look
from memtui.text.planted import Planted

Status = Literal["candidate", "active", "retired", "superseded", "merged"]
STATUSES: tuple[Status, ...] = ("candidate", "active", "retired", "superseded", "merged")

LinkType = Literal["supersedes", "contradicts", "duplicates", "relates", "derived-from"]
LINK_TYPES: tuple[LinkType, ...] = ("supersedes", "contradicts", "duplicates", "relates", "derived-from")

AnchorState = Literal["fresh", "changed", "moved", "gone", "unverifiable"]
ANCHOR_STATES: tuple[AnchorState, ...] = ("fresh", "changed", "moved", "gone", "unverifiable")

GLOBAL_PROJECT = "global"  # The project of memories that apply everywhere; it must be chosen explicitly
MOST_MERGED = 8  # Memories of one merge at most: as many as can be compared side by side

MATCHED = "matched"
"""In place of a content hash: files were there, or matched a glob, when its memory was verified, or a person named the
path, so that nothing there is a fault."""
DECISION_RECORDS = frozenset({"adr", "decision-log"})  # Formats of sources that record decisions
DEFAULT_IMPORTANCE = 3
DEFAULT_CONFIDENCE = 1.0


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a memory is tied to."""

    path: str  # a POSIX path relative to the project, a glob, or `path::symbol`
    content_hash: str | None = None  # hash of the file when the memory was last verified, else None

    @property
    def is_glob(self) -> bool:
        return any(mark in self.path for mark in "*?[{")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from."""

    format: str  # name of the reader, e.g. `claude-md`; `memtui` for memories typed here
    path: str | None = None  # the file, relative to the project where it lies in one, else absolute; None if typed
    span: tuple[int, int] | None = None  # first and last line in that file, counted from 1, both inclusive
    # the id that the source itself gives: a heading path with a slot, an ADR number, a name
    native_id: str | None = None
    agent: str | None = None  # the assistant that wrote the source, if known
    imported_hash: str | None = None  # content hash of the memory as this source stated it at the last import

    @property
    def heading(self) -> str:
        """The headings that it stands below, outermost first, joined with ` > `; may be empty."""
        return heading_of(self.native_id)


def heading_of(native_id: str | None) -> str:
    """Return the headings that the id of a source's text names."""
    return (native_id or "").rpartition("#")[0] or native_id or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing worth knowing.

    `id` is 12 base32 characters for memories made here (8 in older vaults); given ids are kept. `version` grows by one
    with every change, undo included. `project` is None while unassigned: such a memory reaches no payload.
    Times are UTC. `importance` is 1–5, `confidence` 0–1.
    """

    id: str
    title: str
    insight: str
    kind: str = "lesson"
    project: str | None = None
    status: Status = "active"
    status_reason: str = ""  # in words, for people
    cause: Cause = ""  # of a retired memory what put it out of use, as far as it is known
    rationale: str = ""
    snippet: str = ""
    anchors: tuple[Anchor, ...] = ()
    tags: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()  # what `memtui check` holds commits to, see `memtui.domain.rules`
    importance: int = DEFAULT_IMPORTANCE
    confidence: float = DEFAULT_CONFIDENCE
    pinned: bool = False
    created_at: datetime
    updated_at: datetime
    observed_at: datetime | None = None
    confirmed_at: datetime | None = None
    confirmed_by: str | None = None
    verified_at: datetime | None = None
    verified_by: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    due_at: datetime | None = None
    snoozed_until: datetime | None = None
    half_life_days: float | None = None
    sources: tuple[Source, ...] = ()
    version: int = 1

    @property
    def source(self) -> Source | None:
        """The first source, if any."""
        return self.sources[0] if self.sources else None

    @property
    def put_out_by(self) -> Cause:
        """What put it out of use, empty unless it is retired; by default what was never in use was rejected."""
        if self.status != "retired":
            return ""
        return self.cause or (REJECTED if self.confirmed_at is None else RETIRED)

    @property
    def was_rejected(self) -> bool:
        """Whether a person turned it down; one that waited too long only expired."""
        return self.status == "retired" and self.confirmed_at is None and self.cause != WAITED_TOO_LONG

    @property
    def standing(self) -> str:
        """Its status as people call it: what was never in use is rejected or expired, not retired."""
        cause = self.put_out_by
        return REJECTED if cause == PASSED_OVER else cause or self.status

    @property
    def standing_words(self) -> str:
        """Its standing with the reason, where one was given: `retired: moved to Postgres 16`."""
        given = self.status_reason not in {"", self.standing}
        return f"{self.standing}: {self.status_reason}" if given else self.standing

    def put_out(self, cause: Cause, reason: str = "") -> Memory:
        """Return it out of use. `reason`: in words, by default none but what its cause is called."""
        return replace(self, status="retired", status_reason=reason or cause, cause=cause)

    def taken_up(self, status: Literal["active", "candidate"]) -> Memory:
        """Return it in use or in the inbox again, with nothing left of what had put it out of use."""
        return replace(self, status=status, status_reason="", cause="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A directed relation from one memory to another."""

    from_id: str
    type: LinkType
    to_id: str
    weight: float = 1.0  # strength, 0–1
    origin: str = "person"  # who proposed it: `person`, `import`, `merge` or an agent's name
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a person said of a memory in review: evidence for its kind's half-life."""

    memory_id: str
    # `still-true`, `outdated`, `superseded`, `snoozed` or `edited`; of a pair `not-duplicate`, `not-conflict`, `not-
    # related` or `not-ripe`, with the other's id and a fingerprint of both texts as the reason
    verdict: str
    at: datetime
    actor: str
    exposure_days: float = 0.0  # days from the previous verification (or observation) to this verdict
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What happened to a memory in use."""

    memory_id: str
    signal: str  # its type, see `memtui.domain.freshness.SIGNALS`
    at: datetime
    actor: str
    pack_id: str | None = None  # the pack that the signal speaks of, if any
    weight: float = 1.0  # how much this one counts, 1.0 by default
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A mark that a person deleted something, so that an import does not restore it."""

    content_hash: str  # hash of the deleted memory's content
    project: str | None
    memory_id: str
    at: datetime
    actor: str
    reason: str = ""  # in words, for people
    cause: StoneCause = RETIRED

    @property
    def is_erased(self) -> bool:
        """Whether the text is gone for good, rather than out of use."""
        return self.cause in {PURGED, ERASED}

    @property
    def deed(self) -> str:
        """What the person did to the memory, as in "you rejected this"."""
        return "erased" if self.is_erased else self.cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One reversible entry of the journal."""

    number: int  # position in the journal, from 1
    at: datetime
    actor: str
    action: str  # a short name of what was done, e.g. `edit`, `import`, `undo`
    summary: str  # one line for people, e.g. `import 200 memories from docs/`
    reason: str = ""
    # `done`, `undone` (can be redone) or `abandoned` (undone, then overtaken by a new change)
    state: Literal["done", "undone", "abandoned"] = "done"
    memory_ids: tuple[str, ...] = ()  # memories touched, in order, without repeats
    gone: tuple[str, ...] = ()  # of an undo, the files whose block it would have taken out, and that had none any more


ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""Base32 of RFC 4648 in lower case: no 0, 1, 8 or 9 to confuse with letters."""

ID_LENGTH = 12
"""The chance that two of a million memories share one is below 1 in 2 million; with 8, as formerly, it was 1 in 3."""

OWN_ID = re.compile(f"[{ID_ALPHABET}]{{8}}(?:[{ID_ALPHABET}]{{4}})?")
"""An id that memtui made, now or when they had 8 characters."""

_LOOSE = re.compile(r"\r|\s\n|\s\Z|\A\n")  # What normalising would change in an ASCII text

_WHITE = re.compile(r"[\t\n\f\r ]+")


def new_id() -> str:
    """Return twelve random base32 characters (60 bits)."""
    bits = secrets.randbits(5 * ID_LENGTH)
    return "".join(ID_ALPHABET[bits >> shift & 31] for shift in range(0, 5 * ID_LENGTH, 5))


def normalise(text: str) -> str:
    """Return text in NFC, with LF line ends and without trailing white space or outer blank lines."""
    if text.isascii() and not _LOOSE.search(text):
        return text
    unified = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in unified.split("\n")).strip("\n")


def trimmed(text: str) -> str:
    """Return a text without the white space around it and without an indentation that all of its lines share."""
    return dedent(text).strip()


def loose_words(text: str) -> str:
    """Return a text with one blank for each run of white space (ASCII only), none around it."""
    return _WHITE.sub(" ", text).strip(" ")


def hash_parts(title: str, insight: str, rationale: str = "", snippet: str = "") -> str:
    """Return the content hash (32 hex characters, BLAKE2b-128) of a memory's four texts.

    Texts that differ only in line ends, trailing white space or Unicode composition hash alike.
    """
    digest = blake2b(digest_size=16)
    for part in (title, insight, rationale, snippet):
        digest.update(normalise(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\x00")
    return digest.hexdigest()


def content_hash(memory: Memory) -> str:
    """Return the content hash of a memory."""
    return hash_parts(memory.title, memory.insight, memory.rationale, memory.snippet)


LONGEST_TAG = 200
"""Characters of a tag, as of a title. A tag is a word or two; the longest are those of `memtui.domain.scope`, which
hold a path: the longest of a Python environment has 152 characters."""

CUT = "…"


def long_tag(tags: Iterable[str]) -> str | None:
    """Return the first tag that is too long, None where all fit."""
    return next((tag for tag in tags if len(tag) > LONGEST_TAG), None)


def fit_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags, long ones shortened, each once."""
    return tuple(
        dict.fromkeys(tag if len(tag) <= LONGEST_TAG else f"{tag[: LONGEST_TAG - 1].rstrip()}{CUT}" for tag in tags)
    )


def planted_reasons(memory: Memory) -> tuple[Planted, ...]:
    """Return why a memory, its tags and the headings of its sources included, looks planted to steer an assistant."""
    return _planted_reasons(memory, second_look())


# The same memories are looked at for each payload: 0.7 ms each. `_look` is part of what an answer is kept under alone:
# the look that is switched on is the one that is asked, and what another one answered must not be told for it.
@lru_cache(maxsize=512)
def _planted_reasons(memory: Memory, _look: SecondLook | None) -> tuple[Planted, ...]:
    beside = [memory.status_reason, *memory.tags]
    beside += [named or "" for source in memory.sources for named in (source.path, source.native_id)]
    texts = (memory.title, memory.insight, memory.rationale, memory.snippet, *beside)
    return planted_in(*texts, of_record=is_record(memory))


def is_record(memory: Memory) -> bool:
    """Return whether a memory has sources, all of which are records of decisions."""
    return bool(memory.sources) and all(source.format in DECISION_RECORDS for source in memory.sources)


def planted_in(
    title: str, insight: str, rationale: str = "", snippet: str = "", *beside: str, of_record: bool = False
) -> tuple[Planted, ...]:
    """Return why the texts of a memory look planted; `beside`: its tags, its reason, the names of its sources.

    `of_record`: whether it is from records of decisions alone.
    Whoever looks at a memory, or at what becomes one, asks here, so that an import, a list and a payload agree on it.
    """
    from memtui.text.injection import planted_instructions  # its rules take long to load

    # A blank line: no sentence goes on in the next, nor a heading in the one below it.
    named = (each.replace(" > ", "\n\n") for each in beside)
    whole = "\n\n".join(filter(None, (title, insight, rationale, snippet, *named)))
    return tuple(planted_instructions(whole, f"{insight}\n\n{rationale}".strip(), is_record=of_record))


def held_back(memory: Memory) -> Planted | None:
    """Return why a memory reaches no assistant: it looks planted, and no person verified it; None if it may."""
    is_verified = memory.verified_at is not None and memory.status == "active"
    return None if is_verified else next(iter(planted_reasons(memory)), None)
