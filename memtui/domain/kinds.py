"""Kinds of memories, with the memory tier and the default half-life of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

TIERS = ("semantic", "procedural", "episodic", "working")

Origin = Literal["config", "vault", "default"]
"""Where a kind's half-life comes from."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of memory.

    Attributes:
        name: the word users type, lower case.
        tier: the memory tier: semantic, procedural, episodic or working.
        half_life_days: days until trust in an unverified memory of this kind has halved.
    """

    name: str
    tier: str
    half_life_days: float


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


class Kinds:
    """The kinds in force: the configuration's beat what was applied to the vault, which beats the built-in ones.

    Whoever opens a vault hands over what is stored there, so that all who share the object go by one rule.

    Args:
        extra: the configuration's kinds.
    """

    def __init__(self, extra: Iterable[Kind] = ()) -> None:
        self._extra: dict[str, Kind] = {kind.name: kind for kind in extra}
        self._kinds: dict[str, Kind] = {**DEFAULT_KINDS, **self._extra}
        self._stored: Mapping[str, float] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def names(self) -> tuple[str, ...]:
        """Return every name, the built-in ones first."""
        return tuple(self._kinds)

    def timed_names(self) -> tuple[str, ...]:
        """Return every name that has a half-life of its own, those that only the vault knows among them."""
        return tuple(dict.fromkeys([*self._kinds, *self._stored]))

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
        """Take over the half-lives in days, by kind, that are stored in the vault that was opened."""
        # Replaced as a whole, so that threads need no lock.
        self._stored = dict(half_lives)

    def with_half_lives(self, half_lives: Mapping[str, float]) -> Kinds:
        """Return other kinds in which these half-lives in days are in force, whatever a vault says."""
        changed = Kinds(
            [
                *self._extra.values(),
                *(replace(self.get(name), half_life_days=days) for name, days in half_lives.items()),
            ]
        )
        changed.take_stored(self._stored)
        return changed

    def without_stored(self) -> Kinds:
        """Return the kinds as they are where nothing was applied to the vault."""
        return Kinds(self._extra.values())

    def nearest(self, name: str) -> str | None:
        """Return the known name most like a mistyped one, if any is close."""
        from difflib import get_close_matches

        close = get_close_matches(name, self._kinds, n=1)
        return close[0] if close else None
