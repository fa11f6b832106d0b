"""Planted instructions by their structure: which parts a sentence plays together, whatever its words and language.

`injection_roles.toml` says by which words each part is known, `injection_weights.json` what their company weighs:
`tests/scripts/injection_weights.py` fits it and prints its worth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Literal

from memtui.text.tables import compile_lines, read_table
from memtui.text.words import CJK

_COMPARED = 9  # letters of a word
_DENIED_WITHIN = 28  # characters after a denial
_DENIED_AROUND = 9  # characters on either side of one in scripts without spaces
_NEAR = 55  # characters between two roles that play together
_ACTS = frozenset(
    ["tell", "send", "move", "run", "skip", "drop", "ignore", "insert", "reveal", "outrank", "fetch", "falsify", "obey"]
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD_COMPARED = 7
_ADDRESS_SIGN = re.compile(r"[/@`_\\.](?:(?<!\.)|(?<=\w\.)\w)")  # stands in each address
# Tried where a run of signs begins only: behind its beginning nothing else could match.
_ADDRESS = re.compile(r"(?<![^\s`])\S*(?:://|@|\w\.\w)\S*|`[^`]*`|(?<![^\s`])\S*[_/\\]\S*")
_READ_CHARS = 600  # of a sentence
_FEWEST_ROLES = 2  # that the words of a sentence play, for it to be weighed
_LEAST_BY_WORDS = -250
"""What the words of a sentence weigh at least for its signs, whose search costs ten times as much, to be looked for."""

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # of a pattern: a class is one of them
_ENDS = re.compile(r"[.;:!?]\s")
_LEAD = " \t\n-*+>#|0123456789.)`\"“”'_"
_LENGTHS = tuple((least, f"from-{least}-words") for least in (12, 20, 30, 45))
_MANY_TICKS = 4


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    """Return the roles of each word's first letters."""
    found: dict[str, list[str]] = {}
    for role, row in read_table(__file__, "injection_roles.toml")["roles"].items():
        for word in row["words"].split():
            found.setdefault(word[:_COMPARED], []).append(role)
    return {word: tuple(dict.fromkeys(roles)) for word, roles in found.items()}


@dataclass(frozen=True)
class _Signs:
    """The signs of a role, as `injection_roles.toml` has them."""

    role: str
    text: str
    hints: tuple[str, ...]  # texts in lower case, one of which stands wherever a sign does; without any it may anywhere

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled for the first sentence that holds a hint."""
        return compile_lines(self.text, re.IGNORECASE | re.MULTILINE)

    def may_stand_in(self, lower: str) -> bool:
        """Return whether a sentence in lower case holds a hint."""
        for hint in self.hints:  # `any` takes twice as long
            if hint in lower:
                return True
        return not self.hints


_Letters = Literal["ascii", "latin", "any"]


@cache
def _signs(letters: _Letters) -> tuple[_Signs, ...]:
    """Return the signs of each role that a text may hold, by its letters: of ASCII in half the time."""
    table = read_table(__file__, "injection_roles.toml")["roles"]
    found = []
    for role, row in table.items():
        ways = [way for way in _ways(row.get("signs", "")) if way.isascii() or letters != "ascii"]
        kept = ways if letters == "any" else [way for way in ways if not _first_letter(way)]
        hints = tuple(row.get("hints", ())) if all(map(str.isascii, kept)) else ()
        if any(kept):
            found.append(_Signs(role, "|".join(kept), hints))
    return tuple(found)


def _first_letter(way: str) -> str:
    """Return the letter that an alternative begins with, in lower case; empty if it is ASCII or may be left out."""
    bare = way.strip("\n“「【")
    is_letter = bare[:1].isalpha() and not bare[:1].isascii() and bare[1:2] not in set("?*{")
    return bare[:1].lower() if is_letter else ""


@cache
def _other_letters() -> frozenset[str]:
    rows = read_table(__file__, "injection_roles.toml")["roles"].values()
    return frozenset(filter(None, (_first_letter(way) for row in rows for way in _ways(row.get("signs", "")))))


def _ways(pattern: str) -> list[str]:
    """Return the alternatives of a pattern, those within brackets left whole."""
    ways, depth = [""], 0
    for part in _PARTS.findall(pattern):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            ways.append("")
        else:
            ways[-1] += part
    return ways


@dataclass(frozen=True, slots=True)
class _Weights:
    """What roles, pairs of roles and words weigh, in hundredths: whole numbers add up to the same in any order."""

    roles: Mapping[str, int]
    words: Mapping[str, int]
    base: int
    least: int  # the sum from which a sentence is planted


@cache
def _weights() -> _Weights:
    stored = json.loads(Path(__file__).with_name("injection_weights.json").read_text(encoding="utf-8"))
    weights = {name: round(weight * 100) for name, weight in stored["weights"].items()}
    words = {name[1:]: weight for name, weight in weights.items() if name.startswith("=")}
    return _Weights(weights, words, round(stored["base"] * 100), round(stored["least"] * 100))


def roles_of(sentence: str) -> frozenset[str]:
    """Return what the words and signs of a sentence play: roles, and two of them near each other as `secret send`.

    `no-send` is sending that is denied.
    """
    sentence = sentence[:_READ_CHARS]
    return _played(sentence, placed_roles(sentence))


def placed_roles(sentence: str) -> list[tuple[int, str]]:
    """Return the roles that the words and signs of a sentence play, each with its place, in order."""
    return sorted(chain(_worded(sentence.lower()), _signed(sentence)))


def _played(sentence: str, placed: Sequence[tuple[int, str]]) -> frozenset[str]:
    denials = [at for at, role in placed if role == "deny"]
    signed = [
        (at, f"no-{role}" if role in _ACTS and any(_denies(denial, at, sentence) for denial in denials) else role)
        for at, role in placed
    ]
    found = {role for _, role in signed} | set(_near_each_other(signed))
    if placed and placed[0][1] in _ACTS and len(sentence[: placed[0][0]].strip(_LEAD)) == 0:
        found.add("order")
    found.update(_lengths(sentence))
    if sentence.count("`") >= _MANY_TICKS:
        found.add("code")
    return frozenset(found)


def _lengths(sentence: str) -> Sequence[str]:
    words = sentence.count(" ") + 1
    return [name for least, name in _LENGTHS if words >= least]


def _near_each_other(placed: Sequence[tuple[int, str]]) -> Iterator[str]:
    for number, (at, role) in enumerate(placed):
        for later, other in islice(placed, number + 1, None):
            if later - at > _NEAR:
                break
            if other != role:
                yield f"{role} {other}" if role < other else f"{other} {role}"


def _denies(denial: int, at: int, sentence: str) -> bool:
    """Return whether a denial is one of what stands at a place: before it, or in scripts without spaces around it."""
    if sentence.isascii() or not CJK.search(sentence):
        return 0 < at - denial <= _DENIED_WITHIN and not _ENDS.search(sentence, denial, at)
    return -_DENIED_AROUND <= denial - at <= _DENIED_AROUND


@lru_cache(maxsize=16_384)
def _known(word: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the roles that a word in lower case plays, and its parts that are weighed; None if there is neither."""
    roles = _words().get(word.replace("'", "").replace("’", "")[:_COMPARED], ())
    parts = tuple(part for letters in _LETTERS.findall(word) if (part := letters[:_WORD_COMPARED]) in _weights().words)
    return (roles, parts) if roles or parts else None


