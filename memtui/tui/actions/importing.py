"""Acts of the Import screen."""

from __future__ import annotations

from memtui.tui.actions.action import Action

IMPORT = "import"

IMPORT_PATH = "import-line"
"""Place of the footer while a path is typed."""

_HERE = ("import",)

ACTIONS: tuple[Action, ...] = (
    Action("import-tick", ("space",), "tick a source in or out", "import", IMPORT, "tick", _HERE),
    Action("import-run", ("I",), "import what is ticked", "import", IMPORT, "import", _HERE),
    Action("import-active", ("A",), "into the inbox, or active at once", "import", IMPORT, "inbox/active", _HERE),
    Action("import-path", ("slash",), "type another file or folder", "import", IMPORT, "path", _HERE),
    Action("import-all", ("asterisk",), "tick every source, or none", "import", IMPORT),
    Action("import-read", ("enter",), "read a source's memory in full", "look", IMPORT, "read", _HERE),
    Action("import-pane", ("tab",), "to the other pane", "look", IMPORT, "to list", (IMPORT_PATH,)),
    Action("import-sources", ("1",), "to the sources", "look", IMPORT),
    Action("import-preview", ("2",), "to the preview", "look", IMPORT),
)
