"""What is published in a repository, and what becomes of it: the same for the command line and the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.curate.packs import text_changes
from memtui.curate.query import chosen_by, parse_choice
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError
from memtui.publish.places import Place, places
from memtui.publish.plan import FilePlan, Plan, Publisher, Selection, plan_publication, standing_publications
from memtui.vault.filters import MemoryFilter
from memtui.vault.publications import Publication, publications
from memtui.vault.vault import Vault


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
    found = []
    for place in places():
        recorded = tuple(known.get(place.target, ()))
        try:
            plan = plan_publication(publisher, place.target, selection_of(publisher, recorded, threshold))
        except MemtuiError as error:
            found.append(Standing(place, None, recorded, error))
        else:
            found.append(Standing(place, plan, recorded))
    return found


def file_changes(file: FilePlan) -> list[str]:
    """Return how a file would change, as `text_changes` has it."""
    return text_changes(*map(_text, (file.before, file.after)))


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")


def still_published(vault: Vault, memories: Sequence[Memory]) -> list[Publication]:
    """Return the blocks in which memories stand that are out of use, by path."""
    ids = {memory.id for memory in memories if memory.status in {"retired", "superseded", "merged"}}
    if not ids:
        return []
    with vault.read() as reader:
        return [one for one in publications(reader) if not ids.isdisjoint(one.memory_ids)]
