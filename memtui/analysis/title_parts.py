"""The parts of a text that has several: steps below headings, or lists below labels of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memtui.analysis.title_blocks import Block
from memtui.analysis.title_lists import heads_in, is_label
from memtui.analysis.title_words import is_dropped, is_field, matches, undecorated
from memtui.text.inline import HeldCode, unmarked

_FEWEST_HEADINGS = 3
_ENDING = " :：*"
_NAMED_SHARE = 0.5


def parts_in(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return the names of the parts of a text, their code held; empty for a text of one part."""
    return _steps(found, held) or _groups(found, held)


def _steps(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return the headings in a text: two like `### Step 1: Drain`, or three of any."""
    heads = [block.text for block in found if block.kind == "heading"]
    are_numbered = all(undecorated(head)[0] != head for head in heads)
    is_made_of_parts = found and found[0].kind == "heading" and len(heads) >= _FEWEST_HEADINGS
    if len(heads) <= 1 or not (is_made_of_parts or (are_numbered and found[0].kind != "item")):
        return []
    return [_plain(undecorated(head)[0], held) for head in heads]


def _groups(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return the labels of a text of labelled lists, or what comes first below each where every project has such parts.

    `Backend:` and `Database:` above lists give what these begin with, `Cranes:` and `Winches:` the labels.
    """
    groups = list(_labelled_lists(found, held))
    labels = [label for label, _ in groups]
    if len(groups) <= 1 or any(is_dropped(label) or is_field(label) for label in labels):
        return []
    firsts = [next(iter(heads_in(items, held)), "") for _, items in groups]
    named = sum(matches("labels", "facet", label) for label in labels)
    return firsts if all(firsts) and named > _NAMED_SHARE * len(labels) - 1 and named > 1 else labels


def _labelled_lists(found: Sequence[Block], held: HeldCode) -> Iterator[tuple[str, Sequence[Block]]]:
    """Yield each label of a text with the list below it; nothing if the text holds anything else."""
    starts = [at for at, block in enumerate(found) if block.kind == "paragraph"]
    if not starts or starts[0] or any(block.kind not in {"paragraph", "item"} for block in found):
        return
    lists = [(found[at], found[at + 1 : end]) for at, end in pairwise([*starts, len(found)])]
    if all(items and is_label(_plain(label.text, held)) for label, items in lists):
        yield from ((undecorated(_plain(label.text, held))[0].rstrip(_ENDING), items) for label, items in lists)


def _plain(markdown: str, held: HeldCode) -> str:
    return unmarked(held.take_out(markdown)).strip()
