"""Recorded packs as a person reviews them, and a pack rebuilt as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING, cast

from memtui.curate.feedback import VERDICTS, feedback_on, packs_awaiting_feedback
from memtui.domain.memory import ANCHOR_STATES, AnchorState, Memory, Signal
from memtui.domain.record import memory_from_record
from memtui.errors import NotFoundError, UsageError
from memtui.pack.build import Pack, pack_of_recall
from memtui.pack.options import PackOptions, task_of
from memtui.pack.recipes import payload_hash
from memtui.pack.targets.base import Target
from memtui.recall.result import Hit, Recall, order_key
from memtui.vault.journal import history
from memtui.vault.packs import FILE_STATES, STATUSES, PackMember, StoredPack, read_packs, signals_of_packs
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.workspace import Tree

if TYPE_CHECKING:
    from datetime import datetime

MOST_PACKS = 500
"""Packs that are looked back on: ten a working day for ten weeks."""


@dataclass(frozen=True, slots=True)
class UsedPack:
    """A pack that was used.

    Attributes:
        said: a verdict with the number of memories that it was said of.
        awaits: whether it was copied so long ago that feedback is awaited.
    """

    pack: StoredPack
    said: Mapping[str, int]
    awaits: bool


@dataclass(frozen=True, slots=True)
class UsedMember:
    """A memory of a pack, then and now.

    Attributes:
        memory: as it is now; None where it is gone.
        said: the verdicts on it in this pack, the oldest first, each with its reason.
    """

    member: PackMember
    memory: Memory | None
    said: tuple[tuple[str, str], ...]

    @property
    def has_changed(self) -> bool:
        """Whether it was changed since the pack was made."""
        return self.memory is not None and self.memory.version != self.member.version


@dataclass(frozen=True, slots=True)
class Verdict:
    """Something that was said of a pack at one time.

    Attributes:
        memories: how many of its memories it was said of.
    """

    verdict: str
    at: datetime
    actor: str
    reason: str
    memories: int


def used_packs(vault: Vault, *, limit: int = MOST_PACKS) -> list[UsedPack]:
    """Return the packs that were used, those that await feedback first, then the newest first."""
    with vault.read() as reader:
        packs = read_packs(reader, limit=limit)
    awaiting = packs_awaiting_feedback(vault)
    ids = {pack.id for pack in awaiting}
    rest = [pack for pack in packs if pack.id not in ids]
    said = feedback_on(vault, rest)
    return [
        *(UsedPack(pack, {}, awaits=True) for pack in awaiting),
        *(UsedPack(p, said[p.id], awaits=False) for p in rest),
    ]


def used_members(vault: Vault, pack: StoredPack) -> list[UsedMember]:
    """Return the memories of a pack in the order of its payload, as they are now."""
    with vault.read() as reader:
        memories = reader.get_many([member.memory_id for member in pack.members])
        signals = signals_of_packs(reader, [pack.id])
    said: dict[str, list[tuple[str, str]]] = {}
    for signal in signals:
        if signal.signal in VERDICTS:
            said.setdefault(signal.memory_id, []).append((signal.signal, signal.reason))
    return [
        UsedMember(member, memories.get(member.memory_id), tuple(said.get(member.memory_id, ())))
        for member in pack.members
    ]


def verdicts_on(vault: Vault, pack: StoredPack) -> list[Verdict]:
    """Return what was said of a pack, the oldest first; what was said of several memories at once is one verdict."""
    with vault.read() as reader:
        signals = signals_of_packs(reader, [pack.id])
    groups: dict[tuple[str, datetime, str, str], list[Signal]] = {}
    for signal in signals:
        if signal.signal in VERDICTS:
            groups.setdefault((signal.signal, signal.at, signal.actor, signal.reason), []).append(signal)
    return [_verdict(found) for found in groups.values()]


def _verdict(signals: Sequence[Signal]) -> Verdict:
    first = signals[0]
    return Verdict(first.signal, first.at, first.actor, first.reason, len({one.memory_id for one in signals}))


AS_IT_WAS = "in it when it was used"

_CONTEXT_LINES = 1


def options_of(stored: StoredPack, usual: PackOptions) -> PackOptions:
    """Return what a pack was made with; what it does not say is as usual."""
    return replace(usual.chosen(stored.options), budget=stored.budget, encoding=stored.encoding)


def as_it_was(
    vault: Vault, stored: StoredPack, form: Target, usual: PackOptions, tree: Tree | None = None
) -> Pack | None:
    """Return a pack with the very bytes that were used, known by their hash; None where they cannot be had any more.

    The payload of a pack is not kept, but the journal has every version of every memory. What cannot be brought
    back: memories that were purged, shortened giants, and files that changed since the pack of an older memtui.

    Args:
        usual: what is chosen where the pack does not say.
        tree: the working tree, for the states of files that a payload names.
    """
    options = options_of(stored, usual)
    with vault.read() as reader:
        memories = [_version(reader, member.memory_id, member.version) for member in stored.members]
        states = reader.anchor_states([member.memory_id for member in stored.members])
    if not memories or None in memories:
        return None
    hits = [
        Hit(memory, member.score, member.score, (), AS_IT_WAS)
        for memory, member in zip(memories, stored.members, strict=True)
        if memory is not None
    ]
    checked = {
        (hit.memory.id, path): state
        for hit in hits
        for path, state in (tree.states(hit.memory) if tree else {}).items()
    }
    ready = replace(options, without=frozenset(), with_ids=frozenset(), unconfirmed=False, withhold_loaded=False)
    # A pack of an older memtui does not say what its files were like: then what is known today is tried.
    for known in (_states_of(stored), {**states, **checked}, states, {}):
        try:
            pack = pack_of_recall(
                vault, _recall(hits, stored, options, known), ready, form=form, project=stored.project
            )
        except UsageError:
            return None  # an encoding or a budget of another memtui
        if payload_hash(pack.payload) == stored.payload_hash:
            return pack
    return None


def _states_of(stored: StoredPack) -> dict[tuple[str, str], AnchorState]:
    """Return the states of files that a pack was made with; what is no state is passed over."""
    kept = stored.options.get(FILE_STATES)
    return {
        (identifier, path): cast("AnchorState", state)
        for identifier, states in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(states, dict)
        for path, state in states.items()
        if state in ANCHOR_STATES
    }


def _statuses_of(stored: StoredPack) -> dict[str, str]:
    """Return why memories of a pack were none in use, in words."""
    kept = stored.options.get(STATUSES)
    return {name: str(words) for name, words in kept.items()} if isinstance(kept, dict) else {}


def _version(reader: VaultReader, identifier: str, version: int) -> Memory | None:
    """Return a memory as it was in a version, None where that is gone."""
    current = reader.get_many([identifier]).get(identifier)
    if current is not None and current.version == version:
        return current
    try:
        steps = history(reader, identifier)
    except NotFoundError:
        return None
    record = next((step.after for step in steps if step.version == version and step.after), None)
    if record is None:
        return None
    return memory_from_record(record, now=steps[0].change.at, new_id=identifier, version=version)


def _recall(
    hits: Sequence[Hit], stored: StoredPack, options: PackOptions, states: Mapping[tuple[str, str], AnchorState]
) -> Recall:
    ranked = sorted(hits, key=order_key)
    put_in = tuple(hit for hit in ranked if hit.memory.id in options.with_ids)
    rest = [hit for hit in ranked if hit.memory.id not in options.with_ids]
    task = task_of(stored.task, stored.files, stored.options)
    return Recall(
        hits=tuple(hit for hit in rest if not hit.memory.pinned),
        pins=tuple(hit for hit in rest if hit.memory.pinned),
        withheld=(),
        withheld_counts={},
        other_projects=0,
        abstained=None,
        task=task,
        states=states,
        put_in=put_in,
        statuses=_statuses_of(stored),
    )


def text_changes(before: str, after: str) -> list[str]:
    """Return how one payload differs from another, as lines that begin with `+`, `-`, a space or `@@`."""
    found = unified_diff(before.splitlines(), after.splitlines(), n=_CONTEXT_LINES, lineterm="")
    return list(found)[2:]
