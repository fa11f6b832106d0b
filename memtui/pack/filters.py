"""What may be in a payload: a person's own choice, secrets, what the target loads, what waits in the inbox."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import PurePosixPath

from memtui.domain.memory import Memory, Source, content_hash, held_back
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.scope import matches
from memtui.errors import UsageError
from memtui.pack.options import SECRET_CHOICES, PackOptions
from memtui.pack.targets.base import Target
from memtui.recall.eligibility import outside_valid_time
from memtui.recall.result import Hit, Part, Recall, Withheld, order_key
from memtui.vault.vault import Vault

LEFT_OUT, PUT_IN = Reason(ReasonCode.LEFT_OUT), Reason(ReasonCode.PUT_IN)


def with_ticks(vault: Vault, found: Recall, options: PackOptions, *, at: datetime | None = None) -> Recall:
    """Return a recall with a person's ticks applied; without ticks it is the same object.

    An id that is in both collections is left out. What was put in keeps its score, and ids that the vault
    does not hold are passed over: the memory may be gone since the tick was made.

    Args:
        vault: asked only for memories to put in that were not recalled.
        options: the ids that must not go in, and those that go in before anything else whatever stood against them.
        at: the moment at which they must be valid, None for now.
    """
    if not options.without and not options.with_ids:
        return found
    recalled = {hit.memory.id: hit for hit in (*found.pins, *found.hits)}
    left_out = tuple(hit for identifier, hit in recalled.items() if identifier in options.without)
    wanted = set(options.with_ids) - set(options.without)
    withheld = {one.id: one for one in found.withheld}
    fetched, statuses = _fetched(vault, sorted(wanted - recalled.keys()), withheld, at or vault.now())
    marked = [replace(hit, reasons=(PUT_IN, *hit.reasons)) for hit in map(recalled.get, wanted) if hit]
    put_in = sorted([*marked, *fetched], key=lambda hit: (-hit.score, hit.memory.created_at, hit.memory.id))
    moved = {*options.without, *(hit.memory.id for hit in put_in)}
    return replace(
        found,
        pins=_less(found.pins, moved),
        hits=_less(found.hits, moved),
        put_in=tuple(put_in),
        left_out=left_out,
        statuses={**found.statuses, **statuses},
        withheld=(
            *(Withheld.of(hit.memory, LEFT_OUT, hit.relevance) for hit in left_out),
            *(one for one in found.withheld if one.id not in moved),
        ),
    )


def _less(hits: Iterable[Hit], moved: Collection[str]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in moved)


def _fetched(
    vault: Vault, identifiers: Sequence[str], withheld: dict[str, Withheld], at: datetime
) -> tuple[list[Hit], dict[str, Reason]]:
    """Return hits for memories that were not recalled, with the relevance they would have had, and their statuses."""
    if not identifiers:
        return [], {}
    with vault.read() as reader:
        memories = reader.get_many(identifiers)
        links = [link for link in reader.links(memories) if link.type == "supersedes" and link.to_id in memories]
        replacing = reader.get_many({link.from_id for link in links})
    # Whoever comes last replaced it last. One that is still in use is replaced by such alone.
    successors = {
        link.to_id: link.from_id
        for link in links
        if memories[link.to_id].status != "active" or _is_in_use(replacing.get(link.from_id))
    }
    statuses = {one.id: reason for one in memories.values() if (reason := _status(one, successors.get(one.id), at))}
    return [_unranked(memory, withheld.get(memory.id)) for memory in memories.values()], statuses


def _is_in_use(memory: Memory | None) -> bool:
    return memory is not None and memory.status == "active"


def _status(memory: Memory, successor: str | None, at: datetime) -> Reason | None:
    """Return why a memory is not in use; None where it is, or where its own status says all."""
    if memory.status in {"active", "superseded"} and successor:
        return Reason(ReasonCode.SUPERSEDED, other=successor)
    if memory.status == "merged" and successor:
        return Reason(ReasonCode.MERGED, other=successor)
    return outside_valid_time(memory, at) if memory.status == "active" else None


def _unranked(memory: Memory, known: Withheld | None) -> Hit:
    nearness = known.nearness if known else 0.0
    reason = known.reason if known else Reason(ReasonCode.UNRELATED)
    part = Part("nearness", nearness, reason, "term")
    put_in = replace(PUT_IN, because=(reason,)) if known else PUT_IN
    return Hit(memory, nearness, nearness, (part,), (put_in,))


SECRET_WORDS: Mapping[str, str] = {
    "withhold": "such a memory stays out",
    "mask": "it goes in, with the secret masked",
    "allow": "it goes in as it is",
}
"""What each choice means, for people."""

Patterns = Sequence[tuple[str, str]]


def without_secrets(found: Recall, choice: str, patterns: Patterns = ()) -> Recall:
    """Return a recall in which no memory holds what looks like a secret: withheld, masked, or allowed after all.

    `patterns`: a person's own rules as (name, regular expression).

    Raises `UsageError`: unknown choice.
    """
    if choice not in SECRET_CHOICES:
        raise UsageError("Unknown choice for secrets", where=choice[:60], remedy=f"One of {', '.join(SECRET_CHOICES)}.")
    if choice == "allow":
        return found
    secrets = _secrets_of(found, patterns)
    if secrets and choice == "mask":
        found = _changed(found, lambda hits: tuple(_without_values(hit, secrets, patterns) for hit in hits))
        # What only the fields together give away, no field holds: then the memory stays out after all.
        secrets = _secrets_of(found, patterns)
    if not secrets:
        return found
    reasons = {one: Reason(ReasonCode.SECRET, names=tuple(names)) for one, names in secrets.items()}
    return _without(found, reasons, ReasonCode.ALL_SECRET)


def _without(found: Recall, reasons: Mapping[str, Reason], everything: ReasonCode) -> Recall:
    """Return a recall with some memories withheld. `everything`: why nothing is left, if so."""
    told = [
        Withheld.of(hit.memory, reasons[hit.memory.id], hit.relevance)
        for hit in _all(found)
        if hit.memory.id in reasons
    ]
    less = _changed(found, lambda hits: tuple(hit for hit in hits if hit.memory.id not in reasons))
    return replace(
        less,
        withheld=(*told, *less.withheld),
        abstained=less.abstained or (None if less.hits or less.put_in else Reason(everything)),
    )


def _all(found: Recall) -> tuple[Hit, ...]:
    return (*found.put_in, *found.pins, *found.hits)


def _secrets_of(found: Recall, patterns: Patterns) -> dict[str, list[str]]:
    """Return the names of the rules that found something, by id of the memory."""
    return {hit.memory.id: names for hit in _all(found) if (names := _secrets_in(hit.memory, patterns))}


def without_planted(found: Recall, chosen: Iterable[Hit] | None, allowed: Collection[str]) -> Recall | None:
    """Return a recall without what looks planted to steer an assistant and no person verified; None if none does.

    Args:
        chosen: the hits to look at, None for all: reading sixty memories for it takes 40 ms.
        allowed: ids of what a person put in by hand, knowing what it says.
    """
    reasons = {
        hit.memory.id: Reason(ReasonCode.PLANTED, note=str(why))
        for hit in (_all(found) if chosen is None else chosen)
        if hit.memory.id not in allowed and (why := held_back(hit.memory))
    }
    return _without(found, reasons, ReasonCode.ALL_PLANTED) if reasons else None


def with_unconfirmed(vault: Vault, found: Recall) -> Recall:
    """Return a recall with the memories that match the task and wait in the inbox, each said to be unconfirmed.

    They rank by their nearness to the task, since nothing else is known of them.
    """
    waiting = {one.id: one for one in found.withheld if one.reason.code is ReasonCode.UNCONFIRMED}
    if not waiting:
        return found
    with vault.read() as reader:
        memories = reader.get_many(waiting)
    fresh = [_unconfirmed(memory, waiting[memory.id]) for memory in memories.values()]
    return replace(
        found,
        hits=tuple(sorted((*found.hits, *fresh), key=order_key)),
        withheld=tuple(one for one in found.withheld if one.id not in memories),
    )


def _unconfirmed(memory: Memory, one: Withheld) -> Hit:
    part = Part("nearness", one.nearness, one.reason, "term")
    return Hit(memory, one.nearness, one.nearness, (part,), (Reason(ReasonCode.ALLOWED_UNCONFIRMED),))


def _changed(found: Recall, change: Callable[[tuple[Hit, ...]], tuple[Hit, ...]]) -> Recall:
    return replace(found, put_in=change(found.put_in), pins=change(found.pins), hits=change(found.hits))


def _without_values(hit: Hit, secrets: Mapping[str, list[str]], patterns: Patterns) -> Hit:
    if hit.memory.id not in secrets:
        return hit
    # The sentence that an explanation quotes may be the one with the secret.
    parts = tuple(replace(part, reason=_unquoted(part.reason)) for part in hit.parts)
    return replace(hit, memory=_masked(hit.memory, patterns), parts=parts, reasons=tuple(map(_unquoted, hit.reasons)))


def _unquoted(reason: Reason) -> Reason:
    return replace(reason, note="") if reason.code is ReasonCode.MEANING else reason


def _secrets_in(memory: Memory, patterns: Patterns) -> list[str]:
    """Return the names of the rules that found something."""
    from memtui.vault.text_search import payload_texts, texts_in

    texts = [text for _, text in texts_in(payload_texts(memory))]
    return list(_rules_for("\n".join(texts), tuple(patterns)))


# While a person changes budget or target the same memories are looked at again and again: 0.2 ms each.
@lru_cache(maxsize=512)
def _rules_for(text: str, patterns: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    from memtui.text.secrets import find_secrets

    return tuple(sorted({one.rule for one in find_secrets(text, patterns) if one.severity == "secret"}))


def _masked(memory: Memory, patterns: Patterns) -> Memory:
    from memtui.vault.text_search import masked

    return masked(memory, patterns)


_SCOPED_RULES = frozenset({"claude-rules", "cursor-rules", "copilot", "windsurf", "cline", "kiro"})
"""Formats whose files may name paths, and then are read only with a file that fits."""

_TOOL_FOLDERS = frozenset(
    {".claude", ".cursor", ".github", ".windsurf", ".devin", ".clinerules", ".cline", ".gemini", ".kiro"}
)
_NAMED_IN_CAPITALS = frozenset({"agents-md", "claude-md"})
"""Formats of files that assistants look for by a name in capitals: `agents.md` is another file to them, and read by
none but where the file system ignores case. What is said twice there is lost nowhere."""

_INDEX = "MEMORY.md"
_ON_DEMAND = frozenset({"claude-memory"})
"""Formats of which the index alone is read at the start; topic files come later, if at all."""


_FORMAT_OF_BLOCK = {"codex": "agents-md", "cursor": "cursor-rules"}
"""Formats of the files in which memtui's blocks stand, where the block has another name."""


