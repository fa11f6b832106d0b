"""Architecture decision records: MADR 2 to 4, Nygard's form, and common variants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache

from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.capture.blocks import Section, Span, section_tree
from memtui.capture.dates import date_in
from memtui.capture.draft import (
    SUPERSEDED_NOTE,
    Draft,
    DraftMaker,
    ReadResult,
    Skipped,
    SourceFile,
    Succession,
    skipped_frontmatter,
)
from memtui.capture.frontmatter import Frontmatter, split_frontmatter
from memtui.capture.no_memory import is_link_definition
from memtui.capture.readers.adr_outcome import decision_title, is_open, option_named, states_reason
from memtui.capture.readers.adr_succession import succession_of
from memtui.capture.skip_codes import SkipCode, SkipReason
from memtui.text.inline import plain_text
from memtui.text.tables import read_table

OVER = frozenset({"superseded", "rejected", "deprecated"})  # States of a record that is no longer in force

FOLDERS = re.compile(
    r"adrs?|madr|decisions?|decision[-_]?records?|decision[-_]?log|architecture[-_]decisions?"
    r"|architecture[-_]decision[-_]records?|architectural[-_]decisions?",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?:adr|madr|dr)?[-_ ]?(?P<number>\d{1,6})(?:[-_. ].*)?$|adr[-_ ].+$", re.IGNORECASE)
DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[-_ ]|$)")
TEMPLATE_NAME = re.compile(
    r"(?:0*[-_])?(?:(?:adr|madr|dr|decision|record|decision[-_]record)[-_])?template"
    r"(?:[-_](?:bare|minimal|short|long|full|simple|nygard|madr|adr|en))*$"
    r"|(?:adr[-_])?(?:n{3,5}|x{3,5})(?:[-_]|$)",
    re.IGNORECASE,
)
NOT_RECORDS = frozenset(
    {"readme", "index", "contributing", "changelog", "summary", "_index", "toc", "template", "templates", "examples"}
)
_TEMPLATES = re.compile("templates?", re.IGNORECASE)

SETTING = re.compile(
    r"[ \t]*(?:[-*+][ \t]+|\|[ \t]*)?(?:\*\*|__)?"
    r"(?P<key>status|statut|estado|状态|状態|date|datum|fecha|日期|日付|deciders?|decision[- ]makers?|authors?"
    r"|consulted|informed|owners?|last updated|updated|created)(?:\*\*|__)?[ \t]*(?::|\uff1a|\|)(?:\*\*|__)?"
    r"[ \t]*(?P<value>.*?)[ \t|]*$",
    re.IGNORECASE,
)
"""A line above the first section that sets what the frontmatter would: `* Status: accepted`."""

_STATUS_KEYS = frozenset({"status", "statut", "estado", "状态", "状態"})
_DATE_KEYS = frozenset({"date", "datum", "fecha", "日期", "日付", "created", "last updated", "updated"})
_GOES_ON = re.compile(r" {2,}(?![-*+][ \t])\S")  # A line of a list item that is wrapped

_TITLE_PREFIX = re.compile(
    r"\[?(?:adr|madr|dr|rfc|decision)[-_ #]*(?:\d{1,6}|n{3,5}|x{3,5})\]?(?:\s*[:.)\u2013\u2014-]+)?\s+"
    r"|\d{1,6}(?:\s*[:.)\u2013\u2014]+|\s+-+)\s+|(?:adr|decision record)\s*:\s+",
    re.IGNORECASE,
)
_NAME_PREFIX = re.compile(r"(?:\d{4}-\d{2}-\d{2}|(?:adr|madr|dr)?[-_ ]?\d{1,6}|adr)[-_. ]+", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{[^{}\n]{1,200}\}|<[A-Za-z][^<>\n/]{0,200}>|\[[^\[\]\n]{1,200}\](?![(\[:])")
_FEW_WORDS = 3
_STATED_WORDS = 8

_PARTLY = re.compile(r"\bpart(?:ly|ially|s)?\b", re.IGNORECASE)


@cache
def _words(table: str, before: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of the roles or states, each by its name."""
    return tuple(
        (row["name"], re.compile(f"{before}(?:{'|'.join(row['words'])})", re.IGNORECASE))
        for row in read_table(__file__, "adr.toml")[table]
    )


