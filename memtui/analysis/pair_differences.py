"""What differs between two memories that are alike, as a code and fields with their words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memtui.analysis.claims import Denial, difference_in_denials
from memtui.analysis.imperative import is_imperative
from memtui.analysis.ordered_acts import order_of_other_acts
from memtui.analysis.snapshot import TextCache
from memtui.analysis.text_features import Wording
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.domain.scope import held_places
from memtui.text.inline import plain_text

MOST_SHOWN = 3  # Numbers, names or paths of one side that are told

_VERSION = re.compile(r"\d+\.\d+")
_BEFORE_NUMBER = re.compile(
    r"\b(?:version|v|python|node|postgres|redis|java|go|ruby|php|django|react|vue|rust|kafka) ?$"
)
_ORDERS = re.compile(r"(?:always|never|only)\b|[^.:;!?\n]{1,80}\b(?:must|should always)\b", re.IGNORECASE)


class DifferenceSort(StrEnum):
    """What differs; the values are part of `--json`."""

    NUMBERS = "numbers"
    VERSIONS = "versions"
    NAMES = "names"
    PATHS = "paths"
    DENIES = Denial.DENIES.value
    EXCLUDES = Denial.EXCLUDES.value
    ENVIRONMENTS = "environments"
    DIRECTION = "direction"
    PLAN = "plan"
    REORDERED = "reordered"
    PROJECT = "project"
    FILES = "files"
    SCOPE = "scope"
    TIMES = "times"


_ONLY_FOR_SOME = "one holds for all files, the other only for some"

_WORDS: Mapping[DifferenceSort, tuple[str, str]] = {
    DifferenceSort.NUMBERS: ("numbers differ", "numbers only in one"),
    DifferenceSort.VERSIONS: ("versions differ", "versions only in one"),
    DifferenceSort.NAMES: ("names differ", "names only in one"),
    DifferenceSort.PATHS: ("paths differ", "paths only in one"),
    DifferenceSort.DENIES: ("one denies what the other says", ""),
    DifferenceSort.EXCLUDES: ("one rules out something the other does not mention", ""),
    DifferenceSort.ENVIRONMENTS: ("environments differ", "environments only in one"),
    DifferenceSort.DIRECTION: ("order or direction differs", "order or direction only in one"),
    DifferenceSort.PLAN: ("one is a plan, the other is done", ""),
    DifferenceSort.REORDERED: ("the same words in another order", ""),
    DifferenceSort.PROJECT: ("one holds everywhere, the other in {project}", ""),
    DifferenceSort.FILES: ("tied to different files", ""),
    DifferenceSort.SCOPE: (_ONLY_FOR_SOME, _ONLY_FOR_SOME),
    DifferenceSort.TIMES: ("true at different times", ""),
}
"""What people read of each, and of what only one of two has."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that matters in which two memories differ."""

    sort: DifferenceSort
    # what only the first and only the second has, empty where the label says it all
    sides: tuple[str, str] | None = None
    project: str = ""  # of `PROJECT`, the one that the narrower memory belongs to

    @property
    def is_of_one(self) -> bool:
        """Whether only one of the two has what differs."""
        return self.sides is not None and not all(self.sides)

    @property
    def code(self) -> str:
        """A word for scripts: `numbers`, or `numbers-in-one` where only one of the two has any."""
        return f"{self.sort}-in-one" if self.is_of_one else self.sort.value

    @property
    def label(self) -> str:
        """What differs, such as `numbers differ`."""
        return _WORDS[self.sort][0].format(project=self.project)

    @property
    def text(self) -> str:
        """It in words: `numbers differ: 8080 / 8081`, `numbers only in one: 8080`."""
        if not self.sides:
            return self.label
        if self.is_of_one:
            return f"{_WORDS[self.sort][1]}: {''.join(self.sides)}"
        return f"{self.label}: {' / '.join(self.sides)}"


