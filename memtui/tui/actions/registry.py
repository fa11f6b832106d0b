"""Bindings, footers and lists that are made from the table of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.tui.actions.action import Action
from memtui.tui.actions.table import ACTIONS, SCREEN_ANSWERS, WIDGETS

if TYPE_CHECKING:
    from textual.binding import BindingType

MOST_HINTS = 7
"""Keys in the footer at most."""

_BY_ID = {action.id: action for action in ACTIONS}


def by_id(identifier: str) -> Action:
    """Return an action by its id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[identifier]


def bindings(owner: str) -> list[BindingType]:
    """Return the bindings of an owner.

    A screen's keys all run `act`, which says why an action is not possible.
    """
    # Imported here: the command line lists actions and keys without Textual.
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.method if owner in WIDGETS - SCREEN_ANSWERS else f"screen.act('{action.id}')",
            action.title,
            show=bool(action.label),
            id=action.id,
        )
        for action in ACTIONS
        if action.owner == owner and action.keys
    ]


def hints(place: str) -> list[Action]:
    """Return what the footer shows in a place, at most seven; how to leave is never crowded out."""
    found = [action for action in ACTIONS if action.label and place in action.places]
    return found if len(found) <= MOST_HINTS else [*found[: MOST_HINTS - 1], found[-1]]


def of_owners(*owners: str) -> list[Action]:
    """Return the actions of these owners, in the order of the table."""
    return [action for action in ACTIONS if action.owner in owners]
