"""What is published in a repository, and what becomes of it: the same for the command line and the app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from memtui.curate.packs import text_changes
from memtui.curate.query import chosen_by, parse_choice
from memtui.curate.views import by_memory, source_says_this, stated_otherwise
from memtui.domain.memory import Memory, Source
from memtui.errors import MemtuiError
from memtui.pack.filters import loaded_form, read_by
from memtui.pack.targets.formats import target_named
from memtui.publish.apply import plan_cuts
from memtui.publish.destinations import Place, places
from memtui.publish.edits import Edit
from memtui.publish.instead import Note, read_instead
from memtui.publish.plan import (
    FilePlan,
    Plan,
    Publisher,
    Selection,
    plan_publication,
    standing_publications,
)
from memtui.text.words import some_of
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.publications import Publication, publications
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


@dataclass(frozen=True, slots=True)
class PlaceState:
    """A place, and what publishing to it again would change."""

    place: Place
    plan: Plan | None  # None where `problem` says why there is none
    recorded: tuple[Publication, ...] = ()  # what is published there
    problem: MemtuiError | None = None

    @property
    def is_published(self) -> bool:
        return bool(self.recorded)

    @property
    def block(self) -> str:
        """The target whose block is written: another's, where the place's own file only leads to that one's."""
        return self.place.target if self.plan is None else self.plan.place.target


def chosen(publisher: Publisher, query: str, threshold: float) -> Selection:
    """Return what a query chooses today. Raises `QueryError`: it cannot be read."""
    base = MemoryFilter(scope=publisher.scope, threshold=threshold)
    parsed = parse_choice(query, publisher.vault.kinds, publisher.vault.now())
    return Selection(query=query, ids=frozenset(chosen_by(publisher.vault, parsed, base)))


def picked(ids: Iterable[str]) -> Selection:
    """Return what a person chose one by one: a query of their ids, so that publishing anew chooses the same."""
    wanted = frozenset(ids)
    return Selection(query=f"id:{','.join(sorted(wanted))}", ids=wanted)


def is_picked(query: str | None) -> bool:
    """Return whether a query names memories one by one."""
    return Selection(query=query).is_picked


@dataclass(frozen=True, slots=True)
class Choosable:
    """A memory that may go in to a place."""

    memory: Memory
    is_in: bool  # whether it goes in as it stands
    is_usual: bool  # whether it does where nobody chooses
    read_in: str = ""  # the file in which the assistant reads it anyway, empty where it reads none


def choosable(publisher: Publisher, state: PlaceState, threshold: float) -> list[Choosable]:
    """Return what may go in to a place, what does first, each part as old as it is and in the order of its sources.

    Raises `MemtuiError`: nothing can be published there.
    """
    target = target_named(state.place.target, publisher.targets)
    usual = _ids_in(plan_publication(publisher, state.place.target))
    chosen = state.plan.selection.ids if state.plan is not None else None
    current = usual if state.plan is None else chosen or _ids_in(state.plan)
    with publisher.vault.read() as reader:
        wanted = MemoryFilter(scope=publisher.scope, threshold=threshold)
        memories = reader.select(wanted, sort="created", now=publisher.vault.now())
    memories.sort(
        key=lambda one: (one.id not in current, not one.pinned, one.created_at, _place_in_source(one), one.id)
    )
    found = [(one, read_by(target, one, (), standing=True)) for one in memories]
    return [
        Choosable(one, one.id in current, one.id in usual, "" if source is None else source.path or source.format)
        for one, source in found
    ]


def _place_in_source(memory: Memory) -> tuple[str, int]:
    """Return the file and line that a memory was read from first."""
    first = next(iter(memory.sources), None)
    return ("", 0) if first is None else (first.path or "", first.span[0] if first.span else 0)


def _ids_in(plan: Plan) -> frozenset[str]:
    """Return the memories that a plan writes."""
    written = [file.publication.memory_ids for file in plan.files if file.publication is not None]
    return frozenset(chain.from_iterable(written))


def selection_of(publisher: Publisher, recorded: Sequence[Publication], threshold: float) -> Selection:
    """Return what a place was published with; the standing payload where nothing is published."""
    if not recorded:
        return Selection()
    query = recorded[0].query
    return Selection(recipe=recorded[0].recipe) if query is None else chosen(publisher, query, threshold)


