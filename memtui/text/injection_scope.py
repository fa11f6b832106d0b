"""What a sentence only forbids: a rule against switching a check off asks for the opposite of what it names.

A denial that stands before a harmful act takes the rest of its clause back, and what is told next as its outcome. One
of what a person is to know or to agree to takes nothing back: `never tell the user`, `do not ask first`.
Which of the project's own rule files goes first is no order to disregard what else an assistant was told, either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from memtui.text.injection_roles import placed_roles
from memtui.text.tables import compile_lines, fill, read_table
from memtui.text.words import CJK

_LONGEST = 1_200  # characters of a sentence that is read: no rule is longer
_WITHIN = 28  # characters from a denial to the act that it forbids
_AROUND = 9  # the same in scripts without spaces
_HARMFUL = frozenset(["skip", "ignore", "drop"])  # whatever it is done to
_HARMFUL_TO_SOME = frozenset(["send", "move", "reveal", "state", "grant", "run", "insert", "fetch"])
_ACT_ROLES = _HARMFUL | _HARMFUL_TO_SOME | {"tell", "outrank", "falsify", "obey", "check", "guard", "claim"}
_PROTECTS = frozenset(["check", "guard", "tell", "person", "claim"])
_OF_THE_PERSON = frozenset(["tell", "person"])
_OF_ITSELF = frozenset(["selftext", "memory"])
_DENIED_BEHIND = re.compile("[\u3040-\u30ff\uac00-\ud7af]")  # Japanese and Korean

_WRONG, _RIGHT = "❌✗✘✖🚫⛔", "✅✓✔"
MARKS = f"{_WRONG}{_RIGHT}"
"""Signs with which items of lists begin that say what to do and what not."""

_RULE_FILE = re.compile(r"\.md\b|rules\b", re.IGNORECASE)
_MARKED = re.compile(rf"[\s>|*+\d.)-]*[{_WRONG}]")

Placed = Sequence[tuple[int, str]]


@cache
def _pattern(name: str) -> re.Pattern[str]:
    table = read_table(__file__, "injection.toml")["scope"]
    return compile_lines(fill(table[name], {"rule_file": table["rule_file"]}))


def beyond_prohibitions(sentence: str) -> str:
    """Return a sentence without the harmful acts that it forbids; as it is if it forbids none, or is too long."""
    if len(sentence) > _LONGEST:
        return sentence
    placed = placed_roles(sentence)
    spaceless = CJK.search(sentence) is not None
    scope: Callable[[str, int, Placed], tuple[int, int] | None] = _spaceless_scope if spaceless else _scope
    kept, start = [], 0
    for at, role in placed:
        if role == "deny" and at >= start and (span := scope(sentence, at, placed)):
            kept.append(sentence[start : max(start, span[0])])
            start = span[1]
            if outcome := _pattern("outcome").match(sentence, start):
                start = outcome.end()
    return " ".join([*kept, sentence[start:]]) if start else sentence


def beyond_precedence(sentence: str) -> str:
    """Return a sentence without what it says of which rule file goes first: those are loaded in any case.

    It is as it is where it says no such thing, or is too long.
    """
    if len(sentence) > _LONGEST or not _RULE_FILE.search(sentence):
        return sentence
    return _pattern("goes_first").sub(" ", sentence)


def is_reminder(sentence: str) -> bool:
    """Return whether what a sentence denies is to leave something undone: `never forget to`."""
    return _pattern("reminder").search(sentence) is not None


def is_marked_wrong(sentence: str) -> bool:
    """Return whether a sentence is marked as what is not to be done, and forbids nothing in words besides.

    `❌ Never ask first` is an order like `Never ask first`, and what follows a mark of what is right is one, too.
    """
    if not _MARKED.match(sentence) or any(mark in sentence for mark in _RIGHT) or is_reminder(sentence):
        return False
    denials = (at for at, role in placed_roles(sentence) if role == "deny")
    return all(_pattern("misses").match(sentence, at) for at in denials)


def _scope(sentence: str, denial: int, placed: Placed) -> tuple[int, int] | None:
    """Return where a prohibition of a harmful act begins and ends, None if a denial is none."""
    if _pattern("misses").match(sentence, denial):
        return None
    end = _ends_at(sentence, denial)
    within = _between(placed, denial, end)
    denied = [(at, role) for at, role in within if role != "deny"]
    acts = [(at, role) for at, role in denied if role in _ACT_ROLES]
    if not acts or acts[0][0] - denial > _WITHIN or _pattern("reminder").search(sentence[denial : acts[0][0] + 9]):
        return None
    first = _denied_act(sentence, denial, denied, acts[0][0])
    further = next((at for at, role in within if role == "deny" and at > acts[0][0]), end)
    if further < end:
        end = _end_of_double(denied, further, end)
        denied = _between(denied, denial, further)
    return (denial, end) if _is_harmful(first, denied, sentence) else None


def _between(placed: Placed, start: int, end: int) -> list[tuple[int, str]]:
    return [(at, role) for at, role in placed if start < at < end]


def _end_of_double(denied: Placed, further: int, end: int) -> int:
    """Return where a prohibition ends that denies a second time: `never … without --force` at that `without`.

    What protects by being denied is a part of it: `never push without asking`.
    """
    then = next((role for at, role in denied if at > further), "")
    return end if then in _PROTECTS else further


def _denied_act(sentence: str, denial: int, denied: Placed, place: int) -> set[str]:
    """Return the roles of the act that is denied, which is the last one where verbs come last."""
    first = {role for at, role in denied if at == place}
    if _pattern("verb_last").match(sentence, denial) and first <= {"check", "guard"} | _HARMFUL:
        first |= {role for _, role in denied} & _HARMFUL
        first -= {"check", "guard"} if first & _HARMFUL else set()
    return first


def _is_harmful(first: set[str], denied: Placed, sentence: str) -> bool:
    """Return whether what is denied harms: by its act, or by what the act is done to."""
    roles = {role for _, role in denied}
    if roles & _OF_ITSELF or first & {"tell", "check", "guard", "claim", "obey"}:
        return False
    if "skip" not in first and roles & _OF_THE_PERSON:
        return False
    if first & _HARMFUL:
        return True
    granting = {at for at, role in denied if role == "grant"}
    guards = [at for at, role in denied if role in {"check", "guard"} and at not in granting]
    are_off = all(_pattern("switched_off").match(sentence, _word_end(sentence, at)) for at in guards)
    return bool(first & _HARMFUL_TO_SOME) and are_off


def _spaceless_scope(sentence: str, denial: int, placed: Placed) -> tuple[int, int] | None:
    behind = _DENIED_BEHIND.search(sentence) is not None
    start = _begins_at(sentence, denial)
    end = _ends_at(sentence, denial)
    low, high = (denial - _AROUND, denial) if behind else (denial + 1, denial + 1 + _AROUND)
    acts = [(at, role) for at, role in placed if max(start, low) <= at < min(high, end) and role in _ACT_ROLES]
    if not acts:
        return None
    nearest = acts[-1 if behind else 0][0]
    first = {role for at, role in acts if at == nearest}
    if not first & (_HARMFUL | {"grant"}) or _pattern("reminder").match(sentence, nearest):
        return None
    within = {role for at, role in placed if start <= at < end}
    return None if within & (_OF_THE_PERSON | _OF_ITSELF) else (start if behind else denial, end)


def _begins_at(sentence: str, end: int) -> int:
    return max((found.end() for found in _pattern("clause_end").finditer(sentence, 0, end)), default=0)


def _ends_at(sentence: str, start: int) -> int:
    found = _pattern("clause_end").search(sentence, start + 1)
    return found.start() if found else len(sentence)


def _word_end(sentence: str, at: int) -> int:
    while at < len(sentence) and sentence[at].isalnum():
        at += 1
    return at
