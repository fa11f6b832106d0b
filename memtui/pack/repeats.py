"""Which memories say the same as others, so that a payload tells it once, and which say nothing without another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.result import Hit, Recall, Withheld
from memtui.text.tokens import STOP_WORDS, index_terms
from memtui.vault.vault import Vault

READ_CHARACTERS = 4_000  # Characters of an insight that are compared

IDENTICAL = 0.85
"""From this share of common words on, two memories say the same, if their numbers and negations agree too."""

_WORD = re.compile(r"[a-z0-9]+")
_FOREIGN = re.compile(r"[^\W\d_a-z]")
_HEADINGS = re.compile(r"\A(?:[^\n:>]{1,80} > )+(?=[^\n:>]{1,80}: )")  # above the one that a statement stands under
_HEADING = re.compile(r"\A(?:[^\n:>]{1,80} > )*[^\n:>]{1,80}: ")  # all of them, with the one it stands under
_NAME = re.compile(r"(?<![a-z0-9])[a-z0-9]++(?:[-_][a-z0-9]++)+")  # of words joined together, as `data-table`
_END = re.compile(r"\n+|(?<=[.!?;])\s+")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_NEGATION = re.compile(r"\b(?:not|no|never|without|don't|doesn't|isn't|can't|cannot|won't|avoid|nor|neither)\b")


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a memory is compared."""

    terms: frozenset[str]
    numbers: frozenset[str]  # its numbers, which tell near-identical texts apart
    names: frozenset[str]  # its joined words, of which one within a longer one is another name
    negated: bool  # whether it denies something


def gist(memory: Memory) -> Gist:
    return _gist(f"{memory.title}\n{memory.insight[:READ_CHARACTERS]}")


# While a person changes budget or target the same memories are looked at again and again.
@lru_cache(maxsize=512)
def _gist(text: str) -> Gist:
    return _gist_of(text)


def _gist_of(text: str) -> Gist:
    lower = text.lower().replace("\u2019", "'")
    # Without stems, which cost more than all the rest and tell twins no better.
    words = index_terms(text) if _FOREIGN.search(lower) else _WORD.findall(lower)
    return Gist(
        frozenset(words) - STOP_WORDS,
        frozenset(_NUMBER.findall(lower)),
        frozenset(_NAME.findall(lower)),
        _NEGATION.search(lower) is not None,
    )


class Likenesses:
    """Pairs of memories by their ids, each compared once: selection asks for the same pairs again and again."""

    def __init__(self, gists: Mapping[str, Gist], apart: Collection[tuple[str, str]] = ()) -> None:
        """`apart`: pairs that a person kept apart, which do not say the same."""
        self._gists = gists
        self._overlaps: dict[tuple[str, str], float] = {}
        self._same: dict[tuple[str, str], bool] = dict.fromkeys(apart, False)

    def overlap(self, one: str, other: str) -> float:
        """Return the share of the smaller one's words that both have, see `overlap`."""
        pair = (one, other) if one < other else (other, one)
        found = self._overlaps.get(pair)
        if found is None:
            found = self._overlaps[pair] = overlap(self._gists[one], self._gists[other])
        return found

    def say_the_same(self, one: str, other: str) -> bool:
        """Return whether two memories are near-identical, see `say_the_same`."""
        pair = (one, other) if one < other else (other, one)
        found = self._same.get(pair)
        if found is None:
            found = self._same[pair] = say_the_same(self._gists[one], self._gists[other])
        return found


def overlap(one: Gist, other: Gist) -> float:
    """Return the share of the smaller one's words that both have, 0–1: what it would repeat."""
    smaller = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) / smaller if smaller else 0.0


def say_the_same(one: Gist, other: Gist) -> bool:
    """Return whether two memories are near-identical; differing numbers or a negation make a difference."""
    smaller, larger = sorted((len(one.terms), len(other.terms)))
    if smaller < IDENTICAL * larger or not larger:
        return False
    shared = len(one.terms & other.terms)
    if shared / (smaller + larger - shared) < IDENTICAL:
        return False
    return one.numbers == other.numbers and one.negated == other.negated and not _names_part(one, other)


FEWEST_WORDS, FEWEST_OF_SENTENCE = 6, 5
REPEATED = 0.95
"""From this share of its words on, of so many at least, a memory is said by a longer one or by a sentence of it, if its
numbers are there too and both deny or neither does."""

