"""Forms: rows of fields with notes, drafts of what was typed, checks while typing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static, TextArea

from memtui.curate.fields import vault_tags, without_files
from memtui.curate.form import (
    Basis,
    Decision,
    Finding,
    Texts,
    check_form,
    looks_planted,
    read_form,
    save_edit,
    texts_of,
)
from memtui.curate.memories import NewMemory, add_memory
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError, NotFoundError, SecretRefusedError, UsageError
from memtui.text.planted import Planted
from memtui.text.sanitize import tame
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.form_fields import LONGEST_TAGS, FormArea, FormField, FormLine, FormTitle, FormToggle
from memtui.vault.projects import project_names
from memtui.wording import outcomes


@dataclass(frozen=True, slots=True)
class Wish:
    """A save that the user asked for."""

    values: Mapping[str, Any]  # new values by field
    decision: Decision = "edit"  # what the save says of the memory
    allow_secret: bool = False  # whether to save what looks like a secret
    is_vouched: bool = False  # whether the person was told why it looks planted, and stands for it


class FormError(UsageError):
    """A field of the form is invalid."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


class PlantedError(MemtuiError):
    """What is taken into use looks planted, and the person was not told so yet. `reason`: what follows "it"."""

    def __init__(self, reason: Planted) -> None:
        super().__init__(f"Looks planted: it {reason}", remedy="The Inbox asks about it separately.")
        self.reason = reason


def read_values(texts: Texts, basis: Basis) -> dict[str, Any]:
    """Return the values that the texts of a form stand for. Raises `FormError`: a field is invalid."""
    values, errors = read_form(texts, basis)
    if errors:
        raise FormError(errors[0])
    return values


