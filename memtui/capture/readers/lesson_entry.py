"""Split one lesson or incident by its labels and headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Literal

from memtui.capture.blocks import Section
from memtui.capture.dates import date_in
from memtui.text.tables import compile_lines, read_table

Role = Literal["rule", "why", "about", "tags", "date", "apart", "timeline"]
"""rule: the lesson itself; why: when and why it holds; about: who, when, how bad; apart: a text of its own."""

_LABEL = re.compile(
    r"(?P<lead>[ \t]*(?:>[ \t]*)?(?:[-*+][ \t]+)?)"
    r"(?:(?P<bold>\*\*|__)(?P<name>[^*_\n:\uff1a]{2,60})(?P<inner>[:\uff1a]?)(?P=bold)"
    r"|(?P<plain>[^\W\d_][^*_\n:\uff1a]{1,30}))"
    r"[ \t]*(?:\([^()\n]{1,40}\)[ \t]*)?(?P<colon>[:\uff1a]?)[ \t]*(?P<rest>.*)$"
)
_ASIDE = re.compile(r"\s*\([^()]{1,40}\)\s*$")
_NUMBER = re.compile(r"(?:lesson|entry|case|incident|#)?\s*#?\d{1,4}\s*(?:[.):\u2013\u2014]|-\s)\s*", re.IGNORECASE)
_KIND_PREFIX = re.compile(
    r"(?:incident )?(?:post[- ]?mortem|incident|retrospective|retro|rca)(?: report)?\s*[:\u2013\u2014-]\s*",
    re.IGNORECASE,
)
_BOLD_LINE = re.compile(r"\*\*(?=\S)([^\n]{8,200}?)(?<=\S)\*\*:?\s*(?:[*_]?[(\[][^()\[\]]{1,60}[)\]][*_]?)?")
_LABEL_WORDS = 2
_BARE_ID = re.compile(r"[A-Z]{1,10}[-_#]?\d[\d-]*$")
_LOOKED_AT_CHARS = 2_000
_EDGES = " \t-:\u2013\u2014|.,#"


@cache
def _roles() -> tuple[tuple[Role, re.Pattern[str]], ...]:
    rows = read_table(__file__, "lessons.toml")["role"]
    return tuple((row["name"], re.compile(rf"(?:{'|'.join(row['words'])})$", re.IGNORECASE)) for row in rows)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "lessons.toml")["patterns"][name])


def role_of(name: str) -> Role | None:
    """Return the role of a part of a lesson by its label or heading; None for words that name no part."""
    bare = _NUMBER.sub("", name.strip(), count=1) if name[:1].isdigit() else name
    bare = re.sub(r"^\W+|\W+$", "", bare)
    return next((role for role, words in _roles() if words.match(bare)), None)


def names_a_fault(name: str) -> bool:
    """Return whether a part's name tells of a fault."""
    return bool(_pattern("fault").search(name))


def is_named_failures(stem: str) -> bool:
    """Return whether a file's name without its ending says that it tells of what went wrong or was given up."""
    return bool(_pattern("names").match(stem))


def tells_of_giving_up(text: str) -> bool:
    """Return whether a text says that what it is about was tried and given up."""
    return bool(_pattern("given_up").search(text))


def names_tasks(name: str) -> bool:
    """Return whether a part's name announces tasks."""
    return bool(_pattern("tasks").match(name.strip()))


@dataclass(frozen=True, slots=True)
class Label:
    """A line that begins a part, as in `- **Root cause:** the pool`."""

    name: str
    rest: str  # what follows on the line
    depth: int  # 0 at the margin, else one more than the indentation of its list marker


def label_of(line: str) -> Label | None:
    """Return the label that a line begins with; None if it names no part."""
    found = _LABEL.match(line[:_LOOKED_AT_CHARS])
    if found is None:
        return None
    name = _ASIDE.sub("", (found["name"] or found["plain"]).strip())
    marked = bool(found["colon"] or found["inner"] or (found["bold"] and not found["rest"].strip()))
    if not marked or role_of(name) is None:
        return None
    lead = found["lead"].replace(">", " ")
    depth = 1 + len(lead) - len(lead.lstrip()) if lead.strip() else 0
    return Label(name, line[found.start("rest") :].strip(), depth)


def bold_line(line: str) -> str:
    """Return the words of a line that is bold as a whole, but for a date or remark behind it; empty for others."""
    found = _BOLD_LINE.fullmatch(line.strip())
    return found[1].rstrip(" :.") if found else ""


def bold_starts(section: Section) -> list[int]:
    """Return the lines of the source at which lessons begin that stand below bold lines; none where they are parts."""
    if section.children or not section.level:
        return []
    firsts = (block.lines.first for block in section.blocks if block.kind == "paragraph")
    told = [(first, words) for first in firsts if (words := bold_line(section.source[first]))]
    is_part = any(role_of(words) or len(words.split()) <= _LABEL_WORDS for _, words in told)
    return [] if is_part else [first for first, _ in told]


def is_how_to(heading: str) -> bool:
    """Return whether a section explains the file itself."""
    return bool(_pattern("how_to").match(heading.strip()))


def is_placeholder(heading: str) -> bool:
    """Return whether a heading is an unfilled template."""
    return bool(_pattern("placeholder").search(heading))


