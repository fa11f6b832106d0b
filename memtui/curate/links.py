"""Links between memories: by hand, suggested, and of a conclusion with its sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from memtui.analysis.dismissals import Lessons
from memtui.analysis.resemblance import Resemblance, changed_much, compared
from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, NOT_RELATED, Snapshot, TextCache, pair_of
from memtui.analysis.suggestions import MOST_SOURCES, LinkProposal, propose_links
from memtui.curate.bulk_changes import Batch, require_versions, resolved
from memtui.curate.fields import LONGEST_TITLE, Proposed, clean_tags, is_blank
from memtui.curate.lifecycle import left_beside, would_replace
from memtui.curate.memories import NewMemory, draft_memory, expiry_of, store_draft, supersede
from memtui.curate.merge import common_project, united, united_anchors
from memtui.domain.causes import RETIRED
from memtui.domain.identity import PERSON, Actor, check_may_alter, require_person
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import GLOBAL_PROJECT, LINK_TYPES, Anchor, Link, LinkType, Memory
from memtui.domain.scope import ONLY
from memtui.errors import NotFoundError, RefusedError, UsageError, VaultBusyError
from memtui.progress import ProgressCallback
from memtui.text.sanitize import one_line, reveal
from memtui.text.tokens import query_terms
from memtui.text.words import shorten, unknown
from memtui.vault.bm25 import LexicalHit
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.packs import signals_of_packs
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    from memtui.recall.semantic import Meaning


SHOWN_TITLE = 60  # Characters of a title in the journal


def _check_link_type(name: str) -> LinkType:
    """Return a link type. Raises `UsageError`: there is no such type."""
    if name not in LINK_TYPES:
        raise unknown("link type", name, LINK_TYPES)
    return name


def link(
    vault: Vault,
    from_prefix: str,
    type_name: str,
    to_prefix: str,
    *,
    actor: Actor,
    reason: str = "",
    versions: Mapping[str, int] | None = None,
) -> Link | None:
    """Link two memories; `supersedes` also takes the second out of use. None if the link exists already.

    A person who says that one replaces the other, or that they are related, decides what they were proposed to be.

    Raises:
        UsageError: there is no such type, or both are the same memory.
        ConflictError: one of them has another version than in `versions`; nothing was written.
    """
    link_type = _check_link_type(type_name)
    with vault.write(actor=actor.name, action="link", reason=reason) as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        if first == second:
            raise UsageError("A memory cannot be linked to itself", where=first, remedy="Give two different ids.")
        require_versions(writer.get_many(versions or {}).values(), versions or {})
        writer.summary = f"link {_named(writer, first, link_type, second)}"
        made = Link(from_id=first, type=link_type, to_id=second, origin=actor.origin, created_at=writer.now)
        if actor.is_person and link_type in {"supersedes", "relates"}:
            _drop_proposed(writer, first, second)
        if link_type == "supersedes":
            check_may_alter(actor, writer.get(second))
            known = _between(writer, first, link_type, second)
            supersede(writer, first, second, actor)
            return None if known else made
        return made if writer.add_links([made]) else None


def _drop_proposed(writer: VaultWriter, first: str, second: str) -> None:
    """Drop the contradictions of two memories that others than a person proposed."""
    pair = {first, second}
    links = [link for link in writer.links(pair) if {link.from_id, link.to_id} == pair]
    writer.drop([link for link in links if link.type == "contradicts" and link.origin != PERSON])


def _named(reader: VaultReader, first: str, link_type: str, second: str) -> str:
    """Return a link with the titles of its ends, for the journal."""
    ends = reader.get_many([first, second])
    one, other = (f"“{shorten(one_line(ends[end].title), SHOWN_TITLE)}”" for end in (first, second))
    return f"{one} {link_type} {other}"


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
                "No such link", where=name, remedy=f"`memtui show {first}` lists the links of this memory."
            )
        if not actor.is_person and found[0].origin != actor.name:
            raise RefusedError(
                "An agent may remove only links that it made itself",
                where=f"{name}, made by {found[0].origin}",
                remedy="Leave it to a person.",
            )
        writer.summary = f"unlink {_named(writer, first, link_type, second)}"
        writer.drop(found)
        old_memory = writer.get(second)
        if link_type == "supersedes" and old_memory.status == "superseded":
            check_may_alter(actor, old_memory)
            if not any(old.type == "supersedes" and old.to_id == second for old in writer.links([second])):
                writer.drop(expiry_of(writer, second))
                writer.put(old_memory.taken_up("active"))
        return found[0]


# -- proposals -----------------------------------------------------------------------------------------


def link_proposals(
    vault: Vault, scope: Scope, *, model: str | None = None, progress: ProgressCallback | None = None
) -> list[LinkProposal]:
    """Return the links that are proposed among active memories, the best first.

    `model`: the embedding model whose stored vectors are compared; None for words alone.
    """
    from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot
    from memtui.curate.tidy import proposals

    snapshot = read_snapshot(vault, MemoryFilter(scope=scope), progress=progress)
    with vault.read() as reader:
        signals = reader.signals()
    alike = pairs_by_meaning(vault, snapshot, model, progress=progress)
    groups = proposals(snapshot, vault.kinds, alike).duplicates
    apart = [pair_of(*pair) for group in groups for pair in combinations(group.ids, 2)]
    proposed = propose_links(snapshot, signals, vault.kinds, alike=alike, apart=apart)
    shown, _ = Lessons(snapshot, TextCache(), {}).part("links", [proposal.ids for proposal in proposed])
    return [proposal for proposal in proposed if proposal.ids in shown]


LOOKED_UP_CHARACTERS = 500
"""Characters of a text that are searched for: what it is about is said by then, and a search stays under 20 ms."""

PROPOSED_FROM = 12  # Best memories by words that are compared with one memory for links


def proposals_about(vault: Vault, identifier: str) -> list[LinkProposal]:
    """Return the links that are proposed for one memory, the best first; quick, and without any vector.

    Empty where the memory is gone or not active.
    """
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
    found = [
        one
        for key, other in near.items()
        if other.id not in decided and (one := compared(memory, other, keys.get(key) or None)) is not None
    ]
    order = {"same": 0, "reworded": 1, "clashes": 2, "differs": 3}
    return sorted(found, key=lambda one: (not one.is_likely, -one.score, order[one.sort], one.id))[:limit]


def _may_resemble(hit: LexicalHit, text: str) -> bool:
    """Return whether a memory shares so many words that comparing the texts may tell more."""
    return len(hit.terms) >= LEAST_SHARED * len(set(query_terms(text)))


def _decided(reader: VaultReader, memory: Memory, others: Iterable[Memory]) -> set[str]:
    """Return those of which it is known already what they are to the memory: linked, or dismissed as they stand."""
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


def to_settle(
    vault: Vault, memories: Sequence[Memory], *, before: Memory | None = None, meaning: Meaning | None = None
) -> list[tuple[Memory, Memory, Resemblance]]:
    """Return memories just saved or accepted, each with what it was proposed to replace, else very likely repeats.

    `before`: the one memory as it was before an edit: a small change is no new statement.
    """
    memories = memories[:MOST_COMPARED]
    with vault.read() as reader:
        replaced = {**would_replace(reader, memories), **left_beside(reader, memories)}
    found = [
        (memory, one)
        for memory in memories
        if memory.id not in replaced and (before is None or changed_much(before, memory))
        for one in resembling(vault, memory, meaning=meaning)
        if one.is_likely
    ]
    with vault.read() as reader:
        others = reader.get_many({one.id for _, one in found})
    return [
        (memory, old, Resemblance(old.id, old.title, "replaces", 1.0, ""))
        for memory in memories
        for old in replaced.get(memory.id, ())
    ] + [(memory, others[one.id], one) for memory, one in found if one.id in others]


FEWEST_SOURCES = 2


def _is_shared(tag: str, sources: Sequence[Memory]) -> bool:
    """Return whether a tag is inherited; one that limits where a source holds is so only if all are limited alike."""
    return not tag.startswith(ONLY) or all(tag in memory.tags for memory in sources)


def propose(sources: Sequence[Memory]) -> Proposed:
    return Proposed(
        tags=tuple(tag for tag in united(sources, "tags") if _is_shared(tag, sources)),
        anchors=united_anchors(sources),
        outline="".join(f"- {reveal(one_line(memory.title))[:LONGEST_TITLE]}\n" for memory in sources),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a person concludes."""

    text: str  # the conclusion, in the person's own words
    title: str = ""  # one line; made from the text if empty
    kind: str = DEFAULT_KIND
    why: str = ""
    tags: Sequence[str] | None = None  # None takes those of the sources
    anchors: Sequence[Anchor] | None = None  # None takes those of the sources
    project: str | None = None  # None takes the strictest of the sources
    allow_secret: bool = False
    is_typed: bool = False  # whether a person typed it at a terminal: see `NewMemory`


