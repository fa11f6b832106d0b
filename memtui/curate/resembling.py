"""What a memory that was just saved resembles: offered beside the save, never instead of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memtui.domain.memory import GLOBAL_PROJECT, LinkType, Memory
from memtui.errors import VaultBusyError
from memtui.text.sanitising import one_line
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope

if TYPE_CHECKING:
    from memtui.recall.meaning import Meaning
    from memtui.vault.postings import LexicalHit
    from memtui.vault.reading import VaultReader
    from memtui.vault.vault import Vault

LOOKED_AT = 8
"""Best memories by words, and nearest by meaning, that are compared in full. Of the labelled pairs among 490 memories
the one that resembles stands among the first three in every case."""

LOOKED_UP_CHARACTERS = 500
"""Characters of a text that are looked up: what it is about is said by then, and a lookup stays under 20 ms."""

MUCH = 0.7
"""Likeness of a text with what it was, below which an edit made another statement of it."""

CLASH_SHARES = 0.5
"""Likeness from which a contradiction is offered at a save: of the labelled contradictions two in 100 share less, and
among 490 memories of one project most that share less only use the same words."""

Sort = Literal["same", "differs", "clashes"]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A memory in use that a new one resembles.

    Attributes:
        id: the one that was there before.
        sort: it says the same, much the same with a difference that matters, or the contrary.
        why: the difference in words, `says the same` where there is none; may hold words of others.
    """

    id: str
    title: str
    sort: Sort
    score: float
    why: str

    @property
    def link(self) -> LinkType:
        """The link that is offered first."""
        return "relates" if self.sort == "differs" else "supersedes"


def resembling(vault: Vault, memory: Memory, *, meaning: Meaning | None = None, limit: int = 1) -> list[Resemblance]:
    """Return what a memory resembles in its project and in `global`, the nearest first; loads no model by itself.

    It asks the same of a pair as the search for duplicates and for conflicts does. Linked and dismissed pairs,
    and memories out of use, are left out.

    Args:
        vault: the vault; read under one short lease.
        memory: as it was saved.
        meaning: compares by meaning besides, where a model is loaded.
        limit: most of them.
    """
    if memory.status != "active":
        return []
    text = f"{memory.title}\n{memory.insight[:LOOKED_UP_CHARACTERS]}"
    sense = meaning.sense(text) if meaning is not None else None
    wanted = MemoryFilter(scope=_in_view(memory))
    with vault.read() as reader:
        hits = reader.search(text, wanted, limit=LOOKED_AT)
        keys = {hit.key: 0.0 for hit in hits if sense is not None or _may_resemble(hit, text)}
        if sense is not None:
            keys = {**keys, **sense.look(reader, wanted, keys=keys, limit=LOOKED_AT).cosines}
        near = {key: found for key, found in reader.get_by_keys(keys).items() if found.id != memory.id}
        settled = _settled(reader, memory, near.values()) if near else set()
    found = [
        one
        for key, other in near.items()
        if other.id not in settled and (one := compared(memory, other, keys.get(key) or None)) is not None
    ]
    order = {"same": 0, "clashes": 1, "differs": 2}
    return sorted(found, key=lambda one: (-one.score, order[one.sort], one.id))[:limit]


def _may_resemble(hit: LexicalHit, text: str) -> bool:
    """Return whether a memory shares so many words that comparing the texts, 60 ms at the first time, may tell more."""
    from memtui.text.tokens import query_terms

    return len(hit.terms) >= LEAST_SHARED * len(set(query_terms(text)))


LEAST_SHARED = 0.25
"""Share of the looked-up words that a memory must hold: two texts that share half of all their words (`CLASH_SHARES`)
share a quarter of either's at least."""


def _in_view(memory: Memory) -> Scope:
    """Return where others may reach one payload with a memory: its project and `global`."""
    if memory.project is None:
        return Scope((), with_unassigned=True)
    return EVERYTHING if memory.project == GLOBAL_PROJECT else Scope.of_project(memory.project)


