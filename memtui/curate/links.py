"""Links between memories, and what a just-saved memory resembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memtui.analysis.snapshot import (
    NOT_RELATED,
    Gathered,
)
from memtui.analysis.suggestions import LinkProposal, propose_links
from memtui.curate.memories import expiry_of, supersede
from memtui.curate.resolutions import dismiss
from memtui.curate.snapshot import gather, pairs_by_meaning
from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.memory import GLOBAL_PROJECT, LINK_TYPES, Link, LinkType, Memory, Verdict
from memtui.errors import ConflictError, NotFoundError, RefusedError, UsageError, VaultBusyError
from memtui.progress import ProgressCallback
from memtui.text.sanitize import one_line
from memtui.text.width import shorten
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.packs import signals_of_packs
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    from memtui.recall.semantic import Meaning
    from memtui.vault.reader import VaultReader
    from memtui.vault.search.bm25 import LexicalHit


def check_link_type(name: str) -> LinkType:
    """Return a link type.

    Raises:
        UsageError: there is no such type.
    """
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
    """Link two memories; `supersedes` also takes the second out of use. None if the link was there already.

    Raises:
        ConflictError: one of them has another version than in `versions`; nothing was written.
    """
    link_type = check_link_type(type_name)
    with vault.write(actor=actor.name, action="link") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        if first == second:
            raise UsageError("A memory cannot be linked to itself", where=first)
        _check_versions(writer, versions or {})
        writer.summary = f"link {first} {link_type} {second}"
        made = Link(
            from_id=first,
            type=link_type,
            to_id=second,
            origin="person" if actor.is_person else actor.name,
            created_at=writer.now,
        )
        if link_type == "supersedes":
            check_may_alter(actor, writer.get(second))
            known = [
                old for old in writer.links([first]) if (old.from_id, old.type, old.to_id) == (first, link_type, second)
            ]
            supersede(writer, first, second, actor)
            return None if known else made
        return made if writer.add_links([made]) else None


def _check_versions(writer: VaultWriter, versions: Mapping[str, int]) -> None:
    for identifier, memory in writer.get_many(versions).items():
        if memory.version != versions[identifier]:
            raise ConflictError(
                f"Somebody changed this memory since its version {versions[identifier]}",
                where=identifier,
                remedy="Look at it again, then decide.",
                base_version=versions[identifier],
                current_version=memory.version,
            )


def unlink(vault: Vault, from_prefix: str, type_name: str, to_prefix: str, *, actor: Actor) -> Link:
    """Take a link away; a memory that nothing supersedes any more is active again.

    Raises:
        NotFoundError: there is no such link.
        RefusedError: an agent would take away another's link.
    """
    link_type = check_link_type(type_name)
    with vault.write(actor=actor.name, action="unlink") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        found = [
            old for old in writer.links([first]) if (old.from_id, old.type, old.to_id) == (first, link_type, second)
        ]
        if not found:
            raise NotFoundError(
                "There is no such link",
                where=f"{first} {link_type} {second}",
                remedy=f"`memtui show {first}` lists its links.",
            )
        if not actor.is_person and found[0].origin != actor.name:
            raise RefusedError(
                "An agent may take away only links that it made itself",
                where=f"{first} {link_type} {second}, made by {found[0].origin}",
                remedy="Leave it to a person.",
            )
        writer.summary = f"unlink {first} {link_type} {second}"
        writer.drop(found)
        old_memory = writer.get(second)
        if link_type == "supersedes" and old_memory.status == "superseded":
            check_may_alter(actor, old_memory)
            others = [old for old in writer.links([second]) if old.type == "supersedes" and old.to_id == second]
            if not others:
                writer.drop(expiry_of(writer, second))
                writer.put(replace(old_memory, status="active", status_reason=""))
        return found[0]


LOOKED_AT = 8
"""Best memories by words, and nearest by meaning, that are compared in full. Of the labelled pairs among 490 memories
the one that resembles stands among the first three in every case."""

LOOKED_UP_CHARACTERS = 500
"""Characters of a text that are looked up: what it is about is said by then, and a lookup stays under 20 ms."""

MUCH = 0.7
"""Likeness of a text with what it was, below which an edit made another statement of it."""

CLASH_SHARES = 0.5
"""Likeness from which a contradiction is offered at a save: of the labelled contradictions two in 100 share less, and
among 490 memories of one project most that share less only use the same words."""

Sort = Literal["same", "differs", "clashes"]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A memory in use that a new one resembles.

    Attributes:
        id: the one that was there before.
        sort: it says the same, much the same with a difference that matters, or the contrary.
        why: the difference in words, `says the same` where there is none; may hold words of others.
    """

    id: str
    title: str
    sort: Sort
    score: float
    why: str

    @property
    def link(self) -> LinkType:
        """The link that is offered first."""
        return "relates" if self.sort == "differs" else "supersedes"


