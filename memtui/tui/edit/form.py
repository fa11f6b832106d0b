"""A form over one memory, with drafts kept and checks while typing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static, TextArea

from memtui.curate.form import Basis, texts_of
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError, SecretRefusedError, VaultBusyError
from memtui.tui.actions import registry
from memtui.tui.actions.table import EDIT
from memtui.tui.edit.fields import PLAN, FormRow, FormToggle, row_of
from memtui.tui.edit.messages import BasisRead, FilesRead, FormChecked
from memtui.tui.edit.queries import EditingAccess, FormError
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.screen import MemtuiScreen
from memtui.tui.text_layout import tame

if TYPE_CHECKING:
    from memtui.curate.form import Decision

NEW = ""
"""Key of the draft of a new memory."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A form that was left.

    Attributes:
        basis: what it started from; a save is still based on that version.
        texts: what stood in its fields.
    """

    basis: Basis
    texts: dict[str, str]
    decision: Decision


def drafts_of(app: App[object]) -> dict[str, Draft]:
    """Return the drafts that an app keeps."""
    found: dict[str, Draft] = getattr(app, "drafts", {})
    return found


def tells_unsaved(screen: MemtuiScreen, rows: Mapping[str, FormRow], error: MemtuiError) -> bool:
    """Go to the field that is wrong, or tell of the secret that is in one; returns whether it was either.

    Args:
        rows: its rows by field.
        error: why it was not saved.
    """
    if isinstance(error, FormError):
        rows[error.finding.field].field.focus()
        screen.say(f"Not saved: {error.finding.text}", severity="warning")
        return True
    if isinstance(error, SecretRefusedError):
        screen.say(
            f"{error.what}: {error.where}. Nothing was stored. Take it out, or ctrl+n keeps it nevertheless.",
            severity="error",
        )
        return True
    return False


AGAIN_SECONDS = 1.0
"""Pause before a busy vault is asked again for the memory."""

CHECK_SECONDS = 0.15
"""Pause after a key before the form is checked."""

_TITLES: dict[Decision, str] = {"edit": "Edit", "verify": "Edit", "accept": "Edit and accept"}


class FormScreen(MemtuiScreen):
    """A form over one memory, or an empty one.

    Args:
        opening: what the app was opened with.
        identifier: the memory to edit, None to add one.
        decision: what is said of the memory by saving it.
        typed: values to begin with in place of the stored ones: a draft of the person's.
    """

    AREA = EDIT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(EDIT)
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(
        self, opening: Opening, identifier: str | None, decision: Decision = "edit", *, typed: Draft | None = None
    ) -> None:
        super().__init__(opening)
        self.is_opening = True
        self.saved: Memory | None = None
        """The memory as stored, once that is done."""
        self.is_statement = True
        """Whether what was saved may say something new; not where it was there already."""
        self._editing = EditingAccess(self.access)
        self._identifier = identifier
        self._decision: Decision = decision
        self._typed = typed
        self._basis: Basis | None = None
        self._shown: dict[str, str] = {}
        self._set_aside: dict[str, str] | None = None
        self._warned = False
        self._ticket = 0
        self._told = 0
        """The newest request whose findings are on the screen."""
        self._pause: Timer | None = None
        self._head = Static("", id="edit-head", markup=False)
        self._rows = {plan.name: FormRow(plan) for plan in PLAN}

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        yield self._head
        with VerticalScroll(id="edit-form", can_focus=False):
            for side in ("texts", "facts"):
                with Vertical(id=f"edit-{side}"):
                    for plan in PLAN:
                        if plan.side == side:
                            yield self._rows[plan.name]
        yield self.hints

    def on_mount(self) -> None:
        """Ask for the memory after the first picture."""
        self.hints.place = EDIT if self._identifier is not None and self._decision == "edit" else "edit-accept"
        self._tell_head()
        draft = self._typed or drafts_of(self.app).get(self._key)
        if draft is not None:
            self.call_after_refresh(self._begin_with, draft)
        else:
            self.call_after_refresh(self._read_basis)

    @property
    def _key(self) -> str:
        return NEW if self._identifier is None else self._identifier

    # -- filling ----------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="basis", exit_on_error=False)
    def _read_basis(self) -> None:
        try:
            basis = self._editing.basis(self._identifier)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(BasisRead(basis))

    @on(BasisRead)
    def _begin(self, message: BasisRead) -> None:
        self._take_basis(message.basis)

    def _begin_with(self, draft: Draft) -> None:
        self._take_basis(draft.basis)
        self._put(draft.texts)
        if self._typed is None:
            self.say("Brought back what you typed before; ctrl+l shows what is stored")

    def _take_basis(self, basis: Basis) -> None:
        self._basis = basis
        self.remove_class("-reading")
        texts = texts_of(basis.memory)
        if basis.memory is None:
            texts["project"] = basis.project or ""
        for name, row in self._rows.items():
            row.field.fill(texts[name])
            self._shown[name] = row.field.typed
        self._offer(basis)
        in_use = basis.memory is None or basis.memory.status in {"active", "candidate"}
        self._rows["status_reason"].display = not in_use or bool(texts["status_reason"])
        # Only once the fields are in sight can one of them have the focus.
        self.call_after_refresh(self.open_at, self._rows["title" if basis.memory else "insight"].field)
        if basis.root is not None:
            self._read_files()
        self._tell_head()
        self._check_soon()

    def _offer(self, basis: Basis) -> None:
        for name, choices in (
            ("kind", basis.kinds.names()),
            ("tags", basis.tags),
            ("project", (*basis.projects, "global")),
        ):
            field = self._rows[name].field
            if not isinstance(field, FormToggle):
                field.choices = tuple(dict.fromkeys(choices))

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def _read_files(self) -> None:
        if self._basis is not None and self._basis.root is not None:
            self.post_message(FilesRead(self._editing.files(self._basis.root)))

    @on(FilesRead)
    def _offer_files(self, message: FilesRead) -> None:
        field = self._rows["anchors"].field
        if not isinstance(field, FormToggle):
            field.choices = message.files

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault could not be read."""
        self.complain(str(error))
        if self._basis is None and isinstance(error, VaultBusyError):
            self.set_timer(AGAIN_SECONDS, self._read_basis)
        elif self._basis is None:
            self.dismiss(None)

    # -- what stands in it ------------------------------------------------------------------------

    def _texts(self) -> dict[str, str]:
        """Return what the fields stand for: where nothing was typed, the memory's own text to the letter."""
        own = texts_of(self._basis.memory) if self._basis else {}
        typed = {name: row.field.typed for name, row in self._rows.items()}
        return {
            name: own.get(name, text) if text == self._shown.get(name) and self._identifier is not None else text
            for name, text in typed.items()
        }

    @property
    def _is_dirty(self) -> bool:
        return self._basis is not None and any(
            row.field.typed != self._shown.get(name) for name, row in self._rows.items()
        )

    def _put(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            if self._rows[name].field.typed != text:
                self._rows[name].field.fill(text)
        self._changed()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(FormToggle.Changed)
    def _take_typed(self, event: Message) -> None:
        event.stop()
        self._changed()

    def _changed(self) -> None:
        """Keep the draft, and check the form after a pause."""
        if self._basis is None or self.saved is not None:
            return
        self._warned = False
        if self._is_dirty:
            texts = {name: row.field.typed for name, row in self._rows.items()}
            drafts_of(self.app)[self._key] = Draft(self._basis, texts, self._decision)
            self._set_aside = None
        else:
            drafts_of(self.app).pop(self._key, None)
        self._tell_head()
        row = row_of(self.focused)
        if row is not None:
            row.show_note()
        self._check_soon()

    def _tell_head(self) -> None:
        memory = self._basis.memory if self._basis else None
        name = "Add a memory" if self._identifier is None else _TITLES[self._decision]
        state = [f"version {memory.version}"] if memory else []
        state += [memory.status] if memory and memory.status != "active" else []
        state += ["unsaved"] if self._is_dirty else []
        state += ["reading …"] if self._basis is None else []
        # Empty fields would look like an empty memory.
        self.set_class(self._basis is None, "-reading")
        self._head.update(
            Content.assemble(
                " ",
                (name, "bold $primary"),
                "  ",
                tame(memory.title, 60) if memory else "",
                "   ",
                (" · ".join(state), "$memtui-dim"),
            )
        )

    # -- checking ---------------------------------------------------------------------------------

    def _check_soon(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(CHECK_SECONDS, self._check_now)

    def _check_now(self) -> None:
        if self._basis is not None:
            self._ticket += 1
            self._check(self._texts(), self._basis, self._ticket)

    @work(thread=True, exclusive=True, group="check", exit_on_error=False)
    def _check(self, texts: dict[str, str], basis: Basis, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            findings = self._editing.check(texts, basis)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(FormChecked(findings, ticket))

    @on(FormChecked)
    def _show_findings(self, message: FormChecked) -> None:
        if message.ticket != self._ticket:
            return
        self._told = message.ticket
        untouched = not self._is_dirty and self._identifier is None
        for name, row in self._rows.items():
            found = tuple(each for each in message.findings if each.field == name)
            # An empty form is not told that it is empty.
            row.say(tuple(each for each in found if each.level != "error") if untouched else found)

    def on_descendant_focus(self) -> None:
        """Show what the focused field may be completed to."""
        row = row_of(self.focused) if self.focused is not None else None
        if row is not None:
            row.show_note()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Show no completions beside a field that is left."""
        row = row_of(event.widget)
        if row is not None:
            row.show_note()
