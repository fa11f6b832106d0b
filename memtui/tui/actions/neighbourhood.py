"""Acts on the links that are proposed for the memory that is looked at."""

from __future__ import annotations

from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE

ACTIONS: tuple[Action, ...] = (
    Action("link-accept", ("plus",), "make the first link that is proposed", "memory", BROWSE),
    Action("link-dismiss", ("minus",), "dismiss the first link that is proposed, for good", "memory", BROWSE),
)
"""They stand beside the proposals in the details; the footer is for what every memory has."""
