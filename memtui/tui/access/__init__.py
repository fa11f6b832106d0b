"""All vault work of the app, to be called from thread workers: each call takes the lease, acts and lets go.

What recalls and changes memories is imported where it is used, so that the first picture does not wait for it.
"""

from memtui.tui.access.acting import Acting
from memtui.tui.access.asking import Asking
from memtui.tui.access.checking import Checking
from memtui.tui.access.values import (
    BEST,
    SORTS,
    Base,
    Detail,
    Done,
    Explained,
    FacetCounts,
    Found,
    LastChange,
    Listing,
    Row,
    Signature,
    Wanted,
    steady_order,
)

__all__ = [
    "BEST",
    "SORTS",
    "Base",
    "Detail",
    "Done",
    "Explained",
    "FacetCounts",
    "Found",
    "LastChange",
    "Listing",
    "Row",
    "Signature",
    "VaultAccess",
    "Wanted",
    "steady_order",
]


class VaultAccess(Acting, Asking, Checking):
    """The vault as the app sees it.

    Args:
        opening: what the app was opened with.
    """

    def semantic(self) -> str:
        """Return how the search by meaning stands, in a word for the header."""
        return "off" if self._opening.meaning is None else self._opening.meaning.words
