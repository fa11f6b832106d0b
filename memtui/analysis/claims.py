"""What a memory claims: its clauses with subject, value, numbers and negation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from memtui.analysis.amounts import Amount, amounts_in
from memtui.analysis.ordered_acts import order_of_other_acts
from memtui.analysis.text_features import NEGATIONS, Wording, environments_in, numbers_in, stems_of
from memtui.text.memo import Memo
from memtui.text.normal_form import normal_form
from memtui.text.tables import read_table

_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Table:
    """The classes of `exclusive_terms.txt`, numbered by line."""

    classes: dict[str, frozenset[int]]  # numbers of the classes that a name belongs to
    same: dict[str, str]  # the name by which another name of the same thing is known
    tools: frozenset[int]  # the classes of tools, as against values
    names_of_two: tuple[str, ...]  # names of two words, as they are written


@cache
def _table() -> _Table:
    found: dict[str, set[int]] = {}
    same: dict[str, str] = {}
    tools: set[int] = set()
    section = ""
    for number, line in enumerate(Path(__file__).with_name("exclusive_terms.txt").read_text("utf-8").split("\n")):
        if line.startswith("["):
            section = line
        elif not line.startswith("#"):
            if section == "[tools]":
                tools.add(number)
            for listed in line.split():
                first, *others = listed.split("=")
                same.update(dict.fromkeys(others, first))
                for name in (first, *others):
                    found.setdefault(name, set()).add(number)
    pairs = sorted(name.replace("_", " ") for name in found if "_" in name and name != "snake_case")
    classes = {name: frozenset(numbers) for name, numbers in found.items()}
    return _Table(classes, same, frozenset(tools), tuple(pairs))


def classes_of(name: str) -> frozenset[int]:
    return _table().classes.get(name, _NONE)


def is_tool(name: str) -> bool:
    """Return whether a name is that of a tool rather than a value."""
    return bool(classes_of(name) & _table().tools)


def names_in(text: str) -> frozenset[str]:
    """Return the names of tools and words with an opposite in a text in lower case."""
    found = frozenset().union(*map(_named.__getitem__, _NAME.findall(text)))
    return found.union(_known(name.replace(" ", "_")) for name in filter(text.__contains__, _table().names_of_two))


def _known(name: str) -> str:
    return _table().same.get(name, name)


def rivals(ones: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first pair of names of which a project has one or the other."""
    rest = sorted(others)
    for one in sorted(ones):
        known = classes_of(one)
        for other in rest if known else ():
            if one != other and known & classes_of(other):
                return one, other
    return None


def rivals_between(ones: frozenset[str], others: frozenset[str], texts: tuple[str, str]) -> tuple[str, str] | None:
    """Return the first pair of names of which only one text has the one, and only the other the other.

    `texts`: both in plain or normal form, which tell whether `before` and `after` are said of the same act.
    """
    apart = order_of_other_acts(*texts)
    return rivals(ones - others - apart, others - ones - apart)


MOST_CLAIMS = 5
"""Clauses of one memory that are compared: titles and opening sentences state the rule; the rest explains it."""

READ_CHARACTERS = 2_000  # Characters of a memory in which its claims are looked for
SHORTEST = 4  # Characters of the shortest claim: `no x`
LONGEST_CLAIM = 12  # Words of meaning in a clause; a longer one tells a story rather than states a rule

NEGATION = re.compile(
    r"(?<![\w-])(?:not|no|never|without|avoid(?:s|ed|ing)?|nor|neither|forbid(?:s|den)?|disallow(?:s|ed)?"
    r"|prohibit(?:s|ed)?|den(?:y|ies|ied)|disabl(?:e|es|ed|ing)|unsafe|off)(?![\w-])"
)
# Sentence ends, written out sign by sign so that the search can skip everything else.
_SENTENCE_END = re.compile(r"\.\s+|!\s+|\?\s+|;\s*|\n\n*")
_CLAUSE = re.compile(
    r",\s+|(?<!\s)\s++(?:(?:but|because|since|although|whereas|so that)\s+|(?=and (?:not|never)\b))", re.IGNORECASE
)
_CONDITION = re.compile(r"without\b[^;]*?,", re.IGNORECASE)
"""Opens a sentence about what happens otherwise: `without a key, customers pay twice` denies nothing."""

_NOT_TAKEN = ("instead of ", "rather than ")
"""Opens a clause about what is not done, which states nothing by itself."""

