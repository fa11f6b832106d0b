"""What the Review screen asks the vault and tells it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.freshness import FLOOR, half_life_days, last_trusted_at
from memtui.domain.memory import Memory
from memtui.tui.access import Detail, Done, Signature, VaultAccess
from memtui.tui.widgets.curve import Curve
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.file_changes import FileChange
    from memtui.curate.sessions import Progress, Receipt, ReviewSession

CURVE_STEPS = 120
"""Points of a curve; a wide terminal has about so many columns for it."""

MOST_SIMILAR = 8
"""Memories offered as the one that supersedes."""

NEIGHBOURS_SHOWN = 6

LEAST_ALIKE = 0.25
"""Likeness from which a memory is shown as a neighbour: a quarter of the words of meaning are the same."""

_DAY_SECONDS = 86_400.0
_SIGNS = {
    "contradicts": "≠ contradicts",
    "supersedes": "> supersedes",
    "duplicates": "= duplicates",
    "derived-from": "← derived from",
    "relates": "~ relates to",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """A session with how far it is.

    Attributes:
        resumed: whether it was begun earlier.
        receipt: what it came to, once nothing is left.
        signature: what the file system said of the vault before it was looked at.
    """

    session: ReviewSession
    progress: Progress
    resumed: bool
    receipt: Receipt | None
    signature: Signature


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory that is like the one in review.

    Attributes:
        how: the sign and word of a link, or `≈ 0.81 similar`.
        near: whether it is worth a line beside the memory; the others are only offered to supersede it.
    """

    id: str
    title: str
    how: str
    near: bool = True


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """Everything to decide on one memory by.

    Attributes:
        why: reasons in words.
        similar: linked memories first.
    """

    detail: Detail
    why: tuple[str, ...]
    curve: Curve
    files: tuple[FileChange, ...]
    similar: tuple[Similar, ...]


