"""Acts of the Review screen: one key for each verdict."""

from __future__ import annotations

from memtui.tui.actions.action import Action

REVIEW = "review"
DONE = "review-done"
"""Place of the footer once everything is settled."""

ON_ONE = frozenset(
    f"review-{name}"
    for name in ("verify", "edit", "merge", "supersede", "retire", "snooze", "pin", "kind", "half-life", "source")
)
"""Acts that need a memory to look at."""

ACTIONS: tuple[Action, ...] = (
    Action("review-verify", ("y",), "still true: freshness starts anew", "verdict", REVIEW, "still true", (REVIEW,)),
    Action("review-edit", ("e",), "edit, then it is verified", "verdict", REVIEW, "edit", (REVIEW,)),
    Action("review-merge", ("m",), "merge into one that is like it", "verdict", REVIEW, "merge", (REVIEW,)),
    Action("review-supersede", ("s",), "supersede by another memory", "verdict", REVIEW, "supersede", (REVIEW,)),
    Action("review-retire", ("x",), "retire: wrong or out of date", "verdict", REVIEW, "retire", (REVIEW,)),
    Action("review-snooze", ("z",), "snooze: ask again later", "verdict", REVIEW, "snooze", (REVIEW,)),
    Action("review-pin", ("p",), "pin: never stale, first in every payload", "verdict", REVIEW, "pin", (REVIEW,)),
    Action("review-kind", ("t",), "change the kind", "verdict", REVIEW),
    Action("review-half-life", ("h",), "set how fast its freshness halves", "verdict", REVIEW),
    Action("review-next", ("right", "n"), "the next one that is undecided", "move", REVIEW),
    Action("review-previous", ("left", "N"), "the undecided one before", "move", REVIEW),
    Action("review-source", ("o",), "open the source at its line", "look", REVIEW),
    Action("review-copy", ("Y",), "copy the receipt", "receipt", REVIEW, "copy receipt", (DONE,)),
    Action("review-write", ("w",), "write the receipt to a file", "receipt", REVIEW, "write receipt", (DONE,)),
    Action("review-anew", ("a",), "take the queue anew", "receipt", REVIEW, "new queue", (DONE,)),
)
