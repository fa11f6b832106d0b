"""The findings of Tidy as rows and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from operator import attrgetter
from typing import Any

from rich.cells import cell_len

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.suggestions import RipeGroup
from memtui.curate.fields import LONGEST_TITLE
from memtui.curate.merge import Marked, marked_texts
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Memory
from memtui.text.sanitize import tame
from memtui.text.words import clip, counted
from memtui.tui.memory_view import source_line, vouched
from memtui.tui.merge.view import letter
from memtui.tui.styled_text import Block, Piece, StyleName, from_difference, marked_pieces
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.row_list import TextRow
from memtui.wording import tidying

NAMES = {
    "duplicates": "Duplicates",
    "contradictions": "Contradictions",
    "anchors": "Dead anchors",
    "stale": "Due for review",
    "oversized": "Oversized",
    "vague": "Vague",
    "fragments": "Fragments",
    "secrets": "Secrets",
    "unconfirmed": "Unconfirmed",
    "unused": "Never used",
    "ripe": "Ripe for a conclusion",
    "lessons": "Not shown",
}

WHAT_TO_DO = {
    "duplicates": "enter merges them field by field · n not duplicates, N no similar ones either",
    "contradictions": "enter resolves it: A, B, both, or none · n not a contradiction, N no similar ones either",
    "anchors": "enter follows the file to its new path, after a preview · n it may be missing: do not report it again",
    "maybe": "Only its name tells where it may be: enter follows it there, after a preview · n it may be missing: do "
    "not report it again",
    "gone": "No similar file was found: enter removes it from Files, after a preview · n it may be missing: do not "
    "report it again · e edits the memory, x retires it",
    "scope": "It applies to no or hardly any file of this project: fix the rule file and import it again · n do not "
    "report it again",
    "stale": "enter goes through them in Review",
    "oversized": "More than 600 tokens crowd out others: m splits it where possible, e shortens it · n it is fine",
    "vague": "e to say what to do and where, m retires it · n it is fine",
    "fragments": "m applies the suggested fix, e edits it · n it is fine",
    "secrets": "It contains what looks like a secret: remove it with e and rotate it; memtui purge erases it for good.",
    "unconfirmed": "It is in use, but nobody accepted it: Y confirms it, x retires it",
    "ripe": "enter writes one conclusion from them · n no common conclusion",
    "lessons": "n shows similar findings again; those dismissed stay dismissed",
    "unused": "No payload included it for 90 days: Y keeps it, x retires it",
}

ALL_AT_ONCE = {
    "duplicates": "a merges all copies",
    "anchors": "a follows all that are found, after a preview",
    "unused": "a retires them all",
}
"""What one key does about all findings of a sort, where it can."""

_NOTE_CELLS = 13
_NOTE_FROM = 34
_UNLIKE, _LIKE = "≠", "≈"
_AGAINST_CELLS = 3  # The sign between two titles, and a blank on either side


@dataclass(frozen=True, slots=True)
class TidyRow:
    """One finding."""

    finding: str  # its kind, a key of `NAMES`
    text: str
    note: str  # a word at the right
    subject: Any  # what it is about: a group, a pair, an anchor, or the id of a memory
    ids: tuple[str, ...] = ()  # the memories whose texts are shown beside it
    other: str = ""  # the title of the second of two memories, empty where there are none or more
    is_loud: bool = False  # whether somebody has to look before anything is done
    about: tuple[str, ...] = ()  # what speaks for it, a line each

    @property
    def memory(self) -> str | None:
        """The memory that it is about, None where there are several."""
        return self.ids[0] if len(self.ids) == 1 else None

    def what_to_do(self, *, all_at_once: bool) -> str:
        """Return what the keys do about it."""
        key = self.finding
        if key == "anchors" and not self.subject.suggestion:
            key = "scope" if self.subject.file else "gone"
        elif key == "anchors" and self.subject.state != "moved":
            key = "maybe"
        words = WHAT_TO_DO[key]
        return f"{words} · {ALL_AT_ONCE[self.finding]}" if all_at_once else words


def rows_of(report: TidyReport, *, airy: bool = False) -> list[TidyRow | TextRow]:
    """Return the findings under their headings; what is due is one line, as Review goes through it.

    `airy`: whether an empty line parts the groups.
    """
    lines: list[TidyRow | TextRow] = []
    for finding, name in NAMES.items():
        rows = list(_ROWS.get(finding, _memory_rows)(report, finding))
        if rows:
            lines += [TextRow("")] if airy and lines else []
            lines.append(TextRow(name, count=f"{_size(report, finding):,}", note=_mass(report, finding)))
            lines += _told_apart(rows)
    return lines


def shown_findings(report: TidyReport) -> TidyReport:
    """Return what the screen is about: what is waiting in the inbox is decided on there, and no finding here."""
    return replace(report, unconfirmed=tuple(name for name in report.unconfirmed if name not in report.waiting))


def come_after(before: TidyReport, report: TidyReport, dismissed: Collection[str]) -> str:
    """Return how many proposals came up with a dismissal, of memories that the dismissed one was about.

    A memory stands in one proposal at a time, so what resembles it next comes up once the nearest is dismissed.
    """
    known, now = (
        [*(group.ids for group in found.duplicates), *(group.ids for group in found.ripe)] for found in (before, report)
    )
    number = sum(ids not in known and not set(ids).isdisjoint(dismissed) for ids in now)
    return tidying.next_in_line(number) if number else ""


def _size(report: TidyReport, finding: str) -> int:
    return len(report.hidden) if finding == "lessons" else len(getattr(report, finding))


def _mass(report: TidyReport, finding: str) -> str:
    if finding == "lessons":
        return "similar to what you dismissed"
    return tidying.mass_words(report, finding)


def _told_apart(rows: Sequence[TidyRow]) -> Iterator[TidyRow]:
    """Yield rows; those that read the same show the id of their last memory."""
    seen = Counter((row.text, row.other) for row in rows)
    for row in rows:
        yield replace(row, note=row.ids[-1]) if row.ids and seen[row.text, row.other] > 1 else row


def row_cells(row: TidyRow, width: int) -> list[Cell]:
    note = Cell(row.note, "dim", _NOTE_CELLS, since=_NOTE_FROM, right=True, snug=True)
    room = width - 4 - (_NOTE_CELLS if width >= _NOTE_FROM else 0)
    return [
        Cell("!" if row.is_loud else "", "warning", 1, after=1),
        Cell(_one_line(row, room), "base", after=1),
        note,
    ]


def _one_line(row: TidyRow, room: int) -> str:
    """Return the words of a row; of two titles each has half of the room, and what the other leaves."""
    if not row.other:
        return row.text
    half = max(1, (room - _AGAINST_CELLS) // 2)
    text, other = row.text, row.other
    if cell_len(text) + _AGAINST_CELLS + cell_len(other) > room:
        text, other = _from_difference(text, other, half)
    first = max(half, room - _AGAINST_CELLS - cell_len(other))
    sign = _UNLIKE if row.finding == "contradictions" else _LIKE
    return f"{clip(text, first)} {sign} {other}"


def _from_difference(text: str, other: str, half: int) -> tuple[str, str]:
    """Return two titles without the beginning that both have, where little else would fit into that many cells."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))
    start = max(text.rfind(" ", 0, shared) + 1, shared - min(_LONGEST_KEPT, half // 4))
    if start < _SHORTEST_CUT or cell_len(text[:shared]) + _DIFFERENCE_CELLS < half:
        return text, other
    # As much of the beginning as both have room for, from a word on.
    earliest = max(_SHORTEST_CUT, max(len(text), len(other)) + 1 - half)
    start = min(start, text.find(" ", earliest - 1, start) + 1 or start)
    return f"…{text[start:]}", f"…{other[start:]}"


_SHORTEST_CUT = 8  # Characters of a beginning that are worth a cut
_LONGEST_KEPT = 8  # Characters before the first difference: of a word, or of a text without blanks
_DIFFERENCE_CELLS = 6  # What shows that two titles differ


def row_blocks(row: TidyRow, texts: Sequence[Sequence[Block]] | None, *, all_at_once: bool = False) -> list[Block]:
    """Return a finding in full: what speaks for it, its texts one below the other, and what to do about it.

    Several texts come first, since what differs in them is what is decided on.

    `texts`: of `text_blocks`; None while they are being read. `all_at_once`: whether findings of its sort can be fixed
    by one key.
    """
    mark = "! " if row.is_loud else ""
    style: StyleName = "warning" if row.is_loud else "dim"
    about = [Block(((mark + line, style),)) for line in row.about]
    several = len(row.ids) > 1
    blocks = [] if several else list(about)
    blocks += [Block((("reading …", "dim"),))] if texts is None else []
    for place, (title, *rest) in enumerate(texts or ()):
        blocks.append(replace(title, gap=bool(blocks), label=letter(place) if several else ""))
        blocks += [replace(block, label=" " if several else "") for block in rest]
    blocks += [replace(line, gap=at == 0 and bool(blocks)) for at, line in enumerate(about)] if several else []
    return [*blocks, Block(((row.what_to_do(all_at_once=all_at_once), "dim"),), gap=bool(blocks))]


def text_blocks(
    row: TidyRow, memories: Sequence[Memory], now: datetime, *, most: int | None = None
) -> list[list[Block]]:
    """Return what each memory of a finding says, in brackets what contradicts, else the words in which they differ.

    `most`: characters of each text, cut to where they differ and on one line, so that two fit in a low terminal; None
    for the whole.
    """
    marked = {name: _marked(row, memories, name, most) for name in _SHOWN}
    shown = _SHOWN if most is None else _told_by(memories)
    return [
        _memory_blocks(memory, now, {name: marked[name][place] for name in shown}, is_brief=most is not None)
        for place, memory in enumerate(memories)
    ]


def _marked(row: TidyRow, memories: Sequence[Memory], name: str, most: int | None) -> list[Marked]:
    """Return one text of each memory with the words marked that contradict or differ."""
    found = row.subject
    words = dict(zip(found.ids, found.words, strict=True)) if isinstance(found, Contradiction) else {}
    texts = [str(getattr(one, name)) for one in memories]
    texts = texts if most is None else [" ".join(text.split()) for text in texts]
    if words and all(_find(one, words.get(one.id, "")) for one in memories):
        marked = [_with_words(text, words[one.id]) for text, one in zip(texts, memories, strict=True)]
    else:
        marked = marked_texts(texts)
    return marked if most is None else [from_difference(each, most) for each in marked]


def _memory_blocks(memory: Memory, now: datetime, texts: Mapping[str, Marked], *, is_brief: bool) -> list[Block]:
    """Return the title of a memory, where it is from, and its other texts; brief ones say nothing twice."""
    repeats = is_brief and _bare(memory.insight).startswith(_bare(memory.title))
    has_title = "title" in texts and not repeats
    source = f"{source_line(memory.sources) if memory.sources else 'typed'} · {vouched(memory, now)}"
    said = [name for name in texts if name != "title" and getattr(memory, name).strip()]
    if has_title and _is_in_title(memory):
        said = [name for name in said if name != "insight"]
    return [
        *([Block(marked_pieces(texts["title"], "title"))] if has_title else []),
        Block(((source, "dim"),)),
        *(Block((*_HEADS.get(name, ()), *marked_pieces(texts[name])), gap=not is_brief) for name in said),
    ]


def _told_by(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the texts that tell memories apart: theirs, with titles that differ; else the others that differ."""
    differ = {name for name in _SHOWN if len(set(map(attrgetter(name), memories))) > 1}
    if "insight" in differ:
        return tuple(name for name in _SHOWN[:2] if name in differ)
    return tuple(name for name in _SHOWN if name in differ or name == "insight")


def _is_in_title(memory: Memory) -> bool:
    """Return whether the title ends in all that the text says, so that two short texts fit below each other."""
    text = _bare(memory.insight)
    return len(memory.insight) <= LONGEST_TITLE and bool(text) and _bare(memory.title).endswith(text)


def _bare(text: str) -> str:
    """Return the letters, digits and signs of a text but for those at its ends: titles are made without the marks."""
    return "".join(text.casefold().strip("*_`#->. ").split())


_SHOWN = ("title", "insight", "rationale", "snippet")  # The texts of a memory, in this order
_HEADS: dict[str, tuple[Piece, ...]] = {"rationale": (("Why  ", "label"),)}


def _find(memory: Memory, words: str) -> bool:
    """Return whether a memory says these words as they are written."""
    return bool(words.strip()) and words.strip().lower() in f"{memory.title}\n{memory.insight}".lower()


def _with_words(text: str, words: str) -> Marked:
    """Return a text with words marked, where they are in it."""
    at, length = text.lower().find(words.strip().lower()), len(words.strip())
    if at < 0:
        return ((text, False),)
    return ((text[:at], False), (text[at : at + length], True), (text[at + length :], False))


def _memory_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for identifier in getattr(report, finding):
        tokens = f"{report.tokens[identifier]:,} tok"
        text = tame(report.titles[identifier], 120)
        yield TidyRow(finding, text, tokens, identifier, (identifier,), is_loud=finding == "secrets")


def _flaw_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for identifier in getattr(report, finding):
        flaw, title = report.flaws[identifier], tame(report.titles[identifier], 120)
        note = f"{report.tokens[identifier]:,} tok" if finding == "oversized" else flaw.mend
        other = [tame(report.titles[one], 300) for one in (*flaw.more, flaw.other) if one in report.titles]
        about = (tidying.flaw_words(flaw), f"Offered: {tidying.mend_words(flaw)}", *other)
        yield TidyRow(finding, title, note, flaw, (identifier,), about=about)


def _lesson_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for lesson, number in report.lessons:
        if number:
            text = tidying.lesson_words(lesson, number)
            yield TidyRow(finding, text, "", lesson, about=(text,))


def _due_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    if report.stale:
        yield TidyRow(finding, counted(len(report.stale), "memory waits", "memories wait"), "r review", "")


def _duplicate_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for group in report.duplicates:
        note = "copies" if group.copies else "please check" if group.pile == "look" else group.pile
        about = (*map(tame, group.warnings), tame(group.why))
        yield _group_row(report, finding, group, note, about=about, is_loud=note == "please check")


def _ripe_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for group in report.ripe:
        yield _group_row(report, finding, group, "conclude", about=(tame(group.why, 300),))


def _group_row(
    report: TidyReport,
    finding: str,
    group: DuplicateGroup | RipeGroup,
    note: str,
    *,
    about: tuple[str, ...],
    is_loud: bool = False,
) -> TidyRow:
    first, second, *rest = (tame(report.titles[identifier], 120) for identifier in group.ids)
    text = f"{len(group.ids)} × {first}" if rest or first == second else first
    other = "" if rest or first == second else second
    return TidyRow(finding, text, note, group, group.ids, other, is_loud, about)


def _contradiction_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for found in report.contradictions:
        first, second = (tame(report.titles[identifier], 120) for identifier in found.ids)
        newer = (f"{'AB'[found.ids.index(found.winner)]} is newer, or replaced the other",) if found.winner else ()
        about = (tame(found.why, 300), *newer)
        yield TidyRow(finding, first, found.type, found, found.ids, second, about=about)


def _anchor_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for anchor in report.anchors:
        if anchor.others or anchor.file:
            words = tidying.anchor_words(anchor)
            titles = [tame(report.titles.get(identifier, ""), 120) for identifier in anchor.ids[:_MOST_TITLES]]
            yield TidyRow(finding, words, anchor.state, anchor, about=(words, *titles))
            continue
        maybe = "" if anchor.state == "moved" else "maybe "
        to = f" → {maybe}{tame(anchor.suggestion, 80)}" if anchor.suggestion else ""
        place, title = f"{tame(anchor.path, 80)}{to}", tame(report.titles.get(anchor.id, ""), 120)
        text = f"{place} · {title}" if title else place
        yield TidyRow(finding, text, anchor.state, anchor, (anchor.id,), about=(f"{place}: {anchor.state}",))


_MOST_TITLES = 12  # Titles of memories that share a dead path

_ROWS: dict[str, Callable[[TidyReport, str], Iterator[TidyRow]]] = {
    "duplicates": _duplicate_rows,
    "contradictions": _contradiction_rows,
    "anchors": _anchor_rows,
    "stale": _due_rows,
    "oversized": _flaw_rows,
    "vague": _flaw_rows,
    "fragments": _flaw_rows,
    "lessons": _lesson_rows,
    "ripe": _ripe_rows,
}
