"""Acts that every screen has, and those of panes and lines of text."""

from __future__ import annotations

from memtui.tui.actions.action import Action

EVERYWHERE = "everywhere"
PANE = "pane"

GO = "go-"
"""Start of the ids of acts that open a screen; the rest is its name."""

_SCREENS = ("inbox", "context", "packs", "history", "import")
_FORMS = (
    "bulk-line",
    "clash-line",
    "merge",
    "clash",
    "tidy",
    "edit",
    "edit-accept",
    "conflict",
    "conflict-text",
    "reflect",
    "inbox-marked",
    "inbox-detail",
)

ACTIONS: tuple[Action, ...] = (
    Action("down", ("j", "down"), "one row or line down", "move", PANE, menu=False),
    Action("up", ("k", "up"), "one row or line up", "move", PANE, menu=False),
    Action("half-down", ("ctrl+d",), "half a page down", "move", PANE, menu=False),
    Action("half-up", ("ctrl+u",), "half a page up", "move", PANE, menu=False),
    Action("page-down", ("pagedown",), "a page down", "move", PANE, menu=False),
    Action("page-up", ("pageup",), "a page up", "move", PANE, menu=False),
    Action("first", ("g", "home"), "to the top", "move", PANE, menu=False),
    Action("last", ("G", "end"), "to the bottom", "move", PANE, menu=False),
    Action("go-context", ("c",), "Context: the payload for a task", "go", EVERYWHERE, "context", ("list",)),
    Action("go-review", ("r",), "Review: what is due, one by one", "go", EVERYWHERE, "review", ("list", "health")),
    Action(
        "undo",
        ("u",),
        "undo the last change",
        "edit",
        EVERYWHERE,
        "undo",
        ("list", "due", "retired", "empty", *_SCREENS, "lab", "bulk"),
    ),
    Action("redo", ("ctrl+r",), "do the undone change again", "edit", EVERYWHERE),
    Action("go-browse", (), "all memories", "go", EVERYWHERE),
    Action("go-inbox", ("b",), "Inbox: what waits to be accepted", "go", EVERYWHERE, "inbox", ("list", "empty")),
    Action("go-tidy", ("T",), "Tidy: duplicates, contradictions, dead anchors, and more", "go", EVERYWHERE),
    Action("go-history", ("H",), "History: every change, who and when", "go", EVERYWHERE),
    Action("go-packs", ("K",), "Packs: did what was copied help?", "go", EVERYWHERE),
    Action("go-lab", ("l",), "Decay lab: how fast each kind fades", "go", EVERYWHERE, "decay lab", ("health",)),
    Action("go-health", (), "Health: what shape the vault is in", "go", EVERYWHERE),
    Action("go-import", (), "Import: bring in rule files and memories", "go", EVERYWHERE),
    Action(
        "back",
        ("escape",),
        "back: clear, leave, close",
        "app",
        EVERYWHERE,
        "back",
        (
            "detail",
            "filter",
            "facets",
            "marks",
            *_SCREENS,
            "context-lines",
            "packs-line",
            "history-line",
            "import-line",
            "lab",
            "health",
            "review-none",
            *_FORMS,
        ),
    ),
    Action("theme", (), "choose a theme, previewed as you move", "app", EVERYWHERE),
    Action("help", ("question_mark",), "help: find and run any act", "app", EVERYWHERE),
    Action("palette", ("colon", "ctrl+p"), "command palette", "app", EVERYWHERE, menu=False),
    Action("quit", ("q", "ctrl+q"), "quit", "app", EVERYWHERE, "quit", ("list", "due", "retired", "empty", *_SCREENS)),
)
