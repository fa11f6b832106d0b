"""Acts of the Browse screen, its filter and its facets."""

from __future__ import annotations

from memtui.tui.actions.action import Action

BROWSE = "browse"
DUE = "browse-due"
"""Owner of what a key of the list means where only what is due is listed."""

FILTER = "filter"
FACETS = "facets"

ACTIONS: tuple[Action, ...] = (
    Action("read", ("enter",), "read the memory: scroll its details", "look", BROWSE, "read", ("retired",)),
    Action("next-pane", ("tab",), "to the next pane", "look", BROWSE),
    Action("facets", ("1",), "to the facets: project, kind, tag, status, due …", "look", BROWSE),
    Action("list", ("2",), "to the list", "look", BROWSE, "list", ("facets",)),
    Action("detail", ("3",), "to the details", "look", BROWSE),
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
    Action(
        "facet-choose",
        ("space", "enter"),
        "in the facets: choose a value or let go of it; fold a heading",
        "look",
        FACETS,
        "choose",
        ("facets",),
        menu=False,
    ),
    Action("facet-fold", ("left",), "in the facets: fold", "look", FACETS, menu=False),
    Action("facet-unfold", ("right",), "in the facets: unfold", "look", FACETS, menu=False),
    Action("filter", ("slash",), "filter as you type", "look", BROWSE, "filter", ("list",)),
    Action("clear", ("backspace",), "let go of every chosen facet", "look", BROWSE, "clear", ("facets",)),
    Action(
        "verify",
        ("y",),
        "still true: freshness starts anew (in the list of what is due)",
        "memory",
        DUE,
        "still true",
        ("due",),
    ),
    Action("due", ("d",), "only what is due for review, and back to all", "look", BROWSE, "all", ("due",)),
    Action("sort", ("S",), "sort: newest, stalest, by title, most used, best match", "look", BROWSE),
    Action("narrower", ("less_than_sign",), "the list narrower", "look", BROWSE),
    Action("wider", ("greater_than_sign",), "the list wider", "look", BROWSE),
    Action("mark", ("space",), "mark the memory, or unmark it", "mark", BROWSE, "mark", ("marks",)),
    Action(
        "mark-range",
        ("v",),
        "mark from here to where the cursor goes; again to end",
        "mark",
        BROWSE,
    ),
    Action("mark-all", ("asterisk",), "mark all that are listed, or none", "mark", BROWSE, "all", ("marks",)),
    Action("restore", ("R",), "restore: back into use", "memory", BROWSE, "restore", ("retired",)),
    Action("pin", ("p",), "pin or unpin: a pinned memory never goes stale", "memory", BROWSE, "pin", ("due", "marks")),
    Action("retire", ("x",), "retire: out of use, kept in the vault", "memory", BROWSE, "retire", ("due", "marks")),
    Action("copy", ("y",), "copy the text", "memory", BROWSE, "copy", ("list", "detail", "retired")),
    Action(
        "open-source",
        ("o",),
        "open its source, or its first file, at the line in your editor",
        "memory",
        BROWSE,
        "source",
        ("detail",),
    ),
    Action("follow", ("f",), "follow a link to another memory", "look", BROWSE, "link", ("detail",)),
    Action("explain", ("i",), "why it stands here: every part of its score", "look", BROWSE, "why", ("detail",)),
    Action("markdown", ("M",), "rendered Markdown, or plain text", "look", BROWSE, "rendered", ("detail",)),
)
