"""Paragraphs of Markdown that their author wrapped by hand, each in one line."""

from __future__ import annotations

import re

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
