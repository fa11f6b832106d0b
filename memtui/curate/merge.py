"""Merge several memories into one, preview the result, and unmerge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, combinations
from types import MappingProxyType
from typing import Any

from memtui.analysis.joined_text import Joined, join
from memtui.analysis.pair_differences import text_differences
from memtui.analysis.text_features import wording_of
from memtui.curate.bulk_changes import require_texts, require_versions, resolved
from memtui.curate.fields import LONGEST_TITLE, check_kind
from memtui.domain.identity import Actor, check_may_alter
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT, MOST_MERGED, Anchor, Link, Memory, content_hash
from memtui.domain.record import Record, memory_from_record
from memtui.domain.scope import ONLY, held_places, limits_of
from memtui.errors import NotFoundError, RefusedError, UsageError
from memtui.recall.eligibility import PHASES
from memtui.text.diff import differing_words
from memtui.text.sanitize import one_line, sanitise
from memtui.vault import journal
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reader import VaultReader
from memtui.vault.text_search import refuse_secrets_in
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

ORIGIN = "merge"  # Origin of the links that a merge makes


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that holds it all, and those that became `merged`."""

    result: Memory
    originals: tuple[Memory, ...]
    everywhere: bool = False  # whether it holds for all files although some of them held for certain ones only


def combine(into: Memory, others: Sequence[Memory], project: str | None, *, one_text: bool = False) -> Memory:
    """Return one memory that keeps what each of them held.

    The fullest of texts that say the same is kept, and what others say beyond it is appended, unless `one_text` says
    that the first does for all; tags and sources are united. It holds wherever and whenever one of them held, is
    pinned if any was, active if any was, and dates from the earliest.
    """
    everyone = (into, *others)
    accepted = next((memory for memory in everyone if memory.status == "active"), into)
    return replace(
        into,
        insight=_joined(everyone, "insight", one_text=one_text),
        rationale=_joined(everyone, "rationale", one_text=one_text),
        snippet=_joined(everyone, "snippet", one_text=one_text),
        project=project,
        status=accepted.status,
        status_reason=accepted.status_reason,
        confirmed_at=into.confirmed_at or accepted.confirmed_at,
        confirmed_by=into.confirmed_by or accepted.confirmed_by,
        tags=_united_tags(everyone),
        rules=united(everyone, "rules"),
        anchors=_places_of_all(everyone),
        sources=united(everyone, "sources"),
        importance=max(memory.importance for memory in everyone),
        confidence=min(memory.confidence for memory in everyone),
        pinned=any(memory.pinned for memory in everyone),
        created_at=min(memory.created_at for memory in everyone),
        observed_at=_earliest(everyone, "observed_at"),
        valid_from=_widest(everyone, "valid_from", min),
        valid_until=_widest(everyone, "valid_until", max),
    )


def united(memories: Iterable[Memory], name: str) -> tuple[Any, ...]:
    """Return the items of a field of all memories, in order, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(getattr(memory, name) for memory in memories)))


def united_anchors(memories: Iterable[Memory]) -> tuple[Anchor, ...]:
    """Return the anchors of all memories, of each path the first."""
    found: dict[str, Anchor] = {}
    for anchor in chain.from_iterable(memory.anchors for memory in memories):
        found.setdefault(anchor.path, anchor)
    return tuple(found.values())


def holds_everywhere(memories: Sequence[Memory], result: Memory) -> bool:
    """Return whether a merged memory holds for all files although some of these held for certain ones only."""
    scoped = any(memory.anchors or limits_of(memory) for memory in memories)
    return scoped and not result.anchors and not limits_of(result)


def _places_of_all(memories: Sequence[Memory]) -> tuple[Anchor, ...]:
    """Return the files of a memory that holds wherever one of these does: none where one of them has none.

    What a memory names in its text is no place that it is limited to, so it stays where others hold for more.
    """
    if not all(memory.anchors for memory in memories):
        return ()
    tied = [set(held_places(memory)) for memory in memories]
    named = {
        anchor.path
        for memory, places in zip(memories, tied, strict=True)
        for anchor in memory.anchors
        if anchor.path not in places
    }
    return tuple(anchor for anchor in united_anchors(memories) if all(tied) or anchor.path in named)


def _united_tags(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the tags of all; those that limit a memory to files or phases only where all have such limits."""
    limits = [limits_of(memory) for memory in memories]
    kept = {
        limit
        for is_phase in (True, False)
        if all(any((one in PHASES) == is_phase for one in each) for each in limits)
        for limit in chain.from_iterable(limits)
        if (limit in PHASES) == is_phase
    }
    dropped = set(chain.from_iterable(limits)) - kept
    return tuple(
        tag for tag in united(memories, "tags") if tag[: len(ONLY)].lower() != ONLY or tag[len(ONLY) :] not in dropped
    )


