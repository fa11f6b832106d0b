"""Merge: memories side by side, field by field, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content

from memtui.curate.merge import (
    Marked,
    MergeField,
    fields_of,
    marked_texts,
    merge,
    named_projects,
    preview,
    what_differs,
)
from memtui.curate.views import tokens_of
from memtui.domain.memory import MOST_MERGED, Memory
from memtui.errors import ConflictError, MemtuiError, NotFoundError
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import GO, MERGE, MERGE_FIELDS, MERGE_TAKE, Action
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.memory_view import LONGEST_SHOWN, MARK_PINNED, Block, Piece, marked_pieces, source_line, vouched
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.form_fields import TextEditScreen
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import ChoiceList, ChoiceRow
from memtui.wording import outcomes


@dataclass(frozen=True, slots=True)
class Sides:
    """Memories to merge."""

    memories: tuple[Memory, ...]  # the one that stays first
    headings: tuple[str, ...]  # source and verification of each
    fields: tuple[MergeField, ...]  # those in which they differ
    marked: Mapping[str, Sequence[Marked]]  # the texts of each field, the differing words marked
    differs: tuple[str, ...]  # what tells them apart, in words
    projects: tuple[str, ...]  # named projects, of which the user chooses one where there are several


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The memory that a merge would make, its tokens, and those of all the memories before."""

    memory: Memory
    tokens: int
    tokens_before: int


def read_sides(access: VaultAccess, identifiers: Sequence[str]) -> Sides:
    """Return memories side by side. Raises `NotFoundError`: fewer than two of them are left."""
    memories, now = access.memories(identifiers), access.vault.now()
    if len(memories) < 2:  # noqa: PLR2004 - a pair
        raise NotFoundError("The memories to merge no longer exist")
    fields = fields_of(memories)
    headings = [
        f"{source_line(memory.sources) if memory.sources else 'typed'} · {vouched(memory, now)}" for memory in memories
    ]
    return Sides(
        memories=tuple(memories),
        headings=tuple(headings),
        fields=tuple(fields),
        marked={field.name: marked_texts(field.texts) for field in fields},
        differs=what_differs(memories),
        projects=tuple(named_projects(memories)),
    )


def preview_merge(access: VaultAccess, sides: Sides, chosen: Mapping[str, str]) -> MergePreview:
    """Return what a merge would make of the chosen texts. Raises `UsageError`: a chosen text is empty or invalid."""
    project = sides.projects[0] if len(sides.projects) > 1 else None
    made = preview(sides.memories, chosen, access.vault.kinds, project)
    return MergePreview(made, tokens_of([made]), tokens_of(sides.memories))


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


def letter(place: int) -> str:
    """Return the letter of a memory: A for the one that is kept."""
    return chr(ord("A") + place)


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


def result_blocks(memory: Memory) -> list[Block]:
    """Return what a merge would make, as a memory."""
    head = " · ".join((tame(memory.kind), memory.standing, tame(memory.project or "unassigned")))
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
        ("Sources", ", ".join(source_line([source]) for source in memory.sources[:4])),
        ("Dates", f"from {memory.created_at:%Y-%m-%d}"),
    ]
    shown = [(label, text) for label, text in rows if text]
    blocks += [Block(((text, "text"),), label=label, gap=at == 0) for at, (label, text) in enumerate(shown)]
    return blocks


def _beginning(text: str) -> str:
    return reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip() + ("\n…" if len(text) > LONGEST_SHOWN else "")


NARROWEST_SIDE = 30  # Cells that a text needs to be read beside others; with less, the texts are stacked


