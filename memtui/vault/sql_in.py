"""SQL for "is one of these"."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

FEW = 2
"""Up to so many values stand in the statement itself: the engine plans that in half the time of a semi-join (links of
a memory .65 against 1.3 ms, its postings among three million .9 against 1.7); of eight the semi-join is ahead."""

FEW_WIDE = 1
"""The same where every column of a memory is asked for. One value is a plain comparison (2.3 against 4.1 ms), but of
two and more the engine reads every column first: at 100,000 memories 48 ms, where the semi-join takes 5 to 14."""


def among(
    column: str,
    values: Sequence[str] | Sequence[int],
    kind: Literal["VARCHAR", "BIGINT"] = "VARCHAR",
    *,
    few: int = FEW,
) -> tuple[str, list[object]]:
    """Return the condition that a column holds one of some values, and its parameters.

    Args:
        column: as SQL, the caller's own words.
        values: any number; of none nothing is true.
        kind: type of the values.
        few: up to so many values stand in the statement.
    """
    if not values:
        return "false", []
    if len(values) <= few:
        return f"{column} IN ({', '.join('?' * len(values))})", list(values)
    return f"{column} IN (SELECT unnest(from_json(?, '[\"{kind}\"]')))", [json.dumps(list(values))]
