"""The blocks of a passage as units that are never split, and the units as parts: one part, one memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memtui.analysis.title_words import is_field
from memtui.capture.blocks import Block, Span, item_text
from memtui.capture.clusters import Label, attaches, is_step_run, label_above, listed_at
from memtui.capture.no_memory import is_data, no_memory_reason, no_text_reason
from memtui.capture.prose import (
    LeadRole,
    announces,
    are_firm,
    first_label,
    has_bold_label,
    has_label,
    is_dependent,
    is_example_label,
    is_glossary,
    is_negative,
    is_problem,
    is_record,
    is_statement,
    is_stored_list,
    lead_role,
    leads_nowhere,
    leads_to_files,
    only_announces,
    only_leads,
    sentences_of,
    splits_into_items,
    splits_into_rows,
    words_in,
)
from memtui.capture.sections import STEPS_CHARS, Passage
from memtui.capture.skip_codes import SkipReason
from memtui.capture.tag_headings import CODE_CHARS
from memtui.capture.units import (
    CODE,
    FENCE_MARK,
    LISTS,
    PIECE_CHARS,
    Page,
    Part,
    Unit,
    cells_of,
    item_units,
    line_unit,
    row_parts,
    row_text,
    text_without,
    units_of,
)
from memtui.text.inline import plain_text

_NO_ITEM = frozenset({SkipReason.IMPORT, SkipReason.EMPTY})
_LONG = CODE | {"table", "html"}
_PURPOSE = re.compile(r"(?:To [a-z]+|Um .* zu [a-z]+|Pour [a-z]+|Para [a-z]+)\b")
_GOES_ON = re.compile(r"(?:\w+\s+){1,2}also\s")
_ANNOUNCED = re.compile(r"[:：][*_]{0,2}[ \t]*\n[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]")
_ANNOUNCED_CHARS = 2_000  # An item and the list in it that it announces stay together up to this size
_BESIDE_LEAD_WORDS = 5
_FRAGMENT_WORDS = 8
_MOST_CARRIED = 3


@dataclass(slots=True)
class Parts:
    """A passage with its units, its parts, and what becomes none."""

    page: Page
    passage: Passage
    each_item: bool
    units: list[Unit] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    gaps: list[tuple[Span, str]] = field(default_factory=list)  # lines that become no memory, with the reason
    dropped: list[Span] = field(default_factory=list)  # of them those that are left out of a text around them

    def part(self) -> None:
        """Split the passage."""
        passage = self.passage
        if not passage.members:
            self.parts = self._parted(passage.blocks, passage.path)
            return
        kept = self._kept(passage.all_blocks, passage.path)
        if any(block.kind != "heading" for block in kept) and self._size(kept) <= passage.most_chars:
            self._add_units(kept)
            self.parts = [Part(0, len(self.units) - 1, passage.path, alone=True)]
            return
        self.gaps.clear()
        self.dropped.clear()
        for member in passage.members:
            self._member(member)

    def _member(self, member: Passage) -> None:
        """Split one of several joined passages that are too long together."""
        start = len(self.parts)
        kept = self._kept(member.blocks, member.path)
        if kept and self._size(kept) <= STEPS_CHARS:
            first = len(self.units)
            self._add_units(kept)
            self.parts.append(Part(first, len(self.units) - 1, member.path, alone=True))
        else:
            self.gaps = [gap for gap in self.gaps if gap[0] not in {block.lines for block in member.blocks}]
            self.parts.extend(self._parted(member.blocks, member.path))
        if member.heading is not None:
            kept_as_context = len(self.parts) > start or member.has_children
            self.gaps.append((member.heading.lines, SkipReason.CONTEXT if kept_as_context else SkipReason.NO_TEXT))

    def text_of(self, part: Part) -> str:
        """Return the text of a part, without the lines in it that are no memory."""
        if part.text is not None:
            return part.text
        first, last = self.units[part.first], self.units[part.last]
        if first is last and first.text:
            return first.text
        inside = [span for span in self.dropped if first.lines.first <= span.first and span.last <= last.lines.last]
        if not inside:
            return self.page.text[first.start : last.end].strip("\n")
        return text_without(self.page.lines, Span(first.lines.first, last.lines.last), inside)

    # -- blocks --------------------------------------------------------------------------------

    def _parted(self, blocks: Sequence[Block], path: tuple[str, ...]) -> list[Part]:
        kept = self._kept(blocks, path)
        rules = {block.lines.first for block in blocks if block.kind == "rule"}
        parts: list[Part] = []
        cluster: list[Block] = []
        label: Label | None = None  # that the cluster stands below
        for block, following in zip(kept, [*kept[1:], None], strict=False):
            if cluster and attaches(self.page, cluster, block):
                cluster.append(block)
                continue
            parts.extend(self._cluster(cluster, (*path, label.words) if label else path))
            if label and cluster and label.is_left(cluster, block, rules):
                label = None
            cluster = [block]
            if following is None or self.page.are_apart(block.lines.last, following.lines.first):
                continue
            if next_label := label_above(block, following):
                self._leave(block, SkipReason.CONTEXT)
                label, cluster = next_label, []
            elif following.kind in LISTS and lead_role(block) in {"label", "condition"}:
                label = None
        parts.extend(self._cluster(cluster, (*path, label.words) if label else path))
        return self._without_fragments(self._packed(parts))

    def _kept(self, blocks: Sequence[Block], path: tuple[str, ...]) -> list[Block]:
        """Return the blocks that may become memories; note the others."""
        kept: list[Block] = []
        above = ""
        for block in blocks:
            reason = no_memory_reason(block, self.page.lines, path, each_item=self._is_each(path), above=above)
            above = block.content if block.kind == "paragraph" else ""
            if not reason:
                kept.append(self._without_data(block) if block.kind in LISTS else block)
                continue
            self.gaps.append((block.lines, reason))
            self.dropped.append(block.lines)
            lead = kept[-1] if kept and reason in {SkipReason.LINKS, SkipReason.POINTER, SkipReason.IMPORT} else None
            if lead is not None and leads_to_files(lead):
                kept.pop()
                self.gaps.append((lead.lines, reason))
                self.dropped.append(lead.lines)
        if len(kept) == 1 and kept[0].kind == "paragraph":
            return self._dangling(kept)
        return kept

    def _without_data(self, block: Block) -> Block:
        """Leave the items out of a list that are data rather than text."""
        data = [item for item in block.items if is_data(self.page.of(item))]
        self.gaps.extend((item, SkipReason.DATA) for item in data)
        self.dropped.extend(data)
        return replace(block, items=tuple(item for item in block.items if item not in data)) if data else block

    def _dangling(self, kept: list[Block]) -> list[Block]:
        """Leave out a lone paragraph that only leads to what is no memory or stands below other headings."""
        text = kept[0].content
        above = self.passage.has_children and len(first_label(text)) > 1 and not is_statement(text)
        if not above and not only_leads(text) and not leads_nowhere(text):
            return kept
        self.gaps.append((kept[0].lines, SkipReason.LEAD))
        return []

    def _leave(self, block: Block, reason: str) -> None:
        """Note a block that leads to what follows and is in no memory itself."""
        self._add_units([block])
        self.gaps.append((block.lines, reason))

    # -- clusters ------------------------------------------------------------------------------

    def _cluster(self, cluster: Sequence[Block], path: tuple[str, ...]) -> list[Part]:
        """Return the parts of blocks that belong together."""
        if not cluster:
            return []
        at = listed_at(cluster)
        lead = cluster[0] if at else None
        if at is None or (lead is not None and is_example_label(lead.content) and not self._splits(cluster[at], path)):
            return self._whole(cluster, path)
        listed, rest = cluster[at], cluster[at + 1 :]
        if rest and self._size(cluster) <= self._most(cluster):
            return self._whole(cluster, path)
        role = lead_role(lead) if lead is not None else None
        parts = self._table(lead, listed, path) if listed.kind == "table" else self._list(lead, role, listed, path)
        if rest:
            first = len(self.units)
            self._add_units(rest)
            parts.extend(self._chunks(first, len(self.units) - 1, path, self._most(rest)))
        return parts

    def _whole(self, cluster: Sequence[Block], path: tuple[str, ...]) -> list[Part]:
        first = len(self.units)
        self._add_units(cluster)
        most = STEPS_CHARS if is_step_run(cluster) else self._most(cluster)
        if len(cluster) == 1 and cluster[0].kind in CODE:
            most = CODE_CHARS
        parts = self._chunks(first, len(self.units) - 1, path, most)
        label = path[-1] if path and (is_negative(path[-1]) or is_example_label(path[-1])) else ""
        for part in parts:
            part.alone = len(parts) > 1
            if label and all(unit.kind in CODE for unit in self.units[part.first : part.last + 1]):
                self._label(part, label)
        return parts

    def _label(self, part: Part, label: str) -> None:
        """Put a heading before a text that would say the opposite, or nothing, without it."""
        part.alone, part.text = True, f"**{label}**\n\n{self.text_of(part)}"

    def _most(self, cluster: Sequence[Block]) -> int:
        """Return how long blocks may be together: steps and words with code more than prose."""
        return STEPS_CHARS if any(block.kind in _LONG or block.kind == "ordered" for block in cluster) else PIECE_CHARS

    def _chunks(self, first: int, last: int, path: tuple[str, ...], most: int) -> list[Part]:
        """Return units as one part if they are not too long together, else as several of prose with its code."""
        start, end = self.units[first].start, self.units[last].end
        parts = [Part(first, last if end - start <= most else first, path)]
        for at in range(parts[0].last + 1, last + 1):
            unit = self.units[at]
            takes = most if unit.kind in _LONG or FENCE_MARK.search(unit.text) else PIECE_CHARS
            if unit.end - self.units[parts[-1].first].start <= takes:
                parts[-1].last = at
            else:
                start = self._opening(parts[-1].first + 1, at, takes)
                parts[-1].last = start - 1
                parts.append(Part(start, at, path))
        return parts

    def _opening(self, first: int, at: int, most: int) -> int:
        """Return the last unit up to one that refers to nothing above it, so that a part can begin there."""
        for start in range(at, max(first, at - _MOST_CARRIED) - 1, -1):
            unit, before = self.units[start], self.units[start - 1]
            if self.units[at].end - unit.start > most:
                break
            text = self.page.text[unit.start : unit.end]
            if announces(self.page.text[before.start : before.end]) or _GOES_ON.match(text):
                continue
            if not is_dependent(text) and unit.kind not in CODE:
                return start
        return at

    def _list(self, lead: Block | None, role: LeadRole | None, listed: Block, path: tuple[str, ...]) -> list[Part]:
        label = plain_text(lead.content).rstrip(" :：*_") if lead is not None else ""
        labelled = (*path, label) if label and role != "neutral" else path
        if self._splits(listed, labelled) and self._stand_alone(lead, listed, role):
            if lead is not None:
                self._leave(lead, SkipReason.CONTEXT if role == "label" else SkipReason.LEAD)
            return self._items(listed, labelled)
        if lead is None:
            return self._grouped(listed, path, path[-1] if path and is_negative(path[-1]) else "")
        first, *rest = self._whole([lead, listed], path)
        if rest and all(unit.kind == "paragraph" for unit in self.units[first.first : first.last + 1]):
            self._cut_announcement(first)
        return [first, *(replace(part, path=labelled) for part in rest)]

    def _cut_announcement(self, part: Part) -> None:
        """Leave the last sentence out of a text if it only announces what became other parts."""
        *before, last = sentences_of(self.text_of(part))
        said = " ".join(before)
        if announces(last) and is_statement(said):
            part.alone, part.text = True, said

    def _stand_alone(self, lead: Block | None, listed: Block, role: LeadRole | None) -> bool:
        """Return whether items need no words above them, or each below "The invariants are:" states a whole rule."""
        if role not in {"needed", "condition"}:
            return True
        if lead is None or role == "condition" or is_negative(lead.content) or not only_announces(lead.content):
            return False
        return are_firm([item_text(self.page.lines, item) for item in listed.items])

    def _splits(self, block: Block, path: tuple[str, ...]) -> bool:
        if self._is_each(path):
            return True
        return block.kind in LISTS and splits_into_items(
            block, [item_text(self.page.lines, item) for item in block.items], path
        )

    def _is_each(self, path: tuple[str, ...]) -> bool:
        """Return whether every item of a list here is a memory of its own, fragment or not."""
        return self.each_item or is_stored_list(path[-1] if path else "")

    def _items(self, block: Block, path: tuple[str, ...]) -> list[Part]:
        """Return items as parts of their own, fragments with their neighbours."""
        each = self._is_each(path)
        parts: list[Part] = []
        hangs = leads = False
        for item in block.items:
            text = item_text(self.page.lines, item)
            if self._drops(item, text, each=each):
                continue
            states = each or (is_statement(text) and not (is_dependent(text) or (leads and text.startswith("`"))))
            leads = announces(text) if states else leads
            new = self._item(block, item, text, path)
            if parts and (hangs or not states) and len(new) == 1 and self._fits(parts[-1], new[0]):
                parts[-1].last = new[0].last
            else:
                hangs = not parts
                parts.extend(new)
            hangs = hangs and not states
        return parts

    def _drops(self, item: Span, text: str, *, each: bool) -> bool:
        """Leave an item out that is nothing to remember, and return whether it was; one of its own only if empty."""
        reason = no_text_reason(text)
        if reason in _NO_ITEM or (reason and not each):
            self.gaps.append((item, reason))
            self.dropped.append(item)
            return True
        return False

    def _item(self, block: Block, item: Span, text: str, path: tuple[str, ...]) -> list[Part]:
        """Return an item as one part; a very long one as several, the later ones below its label."""
        first = len(self.units)
        self.units.extend(item_units(block, item, self.page))
        most = _ANNOUNCED_CHARS if _ANNOUNCED.search(text) else PIECE_CHARS
        most = STEPS_CHARS if FENCE_MARK.search(text) else most
        parts = self._chunks(first, len(self.units) - 1, path, most)
        label = plain_text(first_label(text)).rstrip(" :：.—–-")
        for number, part in enumerate(parts):
            part.alone = True
            part.path = (*path, label) if number and len(label) > 1 else path
        return parts

    def _fits(self, before: Part, after: Part) -> bool:
        return self.units[after.last].end - self.units[before.first].start <= PIECE_CHARS

    def _grouped(self, block: Block, path: tuple[str, ...], label: str) -> list[Part]:
        """Return a list as one part, or if it is too long as parts that end between its items."""
        first = len(self.units)
        self._add_units([block])
        most = STEPS_CHARS if FENCE_MARK.search(self.page.of(block.lines)) else self._most([block])
        parts = self._chunks(first, len(self.units) - 1, path, most)
        for part in parts:
            part.alone = len(parts) > 1
            if label:
                self._label(part, label)
        return parts

    def _table(self, lead: Block | None, table: Block, path: tuple[str, ...]) -> list[Part]:
        heads = cells_of(self.page.lines[table.lines.first])
        rows = [cells_of(self.page.lines[row.first]) for row in table.items]
        if not splits_into_rows(heads, rows):
            return self._reference_table(lead, table, path)
        parts: list[Part] = []
        if lead is not None:
            label = plain_text(lead.content).rstrip(" :：*_")
            if announces(lead.content) or not is_statement(lead.content):
                self._leave(lead, SkipReason.LEAD)
                path = (*path, label) if words_in(label) <= _BESIDE_LEAD_WORDS else path
            else:
                parts.extend(self._whole([lead], path))
        columns = Span(table.lines.first, table.lines.first + 1)
        self.units.append(line_unit(columns, "table", self.page))
        self.gaps.append((columns, SkipReason.COLUMNS))
        for span, cells in zip(table.items, rows, strict=True):
            start, end = self.page.range_of(span)
            text = row_text(heads, cells)
            if not text:
                self.gaps.append((span, SkipReason.EMPTY))
                continue
            for number, said in enumerate(row_parts(text)):
                self.units.append(Unit(span, end if number else start, end, "table", said, is_item=True))
                parts.append(Part(len(self.units) - 1, len(self.units) - 1, path, alone=True))
        return parts

    def _reference_table(self, lead: Block | None, table: Block, path: tuple[str, ...]) -> list[Part]:
        """Return a table as one part with its lead, or if it is too long as parts with its column heads each."""
        first = len(self.units)
        if lead is not None:
            self._add_units([lead])
        self.units.append(line_unit(Span(table.lines.first, table.lines.first + 1), "table", self.page))
        for row in table.items:
            self.units.append(line_unit(row, "table", self.page))
        parts = self._chunks(first, len(self.units) - 1, path, STEPS_CHARS)
        columns = self.page.of(Span(table.lines.first, table.lines.first + 1))
        for part in parts[1:]:
            part.alone, part.text = True, f"{columns}\n{self.text_of(part)}"
        return parts

    # -- units ---------------------------------------------------------------------------------

    def _size(self, blocks: Sequence[Block]) -> int:
        return self.page.starts[blocks[-1].lines.last + 1] - self.page.starts[blocks[0].lines.first]

    def _add_units(self, blocks: Sequence[Block]) -> None:
        self.units += [unit for block in blocks for unit in units_of(block, self.page)]

    # -- parts ---------------------------------------------------------------------------------

    def _packed(self, parts: Sequence[Part]) -> list[Part]:
        """Join neighbouring prose below one heading up to the usual size."""
        packed: list[Part] = []
        for part in parts:
            last = packed[-1] if packed else None
            if last is not None and self._packs(last, part):
                last.last = part.last
            else:
                packed.append(part)
        return packed

    def _packs(self, last: Part, part: Part) -> bool:
        return (
            not (part.alone or last.alone)
            and last.path == part.path
            and self.units[part.last].end - self.units[last.first].start <= PIECE_CHARS
            and not self._are_apart(last, part)
            and not (self._opens(part) or self._is_beside(last, part) or self._tells_of_other(last, part))
        )

    def _is_beside(self, last: Part, part: Part) -> bool:
        """Return whether a part leads to a list or the like of its own, as the one before it does."""
        text, before = (self.page.text[self.units[one.first].start : self.units[one.first].end] for one in (part, last))
        if part.first == part.last or not announces(text) or is_dependent(text):
            return False
        if has_bold_label(text):
            return has_bold_label(before)
        is_listed = self.units[last.last].is_item and announces(before) and last.first < last.last
        return is_listed and self.units[part.last].is_item and words_in(text) > _BESIDE_LEAD_WORDS

    def _are_apart(self, last: Part, part: Part) -> bool:
        return self.page.are_apart(self.units[last.last].lines.last, self.units[part.first].lines.first)

    def _opens(self, part: Part) -> bool:
        """Return whether a paragraph is a statement of its own."""
        unit = self.units[part.first]
        text = self.page.text[unit.start : unit.end]
        if unit.kind != "paragraph" or is_glossary("".join(part.path[-1:])):
            return False
        if is_problem(text) or is_record(text):
            return True
        shows = part.last > part.first and announces(text) and bool(_PURPOSE.match(text))
        return shows or (words_in(text) >= _FRAGMENT_WORDS and is_statement(text))

    def _without_fragments(self, parts: Sequence[Part]) -> list[Part]:
        """Join fragments with the part before them, else with the one after."""
        joined: list[Part] = []
        for part in parts:
            last = joined[-1] if joined else None
            if last is not None and self._hangs_on(last, part, first=len(joined) == 1):
                last.last = part.last
                last.alone = True
            else:
                joined.append(part)
        return joined

    def _hangs_on(self, last: Part, part: Part, *, first: bool) -> bool:
        """Return whether a fragment belongs to the part before it, or the first part is one that leads to this."""
        if not (self._is_fragment(part) or (first and self._is_fragment(last))):
            return False
        if self.units[last.last].is_item and has_label(self.text_of(part)):
            return False
        if self._tells_of_other(last, part):
            return False
        return not (self._are_apart(last, part) or last.text or part.text) and self._fits(last, part)

    def _tells_of_other(self, last: Part, part: Part) -> bool:
        """Return whether each of two paragraphs tells with code of what its label names, no field of one record."""
        texts = [self.text_of(one) for one in (last, part)]
        labels = [first_label(text).strip(" *_:：.") for text in texts]
        is_each = last.first == last.last and all(has_bold_label(text) and "`" in text for text in texts)
        return is_each and not any(map(is_field, labels))

    def _is_fragment(self, part: Part) -> bool:
        units = self.units[part.first : part.last + 1]
        if self.each_item or any(unit.kind not in {"paragraph", "quote"} for unit in units):
            return False
        text = self.text_of(part)
        if is_record(text):
            return False
        return is_dependent(text) or (not is_statement(text) and words_in(text) <= _FRAGMENT_WORDS)
