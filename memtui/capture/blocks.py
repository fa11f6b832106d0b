"""Markdown as top-level blocks with source lines, and as a tree of headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from memtui.capture.plus_lines import continued_sums
from memtui.capture.skip_codes import SkipReason
from memtui.capture.tag_headings import CODE_CHARS, left_out_between, read_banner, tag_headings
from memtui.capture.unclosed import EXPORT_BEGIN, EXPORT_END, FENCE, Mended
from memtui.text.inline import plain_text
from memtui.text.words import CJK

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MAX_CHARS = 2_000_000
MAX_LINES = 20_000  # Larger texts are split at blank lines only; parsing this many list items takes about two seconds

BlockKind = Literal[
    "heading", "paragraph", "bullets", "ordered", "fence", "code", "table", "quote", "html", "rule", "comment"
]

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "bullets",
    "ordered_list_open": "ordered",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
}
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMPORT_LINE = re.compile(
    r"[ \t]*@(?=\.{0,2}[/\\]|~[/\\]|(?:[^\s@`]|\\ ){1,300}\.(?:mdc?|markdown|txt|rst|adoc|json|ya?ml|toml)\s*$)"
    r"(?:[^\s@`]|\\ ){2,300}\s*$",
    re.IGNORECASE,
)
_LONE_TAG = re.compile(r" {0,3}</?([A-Za-z][\w:-]{0,60})(?:\s[^<>]{0,300})?/?>\s*$")
_DIVIDER = re.compile(r" {0,3}(={3,}|-{3,}|\*{3,}|~{5,}) +[^\s=*~-].{0,60}? +\1\s*$")  # `=== boost rules ===`
_BREAK = "***"
_EXAMPLE_TAG = re.compile(r"example|sample|^code$")
_SNIPPET_TAG = re.compile(r"(?:\w+[-_])*snippet$")
_COMPONENT = re.compile(r"([ \t]*)<([A-Z][A-Za-z]{1,40})(?:\s[^<>]{0,300})?>[ \t]*(\S.{0,2000}?)[ \t]*</\2>\s*$")
_TAG_TITLE = re.compile(r"\s(?:title|label|header)=[\"']([^\"'<>{}]{1,120})[\"']")
_HTML_LINK = re.compile(
    r"<a\s[^<>]{0,300}?href=[\"']([^\"'\s<>]{1,300})[\"'][^<>]{0,200}>([^<>]{1,300})</a>", re.IGNORECASE
)
_VERBATIM_TAGS = frozenset({"pre", "script", "style", "textarea"})
_MARKER = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]*)")
_QUOTED_CALLOUT = re.compile(r"([ \t]*)>[ \t]?\[!([\w-]{1,30})\][+-]?[ \t]*(.*)$")
_QUOTED = re.compile(r"([ \t]*)> ?")
_FENCED_CALLOUT = re.compile(r" {0,3}:{3,}[ \t]*(?:\{?[\w-]{1,30}\}?)?[ \t]*\[?([^\[\]]{0,200})\]?[ \t]*$")
_INDENTED_CALLOUT = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+[\w-]{1,30}(?:[ \t]+\"(.{0,200})\")?[ \t]*$")
_INDENT = re.compile(r"(?: {4}|\t)")
_UNDERLINED_WORDS, _RULED_WORDS = 12, 3
_UNDERLINE_SHARE = 0.6
_NO_HEADING_ENDS = (".", ":", ";", ",", "!", "?", "。", "：", "！")
_PARAGRAPHS_CHARS = 1_000
_TAB = 4


@dataclass(frozen=True, slots=True)
class Span:
    """Lines from first to last, both inclusive, counted from 0 within the text."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Block:
    """One top-level block."""

    kind: BlockKind
    lines: Span  # its source lines, without trailing blank ones
    level: int = 0  # of a heading, 1 to 6
    content: str = ""  # the Markdown of a heading or paragraph, the text of a fence
    items: tuple[Span, ...] = ()  # of a list, the lines of each item; of a table, those of each row below its heads


