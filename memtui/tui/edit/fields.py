"""Fields and rows of forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from memtui.curate.fields import completions
from memtui.curate.form import LONGEST_LINE, NO, YES, Finding
from memtui.text.sanitize import one_line, reveal, sanitise
from memtui.tui.actions import registry
from memtui.tui.actions.table import FORM_LINE, FORM_TOGGLE
from memtui.tui.text_layout import tame
from memtui.tui.textual_patches.widget_leak import stop_watching_app

MOST_TYPED = 30_000
"""Characters that a text field edits: a key takes 80 ms at 100,000 and seconds at a million, wrapped."""

LONGEST_PARAGRAPH = 4_000
"""Characters between two line ends that a text field edits; the wrapped line is laid out anew at every key."""

_BEGINNING = 1_500
"""Characters shown of a text that is too long to be edited here."""

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


class FormLine(Input):
    """A single line. A paste of several lines is folded into one; down and up go through the completions.

    Args:
        longest: characters that it takes.
        many: whether it holds several values, separated by commas.
    """

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FORM_LINE)

    def __init__(self, *, id: str | None = None, longest: int = LONGEST_LINE, many: bool = False) -> None:  # noqa: A002 - Textual's name for it
        # What stands in it is corrected more often than replaced, and a key must not wipe it out.
        super().__init__(id=id, max_length=longest, compact=True, suggester=_Completer(self), select_on_focus=False)
        self.choices: tuple[str, ...] = ()
        self._longest = longest
        self._many = many
        self._offered: list[str] = []
        self._offer = -1

    def split(self, value: str) -> tuple[str, str]:
        """Return what stands before the part being typed, and that part."""
        if not self._many:
            return "", value
        at = value.rfind(",") + 1
        part = value[at:].lstrip()
        return value[: len(value) - len(part)], part

    def offered(self) -> list[str]:
        """Return the completions of the part that is being typed."""
        return completions(self.split(self.value)[1], self.choices)

    def action_form_next(self) -> None:
        """Put the next completion in place of the part that is being typed."""
        self._complete(1)

    def action_form_previous(self) -> None:
        """Put the completion before in place of the part that is being typed."""
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
        """Put a text into the field."""
        self.value = text[: self._longest]
        self.cursor_position = len(self.value)

    @property
    def typed(self) -> str:
        """What stands in the field."""
        return self.value

    def _on_paste(self, event: events.Paste) -> None:
        """Take a paste as one line without control characters."""
        event.stop()
        event.prevent_default()
        self.take(event.text)

    def take(self, pasted: str) -> None:
        """Put a text in at the cursor, as one line without control characters."""
        text = one_line(pasted[: self._longest * 20])
        room = self._longest - len(self.value) + len(self.selected_text)
        self.replace(text[: max(0, room)], *sorted(self.selection))


class FormArea(TextArea):
    """A text of several lines, soft-wrapped; one too long to be edited here is kept whole, its beginning shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id, soft_wrap=True, compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.choices: tuple[str, ...] = ()
        self._whole: str | None = None
        self._before: str | None = None

    def on_unmount(self) -> None:
        """Be forgotten by the app, which tells a field of its theme."""
        stop_watching_app(self)

    def on_resize(self) -> None:
        """Draw the text as it is wrapped by then: Textual does so only where that moves its height."""
        self.refresh()

    @property
    def typed(self) -> str:
        """What stands in the field, all of it."""
        return self.text if self._whole is None else self._whole

    @property
    def is_too_long(self) -> bool:
        """Whether only the beginning is shown."""
        return self._whole is not None

    def fill(self, text: str) -> None:
        """Put a text into the field."""
        self._before = None
        self._put(text)

    def _put(self, text: str) -> None:
        too_long = len(text) > MOST_TYPED or max(map(len, text.split("\n"))) > LONGEST_PARAGRAPH
        self._whole = text if too_long else None
        self.read_only = too_long
        shown = reveal(text[:_BEGINNING]) + f"\n… {len(text) - _BEGINNING:,} more characters" if too_long else text
        self.load_text(shown)

    def action_undo(self) -> None:
        """Take back the last edit, or the paste that was too long."""
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

    async def _on_paste(self, event: events.Paste) -> None:
        """Take a paste without control characters; keep one that is too long whole."""
        event.stop()
        event.prevent_default()
        self.take(event.text)

    def take(self, pasted: str) -> None:
        """Put a text in at the cursor without control characters; one that is too long is kept whole."""
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
        """Return the line."""
        mark, word = ("●", YES) if self.chosen else ("○", NO)
        return Content.assemble(
            (f"{mark} {word}", "$memtui-pin" if self.chosen else ""), (f"  {self._meaning}", "$memtui-dim")
        )

    def action_form_change(self) -> None:
        """Change it."""
        self.chosen = not self.chosen
        self.post_message(self.Changed())

    def on_click(self) -> None:
        """Change it."""
        self.action_form_change()

    def fill(self, text: str) -> None:
        """Set it by its word."""
        self.chosen = text == YES

    @property
    def typed(self) -> str:
        """Its word."""
        return YES if self.chosen else NO


FormField = FormLine | FormArea | FormToggle

