"""Help: what the screen is for, its ten keys, everything else it can do, and the words and marks on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.widgets.option_list import Option

from memtui.tui.actions import registry
from memtui.tui.actions.about import about
from memtui.tui.actions.registry import BROWSE, BULK, EVERYWHERE, FACETS, FILTER, GO, PANE, Action
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.finding import ELSEWHERE, FindScreen, found_elsewhere, heading, said, where_words
from memtui.tui.styled_text import fit, wrap

_KEY_CELLS, _FEW_KEY_CELLS = 14, 8
_KEYS_FROM = 48  # Cells of a line from which keys have a wide column

FIRST_KEYS = "Most useful here"
QUERY = "Query: in the filter, for many at once, --where"
WORDS = "Words and marks on this screen"

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
            yield Option(Content("\n".join(wrap(told.purpose, self.line_cells))), disabled=True)
        first = [registry.by_id(name) for name in told.keys]
        rest = [action for action in actions_of(area) if action not in first]
        yield from self._group(FIRST_KEYS, first, words)
        yield from self._group("Go to", [one for one in rest if one.id.startswith(GO)], words)
        by_area: dict[str, list[Action]] = {}
        for action in rest:
            if not action.id.startswith(GO):
                by_area.setdefault(action.area, []).append(action)
        for name, actions in by_area.items():
            yield from self._group(name.capitalize(), actions, words)
        yield from self._explained(WORDS, told.words, words)
        if area in {BROWSE, BULK}:
            # Imported here: the help is opened long after the first picture.
            from memtui.curate.query import help_lines

            yield from self._explained(QUERY, help_lines(), words, "query")
        for note in NOTES if area == BROWSE else ():
            if _fits(note, words):
                yield said(note)
        here = [one for one in actions_of(area) if self._is_meant(one, words)]
        for place, action in enumerate(found_elsewhere(self.of, words, here)):
            if place == 0:
                yield heading(ELSEWHERE)
            text = f"{action.title} – {where_words(action)}"
            yield Option(self._line(self.keymap.shown(action), text, "$memtui-dim"), id=action.id)

    def _is_meant(self, action: Action, words: Sequence[str]) -> bool:
        return _fits(f"{action.known_by} {self.keymap.shown(action)}", words)

    def _group(self, name: str, actions: Sequence[Action], words: Sequence[str]) -> Iterator[Option]:
        found = [one for one in actions if self._is_meant(one, words)]
        if found:
            yield heading(name)
        for action in found:
            reason = self.of.why_not(action) if action.menu else None
            text = action.title + (f" – not now: {reason}" if reason else "")
            yield Option(
                self._line(self.keymap.shown(action), text, "$memtui-dim" if reason else ""),
                id=action.id if action.menu else None,
                disabled=not action.menu,
            )

    def _explained(
        self, name: str, lines: Iterable[tuple[str, str]], words: Sequence[str], also: str = ""
    ) -> Iterator[Option]:
        found = [(term, meaning) for term, meaning in lines if _fits(f"{also} {term} {meaning}", words)]
        if found:
            yield heading(name)
        for term, meaning in found:
            yield Option(self._line(term, meaning), disabled=True)

    def _line(self, left: str, right: str, style: str = "") -> Content:
        """Return a key or a word and what it does or means, set in where that takes several lines."""
        cells = _KEY_CELLS if self.line_cells >= _KEYS_FROM else _FEW_KEY_CELLS
        lead = fit(left, cells) if cell_len(left) < cells else f"{left}  "
        first, *more = wrap(right, max(1, self.line_cells - cells))
        if cell_len(lead) + cell_len(first) > self.line_cells:
            lead, more = left, [first, *more]
            first = ""
        return Content.assemble((lead, "bold"), ("\n".join((first, *(" " * cells + line for line in more))), style))


def actions_of(area: str) -> list[Action]:
    """Return the actions of a screen and of its panes, in the order of the table."""
    owners = (area, FILTER, FACETS, EVERYWHERE, PANE) if area == BROWSE else (area, EVERYWHERE, PANE)
    found = registry.of_owners(*owners)
    # Its own first.
    return sorted(found, key=lambda action: owners.index(action.owner))


def _fits(text: str, words: Iterable[str]) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in words)