def role_of(heading: str) -> str:
    """Return the role of a section of a record by its heading; `other` for anything else."""
    return next(
        (role for role, words in _words("role", r"(?:\d+[.)]\s*)?\W*") if words.match(heading.strip())), "other"
    )


def state_of(status: str) -> str:
    """Return accepted, proposed, rejected, deprecated or superseded; empty for anything else."""
    if status.count("|") > 1:  # a choice that is still to be made
        return ""
    found = [state for state, words in _words("state", r"(?<!not )(?<!not yet )\b") if words.search(status)]
    if "accepted" in found and _PARTLY.search(status):
        return "accepted"
    return found[0] if found else ""


def bare_title(heading: str) -> str:
    """Return a heading without the record's number, and without a full stop at its end."""
    prefix = _TITLE_PREFIX.match(heading)
    return heading[prefix.end() if prefix else 0 :].strip().removesuffix(".")


def title_of_name(stem: str) -> str:
    """Return a title made from a file's name."""
    prefix = _NAME_PREFIX.match(stem)
    words = re.sub(r"[-_]+", " ", stem[prefix.end() if prefix else 0 :]).strip() or stem
    return words[0].upper() + words[1:]


def native_id(stem: str) -> str:
    """Return the record's number as its file is named, else the name itself."""
    number = None if DATED_NAME.match(stem) else NUMBERED.match(stem)
    return (number["number"] if number else None) or stem


def is_template(stem: str, title: str, decision: str) -> bool:
    """Return whether a record is an unfilled template, by its name, or its title and decision."""
    if TEMPLATE_NAME.match(stem):
        return True
    words, left = (len(re.findall(r"\w+", text)) for text in (decision, _PLACEHOLDER.sub("", decision)))
    return (
        (left == 0 and words > 0)
        or (left < _STATED_WORDS and is_placeholder(title))
        or (left <= _FEW_WORDS and words > 2 * _FEW_WORDS)
    )


def is_placeholder(title: str) -> bool:
    """Return whether a title is still that of the template, as in `{short title}`."""
    bare = title.strip().strip("*_`")
    return bool(bare) and not _PLACEHOLDER.sub("", bare).strip(" .:-")


DECISION_CHARS = 6_000
"""The parts below the words of a decision belong to it up to this size, then to its reasons: they hold its conditions
and exceptions, without which it says something else."""
SHORT_CHARS = 600  # A decision up to this size that gives no reason takes one up to this size

_A_FEW_WORDS = 3
_LONGEST_SETTING = 1_000

_SLUG_ONLY = re.compile(r"^#{1,3} .*\b(?:decision|entscheidung|décision|decisión)\b", re.IGNORECASE | re.MULTILINE)
_SLUG_ONLY_CHARS = 20_000
_WORD = re.compile(r"\w+")
_BEFORE_DATE = re.compile(r"(?<=\w)\s+\w{1,5}\s*$")  # "on", "since", "am", "le" and the like
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{0,400}\)")


@dataclass(slots=True)
class Record:
    """The content of one ADR, sorted by the role of its sections."""

    title: str = ""
    status: str = ""
    succession: Succession | None = None
    date: datetime | None = None
    intro: str = ""
    decision: list[str] = field(default_factory=list)
    why: list[tuple[str, str]] = field(default_factory=list)
    asides: list[Section] = field(default_factory=list)
    skipped: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    settings: list[tuple[tuple[int, int], str]] = field(default_factory=list)  # lines that state one, with its name


