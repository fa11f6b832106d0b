"""Which blocks of a passage belong together: what leads to a list, goes on with it, or trails behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memtui.capture.blocks import Block, item_text
from memtui.capture.prose import (
    announces,
    first_label,
    goes_on_with,
    has_bold_label,
    holds_example,
    is_dependent,
    is_example_label,
    is_statement,
    is_step_label,
    lead_role,
    names_all,
    pseudo_heading,
    words_in,
)
from memtui.capture.units import LISTS, PIECE_CHARS, Page

_LISTED = LISTS | {"table"}
_TRAILING = frozenset({"fence", "code", "html", "heading"})
_STEP_FROM = re.compile(r"\s*(\d{1,9})[.)]")
_BULLET = re.compile(r"\s*[•▪‣◦●]")
_QUESTION_WORDS = 10


@dataclass(frozen=True, slots=True)
class Label:
    """A short bold line that serves as a heading of the blocks below it."""

    words: str
    below: Block  # what stands right below it
    announces: bool  # whether it leads to that alone

    def is_left(self, cluster: Sequence[Block], block: Block, rules: AbstractSet[int]) -> bool:
        """Return whether a block behind a cluster stands no longer below the label.

        Either there is one of the `rules`, given by their lines, between both; or the label led to the list that the
        cluster began with, and the block is a paragraph of its own.
        """
        if not rules.isdisjoint(range(cluster[-1].lines.last + 1, block.lines.first)):
            return True
        if cluster[0] is not self.below or self.below.kind not in LISTS:
            return False
        if block.kind != "paragraph" or is_dependent(block.content):
            return False
        return self.announces or has_bold_label(block.content)


def label_above(block: Block, following: Block) -> Label | None:
    """Return the label that a block is of the one that follows it; None if it is none."""
    words = pseudo_heading(block, following)
    return Label(words, following, announces(block.content)) if words else None


def attaches(page: Page, cluster: Sequence[Block], block: Block) -> bool:
    """Return whether a block belongs to those right above it."""
    last = cluster[-1]
    if page.are_apart(last.lines.last, block.lines.first):
        return False
    goes_on = block.kind in _TRAILING or last.kind == "heading" or is_step_run(cluster)
    if goes_on or (block.kind == "ordered" and _continues(page, cluster, block)):
        return True
    if last.kind == "paragraph" and (led := _led_by(page, last, block)) is not None:
        return led
    return block.kind == "paragraph" and goes_on_with(cluster, block)


def _led_by(page: Page, last: Block, block: Block) -> bool | None:
    """Return whether the paragraph above a block leads to it; None if only the block itself can tell."""
    asks = block.kind in LISTS and last.content.rstrip(" *_").endswith(("?", "？"))
    if (asks and words_in(last.content) <= _QUESTION_WORDS) or announces(last.content):
        return True
    if is_example_label(last.content) and not holds_example(last.content):
        return True
    if block.kind == "table":
        return len(last.content) <= PIECE_CHARS
    return lead_role(last) is not None or _owns(page, last, block) if block.kind in LISTS else None


def _owns(page: Page, last: Block, listed: Block) -> bool:
    """Return whether a paragraph needs the list right below it, though no colon leads to that."""
    is_bullet = _BULLET.match(last.content) and page.lines[listed.lines.first][:1].isspace()
    adjoins = listed.lines.first == last.lines.last + 1
    is_open = bool(first_label(last.content)[1:]) and last.content.rstrip(" *_")[-1:].isalnum()
    if listed.kind == "ordered" and names_all(last.content, [item_text(page.lines, item) for item in listed.items]):
        return True
    return adjoins and (bool(is_bullet) or is_open or is_dependent(last.content) or not is_statement(last.content))


def is_step_run(cluster: Sequence[Block]) -> bool:
    """Return whether blocks begin with the label of a step."""
    return any(block.kind == "paragraph" and is_step_label(block.content) for block in cluster[:2])


def _continues(page: Page, cluster: Sequence[Block], block: Block) -> bool:
    """Return whether an ordered list goes on with one that code or a table interrupts."""
    before = [one for one in cluster if one.kind == "ordered"]
    found = _STEP_FROM.match(page.lines[block.lines.first])
    if not before or found is None:
        return False
    return int(found[1]) > 1 or len(before[-1].items) == 1


def listed_at(cluster: Sequence[Block]) -> int | None:
    """Return where the list or table of a cluster stands that may be split: first, or below its lead."""
    if is_step_run(cluster) or sum(block.kind in LISTS for block in cluster) > 1:
        return None
    if cluster[0].kind in _LISTED:
        return 0
    if len(cluster) == 1 or cluster[1].kind not in _LISTED or cluster[0].kind != "paragraph":
        return None
    return 1 if cluster[1].kind == "table" or lead_role(cluster[0]) else None