def text_differences(one: Wording, other: Wording) -> tuple[Difference, ...]:
    other = other.in_notation_of(one)
    denials = difference_in_denials(one, other)
    apart = order_of_other_acts(one.plain, other.plain)
    found = [
        _numbers(one, other),
        _names(one, other),
        Difference(DifferenceSort(denials.value)) if denials else None,
        _sides(DifferenceSort.ENVIRONMENTS, one.environments, other.environments),
        _sides(DifferenceSort.DIRECTION, one.directions - apart, other.directions - apart),
        Difference(DifferenceSort.PLAN) if _is_plan_of_other(one, other) else None,
        Difference(DifferenceSort.REORDERED) if _is_reordered(one, other) else None,
    ]
    return tuple(difference for difference in found if difference is not None)


def _numbers(one: Wording, other: Wording) -> Difference | None:
    differing = one.told_numbers ^ other.told_numbers
    is_version = any(_VERSION.search(number) for number in differing) or any(
        _BEFORE_NUMBER.search(wording.normal.split(number)[0]) for wording in (one, other) for number in differing
    )
    sort = DifferenceSort.VERSIONS if is_version else DifferenceSort.NUMBERS
    found = _sides(sort, one.told_numbers, other.told_numbers)
    names = one.told_names ^ other.told_names
    if found is not None and found.is_of_one and all(any(number in name for name in names) for number in differing):
        return None  # The names that hold them are told.
    return found


def _names(one: Wording, other: Wording) -> Difference | None:
    """Compare names of code that only one text holds; one that is in the other's prose counts as the same."""
    left = {name for name in one.told_names - other.told_names if not other.says(name)}
    right = {name for name in other.told_names - one.told_names if not one.says(name)}
    paths = any("/" in name for name in left) and any("/" in name for name in right)
    return _sides(DifferenceSort.PATHS if paths else DifferenceSort.NAMES, left, right)


def _is_plan_of_other(one: Wording, other: Wording) -> bool:
    """Return whether one plans what the other tells as done; an order is neither, whatever it says will come of it."""
    return one.is_plan != other.is_plan and not _is_order(one) and not _is_order(other)


def _is_order(wording: Wording) -> bool:
    said = plain_text(wording.text.removeprefix(wording.title)).strip()
    return any(is_imperative(part) or _ORDERS.match(part) for part in (said, said.partition(": ")[2]))


def _is_reordered(one: Wording, other: Wording) -> bool:
    """Return whether two or more of the same words are out of order, which may reverse the meaning."""
    return sorted(one.stems) == sorted(other.stems) and one.stems != other.stems


def _sides(sort: DifferenceSort, left: Collection[str], right: Collection[str]) -> Difference | None:
    mine, theirs = set(left) - set(right), set(right) - set(left)
    if not mine and not theirs:
        return None
    shown = [", ".join(sorted(side)[:MOST_SHOWN]) for side in (mine, theirs)]
    return Difference(sort, (shown[0], shown[1]))


def differences(one: Memory, other: Memory, texts: TextCache) -> tuple[Difference, ...]:
    wordings = (texts.wordings[memory.title, memory.insight] for memory in (one, other))
    narrowed = tuple(_narrowed(one, other))
    apart = (each for each in kept_apart(one, other) if not narrowed or each.sort != DifferenceSort.FILES)
    return (*text_differences(*wordings), *apart, *narrowed)


def _narrowed(one: Memory, other: Memory) -> Iterator[Difference]:
    """Yield for which files one of two memories holds where the other holds for all: so would what is made of both."""
    mine, theirs = held_places(one), held_places(other)
    if bool(mine) != bool(theirs):
        shown = [", ".join(sorted(side)[:MOST_SHOWN]) for side in (mine, theirs)]
        yield Difference(DifferenceSort.SCOPE, (shown[0], shown[1]))


def kept_apart(one: Memory, other: Memory) -> Iterator[Difference]:
    """Yield what tells two memories apart besides their texts."""
    if one.project != other.project:
        named = one.project if other.project == GLOBAL_PROJECT else other.project
        yield Difference(DifferenceSort.PROJECT, project=str(named))
    mine, theirs = ({anchor.path for anchor in memory.anchors} for memory in (one, other))
    if mine and theirs and not mine & theirs:
        yield Difference(DifferenceSort.FILES)
    if (one.valid_from, one.valid_until) != (other.valid_from, other.valid_until):
        yield Difference(DifferenceSort.TIMES)
