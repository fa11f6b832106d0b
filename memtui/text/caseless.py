"""Patterns that take capitals as small letters, sought in a quarter of the time in most texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_UNLIKE = re.compile(r"[^\x00-\xb4\xb6-\xff\u2010-\u205e\u3000-\u9fff\uac00-\ud7af\ue000-\uf8ff]")
"""Letters of which the small one may be longer, or not the only one that counts as the same."""


class Caseless:
    """A pattern without regard to letter case, asked only whether and where it is in a text.

    Without regard to case each letter of a pattern is tried in both forms at each place. So a text is read in lower
    case if that is as long, and a match tells of it in lower case.
    """

    __slots__ = ("_any", "_lower")

    def __init__(self, pattern: str) -> None:
        self._any = re.compile(pattern, re.IGNORECASE)
        names_capitals = any(map(str.isupper, _ESCAPED.sub("", pattern)))
        self._lower = self._any if names_capitals else re.compile(pattern)

    def _for(self, text: str) -> tuple[re.Pattern[str], str]:
        if text.isascii() or not _UNLIKE.search(text):
            return self._lower, text.lower()
        return self._any, text

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        pattern, text = self._for(text)
        return pattern.search(text)

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
