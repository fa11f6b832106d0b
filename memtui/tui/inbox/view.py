"""The Inbox's work on the vault, and what its panes say."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.inbox.candidates import ODD
from memtui.tui.inbox.grouping import Candidate, Group, is_of_session
from memtui.tui.memory_view import describe, source_line
from memtui.tui.styled_text import Block
from memtui.tui.values import Detail, Done, Row
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.wording import outcomes, syncing

if TYPE_CHECKING:
    from memtui.analysis.classify import Confidence
    from memtui.capture.source_conflicts import SourceConflict
    from memtui.curate.bulk_changes import Outcome
    from memtui.curate.inbox import Offer
    from memtui.curate.inbox_sheet import Decisions, Sheet
    from memtui.domain.memory import Memory
    from memtui.vault.filters import MemoryFilter
    from memtui.vault.reader import VaultReader


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits in the inbox."""

    offers: tuple[Offer, ...]
    project: str | None
    elsewhere: int  # candidates in other projects
    projects: tuple[str, ...]  # the vault's projects, to assign candidates to
    conflicts: int = 0  # number of source conflicts
    team_conflicts: int = 0  # how many of them are with a team


@dataclass(frozen=True, slots=True)
class CandidateRead:
    """A candidate in full; `oddities` are sentences."""

    detail: Detail
    oddities: tuple[str, ...]
    confidence: Confidence | None = None  # how well its kind is founded; None if a person set it


