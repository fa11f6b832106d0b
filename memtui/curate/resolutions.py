"""A person's decisions on proposals: not a duplicate, no contradiction, one of two, both with limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from memtui.analysis.contradictions import Contradiction, contradiction_between
from memtui.analysis.dismissals import Lesson
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.snapshot import (
    ALONE,
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    NOT_FRAGMENT,
    NOT_OVERSIZED,
    NOT_RELATED,
    NOT_RIPE,
    NOT_VAGUE,
    SINGLE_VERDICTS,
    pair_fingerprint,
    pair_of,
)
from memtui.curate.bulk_changes import require_texts, resolved
from memtui.curate.lifecycle import record_affirmation
from memtui.curate.memories import supersede, verdict_on
from memtui.curate.merge import Merged, merge_within
from memtui.domain.identity import Actor, require_person
from memtui.domain.memory import Anchor, Link, Memory, Verdict, content_hash
from memtui.domain.scope import ONLY
from memtui.errors import ConflictError, MemtuiError, NotFoundError, RefusedError, UsageError
from memtui.progress import ProgressCallback
from memtui.recall.eligibility import PHASES
from memtui.text.sanitize import one_line
from memtui.text.words import counted
from memtui.vault.text_search import refuse_secrets_in
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter


@dataclass(frozen=True, slots=True)
class Validity:
    """Where one of two contradicting memories holds."""

    paths: Sequence[str] = ()  # files, folders or globs of the project that it gets tied to and is recalled for alone
    # phases of the work, of `memtui.recall.eligibility.PHASES`, that it is recalled in alone
    phases: Sequence[str] = ()
    words: str = ""  # any other limit, in words

    @property
    def text(self) -> str:
        """All of it on one line, as it is appended to the memory's rationale."""
        return ", ".join(filter(None, [*self.paths, *self.phases, one_line(self.words)]))


_PATH = re.compile(r"\S*[/*?\[]\S*|\.?[\w-]+(?:\.[\w-]+)+")
"""What a person means as a path: something with a slash, a pattern, or a name with an extension."""


def parse_validity(text: str) -> Validity:
    """Return where a memory holds from what a person typed: `legacy/**, release, the old cluster`.

    Commas separate parts. A part whose every word is a path or a phase names those; any other is kept as words.
    """
    paths: list[str] = []
    phases: list[str] = []
    words: list[str] = []
    for part in one_line(text).split(","):
        named = part.split()
        if all(word in PHASES or _PATH.fullmatch(word) for word in named):
            phases += [word for word in named if word in PHASES]
            paths += [word.removeprefix("./").rstrip("/") for word in named if word not in PHASES]
        else:
            words.append(part.strip())
    return Validity(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(phases)), ", ".join(words))


def dismiss(vault: Vault, verdict: str, *groups: Iterable[str], actor: Actor) -> list[Verdict]:
    """Remember a verdict on every pair of each group of memories, until a text changes; one undoable change.

    What is like enough of them is not proposed again either, see `memtui.analysis.dismissals`.

    `verdict`: one of `memtui.analysis.snapshot.PROPOSAL_VERDICTS`. `groups`: prefixes of ids; of a verdict on single
    memories one id each.

    Returns:
        The verdicts that were not known before.

    Raises:
        UsageError: fewer than two memories.
        RefusedError: an agent cannot decide.
    """
    require_person(actor, "decide this")
    with vault.write(actor=actor.name, action=verdict) as writer:
        made: list[Verdict] = []
        first = ""
        for prefixes in map(list, groups):
            memories = {memory.id: memory for memory in resolved(writer, prefixes)}
            is_single = verdict in SINGLE_VERDICTS
            if len(memories) < 2 and not is_single:  # noqa: PLR2004 - a pair
                raise UsageError(
                    "Name at least two different memories",
                    where=" ".join(prefixes),
                    remedy="Give two or more different ids.",
                )
            known = {
                (old.memory_id, old.verdict, old.reason.removesuffix(f" {ALONE}")) for old in writer.verdicts(memories)
            }
            ends = zip(memories, memories, strict=True) if is_single else combinations(memories, 2)
            for pair in (pair_of(*both) for both in ends):
                one, other = memories[pair[0]], memories[pair[1]]
                new = verdict_on(one, verdict, writer.now, actor, f"{other.id} {pair_fingerprint(one, other)}")
                if (new.memory_id, new.verdict, new.reason) not in known:
                    made.append(replace(new, exposure_days=0.0))
            if verdict == NOT_CONTRADICTION:
                _drop_contradicts(writer, memories)
            first = first or next(iter(memories.values())).title
        writer.add_verdicts(made)
        more = f" and {len(groups) - 1} more" if len(groups) > 1 else ""
        writer.summary = f"dismiss as {_DISMISSED_AS[verdict]}: {first}{more}"
        return made


