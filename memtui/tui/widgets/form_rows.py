"""The rows of the edit form: a label, a field, and what is to be said beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from memtui.curate.form import Finding
from memtui.tui.widgets.form_fields import LONGEST_TAGS, FormArea, FormLine, FormToggle
from memtui.tui.wording import tame

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
