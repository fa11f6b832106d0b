"""Acts of the Reflect screen: one conclusion from several notes or lessons."""

from __future__ import annotations

from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE

REFLECT = "reflect"

FEWEST, MOST = 2, 20
"""Sources of one conclusion, as in `memtui.curate.reflect`, which the first picture must not wait for."""

ACTIONS: tuple[Action, ...] = (
    Action(
        "reflect",
        ("C",),
        "conclude: write one conclusion from what is marked",
        "memory",
        BROWSE,
        "conclude",
        ("marks",),
    ),
    Action(
        "reflect-save",
        ("ctrl+s",),
        "save the conclusion: one change, undone by u",
        REFLECT,
        REFLECT,
        "save",
        (REFLECT,),
    ),
    Action(
        "reflect-retire",
        ("ctrl+t",),
        "retire the sources, or keep them",
        REFLECT,
        REFLECT,
        "retire",
        (REFLECT,),
    ),
    Action(
        "reflect-outline",
        ("ctrl+l",),
        "put in the sources' titles, to write along",
        REFLECT,
        REFLECT,
        "outline",
        (REFLECT,),
    ),
    Action("reflect-down", ("ctrl+down",), "the sources: down", REFLECT, REFLECT, "sources", (REFLECT,), menu=False),
    Action("reflect-up", ("ctrl+up",), "the sources: up", REFLECT, REFLECT, menu=False),
    Action("reflect-insist", ("ctrl+n",), "save although it looks like a secret", REFLECT, REFLECT),
)
