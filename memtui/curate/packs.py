"""Recorded packs: feedback on them, looking back at them, and rebuilding one as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product
from typing import TYPE_CHECKING, cast

from memtui.clock import days_after
from memtui.domain.freshness import usefulness
from memtui.domain.identity import Actor
from memtui.domain.memory import ANCHOR_STATES, AnchorState, Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import AmbiguousIdError, NotFoundError, UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import unknown
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, HURTS_TO_DUE, Scope
from memtui.vault.journal import memory_as_of
from memtui.vault.packs import (
    FILE_STATES,
    STATUSES,
    PackMember,
    StoredPack,
    packs_by_prefix,
    read_packs,
    signals_of_packs,
)
from memtui.vault.reader import VaultReader
from memtui.vault.text_search import refuse_secrets_in
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.pack.build import Pack
    from memtui.pack.options import PackOptions
    from memtui.pack.targets.base import PayloadInfo, Target
    from memtui.recall.result import Hit, Recall, Task

VERDICTS = ("helped", "hurt", "corrected", "unused")
PAID = "paid"  # What a program says of a payment in place of a verdict; the amount is its reason


AWAITING_DAYS = 7.0  # Days after it was copied until a pack without feedback is asked about

ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Effect:
    """How a signal moved one memory's usefulness (0.5–1.5)."""

    memory_id: str
    title: str
    before: float
    after: float
    is_due: bool = False  # whether it hurt so often since its last verification that it is due for review


def give_feedback(
    vault: Vault,
    prefix: str,  # id, or its beginning, of a pack or a memory
    verdict: str,
    *,
    actor: Actor,
    reason: str = "",
    only: Sequence[str] = (),  # prefixes of the memories of a pack that the feedback is about; empty for all
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Effect]:
    """Say of a pack, or of one memory, that it helped, hurt, was corrected or was not used.

    Raises:
        SecretRefusedError: the reason holds what looks like a secret.
        UsageError: the verdict is not one of `VERDICTS`, or `only` names a memory that is not in the pack.
        NotFoundError, AmbiguousIdError: the prefix names nothing, or several.
    """
    if verdict not in {*VERDICTS, PAID}:
        raise unknown("feedback", verdict, VERDICTS)
    reason = one_line(reason)
    if not allow_secret:
        refuse_secrets_in(reason, secret_patterns, what="reason")
    with vault.write(actor=actor.name, action="feedback", reason=reason) as writer:
        pack = _pack_meant(writer, prefix.strip())
        identifiers = _members(writer, pack, only) if pack else [writer.resolve(prefix)]
        memories = writer.get_many(identifiers)
        if not memories:
            raise NotFoundError(
                "The memories of this pack no longer exist",
                where=prefix,
                remedy="They were purged; choose another pack.",
            )
        old = writer.signals(memories)
        fresh = [
            Signal(
                memory_id=identifier,
                signal=verdict,
                at=writer.now,
                actor=actor.name,
                pack_id=pack.id if pack else None,
                reason=reason,
            )
            for identifier in memories
        ]
        writer.add_signals(fresh)
        subject = f"pack {pack.id}" if pack else next(iter(memories.values())).title
        writer.summary = f"feedback {verdict}: {subject}"
        return [_effect(memory, old, fresh, writer.now, writer.kinds.hurt_weight) for memory in memories.values()]


def _effect(
    memory: Memory, old: Sequence[Signal], fresh: Sequence[Signal], now: datetime, hurt_weight: float
) -> Effect:
    before = [signal for signal in old if signal.memory_id == memory.id]
    after = [*before, *(signal for signal in fresh if signal.memory_id == memory.id)]
    since = memory.verified_at
    hurts = [signal for signal in after if signal.signal == "hurt" and (since is None or signal.at > since)]
    is_due = len(hurts) >= HURTS_TO_DUE
    was, is_now = (usefulness(signals, now, hurt_weight) for signals in (before, after))
    return Effect(memory.id, memory.title, was, is_now, is_due)


def _members(reader: VaultReader, pack: StoredPack, only: Sequence[str]) -> list[str]:
    members = [member.memory_id for member in pack.members]
    if not only:
        return members
    chosen = [reader.resolve(prefix) for prefix in only]
    for identifier in chosen:
        if identifier not in members:
            remedy = f"See `memtui pack show {pack.id}`."
            raise UsageError("This memory is not in the pack", where=identifier, remedy=remedy)
    return chosen


def feedback_on(vault: Vault, packs: Sequence[StoredPack]) -> dict[str, dict[str, int]]:
    """Return the feedback on each pack: per verdict, the number of memories that it is about."""
    with vault.read() as reader:
        signals = signals_of_packs(reader, [pack.id for pack in packs])
    said: dict[str, dict[str, set[str]]] = {pack.id: {} for pack in packs}
    for signal in signals:
        if signal.signal in VERDICTS and signal.pack_id is not None:
            said[signal.pack_id].setdefault(signal.signal, set()).add(signal.memory_id)
    return {
        identifier: {verdict: len(found[verdict]) for verdict in VERDICTS if verdict in found}
        for identifier, found in said.items()
    }


