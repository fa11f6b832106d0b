"""Candidates in groups by file and heading, or by kind."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from memtui.text.planted import Planted
from memtui.text.sanitize import tame
from memtui.tui.values import Row

if TYPE_CHECKING:
    from memtui.curate.inbox import Offer


@dataclass(frozen=True, slots=True)
class Candidate(Row):
    """A candidate as the list shows it."""

    source: str = ""  # where it came from, on one line
    oddities: tuple[str, ...] = ()  # what to know before accepting it, a few words each
    planted: Planted | None = None  # why it looks planted
    is_read: bool = True  # whether its oddities are known yet
    confidence: str = "sure"  # how well its kind is founded: a key of `CONFIDENCE_SIGNS`


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates with something in common, and the row that stands for them."""

    id: str  # begins with NUL, as no memory's id does
    label: str
    members: tuple[str, ...]
    level: int = 0  # 1 for a section within a file
    inside: str = ""  # of a section: the group of its file


@dataclass(frozen=True, slots=True)
class Arranged:
    """Offers as lines of a list."""

    lines: tuple[str, ...] = ()  # ids of groups and candidates
    shown: tuple[str, ...] = ()  # ids of all candidates in their order, folded or not
    groups: Mapping[str, Group] = field(default_factory=dict)
    # the innermost group with a row of its own, by candidate
    group_of: Mapping[str, str] = field(default_factory=dict)
    alone: frozenset[str] = frozenset()  # candidates in place of the row of their folded group: they are all of it


def file_key(offer: Offer) -> str:
    """Return what candidates from one file, or from one proposer, share."""
    return f"\0{offer.project or ''}\0{offer.path or ''}\0{'' if offer.path else offer.origin}"


def section_key(offer: Offer) -> str:
    """Return what candidates from one section of a file share."""
    return f"{file_key(offer)}\0{offer.heading}"


def kind_key(offer: Offer) -> str:
    """Return what candidates of one kind share."""
    return f"\0{offer.kind}"


def less_sure_key(offer: Offer) -> str:
    """Return what the less sure proposals of one source share."""
    return f"{file_key(offer)}\0\0"


def arrange(
    offers: Sequence[Offer],
    *,
    by_kind: bool = False,
    folded: Iterable[str] = (),
    projects: bool = False,
    less_sure: Container[str] = (),
) -> Arranged:
    """Return offers grouped by file and heading, or by kind, those in a file by their lines.

    A folded group of a single candidate is the row of that candidate: a path alone says nothing of it.
    `less_sure`: ids of proposals that stand in a group of their own below the others of their source.
    """
    closed, lines, shown = set(folded), list[str](), list[str]()
    groups: dict[str, Group] = {}
    group_of: dict[str, str] = {}
    alone = set[str]()
    for key, members in _split(offers, kind_key if by_kind else file_key).items():
        ordered, sections = members, dict[str, Group]()
        label = members[0].kind
        if not by_kind:
            rest = [offer for offer in members if offer.id in less_sure]
            ordered = _ordered(members, rest)
            sections = _less_sure(rest, key) if rest else _sections(ordered, key)
            label = _file_label(members[0], projects=projects)
        section_of = {identifier: section for section in sections.values() for identifier in section.members}
        group = Group(key, label, _kept_together([offer.id for offer in ordered], section_of))
        groups |= {key: group} | sections
        group_of |= {identifier: section_of.get(identifier, group).id for identifier in group.members}
        shown += group.members
        if key not in closed:
            lines += [key, *_lines_within(group, section_of, closed)]
        elif len(members) == 1 and not sections:
            lines += group.members
            alone.update(group.members)
        else:
            lines.append(key)
    return Arranged(tuple(lines), tuple(shown), groups, group_of, frozenset(alone))


def _kept_together(ordered: Sequence[str], section_of: Mapping[str, Group]) -> tuple[str, ...]:
    """Return candidates in their order, those of a section with a row of its own behind its first one.

    A section goes on below its subsections, whose rows would otherwise seem to hold the rest of it.
    """
    place = {identifier: at for at, identifier in enumerate(ordered)}
    firsts = {identifier: place[section.members[0]] for identifier, section in section_of.items()}
    return tuple(sorted(ordered, key=lambda each: (firsts.get(each, place[each]), place[each])))


def _lines_within(group: Group, section_of: Mapping[str, Group], closed: Container[str]) -> Iterator[str]:
    """Yield the lines below the row of a group; the row of a section stands before its first candidate."""
    for identifier in group.members:
        section = section_of.get(identifier)
        if section is not None and section.members[0] == identifier:
            yield section.id
        if section is None or section.id not in closed:
            yield identifier


def _ordered(offers: Sequence[Offer], less_sure: Sequence[Offer]) -> list[Offer]:
    """Return the offers of a file by their lines; of a source with many proposals, the surest first."""
    if not less_sure:
        return sorted(offers, key=lambda offer: offer.line or 0)
    surest = sorted((offer for offer in offers if offer not in less_sure), key=lambda offer: -offer.score)
    return [*surest, *sorted(less_sure, key=lambda offer: -offer.score)]


def _less_sure(offers: Sequence[Offer], inside: str) -> dict[str, Group]:
    key = less_sure_key(offers[0])
    ids = tuple(offer.id for offer in sorted(offers, key=lambda offer: -offer.score))
    return {key: Group(key, "less sure", ids, 1, inside)}


def _sections(offers: Sequence[Offer], inside: str) -> dict[str, Group]:
    """Return the groups of a file's sections; one with a single candidate, or all there is, needs no row."""
    parts = _split(offers, section_key)
    strip = len({offer.heading.split(" > ")[0] for offer in offers}) == 1
    return {
        key: Group(key, _section_label(part[0].heading, strip=strip), tuple(offer.id for offer in part), 1, inside)
        for key, part in parts.items()
        if len(part) > 1 and len(parts) > 1
    }


def _split(offers: Iterable[Offer], key: Callable[[Offer], str]) -> dict[str, list[Offer]]:
    parts: dict[str, list[Offer]] = {}
    for offer in offers:
        parts.setdefault(key(offer), []).append(offer)
    return parts


def _file_label(offer: Offer, *, projects: bool) -> str:
    typed = "typed here" if offer.origin == "memtui" else f"proposed by {offer.origin}"
    label = _session_label(offer) or tame(offer.path or typed, 200)
    return f"{label}  ({tame(offer.project or 'unassigned', 40)})" if projects else label


_SESSION_NAME = 8  # Characters of the end of a session's name: two rarely share them


def _session_label(offer: Offer) -> str:
    """Return what the file of a session is called, whose path says only where an assistant keeps it; else nothing."""
    if not is_of_session(offer):
        return ""
    path = PurePath(offer.path or "")
    name = path.stem if len(path.stem) <= 2 * _SESSION_NAME else f"…{path.stem[-_SESSION_NAME:]}"
    return f"session {tame(name)}, {tame(offer.origin, 40)}"


_SESSION_FILES = frozenset({".jsonl", ".json"})


def is_of_session(offer: Offer) -> bool:
    """Return whether a candidate was proposed from a session of an assistant, rather than stated by a file of rules."""
    return offer.is_proposed and PurePath(offer.path or "").suffix in _SESSION_FILES


def _section_label(heading: str, *, strip: bool) -> str:
    """Return a heading path without the document's title."""
    parts = heading.split(" > ")
    return tame(" > ".join(parts[1:] if strip and len(parts) > 1 else parts), 200) or "no heading"
