"""Add and edit memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.curate.fields import (
    LONGEST_TITLE,
    ListChanges,
    anchors_for,
    check_confidence,
    check_half_life,
    check_importance,
    check_kind,
    check_tags,
    clean_tags,
    is_blank,
)
from memtui.curate.projects import project_for_writing, root_for
from memtui.domain.freshness import last_trusted_at
from memtui.domain.identity import Actor, check_may_alter, require_person
from memtui.domain.kinds import Kinds
from memtui.domain.lessons import REFUTING
from memtui.domain.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    GLOBAL_PROJECT,
    Anchor,
    Link,
    Memory,
    Source,
    Verdict,
    content_hash,
    hash_parts,
    held_back,
    loose_words,
    new_id,
    trimmed,
)
from memtui.domain.rules import clean_rules
from memtui.errors import UsageError
from memtui.text.sanitize import one_line, sanitise
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.text_search import refuse_secrets_in
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

_DAY_SECONDS = 86_400.0


def verdict_on(memory: Memory, verdict: str, now: datetime, actor: Actor, reason: str = "") -> Verdict:
    """Return a verdict as evidence of how long facts hold: with the days since the memory was verified or observed."""
    days = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return Verdict(
        memory_id=memory.id, verdict=verdict, at=now, actor=actor.name, exposure_days=round(days, 3), reason=reason
    )


def expiry_of(writer: VaultWriter, memory_id: str) -> list[Verdict]:
    """Return the last verdict that refuted a memory, for a change that takes it back; empty without one."""
    return [verdict for verdict in writer.verdicts([memory_id]) if verdict.verdict in REFUTING][-1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """What a person or an agent types to add a memory; everything but the text may be left out."""

    text: str
    title: str = ""
    kind: str | None = None
    why: str = ""
    snippet: str = ""
    files: Sequence[str] = ()
    tags: Sequence[str] = ()
    rules: Sequence[str] = ()  # of a person; what an agent adds carries none
    tags_in_use: Sequence[str] = ()  # tags taken over from other memories, whatever their length
    project: str | None = None
    pinned: bool = False
    importance: int = DEFAULT_IMPORTANCE
    confidence: float = DEFAULT_CONFIDENCE
    supersedes: Sequence[str] = ()
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    half_life_days: float | None = None
    allow_secret: bool = False
    is_vouched: bool = False  # whether the person was told why it looks planted: it counts as verified then
    is_typed: bool = False  # whether a person typed it at a terminal: if it looks planted, it counts as verified too


@dataclass(frozen=True, slots=True)
class Drafted:
    """A new memory, not yet stored."""

    memory: Memory
    removed: int = 0  # number of control characters that were stripped
    guessed_kind: bool = False  # whether the kind was guessed from the text
    typed_content: str = ""  # its content hash with the white space around it, by which older vaults know it


@dataclass(frozen=True, slots=True)
class Added(Drafted):
    """A memory as stored."""

    is_new: bool = True  # False when the same text was in the same project already


def add_memory(
    vault: Vault, new: NewMemory, *, actor: Actor, folder: Path, secret_patterns: Sequence[tuple[str, str]] = ()
) -> Added:
    """Add one memory; the same text in the same project is not added twice.

    A person's memory is active and confirmed; an agent's is a candidate in the inbox.

    Raises:
        UsageError: no text, an unknown kind, a bad number, a missing file.
        SecretRefusedError: the text holds what looks like a secret.
        NotFoundError: a superseded id does not exist.
    """
    drafted = draft_memory(vault.kinds, new, actor=actor, now=vault.now(), secret_patterns=secret_patterns)
    with vault.write(actor=actor.name, action="add", summary=f"add {drafted.memory.title}") as writer:
        anchors = anchors_for(new.files, root=root_for(writer, folder), folder=folder)
        project = project_for_writing(writer, folder, new.project)
        added = store_draft(writer, drafted, project=project, anchors=anchors, actor=actor)
        for prefix in new.supersedes:
            supersede(writer, added.memory.id, writer.resolve(prefix), actor)
        return added


def draft_memory(
    kinds: Kinds, new: NewMemory, *, actor: Actor, now: datetime, secret_patterns: Sequence[tuple[str, str]] = ()
) -> Drafted:
    """Return what was typed as a memory, cleaned and checked, without project and anchors.

    Raises:
        UsageError: no text, an unknown kind, a bad number.
        SecretRefusedError: the text holds what looks like a secret.
    """
    from memtui.analysis.classify import kind_guess
    from memtui.analysis.titles import title_for

    cleaned = {name: sanitise(getattr(new, name)) for name in ("text", "why", "snippet")}
    text = trimmed(cleaned["text"].text)
    if is_blank(text):
        raise UsageError("No text to remember", remedy='Write it after add, or `-` to read it: memtui add "…"')
    title = one_line(new.title) or title_for(text, ())
    memory = Memory(
        id=new_id(),
        title=title[:LONGEST_TITLE],
        insight=text,
        kind=check_kind(kinds, new.kind) if new.kind else kind_guess(text, title, ()).kind,
        status="active" if actor.is_person else "candidate",
        rationale=trimmed(cleaned["why"].text),
        snippet=cleaned["snippet"].text.strip("\n"),
        tags=check_tags(clean_tags(new.tags), in_use=new.tags_in_use),
        rules=clean_rules(new.rules) if actor.is_person else (),
        importance=check_importance(new.importance),
        confidence=check_confidence(new.confidence),
        pinned=new.pinned and actor.is_person,
        created_at=now,
        updated_at=now,
        valid_from=new.valid_from,
        valid_until=new.valid_until,
        half_life_days=check_half_life(new.half_life_days),
        sources=(Source(format="memtui", agent=None if actor.is_person else actor.name),),
    )
    if not new.allow_secret:
        _refuse_secrets(memory, secret_patterns)
        refuse_secrets_in({"files": list(new.files), "project": new.project}, secret_patterns)
    if actor.is_person:
        memory = _stood_for(memory, new, actor, now)
    typed = hash_parts(memory.title, cleaned["text"].text, cleaned["why"].text, memory.snippet)
    return Drafted(memory, sum(part.removed for part in cleaned.values()), new.kind is None, typed)


def _stood_for(memory: Memory, new: NewMemory, actor: Actor, now: datetime) -> Memory:
    """Return a memory as a person confirmed it; nobody is kept from their own words, however planted they look."""
    memory = replace(memory, confirmed_at=now, confirmed_by=actor.name)
    is_verified = new.is_vouched or (new.is_typed and held_back(memory))
    return replace(memory, verified_at=now, verified_by=actor.name) if is_verified else memory


def store_draft(
    writer: VaultWriter, drafted: Drafted, *, project: str | None, anchors: tuple[Anchor, ...], actor: Actor
) -> Added:
    """Store a new memory within a running change; the same text in the same project is not stored twice."""
    twin = _twin(writer, drafted, project)
    if twin is not None:
        return Added(_revived(writer, twin, drafted.memory, actor), drafted.removed, is_new=False)
    memory = writer.put(replace(drafted.memory, project=project, anchors=anchors))
    return Added(memory, drafted.removed, drafted.guessed_kind)


def _twin(writer: VaultWriter, drafted: Drafted, project: str | None) -> Memory | None:
    """Return the memory that already holds this content in this project, an active one before others."""
    known = writer.ids_by_content(filter(None, (content_hash(drafted.memory), drafted.typed_content)))
    same = [identifier for owners in known.values() for identifier, owner in owners if owner == project]
    twins = writer.get_many(same or writer.ids_by_words(drafted.memory.insight, project))
    if not same:
        same = [identifier for identifier, twin in twins.items() if _says_the_same(twin, drafted.memory)]
    return min((twins[identifier] for identifier in same), key=lambda twin: twin.status != "active", default=None)


def _says_the_same(one: Memory, other: Memory) -> bool:
    """Return whether two memories differ in white space alone, outside of code."""
    from memtui.analysis.titles import title_for

    # A title made from the text may end where the text has a line end.
    untitled = all(each.title == title_for(each.insight, ()) for each in (one, other))
    mine, theirs = (("" if untitled else each.title, each.insight, each.rationale) for each in (one, other))
    has_code = any(fence in text for text in theirs for fence in ("```", "~~~"))
    return not has_code and one.snippet == other.snippet and [*map(loose_words, mine)] == [*map(loose_words, theirs)]


def _revived(writer: VaultWriter, memory: Memory, added: Memory, actor: Actor) -> Memory:
    """Bring back a retired memory that a person adds again, and accept a candidate that a person repeats."""
    if not actor.is_person or memory.status not in {"retired", "candidate"}:
        return memory
    writer.summary = f"add {memory.title} (again)"
    writer.drop([stone for stone in writer.tombstones() if stone.memory_id == memory.id])
    return writer.put(
        replace(
            memory.taken_up("active"),
            confirmed_at=writer.now,
            confirmed_by=actor.name,
            verified_at=added.verified_at or memory.verified_at,
            verified_by=added.verified_by or memory.verified_by,
        )
    )


def supersede(writer: VaultWriter, winner: str, loser: str, actor: Actor) -> None:
    """Mark a memory as replaced by another: the link, and the status once a person has accepted the other.

    Raises `UsageError`: a memory cannot replace itself, nor what replaces it.
    """
    if winner == loser:
        raise UsageError("A memory cannot supersede itself", where=winner, remedy="Give two different ids.")
    if winner in _replaced_in_turn(writer, loser):
        raise UsageError(
            "This memory is itself superseded by the other",
            where=f"{winner} by {loser}",
            remedy="`memtui unlink` or `memtui restore` reverts that first.",
        )
    old = writer.get(loser)
    writer.add_links([Link(from_id=winner, type="supersedes", to_id=loser, origin=actor.origin, created_at=writer.now)])
    # An agent proposes the supersession; it takes effect when a person accepts the new memory.
    if actor.is_person and old.status == "active" and writer.get(winner).status == "active":
        mark_superseded(writer, old, winner, actor)


def mark_superseded(writer: VaultWriter, old: Memory, winner: str, actor: Actor) -> None:
    """Take a memory out of use because another replaces it."""
    reason = f"superseded by {winner}"
    writer.put(replace(old, status="superseded", status_reason=reason))
    writer.add_verdicts([verdict_on(old, "superseded", writer.now, actor, reason)])


def _replaced_in_turn(writer: VaultWriter, identifier: str) -> set[str]:
    """Return the memories that a memory replaces, that these replace, and so on."""
    found: set[str] = set()
    wave = {identifier}
    while wave:
        links = writer.links(wave)
        wave = {link.to_id for link in links if link.type == "supersedes" and link.from_id in wave} - found
        found |= wave
    return found


EDITABLE = (
    *("title", "insight", "rationale", "snippet", "kind", "importance", "confidence", "half_life_days", "tags"),
    *("anchors", "rules", "valid_from", "valid_until", "due_at", "project", "pinned", "status_reason"),
)
"""Fields that an edit may change."""


def edit_memory(
    vault: Vault,
    identifier: str,
    values: Mapping[str, Any],  # new values by field of `EDITABLE`
    *,
    actor: Actor,
    lists: ListChanges | None = None,  # tags and files to add and remove, applied to what is stored by then
    if_version: int | None = None,  # the version that the edit is based on; another one raises ConflictError
    allow_secret: bool = False,
    is_typed: bool = False,  # whether a person typed the values at a terminal: see `NewMemory`
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Memory:
    """Change fields of one memory; returns it as stored.

    Raises:
        UsageError: a field cannot be edited, a value is out of range, or no text is left.
        NotFoundError: no memory has the id.
        RefusedError: an agent would alter what a person vouched for, pin, or set a rule; or a tag is too long.
        SecretRefusedError: a new text holds what looks like a secret, and `allow_secret` is not set.
        ConflictError: it has another version than `if_version`.
    """
    with vault.write(actor=actor.name, action="edit") as writer:
        memory = writer.get(writer.resolve(identifier))
        wanted = {**values, **lists.values(memory)} if lists else values
        edited = edited_memory(
            writer, memory, wanted, actor=actor, allow_secret=allow_secret, secret_patterns=secret_patterns
        )
        if is_typed and actor.is_person and not held_back(memory) and held_back(edited):
            edited = replace(edited, verified_at=writer.now, verified_by=actor.name)
        writer.summary = f"edit {edited.title}"
        return writer.put(edited, if_version=if_version)


def edited_memory(
    writer: VaultWriter,
    memory: Memory,
    values: Mapping[str, Any],
    *,
    actor: Actor,
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Memory:
    """Return a memory with new values, checked within a running change and not yet stored.

    Raises `UsageError, RefusedError, SecretRefusedError`: as `edit_memory`.
    """
    check_may_alter(actor, memory)
    edited = _titled(memory, replace(memory, **_cleaned(writer.kinds, values)))
    check_tags(edited.tags, in_use=memory.tags)
    if edited.rules != memory.rules:
        require_person(actor, "set a rule")
        edited = replace(edited, rules=clean_rules(edited.rules, in_use=memory.rules))
    if not edited.insight.strip():
        raise UsageError("A memory needs a text", where=memory.id, remedy="To take it out of use, retire it.")
    if edited.pinned != memory.pinned:
        require_person(actor, "pin")
    if not allow_secret:
        _refuse_secrets(edited, secret_patterns, unless_in=memory)
    if edited.project not in {None, GLOBAL_PROJECT, memory.project}:
        ensure_project(writer, str(edited.project))
    return edited


def _titled(memory: Memory, edited: Memory) -> Memory:
    """Return an edited memory; a title that was generated from the old text is generated from the new one."""
    if edited.title != memory.title or edited.insight == memory.insight or not edited.insight.strip():
        return edited
    from memtui.analysis.titles import title_for

    is_generated = memory.title == title_for(memory.insight, ())
    return replace(edited, title=title_for(edited.insight, ())) if is_generated else edited


def is_left_behind(before: Memory, after: Memory) -> bool:
    """Return whether an edit left a title that the new text says nothing of."""
    if before.insight == after.insight or before.title != after.title:
        return False
    from memtui.analysis.text_features import Wording

    title, text = Wording(after.title).parts, Wording(after.insight).parts
    return len(title & text) <= LEFT_OF_TITLE * len(title)


LEFT_OF_TITLE = 0.25  # Share of a title's words in a text up to which the text is about something else


def _cleaned(kinds: Kinds, values: Mapping[str, Any]) -> dict[str, Any]:
    unknown = next((name for name in values if name not in EDITABLE), None)
    if unknown is not None:
        raise UsageError("No such field to edit", where=unknown, remedy=f"Fields: {', '.join(EDITABLE)}.")
    cleaners: Mapping[str, Callable[[Any], Any]] = {
        "title": _clean_title,
        "insight": _clean_text,
        "rationale": _clean_text,
        "snippet": _clean_text,
        "kind": lambda kind: check_kind(kinds, kind),
        "importance": check_importance,
        "confidence": check_confidence,
        "half_life_days": check_half_life,
        "tags": clean_tags,
        "status_reason": one_line,
        "project": lambda name: None if name is None else check_name(name),
    }
    return {name: cleaners[name](value) if name in cleaners else value for name, value in values.items()}


def _refuse_secrets(memory: Memory, patterns: Sequence[tuple[str, str]], *, unless_in: Memory | None = None) -> None:
    """Refuse a memory with a secret; the title is looked at last, because it may be made of the text."""
    for each in (replace(memory, title=""), memory):
        refuse_secrets_in(each, patterns, unless_in=unless_in)


def _clean_title(title: str) -> str:
    cleaned = one_line(title)[:LONGEST_TITLE]
    if not cleaned:
        raise UsageError("A memory needs a title", remedy="Give a text with at least one visible character.")
    return cleaned


def _clean_text(text: str) -> str:
    return sanitise(text).text.strip("\n")