@dataclass(frozen=True, slots=True)
class Outline:
    """The blocks of a text in order, and the lines without content (lone tags …) with the reason."""

    blocks: tuple[Block, ...]
    set_aside: tuple[tuple[Span, str], ...]
    lines: Sequence[str]  # the lines of the text, those of a callout without its marks
    # numbers of lines, in order, at which a callout begins or has ended: nothing is joined across them
    borders: tuple[int, ...] = ()
    # the lines that open a fence or comment which nothing closes, with the reason
    unclosed: tuple[tuple[int, str], ...] = ()


def outline(lines: Sequence[str]) -> Outline:
    """Return the blocks of a text given as lines, by the rules of CommonMark with tables.

    Lines with a single tag (`<rules>`) are set aside first, so that the Markdown between them is parsed as Markdown, or
    are headings where they part a text that has none; so
    are the marks of callouts, and everything between the markers of memtui's own export.
    """
    if len(lines) > MAX_LINES or sum(map(len, lines)) + len(lines) > MAX_CHARS:
        return Outline(tuple(_blank_line_blocks(lines)), (), lines)
    mended = Mended(list(lines))
    mended.mend()
    marks = _Marks(
        mended.lines,
        [(Span(number, number), reason) for number, reason in mended.set_aside],
        examples=[Span(*fence) for fence in mended.fences],
        code=mended.code,
    )
    marks.read()
    source = list(marks.lines)
    for span, _ in marks.set_aside:
        source[span.first : span.last + 1] = [""] * (span.last - span.first + 1)
    for number, title in marks.titles:
        source[number] = marks.lines[number] = title
    for span in marks.examples:
        source[span.first : span.last + 1] = [""] * (span.last - span.first + 1)
    blocks = _blocks(_parsed(source), source)
    blocks.extend(Block("fence", span) for span in marks.examples)
    blocks.sort(key=lambda block: block.lines.first)
    aside = [(span, reason) for span, reason in marks.set_aside if not any(_holds(one, span) for one in marks.examples)]
    return Outline(tuple(blocks), tuple(aside), marks.lines, tuple(marks.borders), tuple(mended.unclosed))


def _parsed(source: list[str]) -> list[Token]:
    """Return the tokens of the lines; a line that goes on with a sum is indented first, so that it begins no list."""
    tokens = _parser().parse("\n".join(source))
    sums = continued_sums(tokens, source)
    for number in sums:
        source[number] = " " * _TAB + source[number].lstrip()
    return _parser().parse("\n".join(source)) if sums else tokens


def _closes(fence: str, line: str) -> bool:
    closing = line.strip(" \t>")
    return closing.startswith(fence) and not closing.strip(fence[0])


def _holds(outer: Span, inner: Span) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes 80 ms, and titles do not need it

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


