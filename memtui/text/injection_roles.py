"""Planted instructions by their structure: which parts a sentence plays together, whatever its words and language.

`injection_roles.toml` says by which words each part is known, `injection_weights.json` what their company weighs:
`tests/scripts/injection_weights.py` fits it and prints its worth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path

from memtui.text.tables import compile_lines, read_table

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
_ADDRESS_SIGNS = frozenset("./@`_\\")
_ADDRESS = re.compile(r"\S*(?:://|@|\w\.\w)\S*|`[^`]*`|\S*[_/\\]\S*")
_READ_CHARS = 600  # of a sentence
_FEWEST_ROLES = 2  # that the words of a sentence play, for it to be weighed
_LEAST_BY_WORDS = -2.5
"""What the words of a sentence weigh at least for its signs, whose search costs ten times as much, to be looked for."""

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # of a pattern: a class is one of them
_ENDS = re.compile(r"[.;:!?]\s")
_LEAD = " \t\n-*+>#|0123456789.)`\"“”'_"
_LENGTHS = (12, 20, 30, 45)
_MANY_TICKS = 4
_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    """Return the roles of each word's first letters."""
    found: dict[str, list[str]] = {}
    for role, row in read_table(__file__, "injection_roles.toml")["roles"].items():
        for word in row["words"].split():
            found.setdefault(word[:_COMPARED], []).append(role)
    return {word: tuple(dict.fromkeys(roles)) for word, roles in found.items()}


@cache
def _signs(*, is_ascii: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of each role; for ASCII text without what only other scripts hold, in half the time."""
    table = read_table(__file__, "injection_roles.toml")["roles"]
    flags = re.IGNORECASE | re.MULTILINE
    ways = ((role, _ways(row["signs"])) for role, row in table.items() if "signs" in row)
    kept = ((role, "|".join(way for way in found if way.isascii() or not is_ascii)) for role, found in ways)
    return tuple((role, compile_lines(pattern, flags)) for role, pattern in kept if pattern)


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


@cache
def _weights() -> tuple[Mapping[str, float], float, float]:
    """Return the weight of each role and pair of roles, the base, and the sum from which a sentence is planted."""
    stored = json.loads(Path(__file__).with_name("injection_weights.json").read_text(encoding="utf-8"))
    return stored["weights"], stored["base"], stored["least"]


def roles_of(sentence: str) -> frozenset[str]:
    """Return what the words and signs of a sentence play: roles, and two of them near each other as `secret send`.

    `no-send` is sending that is denied.
    """
    sentence = sentence[:_READ_CHARS]
    return _played(sentence, sorted(chain(_worded(sentence), _signed(sentence))))


def _played(sentence: str, placed: Sequence[tuple[int, str]]) -> frozenset[str]:
    denials = [at for at, role in placed if role == "deny"]
    signed = [
        (at, f"no-{role}" if role in _ACTS and any(_denies(denial, at, sentence) for denial in denials) else role)
        for at, role in placed
    ]
    found = {role for _, role in signed} | set(_near_each_other(signed))
    if placed and placed[0][1] in _ACTS and len(sentence[: placed[0][0]].strip(_LEAD)) == 0:
        found.add("order")
    words = sentence.count(" ") + 1
    found.update(f"from-{least}-words" for least in _LENGTHS if words >= least)
    if sentence.count("`") >= _MANY_TICKS:
        found.add("code")
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
    if sentence.isascii() or not _WITHOUT_SPACES.search(sentence):
        return 0 < at - denial <= _DENIED_WITHIN and not _ENDS.search(sentence, denial, at)
    return -_DENIED_AROUND <= denial - at <= _DENIED_AROUND


def _worded(sentence: str) -> Iterator[tuple[int, str]]:
    roles = _words()
    for word in _WORD.finditer(sentence.lower()):
        text = word[0]
        if "'" in text or "’" in text:
            text = text.replace("'", "").replace("’", "")
        key = text[:_COMPARED]
        if key in roles:
            for role in roles[key]:
                yield word.start(), role


def _may_play_roles(sentence: str) -> bool:
    """Return whether the words of a sentence play roles enough for it to be weighed; their places are not looked at."""
    roles = _words()
    bare = sentence.lower().replace("'", "").replace("’", "")
    known = roles.keys() & {word[:_COMPARED] for word in _WORD.findall(bare)}
    return len({role for word in known for role in roles[word]}) >= _FEWEST_ROLES


def _signed(sentence: str) -> Iterator[tuple[int, str]]:
    for role, pattern in _signs(is_ascii=sentence.isascii()):
        for sign in pattern.finditer(sentence):
            yield sign.start(), role


def words_of(sentence: str) -> frozenset[str]:
    """Return the words of a sentence as features, by their first letters; those of addresses and code do not count."""
    bare = sentence.lower()
    if not _ADDRESS_SIGNS.isdisjoint(bare):
        bare = _ADDRESS.sub(" ", bare)
    return frozenset([f"={word[:_WORD_COMPARED]}" for word in _LETTERS.findall(bare)])


def planted_by_structure(sentence: str) -> str | None:
    """Return why a sentence looks planted by the roles that it plays, None if it does not."""
    weights, base, least = _weights()
    sentence = sentence[:_READ_CHARS]
    is_spaced = sentence.isascii() or not _WITHOUT_SPACES.search(sentence)
    if is_spaced and not _may_play_roles(sentence):
        return None
    placed = list(_worded(sentence))
    by_words = base + _weigh(words_of(sentence))
    if is_spaced and by_words + _weigh(_played(sentence, placed)) < _LEAST_BY_WORDS:
        return None
    roles = _played(sentence, sorted(chain(placed, _signed(sentence))))
    if by_words + _weigh(roles) < least:
        return None

    def told(pairs: Iterable[str]) -> float:
        return sum(max(0.0, weights.get(pair, 0.0)) for pair in pairs if pair in roles)

    reasons = read_table(__file__, "injection_roles.toml")["reasons"]
    best = max(reasons, key=lambda reason: told(reasons[reason]))
    return str(best) if told(reasons[best]) else "tells the assistant to act beyond its task"


def _weigh(roles: Iterable[str]) -> float:
    weights = _weights()[0]
    return sum([weights[role] for role in roles if role in weights])