@dataclass(frozen=True, slots=True)
class Reflected:
    """A conclusion as stored, with its sources."""

    memory: Memory
    sources: tuple[Memory, ...]
    is_new: bool = True  # False where a memory with the same text existed; it has the sources now
    retired: bool = False  # whether the sources were taken out of use


def reflect(
    vault: Vault,
    prefixes: Sequence[str],  # ids or prefixes of two to twenty sources
    conclusion: Conclusion,
    *,
    actor: Actor,
    retire: bool = False,  # whether the conclusion replaces its sources, which are taken out of use
    versions: Mapping[str, int] | None = None,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Reflected:
    """Store a conclusion with links to what it was derived from; one undoable change for all.

    A person's conclusion is active and confirmed; an agent's is a candidate in the inbox.

    Raises:
        UsageError: too few or too many sources, of different projects without one named, or no text of its own.
        RefusedError: a source is neither active nor a candidate, or an agent would retire it.
        SecretRefusedError: the text holds what looks like a secret.
        ConflictError: a source has another version than was read.
    """
    if retire:
        require_person(actor, "retire the sources of a conclusion")
    with vault.write(actor=actor.name, action="reflect") as writer:
        sources = _sources(writer, prefixes, versions or {})
        proposed = propose(sources)
        _check_text(conclusion.text, proposed.outline, len(sources))
        new = NewMemory(
            text=conclusion.text,
            title=conclusion.title,
            kind=conclusion.kind,
            why=conclusion.why,
            tags=clean_tags(proposed.tags if conclusion.tags is None else conclusion.tags),
            tags_in_use=proposed.tags,
            allow_secret=conclusion.allow_secret,
            is_typed=conclusion.is_typed,
        )
        drafted = draft_memory(writer.kinds, new, actor=actor, now=writer.now, secret_patterns=secret_patterns)
        project = _project(writer, sources, conclusion.project)
        anchors = proposed.anchors if conclusion.anchors is None else tuple(conclusion.anchors)
        added = store_draft(writer, drafted, project=project, anchors=anchors, actor=actor)
        if any(added.memory.id == source.id for source in sources):
            raise UsageError(
                "The conclusion says the same as one of its sources",
                where=added.memory.id,
                remedy="Write what follows from all of them.",
            )
        writer.add_links(_derivation(added.memory, source, actor, writer) for source in sources)
        if retire:
            _retire(Batch(writer, actor), added.memory, sources)
        writer.summary = f"reflect {len(sources)} memories into {added.memory.title}"
        stored = writer.get_many(source.id for source in sources)
        return Reflected(added.memory, tuple(stored[source.id] for source in sources), added.is_new, retire)


def _derivation(conclusion: Memory, source: Memory, actor: Actor, writer: VaultWriter) -> Link:
    return Link(from_id=conclusion.id, type="derived-from", to_id=source.id, origin=actor.origin, created_at=writer.now)


def _check_text(text: str, outline: str, number: int) -> None:
    if is_blank(text):
        raise UsageError(
            "The conclusion is empty",
            where=f"of {number} sources",
            remedy="Write what follows from them, in a sentence of your own.",
        )
    if _is_outline(text, outline):
        raise UsageError("The text is still the outline of the sources", remedy="Write what follows from them.")


def _is_outline(text: str, outline: str) -> bool:
    lines = {line.strip() for line in outline.splitlines()}
    return bool(text.strip()) and all(line.strip() in lines for line in text.splitlines() if line.strip())


def _sources(writer: VaultWriter, prefixes: Sequence[str], versions: Mapping[str, int]) -> list[Memory]:
    sources = resolved(writer, prefixes)
    if not FEWEST_SOURCES <= len(sources) <= MOST_SOURCES:
        names = " ".join(memory.id for memory in sources)
        raise UsageError(
            f"A conclusion has {FEWEST_SOURCES} to {MOST_SOURCES} different sources",
            where=names,
            remedy="Give the ids of its sources.",
        )
    for memory in sources:
        if memory.status not in {"active", "candidate"}:
            raise RefusedError(
                f"Only active memories and candidates can be sources; this one is {memory.standing}",
                where=f"{memory.id} ({memory.title[:60]})",
            )
    require_versions(sources, versions)
    return sources


def _project(writer: VaultWriter, sources: Sequence[Memory], named: str | None) -> str | None:
    if named is None:
        return common_project(sources[0], sources[1:])
    project = check_name(named)
    ensure_project(writer, project)
    return project


def _retire(batch: Batch, memory: Memory, sources: Sequence[Memory]) -> None:
    """Take sources out of use; no verdict "outdated" is recorded, as they were not found to be wrong."""
    reason = f"reflected in {memory.id}"
    for source in sources:
        batch.bury(source, RETIRED, reason)
    batch.store()
    batch.writer.put_many([replace(source.put_out(RETIRED, reason), pinned=False) for source in sources])
