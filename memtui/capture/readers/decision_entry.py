"""One decision of a log: its number, date and title, and its labelled parts as the sections of a record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.capture.blocks import Block, Section, Span, section_tree
from memtui.capture.dates import date_in
from memtui.capture.readers.adr import role_of, state_of
from memtui.text.inline import plain_text

_KNOWN = frozenset({"ADR", "MADR", "AD", "ADL", "DR", "DEC", "DL", "D", "DD", "TD", "DECISION", "RFC", ""})
_ID = re.compile(
    r"[\[(#]?(?:(?P<series>[A-Za-z]{1,12}(?:-(?![NX]{2})[A-Z]{1,6})?)[-_ #.]{0,2})?"
    r"#?(?P<number>(?:(?:19|20)\d\d-\d{2,4}(?!-)|\d{1,6}(?:\.\d{1,4})*)(?!\.?\d|:\d)|n{2,5}|N{2,5}|x{2,5}|X{2,5})\b[\])]?"
    r"(?P<mark>\s*[:：.)\u2013\u2014|-]+\s*|\s+(?=[(\[])|\s*$|(?<=\])\s+|\s+(?=\w))"
)
_DAY = re.compile(
    r"[\[(]?(?P<date>(?:19|20)\d\d[-/.]\d\d[-/.]\d\d|\d\d?\.\d\d?\.(?:19|20)\d\d)(?!\d)"
    r"(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?[\])]?\s*[:：|,.)\u2013\u2014-]*\s*"
)
_YEAR_OR_MONTH = re.compile(r"(?:19|20)\d\d(?:-\d+)?")
_DAY_BEHIND = re.compile(r"\s*(?:[\u2013\u2014|,-]+\s*|[\[(])(?P<date>(?:19|20)\d\d-\d\d-\d\d)[^\w]*$")
_STATE_BEHIND = re.compile(
    r"\s*(?:[\[(](?P<in>[^\[\]()]{3,120})[\])]|[\u2013\u2014|-]\s+(?P<behind>[A-Za-z]+))[\s*_]*$"
)
_EDGES = " \t*_`~.:：|\u2013\u2014-\u2705\u274c\U0001f534\U0001f7e2\U0001f7e1\ufe0f"
_LABEL = re.compile(
    r"(?:[-*+][ \t]+|>[ \t]?)?(?:(?P<bold>\*\*|__)(?P<name>[^*_\n:：]{2,60}?)[ \t]*(?P<inner>[:：]?)(?P=bold)"
    r"(?P<aside>[ \t]*\([^()\n]{1,80}\))?[ \t]*(?P<colon>[:：]?)"
    r"|(?P<plain>[^\W\d_][\w /-]{2,30})[:：](?=\s|$))[ \t]*(?P<rest>.*)$"
)
_BETWEEN = re.compile(r"\s+[|·•]\s+")
_DASHES = re.compile(r"\s+[\u2013\u2014|-]\s+")
_MOST = 2_000
_HEAD_CHARS = 400
_LABEL_WORDS = 5
_SETTINGS = frozenset({"status", "date", "people"})
_TOPIC = re.compile(r"(?:topic|title|area|subject|question|what|name|feature|component)s?\b", re.IGNORECASE)
_NUMBER_HEAD = re.compile(r"(?:#|ids?|nr\.?|no\.?|number|adr)\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """What a heading or the first words of an item say of a decision."""

    title: str = ""
    number: str = ""  # without its letters if these are those of a record, else with them
    series: str = ""
    date: datetime | None = None
    status: str = ""
    is_template: bool = False

    @property
    def is_date(self) -> bool:
        """Whether it is nothing but a date."""
        return self.date is not None and not self.title and not self.number


def own_series(headings: Iterable[str]) -> frozenset[str]:
    """Return the letters before numbers that mark the decisions of a log: those of records, and those of several."""
    found = (_ID.match(plain_text(heading).lstrip(_EDGES)) for heading in headings)
    counted = Counter(one["series"] for one in found if one and one["series"] and one["series"][1:].isupper())
    return _KNOWN | {series for series, times in counted.items() if times > 1}


def head_of(heading: str, series: frozenset[str]) -> Head:
    """Return what the beginning of a heading says. `series`: what `own_series` returns."""
    head, rest = _ended(*_begun(heading.lstrip(_EDGES)[:_HEAD_CHARS], series))
    parts = _DASHES.split(rest)
    if len(parts) > 1 and not any(" " in part.strip() for part in parts):
        rest = ""  # who wrote it and in which phase, no title
    return replace(head, title=rest.strip(_EDGES))


def _begun(rest: str, series: frozenset[str]) -> tuple[Head, str]:
    """Take number and date, in any order, from the beginning of a heading; return what is left, too."""
    head = Head()
    for _ in range(2):
        if head.date is None and (day := _DAY.match(rest)) and (date := date_in(day["date"])):
            head, rest = replace(head, date=date[0]), rest[day.end() :].lstrip(_EDGES)
        if not head.number and (found := _ID.match(rest)) and _counts(found, series):
            letters = (found["series"] or "").upper()
            number = found["number"]
            name = number if letters in _KNOWN else f"{letters}-{number}"
            head = replace(head, number=name, series=letters, is_template=number.isalpha())
            rest = rest[found.end() :].lstrip(_EDGES)
    return head, rest


def _ended(head: Head, rest: str) -> tuple[Head, str]:
    """Take date and status from the end of what is left of a heading."""
    if head.date is None and (day := _DAY_BEHIND.search(rest)) and (date := date_in(day["date"])):
        head, rest = replace(head, date=date[0]), rest[: day.start()]
    state = _STATE_BEHIND.search(rest)
    if state and state_of(said := state["in"] or state["behind"]) and len(rest[: state.start()].split()) > 1:
        head, rest = replace(head, status=said), rest[: state.start()]
    return head, rest


def words_behind(text: str, head: Head) -> str:
    """Return the text of an item behind its number and date, with marks closed that begin before them."""
    at = text.find(head.title) if head.title else -1
    if at < 0 or not (head.number or head.date):
        return text
    rest = text[at:]
    first = rest.partition("\n")[0]
    return next((f"{mark}{rest}" for mark in ("**", "`") if text[:at].endswith(mark) or first.count(mark) % 2), rest)


def _counts(found: re.Match[str], series: frozenset[str]) -> bool:
    """Return whether a number marks a decision, unlike a date, a year or `3 ways to pay`."""
    letters, mark = (found["series"] or "").upper(), found["mark"].strip()
    if letters not in series or re.match(r"\d{4}-\d\d-\d\d", found.string[found.start("number") :]):
        return False
    if not letters and _YEAR_OR_MONTH.fullmatch(found["number"]):
        return False
    stands = (
        bool(mark)
        or "." in found["number"]
        or found[0].startswith(("[", "#"))
        or found.string[found.end() :][:1] in {"", "(", "["}
    )
    return stands or letters in _KNOWN - {"", "D"}


def holds_decision(section: Section) -> bool:
    """Return whether a section has a part that says what was decided, below a label or a heading of its own."""
    labels = [role_of(one.heading) for one in section.children]
    labels += [role for line in _plain_lines(section) for role, _, _ in _labels(section.source[line])]
    return "decision" in labels and (len(labels) > 1 or role_of(section.heading) == "other")


def labelled(section: Section, title: str) -> Section:
    """Return a section as a record of that title: its labelled parts are sections, before those that it has."""
    starts = [line for line in _plain_lines(section) if _labels(section.source[line])]
    last = max((block.lines.last for block in section.blocks), default=-1)
    parts: list[Section] = []
    above = [block for block in section.blocks if not starts or block.lines.first < starts[0]]
    if starts and above and above[-1].lines.last >= starts[0]:
        above[-1] = replace(above[-1], lines=Span(above[-1].lines.first, starts[0] - 1))
    for start, behind in zip(starts, [*starts[1:], last + 1], strict=False):
        found = _labels(section.source[start])
        end = behind
        if found[-1][0] in _SETTINGS:
            end = _end_of_setting(section, start, behind, is_told=bool(found[-1][2]))
            if any(map(str.strip, section.source[end:behind])):
                above.append(Block("paragraph", Span(end, behind - 1)))
        for at, (_, name, rest) in enumerate(found):
            lines = [rest, *(section.source[start + 1 : end] if at == len(found) - 1 else ())]
            part = section_tree("\n".join(lines).rstrip(), first_line=section.first_line + start)
            parts.append(replace(part, level=2, heading=name))
    return replace(section, level=1, heading=title, blocks=above, children=[*parts, *section.children])


def _end_of_setting(section: Section, start: int, behind: int, *, is_told: bool) -> int:
    """Return the line at which the text behind a setting begins: its value is a paragraph at most."""
    for line in range(start + 1, behind):
        if not section.source[line].strip():
            if is_told:
                return line
        else:
            is_told = True
    return behind


def _plain_lines(section: Section) -> Iterator[int]:
    """Yield the lines right below a heading that may begin with a label: none of code or tables."""
    for block in section.blocks:
        if block.kind in {"paragraph", "bullets", "quote"}:
            yield from range(block.lines.first, block.lines.last + 1)


def _labels(line: str) -> list[tuple[str, str, str]]:
    """Return role, name and text of the labels of a line, several if it is parted: `**Date:** … | **Status:** …`."""
    first = _label(line)
    if first is None:
        return []
    if len(line) > _MOST:
        return [first]
    parts = [_label(part) for part in _BETWEEN.split(line)]
    known = [part for part in parts if part is not None]
    return known if len(known) == len(parts) else [first]


def _label(line: str) -> tuple[str, str, str] | None:
    found = _LABEL.match(line[:_MOST])
    if found is None:
        return None
    name = (found["name"] or found["plain"]).strip()
    marked = found["plain"] or found["inner"] or found["colon"] or not found["rest"].strip()
    role = role_of(name)
    if not marked or role == "other" or len(name.split()) > _LABEL_WORDS:
        return None
    return role, name, f"{(found['aside'] or '').strip()} {line[found.start('rest') :]}".strip()


def table_roles(heads: Sequence[str]) -> list[str]:
    """Return what each column of a table says of decisions: a role of a record, `number`, `title`, or `other`."""
    roles = []
    for head in map(plain_text, heads):
        role = "number" if _NUMBER_HEAD.match(head) else role_of(head)
        roles.append("title" if role == "other" and _TOPIC.match(head) and "title" not in roles else role)
    if "title" not in roles and roles and roles[0] == "other":
        roles[0] = "title"
    return roles


def row_section(
    heads: Sequence[str], roles: Sequence[str], cells: Sequence[str], line: int, series: frozenset[str]
) -> tuple[Head, Section]:
    """Return a row of a table as the record of a decision. `line`: its number in the file."""
    head = Head()
    parts: list[Section] = []
    if len(cells) > len(heads):  # a bar within the last one
        cells = [*cells[: len(heads) - 1], "|".join(cells[len(heads) - 1 :])]
    for name, role, cell in zip(heads, roles, cells, strict=False):
        if role == "number":
            found = head_of(plain_text(cell), series)
            head = replace(head, number=found.number or plain_text(cell), series=found.series)
        elif role == "title":
            head = replace(head, title=plain_text(cell).strip(_EDGES))
        elif role == "date" and (date := date_in(cell)):
            head = replace(head, date=date[0])
        elif cell.strip(_EDGES):
            part = section_tree(cell, first_line=line)
            parts.append(replace(part, level=2, heading=plain_text(name)))
    return head, Section(1, head.title, None, [""], line, children=parts)
