"""The command palette, and the help: what can be done here, each with its key, and what words and marks mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widgets.option_list import Option

from memtui.text.words import did_you_mean
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, BULK, ERASING, EVERYWHERE, FACETS, FILTER, GO, PANE, Action, about
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.finding import (
    ELSEWHERE,
    NOTHING_FOUND,
    FindScreen,
    found_elsewhere,
    heading,
    of_other_screens,
    said,
    score_of,
    where_words,
)
from memtui.tui.styled_text import fit, wrap

ERASED_BY = "To erase a memory for good: memtui purge, on the command line"
RECENT = "Recently used"
GOING = "Go to"
HERE = "On this screen"
NOT_NOW = "Not now"

MOST_RECENT = 5

_AREA_CELLS = 10
_NAME = re.compile(r"\w{3,}")  # A word of an action that another may be mistaken for
_SHORTEST_ERASING = 3  # Letters of a word that may mean erasing: fewer begin too much


@dataclass(frozen=True, slots=True)
class Entry:
    """An action that the palette lists."""

    action: Action
    reason: str  # why it is not possible here and now, empty where it is
    score: float  # how well it fits what is typed


def entries(screen: MemtuiScreen, words: Sequence[str], recent: Sequence[str]) -> dict[str, list[Entry]]:
    """Return the actions of a screen that fit what is typed, under their headings.

    The likeliest stand first; of those equally likely the ones used last, then those that go to a screen. What is not
    possible now stands last, whatever it fits.

    `recent`: ids of actions, the one used last first.
    """
    found = list(_fitting(screen, words))
    possible, barred = _parted(found, lambda entry: not entry.reason)
    used = [entry for name in recent for entry in possible if entry.action.id == name]
    going, here = _parted(possible, lambda entry: entry.action.id.startswith(GO))
    last = sorted(barred, key=lambda entry: -entry.score)
    if words:
        in_order = dict.fromkeys((*used, *going, *here))
        return {"": sorted(in_order, key=lambda entry: -entry.score) + last}
    unused = [[entry for entry in part if entry not in used] for part in (going, here)]
    return {RECENT: used, **dict(zip((GOING, HERE), unused, strict=True)), NOT_NOW: last}


def _parted(found: Sequence[Entry], holds: Callable[[Entry], bool]) -> tuple[list[Entry], list[Entry]]:
    """Return the entries for which something holds, and the others."""
    return [entry for entry in found if holds(entry)], [entry for entry in found if not holds(entry)]


def _begins_erasing(word: str) -> bool:
    return len(word) >= _SHORTEST_ERASING and any(one.startswith(word) for one in ERASING)


def _fitting(screen: MemtuiScreen, words: Sequence[str]) -> Iterator[Entry]:
    for action in screen.offered():
        if score := score_of(words, action):
            yield Entry(action, screen.why_not(action) or "", score)


class PaletteScreen(FindScreen):
    """Everything that can be done here.

    `recent`: ids of the actions that were run last from here or from the help, the newest first.
    """

    NAME = "palette"
    HINT = "type to find · enter runs · esc closes"

    def __init__(self, screen: MemtuiScreen, recent: Sequence[str]) -> None:
        super().__init__(screen, "Commands")
        self._recent = recent[:MOST_RECENT]

    def options(self, words: Sequence[str]) -> Iterator[Option]:
        """Yield the actions under their headings, and what to do where none is found."""
        is_empty = True
        for name, found in entries(self.of, words, self._recent).items():
            if found and name:
                yield heading(name)
            for entry in found:
                is_empty = False
                yield Option(self._line(entry, "" if name == GOING else entry.action.area), id=entry.action.id)
        if any(map(_begins_erasing, words)):
            is_empty = False
            yield said(ERASED_BY)
        here = [one for one in self.of.offered() if score_of(words, one)]
        if others := list(found_elsewhere(self.of, words, here)):
            is_empty = False
            yield heading(ELSEWHERE)
        for action in others:
            yield Option(self._line(Entry(action, where_words(action), 0.0), action.area), id=action.id)
        if is_empty:
            hint = f"{NOTHING_FOUND}. {meant}" if (meant := self._meant(words)) else NOTHING_FOUND
            yield Option(Content.assemble(hint, ("  enter lists all there are", "$memtui-dim")), id="help")

    def _meant(self, words: Sequence[str]) -> str:
        """Return the word of an action that a mistyped one is nearest to, as a question; empty if none is near."""
        offered = [*self.of.offered(), *of_other_screens(self.of)]
        names = {name for one in offered for name in _NAME.findall(f"{one.palette_title} {one.known_by}".lower())}
        wrong = (word for word in words if not any(score_of([word], one) for one in offered))
        return next(filter(None, (did_you_mean(word, sorted(names)) for word in wrong)), "")

    def _line(self, entry: Entry, area: str) -> Content:
        """Return the area where it says something, what it does or why that is not possible, and its keys."""
        action = entry.action
        keys = self.keys_of(action, most=2)
        lead = fit(area, _AREA_CELLS - 1) + " " if area else ""
        room = max(1, self.line_cells - len(lead) - cell_len(keys) - 1)
        # The reason is what is asked for.
        text = f"{action.beginning} – {entry.reason}" if entry.reason else action.title
        return Content.assemble(
            (lead, "$memtui-dim"),
            (fit(text, room), "$memtui-dim" if entry.reason else ""),
            " ",
            (keys, "$memtui-dim" if entry.reason else "bold $primary"),
        )


_WORD_CELLS, _FEW_KEY_CELLS = 14, 8
_WORDS_FROM = 48  # Cells of a line from which words have a wide column
_SHARED_BY = 3  # Actions that one reason keeps from being possible, from which it is said for all of them at once

FIRST_KEYS = "Most useful here"
QUERY = "Queries: in the filter, for bulk changes, with --where"
WORDS = "Words and marks on this screen"

NOTES = (
    "The filter finds words like memtui search, and parts of titles; with a field, it is a query.",
    "Drag over the details to select text, ctrl+c copies it.",
    "Retired memories stay in the vault; undo brings them back, or the facet Status and R.",
)


class HelpScreen(FindScreen):
    """Everything that the screen beneath can do, and what its words mean."""

    NAME = "help"
    HINT = "type to find · enter runs · esc closes"

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__(screen, "Help")
        self._shared = (
            ""  # The reason why several actions are not possible, which is said once, below the first of them
        )

    def options(self, words: Sequence[str]) -> Iterator[Option]:
        """Yield the purpose of the screen, its actions, its words and marks, and the language of queries."""
        area = self.of.AREA
        told = about(area)
        self._shared = "" if words else self._shared_reason(actions_of(area))
        if not words:
            yield Option(Content("\n".join(wrap(told.purpose, self.line_cells))), disabled=True)
        first = [registry.by_id(name) for name in told.keys]
        rest = [action for action in actions_of(area) if action not in first]
        yield from self._group(FIRST_KEYS, first, words)
        if self._shared:
            not_now = wrap(f"Dim, as not possible now: {self._shared}", self.line_cells)
            yield Option(Content.styled("\n".join(not_now), "$memtui-dim"), disabled=True)
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
        yield from self._elsewhere(words)

    def _shared_reason(self, actions: Sequence[Action]) -> str:
        """Return the reason that keeps most actions from being possible, empty where it is that of few."""
        reasons = Counter(reason for one in actions if one.menu and (reason := self.of.why_not(one)))
        reason, number = next(iter(reasons.most_common(1)), ("", 0))
        return reason if number >= _SHARED_BY else ""

    def _elsewhere(self, words: Sequence[str]) -> Iterator[Option]:
        """Yield the actions of other screens that fit what is typed."""
        here = [one for one in actions_of(self.of.AREA) if self._is_meant(one, words)]
        for place, action in enumerate(found_elsewhere(self.of, words, here)):
            if place == 0:
                yield heading(ELSEWHERE)
            text = f"{action.title} – {where_words(action)}"
            yield Option(self._line(self.keymap.shown(action), text, "$memtui-dim", _FEW_KEY_CELLS), id=action.id)

    def _is_meant(self, action: Action, words: Sequence[str]) -> bool:
        return _fits(f"{action.known_by} {self.keys_of(action)}", words)

    def _group(self, name: str, actions: Sequence[Action], words: Sequence[str]) -> Iterator[Option]:
        found = [one for one in actions if self._is_meant(one, words)]
        if found:
            yield heading(name)
        for action in found:
            reason = self.of.why_not(action) if action.menu else None
            text = action.title + (f" – not now: {reason}" if reason and reason != self._shared else "")
            yield Option(
                self._line(self.keys_of(action), text, "$memtui-dim" if reason else "", _FEW_KEY_CELLS),
                id=action.id if action.menu else None,
                disabled=not action.menu,
            )

    def _explained(
        self, name: str, lines: Iterable[tuple[str, str]], words: Sequence[str], also: str = ""
    ) -> Iterator[Option]:
        is_named = bool(words) and name.lower().startswith(" ".join(words))
        found = [(term, meaning) for term, meaning in lines if is_named or _fits(f"{also} {term} {meaning}", words)]
        if found:
            yield heading(name)
        for term, meaning in found:
            yield Option(self._line(term, meaning), disabled=True)

    def _line(self, left: str, right: str, style: str = "", cells: int = 0) -> Content:
        """Return a key or a word and what it does or means, set in where that takes several lines.

        `cells`: of the first column; 0 for what words need.
        """
        cells = cells or (_WORD_CELLS if self.line_cells >= _WORDS_FROM else _FEW_KEY_CELLS)
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
