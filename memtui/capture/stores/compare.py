"""Plan the rows of other tools' stores: known by their ids, changed only where nobody changed them here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memtui.capture.draft import PLANTED, Draft, Skipped
from memtui.capture.import_plan import ImportOptions, Planned, PlanReason
from memtui.capture.secret_screening import SecretScreen
from memtui.capture.stores.screening import named, without_secrets
from memtui.capture.stores.tools import TOOLS
from memtui.domain.memory import Memory, Source, Tombstone, content_hash
from memtui.domain.record import Record
from memtui.vault.reader import VaultReader

Offered = tuple[Draft, str | None]  # A draft of a store with its project

SAME_TEXT = "same-text"
"""Notes a new memory whose text another one of the import states under another title, as a second tool's store may."""


class StorePlanner:
    """Compares the rows of stores with the vault."""

    def __init__(self, reader: VaultReader, options: ImportOptions, drafts: Sequence[Offered]) -> None:
        self._options = options
        self._drafts = drafts
        self._plain = {id(draft): _without_path(draft) for draft, _ in drafts}
        self._screen = SecretScreen(list(self._plain.values()), options.secret_patterns)
        self._stored = reader.get_many(draft.record_id for draft, _ in drafts)
        stones = reader.tombstones()
        self._stones = {stone.memory_id: stone for stone in stones}
        self._stones_by_content = {(stone.content_hash, stone.project): stone for stone in stones}
        unknown = [draft.content for draft, _ in drafts if draft.record_id not in self._stored]
        self._twins = {
            (content, project): identifier
            for content, owners in reader.ids_by_content(unknown).items()
            for identifier, project in reversed(owners)
        }
        twins = reader.get_many(self._twins.values())
        self._memories = {**twins, **self._stored}
        self.same_as: dict[str, str] = {}  # ids of rows that say what another memory says, with its id
        self.skipped: list[Skipped] = []

    def plan(self) -> list[Planned]:
        """Return what happens to each draft, in order."""
        items: list[Planned] = []
        seen: set[str] = set()
        texts: set[tuple[str, str | None]] = set()
        for draft, project in self._drafts:
            item = self._repeated(draft, project) if draft.record_id in seen else self._planned(draft, project)
            seen.add(draft.record_id)
            if item.action == "add":
                self._twins.setdefault((draft.content, project), draft.record_id)
                said = (" ".join(item.draft.insight.split()), item.project)
                if said in texts:
                    item = replace(item, draft=replace(item.draft, notes=(*item.draft.notes, SAME_TEXT)))
                texts.add(said)
            items.append(item)
        return items

    def _repeated(self, draft: Draft, project: str | None) -> Planned:
        return Planned("unchanged", draft, project, self._stored.get(draft.record_id), PlanReason.REPEATED.why())

    def _planned(self, draft: Draft, project: str | None) -> Planned:
        memory = self._stored.get(draft.record_id)
        if memory is not None:
            return self._known(draft, project, memory)
        stone = self._stones.get(draft.record_id) or self._stones_by_content.get((draft.content, project))
        if stone is not None and (stone.is_erased or not self._options.include_deleted):
            here = PlanReason.DELETED.why(stone.deed, stone.memory_id)
            why = PlanReason.DELETED_THERE.why(stone.actor) if _is_deleted_there(stone) else here
            return Planned("skip", draft, project, why=why)
        twin = self._twins.get((draft.content, project))
        if twin is not None and not (draft.record or {}).get("status"):
            self.same_as[draft.record_id] = twin
            return Planned("unchanged", draft, project, self._memories.get(twin), PlanReason.SAID_BY_OTHER.why())
        if self._options.allow_secret:
            return Planned("add", draft, project)
        return self._screened(draft, project)

    def _screened(self, draft: Draft, project: str | None) -> Planned:
        """Add a draft, without what holds a secret where the rest stands without it."""
        reason = self._screen.reason(self._plain[id(draft)])
        if not reason:
            return Planned("add", draft, project)
        rest = without_secrets(draft, project, self._options.secret_patterns)
        if rest is None:
            return self._secret(draft, reason)
        kept, home, left_out = rest
        self.skipped += left_out
        return Planned("add", kept, home)

    def _secret(self, draft: Draft, reason: str, memory: Memory | None = None) -> Planned:
        """Skip a draft that holds a secret; the reason names the row that it is about: a store has no lines."""
        reason = f"{named(draft, self._options.secret_patterns)} {reason}"
        return Planned("skip", draft, None, memory, PlanReason.SECRET.why(reason), holds_secret=True)

    def _known(self, draft: Draft, project: str | None, memory: Memory) -> Planned:
        """Decide on a row that is a memory already."""
        if memory.status == "retired" and not _is_retired(draft):
            if self._options.include_deleted:
                return Planned("restore", draft, project, memory, PlanReason.RESTORED.why(memory.standing))
            return Planned("skip", draft, project, memory, PlanReason.DELETED.why(memory.standing, memory.id))
        mine = next((one for one in memory.sources if one.format == draft.source.format), None)
        stated = mine.imported_hash if mine is not None else None
        if stated == draft.content:
            return self._moved_on(draft, project, memory)
        if memory.status == "merged":
            return Planned("unchanged", draft, project, memory, PlanReason.MERGED.why())
        reason = "" if self._options.allow_secret else self._screen.reason(self._plain[id(draft)])
        if reason:
            return self._secret(draft, reason, memory)
        if stated is None or content_hash(memory) != stated:
            return Planned("conflict", draft, project, memory, PlanReason.BOTH_EDITED.why())
        if PLANTED in draft.notes and memory.status == "active":
            return Planned("conflict", draft, project, memory, PlanReason.PLANTED.why())
        return Planned("update", draft, project, memory, PlanReason.EDITED.why(), becomes=_reworded(memory, draft))

    def _moved_on(self, draft: Draft, project: str | None, memory: Memory) -> Planned:
        """Take a new status or project of a memory that nobody has touched here since its import."""
        record, untouched = draft.record or {}, memory.version == 1
        status = record.get("status")
        if untouched and status and status != memory.status:
            cause = draft.stated.cause if draft.stated is not None else ""
            becomes = replace(memory, status=status, status_reason=record.get("status_reason") or "", cause=cause)
            return Planned("update", draft, project, memory, PlanReason.NEW_STATUS.why(status), becomes=becomes)
        if untouched and project is not None and memory.project is None:
            becomes = replace(memory, project=project)
            return Planned("update", draft, project, memory, PlanReason.PROJECT_KNOWN.why(), becomes=becomes)
        return Planned("unchanged", draft, project, memory)

    def kept_kin(self, records: Sequence[Record], items: Sequence[Planned]) -> tuple[list[Record], int]:
        """Return typed lines about memories that are there, and how many links have lost an end."""
        there = set(self._stored) | {item.draft.record_id for item in items if item.action == "add"}
        there |= {self.same_as[one] for one in self.same_as}
        kept: list[Record] = []
        lost = 0
        for record in records:
            if record["type"] == "link":
                ends = {end: self.same_as.get(record[end], record[end]) for end in ("from", "to")}
                if set(ends.values()) <= there and ends["from"] != ends["to"]:
                    kept.append({**record, **ends})
                else:
                    lost += 1
            elif record["type"] == "tombstone":
                if record["memory"] not in self._stored:
                    kept.append(record)
            elif record["memory"] in there:
                kept.append(record)
        return kept, lost


def _without_path(draft: Draft) -> Draft:
    """Return a draft to look for secrets in: its path is that of the store."""
    source = Source(format=draft.source.format, native_id=draft.source.native_id)
    record = {key: value for key, value in (draft.record or {}).items() if key != "source"}
    return replace(draft, source=source, record=record)


def _is_deleted_there(stone: Tombstone) -> bool:
    """Return whether a mark came with a store, in which it was deleted: its actor is the tool then."""
    return stone.actor in TOOLS


def _is_retired(draft: Draft) -> bool:
    return (draft.record or {}).get("status") in {"retired", "superseded"}


def _reworded(memory: Memory, draft: Draft) -> Memory:
    stated = draft.stated
    anchors = (
        memory.anchors
        if stated is None
        else (*stated.anchors, *(one for one in memory.anchors if one not in stated.anchors))
    )
    sources: tuple[Source, ...] = tuple(
        replace(one, imported_hash=draft.content, path=draft.source.path) if one.format == draft.source.format else one
        for one in memory.sources
    )
    return replace(
        memory,
        title=draft.title,
        insight=draft.insight,
        rationale=draft.rationale,
        snippet=draft.snippet,
        anchors=anchors,
        sources=sources,
    )
