"""Logs of decisions in one file, such as DECISIONS.md: one memory for each section, row or dated item that is one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath

from memtui.analysis.grammar import capital
from memtui.analysis.imperative import is_imperative
from memtui.capture.blocks import Block, Section, Span, item_text, section_tree
from memtui.capture.draft import Draft, DraftMaker, ReadResult, Skipped, SourceFile, skipped_frontmatter
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.markdown import split_markdown
from memtui.capture.prose import is_statement
from memtui.capture.readers.adr import drafts_of, is_placeholder, is_template, maker_of, record_of, role_of
from memtui.capture.readers.adr_outcome import chosen
from memtui.capture.readers.decision_entry import (
    Head,
    head_of,
    holds_decision,
    labelled,
    own_series,
    row_section,
    table_roles,
    words_behind,
)
from memtui.capture.skip_codes import SkipCode, SkipReason
from memtui.capture.units import cells_of

_SUBJECTS = r"(?:key|project|tech|technical|technology|design|engineering|architecture|architectural|product)[-_ ]?"
_WHOLE = r"decisions?[-_ ]?(?:log|records?|register|history)"
_LOG = re.compile(rf"(?:{_SUBJECTS})?{_WHOLE}|adrs?[-_ ]?log", re.IGNORECASE)
_NAMES = re.compile(
    rf"(?:[a-z0-9]+[-_ ]?){{0,2}}{_WHOLE}|adrs?[-_ ]?log|decisions|adrs|{_SUBJECTS}decisions", re.IGNORECASE
)
_PLACES = re.compile(
    r"\.[\w-]+|(?:[\w-]+-)?docs?|memory[-_ ]?bank|memory|context|notes|architecture|arch|adrs?|decisions?|design"
    r"|planning|project|internal|dev|knowledge|specs?",
    re.IGNORECASE,
)
_ELSEWHERE = frozenset(
    {"content", "pages", "public", "static", "site", "website", "www", "blog", "posts", "_posts", "course", "courses"}
    | {"tutorial", "tutorials", "locales", "i18n", "commands", "prompts", "agents", "skills", "workflows", "guide"}
    | {"guides", "api", "reference", "references"}
)
"""Folders of what a project publishes, and of what an assistant starts by its name."""
_FOR_USERS = re.compile(
    r"(?:.*[-_ ])?(?:features|guides?|help|manuals?|handbook|tutorials?)(?:[-_ ].*)?", re.IGNORECASE
)
_MEMORY_BANK = re.compile(r"memory[-_]bank", re.IGNORECASE)

_NO_DECISION = re.compile(
    r"(?:overview|references?\b|related\b|see also|change ?log|history\b|open questions?|pending\b|blocked\b|todo)"
    r"|.*[?？]$",
    re.IGNORECASE,
)
_OF_THE_FILE = re.compile(
    r"how to (?:use|add|read|write)\b|about (?:this|these)\b|what (?:is|are|counts as) an?\b|when to (?:add|write)\b"
    r"|purpose$|(?:decision |entry |adr )?(?:templates?|formats?|status(?:es)?|conventions|legend)$",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"(?:decision |entry |record |adr )?(?:templates?|formats?|legend)$"
    r"|(?:how|when) to (?:use|add|read|write)\b.*\b(?:entry|entries|decisions?|adrs?|records?|log|file|it|this)\b"
    r"|about (?:this|these)\b|what (?:is|are|counts as) an?\b",
    re.IGNORECASE,
)
"""Sections whose labels show how a decision is written."""
_ABOUT_THE_LOG = re.compile(
    r"\b(?:decisions?|adrs?|entry|entries|records?|newest|this (?:file|page|document)|(?:the|this|a) log)\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"\b(?:must|never|always|do not|don't)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LINKED = re.compile(r"\]\(|\[\[")
_NAME_CHARS = 60
_CONTENTS = re.compile(r"(?:table of )?contents$|(?:decision |adr )?index$|toc$", re.IGNORECASE)
_LISTS = frozenset({"bullets", "ordered"})
_DATED_ITEM = re.compile(r"[\s*_`\[(]*(?:19|20)\d\d-\d\d-\d\d")


class DecisionLogReader:
    """Reads every decision of a log as a decision record, and what stands beside them as ordinary text."""

    format = "decision-log"
    label = "Decision logs"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is named as a log of decisions, where a project keeps what it decided."""
        name = PurePosixPath(file.name)
        if name.suffix.lower() not in {".md", ".markdown"} or not _NAMES.fullmatch(name.stem):
            return False
        folders = name.parts[:-1]
        whole = () if (file.root / ".git").exists() else (file.root.name,)
        if any(map(_MEMORY_BANK.fullmatch, (*whole, *folders))):
            return True
        if not _ELSEWHERE.isdisjoint(map(str.lower, folders)):
            return False
        if not name.stem.isupper() and any(map(_FOR_USERS.fullmatch, folders)):
            return False
        told = name.stem.isupper() or _LOG.fullmatch(name.stem)
        return bool(told or not folders or _PLACES.fullmatch(folders[-1]))

    def read(self, file: SourceFile) -> ReadResult:
        """Return one memory per decision, and what stands beside them."""
        settings = split_frontmatter(file.text)
        result = ReadResult(skipped=skipped_frontmatter(file, settings))
        tree = section_tree(settings.body, first_line=settings.body_first_line)
        _Reading(file, result, own_series(_names(tree))).document(tree)
        result.note_if_empty(file.name)
        result.sort_skipped()
        return result


