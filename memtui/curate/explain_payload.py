"""Why a memory is not in a payload, and warnings about what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from memtui.domain.memory import Memory, Verdict
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.build import Included, Pack
from memtui.pack.grounds import Grounds, grounds
from memtui.recall import eligibility
from memtui.recall.lexical import generic_terms
from memtui.recall.result import Withheld
from memtui.text.injection import ordering_line
from memtui.text.tokens import index_terms, query_terms
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.analysis.snapshot import TextCache


@dataclass(frozen=True, slots=True)
class Explained:
    """A memory and its place in a payload, or why it has none."""

    memory: Memory  # as it is stored
    reason: Reason  # the first one, with the title of the memory that stands against it
    included: Included | None = None  # as it went in, None where it did not
    chance: float | None = None  # that it matters for the task, None where that was not judged
    needed: float | None = None  # the chance that it needs to go in
    grounds: Grounds = field(default_factory=Grounds)  # where that comes from


def explain_withheld(vault: Vault, pack: Pack) -> list[Explained]:
    """Return each named withheld memory of a pack with its reason, in the order of the pack."""
    known = _Known.of(vault, pack.withheld)
    return [_explained(one, known) for one in pack.withheld if one.id in known.memories]


def explain_one(vault: Vault, pack: Pack, identifier: str, scope: Scope, task: str = "") -> Explained:
    """Return why one memory is in a payload or not, also where the pack does not name it.

    `scope`: the projects that the payload was made for. `task`: the words that it was made for.

    Raises `NotFoundError` or `AmbiguousIdError`: the prefix names no memory, or several.
    """
    with vault.read() as reader:
        memory = reader.get(reader.resolve(identifier))
    inside = next((one for one in pack.included if one.memory.id == memory.id), None)
    chance, needed, told = pack.chances.get(memory.id), pack.needed.get(memory.id), grounds(pack.features, memory.id)
    if inside is not None:
        return Explained(memory, inside.hit.reasons[0], inside, chance, needed, told)
    named = next((one for one in pack.withheld if one.id == memory.id), None)
    if named is None:
        barred = eligibility.ineligible(memory, scope, vault.now(), None)
        named = Withheld.of(memory, barred or _too_unlikely(chance, needed) or _untold(memory, task), 0.0)
    return replace(_explained(named, _Known.of(vault, [named])), chance=chance, needed=needed, grounds=told)


def _too_unlikely(chance: float | None, needed: float | None) -> Reason | None:
    """Return that a memory is too unlikely to matter; None where that was not judged or is not so."""
    if chance is None or needed is None or chance >= needed:
        return None
    return Reason(ReasonCode.TOO_FAR, score=chance, bar=needed)


def _untold(memory: Memory, task: str) -> Reason:
    """Return why a memory that may be recalled is not named: nothing ties it to the task, or too few words do."""
    text = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
    wanted = set(index_terms(text)) - generic_terms()
    shared = tuple(dict.fromkeys(word for word in task.split() if not wanted.isdisjoint(query_terms(word))))
    if not shared:
        return Reason(ReasonCode.UNRELATED)
    return Reason(ReasonCode.BELOW_FLOOR, because=(Reason(ReasonCode.WORDS, names=shared),))


_REPLACED = frozenset({ReasonCode.SUPERSEDED, ReasonCode.MERGED})
"""Reasons that may lack the id of the other memory, where recall did not read it."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Withheld memories and those that stand against them, by id, and which one stands against which."""

    memories: Mapping[str, Memory]
    others: Mapping[str, str]

    @classmethod
    def of(cls, vault: Vault, withheld: Sequence[Withheld]) -> Self:
        """Read what the reasons name, and what replaced those whose reason does not say it."""
        others = {one.id: one.reason.other for one in withheld if one.reason.other}
        bare = [one.id for one in withheld if one.reason.code in _REPLACED and not one.reason.other]
        with vault.read() as reader:
            for link in reader.links(bare) if bare else ():
                if link.type == "supersedes" and link.to_id in bare:
                    others[link.to_id] = link.from_id
            return cls(reader.get_many({*(one.id for one in withheld), *others.values()}), others)


def _explained(one: Withheld, known: _Known) -> Explained:
    memory, other = known.memories[one.id], known.memories.get(known.others.get(one.id, ""))
    reason = one.reason
    if other is not None:
        reason = replace(reason, other=other.id, title=other.title)
    if reason.code is ReasonCode.RETIRED:
        reason = replace(reason, note=memory.standing_words)
    return Explained(memory, reason)


MOST_COMPARED = 60
"""Memories of a payload that are compared with each other: no usual payload holds more, and they take 10 ms."""


