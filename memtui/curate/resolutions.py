"""A person's decisions on proposals: not a duplicate, not a contradiction, one of two, both with scopes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from memtui.analysis.contradictions import Contradiction, contradiction_between
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.snapshot import (
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    NOT_RIPE,
    pair_fingerprint,
    pair_of,
)
from memtui.curate.lifecycle import only_person
from memtui.curate.memories import refuse_secrets, supersede, verdict_on
from memtui.curate.merge import Merged, merge
from memtui.domain.actor import Actor
from memtui.domain.memory import (
    MOST_MERGED,
    Anchor,
    Link,
    Memory,
    Verdict,
    content_hash,
)
from memtui.domain.scope import ONLY
from memtui.errors import ConflictError, RefusedError, UsageError
from memtui.progress import ProgressCallback
from memtui.recall.phase import PHASES
from memtui.text.sanitize import one_line
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter


@dataclass(slots=True)
class Accepted:
    """What accepting several proposals came to.

    Attributes:
        merged: one entry for each change that was made.
        skipped: ids of a group and why it was left.
    """

    merged: list[Merged] = field(default_factory=list)
    skipped: list[tuple[tuple[str, ...], str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HoldsFor:
    """Where one of two clashing memories holds.

    Attributes:
        paths: files, folders or globs of the project that it gets tied to and is recalled for alone.
        phases: phases of the work, of `memtui.recall.phase.PHASES`, that it is recalled in alone.
        words: what else it holds for, in words.
    """

    paths: Sequence[str] = ()
    phases: Sequence[str] = ()
    words: str = ""

    @property
    def text(self) -> str:
        """All of it on one line, as it stands at the end of the memory's rationale."""
        return ", ".join(filter(None, [*self.paths, *self.phases, one_line(self.words)]))


_PATH = re.compile(r"\S*[/*?\[]\S*|\.?[\w-]+(?:\.[\w-]+)+")
"""What a person means as a path: something with a slash, a pattern, or a name with an ending."""


