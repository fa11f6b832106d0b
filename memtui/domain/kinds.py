"""Kinds of memories, with the memory tier and the default half-life of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

Origin = Literal["config", "vault", "default"]  # Where a kind's half-life comes from


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of memory."""

    name: str  # the word users type, lower case
    tier: str  # the memory tier: semantic, procedural, episodic or working
    half_life_days: float  # days until trust in an unverified memory of this kind has halved


DEFAULT_KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("constraint", "semantic", 270.0),
        Kind("decision", "semantic", 365.0),
        Kind("bug-pattern", "episodic", 180.0),
        Kind("architecture", "semantic", 365.0),
        Kind("convention", "procedural", 270.0),
        Kind("tooling", "procedural", 90.0),
        Kind("lesson", "episodic", 180.0),
        Kind("note", "working", 7.0),
    )
}

DEFAULT_KIND = "lesson"

CONFIDENCE_SIGNS: Mapping[str, str] = {"guess": "?", "likely": "~", "sure": " "}
"""Signs of how well a guessed kind is founded."""

RULE_KINDS = frozenset({"constraint", "convention"})
"""Kinds that hold for any change and may be phrased as an instruction; the others are facts."""

DEFAULT_FLOOR = 0.05  # The share of trust that remains however old a memory is, unless configured otherwise
DEFAULT_HURT_WEIGHT = 4.0  # How many "helped" outweigh one "hurt", unless configured otherwise

_AT = "@"

Holiday = tuple[datetime, datetime]


def in_project(kind: str, project: str) -> str:
    """Return the name under which a vault keeps the half-life of a kind in one project: `tooling@shop`."""
    return f"{kind}{_AT}{project}"


def split_project(name: str) -> tuple[str, str | None]:
    """Return kind and project of such a name; None as the project of a kind's own."""
    kind, _, project = name.partition(_AT)
    return kind, project or None


class Kinds:
    """The kinds in force and the parameters of trust.

    The configuration's kinds take precedence over those applied to the vault, which take precedence over the built-in
    ones; a half-life applied to one project takes precedence over all of them there.

    `floor`: the share of trust that remains however old a memory is. `hurt_weight`: how many helps outweigh one hurt.
    `holiday`: first and last moment of a time in which nothing becomes due for review.
    """

    def __init__(
        self,
        extra: Iterable[Kind] = (),
        *,
        floor: float = DEFAULT_FLOOR,
        hurt_weight: float = DEFAULT_HURT_WEIGHT,
        holiday: Holiday | None = None,
    ) -> None:
        self.floor = floor
        self.hurt_weight = hurt_weight
        self.holiday = holiday
        self._extra: dict[str, Kind] = {kind.name: kind for kind in extra}
        self._kinds: dict[str, Kind] = {**DEFAULT_KINDS, **self._extra}
        self._stored: dict[str, float] = {}
        self._supposed: dict[str, float] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def is_holiday(self, moment: datetime) -> bool:
        return self.holiday is not None and self.holiday[0] <= moment < self.holiday[1]

    def review_moment(self, now: datetime) -> datetime:
        """Return the moment at which it is judged what is due: the beginning of a holiday as long as it lasts."""
        return self.holiday[0] if self.holiday is not None and self.is_holiday(now) else now

    def after_holiday(self, moment: datetime) -> datetime:
        """Return when something becomes due that would at a moment: not within a holiday."""
        return self.holiday[1] if self.holiday is not None and self.holiday[0] < moment < self.holiday[1] else moment

    def names(self) -> tuple[str, ...]:
        """Return every name, the built-in ones first."""
        return tuple(self._kinds)

    def timed_names(self) -> tuple[str, ...]:
        """Return every name with a half-life of its own, including those known only to the vault."""
        return tuple(dict.fromkeys([*self._kinds, *(name for name in self._stored if _AT not in name)]))

    def half_life(self, name: str, project: str | None) -> float:
        """Return the half-life in days of a kind in a project: the project's own, else the kind's."""
        if project and (self._stored or self._supposed):
            key = in_project(name, project)
            own = self._supposed.get(key, self._stored.get(key))
            if own is not None:
                return own
        return self.get(name).half_life_days

    def project_half_lives(self) -> dict[tuple[str, str], float]:
        """Return the half-lives in days that hold in one project alone, by kind and project."""
        found = ((split_project(name), days) for name, days in (self._stored | self._supposed).items())
        return {(kind, project): days for (kind, project), days in found if project is not None}

    def get(self, name: str) -> Kind:
        """Return the kind of that name; an unknown one behaves like a lesson."""
        stored = self._stored.get(name)
        found = self._kinds.get(name)
        if found is None:
            fallback = self._kinds[DEFAULT_KIND]
            days = self.get(DEFAULT_KIND).half_life_days if name != DEFAULT_KIND else fallback.half_life_days
            return Kind(name, fallback.tier, days if stored is None else stored)
        return found if stored is None or name in self._extra else replace(found, half_life_days=stored)

    def origin(self, name: str) -> Origin:
        """Return where the half-life of a kind comes from."""
        return "config" if name in self._extra else "vault" if name in self._stored else "default"

    def take_stored(self, half_lives: Mapping[str, float]) -> None:
        """Adopt the half-lives in days, by kind, that are stored in the opened vault."""
        # Replaced as a whole, so that threads need no lock.
        self._stored = dict(half_lives)

    def with_half_lives(self, half_lives: Mapping[str, float]) -> Kinds:
        """Return other kinds with these half-lives in days, whatever a vault says."""
        plain = {name: days for name, days in half_lives.items() if _AT not in name}
        extra = [*self._extra.values(), *(replace(self.get(name), half_life_days=days) for name, days in plain.items())]
        changed = Kinds(extra, floor=self.floor, hurt_weight=self.hurt_weight, holiday=self.holiday)
        changed.take_stored(self._stored)
        # Apart from what is stored, which a vault that is opened with these kinds replaces.
        changed._supposed = self._supposed | {name: days for name, days in half_lives.items() if _AT in name}
        return changed

    def weighed(self, *, floor: float | None = None, hurt_weight: float | None = None) -> Kinds:
        """Return the same kinds with another floor or another weight of hurts."""
        changed = Kinds(
            self._extra.values(),
            floor=self.floor if floor is None else floor,
            hurt_weight=self.hurt_weight if hurt_weight is None else hurt_weight,
            holiday=self.holiday,
        )
        changed.take_stored(self._stored)
        changed._supposed = self._supposed
        return changed

    def without_stored(self) -> Kinds:
        """Return the kinds as they are where nothing was applied to the vault."""
        return Kinds(self._extra.values(), floor=self.floor, hurt_weight=self.hurt_weight, holiday=self.holiday)
