"""Whether a text begins with an instruction, and its first word."""

from __future__ import annotations

import re

from memtui.analysis.sentence_acts import SENTENCE_CHARS, openings

_FIRST_WORD = re.compile(r"[\s*_>`-]*(?:please\s+)?([\w'\u2019]+)", re.IGNORECASE)


def is_imperative(text: str) -> bool:
    """Return whether a text begins with an instruction."""
    return first_word(text) in openings("verbs")


def first_word(text: str) -> str:
    """Return the first word of a text in lower case, `please` and mark-up left out."""
    found = _FIRST_WORD.match(text[:SENTENCE_CHARS])
    return found[1].lower().replace("\u2019", "'") if found else ""
