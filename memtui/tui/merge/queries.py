"""The Merge screen's reads and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from memtui.domain.memory import Memory
from memtui.text.sanitize import reveal
from memtui.tui.actions import registry
from memtui.tui.actions.table import MERGE_FIELDS
from memtui.tui.inbox.queries import source_line
from memtui.tui.memory_view import LONGEST_SHOWN, Block, Piece
from memtui.tui.text_layout import MARK_PINNED, ago, counted, days_between, tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import ChoiceList

if TYPE_CHECKING:
    from memtui.curate.merge import Marked, MergeField


@dataclass(frozen=True, slots=True)
class Sides:
    """Memories that are to be merged.

    Attributes:
        memories: the one that stays first.
        headings: where each came from and when it was verified.
        fields: those in which they differ.
        marked: the texts of each field, the words marked in which they differ.
        differs: what tells them apart, in words.
        projects: named projects, of which a person chooses one where there are several.
    """

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]
    fields: tuple[MergeField, ...]
    marked: Mapping[str, Sequence[Marked]]
    differs: tuple[str, ...]
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge would come to.

    Attributes:
        before: of all the memories together.
    """

    memory: Memory
    tokens: int
    before: int


class MergeAccess:
    """The vault as the Merge screen sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def sides(self, identifiers: Sequence[str]) -> Sides:
        """Return memories side by side.

        Raises:
            NotFoundError: fewer than two of them are left.
        """
        from memtui.curate.merge import fields_of, marked_texts, named_projects, what_differs
        from memtui.errors import NotFoundError

        memories = self._access.memories(identifiers)
        if len(memories) < 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("What was to be merged is gone")
        fields = fields_of(memories)
        return Sides(
            tuple(memories),
            tuple(self._heading(memory) for memory in memories),
            tuple(fields),
            {field.name: marked_texts(field.texts) for field in fields},
            what_differs(memories),
            tuple(named_projects(memories)),
        )

    def _heading(self, memory: Memory) -> str:
        from memtui.tui.inbox.queries import source_line

        now = self._vault.now()
        verified = f"verified {ago(days_between(memory.verified_at, now))}" if memory.verified_at else "never verified"
        return f"{source_line(memory.sources) if memory.sources else 'typed'} · {verified}"

    def result(self, sides: Sides, chosen: Mapping[str, str], project: str | None) -> MergeResult:
        """Return what a merge would make of the chosen texts.

        Raises:
            UsageError: a chosen text is none.
        """
        from memtui.curate.merge import preview
        from memtui.curate.views import tokens_of

        where = project or (sides.projects[0] if len(sides.projects) > 1 else None)
        made = preview(sides.memories, chosen, self._vault.kinds, where)
        return MergeResult(made, tokens_of([made]), tokens_of(sides.memories))

    def merge(self, sides: Sides, chosen: Mapping[str, str], project: str | None) -> Done:
        """Merge what was looked at, as one change; versions that moved since stop it."""
        from memtui.curate.merge import merge

        self._opening.before_change()
        merged = merge(
            self._vault,
            [memory.id for memory in sides.memories],
            actor=self._opening.actor,
            project=project,
            chosen=chosen,
            versions={memory.id: memory.version for memory in sides.memories},
            secret_patterns=self._opening.secret_patterns,
        )
        number = counted(len(sides.memories), "memory", "memories")
        return Done(f"Merged {number} into {tame(merged.result.title, 60)}; u takes it apart", focus=merged.result.id)


LABELS = {"title": "Title", "insight": "Insight", "rationale": "Why", "snippet": "Snippet", "kind": "Kind"}

CHOSEN = "✓"

_MOST_SOURCES = 4


def letter(place: int) -> str:
    """Return the letter of a memory: A for the one that stays."""
    return chr(ord("A") + place)


def marked_pieces(marked: Marked) -> tuple[Piece, ...]:
    """Return a text with the words that differ in brackets."""
    pieces: list[Piece] = []
    left = LONGEST_SHOWN
    for part, differs in _joined(marked):
        if left <= 0:
            break
        shown = reveal(part[:left])
        left -= len(part)
        core = shown.strip()
        if not differs or not core:
            pieces.append((shown, "text"))
            continue
        start = shown.index(core)
        pieces += [(shown[:start], "text"), (f"[{core}]", "warning"), (shown[start + len(core) :], "text")]
    if left <= 0:
        pieces.append(("\n… the rest is not shown", "dim"))
    return tuple(piece for piece in pieces if piece[0]) or (("(empty)", "dim"),)


def _joined(marked: Marked) -> list[tuple[str, bool]]:
    """Return the parts with words in a row that differ as one: `[Lock key is]`, not `[Lock] [key] [is]`."""
    joined: list[tuple[str, bool]] = []
    for place, (part, differs) in enumerate(marked):
        between = not part.strip() and 0 < place < len(marked) - 1 and marked[place - 1][1] and marked[place + 1][1]
        if joined and joined[-1][1] and (differs or between):
            joined[-1] = (joined[-1][0] + part, True)
        else:
            joined.append((part, differs))
    return joined


def side_blocks(sides: Sides, name: str, place: int) -> list[Block]:
    """Return the text of one memory in one field."""
    return [Block(marked_pieces(sides.marked[name][place]))]


def stacked_blocks(sides: Sides, name: str, taken: tuple[int, ...]) -> list[Block]:
    """Return the texts of all memories in one field, one below the other."""
    blocks: list[Block] = []
    for place, heading in enumerate(sides.headings):
        sign = CHOSEN if place in taken else " "
        head: tuple[Piece, ...] = (
            (f"{sign} {letter(place)} ", "good" if place in taken else "label"),
            (heading, "dim"),
        )
        blocks += [Block(head, gap=place > 0), *side_blocks(sides, name, place)]
    return blocks


def result_blocks(memory: Memory, standing: str = "") -> list[Block]:
    """Return what a merge would make, as a memory."""
    head = " · ".join(filter(None, (tame(memory.kind), memory.status, tame(memory.project or "unassigned"), standing)))
    pinned: tuple[Piece, ...] = ((f"{MARK_PINNED} pinned ", "good"), ("· ", "dim")) if memory.pinned else ()
    blocks = [Block(((tame(memory.title, 1_000), "title"),)), Block((*pinned, (head, "dim")))]
    blocks.append(Block(((_beginning(memory.insight), "text"),), gap=True))
    if memory.rationale:
        blocks.append(Block(((_beginning(memory.rationale), "text"),), label="Why", gap=True))
    if memory.snippet:
        blocks.append(Block(((_beginning(memory.snippet), "code"),), gap=True))
    rows = [
        ("Files", ", ".join(tame(anchor.path) for anchor in memory.anchors)),
        ("Tags", tame(", ".join(memory.tags))),
        ("Sources", ", ".join(source_line([source]) for source in memory.sources[:_MOST_SOURCES])),
        ("Dates", f"from {memory.created_at:%Y-%m-%d}"),
    ]
    shown = [(label, text) for label, text in rows if text]
    blocks += [Block(((text, "text"),), label=label, gap=at == 0) for at, (label, text) in enumerate(shown)]
    return blocks


def _beginning(text: str) -> str:
    return reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip() + ("\n…" if len(text) > LONGEST_SHOWN else "")


class MergeFields(ChoiceList):
    """A list of fields; it answers `b` itself, which everywhere else leads to the inbox."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(MERGE_FIELDS)

    class BothWanted(Message):
        """Every text of the current field is wanted."""

    def action_merge_both(self) -> None:
        """Keep every text."""
        self.post_message(self.BothWanted())
