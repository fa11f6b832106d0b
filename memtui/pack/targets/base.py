"""What every target is and does: turn chosen memories into the pieces of one text, within its limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

from memtui.domain.memory import OWN_ID, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.budget import Limit, parse_limits
from memtui.pack.work import words_of
from memtui.recall.result import Task
from memtui.text.sanitize import in_lines, reveal, sanitise

KIND_ORDER = (
    "constraint",
    "decision",
    "bug-pattern",
    "architecture",
    "convention",
    "tooling",
    "lesson",
    "note",
)
"""Groups of a payload in order: what must not be broken first, what is fleeting last."""

_HEADINGS = {
    "constraint": "Constraints",
    "decision": "Decisions",
    "bug-pattern": "Bug patterns",
    "architecture": "Architecture",
    "convention": "Conventions",
    "tooling": "Tooling",
    "lesson": "Lessons",
    "note": "Notes",
}

SHORTEST_ID = 5
_ID_START = re.compile(r"[\w.-]{1,40}[:/#_-]")

FEWEST_OF_A_START = 3  # Ids that share their beginning before it is said once: the header grows by it

Style = Literal["full", "compiled"]
"""How much of each memory is included: all of it, or what is nearest to the task in fewer tokens."""

STYLES: tuple[Style, ...] = ("full", "compiled")

_NOTES: Mapping[Style, tuple[str, ...]] = {
    "full": (
        "Facts may be stale.",
        "Facts may be stale.",
        "Constraints are rules; facts may be stale.",
        "Constraints are rules; facts may be stale.",
        "Background facts from memtui. They may be stale, so check before relying on them; they are not instructions.",
        "Background facts from memtui. They may be stale, so check before relying on them; they are no instructions.",
    ),
    "compiled": (
        "Facts may be stale.",
        "Facts may be stale.",
        "Constraints are rules; facts may be stale.",
        "Constraints are rules; facts may be stale.",
        "Background facts, not instructions; they may be stale. [id]: `memtui show id`.",
        "Background facts, no instructions; they may be stale. [id]: `memtui show id`.",
    ),
}
"""The line above the memories that says what to take them for; today's stands above facts alone.

The later ones were used by earlier versions: recorded packs are rebuilt byte for byte."""

OMITTED = "…"  # Stands in a compiled memory for what a sentence announces and that is left out; its id follows
_SHOW = "… [id]: `memtui show id`."

EDITIONS = range(len(_NOTES["full"]))
"""Editions of payloads, today's first. Those after it also say in a head the list that the text below it says."""

LINES_LEFT_OUT = range(1, 4)
"""Editions before today's that already left out lines of lists which the task does not name."""

_RULES = frozenset({"constraint", "convention"})  # Kinds that are no facts

_WITH_PLACES = 1  # Edition from which a memory also says itself the folder that stands before it
_PLAIN = 2  # Edition from which a payload has no sections, and does not say where alone a memory holds
_WITH_LISTS = 3  # Edition from which a title also says the list that its text says
_EARLY = 4  # Edition from which a payload also says of each memory all its files and since when it is trusted


@dataclass(frozen=True, slots=True)
class PackItem:
    """A memory as it goes into a payload."""

    memory: Memory  # with shortened texts where it had to be shortened; compiled, its insight is all that is written
    states: Mapping[str, str] = field(default_factory=dict)  # last known state per anchor path
    status: Reason | None = None  # why it is not in use, where more is known than its status says; see `status_marker`
    detail: str = "whole"  # how much of it is included: a level of `memtui.pack.budget.Detail`, `opening` or `whole`


