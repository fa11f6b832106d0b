"""Acts of the Review screen: one key for each verdict."""

from __future__ import annotations

from memtui.tui.actions.action import Action

REVIEW = "review"
DONE = "review-done"
"""Place of the footer once everything is settled."""

NONE_DUE = "review-none"
"""Place of the footer where no session was begun, as nothing is due."""

ON_ONE = frozenset(
    f"review-{name}"
    for name in ("verify", "edit", "merge", "supersede", "retire", "snooze", "pin", "kind", "half-life", "re-anchor")
)
"""Acts that need a memory to look at."""

PACKS = {
    "review-pack-helped": "helped",
    "review-pack-hurt": "hurt",
    "review-pack-unused": "unused",
    "review-pack-skip": "",
}
"""Acts that answer for a pack, with the verdict of each; an empty one says nothing of it."""

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
    Action("review-re-anchor", ("f",), "follow its files to where they moved", "files", REVIEW),
    Action("review-re-anchor-all", ("F",), "follow every moved file, after a preview", "files", REVIEW),
    Action("review-undo-all", ("U",), "undo every verdict of this session", "verdict", REVIEW),
    Action("review-pack-helped", ("1",), "the pack that is asked about helped", "pack", REVIEW),
    Action("review-pack-hurt", ("2",), "the pack that is asked about hurt", "pack", REVIEW),
    Action("review-pack-unused", ("3",), "the pack that is asked about was not used", "pack", REVIEW),
    Action("review-pack-skip", ("4",), "say nothing of the pack that is asked about", "pack", REVIEW),
    Action("review-copy", ("Y",), "copy the receipt", "receipt", REVIEW, "copy receipt", (DONE,)),
    Action("review-write", ("w",), "write the receipt to a file", "receipt", REVIEW, "write receipt", (DONE,)),
    Action("review-anew", ("a",), "take the queue anew", "receipt", REVIEW, "new queue", (DONE, NONE_DUE)),
)
