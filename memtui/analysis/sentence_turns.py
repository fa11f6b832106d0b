"""What a sentence that came by itself takes back of a sentence in a file, by the words with which people do so.

Each sort of turn is a pattern of how colleagues write: what is given up (`loguru is gone`, `Click replaced Typer`),
what the file ruled out and is done now, what is permitted or forbidden, another place, another value of a variable.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memtui.analysis.claims import light_stems, names_in
from memtui.analysis.pair_facts import Facts, is_supposed, numbers_of_one, unquoted
from memtui.analysis.stated_values import sets_otherwise, turns_list_round
from memtui.analysis.text_features import stems_of
from memtui.text.normal_form import plain_form
from memtui.text.tables import compile_lines, read_table

GIVEN_UP, ASSIGNED, MOVED, TURNED, RULED_OUT, PERMITTED, RECOUNTED = 2.0, 2.0, 1.5, 1.5, 1.0, 1.0, 1.0
ENDED, FORBIDDEN, FACED = 1.0, 0.5, 0.0
"""What each sort of turn adds to the score of a pair, as `memtui.analysis.sentence_contradiction` counts it. Set on 76
statements that contradict a rule and 64 that do not."""

HALF = 0.5  # Share of the words of a denial that a sentence which it meets has
FEWEST_SHARED = 2  # Words of meaning outside of paths that a permission and the rule that it lifts share
OPENING = 30  # Characters within which a sentence that forbids says so
SHORT = 60  # Words of a text all of which bears on one of its sentences
NEAR_PLACE = 30  # Characters before a path in which it is said to be a place
NEAR_CUE = 4  # Words after a cue that may be what is given up; one fewer before it

_PATH = re.compile(
    r"(?:~|\.{1,2})?/?[\w@.-]+(?:/[\w@.<>*-]+)+/?|[\w-]+\.(?:py|ts|tsx|js|md|toml|json|ya?ml|h|cpp|rs|go|java)\b"
)
_PLACES = re.compile(
    r"(?:\b(?:in|into|under|at|to|from|inside|within|is|are|lives?|of|by|through|via|use)|[:>→=(])\s*"
    r"(?:the |its |our |a )?(?:\w+ )?[`*\"'(]*$",
    re.IGNORECASE,
)
"""What stands before a path that is a place."""

_ASSIGNMENT = re.compile(r"\b([A-Za-z][\w.-]*_[\w.-]*|[A-Z][A-Z0-9_]{2,}) ?= ?[`\"']?([\w.-]+)")
_NAME = re.compile(
    r"`([^`]+)`|(?<=[\w,;:)] )([A-Z][\w.+#-]*[\w+#])|\b(\w+[_./@-]\w[\w./-]*)|\b([a-z]+\d\w*|[a-z]+[A-Z]\w*)"
)
"""A name: code, a capital within a sentence, a word with a sign, a number or a capital in it."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "turns.toml")[name])


def turn_between(typed: Facts, own: Facts, filed: Facts, whole: Facts | None = None) -> float | None:
    """Return the worth of the plainest turn between two sentences, None if there is none.

    `typed`: the whole text that came by itself, which may say in another sentence what is given up. `own`: its sentence
    that is compared. `filed`: the sentence of the file. `whole`: the text of the file that it stands in.
    """
    found = [
        worth
        for worth, is_turn in (
            (GIVEN_UP, _gives_up(typed, filed)),
            (ENDED, _ends(typed, filed)),
            (ASSIGNED, _assigns(own, filed) or sets_otherwise(own.insight, filed.insight)),
            (TURNED, turns_list_round(typed.insight, (whole or filed).insight)),
            (MOVED, _moves(own, filed)),
            (RULED_OUT, _does_what_was_ruled_out(typed, filed, whole or filed)),
            (RECOUNTED, any(True for _ in numbers_of_one(own, filed))),
            *_turned_rules(own, filed),
        )
        if is_turn
    ]
    return max(found, default=None)


def _gives_up(typed: Facts, filed: Facts) -> bool:
    """Return whether the first text gives up a name that the sentence goes by."""
    used = _stems(filed.insight) - _given_up(filed.insight) - filed.denied
    return bool(_given_up(typed.insight) & used & _names(filed.insight))


def _ends(typed: Facts, filed: Facts) -> bool:
    """Return whether the first text says of anything that it has ended, and the sentence on that subject goes by it."""
    ended = _ended(typed.insight)
    used = _stems(filed.insight) - _given_up(filed.insight) - filed.denied
    return bool(ended & used) and len(_stems(typed.insight) & used) >= FEWEST_SHARED