_COLON = re.compile(r":\s+")
_PREFERENCE = re.compile(
    r"\b(?:use |prefer |choose |pick )?(?P<taken>[\w.+-]+(?: [\w.+-]+)?) (?:over|instead of|rather than) "
    r"(?P<left>[\w.+-]+(?: [\w.+-]+)?)\b"
)
_MAY_PREFER = re.compile(r" (?:over|instead of|rather than) ")
_PAIR = re.compile(
    r"^(?:the |our |a )?(?P<key>[^:=,.]{2,60}?)(?::\s|\s*=\s*|\s+is (?:now |always |set to |limited to |called )?"
    r"|\s+are (?:now |always |set to |limited to )?)\s*(?P<value>[^:=]{1,80})$"
)
_IN_PAIRS = (":", "=", " is ", " are ")
_USE = re.compile(
    r"^(?:we |please |always )?(?:use|uses|prefer|choose) (?P<object>.+?) (?:for|to|as|in) (?P<purpose>.+)$"
)
_SLOT_VERBS = (
    "live|lives|stored|kept|written|run|runs|built|deployed|named|managed|configured|hosted|cached|served|go|goes"
    "|placed|located|defined|declared|published|returned|sent|uses|use|returns|saved|logged"
)
_SLOT_VERB_SET = frozenset(_SLOT_VERBS.split("|"))
_SLOT = re.compile(
    r"^(?P<subject>.+?) (?:(?:is|are|must|should|be|being|always) )*"
    rf"(?:{_SLOT_VERBS})"
    r"(?: (?P<preposition>in|on|at|under|inside|next to|beside|with|by|using|through|via|to|into|from|as))?"
    r" (?P<object>.+)$"
)
_PLACES = frozenset({"in", "on", "at", "under", "inside", "next to", "beside"})
_MEANS = frozenset({"with", "by", "using", "through", "via"})
_ONE = re.compile(r"\bone (?!of\b|or\b|another\b|can\b|does\b|is\b|has\b|day\b|must\b|should\b)")

_ABSOLUTE = re.compile(r"\b(?:always|never)\b")


@cache
def light_stems() -> frozenset[str]:
    """Return the stems that add nothing to what a claim is about."""
    return frozenset(stems_of(read_table(__file__, "pairs.toml")["words"]["light"]))


@cache
def unit_stems() -> frozenset[str]:
    """Return the stems of units, which go with a number."""
    return frozenset(stems_of(read_table(__file__, "pairs.toml")["words"]["units"]))


@dataclass(frozen=True, slots=True)
class Phrase:
    """Some words of a claim, as written in normal form, and their stems."""

    text: str
    stems: frozenset[str]


