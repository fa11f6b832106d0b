"""Links between memories: made, removed, proposed, and what a just-saved memory resembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.curate.memories import expiry_of, supersede
from memtui.curate.outcomes import require_versions
from memtui.domain.identity import Actor, check_may_alter
from memtui.domain.memory import GLOBAL_PROJECT, LINK_TYPES, Link, LinkType, Memory
from memtui.errors import NotFoundError, RefusedError, UsageError, VaultBusyError
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.packs import signals_of_packs
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.analysis.resemblance import Resemblance
    from memtui.analysis.suggestions import LinkProposal
    from memtui.progress import ProgressCallback
    from memtui.recall.semantic import Meaning
    from memtui.vault.bm25 import LexicalHit
    from memtui.vault.reader import VaultReader


def _check_link_type(name: str) -> LinkType:
    """Return a link type. Raises `UsageError`: there is no such type."""
    if name not in LINK_TYPES:
        raise UsageError("Unknown link type", where=name, remedy=f"Types: {', '.join(LINK_TYPES)}.")
    return name


def link(
    vault: Vault,
    from_prefix: str,
    type_name: str,
    to_prefix: str,
    *,
    actor: Actor,
    versions: Mapping[str, int] | None = None,
) -> Link | None:
    """Link two memories; `supersedes` also takes the second out of use. None if the link exists already.

    Raises:
        UsageError: there is no such type, or both are the same memory.
        ConflictError: one of them has another version than in `versions`; nothing was written.
    """
    link_type = _check_link_type(type_name)
    with vault.write(actor=actor.name, action="link") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        if first == second:
            raise UsageError("A memory cannot be linked to itself", where=first)
        require_versions(writer.get_many(versions or {}).values(), versions or {})
        writer.summary = f"link {first} {link_type} {second}"
        made = Link(from_id=first, type=link_type, to_id=second, origin=actor.origin, created_at=writer.now)
        if link_type == "supersedes":
            check_may_alter(actor, writer.get(second))
            known = _between(writer, first, link_type, second)
            supersede(writer, first, second, actor)
            return None if known else made
        return made if writer.add_links([made]) else None


def _between(reader: VaultReader, first: str, link_type: str, second: str) -> list[Link]:
    ends = (first, link_type, second)
    return [old for old in reader.links([first]) if (old.from_id, old.type, old.to_id) == ends]


def unlink(vault: Vault, from_prefix: str, type_name: str, to_prefix: str, *, actor: Actor) -> Link:
    """Remove a link; a memory that nothing supersedes any more is active again.

    Raises:
        NotFoundError: there is no such link.
        RefusedError: an agent would remove another's link.
    """
    link_type = _check_link_type(type_name)
    with vault.write(actor=actor.name, action="unlink") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        name = f"{first} {link_type} {second}"
        found = _between(writer, first, link_type, second)
        if not found:
            raise NotFoundError(
                "There is no such link", where=name, remedy=f"`memtui show {first}` lists the links of this memory."
            )
        if not actor.is_person and found[0].origin != actor.name:
            raise RefusedError(
                "An agent may remove only links that it made itself",
                where=f"{name}, made by {found[0].origin}",
                remedy="Leave it to a person.",
            )
        writer.summary = f"unlink {name}"
        writer.drop(found)
        old_memory = writer.get(second)
        if link_type == "supersedes" and old_memory.status == "superseded":
            check_may_alter(actor, old_memory)
            if not any(old.type == "supersedes" and old.to_id == second for old in writer.links([second])):
                writer.drop(expiry_of(writer, second))
                writer.put(replace(old_memory, status="active", status_reason=""))
        return found[0]


# -- proposals -----------------------------------------------------------------------------------------


def link_proposals(
    vault: Vault, scope: Scope, *, model: str | None = None, progress: ProgressCallback | None = None
) -> list[LinkProposal]:
    """Return the links that are proposed among active memories, the best first.

    `model`: the embedding model whose stored vectors are compared; None for words alone.
    """
    from memtui.analysis.suggestions import propose_links
    from memtui.curate.tidy import pairs_by_meaning, read_snapshot

    snapshot = read_snapshot(vault, MemoryFilter(scope=scope), progress=progress)
    with vault.read() as reader:
        signals = reader.signals()
    alike = pairs_by_meaning(vault, snapshot, model, progress=progress)
    return propose_links(snapshot, signals, vault.kinds, alike=alike)


LOOKED_UP_CHARACTERS = 500
"""Characters of a text that are searched for: what it is about is said by then, and a search stays under 20 ms."""

PROPOSED_FROM = 12  # Best memories by words that are compared with one memory for links


def proposals_about(vault: Vault, identifier: str) -> list[LinkProposal]:
    """Return the links that are proposed for one memory, the best first; quick, and without any vector.

    Empty where the memory is gone or not active.
    """
    from memtui.analysis.snapshot import Snapshot
    from memtui.analysis.suggestions import propose_links

    with vault.read() as reader:
        memory = reader.get_many([identifier]).get(identifier)
        if memory is None or memory.status != "active":
            return []
        keys = [hit.key for hit in reader.search(_start_of(memory), _in_view(memory), limit=PROPOSED_FROM)]
        near = {found.id: found for found in reader.get_by_keys(keys).values()}
        packs = {
            signal.pack_id for signal in reader.signals([identifier]) if signal.signal == "helped" and signal.pack_id
        }
        signals = [signal for signal in signals_of_packs(reader, sorted(packs)) if signal.signal == "helped"]
        near |= reader.get_many({signal.memory_id for signal in signals} | {identifier})
        active = [found for found in near.values() if found.status == "active"]
        snapshot = Snapshot(active, reader.links([identifier]), reader.verdicts(near))
    return propose_links(snapshot, signals, vault.kinds, about=identifier)


def _start_of(memory: Memory) -> str:
    return f"{memory.title}\n{memory.insight[:LOOKED_UP_CHARACTERS]}"


def _in_view(memory: Memory) -> MemoryFilter:
    """Return the active memories that may reach one payload with a memory: those of its project and of `global`."""
    if memory.project is None:
        return MemoryFilter(scope=Scope((), with_unassigned=True))
    return MemoryFilter(scope=EVERYTHING if memory.project == GLOBAL_PROJECT else Scope.of_project(memory.project))


# -- what a saved memory resembles ---------------------------------------------------------------------

RESEMBLING_FROM = 8
"""Best memories by words, and nearest by meaning, that are compared in full. Of the labelled pairs among 490 memories
the one that resembles stands among the first three in every case."""

LEAST_SHARED = 0.25
"""Share of the searched words that a memory must hold: two texts that share half of all their words, as
`memtui.analysis.resemblance.CONTRADICTS_FROM` asks, share a quarter of either's at least."""

