"""Acts of the edit form and the conflict view, and those of the list that open them."""

from __future__ import annotations

from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE

EDIT = "edit"
CONFLICT = "conflict"

ACCEPTING = "edit-accept"
"""Place in the footer of a form whose memory is not in use yet, so that there is nothing to say “still true” of."""

TEXT = "conflict-text"
"""Place in the footer while the result of a field is written by hand."""

LINE = "form-line"
TOGGLE = "form-toggle"

ACTIONS: tuple[Action, ...] = (
    Action("edit", ("e",), "edit in a form", "memory", BROWSE, "edit", ("list", "detail")),
    Action("edit-external", ("E",), "edit as a file in your editor ($EDITOR)", "memory", BROWSE),
    Action("add", ("a",), "add a memory", "memory", BROWSE, "add", ("empty",)),
    Action("edit-save", ("ctrl+s",), "save the form", "form", EDIT, "save", (EDIT, ACCEPTING)),
    Action("edit-verify", ("ctrl+t",), "save, and say “still true”", "form", EDIT, "save + still true", (EDIT,)),
    Action(
        "edit-stored",
        ("ctrl+l",),
        "back to what is stored, and again to what was typed",
        "form",
        EDIT,
        "reset",
        (EDIT, ACCEPTING),
    ),
    Action("edit-insist", ("ctrl+n",), "save although it looks like a secret", "form", EDIT),
    Action("conflict-theirs", ("t",), "take theirs: what is stored now", "conflict", CONFLICT, "theirs", (CONFLICT,)),
    Action("conflict-mine", ("m",), "take mine: what you typed", "conflict", CONFLICT, "mine", (CONFLICT,)),
    Action("conflict-both", ("plus",), "combine both, line by line", "conflict", CONFLICT, "combine", (CONFLICT,)),
    Action("conflict-edit", ("e",), "write the result yourself", "conflict", CONFLICT, "write", (CONFLICT,)),
    Action("conflict-save", ("ctrl+s",), "save the result", "conflict", CONFLICT, "save", (CONFLICT, TEXT)),
    Action("form-next", ("down",), "in a field of one line: the next completion", "form", LINE, menu=False),
    Action("form-previous", ("up",), "in a field of one line: the completion before", "form", LINE, menu=False),
    Action("form-change", ("space", "enter"), "in a field of yes and no: change it", "form", TOGGLE, menu=False),
)
