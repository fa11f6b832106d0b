"""Where a text may be cut, and the opening of a memory that is too long for its payload."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memtui.domain.memory import Memory

CLOSERS = r"(?:\*\*|__|[*_\"'”’)\]」』）])*"
ABBREVIATED = re.compile(
    r"(?:^|[\s(\"'*_\[])(?:e\.g|i\.e|cf|vs|approx|no|fig|dr|mr|mrs|ms|st|al|inc|resp|incl|excl"
    r"|p\.? ?ex|p\.? ?ej|z\. ?b|d\. ?h|u\. ?a|bzw|ca|nr|vgl"
    r"|ggf|evtl|usw|sog|ch|ed|eds|vol|pp|(?<!\d )(?:max|min|sec|[a-z])|\d{1,3}[a-z]?)\.[\"'”’)\]*_]*$",
    re.IGNORECASE,
)
_PAIRS = (("`", "`"), ("**", "**"), ("(", ")"), ("[", "]"), ("“", "”"), ("「", "」"), ("『", "』"), ("（", "）"))
COLON = re.compile(r"[:：][\"')\]*_]*$")

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(
    rf"\n(?=[ \t]*(?:[-*+•>|#]|\d{{1,3}}[.)][ \t]|`{{3}}|~{{3}}))"
    rf"|(?<=[.!?…]){CLOSERS}(?:[ \t]+|\n)(?=[^a-z\s])|(?<=[。！？])"
)


def is_closed(text: str) -> bool:
    """Return whether every code span, emphasis, quotation and bracket of a text is closed."""
    bare = re.sub(r"`[^`]*`", "", text)
    if "`" in bare or bare.count('"') % 2:
        return False
    return all(
        not bare.count(opening) % 2 if opening == closing else bare.count(opening) <= bare.count(closing)
        for opening, closing in _PAIRS
    )


def mark(memory: Memory) -> str:
    """Return the mark at the end of a shortened text."""
    return f"[shortened: memtui show {memory.id}]"


def shortened(memory: Memory, *, fits: Callable[[Memory], bool], longest: int) -> Memory | None:
    """Return as much of a memory as fits, or None if not even its first sentence does.

    The snippet goes first, then whole paragraphs from the end, then the rationale, then sentences or lines
    of the first paragraph.

    `fits`: whether a memory is small enough. `longest`: characters beyond which no text can fit; nothing after them is
    looked at.
    """
    known = memory.insight[:longest]
    whole = len(known) == len(memory.insight)
    paragraphs = _cuts(known, _PARAGRAPH, whole=whole)
    sentences = _cuts(known[: paragraphs[0]] if paragraphs else known, _SENTENCE, whole=whole or bool(paragraphs))
    for cuts, rationale in ((paragraphs, memory.rationale), (paragraphs, ""), (sentences, "")):
        if len(rationale) > longest:
            continue
        plain = replace(memory, snippet="", rationale=rationale)
        found = _longest_that_fits(plain, known, cuts, fits)
        if found:
            return found
    return None


def _cuts(text: str, boundary: re.Pattern[str], *, whole: bool) -> list[int]:
    """Return the ends of the pieces of a text; the last piece only if the text is whole."""
    ends = [match.start() for match in boundary.finditer(text) if _may_end(text[: match.start()])]
    return [*ends, len(text)] if whole and text.strip() else ends


def _may_end(text: str) -> bool:
    """Return whether a text says something where it is cut: it leaves no code open and announces nothing."""
    last = text.rstrip().rpartition("\n")[2]
    return bool(last) and not COLON.search(last) and not ABBREVIATED.search(last) and is_closed(last)


def _longest_that_fits(memory: Memory, text: str, cuts: list[int], fits: Callable[[Memory], bool]) -> Memory | None:
    """Return the memory with the longest of the cuts that fits, by bisection."""
    best = None
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        tried = replace(memory, insight=f"{text[: cuts[middle]].rstrip()}\n\n{mark(memory)}")
        if fits(tried):
            best, low = tried, middle + 1
        else:
            high = middle
    return best