def scope_from(text: str) -> HoldsFor:
    """Return where a memory holds from what a person typed: `legacy/**, release, the old cluster`.

    Parts stand between commas. A part whose every word is a path or a phase names those; any other is kept as words.
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
    return HoldsFor(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(phases)), ", ".join(words))


def not_duplicates(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> list[Verdict]:
    """Remember that memories are no duplicates of each other, until a text changes; one undoable change.

    Raises:
        UsageError: fewer than two memories.
        RefusedError: an agent cannot decide.
    """
    return dismiss(vault, NOT_DUPLICATE, prefixes, actor)


def not_contradicting(vault: Vault, one: str, other: str, *, actor: Actor) -> list[Verdict]:
    """Remember that two memories are no contradiction, until a text changes; one undoable change.

    Raises:
        RefusedError: an agent cannot decide.
    """
    return dismiss(vault, NOT_CONTRADICTION, (one, other), actor)


def dismiss(vault: Vault, kind: str, prefixes: Sequence[str], actor: Actor) -> list[Verdict]:
    """Remember a verdict on every pair of these memories, until a text changes; one undoable change.

    Raises:
        UsageError: fewer than two memories.
        RefusedError: an agent cannot decide.
    """
    only_person(actor, "settle this")
    with vault.write(actor=actor.name, action=kind) as writer:
        memories = writer.get_many(dict.fromkeys(writer.resolve(prefix) for prefix in prefixes))
        if len(memories) < 2:  # noqa: PLR2004 - a pair
            raise UsageError("Name at least two different memories", where=" ".join(prefixes))
        known = {(verdict.memory_id, verdict.verdict, verdict.reason) for verdict in writer.verdicts(memories)}
        made = []
        for pair in (pair_of(*ends) for ends in combinations(memories, 2)):
            one, other = memories[pair[0]], memories[pair[1]]
            said = verdict_on(one, kind, writer.now, actor, f"{other.id} {pair_fingerprint(one, other)}")
            if (said.memory_id, said.verdict, said.reason) not in known:
                made.append(replace(said, exposure_days=0.0))
        if kind == NOT_CONTRADICTION:
            _unlink(writer, memories)
        writer.add_verdicts(made)
        writer.summary = f"{kind}: {next(iter(memories.values())).title}"
        return made


def accept_group(
    vault: Vault, group: DuplicateGroup, *, actor: Actor, into: str | None = None, project: str | None = None
) -> list[Merged]:
    """Merge a group as it was proposed, each merge of two to eight memories one undoable change.

    Of an easy group the text of the memory that is kept does for all; of others texts are joined.

    Raises:
        ConflictError: a text changed since.
        RefusedError, UsageError: as `memtui.curate.merge.merge`.
    """
    keep = into or group.ids[0]
    others = [identifier for identifier in group.ids if identifier != keep]
    step = MOST_MERGED - 1
    return [
        merge(
            vault,
            [keep, *others[at : at + step]],
            into=keep,
            actor=actor,
            project=project,
            texts=group.texts,
            one_text=group.pile == "easy",
        )
        for at in range(0, len(others), step)
    ]


def accept_copies(
    vault: Vault, groups: Iterable[DuplicateGroup], *, actor: Actor, progress: ProgressCallback | None = None
) -> Accepted:
    """Merge every group of exact copies; groups that moved meanwhile are skipped and told.

    Raises:
        Cancelled: raised by `progress`, and passed on; what was merged stays, each undoable.
    """
    accepted = Accepted()
    copies = [group for group in groups if group.copies]
    for done, group in enumerate(copies):
        if progress:
            progress(done, len(copies))
        try:
            accepted.merged += accept_group(vault, group, actor=actor)
        except (ConflictError, RefusedError, UsageError) as error:
            accepted.skipped.append((group.ids, str(error)))
    return accepted


def keep_one(vault: Vault, contradiction: Contradiction, keep: str, *, actor: Actor) -> Memory:
    """Settle a contradiction for one of the two: it supersedes the other; one undoable change. Returns the other.

    Raises:
        UsageError: `keep` is neither.
        ConflictError: a text changed since.
        RefusedError: an agent cannot decide, or one is not active any more.
    """
    only_person(actor, "settle this")
    if keep not in contradiction.ids:
        raise UsageError("This memory is no part of the contradiction", where=keep)
    drop = next(identifier for identifier in contradiction.ids if identifier != keep)
    with vault.write(actor=actor.name, action="settle") as writer:
        memories = _as_compared(writer, contradiction)
        _unlink(writer, contradiction.ids)
        supersede(writer, keep, drop, actor)
        writer.summary = f"settle for {memories[keep].title}"
        return writer.get(drop)


def keep_both(
    vault: Vault,
    contradiction: Contradiction,
    scopes: Mapping[str, HoldsFor],
    *,
    actor: Actor,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Memory]:
    """Settle a contradiction by saying where each of the two holds; links them as related; one undoable change.

    Raises:
        UsageError: a scope is named for another memory, or none says anything.
        ConflictError: a text changed since.
        SecretRefusedError: the words hold what looks like a secret.
        RefusedError: an agent cannot decide, or one is not active any more.
    """
    only_person(actor, "settle this")
    strange = next((identifier for identifier in scopes if identifier not in contradiction.ids), None)
    if strange is not None:
        raise UsageError("This memory is no part of the contradiction", where=strange)
    if not any(scope.text for scope in scopes.values()):
        raise UsageError("Say where at least one of them holds", remedy="Give a path, a phase, or words.")
    with vault.write(actor=actor.name, action="settle") as writer:
        memories = _as_compared(writer, contradiction)
        scoped = [_scoped(memories[identifier], scope) for identifier, scope in scopes.items()]
        for memory in scoped:
            refuse_secrets(memory, secret_patterns, unless_in=memories[memory.id])
        writer.put_many(scoped)
        one, other = contradiction.ids
        _unlink(writer, contradiction.ids)
        writer.add_links([Link(from_id=one, type="relates", to_id=other, created_at=writer.now)])
        writer.summary = f"settle: both hold, {memories[one].title}"
        stored = writer.get_many(contradiction.ids)
        return [stored[identifier] for identifier in contradiction.ids]


def _scoped(memory: Memory, scope: HoldsFor) -> Memory:
    known = {anchor.path for anchor in memory.anchors}
    fresh = tuple(Anchor(path) for path in scope.paths if path not in known)
    limits = (f"{ONLY}{limit}" for limit in (*scope.paths, *scope.phases))
    return replace(
        memory,
        anchors=(*memory.anchors, *fresh),
        tags=tuple(dict.fromkeys([*memory.tags, *limits])),
        rationale=f"{memory.rationale}\n\nHolds for: {scope.text}".strip() if scope.text else memory.rationale,
    )


def pair_named(vault: Vault, one: str, other: str) -> Contradiction:
    """Return two memories as a contradiction, to be settled as one whether or not a pass would propose it.

    Raises:
        NotFoundError, AmbiguousIdError: an id names none, or several.
        UsageError: both are the same.
    """
    with vault.read() as reader:
        found = list(reader.get_many(dict.fromkeys((reader.resolve(one), reader.resolve(other)))).values())
    if len(found) != 2:  # noqa: PLR2004 - a pair
        raise UsageError("Name two different memories", where=f"{one} {other}")
    proposed = contradiction_between(*found)
    if proposed is not None:
        return proposed
    texts = (content_hash(found[0]), content_hash(found[1]))
    titles = (found[0].title, found[1].title)
    return Contradiction((found[0].id, found[1].id), "value", "as named", ("", ""), titles, texts)


def _unlink(writer: VaultWriter, ids: Iterable[str]) -> None:
    """Take away what links memories as contradicting each other: it is settled, and no facet or payload tells of it."""
    pair = set(ids)
    writer.drop(
        link for link in writer.links(pair) if link.type == "contradicts" and {link.from_id, link.to_id} <= pair
    )


def _as_compared(writer: VaultWriter, contradiction: Contradiction) -> dict[str, Memory]:
    """Return both memories if they are what they were when the contradiction was found.

    Raises:
        ConflictError, RefusedError: they are not.
    """
    memories = writer.get_many(contradiction.ids)
    for identifier, text in zip(contradiction.ids, contradiction.texts, strict=True):
        memory = memories.get(identifier)
        if memory is None or memory.status != "active":
            raise RefusedError("This memory is not in use any more", where=identifier)
        if content_hash(memory) != text:
            raise ConflictError(
                "Its text was changed since the contradiction was found",
                where=f"{identifier} ({memory.title[:60]})",
                remedy="Nothing was settled. Look at it again.",
            )
    return memories


def not_ripe(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> list[Verdict]:
    """Remember that memories have no common conclusion, until a text changes; one undoable change.

    Raises:
        RefusedError: an agent cannot decide.
    """
    return dismiss(vault, NOT_RIPE, prefixes, actor)