@cache
def _read() -> TextCache:
    """Return analyses of texts: while a task is typed the same memories are compared again (37 take 6 ms, not 9)."""
    from memtui.analysis.snapshot import TextCache

    return TextCache()


MOST_KEPT = 5_000  # Texts whose analyses are kept


def contradictions_in(vault: Vault, pack: Pack) -> tuple[Contradiction, ...]:
    """Return the undecided contradictions among the memories of a payload, as `memtui tidy` would propose them.

    Memories are compared by their vectors as far as the recall has compared them, and what dismissals have taught is
    left out.

    `vault`: read for links and verdicts, only where texts contradict each other or a person added a memory.
    """
    # Imported here: `--fast` compares nothing, and this takes a tenth of its time.
    from memtui.analysis.contradictions import decided_pairs, linked_contradictions
    from memtui.analysis.dismissals import Lessons
    from memtui.analysis.snapshot import PROPOSAL_VERDICTS, Snapshot, pair_of

    # The payload itself marks memories that are no longer active.
    included = [one for one in pack.included if not one.status][:MOST_COMPARED]
    memories = sorted((one.hit.memory for one in included), key=lambda memory: (memory.created_at, memory.id))
    # The texts suffice for most payloads; reading the vault takes 20 ms.
    contradicting = _contradicting(memories, pack.kinship)
    put_in = {one.hit.memory.id for one in included if one.hit.is_put_in}
    ids = sorted(put_in.union(*(contradiction.ids for contradiction in contradicting)))
    if not ids:
        return ()
    with vault.read() as reader:
        links = reader.links(ids)
        verdicts = [one for one in reader.verdicts() if one.verdict in PROPOSAL_VERDICTS]
        dismissed = reader.get_many(_dismissed_in(verdicts) - {memory.id for memory in memories})
    snapshot = Snapshot(memories, links, verdicts)
    decided = decided_pairs(snapshot)
    found = {one.ids: one for one in contradicting if pair_of(*one.ids) not in decided}
    if found and verdicts:
        others = [memory for memory in dismissed.values() if memory.status == "active"]
        shown, _ = Lessons(Snapshot([*memories, *others], [], verdicts), _read(), {}).part("contradictions", found)
        found = {ids: one for ids, one in found.items() if ids in shown}
    found |= {one.ids: one for one in linked_contradictions(snapshot, cache=_read())}
    return tuple(found[ids] for ids in sorted(found))


def _dismissed_in(verdicts: Iterable[Verdict]) -> set[str]:
    """Return the ids of the memories that were dismissed as a contradiction."""
    from memtui.analysis.snapshot import NOT_CONTRADICTION

    pairs = ((one.memory_id, one.reason.partition(" ")[0]) for one in verdicts if one.verdict == NOT_CONTRADICTION)
    return {identifier for pair in pairs for identifier in pair}


def _contradicting(memories: list[Memory], kinship: Mapping[tuple[str, str], float]) -> list[Contradiction]:
    from memtui.analysis.contradictions import find_contradictions
    from memtui.analysis.snapshot import CROWD, Snapshot
    from memtui.curate.snapshot_reader import pairs_by_kinship

    read = _read()
    if len(read.clauses) > MOST_KEPT:
        read.begin()
        read.end()
    compared = {name for pair in kinship for name in pair}.union(memory.id for memory in memories)
    is_crowded = not kinship or len(compared) > CROWD
    alike = pairs_by_kinship(memories, kinship)
    return find_contradictions(Snapshot(memories), alike=alike, is_crowded=is_crowded, cache=read)


def contradiction_record(found: Contradiction) -> dict[str, Any]:
    """Return a contradiction of a payload for `context --json`; without a winner that is null."""
    return {"ids": list(found.ids), "type": found.type, "why": found.why, "winner": found.winner or None}


def steering_in(pack: Pack) -> Mapping[str, str]:
    """Return why memories of a payload could steer an assistant, by id.

    Only memories that a person added to the payload and those that are not active are checked; instructions count
    only in the latter, as a person has read what was confirmed.
    """
    found = {}
    for one in pack.included:
        if one.status or one.hit.is_put_in:
            words = _steering(one.hit.memory)
            if words:
                found[one.memory.id] = words
    return found


def _steering(memory: Memory) -> str:
    from memtui.domain.memory import planted_reasons

    planted = planted_reasons(memory)
    if planted:
        return f"looks planted: {planted[0]}"
    text = f"{memory.title}\n{memory.insight}"
    orders = memory.status != "active" and ordering_line(text) is not None
    return "holds orders to an assistant" if orders else ""
