"""Source conflicts: source and memory were both edited; imports keep both texts until a person decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memtui.analysis.titles import title_for
from memtui.capture.import_plan import ImportPlan, Planned
from memtui.curate.bulk_changes import Outcome, Skipped, SkipReason
from memtui.curate.lifecycle import record_affirmation
from memtui.curate.memories import edited_memory
from memtui.domain.causes import RETIRED
from memtui.domain.identity import Actor, require_person
from memtui.domain.memory import Memory, Source, content_hash, planted_reasons
from memtui.errors import NotFoundError
from memtui.vault.filters import Scope
from memtui.vault.reader import VaultReader
from memtui.vault.source_texts import SourceText, Texts, bases_of, is_open, put_source_texts, source_texts
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

Side = Literal["mine", "source"]  # Whose text stays: the memory's or its source's


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """A memory and a source of it that differ."""

    memory: Memory  # as it is stored
    text: SourceText  # what its source said at the last import, and says now

    @property
    def base(self) -> Texts:
        """The text that both were edited from; if it is no longer known, what the source says now."""
        return self.text.base or self.text.stated

    @property
    def title_follows_text(self) -> bool:
        """Whether both titles were made from their texts, so that a decision on the text decides on the title."""
        sides = (Texts.of(self.memory), self.text.stated)
        return all(side.title == title_for(side.insight, ()) for side in sides)

    def as_memory(self, texts: Texts) -> Memory:
        """Return the memory with other texts, for comparison."""
        return replace(
            self.memory,
            title=texts.title,
            insight=texts.insight,
            rationale=texts.rationale,
            snippet=texts.snippet,
        )


def open_conflicts(
    reader: VaultReader, scope: Scope | None = None, *, identifiers: Iterable[str] | None = None
) -> list[SourceConflict]:
    """Return the conflicts that wait for a decision, the oldest first.

    `scope`: whose memories; by default all. `identifiers`: only of these memories.
    """
    texts = source_texts(reader, identifiers)
    memories = reader.get_many({text.memory_id for text in texts})
    found = [
        SourceConflict(memories[text.memory_id], text)
        for text in texts
        if text.memory_id in memories and is_open(text, memories[text.memory_id])
    ]
    return [conflict for conflict in found if scope is None or scope.holds(conflict.memory.project)]


def conflict_record(conflict: SourceConflict) -> dict[str, Any]:
    """Return a conflict as JSON: the memory, its source, and the three texts; `source` is the team's, with a team."""
    memory, text = conflict.memory, conflict.text
    # What the team wrote stands in the vault, and one's own text beside it; of a source, and of what the team erased,
    # it is the other way round.
    is_theirs_stored = text.is_team and not text.is_erasure
    source, mine = (Texts.of(memory), text.stated) if is_theirs_stored else (text.stated, Texts.of(memory))
    sides: dict[str, Texts | None] = {"base": text.base, "source": source, "mine": mine}
    return {
        "id": memory.id,
        "version": memory.version,
        "project": memory.project,
        "path": text.path,
        "with": "team" if text.is_team else "source",
        "line": text.span[0] if text.span else None,
        "seen_at": text.seen_at.isoformat().replace("+00:00", "Z"),
        **{
            name: None
            if side is None
            else {
                "title": side.title,
                "insight": side.insight,
                "rationale": side.rationale,
                "snippet": side.snippet,
            }
            for name, side in sides.items()
        },
    }


