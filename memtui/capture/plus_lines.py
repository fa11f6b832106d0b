"""Lines that begin with `+` and go on with the sentence above, which Markdown reads to the letter as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

LEAST_WRAPPED = 40  # Characters of the line above, from which on it may be one that was wrapped
_ENDED = (".", ":", ";", "!", "?", "。", "：", "！", "？")


def continued_sums(tokens: Sequence[Token], lines: Sequence[str]) -> list[int]:
    """Return the numbers of lines that a wrapped sentence goes on in with `+`: `+ its volume` below `the old host`.

    Such a line begins a list of one item straight below a long line that ended no sentence, in a text that has no
    other list with this mark.
    """
    lists = [at for at, token in enumerate(tokens) if token.type == "bullet_list_open" and token.markup == "+"]
    found = [number for at in lists if (number := _continues(tokens, at, lines)) is not None]
    return found if len(found) == len(lists) else []


def _continues(tokens: Sequence[Token], at: int, lines: Sequence[str]) -> int | None:
    """Return the line of a list that goes on with the paragraph above it, None where it is a list."""
    place = tokens[at].map
    before, after = tokens[max(0, at - len(_PARAGRAPH)) : at], tokens[at + 1 : at + 1 + len(_ITEM)]
    types = [token.type for token in (*before, *after)]
    if place is None or tokens[at].level or types != _PARAGRAPH + _ITEM:
        return None
    above = before[0].map
    if above is None or above[1] != place[0]:
        return None
    last = lines[place[0] - 1].strip()
    return place[0] if len(last) >= LEAST_WRAPPED and not last.rstrip("*_`)\"'").endswith(_ENDED) else None


_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
_ITEM = ["list_item_open", *_PARAGRAPH, "list_item_close", "bullet_list_close"]
