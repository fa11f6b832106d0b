"""What the words of a sentence play: who is spoken to, what is done, with what, whatever the language.

`injection_roles.toml` says by which words and signs each role is known, and which roles speak for which reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice
from typing import Literal

from memtui.text.planted import PlantedSort
from memtui.text.tables import compile_lines, read_table
from memtui.text.words import CJK

_COMPARED = 9  # letters of a word
_DENIED_WITHIN = 28  # characters after a denial
_DENIED_AROUND = 9  # characters on either side of one in scripts without spaces
_NEAR = 55  # characters between two roles that play together
ACTS = frozenset(
    ["tell", "send", "move", "run", "skip", "drop", "ignore", "insert", "reveal", "outrank", "fetch", "falsify", "obey"]
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_READ_CHARS = 600  # of a sentence

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # of a pattern: a class is one of them
_ENDS = re.compile(r"[.;:!?]\s")
_LEAD = " \t\n-*+>#|0123456789.)`\"“”'_"


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
        (at, f"no-{role}" if role in ACTS and any(_denies(denial, at, sentence) for denial in denials) else role)
        for at, role in placed
    ]
    found = {role for _, role in signed} | set(_near_each_other(signed))
    if placed and placed[0][1] in ACTS and len(sentence[: placed[0][0]].strip(_LEAD)) == 0:
        found.add("order")
    return frozenset(found)


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


def _worded(lower: str) -> Iterator[tuple[int, str]]:
    """Yield the roles that the words of a sentence in lower case play, each with its place."""
    for word in _WORD.finditer(lower):
        for role in _words().get(word[0].replace("'", "").replace("’", "")[:_COMPARED], ()):
            yield word.start(), role


def _signed(sentence: str) -> Iterator[tuple[int, str]]:
    lower = sentence.lower()
    letters: _Letters = "ascii" if sentence.isascii() else "latin" if _other_letters().isdisjoint(lower) else "any"
    for signs in _signs(letters):
        if signs.may_stand_in(lower):
            for sign in signs.pattern.finditer(sentence):
                yield sign.start(), signs.role


def likeliest_reason(statement: str) -> PlantedSort | None:
    """Return what the planted statements do that one resembles most, by the roles that it plays; None: by none."""
    roles = roles_of(statement)
    reasons = read_table(__file__, "injection_roles.toml")["reasons"]
    best = max(reasons, key=lambda reason: sum(2 if " " in role else 1 for role in reasons[reason] if role in roles))
    return PlantedSort(best) if not roles.isdisjoint(reasons[best]) else None
