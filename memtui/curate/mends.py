"""Mend a memory that is a fragment, says nothing, or says too much: join, take the heading in, split, retire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from memtui.analysis.flaws import Flaw, Mend, heading_above, parts_of
from memtui.analysis.titles import title_for
from memtui.curate.bulk_changes import Batch, require_versions
from memtui.curate.fields import LONGEST_TITLE
from memtui.curate.lifecycle import record_retirement
from memtui.curate.merge import merge_within
from memtui.curate.tidy import PART_CHARACTERS
from memtui.domain.identity import Actor, check_may_alter, require_person
from memtui.domain.memory import Link, Memory, Source, new_id
from memtui.errors import ConflictError, MemtuiError, NotFoundError, RefusedError, UsageError
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of a memory; the memories are as stored."""

    mend: Mend
    memory: Memory  # the one that holds the text now, or that was retired
    others: tuple[Memory, ...] = ()  # the neighbour that was joined, or the further parts


@dataclass(slots=True)
class MendsDone:
    """What became of several memories."""

    done: list[Mended] = field(default_factory=list)
    failed: list[tuple[Flaw, MemtuiError]] = field(default_factory=list)  # those left as they are, and why


def mend(
    vault: Vault, flaw: Flaw, *, actor: Actor, how: Mend | None = None, versions: Mapping[str, int] | None = None
) -> Mended:
    """Mend a memory as it is proposed, or in another way; one undoable change.

    Raises:
        RefusedError: an agent cannot decide, or a memory is no longer in use.
        UsageError: it cannot be mended like this.
        ConflictError: it has another version than was read.
        NotFoundError: its neighbour no longer exists.
    """
    require_person(actor, "decide this")
    with vault.write(actor=actor.name, action="mend") as writer:
        made = _mended(writer, flaw, how or flaw.mend, actor, versions or {})
        writer.summary = _summary(made)
        return made


def mend_all(vault: Vault, flaws: Sequence[Flaw], *, actor: Actor, how: Mend | None = None) -> MendsDone:
    """Mend memories as one undoable change; those that cannot be mended like this are left as they are.

    Raises `RefusedError`: an agent cannot decide.
    """
    require_person(actor, "decide this")
    result = MendsDone()
    with vault.write(actor=actor.name, action="mend") as writer:
        for flaw in flaws:
            try:
                result.done.append(_mended(writer, flaw, how or flaw.mend, actor, {}))
            except (ConflictError, NotFoundError, RefusedError, UsageError) as error:
                result.failed.append((flaw, error))
        if result.done:
            more = f", and {len(result.done) - 1:,} more" if len(result.done) > 1 else ""
            writer.summary = f"{_summary(result.done[0])}{more}"
    return result


def _mended(writer: VaultWriter, flaw: Flaw, way: Mend, actor: Actor, versions: Mapping[str, int]) -> Mended:
    """Mend a memory within a change; raises before anything is written."""
    if way is Mend.EDIT:
        raise UsageError("Only a person can shorten it", where=flaw.id, remedy=f"`memtui edit {flaw.id}`")
    memory = writer.get(flaw.id)
    _check(memory, actor)
    if way is Mend.JOIN:
        return _joined(writer, flaw, actor, versions)
    require_versions([memory], versions)
    if way is Mend.RETIRE:
        batch = Batch(writer, actor)
        made = writer.put(record_retirement(batch, memory, "says nothing"))
        batch.store()
        return Mended(way, made)
    return _headed(writer, memory) if way is Mend.HEADING else _split(writer, memory)


def _summary(made: Mended) -> str:
    """Return a line for the journal."""
    title = made.memory.title
    return {
        Mend.JOIN: f"merge {len(made.others) + 1} memories into {title}",
        Mend.RETIRE: f"retire {title}",
        Mend.HEADING: f"take the heading into {title}",
        Mend.SPLIT: f"split {title} into {len(made.others) + 1}",
    }[made.mend]


