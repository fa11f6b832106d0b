"""The inbox in bulk: choose candidates by file, section and kind, decide on many, and never offer a file again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from memtui.curate.bulk_changes import Batch, Outcome, Skipped, SkipReason, apply_to_each
from memtui.curate.lifecycle import record_acceptance, record_verification, settle_replaced
from memtui.curate.memories import edited_memory
from memtui.domain.causes import NEVER_OFFERED, PASSED_OVER, REJECTED
from memtui.domain.identity import Actor, require_person
from memtui.domain.memory import Memory, Source, heading_of, planted_reasons
from memtui.errors import NotFoundError
from memtui.text.words import counted
from memtui.vault.filters import MemoryFilter
from memtui.vault.passed_files import PassedFile, offer_again, pass_files, passed_files
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault

_READ_CHARACTERS = 2_000  # Of a text, for filters


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate as it is grouped, filtered and chosen."""

    id: str
    version: int
    project: str | None
    kind: str
    title: str
    insight: str  # its beginning
    path: str | None  # its first source's, None for what was typed or proposed
    heading: str  # the headings above it, outermost first, joined with ` > `; may be empty
    line: int | None
    origin: str  # who or what it came from where there is no file
    score: float = 1.0  # how sure what proposed it was, 0–1

    @property
    def is_proposed(self) -> bool:
        """Whether a program proposed it, and no file of rules states it."""
        return self.score < 1.0 or (self.path is None and self.origin != "memtui")


def read_offers(reader: VaultReader, wanted: MemoryFilter) -> list[Offer]:
    """Return the candidates of a filter, the newest first, those that came together in the order of their sources."""
    found = reader.rows_of(
        f"m.id, m.version, m.project, m.kind, m.title, left(m.insight, {_READ_CHARACTERS}), m.sources[1].path,"
        " m.sources[1].native_id, m.sources[1].span[1], coalesce(m.sources[1].agent, m.sources[1].format),"
        " m.confidence",
        wanted,
        "ORDER BY m.created_at DESC, m.key",
    )
    return [
        Offer(*row[:7], heading_of(row[7]), row[8], row[9] or "", row[10])  # type: ignore[call-arg] # eleven columns
        for row in found
    ]


def chosen_offers(
    offers: Iterable[Offer], *, file: str | None = None, section: str | None = None, kind: str | None = None
) -> list[Offer]:
    """Return the offers that come from a file, stand in a section, and have a kind, as far as these are given.

    `file` is a whole path, else the end of one or a folder; `section` one of the headings or several that follow each
    other, joined with ` > `, in any case.

    Raises:
        NotFoundError: there are none.
    """
    found = [offer for offer in offers if kind in {None, offer.kind} and _stands_in(offer, section)]
    found = found if file is None else _from_file(found, file)
    if not found:
        where = ", ".join(str(part) for part in (file, section, kind) if part is not None)
        raise NotFoundError("No candidate matches", where=where, remedy="`memtui inbox` lists the candidates.")
    return found


def _stands_in(offer: Offer, section: str | None) -> bool:
    return section is None or f" > {section} > ".casefold() in f" > {offer.heading} > ".casefold()


def _from_file(offers: Sequence[Offer], file: str) -> list[Offer]:
    part = f"/{file.strip('/')}/"
    whole = [offer for offer in offers if offer.path == file]
    return whole or [offer for offer in offers if offer.path is not None and part in f"/{offer.path}/"]


