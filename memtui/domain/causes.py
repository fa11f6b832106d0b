"""Why a memory is out of use, as memtui itself knows it, apart from the reason that people or other tools write.

Only memtui sets a cause, from what it was asked to do. A reason is shown and decides nothing.
"""

from __future__ import annotations

from typing import Final, Literal

Cause = Literal["", "retired", "rejected", "expired", "passed-over"]

RETIRED: Final = "retired"  # A person took it out of use
REJECTED: Final = "rejected"  # A person turned the candidate down
WAITED_TOO_LONG: Final = "expired"  # Nobody decided on the candidate in time, or its files are gone
PASSED_OVER: Final = "passed-over"  # Its file is never offered again

CAUSES: Final[tuple[Cause, ...]] = (RETIRED, REJECTED, WAITED_TOO_LONG, PASSED_OVER)

StoneCause = Literal["retired", "rejected", "purged", "erased"]

PURGED: Final = "purged"  # A person erased the memory from this vault; its teams take that as an order
ERASED: Final = "erased"  # An export that was imported says so: it keeps the text out, and orders nothing

STONE_CAUSES: Final[tuple[StoneCause, ...]] = (RETIRED, REJECTED, PURGED, ERASED)

NEVER_OFFERED: Final = " is never offered again"
"""How the reason of a memory ends whose file, which it names first, is passed over."""


def cause_from_words(reason: str, *, was_in_use: bool) -> Cause:
    """Return the cause of a retired memory that states none, as none did before there were causes.

    Until then a word in place of the reason was the cause. `was_in_use`: whether a person ever accepted the memory.
    """
    if was_in_use or reason == RETIRED:
        return RETIRED
    if reason == WAITED_TOO_LONG:
        return WAITED_TOO_LONG
    return PASSED_OVER if reason.endswith(NEVER_OFFERED) else REJECTED


def stone_cause_from_words(reason: str) -> StoneCause:
    """Return the cause of a tombstone that states none, see `cause_from_words`."""
    return PURGED if reason == PURGED else REJECTED if reason == REJECTED else RETIRED
