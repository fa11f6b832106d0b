"""Acts of the Decay lab."""

from __future__ import annotations

from memtui.tui.actions.action import Action

LAB = "lab"

_HERE = (LAB,)

ACTIONS: tuple[Action, ...] = (
    Action("lab-next", ("down", "j"), "the next kind", "lab", LAB, "kind", _HERE),
    Action("lab-previous", ("up", "k"), "the kind before", "lab", LAB),
    Action("lab-faster", ("left", "minus"), "a shorter half-life: it fades faster", "lab", LAB, "faster", _HERE),
    Action("lab-slower", ("right", "plus"), "a longer half-life: it fades slower", "lab", LAB, "slower", _HERE),
    Action("lab-learned", ("t",), "take the half-life that verdicts speak for", "lab", LAB, "take learned", _HERE),
    Action("lab-as-now", ("0",), "as it is now: let go of what was tried for this kind", "lab", LAB),
    Action("lab-default", ("d",), "the half-life that holds where nothing was applied", "lab", LAB),
    Action("lab-line-down", ("less_than_sign",), "due later: a lower line for review", "lab", LAB),
    Action("lab-line-up", ("greater_than_sign",), "due earlier: a higher line for review", "lab", LAB),
    Action("lab-here", ("p",), "for this project alone, or for the kind everywhere", "lab", LAB, "project", _HERE),
    Action("lab-floor-down", ("left_square_bracket",), "less trust is left of what is old: a lower floor", "lab", LAB),
    Action("lab-floor-up", ("right_square_bracket",), "more trust is left of what is old: a higher floor", "lab", LAB),
    Action("lab-hurt-down", ("left_curly_bracket",), "a hurt weighs less against helps", "lab", LAB),
    Action("lab-hurt-up", ("right_curly_bracket",), "a hurt weighs more against helps", "lab", LAB),
    Action("lab-apply", ("a", "enter"), "apply what was tried, as one change", "lab", LAB, "apply", _HERE),
)
