"""Acts of the History screen."""

from __future__ import annotations

from memtui.tui.actions.action import Action

HISTORY = "history"

HISTORY_FILTER = "history-line"
"""Place of the footer while its filter is typed."""

_HERE = ("history",)

ACTIONS: tuple[Action, ...] = (
    Action("history-read", ("enter",), "read what the change did", "look", HISTORY, "read", _HERE),
    Action(
        "history-restore",
        ("R",),
        "bring back what the memory said after this change",
        "edit",
        HISTORY,
        "restore",
        _HERE,
    ),
    Action(
        "history-memory", ("m",), "only this memory's changes, and back to all", "look", HISTORY, "memory/all", _HERE
    ),
    Action("history-filter", ("slash",), "filter by words, who, or what was done", "look", HISTORY, "filter", _HERE),
    Action("history-next", ("n",), "next memory of the change", "look", HISTORY),
    Action("history-previous", ("N",), "memory of the change before", "look", HISTORY),
    Action("history-pane", ("tab",), "to the other pane", "look", HISTORY, "to list", (HISTORY_FILTER,)),
    Action("history-list", ("1",), "to the changes", "look", HISTORY),
    Action("history-diff", ("2",), "to what the change did", "look", HISTORY),
)