@dataclass(slots=True)
class _Marks:
    """Reads the lines that only mark others: lone tags, callouts, memtui's own markers."""

    lines: list[str]  # the lines; those of callouts lose their marks
    set_aside: list[tuple[Span, str]] = field(default_factory=list)
    borders: list[int] = field(default_factory=list)
    titles: list[tuple[int, str]] = field(default_factory=list)  # lines of marks, and what is read in their place
    # lines from `<example>` to `</example>`, which are kept together
    examples: list[Span] = field(default_factory=list)
    code: frozenset[int] = frozenset()  # numbers of lines that are code, whatever they look like
    _open_examples: list[tuple[str, int]] = field(default_factory=list)
    _sections: dict[int, str] = field(default_factory=dict)  # headings that stand for tags, by their line
    _last_end: int = -1  # the last line that ends an export

    def read(self) -> None:
        self._sections = tag_headings(self.lines)
        self._last_end = max((at for at, line in enumerate(self.lines) if EXPORT_END.match(line)), default=-1)
        fence = ""
        until = -1  # the last line of what is set aside as a whole
        for number, line in enumerate(self.lines):
            if number <= until or number in self.code:
                continue
            if fence:
                fence = "" if _closes(fence, line) else fence
            elif mark := FENCE.match(line):
                fence = mark[1]
            else:
                until = self._read_line(number, line)

    def _read_line(self, number: int, line: str) -> int:
        """Read a line outside of fences; return the last line of what is set aside with it."""
        if line[:1] == "#" and (aside := read_banner(self.lines, number)):
            self.set_aside.extend((Span(at, at), reason) for at, reason in aside)
            self.borders.append(aside[-1][0])
            return aside[-1][0]
        if _IMPORT_LINE.match(line):
            self.set_aside.append((Span(number, number), SkipReason.IMPORT))
            self.lines[number] = ""
        elif number < self._last_end and EXPORT_BEGIN.match(line):
            end = next(at for at in range(number + 1, len(self.lines)) if EXPORT_END.match(self.lines[at]))
            self.set_aside.append((Span(number, end), "written by memtui's export"))
            return end
        elif (tag := _LONE_TAG.match(line)) and tag[1].lower() not in _VERBATIM_TAGS:
            return self._tag(tag[1].lower(), number, line)
        else:
            self._callout(number, self._without_tags(number, line))
        return number

    def _tag(self, tag: str, number: int, line: str) -> int:
        """Set a line aside that is a tag, or all of it; return the last line set aside."""
        closes = line.lstrip().startswith("</")
        until, reason = (number, "") if closes else left_out_between(tag, self.lines, number)
        if reason:
            self.set_aside.append((Span(number, until), reason))
        elif number in self._sections:
            self.titles.append((number, self._sections[number]))
        elif line.lstrip()[1:2].isupper() and (title := _TAG_TITLE.search(line)):
            self._mark(number, title[1], line[: len(line) - len(line.lstrip())], number + 1)
        else:
            self.set_aside.append((Span(number, number), "mark-up without text"))
            self._example(tag, number, closes=closes)
        return until

    def _without_tags(self, number: int, line: str) -> str:
        """Take the tags of a component off a line that stands between them, and write its links as Markdown does."""
        if "</" not in line:
            return line
        if found := _COMPONENT.match(line):
            line = found[1] + found[3]
        if "`" not in line:
            line = _HTML_LINK.sub(r"[\2](\1)", line)
        self.lines[number] = line
        return line

    def _example(self, tag: str, number: int, *, closes: bool) -> None:
        """Note where an example between two tags begins and ends."""
        if not closes and (_EXAMPLE_TAG.search(tag) or self._opens_snippet(tag, number)):
            self._open_examples.append((tag, number))
        elif closes and any(tag == opened for opened, _ in self._open_examples):
            while self._open_examples[-1][0] != tag:
                self._open_examples.pop()
            whole = Span(self._open_examples.pop()[1], number)
            if tag == "code" or sum(len(line) + 1 for line in self.lines[whole.first : number + 1]) <= CODE_CHARS:
                self.examples = [one for one in self.examples if not _holds(whole, one)]
                self.examples.append(whole)

    def _opens_snippet(self, tag: str, number: int) -> bool:
        """Return whether code begins that stands in no item of a list, and no other one is still open."""
        stands_alone = self.lines[number].startswith("<") and not (number and self.lines[number - 1].strip())
        is_open = any(tag == opened for opened, _ in self._open_examples)
        return stands_alone and not is_open and bool(_SNIPPET_TAG.match(tag))

    def _callout(self, number: int, line: str) -> None:
        """Take the marks off a callout that begins here (`> [!NOTE]`, `:::note`, `!!! note`); break at a divider."""
        head = line.lstrip()[:1]
        if head == ">" and (found := _QUOTED_CALLOUT.match(line)):
            self._mark(number, found[3], found[1], self._unmarked(number, _QUOTED, keep=1))
        elif head == ":" and (found := _FENCED_CALLOUT.match(line)):
            self._mark(number, found[1], "", number + 1)
        elif head in {"!", "?"} and (found := _INDENTED_CALLOUT.match(line)):
            self._mark(number, found[1] or "", "", self._unmarked(number, _INDENT, keep=0))
        elif head in {"=", "-", "*", "~"} and _DIVIDER.match(line):
            self.titles.append((number, _BREAK))

    def _mark(self, number: int, title: str, indent: str, end: int) -> None:
        if not indent:
            self.borders.extend((number, end))
        if title.strip():
            ended = title.rstrip().endswith(_NO_HEADING_ENDS)
            bold = title.strip() if title.lstrip()[:1] in {"*", "`"} else f"**{title.strip()}**{'' if ended else ':'}"
            self.titles.append((number, indent + bold))
        else:
            self.set_aside.append((Span(number, number), SkipReason.CALLOUT))
            self.lines[number] = ""

    def _unmarked(self, number: int, prefix: re.Pattern[str], *, keep: int) -> int:
        """Take a prefix off the lines below one, and return the number of the first line without it."""
        end = number + 1
        while end < len(self.lines):
            found = prefix.match(self.lines[end])
            if found is None and (keep or self.lines[end].strip()):
                break
            if found is not None:
                self.lines[end] = (found[1] if keep else "") + self.lines[end][found.end() :]
            end += 1
        return end


