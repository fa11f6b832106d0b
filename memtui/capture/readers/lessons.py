"""Lessons learned, post-mortems, retrospectives: one memory per lesson or incident."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise

from memtui.analysis.grammar import has_verb, language_of
from memtui.analysis.titles import title_for
from memtui.capture.blocks import Section, section_tree
from memtui.capture.dates import date_in
from memtui.capture.draft import DraftMaker, ReadResult, Skipped, SourceFile, skipped_frontmatter
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.markdown import split_markdown
from memtui.capture.readers.lesson_entry import (
    ENTRY_CHARS,
    Entry,
    Part,
    are_parts,
    bare_title,
    bold_line,
    bold_starts,
    is_how_to,
    is_named_failures,
    is_placeholder,
    joined,
    names_a_fault,
    names_tasks,
    parsed,
    role_of,
    tells_of_giving_up,
)
from memtui.capture.skip_codes import SkipCode, SkipReason
from memtui.text.inline import plain_text

_DEEPEST_SPLIT = 3
_TOPIC_WORDS = 3
_NUMBERED = re.compile(r"\b[A-Z]{1,5}-?\d{1,5}\b")  # `R12 lessons`, which tells those who know the number
_REPORT_ALONE = "reports what was done, no lesson"
_NAMES = re.compile(
    r"(?:.*[-_ ])?(?:lessons?(?:[-_ ]learn(?:ed|t))?|learnings|post[-_]?mortems?|retrospectives?"
    r"|retros?(?=$|[-_ .]*\d|[-_ .]sprint))(?:[-_ .].*)?$",
    re.IGNORECASE,
)
_FOLDERS = re.compile(
    r"(?:lessons?(?:[-_]learn(?:ed|t))?|learnings|post[-_]?mortems?|incidents?|retro(?:spective)?s)$",
    re.IGNORECASE,
)
_OF_A_PAGE = frozenset({"layout", "permalink"})  # Settings by which Jekyll and its like make a page of a file
_RULE_BELOW = re.compile(r"\s*\n(?:-{3,}|\*{3,}|_{3,})[ \t]*\Z")
_INCIDENTS = re.compile(r"post[-_]?mortem|incident|\brca\b", re.IGNORECASE)
_REPORTS = re.compile(r"(?:.*[-_ /])?retro(?:s|spectives?)?(?![a-z])", re.IGNORECASE)
_OUTCOME = re.compile(
    r"\b(?:lessons?|learn(?:ed|t|ings?)|takeaways?|insights?|actions?|decisions?|improve(?:d|ments?)?|differently"
    r"|went wrong|root causes?|(?:start|stop|keep) doing|lehren|erkenntnisse|maßnahmen|leçons)\b"
    r"|\b(?:lecciones|acciones|lições|ações)\b|教训|經驗|经验|改进|学び|改善",
    re.IGNORECASE,
)
"""Headings in the report of a time of work below which stands what was learned."""

_NOT_LESSONS = frozenset({"readme", "index", "template", "changelog"})
_COURSE = re.compile(r"(?:.*[-_ /])?lessons?[-_ ]?\d{1,3}(?!\d)|(?:.*/)?lessons?/\d{1,3}[-_ .]", re.IGNORECASE)
"""A part of a course: `lesson-3`, or `lessons/03-loops`."""

_PUBLISHED = frozenset(
    {"src", "app", "content", "pages", "public", "static", "site", "website", "www", "blog", "posts", "_posts"}
    | {"course", "courses", "curriculum", "tutorial", "tutorials", "locales", "i18n"}
)
"""Folders of what a project publishes: a lesson there teaches its readers."""

_TAUGHT = frozenset({"skills", "references", "research", ".planning", "plugins", "commands", "templates"})
"""Folders of what is known of a subject in general: mistakes there are no lessons of the project."""


class LessonsReader:
    """Reads LESSONS.md, lessons learned, post-mortems, incidents and retrospectives."""

    format = "lessons"
    label = "Lessons and post-mortems"
    agent: str | None = None
    hint: str | None = "lessons"
    explains_itself = True  # Whether the words above the first lesson only say what the file is for

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file's name or folder is one of lessons or post-mortems."""
        *folders, name = file.name.split("/")
        stem, _, extension = name.rpartition(".")
        if extension.lower() not in {"md", "markdown"} or stem.lower() in _NOT_LESSONS:
            return False
        if _COURSE.match(file.name) or not _PUBLISHED.isdisjoint(map(str.lower, folders)):
            return False
        # A checkout may be called anything; the name of a folder that a person imports by itself counts.
        around = folders[-2:] or ([] if (file.root / ".git").exists() else [file.root.name])
        if is_named_failures(stem) and _TAUGHT.isdisjoint(map(str.lower, folders)):
            return True
        return bool(_NAMES.match(stem)) or any(map(_FOLDERS.match, around))

    def read(self, file: SourceFile) -> ReadResult:
        """Return one memory per lesson or incident, and what stands beside them."""
        settings = split_frontmatter(file.text, documented=False)
        if self.explains_itself and not _OF_A_PAGE.isdisjoint(settings.values):
            whole = (1, file.text.rstrip("\n").count("\n") + 1)
            return ReadResult(skipped=[Skipped(file.name, whole, "a page of a website", code=SkipCode.WEB_PAGE)])
        result = ReadResult(skipped=skipped_frontmatter(file, settings))
        date = date_in(settings.text("date")) or date_in(file.path.stem)
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=self.agent,
            hint=self.hint,
            observed_at=date[0] if date else None,
        )
        tree = section_tree(settings.body, first_line=settings.body_first_line)
        incidents = self.explains_itself and bool(_INCIDENTS.search(file.name))
        failures = self.explains_itself and is_named_failures(file.path.stem)
        _Reading(maker, result, explains_itself=self.explains_itself, incidents=incidents, failures=failures).document(
            tree, settings.text("title")
        )
        result.note_if_empty(file.name)
        result.sort_skipped()
        return result