def _check(memory: Memory, actor: Actor) -> None:
    check_may_alter(actor, memory)
    if memory.status not in {"active", "candidate"}:
        raise RefusedError(f"Only memories in use can be fixed; this one is {memory.standing}", where=memory.id)


def _joined(writer: VaultWriter, flaw: Flaw, actor: Actor, versions: Mapping[str, int]) -> Mended:
    """Put a memory and its neighbours together, in the order of their source; a neighbour's title does for all.

    Of several it is their heading, where that says more than one of them.
    """
    if not flaw.other:
        raise UsageError("Its neighbour in the source is unknown", where=flaw.id, remedy=f"`memtui edit {flaw.id}`")
    names = (flaw.other, flaw.id, *flaw.more)
    found = writer.get_many(names)
    missing = [one for one in names if one not in found]
    if missing:
        raise NotFoundError("It no longer exists", where=missing[0], remedy="`memtui log` shows what happened to it.")
    require_versions(found.values(), versions)
    parts = sorted(found.values(), key=_place)
    heading = heading_above(found[flaw.id]) if flaw.more else ""
    made = merge_within(
        writer,
        [found[name] for name in names],
        actor=actor,
        chosen={
            "title": heading[:LONGEST_TITLE] or found[flaw.other].title,
            "insight": "\n\n".join(_without_shared_lead([part.insight.strip() for part in parts])),
        },
    )
    return Mended(Mend.JOIN, made.result, made.originals)


def _without_shared_lead(texts: Sequence[str]) -> list[str]:
    """Return texts of one section, the later ones without the heading that the one before them begins with as well."""
    found = list(texts[:1])
    for before, text in pairwise(texts):
        lead, colon, rest = text.partition(": ")
        is_shared = bool(colon and rest.strip()) and len(lead) <= LONGEST_TITLE and before.startswith(lead + colon)
        found.append(rest if is_shared else text)
    return found


def _place(memory: Memory) -> tuple[int, int]:
    return (memory.source.span if memory.source else None) or (0, 0)


def _headed(writer: VaultWriter, memory: Memory) -> Mended:
    heading = heading_above(memory)
    if not heading:
        raise UsageError("The heading above it is unknown", where=memory.id, remedy=f"`memtui edit {memory.id}`")
    title = memory.title if heading.casefold() in memory.title.casefold() else f"{heading}: {memory.title}"
    made = replace(memory, title=title[:LONGEST_TITLE], insight=f"{heading}: {memory.insight.lstrip()}")
    return Mended(Mend.HEADING, writer.put(made))


def _split(writer: VaultWriter, memory: Memory) -> Mended:
    """Leave the first part in the memory, and make a memory of each further one, with a link to where it came from."""
    first, *rest = parts_of(memory.insight, PART_CHARACTERS)
    if not rest:
        raise UsageError("It has no parts to split it into", where=memory.id, remedy=f"`memtui edit {memory.id}`")
    headings = _headings(memory)
    further = [_part(memory, text, headings, writer) for text in rest]
    kept = writer.put(replace(memory, insight=first))
    made = writer.put_many(further)
    writer.add_links(
        Link(from_id=part.id, type="derived-from", to_id=kept.id, origin="person", created_at=writer.now)
        for part in made
    )
    return Mended(Mend.SPLIT, kept, tuple(made))


def _headings(memory: Memory) -> Sequence[str]:
    native = (memory.source.native_id if memory.source else None) or ""
    return [*filter(None, native.rpartition("#")[0].split(" > ")), memory.title.partition(": ")[0]]


def _part(memory: Memory, text: str, headings: Sequence[str], writer: VaultWriter) -> Memory:
    return replace(
        memory,
        id=new_id(),
        title=title_for(text, headings)[:LONGEST_TITLE],
        insight=text.strip(),
        rationale="",
        snippet="",
        rules=(),
        pinned=False,
        created_at=writer.now,
        updated_at=writer.now,
        sources=(Source(format="memtui"),),
        version=1,
    )
