"""Acts of the Browse screen and its filter."""

from __future__ import annotations

from memtui.tui.actions.action import Action

BROWSE = "browse"
FILTER = "filter"

_BOTH = ("list", "due", "detail")

ACTIONS: tuple[Action, ...] = (
    Action("read", ("enter",), "read the memory: scroll its details", "look", BROWSE, "read", ("list", "due")),
    Action("next-pane", ("tab",), "to the other pane", "look", BROWSE),
    Action("list", ("1",), "to the list", "look", BROWSE),
    Action("detail", ("2",), "to the details", "look", BROWSE),
    Action(
        "filter-keep",
        ("enter",),
        "in the filter: keep it and go to the list",
        "look",
        FILTER,
        "to list",
        ("filter",),
        menu=False,
    ),
    Action("filter-down", ("down",), "in the filter: next row", "look", FILTER, menu=False),
    Action("filter-up", ("up",), "in the filter: previous row", "look", FILTER, menu=False),
    Action("filter", ("slash",), "filter as you type", "look", BROWSE, "filter", ("list", "due")),
    Action("due", ("r",), "only what is due for review, and back to all", "look", BROWSE, "due/all", ("list", "due")),
    Action(
        "verify",
        ("y",),
        "still true: freshness starts anew (where due is listed)",
        "memory",
        BROWSE,
        "still true",
        ("due",),
    ),
    Action("pin", ("p",), "pin or unpin: a pinned memory never goes stale", "memory", BROWSE, "pin", _BOTH),
    Action("retire", ("x",), "retire: out of use, kept in the vault", "memory", BROWSE, "retire", _BOTH),
)
