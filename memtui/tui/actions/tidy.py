"""Acts of the Tidy screen and of the view of one contradiction."""

from __future__ import annotations

from memtui.tui.actions.action import Action

TIDY = "tidy"
CLASH = "clash"

CLASH_LINE = "clash-line"
"""Place of the footer while it is typed where each holds."""

CLASHES = "clash-text"
"""Owner of the keys of a contradiction's texts: there `b` is both, not the inbox."""

ACTIONS: tuple[Action, ...] = (
    Action("tidy-open", ("enter",), "put it right: merge, settle, re-anchor, edit", "tidy", TIDY, "open", (TIDY,)),
    Action(
        "tidy-all",
        ("a",),
        "all of this sort at once: merge exact copies, follow moved files, retire what was never used",
        "tidy",
        TIDY,
        "all",
        (TIDY,),
    ),
    Action(
        "tidy-not", ("n",), "no duplicate, no contradiction: never propose it again", "tidy", TIDY, "is none", (TIDY,)
    ),
    Action("tidy-edit", ("e",), "edit the memory", "tidy", TIDY, "edit", (TIDY,)),
    Action("tidy-retire", ("x",), "retire the memory: out of use, kept in the vault", "tidy", TIDY, "retire", (TIDY,)),
    Action("tidy-keep", ("y",), "still true: keep the memory as it is", "tidy", TIDY, "still true", (TIDY,)),
    Action("tidy-again", ("R",), "look through the vault again", "tidy", TIDY, "again", (TIDY,)),
    Action("clash-first", ("1", "left"), "A holds: it supersedes B", "settle", CLASH, "A holds", (CLASH,)),
    Action("clash-second", ("2", "right"), "B holds: it supersedes A", "settle", CLASH, "B holds", (CLASH,)),
    Action("clash-both", ("b", "plus"), "both hold, each somewhere", "settle", CLASHES, "both", (CLASH,), menu=False),
    Action("clash-none", ("n",), "no contradiction: never propose it again", "settle", CLASH, "is none", (CLASH,)),
)