_MARKS = {"error": ("✗ ", "$error"), "secret": ("! ", "$error"), "hint": ("", "$memtui-dim")}
_OFFERED = 6


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """How one field of a memory stands in the form.

    Attributes:
        shape: which widget; `area` grows with its text.
        side: the column of a wide form.
        meaning: what belongs into it, said while it is empty.
    """

    name: str
    label: str
    shape: Literal["line", "area", "toggle"]
    side: Literal["texts", "facts"]
    meaning: str


PLAN: tuple[FieldPlan, ...] = (
    FieldPlan("title", "Title", "line", "texts", "one line; made from the text if left out"),
    FieldPlan("insight", "Insight", "area", "texts", "what is worth knowing"),
    FieldPlan("rationale", "Why", "area", "texts", "why it holds, and when it applies"),
    FieldPlan("snippet", "Snippet", "area", "texts", "a piece of code"),
    FieldPlan("kind", "Kind", "line", "facts", "guessed from the text if left out"),
    FieldPlan("tags", "Tags", "line", "facts", "separated by commas"),
    FieldPlan("anchors", "Files", "area", "facts", "a path or glob a line"),
    FieldPlan("project", "Project", "line", "facts", "unassigned"),
    FieldPlan("importance", "Importance", "line", "facts", "1 to 5"),
    FieldPlan("confidence", "Confidence", "line", "facts", "0 to 1"),
    FieldPlan("pinned", "Pinned", "toggle", "facts", "never goes stale"),
    FieldPlan("valid_from", "True from", "line", "facts", "2026-01-31; always"),
    FieldPlan("valid_until", "True until", "line", "facts", "2026-01-31; for good"),
    FieldPlan("half_life_days", "Half-life", "line", "facts", "90d; that of its kind"),
    FieldPlan("status_reason", "Reason", "line", "facts", "why it has its status"),
)


class FormRow(Vertical):
    """A label, a field, and a line for what is to be said of it."""

    def __init__(self, plan: FieldPlan) -> None:
        super().__init__(id=f"edit-row-{plan.name}", classes=f"edit-row -{plan.shape}")
        self.plan = plan
        self.field = _field(plan)
        self._note: Static | None = None
        self._said: tuple[Finding, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay out the row; the line for what is said comes when there is something to say."""
        yield Static(self.plan.label, classes="edit-label", markup=False)
        yield self.field

    @property
    def said(self) -> tuple[Finding, ...]:
        """What is said of the field."""
        return self._said

    def say(self, findings: tuple[Finding, ...]) -> None:
        """Say these of the field."""
        self._said = findings
        self.show_note()

    def show_note(self) -> None:
        """Show what is said of the field, and while it is typed what it may be completed to."""
        lines = [
            Content.styled(mark + tame(each.text, 300), style)
            for each in self._said
            for mark, style in [_MARKS[each.level]]
        ]
        field = self.field
        if isinstance(field, FormArea) and field.is_too_long:
            ways = "E from the list edits it in your editor, ctrl+z takes back a paste"
            size = f"{len(field.typed):,} characters, saved whole; {ways}"
            lines.append(Content.styled(size, "$memtui-dim"))
        offered = field.offered() if field.has_focus and not isinstance(field, FormToggle) else []
        if offered:
            keys = "→ or ↓ " if isinstance(field, FormLine) else "→ "
            names = "  ".join(tame(each, 60) for each in offered[:_OFFERED])
            lines.append(Content.assemble((keys, "bold $primary"), (names, "$memtui-dim")))
        if self._note is None and lines:
            self._note = Static("", classes="edit-note", markup=False)
            self.mount(self._note)
        if self._note is not None:
            self._note.update(Content("\n").join(lines))
            self._note.display = bool(lines)


def _field(plan: FieldPlan) -> FormField:
    identifier = f"edit-{plan.name.replace('_', '-')}"
    if plan.shape == "toggle":
        return FormToggle(plan.meaning, id=identifier)
    field: FormLine | FormArea
    if plan.shape == "area":
        field = FormArea(id=identifier)
    else:
        many = plan.name == "tags"
        field = FormLine(id=identifier, many=many, **({"longest": LONGEST_TAGS} if many else {}))
    field.placeholder = Content(plan.meaning) if isinstance(field, FormArea) else plan.meaning
    return field


def row_of(widget: Widget | None) -> FormRow | None:
    """Return the row that a field stands in."""
    while widget is not None and not isinstance(widget, FormRow):
        widget = widget.parent if isinstance(widget.parent, Widget) else None
    return widget


class TextEditScreen(ModalScreen[str | None]):
    """Returns the text that was written, None where it was left.

    Args:
        title: what is written, in our own words.
        text: what to begin with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "take it"),
        Binding("escape", "leave", "leave"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._area = FormArea(id="text-edit-area")

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical(id="text-edit") as box:
            box.border_title = Content(self._title)  # a plain str would be read as markup
            box.border_subtitle = Content("ctrl+s takes it · esc leaves")
            yield self._area

    def on_mount(self) -> None:
        """Put the text in, the cursor at its end."""
        self._area.fill(self._text)
        self._area.move_cursor(self._area.document.end)
        self._area.focus()

    def action_take(self) -> None:
        """Return the text."""
        self.dismiss(self._area.typed)

    def action_leave(self) -> None:
        """Leave without a change."""
        self.dismiss(None)
