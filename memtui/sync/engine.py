"""Sync one vault with one team: read what changed there, merge, send what changed here, until both agree.

The vault is never held while the network is waited for.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from memtui.capture.source_conflicts import open_conflicts
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, RefusedError
from memtui.sync.carrier import Accepted, Carrier, Held, Incoming, Outgoing, Page, SyncReport, TeamConflict, Wipe
from memtui.sync.local import all_things
from memtui.sync.merge import TEXTS
from memtui.sync.orders import Orders, judged, settle_orders, sort_orders
from memtui.sync.pull import PageTaker, deletions
from memtui.sync.push import Batch, collect, note_pushed, purges
from memtui.sync.sharing import UNASSIGNED
from memtui.sync.wire import LINK, MEMORY, TOMBSTONE, VERDICT, about, memories_of
from memtui.text.words import counted, some_of
from memtui.vault.lease import lease
from memtui.vault.rows import SYNC
from memtui.vault.source_texts import Texts
from memtui.vault.teams import (
    Share,
    Team,
    begin_anew,
    head_keys,
    ids_of_project,
    newest_change,
    note_synced,
    put_team,
    read_shares,
)
from memtui.vault.text_search import Patterns
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

PATIENCE_SECONDS = 120.0  # How long others may be faster before a sync gives up
BATCH_THINGS = 500  # Things of one push at most
BATCH_CHARACTERS = 8_000_000  # Of the texts of one push, unless one alone is longer

LAG_CHANGES = 100
"""Changes of the journal that are looked at again and again before it is noted that nothing in them is to be sent."""

MANY_DELETIONS = 10
"""More deletions at once than this, and than a quarter of what a project shares, wait for a person."""

_LONGEST_PAUSE = 0.1  # Seconds before another attempt: short, because whoever waits longer loses again


@dataclass(slots=True)
class Engine:
    """One sync of a vault with a team."""

    vault: Vault
    team: Team
    carrier: Carrier
    patterns: Patterns = ()  # the user's own patterns of secrets
    accepts_deletions: bool = False  # whether a person accepted deletions, however many they are

    def run(self) -> SyncReport:
        """Sync every shared project that one may see.

        Raises:
            RefusedError: one may see none of them any more.
            ConflictError: others wrote faster than this machine could follow.
        """
        report = SyncReport()
        self._settle_orders(self._waiting()[0])
        shares = self._shares()
        report.hidden = [share.remote for share in shares if not self.carrier.sees(share)]
        if report.hidden and len(report.hidden) == len(shares):
            raise RefusedError(
                "The team does not let you see what you shared with it",
                where=some_of([name or UNASSIGNED for name in report.hidden], 5),
                remedy="Nothing was changed. Ask the owner of the database, or run `memtui team leave`.",
            )
        for share in shares:
            if share.remote not in report.hidden:
                self._sync_share(share, report)
        self._name_team()
        orders, report.conflicts = self._waiting()
        self._settle_orders(orders)
        if orders.contested:
            orders, report.conflicts = self._waiting()
        report.orders = orders.waiting
        note_synced(self.vault, self.team, self.vault.now())
        return report

    def _shares(self) -> list[Share]:
        with self.vault.read() as reader:
            return read_shares(reader, self.team.id)

    def _sync_share(self, share: Share, report: SyncReport) -> None:
        share = self._begun(share)
        deadline = time.monotonic() + PATIENCE_SECONDS
        rounds = 0
        while time.monotonic() < deadline:
            if rounds:
                time.sleep(random.uniform(0, _LONGEST_PAUSE))  # noqa: S311 - only spreads the attempts
                self.carrier.connect()
            rounds += 1
            report.rounds = max(report.rounds, rounds)
            pulled = self._pull(share, report)
            if pulled is None:
                return
            share = pulled
            if self._push(share, report) is not None:
                return
        raise ConflictError(
            "The team writes faster than this machine can follow",
            where=self.team.name,
            remedy="What was received is stored. Sync again.",
        )

    def _waiting(self) -> tuple[Orders, list[TeamConflict]]:
        """Return the purges that were ordered, and the memories with a text of one's own beside the team's."""
        with self.vault.read() as reader:
            projects = {share.project for share in read_shares(reader, self.team.id)}
            found = [one for one in open_conflicts(reader) if one.text.is_team and one.memory.project in projects]
            orders = sort_orders(reader, self.team)
        conflicts = [
            TeamConflict(
                one.memory.id,
                one.memory.title,
                one.memory.project,
                _differing(one.text.stated, one.memory),
                is_purge=one.text.is_erasure,
            )
            for one in found
        ]
        return orders, conflicts

    def _settle_orders(self, orders: Orders) -> None:
        """Ask about purges over an edit, and forget those that are decided."""
        if orders.contested or orders.kept or orders.done:
            with self.vault.write(actor="team", action=SYNC) as writer:
                settle_orders(writer, self.team, sort_orders(writer, self.team))

    def _begun(self, share: Share) -> Share:
        """Return a share; one of a project that is empty here has nothing yet that would have to be looked at."""
        if share.pushed is not None or share.cursor:
            return share
        with self.vault.read() as reader:
            has_things = (
                ids_of_project(reader, share.project)
                or head_keys(reader, share)
                or all_things(reader, share, self.team.person)
            )
            return share if has_things else replace(share, pushed=newest_change(reader))

    # -- there to here ----------------------------------------------------------------------------

    def _pull(self, share: Share, report: SyncReport) -> Share | None:
        """Take what was changed there; None if so much of it is deletions that nothing was taken."""
        if self.carrier.is_anew(share):
            with self.vault.write(actor="team", action=SYNC, summary="read the team again") as writer:
                ordered = purges(writer, share).intersection([*head_keys(writer, share), *share.waiting])
                share = begin_anew(writer, share, ordered)
        pages: Iterable[Page] = self.carrier.pages(share)
        if share.cursor and not self.accepts_deletions:
            pages = list(pages)
            wipe = self._wipe(share, pages)
            if wipe is not None:
                report.wipes.append(wipe)
                return None
        for page in judged(pages, share.project, self.vault.now()):
            gone = deletions(page.things)
            if gone:
                share = self._remove(share, [one for one in page.things if one.thing in gone], report)
            rest = [one for one in page.things if one.thing not in gone]
            share = self._take(share, replace(page, things=rest), report)
        return share

    def _take(self, share: Share, page: Page, report: SyncReport) -> Share:
        """Take a page into the vault; nobody undoes that, but edits what it brought."""
        with self.vault.write(actor="team", action=SYNC) as writer:
            writer.undoable = False
            share = self._taker(writer, share, report).take(page)
            writer.summary = f"receive {counted(len(page.things), 'change')} from the team"
        return share

    def _remove(self, share: Share, things: Sequence[Incoming], report: SyncReport) -> Share:
        """Remove what the team deleted, as a change that can be undone, for everybody then."""
        with self.vault.write(actor="team", action=SYNC) as writer:
            taker = self._taker(writer, share, report)
            # The cursor moves with the rest of the page: until then it is read again.
            share = taker.take(Page(things, share.cursor))
            writer.summary = f"remove {counted(len(taker.removed), 'memory')} that the team deleted"
        if taker.removed:
            report.deleted += len(taker.removed)
            report.removals.append(writer.number)
        return share

    def _taker(self, writer: VaultWriter, share: Share, report: SyncReport) -> PageTaker:
        shared = {one.project for one in read_shares(writer, share.team)}
        return PageTaker(writer, share, self.team.person, shared, report)

    def _wipe(self, share: Share, pages: Sequence[Page]) -> Wipe | None:
        """Return what was deleted there, if that is so much of the project that it may be a mistake."""
        things = [one for page in pages for one in page.things]
        gone = deletions(things)
        about_gone = about(gone)
        kin = {one.thing for one in things if one.record is None and one.thing[0] in {LINK, VERDICT, TOMBSTONE}}
        kin = {thing for thing in kin if not about_gone.intersection(memories_of(thing))}
        if max(len(gone), len(kin)) <= MANY_DELETIONS:
            return None
        with self.vault.read() as reader:
            known = set(head_keys(reader, share))
            here = known.intersection((MEMORY, key) for key in ids_of_project(reader, share.project))
        attached = {thing for thing in known if thing[0] in {LINK, VERDICT, TOMBSTONE}}
        for lost, of in ((gone & here, here), (kin & attached, attached)):
            if len(lost) > MANY_DELETIONS and len(lost) > len(of) / 4:
                return Wipe(share.project, len(lost), len(of), is_of_memories=of is here)
        return None

    # -- here to there ----------------------------------------------------------------------------

    def _push(self, share: Share, report: SyncReport) -> Share | None:
        """Send what the team does not have; None if it has to be read again first."""
        with self.vault.read() as reader:
            batch = collect(reader, self.team, share, self.patterns, may_purge=self.carrier.may_purge(share))
            share = next(one for one in read_shares(reader, share.team) if one.project == share.project)
        report.held = [*(one for one in report.held if one not in batch.held), *batch.held]
        self._leave_unreadable(share, batch, report)
        self._leave_refused(share, batch, report)
        sent = self._send(share, batch, report) if batch.items else share
        if sent is None:
            return None
        is_behind = batch.is_whole or batch.upto - (share.pushed or 0) > LAG_CHANGES
        if not batch.items and (is_behind or set(share.waiting) != batch.waiting):
            sent = self._note(share, [], Accepted(), batch)
        return sent

    def _send(self, share: Share, batch: Batch, report: SyncReport) -> Share | None:
        """Send a batch in parts; None as soon as somebody else was faster."""
        parts = _parts(batch.items)
        for number, part in enumerate(parts):
            accepted = self.carrier.push(share, part)
            if accepted is None:
                return None
            sent = [item for item in part if item.thing not in accepted.secrets]
            batch.waiting |= accepted.secrets
            report.held += [
                Held((memories_of(thing) or [thing[1]])[0], ("refused there",)) for thing in accepted.secrets
            ]
            report.pushed += len(sent)
            share = self._note(share, sent, accepted, batch if number == len(parts) - 1 else None)
        return share

    def _leave_unreadable(self, share: Share, batch: Batch, report: SyncReport) -> None:
        """Hold back what would be written over something that cannot be read."""
        kept = self.carrier.unreadable(share, batch.items) if batch.items else set()
        if kept:
            batch.items = [item for item in batch.items if item.thing not in kept]
            batch.waiting |= kept
            report.skipped.extend(f"{entity} {key}" for entity, key in sorted(kept))
            report.behind.extend(sorted(about(kept)))

    def _leave_refused(self, share: Share, batch: Batch, report: SyncReport) -> None:
        """Hold back what one has no right to send there."""
        refused = [item for item in batch.items if not self.carrier.allows(share, item)]
        if refused:
            batch.items = [item for item in batch.items if item not in refused]
            batch.waiting |= {item.thing for item in refused}
        name = share.remote or share.project or ""
        report.refused = [one for one in report.refused if one[0] != name]
        number = len(refused) + batch.kept_from
        report.refused += [(name, number)] if number else []

    def _note(self, share: Share, part: list[Outgoing], accepted: Accepted, batch: Batch | None) -> Share:
        with self.vault.write(actor="team", action=SYNC) as writer:
            return note_pushed(writer, share, part, accepted, batch=batch)

    def _name_team(self) -> None:
        """Remember the id of the team, once there is something that bears it."""
        if self.team.team != self.carrier.team:
            self.team = replace(self.team, team=self.carrier.team)
            with self.vault.write(actor="team", action=SYNC) as writer:
                put_team(writer, self.team)


def _parts(items: Sequence[Outgoing]) -> list[list[Outgoing]]:
    """Return things in batches that a carrier takes in one go."""
    parts: list[list[Outgoing]] = []
    size = 0
    for item in items:
        length = sum(len(str((item.record or {}).get(name, ""))) for name in TEXTS)
        if not parts or len(parts[-1]) == BATCH_THINGS or size + length > BATCH_CHARACTERS:
            parts.append([])
            size = 0
        parts[-1].append(item)
        size += length
    return parts


def _differing(stated: Texts, memory: Memory) -> tuple[str, ...]:
    return tuple(name for name in TEXTS if getattr(stated, name) != getattr(memory, name))


@contextmanager
def one_at_a_time(vault: Vault) -> Iterator[None]:
    """Let one process sync a vault at a time. Raises `VaultBusyError`: another one does and takes long."""
    place = vault.path.with_name(f"{vault.path.name}.sync")
    with lease(place, exclusive=True, wait_seconds=vault.patience_seconds):
        yield
