"""The three-way merge of two records of one memory: the last common state, what is here, and what the team has.

Whatever only one side changed is taken from it. Texts are merged line by line, tags, anchors and sources item by item;
of two verifications the later stays. Where both wrote the same lines the team's stand, and the other text is kept for
a person; of other fields the team's value stands and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.domain.combine import LINE_TEXTS, merge_field
from memtui.domain.record import Record, parse_time

TEXTS = ("title", "insight", "rationale", "snippet")

_LATER = ("observed_at", "snoozed_until", "due_at")
_ATTESTED = {"verified_at": "verified_by", "confirmed_at": "confirmed_by"}
_FOLLOWERS = frozenset(_ATTESTED.values())
_SOURCES = ("source", "other_sources")


@dataclass(frozen=True, slots=True)
class Merge:
    """One record made of two."""

    record: Record
    texts: tuple[str, ...] = ()  # texts whose same lines both sides changed: the team's stand
    overruled: tuple[str, ...] = ()  # other fields that both sides changed: the team's value stands

    def set_aside(self, mine: Record) -> Record:
        """Return the record with one's own texts where both changed them."""
        kept = {key: value for key, value in self.record.items() if key not in self.texts}
        return kept | {key: mine[key] for key in self.texts if key in mine}


def merge_records(base: Record | None, mine: Record, theirs: Record) -> Merge:
    """Merge what is here into what the team has; without a base, whatever differs was changed by both."""
    before = base or {}
    values: Record = {}
    texts: list[str] = []
    overruled: list[str] = []
    for name in dict.fromkeys([*theirs, *mine]):
        if name in _SOURCES or name in _FOLLOWERS:
            continue
        value, is_clash = _field(name, before.get(name), mine.get(name), theirs.get(name))
        if is_clash:
            (texts if name in TEXTS else overruled).append(name)
        if value is not None and value != []:
            values[name] = value
    _attest(values, before, mine, theirs)
    _add_sources(values, before, mine, theirs)
    return Merge(values, tuple(texts), tuple(overruled))


def _field(name: str, base: Any, mine: Any, theirs: Any) -> tuple[Any, bool]:
    """Return the value of a field, and whether both sides changed it in ways that cannot be merged."""
    value, is_clash = merge_field(name, base=base, mine=mine, theirs=theirs)
    if is_clash and (name in _LATER or name in _ATTESTED):
        return _later(mine, theirs), False
    return (value or None) if name in LINE_TEXTS else value, is_clash


def _later(one: str | None, other: str | None) -> str | None:
    moments = [moment for moment in (one, other) if moment]
    return max(moments, key=_moment, default=None)


def _moment(text: str) -> Any:
    return parse_time(text)


def _attest(values: Record, base: Mapping[str, Any], mine: Record, theirs: Record) -> None:
    """Let the name of who confirmed or verified follow the moment that was taken."""
    for at, by in _ATTESTED.items():
        if at in values and mine.get(at) == theirs.get(at):
            name, _ = _field(by, base.get(by), mine.get(by), theirs.get(by))
        else:
            name = (mine if values.get(at) == mine.get(at) else theirs).get(by)
        if name is not None:
            values[by] = name


def _add_sources(values: Record, base: Mapping[str, Any], mine: Record, theirs: Record) -> None:
    """Merge the sources item by item; a source that both changed is taken from the team."""
    old, my, their = (_sources(side) for side in (base, mine, theirs))
    kept = [place for place in their if place in my or place not in old or their[place] != old[place]]
    added = [place for place in my if place not in their and (place not in old or my[place] != old[place])]
    found = [_newer(old.get(place), my.get(place), their[place]) for place in kept] + [my[place] for place in added]
    if found:
        values["source"] = found[0]
    if found[1:]:
        values["other_sources"] = found[1:]


def _newer(old: Record | None, mine: Record | None, theirs: Record) -> Record:
    return mine if mine is not None and theirs == old else theirs


def _sources(record: Mapping[str, Any]) -> dict[tuple[Any, ...], Record]:
    listed = [*([record["source"]] if record.get("source") else []), *(record.get("other_sources") or ())]
    return {_place(source): source for source in listed}


def _place(source: Record) -> tuple[Any, ...]:
    return source.get("format"), source.get("path"), source.get("native_id")
