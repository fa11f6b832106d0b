"""What a text denies and what it asserts, to tell "use A, not B" from "use B, not A" in seven languages."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.capture.lessons.cues import language_of, matches
from memtui.capture.lessons.exchange import stems

_CLAUSE = re.compile(r"[,;:.!?，；：。！？、\n—–]+|\s-\s|\b(?:but|sondern|aber|mais|sino|pero|mas)\b|而是")
_FOLLOWING = 6  # Words after a denial that it may deny
_SPACELESS_CHARS = 14


@lru_cache(2_048)
def denied(text: str) -> frozenset[str]:
    """Return the terms that a text denies."""
    language = language_of(text)
    found: set[str] = set()
    for clause in _CLAUSE.split(text.lower().replace("\u2019", "'")):
        for start, end in matches("denies", clause, language):
            found |= stems(_reach(clause, start, end, language))
    return frozenset(found)


def _reach(clause: str, start: int, end: int, language: str) -> str:
    """Return the words that a denial at a place may deny."""
    if language == "ja":
        return clause[max(0, start - _SPACELESS_CHARS) : start]
    if language == "zh":
        return clause[end : end + _SPACELESS_CHARS]
    return " ".join(clause[end:].split()[:_FOLLOWING])


def opposed(one: str, other: str) -> frozenset[str]:
    """Return the terms that one text denies and the other asserts."""
    mine, theirs = denied(one), denied(other)
    return ((mine - theirs) & (stems(other) - theirs)) | ((theirs - mine) & (stems(one) - mine))


def agreed(one: str, other: str) -> bool:
    """Return whether both deny something in common, and nothing that the other asserts."""
    return bool(denied(one) & denied(other)) and not opposed(one, other)