def without_loaded(
    found: Recall,
    target: Target,
    files: tuple[str, ...],
    *,
    project: str | None = None,
    standing: bool = False,  # whether the payload is to stand in a file: a rule for paths is read with its files anyway
    retitled: Collection[
        str
    ] = (),  # memories that say what their source said but for the title, which it need not have
) -> Recall:
    """Return a recall without what the target reads by itself; each such memory is withheld with its file.

    A memory counts as read when a source that the target reads, or a block that memtui published in one for this
    project, states exactly its text: what was edited here since differs from the file. A file in a subfolder counts
    only if a given file is there, and a rule for certain paths only with one that fits. For a payload that is to stand
    in a file both count, the first where the target reads it as soon as it works there.
    """
    if not target.loads:
        return found
    loaded = {
        hit.memory.id: source
        for hit in (*found.pins, *found.hits)
        if (
            source := read_by(
                target,
                hit.memory,
                files,
                found.published.get(hit.memory.id, ()),
                project,
                standing=standing,
                is_retitled=hit.memory.id in retitled,
            )
        )
        is not None
    }
    if not loaded:
        return found
    gone = [hit for hit in (*found.pins, *found.hits) if hit.memory.id in loaded]
    told = [Withheld.of(hit.memory, _reason(target, loaded[hit.memory.id], files), hit.relevance) for hit in gone]
    hits = _filters_less(found.hits, loaded)
    return replace(
        found,
        pins=_filters_less(found.pins, loaded),
        hits=hits,
        withheld=(*told, *found.withheld),
        abstained=found.abstained or (None if hits else Reason(ReasonCode.ALL_LOADED)),
    )


