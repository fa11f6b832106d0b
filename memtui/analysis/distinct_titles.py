"""Tell memories of one file apart that would have the same title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from memtui.analysis.shorten import cut_off, shortened
from memtui.analysis.title_blocks import blocks
from memtui.analysis.title_fit import MAX_TITLE_CELLS, cut_title
from memtui.analysis.title_words import matches, sentences, undecorated
from memtui.text.inline import READ_CHARS, plain_text
from memtui.text.words import cell_width

_POINTER = ("sentences", "pointer")
_LEAST_ROOM = 16
_NUMBERED = 74
_STATEMENT_WORDS = 5
_MOST_STATEMENTS = 40


@dataclass(frozen=True, slots=True)
class Titled:
    """A memory's title, its text and the headings above it, outermost first."""

    title: str
    text: str
    headings: tuple[str, ...] = ()


def distinct_titles(memories: Sequence[Titled]) -> list[str]:
    """Return the titles of one file's memories, those that several have with what tells them apart.

    That is the heading by which they differ, else what only one of them says, else a number. Memories with the same
    text keep the same title.
    """
    titles = [memory.title for memory in memories]
    groups: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for number, memory in enumerate(memories):
        groups[memory.title.casefold()].setdefault(memory.text, []).append(number)
    for same in groups.values():
        if len(same) > 1:
            members = [memories[numbers[0]] for numbers in same.values()]
            taken = {title.casefold() for title in titles}
            for numbers, title in zip(same.values(), _told_apart(members, taken), strict=True):
                for number in numbers:
                    titles[number] = title
    return titles


def _told_apart(members: Sequence[Titled], taken: set[str]) -> list[str]:
    ways: tuple[Callable[[Sequence[Titled]], list[str]], ...] = (_by_own_words, _by_heading, _by_text)
    for way in ways:
        titles = way(members)
        folded = {title.casefold() for title in titles}
        if len(folded) == len(members) and not folded & (taken - {members[0].title.casefold()}):
            return titles
    bases = (cut_off(one.title, _NUMBERED) if cell_width(one.title) > _NUMBERED else one.title for one in members)
    return [f"{base} ({number})" for number, base in enumerate(bases, 1)]


def _by_own_words(members: Sequence[Titled]) -> list[str]:
    """Return what each of the memories says first, where a heading is the title of all."""
    titles = []
    lists = [_is_list(member.text) for member in members]
    for member, is_list in zip(members, lists, strict=True):
        if is_list and not all(lists):  # of which the heading tells more than its first item does
            titles.append(member.title)
            continue
        is_heading = member.title.casefold() in {plain_text(heading).casefold() for heading in member.headings}
        told = (
            words
            for words in _statements(member.text)
            if len(words.split()) >= _STATEMENT_WORDS and words[:1].isalpha() and not matches(*_POINTER, words)
        )
        first = next(told, "") if is_heading else ""
        # One item of a list says little of it: the heading stays before it.
        named = _with(member.title.partition(" (")[0], first) if first and is_list else ""
        titles.append(named or (cut_title(first) if first else member.title))
    return titles


def _is_list(text: str) -> bool:
    found = blocks(text[:READ_CHARS])
    return len(found) > 1 and found[0].kind == found[1].kind == "item"


def _by_heading(members: Sequence[Titled]) -> list[str]:
    """Return the titles below the innermost heading that not all of them have; those without one stay."""
    shared = set.intersection(*(set(member.headings) for member in members))
    return [
        next((_below(plain_text(one), member.title) for one in reversed(member.headings) if one not in shared), "")
        or member.title
        for member in members
    ]


def _below(heading: str, title: str) -> str:
    room = MAX_TITLE_CELLS - cell_width(heading) - 2
    short = shortened(title, room, cell_width) if room >= _LEAST_ROOM else None
    return "" if heading.casefold() == title.casefold() or not short else f"{heading}: {short}"


def _by_text(members: Sequence[Titled]) -> list[str]:
    """Return the titles with the first statement that no other of the memories makes."""
    said = [list(islice(_statements(member.text), _MOST_STATEMENTS)) for member in members]
    titles = []
    for member, own in zip(members, said, strict=True):
        others = {statement for statements in said if statements is not own for statement in statements}
        new = (statement for statement in own if statement not in others and not member.title.startswith(statement))
        titles.append(next(filter(None, (_with(member.title, statement) for statement in new)), member.title))
    return titles


def _statements(text: str) -> Iterator[str]:
    for block in blocks(text[:READ_CHARS]):
        lines = block.commands or block.lines if block.kind == "code" else sentences(plain_text(block.text))
        yield from (bare for line in lines if (bare := undecorated(line.strip())[0].strip(" .:;。")))


def _with(title: str, more: str) -> str:
    """Return a title with more words, itself shortened if there is no room for both; empty if neither helps."""
    for start in filter(None, (title, shortened(title.removesuffix("…"), MAX_TITLE_CELLS // 2, cell_width))):
        room = MAX_TITLE_CELLS - cell_width(start) - 2
        fits = cell_width(more) <= room
        if fits or room >= _LEAST_ROOM:
            short = more if fits else shortened(more, room, cell_width)
            if short:
                return f"{start}: {short}"
    return ""
