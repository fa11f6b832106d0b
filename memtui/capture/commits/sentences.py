"""The prose of a commit's message: paragraphs without labels, logs, quotes and code, as sentences."""

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
_MARK = re.compile(
    r"(?P<said>\b(?:on|in|by|from|see|to|of|per|at|with)\s\[\d+\])|\s\[\d+\](?=[\s.,;:)]|$)|:[a-z_]+:(?=\s|$)"
)
_LABEL = re.compile(
    r"^\W*(?:motivation|background|context|problem|root cause|cause|reason|rationale|why|what|how|description|summary"
    r"|details?|notes?|nb|modifications?|changes?|solution|impact"
    r"|technical overview|(?P<outcome>results?|before/after|testing|test plan))\W*:\W*",
    re.IGNORECASE,
)
_LEFT_OUT = "\n\n    …\n\n"  # A line of code, in place of a block of it
_CLOSED = (".", "!", "?", ")", ":")


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of prose, each on one line; a list of changes is no prose, an item of sentences is.

    The labels of sections are left out, and with theirs the sections that tell only what came of it. What is broken
    off before code ends with a colon.
    """
    plain = _FENCE.sub(_LEFT_OUT, _COMMENT.sub("", text.replace("\r\n", "\n")))
    last, is_outcome = "", False
    for block in re.split(r"\n[ \t]*\n", plain):
        for part in _parts([line for line in block.split("\n") if line.strip()]):
            if part is None:
                yield from _prose(last if not last or last.endswith(_CLOSED) else f"{last}:", is_outcome=is_outcome)
                last = ""
                continue
            yield from _prose(last, is_outcome=is_outcome)
            last = " ".join(" ".join(part).split())
            label = _LABEL.match(last)
            if label is not None:
                is_outcome, last = label["outcome"] is not None, last[label.end() :]
    yield from _prose(last, is_outcome=is_outcome)


def _prose(paragraph: str, *, is_outcome: bool) -> Iterator[str]:
    if paragraph and not is_outcome and not _REFERENCE.match(paragraph):
        yield paragraph


def _parts(lines: list[str]) -> Iterator[list[str] | None]:
    """Yield the items of a list, and what stands outside of one; None in place of lines of code."""
    part: list[str] = []
    inset = 0  # Width of the mark of the item
    for line in lines:
        item, heading = _LIST_ITEM.match(line), _HEADING.match(line)
        is_code = not item and _CODE_LINE.match(line[inset:] if line[:inset].isspace() else line) is not None
        if part and (item or heading or is_code or _LABEL.match(line)):
            yield part
            part, inset = [], 0
        if is_code:
            yield None
            continue
        if item:
            inset = item.end()
        part.append(_HEADING.sub("", _LIST_ITEM.sub("", line)))
    if part:
        yield part


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph."""
    told = (_LAST_REFERENCE.sub("", _MARK.sub(_as_said, part)).strip() for part in _SENTENCE.split(paragraph))
    return [part for part in told if part and not _REFERENCE.match(part)]


def _as_said(mark: re.Match[str]) -> str:
    """Keep the mark of a footnote that stands for a word."""
    return mark["said"] or ""
