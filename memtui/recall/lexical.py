"""Relevance by words: the query, BM25 for the order, coverage of the query for the floor."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.result import Part
from memtui.text.stemming import stem
from memtui.text.tables import compile_lines, read_table
from memtui.text.token_count import is_common_word
from memtui.text.tokens import STOP_WORDS, is_pair, query_terms
from memtui.text.words import plain_letters
from memtui.vault.bm25 import Matched, TermCounts


def _table() -> dict[str, dict[str, str]]:
    return read_table(__file__, "words.toml")


@cache
def generic_terms() -> frozenset[str]:
    """Return the stems of words that say little of what a task is about."""
    return frozenset(stem(word) for text in _table()["generic"].values() for word in text.split())


NEAREST = 3  # Memories that come nearest, one of which speaks of money where a price is asked for


@cache
def _price_terms() -> frozenset[str]:
    return frozenset(stem(word) for word in _table()["money"]["price"].split())


@cache
def _money() -> re.Pattern[str]:
    return compile_lines(_table()["money"]["spoken_of"])


def asks_for_price(terms: Iterable[str]) -> bool:
    """Return whether a task, by its terms, asks what something costs or where it is bought."""
    return not _price_terms().isdisjoint(terms)


def speaks_of_money(memory: Memory) -> bool:
    """Return whether a memory says anything of money: in 297 answerable questions one of the nearest does."""
    return any(_money().search(text) for text in (memory.title, memory.insight, memory.rationale, memory.snippet))


_READ_FOR_LANGUAGE = 600  # Characters


@cache
def _function_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the function words of English, of other European languages, and those of the latter in English texts."""
    words = _table()["function_words"]
    return frozenset(words["english"].split()), frozenset(words["others"].split()), frozenset(words["shared"].split())


def is_foreign(text: str) -> bool:
    """Return whether a text has more function words of other European languages than of English.

    One such as `no` is not enough: an English sentence without a function word may begin with it.
    """
    words = text[:_READ_FOR_LANGUAGE].lower().split()
    english, others, shared = _function_words()
    found = [word for word in words if word in others]
    return len(found) > sum(map(english.__contains__, words)) and (len(set(found)) > 1 or found[0] not in shared)


ROUNDING = 1e-9  # Slack of comparisons with a floor, so that a sum in another order decides alike
LONGEST_QUERY = 20_000  # Characters of a task that are looked up; a pasted log says its piece within them

LEAST_DOCUMENTS = 200
"""Rarity is measured as if the vault held at least so many memories: in a vault of three, a word that two
of them share says as much as elsewhere."""

HEAVIEST_TERMS = 5
"""Full coverage is the weight of so many of the query's heaviest terms: no memory matches all of a long
task, and five rare words in common are no accident."""

GENERIC_SHARE = 0.25  # Share of its weight that a generic word counts, see `generic`

PAIR_SHARE = 0.5
"""Share of its weight that a pair of characters of a script without spaces counts: each character stands in two of
them, and a name in Latin letters would drown among eleven pairs."""

ANSWER_COVERAGE = 0.3
"""Where even the best memory covers less, nothing is relevant. Measured on three sets against questions of
other sets: it keeps 97–99% of the answerable questions and rejects 20–80% of the foreign ones."""

FLOOR_COVERAGE = 0.1  # Least coverage of any relevant memory
NEAR_BEST = 0.4  # A relevant memory reaches this share of the best one's coverage or of its BM25 score

CONFIDENT_COVERAGE = 0.5
"""A memory that covers so much answers the task. A better best raises the bar for the others no further, and
where even the best covers less, words count for proportionally less than files do."""

UNINFORMATIVE_SHARE = 0.5  # A word that more than this share of the memories hold tells none of them apart
LEAST_COMMON = 20  # In a vault smaller than this no word is called common