class AdrReader:
    """Reads one decision per file."""

    format = "adr"
    label = "Architecture decision records"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file lies in a folder of decisions and is named or written like a record."""
        *folders, name = file.name.split("/")
        stem, _, extension = name.rpartition(".")
        if extension.lower() not in {"md", "markdown"} or stem.lower() in NOT_RECORDS:
            return False
        # A checkout may be called anything; the name of a folder that a person imports by itself counts.
        if not any(map(FOLDERS.fullmatch, folders)) and (
            not FOLDERS.fullmatch(file.root.name) or (file.root / ".git").exists()
        ):
            return False
        if _TEMPLATES.fullmatch((folders or [""])[-1]):
            return False
        if NUMBERED.match(stem) or TEMPLATE_NAME.match(stem):
            return True
        return bool(_SLUG_ONLY.search(file.text[:_SLUG_ONLY_CHARS]))

    def read(self, file: SourceFile) -> ReadResult:
        """Return the decision."""
        settings = split_frontmatter(file.text)
        last = len(file.text.rstrip("\n").split("\n"))
        stem = file.path.stem
        tree = section_tree(settings.body, first_line=settings.body_first_line)
        record = record_of(tree, settings, stem)
        if is_template(stem, record.title, "\n".join(record.decision)):
            return ReadResult(
                skipped=[Skipped(file.name, (1, last), "a template: no decision yet", code=SkipCode.TEMPLATE)]
            )
        if is_placeholder(record.title):
            record.title = title_of_name(stem)
        if not settings.body.strip():
            return ReadResult(
                skipped=[Skipped(file.name, (1, last) if file.text.strip() else None, "empty", code=SkipCode.EMPTY)]
            )
        result = ReadResult(skipped=skipped_frontmatter(file, settings))
        result.skipped.extend(Skipped(file.name, span, reason) for span, reason in record.skipped)
        result.skipped.extend(_settings(file, span, name) for span, name in record.settings)
        maker = maker_of(file, record, settings, self.format)
        for drafted in drafts_of(maker, record, native_id(stem), (settings.body_first_line, last)):
            result.add(drafted)
        if result.drafts:
            result.skipped.extend(_lines_left(file, settings, result))
        result.sort_skipped()
        return result


def _settings(file: SourceFile, span: tuple[int, int], name: str) -> Skipped:
    return Skipped(file.name, span, f"{name}: read as settings", code=SkipCode.SETTINGS, settings=name)


def _lines_left(file: SourceFile, settings: Frontmatter, result: ReadResult) -> Iterator[Skipped]:
    """Yield the lines that no draft holds and that are not reported otherwise: headings, link targets, images."""
    said = "\n".join(f"{draft.insight}\n{draft.rationale}" for draft in result.drafts)
    told = {number for gap in result.skipped if gap.span for number in range(gap.span[0], gap.span[1] + 1)}
    for number, line in enumerate(settings.body.split("\n"), settings.body_first_line):
        bare = line.strip()
        heard = plain_text(bare.strip("# ")) or bare
        if number in told or not bare or heard in said or bare in said:
            continue
        reason = SkipReason.CONTEXT if bare.startswith("#") else SkipReason.MARKUP
        if is_link_definition(line):
            reason = SkipReason.LINK_DEFINITION
        elif _LINK.fullmatch(bare):
            reason = SkipReason.LINKS
        yield Skipped(file.name, (number, number), reason)


def record_of(tree: Section, settings: Frontmatter, stem: str) -> Record:
    """Return the content of a record. `stem`: the name of its file, which titles one without a heading."""
    dated = DATED_NAME.match(stem)
    record = Record(
        title=settings.text("title"),
        status=settings.text("status"),
        date=_date(settings.text("date")),
    )
    above = [tree]
    parts = list(tree.children)
    if parts and _is_title(parts):
        above.append(parts[0])
        record.title = bare_title(parts[0].heading) or record.title
        parts = [*parts[0].children, *parts[1:]]
    record.title = record.title or title_of_name(stem)
    record.intro = "\n\n".join(filter(None, (_without_settings(section, record) for section in above))).strip()
    record.date = record.date or (_date(dated[1]) if dated else None)
    for section in [*above, *(below for part in parts for below in part.walk())]:
        record.skipped.extend((section.lines_of(span), SkipReason.COMMENT) for span in section.comments)
    for part in parts:
        _take(record, part)
    record.succession = succession_of(tree, settings.values, record.status)
    if record.date is None and state_of(record.status) == "accepted":
        record.date = _date(record.status)
    return record


def _is_title(parts: Sequence[Section]) -> bool:
    """Return whether the first heading names the record rather than one of its sections."""
    first = parts[0]
    if sum(part.level <= first.level for part in parts) == 1 and (first.level == 1 or first.children):
        return True
    return role_of(first.heading) == "other"


def _take(record: Record, part: Section) -> None:
    role, text = role_of(part.heading), part.whole_text
    if role in {"status", "date", "people"}:
        record.settings.append((part.span, role))
        stated = text if text.strip() else part.heading.partition(":")[2]
        if role == "status":
            record.status = record.status or " ".join(stated.split())
        elif role == "date":
            record.date = record.date or _date(stated)
    elif not text.strip():
        record.skipped.append((part.span, SkipReason.NO_TEXT))
    elif role == "decision":
        _take_decision(record, part)
    elif role in {"options", "other"}:
        record.asides.append(part)
    else:
        record.why.append((part.heading, text))


def _take_decision(record: Record, part: Section) -> None:
    """Separate the decision from the consequences below it, as MADR writes them."""
    aside = [
        child
        for child in part.children
        if role_of(child.heading) in {"consequences", "why", "options", "context", "drivers"}
    ]
    is_short = len(part.whole_text) <= DECISION_CHARS
    if (not aside and is_short) or not (part.text or len(aside) < len(part.children)):
        record.decision.append(part.whole_text)
        return
    record.decision.append(part.text)
    left = DECISION_CHARS - len(part.text)
    for child in part.children:
        if child in aside:
            _take(record, child)
            continue
        left -= len(child.whole_text)
        if left >= 0 or not any(record.decision):
            record.decision.append(_headed(child))
        else:
            left = 0  # What follows stays behind it, so that the order is kept
            record.why.append((child.heading, child.whole_text))


def _headed(section: Section) -> str:
    return f"{section.heading}:\n\n{section.whole_text}" if section.whole_text else section.heading


def _without_settings(section: Section, record: Record) -> str:
    """Return the text below the title without lines such as `Date: 2024-05-22`, which are read."""
    kept = []
    for block in section.blocks:
        number = block.lines.first
        while number <= block.lines.last:
            line, first = section.source[number], number
            number += 1
            found = SETTING.match(line[:_LONGEST_SETTING])
            if found is None:
                kept.append(line)
                continue
            key, value = found["key"].lower(), found["value"]
            while number <= block.lines.last and line.lstrip()[0] in "-*+" and _GOES_ON.match(section.source[number]):
                value += f" {section.source[number].strip()}"
                number += 1
            if key in _STATUS_KEYS:
                record.status = record.status or value
            elif key in _DATE_KEYS:
                record.date = record.date or _date(value)
            if block.kind == "table":
                kept.append(line)
            else:
                record.settings.append((section.lines_of(Span(first, number - 1)), key))
        kept.append("")
    return "\n".join(kept).strip("\n")


def _date(text: str) -> datetime | None:
    found = date_in(text)
    return found[0] if found else None


def maker_of(file: SourceFile, record: Record, settings: Frontmatter, name: str) -> DraftMaker:
    """Return what makes the drafts of a record. `name`: the reader's format."""
    state = state_of(record.status)
    written = settings.values.get("tags")
    tags = written if isinstance(written, list) else str(written or "").split(",")
    own = (str(tag).strip() for tag in tags if isinstance(tag, str | int))
    return DraftMaker(
        file=file,
        format=name,
        agent=AdrReader.agent,
        hint="adr",
        tags=tuple(dict.fromkeys(tag for tag in (state, *own) if tag)),
        observed_at=record.date,
    )


