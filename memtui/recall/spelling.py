"""Typing errors in a query: a word that no memory holds is read as the nearest word of a title or tag."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from memtui.recall.lexical import QueryWeights, weigh_query
from memtui.text.stemming import stem
from memtui.text.tokens import STOP_WORDS, query_terms
from memtui.vault.filters import MemoryFilter
from memtui.vault.reader import VaultReader
from memtui.vault.search.bm25 import Matched
from memtui.vault.search.spelling import nearest_words

SHORTEST = 5
"""Letters of a word that is mended; among shorter ones every second is another's typing error."""

LONG = 8
"""Letters from which two errors are mended, below it one."""

MOST_WORDS = 6
"""Unknown words that are looked up: a task full of them is in another language or about something else."""

_WORD = re.compile(r"[A-Za-z]+")


def read_query(reader: VaultReader, text: str, wanted: MemoryFilter) -> tuple[str, Matched, QueryWeights]:
    """Return a query with its typing errors mended, the postings of its terms, and their weights.

    The weights name a mended word by what was meant and what was written: `storm for stroms`.

    Args:
        wanted: whose titles and tags say which words there are.
    """
    return mend_query(
        text,
        match=reader.match,
        nearest=lambda words, reach: nearest_words(reader, wanted, words, reach),
    )


def mend_query(
    text: str,
    *,
    match: Callable[[Sequence[str]], Matched],
    nearest: Callable[[Mapping[str, str], Mapping[str, int]], Mapping[str, str]],
) -> tuple[str, Matched, QueryWeights]:
    """Return what `read_query` does, wherever the words are looked up.

    Args:
        match: finds the memories that hold terms, with how common each is.
        nearest: returns the words meant by mistyped ones, from those with their stems and the most errors of each.
    """
    matched = match(query_terms(text))
    weights = weigh_query(text, matched.counts)
    wrong = _unknown_words(text, weights)
    found = nearest(wrong, {word: 2 if len(word) >= LONG else 1 for word in wrong}) if wrong else {}
    if not found:
        return text, matched, weights
    mended = _WORD.sub(lambda word: found.get(word[0].lower(), word[0]), text)
    matched = match(query_terms(mended))
    weights = weigh_query(mended, matched.counts)
    names = {term: f"{meant} for {written}" for written, meant in found.items() for term in query_terms(meant)}
    return mended, matched, replace(weights, words={**weights.words, **names})


def _unknown_words(text: str, weights: QueryWeights) -> dict[str, str]:
    """Return the plain words of a query that no memory holds, with their stems."""
    unknown = set(weights.unknown)
    words = dict.fromkeys(word.lower() for word in text.split() if _WORD.fullmatch(word.strip(".,;:!?()\"'")))
    plain = [word.strip(".,;:!?()\"'") for word in words]
    wrong = {
        word: stem(word)
        for word in plain
        if len(word) >= SHORTEST and word not in STOP_WORDS and set(query_terms(word)) <= unknown
    }
    return wrong if len(wrong) <= MOST_WORDS else {}