@dataclass(slots=True)
class _Reading:
    file: SourceFile
    result: ReadResult
    series: frozenset[str]  # the letters before the numbers of the log's decisions, as `ADR` of `ADR-3`
    numbers: Counter[str] = field(default_factory=Counter)
    slots: Counter[tuple[str, ...]] = field(default_factory=Counter)
    bare: bool = False  # whether a number without letters marks a decision
    told: list[Head] = field(default_factory=list)  # the sections read as decisions, by a number

    def document(self, tree: Section) -> None:
        numbered = [one for one in tree.walk() if one.level and self._has_bare_number(one)]
        self.bare = 2 * sum(map(self._says_decided, numbered)) > len(numbered)
        self.told = list(self._numbered(tree))
        for section in tree.walk():
            for span in section.comments:
                self._skip(section.lines_of(span), SkipReason.COMMENT)
        self._section(tree, (), None, dated=False)

    def _section(self, section: Section, path: tuple[str, ...], date: datetime | None, *, dated: bool) -> None:
        """Read a section as a decision, or what is below it.

        `dated`: whether it stands below a date alone, or most sections beside it are decisions.
        """
        head = head_of(section.heading, self.series) if section.level else Head()
        if section.level > 1 and not head.number and (reason := self._of_the_log(section, head)):
            self._skip(section.span, reason)
            return
        if section.level and self._is_decision(section, head, dated=dated):
            self._decision(section, head, date)
            return
        if section.heading_lines is not None:
            self._skip(section.lines_of(section.heading_lines), SkipReason.CONTEXT)
        date = head.date or date
        path = (*path, section.heading) if section.level else path
        self._loose(section, path, date, dated=head.is_date)
        most = self._are_mostly(section.children)
        for child in section.children:
            self._section(child, path, date, dated=head.is_date or most)

    def _has_bare_number(self, section: Section) -> bool:
        head = head_of(section.heading, self.series)
        return bool(head.number and not head.series and role_of(head.title) == "other")

    def _says_decided(self, section: Section) -> bool:
        title = head_of(section.heading, self.series).title
        return holds_decision(section) or (" " in title and is_imperative(title)) or is_statement(title)

    def _marks_one(self, head: Head) -> bool:
        """Return whether a heading has a number that marks a decision by itself."""
        return bool(head.number and (head.series or self.bare))

    def _numbered(self, section: Section) -> Iterator[Head]:
        """Yield what the headings of the sections say that are decisions with a number."""
        head = head_of(section.heading, self.series) if section.level else Head()
        if section.level and self._is_decision(section, head, dated=False):
            if head.number:
                yield head
            return
        for child in section.children:
            yield from self._numbered(child)

    def _of_the_log(self, section: Section, head: Head) -> str:
        """Return why a section is no memory: it shows how decisions are written, or lists them; else nothing."""
        if holds_decision(section):
            return SkipReason.INTRO if _FORM.match(head.title) else ""
        if not _CONTENTS.match(head.title):
            return ""
        lines = [section.source[item.first] for block in section.blocks for item in block.items]
        known = sum(bool(_LINKED.search(line)) or self._names_one(line) for line in lines)
        return SkipReason.CONTENTS if 2 * known > len(lines) else ""

    def _names_one(self, line: str) -> bool:
        """Return whether a line of a list or table names a decision that has a section."""
        return self._is_told(head_of(line.lstrip(" |-*+"), self.series), line)

    def _is_told(self, head: Head, text: str) -> bool:
        """Return whether a section tells the decision of that number, and has the words of a text for its title."""
        said = frozenset(_WORD.findall(text.casefold()))
        same = (
            one
            for one in self.told
            if one.number.lstrip("0") == head.number.lstrip("0")
            and (one.series == head.series or not (one.series and head.series))
        )
        titles = (frozenset(_WORD.findall(one.title.casefold())) for one in same)
        return bool(head.number) and any(2 * len(words & said) >= len(words) for words in titles)

    def _are_mostly(self, sections: Sequence[Section]) -> bool:
        """Return whether most of several sections are decisions, none of which a number or label tells apart."""
        heads = [head_of(one.heading, self.series) for one in sections]
        if any(map(self._marks_one, heads)) or any(map(holds_decision, sections)):
            return False
        known = sum(self._is_decision(one, head, dated=False) for one, head in zip(sections, heads, strict=True))
        return 2 * known > len(sections) > 1

    def _is_decision(self, section: Section, head: Head, *, dated: bool) -> bool:
        if not self._marks_one(head) and _is_of_another_sort(section, head):
            return False
        below = [head_of(one.heading, self.series) for one in section.children if role_of(one.heading) == "other"]
        if any(one.number for one in below) and not head.series:
            return False
        if self._marks_one(head) or holds_decision(section):
            return self._marks_one(head) or not any(map(holds_decision, section.children))
        if any(one.date for one in below) or (section.children and not head.title):
            return False
        return _tells_one(section, head, dated=dated)

    def _decision(self, section: Section, head: Head, date: datetime | None) -> None:
        entry = labelled(_without_rule(section), head.title)
        self._record(entry, replace(head, date=head.date or date), section.span, head.number)

    def _record(self, entry: Section, head: Head, span: tuple[int, int], name: str) -> None:
        """Read a section as the record of a decision."""
        nothing = split_frontmatter("")
        around = Section(0, "", None, entry.source, entry.first_line, children=[entry])
        record = record_of(around, nothing, self.file.path.stem)
        record.title = capital(head.title) if head.title else ""
        record.status = record.status or head.status
        record.date = record.date or head.date
        if is_template("", record.title, "\n".join(record.decision)) or is_placeholder(head.title) or head.is_template:
            self._skip(span, SkipReason.PLACEHOLDER)
            return
        name = self._unique(name or _name_of(head, "\n".join(record.decision)))
        for lines, reason in record.skipped:
            self._skip(lines, reason)
        for lines, key in record.settings:
            self.result.skipped.append(
                Skipped(self.file.name, lines, f"{key}: read as settings", code=SkipCode.SETTINGS, settings=key)
            )
        for drafted in drafts_of(maker_of(self.file, record, nothing, self._format), record, name, span):
            if isinstance(drafted, Draft) and not drafted.insight.lstrip(" *_").startswith("`"):
                self.result.add(replace(drafted, title=capital(drafted.title)))
            else:
                self.result.add(drafted)

    def _unique(self, name: str) -> str:
        self.numbers[name] += 1
        return f"{name} ({self.numbers[name]})" if self.numbers[name] > 1 else name

    _format = DecisionLogReader.format

    def _loose(self, section: Section, path: tuple[str, ...], date: datetime | None, *, dated: bool) -> None:
        """Read what stands below a heading that is no decision itself."""
        plain: list[Block] = []
        for block in section.blocks:
            if block.kind == "table" and self._rows(section, block, date):
                continue
            if block.kind in _LISTS and self._items(section, block, date, dated=dated):
                continue
            if section.level <= 1 and section.children and _is_about_the_log(section, block):
                self._skip(section.lines_of(block.lines), SkipReason.INTRO if block.kind != "rule" else SkipReason.RULE)
                continue
            plain.append(block)
        for run in _runs(section.blocks, plain):
            self._split(section, run, path, date)

    def _rows(self, section: Section, table: Block, date: datetime | None) -> bool:
        """Read a table that gives a decision in each row; return whether it is one."""
        heads = cells_of(section.source[table.lines.first])
        roles = table_roles(heads)
        if "decision" not in roles or not table.items:
            return False
        for row in table.items:
            cells = cells_of(section.source[row.first])
            head, entry = row_section(heads, roles, cells, section.first_line + row.first, self.series)
            if self._is_told(head, " ".join(cells)):
                self._skip(section.lines_of(row), SkipReason.CONTENTS)
            else:
                self._record(entry, replace(head, date=head.date or date), section.lines_of(row), head.number)
        return True

    def _items(self, section: Section, listed: Block, date: datetime | None, *, dated: bool) -> bool:
        """Read a list of dated or numbered decisions; return whether it is one."""
        texts = [item_text(section.source, item) for item in listed.items]
        heads = [head_of(text.partition("\n")[0], self.series) for text in texts]
        marked = sum(map(_is_marked, texts, heads))
        if _NO_DECISION.match(section.heading) or (not dated and 2 * marked <= len(texts)):
            return False
        for item, text, head in zip(listed.items, texts, heads, strict=True):
            span = section.lines_of(item)
            day = _day(head.date or date) or "undated"
            name = head.number or f"{day}#{self._slot((day,))}"
            entry = labelled(section_tree(words_behind(text, head), first_line=span[0]), "")
            self._record(entry, replace(head, title="", date=head.date or date), span, name)
        return True

    def _split(self, section: Section, run: Sequence[Block], path: tuple[str, ...], date: datetime | None) -> None:
        first, last = run[0].lines.first, run[-1].lines.last
        text = "\n".join(section.source[first : last + 1])
        maker = DraftMaker(file=self.file, format=self._format, agent=None, observed_at=date)
        split = split_markdown(text, first_line=section.lines_of(Span(first, last))[0], familiar=self.file.familiar)
        for piece in split.pieces:
            whole = (*path, *piece.heading_path)
            native = " > ".join(whole) + f" > #{self._slot(whole)}"
            self.result.add(maker.draft(piece.text, span=piece.span, native_id=native, heading_path=whole, lead=True))
        for gap in split.skipped:
            self._skip(gap.span, gap.reason)

    def _slot(self, path: tuple[str, ...]) -> int:
        self.slots[path] += 1
        return self.slots[path]

    def _skip(self, span: tuple[int, int], reason: str) -> None:
        self.result.skipped.append(Skipped(self.file.name, span, reason))


