"""The actions of the app: what one is, and all of them."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.text.tables import read_lines

GLYPHS = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "asterisk": "*",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
}
"""Keys in Textual's spelling, and as people read them."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a person can do with a key or from the palette."""

    id: str  # a stable name, by which the configuration remaps it; with `_` for `-` it is the action method's name
    keys: tuple[str, ...]  # in Textual's spelling, the one to show first; none for what only the palette offers
    title: str  # what it does, as the palette and the help name it
    area: str  # heading in the help, and the part before the colon in the palette
    owner: str  # who answers: a screen by its `AREA`, `everywhere` for all screens, or a widget
    label: str = ""  # word in the footer; empty to leave it out
    places: tuple[str, ...] = ()  # where the footer shows it, most important first in the table
    words: str = ""  # other names for it, in lower case, by which palette and help find it
    menu: bool = True  # whether help and palette can run it; moving and typing are done by keys alone

    @property
    def method(self) -> str:
        """Name of the action method, without its prefix."""
        return self.id.replace("-", "_")

    @property
    def palette_title(self) -> str:
        """The action as the palette lists it: `area: verb`."""
        return f"{self.area}: {self.title}"

    @property
    def known_by(self) -> str:
        """What palette and help search: area, title, id and other names, in lower case."""
        return f"{self.palette_title} {self.id} {self.words}".lower()


def key_text(key: str) -> str:
    return GLYPHS.get(key, key)


# Who answers a key: a screen by its AREA, all screens, or a widget.
BROWSE, CONTEXT, PACKS, INBOX, REVIEW, MERGE = "browse", "context", "packs", "inbox", "review", "merge"
BULK, REFLECT, TIDY, CLASH, HISTORY, IMPORT = "bulk", "reflect", "tidy", "clash", "history", "import"
LAB, HEALTH, EDIT, CONFLICT, RESEMBLING, EVERYWHERE = "lab", "health", "edit", "conflict", "resembling", "everywhere"

DUE = "browse-due"  # What a key of the list means where only what is due is listed

PANE, FILTER, FACETS, FILES = "pane", "filter", "facets", "files"
FORM_LINE, FORM_TOGGLE, MERGE_FIELDS, CLASH_TEXT = "form-line", "form-toggle", "merge-fields", "clash-text"
SCREEN_ANSWERS = frozenset({MERGE_FIELDS, CLASH_TEXT})
"""Widgets with keys of their own that their screen answers: there `b` is both, not the inbox."""
WIDGETS = frozenset({PANE, FILTER, FACETS, FILES, FORM_LINE, FORM_TOGGLE}) | SCREEN_ANSWERS
"""Widgets with keys of their own."""

GO = "go-"  # Start of the ids of actions that open a screen; the rest is its name
MERGE_TAKE = "merge-take-"  # Start of the ids of actions that take the text of one memory; the rest is its number

ERASING = frozenset({"delete", "remove", "forget", "erase", "drop", "archive", "purge"})
"""Words that may mean more than retiring: only the command line erases for good."""


def _action(row: str) -> Action:
    columns = [column.strip() for column in row.split("|")]
    owner, identifier, keys, area, title, label, places, words = columns + [""] * (8 - len(columns))
    menu = not owner.startswith("-")
    keyed, shown = tuple(keys.split()), tuple(places.split())
    return Action(identifier, keyed, title, area, owner.lstrip("- "), label, shown, words, menu)


ACTIONS = tuple(_action(row) for row in read_lines(__file__, "actions.txt"))
"""All actions, in the order of the help."""