@dataclass(frozen=True)
class Claim:
    """One clause of a memory; rarely needed properties are computed on demand."""

    text: str  # as written, on one line
    normal: str
    sentence: str  # the sentence it is part of
    said: str  # the normal form without its negations
    terms: frozenset[str]  # stems of what it is about and says, without negations and light words
    denies: bool  # whether it negates its statement

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of tools and words with an opposite, as `memtui.analysis.claims` knows them."""
        return names_in(self.said)

    @cached_property
    def firm(self) -> frozenset[str]:
        """The terms other than numbers, units and names, on which claims that contradict in those must agree."""
        return frozenset(term for term in self.terms - unit_stems() if term.isalpha()) - self.name_terms

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """Stems of the names."""
        return frozenset(stems_of(" ".join(self.names).replace("_", " "))) if self.names else self.names

    @cached_property
    def number_terms(self) -> frozenset[str]:
        """Stems of the numbers with their units."""
        return frozenset(stems_of(" ".join(self.numbers))) if self.numbers else self.numbers

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers with units; `one approval` is a number here."""
        counted = _ONE.sub("1 ", self.normal) if "one " in self.normal else self.normal
        return numbers_in(counted)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return amounts_in(self.text)

    @cached_property
    def absolute(self) -> bool:
        """Whether it says always or never."""
        return _ABSOLUTE.search(self.normal) is not None

    @cached_property
    def environments(self) -> frozenset[str]:
        """Environments and platforms that its sentence names."""
        return environments_in(_normal_sentence(self.sentence) if self.sentence != self.text else self.normal)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Names of code that it holds."""
        return frozenset(name for name in Wording(self.text).identifiers if "/" in name or "_" in name or "." in name)

    @cached_property
    def pair(self) -> tuple[frozenset[str], str] | None:
        """Stems of the key, and the value, of a `key: value`."""
        found = _PAIR.match(self.normal) if any(map(self.normal.__contains__, _IN_PAIRS)) else None
        if not found or "/" in found["key"] or NEGATION.search(found["value"]):
            return None
        key = frozenset(stems_of(found["key"]))
        return (key, found["value"].strip()) if key else None

    @cached_property
    def use(self) -> tuple[Phrase, frozenset[str]] | None:
        found = _USE.match(self.normal)
        return (_phrase(found["object"]), frozenset(stems_of(found["purpose"]))) if found else None

    @cached_property
    def slot(self) -> tuple[frozenset[str], str, Phrase] | None:
        """Stems of the subject, the kind of preposition, and its object."""
        # The pattern tries every word as a verb, so checking the words first saves most of the time.
        found = None if _SLOT_VERB_SET.isdisjoint(self.normal.split()) else _SLOT.match(self.normal)
        if not found:
            return None
        word = found["preposition"] or ""
        preposition = "place" if word in _PLACES else "means" if word in _MEANS else word
        return frozenset(stems_of(found["subject"])), preposition, _phrase(found["object"])

    @cached_property
    def preference(self) -> tuple[str, str] | None:
        found = _PREFERENCE.search(self.normal) if _MAY_PREFER.search(self.normal) else None
        return (found["taken"].split()[-1], found["left"].split()[0]) if found else None

    @cached_property
    def traits(self) -> int:
        """Properties by which two claims may contradict each other, one bit each: see `FRAMED` and `PREFERS`."""
        held = (self.pair, self.use, self.slot, self.preference, self.numbers, self.names)
        return sum(1 << place for place, part in enumerate(held) if part)


FRAMED = 0b111  # The bits in `Claim.traits` of what has a place in a sentence: a value, a use, a slot
PREFERS = 0b1000  # The bit of a preference


def _phrase(text: str) -> Phrase:
    return Phrase(text, frozenset(stems_of(text)))


_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


_named: Memo[str, frozenset[str]] = Memo(
    lambda word: frozenset(_known(form) for form in (word, word.rstrip("s"), f"{word}s") if classes_of(form)),
    most=100_000,
)
"""Word to the names of tools and values that it may stand for."""


@lru_cache(maxsize=10_000)
def _normal_sentence(sentence: str) -> str:
    return normal_form(sentence)


class Clause(NamedTuple):
    """A clause before it is analysed."""

    text: str
    sentence: str  # the sentence it is part of

    @property
    def terms(self) -> frozenset[str]:
        """Stems of what it is about; `text` must be in plain form."""
        return frozenset(stems_of(self.text)) - light_stems()


def clauses_of(title: str, text: str) -> list[Clause]:
    """Return the first clauses of a memory, those of its title first; a title that was cut is ignored."""
    found: dict[str, Clause] = {}
    for sentence in chain([] if title.endswith("…") else _sentences(title), _sentences(text[:READ_CHARACTERS])):
        for part in _parts(sentence.strip()):
            clause = " ".join(part.split())
            if len(clause) >= SHORTEST and clause not in found:
                found[clause] = Clause(clause, sentence)
            if len(found) >= MOST_CLAIMS:
                return list(found.values())
    return list(found.values())


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        # A full stop stays with its sentence.
        yield text[start : end.start() + (text[end.start()] in ".!?")]
        start = end.end()
    yield text[start:]


def claims_of(title: str, insight: str) -> list[Claim]:
    claims = (claim_of(clause) for clause in clauses_of(title, insight))
    return [claim for claim in claims if claim is not None]


def _parts(sentence: str) -> list[str]:
    parts = [part for part in _CLAUSE.split(sentence) if part]
    if len(parts) > 1 and _CONDITION.match(sentence):
        parts = parts[1:]
    if ":" in sentence:
        # A colon before or after a negation divides two statements; otherwise it may join a key and its value.
        halves = [half for part in parts for half in _halves(part)]
        parts = [half for half in halves if half]
    return parts


def _halves(part: str) -> list[str]:
    return _COLON.split(part) if _COLON.search(part) and NEGATION.search(normal_form(part)) else [part]


@lru_cache(maxsize=100_000)
def claim_of(clause: Clause) -> Claim | None:
    """Return the claim of a clause, None if it states nothing by itself."""
    normal = _NON.sub("non", normal_form(clause.text))
    said = NEGATION.sub(" ", normal)
    denials = len(NEGATION.findall(normal)) if said != normal else 0
    terms = frozenset(stems_of(said)) - light_stems()
    # A fragment of one word, as in a list, says nothing unless it is negated.
    is_fragment = len(terms) == 1 and not denials and clause.text != clause.sentence
    is_fragment = is_fragment or clause.text.lower().startswith(_NOT_TAKEN)
    if not terms or len(terms) > LONGEST_CLAIM or is_fragment:
        return None
    return Claim(clause.text, normal, clause.sentence, said, terms, denials % 2 == 1)


class Denial(StrEnum):
    """How two texts differ in what they negate."""

    DENIES = "denies"  # one negates what the other says
    EXCLUDES = "excludes"  # one negates something that the other leaves open


_NON = re.compile(r"\bnon-(?=\w)")  # `non-default` says nothing of what is the default

_OF_NON = re.compile(r"\bnon-(\w+)")
_BARE = re.compile(r"(?<![\w-])\w+")

REACH = 5  # Words of meaning after a negation that it applies to: `never log the request body of the payments API`
ALIKE = 0.5  # Share of the words of two negated statements from which they are the same

SAID = 0.6
"""Share of a negated statement that the other text must say. Of the labelled pairs in `tests/curation` it finds all 26
that negate each other and none of 133 duplicates; at 0.5, `never build the key from user_id` of the sample vault
would negate `the key is payment_id`."""

_DENIALS_CLAUSE = re.compile(r"[.;!?]\s|[,:]\s|\n|\s(?:but|and|so|because)\s")
_DENIALS_CONDITION = re.compile(r"\s*(?:without|unless|if)\b[^.;!?\n]*,\s")
"""Opens a sentence about what happens otherwise: `without a key, customers pay twice` denies nothing."""

_SENTENCE = re.compile(r"(?<=[.;!?])\s|\n")


_NOT_SAID = re.compile(r"(?:^|\s)(?:instead of|rather than)\s", re.IGNORECASE)


class Sides(NamedTuple):
    """What a text says and what it negates, in stems."""

    said: frozenset[str]  # everything outside of its negated statements
    denied: frozenset[tuple[str, frozenset[str]]]  # the words after each negation, the first of them apart


def difference_in_denials(one: Wording, other: Wording) -> Denial | None:
    """Return how two texts differ in what they negate, None where they do not."""
    if one.negations == other.negations:
        return None
    left, right = sides_of(one.plain), sides_of(other.plain)
    mine, theirs = _alone(left, right), _alone(right, left)
    denies = any(_says(right, part) for part in mine) or any(_says(left, part) for part in theirs)
    if denies and not (says_non(one.plain, other.plain) or says_non(other.plain, one.plain)):
        return Denial.DENIES
    return Denial.EXCLUDES if mine or theirs else None


def says_non(one: str, other: str) -> bool:
    """Return whether a text says `non-default` of what the other denies to be the `default`."""
    words = set(_OF_NON.findall(one))
    return bool(words) and not words.isdisjoint(_BARE.findall(other))


def _alone(one: Sides, other: Sides) -> list[tuple[str, frozenset[str]]]:
    """Return what one text negates and the other does not."""
    return [part for part in one.denied if not any(_same(part[1], denied) for _, denied in other.denied)]


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * min(len(one), len(other))


def _says(sides: Sides, denied: tuple[str, frozenset[str]]) -> bool:
    """Return whether a text says what another negates: its first word, and most of the others."""
    first, words = denied
    return first in sides.said and len(words & sides.said) >= SAID * len(words)


@lru_cache(maxsize=20_000)
def sides_of(plain: str) -> Sides:
    """Return what a text in plain form says and what it negates."""
    said: set[str] = set()
    denied: set[tuple[str, frozenset[str]]] = set()
    for sentence in _SENTENCE.split(_NON.sub("non", plain)):
        condition = _DENIALS_CONDITION.match(sentence)
        if condition is not None:
            said.update(stems_of(condition[0]))
            sentence = sentence[condition.end() :]  # noqa: PLW2901 - the rest of it
        for clause in filter(str.strip, _DENIALS_CLAUSE.split(sentence)):
            found = NEGATIONS.search(clause)
            if found is None:
                said.update(_telling(_NOT_SAID.split(clause, maxsplit=1)[0]))
                continue
            before, after = _telling(clause[: found.start()]), _telling(clause[found.end() :])[:REACH]
            # `Friday deploys are forbidden` negates what comes before.
            turned = after or before
            said.update(before if after else ())
            if turned:
                denied.add((turned[0], frozenset(turned)))
    return Sides(frozenset(said), frozenset(denied))


def _telling(text: str) -> list[str]:
    """Return the stems of a text that carry meaning, in order."""
    return [stem for stem in stems_of(text) if stem not in _slight_stems()] if text.strip() else []


@cache
def _slight_stems() -> frozenset[str]:
    """Return the stems that a negation does not apply to."""
    return light_stems() | frozenset(stems_of("longer may can other"))
