"""What texts made of fields say, for a title: rows like `Command: lift — Does: …` and lines like `**Purpose**: …`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memtui.analysis.title_blocks import LABEL_LINE, Block
from memtui.analysis.title_headings import LIST_CELLS
from memtui.analysis.title_words import matches, sentences
from memtui.text.inline import HeldCode, unmarked

_NEXT_CELL = re.compile(r" — (?=[^:—]{1,40}: )")
_NAMED_CELL = re.compile(r"[^:]{1,40}: +(\S.*)")
_LETTER = re.compile(r"[^\W\d_]|[\ue000-\uf8ff]")
_ENDING = " .:;,：。；，、…-–—"


def row_told(found: Sequence[Block], held: HeldCode, width: Callable[[str], int]) -> str:
    """Return the first cell with what the row says of it, of a text like `Command: lift — Does: raises a boat`."""
    if len(found) != 1 or " — " not in found[0].text:
        return ""
    parts = _NEXT_CELL.split(unmarked(held.take_out(found[0].text)).strip())
    cells = [cell[1] for part in parts if (cell := _NAMED_CELL.fullmatch(part))]
    if len(cells) <= 1 or len(cells) < len(parts):
        return ""
    cells[1:] = [cell for cell in cells[1:] if _LETTER.search(cell)] or cells[1:]
    cells = [next(sentences(cell), cell).rstrip(_ENDING) for cell in cells]
    told = "; ".join(cells[1:])
    if width(f"{cells[0]}: {told}") > LIST_CELLS:
        told = max(cells[1:], key=len)
    return f"{cells[0].rstrip(_ENDING)}: {told}"


def described(found: Sequence[Block], held: HeldCode) -> str:
    """Return what a text of lines like `**Purpose**: …` says first of its subject; else nothing."""
    if not found or not LABEL_LINE.match(found[0].text) or (len(found) == 1 and found[0].text.isascii()):
        return ""
    if found[0].kind != "paragraph":
        return ""  # items that each have a name of their own, such as the entries of a menu
    lines = ((label, block.text) for block in found if (label := LABEL_LINE.match(block.text)))
    told = (text[label.end() :] for label, text in lines if matches("labels", "describing", label[1].strip()))
    plain = (unmarked(held.take_out(value)).strip() for value in told)
    return next((next(sentences(value)).rstrip(_ENDING) for value in plain if _LETTER.search(value)), "")


def names_of(heading: str) -> tuple[str, ...]:
    """Return a heading, without what stands in brackets behind it, and the end of it if it is a path."""
    bare = heading.partition(" (")[0]
    return tuple(dict.fromkeys((heading, bare, _near_end(bare))))


def _near_end(path: str) -> str:
    """Return the end of a path that is a heading, for titles that have no room for all of it."""
    folders, _, name = path.rpartition("/")
    return f"…/{name}" if folders and name and " " not in path else path
