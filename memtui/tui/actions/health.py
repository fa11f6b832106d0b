"""Acts of the Health screen."""

from __future__ import annotations

from memtui.tui.actions.action import Action

HEALTH = "health"

ACTIONS: tuple[Action, ...] = (
    Action("health-pane", ("tab",), "to the other pane", "look", HEALTH, "other pane", (HEALTH,)),
    Action("health-again", ("R",), "look at the vault again", "look", HEALTH, "look again", (HEALTH,)),
)
