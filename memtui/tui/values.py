"""What the app reads from the vault, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memtui.analysis.suggestions import LinkProposal
    from memtui.curate.views import MemoryView
    from memtui.domain.memory import Memory
    from memtui.errors import QueryError

Signature = tuple[int, ...]  # What the file system says of the vault: sizes and times of file and log

SORTS = {
    "newest": "newest first",
    "stalest": "stalest first",
    "title": "by title",
    "kind": "by kind",
    "use": "most used first",
}
"""How the list can be sorted, and how its title says so; a filtered one by score besides."""

BEST = "best match first"  # How the title calls the order by score


@dataclass(frozen=True, slots=True)
class Row:
    """One memory as the list shows it."""

    id: str
    title: str  # one line, tamed, not yet clipped
    kind: str
    project: str
    pinned: bool
    due: bool
    freshness: float
    age_days: float  # since it was last verified, else observed
    added_days: float = 0.0  # since it was added
    status: str = "active"
    # as it was read, to show its texts without another look at the vault
    memory: Memory | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the list is to show, filter aside."""

    due_only: bool = False  # only what is due for review
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = "newest"


@dataclass(frozen=True)
class Base:
    """The list before any filter, with the counts of the header."""

    ids: tuple[str, ...] = field(repr=False)
    wanted: Wanted
    active: int
    due: int
    inbox: int
    elsewhere: int  # memories of any project and status; only counted where the list is empty
    project: str | None
    counter: int  # the vault's change counter
    signature: Signature

    @property
    def due_only(self) -> bool:
        """Whether it holds only what is due for review."""
        return self.wanted.due_only

    @cached_property
    def id_set(self) -> frozenset[str]:
        return frozenset(self.ids)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the list shows."""

    base: Base
    query: str
    ids: tuple[str, ...] = field(repr=False)
    best: bool = True  # whether the best match stands first
    hits: tuple[str, ...] = field(default=(), repr=False)  # those found by words, as `memtui search` ranks them
    more: bool = False  # whether the filter found more than it shows
    # the first rows, as far as they were read already
    rows: Mapping[str, Row] = field(default_factory=dict, repr=False)
    partial: bool = False  # whether only titles were looked at so far
    problem: QueryError | None = None  # why a query could not be read: then nothing is listed
    misnamed: tuple[str, str] | None = None  # what stands like a field in the words, and the field it may mean, if any
    only_closest: bool = False  # whether nothing matches well, so that these are merely the closest
    names_file: bool = False  # whether the query chooses by a file
    names_project: bool = False  # whether the query chooses the projects, in place of what is in view
    near: int = 0  # how many of them hold none of the words, and are near in meaning alone
    without_vector: int = 0  # memories that a search by meaning could not compare yet


def only_closest(ids: Sequence[str], found: Sequence[str], *, is_known: bool) -> bool:
    """Return whether what is listed matches badly: all of it was found by the search, which is sure of none.

    `is_known`: whether something matches well, or that is still to be found out.
    """
    return bool(ids) and not is_known and frozenset(found).issuperset(ids)


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Values of each facet with their counts, in the order of the pane."""

    values: Mapping[str, Sequence[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class LastChange:
    """One of the last changes of a memory."""

    at: datetime
    actor: str
    summary: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a memory stands where it stands."""

    query: str  # what was searched for, empty for the standing value
    rows: Sequence[tuple[str, str, str]]  # (part, its input, its contribution)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A link that is proposed for a memory, with the title of the other one."""

    proposal: LinkProposal
    title: str


@dataclass(frozen=True, slots=True)
class Detail:
    """One memory in full, with the titles of those it is linked to, and those that it might be linked to."""

    view: MemoryView
    titles: dict[str, str]
    now: datetime
    changes: Sequence[LastChange] = ()
    explained: Explained | None = None
    proposals: Sequence[Proposed] = ()
    held: str = ""  # why no assistant is told of it, as a sentence


@dataclass(frozen=True, slots=True)
class Found:
    """Where something stands in a file."""

    path: Path
    line: int = 1  # counted from 1


@dataclass(frozen=True, slots=True)
class FileWrite:
    """What becomes of a file outside the vault."""

    path: str
    fate: Literal["new", "changed", "removed"]
    lines: Sequence[str]  # how it changes: those that come begin with `+`, those that go with `-`


@dataclass(frozen=True, slots=True)
class Writes:
    """An act that writes files outside the vault, which are shown before it is done."""

    title: str
    files: Sequence[FileWrite]
    act: Callable[[], Done]


@dataclass(frozen=True, slots=True)
class Done:
    """What an act came to."""

    message: str  # in the past tense, for the toast
    changed: bool = True
    focus: str | None = None  # the memory to look at afterwards, if another than the present one
    writes: Writes | None = None  # what has to be shown first; nothing was done then
    asks: str = ""  # id of the action that does what the message asks about, run again; nothing was done then


def steady_order(shown: Iterable[str], fresh: Sequence[str]) -> tuple[str, ...]:
    """Return fresh ids in the order shown so far, newcomers after whom they follow in the fresh order.

    A memory that was just pinned stays under the cursor instead of jumping to the top.
    """
    present = set(fresh)
    kept = [identifier for identifier in shown if identifier in present]
    known = set(kept)
    followers: dict[str | None, list[str]] = {}
    before: str | None = None
    for identifier in fresh:
        if identifier in known:
            before = identifier
        else:
            followers.setdefault(before, []).append(identifier)
    result = list(followers.get(None, ()))
    for identifier in kept:
        result.append(identifier)
        result.extend(followers.get(identifier, ()))
    return tuple(result)