def _blocks(tokens: Sequence[Token], lines: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    items: list[Span] = []
    opened: Token | None = None
    for position, token in enumerate(tokens):
        if token.level == 1 and token.type == "list_item_open" and token.map:
            items.append(_trimmed(token.map, lines))
        if token.level or token.map is None:
            if token.level == 0 and opened is not None and token.nesting < 0:
                blocks.append(_list_block(opened, items, lines))
                opened, items = None, []
            continue
        kind = _KINDS.get(token.type, "html")
        if kind in {"bullets", "ordered"}:
            opened = token
        elif kind == "heading":
            blocks.extend(_heading(token, tokens[position + 1].content, lines))
        else:
            inner = tokens[position + 1].content if kind == "paragraph" else token.content
            blocks.append(_plain_block(kind, _trimmed(token.map, lines), inner))
    return blocks


def _plain_block(kind: BlockKind, span: Span, content: str) -> Block:
    if kind == "table":
        return Block(kind, span, items=tuple(Span(row, row) for row in range(span.first + 2, span.last + 1)))
    if kind == "html" and not _COMMENT.sub("", content).strip():
        kind = "comment"
    return Block(kind, span, content=content)


def _list_block(opened: Token, items: Sequence[Span], lines: Sequence[str]) -> Block:
    kind = _KINDS[opened.type]
    return Block(kind, _trimmed(opened.map or [0, 1], lines), items=tuple(items))


def _heading(token: Token, content: str, lines: Sequence[str]) -> list[Block]:
    """Return a heading; a text above `---` is more often meant as a paragraph followed by a rule."""
    span = _trimmed(token.map or [0, 1], lines)
    if token.markup == "-" and not _is_underlined(content, lines, span.last):
        text = Span(span.first, max(span.first, span.last - 1))
        return [Block("paragraph", text, content=content), Block("rule", Span(span.last, span.last))]
    return [Block("heading", span, level=int(token.tag[1:]), content=content)]


def _is_underlined(content: str, lines: Sequence[str], underline: int) -> bool:
    """Return whether `---` below a line makes it a heading: it is short, no sentence, and text follows."""
    if "\n" in content or content.rstrip().endswith(_NO_HEADING_ENDS):
        return False
    words = len(content.split()) + len(CJK.findall(content)) // 2
    as_long = len(lines[underline].strip()) >= max(4, _UNDERLINE_SHARE * len(content))
    follows = any(line.strip() for line in lines[underline + 1 : underline + 4])
    return follows and words <= (_UNDERLINED_WORDS if as_long else _RULED_WORDS)


def _trimmed(line_map: Sequence[int], lines: Sequence[str]) -> Span:
    first, last = line_map[0], max(line_map[0], line_map[1] - 1)
    while last > first and not lines[last].strip():
        last -= 1
    return Span(first, last)


def _blank_line_blocks(lines: Sequence[str]) -> list[Block]:
    """Return paragraphs of about the size of a memory, split at blank lines."""
    blocks: list[Block] = []
    start: int | None = None
    last = size = 0
    for number, line in enumerate(lines):
        if line.strip():
            start = number if start is None else start
            last = number
            size += len(line)
        elif start is not None and size >= _PARAGRAPHS_CHARS:
            blocks.append(Block("paragraph", Span(start, last), content="\n".join(lines[start : last + 1])))
            start, size = None, 0
    if start is not None:
        blocks.append(Block("paragraph", Span(start, last), content="\n".join(lines[start : last + 1])))
    return blocks


def item_text(lines: Sequence[str], item: Span) -> str:
    """Return the source lines of a list item without its marker and indentation."""
    first = lines[item.first]
    marker = _MARKER.match(first)
    if marker is None:
        return "\n".join(lines[item.first : item.last + 1]).rstrip()
    before = _columns(first[: marker.end(2)])
    gap = _columns(first[: marker.end()]) - before
    offset = before + (gap if 1 <= gap <= _TAB else 1)
    rest = [_dedented(line, offset) for line in lines[item.first + 1 : item.last + 1]]
    return "\n".join([first[marker.end() :], *rest]).strip("\n").rstrip()


def _columns(text: str) -> int:
    return len(text.expandtabs(_TAB))


def _dedented(line: str, offset: int) -> str:
    column = position = 0
    while position < len(line) and column < offset and line[position] in " \t":
        column += _TAB - column % _TAB if line[position] == "\t" else 1
        position += 1
    return " " * max(0, column - offset) + line[position:]


def code_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers, from 0, of lines in fences, indented code and comments at any depth."""
    if len(lines) > MAX_LINES or sum(map(len, lines)) + len(lines) > MAX_CHARS:
        return frozenset()
    mended = Mended(list(lines))
    mended.mend()
    hidden = set(mended.code)
    for token in _parser().parse("\n".join("" if at in hidden else line for at, line in enumerate(mended.lines))):
        comment = token.type == "html_block" and not _COMMENT.sub("", token.content).strip()
        if token.map and (comment or token.type in {"fence", "code_block"}):
            hidden.update(range(*token.map))
    return frozenset(hidden)


@dataclass(slots=True)
class Section:
    """A heading, the text right below it, and its subsections."""

    level: int  # 1 to 6, 0 for the document itself
    heading: str
    heading_lines: Span | None  # the lines of the heading, from 0 within the text; None for the document
    source: Sequence[str]  # the lines of the whole text
    first_line: int  # number of the text's first line in the file
    blocks: list[Block] = field(default_factory=list)  # the blocks right below it, without comments
    comments: list[Span] = field(default_factory=list)  # lines of comments, counted alike
    children: list[Section] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text right below the heading, without comments."""
        return self._joined(False)

    @property
    def whole_text(self) -> str:
        """The text of the section with its subsections, headings as written, without comments."""
        return self._joined(True)

    @property
    def own_span(self) -> tuple[int, int]:
        """First and last line of the heading and the text right below it, as numbered in the file."""
        return self._numbered(list(self._spans(deep=False)))

    @property
    def span(self) -> tuple[int, int]:
        """First and last line of the section with its subsections, as numbered in the file."""
        return self._numbered(list(self._spans(deep=True)))

    def walk(self) -> Iterator[Section]:
        """Yield this section and its subsections in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()

    def lines_of(self, span: Span) -> tuple[int, int]:
        """Return lines as numbered in the file."""
        return (span.first + self.first_line, span.last + self.first_line)

    def _spans(self, *, deep: bool) -> Iterator[Span]:
        for section in self.walk() if deep else (self,):
            if section.heading_lines is not None:
                yield section.heading_lines
            yield from (block.lines for block in section.blocks)

    def _numbered(self, spans: list[Span]) -> tuple[int, int]:
        if not spans:
            return (self.first_line, self.first_line)
        return self.lines_of(Span(min(span.first for span in spans), max(span.last for span in spans)))

    def _joined(self, deep: bool) -> str:
        parts = list(self._spans(deep=deep))[0 if self.heading_lines is None else 1 :]
        if not parts:
            return ""
        hidden = {
            number
            for section in self.walk()
            for span in section.comments
            for number in range(span.first, span.last + 1)
        }
        lines = range(parts[0].first, parts[-1].last + 1)
        kept = [self.source[number] for number in lines if number not in hidden]
        return "\n".join(kept).strip("\n")


def section_tree(text: str, *, first_line: int = 1) -> Section:
    """Return the document as a tree of sections; the root holds what stands above the first heading.

    `text`: Markdown with LF line ends. `first_line`: line number of its first line in the file.
    """
    lines = text.split("\n")
    root = Section(0, "", None, lines, first_line)
    open_sections = [root]
    for block in outline(lines).blocks:
        if block.kind != "heading":
            target = open_sections[-1].comments if block.kind == "comment" else None
            if target is None:
                open_sections[-1].blocks.append(block)
            else:
                target.append(block.lines)
            continue
        while open_sections[-1].level >= block.level:
            open_sections.pop()
        section = Section(block.level, plain_text(block.content), block.lines, lines, first_line)
        open_sections[-1].children.append(section)
        open_sections.append(section)
    return root
