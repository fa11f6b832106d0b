"""What each screen is for, its most useful keys, and what the words and marks on it mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from memtui.text.tables import read_table


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