class InboxAccess:
    """Reads candidates and source conflicts, and decides on candidates."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)

    def _wanted(self, reader: VaultReader) -> MemoryFilter:
        """Return what is in view: the unassigned too, unless a project was named."""
        from memtui.curate.lifecycle import waiting

        return waiting(self._access.view_of(reader).scope, with_unassigned=self._opening.project is None)

    def waiting(self) -> Waiting:
        """Return what waits in view."""
        from memtui.capture.source_conflicts import open_conflicts
        from memtui.curate.inbox import read_offers
        from memtui.vault.filters import MemoryFilter
        from memtui.vault.projects import project_names

        with self._reading.read() as reader:
            wanted = self._wanted(reader)
            offers = read_offers(reader, wanted)
            conflicts = open_conflicts(reader, wanted.scope)
            return Waiting(
                offers=tuple(offers),
                project=self._access.view_of(reader).project,
                elsewhere=max(0, reader.count(MemoryFilter(statuses=("candidate",))) - len(offers)),
                projects=tuple(project_names(reader)),
                conflicts=len(conflicts),
                team_conflicts=sum(one.text.is_team for one in conflicts),
            )

    def conflicts(self) -> tuple[list[SourceConflict], bool]:
        """Return the source conflicts, the oldest first, and whether the source of the first one is no longer there."""
        from memtui.capture.source_conflicts import open_conflicts

        with self._reading.read() as reader:
            found = open_conflicts(reader, self._wanted(reader).scope)
            tree = self._access.tree_of(reader, found[0].memory.project) if found else None
        if not found or found[0].text.is_team:
            return found, False
        path = Path(found[0].text.path)
        if not path.is_absolute():
            if tree is None:
                return found, False
            path = tree.root / path
        return found, path.parent.is_dir() and not os.path.lexists(path)

    def candidates(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of candidates, missing ones left out."""
        from memtui.analysis.classify import kind_confidence
        from memtui.curate.lifecycle import oddities

        now = self._vault.now()
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
            odd = oddities(reader, list(found.values()), self._opening.secret_patterns)
        rows: dict[str, Row] = {}
        for identifier, memory in found.items():
            row = self._access.row(memory, now)
            values = {field.name: getattr(row, field.name) for field in fields(row)}
            rows[identifier] = Candidate(
                **values,
                source=source_line(memory.sources),
                oddities=tuple(map(tame, odd[identifier].words)),
                planted=next(iter(odd[identifier].planted), None),
                confidence=kind_confidence(memory) or "sure",
            )
        return rows

    def odd_words(self, identifiers: Sequence[str]) -> dict[str, str]:
        """Return what is odd about candidates, in the words of their rows; of one that is gone, nothing."""
        from memtui.curate.lifecycle import oddities

        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
            odd = oddities(reader, list(found.values()), self._opening.secret_patterns)
        return {each: tame(" ".join(odd[each].words)) if each in odd else "" for each in identifiers}

    def read(self, identifier: str) -> CandidateRead | None:
        """Return one candidate in full, None if it no longer exists."""
        from memtui.analysis.classify import kind_confidence
        from memtui.curate.lifecycle import oddities

        detail = self._access.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            odd = oddities(reader, [memory], self._opening.secret_patterns)[memory.id]
        said = [f"Looks planted: {outcomes.planted_claim(reason)}." for reason in odd.planted]
        if any(not reason.only_resembles for reason in odd.planted):  # else each reason quotes a sentence
            said += [f"In these words: “{words}”" for words in planted_words(memory)]
        if odd.secrets:
            said.append(f"Contains what looks like a secret: {', '.join(odd.secrets)}.")
        if odd.twins:
            said.append("The same text is already in use, word for word.")
        said += [f"Would replace “{old}”; accepting asks, and keeps both until then." for old in odd.replaces]
        if odd.is_unstated:
            said.append("Its source no longer says this.")
        if memory.project is None:
            view = self._access.view
            where = view.project if view and view.stands_in else None
            said.append(f"Unassigned: {f'accepting assigns it to {where}' if where else 'P assigns a project'}.")
        return CandidateRead(detail, tuple(map(tame, said)), kind_confidence(memory))

    # -- deciding ---------------------------------------------------------------------------------

    def accept(
        self, identifiers: Sequence[str], *, group: str = "", careful: bool = False, is_vouched: bool = False
    ) -> Done:
        """Take candidates into use; of several, or if it is said, those that need a closer look are skipped.

        `group`: the label of the group that was chosen as one. `is_vouched`: as in `decide`.
        """
        from memtui.curate.bulk_changes import SkipReason
        from memtui.curate.inbox import decide

        opening = self._opening
        opening.before_change()
        outcome = decide(
            self._vault,
            identifiers,
            actor=opening.actor,
            folder=opening.folder,
            project=opening.project,
            careful=careful or None,
            is_vouched=is_vouched,
        )
        parts = [outcomes.acted("Accepted", outcome, group=group)]
        if any(each.reason is SkipReason.UNASSIGNED for each in outcome.skipped):
            parts.append("P assigns a project")
        if any(memory.project is None for memory in outcome.changed):
            parts.append("Left out of payloads until it has a project")
        parts += [*self._held(outcome), *self._to_settle(outcome)]
        return Done(". ".join(parts), changed=bool(outcome.changed))

    @staticmethod
    def _held(outcome: Outcome) -> list[str]:
        """Return why no assistant is told of what was accepted by itself although it looks planted."""
        held = (outcomes.held(memory, "Y in Browse verifies it") for memory in outcome.changed)
        return [one for one in held if one]

    def _to_settle(self, outcome: Outcome) -> list[str]:
        """Return how much was accepted that was proposed to replace what is in use."""
        from memtui.curate.lifecycle import left_beside

        with self._vault.read() as reader:
            replaced = left_beside(reader, outcome.changed)
        pairs = [(memory, old) for memory in outcome.changed for old in replaced.get(memory.id, ())]
        if len(outcome.changed) == 1 or not pairs:
            return [f"Also in use still: {tame(old.title, 80)}" for _, old in pairs]
        waits = counted(len(pairs), "correction waits", "corrections wait")
        return [f"{waits} to be resolved in Tidy: what they would replace stays in use"]

    def sheet(self, identifiers: Sequence[str]) -> Sheet:
        """Return candidates as one text for the editor."""
        from memtui.curate.inbox_sheet import write_sheet

        return write_sheet([each for each in self._access.memories(identifiers) if each.status == "candidate"])

    def apply(self, sheet: Sheet, decisions: Decisions) -> Done:
        """Do what an edited text decides, to the candidates as they were read."""
        from memtui.curate.inbox import decide

        opening = self._opening
        opening.before_change()
        outcome = decide(
            self._vault,
            decisions.accepted,
            decisions.rejected,
            actor=opening.actor,
            folder=opening.folder,
            project=opening.project,
            edits=decisions.edits,
            versions=sheet.versions,
            secret_patterns=opening.secret_patterns,
        )
        parts = [outcomes.decided(outcome), *self._held(outcome), *self._to_settle(outcome)]
        return Done(". ".join(parts), changed=bool(outcome.changed))

    def never(self, project: str | None, path: str) -> Done:
        """Let imports pass over a file, and reject what waits from it."""
        from memtui.curate.inbox import never_offer

        self._opening.before_change()
        opening = self._opening
        outcome = never_offer(self._vault, project, path, actor=opening.actor, folder=opening.folder)
        rejected = f"{counted(len(outcome.changed), 'candidate')} rejected"
        later = f"later: memtui inbox never --undo {quote(path)}"
        return Done(f"Ignored in future imports: {tame(path, 80)}; {rejected}. u undoes it, {tame(later, 120)}")

    def reject(self, identifiers: Sequence[str], *, group: str = "") -> Done:
        """Reject candidates; `group` as in `accept`."""
        from memtui.curate import lifecycle

        self._opening.before_change()
        outcome = lifecycle.reject(self._vault, identifiers, actor=self._opening.actor)
        return Done(outcomes.acted("Rejected", outcome, group=group), changed=bool(outcome.changed))

    def change_kind(self, identifiers: Sequence[str], kind: str) -> Done:
        """Give candidates another kind."""
        from memtui.curate import lifecycle

        change = partial(lifecycle.change_kind, self._vault, identifiers, kind, actor=self._opening.actor)
        return self._acts.change(change, f"Now {kind}")

    def assign(self, identifiers: Sequence[str], project: str) -> Done:
        """Assign candidates to a project."""
        from memtui.curate import lifecycle

        assign = partial(lifecycle.assign, self._vault, identifiers, project, actor=self._opening.actor)
        return self._acts.change(assign, f"Now in {tame(project)}")


