"""Lessons learned, post-mortems, retrospectives: one memory for each lesson or incident."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memtui.capture.dates import date_in
from memtui.capture.draft import Draft, ReadResult, Skipped, SourceFile
from memtui.capture.drafting import FRONTMATTER, DraftMaker, in_order, read_settings, text_setting
from memtui.capture.markdown import split_markdown
from memtui.capture.readers.lessons_words import (
    Label,
    Role,
    bare_title,
    is_how_to,
    is_placeholder,
    label_of,
    names_a_fault,
    names_tasks,
    role_of,
)
from memtui.capture.sections import Section, section_tree
from memtui.capture.titles import title_for

ENTRY_CHARS = 2_400
"""Prose under one heading up to this size is one lesson."""

_DEEPEST_SPLIT = 3
_SETTING_CHARS = 160
_NAMES = re.compile(
    r"(?:.*[-_ ])?(?:lessons?(?:[-_ ]learn(?:ed|t))?|learnings|post[-_]?mortems?|retro(?:spective)?s?)(?:[-_ .].*)?$",
    re.IGNORECASE,
)
_FOLDERS = re.compile(
    r"(?:lessons?(?:[-_]learn(?:ed|t))?|learnings|post[-_]?mortems?|incidents?|retro(?:spective)?s)$",
    re.IGNORECASE,
)
_INCIDENTS = re.compile(r"post[-_]?mortem|incident|\brca\b", re.IGNORECASE)
_NOT_LESSONS = frozenset({"readme", "index", "template", "changelog"})


@dataclass(slots=True)
class _Part:
    """A labelled part of an entry."""

    role: Role
    label: str
    text: str
    section: Section | None = None


@dataclass(slots=True)
class _Entry:
    """One lesson or incident."""

    path: tuple[str, ...]
    section: Section
    plain: str = ""
    parts: list[_Part] = field(default_factory=list)
    date: datetime | None = None
    tags: list[str] = field(default_factory=list)

    def texts(self, *roles: Role) -> list[_Part]:
        """Return the parts of some roles that say something."""
        return [part for part in self.parts if part.role in roles and part.text.strip()]


class LessonsReader:
    """Reads LESSONS.md, lessons learned, post-mortems, incidents and retrospectives."""

    format = "lessons"
    label = "Lessons and post-mortems"
    agent: str | None = None
    hint: str | None = "lessons"
    explains_itself = True
    """Whether the words above the first lesson only say what the file is for."""

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is named or lies where lessons and post-mortems do."""
        *folders, name = file.name.split("/")
        stem, _, extension = name.rpartition(".")
        if extension.lower() not in {"md", "markdown"} or stem.lower() in _NOT_LESSONS:
            return False
        return bool(_NAMES.match(stem)) or any(map(_FOLDERS.match, [file.root.name, *folders][-2:]))

    def read(self, file: SourceFile) -> ReadResult:
        """Return one memory for each lesson or incident, and what stands beside them."""
        settings = read_settings(file)
        result = ReadResult()
        if settings.raw:
            result.skipped.append(Skipped(file.name, (1, settings.body_first_line - 1), FRONTMATTER))
        date = date_in(text_setting(settings, "date")) or date_in(file.path.stem)
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=self.agent,
            hint=self.hint,
            observed_at=date[0] if date else None,
        )
        tree = section_tree(settings.body, first_line=settings.body_first_line)
        incidents = self.explains_itself and bool(_INCIDENTS.search(file.name))
        _Reading(maker, result, explains_itself=self.explains_itself, incidents=incidents).document(
            tree, text_setting(settings, "title")
        )
        if not result.drafts and not result.skipped:
            result.skipped.append(Skipped(file.name, None, "empty"))
        result.skipped = in_order(result.skipped)
        return result


