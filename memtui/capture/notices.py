"""What a file says of itself: that it, a section of it, or what it names is kept as history."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from memtui.capture.blocks import Section, section_tree
from memtui.capture.draft import HISTORICAL, SUPERSEDED_NOTE, Draft, ReadResult, Skipped, SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.skip_codes import SkipReason
from memtui.capture.stable_split import KnownUnit
from memtui.domain.memory import DECISION_RECORDS, planted_in
from memtui.text.inline import plain_text
from memtui.text.sanitize import sanitise
from memtui.text.tables import compile_lines, read_table

Hold = Literal["whole", "mention"]

SHOWN = 400  # Characters of a notice that a memory is given
_FIRST = 3  # Blocks of a section among which a label that opens it stands
_EXEMPT = DECISION_RECORDS | {"skill"}  # Formats that read states of their own
_HINT = re.compile(
    r"histor|archiv|no\s+longer|supersed|deprecated|obsolete|outdated|out of date|retained|kept|preserved",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\[*_`\"])")
_WORD = re.compile(r"[^\W_]+")
_QUOTE = re.compile(r"^[ \t]*>[ \t]?(?:\[![A-Z]+\])?", re.MULTILINE)
_SIGNS = re.compile(r"\W+")  # such as an emoji before the first word


@dataclass(frozen=True, slots=True)
class Notice:
    """A statement that something in a file is history."""

    text: str  # the statement with what follows in its paragraph
    lines: tuple[int, int]  # where it stands, counted from 1
    holds_for: tuple[int, int]  # the lines of which it holds
    names: tuple[str, ...] = ()  # subjects to which it is limited; none for all in these lines

    def holds(self, draft: Draft) -> Hold | None:
        """Return whether it holds for a memory, by its headings, or at least for what its text mentions."""
        span = draft.source.span
        if span is None or not (self.holds_for[0] <= span[0] and span[1] <= self.holds_for[1]):
            return None
        if not self.names:
            return "whole"
        headings = KnownUnit(draft.source.native_id, "").headings
        if self._is_named("\n".join([draft.title, *headings])):
            return "whole"
        return "mention" if self._is_named(f"{draft.insight}\n{draft.rationale}") else None

    def _is_named(self, text: str) -> bool:
        words = set(_WORD.findall(text.casefold()))
        return any(words.issuperset(_WORD.findall(name)) for name in self.names)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    table = read_table(__file__, "notices.toml")["notice"]
    verb = table["verb"]
    subjects = {name: compile_lines(f"{table[name]}{verb}") for name in ("file", "section", "below", "named")}
    return subjects | {name: compile_lines(table[name]) for name in ("label", "heading", "unsure", "common")}


def notices_in(text: str) -> list[Notice]:
    """Return the notices of a Markdown text, in its order."""
    if not _HINT.search(text):
        return []
    settings = split_frontmatter(text)
    last = text.count("\n") + 1
    tree = section_tree(settings.body, first_line=settings.body_first_line)
    return [notice for section in tree.walk() for notice in _of_section(section, tree, last)]


def _of_section(section: Section, tree: Section, last: int) -> Iterator[Notice]:
    whole = _reach(section, tree, last)
    if section.level > 1 and section.heading_lines and _patterns()["heading"].search(section.heading):
        yield Notice(plain_text(section.heading), section.lines_of(section.heading_lines), whole)
    for at, block in enumerate(section.blocks):
        if block.kind not in {"paragraph", "quote"}:
            continue
        lines = section.lines_of(block.lines)
        raw = "\n".join(section.source[block.lines.first : block.lines.last + 1])
        text = " ".join(plain_text(_QUOTE.sub("", raw)).split())
        sentences = _SENTENCE.split(text)
        for number, sentence in enumerate(sentences):
            said = " ".join(sentences[number:])
            if notice := _of_sentence(sentence, said, lines, whole, last):
                yield notice
                break
        else:
            if at < _FIRST and _patterns()["label"].match(raw) and not _patterns()["unsure"].search(sentences[0]):
                yield Notice(text, lines, whole)


def _of_sentence(sentence: str, said: str, lines: tuple[int, int], whole: tuple[int, int], last: int) -> Notice | None:
    """Return the notice that a sentence is: only if it begins with what it speaks of."""
    patterns = _patterns()
    for kind in ("file", "section", "below", "named"):
        begun = _SIGNS.match(sentence)
        found = patterns[kind].match(sentence, begun.end() if begun else 0)
        if found is None or patterns["unsure"].search(sentence):
            continue
        if kind == "named":
            names = _names_of(found["names"])
            return Notice(said, lines, (1, last), names) if names else None
        reach = {"file": (1, last), "section": whole, "below": (lines[1], whole[1])}[kind]
        return Notice(said, lines, reach)
    return None


def _names_of(words: str) -> tuple[str, ...]:
    """Return the subjects that words name: `Turso/libSQL` names two."""
    parts = re.split(r"\s*[/,&]\s*|\s+(?:and|or)\s+", words.casefold())
    kept = (" ".join(word for word in _WORD.findall(part) if not _patterns()["common"].match(word)) for part in parts)
    return tuple(name for name in kept if name)


def _reach(section: Section, tree: Section, last: int) -> tuple[int, int]:
    """Return the lines that a statement right below a heading is about: the whole file below its title."""
    if section.level == 0 or [one for one in tree.children if one.level == 1] == [section]:
        return (1, last)
    return section.span


def with_notices(result: ReadResult, file: SourceFile, form: str) -> ReadResult:
    """Put aside what its file says is history, and keep what it says with it.

    What stands below a heading that a notice names, in a section, or in a file that is history, counts as superseded at
    its source. What only mentions a named subject waits for a person. A notice that holds for nothing is reported.
    """
    if form in _EXEMPT or not result.drafts or any(draft.record is not None for draft in result.drafts):
        return result
    for notice in notices_in(file.text):
        held = 0
        for at, draft in enumerate(result.drafts):
            hold = notice.holds(draft)
            if hold is not None and SUPERSEDED_NOTE not in draft.notes and HISTORICAL not in draft.notes:
                result.drafts[at] = _noted(draft, notice, hold)
                held += 1
        _report(result, file, notice, held)
    return result


def _noted(draft: Draft, notice: Notice, hold: Hold) -> Draft:
    said = sanitise(notice.text).text
    said = said if len(said) <= SHOWN else f"{said[:SHOWN].rsplit(' ', 1)[0]} …"
    has = draft.source.span is not None and draft.source.span[0] <= notice.lines[0] <= draft.source.span[1]
    why = "" if has or planted_in("", said, "", "") else f"Its file says: {said}"
    note = SUPERSEDED_NOTE if hold == "whole" else HISTORICAL
    rationale = "\n\n".join(filter(None, [draft.rationale, why]))
    return replace(draft, rationale=rationale, notes=(*draft.notes, note))


def _report(result: ReadResult, file: SourceFile, notice: Notice, held: int) -> None:
    """Say what became of a notice's lines where they are no memory."""
    reason = SkipReason.NOTICE if held else SkipReason.NOTICE_OF_NOTHING
    kept = [one for one in result.skipped if one.span != notice.lines or one.reason == SkipReason.CONTEXT]
    if len(kept) < len(result.skipped) or not held:
        result.skipped = [*kept, Skipped(file.name, notice.lines, reason)]
        result.sort_skipped()