def _name_of(head: Head, decision: str) -> str:
    """Return what a decision without a number is known by: its title, else its first words, else its day."""
    told = head.title or decision[:_NAME_CHARS].strip()
    return " ".join(told.replace(" > ", " / ").split()) or _day(head.date)


def _day(date: datetime | None) -> str:
    return f"{date:%Y-%m-%d}" if date else ""


def _is_marked(text: str, head: Head) -> bool:
    """Return whether an item begins with a date, or with a number that marks decisions."""
    return bool(_DATED_ITEM.match(text) or (head.number and (head.date or head.series)))


def _is_of_another_sort(section: Section, head: Head) -> bool:
    """Return whether a section without a number is about the log, or holds the whole of it."""
    if _NO_DECISION.match(head.title) or (_OF_THE_FILE.match(head.title) and not holds_decision(section)):
        return True
    return section.level == 1 and bool(section.children or not holds_decision(section))


def _is_about_the_log(section: Section, block: Block) -> bool:
    """Return whether a block below the title only says what the log is, or shows how it is written."""
    text = "\n".join(section.source[block.lines.first : block.lines.last + 1])
    if block.kind in {"paragraph", "quote"}:
        return bool(_ABOUT_THE_LOG.search(text)) and not _RULE.search(text)
    return block.kind in {"fence", "rule"}


