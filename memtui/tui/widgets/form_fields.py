"""Fields and rows of forms."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widget import Widget

from memtui.curate.fields import completions
from memtui.curate.form import LONGEST_LINE, NO, YES
from memtui.text.sanitize import reveal, sanitise
from memtui.tui.actions import registry
from memtui.tui.actions.registry import FORM_LINE, FORM_TOGGLE
from memtui.tui.textual_patches.display import stop_watching_app
from memtui.tui.textual_patches.input import CleanTextArea, OneLineInput

MOST_TYPED = 30_000
"""Characters that a text field edits: a key takes 80 ms at 100,000 and seconds at a million, wrapped."""

LONGEST_PARAGRAPH = 4_000
"""Characters between two line ends that a text field edits; every key lays the whole wrapped line out again."""

_BEGINNING = 1_500  # Characters shown of a text that is too long to be edited here

LONGEST_TAGS = 2_000


class _Completer(Suggester):
    """Suggests the rest of the part that is being typed."""

    def __init__(self, line: FormLine) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._line = line

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole value with its last part completed."""
        head, part = self._line.split(value)
        found = next(iter(completions(part, self._line.choices, most=1)), None)
        return head + found if found is not None and found.casefold().startswith(part.casefold()) else None


class FormLine(OneLineInput):
    """A single line: pasted lines are joined, and down and up cycle through the completions.

    `many`: whether it holds several values, separated by commas.
    """

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FORM_LINE)

    def __init__(self, *, id: str | None = None, longest: int = LONGEST_LINE, many: bool = False) -> None:  # noqa: A002 - Textual's name for it
        # A text is corrected more often than replaced, and a single key must not wipe it out.
        super().__init__(id=id, max_length=longest, compact=True, suggester=_Completer(self), select_on_focus=False)
        self.choices: tuple[str, ...] = ()
        self._longest = longest
        self._many = many
        self._offered: list[str] = []
        self._offer = -1

    def split(self, value: str) -> tuple[str, str]:
        """Return the text before the part being typed, and that part."""
        if not self._many:
            return "", value
        at = value.rfind(",") + 1
        part = value[at:].lstrip()
        return value[: len(value) - len(part)], part

    def offered(self) -> list[str]:
        """Return the completions of the part that is being typed."""
        return completions(self.split(self.value)[1], self.choices)

    def action_form_next(self) -> None:
        """Replace the part being typed by the next completion."""
        self._complete(1)

    def action_form_previous(self) -> None:
        """Replace the part being typed by the previous completion."""
        self._complete(-1)

    def _complete(self, step: int) -> None:
        head, part = self.split(self.value)
        if not (0 <= self._offer < len(self._offered) and part == self._offered[self._offer]):
            self._offered = completions(part, self.choices) if part else list(self.choices[:8])
            self._offer = -1 if step > 0 else 0
        if self._offered:
            self._offer = (self._offer + step) % len(self._offered)
            self.value = head + self._offered[self._offer]
            self.cursor_position = len(self.value)

    def fill(self, text: str) -> None:
        self.value = text[: self._longest]
        self.cursor_position = len(self.value)

    @property
    def typed(self) -> str:
        return self.value


class FormArea(CleanTextArea):
    """A soft-wrapped text; one too long to edit here is kept whole, and only its beginning is shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id, soft_wrap=True, compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.choices: tuple[str, ...] = ()
        self._whole: str | None = None
        self._before: str | None = None

    def on_unmount(self) -> None:
        """Let the app release the field, which it would keep for its theme."""
        stop_watching_app(self)

    def on_resize(self) -> None:
        """Redraw: Textual does so only where the height changes."""
        self.refresh()

    @property
    def typed(self) -> str:
        return self.text if self._whole is None else self._whole

    @property
    def is_too_long(self) -> bool:
        """Whether only the beginning is shown."""
        return self._whole is not None

    def fill(self, text: str) -> None:
        self._before = None
        self._put(text)

    def _put(self, text: str) -> None:
        too_long = len(text) > MOST_TYPED or max(map(len, text.split("\n"))) > LONGEST_PARAGRAPH
        self._whole = text if too_long else None
        self.read_only = too_long
        shown = reveal(text[:_BEGINNING]) + f"\n… {len(text) - _BEGINNING:,} more characters" if too_long else text
        self.load_text(shown)

    def action_undo(self) -> None:
        """Undo the last edit, or the paste that was too long."""
        if self._whole is not None and self._before is not None:
            before, self._before = self._before, None
            self._put(before)
            self.move_cursor(self.document.end)
        else:
            super().action_undo()

    def update_suggestion(self) -> None:
        """Offer the rest of the line where the field has completions."""
        if not self.choices:
            return
        row, column = self.cursor_location
        line = self.document.get_line(row)
        found = completions(line, self.choices, most=1) if column == len(line) else []
        fits = found and found[0].casefold().startswith(line.casefold())
        self.suggestion = found[0][len(line) :] if fits else ""

    def offered(self) -> list[str]:
        """Return the completions of the line under the cursor."""
        if not self.choices or self._whole is not None:
            return []
        return completions(self.document.get_line(self.cursor_location[0]), self.choices)

    def take_paste(self, pasted: str) -> None:
        """Insert a text at the cursor without control characters; one that is too long is kept whole."""
        if self.read_only:
            return
        text = sanitise(pasted).text
        start, end = sorted((self.selection.start, self.selection.end))
        lines = text.split("\n")
        long_line = max(map(len, lines)) + len(self.document.get_line(start[0])) > LONGEST_PARAGRAPH
        if not long_line and len(self.text) + len(text) <= MOST_TYPED:
            self.replace(text, start, end, maintain_selection_offset=False)
            return
        before = self.text
        head, tail = self.get_text_range((0, 0), start), self.get_text_range(end, self.document.end)
        self._before = before
        self._put(head + text + tail)


class FormToggle(Widget, can_focus=True):
    """Yes or no; space changes it."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FORM_TOGGLE)

    chosen: reactive[bool] = reactive(False)

    class Changed(Message):
        """It was changed."""

    def __init__(self, meaning: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._meaning = meaning

    def render(self) -> Content:
        mark, word = ("●", YES) if self.chosen else ("○", NO)
        return Content.assemble(
            (f"{mark} {word}", "$memtui-pin" if self.chosen else ""), (f"  {self._meaning}", "$memtui-dim")
        )

    def action_form_change(self) -> None:
        self.chosen = not self.chosen
        self.post_message(self.Changed())

    def on_click(self) -> None:
        self.action_form_change()

    def fill(self, text: str) -> None:
        """Set it by its word."""
        self.chosen = text == YES

    @property
    def typed(self) -> str:
        return YES if self.chosen else NO


FormField = FormLine | FormArea | FormToggle


class TextEditScreen(ModalScreen[str | None]):
    """Edit one text; returns it, None if cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "accept"),
        Binding("escape", "leave", "cancel"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._area = FormArea(id="text-edit-area")

    def compose(self) -> ComposeResult:
        with Vertical(id="text-edit") as box:
            box.border_title = Content(self._title)  # a plain str would be read as markup
            box.border_subtitle = Content("ctrl+s accepts · esc cancels")
            yield self._area

    def on_mount(self) -> None:
        """Fill in the text, the cursor at its end."""
        self._area.fill(self._text)
        self._area.move_cursor(self._area.document.end)
        self._area.focus()

    def action_take(self) -> None:
        self.dismiss(self._area.typed)

    def action_leave(self) -> None:
        self.dismiss(None)