def bare_title(heading: str) -> str:
    """Return a heading without its date, number and kind of document; may be empty."""
    title = heading
    found = date_in(title)
    if found is not None:
        start, end = found[1]
        before = title[:start].rstrip(" ([,;")
        closed = ")" * (before.count("(") > before.count(")"))
        title = f"{before}{closed} {title[end:].lstrip(' )]')}"
    title = title.strip(_EDGES)
    for prefix in (_NUMBER, _KIND_PREFIX):
        if match := prefix.match(title):
            title = title[match.end() :]
    title = title.strip(_EDGES)
    return "" if _BARE_ID.match(title) else title


ENTRY_CHARS = 2_400  # Prose below one heading up to this size is one lesson

_SETTING_CHARS = 160
_TAG_CHARS = 40


@dataclass(slots=True)
class Part:
    """A labelled part of an entry; `section` is set if its label is a heading."""

    role: Role
    label: str
    text: str
    section: Section | None = None


@dataclass(slots=True)
class Entry:
    """One lesson or incident."""

    path: tuple[str, ...]  # the headings above it and its own
    section: Section
    plain: str = ""  # the text without a label
    parts: list[Part] = field(default_factory=list)
    date: datetime | None = None  # the date that it states
    tags: list[str] = field(default_factory=list)

    def texts(self, *roles: Role) -> list[Part]:
        """Return the non-empty parts of some roles."""
        return [part for part in self.parts if part.role in roles and part.text.strip()]

    def main_texts(self) -> tuple[str, list[Part], list[Part]]:
        """Return the unlabelled text, the parts of the lesson itself, and those of its reasons.

        If an entry states reasons only, they are its lesson; beside a summary below a heading, the text above all
        headings is a reason.
        """
        rules, why = self.texts("rule"), self.texts("why")
        if not rules and not self.plain.strip():
            return "", why, []
        if self.plain.strip() and any(part.section is not None for part in rules):
            return "", rules, [Part("why", "", self.plain), *why]
        return self.plain.strip("\n"), rules, why

    def file(self, part: Part) -> None:
        """Add a part; dates and tags are read, and a long text about who and when counts as a reason."""
        text = part.text.strip()
        if part.role in {"date", "tags", "about"} and (len(text) > _SETTING_CHARS or "\n" in text):
            part.role = "why"
        elif part.role == "date":
            found = date_in(text)
            self.date = self.date or (found[0] if found else None)
            part.role = "date" if found else "why"
        elif part.role == "tags":
            words = [word.strip(" #") for word in re.split(r"[,;|]|\s(?=#)", text.replace("`", ""))]
            if any(len(word) > _TAG_CHARS for word in words):
                part.role = "why"
            else:
                self.tags.extend(filter(None, words))
        self.parts.append(part)


def parsed(section: Section, path: tuple[str, ...], is_apart: Callable[[Section], bool]) -> Entry:
    """Split an entry by its labels and by the headings below it.

    `path`: the headings above it. `is_apart`: returns whether a text without a known label is too long to stand in the
    lesson.
    """
    entry = Entry(path, section)
    found = date_in(section.heading)
    entry.date = found[0] if found else None
    for label, text in _labelled(section.text):
        role = role_of(label) if label else None
        if role is None:
            entry.plain = text
        else:
            entry.file(Part(role, label, text))
    for child in section.children:
        role = role_of(child.heading)
        if role is None and is_apart(child):
            role = "apart"
        entry.file(Part(role or "rule", child.heading, child.whole_text, child))
    return entry


def are_parts(children: Sequence[Section]) -> bool:
    """Return whether headings name the parts of one lesson rather than lessons."""
    roles = [role_of(child.heading) for child in children]
    named = [role for role in roles if role is not None]
    return len(named) * 2 >= len(roles) and any(role != "apart" for role in named)


def joined(parts: Sequence[Part], *, alone: bool = True) -> str:
    """Return parts with their labels.

    `alone`: whether nothing stands beside them, so that a single one needs no label.
    """
    if len(parts) == 1 and alone and role_of(parts[0].label) is not None:
        return parts[0].text.strip("\n")
    texts = []
    for part in parts:
        text = part.text.strip("\n")
        inline = "\n" not in text and not text.lstrip().startswith(("-", "*", "|", "#", "```"))
        between = " " if inline else "\n\n"
        texts.append(f"{part.label}:{between}{text}" if part.label else text)
    return "\n\n".join(texts)


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    """Yield the labelled parts of a text; the part before the first label has none."""
    current: Label | None = None
    parts: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    before = ""
    for line in text.split("\n"):
        fenced ^= line.lstrip(" \t-*+>").startswith(("```", "~~~"))
        found = None if fenced or (before.strip() and line[:1].islower()) else label_of(line)
        before = line
        if found is None or (current and _is_inside(found, current)):
            parts[-1][1].append(line)
        else:
            current = found
            parts.append((found.name, [found.rest] if found.rest else []))
    joined = ((name, "\n".join(lines).strip("\n")) for name, lines in parts)
    yield from ((name, part) for name, part in joined if name or part.strip())


def _is_inside(found: Label, current: Label) -> bool:
    """Return whether a label belongs to the part above it: deeper in a list, below a listed label or a bare one."""
    return found.depth > current.depth and (not current.rest or current.depth > 0)
