"""Acts of the Context screen and its line of files."""

from __future__ import annotations

from memtui.tui.actions.action import Action

CONTEXT = "context"
FILES = "files"
"""The line of files in hand."""

LINES = "context-lines"
"""Place of the footer while a line is typed in."""

_LIST = ("context",)

ACTIONS: tuple[Action, ...] = (
    Action(
        "context-tick", ("space",), "tick a memory out or in, a withheld one too", "payload", CONTEXT, "tick", _LIST
    ),
    Action("context-copy", ("y",), "copy the payload, recorded as a pack", "payload", CONTEXT, "copy", _LIST),
    Action("context-write", ("w",), "write the payload to a file", "payload", CONTEXT, "write", _LIST),
    Action("context-why", ("i",), "why: the explanation of a score", "payload", CONTEXT, "why", _LIST),
    Action("context-task", ("slash",), "type the task", "task", CONTEXT, "task", _LIST),
    Action("context-files", ("F",), "type the files in hand", "task", CONTEXT),
    Action(
        "context-target", ("t",), "choose the target: whom the payload is written for", "task", CONTEXT, "target", _LIST
    ),
    Action("context-budget", ("B",), "type the budget: 1200, 2k, 10000 chars, 32 KiB", "task", CONTEXT),
    Action("context-phase", ("P",), "choose the phase of the work, else guessed", "task", CONTEXT),
    Action("context-style", ("s",), "style: in full, or compiled to far fewer tokens", "task", CONTEXT),
    Action("context-load", ("L",), "load a recipe: a task that was saved", "task", CONTEXT),
    Action("context-save", ("R",), "save the task as a recipe", "task", CONTEXT),
    Action("context-since", ("d",), "what changed since the last pack of this task", "look", CONTEXT),
    Action("context-unconfirmed", (), "let in what waits in the inbox, and leave it out again", "payload", CONTEXT),
    Action("context-loaded", (), "let in what the target loads by itself, and leave it out again", "payload", CONTEXT),
    Action("context-secrets", (), "what looks like a secret: leave it out, mask it, or let it in", "payload", CONTEXT),
    Action("context-question", (), "record as an evaluation question: what is ticked should come", "payload", CONTEXT),
    Action("context-read", ("enter",), "read the memory in full", "look", CONTEXT),
    Action("context-reset", ("asterisk",), "take back all ticks made by hand", "payload", CONTEXT),
    Action("context-next", ("tab",), "next line or pane", "look", CONTEXT, "next", (LINES,)),
    Action("context-previous", ("shift+tab",), "line or pane before", "look", CONTEXT),
    Action("context-list", ("1",), "to the ranked memories", "look", CONTEXT),
    Action("context-payload", ("2",), "to the payload", "look", CONTEXT),
    Action(
        "offer-enter",
        ("enter",),
        "in a line: take what is offered, else to the list",
        "task",
        FILES,
        "to list",
        (LINES,),
        menu=False,
    ),
    Action("offer-take", ("tab",), "in the files: take what is offered, else next line", "task", FILES, menu=False),
    Action("offer-down", ("down",), "in the files: next offer, else to the list", "task", FILES, menu=False),
    Action("offer-up", ("up",), "in the files: offer before", "task", FILES, menu=False),
)
