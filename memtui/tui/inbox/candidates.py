"""The list of candidates, grouped by file and heading or by kind; a group's own row stands for all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.segment import Segment

from memtui.domain.kinds import CONFIDENCE_SIGNS
from memtui.text.sanitize import tame
from memtui.text.words import clip_path, clip_start, counted, plain_letters
from memtui.tui.inbox.grouping import (
    Arranged,
    Candidate,
    Group,
    arrange,
    file_key,
    kind_key,
    less_sure_key,
    section_key,
)
from memtui.tui.values import Row
from memtui.tui.widgets.headed_titles import Titled
from memtui.tui.widgets.lists import Cell, Paint, draw_cells
from memtui.tui.widgets.memory_list import KIND_CELLS, MARKED, MemoryList, short_kind

if TYPE_CHECKING:
    from memtui.curate.inbox import Offer

ODD = "!"  # Sign of a candidate that should be read before it is accepted
UNREAD = "…"  # In its place while it is being read

FOLDED_FROM = 100  # From so many candidates on, files are folded at first

_SIGN_LETTERS = 4  # From so many letters on a word of the filter may be that of a sign
_SOURCE_CELLS = 16
_LINE_CELLS = 6
_MOST_ODD_CELLS = 24
_INDENT = 2
_GROUP_CELLS = 8  # of a group's row: cursor, mark, arrow and the spaces between


_FIELDS: Mapping[str, Callable[[Offer], str | None]] = {
    "kind": lambda offer: offer.kind,
    "project": lambda offer: offer.project,
    "file": lambda offer: offer.path,
    "source": lambda offer: offer.origin or offer.path,
    "heading": lambda offer: offer.heading,
}
"""What a word such as `kind:note` asks for, as in the filter of Browse."""


def _holds(word: str, offer: Offer, text: str) -> bool:
    """Return whether a candidate holds a word of the filter. `text`: all that words without a field are found in."""
    name, _, value = word.partition(":")
    if not value or name not in _FIELDS:
        return word in text
    return value in plain_letters((_FIELDS[name](offer) or "").casefold())


class CandidateList(MemoryList):
    """The candidates, and the rows of their groups."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.offers: Mapping[str, Offer] = {}
        self.by_kind = False
        self.arranged = Arranged()
        self._when_empty: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        self._texts: dict[str, str] = {}
        self._oddities: dict[tuple[str, int], str] = {}  # What is odd about candidates, in words, by id and version
        self._folded: set[str] = set()
        self._was_folded = False
        self._left_at: str | None = None  # The row that the cursor was on when the inbox was left
        self._less_sure: frozenset[str] = frozenset()
        self.most = 0  # proposals of one source that are shown unfolded; 0 for all
        self.at_hand = self._sketches

    # -- content ----------------------------------------------------------------------------------

    def show_offers(self, offers: Iterable[Offer], *, follow: str | None, notice: Sequence[str]) -> None:
        """Show what waits; the cursor follows a candidate or a group, and from one that is gone goes to the next."""
        is_first, again = not self.offers, self._left_at
        self.offers = {offer.id: offer for offer in offers}
        self._texts.clear()
        group = self.arranged.groups.get(follow or "")
        if self.offers.keys().isdisjoint(group.members if group is not None else [follow]):
            follow = self._next_that_stays()
        self._fold_less_sure()
        if len(self.offers) >= FOLDED_FROM and not self._was_folded:
            self._was_folded = True
            self._folded = {file_key(offer) for offer in self.offers.values()}
            self._folded = self._folded if len(self._folded) > 1 else set()
        self._arrange(again if is_first and again else follow, notice=notice, fresh=True)
        if is_first and (again is None or self.line != again):
            self._to_candidate()

    @property
    def looks(self) -> dict[str, Any]:
        """What is found again when the inbox is opened again: what is folded, how it is grouped, and the cursor."""
        if not self.offers:
            return {}
        folds = {"folded": set(self._folded), "was_folded": self._was_folded, "less_sure": self._less_sure}
        return folds | {"by_kind": self.by_kind, "left_at": self.line}

    def restore(self, looks: Mapping[str, Any]) -> None:
        """Look as the inbox did when it was left."""
        if looks:
            self._folded, self._was_folded = set(looks["folded"]), looks["was_folded"]
            self._less_sure, self.by_kind, self._left_at = looks["less_sure"], looks["by_kind"], looks["left_at"]

    def _fold_less_sure(self) -> None:
        """Fold the proposals beyond the surest of each source, those that were not shown before."""
        from memtui.curate.inbox_care import folded_offers

        rest = [offer for found in folded_offers(self.offers.values(), self.most).values() for offer in found]
        self._folded |= {less_sure_key(offer) for offer in rest if offer.id not in self._less_sure}
        self._less_sure = frozenset(offer.id for offer in rest)

    def _arrange(self, follow: str | None, *, notice: Sequence[str] | None = None, fresh: bool = False) -> None:
        offers = [offer for offer in self.offers.values() if self._fits(offer)]
        folded = () if self._words else self._folded
        group = self.arranged.groups.get(follow or "")
        self.arranged = arrange(
            offers, by_kind=self.by_kind, folded=folded, projects=self.show_projects, less_sure=self._less_sure
        )
        if group is not None and follow not in self.arranged.lines:
            follow = next((each for each in group.members if each in self.arranged.group_of), follow)
        if follow in self.arranged.group_of and follow not in self.arranged.lines:
            follow = self._row_of(str(follow))
        shown = (
            (self._when_empty or ("The rest is read once this is stored.",) if notice is None else notice)
            if not self.offers
            else (
                "No candidate matches.",
                *self._looking,
                f"esc clears the filter: {_behind(len(self.offers))} behind it.",
            )
        )
        self.show(self.arranged.lines, follow=follow, fresh=fresh, notice=shown)
        if notice is not None:
            self._when_empty = tuple(notice)

    def _row_of(self, identifier: str) -> str:
        """Return the row of the group that a folded candidate is in."""
        group = self.arranged.groups[self.arranged.group_of[identifier]]
        return group.id if group.id in self.arranged.lines else group.inside

    def _fits(self, offer: Offer) -> bool:
        if not self._words:
            return True
        text = self._texts.get(offer.id)
        if text is None:
            parts = (
                *(offer.title, offer.insight, offer.path, offer.heading, offer.kind, offer.project, offer.origin),
                self._oddities.get((offer.id, offer.version)),
            )
            text = "\n".join(filter(None, parts))
            text = self._texts[offer.id] = plain_letters(text.casefold())
        return all(_holds(word, offer, text) for word in self._words)

    @property
    def _looking(self) -> tuple[str, ...]:
        """What an empty list says where the filter does not know all that it asks for, or not yet."""
        from memtui.curate.query import is_query

        strange = [word for word in self._words if is_query(word) and word.partition(":")[0] not in _FIELDS]
        if strange:
            return (f"Fields here: {' '.join(f'{name}:' for name in _FIELDS)}",)
        return ("Not all of them have been checked yet.",) if self.asks_for_odd and self.unlooked else ()

    @property
    def unlooked(self) -> list[str]:
        """The candidates of which the filter does not know yet what is odd about them."""
        return [offer.id for offer in self.offers.values() if (offer.id, offer.version) not in self._oddities]

    def find_odd(self, words: Mapping[str, str]) -> None:
        """Let the filter find candidates by what is odd about them, in words by id."""
        there = {each: said for each, said in words.items() if each in self.offers}
        self._oddities |= {(each, self.offers[each].version): said for each, said in there.items()}
        for each in words:
            self._texts.pop(each, None)
        if self._words and (any(words.values()) or not self.arranged.shown):
            self._arrange(self.line)

    @property
    def asks_for_odd(self) -> bool:
        """Whether the filter has a word that says what is odd about candidates; to find out takes time."""
        from memtui.curate.lifecycle import HOLDS_SECRET, IN_USE, LOOKS_PLANTED, NOT_STATED, WOULD_REPLACE

        signs = f"{LOOKS_PLANTED} {HOLDS_SECRET} {WOULD_REPLACE} {IN_USE} {NOT_STATED}"
        return any(word in signs for word in self._words if len(word) >= _SIGN_LETTERS)

    def filter(self, text: str) -> None:
        """Show only candidates that hold every word of a text in what they say or its signs, or where they are from."""
        words = tuple(plain_letters(text.casefold()).split())
        if words != self._words:
            self._words = words
            here = self.line
            self._arrange(here)
            if here not in self.arranged.lines:
                self.cursor = 0
                self._to_candidate()

    def regroup(self) -> None:
        """Group by kind instead of by file, and back."""
        self.by_kind = not self.by_kind
        self._arrange(self.line)

    @property
    def line(self) -> str | None:
        """The id of the row under the cursor, a group's or a candidate's."""
        return super().current

    @property
    def current(self) -> str | None:
        """The id of the candidate under the cursor, None on a group."""
        return None if self.group else self.line

    @property
    def group(self) -> Group | None:
        """The group under the cursor, None on a candidate."""
        return self.arranged.groups.get(self.line or "")

    @property
    def members(self) -> tuple[str, ...]:
        """The candidates under the cursor: all of a group, or the one."""
        if self.group is not None:
            return self.group.members
        return (self.line,) if self.line is not None else ()

    def take_out(self, identifiers: Iterable[str]) -> None:
        """Drop candidates at once; the cursor comes to the next one that stays, in the next group if need be."""
        going = set(identifiers)
        self.marks.discard(going)
        self.offers = {key: offer for key, offer in self.offers.items() if key not in going}
        self._arrange(self._next_that_stays())
        self.post_message(self.Marked(self))

    def _next_that_stays(self) -> str | None:
        """Return the candidate under the cursor or the next one that still waits, unfolded unless a group was in hand.

        After the last one it is the one before.
        """
        order, here = self.arranged.shown, self.members[:1]
        place = order.index(here[0]) if here else 0
        rest = [*order[place:], *reversed(order[:place])]
        follow = next((each for each in rest if each in self.offers), None)
        if follow is not None and self.group is None:
            self._unfold_to(follow)
        return follow

    def _unfold_to(self, identifier: str) -> None:
        if identifier in self.arranged.alone:
            return
        offer = self.offers[identifier]
        self._folded -= {file_key(offer), section_key(offer), kind_key(offer)}

    def _to_candidate(self) -> None:
        """Bring the cursor from a group to its first candidate, unless it is folded."""
        place, lines, groups = self.cursor, self.arranged.lines, self.arranged.groups
        while place + 1 < len(lines) and lines[place] in groups and self._is_open(lines[place]):
            place += 1
        if place < len(lines) and lines[place] not in groups:
            self.cursor = place

    def _is_open(self, group: str) -> bool:
        return bool(self._words) or group not in self._folded

    # -- folding ----------------------------------------------------------------------------------

    def fold(self) -> None:
        """Fold the group of the row under the cursor; of one that is folded, the group around it."""
        line = self.line
        if line is None:
            return
        group = self.group or self.arranged.groups[self.arranged.group_of[line]]
        group_id = group.inside if group.id in self._folded and group.inside else group.id
        self._folded.add(group_id)
        self._arrange(group_id)

    def unfold(self) -> None:
        """Unfold the group under the cursor, or that of a candidate that stands for its group."""
        line = self.line
        group_id = self.arranged.group_of[line] if line in self.arranged.alone else line
        if group_id is not None and group_id in self._folded:
            self._folded.discard(group_id)
            self._arrange(line)

    def toggle_fold(self) -> None:
        """Fold the group under the cursor, or unfold it."""
        if self.group is not None:
            (self.unfold if self.group.id in self._folded else self.fold)()

    def fold_all(self) -> None:
        """Fold every file, or unfold everything."""
        tops = {group.id for group in self.arranged.groups.values() if not group.level}
        self._folded = set() if tops <= self._folded else self._folded | tops
        self._arrange(self.line)

    # -- marks ------------------------------------------------------------------------------------

    @property
    def marked(self) -> list[str]:
        """What is marked, folded or not, in the list's order; a range takes in the groups that it meets folded."""
        held = set(self.marks.listed(self.ids)) | set(self.marks.kept(self.arranged.shown))
        held.update(*(group.members for group in self.arranged.groups.values() if self._stands_in(group, held)))
        return [identifier for identifier in self.arranged.shown if identifier in held]

    def _stands_in(self, group: Group, held: set[str]) -> bool:
        return group.id in held and not self._is_open(group.id)

    def _settle(self) -> None:
        """Put the candidates of groups that were marked in place of the groups."""
        marked = self.marked
        self.marks.clear()
        self.marks.mark_all(marked)

    def mark_current(self) -> None:
        """Mark the row under the cursor, a group as a whole, or unmark it, and go on to the next; ends a range."""
        if self.line is None:
            return
        if self.marks.drawing:
            self._settle()
        else:
            self.marks.mark_all(self.members)
            self.cursor += 1
        self._marks_changed()

    def mark_range(self) -> None:
        """Begin a range at the cursor, or end the one that is drawn."""
        if self.marks.drawing:
            self._settle()
            self._marks_changed()
        else:
            super().mark_range()

    def mark_all(self) -> None:
        """Mark all that match the filter, or none."""
        self.marks.mark_all(self.arranged.shown)
        self._marks_changed()

    def mark_alike(self, key: Callable[[Offer], str]) -> None:
        """Mark all candidates that share something with the one under the cursor, or unmark them."""
        if self.members:
            wanted = key(self.offers[self.members[0]])
            self.marks.mark_all([each for each in self.arranged.shown if key(self.offers[each]) == wanted])
            self._marks_changed()

    # -- drawing ----------------------------------------------------------------------------------

    def _sketches(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return rows as far as they are known without another look at the vault."""
        rows: dict[str, Row] = {}
        for identifier in identifiers:
            offer = self.offers.get(identifier)
            if offer is not None:
                title, kind = tame(offer.title) or tame(offer.insight), tame(offer.kind)
                place = f"{offer.path}:{offer.line}" if offer.path and offer.line else offer.path or offer.origin
                rows[identifier] = Candidate(
                    identifier,
                    title,
                    kind,
                    project=tame(offer.project or "unassigned"),
                    pinned=False,
                    due=False,
                    freshness=1.0,
                    age_days=0.0,
                    source=tame(place),
                    is_read=False,
                )
        return rows

    def titled(self, identifier: str) -> Titled | None:
        """Return the title of a candidate and its section, and of the row of a section no title: it is a heading."""
        group, row = self.arranged.groups.get(identifier), self._rows.get(identifier)
        offer = self.offers.get(group.members[0] if group is not None else identifier)
        if offer is None or (row is None and group is None) or (group is not None and group.id != section_key(offer)):
            return None
        return Titled.within(row.title if row is not None else "", offer.path, offer.heading)

    def _is_whole(self, identifier: str) -> bool:
        return identifier in self.arranged.groups or super()._is_whole(identifier)

    def segments(
        self, row: Row | None, width: int, paint: Paint, *, current: bool, marked: bool, title: str
    ) -> list[Segment]:
        """Return a candidate in that many cells."""
        edge = Cell(self.edge(is_current=current) + (MARKED if marked else " "), "pin", 2)
        if not isinstance(row, Candidate):
            return draw_cells([edge, Cell("  …", "dim")], width, paint)
        odd = ", ".join(row.oddities)
        sign = Cell(ODD if odd else " ", "due", 1, after=1) if row.is_read else Cell(UNREAD, "dim", 1, after=1)
        group = self.arranged.groups.get(self.arranged.group_of.get(row.id, ""))
        is_alone = row.id in self.arranged.alone
        indent = _INDENT * (1 + group.level) if group is not None and not is_alone else 0
        offer = self.offers.get(row.id)
        is_line = not self.by_kind and not is_alone and offer is not None  # its file, or who proposed it, is above
        where = _line_of(offer) if is_line else row.source
        cells = _LINE_CELLS if is_line else _SOURCE_CELLS
        return draw_cells(
            [
                edge,
                Cell("", "base", indent, since=44),
                sign,
                Cell(short_kind(row.kind), "kind", KIND_CELLS, since=56, after=1),
                Cell(CONFIDENCE_SIGNS[row.confidence], "due", 1, since=56, after=1),
                Cell(title or row.title, "base", after=1),
                Cell(odd, "due", min(_MOST_ODD_CELLS, len(odd)), since=44, before=1),
                Cell(clip_path(where, cells), "dim", cells, since=44, before=1, after=1, right=is_line),
            ],
            width,
            paint,
        )

    def line_segments(self, index: int, width: int, paint: Paint, *, current: bool, marked: bool) -> list[Segment]:
        """Return the row of a group, or of a candidate."""
        group = self.arranged.groups.get(self.ids[index])
        if group is None:
            return super().line_segments(index, width, paint, current=current, marked=marked)
        taken = len(self.marks.kept(group.members)) if len(self.marks) else 0
        mark = MARKED if marked or taken == len(group.members) else "·" if taken else " "
        arrow = "▾" if self._is_open(group.id) else "▸"
        count = f"{taken:,} of {len(group.members):,}" if taken else f"{len(group.members):,}"
        indent = _INDENT * group.level
        return draw_cells(
            [
                Cell(self.edge(is_current=current) + mark, "pin", 2),
                Cell("", "base", indent, since=44),
                Cell(arrow, "dim", 1, after=1),
                Cell(
                    clip_start(group.label, width - indent - len(count) - _GROUP_CELLS),
                    "dim" if group.level else "kind",
                    after=3,
                ),
                Cell(count, "dim", len(count), after=1),
            ],
            width,
            paint,
        )


def _line_of(offer: Offer | None) -> str:
    return f":{offer.line}" if offer is not None and offer.line else ""


def _behind(number: int) -> str:
    return counted(number, "candidate waits", "candidates wait")
