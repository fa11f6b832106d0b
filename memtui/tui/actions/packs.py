"""Acts of the Packs screen: what a payload was worth."""

from __future__ import annotations

from memtui.tui.actions.action import Action

PACKS = "packs"

PACKS_LINE = "packs-line"
"""Place of the footer while a reason is typed."""

VERDICT_OF = {
    "packs-helped": "helped",
    "packs-hurt": "hurt",
    "packs-corrected": "corrected",
    "packs-unused": "unused",
}
"""Acts that give feedback, with the word of the service."""

_HERE = (PACKS,)

ACTIONS: tuple[Action, ...] = (
    Action(
        "packs-helped",
        ("h",),
        "it helped: the pack, or the memory under the cursor",
        "feedback",
        PACKS,
        "helped",
        _HERE,
    ),
    Action("packs-hurt", ("x",), "it hurt: wrong or misleading", "feedback", PACKS, "hurt", _HERE),
    Action("packs-corrected", ("C",), "it had to be corrected", "feedback", PACKS, "corrected", _HERE),
    Action("packs-unused", ("n",), "it was not used", "feedback", PACKS, "not used", _HERE),
    Action(
        "packs-reason",
        ("w",),
        "say why first: the next word of feedback takes the reason",
        "feedback",
        PACKS,
        "why",
        _HERE,
    ),
    Action("packs-leave", ("z",), "leave it unanswered: it is not asked about again", "feedback", PACKS),
    Action("packs-context", ("o",), "open its task in Context", "look", PACKS),
    Action("packs-copy", ("y",), "copy its very text again, from the versions that it held", "look", PACKS),
    Action("packs-since", ("d",), "what its task gives today, beside what it gave then", "look", PACKS),
    Action("packs-read", ("enter",), "its memories; on one of them: read it in full", "look", PACKS),
    Action("packs-told", ("i",), "all of it: task, files, and what was said with the reasons", "look", PACKS),
    Action("packs-pane", ("tab",), "to the other pane", "look", PACKS),
    Action("packs-list", ("1",), "to the packs", "look", PACKS),
    Action("packs-members", ("2",), "to the memories of the pack", "look", PACKS),
)