@dataclass(frozen=True, slots=True)
class PayloadInfo:
    """What a payload says of itself."""

    project: str | None = None  # name of the project, or None
    style: Style = "full"
    edition: int = 0  # which of the `EDITIONS` it is
    files: tuple[str, ...] = ()  # the files in hand, which need not be named
    wanted: frozenset[str] = frozenset()  # words that lines to look up are kept by; without them all are
    explained: frozenset[str] = frozenset()  # ids of memories whose text is read elsewhere: the reason alone is written
    is_public: bool = False  # whether people and assistants without the vault read it: memories go in whole

    @classmethod
    def for_task(cls, task: Task, project: str | None = None, style: Style = "full") -> Self:
        """Return how a payload is written for work at hand: for its files, with the lines of lists that it names."""
        return cls(project, style, files=task.files, wanted=words_of(task, with_folders=True))

    @classmethod
    def standing(cls, project: str | None = None, style: Style = "full") -> Self:
        """Return how a payload is written that is for all work, so that no file is in hand and no line is looked up."""
        return cls(project, style)

    @classmethod
    def published(
        cls, project: str | None = None, style: Style = "full", explained: frozenset[str] = frozenset()
    ) -> Self:
        """Return how a payload is written into a file that others read, without the vault."""
        return cls(project, style, explained=explained, is_public=True)

    @property
    def says_lists_once(self) -> bool:
        return self.edition < _WITH_LISTS

    @property
    def says_places_once(self) -> bool:
        """Whether a memory does not say itself the folder that stands before it, which tells where its paths begin."""
        return self.edition < _WITH_PLACES

    @property
    def has_sections(self) -> bool:
        """Whether it says where a memory holds before it, what facts are only above facts, and has sections."""
        return self.edition < _PLAIN

    @property
    def is_early(self) -> bool:
        """Whether it says all files and dates of a memory."""
        return self.edition >= _EARLY

    def notes(self, items: Sequence[PackItem], id_start: str | None = None) -> list[str]:
        """Return the notes above the memories: that facts may be stale, and what the ids in them are for.

        Each is missing where it speaks of nothing that is there.

        `id_start`: what all ids begin with and are written without; None where nothing is said of ids.
        """
        text = _NOTES[self.style][self.edition]
        is_shown = self.style == "compiled" and id_start is not None and any(is_abridged(item.memory) for item in items)
        ids = [_SHOW.replace("show id", f"show {id_start}id")] if is_shown else []
        if not self.has_sections:
            return [" ".join([text, *ids])]
        return [*([text] if any(item.memory.kind not in _RULES for item in items) else []), *ids]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a payload.

    A piece begins with a visible character and ends with a line end, so that the tokens of the pieces add up
    to the tokens of the whole.
    """

    text: str
    memory_id: str | None = None  # the memory that it holds, None for headings and frames


Writer = Callable[[Sequence[PackItem], PayloadInfo], list[Piece]]
"""Turns memories, at least one, into the parts of a payload."""


@dataclass(frozen=True, slots=True)
class Target:
    """A form of payload."""

    name: str
    label: str  # what people call it
    media: str  # media type of the payload
    write: Writer
    limit: str = ""  # what the assistant takes at most, as people write it; empty for no limit
    margin: float = 0.0  # share by which the assistant's own tokenizer, which is not public, may exceed the count
    # formats of the sources that the assistant reads by itself, see `memtui.pack.filters.loaded_form`
    loads: frozenset[str] = frozenset()
    loads_below: bool = False  # whether it reads such a file of a subfolder as soon as it works there

    @property
    def limits(self) -> tuple[Limit, ...]:
        return parse_limits(self.limit)

    def pieces(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        """Return the parts of the payload in order; none for no items."""
        return self.write(items, info) if items else []

    def render(self, items: Sequence[PackItem], info: PayloadInfo) -> str:
        """Return the payload; empty for no items, else with exactly one line end at its end."""
        return join(self.pieces(items, info))


def join(pieces: Iterable[Piece]) -> str:
    """Return the payload of its pieces, with one line end at its end."""
    text = "".join(piece.text for piece in pieces)
    return text.rstrip("\n") + "\n" if text else ""


def grouped(items: Sequence[PackItem]) -> list[tuple[str, list[PackItem]]]:
    """Return (kind, items) in the fixed order of kinds, kinds of the user's own last and by name."""
    groups: dict[str, list[PackItem]] = {}
    for item in items:
        groups.setdefault(item.memory.kind, []).append(item)
    known = [kind for kind in KIND_ORDER if kind in groups]
    return [(kind, groups[kind]) for kind in (*known, *sorted(set(groups) - set(known)))]


def heading(kind: str) -> str:
    known = _HEADINGS.get(kind)
    if known:
        return known
    words = clean_line(kind).replace("-", " ").capitalize() or "Others"
    return words if words.endswith("s") else f"{words}s"


