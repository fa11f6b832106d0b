"""What differs between two memories that are alike, in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memtui.analysis.claims import difference_in_denials
from memtui.analysis.imperative import is_imperative
from memtui.analysis.ordered_acts import order_of_other_acts
from memtui.analysis.snapshot import TextCache
from memtui.analysis.text_features import Wording
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.text.inline import plain_text

_VERSION = re.compile(r"\d+\.\d+")
_BEFORE_NUMBER = re.compile(
    r"\b(?:version|v|python|node|postgres|redis|java|go|ruby|php|django|react|vue|rust|kafka) ?$"
)
_ORDERS = re.compile(r"(?:always|never|only)\b|[^.:;!?\n]{1,80}\b(?:must|should always)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that matters in which two memories differ."""

    label: str  # what differs, such as `numbers differ`
    # what only the first and only the second has, empty where the label says it all
    sides: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        """It in words: `numbers differ: 8080 / 8081`, `numbers only in one: 8080`."""
        if not self.sides:
            return self.label
        if all(self.sides):
            return f"{self.label}: {' / '.join(self.sides)}"
        return f"{self.label.rpartition(' differ')[0]} only in one: {''.join(self.sides)}"


def text_differences(one: Wording, other: Wording) -> tuple[Difference, ...]:
    other = other.in_notation_of(one)
    denials = difference_in_denials(one, other)
    apart = order_of_other_acts(one.plain, other.plain)
    found = [
        _numbers(one, other),
        _names(one, other),
        Difference(denials) if denials else None,
        _sides("environments differ", one.environments, other.environments),
        _sides("order or direction differs", one.directions - apart, other.directions - apart),
        Difference("one is a plan, the other is done") if _is_plan_of_other(one, other) else None,
        Difference("the same words in another order") if _is_reordered(one, other) else None,
    ]
    return tuple(difference for difference in found if difference is not None)


def _numbers(one: Wording, other: Wording) -> Difference | None:
    differing = one.told_numbers ^ other.told_numbers
    is_version = any(_VERSION.search(number) for number in differing) or any(
        _BEFORE_NUMBER.search(wording.normal.split(number)[0]) for wording in (one, other) for number in differing
    )
    return _sides("versions differ" if is_version else "numbers differ", one.told_numbers, other.told_numbers)


def _names(one: Wording, other: Wording) -> Difference | None:
    """Compare names of code that only one text holds; one that is in the other's prose counts as the same."""
    left = {name for name in one.told_names - other.told_names if not other.says(name)}
    right = {name for name in other.told_names - one.told_names if not one.says(name)}
    paths = any("/" in name for name in left) and any("/" in name for name in right)
    return _sides("paths differ" if paths else "names differ", left, right)


def _is_plan_of_other(one: Wording, other: Wording) -> bool:
    """Return whether one plans what the other tells as done; an order is neither, whatever it says will come of it."""
    return one.is_plan != other.is_plan and not _is_order(one) and not _is_order(other)


def _is_order(wording: Wording) -> bool:
    said = plain_text(wording.text.removeprefix(wording.title)).strip()
    return any(is_imperative(part) or _ORDERS.match(part) for part in (said, said.partition(": ")[2]))


def _is_reordered(one: Wording, other: Wording) -> bool:
    """Return whether two or more of the same words are out of order, which may reverse the meaning."""
    return sorted(one.stems) == sorted(other.stems) and one.stems != other.stems


def _sides(label: str, left: Collection[str], right: Collection[str]) -> Difference | None:
    mine, theirs = set(left) - set(right), set(right) - set(left)
    if not mine and not theirs:
        return None
    shown = [", ".join(sorted(side)[:3]) for side in (mine, theirs)]
    return Difference(label, (shown[0], shown[1]))


def differences(one: Memory, other: Memory, texts: TextCache) -> tuple[Difference, ...]:
    wordings = (texts.wordings[memory.title, memory.insight] for memory in (one, other))
    return (*text_differences(*wordings), *kept_apart(one, other))


def kept_apart(one: Memory, other: Memory) -> Iterator[Difference]:
    """Yield what tells two memories apart besides their texts."""
    if one.project != other.project:
        named = one.project if other.project == GLOBAL_PROJECT else other.project
        yield Difference(f"one holds everywhere, the other in {named}")
    mine, theirs = ({anchor.path for anchor in memory.anchors} for memory in (one, other))
    if mine and theirs and not mine & theirs:
        yield Difference("tied to different files")
    if (one.valid_from, one.valid_until) != (other.valid_from, other.valid_until):
        yield Difference("true at different times")