def resembling(vault: Vault, memory: Memory, *, meaning: Meaning | None = None, limit: int = 1) -> list[Resemblance]:
    """Return what a memory resembles in its project and in `global`, the nearest first; loads no model by itself.

    It asks the same of a pair as the search for duplicates and for contradictions does. Linked and dismissed pairs,
    and memories out of use, are left out.

    Args:
        vault: the vault; read under one short lease.
        memory: as it was saved.
        meaning: compares by meaning besides, where a model is loaded.
    """
    if memory.status != "active":
        return []
    text = f"{memory.title}\n{memory.insight[:LOOKED_UP_CHARACTERS]}"
    sense = meaning.sense(text) if meaning is not None else None
    wanted = MemoryFilter(scope=_in_view(memory))
    with vault.read() as reader:
        hits = reader.search(text, wanted, limit=LOOKED_AT)
        keys = {hit.key: 0.0 for hit in hits if sense is not None or _may_resemble(hit, text)}
        if sense is not None:
            keys = {**keys, **sense.look(reader, wanted, keys=keys, limit=LOOKED_AT).cosines}
        near = {key: found for key, found in reader.get_by_keys(keys).items() if found.id != memory.id}
        settled = _settled(reader, memory, near.values()) if near else set()
    found = [
        one
        for key, other in near.items()
        if other.id not in settled and (one := compared(memory, other, keys.get(key) or None)) is not None
    ]
    order = {"same": 0, "clashes": 1, "differs": 2}
    return sorted(found, key=lambda one: (-one.score, order[one.sort], one.id))[:limit]


def _may_resemble(hit: LexicalHit, text: str) -> bool:
    """Return whether a memory shares so many words that comparing the texts, 60 ms at the first time, may tell more."""
    from memtui.text.tokens import query_terms

    return len(hit.terms) >= LEAST_SHARED * len(set(query_terms(text)))


LEAST_SHARED = 0.25
"""Share of the looked-up words that a memory must hold: two texts that share half of all their words (`CLASH_SHARES`)
share a quarter of either's at least."""


def _in_view(memory: Memory) -> Scope:
    """Return where others may reach one payload with a memory: its project and `global`."""
    if memory.project is None:
        return Scope((), with_unassigned=True)
    return EVERYTHING if memory.project == GLOBAL_PROJECT else Scope.of_project(memory.project)


def _settled(reader: VaultReader, memory: Memory, others: Iterable[Memory]) -> set[str]:
    """Return those of which it is known already what they are to the memory."""
    from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, NOT_RELATED, pair_fingerprint

    known = {other.id: other for other in others}
    found = {end for link in reader.links([memory.id]) for end in (link.from_id, link.to_id)}
    for verdict in reader.verdicts([memory.id, *known]):
        other, _, fingerprint = verdict.reason.partition(" ")
        ends = {verdict.memory_id, other}
        if verdict.verdict in {NOT_DUPLICATE, NOT_CONTRADICTION, NOT_RELATED} and memory.id in ends:
            rest = known.get((ends - {memory.id} or {memory.id}).pop())
            if rest is not None and fingerprint == pair_fingerprint(memory, rest):
                found.add(rest.id)
    return found - {memory.id}


def compared(memory: Memory, other: Memory, cosine: float | None = None) -> Resemblance | None:
    """Return how a memory resembles another, None if it does not."""
    from memtui.analysis.contradictions import contradiction_between
    from memtui.analysis.duplicates import compare, differences, likeness
    from memtui.analysis.text_features import wording_of

    wordings = {each.id: wording_of(each.title, each.insight) for each in (other, memory)}
    score = likeness(wordings[other.id], wordings[memory.id])
    if score >= CLASH_SHARES and (contradiction := contradiction_between(other, memory)) is not None:
        return Resemblance(other.id, other.title, "clashes", score, contradiction.why)
    alike = compare(other, memory, wordings, cosine)
    if alike is None:
        return None
    differ = differences(other, memory, wordings)
    if not differ:
        return Resemblance(other.id, other.title, "same", alike.score, "says the same")
    return Resemblance(other.id, other.title, "differs", alike.score, "; ".join(differ))


def changed_much(before: Memory, after: Memory) -> bool:
    """Return whether an edit made another statement of a memory, so that it is worth a look what it resembles now."""
    if (before.title, before.insight) == (after.title, after.insight):
        return False
    from memtui.analysis.duplicates import likeness
    from memtui.analysis.text_features import wording_of

    return likeness(wording_of(before.title, before.insight), wording_of(after.title, after.insight)) < MUCH


def resemblance_records(found: Sequence[Resemblance]) -> list[dict[str, object]]:
    """Return the `--json` form: id, title, sort, score and the difference in words."""
    return [
        {"id": one.id, "title": one.title, "sort": one.sort, "score": round(one.score, 4), "why": one.why}
        for one in found
    ]


