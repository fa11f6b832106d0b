"""Take what a team changed into the vault, merged with what was changed here meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.domain.causes import PURGED
from memtui.domain.memory import Memory, content_hash, planted_reasons
from memtui.domain.record import Record
from memtui.sync.carrier import Incoming, Page, SyncReport, TeamConflict
from memtui.sync.local import KinStore, Local, hand_over, kin_of, read_local
from memtui.sync.merge import TEXTS, Merge, merge_records
from memtui.sync.wire import (
    LINK,
    MEMORY,
    TOMBSTONE,
    about,
    check_id,
    digest,
    kin_to_wire,
    memory_from_wire,
    memory_to_wire,
    orders_purge,
    past_to_wire,
    with_private,
)
from memtui.vault.source_texts import TEAM_PLACE, SourceText, Texts, put_source_texts
from memtui.vault.teams import (
    Head,
    PurgeOrder,
    Share,
    Thing,
    past_states,
    put_heads,
    put_orders,
    put_share,
    read_heads,
)
from memtui.vault.writer import VaultWriter


@dataclass(slots=True)
class _Past:
    """What the journal remembers of some memories, as hashes of their records on the wire, the oldest first."""

    states: Mapping[str, Sequence[tuple[str | None, Record]]]

    @classmethod
    def of(cls, writer: VaultWriter, identifiers: Sequence[str], person: str) -> _Past:
        found = past_states(writer, identifiers) if identifiers else {}
        return cls(
            {
                identifier: [(digest(wire), wire) for wire in (past_to_wire(one, person, writer.now) for one in states)]
                for identifier, states in found.items()
            }
        )

    def base(self, identifier: str, known: str | None, theirs: str | None) -> Record | None:
        """Return the newest state that both sides had.

        That is the team's own if this vault passed it after the last known one, as when an answer was lost.
        """
        states = self.states.get(identifier, ())
        at = {found: number for number, (found, _) in enumerate(states)}
        newest = max((known, theirs), key=lambda one: at.get(one, -1))
        return states[at[newest]][1] if newest in at else None


@dataclass(slots=True)
class PageTaker:
    """Takes one page into the vault, within one change of it."""

    writer: VaultWriter
    share: Share
    person: str
    shared: Collection[str | None]  # the projects that are shared with this team
    report: SyncReport
    heads: dict[Thing, Head] = field(default_factory=dict)
    put: dict[str, Memory] = field(default_factory=dict)
    passed: dict[str, Memory] = field(default_factory=dict)  # the team's states that were merged into something else
    texts: list[SourceText] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    ordered: set[str] = field(default_factory=set)  # ids of memories that the team ordered to be purged
    waiting: set[Thing] = field(default_factory=set)
    planted: frozenset[str] | None = None  # as in `Page`

    def take(self, page: Page) -> Share:
        """Store a page; returns the share as it is then."""
        self.planted = page.planted
        things = [one.thing for one in page.things]
        local = read_local(self.writer, self.share, self.person, things)
        known = read_heads(self.writer, self.share, things)
        self._take_orders(page.things)
        self._take_memories([one for one in page.things if one.thing[0] == MEMORY], local, known)
        self._take_kin([one for one in page.things if one.thing[0] != MEMORY], local, known)
        put_source_texts(self.writer, self.texts)
        put_heads(self.writer, self.share, self.heads)
        share = replace(self.share, cursor=page.cursor, waiting=tuple(sorted({*self.share.waiting, *self.waiting})))
        put_share(self.writer, share)
        self.report.pulled += len(things)
        self.report.skipped += page.unread
        return share

    # -- memories ---------------------------------------------------------------------------------

    def _take_memories(self, page: Sequence[Incoming], local: Local, known: Mapping[Thing, Head]) -> None:
        news = self._news(page, local)
        parted = [identifier for identifier, new in news.items() if self._is_parted(identifier, local, known, new)]
        past = _Past.of(self.writer, parted, self.person)
        elsewhere, purged = self._kept_out(news, local)
        again = about(thing for thing in self.share.waiting if thing[0] == TOMBSTONE)
        for one in page:
            head = known.get(one.thing)
            if one.thing[1] in elsewhere | purged.keys():
                if _is_to_be_told(head, is_purged=one.thing[1] in purged, is_ordered=one.thing[1] in again):
                    self.heads[one.thing] = Head(one.seq, digest(one.record))
                    self.waiting |= {one.thing, *purged.get(one.thing[1], ())}
            elif one.record is None and one.thing[1] in self.ordered:
                self.heads[one.thing] = Head(one.seq, head.hash if head else None)
            elif one.thing[1] in news:
                self._take_memory(one, news[one.thing[1]], local, known, past)
        self._join_twins(local)
        self._remove()
        # The journal has to have what the team has: whatever comes next is compared with that.
        for states in (self.passed, self.put):
            self.writer.put_many(states.values(), as_recorded=states.keys() - local.memories.keys())

    def _as_here(self, identifier: str, record: Record, local: Local) -> Memory:
        """Return the memory of a record; one whose new text looks planted is a candidate."""
        memory = memory_from_wire(record, check_id(identifier), self.share.project, self.writer.now)
        before = local.memories.get(identifier)
        is_accepted = before is not None and before.status == "active" and content_hash(before) == content_hash(memory)
        if memory.status == "active" and not is_accepted and self._looks_planted(memory):
            self.report.planted.append(identifier)
            return replace(memory, status="candidate")
        return memory

    def _looks_planted(self, memory: Memory) -> bool:
        return bool(planted_reasons(memory)) if self.planted is None else memory.id in self.planted

    def _news(self, page: Sequence[Incoming], local: Local) -> dict[str, Memory | None]:
        """Return the memories of a page by id, None where deleted; what makes no memory is skipped."""
        news: dict[str, Memory | None] = {}
        for one in page:
            try:
                news[one.thing[1]] = None if one.record is None else self._as_here(one.thing[1], one.record, local)
            except (ValueError, TypeError):
                self.report.skipped.append(f"memory {one.thing[1]}")
        return news

    def _kept_out(self, news: Mapping[str, Memory | None], local: Local) -> tuple[set[str], dict[str, set[Thing]]]:
        """Return the ids that the team has and this project does not get.

        These are memories that belong to a project which is not shared with the team, and those that were purged here,
        with the tombstones that say so.
        """
        absent = {identifier for identifier, new in news.items() if new is not None} - local.memories.keys()
        if not absent:
            return set(), {}
        elsewhere = {one.id for one in self.writer.get_many(absent).values() if one.project not in self.shared}
        purged: dict[str, set[Thing]] = {}
        for stone in self.writer.tombstones():
            if stone.cause == PURGED and stone.memory_id in absent:
                purged.setdefault(stone.memory_id, set()).add(kin_to_wire(stone, self.person)[0])
        return elsewhere, purged

    def _is_parted(self, identifier: str, local: Local, known: Mapping[Thing, Head], new: Memory | None) -> bool:
        thing = (MEMORY, identifier)
        mine, head = local.records.get(thing), known.get(thing)
        return mine is not None and new is not None and (head is None or digest(mine) != head.hash)

    def _take_memory(
        self, one: Incoming, new: Memory | None, local: Local, known: Mapping[Thing, Head], past: _Past
    ) -> None:
        identifier = one.thing[1]
        mine, head = local.records.get(one.thing), known.get(one.thing)
        theirs = None if new is None else memory_to_wire(new, self.person)
        there, here = digest(theirs), digest(mine)
        self.heads[one.thing] = Head(one.seq, there)
        if here == there:
            return
        is_mine_changed = here != (head.hash if head else None)
        if not is_mine_changed and new is None:
            self.removed.append(identifier)
        elif new is None or theirs is None:
            self.waiting.add(one.thing)  # an edit outlives a deletion
        elif not is_mine_changed or mine is None:
            self._put(new, local)
        elif head is None or there != head.hash:
            base = past.base(identifier, head.hash if head else None, there)
            self._merge(new, mine, merge_records(base, mine, theirs), base, local)

    def _put(self, memory: Memory, local: Local, *, passed: Memory | None = None) -> None:
        """Store a memory; `passed`: as the team has it, where that is something else."""
        for states, state in ((self.passed, passed), (self.put, memory)):
            if state is not None:
                stored = local.memories.get(state.id)
                states[state.id] = state if stored is None else with_private(state, stored)

    def _merge(self, new: Memory, mine: Record, merge: Merge, base: Record | None, local: Local) -> None:
        merged = memory_from_wire(merge.record, new.id, self.share.project, self.writer.now)
        if merge.texts:
            self.texts.append(_set_aside(merged, merge.set_aside(mine), base, self.writer))
        if merge.overruled:
            self.report.overruled.append(TeamConflict(new.id, merged.title, self.share.project, merge.overruled))
        is_more = digest(merge.record) != self.heads[MEMORY, new.id].hash
        if is_more:
            self.report.merged += 1
            self.waiting.add((MEMORY, new.id))
        self._put(merged, local, passed=new if is_more else None)

    def _join_twins(self, local: Local) -> None:
        """Make one memory of two that were imported from the same file on two machines: the team's id stays."""
        fresh = {content_hash(one): one for one in self.put.values() if one.id not in local.memories}
        found = self.writer.ids_by_content(set(fresh)) if fresh else {}
        twins = {
            identifier: fresh[content]
            for content, owners in found.items()
            for identifier, project in owners
            if project == self.share.project and identifier not in self.put
        }
        shared = read_heads(self.writer, self.share, [(MEMORY, identifier) for identifier in twins])
        alone = {one: new for one, new in twins.items() if (MEMORY, one) not in shared}
        for old in self.writer.get_many(alone).values():
            if old.status in {"active", "candidate"}:
                self._replace_twin(old, self.put[alone[old.id].id])

    def _replace_twin(self, old: Memory, new: Memory) -> None:
        theirs = memory_to_wire(new, self.person)
        merge = merge_records(None, memory_to_wire(old, self.person), theirs)
        merged = memory_from_wire(merge.record, new.id, self.share.project, self.writer.now)
        self.put[new.id] = with_private(merged, old)
        if digest(merge.record) != digest(theirs):
            self.passed[new.id] = new
            self.waiting.add((MEMORY, new.id))
        hand_over(self.writer, old.id, new.id)
        self.waiting |= kin_of(self.writer, self.share, self.person, [new.id])
        self.report.twins += 1

    def _remove(self) -> None:
        """Remove what the team deleted, with its links; the journal keeps both."""
        if self.removed:
            gone = set(self.removed)
            links = self.writer.links(gone)
            self.waiting |= {(LINK, f"{link.from_id} {link.type} {link.to_id}") for link in links}
            self.writer.drop(links)
            self.writer.remove(self.removed)

    # -- what hangs on memories -------------------------------------------------------------------

    def _take_kin(self, page: Sequence[Incoming], local: Local, known: Mapping[Thing, Head]) -> None:
        store = KinStore(self.writer, self.share, self.person)
        for one in page:
            mine, head = local.records.get(one.thing), known.get(one.thing)
            theirs = digest(one.record)
            self.heads[one.thing] = Head(one.seq, theirs)
            if _is_purge(one) and one.thing[1].split(" ")[0] in self.ordered:
                continue
            if digest(mine) == theirs or (head is not None and theirs == head.hash):
                continue
            is_mine_changed = digest(mine) != (head.hash if head else None)
            if one.record is None and (is_mine_changed or orders_purge(mine)):
                self.waiting.add(one.thing)  # also what keeps a purged memory out, whoever removed it there
                continue
            try:
                store.bring(one.thing, mine, one.record)
            except (KeyError, ValueError, TypeError):
                self.report.skipped.append(f"{one.thing[0]} {one.thing[1]}")
        store.store()

    def _take_orders(self, page: Sequence[Incoming]) -> None:
        """Note which memories the team ordered to be purged: they stay until a person has seen that."""
        purges = {one.thing[1].split(" ")[0]: one for one in page if _is_purge(one)}
        if not purges:
            return
        buried = {stone.memory_id for stone in self.writer.tombstones() if stone.cause == PURGED}
        here = {*self.writer.get_many(purges), *self.writer.ids_in_journal(purges)} - buried
        known = read_heads(self.writer, self.share, [(MEMORY, identifier) for identifier in here])
        elsewhere = {one.id for one in self.writer.get_many(here).values() if one.project != self.share.project}
        here -= {identifier for identifier in elsewhere if (MEMORY, identifier) not in known}
        self.ordered = here
        orders = [
            PurgeOrder(
                team=self.share.team,
                project=self.share.project,
                memory_id=identifier,
                author=str((purges[identifier].record or {}).get("actor") or purges[identifier].author),
                made_at=self.writer.now,
            )
            for identifier in sorted(here)
        ]
        put_orders(self.writer, orders)