def decide(
    vault: Vault,
    accepting: Sequence[str],
    rejecting: Sequence[str] = (),
    *,
    actor: Actor,
    folder: Path,
    project: str | None = None,
    edits: Mapping[str, Mapping[str, Any]] | None = None,
    versions: Mapping[str, int] | None = None,
    careful: bool | None = None,
    is_vouched: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Outcome:
    """Accept and reject candidates as one change; of several, those that a person should read first are skipped.

    Skipped are those that look planted, and those without a project, as they would go to that of the folder.

    Args:
        edits: new values by field of those that are accepted with other words, by id.
        versions: version of each when it was read; those that changed since are skipped.
        careful: whether to skip these even if there is only one, which otherwise counts as read.
        is_vouched: whether the person was told why the only one looks planted: it counts as verified then.

    Raises:
        RefusedError: an agent cannot accept.
        SecretRefusedError: new words hold what looks like a secret.
    """
    from memtui.curate.anchors import note_states

    require_person(actor, "accept")
    changes, known = edits or {}, versions or {}
    many = len(accepting) + len(rejecting) > 1
    skipped = _unread(vault, accepting, changes) if careful or many else []
    left_out, going = {each.id for each in skipped}, frozenset(rejecting)
    if not (chosen := [each for each in (*accepting, *rejecting) if each not in left_out]):
        return Outcome(skipped=tuple(skipped))
    note_states(vault, [each for each in chosen if each not in going], folder, project)
    vouched = is_vouched and not many
    outcome = apply_to_each(
        vault,
        chosen,
        actor,
        "inbox" if rejecting else "accept",
        _Decision(going, changes, actor, folder, project, secret_patterns, is_vouched=vouched),
        versions={each: known[each] for each in known.keys() - left_out},
        summary=_mixed if rejecting else None,
        afterwards=partial(settle_replaced, actor=actor),
    )
    return replace(outcome, skipped=(*outcome.skipped, *skipped))


@dataclass(frozen=True, slots=True)
class _Decision:
    """What `decide` makes of one candidate."""

    rejected: frozenset[str]
    edits: Mapping[str, Mapping[str, Any]]
    actor: Actor
    folder: Path
    project: str | None
    secret_patterns: Sequence[tuple[str, str]]
    is_vouched: bool

    def __call__(self, batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status != "candidate":
            return Skipped(memory.id, SkipReason.NOT_CANDIDATE, memory.standing)
        if memory.id in self.rejected:
            batch.bury(memory, REJECTED)
            return memory.put_out(REJECTED)
        if values := self.edits.get(memory.id):
            patterns = self.secret_patterns
            memory = edited_memory(batch.writer, memory, values, actor=self.actor, secret_patterns=patterns)
        return _taken(batch, memory, self.folder, self.project, is_vouched=self.is_vouched)


def _taken(batch: Batch, memory: Memory, folder: Path, project: str | None, *, is_vouched: bool) -> Memory:
    memory = record_acceptance(batch, memory, folder=folder, project=project)
    return record_verification(batch, memory, None) if is_vouched else memory


def _mixed(changed: Sequence[Memory]) -> str:
    accepted_ones = sum(memory.status == "active" for memory in changed)
    return f"accept {accepted_ones:,} and reject {counted(len(changed) - accepted_ones, 'memory')}"


def _unread(vault: Vault, identifiers: Sequence[str], edits: Mapping[str, Mapping[str, Any]]) -> list[Skipped]:
    """Return those that a person should read by themselves, as they would be accepted."""
    with vault.read() as reader:
        found = reader.get_many(identifiers)
    candidates = [replace(found[each], **edits.get(each, {})) for each in identifiers if each in found]
    planted = [Skipped(memory.id, SkipReason.PLANTED) for memory in candidates if planted_reasons(memory)]
    named = {each.id for each in planted}
    homeless = (memory.id for memory in candidates if memory.project is None and memory.id not in named)
    return [*planted, *(Skipped(identifier, SkipReason.UNASSIGNED) for identifier in homeless)]


# -- files that are never offered again --------------------------------------------------------------


def never_offer(vault: Vault, project: str | None, path: str, *, actor: Actor, folder: Path) -> Outcome:
    """Let imports pass over a file from now on, and reject what waits from it alone, as one change.

    `folder`: the working directory, whose repository shows which other sources are links to the file, or import it.

    Raises:
        RefusedError: an agent cannot decide that.
    """
    from memtui.curate.projects import root_for

    require_person(actor, "leave a file out of imports")
    with vault.read() as reader:
        ids = [offer.id for offer in read_offers(reader, _waiting_in(project)) if offer.path == path]
        root = root_for(reader, folder)
    reason = f"{path}{NEVER_OFFERED}"

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        own = next((source for source in memory.sources if source.path == path), None)
        if memory.status != "candidate" or own is None or any(_states(root, each, own) for each in memory.sources):
            return Skipped(memory.id, SkipReason.NOT_CANDIDATE, memory.standing)
        batch.bury(memory, REJECTED, reason)
        return memory.put_out(PASSED_OVER, reason)

    return apply_to_each(
        vault,
        ids,
        actor,
        "never",
        step,
        summary=lambda changed: f"never offer {path} again ({counted(len(changed), 'candidate')} rejected)",
        first=lambda writer: pass_files(writer, [PassedFile(project, path, writer.now, actor.name)]),
    )


def _states(root: Path, source: Source, own: Source) -> bool:
    """Return whether another file states a text too, and is no link to the one that does, nor imports it."""
    if source.path == own.path:
        return False
    if source.span is None and source.native_id == own.native_id:
        return False  # it imports the file
    if (source.span, source.native_id) != (own.span, own.native_id):
        return True
    here, there = root / (own.path or ""), root / (source.path or "")
    if os.path.realpath(here) == os.path.realpath(there):
        return False
    return _lines(there, own.span) == _lines(here, own.span)


def _lines(path: Path, span: tuple[int, int] | None) -> list[bytes] | None:
    first, last = span or (1, None)
    try:
        return path.read_bytes().splitlines()[first - 1 : last]
    except OSError:
        return None


def offer_file_again(vault: Vault, file: PassedFile, *, actor: Actor) -> Outcome:
    """Let imports read a file again, and bring what was rejected with it back into the inbox, as one change."""
    require_person(actor, "take a file into imports again")
    wanted = replace(_waiting_in(file.project), statuses=("retired",))
    with vault.read() as reader:
        ids = [offer.id for offer in read_offers(reader, wanted) if offer.path == file.path]

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.put_out_by != PASSED_OVER:
            return Skipped(memory.id, SkipReason.SAME)
        writer = batch.writer
        writer.drop([stone for stone in writer.tombstones() if stone.memory_id == memory.id])
        return memory.taken_up("candidate")

    outcome = apply_to_each(
        vault,
        ids,
        actor,
        "never",
        step,
        summary=lambda changed: f"offer {file.path} again ({counted(len(changed), 'candidate')} back)",
        first=lambda writer: offer_again(writer, file),
    )
    return replace(outcome, skipped=())


def _waiting_in(project: str | None) -> MemoryFilter:
    from memtui.vault.filters import Scope

    scope = Scope((), with_unassigned=True) if project is None else Scope((project,))
    return MemoryFilter(scope=scope, statuses=("candidate",))


def passed_file(vault: Vault, projects: Sequence[str | None], name: str) -> PassedFile:
    """Return the file that is passed over in one of these projects, by its path or the end of it.

    Raises:
        NotFoundError: there is none.
    """
    with vault.read() as reader:
        files = [file for file in passed_files(reader) if not projects or file.project in projects]
    named = [file for file in files if file.path == name]
    named = named or [file for file in files if f"/{file.path}".endswith(f"/{name.removeprefix('./')}")]
    if len(named) != 1:
        raise NotFoundError(
            "Several ignored files have this name" if named else "No ignored file has this name",
            where=name,
            remedy="`memtui inbox never --list` names them.",
        )
    return named[0]