MOST_LONGER = 3  # Times as many words as the shorter one may the longer have to stand for it
MOST_LONGER_SENTENCE = 2  # The same of a sentence: a longer one may make conditions


def without_repeats(
    hits: Sequence[Hit], apart: Collection[tuple[str, str]] = ()
) -> tuple[list[Hit], list[tuple[Hit, Reason]]]:
    """Return hits in order without those that a longer one says as well, and those that give way with the reason.

    The longer one takes the place of the shorter, unless a person pinned or put in the shorter one, or kept both apart.
    One that holds for other files than those of the task gives way to one that does not.
    """

    def says(short: str, long: str) -> bool:
        pair = (short, long) if short < long else (long, short)
        return pair not in apart and is_said_by(said[short], said[long])

    said = {hit.memory.id: Said.by(hit.memory) for hit in hits}
    kept: list[Hit] = []
    dropped: list[tuple[Hit, Reason]] = []
    for hit in hits:
        own = hit.memory.id
        within = next((one for one in kept if _stands_for(one, hit, says)), None)
        if within is not None and not (hit.memory.pinned or hit.is_put_in):
            dropped.append((hit, Reason(ReasonCode.DUPLICATE, other=within.memory.id)))
            continue
        place = next((at for at, one in enumerate(kept) if _stands_for(hit, one, says)), None)
        if place is None or kept[place].memory.pinned or kept[place].is_put_in:
            kept.append(hit)
            continue
        dropped.append((kept[place], Reason(ReasonCode.DUPLICATE, other=own)))
        kept[place] = hit
    return kept, dropped


def _stands_for(one: Hit, other: Hit, says: Callable[[str, str], bool]) -> bool:
    """Return whether the first says what the second says, and holds for the task if the second does.

    Args:
        says: whether the first memory is said by the second one, by their ids.
    """
    mine, theirs = one.memory.id, other.memory.id
    if _holds_elsewhere(one) != _holds_elsewhere(other):
        return _holds_elsewhere(other) and (says(theirs, mine) or says(mine, theirs))
    return says(theirs, mine)


def _holds_elsewhere(hit: Hit) -> bool:
    return hit.signs is not None and hit.signs.has_place and not hit.signs.holds_for


@dataclass(frozen=True, slots=True)
class Said:
    """What of a memory is compared with what others say as well."""

    path: str | None  # of the file that it came from, None if it came from none
    text: str
    gist: Gist
    bare: Gist  # of the text without the headings above the last

    @classmethod
    def by(cls, memory: Memory) -> Said:
        text = memory.insight[:READ_CHARACTERS]
        path = memory.source.path if memory.source else None
        return cls(path, text, _gist(text), _gist(_HEADINGS.sub("", text)))


def is_said_by(short: Said, long: Said, *, at_any_length: bool = False) -> bool:
    """Return whether a memory says what a shorter one says, as a whole or in one of its sentences.

    Of copies in two files the headings above the last do not count; within one file they tell statements apart,
    and what both stand under is said by neither. `at_any_length`: whether a sentence counts in a much longer text too.
    """
    between_files = short.path is None or short.path != long.path
    one, other = (short.bare, long.bare) if between_files else _below_one_heading(short, long)
    few, many = len(one.terms), len(other.terms)
    if not FEWEST_OF_SENTENCE <= few <= many or not _repeats(one.terms, other.terms):
        return False
    if few == many:
        return between_files and _is_in(one, other) and one.numbers == other.numbers
    is_near_in_length = many <= MOST_LONGER * few
    if is_near_in_length and few >= FEWEST_WORDS and _is_in(one, other):
        return True
    return (is_near_in_length or at_any_length) and any(
        len(sentence.terms) <= MOST_LONGER_SENTENCE * few and _is_in(one, sentence)
        for sentence in _sentences(long.text)
    )


def _below_one_heading(one: Said, other: Said) -> tuple[Gist, Gist]:
    """Return what two memories of one file say, without the heading that both stand under."""
    heading = _HEADING.match(one.text)
    if heading is None or not other.text.startswith(heading[0]):
        return one.gist, other.gist
    return _gist(one.text[heading.end() :]), _gist(other.text[heading.end() :])


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[Gist, ...]:
    return tuple(map(_gist_of, _END.split(text)))


def _is_in(one: Gist, other: Gist) -> bool:
    if one.negated != other.negated or not one.numbers <= other.numbers or _names_part(one, other):
        return False
    return _repeats(one.terms, other.terms)


