"""Links from records of decisions to those that they replace, as their sources state them."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from memtui.capture.draft import Named, Succession
from memtui.capture.import_plan import Planned
from memtui.capture.readers.adr_succession import stem_of
from memtui.curate.memories import mark_superseded
from memtui.domain.identity import Actor
from memtui.domain.memory import DECISION_RECORDS, Link, Memory, Source
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.writer import VaultWriter

AT_SOURCE = "superseded at its source"
"""Why a memory is superseded whose source says so and names nothing."""

BY_SOURCE = "import"  # Origin of a link that a source states
_TAKES_PART = frozenset({"active", "candidate", "superseded"})
_STATE = re.compile(r"^(?:superseded|deprecated|rejected|proposed): ", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+")

Stated = tuple[Memory, Memory, bool]
"""What replaces, what it replaces, and whether only in part."""


def link_successions(
    writer: VaultWriter, items: Sequence[Planned], owners: Mapping[int, Memory], fresh: set[str], actor: Actor
) -> int:
    """Link the records of an import with those that they replace or were replaced by; returns how many are new.

    A link is made where either end is new or changed, or nothing says yet by what one was superseded: what a person
    took back stays so.

    Args:
        writer: the open change.
        items: what the import does.
        owners: the memory that each item concerns, by its place.
        fresh: ids of the memories that the import adds or changes.
        actor: who imports.
    """
    stating = [(item, owners[at]) for at, item in enumerate(items) if item.draft.succession and at in owners]
    made = 0
    for project in dict.fromkeys(owner.project for _, owner in stating):
        records = _Records(_records_of(writer, project))
        said = [(item, owner) for item, owner in stating if owner.project == project]
        stated = [pair for item, owner in said for pair in records.stated(owner, item)]
        for winner, loser, partly in sorted(stated, key=lambda each: each[2]):
            made += _link(writer, winner.id, loser.id, fresh, actor, partly=partly)
    return made


def _records_of(writer: VaultWriter, project: str | None) -> list[Memory]:
    scope = Scope((project,)) if project is not None else Scope((), with_unassigned=True)
    found = writer.select(
        MemoryFilter(scope=scope, statuses=tuple(sorted(_TAKES_PART))), sort="created", now=writer.now
    )
    return [memory for memory in found if any(map(_is_record, memory.sources))]


def _is_record(source: Source) -> bool:
    return source.format in DECISION_RECORDS and " > " not in (source.native_id or "")


def _link(writer: VaultWriter, winner: str, loser: str, fresh: set[str], actor: Actor, *, partly: bool) -> bool:
    """Link two records, and say in the standing of the one by which it is replaced; returns whether that is new."""
    old = writer.get(loser)
    untold = old.status == "superseded" and old.status_reason == AT_SOURCE
    if not (untold or {winner, loser} & fresh) or (partly and old.status != "superseded"):
        return False
    known = writer.links([winner])
    if any((link.from_id, link.type, link.to_id) == (loser, "supersedes", winner) for link in known):
        return False
    origin = BY_SOURCE if actor.is_person else actor.name
    link = Link(from_id=winner, type="supersedes", to_id=loser, origin=origin, created_at=writer.now)
    made = bool(writer.add_links([link]))
    if untold and (actor.is_person or loser in fresh):
        writer.put(replace(old, status_reason=f"superseded by {winner}"))
    elif made and actor.is_person and old.status == "active" == writer.get(winner).status:
        mark_superseded(writer, old, winner, actor)
    return made


class _Records:
    """The records of a project, to be found as others name them."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._by_path: dict[str, list[Memory]] = defaultdict(list)
        self._by_stem: dict[str, list[Memory]] = defaultdict(list)
        self._by_number: dict[int, list[Memory]] = defaultdict(list)
        self._by_title: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
        for memory in memories:
            for source in filter(_is_record, memory.sources):
                path, native = source.path or "", source.native_id or ""
                stem = stem_of(path)
                self._by_path[path].append(memory)
                self._by_stem[stem].append(memory)
                if native.isdecimal():
                    self._by_number[int(native)].append(memory)
                for title in (_STATE.sub("", memory.title), re.sub(r"^(?:(?:adr|madr|dr)?[-_ ]?\d+[-_. ]+)", "", stem)):
                    self._by_title[_words(title)].append(memory)

    def stated(self, memory: Memory, item: Planned) -> Iterator[Stated]:
        """Yield what the source of a memory says of others."""
        said = item.draft.succession or Succession()
        path = item.draft.source.path or ""
        for named in said.replaces:
            if other := self._found(named, memory, path):
                yield memory, other, named.partly
        for named in said.replaced_by:
            if other := self._found(named, memory, path):
                yield other, memory, named.partly

    def _found(self, named: Named, memory: Memory, path: str) -> Memory | None:
        """Return the one record that is meant; None where there is none, or no telling which."""
        folder = posixpath.dirname(path)
        ways: list[Callable[[], Iterable[Memory]]] = []
        if named.path:
            place = posixpath.normpath(posixpath.join(folder, named.path))
            ways += [lambda: self._by_path.get(place, ()), lambda: self._by_path.get(named.path.lstrip("./"), ())]
            ways += [lambda: self._near(self._by_stem.get(stem_of(named.path), ()), folder)]
        if named.number:
            ways += [lambda: self._near(self._by_number.get(int(named.number), ()), folder, memory, path)]
        if named.title:
            ways += [lambda: self._near(self._by_title.get(_words(named.title), ()), folder)]
        for way in ways:
            others = {one.id: one for one in way() if one.id != memory.id}
            if len(others) == 1:
                return next(iter(others.values()))
        return None

    @staticmethod
    def _near(memories: Sequence[Memory], folder: str, naming: Memory | None = None, path: str = "") -> list[Memory]:
        """Return those of the same folder, else those of folders above or below it.

        Of records in the file of the one that names them, these come first.
        """
        placed = [
            (memory, PurePosixPath(source.path or "").parent)
            for memory in memories
            for source in filter(_is_record, memory.sources)
        ]
        beside = [one for one in memories if one != naming and any(each.path == path for each in one.sources)]
        if naming is not None and beside:
            return beside
        here = PurePosixPath(folder)
        same = [memory for memory, at in placed if at == here]
        return same or [memory for memory, at in placed if at.is_relative_to(here) or here.is_relative_to(at)]


def _words(title: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(title.casefold()))