@dataclass(frozen=True, slots=True)
class QueryWeights:
    """What each term of a query weighs."""

    idf: Mapping[str, float]  # inverse document frequency of every term that counts
    mass: float  # the weight that stands for full coverage
    words: Mapping[str, str]  # per term, the word as the person wrote it
    # known terms that tell memories apart: no generic ones, unless the query is made of such alone, and no common ones,
    # unless there are no others
    informative: frozenset[str]
    unknown: tuple[str, ...]  # terms that no memory holds

    def coverage(self, terms: Iterable[str]) -> float:
        """Return the share of the query's weight, 0–1, that these terms match."""
        if not self.mass:
            return 0.0
        return min(1.0, math.fsum(self.idf.get(term, 0.0) for term in terms) / self.mass)


@dataclass(frozen=True, slots=True)
class Query:
    """A text to look up, tokenised once."""

    words: tuple[str, ...]  # as they were typed, in order
    terms: tuple[str, ...]  # what they are looked up by, each once

    @classmethod
    def of(cls, text: str) -> Query:
        text = text[:LONGEST_QUERY]
        return cls(tuple(text.split()), tuple(query_terms(text)))


def weigh_query(words: Iterable[str], counts: TermCounts) -> QueryWeights:
    """Return the weights of a query's terms from how common they are in the vault."""
    typed: dict[str, str] = {}
    dropped: set[str] = set()
    known = {term for term, frequency in counts.frequencies.items() if frequency}
    for word in words:
        terms = [term for term in query_terms(word) if term in counts.frequencies]
        for term in terms:
            typed.setdefault(term, word.strip(".,;:!?()[]{}\"'`“”‘’") or word)
        dropped |= _unheard_wholes(terms, known)
    generic = generic_terms()
    idf = {
        term: (GENERIC_SHARE if term in generic else PAIR_SHARE if is_pair(term) else 1.0)
        * _rarity(frequency, counts.documents)
        for term, frequency in counts.frequencies.items()
        if term not in dropped
    }
    return QueryWeights(
        idf=idf,
        mass=math.fsum(sorted(idf.values(), reverse=True)[:HEAVIEST_TERMS]),
        words=typed,
        informative=_informative(idf, counts),
        unknown=tuple(term for term in idf if term not in known),
    )


def _informative(idf: Mapping[str, float], counts: TermCounts) -> frozenset[str]:
    """Return the known terms that tell memories apart, see `QueryWeights.informative`."""
    generic = generic_terms()
    telling = frozenset(term for term in idf if counts.frequencies[term])
    if not generic.issuperset(idf):
        telling -= generic
    most = UNINFORMATIVE_SHARE * max(counts.documents, LEAST_COMMON)
    return frozenset(term for term in telling if counts.frequencies[term] <= most) or telling


def _rarity(frequency: int, documents: int) -> float:
    """Return the inverse document frequency of a term; an unknown one weighs no more than the rarest known.

    In a small vault it weighs less: that few memories do not hold a word tells little.
    """
    at_least = max(documents, LEAST_DOCUMENTS)
    known = math.log(1 + (at_least - max(1, frequency) + 0.5) / (max(1, frequency) + 0.5))
    return known if frequency else min(known, math.log(1 + (documents + 0.5) / 0.5))


def _unheard_wholes(terms: list[str], known: Collection[str]) -> set[str]:
    """Return the terms of one word that only repeat it: `paymentid` beside `payment` and `id`, if unknown.

    Without this, every identifier in a question would count as an unknown word beside its known parts.
    """
    if len(terms) < 2 or not terms[0].isascii():  # noqa: PLR2004 - a word that was split
        return set()
    if any(term in known for term in terms):
        return {term for term in terms if term not in known}
    return set(terms[1:])


def reaches_floor(coverage: float, score: float, *, best_coverage: float, best_score: float) -> bool:
    """Return whether words make a memory relevant.

    Args:
        coverage: share of the query's weight that it matches.
        score: its BM25 score.
        best_coverage: coverage of the best memory that may be shown.
        best_score: BM25 score of the best.
    """
    if max(coverage, best_coverage) < ANSWER_COVERAGE - ROUNDING or coverage < FLOOR_COVERAGE:
        return False
    return coverage >= NEAR_BEST * min(CONFIDENT_COVERAGE, best_coverage) or score >= NEAR_BEST * best_score


