"""Why a memory is in a payload or withheld, as a code and fields; `memtui.wording.reasons` makes the sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum


class ReasonCode(StrEnum):
    """What a reason says; the values are part of `--json`."""

    # Withheld: the memory may not be recalled at all.
    OTHER_PROJECT = "other-project"
    UNASSIGNED = "unassigned"
    UNCONFIRMED = "unconfirmed"
    RETIRED = "retired"
    SUPERSEDED = "superseded"
    MERGED = "merged"
    NOT_YET_VALID = "not-yet-valid"
    EXPIRED = "expired"
    OUTSIDE_VALID_TIME = "outside-valid-time"
    OUT_OF_SCOPE = "out-of-scope"
    # Withheld: another memory or the task stands against it.
    CONTRADICTED = "contradicted"
    DUPLICATE = "duplicate"
    BELOW_FLOOR = "below-floor"
    UNRELATED = "unrelated"
    NOTHING_NEAR = "nothing-near"
    BEYOND_LIMIT = "beyond-limit"
    TOO_FAR = "too-far"
    NEEDS_ANOTHER = "needs-another"
    # Withheld: the payload or the target has no place for it.
    OVER_BUDGET = "over-budget"
    OVER_LIMIT = "over-limit"
    TOO_MANY = "too-many"
    SECRET = "secret"  # noqa: S105 - what a memory is withheld for
    PLANTED = "planted"
    ALREADY_LOADED = "already-loaded"
    LOADED_THERE = "loaded-there"
    LEFT_OUT = "left-out"

    # Recalled: terms of the relevance.
    PUT_IN = "put-in"
    ALLOWED_UNCONFIRMED = "allowed-unconfirmed"
    PINNED = "pinned"
    NAMED = "named"
    BEGUN = "begun"
    WORDS = "words"
    MEANING = "meaning"
    KIN = "kin"
    FILE = "file"
    LINK = "link"
    MEANT = "meant"
    WEAK = "weak"
    USEFUL = "useful"
    SAME_PROJECT = "same-project"
    NO_TASK = "no-task"
    RECORDED = "recorded"
    # Recalled: factors of the score.
    FRESHNESS = "freshness"
    VERIFIED = "verified"
    ACCEPTED = "accepted"
    NEVER_VERIFIED = "never-verified"
    USES = "uses"
    IMPORTANCE = "importance"
    KIND = "kind"
    FILES_GONE = "files-gone"
    OTHER_PHASE = "other-phase"

    # Nothing is relevant, or nothing may be in the payload.
    NO_ACTIVE_MEMORY = "no-active-memory"
    NO_TELLING_WORD = "no-telling-word"
    NO_KNOWN_WORD = "no-known-word"
    NO_SHARED_WORD = "no-shared-word"
    TOO_LITTLE_SHARED = "too-little-shared"
    ALL_WITHHELD = "all-withheld"
    ALL_SECRET = "all-secret"  # noqa: S105 - why a payload is empty
    ALL_PLANTED = "all-planted"
    ALL_LOADED = "all-loaded"
    ALL_LEFT_OUT = "all-left-out"
    NO_ROOM = "no-room"
    NOTHING_ALLOWED = "nothing-allowed"
    NOTHING_RELEVANT = "nothing-relevant"


VAULT = "vault"  # Unit of a chance that a vault as a whole needs, so that anything is served
UNFOUND = "unfound"  # Unit of a chance that is higher because a search would not find the memory
FOREIGN = "foreign"  # Unit of a cosine of two texts in different languages, of which the model sees little


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with what it speaks of; a code uses few of the fields, see the sentences in `memtui.wording.reasons`."""

    code: ReasonCode
    other: str = ""  # id of the other memory, such as the one that supersedes this one
    title: str = ""  # title of that memory, where a face asked for it
    names: tuple[str, ...] = ()  # words, files, phases, projects, rules or ids
    path: str = ""  # the anchor's path, or the file that a target loads
    file: str = ""  # the file in hand, or the one that it imports
    target: str = ""  # name of the target
    note: str = ""  # text from elsewhere: a person's own words, a budget, what an earlier payload said
    score: float | None = None  # what was reached: a share, a cosine or a count with fractions
    bar: float | None = None  # what had to be reached
    number: int = 0  # how many, how large the limit is, or a rank
    among: int = 0  # out of how many
    over: int = 0  # by how much a limit is exceeded; 0 if unknown
    # Of `number` and `over`: tokens, chars, bytes, lines; `words` for shares of the task's words; of `score`: FOREIGN;
    # of `bar`: VAULT, UNFOUND
    unit: str = ""
    date: datetime | None = None  # since when or until when
    link: str = ""  # type of a link, or how a file is tied to another
    because: tuple[Reason, ...] = ()  # the reasons that this one rests on

    @property
    def group(self) -> Reason:
        """The reason without what differs from memory to memory, so that memories can be counted by it."""
        return replace(self, over=0) if self.code in _LIMITS else Reason(self.code)


_LIMITS = frozenset({ReasonCode.OVER_BUDGET, ReasonCode.OVER_LIMIT, ReasonCode.TOO_MANY})
"""Counted per limit, and apart for pinned memories and those that a person put in (`because`)."""
