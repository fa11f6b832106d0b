"""Where two texts that look alike differ in what matters."""

from __future__ import annotations

import re
from collections.abc import Collection

from memtui.curate.denials import difference
from memtui.curate.wording import Wording

_VERSION = re.compile(r"\d+\.\d+")
_BEFORE_NUMBER = re.compile(
    r"\b(?:version|v|python|node|postgres|redis|java|go|ruby|php|django|react|vue|rust|kafka) ?$"
)


def warnings(one: Wording, other: Wording) -> tuple[str, ...]:
    """Return what differs, in words for people; empty where nothing telling does."""
    found = [
        _numbers(one, other),
        _names(one, other),
        difference(one, other),
        _sides("environments differ", one.environments, other.environments),
        _sides("one speaks of order or direction", one.directions, other.directions),
        "one is a plan, the other is done" if _tense(one, other) else "",
        "the same words in another order" if is_reordered(one, other) else "",
    ]
    return tuple(warning for warning in found if warning)


def _numbers(one: Wording, other: Wording) -> str:
    if one.numbers == other.numbers:
        return ""
    differing = one.numbers ^ other.numbers
    is_version = any(_VERSION.search(number) for number in differing) or any(
        _BEFORE_NUMBER.search(wording.normal.split(number)[0]) for wording in (one, other) for number in differing
    )
    return _sides("versions differ" if is_version else "numbers differ", one.numbers, other.numbers)


def _names(one: Wording, other: Wording) -> str:
    """Names of code that only one of them holds; one that stands in the other's prose is the same."""
    left = {name for name in one.identifiers - other.identifiers if not _is_said(name, other)}
    right = {name for name in other.identifiers - one.identifiers if not _is_said(name, one)}
    if not left and not right:
        return ""
    paths = any("/" in name for name in left) and any("/" in name for name in right)
    return _sides("paths differ" if paths else "names differ", left, right)


LEAST_NAME = 5
"""Letters of a name from which it is looked for in words: a shorter one stands inside many of them."""


def _is_said(name: str, other: Wording) -> bool:
    """Return whether a text holds a name of code, as it is written or in words: `payment_id` as payment id."""
    if name in other.normal:
        return True
    letters = name.replace("_", "")
    return letters.isalnum() and len(letters) >= LEAST_NAME and letters in other.run_together


def _tense(one: Wording, other: Wording) -> bool:
    return one.is_plan != other.is_plan


def is_reordered(one: Wording, other: Wording) -> bool:
    """Return whether they hold the same words with two or more out of order, which may turn the meaning round."""
    return sorted(one.stems) == sorted(other.stems) and one.stems != other.stems


def _sides(what: str, left: Collection[str], right: Collection[str]) -> str:
    """Return `numbers differ: 8080, 8081`, what only one has; empty if both have the same."""
    mine, theirs = set(left) - set(right), set(right) - set(left)
    if not mine and not theirs:
        return ""
    shown = [", ".join(sorted(side)[:3]) or "none" for side in (mine, theirs)]
    return f"{what}: {shown[0]} / {shown[1]}"
