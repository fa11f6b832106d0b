"""One lesson or incident, parted by its labels and headings into what, why and the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memtui.capture.dates import date_in
from memtui.capture.readers.lessons_words import Label, Role, label_of, role_of
from memtui.capture.sections import Section

ENTRY_CHARS = 2_400
"""Prose under one heading up to this size is one lesson."""

_SETTING_CHARS = 160
_TAG_CHARS = 40


@dataclass(slots=True)
class Part:
    """A labelled part of an entry; `section` is set where a heading labels it."""

    role: Role
    label: str
    text: str
    section: Section | None = None


@dataclass(slots=True)
class Entry:
    """One lesson or incident.

    Attributes:
        path: the headings above it and its own.
        plain: the text without a label.
        date: the date that it states.
    """

    path: tuple[str, ...]
    section: Section
    plain: str = ""
    parts: list[Part] = field(default_factory=list)
    date: datetime | None = None
    tags: list[str] = field(default_factory=list)

    def texts(self, *roles: Role) -> list[Part]:
        """Return the parts of some roles that say something."""
        return [part for part in self.parts if part.role in roles and part.text.strip()]

    def main_texts(self) -> tuple[str, list[Part], list[Part]]:
        """Return the text without a label, the parts of the lesson itself, and those of its reasons.

        An entry that states reasons alone has them as its lesson; beside a summary under a heading, what stands
        above all headings is a reason.
        """
        rules, why = self.texts("rule"), self.texts("why")
        if not rules and not self.plain.strip():
            return "", why, []
        if self.plain.strip() and any(part.section is not None for part in rules):
            return "", rules, [Part("why", "", self.plain), *why]
        return self.plain.strip("\n"), rules, why

    def file(self, part: Part) -> None:
        """Add a part; dates and tags are read. What says more than who and when is a reason."""
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
    """Part an entry by its labels and by the headings below it.

    Args:
        section: the entry.
        path: the headings above it.
        is_apart: tells whether a text that no label explains is too long to stand in the lesson.
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

    Args:
        parts: the parts, in their order.
        alone: whether nothing stands beside them, so that a single one goes without its label.
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
    """Yield the parts of a text with their labels, the part before the first label with none."""
    current: Label | None = None
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.lstrip(" \t-*+>").startswith(("```", "~~~"))
        found = None if fenced else label_of(line)
        # Under a label without text on its line, and under a listed one, a deeper list belongs to it.
        inside = current and found and found.depth > current.depth and (not current.rest or current.depth)
        if found is None or inside:
            lines.append(line)
            continue
        if current or any(map(str.strip, lines)):
            yield current.name if current else "", "\n".join(lines).strip("\n")
        current, lines = found, [found.rest] if found.rest else []
    if current or any(map(str.strip, lines)):
        yield current.name if current else "", "\n".join(lines).strip("\n")