_DISMISSED_AS = {
    NOT_DUPLICATE: "duplicates",
    NOT_CONTRADICTION: "a contradiction",
    NOT_RELATED: "related",
    NOT_RIPE: "ripe for a conclusion",
    NOT_OVERSIZED: "oversized",
    NOT_VAGUE: "vague",
    NOT_FRAGMENT: "a fragment",
}


def unlearn(vault: Vault, lesson: Lesson, *, actor: Actor) -> int:
    """Propose again what is like the dismissed ones, which stay dismissed; one undoable change.

    Returns how many dismissals teach nothing from now on.

    Raises `RefusedError`: an agent cannot decide.
    """
    require_person(actor, "decide this")
    with vault.write(actor=actor.name, action="unlearn") as writer:
        writer.drop(lesson.verdicts)
        writer.add_verdicts(replace(one, reason=f"{one.reason} {ALONE}") for one in lesson.verdicts)
        writer.summary = f"unlearn: {lesson.finding} in {lesson.place}"
    return len(lesson.verdicts)


@dataclass(slots=True)
class CopiesMerged:
    """What became of groups of exact copies."""

    merged: list[Merged] = field(default_factory=list)  # one entry for each group
    # ids of a group with the error that kept it from being merged
    failed: list[tuple[tuple[str, ...], MemtuiError]] = field(default_factory=list)


def merge_copies(
    vault: Vault, groups: Iterable[DuplicateGroup], *, actor: Actor, progress: ProgressCallback | None = None
) -> CopiesMerged:
    """Merge every group of exact copies into its first memory, whose text does for all; one undoable change.

    A group that changed since is left as it is.
    """
    done = CopiesMerged()
    copies = [group for group in groups if group.copies]
    with vault.write(actor=actor.name, action="merge") as writer:
        for number, group in enumerate(copies):
            if progress:
                progress(number, len(copies))
            try:
                everyone = resolved(writer, group.ids)
                done.merged.append(merge_within(writer, everyone, actor=actor, texts=group.texts, one_text=True))
            except (ConflictError, NotFoundError, RefusedError, UsageError) as error:
                done.failed.append((group.ids, error))
        if done.merged:
            more = f", and {counted(len(done.merged) - 1, 'more group')} of copies" if len(done.merged) > 1 else ""
            first = done.merged[0]
            writer.summary = f"merge {len(first.originals) + 1} memories into {first.result.title}{more}"
    return done


def keep_one(vault: Vault, contradiction: Contradiction, keep: str, *, actor: Actor) -> Memory:
    """Decide a contradiction for one of the two, which supersedes the other; one undoable change. Returns the other.

    The one that is kept counts as verified.

    Raises:
        UsageError: `keep` is neither.
        ConflictError: a text changed since.
        RefusedError: an agent cannot decide, or one is no longer active.
    """
    require_person(actor, "decide this")
    _require_members([keep], contradiction)
    drop = next(identifier for identifier in contradiction.ids if identifier != keep)
    with vault.write(actor=actor.name, action="settle") as writer:
        memories = _active(writer, contradiction)
        _drop_contradicts(writer, contradiction.ids)
        supersede(writer, keep, drop, actor)
        writer.put_many(record_affirmation(writer, [memories[keep]], actor))
        writer.summary = f"settle for {memories[keep].title}"
        return writer.get(drop)