def _does_what_was_ruled_out(typed: Facts, filed: Facts, whole: Facts) -> bool:
    """Return whether the sentence, or a short text that it stands in, rules out a name that the first text goes by."""
    done = _stems(typed.insight) - _given_up(typed.insight) - typed.denied
    around = whole.denied & _names(typed.insight) if len(whole.insight.split()) <= SHORT else frozenset()
    return bool(((_given_up(filed.insight) | filed.denied) & _names(filed.insight) | around) & done)


def _assigns(own: Facts, filed: Facts) -> bool:
    mine, theirs = (dict(_ASSIGNMENT.findall(each.insight)) for each in (own, filed))
    return any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys())


def _moves(own: Facts, filed: Facts) -> bool:
    """Return whether both name places, none of which is or is in one of the other."""
    mine, theirs = (_places(each.insight) for each in (own, filed))
    apart = not any(one in other or other in one for one in mine for other in theirs)
    return bool(mine and theirs) and apart and _shared(own.insight, filed.insight) > 0


@lru_cache(maxsize=20_000)
def _places(text: str) -> frozenset[str]:
    """Return the paths that a text names as a place, in lower case; what a command is run on is none."""
    found = [
        path for path in _PATH.finditer(text) if _PLACES.search(text, max(0, path.start() - NEAR_PLACE), path.start())
    ]
    return frozenset(path[0].lower() for path in found)


def _turned_rules(own: Facts, filed: Facts) -> list[tuple[float, bool]]:
    """Return what permitting what was ruled, banning what was not, and facing a ban are worth, and whether it is so."""
    said, ruled = own.insight, filed.insight
    ban, forbids = _pattern("forbids").search(ruled), _pattern("forbids").search(said)
    shared = _shared(said, ruled)
    permits = _pattern("permits").search(said) and not _pattern("forbids").search(_pattern("permits").sub("", said))
    lifts = _permits_what_is_banned(said, filed) if ban else bool(_pattern("obliges").search(ruled))
    return [
        (PERMITTED, bool(permits) and lifts and shared >= FEWEST_SHARED),
        (FORBIDDEN, bool(forbids) and ban is None and shared >= FEWEST_SHARED and meets(own, filed)),
        (FACED, forbids is None and ban is not None and ban.start() < OPENING and meets(filed, own)),
    ]


def _permits_what_is_banned(said: str, filed: Facts) -> bool:
    """Return whether what somebody may do is the act that is banned; `is fine` may be said of it in other words."""
    act = _pattern("may").search(said)
    return act is None or bool(_stems(act["act"]) & filed.denied)


def meets(denial: Facts, other: Facts) -> bool:
    """Return whether another sentence has what one denies: its first word, and half of the others."""
    has = other.wording.parts | other.wording.terms
    return any(first in has and len(words & has) >= HALF * len(words) for first, words in denial.sides.denied)


def _shared(one: str, other: str) -> int:
    """Return how many words of meaning two sentences share, paths aside."""
    return len(_stems(_PATH.sub(" ", one)) & _stems(_PATH.sub(" ", other)))


@lru_cache(maxsize=20_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for stem in stems_of(plain_form(text)) if stem not in light_stems() and len(stem) > 1)


@lru_cache(maxsize=20_000)
def _given_up(text: str) -> frozenset[str]:
    """Return the stems of what a text says is given up or not so."""
    said = unquoted(text)
    found = [
        " ".join(each["named"].split()[:NEAR_CUE])
        for cue in (_pattern("before"), _pattern("not"))
        for each in cue.finditer(said)
        if not is_supposed(said, each.start())
    ]
    found += [
        " ".join(each["named"].split()[1 - NEAR_CUE :])
        for each in _pattern("after").finditer(said)
        if not is_supposed(said, each.end("named"))
    ]
    return frozenset().union(*map(_stems, found))


@lru_cache(maxsize=20_000)
def _ended(text: str) -> frozenset[str]:
    said = unquoted(text)
    found = [cue for cue in _pattern("ended").finditer(said) if not is_supposed(said, cue.start())]
    return frozenset().union(*(_stems(cue["after"] or cue["before"]) for cue in found))


@lru_cache(maxsize=20_000)
def _names(text: str) -> frozenset[str]:
    """Return the stems of names in a text."""
    named = [next(filter(None, found.groups())) for found in _NAME.finditer(text)]
    return frozenset().union(*map(_stems, named), stems_of(" ".join(names_in(text.lower()))))
