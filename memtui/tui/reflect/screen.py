"""Reflect: sources beside the form for the conclusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static, TextArea

from memtui.curate.form import NO, YES, Finding, texts_of
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import GO, REFLECT
from memtui.tui.edit.fields import FieldPlan, FormArea, FormRow, FormToggle
from memtui.tui.edit.form import tells_unsaved
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.reflect.queries import ReflectAccess, Sources, source_blocks
from memtui.tui.screen import MemtuiScreen
from memtui.tui.text_layout import counted
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane

CHECK_SECONDS = 0.15
"""Pause after a key before the form is checked."""

RETIRE = "retire"

PLAN: tuple[FieldPlan, ...] = (
    FieldPlan("insight", "Insight", "area", "texts", "what follows from them, in your own words"),
    FieldPlan("title", "Title", "line", "texts", "one line; made from the text if left out"),
    FieldPlan("rationale", "Why", "area", "texts", "why it holds, and when it applies"),
    FieldPlan("kind", "Kind", "line", "texts", "lesson"),
    FieldPlan("tags", "Tags", "line", "texts", "separated by commas"),
    FieldPlan("anchors", "Files", "area", "texts", "a path or glob a line"),
    FieldPlan("project", "Project", "line", "texts", "the sources' project"),
    FieldPlan(RETIRE, "Retire", "toggle", "texts", "take the sources out of use; no keeps them"),
)


@dataclass(frozen=True, slots=True)
class ReflectDraft:
    """What was typed and is not saved."""

    texts: dict[str, str]


@dataclass
class SourcesRead(Message):
    """The sources were read."""

    sources: Sources


@dataclass
class ReflectChecked(Message):
    """The form was checked."""

    findings: list[Finding]
    ticket: int


@dataclass
class Concluded(Message):
    """The conclusion was saved."""

    memory: Memory


class ReflectScreen(MemtuiScreen):
    """Writes a conclusion from two to twenty memories; saving it is one undoable change.

    Args:
        opening: what the app was opened with.
    """

    AREA = REFLECT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(REFLECT)
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, identifiers: Sequence[str]) -> None:
        super().__init__(opening)
        self.is_opening = True
        self.saved: Memory | None = None
        """The conclusion as stored, once that is done."""
        self._identifiers = tuple(identifiers)
        self._reflecting = ReflectAccess(self.access)
        self._sources: Sources | None = None
        self._shown: dict[str, str] = {plan.name: NO if plan.name == RETIRE else "" for plan in PLAN}
        self._warned = False
        self._ticket = 0
        self._pause: Timer | None = None
        self._head = Static("", id="reflect-head", markup=False)
        self._pane = DetailPane(id="reflect-sources")
        self._form = VerticalScroll(id="reflect-form", can_focus=False)
        self._rows = {plan.name: FormRow(plan) for plan in PLAN}

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        with Horizontal(id="reflect-panes"):
            yield self._pane
            with self._form:
                yield from self._rows.values()
        yield self.hints

    def on_mount(self) -> None:
        """Take up a draft; the vault is asked after the first picture."""
        self.hints.place = REFLECT
        self._pane.set_title("Sources")
        self._form.border_title = Content("Conclusion")
        draft = self._drafts.get(self._key)
        if isinstance(draft, ReflectDraft):
            self._put(draft.texts)
            self.say("Brought back what you typed before")
        self._tell_head()
        self.call_after_refresh(self.open_at, self._rows["insight"].field)
        self.call_after_refresh(self._read)

    @property
    def _drafts(self) -> dict[str, object]:
        found: dict[str, object] = getattr(self.app, "drafts", {})
        return found

    @property
    def _key(self) -> str:
        return f"{REFLECT} {' '.join(sorted(self._identifiers))}"

    # -- the sources ------------------------------------------------------------------------------

    def _read(self) -> None:
        self._read_sources()

    @work(thread=True, exclusive=True, group="sources", exit_on_error=False)
    def _read_sources(self) -> None:
        try:
            sources = self._reflecting.sources(self._identifiers)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(SourcesRead(sources))

    @on(SourcesRead)
    def _take_sources(self, message: SourcesRead) -> None:
        self.trouble_is_over()
        sources = self._sources = message.sources
        proposed = texts_of(sources.basis.memory)
        for name, row in self._rows.items():
            if name == RETIRE:
                continue
            if row.field.typed == self._shown[name]:
                row.field.fill(proposed[name])
            self._shown[name] = proposed[name]
        basis = sources.basis
        choices = {
            "kind": basis.kinds.names(),
            "tags": basis.tags,
            "project": sources.projects or (*basis.projects, "global"),
        }
        for name, offered in choices.items():
            field = self._rows[name].field
            if not isinstance(field, FormToggle):
                field.choices = tuple(dict.fromkeys(offered))
        number = len(sources.memories)
        self._pane.set_title(f"Sources ─ {number}")
        self._pane.show(source_blocks(sources), from_top=True)
        self._tell_head()
        self._check_soon()

    def _tell_head(self) -> None:
        number = counted(len(self._identifiers), "source", "sources")
        state = "unsaved" if self._is_dirty else "" if self._sources else "reading …"
        self._head.update(
            Content.assemble(
                " ",
                ("Reflect", "bold $primary"),
                f"  {number} → one conclusion",
                (f"   {state}" if state else "", "$memtui-dim"),
            )
        )

    # -- what is typed ----------------------------------------------------------------------------

    @property
    def _typed(self) -> dict[str, str]:
        return {name: row.field.typed for name, row in self._rows.items()}

    @property
    def _is_dirty(self) -> bool:
        return any(text != self._shown[name] for name, text in self._typed.items())

    def _put(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            self._rows[name].field.fill(text)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(FormToggle.Changed)
    def _take_typed(self, event: Message) -> None:
        event.stop()
        if self.saved is not None:
            return
        self._warned = False
        if self._is_dirty:
            self._drafts[self._key] = ReflectDraft(self._typed)
        else:
            self._drafts.pop(self._key, None)
        self._tell_head()
        self._check_soon()

    def _check_soon(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(CHECK_SECONDS, self._check_now)

    def _check_now(self) -> None:
        if self._sources is not None:
            self._ticket += 1
            self._check(self._typed, self._sources, self._ticket)

    @work(thread=True, exclusive=True, group="check", exit_on_error=False)
    def _check(self, texts: dict[str, str], sources: Sources, ticket: int) -> None:
        try:
            findings = self._reflecting.check(texts, sources.basis)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ReflectChecked(findings, ticket))

    @on(ReflectChecked)
    def _show_findings(self, message: ReflectChecked) -> None:
        if message.ticket != self._ticket or self._sources is None:
            return
        empty = not self._rows["insight"].field.typed.strip()
        for name, row in self._rows.items():
            found = tuple(each for each in message.findings if each.field == name)
            # An empty form is not told that it is empty.
            row.say(tuple(each for each in found if each.level != "error") if empty and name == "insight" else found)
        if len(self._sources.projects) > 1 and not self._rows["project"].field.typed.strip():
            say = f"the sources belong to {', '.join(self._sources.projects)}: choose one, or global"
            self._rows["project"].say((Finding("project", "error", say),))

    def on_descendant_focus(self) -> None:
        """Show what the focused field may be completed to."""
        for row in self._rows.values():
            row.show_note()

    # -- acts -------------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "The conclusion comes first; esc leaves it, and what you typed is kept."
        if action.owner == REFLECT and self._sources is None:
            return "The sources are being read."
        if action.owner == REFLECT and self.acting:
            return "The save is on its way."
        return super().why_not(action)

    def action_reflect_save(self) -> None:
        """Save the conclusion."""
        self._save()

    def action_reflect_insist(self) -> None:
        """Save although a text looks like a secret."""
        self._save(allow_secret=True)

    def _save(self, *, allow_secret: bool = False) -> None:
        sources, texts = self._sources, self._typed
        if sources is None:
            return
        if len(sources.projects) > 1 and not texts["project"].strip():
            self._rows["project"].field.focus()
            self.say(f"Not saved: choose a project of {', '.join(sources.projects)}, or global", severity="warning")
            return

        def run() -> Done:
            memory, done = self._reflecting.reflect(
                sources, texts, retire=texts[RETIRE] == YES, allow_secret=allow_secret
            )
            self.post_message(Concluded(memory))
            return done

        self.do(run)

    @on(Concluded)
    def _take_saved(self, message: Concluded) -> None:
        self.saved = message.memory
        self._drafts.pop(self._key, None)

    def acts_ended(self, focus: str | None) -> None:
        """Close once the conclusion is saved."""
        del focus
        if self.saved is not None and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Go to the field that is wrong; read the sources again where one of them moved."""
        if isinstance(error, ConflictError):
            self._read_sources()
        return tells_unsaved(self, self._rows, error) or super().answers_failure(error)

    def action_reflect_outline(self) -> None:
        """Put the sources' titles in at the cursor's text, below what stands there."""
        field = self._rows["insight"].field
        if self._sources is None or not isinstance(field, FormArea) or field.is_too_long:
            return
        field.move_cursor(field.document.end)
        before = "" if not field.text or field.text.endswith("\n") else "\n"
        field.insert(before + self._sources.outline)
        field.focus()

    def action_reflect_retire(self) -> None:
        """Retire the sources with the save, or keep them."""
        field = self._rows[RETIRE].field
        if isinstance(field, FormToggle):
            field.action_form_change()

    def action_reflect_down(self) -> None:
        """Read on in the sources while writing."""
        self._pane.action_half_down()

    def action_reflect_up(self) -> None:
        """Read back in the sources while writing."""
        self._pane.action_half_up()

    def action_back(self) -> None:
        """Leave; what is typed and not saved is said first, and kept."""
        if self._is_dirty and not self._warned:
            self._warned = True
            self.say(
                "Not saved yet: ctrl+s saves. esc again leaves; what you typed is kept for the same sources.",
                severity="warning",
            )
            return
        self.dismiss(None)

    def action_quit(self) -> None:
        """Quit; what is typed and not saved, here or in forms left before, is said first."""
        if self._drafts and not self._warned and not self.acting:
            self._warned = True
            self.say("Not saved yet: ctrl+s saves. Quitting again leaves without it.", severity="warning")
            return
        super().action_quit()
