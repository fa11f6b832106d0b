"""What a record of decisions only tells: `agents ask once, so a second question was never drawn` orders nothing.

Records argue at length about what programs, agents and people do, in the words in which planted instructions are
written, so that a resemblance alone says nothing of a statement there. Orders are looked at as everywhere: a sentence
that says who is to do something, or has a clause that begins with what is to be done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from memtui.text.injection_languages import ENGLISH, Language, beginnings
from memtui.text.injection_roles import ACTS, placed_roles
from memtui.text.tables import compile_lines, fill, read_table

_ORDERED = ACTS | {"grant", "claim", "check"}
_LONGEST = 1_200  # characters of a sentence that is read: no statement is longer
_STATED_WITHIN = 200  # characters in which a statement has its verb
_FEWEST_WORDS = 2  # frequent ones of a sentence in English
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
_INFLECTED = re.compile(r"\w*(?:[^\Ws]s|ed|ing|ly)\b", re.IGNORECASE)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    table = read_table(__file__, "injection_told.toml")
    return compile_lines(fill(table[name], {"finite": table["finite"].strip()}))


def only_tells(sentence: str, languages: Sequence[Language]) -> bool:
    """Return whether a sentence of a record states something, or is in a language whose orders are not known.

    `languages`: those other than English in which its text may be written; a sentence in one of these is no statement.
    """
    if len(sentence) > _LONGEST:
        return False
    words = beginnings(sentence)
    if any(language.fits(sentence, words) for language in languages):
        return False
    is_foreign = len(words & ENGLISH) < _FEWEST_WORDS and _FOREIGN_LETTER.search(sentence) is not None
    return (is_foreign or _states(sentence)) and not _orders(sentence)


def _states(sentence: str) -> bool:
    begins, has_verb = _pattern("begins"), _pattern("states")
    return begins.match(sentence) is not None and has_verb.search(sentence, 0, _STATED_WITHIN) is not None


def _orders(sentence: str) -> bool:
    """Return whether a sentence says who is to do something, or has a clause that begins with what is to be done."""
    if _pattern("asks").search(sentence):
        return True
    acts = {at for at, role in placed_roles(sentence) if role in _ORDERED and not _INFLECTED.match(sentence, at)}
    return any(found["order"] or found.end() in acts for found in _pattern("clause").finditer(sentence))
