"""Acts of the Merge screen: whose text each field takes, and making the merge."""

from __future__ import annotations

from memtui.domain.memory import MOST_MERGED
from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE

MERGE = "merge"

FIELDS = "merge-fields"
"""Owner of the keys of the list of fields: there `b` is both, not the inbox."""

TAKE = "merge-take-"
"""Start of the ids of acts that take the text of one memory; the rest is its number."""


ACTIONS: tuple[Action, ...] = (
    Action("merge", ("m",), "merge the marked memories, field by field", "memory", BROWSE, "merge", ("marks",)),
    Action("merge-apply", ("enter",), "make the merge: one change, undone by u", "merge", MERGE, "merge", (MERGE,)),
    Action("merge-left", ("left",), "take the text to the left", "merge", MERGE, "left", (MERGE,)),
    Action("merge-right", ("right",), "take the text to the right", "merge", MERGE, "right", (MERGE,)),
    Action(
        "merge-both",
        ("b", "plus"),
        "keep every text, one after the other",
        "merge",
        FIELDS,
        "both",
        (MERGE,),
        menu=False,
    ),
    Action("merge-edit", ("e",), "write the text yourself", "merge", MERGE, "edit", (MERGE,)),
    *(
        Action(f"{TAKE}{number}", (str(number),), f"take the text of memory {number}", "merge", MERGE, menu=False)
        for number in range(1, MOST_MERGED + 1)
    ),
)
