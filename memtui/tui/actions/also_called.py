"""Other words for acts, as people who come from elsewhere look for them in the palette and the help."""

from __future__ import annotations

from memtui.tui.actions.action import Action

_GONE = "delete remove forget erase drop archive"
_CONFIRM = "confirm approve keep"
_CHANGE = "change rename retitle modify write"
_SETTINGS = "options settings preferences"

ALSO_CALLED = {
    "retire": _GONE,
    "review-retire": _GONE,
    "bulk-retire": _GONE,
    "tidy-retire": _GONE,
    "inbox-reject": f"{_GONE} decline",
    "restore": "undelete unarchive bring back",
    "edit": _CHANGE,
    "edit-external": f"{_CHANGE} vim",
    "inbox-edit": _CHANGE,
    "review-edit": _CHANGE,
    "tidy-edit": _CHANGE,
    "add": "new create remember insert note",
    "copy": "clipboard yank export",
    "context-copy": "clipboard yank export",
    "context-write": "export save",
    "filter": "find search query",
    "history-filter": "find search",
    "sort": "order",
    "verify": _CONFIRM,
    "review-verify": _CONFIRM,
    "bulk-verify": _CONFIRM,
    "inbox-accept": "confirm approve keep",
    "pin": "favourite favorite star",
    "review-pin": "favourite favorite star",
    "mark": "select choose",
    "mark-range": "select",
    "mark-all": "select",
    "merge": "combine join duplicates",
    "bulk": "tag label rename many",
    "review-snooze": "later postpone remind",
    "undo": "revert back",
    "redo": "repeat again",
    "open-source": "file editor",
    "go-context": "prompt payload pack",
    "go-history": "log journal changes",
    "go-browse": "list home",
    "go-import": "load read files add",
    "go-lab": f"{_SETTINGS} half-life",
    "go-health": "doctor statistics stats",
    "go-tidy": "clean duplicates",
    "theme": f"colours colors dark light {_SETTINGS}",
    "help": "keys shortcuts manual",
    "quit": "exit leave close",
}
"""Per act what it is called besides its title, in lower case."""

ERASING = frozenset(_GONE.split()) | {"purge"}
"""Words that may mean more than retiring: what is erased for good is so by the command line alone."""


def words_of(action: Action) -> str:
    """Return what an act is found by: its area, its title, its id and what else it is called, in lower case."""
    return f"{action.palette_title} {action.id} {ALSO_CALLED.get(action.id, '')}".lower()
