"""Merge: memories side by side, field by field, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content

from memtui.domain.memory import MOST_MERGED
from memtui.errors import ConflictError, MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import cell_width, counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import GO, MERGE, MERGE_FIELDS, MERGE_TAKE, Action
from memtui.tui.drafts import ELSEWHERE, typed_before
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.merge.view import (
    LABELS,
    MergePreview,
    Sides,
    count_words,
    letter,
    make_merge,
    preview_merge,
    read_sides,
    result_blocks,
    side_blocks,
    side_title,
    stacked_blocks,
    united_words,
)
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.widgets.choice_list import ChoiceList, ChoiceRow
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.form_fields import TextEditScreen
from memtui.tui.widgets.lines import TitleLine

NARROWEST_SIDE = 30  # Cells that a text needs to be read beside others; with less, the texts are stacked


_EDGES = 6  # Cells of a border, and beside what stands in it


class MergeFields(ChoiceList):
    """The fields; `b` keeps every text here, and opens the inbox everywhere else."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(MERGE_FIELDS)


class MergeScreen(MemtuiScreen):
    """Choose whose text each field takes; the merge itself is one undoable change.

    `identifiers`: the memories, the one that is kept first. `finding`: of Tidy, what they are dismissed as.
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

    def __init__(self, opening: Opening, identifiers: Sequence[str], finding: str = "duplicates") -> None:
        super().__init__(opening)
        self._finding = finding
        self.settled = False  # Whether the merge was made, or the memories are kept apart for good
        self._identifiers = tuple(identifiers)[:MOST_MERGED]
        self._title = TitleLine("Merge", id="merge-head")
        self._fields = MergeFields(id="merge-fields")
        self._panes = [DetailPane(id=f"merge-side-{place}") for place in range(len(self._identifiers))]
        self._stack = DetailPane(id="merge-stack")
        self._result = DetailPane(id="merge-result")
        self._sides: Sides | None = None
        self._made: MergePreview | None = None
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
        self._written = typed_before(self.app, self._draft_key)
        self.call_after_refresh(self._read)

    @property
    def _draft_key(self) -> str:
        return f"{ELSEWHERE}merge {' '.join(self._identifiers)}"

    def unsaved(self) -> dict[str, dict[str, str]]:
        """Return the texts that were written for the merge."""
        return {self._draft_key: self._written} if self._written and not self.settled else {}

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
            ChoiceRow(LABELS[field.name], count_words(field), self._word(sides, field.name)) for field in sides.fields
        ]
        self._fields.show(rows)
        self._fields.styles.height = min(len(rows), 1 if self.has_class("-low") else 5) + 2
        place = f"field {self._fields.cursor + 1} of {len(rows)}: {LABELS[self._field]}" if self._field else ""
        self._title.place = counted(len(sides.memories), "memory", "memories")
        self._title.counts = [Content(place)] if place else []
        self._title.note = united_words(self._made)

    def _word(self, sides: Sides, name: str) -> str:
        """Return whose text a field takes: `→ A  Sail times are stored in UTC`, of a kind the kind itself."""
        if name in self._written:
            return "→ written"
        taken = self._taken[name]
        letters = "→ " + " + ".join(letter(place) for place in taken)
        kinds = next((field.texts for field in sides.fields if field.name == name == "kind"), sides.names)
        return f"{letters}  {tame(kinds[taken[0]])}".rstrip() if len(taken) == 1 else letters

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
            is_taken = place in taken
            cells = self.size.width // len(sides.memories) - _EDGES
            pane.set_title(side_title(sides, place, cells, is_taken=is_taken))
            pane.border_subtitle = Content(sides.said[place])
            pane.set_class(is_taken, "-taken")
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
        differs = tuple(map(tame, self._sides.differs))
        warned = f"! {'; '.join(differs)}" if differs else ""
        has_room = cell_width(warned) <= self._result.outer_size.width - _EDGES
        self._result.border_subtitle = Content(warned if has_room else "")  # a plain str would be read as markup
        self._result.show(result_blocks(made, () if has_room else differs), from_top=False)
        self._made = made
        self._title.note = united_words(made)

    # -- choosing ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "Finish the merge first; esc leaves it."
        if self.acting and action.owner == MERGE:
            return "The merge is being saved."
        if action.owner == MERGE and self._sides is None:
            return "The memories are being read."
        if action.owner == MERGE and action.id not in {"merge-apply", "merge-not"} and self._field is None:
            return "Their texts are the same; enter merges them."
        return super().why_not(action)

    def _step(self, step: int) -> None:
        """Take the text one further to the left or right; of several, or of what was written, the outermost."""
        if self._sides is None or self._field is None:
            return
        last = len(self._sides.memories) - 1
        if self._field in self._written:
            self._take(last if step > 0 else 0)
            return
        taken = self._taken[self._field]
        edge = max(taken) if step > 0 else min(taken)
        self._take(min(max(edge + step, 0), last) if len(taken) == 1 else edge)

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
        self.app.push_screen(
            TextEditScreen(LABELS[name], self._chosen()[name], f"{self._draft_key} {name}"), self._writer(name)
        )

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
            self.settled = True
            return done

        self.do(run, focus=True)

    def action_merge_not(self) -> None:
        """Keep them apart, as Tidy's own dismissal does."""

        def run() -> Done:
            done = self.memories.dismiss(self._finding, self._identifiers)
            self.settled = True
            return done

        self.do(run)

    def acts_ended(self, focus: str | None) -> None:
        """Close once merged or kept apart."""
        del focus
        if self.settled and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Read the memories again where one of them changed; the choices stay."""
        if isinstance(error, ConflictError):
            self._read()
        return super().answers_failure(error)
