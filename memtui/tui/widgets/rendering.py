"""Markdown as lines of a pane: no widget, no link that could be clicked, HTML only as text."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, ConsoleRenderable, RenderResult

MOST_RENDERED = 3_000
"""Characters that are rendered: measured up to 28 ms per 1,000 of ordinary text, 50 ms for 3,000 brackets."""

_STYLES = {
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6", "h7"),
    "code": ("code", "code_block"),
    "path": ("link", "link_url"),
    "label": ("item.bullet", "item.number"),
    "dim": ("block_quote", "hr", "h1.border"),
}


def rendered(text: str, width: int, styles: Mapping[str, Style]) -> list[Text]:
    """Return Markdown as lines of at most so many cells.

    Args:
        text: without control characters.
        width: in cells.
        styles: of `heading`, `code`, `path`, `label` and `dim`.
    """
    theme = Theme({f"markdown.{part}": styles[name] for name, parts in _STYLES.items() for part in parts})
    console = Console(
        file=io.StringIO(),
        width=width,
        theme=theme,
        color_system="truecolor",
        force_terminal=True,
        legacy_windows=False,
    )
    lines = console.render_lines(_document(text[:MOST_RENDERED]), pad=False)
    result = [Text.assemble(*((segment.text, segment.style or "") for segment in line)) for line in lines]
    for line in result:
        line.rstrip()
    if len(text) > MOST_RENDERED:
        result.append(Text(f"… {len(text) - MOST_RENDERED:,} more characters: M shows plain text", styles["dim"]))
    return result


def _document(text: str) -> ConsoleRenderable:
    """Return what Rich renders: its Markdown with our headings, fences and images."""
    from markdown_it import MarkdownIt
    from rich.markdown import CodeBlock, Heading, ImageItem, Markdown

    class PlainHeading(Heading):
        """A heading at the left, in no box."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            self.text.justify = "left"
            yield self.text

    class PlainFence(CodeBlock):
        """Code as it stands: colours are the theme's, and no lexer reads what others wrote."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            yield Text(str(self.text).rstrip(), style="markdown.code_block")

    class NamedImage(ImageItem):
        """An image as its description."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            yield Text.assemble("image: ", self.text or self.destination, end="")

    class Document(Markdown):
        """Markdown in which HTML is text and a link is its address."""

        elements = {  # noqa: RUF012 - Rich declares it as a class variable
            **Markdown.elements,
            "heading_open": PlainHeading,
            "fence": PlainFence,
            "code_block": PlainFence,
            "image": NamedImage,
        }

        def __init__(self, markup: str) -> None:
            super().__init__("", hyperlinks=False)
            self.markup = markup
            parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")
            self.parsed = parser.parse(markup)

    return Document(text)
