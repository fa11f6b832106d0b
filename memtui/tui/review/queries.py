"""What the Review screen reads, and the receipt of a session."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock

from memtui.analysis.duplicates import likeness
from memtui.analysis.text_features import wording_of
from memtui.curate import review_sessions
from memtui.curate.decay import days_text
from memtui.curate.file_history import FileChange, file_changes
from memtui.curate.health import standing_payload
from memtui.curate.moved_paths import Moves, that_name_old_paths
from memtui.curate.review_queue import SourceNews, source_news
from memtui.curate.review_sessions import Progress, Receipt, ReviewSession, receipt_of
from memtui.domain.freshness import UNTIL_CHANGE, crossing_days, decay, half_life_days, last_trusted_at
from memtui.domain.lessons import snoozes_of
from memtui.domain.memory import Memory
from memtui.pack.clipboard import copy
from memtui.publish.files import write_atomically
from memtui.recall.search import search
from memtui.text.sanitize import tame
from memtui.tui.memory_view import due_words
from memtui.tui.values import Detail, Done, Signature
from memtui.tui.vault_access import FileChecks, VaultAccess, health_options
from memtui.tui.widgets.detail import Curve, memory_labels
from memtui.vault.packs import StoredPack
from memtui.vault.review_triggers import asked_about
from memtui.wording.copying import copied_words
from memtui.wording.reviewing import receipt_text

_NAMING = Lock()  # Held while a free name is found and taken: two writes at once would find the same


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory in the version that was shown, for a verdict on it."""

    id: str
    version: int

    @property
    def versions(self) -> Mapping[str, int]:
        """The version by id, as the services take it."""
        return {self.id: self.version}


CURVE_STEPS = 120  # Points of a curve; a wide terminal has about so many columns for it
MOST_SIMILAR = 8  # Memories offered to supersede the one in review

NEIGHBOURS_SHOWN = 6

LONGEST_TEXT = 300  # Characters of a neighbour's text

