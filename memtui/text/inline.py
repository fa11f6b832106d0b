"""Markdown as plain words: without links, emphasis and control characters, paragraphs in one line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

READ_CHARS = 2_000  # Only the start of a line is read, so that a line of a megabyte costs nothing

_CODE_SPAN = re.compile(r"(?<!`)(`{1,4})(?!`)(.{1,400}?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\](?:\([^()\s]{0,400}[^()]{0,100}\)|\[[^\[\]]{0,100}\])")
_LINK = re.compile(
    r"\[([^\[\]]{1,300})\](?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,400}(?:\s[^()]{0,100})?\)|\[[^\[\]]{0,100}\])"
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,300})>")
_WHOLE_TAG = re.compile(r"</?[A-Za-z][\w:-]{0,40}/?>")  # `<returns>`; one with attributes is markup
_TAG = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,200})?/?>|<!--.{0,400}?-->")
_STRONG = re.compile(
    # Bold words of a script without spaces stand between its letters.
    r"(?:(?<![\w*])|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]))"
    r"\*\*(?=[^\s*/,])(.{1,600}?)(?<=[^\s*])\*\*(?!\*)"
)
_EMPHASIS = re.compile(r"(?<![\w*/])\*(?=[^\s*/,.])([^*]{1,400}?)(?<=[^\s*])\*(?![\w*/])")
_UNDERLINED = re.compile(r"(?<![\w/])(_{1,2})(?=[^\s_])([^_]{0,300}[^_\s])\1(?![\w/.])")
_DUNDER = re.compile(r"__[a-z][a-z0-9_]*__")
_FOOTNOTE = re.compile(r"\A\s*\*(?=[A-Z][a-z]* )(?!.*\*)", re.DOTALL)  # its sign: `*Boats count from May on`
_STRUCK = re.compile(r"~~([^~]{1,300})~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")

_MARKED = re.compile(r"[\[<*_~]")

_HOLD_FIRST = 0xE000
_HELD = re.compile("[\ue000-\uf8ff]")
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


@dataclass(slots=True)
class HeldCode:
    """Code spans and escaped letters taken out of a text, so that none is read as punctuation or markup.

    There are 6,400 private characters, and no more than 1,000 such places in the part of a text that is read.
    """

    spans: list[str] = field(default_factory=list)

    def take_out(self, markdown: str) -> str:
        """Return the start of a text with a private character for each code span and escaped letter."""
        shown = _without_controls(markdown[:READ_CHARS])
        if "`" in shown:
            shown = _CODE_SPAN.sub(lambda found: self._hold(found[2].strip()), shown)
        return _ESCAPE.sub(lambda found: self._hold(found[1]), shown) if "\\" in shown else shown

    def put_back(self, text: str) -> str:
        """Return a text with everything put back."""
        if not self.spans or text.isascii():
            return text
        return _HELD.sub(lambda found: self.spans[ord(found[0]) - _HOLD_FIRST], text)

    def _hold(self, span: str) -> str:
        self.spans.append(span)
        return chr(_HOLD_FIRST + len(self.spans) - 1)


@lru_cache(4_096)
def plain_text(markdown: str) -> str:
    """Return one line of inline Markdown without markup: links become their text, code its content."""
    held = HeldCode()
    return held.put_back(unmarked(held.take_out(markdown)))


@lru_cache(1_024)
def unmarked(text: str) -> str:
    """Return a text without links, emphasis and tags; its code must be taken out before."""
    if not _MARKED.search(text):
        return one_line(text)
    for pattern in (_IMAGE, _LINK, _AUTOLINK):
        text = pattern.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    for pattern in (_STRONG, _EMPHASIS, _STRUCK):
        text = pattern.sub(r"\1", text)
    text = _UNDERLINED.sub(lambda found: found[0] if _DUNDER.fullmatch(found[0]) else found[2], text)
    return one_line(_FOOTNOTE.sub("", text))


def literal_tags(plain: str) -> str:
    """Return plain words, such as those of a heading, as Markdown that shows their tags instead of hiding them."""
    return plain if "`" in plain or "<" not in plain else _WHOLE_TAG.sub(r"`\g<0>`", plain)


def visible(text: str) -> str:
    """Return the start of a text as one line without control characters."""
    return one_line(_without_controls(text[:READ_CHARS]))


def _without_controls(text: str) -> str:
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def one_line(text: str) -> str:
    """Return a text with every run of white space as one space."""
    return " ".join(text.split())


NESTED_FENCE = re.compile(
    r"(?P<around>(?: {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}|> ?))*) {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)"
)
"""The line of a fence, also within list items and quotes."""

WRAPPED = 60
"""A line of prose of so many characters was wrapped, and the next one goes on with it: Markdown reads them as one."""

_ALONE = re.compile(r"\s*(?:[|<#>]|[-+*•]\s|\d{1,9}[.)]\s|`{3}|~{3}|[-=_*]{3,}\s*$)")
_ITEM = re.compile(r"\s*(?:[-+*•]|\d{1,9}[.)])\s")
_CODE = re.compile(r" {4}|\t")  # Begins a line of code where no line of prose or item of a list comes before it
_BROKEN = ("  ", "\\", "|", ":")  # Ends of lines that are not wrapped


def ends_fence(found: re.Match[str], opened: str) -> bool:
    """Return whether a line of a fence, as `NESTED_FENCE` finds it, ends what a fence opened."""
    return bool(opened) and found["fence"].startswith(opened) and not found["info"].strip()


def unwrapped(text: str) -> str:
    """Return a text of Markdown with the lines of each wrapped paragraph in one; code and tables stay as they are."""
    lines: list[str] = []
    fence = last = ""
    for line in text.split("\n"):
        found = NESTED_FENCE.match(line)
        if found:
            fence = "" if ends_fence(found, fence) else fence or found["fence"]
        is_text = not (found or fence)
        is_prose = is_text and _is_prose(line) and bool(last or not _CODE.match(line))
        if is_prose and _is_wrapped(last):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
        last = line if is_prose or (is_text and _ITEM.match(line)) else ""
    return "\n".join(lines)


def _is_wrapped(line: str) -> bool:
    return len(line) >= WRAPPED and not line.endswith(_BROKEN)


def _is_prose(line: str) -> bool:
    return line.strip() != "" and not _ALONE.match(line)
