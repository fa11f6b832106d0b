"""Help: what the screen is for, its ten keys, everything else it can do, and the words and marks on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from textual.content import Content
from textual.widgets.option_list import Option

from memtui.tui.actions import registry
from memtui.tui.actions.about import about
from memtui.tui.actions.registry import BROWSE, BULK, EVERYWHERE, FACETS, FILTER, GO, PANE, Action
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.finding import FindScreen, heading, said

_KEY_CELLS = 16

FIRST_KEYS = "most useful here"
WORDS = "words and marks on this screen"

NOTES = (
    "The filter finds words as memtui search does, and parts of titles; with a field in it, it is a query.",
    "Drag over the details to select text, ctrl+c copies it.",
    "Retired memories stay in the vault; undo brings them back, or the facet Status and R.",
)


class HelpScreen(FindScreen):
    """Everything that the screen beneath can do, and what its words mean."""

    NAME = "help"
    HINT = "type to find · enter runs · esc closes"

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__(screen, "Help")

    def options(self, words: Sequence[str]) -> Iterator[Option]:
        """Yield the purpose of the screen, its actions, its words and marks, and the language of queries."""
        area = self.of.AREA
        told = about(area)
        if not words:
            yield Option(Content(told.purpose), disabled=True)
        first = [registry.by_id(name) for name in told.keys]
        rest = [action for action in actions_of(area) if action not in first]
        yield from self._group(FIRST_KEYS, first, words)
        yield from self._group("go to", [one for one in rest if one.id.startswith(GO)], words)
        by_area: dict[str, list[Action]] = {}
        for action in rest:
            if not action.id.startswith(GO):
                by_area.setdefault(action.area, []).append(action)
        for name, actions in by_area.items():
            yield from self._group(name, actions, words)
        yield from _explained(WORDS, told.words, words)
        if area in {BROWSE, BULK}:
            yield from _query_help(words)
        for note in NOTES if area == BROWSE else ():
            if _fits(note, words):
                yield said(note)

    def _group(self, name: str, actions: Sequence[Action], words: Sequence[str]) -> Iterator[Option]:
        found = [one for one in actions if _fits(f"{one.known_by} {self.keymap.shown(one)}", words)]
        if found:
            yield heading(name)
        for action in found:
            reason = self.of.why_not(action) if action.menu else None
            text = action.title + (f" – not now: {reason}" if reason else "")
            yield Option(
                _line(self.keymap.shown(action), text, "$memtui-dim" if reason else ""),
                id=action.id if action.menu else None,
                disabled=not action.menu,
            )


def actions_of(area: str) -> list[Action]:
    """Return the actions of a screen and of its panes, in the order of the table."""
    owners = (area, FILTER, FACETS, EVERYWHERE, PANE) if area == BROWSE else (area, EVERYWHERE, PANE)
    found = registry.of_owners(*owners)
    # Its own first.
    return sorted(found, key=lambda action: owners.index(action.owner))


def _query_help(words: Sequence[str]) -> Iterator[Option]:
    """Yield what the query language knows: it is one for the filter, for many at once, and for `list --where`."""
    # Imported here: the help is opened long after the first picture.
    from memtui.curate.query import help_lines

    yield from _explained("query: in the filter, for many at once, --where", help_lines(), words, "query")


def _explained(name: str, lines: Iterable[tuple[str, str]], words: Sequence[str], also: str = "") -> Iterator[Option]:
    found = [(term, meaning) for term, meaning in lines if _fits(f"{also} {term} {meaning}", words)]
    if found:
        yield heading(name)
    for term, meaning in found:
        yield Option(_line(term, meaning), disabled=True)


def _fits(text: str, words: Iterable[str]) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in words)


def _line(left: str, right: str, style: str = "") -> Content:
    return Content.assemble((left.ljust(_KEY_CELLS) if len(left) < _KEY_CELLS else f"{left}  ", "bold"), (right, style))
