"""Patterns that take capitals as small letters, sought in a quarter of the time in most texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property

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

    def _for(self, text: str) -> tuple[re.Pattern[str], str]:
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower, text.lower()
        return self._any, text

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match in a text, between two places of it."""
        pattern, text = self._for(text)
        return pattern.search(text, start, end)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match that a text begins with."""
        pattern, text = self._for(text)
        return pattern.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that takes a text as a whole."""
        pattern, text = self._for(text)
        return pattern.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every match in a text."""
        pattern, text = self._for(text)
        return pattern.finditer(text)
