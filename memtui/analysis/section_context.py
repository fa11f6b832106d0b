"""Where memories of files stand: their headings, sections and rows, and what they say without these."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import ne
from pathlib import PurePosixPath

from memtui.analysis.pair_facts import scopes
from memtui.domain.memory import Memory

_SKILL = "SKILL.md"  # the file of a skill, which is called as its folder is
_WORD = re.compile(r"[^\W_]+")
_SCOPE_WORD = re.compile(r"[a-z][a-z0-9]*(?:\+\+|#)?")
_POLAR = re.compile(
    r"\b(?:wrong|bad|incorrect|anti-?patterns?|don'?ts?|do not|avoid|never|not|no)\b|[❌✗✘]", re.IGNORECASE
)
_END = re.compile(r":(?=\s|$)")

RECORDS = frozenset({"adr", "skill"})  # Formats of files that are read as one memory
LONGEST_PREFIX = 300  # Characters in which the headings that open a text end
SHARED_HEADINGS = 2  # Headings that two memories of one file share from the outermost on to be of one section
WORK = frozenset({"dev", "test"})  # Environments that headings name as a work to do


def is_of_file(memory: Memory) -> bool:
    """Return whether a memory was imported from a file, in which it stands among others."""
    return memory.source is not None and memory.source.path is not None


def is_record(memory: Memory) -> bool:
    """Return whether a memory tells a whole file: a decision with its reasons, or what a skill is for."""
    source = memory.source
    return source is not None and source.format in RECORDS and "#" not in (source.native_id or "")


def are_elsewhere(one: Memory, other: Memory) -> bool | None:
    """Return whether two memories of files stand in different ones, None where one is of no file."""
    if not (is_of_file(one) and is_of_file(other)) or one.source is None or other.source is None:
        return None
    return one.source.path != other.source.path


def headings_of(memory: Memory) -> tuple[str, ...]:
    """Return the headings that a memory stood under, outermost first."""
    native = (memory.source.native_id if memory.source else None) or ""
    return tuple(heading for heading in native.rpartition("#")[0].split(" > ") if heading)


def unheaded(memory: Memory) -> str:
    """Return what a memory says without the headings put before it, unless they turn its meaning."""
    return _unheaded(memory.insight, headings_of(memory))


@lru_cache(maxsize=20_000)
def _unheaded(text: str, headings: tuple[str, ...]) -> str:
    if not headings:
        return text
    first = text[:LONGEST_PREFIX].partition("\n")[0]
    for end in reversed([found.start() for found in _END.finditer(first)]):
        if _are_headings(first[:end], headings):
            return text if _POLAR.search(first[:end]) else text[end + 1 :].strip() or text
    return text


def _are_headings(said: str, headings: tuple[str, ...]) -> bool:
    """Return whether the parts of `A > B` are headings in their order, each maybe shortened."""
    rest = iter([_words(heading) for heading in headings])
    return all(
        (words := _words(part)) and any(_is_within(words, heading) for heading in rest) for part in said.split(" > ")
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _is_within(words: list[str], heading: list[str]) -> bool:
    left = iter(heading)
    return all(word in left for word in words)


def are_in_one_list(one: Memory, other: Memory) -> bool:
    """Return whether two memories stand under the same heading of one file."""
    return are_elsewhere(one, other) is False and headings_of(one) == headings_of(other)


def are_in_one_section(one: Memory, other: Memory) -> bool:
    """Return whether two memories of one file share a heading below its title, or one is of the other's subsection."""
    if are_elsewhere(one, other) is not False:
        return False
    mine, theirs = headings_of(one), headings_of(other)
    shared = next(
        (at for at, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs))
    )
    return shared >= min(SHARED_HEADINGS, len(mine), len(theirs))


def are_parallel(one: Memory, other: Memory) -> bool:
    """Return whether two stand under headings of one list, such as names of two models, or in files of one row.

    What tells the headings or files apart is what each is about.
    """
    if one.source is None or other.source is None or one.source.path != other.source.path:
        return are_in_row(one, other)
    mine, theirs = headings_of(one), headings_of(other)
    return len(mine) == len(theirs) > 1 and sum(map(ne, mine, theirs)) == 1


def are_in_row(one: Memory, other: Memory) -> bool:
    """Return whether two are of two skills, or of files of which one word differs: `web-guide.md`, `cli-guide.md`."""
    if not are_elsewhere(one, other):
        return False
    here, there = (PurePosixPath(each.source.path) for each in (one, other) if each.source and each.source.path)
    if here.name == there.name:
        return here.name == _SKILL and here.parent.name != there.parent.name
    mine, theirs = (_words(path.name.partition(".")[0]) for path in (here, there))
    return here.parent == there.parent and len(mine) == len(theirs) > 1 and sum(map(ne, mine, theirs)) == 1


def hold_elsewhere(one: Memory, other: Memory) -> bool:
    """Return whether headings say that two hold in different environments, languages or parts of a system."""
    mine, theirs = set(headings_of(one)), set(headings_of(other))
    here, there = (set(_SCOPE_WORD.findall(" ".join(each).lower())) for each in (mine - theirs, theirs - mine))
    for known in scopes().values():
        ours, others = ({known[word] for word in words if word in known} - WORK for words in (here, there))
        if ours and others and not ours & others:
            return True
    return False