@dataclass(slots=True)
class _Reading:
    """The reading of one file."""

    maker: DraftMaker
    result: ReadResult
    explains_itself: bool
    incidents: bool
    slots: Counter[tuple[str, ...]] = field(default_factory=Counter)
    noted: set[Skipped] = field(default_factory=set)

    def document(self, tree: Section, title: str) -> None:
        """Read the whole document."""
        for section in tree.walk():
            for span in section.comments:
                self._skip(section.lines_of(span), "comment")
        path = (title,) if title and not tree.children else ()
        if len(tree.children) > 1 and all(role_of(child.heading) for child in tree.children):
            self._entry(tree, (title,) if title else ())
            return
        self._section(tree, path, None)

    def _section(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        if section.heading and self.explains_itself and (is_how_to(section.heading) or is_placeholder(section.heading)):
            self._skip(section.span, "how the file is to be used, no lesson")
            return
        children = [child for child in section.children if child.level <= _DEEPEST_SPLIT]
        if section.level and (not children or _are_parts(children)):
            self._entry(section, path, date)
            return
        found = date_in(section.heading)
        date = found[0] if found else date
        self._loose(section, path, date)
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), "heading: kept as context")
        for child in section.children:
            self._section(child, (*path, child.heading), date)

    def _loose(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        """Read what stands under a heading that has lessons below it."""
        introduction = self.explains_itself and section.level <= 1 and bool(section.children)
        for block in section.blocks:
            if introduction and block.kind in {"paragraph", "quote", "fence", "code", "html", "rule"}:
                self._skip(section.lines_of(block.lines), "says what the file is for")
        kept = [
            block
            for block in section.blocks
            if not (introduction and block.kind not in {"bullets", "ordered", "table"})
        ]
        if kept:
            first, last = kept[0].lines.first, kept[-1].lines.last
            self._split(section.source[first : last + 1], first + section.first_line, path, date)

    def _entry(self, section: Section, path: tuple[str, ...], date: datetime | None = None) -> None:
        entry = _parsed(section, path)
        found = date_in(section.heading)
        entry.date = (found[0] if found else None) or entry.date or date
        if not entry.parts and not self._is_one(section):
            self._split_section(section, path, entry.date)
            return
        self._draft_entry(entry)
        if unsaid := [part.label for part in entry.texts("about") if part.section is None]:
            self._skip(section.own_span, f"left out: {', '.join(unsaid)}")
        for part in entry.texts("about", "date", "tags"):
            if part.section is not None:
                self._skip(part.section.span, "says who and when")
        for part in entry.parts:
            if not part.text.strip():
                if part.section is not None:
                    self._skip(part.section.span, "heading without text")
            elif part.role == "timeline":
                self._add(part.text, part, entry, kind="note")
            elif part.role == "apart":
                kind = "note" if names_tasks(part.label) else None
                if part.section is None or kind:
                    self._add(part.text, part, entry, kind=kind)
                else:
                    self._split_section(part.section, (*path, part.label), entry.date)

    def _is_one(self, section: Section) -> bool:
        """Return whether a text without labels is one lesson rather than a list of them."""
        if not self.explains_itself or len(section.whole_text) > ENTRY_CHARS:
            return False
        kinds = [block.kind for block in section.blocks]
        return not kinds or kinds[0] in {"paragraph", "quote"} or kinds == ["fence"]

    def _draft_entry(self, entry: _Entry) -> None:
        """Add the main memory of an entry: the lesson, and why it holds."""
        rules = entry.texts("rule")
        why = entry.texts("why")
        plain = entry.plain
        if not rules and not plain.strip():
            rules, why = why, []
        summaries = [part for part in rules if part.section is not None]
        if summaries and plain.strip():
            why.insert(0, _Part("why", "", plain))
            plain = ""
        insight = "\n\n".join(filter(None, [plain.strip("\n"), _joined(rules, alone=not plain.strip())]))
        span = entry.section.span
        if not insight.strip():
            self._skip_heading(entry)
            return
        fault = self.incidents or any(names_a_fault(part.label) for part in rules)
        title = bare_title(entry.section.heading or "".join(entry.path[-1:]))
        title = title or title_for(plain.strip() or rules[0].text, entry.path)
        maker = replace(self.maker, observed_at=entry.date or self.maker.observed_at, tags=tuple(entry.tags))
        drafted = maker.draft(
            insight,
            span=span,
            native_id=self._native_id(entry.path),
            heading_path=entry.path,
            title=title,
            rationale=_joined(why, alone=True),
            kind="bug-pattern" if fault else None,
        )
        self._keep(drafted)

    def _skip_heading(self, entry: _Entry) -> None:
        """Account for an entry that has no lesson of its own."""
        if not entry.parts:
            self._skip(entry.section.span, "heading without text")
        elif entry.texts("apart", "timeline"):
            if entry.section.level or entry.section.blocks:
                self._skip(entry.section.own_span, "heading: kept as context")
        else:
            self._skip(entry.section.span, "says nothing but who and when")

    def _add(self, text: str, part: _Part, entry: _Entry, *, kind: str | None) -> None:
        maker = replace(self.maker, observed_at=entry.date or self.maker.observed_at)
        title = bare_title(entry.section.heading)
        drafted = maker.draft(
            text,
            span=(part.section or entry.section).span,
            native_id=self._native_id((*entry.path, part.label)),
            heading_path=(*entry.path, part.label),
            title=f"{title}: {part.label}" if title else None,
            kind=kind,
        )
        self._keep(drafted)

    def _split_section(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        """Part a section by meaning, its heading being context."""
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), "heading: kept as context")
        start = section.heading_lines.last + 1 if section.heading_lines is not None else 0
        last = section.span[1] - section.first_line
        self._split(section.source[start : last + 1], start + section.first_line, path, date)

    def _split(self, lines: Sequence[str], first_line: int, path: tuple[str, ...], date: datetime | None) -> None:
        split = split_markdown("\n".join(lines), first_line=first_line)
        for piece in split.pieces:
            found = date_in(piece.text) if piece.text[:12].strip("*_[( ")[:2].isdigit() else None
            observed = found[0] if found else date or self.maker.observed_at
            whole_path = (*path, *piece.heading_path)
            drafted = replace(self.maker, observed_at=observed).draft(
                piece.text,
                span=piece.span,
                native_id=self._native_id(whole_path),
                heading_path=tuple(filter(None, map(bare_title, whole_path))),
            )
            self._keep(drafted)
        for gap in split.skipped:
            self._skip(gap.span, gap.reason)

    def _native_id(self, path: tuple[str, ...]) -> str:
        self.slots[path] += 1
        return " > ".join(path) + f"#{self.slots[path]}"

    def _keep(self, drafted: Draft | Skipped) -> None:
        if isinstance(drafted, Draft):
            self.result.drafts.append(drafted)
        else:
            self.result.skipped.append(drafted)

    def _skip(self, span: tuple[int, int], reason: str) -> None:
        skipped = Skipped(self.maker.file.name, span, reason)
        if skipped not in self.noted:
            self.noted.add(skipped)
            self.result.skipped.append(skipped)