class MergeFields(ChoiceList):
    """The fields; `b` keeps every text here, and opens the inbox everywhere else."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(MERGE_FIELDS)


class MergeScreen(MemtuiScreen):
    """Choose whose text each field takes; the merge itself is one undoable change.

    `identifiers`: the memories, the one that is kept first.
    """

    AREA = MERGE
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(MERGE)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "merge-left": ("_step", -1),
        "merge-right": ("_step", 1),
        **{f"{MERGE_TAKE}{number}": ("_take", number - 1) for number in range(1, MOST_MERGED + 1)},
    }
    AUTO_FOCUS = "#merge-fields"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-high")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, identifiers: Sequence[str]) -> None:
        super().__init__(opening)
        self.merged = False  # Whether the merge was made
        self._identifiers = tuple(identifiers)[:MOST_MERGED]
        self._title = TitleLine("Merge", id="merge-head")
        self._fields = MergeFields(id="merge-fields")
        self._panes = [DetailPane(id=f"merge-side-{place}") for place in range(len(self._identifiers))]
        self._stack = DetailPane(id="merge-stack")
        self._result = DetailPane(id="merge-result")
        self._sides: Sides | None = None
        self._taken: dict[str, tuple[int, ...]] = {}
        self._written: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._fields.add_class("pane")
        with Horizontal(id="merge-sides"):
            yield from (pane.add_class("pane") for pane in self._panes)
        yield self._stack.add_class("pane")
        yield self._result.add_class("pane")
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._fields.border_title = Content("Fields that differ")
        self._stack.set_title("Texts")
        self._result.set_title("Result")
        self.call_after_refresh(self._read)

    # -- reading ----------------------------------------------------------------------------------

    def _read(self) -> None:
        self.loader.read(lambda: read_sides(self.access, self._identifiers), self._show_sides, group="sides")

    def _show_sides(self, sides: Sides) -> None:
        self.trouble_is_over()
        self._sides = sides
        known = {field.name: field.proposed for field in sides.fields}
        self._taken = {name: self._taken.get(name, proposed) for name, proposed in known.items()}
        self._written = {name: text for name, text in self._written.items() if name in known}
        self.draw_again()

    # -- showing ----------------------------------------------------------------------------------

    def draw_again(self) -> None:
        """Put the texts side by side where there is room for it."""
        if self._sides is None:
            return
        number = len(self._sides.memories)
        self.set_class(self.size.width // number < NARROWEST_SIDE, "-stacked")
        for place, pane in enumerate(self._panes):
            pane.display = place < number
        self._show_choice()

    @property
    def _field(self) -> str | None:
        """Name of the current field; None where the memories differ in none."""
        fields = self._sides.fields if self._sides is not None else ()
        return fields[self._fields.cursor].name if self._fields.cursor < len(fields) else None

    def _show_fields(self) -> None:
        sides = self._sides
        if sides is None:
            return
        rows = [
            ChoiceRow(LABELS[field.name], counted(len(set(field.texts)), "text"), self._word(field.name))
            for field in sides.fields
        ]
        self._fields.show(rows)
        self._fields.styles.height = min(len(rows), 1 if self.has_class("-low") else 5) + 2
        place = f"field {self._fields.cursor + 1} of {len(rows)}: {LABELS[self._field]}" if self._field else ""
        self._title.place = counted(len(sides.memories), "memory", "memories")
        self._title.counts = [Content(place)] if place else []
        self._title.note = "tags, files, sources and links are united"

    def _word(self, name: str) -> str:
        if name in self._written:
            return "→ written"
        return "→ " + " + ".join(letter(place) for place in self._taken[name])

    def _show_texts(self) -> None:
        sides, name = self._sides, self._field
        if sides is None:
            return
        if name is None:
            self._stack.show((), from_top=True)
            for pane in self._panes:
                pane.show((), from_top=True)
            return
        taken = () if name in self._written else self._taken[name]
        for place, pane in enumerate(self._panes[: len(sides.memories)]):
            sign = f"{CHOSEN} " if place in taken else ""
            pane.set_title(f"{sign}{letter(place)}  {sides.headings[place]}")
            pane.set_class(place in taken, "-taken")
            pane.show(side_blocks(sides, name, place), from_top=True)
        self._stack.set_title(LABELS[name])
        self._stack.show(stacked_blocks(sides, name, taken), from_top=True)

    @on(ChoiceList.Moved)
    def _follow(self, message: ChoiceList.Moved) -> None:
        message.stop()
        self._show_fields()
        self._show_texts()

    def _chosen(self) -> dict[str, str]:
        """Return the text of every field that differs."""
        fields = self._sides.fields if self._sides is not None else ()
        return {field.name: self._written.get(field.name, field.text(self._taken[field.name])) for field in fields}

    def _preview(self) -> None:
        sides, chosen = self._sides, self._chosen()
        if sides is not None:
            self.loader.read(
                lambda: preview_merge(self.access, sides, chosen),
                self._show_result,
                group="result",
                on_error=self._show_no_result,
            )

    def _show_no_result(self, error: MemtuiError) -> None:
        self._result.set_title("Result ─ none yet")
        self._result.show((), from_top=True)
        self.say(str(error), severity="warning")

    def _show_result(self, made: MergePreview) -> None:
        if self._sides is None:
            return
        self._result.set_title(f"Result ─ {made.tokens:,} tokens (was {made.tokens_before:,})")
        warned = f"! {'; '.join(map(tame, self._sides.differs))}" if self._sides.differs else ""
        self._result.border_subtitle = Content(warned)  # a plain str would be read as markup
        self._result.show(result_blocks(made.memory), from_top=False)

    # -- choosing ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "The merge comes first; esc leaves it."
        if self.acting and action.owner == MERGE:
            return "The merge is being saved."
        if action.owner == MERGE and self._sides is None:
            return "The memories are being read."
        if action.owner == MERGE and action.id != "merge-apply" and self._field is None:
            return "Their texts are the same; enter merges them."
        return super().why_not(action)

    def _step(self, step: int) -> None:
        """Take the text to the left or right."""
        if self._sides is None or self._field is None:
            return
        taken = self._taken[self._field]
        edge = taken[-1] if step > 0 else taken[0]
        alone = len(taken) == 1 and self._field not in self._written
        self._take((edge + step) % len(self._sides.memories) if alone else edge)

    def _take(self, place: int) -> None:
        name, sides = self._field, self._sides
        if name is None or sides is None or place >= len(sides.memories):
            return
        self._taken[name] = (place,)
        self._written.pop(name, None)
        self._show_choice()

    def action_merge_both(self) -> None:
        sides, name = self._sides, self._field
        if sides is None or name is None or self.acting:
            return
        field = sides.fields[self._fields.cursor]
        if not field.can_join:
            self.say(f"A memory has one {LABELS[name].lower()}; choose one, or write it with e.", severity="warning")
            return
        first = {text: place for place, text in reversed(list(enumerate(field.texts))) if text.strip()}
        self._taken[name] = tuple(sorted(first.values())) or (0,)
        self._written.pop(name, None)
        self._show_choice()

    def _show_choice(self) -> None:
        self._show_fields()
        self._show_texts()
        self._preview()

    def action_merge_edit(self) -> None:
        """Write the text of the field, starting with what is chosen."""
        name = self._field
        if name is None:
            return
        if name == "kind":
            kinds = [(tame(kind), "") for kind in self.opening.vault.kinds.names()]
            self.app.push_screen(ChoiceScreen("Kind", kinds, self._chosen()[name]), self._writer(name))
            return
        self.app.push_screen(TextEditScreen(LABELS[name], self._chosen()[name]), self._writer(name))

    def _writer(self, name: str) -> Callable[[str | None], None]:
        def write(text: str | None) -> None:
            if text is not None:
                self._written[name] = text
                self._show_choice()

        return write

    # -- merging ----------------------------------------------------------------------------------

    def action_merge_apply(self) -> None:
        """Merge; of several projects, ask which one the result belongs to."""
        sides = self._sides
        if sides is None:
            return
        if len(sides.projects) < 2:  # noqa: PLR2004 - several
            self._apply(sides, None)
            return

        def take(project: str | None) -> None:
            if project is not None:
                self._apply(sides, project)

        self.app.push_screen(ChoiceScreen("It belongs to", [(name, "") for name in sides.projects], ""), take)

    def _apply(self, sides: Sides, project: str | None) -> None:
        chosen = self._chosen()

        def run() -> Done:
            done = make_merge(self.access, sides, chosen, project)
            self.merged = True
            return done

        self.do(run, focus=True)

    def acts_ended(self, focus: str | None) -> None:
        """Close once merged."""
        del focus
        if self.merged and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Read the memories again where one of them changed; the choices stay."""
        if isinstance(error, ConflictError):
            self._read()
        return super().answers_failure(error)