def deletions(things: Iterable[Incoming]) -> set[Thing]:
    """Return the memories that were deleted there, rather than ordered to be purged."""
    gone, purged = set(), set()
    for one in things:
        if one.thing[0] == MEMORY and one.record is None:
            gone.add(one.thing)
        elif _is_purge(one):
            purged.add((MEMORY, one.thing[1].split(" ")[0]))
    return gone - purged


def _is_purge(one: Incoming) -> bool:
    return one.thing[0] == TOMBSTONE and orders_purge(one.record)


def _set_aside(merged: Memory, mine: Record, base: Record | None, writer: VaultWriter) -> SourceText:
    """Return one's own text as one that waits beside the team's, with the text that both were edited from."""
    stated = _texts(mine)
    return SourceText(
        memory_id=merged.id,
        path=f"{TEAM_PLACE}{stated.hash[:8]}",  # one place for each text that waits
        native_id=merged.id,
        span=None,
        base=_texts(base) if base is not None else None,
        stated=stated,
        seen_hash=stated.hash,
        seen_at=writer.now,
    )


def _texts(record: Record) -> Texts:
    return Texts(*(str(record.get(name) or "") for name in TEXTS))


def _is_to_be_told(head: Head | None, *, is_purged: bool, is_ordered: bool) -> bool:
    """Return whether the team is told of a memory that it has and that is not taken from it.

    What it had ordered to be purged and has again is purged there again; `is_ordered`: that order waits to be sent.
    """
    if is_purged and (head is not None or is_ordered):
        return True
    return head is not None and head.hash is not None
