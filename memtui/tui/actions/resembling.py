"""Acts of the line that says what a memory that was just saved resembles."""

from __future__ import annotations

from memtui.tui.actions.action import Action

RESEMBLING = "resembling"
"""Owner of keys that work while the line stands; they are free on every screen that saves."""

ACTIONS: tuple[Action, ...] = (
    Action("resembling-link", ("L",), "link the new memory with what it resembles", RESEMBLING, RESEMBLING),
    Action("resembling-supersede", ("X",), "let the new memory supersede what it resembles", RESEMBLING, RESEMBLING),
    Action("resembling-both", ("O",), "open both side by side, to merge them", RESEMBLING, RESEMBLING),
)