def _settled(reader: VaultReader, memory: Memory, others: Iterable[Memory]) -> set[str]:
    """Return those of which it is known already what they are to the memory."""
    from memtui.curate.gathering import NOT_CONFLICT, NOT_DUPLICATE, NOT_RELATED, pair_fingerprint

    known = {other.id: other for other in others}
    found = {end for link in reader.links([memory.id]) for end in (link.from_id, link.to_id)}
    for verdict in reader.verdicts([memory.id, *known]):
        other, _, fingerprint = verdict.reason.partition(" ")
        ends = {verdict.memory_id, other}
        if verdict.verdict in {NOT_DUPLICATE, NOT_CONFLICT, NOT_RELATED} and memory.id in ends:
            rest = known.get((ends - {memory.id} or {memory.id}).pop())
            if rest is not None and fingerprint == pair_fingerprint(memory, rest):
                found.add(rest.id)
    return found - {memory.id}


def compared(memory: Memory, other: Memory, cosine: float | None = None) -> Resemblance | None:
    """Return how a memory resembles another, None if it does not."""
    from memtui.curate.conflicts import conflict_between
    from memtui.curate.duplicates import compare, differences, likeness
    from memtui.curate.wording import wording_of

    wordings = {each.id: wording_of(each.title, each.insight) for each in (other, memory)}
    score = likeness(wordings[other.id], wordings[memory.id])
    if score >= CLASH_SHARES and (conflict := conflict_between(other, memory)) is not None:
        return Resemblance(other.id, other.title, "clashes", score, conflict.why)
    alike = compare(other, memory, wordings, cosine)
    if alike is None:
        return None
    differ = differences(other, memory, wordings)
    if not differ:
        return Resemblance(other.id, other.title, "same", alike.score, "says the same")
    return Resemblance(other.id, other.title, "differs", alike.score, "; ".join(differ))


def changed_much(before: Memory, after: Memory) -> bool:
    """Return whether an edit made another statement of a memory, so that it is worth a look what it resembles now."""
    if (before.title, before.insight) == (after.title, after.insight):
        return False
    from memtui.curate.duplicates import likeness
    from memtui.curate.wording import wording_of

    return likeness(wording_of(before.title, before.insight), wording_of(after.title, after.insight)) < MUCH


def resemblance_records(found: Sequence[Resemblance]) -> list[dict[str, object]]:
    """Return the `--json` form: id, title, sort, score and the difference in words."""
    return [
        {"id": one.id, "title": one.title, "sort": one.sort, "score": round(one.score, 4), "why": one.why}
        for one in found
    ]


def suggestion(memory: Memory, found: Resemblance) -> str:
    """Return one line for people: what it resembles, how, and the commands that settle it."""
    tie = f"memtui link {memory.id} {found.link} {found.id}"
    first = f"memtui merge {found.id} {memory.id}" if found.sort == "same" else tie
    rest = {"same": tie, "differs": "supersedes instead of relates", "clashes": "relates instead of supersedes"}
    said = f"{_cut(one_line(found.title))}; {_cut(one_line(found.why))}"
    return f"resembles {found.id} ({said}): {first}, or {rest[found.sort]}"


SAID_CHARACTERS = 80
"""Characters of a title, and of a difference, that stand in one line."""


def _cut(text: str) -> str:
    """Return a text that fits the line; a quotation that is cut is closed."""
    if len(text) <= SAID_CHARACTERS:
        return text
    kept = text[: SAID_CHARACTERS - 2].rstrip()
    return f"{kept}…”" if kept.count("“") > kept.count("”") else f"{kept}…"


def say_resemblances(vault: Vault, memories: Sequence[Memory]) -> tuple[list[Resemblance], list[str]]:
    """Return what memories that were just saved resemble, the first of each, and a line for people on each.

    A vault that is busy just then has none: the save stands, and `tidy` finds the same later.
    """
    found: list[Resemblance] = []
    lines: list[str] = []
    for memory in memories[:MOST_SAID]:
        with suppress(VaultBusyError):
            for one in resembling(vault, memory):
                found.append(one)
                lines.append(suggestion(memory, one))
    return found, lines


MOST_SAID = 20
"""Memories of one bulk act that are looked at, about half a second."""
