"""Fields and rows of forms."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import TextArea

from memtui.curate.fields import completions
from memtui.curate.form import LONGEST_LINE, NO, YES
from memtui.text.sanitize import one_line, reveal, sanitise
from memtui.tui.actions import registry
from memtui.tui.actions.registry import FORM_LINE, FORM_TOGGLE
from memtui.tui.drafts import ELSEWHERE, typed_before
from memtui.tui.styled_text import fenced_lines, highlighted
from memtui.tui.textual_patches.display import stop_watching_app
from memtui.tui.textual_patches.input import READ_OF_A_PASTE, CleanTextArea, OneLineInput

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
        """Return the completions of the part that is being typed; of a whole choice, or nothing, what else there is."""
        part = self.split(self.value)[1]
        return (
            [one for one in self.choices if one != part] if self._is_choice(part) else completions(part, self.choices)
        )

    def _is_choice(self, part: str) -> bool:
        """Return whether another choice is to take the place of all that stands in the line."""
        return not self._many and (not part or part in self.choices)

    def on_focus(self) -> None:
        """Mark a whole choice, to be typed over: letters behind it never make another one."""
        if self.value and self._is_choice(self.value):
            self.select_all()

    def action_form_next(self) -> None:
        """Replace the part being typed by the next completion."""
        self._complete(1)

    def action_form_previous(self) -> None:
        """Replace the part being typed by the previous completion."""
        self._complete(-1)

    def _complete(self, step: int) -> None:
        head, part = self.split(self.value)
        if not (0 <= self._offer < len(self._offered) and part == self._offered[self._offer]):
            whole = self._is_choice(part) or not part
            self._offered = list(self.choices) if whole else completions(part, self.choices)
            self._offer = self._offered.index(part) if part in self._offered else -1 if step > 0 else 0
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
    """A soft-wrapped text; one too long to edit here is kept whole, and only its beginning is shown.

    `markdown`: whether headings, code, paths and lists stand out.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "paragraph_start", show=False),
        Binding("ctrl+e", "paragraph_end", show=False),
        Binding("ctrl+u", "delete_to_paragraph_start", show=False),
        Binding("ctrl+k", "delete_to_paragraph_end", show=False),
        Binding("ctrl+home", "text_start", show=False),
        Binding("ctrl+end", "text_end", show=False),
        Binding("ctrl+shift+home", "text_start(True)", show=False),
        Binding("ctrl+shift+end", "text_end(True)", show=False),
    ]
    """What Textual does to the row on the screen, for the whole of a line however it is wrapped, and to both ends."""

    COMPONENT_CLASSES = {f"form-area--{style}" for style in ("heading", "code", "path", "label", "dim")}  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, *, markdown: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        self._is_markdown = markdown
        self._fenced: set[int] | None = None  # Lines within the fences of code; None until they are looked for
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

    def action_text_start(self, select: bool = False) -> None:
        """Move the cursor to the beginning of the text."""
        self.move_cursor((0, 0), select=select)

    def action_text_end(self, select: bool = False) -> None:
        """Move the cursor to the end of the text."""
        self.move_cursor(self.document.end, select=select)

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn."""
        line = super().get_line(line_index)
        if self._is_markdown:
            if self._fenced is None:
                self._fenced = fenced_lines(self.document.lines)
            place = 0
            for piece, style in highlighted(line.plain, fenced=line_index in self._fenced):
                if style != "text":
                    found = self.get_component_rich_style(f"form-area--{style}")
                    line.stylize(Style(color=found.color, bold=found.bold), place, place + len(piece))
                place += len(piece)
        return line

    def _build_highlight_map(self) -> None:
        # What Textual calls after every change of the text, before the next line is drawn.
        super()._build_highlight_map()
        self._fenced = None

    @on(TextArea.SelectionChanged)
    def _follow_cursor(self) -> None:
        self.call_after_refresh(self._bring_cursor)

    def _bring_cursor(self) -> None:
        """Scroll what the field stands in as far as the cursor is in sight; Textual scrolls only within the field."""
        around = next((one for one in self.ancestors if isinstance(one, Widget) and one.allow_vertical_scroll), None)
        if around is None or not self.has_focus:
            return
        line, seen = self.cursor_screen_offset.y, around.content_region
        beyond = max(0, line - seen.bottom + 1) - max(0, seen.y - line)
        if beyond:
            around.scroll_relative(y=beyond, animate=False)

    @property
    def _paragraph(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where the line under the cursor begins and ends."""
        row = self.cursor_location[0]
        return (row, 0), (row, len(self.document.get_line(row)))

    def action_paragraph_start(self) -> None:
        self.move_cursor(self._paragraph[0])

    def action_paragraph_end(self) -> None:
        self.move_cursor(self._paragraph[1])

    async def action_delete_to_paragraph_start(self) -> None:
        await self._delete_to(self._paragraph[0], "delete_left")

    async def action_delete_to_paragraph_end(self) -> None:
        await self._delete_to(self._paragraph[1], "delete_right")

    async def _delete_to(self, place: tuple[int, int], there: str) -> None:
        """Delete from the cursor to a place. `there`: the action that joins two lines where the cursor is there."""
        if self.cursor_location == place:
            await self.run_action(there)
        elif not self.read_only:
            self.delete(*sorted((self.cursor_location, place)), maintain_selection_offset=False)

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


class FormTitle(FormArea):
    """A single line, however long: it is wrapped rather than cut off, and enter leads on."""

    def fill(self, text: str) -> None:
        super().fill(one_line(text)[:LONGEST_LINE])
        self.move_cursor(self.document.end)

    def _on_key(self, event: events.Key) -> None:  # type: ignore[override] # beside Textual's own, which comes after it
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.focus_next()

    def take_paste(self, pasted: str) -> None:
        """Insert a text at the cursor as one line, as far as there is room."""
        room = LONGEST_LINE - len(self.text) + len(self.selected_text)
        super().take_paste(one_line(pasted[: LONGEST_LINE * READ_OF_A_PASTE])[: max(0, room)])


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


FormField = FormLine | FormArea | FormToggle  # a title is an area


class TextEditScreen(ModalScreen[str | None]):
    """Edit one text; returns it, None if cancelled. `about`: what it is a text of, under which it is kept."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "accept"),
        Binding("escape", "leave", "cancel"),
    ]

    def __init__(self, title: str, text: str, about: str) -> None:
        super().__init__()
        self._title = title
        self._draft_key = f"{ELSEWHERE}text {about}"
        self._text = text
        self._area = FormArea(id="text-edit-area")

    def compose(self) -> ComposeResult:
        with Vertical(id="text-edit") as box:
            box.border_title = Content(self._title)  # a plain str would be read as markup
            box.border_subtitle = Content("ctrl+s accepts · esc cancels")
            yield self._area

    def on_mount(self) -> None:
        """Fill in the text, else what was typed before the app was ended, the cursor at its end."""
        self._area.fill(typed_before(self.app, self._draft_key).get("text", self._text))
        self._area.move_cursor(self._area.document.end)
        self._area.focus()

    def unsaved(self) -> dict[str, dict[str, str]]:
        typed = self._area.typed
        return {self._draft_key: {"text": typed}} if typed not in {"", self._text} else {}

    def action_take(self) -> None:
        self.dismiss(self._area.typed)

    def action_leave(self) -> None:
        self.dismiss(None)