def keep_both(
    vault: Vault,
    contradiction: Contradiction,
    scopes: Mapping[str, Validity],
    *,
    actor: Actor,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Memory]:
    """Decide a contradiction by limiting where each of the two holds, and link them as related; one undoable change.

    Both count as verified.

    Raises:
        UsageError: a scope is given for another memory, or all are empty.
        ConflictError: a text changed since.
        SecretRefusedError: the words hold what looks like a secret.
        RefusedError: an agent cannot decide, or one is no longer active.
    """
    require_person(actor, "decide this")
    _require_members(scopes, contradiction)
    if not any(scope.text for scope in scopes.values()):
        raise UsageError("Say where at least one of them applies", remedy="Give a path, a phase, or words.")
    with vault.write(actor=actor.name, action="settle") as writer:
        memories = _active(writer, contradiction)
        limited = {identifier: _limited(memories[identifier], scope) for identifier, scope in scopes.items()}
        for memory in limited.values():
            refuse_secrets_in(memory, secret_patterns, unless_in=memories[memory.id])
        writer.put_many(record_affirmation(writer, (memories | limited).values(), actor))
        one, other = contradiction.ids
        _drop_contradicts(writer, contradiction.ids)
        writer.add_links([Link(from_id=one, type="relates", to_id=other, created_at=writer.now)])
        writer.summary = f"settle: both are right, {memories[one].title}"
        stored = writer.get_many(contradiction.ids)
        return [stored[identifier] for identifier in contradiction.ids]


def _limited(memory: Memory, scope: Validity) -> Memory:
    known = {anchor.path for anchor in memory.anchors}
    fresh = tuple(Anchor(path) for path in scope.paths if path not in known)
    limits = (f"{ONLY}{limit}" for limit in (*scope.paths, *scope.phases))
    return replace(
        memory,
        anchors=(*memory.anchors, *fresh),
        tags=tuple(dict.fromkeys([*memory.tags, *limits])),
        rationale=f"{memory.rationale}\n\nHolds for: {scope.text}".strip() if scope.text else memory.rationale,
    )


def contradiction_of(vault: Vault, one: str, other: str) -> Contradiction:
    """Return two memories as a contradiction, whether or not analysis would propose them as one.

    Raises:
        NotFoundError, AmbiguousIdError: an id names no memory, or several.
        UsageError: both are the same.
    """
    with vault.read() as reader:
        found = resolved(reader, (one, other))
    if len(found) != 2:  # noqa: PLR2004 - a pair
        raise UsageError("Name two different memories", where=f"{one} {other}", remedy="Give two different ids.")
    proposed = contradiction_between(found[0], found[1])
    if proposed is not None:
        return proposed
    texts = (content_hash(found[0]), content_hash(found[1]))
    titles = (found[0].title, found[1].title)
    return Contradiction((found[0].id, found[1].id), "value", "as named", ("", ""), titles, texts)


def _require_members(ids: Iterable[str], contradiction: Contradiction) -> None:
    for identifier in ids:
        if identifier not in contradiction.ids:
            raise UsageError(
                "This memory is not part of the contradiction",
                where=identifier,
                remedy="Give the id of one of the two.",
            )


def _drop_contradicts(writer: VaultWriter, ids: Iterable[str]) -> None:
    """Drop the `contradicts` links among memories, so that no list and no payload reports a decided contradiction."""
    pair = set(ids)
    writer.drop(
        link for link in writer.links(pair) if link.type == "contradicts" and {link.from_id, link.to_id} <= pair
    )


def _active(writer: VaultWriter, contradiction: Contradiction) -> dict[str, Memory]:
    """Return both memories, unchanged since the contradiction was found.

    Raises:
        RefusedError: one is no longer active.
        ConflictError: a text changed.
    """
    memories = writer.get_many(contradiction.ids)
    for identifier in contradiction.ids:
        if identifier not in memories or memories[identifier].status != "active":
            raise RefusedError("This memory is no longer active", where=identifier)
    require_texts(memories.values(), dict(zip(contradiction.ids, contradiction.texts, strict=True)))
    return memories