class EditingAccess:
    """Reads what a form starts from, and saves it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def basis(self, identifier: str | None) -> Basis:
        """Return what a form starts from: the memory, or the project and folder of a new one.

        Raises `NotFoundError`: the memory no longer exists.
        """
        opening = self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            here = view.project if view.named or view.stands_in else None
            memory = reader.get(reader.resolve(identifier)) if identifier is not None else None
            owner = here if memory is None or memory.project is None else memory.project
            tree = self._access.tree_of(reader, owner)
            projects = tuple(project_names(reader))
        root = tree.root if tree is not None else view.root if memory is None else None
        return Basis(memory, opening.vault.kinds, root, here, projects, vault_tags(self._reading))

    def current(self, identifier: str) -> tuple[Memory, str]:
        """Return a memory as it is stored now, and who changed it last and how.

        Raises `NotFoundError`: it no longer exists.
        """
        from memtui.vault.facets import last_changes

        with self._reading.read() as reader:
            found = reader.get_many([identifier]).get(identifier)
            changes = last_changes(reader, identifier, limit=1)
        if found is None:
            raise NotFoundError(
                "The memory no longer exists: adding it was undone, or it was purged",
                where=identifier,
                remedy="Undo or restore it first, or add it again.",
            )
        return found, "".join(f"{tame(actor)}: {tame(summary, 60)}" for _, actor, summary in changes)

    def save(self, base: Memory, wish: Wish) -> tuple[Memory, Done]:
        """Save against the version that the edit is based on.

        Raises `ConflictError`: the memory changed since; `PlantedError`: it is accepted, looks planted, and the wish
        does not say that the person stands for it.
        """
        opening = self._opening
        if not wish.values and wish.decision == "edit":
            return base, Done("Nothing to change", changed=False)
        if wish.decision == "accept":
            _check_planted(base, wish)
        tree = None
        if wish.decision == "verify":
            with self._reading.read() as reader:
                tree = self._access.tree_of(reader, base.project)
        opening.before_change()
        saved = save_edit(
            self._vault,
            base.id,
            wish.values,
            actor=opening.actor,
            if_version=base.version,
            folder=opening.folder,
            decision=wish.decision,
            tree=tree,
            is_vouched=wish.is_vouched,
            allow_secret=wish.allow_secret,
            secret_patterns=opening.secret_patterns,
        )
        if saved.version == base.version:
            return saved, Done("Nothing to change", changed=False)
        word = {"edit": "Saved", "verify": "Saved and verified", "accept": "Accepted"}[wish.decision]
        place = "" if saved.project else " (unassigned: left out of payloads until it has a project)"
        follows = " (the title follows the text)" if saved.title not in {base.title, wish.values.get("title")} else ""
        told = f"{word}: {tame(saved.title)}{follows}{place if wish.decision == 'accept' else ''}"
        held = outcomes.held(saved, "Y in Browse verifies it")
        lost = self._matches_nothing(saved, base)
        return saved, Done(". ".join(filter(None, (told, held, lost))), focus=saved.id)

    def _matches_nothing(self, saved: Memory, base: Memory | None = None) -> str:
        """Return which globs that were added by the save fit no file."""
        added = [anchor for anchor in saved.anchors if base is None or anchor not in base.anchors]
        if not added:
            return ""
        with self._reading.read() as reader:
            tree = self._access.tree_of(reader, saved.project)
        return outcomes.matches_nothing(without_files(added, tree.root)) if tree else ""

    def add(self, wish: Wish, basis: Basis) -> tuple[Memory, Done]:
        """Store a new memory. Raises `PlantedError`: as of `save`."""
        _check_planted(None, wish)
        opening, values = self._opening, dict(wish.values)
        values["text"] = values.pop("insight", "")
        values["why"] = values.pop("rationale", "")
        values["files"] = [anchor.path for anchor in values.pop("anchors", ())]
        values.pop("status_reason", None)
        new = NewMemory(
            **{"project": opening.project, **{k: v for k, v in values.items() if v is not None}},
            allow_secret=wish.allow_secret,
            is_vouched=wish.is_vouched,
        )
        opening.before_change()
        added = add_memory(
            self._vault,
            new,
            actor=opening.actor,
            folder=self._place(basis),
            secret_patterns=opening.secret_patterns,
        )
        memory, title = added.memory, tame(added.memory.title)
        if not added.is_new:
            return memory, Done(
                f"Already stored ({memory.id}, {memory.standing}): {title}", changed=False, focus=memory.id
            )
        guess = " (guessed)" if added.guessed_kind else ""
        place = f"project {tame(memory.project)}" if memory.project else "unassigned: left out of payloads"
        waiting = ", waiting in the inbox" if memory.status == "candidate" else ""
        told = f"Added {memory.kind}{guess}, {place}{waiting}: {title}"
        return memory, Done(". ".join(filter(None, (told, self._matches_nothing(memory)))), focus=memory.id)

    def _place(self, basis: Basis) -> Path:
        """Return the folder that the files of a new memory are relative to."""
        folder = self._opening.folder
        return basis.root if basis.root is not None and folder.is_relative_to(basis.root) else folder


def _check_planted(base: Memory | None, wish: Wish) -> None:
    if not wish.is_vouched and (reason := looks_planted(base, wish.values)):
        raise PlantedError(reason)


CHECK_SECONDS = 0.15  # Pause after a key before the form is checked

_MARKS = {"error": ("✗ ", "$error"), "secret": ("! ", "$error"), "hint": ("", "$memtui-dim")}


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """How a form shows one field of a memory."""

    name: str
    label: str
    # the widget; an `area` and a `title` grow with their text, `markdown` is an area that highlights it
    shape: Literal["line", "title", "area", "markdown", "toggle"]
    side: Literal["texts", "facts"]  # the column of a wide form
    meaning: str  # what to type, shown while the field is empty


PLAN: tuple[FieldPlan, ...] = (
    FieldPlan("title", "Title", "title", "texts", "one line; derived from the text if empty"),
    FieldPlan("insight", "Insight", "markdown", "texts", "what is worth knowing"),
    FieldPlan("rationale", "Why", "markdown", "texts", "the reason for it, and when it applies"),
    FieldPlan("snippet", "Snippet", "area", "texts", "a code snippet"),
    FieldPlan("kind", "Kind", "line", "facts", "guessed from the text if empty"),
    FieldPlan("tags", "Tags", "line", "facts", "separated by commas"),
    FieldPlan("anchors", "Files", "area", "facts", "one path or glob per line"),
    FieldPlan("rules", "Rules", "area", "facts", "protect 'GLOB'; one per line, for memtui check"),
    FieldPlan("project", "Project", "line", "facts", "unassigned"),
    FieldPlan("importance", "Importance", "line", "facts", "1 to 5"),
    FieldPlan("confidence", "Confidence", "line", "facts", "0 to 1"),
    FieldPlan("pinned", "Pinned", "toggle", "facts", "never goes stale"),
    FieldPlan("valid_from", "True from", "line", "facts", "always, or from 2026-01-31"),
    FieldPlan("valid_until", "True until", "line", "facts", "forever, or until 2026-01-31"),
    FieldPlan("half_life_days", "Half-life", "line", "facts", "the kind's default, or 90d"),
    FieldPlan("status_reason", "Reason", "line", "facts", "the reason for its status"),
)

NEW_PLAN = (PLAN[1], PLAN[0], *PLAN[2:])
"""Of a new memory: its text first, where the cursor stands, as the title is made from it."""


_MOST_OFFERED = 12  # Completions that a note names: all kinds that there are at first


class FormRow(Vertical):
    """A label, a field, and a note with findings and completions."""

    class Resized(Message):
        """The row has another size, which leaves the others another room."""

    def __init__(self, plan: FieldPlan) -> None:
        super().__init__(id=f"edit-row-{plan.name}", classes=f"edit-row -{plan.shape}")
        self.plan = plan
        self.field = _field(plan)
        self.said: tuple[Finding, ...] = ()  # What the last check found in the field
        self._note: Static | None = None

    def compose(self) -> ComposeResult:
        """Lay out the row; the note is mounted once there is one."""
        yield Static(self.plan.label, classes="edit-label", markup=False)
        yield self.field

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def say(self, findings: Iterable[Finding]) -> None:
        """Show what a check found in the field."""
        self.said = tuple(findings)
        self.show_note()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    @on(Input.Changed)
    @on(TextArea.Changed)
    def show_note(self) -> None:
        """Show the findings and, while the field has the focus, completions of what is being typed."""
        lines = [
            Content.styled(mark + tame(each.text, 300), style)
            for each in self.said
            for mark, style in [_MARKS[each.level]]
        ]
        field = self.field
        if isinstance(field, FormArea) and field.is_too_long:
            ways = "E in the list opens your editor, ctrl+z undoes a paste"
            size = f"{len(field.typed):,} characters, saved whole; {ways}"
            lines.append(Content.styled(size, "$memtui-dim"))
        offered = field.offered() if field.has_focus and not isinstance(field, FormToggle) else []
        if offered:
            ways = "↓ " if isinstance(field, FormLine) and field.typed in {"", *field.choices} else "→ or ↓ "
            keys = "→ " if isinstance(field, FormArea) else ways
            names = "  ".join(tame(each, 60) for each in offered[:_MOST_OFFERED])
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
    if plan.shape == "title":
        field = FormTitle(id=identifier)
    elif plan.shape in {"area", "markdown"}:
        field = FormArea(id=identifier, markdown=plan.shape == "markdown")
    else:
        many = plan.name == "tags"
        field = FormLine(id=identifier, many=many, **({"longest": LONGEST_TAGS} if many else {}))
    field.placeholder = Content(plan.meaning) if isinstance(field, FormArea) else plan.meaning
    return field


class FormRows(dict[str, FormRow]):
    """The rows of a form by field.

    Attributes:
        shown: the texts that the fields were filled with.
    """

    def __init__(self, plans: Sequence[FieldPlan]) -> None:
        super().__init__((plan.name, FormRow(plan)) for plan in plans)
        self.shown = self.typed

    @property
    def typed(self) -> dict[str, str]:
        return {name: row.field.typed for name, row in self.items()}

    @property
    def is_dirty(self) -> bool:
        """Whether a text differs from what the form was filled with."""
        return self.typed != self.shown

    def fill(self, texts: Mapping[str, str]) -> None:
        """Set texts; fields that hold them already keep their cursor."""
        for name, text in texts.items():
            if self[name].field.typed != text:
                self[name].field.fill(text)

    def offer(self, choices: Mapping[str, Iterable[str]]) -> None:
        """Set the completions of fields."""
        for name, offered in choices.items():
            field = self[name].field
            if not isinstance(field, FormToggle):
                field.choices = tuple(dict.fromkeys(offered))

    def say(self, findings: Sequence[Finding], *, untouched: Iterable[str] = ()) -> None:
        """Show findings beside their fields; errors of untouched fields are left out: they are empty still."""
        for name, row in self.items():
            own = [each for each in findings if each.field == name]
            row.say(each for each in own if each.level != "error" or name not in untouched)


@dataclass(frozen=True, slots=True)
class Draft:
    """A form that was left unsaved."""

    basis: Basis  # what it started from; a save is still based on that version
    texts: dict[str, str]
    decision: Decision

    @property
    def changed(self) -> dict[str, str]:
        """The texts that were changed, by field."""
        before = texts_of(self.basis.memory)
        if self.basis.memory is None:
            before["project"] = self.basis.project or ""
        return {name: text for name, text in self.texts.items() if text != before.get(name, "")}


def drafts_of(app: App[object]) -> dict[str, object]:
    """Return the drafts that the app keeps until it ends."""
    found: dict[str, object] = getattr(app, "drafts", {})
    return found


class FormScreen(MemtuiScreen):
    """A form that keeps a draft of what is typed, checks it while typing, and warns once before it is left unsaved."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, plans: Sequence[FieldPlan]) -> None:
        super().__init__(opening)
        self.is_opening = True
        self.saved: Memory | None = None  # The memory as stored, once that is done
        self._rows = FormRows(plans)
        self._pause: Timer | None = None

    # -- what a form says -------------------------------------------------------------------------

    @property
    def draft_key(self) -> str:
        raise NotImplementedError

    def draft(self) -> object:
        """Return what to keep of a form that is left unsaved."""
        raise NotImplementedError

    def checked(self) -> tuple[Texts, Basis] | None:
        """Return the texts to check, and what they are based on; None while that is being read."""
        raise NotImplementedError

    def show_findings(self, findings: Sequence[Finding]) -> None:
        self._rows.say(findings)

    def show_head(self) -> None:
        """Show the title and whether something is unsaved."""

    # -- typing -----------------------------------------------------------------------------------

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(FormToggle.Changed)
    def _take_typed(self, event: Message) -> None:
        event.stop()
        self.changed()

    def changed(self) -> None:
        """Keep a draft, and check the form after a pause."""
        if self.saved is not None:
            return
        if self._rows.is_dirty:
            drafts_of(self.app)[self.draft_key] = self.draft()
        else:
            drafts_of(self.app).pop(self.draft_key, None)
        self.show_head()
        self.check_soon()

    def check_soon(self) -> None:
        """Check the form once nothing is typed for a moment."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(CHECK_SECONDS, self.check)

    def check(self) -> None:
        found = self.checked()
        if found is not None:
            patterns = self.opening.secret_patterns
            self.loader.read(lambda: check_form(*found, patterns), self.show_findings, group="check")

    # -- saving -----------------------------------------------------------------------------------

    def take_saved(self, memory: Memory) -> None:
        """Note that the form was saved; its draft is no longer needed, nor what was said of it unsaved."""
        self.saved = memory
        self.again.drop()
        drafts_of(self.app).pop(self.draft_key, None)

    def acts_ended(self, focus: str | None) -> None:
        """Close once saved."""
        del focus
        if self.saved is not None and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Go to the invalid field, or say how to save a text that looks like a secret."""
        if isinstance(error, FormError):
            self._rows[error.finding.field].field.focus()
            self.say(f"Not saved: {error.finding.text}", severity="warning")
        elif isinstance(error, SecretRefusedError):
            self.say(
                f"{error.what}: {error.where}. Nothing was saved. Remove it, or ctrl+n saves it anyway.",
                severity="error",
            )
        else:
            return super().answers_failure(error)
        return True

    def action_back(self) -> None:
        """Leave; warn once of what is unsaved, of which a draft is kept."""
        words = f"Not saved yet: {self.key_of('edit-save')} saves. esc again leaves and keeps a draft."
        if self._rows.is_dirty and not self.again.agrees("back", words, lambda: self._rows.typed):
            return
        if self._rows.is_dirty:
            self.app.clear_notifications()  # What was told of the form is no longer so.
            self.say("Not saved; a draft is kept: opening the form again brings it back")
        self.dismiss(None)

    def action_quit(self) -> None:
        """Quit; warn once of what is unsaved, here or in drafts."""
        words = f"Not saved yet: {self.key_of('edit-save')} saves. Quit again to leave without saving."
        is_unsaved = bool(drafts_of(self.app)) and not self.acting
        if not is_unsaved or self.again.agrees("quit", words, lambda: self._rows.typed):
            super().action_quit()