def least_coverage(best_coverage: float) -> float:
    """Return the coverage from which words alone make a memory relevant, whatever its BM25 score."""
    if best_coverage < ANSWER_COVERAGE - ROUNDING:
        return ANSWER_COVERAGE
    return max(FLOOR_COVERAGE, NEAR_BEST * min(CONFIDENT_COVERAGE, best_coverage))


def words_part(matched: Iterable[str], value: float, weights: QueryWeights) -> Part:
    """Return the term that words add to the relevance.

    `matched`: the matched terms, the strongest first. `weights`: the weights of the query.
    """
    terms = list(matched)
    names = tuple(dict.fromkeys(weights.words.get(term, term)[:40] for term in terms))
    return Part("words", value, Reason(ReasonCode.WORDS, names=names, score=weights.coverage(terms)), "term")


def trust_in_words(best_coverage: float) -> float:
    """Return how much words count beside other evidence, 0–1, from the coverage of the best memory."""
    return min(1.0, best_coverage / CONFIDENT_COVERAGE)


SHORTEST = 5  # Letters of a word that is mended; among shorter ones every second is another's typing error
SHORTEST_PLAIN = 3  # The same where only accents were left out, in a search of at most `MOST_WORDS` words
LONG = 8  # Letters from which two errors are mended, below it one
MOST_WORDS = 6  # Unknown words that are looked up: a task full of them is in another language or about something else

_WORD = re.compile(r"[A-Za-z]+")


def match_query(
    query: Query,
    *,
    match: Callable[[Sequence[str]], Matched],  # finds the memories that hold terms, with how common each is
    # returns the words meant by mistyped ones, from those with their stems and the most errors of each
    nearest: Callable[[Mapping[str, str], Mapping[str, int]], Mapping[str, str]],
) -> tuple[Matched, QueryWeights]:
    """Return the postings of a query's terms and their weights, with the typing errors of the query mended.

    The weights name a mended word by what was meant and what was written: `storm for stroms`.
    """
    matched = match(query.terms)
    weights = weigh_query(query.words, matched.counts)
    wrong = _unknown_words(query.words, weights)
    most = {word: (len(word) >= SHORTEST) + (len(word) >= LONG) for word in wrong}
    near = nearest(wrong, most) if wrong else {}
    # What lacks its accents is mended although it may be another word: "resume".
    found = {word: meant for word, meant in near.items() if plain_letters(meant) == word or not is_common_word(word)}
    if not found:
        return matched, weights
    mended = Query.of(_WORD.sub(lambda word: found.get(word[0].lower(), word[0]), " ".join(query.words)))
    matched = match(mended.terms)
    weights = weigh_query(mended.words, matched.counts)
    names = {term: f"{meant} for {written}" for written, meant in found.items() for term in query_terms(meant)}
    return matched, replace(weights, words={**weights.words, **names})


def _unknown_words(typed: Iterable[str], weights: QueryWeights) -> dict[str, str]:
    """Return the plain words of a query that no memory holds, with their stems."""
    unknown = set(weights.unknown)
    words = dict.fromkeys(word.lower() for word in typed if _WORD.fullmatch(word.strip(".,;:!?()\"'")))
    plain = [word.strip(".,;:!?()\"'") for word in words]
    shortest = SHORTEST_PLAIN if len(plain) <= MOST_WORDS else SHORTEST
    wrong = {
        word: stem(word)
        for word in plain
        if len(word) >= shortest and word not in STOP_WORDS and set(query_terms(word)) <= unknown
    }
    return wrong if sum(1 for word in wrong if len(word) >= SHORTEST) <= MOST_WORDS else {}