class ReviewAccess(VaultAccess):
    """The vault as the Review screen sees it."""

    # -- looking ----------------------------------------------------------------------------------

    def begin(self, *, anew: bool = False) -> Opened:
        """Resume the session of the project in view, or begin one."""
        from memtui.curate import sessions

        opening = self._opening
        with self._reading.read() as reader:
            view = self._view_of(reader)
        session = (
            None
            if anew
            else sessions.resume(self._reading, project=view.project, kinds=opening.kinds, size=opening.most)
        )
        if session is not None:
            return self.look_at(session, resumed=True)
        session = sessions.begin(
            self._vault,
            view.scope,
            project=view.project,
            actor=opening.actor,
            kinds=opening.kinds,
            size=opening.most,
            threshold=opening.threshold,
        )
        return self.look_at(session)

    def look_at(self, session: ReviewSession, *, resumed: bool = False) -> Opened:
        """Return how far a session is."""
        from memtui.curate import sessions

        signature = self.signature()
        progress = sessions.progress(self._reading, session)
        done = progress.total and not progress.left
        return Opened(session, progress, resumed, self.receipt(session) if done else None, signature)

    def receipt(self, session: ReviewSession) -> Receipt:
        """Return what a session came to."""
        from memtui.curate import sessions

        return sessions.receipt(self._reading, session)

    def card(self, session: ReviewSession, identifier: str) -> ReviewCard | None:
        """Return what to decide on a memory by, None if it is gone."""
        from memtui.curate.file_changes import file_changes

        detail = self.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            tree = self._tree_of(reader, memory.project)
        return ReviewCard(
            detail,
            session.why.get(identifier, ()),
            self._curve(memory, detail.now),
            tuple(file_changes(memory, tree)),
            (*_linked(detail), *self._alike(memory, {*detail.titles, identifier})),
        )

    def _alike(self, memory: Memory, known: set[str]) -> Sequence[Similar]:
        from memtui.curate.duplicates import likeness
        from memtui.curate.wording import wording_of
        from memtui.recall.searching import search

        with self._reading.read() as reader:
            scope = self._view_of(reader).scope
        words = f"{memory.title} {memory.insight[:300]}"
        hits = search(
            self._reading, words, scope, limit=MOST_SIMILAR, settings=self._opening.recall, now=self._vault.now()
        )
        mine = wording_of(memory.title[:300], memory.insight)
        found = [
            (
                likeness(mine, wording_of(hit.memory.title[:300], hit.memory.insight)),
                hit.memory.id,
                tame(hit.memory.title),
            )
            for hit in hits
            if hit.memory.id not in known
        ]
        return [
            Similar(identifier, title, f"≈ {score:.2f} similar", near=score >= LEAST_ALIKE)
            for score, identifier, title in sorted(found, key=lambda one: -one[0])
        ]

    def _curve(self, memory: Memory, now: datetime) -> Curve:
        """Return the curve from the last verification to where it is long past the line."""
        half_life, threshold = half_life_days(memory, self._vault.kinds), self._opening.threshold
        age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
        crossing = half_life * math.log2((1.0 - FLOOR) / (threshold - FLOOR))
        length = max(2.0 * half_life, 1.2 * age, 1.3 * crossing)
        values = tuple(
            1.0 if memory.pinned else FLOOR + (1.0 - FLOOR) * 2.0 ** (-length * step / CURVE_STEPS / half_life)
            for step in range(CURVE_STEPS + 1)
        )
        return Curve(values, min(1.0, age / length), threshold, _caption(memory, half_life, crossing, age))

    # -- verdicts ---------------------------------------------------------------------------------

    def retire_for(self, identifier: str, reason: str) -> Done:
        """Retire a memory with a reason."""
        from memtui.curate import lifecycle

        return self._act(
            partial(lifecycle.retire, self._vault, [identifier], actor=self._opening.actor, reason=reason), "Retired"
        )

    def snooze(self, identifier: str, days: float) -> Done:
        """Put a memory off for some days."""
        from memtui.clock import days_after
        from memtui.curate import lifecycle

        until = days_after(self._vault.now(), days)
        return self._act(
            partial(lifecycle.snooze, self._vault, [identifier], until=until, actor=self._opening.actor),
            f"Snoozed until {until:%Y-%m-%d}",
        )

    def set_kind(self, identifier: str, kind: str) -> Done:
        """Give a memory another kind."""
        from memtui.curate import lifecycle

        return self._act(
            partial(lifecycle.change_kind, self._vault, [identifier], kind, actor=self._opening.actor), f"Now a {kind}"
        )

    def set_half_life(self, identifier: str, days: float | None) -> Done:
        """Give a memory a half-life of its own, or that of its kind again."""
        from memtui.curate.editing import edit_memory

        self._opening.before_change()
        memory = edit_memory(self._vault, identifier, {"half_life_days": days}, actor=self._opening.actor)
        word = f"Half-life {days:g} d" if days else "Half-life of its kind"
        return Done(f"{word}: {tame(memory.title)}")

    def supersede_by(self, identifier: str, newer: str) -> Done:
        """Say that another memory replaces this one."""
        from memtui.curate.linking import link

        self._opening.before_change()
        link(self._vault, newer, "supersedes", identifier, actor=self._opening.actor)
        return Done("Superseded")

    def kinds(self) -> Sequence[str]:
        """Return the kinds there are."""
        return self._vault.kinds.names()

    # -- the receipt ------------------------------------------------------------------------------

    def copy_receipt(self, session: ReviewSession, send_escape: Callable[[str], bool]) -> Done:
        """Copy a session's receipt; the message says which route carried it."""
        from memtui.curate.sessions import receipt_text
        from memtui.pack.clipboard import copy

        copied = copy(receipt_text(self.receipt(session)), send_escape=send_escape)
        return Done(copied.message, changed=copied.route != "none")

    def write_receipt(self, session: ReviewSession, folder: Path) -> Done:
        """Write a session's receipt into the working directory, beside any earlier one."""
        from memtui.curate.sessions import receipt_text
        from memtui.publish.files import write_atomically

        stem = f"memtui-review-{session.started_at:%Y-%m-%d}"
        path, number = folder / f"{stem}.txt", 1
        while path.exists():
            number += 1
            path = folder / f"{stem}.{number}.txt"
        write_atomically(path, receipt_text(self.receipt(session)).encode())
        return Done(f"Wrote {path}")


def _linked(detail: Detail) -> list[Similar]:
    me = detail.view.memory.id
    found = []
    for link in detail.view.links:
        other = link.to_id if link.from_id == me else link.from_id
        how = _SIGNS.get(link.type, link.type) if link.from_id == me else f"{_SIGNS.get(link.type, link.type)} this"
        found.append(Similar(other, detail.titles.get(other, other), how))
    return found


def _caption(memory: Memory, half_life: float, crossing: float, age: float) -> str:
    if memory.pinned:
        return "pinned: never stale"
    day = last_trusted_at(memory) + timedelta(days=min(crossing, 365_000))
    left = crossing - age
    when = (
        f"crosses {day:%Y-%m-%d}" if left > 0 else f"crossed {day:%Y-%m-%d}, {counted(int(-left), 'day', 'days')} ago"
    )
    return f"half-life {half_life:.0f} d · {when}"