def _filters_less(hits: tuple[Hit, ...], loaded: dict[str, Source]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in loaded)


def _reason(target: Target, source: Source, files: tuple[str, ...]) -> Reason:
    code = ReasonCode.ALREADY_LOADED if _is_in_reach(source, files) else ReasonCode.LOADED_THERE
    return Reason(code, target=target.name, path=source.path or source.format)


_SKILLS = re.compile(r"(?:^|.*?/)(?P<folder>\.[\w-]+/skills)/")


def loaded_form(source: Source) -> str:
    """Return what `Target.loads` calls the format of a source: that of a skill, with the folder of the skills.

    An assistant has the description of a skill, which is all that a memory says of it, from the start.
    """
    if source.format != "skill":
        return source.format
    found = _SKILLS.match(source.path or "")
    return f"skill:{found['folder']}" if found else source.format


def read_by(
    target: Target,
    memory: Memory,
    files: tuple[str, ...],
    published: tuple[Source, ...] = (),
    project: str | None = None,
    *,
    standing: bool = False,
    is_retitled: bool = False,
) -> Source | None:
    """Return the source by which the target reads a memory, or None if it does not.

    `published`: the blocks of memtui that it stands in, whatever the project. `project`: the one that is worked on.
    `standing`: whether a rule for certain paths counts whatever the files, and one of a subfolder that the target reads
    as soon as it works there, unless the memory holds for all the project. `is_retitled`: whether it has another title
    than in its source and says the same.
    """
    for source in memory.sources:
        is_same = source.imported_hash == content_hash(memory) or is_retitled
        if loaded_form(source) not in target.loads or not is_same:
            continue
        of_a_part = any(anchor.is_glob for anchor in memory.anchors)
        is_in_reach = _is_in_reach(source, files) or (standing and target.loads_below and of_a_part)
        if _is_index_only(source) or _is_named_otherwise(source) or not is_in_reach:
            continue
        if not standing and not _fits(source, memory, files):
            continue
        return source
    return next((block for block in published if _holds_for(block, target, memory, files, project)), None)


