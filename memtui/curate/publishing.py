"""What is published in a repository, and what becomes of it: the same for the command line and the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.curate.packs import text_changes
from memtui.curate.query import chosen_by, parse_choice
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError
from memtui.publish.apply import plan_cuts
from memtui.publish.edits import Edit
from memtui.publish.places import Place, places
from memtui.publish.plan import (
    FilePlan,
    Plan,
    Publisher,
    Selection,
    plan_publication,
    read_instead,
    standing_publications,
)
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.publications import Publication, publications
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


@dataclass(frozen=True, slots=True)
class Standing:
    """A place, and what publishing to it again would change."""

    place: Place
    plan: Plan | None  # None where `problem` says why there is none
    recorded: tuple[Publication, ...] = ()  # what is published there
    problem: MemtuiError | None = None

    @property
    def is_published(self) -> bool:
        return bool(self.recorded)


def chosen(publisher: Publisher, query: str, threshold: float) -> Selection:
    """Return what a query chooses today. Raises `QueryError`: it cannot be read."""
    base = MemoryFilter(scope=publisher.scope, threshold=threshold)
    parsed = parse_choice(query, publisher.vault.kinds, publisher.vault.now())
    return Selection(query=query, ids=frozenset(chosen_by(publisher.vault, parsed, base)))


def selection_of(publisher: Publisher, recorded: Sequence[Publication], threshold: float) -> Selection:
    """Return what a place was published with; the standing payload where nothing is published."""
    if not recorded:
        return Selection()
    query = recorded[0].query
    return Selection(recipe=recorded[0].recipe) if query is None else chosen(publisher, query, threshold)


def standings(publisher: Publisher, threshold: float) -> list[Standing]:
    """Return every place with what publishing to it would change, by what it was published with."""
    known = standing_publications(publisher.vault, publisher.root)
    publisher = publisher.recalling_once()
    found = []
    for place in places():
        recorded = tuple(known.get(read_instead(place, publisher.root)[0].target, ()))
        try:
            plan = plan_publication(publisher, place.target, selection_of(publisher, recorded, threshold))
        except MemtuiError as error:
            found.append(Standing(place, None, recorded, error))
        else:
            found.append(Standing(place, plan, recorded))
    return found


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
