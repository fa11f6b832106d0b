"""Patterns that take capitals as small letters, sought in a quarter of the time in most texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property

from memtui.text.needed_words import needed_in

_ESCAPED_OR_CAPITAL = re.compile(r"\\.|[A-Z]", re.DOTALL)
_OWN_WAY = ("(?P", "(?-", "A-z")  # has capitals that are no letters, or a part with regard to case
_UNLIKE = re.compile(r"[^\x00-\xb4\xb6-\xff\u2010-\u205e\u3000-\u9fff\uac00-\ud7af\ue000-\uf8ff]")
"""Letters of which the small one may be longer, or not the only one that counts as the same."""


class Caseless:
    """A pattern without regard to letter case, asked only whether and where it is in a text.

    Without regard to case each letter of a pattern is tried in both forms at each place. So a text is read in lower
    case if that is as long, and a match tells of it in lower case.
    """

    def __init__(self, pattern: str) -> None:
        self._text = pattern

    # Each form is compiled for the first text that needs it: most programs meet only one of them.
    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self._text, re.IGNORECASE)

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        text = self._text
        keeps_capitals = any(map(text.__contains__, _OWN_WAY)) or any(
            sign.isupper() and not sign.isascii() for sign in text
        )
        if keeps_capitals:
            return self._any
        small = _ESCAPED_OR_CAPITAL.sub(lambda found: found[0] if len(found[0]) > 1 else found[0].lower(), text)
        return re.compile(small)

    # Written out in each of these, since they are asked a hundred times for each memory that is imported.
    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match in a text, between two places of it."""
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower.search(text.lower(), start, end)
        return self._any.search(text, start, end)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match that a text begins with."""
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower.match(text.lower())
        return self._any.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that takes a text as a whole."""
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower.fullmatch(text.lower())
        return self._any.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every match in a text."""
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower.finditer(text.lower())
        return self._any.finditer(text)


_MANY = 50  # Texts from which it is worth a few milliseconds to find out what a pattern cannot do without


class Seldom(Caseless):
    """The same for a pattern that few texts hold: those without any word that it needs are told by that."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self._asked = 0

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        return () if self._lower is self._any else needed_in(self._lower.pattern)

    def _lacks(self, lower: str) -> bool:
        """Return whether a text in lower case cannot hold the pattern."""
        self._asked += 1
        if self._asked < _MANY:
            return False
        for word in self._needed:  # `any` takes twice as long
            if word in lower:
                return False
        return bool(self._needed)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match in a text, between two places of it."""
        if text.isascii() or not _UNLIKE.search(text):
            lower = text.lower()
            return None if self._lacks(lower) else self._lower.search(lower, start, end)
        return self._any.search(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every match in a text."""
        if text.isascii() or not _UNLIKE.search(text):
            lower = text.lower()
            return iter(()) if self._lacks(lower) else self._lower.finditer(lower)
        return self._any.finditer(text)

    def sub(self, by: str, text: str) -> str:
        """Return a text with something else for each match."""
        if (text.isascii() or not _UNLIKE.search(text)) and self._lacks(text.lower()):
            return text
        return self._any.sub(by, text)
