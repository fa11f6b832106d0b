"""The memories of a merge: what is read, what it would make, and their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui.curate.merge import (
    Marked,
    MergeField,
    fields_of,
    holds_everywhere,
    marked_texts,
    merge,
    named_projects,
    preview,
    what_differs,
)
from memtui.curate.views import tokens_of
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.text.words import clip_path, counted
from memtui.tui.memory_view import MARK_PINNED, source_line, vouched
from memtui.tui.styled_text import LONGEST_SHOWN, Block, Piece, marked_pieces
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes


@dataclass(frozen=True, slots=True)
class Sides:
    """Memories to merge."""

    memories: tuple[Memory, ...]  # the one that stays first
    places: tuple[str, ...]  # the source of each
    said: tuple[str, ...]  # what a person last said of each
    fields: tuple[MergeField, ...]  # those in which they differ
    marked: Mapping[str, Sequence[Marked]]  # the texts of each field, the differing words marked
    differs: tuple[str, ...]  # what tells them apart, in words
    projects: tuple[str, ...]  # named projects, of which the user chooses one where there are several

    @property
    def headings(self) -> tuple[str, ...]:
        """Source and verification of each."""
        return tuple(f"{place} · {said}" for place, said in zip(self.places, self.said, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """What tells each memory from the others: its title, or where it came from; empty where both are the same."""
        titles = tuple(tame(memory.title, 200) for memory in self.memories)
        alike = ("",) * len(titles)
        return next((names for names in (titles, self.headings) if len(set(names)) == len(names)), alike)


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The memory that a merge would make, its tokens, and those of all the memories before."""

    memory: Memory
    tokens: int
    tokens_before: int
    everywhere: bool  # whether it holds for all files although some of the memories hold for certain ones only


def read_sides(access: VaultAccess, identifiers: Sequence[str]) -> Sides:
    """Return memories side by side. Raises `NotFoundError`: fewer than two of them are left."""
    memories, now = access.memories(identifiers), access.vault.now()
    if len(memories) < 2:  # noqa: PLR2004 - a pair
        raise NotFoundError("The memories to merge no longer exist", remedy="esc goes back.")
    fields = fields_of(memories)
    return Sides(
        memories=tuple(memories),
        places=tuple(source_line(memory.sources) if memory.sources else "typed" for memory in memories),
        said=tuple(vouched(memory, now) for memory in memories),
        fields=tuple(fields),
        marked={field.name: marked_texts([_paragraphs(field.name, text) for text in field.texts]) for field in fields},
        differs=what_differs(memories),
        projects=tuple(named_projects(memories)),
    )


def preview_merge(access: VaultAccess, sides: Sides, chosen: Mapping[str, str]) -> MergePreview:
    """Return what a merge would make of the chosen texts. Raises `UsageError`: a chosen text is empty or invalid."""
    project = sides.projects[0] if len(sides.projects) > 1 else None
    made = preview(sides.memories, chosen, access.vault.kinds, project)
    return MergePreview(made, tokens_of([made]), tokens_of(sides.memories), holds_everywhere(sides.memories, made))


def make_merge(access: VaultAccess, sides: Sides, chosen: Mapping[str, str], project: str | None) -> Done:
    """Merge as one change. Raises `ConflictError`: one of the memories changed since it was read."""
    access.opening.before_change()
    merged = merge(
        access.vault,
        [memory.id for memory in sides.memories],
        actor=access.opening.actor,
        project=project,
        chosen=chosen,
        versions={memory.id: memory.version for memory in sides.memories},
        secret_patterns=access.opening.secret_patterns,
    )
    return Done(f"{outcomes.merged(merged)}; u undoes it", focus=merged.result.id)


LABELS = {"title": "Title", "insight": "Insight", "rationale": "Why", "snippet": "Snippet", "kind": "Kind"}

CHOSEN = "✓"

ONLY_SPACE = "only white space differs"


def count_words(field: MergeField) -> str:
    """Return how many texts there are to choose from, or that they look the same: `2 texts`."""
    texts = set(field.texts)
    return ONLY_SPACE if len({" ".join(text.split()) for text in texts}) == 1 else counted(len(texts), "text")


def letter(place: int) -> str:
    """Return the letter of a memory: A for the one that is kept."""
    return chr(ord("A") + place)


def side_blocks(sides: Sides, name: str, place: int) -> list[Block]:
    """Return the text of one memory in one field."""
    return [Block(marked_pieces(sides.marked[name][place]))]


def side_title(sides: Sides, place: int, cells: int, *, is_taken: bool) -> str:
    """Return the title of a memory's pane for so many cells: whether its text is taken, its letter and its source."""
    lead = f"{CHOSEN} {letter(place)}  " if is_taken else f"{letter(place)}  "
    return lead + clip_path(sides.places[place], max(1, cells - len(lead)))


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


def united_words(made: MergePreview | None) -> str:
    """Return what a merge does with what nobody chooses from, as far as that is known."""
    files = ", files" if made is not None and not made.everywhere else ""
    return f"tags{files}, sources and links are combined"


_WARNED_FIRST = 2  # Differences told above the result, which is what a person looks at; the others follow it


def result_blocks(made: MergePreview, differs: Sequence[str] = ()) -> list[Block]:
    """Return what a merge would make, as a memory.

    `differs`: what tells the memories apart, where the border has no room for it.
    """
    memory = made.memory
    first, more = differs[:_WARNED_FIRST], differs[_WARNED_FIRST:]
    warned = "; ".join((*first, *([f"{len(more)} more below"] if more else [])))
    head = " · ".join((tame(memory.kind), memory.standing, tame(memory.project or "unassigned")))
    pinned: tuple[Piece, ...] = ((f"{MARK_PINNED} pinned ", "good"), ("· ", "dim")) if memory.pinned else ()
    blocks = [Block(((f"! {warned}", "warning"),))] if warned else []
    blocks += [Block(((tame(memory.title, 1_000), "title"),), gap=bool(warned)), Block((*pinned, (head, "dim")))]
    blocks.append(Block(((_beginning("insight", memory.insight), "text"),), gap=True))
    if memory.rationale:
        blocks.append(Block(((_beginning("rationale", memory.rationale), "text"),), label="Why", gap=True))
    if memory.snippet:
        blocks.append(Block(((_beginning("snippet", memory.snippet), "code"),), gap=True))
    rows = [
        ("Files", outcomes.EVERYWHERE if made.everywhere else ", ".join(tame(one.path) for one in memory.anchors)),
        ("Tags", tame(", ".join(memory.tags))),
        ("Sources", ", ".join(list(dict.fromkeys(source_line([source]) for source in memory.sources))[:4])),
        ("Dates", f"from {min(filter(None, (memory.observed_at, memory.created_at))):%Y-%m-%d}"),
    ]
    shown = [(label, text) for label, text in rows if text]
    blocks += [Block(((text, "text"),), label=label, gap=at == 0) for at, (label, text) in enumerate(shown)]
    return [*blocks, *([Block(((f"! {'; '.join(more)}", "warning"),), gap=True)] if more else [])]


def _paragraphs(name: str, text: str) -> str:
    """Return a text of a field with each paragraph in one line; an example is code."""
    return text if name == "snippet" else unwrapped(text)


def _beginning(name: str, text: str) -> str:
    return _paragraphs(name, reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip()) + (
        "\n…" if len(text) > LONGEST_SHOWN else ""
    )
