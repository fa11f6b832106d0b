"""Reflect: several notes become the sources of one conclusion that a person writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.analysis.suggestions import MOST_SOURCES
from memtui.curate.fields import LONGEST_TITLE, Proposed, clean_tags, is_blank
from memtui.curate.memories import NewMemory, draft_memory, store_draft
from memtui.curate.merge import common_project, united, united_anchors
from memtui.curate.outcomes import Batch, require_versions, resolved
from memtui.domain.identity import Actor, require_person
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import Anchor, Link, Memory
from memtui.domain.scope import ONLY
from memtui.errors import RefusedError, UsageError
from memtui.text.sanitize import one_line, reveal
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

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
        )
        drafted = draft_memory(writer.kinds, new, actor=actor, now=writer.now, secret_patterns=secret_patterns)
        project = _project(writer, sources, conclusion.project)
        anchors = proposed.anchors if conclusion.anchors is None else tuple(conclusion.anchors)
        added = store_draft(writer, drafted, project=project, anchors=anchors, actor=actor)
        if any(added.memory.id == source.id for source in sources):
            raise UsageError("The conclusion says the same as one of its sources", where=added.memory.id)
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
        raise UsageError(f"A conclusion has {FEWEST_SOURCES} to {MOST_SOURCES} different sources", where=names)
    for memory in sources:
        if memory.status not in {"active", "candidate"}:
            raise RefusedError(
                f"Only active memories and candidates can be sources; this one is {memory.status}",
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
        batch.bury(source, reason)
    batch.store()
    batch.writer.put_many([replace(source, status="retired", status_reason=reason, pinned=False) for source in sources])
