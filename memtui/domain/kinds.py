"""Kinds of memories, with the memory tier and the default half-life of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TIERS = ("semantic", "procedural", "episodic", "working")


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
    """The kinds in force: the built-in ones and those of the configuration."""

    def __init__(self, extra: Iterable[Kind] = ()) -> None:
        self._kinds: dict[str, Kind] = dict(DEFAULT_KINDS)
        self._kinds.update((kind.name, kind) for kind in extra)

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def names(self) -> tuple[str, ...]:
        """Return every name, the built-in ones first."""
        return tuple(self._kinds)

    def get(self, name: str) -> Kind:
        """Return the kind of that name; an unknown one behaves like a lesson."""
        found = self._kinds.get(name)
        if found is not None:
            return found
        fallback = self._kinds[DEFAULT_KIND]
        return Kind(name, fallback.tier, fallback.half_life_days)

    def nearest(self, name: str) -> str | None:
        """Return the known name most like a mistyped one, if any is close."""
        from difflib import get_close_matches

        close = get_close_matches(name, self._kinds, n=1)
        return close[0] if close else None
