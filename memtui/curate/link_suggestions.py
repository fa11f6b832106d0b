"""Links suggested by use and similarity, accepted or dismissed by a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from memtui.analysis.candidates import candidate_pairs
from memtui.analysis.contradictions import find_conflicts
from memtui.analysis.duplicates import compare
from memtui.analysis.snapshot import (
    NOT_CONFLICT,
    NOT_DUPLICATE,
    NOT_RELATED,
    Gathered,
    Pair,
    by_project,
    gather,
    pair_of,
)
from memtui.analysis.text_features import Wording, wording_of
from memtui.curate.links import link
from memtui.curate.meaning import pairs_by_meaning
from memtui.curate.resolutions import dismiss
from memtui.domain.actor import Actor
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT, Link, LinkType, Memory, Signal, Verdict
from memtui.progress import ProgressCallback
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import signals_of_packs
from memtui.vault.vault import Vault

HELPED_TOGETHER = 2
"""Packs that helped and held both: one may be chance, two tasks that needed both are a hint."""

MOSTLY_TOGETHER = 0.5
"""Part of the rarer one's helpful packs that held the other too; below it the other is merely in most packs."""

LARGEST_PACK = 40
"""Memories of a pack whose pairs are looked at; of a larger one hardly any two were needed together."""

SOURCE_TIERS = frozenset({"episodic", "working"})
"""Tiers of what happened, from which the others are concluded."""

LEAST_WORDS = 0.36
"""Likeness in words from which two memories are related. Of the labelled pairs of different statements one in four
reaches it; they share their subject, which is what `relates` says."""

FEWEST_WORDS = 3
"""Words of meaning that related memories share at least."""

LEAST_COSINE = 0.72
"""Cosine from which two memories are related whatever their words, as `memtui.curate.meaning.LEAST_COSINE`."""

WORDS_SHARE = 0.35
"""Part of the weight of rare terms that two memories share before their words are compared."""

