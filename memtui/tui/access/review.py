"""What the Review screen asks the vault and tells it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.clock import days_after
from memtui.domain.freshness import decay, half_life_days, last_trusted_at
from memtui.domain.memory import Memory
from memtui.tui.access import Detail, Signature
from memtui.tui.access.review_verdicts import ReviewVerdicts, Shown
from memtui.tui.widgets.curve import Curve
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.file_changes import FileChange
    from memtui.curate.receipt import Receipt
    from memtui.curate.sessions import Progress, ReviewSession
    from memtui.vault.usage import StoredPack

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
        packs: packs to ask about, once nothing is left.
        paced: whether it is empty because what the person wants to review a day or a week is done.
    """

    session: ReviewSession
    progress: Progress
    resumed: bool
    receipt: Receipt | None
    signature: Signature
    packs: Sequence[StoredPack] = ()
    paced: bool = False


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
        moves: old path to new path of files that moved.
    """

    detail: Detail
    why: tuple[str, ...]
    curve: Curve
    files: tuple[FileChange, ...]
    similar: tuple[Similar, ...]
    moves: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> Shown:
        """The memory in the version that is shown, for a verdict on it."""
        memory = self.detail.view.memory
        return Shown(memory.id, memory.version)


class ReviewAccess(ReviewVerdicts):
    """The vault as the Review screen sees it."""

    def now(self) -> datetime:
        """Return the time by the vault's clock."""
        return self._vault.now()

    # -- looking ----------------------------------------------------------------------------------

    def begin(self, *, anew: bool = False) -> Opened:
        """Resume the session of the project in view, or look at the files and begin one."""
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
        self.look_after_files()
        most = None if anew else sessions.left_of_pace(self._reading, daily=opening.daily, weekly=opening.weekly)
        session = sessions.begin(
            self._vault,
            view.scope,
            project=view.project,
            actor=opening.actor,
            kinds=opening.kinds,
            size=opening.most,
            most=most,
            threshold=opening.threshold,
        )
        return replace(self.look_at(session), paced=most == 0)

    def look_at(self, session: ReviewSession, *, resumed: bool = False) -> Opened:
        """Return how far a session is."""
        from memtui.curate import sessions

        signature = self.signature()
        progress = sessions.progress(self._reading, session)
        if progress.left:
            return Opened(session, progress, resumed, None, signature)
        receipt = self.receipt(session) if progress.total else None
        packs = sessions.awaiting_feedback(self._reading, session)
        return Opened(session, progress, resumed, receipt, signature, packs)

    def receipt(self, session: ReviewSession) -> Receipt:
        """Return what a session came to."""
        from memtui.curate.receipt import receipt_of

        return receipt_of(self._reading, session, standing=self.standing(session))

    def note_standing(self, session: ReviewSession) -> ReviewSession:
        """Remember how large the standing payload is, for the receipt."""
        from memtui.curate import sessions

        return sessions.note_standing(self._vault, session, self.count_standing(), actor=self._opening.actor)

    # -- one memory -------------------------------------------------------------------------------

    def card(self, session: ReviewSession, identifier: str) -> ReviewCard | None:
        """Return what to decide on a memory by, None if it is gone."""
        from memtui.curate.file_changes import file_changes

        detail = self.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            tree = self._tree_of(reader, memory.project)
        moves = _still_tied(memory, self._moves.get(identifier, {}))
        return ReviewCard(
            detail,
            session.why.get(identifier, ()),
            self._curve(memory, detail.now),
            tuple(file_changes(memory, tree, moves=moves)),
            (*_linked(detail), *self._alike(memory, {*detail.titles, identifier})),
            moves,
        )

    def moves_left(self) -> dict[str, dict[str, str]]:
        """Return the moves that are not followed yet: per memory id, old path to new path."""
        moves = self.moves()
        with self._reading.read() as reader:
            memories = reader.get_many(moves)
        left = {identifier: _still_tied(memory, moves[identifier]) for identifier, memory in memories.items()}
        return {identifier: paths for identifier, paths in left.items() if paths}

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
        kinds, threshold = self._vault.kinds, self._opening.threshold
        half_life, floor = half_life_days(memory, kinds), kinds.floor
        age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
        is_crossed = threshold > floor
        crossing = half_life * math.log2((1.0 - floor) / (threshold - floor)) if is_crossed else math.inf
        length = max(2.0 * half_life, 1.2 * age, 1.3 * crossing if is_crossed else 0.0)
        values = tuple(
            1.0 if memory.pinned else decay(length * step / CURVE_STEPS, half_life, floor)
            for step in range(CURVE_STEPS + 1)
        )
        return Curve(values, min(1.0, age / length), threshold, _caption(memory, half_life, crossing, age))


def _still_tied(memory: Memory, moves: Mapping[str, str]) -> dict[str, str]:
    """Return the moves of files that a memory is tied to still: some may have been followed since the check."""
    paths = {anchor.path for anchor in memory.anchors}
    return {old: new for old, new in moves.items() if old in paths}


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
    if math.isinf(crossing):
        return f"half-life {half_life:.0f} d · never crosses the line"
    day = days_after(last_trusted_at(memory), min(crossing, 365_000))
    left = crossing - age
    when = (
        f"crosses {day:%Y-%m-%d}" if left > 0 else f"crossed {day:%Y-%m-%d}, {counted(int(-left), 'day', 'days')} ago"
    )
    return f"half-life {half_life:.0f} d · {when}"