def place_states(
    publisher: Publisher, threshold: float, chosen: Mapping[str, Selection] | None = None
) -> list[PlaceState]:
    """Return every place with what publishing to it would change, by what it was published with.

    `chosen`: what is chosen now instead, by target.
    """
    known = standing_publications(publisher.vault, publisher.root)
    publisher = publisher.recalling_once()
    found = []
    for place in places():
        block = read_instead(place, publisher.root)[0].target
        recorded = tuple(known.get(block, ()))
        try:
            selection = (chosen or {}).get(block) or selection_of(publisher, recorded, threshold)
            plan = with_corrections(publisher.vault, plan_publication(publisher, place.target, selection))
        except MemtuiError as error:
            found.append(PlaceState(place, None, recorded, error))
        else:
            found.append(PlaceState(place, plan, recorded))
    return found


def with_corrections(vault: Vault, plan: Plan) -> Plan:
    """Return a plan whose files note which lines, read by the assistant itself, say otherwise what a block corrects."""
    loads = target_named(plan.place.target).loads
    held = {identifier for file in plan.files for identifier in _held_by(file)}
    if not held or not loads:
        return plan
    with vault.read() as reader:
        memories = reader.get_many(held)
        states = by_memory(reader.source_states(held))
        stated = stated_otherwise(reader, memories.values(), states)
    said: dict[str, list[str]] = {}
    for identifier, memory in memories.items():
        for source in (one for one in memory.sources if one.path and loaded_form(one) in loads):
            there = [state for state in states.get(identifier, ()) if state.path == source.path]
            if source_says_this(memory, there, stated.get(identifier)):
                said.setdefault(identifier, []).append(_place_of(source))
    return replace(plan, files=tuple(_noted(file, said) for file in plan.files)) if said else plan


def _held_by(file: FilePlan) -> Sequence[str]:
    """Return the ids of the memories in the block of a file."""
    return file.publication.memory_ids if file.publication is not None else ()


def _place_of(source: Source) -> str:
    return f"{source.path}:{source.span[0]}" if source.span else f"{source.path}"


def _noted(file: FilePlan, said: Mapping[str, Sequence[str]]) -> FilePlan:
    places = dict.fromkeys(place for identifier in _held_by(file) for place in said.get(identifier, ()))
    if not places:
        return file
    return replace(file, notes=(*file.notes, (Note.SAID_OTHERWISE, some_of(sorted(places), _MOST_PLACES))))


_MOST_PLACES = 3  # Lines that are named; the rest is told of


def file_changes(file: FilePlan | Edit) -> list[str]:
    """Return how a file would change, as `text_changes` has it."""
    return text_changes(*map(_text, (file.before, file.after)))


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")


def stale_plans(publisher: Publisher, ids: Sequence[str] | None, threshold: float) -> list[Plan]:
    """Return what publishing anew would change where blocks hold memories that are out of use; `ids`: these alone."""
    plans = []
    for target, recorded in standing_publications(publisher.vault, publisher.root).items():
        held = {identifier for one in recorded for identifier in one.memory_ids}
        with publisher.vault.read() as reader:
            found = reader.get_many(held if ids is None else held.intersection(ids))
        if any(memory.status in _OUT_OF_USE for memory in found.values()):
            plans.append(plan_publication(publisher, target, selection_of(publisher, recorded, threshold)))
    return plans


def files_that_still_say(vault: Vault, memories: Sequence[Memory], folder: Path) -> list[str]:
    """Return the files, by name, that say memories which were just retired: blocks of memtui, and their sources."""
    ids = {memory.id for memory in memories if memory.status == "retired"}
    if not ids:
        return []
    with vault.read() as reader:
        blocks = [Path(one.path) for one in publications(reader) if not ids.isdisjoint(one.memory_ids)]
    root = find_workspace(folder).root
    cuts = plan_cuts(vault, root, scope=EVERYTHING, ids=sorted(ids))
    paths = dict.fromkeys([path for path in blocks if path.is_relative_to(root)] + [one.path for one in cuts])
    return [path.relative_to(root).as_posix() for path in paths if path.is_file()]