def _names_part(one: Gist, other: Gist) -> bool:
    """Return whether one names what is only part of a longer name in the other: `card` and `card-footer`."""
    longer = [f"-{name}-" for name in other.names - one.names]
    return any(f"-{name}-" in each for name in one.names - other.names for each in longer)


def _repeats(terms: frozenset[str], others: frozenset[str]) -> bool:
    return len(terms & others) >= REPEATED * len(terms)


_REFERRING = re.compile(
    r"\b(?:the|this|that|these|those|both|either) (?:[\w`-]+ ){0,3}above\b"
    r"|\b(?:see|as|described|listed|mentioned|shown|noted|stated) above\b"
    r"|\babove[- ](?:mentioned|rules?|sections?|tables?|lists?|steps?|examples?|commands?|patterns?)\b"
    r"|\bthe (?:previous|preceding|former|latter) (?:rule|section|step|example|table|list|point|item|command)s?\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\n|(?<=[.!?])\s")  # Ends the first sentence: what later ones refer to may be in the same memory
MOST_BETWEEN = 4  # Lines from a memory to the one that it refers to, past a heading; what is further off is unsure


def refers(memory: Memory) -> bool:
    """Return whether a memory begins with a reference to what stood before it in its source."""
    return _REFERRING.search(_FIRST.split(memory.insight.lstrip(), maxsplit=1)[0]) is not None


def with_referents(vault: Vault, found: Recall) -> Recall:
    """Return a recall in which every hit that refers to another memory brings it, or is withheld where it cannot.

    Selection takes such a hit only together with what it means, see `Recall.meant`.

    `vault`: asked only where a hit refers to another memory.
    """
    referring = [hit for hit in found.hits if refers(hit.memory)]
    if not referring:
        return found
    known = {hit.memory.id: hit.memory for hit in (*found.put_in, *found.pins, *found.hits)}
    others = _beside(vault, referring, found)
    meant, brought, orphans = dict[str, str](), dict[str, Hit](), dict[str, Withheld]()
    for hit in referring:
        other = _before(hit.memory, [*known.values(), *others.values()])
        if other is None:
            orphans[hit.memory.id] = Withheld.of(hit.memory, Reason(ReasonCode.NEEDS_ANOTHER), hit.relevance)
            continue
        meant[hit.memory.id] = other.id
        if other.id not in known:
            reason = Reason(ReasonCode.MEANT, other=hit.memory.id)
            brought[other.id] = Hit(other, hit.score, hit.relevance, (), (reason,))
    hits = (*(hit for hit in found.hits if hit.memory.id not in orphans), *brought.values())
    rest = (one for one in found.withheld if one.id not in brought)
    chances, needed = ({**known, **_of_referring(known, meant, brought)} for known in (found.chances, found.needed))
    return replace(found, hits=hits, withheld=(*orphans.values(), *rest), meant=meant, chances=chances, needed=needed)


def _of_referring(known: Mapping[str, float], meant: Mapping[str, str], brought: Collection[str]) -> dict[str, float]:
    """Return the chances, or those needed, of what was brought: they are those of the likeliest that refers to it."""
    found: dict[str, float] = {}
    for referring, other in meant.items():
        if other in brought and referring in known:
            found[other] = max(found.get(other, 0.0), known[referring])
    return found


def _beside(vault: Vault, hits: Sequence[Hit], found: Recall) -> dict[str, Memory]:
    """Return the memories that stand in the files of some hits, by id, without those that may not be served."""
    files = {source.path for hit in hits for source in hit.memory.sources if source.path}
    barred = {one.id for one in found.withheld if one.reason.code not in _MAY_COME}
    with vault.read() as reader:
        return reader.get_many(reader.ids_from_files(files) - barred)


_MAY_COME = frozenset({ReasonCode.TOO_FAR, ReasonCode.BELOW_FLOOR, ReasonCode.BEYOND_LIMIT})


def _before(memory: Memory, others: Iterable[Memory]) -> Memory | None:
    """Return the memory that stands directly before one in its source, None if that is not known."""
    ends = {
        source.span[1]: other
        for other in others
        if other.id != memory.id and other.project == memory.project
        for source in other.sources
        if source.span
        for own in memory.sources
        if own.span and own.path == source.path and 0 < own.span[0] - source.span[1] <= MOST_BETWEEN
    }
    return ends[max(ends)] if ends else None