@dataclass(slots=True)
class _Reading:
    maker: DraftMaker
    result: ReadResult
    explains_itself: bool
    incidents: bool
    failures: bool = False  # whether the file tells what was given up
    slots: Counter[tuple[str, ...]] = field(default_factory=Counter)
    noted: set[Skipped] = field(default_factory=set)
    # whether only what stands below headings such as "Lessons" is read: the rest reports what was done
    is_report: bool = False

    def document(self, tree: Section, title: str) -> None:
        named = any(_OUTCOME.search(section.heading) for section in tree.walk() if section.level > 1)
        self.is_report = named and self.explains_itself and bool(_REPORTS.match(self.maker.file.name))
        for section in tree.walk():
            for span in section.comments:
                self._skip(section.lines_of(span), SkipReason.COMMENT)
        path = (title,) if title and not tree.children else ()
        if len(tree.children) > 1 and all(role_of(child.heading) for child in tree.children):
            self._entry(tree, (title,) if title else ())
            return
        self._section(tree, path, None)

    def _section(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        told = not self.is_report or section.level <= 1 or any(map(_OUTCOME.search, path))
        if reason := self._why_none(section, told=told):
            self._skip(section.span, reason)
            return
        children = [child for child in section.children if child.level <= _DEEPEST_SPLIT]
        if section.level and (not children or are_parts(children)):
            self._entry(section, path, date)
            return
        found = date_in(section.heading)
        date = found[0] if found else date
        if told:
            self._loose(section, path, date)
        elif section.blocks:
            self._skip(section.own_span, _REPORT_ALONE)
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), SkipReason.CONTEXT)
        for child in section.children:
            self._section(child, (*path, child.heading), date)

    def _why_none(self, section: Section, *, told: bool) -> str:
        """Return why a section holds no lesson, empty where it may."""
        if section.heading and self.explains_itself and (is_how_to(section.heading) or is_placeholder(section.heading)):
            return "how the file is to be used, no lesson"
        holds_outcome = told or any(_OUTCOME.search(one.heading) for one in section.walk())
        return "" if holds_outcome else _REPORT_ALONE

    def _loose(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        """Read what stands below a heading that has lessons below it."""
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
        starts = bold_starts(section)
        if len(starts) > 1 and not self._was_one(section, starts):
            self._bold_entries(section, starts, path, date)
            return
        entry = parsed(section, path, self._is_apart)
        entry.date = entry.date or date
        if not entry.parts and not self._is_one(section):
            self._split_section(section, path, entry.date)
            return
        self._draft_entry(entry)
        if unsaid := [part.label for part in entry.texts("about") if part.section is None]:
            self._skip(section.own_span, f"beside the lesson itself ({', '.join(unsaid)})")
        for part in entry.parts:
            self._beside(entry, part)

    def _bold_entries(
        self, section: Section, starts: Sequence[int], path: tuple[str, ...], date: datetime | None
    ) -> None:
        """Read a section of several lessons, each below a bold line that says it."""
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), SkipReason.CONTEXT)
        begin, end = _body(section)
        if any(line.strip() for line in section.source[begin : starts[0]]):
            self._split(section.source[begin : starts[0]], begin + section.first_line, path, date)
        for first, behind in pairwise((*starts, end)):
            lines = section.source[first:behind]
            while not lines[-1].strip():
                lines = lines[:-1]
            text = "\n".join(lines)
            found = date_in(lines[0])
            observed = found[0] if found else date or self.maker.observed_at
            title = bare_title(plain_text(bold_line(lines[0])))
            drafted = replace(self.maker, observed_at=observed).draft(
                _RULE_BELOW.sub("", text),
                span=(first + section.first_line, first + section.first_line + len(lines) - 1),
                native_id=self._native_id((*path, title)),
                heading_path=path,
                title=title,
            )
            self.result.add(drafted)

    def _beside(self, entry: Entry, part: Part) -> None:
        """Account for a part that is not in the main memory of its entry."""
        if not part.text.strip() or part.role in {"about", "date", "tags"}:
            if part.section is not None:
                reason = "says who and when" if part.text.strip() else SkipReason.NO_TEXT
                self._skip(part.section.span, reason)
        elif part.role == "timeline" or (part.role == "apart" and names_tasks(part.label)):
            self._add(part, entry, kind="note")
        elif part.role == "apart" and part.section is not None:
            self._split_section(part.section, (*entry.path, part.label), entry.date)
        elif part.role == "apart":
            self._add(part, entry, kind=None)

    def _is_one(self, section: Section) -> bool:
        """Return whether a text without labels is one lesson rather than a list of them."""
        if not self.explains_itself:
            return False
        familiar = self.maker.file.familiar
        if familiar is not None:
            pieces = split_markdown("\n".join(section.source[slice(*_body(section))]), familiar=familiar).pieces
            units = familiar.distinct(piece.text for piece in pieces)
            if len(units) > 1:
                return len(set(units)) == 1
        if len(section.whole_text) > ENTRY_CHARS:
            return False
        kinds = [block.kind for block in section.blocks]
        return not kinds or kinds[0] in {"paragraph", "quote"} or kinds == ["fence"]

    def _was_one(self, section: Section, starts: Sequence[int]) -> bool:
        """Return whether the last import took several lessons below bold lines as one memory."""
        familiar = self.maker.file.familiar
        if familiar is None:
            return False
        ends = (*starts[1:], _body(section)[1])
        units = familiar.distinct("\n".join(section.source[first:end]) for first, end in zip(starts, ends, strict=True))
        return len(units) > 1 and len(set(units)) == 1

    def _is_apart(self, section: Section) -> bool:
        """Return whether a text below its own heading is too long for the lesson above it, or was so before."""
        familiar = self.maker.file.familiar
        place = f" > {section.heading}#"
        if familiar is not None and familiar.distinct([section.whole_text]):
            return any(place in f" > {unit.native_id}" for unit in familiar.units)
        return len(section.whole_text) > ENTRY_CHARS

    def _draft_entry(self, entry: Entry) -> None:
        """Add the main memory of an entry: the lesson, and why it holds."""
        plain, rules, why = entry.main_texts()
        insight = _RULE_BELOW.sub("", "\n\n".join(filter(None, [plain, joined(rules, alone=not plain)])))
        if not insight.strip():
            self._skip_heading(entry)
            return
        fault = self.incidents or any(names_a_fault(part.label) for part in rules)
        title = self._title_of(entry, gave_up=self.failures and not fault and tells_of_giving_up(insight))
        maker = replace(self.maker, observed_at=entry.date or self.maker.observed_at, tags=tuple(entry.tags))
        drafted = maker.draft(
            insight,
            span=entry.section.span,
            native_id=self._native_id(entry.path),
            heading_path=entry.path,
            title=title or title_for(plain or rules[0].text, entry.path),
            rationale=_RULE_BELOW.sub("", joined(why)),
            kind="bug-pattern" if fault else None,
        )
        self.result.add(drafted)

    def _title_of(self, entry: Entry, *, gave_up: bool) -> str:
        """Return the heading of an entry as its title; empty where it does not say what was learned."""
        title = bare_title(entry.section.heading or "".join(entry.path[-1:]))
        if has_verb(title, language_of(title)):
            return title
        if (self.is_report and len(title.split()) <= _TOPIC_WORDS) or _NUMBERED.search(title):
            return ""
        # A topic that was given up else reads as what is done.
        return f"Failed: {title}" if title and gave_up else title

    def _skip_heading(self, entry: Entry) -> None:
        """Account for an entry that has no lesson of its own."""
        if not entry.parts:
            self._skip(entry.section.span, SkipReason.NO_TEXT)
        elif entry.texts("apart", "timeline"):
            if entry.section.level or entry.section.blocks:
                self._skip(entry.section.own_span, SkipReason.CONTEXT)
        else:
            self._skip(entry.section.span, "says nothing but who and when")

    def _add(self, part: Part, entry: Entry, *, kind: str | None) -> None:
        maker = replace(self.maker, observed_at=entry.date or self.maker.observed_at)
        title = bare_title(entry.section.heading)
        drafted = maker.draft(
            part.text,
            span=(part.section or entry.section).span,
            native_id=self._native_id((*entry.path, part.label)),
            heading_path=(*entry.path, part.label),
            title=f"{title}: {part.label}" if title else "",
            kind=kind,
        )
        self.result.add(drafted)

    def _split_section(self, section: Section, path: tuple[str, ...], date: datetime | None) -> None:
        """Split a section by meaning, its heading being context."""
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), SkipReason.CONTEXT)
        start, end = _body(section)
        self._split(section.source[start:end], start + section.first_line, path, date)

    def _split(self, lines: Sequence[str], first_line: int, path: tuple[str, ...], date: datetime | None) -> None:
        split = split_markdown("\n".join(lines), first_line=first_line, familiar=self.maker.file.familiar)
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
            self.result.add(drafted)
        for gap in split.skipped:
            self._skip(gap.span, gap.reason)

    def _native_id(self, path: tuple[str, ...]) -> str:
        self.slots[path] += 1
        return " > ".join(path) + f"#{self.slots[path]}"

    def _skip(self, span: tuple[int, int], reason: str) -> None:
        skipped = Skipped(self.maker.file.name, span, reason)
        if skipped not in self.noted:
            self.noted.add(skipped)
            self.result.skipped.append(skipped)


def _body(section: Section) -> tuple[int, int]:
    """Return the lines of the source at which the text below a heading begins and ends."""
    start = section.heading_lines.last + 1 if section.heading_lines is not None else 0
    return start, section.span[1] - section.first_line + 1


class MarkdownReader(LessonsReader):
    """Reads any Markdown that a person names; it recognises nothing by itself."""

    format = "markdown"
    label = "Any Markdown"
    hint = None
    explains_itself = False

    def detect(self, file: SourceFile) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return False: a folder's notes are not taken for memories unasked."""
        return False


READER = LessonsReader()
MARKDOWN = MarkdownReader()
