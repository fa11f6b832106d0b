"""Acts of the Inbox."""

from __future__ import annotations

from memtui.tui.actions.action import Action

INBOX = "inbox"

MARKED = "inbox-marked"
"""Place in the footer while candidates are marked."""

DETAIL = "inbox-detail"
"""Place in the footer while one candidate is read."""

_ALL = (INBOX, MARKED, DETAIL)

ACTIONS: tuple[Action, ...] = (
    Action("inbox-accept", ("a",), "accept: into use", "inbox", INBOX, "accept", _ALL),
    Action("inbox-edit", ("e",), "edit, and accept by saving", "inbox", INBOX, "edit + accept", (INBOX, DETAIL)),
    Action("inbox-reject", ("x",), "reject: turned down for good, kept in the vault", "inbox", INBOX, "reject", _ALL),
    Action("inbox-kind", ("t",), "change its kind", "inbox", INBOX, "kind", (MARKED, DETAIL)),
    Action("inbox-project", ("P",), "put it into a project", "inbox", INBOX, "project", (MARKED,)),
    Action("inbox-source", ("o",), "open its source at the line in your editor", "inbox", INBOX, "source", (DETAIL,)),
    Action("inbox-conflicts", ("d",), "settle what was edited both in its source and here", "inbox", INBOX),
    Action("inbox-mark", ("space",), "mark it, or unmark it", "mark", INBOX, "mark", (INBOX,)),
    Action("inbox-range", ("v",), "mark from here to where the cursor goes; again to end", "mark", INBOX),
    Action("inbox-all", ("asterisk",), "mark all, or none", "mark", INBOX, "all", (MARKED,)),
    Action("inbox-read", ("enter",), "read it in full", "look", INBOX),
    Action("inbox-list", ("1",), "to the list", "look", INBOX),
    Action("inbox-detail", ("2",), "to the candidate", "look", INBOX),
    Action("inbox-pane", ("tab",), "to the other pane", "look", INBOX),
)
