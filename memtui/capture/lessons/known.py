"""What is known already of a proposed lesson: said again, a correction of a memory, dismissed before, or new."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import log

from memtui.analysis.contradictions import contradiction_between
from memtui.analysis.pair_features import Nearness
from memtui.analysis.resemblance import compared
from memtui.analysis.snapshot import TextCache
from memtui.capture.lessons.exchange import stems
from memtui.capture.lessons.polarity import agreed, opposed
from memtui.capture.lessons.proposal import LessonSignal, Proposal
from memtui.capture.lessons.same import lines_of, says_the_same, share
from memtui.domain.memory import LinkType, Memory

MOST_COMPARED = 6  # Memories that are compared with one proposal in full, those with the rarest words in common
_ABOUT = 0.34  # The same share from which a contradiction is one of the same matter

_CORRECTING = frozenset(
    {LessonSignal.CORRECTION, LessonSignal.REPEATED_CORRECTION, LessonSignal.REJECTED_TOOL, LessonSignal.DECISION}
)


class Novelty(StrEnum):
    """What a proposal adds to what is known."""

    NEW = "new"
    SAID_AGAIN = "said-again"
    """A memory says it: evidence for that memory."""

    STATED = "stated"
    """A rules file or what the session was served says it."""

    CORRECTS = "corrects"
    """It contradicts a memory, and is proposed as its correction."""

    DISMISSED = "dismissed"
    """A person dismissed the same before."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposal with what is known of it."""

    proposal: Proposal
    novelty: Novelty
    memory_id: str = ""
    """The memory that says it, or that it corrects."""

    title: str = ""
    """The title of that memory, or the name of the file."""

    why: str = ""
    """What contradicts, in words; may hold words of others."""

    @property
    def link(self) -> LinkType | None:
        """The link from the proposal to the memory that is offered first."""
        return "supersedes" if self.novelty is Novelty.CORRECTS else None


class Known:
    """Memories and rules that a session's lessons are compared with; reads and writes nothing.

    Args:
        memories: active and waiting ones, and those that a person rejected; the rest is passed over.
        texts: rules files and served payloads by name.
        dismissed: `Proposal.digest` of what was dismissed.
    """

    def __init__(
        self,
        memories: Iterable[Memory],
        texts: Mapping[str, str] | None = None,
        dismissed: Collection[str] = (),
    ) -> None:
        self._memories = [
            memory for memory in memories if memory.status in {"active", "candidate"} or memory.was_rejected
        ]
        self._terms = [stems(_words(memory)) for memory in self._memories]
        self._lines = [(name, line, stems(line)) for name, text in (texts or {}).items() for line in lines_of(text)]
        self._dismissed = frozenset(dismissed)
        self._texts = TextCache()
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, terms in enumerate(self._terms):
            for term in terms:
                self._holders[term].append(number)

    def judge(self, proposal: Proposal, cosines: Mapping[str, float] | None = None) -> Judged:
        """Return what is known of a proposal. `cosines`: of the vectors of memories, by id, where they are known."""
        if proposal.digest in self._dismissed:
            return Judged(proposal, Novelty.DISMISSED)
        draft = as_memory(proposal)
        near = self._near(proposal)
        for memory, terms in near:
            found = self._relation(proposal, draft, memory, terms, (cosines or {}).get(memory.id))
            if found is not None:
                return found
        if proposal.stated:
            return Judged(proposal, Novelty.STATED)
        for name, line, terms in self._lines:
            if says_the_same(proposal.quote, stems(proposal.quote), line, terms):
                return Judged(proposal, Novelty.STATED, title=name)
        return Judged(proposal, Novelty.NEW)

    def _near(self, proposal: Proposal) -> Iterator[tuple[Memory, frozenset[str]]]:
        """Yield the memories that share the rarest words with a proposal, the nearest first."""
        shared: Counter[int] = Counter()
        total = len(self._memories) + 1
        for term in stems(f"{proposal.quote} {proposal.insight}"):
            holders = self._holders.get(term, ())
            for number in holders:
                shared[number] += round(1_000 * log(total / len(holders)) + 1)
        for number, _ in sorted(shared.items(), key=lambda each: (-each[1], self._memories[each[0]].id))[
            :MOST_COMPARED
        ]:
            yield self._memories[number], self._terms[number]

    def _relation(
        self, proposal: Proposal, draft: Memory, memory: Memory, terms: frozenset[str], cosine: float | None
    ) -> Judged | None:
        words, mine = _words(memory), stems(proposal.quote)
        if share(mine, terms) < _ABOUT:
            return None
        against = opposed(proposal.quote, words)
        same = says_the_same(proposal.quote, mine, words, terms)
        found = compared(draft, memory, cosine)
        alike = found is not None and (
            found.sort in {"same", "reworded"} or (found.sort == "clashes" and agreed(proposal.quote, words))
        )
        if (same or alike) and not against:
            novelty = Novelty.DISMISSED if memory.was_rejected else Novelty.SAID_AGAIN
            return Judged(proposal, novelty, memory.id, memory.title)
        if memory.was_rejected:
            return None
        if found is not None and found.sort == "clashes" and not agreed(proposal.quote, words):
            return Judged(proposal, Novelty.CORRECTS, memory.id, memory.title, found.why)
        return self._correction(proposal, draft, memory, against)

    def _correction(self, proposal: Proposal, draft: Memory, memory: Memory, against: frozenset[str]) -> Judged | None:
        """Return the correction of a memory whose words a person contradicts."""
        if proposal.signal not in _CORRECTING and not against:
            return None
        found = contradiction_between(memory, draft, self._texts, Nearness())
        if found is None and not against:
            return None
        why = found.why if found else ", ".join(sorted(against)[:3])
        return Judged(proposal, Novelty.CORRECTS, memory.id, memory.title, why)


def as_memory(proposal: Proposal) -> Memory:
    """Return a proposal as the memory that it would become."""
    at = proposal.at or datetime.now(UTC)
    words = proposal.quote
    return Memory(
        id="", title=proposal.title, insight=words, kind=proposal.kind, status="candidate", created_at=at, updated_at=at
    )


def _words(memory: Memory) -> str:
    return (
        memory.insight if memory.insight.startswith(memory.title.rstrip("….")) else f"{memory.title}\n{memory.insight}"
    )