def resolve_conflicts(
    vault: Vault,
    prefixes: Sequence[str],
    side: Side,
    *,
    actor: Actor,
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Outcome:
    """Keep the memories' own texts, or take those of their sources, as one change; what is decided counts as verified.

    A text that looks planted to steer an assistant returns to the inbox with its memory.

    Raises:
        NotFoundError: an id is unknown.
        RefusedError: an agent asks.
        SecretRefusedError: a source's text holds what looks like a secret.
    """
    require_person(actor, "decide a conflict")
    changed: list[Memory] = []
    skipped: list[Skipped] = []
    told: SourceText | None = None
    action = "keep-mine" if side == "mine" else "take-source"
    with vault.write(actor=actor.name, action=action) as writer:
        for identifier in dict.fromkeys(map(writer.resolve, prefixes)):
            open_ones = open_conflicts(writer, identifiers=[identifier])
            if not open_ones:
                skipped.append(Skipped(identifier, SkipReason.SOURCES_AGREE))
                continue
            told = open_ones[-1].text
            values: Mapping[str, Any] = {}
            if side == "source":
                stated = open_ones[-1].text.stated
                values = {name: getattr(stated, name) for name in ("title", "insight", "rationale", "snippet")}
            memory = edited_memory(
                writer,
                open_ones[0].memory,
                values,
                actor=actor,
                allow_secret=allow_secret,
                secret_patterns=secret_patterns,
            )
            if side == "source" and memory.status == "active" and planted_reasons(memory):
                # Taken without being read, it has to be accepted like any other that looks planted.
                memory = replace(memory, status="candidate")
            changed.append(_looked_at(memory, open_ones))
        changed = writer.put_many(record_affirmation(writer, changed, actor))
        writer.summary = _summary(side, changed, told)
    return Outcome(tuple(changed), tuple(skipped))


def resolve_by_hand(
    vault: Vault,
    identifier: str,
    values: Mapping[str, Any],  # new values by field; none keeps what the memory says
    *,
    actor: Actor,
    if_version: int,  # the version that was looked at
    seen_hash: str,  # the source's text that was looked at
    secret_patterns: Sequence[tuple[str, str]] = (),  # the user's own patterns
    before: Callable[[], object] | None = None,  # called before the change, e.g. to make a backup
) -> Memory:
    """Save a person's own resolution of a conflict, which verifies the memory; returns it as stored.

    Raises:
        ConflictError: the memory was changed meanwhile.
        NotFoundError: the source was imported meanwhile and says something else, or no longer exists.
        RefusedError, SecretRefusedError, UsageError: as `memtui.curate.memories.edit_memory`.
    """
    require_person(actor, "decide a conflict")
    if before is not None:
        before()
    with vault.write(actor=actor.name, action="settle") as writer:
        memory = writer.get(identifier)
        edited = edited_memory(writer, memory, values, actor=actor, secret_patterns=secret_patterns)
        return _settled(writer, edited, seen_hash, if_version, actor)


def _settled(writer: VaultWriter, edited: Memory, seen_hash: str, if_version: int, actor: Actor) -> Memory:
    looked_at = [one for one in open_conflicts(writer, identifiers=[edited.id]) if one.text.seen_hash == seen_hash]
    stored = writer.get(edited.id)
    if not looked_at and stored.version == if_version:
        raise NotFoundError(
            "The source has changed and was imported again meanwhile",
            where=edited.id,
            remedy="Nothing was written. Look at the conflict again.",
        )
    writer.summary = f"settle {edited.title} with its source"
    [decided] = record_affirmation(writer, [_looked_at(edited, looked_at)], actor)
    return writer.put(decided, if_version=if_version)


def _looked_at(memory: Memory, decided: Sequence[SourceConflict]) -> Memory:
    """Return the memory with the texts of its sources noted as seen.

    A row that states a memory by its id becomes a source of it, so that it is not asked about again. What is left of
    an erased memory is out of use.
    """
    if any(one.text.is_erasure and one.text.seen_hash == content_hash(memory) for one in decided):
        memory = replace(memory.put_out(RETIRED, "erased by the team"), pinned=False)
    seen = {conflict.text.path: conflict.text for conflict in decided}
    new = tuple(
        Source(
            format=_format_of(text),
            path=path,
            span=text.span,
            native_id=text.native_id,
            imported_hash=text.seen_hash,
        )
        for path, text in seen.items()
        if path not in {source.path for source in memory.sources}
    )
    sources = new + tuple(
        replace(source, imported_hash=seen[source.path].seen_hash, span=seen[source.path].span or source.span)
        if source.path in seen and _is_of(source, seen[source.path], memory)
        else source
        for source in memory.sources
    )
    return replace(memory, sources=sources)


def _format_of(text: SourceText) -> str:
    if text.is_team:
        return "team"
    return "vault" if text.path.endswith(".md") else "jsonl"


def _is_of(source: Source, text: SourceText, memory: Memory) -> bool:
    """Return whether a source is the one whose text was decided on, where several texts of a file were merged."""
    here = {other.imported_hash for other in memory.sources if other.path == text.path}
    base = text.base.hash if text.base else None
    return source.imported_hash == base or base not in here


def _summary(side: Side, changed: Sequence[Memory], told: SourceText | None) -> str:
    if told is not None and told.is_erasure:
        what = "keep {}, which the team erased" if side == "mine" else "delete {}, which the team erased"
        named = changed[0].title if side == "mine" else changed[0].id
        return what.format(named if len(changed) == 1 else f"{len(changed)} memories")
    if told is not None and told.is_team:
        what = "keep the team's text of {}" if side == "mine" else "take one's own text of {}"
        return what.format(changed[0].title if len(changed) == 1 else f"{len(changed)} memories")
    what = f"keep {{}} against {'its source' if len(changed) == 1 else 'their sources'}"
    if side == "source":
        what = "take what the source says of {}" if len(changed) == 1 else "take what the sources say of {}"
    return what.format(changed[0].title if len(changed) == 1 else f"{len(changed)} memories")


def store_conflicts(writer: VaultWriter, plan: ImportPlan, parted: Sequence[Planned]) -> None:
    """Store both texts of each conflict until a person decides; drop conflicts that no longer exist."""
    texts = []
    for item in parted:
        draft, path = item.draft, item.draft.source.path
        # The memory of an id that occurs twice in the import is stored by now.
        memory = item.memory or writer.get_many([draft.record_id]).get(draft.record_id)
        if memory is None or path is None or draft.content == content_hash(memory):
            continue
        taken = {source.imported_hash for source in memory.sources if source.path == path}
        base = bases_of(writer, [memory], path, said={item.replaces} if item.replaces else None)[memory.id]
        texts.append(
            SourceText(
                memory_id=memory.id,
                path=path,
                native_id=draft.source.native_id or "",
                span=draft.source.span,
                base=base if base.hash in taken else None,
                stated=Texts(draft.title, draft.insight, draft.rationale, draft.snippet),
                seen_hash=draft.content,
                seen_at=writer.now,
            )
        )
    put_source_texts(writer, texts, moot=_agreeing(writer, plan))


def _agreeing(writer: VaultWriter, plan: ImportPlan) -> set[tuple[str, str]]:
    """Return (memory id, path) of sources that again say what was imported, or no longer state the memory."""
    kept = source_texts(writer)
    if not kept:
        return set()
    said: dict[tuple[str, str], set[str]] = {}
    for item in plan.items:
        identifier = item.memory.id if item.memory is not None else item.draft.record_id
        for source in (item.draft.source, *item.more_sources) if identifier else ():
            said.setdefault((identifier, source.path or ""), set()).add(item.draft.content)
    for memory in plan.missing:
        for source in memory.sources:
            said.setdefault((memory.id, source.path or ""), set())
    return {
        (text.memory_id, text.path)
        for text in kept
        if text.seen_hash not in said.get((text.memory_id, text.path), {text.seen_hash})
    }
