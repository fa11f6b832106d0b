"""How much a sentence of a commit's message says of why, and how little of what was changed."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cache

from memtui.text.tables import compile_lines, read_table

SHORTEST = 50  # Characters of a sentence that says a reason
FIX_SUBJECT, TEST_SUBJECT, SMALL_SUBJECT = 0.75, -1.0, -0.5  # Points for what the commit's subject says
ONLY_PAST = 0.75  # Points that a sentence loses that says only what was, and nothing that is

_ACTS = {"cause": 1.5, "rule": 1.25, "choice": 1.0, "bad": 0.75}
_AGAINST = {"did": 1.0, "passing": 1.5, "hedged": 0.75, "mended": 1.0, "here": 0.75}
"""Points of the cues that a sentence gains and loses, found by hand on the commits of ten repositories."""

_CODE = re.compile(
    r"`[^`]+`|\b\w+\(\)|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]\w+[a-z][A-Z]\w*\b|--[a-z][\w-]+|\b\w+(?:\.|::)\w+\b"
)
_NAMES = re.compile(r"`[^`]+`|(?<!\w)-{1,2}[a-z][\w=-]*|\w+=\w+")
_TESTS = re.compile(r"\btests?\b|\bci\b|\bsnapshot", re.IGNORECASE)
_MYSELF = re.compile(r"\b(?:I|I'm|I've|my)\b")
_ELSEWHERE = re.compile(
    r"#\d+|\bCL \d+|\[\d+\]|\b[0-9a-f]{8,40}\b|https?://|\b(?:attached|screenshots?|confirmed|verified)\b",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^(?:Because|Since|As|While|Although)\b[^,:]*$|^(?!\w*[_(`.:])[a-z]|^(?:[(\[]|\.\.)|^[a-z][\w./-]*: "
    r"|^[\W_]*$|^\d+\.|:$"
)
_ODD = ((_MYSELF, 0.75), (_ELSEWHERE, 0.75), (_FRAGMENT, 1.0))


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return a pattern of the table."""
    row = read_table(__file__, "cues.toml")[name]
    return compile_lines(f"{row['before']}{row['words']}{row['after']}")


def acts_of(sentence: str) -> AbstractSet[str]:
    """Return what a sentence does: `cause`, `rule`, `choice`, `bad`."""
    plain = without_code(sentence)
    return {name for name in _ACTS if cue(name).search(plain)}


def without_code(sentence: str) -> str:
    """Return a sentence whose code and options are blanked out: the words in them are names."""
    return _NAMES.sub(" ", sentence)


def points_of(sentence: str, does: AbstractSet[str], subject: str) -> float:
    """Return how much a sentence says of why; `does`: its acts, `subject`: that of its commit."""
    if not _may_teach(sentence) or not does & {"cause", "rule", "choice"}:
        return 0.0
    points = sum(_ACTS[name] for name in does)
    points += min(1.0, 0.5 * len(set(_CODE.findall(sentence)))) + 0.5 * bool(cue("standing").search(sentence))
    points += FIX_SUBJECT * bool(cue("fix").search(subject)) + TEST_SUBJECT * bool(_TESTS.search(subject))
    points += SMALL_SUBJECT * bool(cue("small").search(subject))
    points -= ONLY_PAST * (not cue("present").search(sentence))
    points -= sum(weight for name, weight in _AGAINST.items() if cue(name).search(sentence))
    return points - sum(weight for pattern, weight in _ODD if pattern.search(sentence))


def outlasts(said: str) -> bool:
    """Return whether words hold once the change is made: the cause of a fault that is gone teaches nothing.

    They tell what is, and begin with what is not the code's own (a platform, a library, a standard), or they say what
    must be or was preferred, and not on what occasion something goes wrong.
    """
    plain = without_code(said)
    if cue("past").search(plain):
        return False
    if cue("standing").search(" ".join(plain.split()[:_BEGINNING])):
        return True
    if _TESTS.search(plain) or any(cue(name).search(plain) for name in ("occasion", "hedged", "here")):
        return False
    is_choice = cue("choice").search(plain) is not None and cue("bad").search(plain) is None
    return is_choice or cue("order").search(plain) is not None


def is_firm(said: str) -> bool:
    """Return whether words say enough of what holds: what is not, what follows, what binds, or of what in the world.

    One of these is not enough where they tell of something that goes wrong.
    """
    plain = without_code(said)
    signs = sum(cue(name).search(plain) is not None for name in ("denied", "drawn", "order"))
    signs += cue("standing").search(" ".join(plain.split()[:_BEGINNING])) is not None
    return signs > 1 or (signs == 1 and cue("bad").search(plain) is None)


_BEGINNING = 9  # Words of which one names what the words are about


def binds(sentence: str) -> bool:
    """Return whether a sentence says what must be, with its reason or by what standard."""
    return cue("bound").search(without_code(sentence)) is not None and _holds_by_itself(sentence)


def states_limit(sentence: str, after: str, own: AbstractSet[str]) -> bool:
    """Return whether a sentence states a limit of the world and what follows from it.

    `after`: the sentence after it, which may say what follows; `own`: words that name the code itself, in lower case.
    """
    plain = without_code(sentence)
    if not cue("limit").search(plain) or not (cue("follows").search(plain) or cue("then").search(after)):
        return False
    is_world = cue("universal").search(plain) or _names_world(" ".join(plain.split()[:_BEGINNING]), own)
    return bool(is_world) and _holds_by_itself(sentence)


def _holds_by_itself(sentence: str) -> bool:
    """Return whether a sentence is understood alone, and tells neither of what was nor of the commit."""
    if not _may_teach(sentence) or is_passing(sentence) or points_back(sentence):
        return False
    plain = without_code(sentence)
    return not any(cue(name).search(plain) for name in ("past", "hedged", "here", "news"))


def reaches_out(sentence: str) -> bool:
    """Return whether a sentence names something of the world, or draws one thing from another."""
    plain = without_code(sentence)
    return any(cue(name).search(plain) for name in ("standing", "drawn"))


def _names_world(beginning: str, own: AbstractSet[str]) -> bool:
    """Return whether words name something that is not the code's own: by the cue, or by a name that the code lacks."""
    if cue("standing").search(beginning):
        return True
    return any(
        not (found.start() == 0 and found[0].istitle())
        and found[0].casefold() not in own
        and not cue("plain_name").match(found[0])
        for found in _NAME.finditer(beginning)
    )


_NAME = re.compile(r"\b(?:[A-Z][a-z]+[A-Z][A-Za-z]*|[A-Z][a-z]{2,}|[A-Z]{2,}[A-Za-z]*)\b(?![_(:.]\w)")


def _may_teach(sentence: str) -> bool:
    """Return whether a sentence is whole, long enough, and not of the upkeep of releases."""
    return not (len(sentence) < SHORTEST or ";" in sentence or is_cut(sentence) or cue("upkeep").search(sentence))


def is_cut(sentence: str) -> bool:
    """Return whether what a sentence announces is left out."""
    return sentence.endswith((":", ",", "?", "(")) or "\\n" in sentence or cue("unended").search(sentence) is not None


def points_back(sentence: str) -> bool:
    """Return whether a sentence cannot be understood without the one before."""
    return cue("back").match(sentence) is not None or _FRAGMENT.search(sentence) is not None


def is_passing(sentence: str) -> bool:
    """Return whether a sentence speaks of the commit, its author or other places, and says nothing that lasts."""
    if _ELSEWHERE.search(sentence) or _MYSELF.search(sentence):
        return True
    return any(cue(name).search(sentence) for name in ("passing", "did", "upkeep"))