def suggestion(memory: Memory, found: Resemblance) -> str:
    """Return one line for people: what it resembles, how, and the commands that settle it."""
    tie = f"memtui link {memory.id} {found.link} {found.id}"
    first = f"memtui merge {found.id} {memory.id}" if found.sort == "same" else tie
    rest = {"same": tie, "differs": "supersedes instead of relates", "clashes": "relates instead of supersedes"}
    said = f"{_cut(one_line(found.title))}; {_cut(one_line(found.why))}"
    return f"resembles {found.id} ({said}): {first}, or {rest[found.sort]}"


SAID_CHARACTERS = 80
"""Characters of a title, and of a difference, that stand in one line."""


def _cut(text: str) -> str:
    """Return a text that fits the line; a quotation that is cut is closed."""
    kept = shorten(text, SAID_CHARACTERS - 1)
    return f"{kept}”" if kept.count("“") > kept.count("”") else kept


def say_resemblances(vault: Vault, memories: Sequence[Memory]) -> tuple[list[Resemblance], list[str]]:
    """Return what memories that were just saved resemble, the first of each, and a line for people on each.

    A vault that is busy just then has none: the save stands, and `tidy` finds the same later.
    """
    found: list[Resemblance] = []
    lines: list[str] = []
    for memory in memories[:MOST_SAID]:
        with suppress(VaultBusyError):
            for one in resembling(vault, memory):
                found.append(one)
                lines.append(suggestion(memory, one))
    return found, lines


MOST_SAID = 20
"""Memories of one bulk act that are looked at, about half a second."""


def link_proposals(
    vault: Vault,
    scope: Scope,
    *,
    model: str | None = None,
    progress: ProgressCallback | None = None,
) -> list[LinkProposal]:
    """Return the links that are proposed among memories in use, the surest first; nothing is changed.

    Args:
        scope: the projects in view.
        model: the embedding model whose stored vectors are compared; None for words alone.
        progress: told (done, total) of memories; may raise `Cancelled`.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    gathered = gather(vault, MemoryFilter(scope=scope), progress=progress)
    with vault.read() as reader:
        signals = reader.signals()
    alike = pairs_by_meaning(vault, gathered, model, progress=progress)
    return propose_links(gathered, signals, vault.kinds, alike=alike)


def proposals_about(vault: Vault, identifier: str) -> list[LinkProposal]:
    """Return the links that are proposed for one memory, the surest first; quick, and without any vector.

    Empty where it is gone or not in use.
    """
    with vault.read() as reader:
        memory = reader.get_many([identifier]).get(identifier)
        if memory is None or memory.status != "active":
            return []
        text = f"{memory.title}\n{memory.insight[:_CANDIDATES_LOOKED_UP]}"
        wanted = MemoryFilter(scope=_view(memory))
        keys = [hit.key for hit in reader.search(text, wanted, limit=CANDIDATES_LOOKED_AT)]
        near = {found.id: found for found in reader.get_by_keys(keys).values()}
        packs = {
            signal.pack_id for signal in reader.signals([identifier]) if signal.signal == "helped" and signal.pack_id
        }
        signals = [signal for signal in signals_of_packs(reader, sorted(packs)) if signal.signal == "helped"]
        near |= reader.get_many({signal.memory_id for signal in signals} | {identifier})
        in_use = [found for found in near.values() if found.status == "active"]
        gathered = Gathered(in_use, reader.links([identifier]), reader.verdicts(near))
    return propose_links(gathered, signals, vault.kinds, about=identifier)


CANDIDATES_LOOKED_AT = 12
"""Best memories by words that are compared with one memory in full."""


_CANDIDATES_LOOKED_UP = 500
"""Characters of a text that are looked up: a lookup stays under 20 ms."""


def _view(memory: Memory) -> Scope:
    if memory.project is None:
        return Scope((), with_unassigned=True)
    return Scope() if memory.project == GLOBAL_PROJECT else Scope.of_project(memory.project)


def accept_link(vault: Vault, proposal: LinkProposal, *, actor: Actor) -> Link | None:
    """Make a proposed link; None if it is there already. One undoable change.

    Raises:
        NotFoundError: a memory is gone.
    """
    return link(vault, proposal.from_id, proposal.type, proposal.to_id, actor=actor)


def dismiss_link(vault: Vault, one: str, other: str, *, actor: Actor) -> list[Verdict]:
    """Remember that two memories are not to be linked, until a text changes; one undoable change.

    Raises:
        RefusedError: an agent cannot decide.
        NotFoundError: a memory is gone.
        UsageError: both are the same.
    """
    return dismiss(vault, NOT_RELATED, (one, other), actor)
