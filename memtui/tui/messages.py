"""What thread workers report to the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from memtui.errors import MemtuiError
from memtui.tui.values import Base, Detail, Done, FacetCounts, Found, Listing, Row


@dataclass
class ListRead(Message):
    """A list was read or filtered.

    Attributes:
        ticket: number of the request; older ones than the newest are dropped.
        fresh: whether the vault was read, not only the filter changed.
    """

    listing: Listing
    ticket: int
    fresh: bool


@dataclass
class FacetsCounted(Message):
    """The facets of a list were counted."""

    counts: FacetCounts
    ticket: int


@dataclass
class PlaceFound(Message):
    """It is known where a memory stands in a file."""

    place: Found


@dataclass
class Told(Message):
    """Something that needs no change of the vault was done, or could not be.

    Attributes:
        good: whether it was done.
    """

    text: str
    good: bool = True


@dataclass
class RowsRead(Message):
    """Rows were read."""

    rows: dict[str, Row]
    ticket: int


@dataclass
class DetailRead(Message):
    """A memory was read in full; None if it is gone."""

    id: str
    detail: Detail | None
    ticket: int = 0


@dataclass
class VaultMoved(Message):
    """Somebody changed the vault since a list was read."""

    base: Base


@dataclass(frozen=True, slots=True)
class Act:
    """A change that a person asked for.

    Attributes:
        run: what to do; called in a thread.
        focus: whether the cursor goes to what was touched.
    """

    run: Callable[[], Done]
    focus: bool = False


@dataclass
class LookFailed(Message):
    """The vault could not be read."""

    error: MemtuiError
