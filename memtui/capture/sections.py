"""Markdown as a tree of headings, for documents whose headings say what a text is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memtui.capture.blocks import Block, Span, outline
from memtui.capture.titles import plain_text


@dataclass(slots=True)
class Section:
    """A heading, the text right under it, and the headings below it.

    Attributes:
        level: 1 to 6, 0 for the document itself.
        heading: its plain text.
        heading_lines: the lines of the heading, counted from 0 within the text; None for the document.
        blocks: the blocks right under it, comments left out.
        comments: lines of comments, counted alike.
        source: the lines of the whole text.
        first_line: number of the text's first line in the file.
    """

    level: int
    heading: str
    heading_lines: Span | None
    source: Sequence[str]
    first_line: int
    blocks: list[Block] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text right under the heading, without comments."""
        return self._joined(False)

    @property
    def whole_text(self) -> str:
        """The text under the heading with everything below it, headings as written, without comments."""
        return self._joined(True)

    @property
    def own_span(self) -> tuple[int, int]:
        """First and last line of the heading and the text right under it, as numbered in the file."""
        return self._numbered(list(self._spans(deep=False)))

    @property
    def span(self) -> tuple[int, int]:
        """First and last line of the section with everything below it, as numbered in the file."""
        return self._numbered(list(self._spans(deep=True)))

    def walk(self) -> Iterator[Section]:
        """Yield this section and everything below it, in the order of the text."""
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
        """Return the lines of the blocks, blank lines between them as in the source."""
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

    Args:
        text: Markdown with LF line ends.
        first_line: line number of its first line in the file, for text below a frontmatter.
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
