"""The edit form of one memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from memtui.assist.check_suggest import about_rules, suggested_rules
from memtui.curate.fields import nameable_files
from memtui.curate.form import Basis, Decision, Finding, Texts, mistyped_project, texts_of
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError, VaultBusyError
from memtui.text.sanitize import tame
from memtui.text.token_count import get_counter
from memtui.tui.actions import registry
from memtui.tui.actions.registry import EDIT, Action
from memtui.tui.edit.form import (
    NEW_PLAN,
    PLAN,
    Draft,
    EditingAccess,
    FormRow,
    FormScreen,
    PlantedError,
    Wish,
    drafts_of,
    read_values,
)
from memtui.tui.screens.dialogs import ask_planted
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.widgets.form_fields import FormArea
from memtui.tui.widgets.lines import TitleLine

RETRY_SECONDS = 1.0  # Pause before a busy vault is read again

_FEWEST_LINES, _MOST_LINES = 3, 14  # Of the insight, whatever room there is
_FACTS_IN_SIGHT = 4  # Lines of the fields below the texts that stay in sight, where they stand below them
_COUNTED = ("title", "insight", "rationale", "snippet")  # The texts whose length is shown
_SAVES = ("edit-save", "edit-verify", "edit-insist")

_TITLES: dict[Decision, str] = {"edit": "Edit", "verify": "Edit", "accept": "Edit and accept"}


TITLE_KEPT = "one line"  # A stored memory keeps a title: none is made from its text any more


class EditScreen(FormScreen):
    """Every editable field of a memory, or of a new one.

    Args:
        identifier: the memory to edit, None to add one.
        decision: what saving says of the memory.
        typed: a draft to start with.
    """

    AREA = EDIT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(EDIT)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "edit-save": ("_save", None, False),
        "edit-insist": ("_save", None, True),
        "edit-verify": ("_save", "verify", False),
    }

    def __init__(
        self, opening: Opening, identifier: str | None, decision: Decision = "edit", *, typed: Draft | None = None
    ) -> None:
        super().__init__(opening, NEW_PLAN if identifier is None else PLAN)
        self.is_statement = True  # Whether what was saved may say something new; not where it was stored already
        self._editing = EditingAccess(self.access)
        self._identifier = identifier
        self._decision: Decision = decision
        self._typed = typed
        self._basis: Basis | None = None
        self._kept: dict[str, str] = {}
        self._found: Sequence[Finding] = ()  # By the last check
        self._tried: Sequence[Finding] = ()  # Of the rules, by the last look back
        self._set_aside: dict[str, str] | None = None  # What was typed, while what is stored is shown
        self._allows_secret = False  # Whether the save that is under way insists on what looks like a secret
        self._new_project = ""  # The name that a person was asked about
        self._tokens: int | None = None  # Of all texts, by the last check
        self._title = TitleLine("", id="edit-head")
        self._form = VerticalScroll(id="edit-form", can_focus=False)
        self._sides = {side: Vertical(id=f"edit-{side}") for side in ("texts", "facts")}

    def compose(self) -> ComposeResult:
        yield self._title
        with self._form:
            yield from self._sides.values()
        yield self.hints

    def on_mount(self) -> None:
        """Show at once that the form comes up: its fields take longer than a moment on a busy machine."""
        self.hints.place = EDIT if self._identifier is not None and self._decision == "edit" else "edit-accept"
        self.show_head()
        self.call_after_refresh(self._put_fields)

    async def _put_fields(self) -> None:
        """Put up the fields; then show the draft, or read the memory."""
        for side, box in self._sides.items():
            if not self.is_attached:
                return
            await box.mount_all(row for row in self._rows.values() if row.plan.side == side)
        draft = self._typed or drafts_of(self.app).get(self.draft_key)
        if isinstance(draft, Draft):
            self._begin_with(draft)
        else:
            self._kept = draft if isinstance(draft, dict) else {}
            self._read_basis()

    @property
    def edited(self) -> Memory | None:
        """The memory before the edit; None where all of it is a new statement."""
        return None if self._basis is None or self._decision == "accept" else self._basis.memory

    # -- filling ----------------------------------------------------------------------------------

    def _read_basis(self) -> None:
        self.loader.read(lambda: self._editing.basis(self._identifier), self._begin, group="basis")

    def _begin_with(self, draft: Draft) -> None:
        self._begin(draft.basis)
        self._rows.fill(draft.texts)
        self.changed()
        if self._typed is None:
            self.say("Draft restored; ctrl+l shows what is stored")

    def _begin(self, basis: Basis) -> None:
        self._basis = basis
        texts = texts_of(basis.memory)
        if basis.memory is None:
            texts["project"] = basis.project or ""
        for name, row in self._rows.items():
            row.field.fill(texts[name])
        self._rows.shown = self._rows.typed
        self._rows.offer({"kind": basis.kinds.names(), "tags": basis.tags, "project": (*basis.projects, "global")})
        if basis.memory is not None:
            self._rows.offer({"rules": suggested_rules(basis.memory)})
            title = self._rows["title"].field
            if isinstance(title, FormArea):
                title.placeholder = TITLE_KEPT
        in_use = basis.memory is None or basis.memory.status in {"active", "candidate"}
        self._rows["status_reason"].display = not in_use or bool(texts["status_reason"])
        # Only a field that is visible can be focused.
        self.call_after_refresh(self.open_at, self._rows["title" if basis.memory else "insight"].field)
        if basis.root is not None:
            self.loader.read(partial(nameable_files, basis.root, ()), self._offer_files, group="files")
        self.show_head()
        self.check_soon()
        self.call_after_refresh(self.draw_again)
        if self._kept:
            # Of an app that was ended from outside: only what was typed, over what is stored by now.
            self._rows.fill({name: text for name, text in self._kept.items() if name in self._rows})
            self._kept = {}
            self.changed()
            self.say("What you typed before memtui was terminated is back; ctrl+l shows what is stored")

    def _offer_files(self, files: Sequence[str]) -> None:
        self._rows.offer({"anchors": files})

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error; read a busy vault again, close the form where there is nothing to edit."""
        super().look_failed(error)
        if self._basis is None and isinstance(error, VaultBusyError):
            self.set_timer(RETRY_SECONDS, self._read_basis)
        elif self._basis is None:
            self.dismiss(None)

    # -- what is typed ----------------------------------------------------------------------------

    @property
    def draft_key(self) -> str:
        """The memory's id, empty for a new one."""
        return self._identifier or ""

    def draft(self) -> Draft:
        assert self._basis is not None  # noqa: S101 - fields are filled from it
        return Draft(self._basis, self._rows.typed, self._decision)

    def changed(self) -> None:
        """Keep a draft, and check the form after a pause."""
        if self._basis is not None:
            if self._rows.is_dirty:
                self._set_aside = None
            super().changed()
            self.call_after_refresh(self.draw_again)

    @on(FormRow.Resized)
    def draw_again(self) -> None:
        """Give the insight the room that the other texts leave, where it is more than it needs."""
        if not self._rows["insight"].is_attached:
            return
        is_wide = self.has_class("-wide")
        room = self._sides["texts"].size.height if is_wide else self._form.size.height - _FACTS_IN_SIGHT
        texts = [row for name, row in self._rows.items() if row.plan.side == "texts" and name != "insight"]
        taken = sum(row.outer_size.height + row.styles.margin.height for row in texts)
        insight = self._rows["insight"]
        area = insight.field
        said = insight.size.height - area.outer_size.height  # what is told below it
        area.styles.min_height = max(_FEWEST_LINES, room - taken - said - insight.styles.margin.height)
        area.styles.max_height = max(_MOST_LINES, room - 1)

    def _texts(self) -> dict[str, str]:
        """Return the texts; of fields that were not edited the memory's own, which a field may show differently."""
        own = texts_of(self._basis.memory) if self._basis and self._identifier is not None else {}
        shown = self._rows.shown
        return {name: own.get(name, text) if text == shown[name] else text for name, text in self._rows.typed.items()}

    def checked(self) -> tuple[Texts, Basis] | None:
        return None if self._basis is None else (self._texts(), self._basis)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show what a check found; an empty form is not told that it is empty."""
        is_empty = not self._rows.is_dirty and self._identifier is None
        self._found = findings
        self._rows.say([*findings, *self._tried], untouched=self._rows if is_empty else ())

    def check(self) -> None:
        """Check the form, and look back on which commits new rules would have stopped."""
        super().check()
        checked = self.checked()
        if checked is not None:
            self.loader.read(partial(about_rules, *checked), self._show_tried, group="rules")
            texts, encoding = (
                "\n".join(filter(None, (checked[0][name] for name in _COUNTED))),
                self.opening.context.encoding,
            )
            self.loader.read(lambda: get_counter(encoding).count(texts), self._show_tokens, group="tokens")

    def _show_tokens(self, tokens: int) -> None:
        self._tokens = tokens
        self.show_head()

    def _show_tried(self, tried: Sequence[Finding]) -> None:
        self._tried = tried
        self.show_findings(self._found)

    def show_head(self) -> None:
        """Show the version, whether something is unsaved, and how long the texts are."""
        memory = self._basis.memory if self._basis else None
        name = "Add a memory" if self._identifier is None else _TITLES[self._decision]
        state = [f"version {memory.version}"] if memory else []
        state += [memory.standing] if memory and memory.status != "active" else []
        state += ["unsaved"] if self._rows.is_dirty else []
        state += ["reading …"] if self._basis is None else []
        # Empty fields would look like an empty memory.
        self.set_class(self._basis is None, "-reading")
        size = f"{sum(len(self._rows[name].field.typed) for name in _COUNTED):,} characters"
        size += f" · {self._tokens:,} tokens" if self._tokens is not None else ""
        self._title.screen_name = name
        # The title stands below in full, however long it is.
        self._title.counts = (Content.styled(size, "$memtui-dim"),) if self._basis else ()
        self._title.note = " · ".join(state)

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.owner == EDIT and self._basis is None:
            return "The memory is being read."
        if action.owner == EDIT and self.acting:
            return "The form is being saved."
        if action.id == "edit-verify" and (self._identifier is None or self._decision == "accept"):
            return f"{self.key_of('edit-save')} accepts it; if it looks planted, that asks first and also verifies it."
        if action.id in {"undo", "redo"}:
            return "Finish the form first: esc leaves it, ctrl+z undoes typing."
        return super().why_not(action)

    def _save(self, decision: Decision | None, allow_secret: bool, is_vouched: bool = False) -> None:
        """Save with a decision, None with that which the form was opened for."""
        basis, texts = self._basis, self._texts()
        self._allows_secret = allow_secret
        if basis is None or self._asks_about_project(texts.get("project", "").strip(), basis):
            return

        def run() -> Done:
            wish = Wish(read_values(texts, basis), decision or self._decision, allow_secret, is_vouched)
            if basis.memory is None:
                memory, done = self._editing.add(wish, basis)
                self.is_statement = done.changed
            else:
                try:
                    memory, done = self._editing.save(basis.memory, wish)
                except ConflictError:
                    theirs, last = self._editing.current(basis.memory.id)
                    self.call_later(self._show_conflict, basis.memory, theirs, wish, last)
                    raise
            self.call_later(self.take_saved, memory)
            return done

        self.do(run)

    def _asks_about_project(self, typed: str, basis: Basis) -> bool:
        """Ask once about a new project whose name is nearly that of another: a typing error would make it."""
        close = mistyped_project(typed, basis)
        if close is None or typed == self._new_project:
            return False
        asked = f"{tame(typed, 40)} would be a new project – did you mean {tame(close, 40)}? Saving again makes it."
        self._new_project = typed
        self.again.agrees(_SAVES, asked, lambda: self._texts().get("project"))
        self.set_focus(self._rows["project"].field)
        return True

    def answers_failure(self, error: MemtuiError) -> bool:
        """Go to the invalid field, or ask about what looks planted; a version conflict opens its own screen."""
        if isinstance(error, PlantedError):
            save = partial(self._save, None, allow_secret=self._allows_secret, is_vouched=True)
            ask_planted(self.app, error.reason, self._texts(), save)
            return True
        return super().answers_failure(error) or isinstance(error, ConflictError)

    def _show_conflict(self, base: Memory, theirs: Memory, wish: Wish, last: str) -> None:
        from memtui.tui.edit.version_conflict import ConflictScreen

        screen = ConflictScreen(self.opening, base, theirs, wish, last)

        def resolved(_: None) -> None:
            if screen.saved is not None:
                self.take_saved(screen.saved)
                self.call_after_refresh(self.acts_ended, None)

        self.app.push_screen(screen, resolved)

    def action_edit_stored(self) -> None:
        """Show what is stored; again, what was typed."""
        if self._set_aside is not None:
            self._rows.fill(self._set_aside)
            self.changed()
        elif self._rows.is_dirty:
            typed = self._rows.typed
            self._rows.fill(self._rows.shown)
            self.changed()
            self._set_aside = typed
            self.say("This is the stored text; ctrl+l restores what you typed")
