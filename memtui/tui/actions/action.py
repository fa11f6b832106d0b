"""An action: its id, its keys, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Something that a person can do with a key or from the palette.

    Attributes:
        id: a stable name, by which the configuration remaps it; with `_` for `-` it is the action method's name.
        keys: in Textual's spelling, the one to show first; none for what only the palette offers.
        title: what it does, as the palette and the help name it.
        area: heading in the help, and the part before the colon in the palette.
        owner: who answers: a screen by its `AREA`, `everywhere` for all screens, or a widget.
        label: word in the footer; empty to leave it out.
        places: where the footer shows it, most important first in the table.
        words: other names for it, in lower case, by which palette and help find it.
        menu: whether help and palette can run it; moving and typing are done by keys alone.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    area: str
    owner: str
    label: str = ""
    places: tuple[str, ...] = ()
    words: str = ""
    menu: bool = True

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
    """Return a key as people read it."""
    return GLYPHS.get(key, key)