MOST_COMPARED = 20  # Memories of one bulk change that are compared, about half a second


def resembling(vault: Vault, memory: Memory, *, meaning: Meaning | None = None, limit: int = 1) -> list[Resemblance]:
    """Return what a memory resembles in its project and in `global`, the nearest first; loads no model by itself.

    Pairs are judged as duplicates and contradictions are. Linked and dismissed pairs, and memories that are not
    active, are left out.

    `vault`: read under one short lease. `meaning`: also compares by meaning, where a model is loaded.
    """
    if memory.status != "active":
        return []
    text, wanted = _start_of(memory), _in_view(memory)
    sense = meaning.sense(text) if meaning is not None else None
    with vault.read() as reader:
        hits = reader.search(text, wanted, limit=RESEMBLING_FROM)
        keys = {hit.key: 0.0 for hit in hits if sense is not None or _may_resemble(hit, text)}
        if sense is not None:
            keys = {**keys, **sense.look(reader, wanted, keys=keys, limit=RESEMBLING_FROM).cosines}
        near = {key: found for key, found in reader.get_by_keys(keys).items() if found.id != memory.id}
        decided = _decided(reader, memory, near.values()) if near else set()
    if not near:
        return []
    # Imported here: comparing texts takes 60 ms at the first time.
    from memtui.analysis.resemblance import compared

    found = [
        one
        for key, other in near.items()
        if other.id not in decided and (one := compared(memory, other, keys.get(key) or None)) is not None
    ]
    order = {"same": 0, "clashes": 1, "differs": 2}
    return sorted(found, key=lambda one: (-one.score, order[one.sort], one.id))[:limit]


def _may_resemble(hit: LexicalHit, text: str) -> bool:
    """Return whether a memory shares so many words that comparing the texts may tell more."""
    from memtui.text.tokens import query_terms

    return len(hit.terms) >= LEAST_SHARED * len(set(query_terms(text)))


def _decided(reader: VaultReader, memory: Memory, others: Iterable[Memory]) -> set[str]:
    """Return those of which it is known already what they are to the memory: linked, or dismissed as they stand."""
    from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, NOT_RELATED, Snapshot

    memories = [memory, *others]
    links, verdicts = reader.links([memory.id]), reader.verdicts([each.id for each in memories])
    dismissed = Snapshot(memories, dismissals=verdicts).dismissed(NOT_CONTRADICTION, NOT_DUPLICATE, NOT_RELATED)
    pairs = [*((link.from_id, link.to_id) for link in links), *dismissed]
    return {end for pair in pairs if memory.id in pair for end in pair} - {memory.id}


def resembling_each(vault: Vault, memories: Sequence[Memory]) -> list[tuple[Memory, Resemblance]]:
    """Return memories that were just saved with what each resembles most.

    A vault that is busy just then has none: the save stands, and `tidy` finds the same later.
    """
    found: list[tuple[Memory, Resemblance]] = []
    for memory in memories[:MOST_COMPARED]:
        with suppress(VaultBusyError):
            found += [(memory, one) for one in resembling(vault, memory)]
    return found
