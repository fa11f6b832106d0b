"""The registry: the acts of all screens together, and what is made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.tui.actions import (
    browse,
    bulk,
    context,
    editing,
    everywhere,
    health,
    history,
    importing,
    inbox,
    lab,
    merge,
    neighbourhood,
    packs,
    reflect,
    resembling,
    review,
    tidy,
)
from memtui.tui.actions.action import Action

if TYPE_CHECKING:
    from textual.binding import BindingType

MOST_HINTS = 7
"""Keys in the footer at most."""

# What a screen has of its own stands before what all have, so that a crowded footer keeps the particular.
ACTIONS: tuple[Action, ...] = (
    *browse.ACTIONS,
    *editing.ACTIONS,
    *context.ACTIONS,
    *packs.ACTIONS,
    *inbox.ACTIONS,
    *review.ACTIONS,
    *merge.ACTIONS,
    *bulk.ACTIONS,
    *reflect.ACTIONS,
    *neighbourhood.ACTIONS,
    *resembling.ACTIONS,
    *tidy.ACTIONS,
    *history.ACTIONS,
    *importing.ACTIONS,
    *lab.ACTIONS,
    *health.ACTIONS,
    *everywhere.ACTIONS,
)

WIDGETS = frozenset(
    {
        everywhere.PANE,
        browse.FILTER,
        browse.FACETS,
        context.FILES,
        editing.LINE,
        editing.TOGGLE,
        merge.FIELDS,
        tidy.CLASHES,
    }
)
"""Owners that are widgets: they answer their keys themselves."""

_BY_ID = {action.id: action for action in ACTIONS}


def by_id(identifier: str) -> Action:
    """Return an act by its id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[identifier]


def bindings(owner: str) -> list[BindingType]:
    """Return the bindings of an owner.

    A screen's keys all run `act`, which asks whether the act can be done and says the reason if it cannot.
    """
    # Imported here: the command line lists acts and keys without the app's library.
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.method if owner in WIDGETS else f"act('{action.id}')",
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
    """Return the acts of these owners, in the registry's order."""
    return [action for action in ACTIONS if action.owner in owners]
