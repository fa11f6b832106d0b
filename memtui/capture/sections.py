"""A document as passages: a heading with the blocks below it, and headings that are one thing told in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memtui.capture.blocks import Block, Span, item_text
from memtui.capture.prose import announces, is_counted, is_example_label, is_statement, step_number
from memtui.capture.units import CODE, PIECE_CHARS, Page
from memtui.text.inline import plain_text

STEPS_CHARS = 3_000  # Steps, and words with code or a table, stay together up to this size

_FEWEST_STEPS = 2


@dataclass(slots=True)
class Passage:
    """A heading and the blocks up to the next heading of any level."""

    path: tuple[str, ...]  # the headings above the blocks, outermost first, as plain text
    level: int = 0
    heading: Block | None = None
    blocks: list[Block] = field(default_factory=list)
    has_children: bool = False
    # the passages that it joins, if several headings tell one thing; `blocks` are empty then
    members: list[Passage] = field(default_factory=list)
    most_chars: int = 0  # size up to which the members are one memory

    @property
    def all_blocks(self) -> list[Block]:
        """The blocks of the passage; of joined ones those of each member below its heading."""
        if not self.members:
            return self.blocks
        first = self.members[0]
        own = first.blocks if first.path == self.path else first.all_headed
        return [*own, *(block for member in self.members[1:] for block in member.all_headed)]

    @property
    def all_headed(self) -> list[Block]:
        """The heading and the blocks below it."""
        return [*([] if self.heading is None else [self.heading]), *self.all_blocks]

    @property
    def name(self) -> str:
        """The heading as plain text, empty above the first one."""
        return "" if self.heading is None else plain_text(self.heading.content)


def passages(blocks: Sequence[Block], page: Page) -> list[Passage]:
    """Return the passages of a document in order, those that belong together joined."""
    return list(_joined(_closed(_flat(blocks)), page))


def _flat(blocks: Sequence[Block]) -> list[Passage]:
    found = [Passage(())]
    stack: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind != "heading":
            found[-1].blocks.append(block)
            continue
        found[-1].has_children = found[-1].heading is not None and block.level > found[-1].level
        while stack and stack[-1][0] >= block.level:
            stack.pop()
        if name := plain_text(block.content):
            stack.append((block.level, name))
        found.append(Passage(tuple(name for _, name in stack), block.level, block))
    return found


def _closed(flat: Sequence[Passage]) -> list[Passage]:
    """Take what follows a thematic break out of the last section before it: the rest speaks for what lies around."""
    closed: list[Passage] = []
    top = [passage.path for passage in flat if passage.level == 1]
    for at, passage in enumerate(flat):
        closed.append(passage)
        following = flat[at + 1].level if at + 1 < len(flat) else 0
        start = _behind_break(passage)
        if not start or passage.level <= 1 or following > passage.level:
            continue
        if step_number(passage.name, _parent(passage)) is not None and following == passage.level:
            continue
        if following > 1:
            around = next(one.path[:-1] for one in flat[at + 1 : at + 2])
        else:
            around = passage.path[:1] if top == [passage.path[:1]] else ()
        passage.blocks, rest = passage.blocks[:start], passage.blocks[start:]
        closed.append(Passage(around, max(following, len(around) + 1), blocks=rest))
    return closed


def _behind_break(passage: Passage) -> int:
    """Return where the blocks begin that one break parts from those of a section; 0 if no or several breaks do."""
    blocks = passage.blocks
    told = [at for at, block in enumerate(blocks) if block.kind not in {"rule", "comment"}]
    breaks = [at for at, block in enumerate(blocks) if block.kind == "rule" and told and told[0] < at < told[-1]]
    return breaks[0] if len(breaks) == 1 else 0


def _joined(flat: Sequence[Passage], page: Page) -> Iterator[Passage]:
    at = 0
    while at < len(flat):
        for end, most in _families(flat, at, page):
            if end > at + 1 and (most == STEPS_CHARS or _size(flat[at:end], page.starts) <= most):
                yield from _family(flat, at, end, most)
                at = end
                break
        else:
            yield flat[at]
            at += 1


def _family(flat: Sequence[Passage], at: int, end: int, most: int) -> Iterator[Passage]:
    members = list(flat[at:end])
    first = members[0]
    if most == STEPS_CHARS and step_number(first.name, _parent(first)) is None and not _leads(first):
        yield first  # what stands above the steps is no part of them
        members = members[1:]
    path = (
        first.path if members[0] is first and step_number(first.name, _parent(first)) is None else members[0].path[:-1]
    )
    yield Passage(path, members[0].level, members=members, most_chars=most)


def _families(flat: Sequence[Passage], at: int, page: Page) -> Iterator[tuple[int, int]]:
    """Yield where the passages end that belong with one, and how long they may be together."""
    first = flat[at]
    yield _steps_end(flat, at), STEPS_CHARS
    if first.heading is not None and first.blocks:
        end = _examples_end(flat, at)
        yield end, _most_of_examples(flat[at:end])
    if first.has_children and is_example_label(first.name):
        end = _end(flat, at)
        yield end, _most_of_examples(flat[at:end])
    if first.heading is not None and first.has_children and (is_counted(first.name) or _leads(first)):
        yield _end(flat, at), PIECE_CHARS
    yield _fragments_end(flat, at, page), PIECE_CHARS


def _most_of_examples(members: Sequence[Passage]) -> int:
    """Return how long a rule and its examples may be together: with code longer than mere prose."""
    has_code = any(block.kind in CODE or block.kind == "table" for member in members for block in member.blocks)
    return STEPS_CHARS - 1 if has_code else PIECE_CHARS


def _end(flat: Sequence[Passage], at: int) -> int:
    """Return where a passage with all headings below it ends."""
    return next((number for number in range(at + 1, len(flat)) if flat[number].level <= flat[at].level), len(flat))


def _steps_end(flat: Sequence[Passage], at: int) -> int:
    """Return where the steps end that begin at a passage or right below it; `at` if there are none."""
    start = at if step_number(flat[at].name, _parent(flat[at])) is not None else at + 1
    number = start
    steps = 0
    while number < len(flat) and flat[number].level == flat[start].level and number >= start:
        if flat[number].heading is None or step_number(flat[number].name, _parent(flat[number])) is None:
            break
        steps += 1
        number = _end(flat, number)
    nested = start == at or (start < len(flat) and flat[start].level > flat[at].level)
    return number if steps >= _FEWEST_STEPS and nested else at


def _examples_end(flat: Sequence[Passage], at: int) -> int:
    """Return where headings like "Good" and "Bad" end that follow a passage."""
    number = at + 1
    while number < len(flat) and flat[number].level >= flat[at].level and is_example_label(flat[number].name):
        if flat[number].has_children or not flat[number].blocks or flat[number].level != flat[at + 1].level:
            break
        number += 1
    deep = number > at + 1 and flat[at + 1].level > 2  # noqa: PLR2004 - "## Examples" is a chapter
    return number if deep or number > at + 2 else at


def _fragments_end(flat: Sequence[Passage], at: int, page: Page) -> int:
    """Return where the headings below one end, if none of them has more than a fragment below it."""
    if flat[at].heading is None or not flat[at].has_children:
        return at
    end = _end(flat, at)
    below = flat[at + 1 : end]
    if any(member.has_children or not _is_fragment(member, page) for member in below) or len(below) < _FEWEST_STEPS:
        return at
    return end


def _is_fragment(passage: Passage, page: Page) -> bool:
    """Return whether below a heading stands nothing but a fragment or a few names."""
    if len(passage.blocks) != 1:
        return False
    block = passage.blocks[0]
    if block.kind == "bullets":
        return not any(is_statement(item_text(page.lines, item)) for item in block.items)
    return block.kind == "paragraph" and not is_statement(block.content)


def _leads(passage: Passage) -> bool:
    last = passage.blocks[-1] if passage.blocks else None
    return last is not None and last.kind == "paragraph" and announces(last.content)


def _parent(passage: Passage) -> str:
    return passage.path[-2] if len(passage.path) > 1 else ""


def _size(members: Sequence[Passage], starts: Sequence[int]) -> int:
    spans: list[Span] = [block.lines for member in members for block in member.all_headed]
    return starts[spans[-1].last + 1] - starts[spans[0].first] if spans else 0
