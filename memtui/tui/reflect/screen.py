"""Reflect: sources beside the form for the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content

from memtui.curate.fields import vault_tags
from memtui.curate.form import NO, YES, Basis, Finding, Texts, texts_of
from memtui.curate.links import FEWEST_SOURCES, Conclusion, propose, reflect
from memtui.curate.merge import common_project, named_projects
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError, NotFoundError
from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import GO, REFLECT, Action
from memtui.tui.edit.form import FieldPlan, FormScreen, drafts_of, read_values
from memtui.tui.memory_view import ago, days_between
from memtui.tui.state import Opening
from memtui.tui.styled_text import LONGEST_SHOWN, Block, highlighted
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.form_fields import FormArea, FormToggle
from memtui.tui.widgets.lines import TitleLine
from memtui.vault.projects import project_names
from memtui.wording import outcomes


@dataclass(frozen=True, slots=True)
class Sources:
    """What a conclusion is written from."""

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]  # kind and age of each
    basis: Basis  # what the form starts from: a memory with the proposed tags, files and project, and no text
    outline: str  # the titles, one a line
    projects: tuple[str, ...]  # named projects, of which the user chooses one where there are several


def read_sources(access: VaultAccess, identifiers: Sequence[str]) -> Sources:
    """Return the sources, and what a conclusion takes from them.

    Raises `NotFoundError`: fewer than two of them are left.
    """
    memories = access.memories(identifiers)
    if len(memories) < FEWEST_SOURCES:
        raise NotFoundError("The sources of the conclusion no longer exist", remedy="esc goes back.")
    named = named_projects(memories)
    project = common_project(memories[0], memories[1:]) if len(named) < 2 else None  # noqa: PLR2004 - several
    proposed, now = propose(memories), access.vault.now()
    with access.read_vault.read() as reader:
        tree = access.tree_of(reader, project)
        projects = tuple(project_names(reader))
    blank = Memory(
        id="",
        title="",
        insight="",
        kind=DEFAULT_KIND,
        project=project,
        tags=proposed.tags,
        anchors=proposed.anchors,
        created_at=now,
        updated_at=now,
    )
    root = tree.root if tree is not None else None
    basis = Basis(blank, access.vault.kinds, root, project, projects, vault_tags(access.read_vault))
    headings = tuple(f"{tame(m.kind)} · {ago(days_between(m.observed_at or m.created_at, now))}" for m in memories)
    return Sources(tuple(memories), headings, basis, proposed.outline, tuple(named))


def save_conclusion(
    access: VaultAccess, sources: Sources, texts: Texts, *, retire: bool, allow_secret: bool
) -> tuple[Memory, Done]:
    """Store the conclusion with its sources as one change.

    Raises:
        FormError: a field is invalid.
        ConflictError: a source changed since it was read.
    """
    values = read_values(texts, sources.basis)
    texts_given = {name: values[name] for name in ("title", "tags", "anchors", "project") if name in values}
    conclusion = Conclusion(
        text=values.get("insight", ""),
        kind=values.get("kind", DEFAULT_KIND),
        why=values.get("rationale", ""),
        allow_secret=allow_secret,
        **texts_given,
    )
    access.opening.before_change()
    made = reflect(
        access.vault,
        [memory.id for memory in sources.memories],
        conclusion,
        actor=access.opening.actor,
        retire=retire,
        versions={memory.id: memory.version for memory in sources.memories},
        secret_patterns=access.opening.secret_patterns,
    )
    return made.memory, Done(outcomes.reflected(made), focus=made.memory.id)


def source_blocks(sources: Sources) -> list[Block]:
    """Return the sources one below the other: title, kind and age, text and reason."""
    blocks: list[Block] = []
    for place, (memory, heading) in enumerate(zip(sources.memories, sources.headings, strict=True), 1):
        blocks.append(Block(((f"{place} ", "label"), (tame(memory.title, 300), "title")), gap=place > 1))
        blocks.append(Block(((heading, "dim"),)))
        for label, text in (("", memory.insight), ("Why", memory.rationale)):
            shown = unwrapped(reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip())
            if shown and shown != memory.title:
                blocks.append(Block(highlighted(shown + ("\n…" if len(text) > LONGEST_SHOWN else "")), label=label))
    return blocks


RETIRE = "retire"

PLAN: tuple[FieldPlan, ...] = (
    FieldPlan("insight", "Insight", "markdown", "texts", "what follows from them, in your own words"),
    FieldPlan("title", "Title", "title", "texts", "one line; derived from the text if empty"),
    FieldPlan("rationale", "Why", "area", "texts", "the reason for it, and when it applies"),
    FieldPlan("kind", "Kind", "line", "texts", "lesson"),
    FieldPlan("tags", "Tags", "line", "texts", "separated by commas"),
    FieldPlan("anchors", "Files", "area", "texts", "one path or glob per line"),
    FieldPlan("project", "Project", "line", "texts", "the sources' project"),
    FieldPlan(RETIRE, "Retire", "toggle", "texts", "retire the sources; no keeps them"),
)


class ReflectScreen(FormScreen):
    """Write a conclusion from two to twenty memories; saving it is one undoable change."""

    AREA = REFLECT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(REFLECT)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "reflect-save": ("_save", False),
        "reflect-insist": ("_save", True),
        "reflect-down": ("_pane.action_half_down",),
        "reflect-up": ("_pane.action_half_up",),
    }

    def __init__(self, opening: Opening, identifiers: Sequence[str]) -> None:
        super().__init__(opening, PLAN)
        self._identifiers = tuple(identifiers)
        self._sources: Sources | None = None
        self._title = TitleLine("Conclude", id="reflect-head")
        self._pane = DetailPane(id="reflect-sources")
        self._form = VerticalScroll(id="reflect-form", can_focus=False)

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="reflect-panes"):
            yield self._pane.add_class("pane")
            with self._form.add_class("pane"):
                yield from self._rows.values()
        yield self.hints

    def on_mount(self) -> None:
        """Restore a draft; the vault is read after the first paint."""
        self._pane.set_title("Sources")
        self._form.border_title = Content("Conclusion")
        draft = drafts_of(self.app).get(self.draft_key)
        if isinstance(draft, dict):
            self._rows.fill(draft)
            self.say("Draft restored")
        self.show_head()
        self.call_after_refresh(self.open_at, self._rows["insight"].field)
        self.call_after_refresh(self._read)

    def _read(self) -> None:
        self.loader.read(lambda: read_sources(self.access, self._identifiers), self._show_sources, group="sources")

    def _show_sources(self, sources: Sources) -> None:
        self.trouble_is_over()
        self._sources = sources
        shown, typed = self._rows.shown, self._rows.typed
        proposed = {**texts_of(sources.basis.memory), RETIRE: NO}
        self._rows.fill({name: proposed[name] for name, text in typed.items() if text == shown[name]})
        self._rows.shown = {name: proposed[name] for name in typed}
        basis = sources.basis
        projects = sources.projects or (*basis.projects, "global")
        self._rows.offer({"kind": basis.kinds.names(), "tags": basis.tags, "project": projects})
        self._pane.set_title(f"Sources ─ {len(sources.memories)}")
        self._pane.show(source_blocks(sources), from_top=True)
        self.show_head()
        self.check_soon()

    # -- what is typed ----------------------------------------------------------------------------

    @property
    def draft_key(self) -> str:
        """The sources, whatever their order."""
        return f"{REFLECT} {' '.join(sorted(self._identifiers))}"

    def draft(self) -> dict[str, str]:
        """Return the texts; what they are based on is read again."""
        return self._rows.typed

    def checked(self) -> tuple[Texts, Basis] | None:
        return None if self._sources is None else (self._rows.typed, self._sources.basis)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show what a check found, and that a project has to be chosen where the sources belong to several."""
        is_empty = not self._rows["insight"].field.typed.strip()
        self._rows.say(findings, untouched=("insight",) if is_empty else ())
        projects = self._sources.projects if self._sources is not None else ()
        if len(projects) > 1 and not self._rows["project"].field.typed.strip():
            say = f"the sources belong to {', '.join(projects)}: choose one, or global"
            self._rows["project"].say([Finding("project", "error", say)])

    def show_head(self) -> None:
        """Show how many sources there are, and whether something is unsaved."""
        number = counted(len(self._identifiers), "source")
        state = "unsaved" if self._rows.is_dirty else "" if self._sources else "reading …"
        self._title.counts, self._title.note = [Content(f"{number} → one conclusion")], state

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "Finish the conclusion first; esc leaves it and keeps a draft."
        if action.owner == REFLECT and self._sources is None:
            return "The sources are being read."
        if action.owner == REFLECT and self.acting:
            return "The conclusion is being saved."
        return super().why_not(action)

    def _save(self, allow_secret: bool) -> None:
        sources, texts = self._sources, self._rows.typed
        if sources is None:
            return
        if len(sources.projects) > 1 and not texts["project"].strip():
            self._rows["project"].field.focus()
            self.say(f"Not saved: choose a project of {', '.join(sources.projects)}, or global", severity="warning")
            return

        def run() -> Done:
            memory, done = save_conclusion(
                self.access, sources, texts, retire=texts[RETIRE] == YES, allow_secret=allow_secret
            )
            self.call_later(self.take_saved, memory)
            return done

        self.do(run)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Go to the invalid field; read the sources again where one of them changed."""
        if isinstance(error, ConflictError):
            self._read()
        return super().answers_failure(error)

    def action_reflect_outline(self) -> None:
        """Insert the sources' titles below the text."""
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
