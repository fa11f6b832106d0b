"""Every key of the app, once: bindings, footer, help and palette are all made from this list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

MOST_HINTS = 7
"""Keys in the footer at most."""

Owner = Literal["screen", "pane", "filter"]

_GLYPHS = {
    "down": "↓",
    "up": "↑",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
}


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does.

    Attributes:
        id: a stable name; with `_` for `-` it is the action method's name.
        keys: keys in Textual's spelling, the one to show first.
        help: what it does, for help and palette.
        group: heading in the help.
        label: word in the footer; empty to leave it out.
        places: where the footer shows it: `list`, `detail`, `filter`; `due` is the list of what is due.
        owner: who answers the key: the `screen`, the focused `pane`, or the `filter`.
    """

    id: str
    keys: tuple[str, ...]
    help: str
    group: str
    label: str = ""
    places: tuple[str, ...] = ("list", "due")
    owner: Owner = "screen"

    @property
    def show(self) -> bool:
        """Whether the footer has it."""
        return bool(self.label)

    @property
    def method(self) -> str:
        """Name of the action method, without its prefix."""
        return self.id.replace("-", "_")

    @property
    def shown_keys(self) -> str:
        """The keys as people read them."""
        return " ".join(key_text(key) for key in self.keys)


def key_text(key: str) -> str:
    """Return a key as people read it."""
    return _GLYPHS.get(key, key)


_BOTH = ("list", "due", "detail")

ACTIONS: tuple[Action, ...] = (
    Action("down", ("j", "down"), "one row or line down", "Move", owner="pane"),
    Action("up", ("k", "up"), "one row or line up", "Move", owner="pane"),
    Action("half-down", ("ctrl+d",), "half a page down", "Move", owner="pane"),
    Action("half-up", ("ctrl+u",), "half a page up", "Move", owner="pane"),
    Action("page-down", ("pagedown",), "a page down", "Move", owner="pane"),
    Action("page-up", ("pageup",), "a page up", "Move", owner="pane"),
    Action("first", ("g", "home"), "to the top", "Move", owner="pane"),
    Action("last", ("G", "end"), "to the bottom", "Move", owner="pane"),
    Action("read", ("enter",), "read the memory: scroll its details", "Look", label="read"),
    Action("next-pane", ("tab",), "to the other pane", "Look"),
    Action("list", ("1",), "to the list", "Look"),
    Action("detail", ("2",), "to the details", "Look"),
    Action(
        "back",
        ("escape",),
        "clear the filter, then leave it; back to the list",
        "Look",
        label="back",
        places=("detail", "filter"),
    ),
    Action(
        "filter-keep", ("enter",), "in the filter: keep it and go to the list", "Look", "to list", ("filter",), "filter"
    ),
    Action("filter-down", ("down",), "in the filter: next row", "Look", owner="filter"),
    Action("filter-up", ("up",), "in the filter: previous row", "Look", owner="filter"),
    Action("filter", ("slash",), "filter as you type", "Look", label="filter"),
    Action("due", ("r",), "only what is due for review, and back to all", "Look", label="due/all"),
    Action(
        "verify",
        ("y",),
        "still true: freshness starts anew (where due is listed)",
        "Curate",
        label="still true",
        places=("due",),
    ),
    Action("pin", ("p",), "pin or unpin: a pinned memory never goes stale", "Curate", label="pin", places=_BOTH),
    Action("retire", ("x",), "retire: out of use, kept in the vault", "Curate", label="retire", places=_BOTH),
    Action("undo", ("u",), "undo the last change", "Curate", label="undo", places=_BOTH),
    Action("redo", ("ctrl+r",), "do the undone change again", "Curate"),
    Action("help", ("question_mark",), "this help", "App"),
    Action("palette", ("colon", "ctrl+p"), "command palette, with the themes", "App"),
    Action("quit", ("q", "ctrl+q"), "quit", "App", label="quit", places=_BOTH),
)


def bindings(owner: Owner) -> list[BindingType]:
    """Return the bindings of the screen, of its panes, or of the filter."""
    return [
        Binding(",".join(action.keys), action.method, action.help, show=action.show, id=action.id)
        for action in ACTIONS
        if action.owner == owner
    ]


def hints(place: str) -> list[Action]:
    """Return what the footer shows in a place, at most seven."""
    return [action for action in ACTIONS if action.show and place in action.places][:MOST_HINTS]


def groups() -> dict[str, list[Action]]:
    """Return every action under its heading, in order."""
    found: dict[str, list[Action]] = {}
    for action in ACTIONS:
        found.setdefault(action.group, []).append(action)
    return found
