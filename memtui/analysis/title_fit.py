"""Make a title fit: ended at a clause if it can be, cut at a word if not, with its brackets closed."""

from __future__ import annotations

import re

from memtui.analysis.shorten import cut_off, is_balanced, shortened
from memtui.text.inline import HeldCode
from memtui.text.words import cell_width

MAX_TITLE_CELLS = 100  # Terminal cells, one for a Latin letter, two for a CJK one

_MANY_NAMES = re.compile("^([\ue000-\uf8ff]), (?:[\ue000-\uf8ff], )+and [\ue000-\uf8ff](?= )")
_LONG_NAME = 20
_ARGUMENTS = re.compile(r"\([^()]+\)$")
_PATH = re.compile(r"[^\s/]*(?:/[^\s/]+){2,}/?")
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+){2,}(?:\(\))?")


def fitted(words: str, held: HeldCode) -> str:
    """Return words that fit, ended at a clause, else with their long names shortened, else cut at a word."""

    def width(text: str) -> int:
        return cell_width(held.put_back(text))

    if width(words) > MAX_TITLE_CELLS:
        words = _MANY_NAMES.sub(r"\1 and others", words)
    short = shortened(words, MAX_TITLE_CELLS, width, firm=True)
    if short is None:
        held.spans[:] = map(_short_name, held.spans)
        short = shortened(words, MAX_TITLE_CELLS, width, firm=True) or shortened(words, MAX_TITLE_CELLS, width)
    return cut_off(held.put_back(words), MAX_TITLE_CELLS) if short is None else short


def _short_name(code: str) -> str:
    """Return the end of a long path or dotted name, and a call without its arguments."""
    if len(code) <= _LONG_NAME:
        return code
    code = _ARGUMENTS.sub("()", code)
    if _PATH.fullmatch(code):
        return "/".join(code.rstrip("/").split("/")[-2:])
    return ".".join(code.split(".")[-2:]) if _DOTTED.fullmatch(code) else code


def closed(words: str) -> str:
    """Return words without the brackets and quotes that have no partner."""
    if is_balanced(words):
        return words
    for opening, closing in zip('([{（「『“«【"`', ')]}）」』”»】"`', strict=True):
        odd = words.count(opening) % 2 if opening == closing else words.count(opening) != words.count(closing)
        if odd:
            words = words.replace(opening, "").replace(closing, "")
    return words
