"""The prose of a commit's message: paragraphs without lists of changes, logs, quotes and code, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_COMMENT = re.compile(r"(?s)<!--.*?-->")
_HEADING = re.compile(r"^#{1,6}\s")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_CODE_LINE = re.compile(r"^(?: {4}|\t|\s*(?:[$>|]|\+\+\+|---|@@|at |File \"|Traceback|\d+:))")
_REFERENCE = re.compile(
    r"^\W*(?:(?:closes?|closed|fix(?:es|ed)?|resolves?|refs?|see(?: also)?|part of|related(?: issues?| to)?|pr|issue)"
    r"[:\s]*)?(?:\S*#\d+|https?://\S+|[0-9a-f]{7,40})(?:[\s,]*(?:and\s)?(?:\S*#\d+|https?://\S+))*\W*$",
    re.IGNORECASE,
)
_LAST_REFERENCE = re.compile(
    r"[\s,(]*\b(?:closes?|closed|fix(?:es|ed)?|resolves?|refs?)[:\s]+(?:\S*#\d+|https?://\S+)[^.]*\.?\)?$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bcf\.)(?<!\bvs\.)[\"')\]]?\s+(?=[\"'(`\[]?[A-Z0-9`_])"
)
_MARK = re.compile(r"\[\d+\]|:[a-z_]+:(?=\s|$)")


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of prose, each on one line; a list of changes is no prose, an item of sentences is."""
    plain = _FENCE.sub("\n\n", _COMMENT.sub("", text.replace("\r\n", "\n")))
    for block in re.split(r"\n[ \t]*\n", plain):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines or all(_CODE_LINE.match(line) for line in lines):
            continue
        for part in _parts(lines):
            joined = " ".join(" ".join(part).split())
            if joined and not _REFERENCE.match(joined):
                yield joined


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Yield the items of a list, and what stands outside of one, without lines of code."""
    part: list[str] = []
    for line in lines:
        if _LIST_ITEM.match(line) or _HEADING.match(line):
            yield part
            part = [_HEADING.sub("", _LIST_ITEM.sub("", line))]
        elif _CODE_LINE.match(line) and not (part and line.startswith("  ") and not line.startswith("    ")):
            continue
        else:
            part.append(line)
    yield part


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph."""
    told = (_LAST_REFERENCE.sub("", _MARK.sub("", part)).strip() for part in _SENTENCE.split(paragraph))
    return [part for part in told if part and not _REFERENCE.match(part)]
