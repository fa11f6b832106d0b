"""Titles that mean something said before them, which only a reader of the whole text knows: "Ask the crew to do it"."""

from __future__ import annotations

import re

_ACTS_ON_IT = re.compile(
    r"(?:(?:please|always|never|also|then|only|do not|don['’]t|you (?:must|should)|must|should) )*[a-z]+ "
    r"(?:it|them|(?:this|these|those|that)(?= (?:before|after|when|whenever|if|unless|until|to|in|on|at|for|first"
    r"|and|or|only|as|with|from|by|instead|again|too|up|out|off)\b|[.,;:]|$))\b",
    re.IGNORECASE,
)
_OF_THOSE = re.compile(
    r"([^,;:]*?)\b(?:for|of|in|with|to|on|by|from|about|under|between) (?:these|those) (\w+)", re.IGNORECASE
)
_DOES_IT = re.compile(r"^[^,;:]*\bdo(?:es|ing)? (?:it|this|that|so)(?=$|[.,;])", re.IGNORECASE)
_OCCASION = re.compile(r"(?:if|when|whenever|before|after|unless|until|once|while)\b", re.IGNORECASE)
_POINTS = re.compile(r"(?<!\band)(?<!\bor)(?<!\d) (?:above|below)$", re.IGNORECASE)
_NUMBERS = frozenset({"one", "ones", "two", "three", "four", "few", "who", "that", "which", "with", "in", "of"})


def dangles(title: str) -> bool:
    """Return whether an English title acts on, or points at, what it does not name."""
    if _ACTS_ON_IT.match(title) or _POINTS.search(title):
        return True
    return means_others(title) or bool(_DOES_IT.match(title) and not _OCCASION.match(title))


def means_others(words: str) -> bool:
    """Return whether the first clause of an English statement means things named before it: "red for those ropes"."""
    meant = _OF_THOSE.match(words)
    if meant is None or meant[2].lower() in _NUMBERS:
        return False
    return meant[2].lower().rstrip("s") not in meant[1].lower()
