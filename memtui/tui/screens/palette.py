"""The command palette of Textual, safe for quick fingers, that finds acts by any of their words."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape

from memtui.tui.actions.also_called import ERASING, words_of
from memtui.tui.screens.working import WorkingScreen

NOTHING_FOUND = "No act is called so"
ERASED_BY = "To erase a memory for good: memtui purge, on the command line"

_AT_A_WORD, _BY_ANOTHER_NAME, _WITHIN, _NOTE = 0.9, 0.7, 0.5, 0.1
"""How well a hit fits: what is typed begins a word of the title or another word for the act, or is within the title."""


class ActProvider(Provider):
    """Offers the acts of the screen beneath."""

    async def discover(self) -> Hits:
        """Yield every act."""
        for command, _ in self._acts():
            yield DiscoveryHit(Content(command.title), command.callback, command.title, _harmless(command.help))

    async def search(self, query: str) -> Hits:
        """Yield the acts that have every word that was typed."""
        words, found = query.lower().split(), False
        for command, known_by in self._acts():
            score = score_of(words, command.title.lower(), known_by)
            if score:
                found = True
                yield Hit(score, Content(command.title), command.callback, command.title, _harmless(command.help))
        if any(len(word) > 2 and one.startswith(word) for word in words for one in ERASING):  # noqa: PLR2004 - fewer letters begin too much
            found = True
            yield Hit(_NOTE, Content(ERASED_BY), self._do_nothing, ERASED_BY)
        if not found:
            yield Hit(_NOTE, Content(NOTHING_FOUND), self._help(), NOTHING_FOUND, "enter lists all there are")

    def _acts(self) -> Iterable[tuple[SystemCommand, str]]:
        screen = self.screen
        if isinstance(screen, WorkingScreen):
            yield from zip(self.app.get_system_commands(screen), map(words_of, screen.offered()), strict=True)

    def _help(self) -> Callable[[], None]:
        screen = self.screen
        return screen.action_help if isinstance(screen, WorkingScreen) else self._do_nothing

    def _do_nothing(self) -> None:
        """Close the palette."""


def score_of(words: Iterable[str], title: str, known_by: str) -> float:
    """Return how well an act fits what was typed, 0 where a word of it is missing; all in lower case."""
    names = f" {known_by.replace(':', ' ').replace('-', ' ')}"
    score = 1.0
    for word in words:
        if f" {word}" in f" {title}":
            score = min(score, _AT_A_WORD)
        elif f" {word}" in names:
            score = min(score, _BY_ANOTHER_NAME)
        elif word in title:
            score = min(score, _WITHIN)
        else:
            return 0.0
    return score


def _harmless(text: str) -> str | None:
    """Return a text that Textual reads as markup so that it says what it says."""
    return escape(text) if text else None


class Palette(CommandPalette):
    """Closes once: a command that is chosen while the palette is being left would close the screen beneath it."""

    def __init__(self) -> None:
        super().__init__([ActProvider], placeholder="what do you want to do?", id="--command-palette")

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close the palette, unless that was done."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