def packs_awaiting_feedback(
    vault: Vault, *, after_days: float = AWAITING_DAYS, project: str | None = None
) -> list[StoredPack]:
    """Return the packs that were copied at least so many days ago and have no feedback, the newest first.

    A pack is asked about once: `mark_asked` takes it off the list.

    `project`: only packs of this project; None for all.
    """
    latest = days_after(vault.now(), -after_days)
    with vault.read() as reader:
        packs = [
            pack
            for pack in read_packs(reader, limit=None)
            if pack.made_at <= latest and pack.members and project in {None, pack.project}
        ]
        signals = signals_of_packs(reader, [pack.id for pack in packs])
    copied = {signal.pack_id for signal in signals if signal.signal == "copied"}
    answered = {signal.pack_id for signal in signals if signal.signal in {*VERDICTS, ASKED}}
    return [pack for pack in packs if pack.id in copied - answered]


def mark_asked(vault: Vault, pack: StoredPack, *, actor: Actor, undoable: bool = False) -> None:
    """Remember that a person was asked about a pack.

    `undoable`: whether a person declined, which undo takes back; else the pack was only asked about.
    """
    with vault.write(actor=actor.name, action=ASKED, summary=f"asked about pack {pack.id}") as writer:
        writer.undoable = undoable
        there = writer.get_many([member.memory_id for member in pack.members])
        writer.add_signals(
            Signal(memory_id=identifier, signal=ASKED, at=writer.now, actor=actor.name, pack_id=pack.id)
            for identifier in list(there)[:1]
        )


def _pack_meant(reader: VaultReader, prefix: str) -> StoredPack | None:
    """Return the pack with this id or prefix; None if a memory is meant."""
    packs = packs_by_prefix(reader, prefix, limit=2) if prefix else []
    if not packs or packs[0].id == prefix:
        return packs[0] if packs else None
    try:
        memory = reader.resolve(prefix)
    except NotFoundError:
        memory = ""
    if memory == prefix:
        return None
    if memory or len(packs) > 1:
        found = [*(f"pack {pack.id}" for pack in packs), *([f"memory {memory}"] if memory else [])]
        raise AmbiguousIdError("Several ids start with this", where=prefix, remedy=f"They are {', '.join(found)}.")
    return packs[0]


MOST_PACKS = 500  # Packs that are listed: ten a working day for ten weeks


@dataclass(frozen=True, slots=True)
class UsedPack:
    """A pack that was used."""

    pack: StoredPack
    said: Mapping[str, int]  # per verdict, the number of memories that it is about
    awaits: bool  # whether it is time to ask for feedback


@dataclass(frozen=True, slots=True)
class UsedMember:
    """A memory of a pack, then and now."""

    member: PackMember
    memory: Memory | None  # as it is now; None where it is gone
    said: tuple[tuple[str, str], ...]  # the verdicts on it in this pack, the oldest first, each with its reason
    has_changed: bool = False  # whether it says something else than in the pack


@dataclass(frozen=True, slots=True)
class Verdict:
    """Feedback on a pack."""

    verdict: str
    at: datetime
    actor: str
    reason: str
    memories: int  # how many of its memories it is about


def used_packs(vault: Vault, scope: Scope = EVERYTHING) -> list[UsedPack]:
    """Return the packs that were used for the projects in view, or none: those that await feedback, then the others.

    Of both the newest come first.
    """
    with vault.read() as reader:
        packs = packs_in(read_packs(reader, limit=MOST_PACKS), scope)
    awaiting = packs_in(packs_awaiting_feedback(vault), scope)
    ids = {pack.id for pack in awaiting}
    rest = [pack for pack in packs if pack.id not in ids]
    said = feedback_on(vault, rest)
    return [
        *(UsedPack(pack, {}, awaits=True) for pack in awaiting),
        *(UsedPack(p, said[p.id], awaits=False) for p in rest),
    ]


def packs_in(packs: Iterable[StoredPack], scope: Scope) -> list[StoredPack]:
    """Return the packs of the projects in view, and those that were made outside of projects."""
    return [pack for pack in packs if pack.project is None or scope.holds(pack.project)]


def used_members(vault: Vault, pack: StoredPack) -> list[UsedMember]:
    """Return the memories of a pack in the order of its payload, as they are now."""
    from memtui.pack.recipes import edited_since

    with vault.read() as reader:
        memories = reader.get_many([member.memory_id for member in pack.members])
        signals = signals_of_packs(reader, [pack.id])
    said: dict[str, list[tuple[str, str]]] = {}
    for signal in signals:
        if signal.signal in VERDICTS:
            said.setdefault(signal.memory_id, []).append((signal.signal, signal.reason))
    changed = edited_since(vault, memories.values(), {member.memory_id: member.version for member in pack.members})
    return [
        UsedMember(
            member,
            memories.get(member.memory_id),
            tuple(said.get(member.memory_id, ())),
            member.memory_id in changed,
        )
        for member in pack.members
    ]