def _tells_one(section: Section, head: Head, *, dated: bool) -> bool:
    """Return whether the text of a section tells a decision that no number and no label marks."""
    kinds = {block.kind for block in section.blocks} - {"rule"}
    if head.is_date or not kinds:
        return "paragraph" in kinds
    if head.date or dated:
        return True
    is_leaf = not section.children and not kinds <= {"table"}
    return is_leaf and (is_statement(head.title) or bool(chosen(section.text, "")[0]))


def _names(tree: Section) -> Iterator[str]:
    """Yield the headings of a log and the first lines of its items."""
    for section in tree.walk():
        yield section.heading
        for block in section.blocks:
            if block.kind in _LISTS:
                yield from (item_text(section.source, item).partition("\n")[0] for item in block.items)


def _without_rule(section: Section) -> Section:
    """Return a section without the lines that part it from the next one."""
    children = list(section.children)
    blocks = list(section.blocks)
    if children:
        children[-1] = _without_rule(children[-1])
    while not children and blocks and blocks[-1].kind == "rule":
        blocks.pop()
    return replace(section, blocks=blocks, children=children)


def _runs(blocks: Sequence[Block], plain: Sequence[Block]) -> list[list[Block]]:
    """Return the blocks of ordinary text in runs that nothing parts."""
    runs: list[list[Block]] = [[]]
    lines = {block.lines.first for block in plain}
    for block in blocks:
        if block.lines.first in lines:
            runs[-1].append(block)
        else:
            runs.append([])
    return [run for run in runs if run]


READER = DecisionLogReader()