LEAST_SIMILAR = 0.25
"""Similarity from which a memory is shown as a neighbour: a quarter of the content words are the same."""

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
    """A session and its progress."""

    session: ReviewSession
    progress: Progress
    resumed: bool  # whether it was started earlier
    receipt: Receipt | None  # its result, once nothing is left
    signature: Signature  # of the vault's files before the session was read
    packs: Sequence[StoredPack] = ()  # packs to ask for feedback on, once nothing is left
    holiday: datetime | None = None  # the end of the holiday that it is, in which nothing becomes due
    paced: bool = False  # whether it is empty because the daily or weekly number of reviews is reached

    @property
    def is_empty(self) -> bool:
        """Whether nothing was due when it began, and no pack waited for feedback."""
        return not self.session.ids and not self.session.packs


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory that is linked or similar to the one in review."""

    id: str
    title: str
    how: str  # the sign and word of a link, or `≈ 0.81 similar`
    text: str = ""  # its insight, shown where there is room
    near: bool = True  # whether it is listed beside the memory; the others are only offered to supersede it


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """A memory in review with its evidence."""

    detail: Detail
    why: tuple[str, ...]
    curve: Curve
    files: tuple[FileChange, ...]
    similar: tuple[Similar, ...]
    moves: Mapping[str, str] = field(default_factory=dict)  # old path to new path of its files that moved
    news: tuple[SourceNews, ...] = ()  # what its sources say anew
    snoozes: int = 0  # how often it was snoozed since it was last verified
    is_by_age: bool = True  # whether it is due for no other reason than its age
    is_whole: bool = True  # whether the evidence was read; a sketch has the memory alone

    @property
    def shown(self) -> Shown:
        """The memory in the version that is shown, for a verdict on it."""
        memory = self.detail.view.memory
        return Shown(memory.id, memory.version)


class ReviewAccess:
    """Sessions, their memories, and the files of these.

    Attributes:
        files: checks where files moved.
    """

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self.files = FileChecks(access)
        self._one_at_a_time = Lock()
        """Held while the evidence of one memory is read: several reads at once slow down what is on the screen."""

    # -- sessions ---------------------------------------------------------------------------------

    def begin(self, *, anew: bool = False) -> Opened:
        """Resume the session of the project in view, or check the files and start one; `anew` always starts one."""
        opening = self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
        session = (
            None
            if anew
            else review_sessions.resume(self._reading, project=view.project, kinds=opening.kinds, size=opening.most)
        )
        if session is not None:
            return self.look_at(session, resumed=True)
        self.files.check()
        most = None if anew else review_sessions.left_of_pace(self._reading, daily=opening.daily, weekly=opening.weekly)
        session = review_sessions.begin(
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

    def look_again(self, opened: Opened | None, *, anew: bool = False, over: bool = False) -> Opened:
        """Return a session as it is now; one that is started or resumed where there is none, or nothing was due in it.

        `over`: also where it is over, unless nothing became due since. `anew`: as of `begin`.
        """
        if anew or opened is None:
            return self.begin(anew=anew)
        if not over and not opened.is_empty:
            return self.look_at(opened.session)
        found = self.begin()
        return self.look_at(opened.session) if found.is_empty and not opened.is_empty else found

    def look_at(self, session: ReviewSession, *, resumed: bool = False) -> Opened:
        signature = self._access.signature()
        progress = review_sessions.progress(self._reading, session)
        if progress.left:
            return Opened(session, progress, resumed, None, signature)
        receipt = self._receipt(session) if progress.total else None
        packs = review_sessions.awaiting_feedback(self._reading, session)
        kinds = self._vault.kinds
        holiday = kinds.holiday[1] if kinds.holiday and kinds.is_holiday(self._vault.now()) else None
        return Opened(session, progress, resumed, receipt, signature, packs, holiday)

    def note_standing(self, session: ReviewSession) -> ReviewSession:
        """Store the size of the standing payload at the start of a session, for its receipt."""
        return review_sessions.note_standing(self._vault, session, self._count_standing(), actor=self._opening.actor)

    # -- the receipt ------------------------------------------------------------------------------

    def copy_receipt(self, session: ReviewSession, send_escape: Callable[[str], bool]) -> Done:
        """Copy a session's receipt; the message says which route carried it."""
        copied = copy(self._receipt_text(session), send_escape=send_escape)
        return Done(copied_words(copied), changed=copied.route != "none")

    def write_receipt(self, session: ReviewSession, folder: Path) -> Done:
        """Write a session's receipt into the working directory, beside any earlier one."""
        stem, text = f"memtui-review-{session.started_at:%Y-%m-%d}", self._receipt_text(session)
        with _NAMING:
            path, number = folder / f"{stem}.txt", 1
            while path.exists():
                number += 1
                path = folder / f"{stem}.{number}.txt"
            write_atomically(path, text.encode())
        return Done(f"Wrote {path}")

    def _receipt_text(self, session: ReviewSession) -> str:
        return receipt_text(self._receipt(session))

    def _receipt(self, session: ReviewSession) -> Receipt:
        standing = None if session.standing is None else self._count_standing()
        return receipt_of(self._reading, session, standing=standing, threshold=self._opening.threshold)

    def _count_standing(self) -> int:
        return standing_payload(self._reading, health_options(self._access)).tokens

    # -- one memory -------------------------------------------------------------------------------

    def card(self, session: ReviewSession, identifier: str, *, wanted: Callable[[], bool]) -> ReviewCard | None:
        """Return a memory with its evidence, None if it no longer exists, or once it is no longer wanted."""
        with self._one_at_a_time:
            return self._card(session, identifier) if wanted() else None

    def _card(self, session: ReviewSession, identifier: str) -> ReviewCard | None:
        detail = self._access.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            tree = self._access.tree_of(reader, memory.project)
            snoozes = snoozes_of(memory, reader.verdicts([identifier]))
            news = tuple(source_news(reader, memory))
            is_by_age = not asked_about(reader, [identifier]) and memory.due_at is None
            linked = _linked(
                detail, reader.get_many({end for link in detail.view.links for end in (link.from_id, link.to_id)})
            )
        moves = _still_tied(memory, self.files.moves.get(identifier, {}))
        return ReviewCard(
            detail,
            session.why.get(identifier, ()),
            self._curve(detail),
            tuple(file_changes(memory, tree, moves=moves)),
            (*linked, *self._similar(memory, {*detail.titles, identifier})),
            moves,
            news,
            snoozes,
            is_by_age,
        )

    def sketch(self, session: ReviewSession, memory: Memory) -> ReviewCard:
        """Return a memory without its evidence, for which nothing has to be read."""
        detail = self._access.sketch(memory)
        why = session.why.get(memory.id, ())
        # When it is due besides its age has to be read.
        curve = replace(self._curve(detail), caption="")
        return ReviewCard(detail, why, curve, (), (), is_whole=False)

    def moves_left(self) -> Moves:
        """Return the moves that were not followed yet."""
        moves = self.files.moves
        with self._reading.read() as reader:
            memories = reader.get_many(moves)
        left = {identifier: _still_tied(memory, moves[identifier]) for identifier, memory in memories.items()}
        left = {identifier: paths for identifier, paths in left.items() if paths}
        return Moves(left, tuple(that_name_old_paths((memories[one] for one in left), left)))

    def _similar(self, memory: Memory, known: set[str]) -> Sequence[Similar]:
        with self._reading.read() as reader:
            scope = self._access.view_of(reader).scope
        words = f"{memory.title} {memory.insight[:300]}"
        similar = search(
            self._reading, words, scope, limit=MOST_SIMILAR, settings=self._opening.recall, now=self._vault.now()
        )
        mine = wording_of(memory.title[:300], memory.insight)
        found = [
            (
                likeness(mine, wording_of(hit.memory.title[:300], hit.memory.insight)),
                hit.memory.id,
                hit.memory,
            )
            for hit in similar.hits
            if hit.memory.id not in known
        ]
        return [
            Similar(
                identifier,
                tame(other.title),
                f"≈ {score:.2f} similar",
                text=tame(other.insight, LONGEST_TEXT),
                near=score >= LEAST_SIMILAR,
            )
            for score, identifier, other in sorted(found, key=lambda one: -one[0])
        ]

    def _curve(self, detail: Detail) -> Curve:
        """Return the curve from the last verification to well beyond the review threshold."""
        memory, now = detail.view.memory, detail.now
        kinds, threshold = self._vault.kinds, self._opening.threshold
        half_life, floor = half_life_days(memory, kinds), kinds.floor
        age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
        crossing = math.inf if memory.pinned else crossing_days(half_life, threshold, floor)
        due_at, since = detail.view.due_at, last_trusted_at(memory)
        due = (
            (due_at - since).total_seconds() / _DAY_SECONDS if due_at and due_at.year < UNTIL_CHANGE.year else math.inf
        )
        points = memory_labels(crossing, max(0.0, due), days_text)
        length = max(2.0 * half_life, 1.2 * age, 1.3 * max((day for day, _ in points), default=0.0))
        values = tuple(
            1.0 if memory.pinned else decay(length * step / CURVE_STEPS, half_life, floor)
            for step in range(CURVE_STEPS + 1)
        )
        ends = ((0.0, "verified" if memory.verified_at else "written"), (1.0, days_text(length)))
        marks = tuple((day / length, word) for day, word in points)
        caption = f"half-life {half_life:.0f} d · {due_words(memory, detail.view.due_at, now)}"
        return Curve(
            values,
            min(1.0, age / length),
            threshold,
            caption,
            ticks=tuple(at for at, _ in marks),
            labels=(*marks, *ends),
            line_word="",
        )


def _still_tied(memory: Memory, moves: Mapping[str, str]) -> dict[str, str]:
    """Return the moves of files that a memory is still tied to: some may have been followed since the check."""
    paths = {anchor.path for anchor in memory.anchors}
    return {old: new for old, new in moves.items() if old in paths}


def _linked(detail: Detail, memories: Mapping[str, Memory]) -> list[Similar]:
    me = detail.view.memory.id
    found = []
    for link in detail.view.links:
        other = link.to_id if link.from_id == me else link.from_id
        how = _SIGNS.get(link.type, link.type) if link.from_id == me else f"{_SIGNS.get(link.type, link.type)} this"
        text = tame(memories[other].insight, LONGEST_TEXT) if other in memories else ""
        found.append(Similar(other, detail.titles.get(other, other), how, text=text))
    return found