def verdicts_on(vault: Vault, pack: StoredPack) -> list[Verdict]:
    """Return the feedback on a pack, the oldest first; what was said of several memories at once is one verdict."""
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


_CONTEXT_LINES = 1


def options_of(stored: StoredPack, usual: PackOptions) -> PackOptions:
    """Return the options that a pack was made with; `usual` fills in what it does not record."""
    return replace(usual.chosen(stored.options), budget=stored.budget, encoding=stored.encoding)


def as_it_was(
    vault: Vault, stored: StoredPack, form: Target, usual: PackOptions, tree: Tree | None = None
) -> Pack | None:
    """Return a pack with exactly the bytes that were used, checked by their hash; None where that is impossible.

    The payload of a pack is not stored, but the journal has every version of every memory. Purged memories,
    shortened giants, and files that changed since a pack of an older memtui cannot be brought back.

    `usual`: options that the pack does not record. `tree`: the working tree, for the states of files that a payload
    names.
    """
    from memtui.pack.build import pack_of_recall
    from memtui.pack.options import task_of
    from memtui.pack.recipes import payload_hash
    from memtui.recall.result import Hit

    options = options_of(stored, usual)
    with vault.read() as reader:
        memories = [memory_as_of(reader, member.memory_id, member.version) for member in stored.members]
        states = reader.anchor_states([member.memory_id for member in stored.members])
    if not memories or None in memories:
        return None
    hits = [
        Hit(memory, member.score, member.score, (), (Reason(ReasonCode.RECORDED),))
        for memory, member in zip(memories, stored.members, strict=True)
        if memory is not None
    ]
    checked = {
        (hit.memory.id, path): state
        for hit in hits
        for path, state in (tree.states(hit.memory) if tree else {}).items()
    }
    task = task_of(stored.task, stored.files, stored.options)
    ready = replace(options, without=frozenset(), with_ids=frozenset(), unconfirmed=False, withhold_loaded=False)
    # A pack of an older memtui does not record the states of its files; those known today are tried.
    made = _written_then(task, stored, options)
    for known, info in product((_states_of(stored), {**states, **checked}, states, {}), made):
        found = _recall(hits, stored, options, known)
        try:
            pack = pack_of_recall(vault, task, found, ready, target=form, info=info)
        except UsageError:
            return None  # an encoding or a budget of another memtui
        if payload_hash(pack.payload) == stored.payload_hash:
            return pack
    return None


def _written_then(task: Task, stored: StoredPack, options: PackOptions) -> list[PayloadInfo]:
    """Return the ways in which the payload may have been written, today's first."""
    from memtui.pack.targets.base import EDITIONS, LINES_LEFT_OUT, PayloadInfo

    standing = PayloadInfo.standing(stored.project, options.style)
    today = standing if options.standing is not None else PayloadInfo.for_task(task, stored.project, options.style)
    # Earlier versions left trees, commands and tables whole.
    whole = [replace(today, edition=edition, wanted=frozenset()) for edition in EDITIONS]
    return [today, *(replace(today, edition=edition) for edition in LINES_LEFT_OUT), *whole]


def _states_of(stored: StoredPack) -> dict[tuple[str, str], AnchorState]:
    """Return the states of files that a pack was made with; invalid ones are ignored."""
    kept = stored.options.get(FILE_STATES)
    return {
        (identifier, path): cast("AnchorState", state)
        for identifier, states in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(states, dict)
        for path, state in states.items()
        if state in ANCHOR_STATES
    }


def _statuses_of(stored: StoredPack) -> dict[str, Reason]:
    """Return what the payload said of memories that were not in use."""
    kept = stored.options.get(STATUSES)
    texts = kept.items() if isinstance(kept, dict) else ()
    return {name: Reason(ReasonCode.RECORDED, note=str(text)) for name, text in texts}


def _recall(
    hits: Sequence[Hit], stored: StoredPack, options: PackOptions, states: Mapping[tuple[str, str], AnchorState]
) -> Recall:
    from memtui.recall.result import Recall, order_key

    ranked = sorted(hits, key=order_key)
    put_in = tuple(hit for hit in ranked if hit.memory.id in options.with_ids)
    rest = [hit for hit in ranked if hit.memory.id not in options.with_ids]
    return Recall(
        hits=tuple(hit for hit in rest if not hit.memory.pinned),
        pins=tuple(hit for hit in rest if hit.memory.pinned),
        withheld=(),
        withheld_counts={},
        other_projects=0,
        abstained=None,
        states=states,
        put_in=put_in,
        statuses=_statuses_of(stored),
    )


def text_changes(before: str, after: str) -> list[str]:
    """Return how two payloads differ, as lines that begin with `+`, `-`, a space or `@@`."""
    from difflib import unified_diff

    found = unified_diff(before.splitlines(), after.splitlines(), n=_CONTEXT_LINES, lineterm="")
    return list(found)[2:]