def _worded(lower: str) -> Iterator[tuple[int, str]]:
    """Yield the roles that the words of a sentence in lower case play, each with its place."""
    for word in _WORD.finditer(lower):
        if known := _known(word[0]):
            for role in known[0]:
                yield word.start(), role


def _signed(sentence: str) -> Iterator[tuple[int, str]]:
    lower = sentence.lower()
    letters: _Letters = "ascii" if sentence.isascii() else "latin" if _other_letters().isdisjoint(lower) else "any"
    for signs in _signs(letters):
        if signs.may_stand_in(lower):
            for sign in signs.pattern.finditer(sentence):
                yield sign.start(), signs.role


def words_of(sentence: str) -> frozenset[str]:
    """Return the words of a sentence as features, by their first letters; those of addresses and code do not count."""
    return frozenset(f"={word}" for word in _compared(sentence.lower()))


def _compared(lower: str) -> set[str]:
    bare = _ADDRESS.sub(" ", lower) if _ADDRESS_SIGN.search(lower) else lower
    return {word[:_WORD_COMPARED] for word in _LETTERS.findall(bare)}


def _told(lower: str) -> tuple[frozenset[str], set[str]]:
    """Return the roles that the words of a sentence play, and the weighed words, those of addresses included."""
    roles: set[str] = set()
    words: set[str] = set()
    for played, weighed in filter(None, map(_known, _WORD.findall(lower))):
        roles.update(played)
        words.update(weighed)
    return frozenset(roles), words


@lru_cache(maxsize=16_384)
def _most(roles: frozenset[str]) -> int:
    """Return what roles that words play weigh at most, wherever in a sentence they stand."""
    weights = _weights().roles
    denied = {f"no-{role}" for role in roles & _ACTS} if "deny" in roles else set()
    acts, others = (roles & _ACTS) | denied, roles - _ACTS
    pairs = (f"{role} {other}" for role, other in combinations(sorted(acts | others), 2))
    return _weigh(others) + sum(max(0, weights.get(name, 0)) for name in chain(acts, pairs, ("order", "code")))


def planted_by_structure(sentence: str) -> str | None:
    """Return why a sentence looks planted by the roles that it plays, None if it does not."""
    sentence = sentence[:_READ_CHARS]
    lower = sentence.lower()
    is_spaced = sentence.isascii() or not CJK.search(sentence)
    told, words = _told(lower)
    weights = _weights()
    at_most = weights.base + _weigh(_lengths(sentence)) + sum([max(0, weights.words[word]) for word in words])
    if is_spaced and (len(told) < _FEWEST_ROLES or at_most + _most(told) < _LEAST_BY_WORDS):
        return None
    by_words = weights.base + sum([weights.words[word] for word in words.intersection(_compared(lower))])
    placed = list(_worded(lower))
    if is_spaced and by_words + _weigh(_played(sentence, placed)) < _LEAST_BY_WORDS:
        return None
    roles = _played(sentence, sorted(chain(placed, _signed(sentence))))
    return _reason(roles) if by_words + _weigh(roles) >= weights.least else None


def _reason(roles: frozenset[str]) -> str:
    """Return what these roles speak for most."""
    weights = _weights().roles

    def told(pairs: Iterable[str]) -> int:
        return sum(max(0, weights.get(pair, 0)) for pair in pairs if pair in roles)

    reasons = read_table(__file__, "injection_roles.toml")["reasons"]
    best = max(reasons, key=lambda reason: told(reasons[reason]))
    return str(best) if told(reasons[best]) else "tells the assistant to act beyond its task"


def _weigh(roles: Iterable[str]) -> int:
    weights = _weights().roles
    return sum([weights[role] for role in roles if role in weights])