def _parsed(section: Section, path: tuple[str, ...]) -> _Entry:
    """Part an entry by its labels and by the headings below it."""
    entry = _Entry(path, section)
    for label, text in _labelled(section.text):
        role = role_of(label) if label else None
        if role is None:
            entry.plain = text
        else:
            _file(entry, _Part(role, label, text))
    for child in section.children:
        role = role_of(child.heading)
        if role is None and len(child.whole_text) > ENTRY_CHARS:
            role = "apart"
        _file(entry, _Part(role or "rule", child.heading, child.whole_text, child))
    return entry


def _are_parts(children: Sequence[Section]) -> bool:
    """Return whether headings name the parts of one lesson rather than lessons."""
    roles = [role_of(child.heading) for child in children]
    named = [role for role in roles if role is not None]
    return len(named) * 2 >= len(roles) and any(role != "apart" for role in named)


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


def _file(entry: _Entry, part: _Part) -> None:
    """Add a part to an entry; dates and tags are read. What says more than who and when is a reason."""
    if part.role in {"date", "tags", "about"} and (len(part.text) > _SETTING_CHARS or "\n" in part.text.strip()):
        part.role = "why"
    if part.role == "date":
        found = date_in(part.text)
        entry.date = entry.date or (found[0] if found else None)
    elif part.role == "tags":
        words = re.split(r"[,;|]|\s(?=#)", part.text.replace("`", ""))
        entry.tags.extend(tag for tag in (word.strip(" #\n") for word in words) if 0 < len(tag) <= 40)  # noqa: PLR2004 - longer is prose
    entry.parts.append(part)


def _joined(parts: Sequence[_Part], *, alone: bool) -> str:
    """Return parts with their labels; the only one goes without."""
    if len(parts) == 1 and alone and role_of(parts[0].label) is not None:
        return parts[0].text.strip("\n")
    texts = []
    for part in parts:
        text = part.text.strip("\n")
        inline = "\n" not in text and not text.lstrip().startswith(("-", "*", "|", "#", "`" * 3))
        texts.append(f"{part.label}:{' ' if inline else chr(10) * 2}{text}" if part.label else text)
    return "\n\n".join(texts)


class MarkdownReader(LessonsReader):
    """Reads any Markdown that a person names; it claims nothing by itself."""

    format = "markdown"
    label = "Any Markdown"
    hint = None
    explains_itself = False

    def detect(self, file: SourceFile) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return False: a folder's notes are not taken for memories unasked."""
        return False


READER = LessonsReader()
MARKDOWN = MarkdownReader()