MOST_OF_ONE = 3
"""Proposals by likeness of one memory, the most alike: a neighbourhood, not a list of all that is near."""


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A link that might be made.

    Attributes:
        from_id: of `derived-from` the newer conclusion, of `relates` the newer one.
        score: 0–1 by likeness; from use 1 and more, one for each pack.
        why: the reason in words, all of them ours.
    """

    from_id: str
    type: LinkType
    to_id: str
    score: float
    why: str

    @property
    def ids(self) -> Pair:
        """Both ends."""
        return (self.from_id, self.to_id)

    def other(self, identifier: str) -> str:
        """Return the end that is not this one."""
        return self.to_id if identifier == self.from_id else self.from_id


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


def propose_links(
    gathered: Gathered,
    signals: Iterable[Signal],
    kinds: Kinds,
    *,
    alike: Iterable[tuple[str, str, float]] = (),
    about: str | None = None,
) -> list[LinkProposal]:
    """Return the links that are proposed among gathered memories, the surest first; holds no lease.

    Args:
        gathered: memories in use with their links and dismissed pairs.
        signals: of these memories; feedback on packs counts.
        kinds: the kinds in force.
        alike: pairs with the cosine of their vectors.
        about: only links of this memory, None for all.
    """
    memories = {memory.id: memory for memory in gathered.memories}
    settled = {pair_of(link.from_id, link.to_id) for link in gathered.links}
    settled |= gathered.dismissed(NOT_RELATED)
    found: dict[Pair, LinkProposal] = {}
    for pair, number in _helped_together(signals, memories).items():
        if pair not in settled and about in {None, *pair} and _in_one_view(memories[pair[0]], memories[pair[1]]):
            why = f"together in {number} packs that helped"
            found[pair] = _proposal(memories[pair[0]], memories[pair[1]], kinds, float(number), why, by_use=True)
    settled |= gathered.dismissed(NOT_DUPLICATE) | gathered.dismissed(NOT_CONFLICT)
    for proposal in _by_likeness(gathered.memories, kinds, alike, settled | found.keys(), about):
        found[pair_of(*proposal.ids)] = proposal
    return sorted(found.values(), key=lambda proposal: (-proposal.score, proposal.ids))


def _helped_together(signals: Iterable[Signal], memories: Mapping[str, Memory]) -> dict[Pair, int]:
    """Return, per pair, how many packs helped that held both, of those that mostly helped together.

    A pinned memory is in every pack, which says nothing of the others.
    """
    packs: dict[str, set[str]] = {}
    for signal in signals:
        memory = memories.get(signal.memory_id)
        if signal.signal == "helped" and signal.pack_id is not None and memory is not None and not memory.pinned:
            packs.setdefault(signal.pack_id, set()).add(memory.id)
    alone = Counter(name for members in packs.values() for name in members)
    together = Counter(
        pair for members in packs.values() if len(members) <= LARGEST_PACK for pair in combinations(sorted(members), 2)
    )
    return {
        pair: number
        for pair, number in together.items()
        if number >= HELPED_TOGETHER and number >= MOSTLY_TOGETHER * min(alone[pair[0]], alone[pair[1]])
    }


def _by_likeness(
    memories: Sequence[Memory],
    kinds: Kinds,
    alike: Iterable[tuple[str, str, float]],
    settled: AbstractSet[Pair],
    about: str | None,
) -> Iterator[LinkProposal]:
    """Yield the most alike that no end has enough of yet; only those are compared in full, which takes the time."""
    known = {memory.id: memory for memory in memories}
    cosines = {pair_of(one, other): cosine for one, other, cosine in alike if one in known and other in known}
    wordings = {memory.id: wording_of(memory.title, memory.insight) for memory in memories}
    pairs = {*cosines, *(_pairs_by_words(memories, wordings) if about is None else _pairs_of(about, known))}
    near = [
        (*found, pair)
        for pair in pairs - settled
        if about in {None, *pair}
        and _in_one_view(known[pair[0]], known[pair[1]])
        and (found := _alike(wordings[pair[0]], wordings[pair[1]], cosines.get(pair))) is not None
    ]
    taken: Counter[str] = Counter()
    for score, why, pair in sorted(near, key=lambda each: (-each[0], each[2])):
        one, other = known[pair[0]], known[pair[1]]
        if any(taken[end] >= MOST_OF_ONE for end in pair) or _is_another_finding(
            one, other, wordings, cosines.get(pair)
        ):
            continue
        taken.update(pair)
        yield _proposal(one, other, kinds, score, why)


def _pairs_by_words(memories: Sequence[Memory], wordings: Mapping[str, Wording]) -> Iterator[Pair]:
    parts = by_project(memories)
    shared = parts.pop(GLOBAL_PROJECT, [])
    for project, members in [*parts.items(), (GLOBAL_PROJECT, [])]:
        near = [*members, *(shared if project is not None else [])]
        for first, second in candidate_pairs([wordings[memory.id].terms for memory in near], share=WORDS_SHARE):
            yield pair_of(near[first].id, near[second].id)


def _pairs_of(about: str, known: Mapping[str, Memory]) -> set[Pair]:
    return {pair_of(about, other) for other in known if other != about}


def _alike(one: Wording, other: Wording, cosine: float | None) -> tuple[float, str] | None:
    """Return how alike two texts are and why, None where they are not."""
    both = len(one.terms & other.terms)
    words = 2.0 * both / max(1, len(one.terms) + len(other.terms))
    in_words = words >= LEAST_WORDS and both >= FEWEST_WORDS
    in_meaning = cosine is not None and cosine >= LEAST_COSINE
    if not (in_words or in_meaning):
        return None
    if in_meaning and cosine is not None and cosine >= words:
        return round(cosine, 4), f"{cosine:.0%} alike in meaning"
    return round(words, 4), f"{words:.0%} shared words"


def _is_another_finding(one: Memory, other: Memory, wordings: Mapping[str, Wording], cosine: float | None) -> bool:
    """Return whether two memories are duplicates, or clash."""
    return compare(one, other, wordings, cosine) is not None or bool(find_conflicts(Gathered([one, other])))


def _proposal(
    one: Memory, other: Memory, kinds: Kinds, score: float, why: str, *, by_use: bool = False
) -> LinkProposal:
    """Return the link from the newer to the older; a conclusion is derived from what happened before it."""
    older, newer = sorted((one, other), key=_happened)
    concluded = kinds.get(older.kind).tier in SOURCE_TIERS and kinds.get(newer.kind).tier not in SOURCE_TIERS
    return LinkProposal(newer.id, "derived-from" if concluded and not by_use else "relates", older.id, score, why)


def _happened(memory: Memory) -> tuple[datetime, str]:
    return (memory.observed_at or memory.created_at, memory.id)


def _in_one_view(one: Memory, other: Memory) -> bool:
    """Return whether both may reach one payload: of one project, or one of them global."""
    return one.project == other.project or (
        GLOBAL_PROJECT in {one.project, other.project} and None not in {one.project, other.project}
    )


# -- one memory -----------------------------------------------------------------------------------

LOOKED_AT = 12
"""Best memories by words that are compared with one memory in full."""

LOOKED_UP_CHARACTERS = 500
"""Characters of a text that are looked up: a lookup stays under 20 ms."""


def proposals_about(vault: Vault, identifier: str) -> list[LinkProposal]:
    """Return the links that are proposed for one memory, the surest first; quick, and without any vector.

    Empty where it is gone or not in use.
    """
    with vault.read() as reader:
        memory = reader.get_many([identifier]).get(identifier)
        if memory is None or memory.status != "active":
            return []
        text = f"{memory.title}\n{memory.insight[:LOOKED_UP_CHARACTERS]}"
        wanted = MemoryFilter(scope=_view(memory))
        keys = [hit.key for hit in reader.search(text, wanted, limit=LOOKED_AT)]
        near = {found.id: found for found in reader.get_by_keys(keys).values()}
        packs = {
            signal.pack_id for signal in reader.signals([identifier]) if signal.signal == "helped" and signal.pack_id
        }
        signals = [signal for signal in signals_of_packs(reader, sorted(packs)) if signal.signal == "helped"]
        near |= reader.get_many({signal.memory_id for signal in signals} | {identifier})
        in_use = [found for found in near.values() if found.status == "active"]
        gathered = Gathered(in_use, reader.links([identifier]), reader.verdicts(near))
    return propose_links(gathered, signals, vault.kinds, about=identifier)


def _view(memory: Memory) -> Scope:
    if memory.project is None:
        return Scope((), with_unassigned=True)
    return Scope() if memory.project == GLOBAL_PROJECT else Scope.of_project(memory.project)


# -- deciding -------------------------------------------------------------------------------------


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


def proposal_records(proposals: Iterable[LinkProposal], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the `--json` form of proposals, with the titles of both ends."""
    return [
        {
            "from": proposal.from_id,
            "type": proposal.type,
            "to": proposal.to_id,
            "score": proposal.score,
            "why": proposal.why,
            "titles": [titles.get(end, "") for end in proposal.ids],
        }
        for proposal in proposals
    ]
