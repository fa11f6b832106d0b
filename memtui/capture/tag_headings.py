"""What tags and rules of signs mean for a text: headings (`<quay_rules>`, `# ====`), and what is left out whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memtui.capture.skip_codes import SkipReason
from memtui.text.tables import read_words

CODE_CHARS = 6_000  # A longer block of code is data rather than a memory; a longer example between tags is read as text

_PAGES_TAG = re.compile(r"(?:^|[_-])(?:docs|documentation|llms[_-]full)$")
_SESSIONS_TAGS = frozenset({"claude-mem-context"})
_OPENS = re.compile(r"<([a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)>\s*$")
_EXAMPLE = re.compile(r"example|sample|code|template|format|output|input")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FEWEST = 2  # Sections; one tag around a whole text says nothing of a part of it


@dataclass(slots=True)
class _Element:
    name: str
    line: int
    around: _Element | None = None
    has_text: bool = False  # whether text stands in it that is in no element in it


def tag_headings(lines: Sequence[str]) -> dict[int, str]:
    """Return the headings that stand for the opening tags of sections, by their line; none where a text has headings.

    A section's tag stands alone on its line and is closed on another one. Beside it stand other sections and no text:
    a heading would take in what follows the section.
    """
    if any(map(_HEADING.match, lines)):
        return {}
    closed = {line.strip() for line in lines if line.startswith("</")}
    if not closed:
        return {}
    elements = _elements(lines, closed)
    html = read_words(__file__, "html_tags.txt")
    sections = [
        one
        for one in elements
        if one.around is not None and not one.around.has_text and one.name not in html and not _EXAMPLE.search(one.name)
    ]
    if len({one.name for one in sections}) < _FEWEST:
        return {}
    return {one.line: f"## {re.sub('[_-]', ' ', one.name).capitalize()}" for one in sections}


def _elements(lines: Sequence[str], closed: set[str]) -> list[_Element]:
    """Return the elements whose tags stand alone on lines; all of them stand in one that is the text itself."""
    whole = here = _Element("", -1)
    elements: list[_Element] = []
    for number, line in enumerate(lines):
        opened = _OPENS.match(line) if line.startswith("<") else None
        if opened and f"</{opened[1]}>" in closed:
            here = _Element(opened[1], number, here)
            elements.append(here)
        elif line.startswith("</") and line.strip() == f"</{here.name}>":
            here = here.around or whole
        elif line.strip() and (elements or here is not whole):
            here.has_text = True
    return elements


def left_out_between(tag: str, lines: Sequence[str], number: int) -> tuple[int, str]:
    """Return the last line of an element that is left out whole, and why; its first line and nothing if it is read.

    Pages of documentation are longer than what a memory holds.
    """
    if tag not in _SESSIONS_TAGS and not _PAGES_TAG.search(tag):
        return number, ""
    closing = (at for at in range(number + 1, len(lines)) if lines[at].strip().lower() == f"</{tag}>")
    end = next(closing, number)
    if tag in _SESSIONS_TAGS:
        return (end, SkipReason.SESSIONS) if end > number else (number, "")
    return (end, SkipReason.PAGES) if sum(map(len, lines[number:end])) > CODE_CHARS else (number, "")


_BANNER = re.compile(r"#{1,6} ?[=#*~_-]{4,}\s*$")  # `# ======`
_COMMENTED = re.compile(r"#{1,6}(?: |$)")
_BRACKETED = re.compile(r"[(（].*[)）]\s*$")


def read_banner(lines: list[str], number: int) -> list[tuple[int, str]]:
    """Return the lines set aside of a comment that a rule of number signs begins, with the reason; none for no rule.

    The last is the rule that closes it, or the only one. What stands between them is left as a heading and its text.
    """
    if not _BANNER.match(lines[number]):
        return []
    end = number + 1
    while end < len(lines) and _COMMENTED.match(lines[end]) and not _BANNER.match(lines[end]):
        end += 1
    lines[number] = ""
    if end == number + 1 or end == len(lines) or not _BANNER.match(lines[end]):
        return [(number, SkipReason.RULE)]
    lines[end] = ""
    bare = [_COMMENTED.sub("", line, count=1).strip() for line in lines[number + 1 : end]]
    is_title = bool(bare[0]) and not (bare[1:2] and bare[1][:1].islower())
    joined = is_title and len(bare) > 1 and bool(_BRACKETED.match(bare[1]))
    if joined:
        bare[:2] = [f"{bare[0]} {bare[1]}", ""]
    lines[number + 1 : end] = [f"# {bare[0]}" if is_title else bare[0], *bare[1:]]
    return [(number, SkipReason.RULE), *[(number + 2, SkipReason.CONTEXT)][:joined], (end, SkipReason.RULE)]