_MOST_PLANTED, _LONGEST_PLANTED = 3, 300  # Sentences that are named as planted, and characters of each


def planted_words(memory: Memory) -> list[str]:
    """Return the first sentences of a memory that look planted by themselves."""
    from memtui.text.injection import planted_sentences  # its rules take long to load

    texts = (memory.insight, memory.rationale, memory.snippet)
    found = dict.fromkeys(sentence for text in texts for sentence in planted_sentences(text))
    return [tame(sentence, _LONGEST_PLANTED) for sentence in list(found)[:_MOST_PLANTED]]


_FOUNDED = {"sure": "sure", "likely": "likely", "guess": "a guess; t changes it"}


def candidate_blocks(read: CandidateRead, offer: Offer | None) -> list[Block]:
    """Return a candidate in full, what is odd about it first."""
    odd = [Block(((f"{ODD} {text}", "warning"),)) for text in read.oddities]
    first, *rest = describe(read.detail)
    kind = tame(read.detail.view.memory.kind)
    notes = [
        Block(((f"{kind}, {_FOUNDED[read.confidence]}" if read.confidence else kind, "text"),), label="Kind", gap=True)
    ]
    if offer is not None and offer.heading:
        notes.append(Block(((tame(offer.heading), "text"),), label="Heading"))
    place = next((number for number, block in enumerate(rest) if block.label not in {"", "Why"}), len(rest))
    tail = [replace(block, gap=False) if number == 0 else block for number, block in enumerate(rest[place:])]
    return [*odd, Block(first.pieces, first.label, gap=bool(odd)), *rest[:place], *notes, *tail]


def group_blocks(group: Group, offers: Sequence[Offer]) -> list[Block]:
    """Return what a group holds."""
    kinds = Counter(offer.kind for offer in offers)
    sessions = {offer.path: None for offer in offers if is_of_session(offer)}
    headings = list(
        dict.fromkeys(tame(one.heading) for one in offers if one.heading and one.path and one.path not in sessions)
    )
    named = ", ".join(f"{number:,} {tame(kind)}" for kind, number in kinds.most_common())
    blocks = [
        Block(((group.label, "title"),)),
        Block(((counted(len(group.members), "candidate"), "text"),), gap=True),
        Block(((named, "text"),), label="Kinds"),
    ]
    if sessions:
        blocks.append(_listed("Sessions", [tame(path or "", 300) for path in sessions], _HEADINGS_SHOWN))
    if headings:
        blocks.append(_listed("Headings", headings, _HEADINGS_SHOWN))
    titles = [tame(offer.title) or tame(offer.insight, _LONGEST_TITLE) for offer in offers]
    return [*blocks, _listed("Titles", titles, _TITLES_SHOWN)]


_HEADINGS_SHOWN, _TITLES_SHOWN = 12, 40
_LONGEST_TITLE = 120  # Characters of a candidate's text that stand for a title


def _listed(label: str, lines: Sequence[str], most: int) -> Block:
    more = [f"… {len(lines) - most:,} more"] if len(lines) > most else []
    return Block((("\n".join([*lines[:most], *more]), "text"),), label=label, gap=True)


def conflict_words(waiting: Waiting) -> str:
    """Return how many source conflicts there are, and the key that opens them."""
    return f"{syncing.conflicts_with(waiting.conflicts, waiting.team_conflicts)}: d"


def head_counts(waiting: Waiting | None, offers: Collection[Offer]) -> list[Content]:
    """Return what the head counts: what waits, how much of it has no project, and the conflicts.

    `waiting`: None while that is not known.
    """
    if waiting is None:
        return [Content.styled("… waiting", "$memtui-dim")]
    unassigned = sum(offer.project is None for offer in offers) if waiting.project is not None else 0
    none = f", {unassigned:,} without a project" if unassigned else ""
    others = f" · @ {waiting.elsewhere:,} in other projects" if waiting.elsewhere else ""
    counts = [Content.styled(f"{len(offers):,} waiting{none}{others}", "$memtui-dim")]
    if waiting.conflicts:
        counts.append(Content.styled(conflict_words(waiting), "$memtui-due"))
    return counts


def inbox_notice(waiting: Waiting) -> tuple[str, ...]:
    """Return what an empty inbox says: that it is empty, and how memories get here."""
    if waiting.offers:
        return ()
    other = [conflict_words(waiting)] if waiting.conflicts else []
    if waiting.elsewhere:
        wait = counted(waiting.elsewhere, "candidate waits", "candidates wait")
        other.append(f"In other projects {wait}: @ switches the project")
    return (
        "The inbox is empty.",
        *other,
        "",
        "What agents propose and what is new in imported rule files waits",
        "here until you accept it; until then it is left out of payloads.",
        "",
        "J            from this project's rule files (memtui import .)",
        "D            from your assistants' sessions (memtui capture)",
        "c            what an assistant gets for a task (memtui context)",
        "esc          back",
    )