def _holds_for(block: Source, target: Target, memory: Memory, files: tuple[str, ...], project: str | None) -> bool:
    """Return whether a target reads a memory by a block of memtui in a file of its own."""
    form = _FORMAT_OF_BLOCK.get(block.format, block.format)
    if form not in target.loads or block.imported_hash != content_hash(memory) or block.agent != project:
        return False
    return form not in _SCOPED_RULES or memory.pinned or not memory.anchors or _is_about(memory, files)


def _is_about(memory: Memory, files: tuple[str, ...]) -> bool:
    return any(matches(anchor.path.split("::", 1)[0], file) for anchor in memory.anchors for file in files)


def _is_index_only(source: Source) -> bool:
    return source.format in _ON_DEMAND and PurePosixPath(source.path or "").name != _INDEX


def _is_named_otherwise(source: Source) -> bool:
    name = PurePosixPath(source.path or "").name
    return source.format in _NAMED_IN_CAPITALS and bool(name) and not name.partition(".")[0].isupper()


def _is_in_reach(source: Source, files: tuple[str, ...]) -> bool:
    """Return whether a source lies at the root, outside the project, or above a given file."""
    path = PurePosixPath(source.path or "")
    if path.is_absolute():
        return True
    folders = []
    for part in path.parts[:-1]:
        if part in _TOOL_FOLDERS or (source.format == "skill" and part.startswith(".")):
            break
        folders.append(part)
    here = PurePosixPath(*folders)
    return not folders or any(PurePosixPath(file).is_relative_to(here) for file in files)


def _fits(source: Source, memory: Memory, files: tuple[str, ...]) -> bool:
    globs = [anchor.path for anchor in memory.anchors if anchor.is_glob]
    if source.format not in _SCOPED_RULES or not globs:
        return True
    return any(matches(glob, file) for glob in globs for file in files)
