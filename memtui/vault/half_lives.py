"""Half-lives of kinds that were applied to a vault: settings of the vault that the journal covers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE

if TYPE_CHECKING:
    import duckdb

HALF_LIFE = "half-life"
"""The journal's word for one."""

_PREFIX = "half_life:"


def stored_half_lives(connection: duckdb.DuckDBPyConnection) -> dict[str, float]:
    """Return half-lives in days by kind; a value that is none is left out."""
    found = connection.execute("SELECT key, value FROM meta WHERE starts_with(key, ?)", [_PREFIX]).fetchall()
    half_lives = {str(key).removeprefix(_PREFIX): _days(value) for key, value in found}
    return {kind: days for kind, days in half_lives.items() if days is not None}


def write_half_life(connection: duckdb.DuckDBPyConnection, kind: str, days: float | None) -> None:
    """Set the half-life of a kind within the running transaction; None takes it away."""
    connection.execute("DELETE FROM meta WHERE key = ?", [_PREFIX + kind])
    if days is not None:
        connection.execute("INSERT INTO meta VALUES (?, ?)", [_PREFIX + kind, repr(float(days))])


def renamed_key(key: str, rename: Callable[[str], str]) -> str:
    """Return the key of a setting with another name of the kind or project in it; other settings keep theirs."""
    return _PREFIX + rename(key.removeprefix(_PREFIX)) if key.startswith(_PREFIX) else key


def _days(value: str) -> float | None:
    try:
        days = float(value)
    except ValueError:
        return None
    return days if math.isfinite(days) and SHORTEST_HALF_LIFE <= days <= LONGEST_HALF_LIFE else None
