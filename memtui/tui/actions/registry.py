"""The actions of the app: what one is, all of them, the keys in force, and what the help of each screen begins with."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memtui.text.tables import read_lines, read_table
from memtui.text.words import did_you_mean

if TYPE_CHECKING:
    from textual.binding import BindingType


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
    "at": "@",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
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


_PARTS = re.compile(r"[:,;]")


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
    def beginning(self) -> str:
        """The beginning of a long title, which is enough to know it by."""
        return _PARTS.split(self.title)[0]

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
ASSISTANTS, PUBLISH, CHOOSING, CAPTURE, TEAM = "assistants", "publish", "choosing", "capture", "team"
LAB, HEALTH, EDIT, CONFLICT, RESEMBLING, EVERYWHERE = "lab", "health", "edit", "conflict", "resembling", "everywhere"
LISTING = "listing"  # The list of a screen that has no filter of its own

PANE, FILTER, FACETS, FILES = "pane", "filter", "facets", "files"
ASK, FORM_LINE, FORM_TOGGLE, MERGE_FIELDS, CLASH_TEXT = "ask", "form-line", "form-toggle", "merge-fields", "clash-text"
SCREEN_ANSWERS = frozenset({MERGE_FIELDS, CLASH_TEXT})
"""Widgets with keys of their own that their screen answers: there `b` is both, not the inbox."""
WIDGETS = frozenset({PANE, FILTER, FACETS, FILES, ASK, FORM_LINE, FORM_TOGGLE}) | SCREEN_ANSWERS
"""Widgets with keys of their own."""

GO = "go-"  # Start of the ids of actions that open a screen, or switch the project; the rest is its name
MERGE_TAKE = "merge-take-"  # Start of the ids of actions that take the text of one memory; the rest is its number

ERASING = frozenset({"delete", "remove", "forget", "erase", "drop", "archive", "purge"})
"""Words that may mean more than retiring: only the command line erases for good."""


def _action(row: str) -> Action:
    columns = [column.strip() for column in row.split("|")]
    owner, identifier, keys, area, title, label, places, words = columns + [""] * (8 - len(columns))
    menu = not owner.startswith("-")
    keyed, shown = tuple(keys.split()), tuple(places.split())
    return Action(identifier, keyed, title, area, owner.lstrip("- "), label, shown, words, menu)


ACTIONS = tuple(_action(row) for row in read_lines(__file__, "actions.txt"))  # All actions, in the order of the help


MOST_HINTS = 9  # Keys in the footer at most

_BY_ID = {action.id: action for action in ACTIONS}


def by_id(identifier: str) -> Action:
    """Return an action by its id. Raises `KeyError`: there is none."""
    return _BY_ID[identifier]


def find(identifier: str | None) -> Action | None:
    """Return the action with an id; None where no action has it."""
    return _BY_ID.get(identifier or "")


def bindings(*owners: str) -> list[BindingType]:
    """Return the bindings of owners.

    A screen's keys all run `act`, which says why an action is not possible.
    """
    # Imported here: the command line lists actions and keys without Textual.
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.method if action.owner in WIDGETS - SCREEN_ANSWERS else f"screen.act('{action.id}')",
            action.title,
            show=bool(action.label),
            id=action.id,
        )
        for owner in owners
        for action in ACTIONS
        if action.owner == owner and action.keys
    ]


def hints(place: str, off: Container[str] = ()) -> list[Action]:
    """Return what the footer shows in a place, at most nine; how to leave is never crowded out.

    `off`: ids of actions that are not possible now.
    """
    found = [action for action in shown_in(place) if action.id not in off]
    return found if len(found) <= MOST_HINTS else [*found[: MOST_HINTS - 1], found[-1]]


def shown_in(place: str) -> list[Action]:
    """Return the actions that the footer has a word for in a place."""
    return [action for action in ACTIONS if action.label and place in action.places]


def of_owners(*owners: str) -> list[Action]:
    """Return the actions of these owners, in the order of the table."""
    return [action for action in ACTIONS if action.owner in owners]


_SPELLINGS = {glyph: key for key, glyph in GLYPHS.items()}

GUARANTEED = "ctrl+q"  # Quits whatever the configuration says


class Keymap:
    """Which keys run which act.

    `chosen`: keys by action id, as the configuration has them: `"P"`, `"ctrl+t, T"`.

    Attributes:
        problems: one line for every remapping that was left out, with the reason.
    """

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self.problems: list[str] = []
        self._keys = {action.id: action.keys for action in ACTIONS}
        wanted = dict(self._known(chosen or {}))
        for identifier, keys in wanted.items():
            self._keys[identifier] = keys
        self._drop_clashes(wanted)
        self.remapped = {identifier: self._keys[identifier] for identifier in wanted if identifier in self._keys}

    def keys(self, action: Action) -> tuple[str, ...]:
        """Return the keys of an act in Textual's spelling."""
        return self._keys[action.id]

    def shown(self, action: Action, *, most: int = 4) -> str:
        """Return the keys of an act as people read them, empty where it has none."""
        return " ".join(key_text(key) for key in self.keys(action)[:most])

    def first(self, action: Action) -> str:
        """Return the first key of an act as people read it."""
        return self.shown(action, most=1)

    def for_textual(self) -> dict[str, str]:
        """Return what `App.set_keymap` takes."""
        return {identifier: ",".join(keys) for identifier, keys in self.remapped.items()}

    def _known(self, chosen: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
        found = []
        for identifier, text in chosen.items():
            keys = tuple(_spelled(part) for part in _parts(text))
            if identifier not in _BY_ID:
                hint = did_you_mean(identifier, sorted(_BY_ID))
                self.problems.append(f"keys.{identifier}: unknown action. {hint}".rstrip(". "))
            elif GUARANTEED in keys and identifier != "quit":
                self.problems.append(f"keys.{identifier}: {GUARANTEED} always quits")
            elif not keys:
                self.problems.append(f"keys.{identifier}: names no key")
            else:
                found.append((identifier, keys))
        return found

    def _drop_clashes(self, wanted: dict[str, tuple[str, ...]]) -> None:
        """Take back remappings that collide with another act, until none does."""
        for _ in range(len(wanted) + 1):
            clash = self._clash()
            if clash is None:
                return
            key, first, second = clash
            loser = second if second.id in wanted else first
            wanted.pop(loser.id, None)
            self._keys[loser.id] = loser.keys
            self.problems.append(
                f"keys.{loser.id}: {key_text(key)} is {second.id if loser is first else first.id} already; "
                f"{key_text(loser.keys[0]) if loser.keys else 'no key'} stays"
            )

    def _clash(self) -> tuple[str, Action, Action] | None:
        seen: dict[tuple[str, str], Action] = {}
        for action in ACTIONS:
            for key in self._keys[action.id]:
                for owner in _rivals(action.owner):
                    other = seen.get((owner, key))
                    if other is not None and other.id != action.id:
                        return key, other, action
                seen[action.owner, key] = action
        return None


def _rivals(owner: str) -> Sequence[str]:
    """Return the owners whose keys must differ from this one's."""
    if owner in WIDGETS:
        return (owner,)
    if owner == EVERYWHERE:
        return tuple({action.owner for action in ACTIONS} - WIDGETS)
    return (owner, EVERYWHERE)


def _parts(text: str) -> list[str]:
    """Split `a, b` at commas; a lone comma is the comma key."""
    return [","] if text.strip() == "," else [part.strip() for part in text.split(",") if part.strip()]


def _spelled(key: str) -> str:
    """Return a key in Textual's spelling: `?` is `question_mark`, `esc` is `escape`."""
    return _SPELLINGS.get(key, key)


@dataclass(frozen=True, slots=True)
class About:
    """What the help of a screen begins with, and what it ends with."""

    name: str  # as its head has it
    purpose: str  # one sentence
    keys: tuple[str, ...]  # ids of actions, the most useful first
    words: tuple[tuple[str, str], ...]  # (word or mark, what it means)


_TABLE = read_table(__file__, "about.toml")

SCREENS = tuple(_TABLE["screens"])  # Every screen by its `AREA`


@cache
def about(area: str) -> About:
    """Return what there is to say of a screen by its `AREA`; nothing of what is none."""
    screen = _TABLE["screens"].get(area, {})
    own = screen.get("own", {})
    shared = {word: _TABLE["words"][word] for word in screen.get("words", ()) if word not in own}
    name = screen.get("name", area.capitalize())
    return About(name, screen.get("purpose", ""), tuple(screen.get("keys", ())), tuple((shared | own).items()))


def all_words() -> dict[str, str]:
    """Return the words that mean the same on every screen."""
    return dict(_TABLE["words"])