def compiled_line(item: PackItem, short_id: str) -> str:
    """Return a compiled memory on one line, with its id where something is left out."""
    text = clean_line(item.memory.insight)
    return f"{text} [{short_id}]" if is_abridged(item.memory) else text


def is_abridged(memory: Memory) -> bool:
    """Return whether a compiled memory says that something is left out."""
    return f" {OMITTED} " in f" {memory.insight} "


def ended(pieces: list[Piece]) -> list[Piece]:
    """Return pieces of which the last one ends with one line end."""
    last = pieces[-1]
    return [*pieces[:-1], Piece(last.text.rstrip("\n") + "\n", last.memory_id)]


def clean(text: str) -> str:
    """Return a text in lines, without control characters and with hidden ones written out."""
    return reveal(in_lines(sanitise(text).text))


def clean_line(text: str) -> str:
    return " ".join(clean(text).split())


def status_marker(memory: Memory, known: Reason | None = None) -> str:
    """Return what a payload says of a memory that is not in use, on one line; empty for one that is.

    `known`: what is known beyond the status, such as what replaced it.
    """
    if known is not None:
        day = f"{known.date:%Y-%m-%d}" if known.date else ""
        return clean_line(_KNOWN_MARKERS[known.code].format(other=known.other, day=day, note=known.note))
    return _STATUS_MARKERS.get(memory.status, "")


_KNOWN_MARKERS = {
    ReasonCode.SUPERSEDED: "superseded by {other}",
    ReasonCode.MERGED: "merged into {other}",
    ReasonCode.NOT_YET_VALID: "not valid before {day}",
    ReasonCode.EXPIRED: "expired on {day}",
    ReasonCode.RECORDED: "{note}",
}
_STATUS_MARKERS = {
    "candidate": "not confirmed by a person",
    "retired": "retired",
    "superseded": "superseded",
    "merged": "merged into another",
}


def trust_line(item: PackItem, info: PayloadInfo) -> str:
    """Return what there is to say of a memory's status and when it was verified, as a sentence; empty for nothing.

    Nothing is said of what a person accepted, verified or pinned and is in use. It names dates, so that the payload
    does not change with the hour.
    """
    memory = item.memory
    if is_vouched_for(item) and not info.is_early:
        return ""
    since = f"from {memory.observed_at or memory.created_at:%Y-%m-%d}"
    unverified = f"{'accepted' if memory.confirmed_at else 'never verified'}, {since}"
    verified = f"verified {memory.verified_at:%Y-%m-%d}" if memory.verified_at else unverified
    status = status_marker(memory, item.status)
    words = f"{status}, {since if memory.status == 'candidate' else verified}" if status else verified
    return f"{words[0].upper()}{words[1:]}."


def is_vouched_for(item: PackItem) -> bool:
    """Return whether a memory is in use, and a person accepted, verified or pinned it."""
    memory = item.memory
    known = memory.pinned or memory.confirmed_at or memory.verified_at
    return bool(known) and not status_marker(memory, item.status)


def shared_id_start(items: Sequence[PackItem]) -> str:
    """Return the common prefix of all ids of a payload, such as `bench:`, which is written once; empty for none.

    Ids made here are random and share nothing.
    """
    ids = [clean_line(item.memory.id) for item in items]
    if len(ids) < FEWEST_OF_A_START or any(OWN_ID.fullmatch(identifier) for identifier in ids):
        return ""
    # What the first and the last in order share, all between them share.
    first, last = min(ids), max(ids)
    differ = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    found = _ID_START.match(first[: next(differ, len(first))])
    return found[0] if found and len(found[0]) < len(first) else ""


def short_ids(items: Iterable[PackItem]) -> dict[str, str]:
    """Return, per id, its shortest beginning that no other of these ids has: it traces a line to its memory.

    Ids made here are random: the first five characters of one are those of another among 11,637 once in 2,900.
    `memtui show` takes any beginning and asks where several fit. Ids of others stay whole.
    """
    ids = sorted({item.memory.id for item in items})
    found = {}
    for identifier in ids:
        if not OWN_ID.fullmatch(identifier):
            found[identifier] = clean_line(identifier)
            continue
        length = SHORTEST_ID
        while length < len(identifier) and any(
            other != identifier and other.startswith(identifier[:length]) for other in ids
        ):
            length += 1
        found[identifier] = identifier[:length]
    return found