def drafts_of(maker: DraftMaker, record: Record, name: str, span: tuple[int, int]) -> Iterable[Draft | Skipped]:
    """Yield the decision with its reasons and options, then every text that was a memory of its own before."""
    decision = _decision_of(record)
    if not decision:
        yield Skipped(maker.file.name, span, "holds no text but settings", code=SkipCode.NO_TEXT_LEFT)
        return
    state = state_of(record.status)
    apart = [part for part in record.asides if _stood_apart(part, maker.file)]
    beside = ((part.heading, part.whole_text) for part in record.asides if part not in apart)
    options = _options_of(record)
    prefix = f"{state.capitalize()}: " if state in {*OVER, "proposed"} else ""
    title = decision_title(record.title, decision, options, most=MAX_TITLE_CELLS - len(prefix))
    main = maker.draft(
        decision,
        span=span,
        native_id=name,
        title=prefix + title,
        rationale=_joined([*_reasons_of(record), *beside]),
        kind="decision",
    )
    yield _noted(replace(main, succession=record.succession) if isinstance(main, Draft) else main, state)
    for slot, part in enumerate(apart, 1):
        drafted = maker.draft(
            part.whole_text,
            span=part.span,
            native_id=f"{name} > {part.heading}#{slot}",
            title=f"{record.title}: {part.heading}",
            kind="decision",
        )
        yield _noted(drafted, state)