def _joined(memories: Sequence[Memory], name: str, *, one_text: bool) -> str:
    texts = [getattr(memory, name) for memory in memories]
    return next(filter(str.strip, texts), "") if one_text else join(texts, places=_headings(memories)).text


def _headings(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the headings that each memory stood under in its sources."""
    return tuple("\n".join(source.native_id or "" for source in memory.sources) for memory in memories)


def _earliest(memories: Iterable[Memory], name: str) -> datetime | None:
    return min(filter(None, (getattr(memory, name) for memory in memories)), default=None)


def _widest(memories: Iterable[Memory], name: str, choose: Callable[[Iterable[datetime]], datetime]) -> datetime | None:
    """Return the earliest or latest limit of a time, None where one of the memories has no such limit."""
    limits: list[datetime | None] = [getattr(memory, name) for memory in memories]
    known = [limit for limit in limits if limit is not None]
    return choose(known) if len(known) == len(limits) else None


def merge(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    into: str | None = None,  # the one that absorbs the others
    actor: Actor,
    project: str | None = None,  # the project of the result, where they differ
    texts: Mapping[str, str] | None = None,  # content hashes that memories had when the merge was proposed
    one_text: bool = False,  # they say the same, so that the text of `into` does for all
    # texts of the result that a person chose or wrote, by field of `CHOOSABLE`
    chosen: Mapping[str, str] | None = None,
    versions: Mapping[str, int] | None = None,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Merged:
    """Merge two to eight memories into one of them, by default the first.

    Raises:
        ConflictError: a text has changed since the merge was proposed, or a version since it was read.
        UsageError: too few or too many, different projects without `project`, or an invalid chosen text.
        RefusedError: one of them is neither active nor a candidate.
        SecretRefusedError: what was written holds what looks like a secret that none of them held.
    """
    with vault.write(actor=actor.name, action="merge") as writer:
        target, *others = resolved(writer, [into, *prefixes] if into else prefixes)
        everyone = (target, *others)
        if not 1 <= len(others) < MOST_MERGED:
            names = " ".join(memory.id for memory in everyone)
            raise UsageError(
                f"A merge takes 2 to {MOST_MERGED} different memories",
                where=names,
                remedy="Give at least two different ids.",
            )
        require_versions(everyone, versions or {})
        if project is not None:
            project = check_name(project)
            ensure_project(writer, project)
        made = merge_within(
            writer,
            everyone,
            actor=actor,
            project=project,
            texts=texts or {},
            one_text=one_text,
            chosen=chosen or {},
            secret_patterns=secret_patterns,
        )
        writer.summary = f"merge {len(everyone)} memories into {made.result.title}"
        return made


def merge_within(
    writer: VaultWriter,
    everyone: Sequence[Memory],  # the first absorbs the others
    *,
    actor: Actor,
    project: str | None = None,
    texts: Mapping[str, str] = MappingProxyType({}),
    one_text: bool = False,
    chosen: Mapping[str, str] = MappingProxyType({}),
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Merged:
    """Merge memories as `merge` does, within a change that may hold more; raises before anything is written."""
    target, *others = everyone
    _check(target, others, actor)
    require_texts(everyone, texts)
    result = combine(target, others, project or common_project(target, others), one_text=one_text)
    result = _with_chosen(result, chosen, writer.kinds)
    _refuse_new_secrets(chosen, everyone, secret_patterns)
    if actor.is_person and result.status == "active" and content_hash(result) != content_hash(target):
        # A new text of a person: it is no more asked about today than one that was accepted today.
        result = replace(result, confirmed_at=writer.now, confirmed_by=actor.name)
    return replace(_take_up(writer, result, others), everywhere=holds_everywhere(everyone, result))


def _take_up(writer: VaultWriter, result: Memory, others: Sequence[Memory]) -> Merged:
    """Store the result of a merge, mark its originals as merged, and link both."""
    saved = writer.put(result)
    reason = f"merged into {result.id}"
    originals = writer.put_many(
        [replace(other, status="merged", status_reason=reason, pinned=False) for other in others]
    )
    writer.add_links(_inherited(writer, result.id, [other.id for other in others], writer.now))
    writer.add_links(
        Link(from_id=result.id, type="derived-from", to_id=other.id, origin=ORIGIN, created_at=writer.now)
        for other in others
    )
    return Merged(saved, tuple(originals))


CHOOSABLE = ("title", "insight", "rationale", "snippet", "kind")
"""Fields of a merged memory that a person may choose or write."""


def _with_chosen(result: Memory, chosen: Mapping[str, str], kinds: Kinds) -> Memory:
    """Return a merged memory with the texts that a person chose.

    Raises `UsageError`: a field cannot be chosen, there is no such kind, or title or insight would be empty.
    """
    strange = sorted(set(chosen) - set(CHOOSABLE))
    if strange:
        raise UsageError("This field cannot be chosen", where=", ".join(strange), remedy=f"One of {CHOOSABLE}.")
    values = {name: sanitise(text).text for name, text in chosen.items()}
    if "title" in values:
        values["title"] = one_line(values["title"])[:LONGEST_TITLE]
    if "kind" in values:
        values["kind"] = check_kind(kinds, values["kind"])
    empty = [name for name in ("title", "insight") if name in values and not values[name].strip()]
    if empty:
        raise UsageError("The merged memory needs a text", where=", ".join(empty), remedy="Choose or write one.")
    return replace(result, **values)  # type: ignore[arg-type] # checked against `CHOOSABLE`


def _refuse_new_secrets(
    chosen: Mapping[str, str], members: Sequence[Memory], patterns: Sequence[tuple[str, str]]
) -> None:
    """Refuse a secret that was written for the merge; what the members held was stored with the person's consent."""
    written = dict.fromkeys(CHOOSABLE, "")
    for name, text in chosen.items():
        written[name] = text
        for member in members:
            part = getattr(member, name)
            written[name] = written[name].replace(part, "") if part else written[name]
    refuse_secrets_in(written, patterns)


def _inherited(reader: VaultReader, target: str, originals: Sequence[str], now: datetime) -> list[Link]:
    members = {target, *originals}
    found = []
    for link in reader.links(originals):
        ends = [target if end in originals else end for end in (link.from_id, link.to_id)]
        is_trace = link.type == "derived-from" and link.origin == ORIGIN
        if not is_trace and not {link.from_id, link.to_id} <= members:
            found.append(replace(link, from_id=ends[0], to_id=ends[1], origin=ORIGIN, created_at=now))
    return found


def _check(target: Memory, others: Sequence[Memory], actor: Actor) -> None:
    for memory in (target, *others):
        check_may_alter(actor, memory)
        if memory.status not in {"active", "candidate"}:
            raise RefusedError(
                f"Only active memories and candidates can be merged; this one is {memory.standing}",
                where=f"{memory.id} ({memory.title[:60]})",
            )
    if not actor.is_person and len({memory.status for memory in (target, *others)}) > 1:
        raise RefusedError(
            "An agent may not merge a candidate into what a person accepted",
            where=f"{target.id} ({target.title[:60]})",
            remedy="A person accepts the candidate first: `memtui inbox accept ID`.",
        )


def common_project(target: Memory, others: Sequence[Memory]) -> str | None:
    """Return the strictest project that they share: a named one before `global`, that before none."""
    everyone = {memory.project for memory in (target, *others)}
    named = everyone - {GLOBAL_PROJECT, None}
    if len(named) > 1:
        raise UsageError(
            "The memories belong to different projects",
            where=", ".join(sorted(str(name) for name in named)),
            remedy="Say which one the merged memory belongs to with --project.",
        )
    return next(iter(named), GLOBAL_PROJECT if GLOBAL_PROJECT in everyone else None)


def unmerge(vault: Vault, prefix: str, *, actor: Actor) -> tuple[Memory, list[Memory]]:
    """Undo the last merge into a memory; the originals become what they were.

    The merged memory goes back to what it was before; edits made to it since stay in its history.

    Raises `NotFoundError`: nothing was merged into it.
    """
    with vault.write(actor=actor.name, action="unmerge") as writer:
        identifier = writer.resolve(prefix)
        if writer.get(identifier).status == "merged":
            into = (link.from_id for link in _traces(writer, identifier) if link.to_id == identifier)
            identifier = next(into, identifier)
        records = _before_merge(writer, identifier)
        restored = [memory_from_record(record, now=writer.now, new_id=record["id"]) for record in records]
        check_may_alter(actor, writer.get(identifier))
        originals = [memory.id for memory in restored if memory.id != identifier]
        made = {_ends(link) for link in _inherited(writer, identifier, originals, writer.now)}
        made |= {(identifier, "derived-from", original) for original in originals}
        writer.drop(link for link in writer.links([identifier]) if link.origin == ORIGIN and _ends(link) in made)
        writer.summary = f"unmerge {len(restored)} memories"
        saved = {memory.id: memory for memory in writer.put_many(restored)}
        return saved[identifier], [saved[original] for original in originals]


def _traces(reader: VaultReader, identifier: str) -> list[Link]:
    """Return the links that merges made from a memory to its originals, on either end."""
    return [link for link in reader.links([identifier]) if link.type == "derived-from" and link.origin == ORIGIN]


def _ends(link: Link) -> tuple[str, str, str]:
    return (link.from_id, link.type, link.to_id)


def _before_merge(reader: VaultReader, identifier: str) -> list[Record]:
    """Return the records, before the last merge that still stands, of the merged memory and of its originals.

    The originals lead to the merge, because a memory that held all of it before was not changed by it.
    """
    still_merged = [link.to_id for link in _traces(reader, identifier) if link.from_id == identifier]
    merges = [
        step.change.number
        for original in still_merged
        for step in journal.history(reader, original)
        if _was_merged(step) and (step.change.action, step.change.state) == ("merge", "done")
    ]
    if not merges:
        raise NotFoundError(
            "Nothing was merged into this memory",
            where=identifier,
            remedy="`memtui show ID` names what it was merged into.",
        )
    number = max(merges)
    target = next(
        step.before if step.change.number == number else step.after
        for step in journal.history(reader, identifier)
        if step.change.number <= number
    )
    originals = [step.before for step in journal.memory_revisions(reader, number) if _was_merged(step)]
    return [record for record in (target, *originals) if record is not None]


def _was_merged(step: journal.MemoryRevision) -> bool:
    return step.before is not None and step.after is not None and step.after["status"] == "merged"


SAME_SAYING = 0.6
"""Likeness in writing from which two texts count as one, so that the fuller does for both. Below it both are kept: what
is said twice is obvious in the preview, what is missing is not."""

_ONE_OF = frozenset({"title", "kind"})  # Fields that hold one value; the texts of others can stand one after the other

_LONGEST_LIKENED = 2_000


@dataclass(frozen=True, slots=True)
class MergeField:
    """A field in which the memories differ."""

    name: str
    texts: tuple[str, ...]  # what each memory holds, in their order
    proposed: tuple[int, ...]  # positions of the texts that are taken unless the person chooses otherwise
    can_join: bool  # whether the texts can stand one after the other
    suggestion: str = ""  # the text that is proposed
    headings: tuple[str, ...] = ()  # those that each text stood under

    def text(self, places: Sequence[int]) -> str:
        """Return the text of these positions, without what they say twice."""
        if tuple(places) == self.proposed:
            return self.suggestion
        headings = [self.headings[place] for place in places] if self.headings else []
        return join([self.texts[place] for place in places], places=headings).text


def fields_of(memories: Sequence[Memory]) -> list[MergeField]:
    found, headings = [], _headings(memories)
    for name in CHOOSABLE:
        texts = tuple(str(getattr(memory, name)) for memory in memories)
        if len(set(texts)) > 1:
            can_join = name not in _ONE_OF
            suggested = join(texts, places=headings, alike=SAME_SAYING) if can_join else Joined(texts[0], (0,))
            found.append(MergeField(name, texts, suggested.places or (0,), can_join, suggested.text, headings))
    return found


def preview(memories: Sequence[Memory], chosen: Mapping[str, str], kinds: Kinds, project: str | None = None) -> Memory:
    """Return what a merge into the first of these memories would make.

    Raises `UsageError`: they belong to different projects and none is named, or a chosen text is invalid.
    """
    into, *others = memories
    return _with_chosen(combine(into, others, project or common_project(into, others)), chosen, kinds)


def named_projects(memories: Sequence[Memory]) -> list[str]:
    """Return the projects that memories belong to, `global` aside; of several, a person says which."""
    return sorted({memory.project for memory in memories if memory.project not in {None, GLOBAL_PROJECT}})


def what_differs(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return what matters in which memories that look alike differ: numbers, versions, negations, environments."""
    wordings = [wording_of(memory.title[:_LONGEST_LIKENED], memory.insight) for memory in memories]
    found = (each for pair in combinations(wordings, 2) for each in text_differences(*pair))
    return tuple(dict.fromkeys(difference.text for difference in found))


Marked = tuple[tuple[str, bool], ...]
"""Parts of a text, each with whether it differs from the first text; of the first, from any other."""


def marked_texts(texts: Sequence[str]) -> list[Marked]:
    """Return texts with differing words marked; nothing is marked in those that share hardly a word."""
    if len(texts) <= 1:
        return [((text, False),) for text in texts]
    first, *others = texts
    flags = [False] * len(first)
    marked: list[Marked] = []
    for other in others:
        mine, theirs = differing_words(first, other)
        place = 0
        for part, differs in mine:
            if differs:
                flags[place : place + len(part)] = [True] * len(part)
            place += len(part)
        marked.append(theirs)
    return [_runs(first, flags), *marked]


def _runs(text: str, flags: Sequence[bool]) -> Marked:
    runs: list[tuple[str, bool]] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or flags[place] != flags[start]:
            runs.append((text[start:place], flags[start]))
            start = place
    return tuple(runs)
