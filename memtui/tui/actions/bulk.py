"""Acts on many memories at once."""

from __future__ import annotations

from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE

BULK = "bulk"

BULK_LINE = "bulk-line"
"""Place of the footer while a query or a value is typed."""

_HERE = (BULK,)

ACTIONS: tuple[Action, ...] = (
    Action(
        "bulk",
        ("B",),
        "change all that are marked, else all that the filter lists: tags, kind, half-life, verify, retire",
        "mark",
        BROWSE,
        "change all",
        ("marks",),
    ),
    Action("bulk-tags", ("number_sign",), "tags: add some, take some away", "all of them", BULK, "tags", _HERE),
    Action("bulk-kind", ("t",), "give them another kind", "all of them", BULK, "kind", _HERE),
    Action("bulk-half-life", ("h",), "give them a half-life of their own", "all of them", BULK, "half-life", _HERE),
    Action("bulk-verify", ("y",), "still true: their freshness starts anew", "all of them", BULK, "still true", _HERE),
    Action("bulk-retire", ("x",), "retire: out of use, kept in the vault", "all of them", BULK, "retire", _HERE),
    Action("bulk-query", ("slash",), "choose others by a query", "look", BULK, "query", _HERE),
    Action("bulk-pane", ("tab",), "to the other pane", "look", BULK),
)