def _decision_of(record: Record) -> str:
    """Return what was decided, with a short reason if it gives none; what stands in for it if it is open."""
    decision = "\n\n".join(text for text in map(str.strip, record.decision) if text)
    if is_open(decision):
        return _stand_in(record)
    if decision.endswith(":") and (named := next(filter(_is_other, record.asides), None)):
        record.asides.remove(named)
        return f"{decision}\n\n{_headed(named)}"
    if (option := option_named(decision, _options_of(record))) and option.casefold() not in decision.casefold():
        decision = f"{option}\n\n{decision}"
    is_bare = len(decision) <= SHORT_CHARS and not states_reason(decision)
    return "\n\n".join([decision, *_taken_reason(record)]) if is_bare else decision


def _options_of(record: Record) -> str:
    return "\n".join(_headed(part) for part in record.asides)


def _reasons_of(record: Record) -> list[tuple[str, str]]:
    """Return why a record decided so, below a status that says more than a word or that it no longer holds."""
    above = [("", record.intro)] if record.intro else []
    if _is_more_than_a_state(record.status) or state_of(record.status) in OVER:
        above.insert(0, ("", "Status: " + _LINK.sub(r"\1", record.status)))
    return [*above, *record.why]


def _is_more_than_a_state(status: str) -> bool:
    """Return whether a status says more than one word and its date: "Accepted (2026-03-12)" does not."""
    dated = date_in(status)
    if dated is not None:
        start, end = dated[1]
        status = _BEFORE_DATE.sub("", status[:start]) + status[end:]
    return len(_WORD.findall(status)) > 1


def _taken_reason(record: Record) -> list[str]:
    """Take the first short text that says why, for a decision that does not."""
    for part in record.why:
        if role_of(part[0]) in {"why", "drivers"} and len(part[1]) <= SHORT_CHARS:
            record.why.remove(part)
            return [f"{part[0]}:\n\n{part[1].strip()}"]
    return []


def _is_other(part: Section) -> bool:
    return role_of(part.heading) == "other" and len(part.whole_text.split()) >= _A_FEW_WORDS


def _stand_in(record: Record) -> str:
    """Take the text that says most of a record without a decision: no context if anything else is there."""
    if len(record.intro.split()) >= _A_FEW_WORDS:
        intro, record.intro = record.intro, ""
        return intro
    for part in record.asides:
        if _is_other(part):
            record.asides.remove(part)
            return _joined([(part.heading, part.whole_text)])
    ranked = sorted(
        record.why, key=lambda part: (len(part[1].split()) < _A_FEW_WORDS, role_of(part[0]) in {"context", "drivers"})
    )
    if ranked:
        record.why.remove(ranked[0])
        return ranked[0][1]
    return _joined([("", record.intro), *((part.heading, part.whole_text) for part in record.asides)])


def _stood_apart(part: Section, file: SourceFile) -> bool:
    """Return whether a text was a memory of its own at the last import."""
    if file.familiar is None or not file.familiar.distinct([part.whole_text]):
        return False
    return any(f" > {part.heading}#" in (unit.native_id or "") for unit in file.known)


def _joined(parts: Sequence[tuple[str, str]]) -> str:
    """Return texts below their headings; a single one needs no heading that only names its role."""
    texts = [(heading, text.strip("\n")) for heading, text in parts if text.strip()]
    if len(texts) == 1 and ":" not in texts[0][0] and (not texts[0][0] or role_of(texts[0][0]) != "other"):
        return texts[0][1]
    return "\n\n".join(f"{heading}:\n\n{text}" if heading else text for heading, text in texts)


def _noted(drafted: Draft | Skipped, state: str) -> Draft | Skipped:
    if isinstance(drafted, Skipped) or state not in OVER:
        return drafted
    return replace(drafted, notes=(*drafted.notes, SUPERSEDED_NOTE))


READER = AdrReader()
