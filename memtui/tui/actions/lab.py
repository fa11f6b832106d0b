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
    Action("lab-apply", ("a", "enter"), "apply what was tried, as one change", "lab", LAB, "apply", _HERE),
)
