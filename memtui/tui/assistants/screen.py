"""Assistants: which are here, what is installed in them, what they asked for; installs and removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

from textual.binding import BindingType

from memtui.assist.install.plan import Plan
from memtui.assist.install.probe import Probed
from memtui.domain.wiring import Scope
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ASSISTANTS, LISTING, Action
from memtui.tui.assistants.view import (
    AssistantRow,
    AssistantsRead,
    Installer,
    assistant_blocks,
    assistant_cells,
    assistant_lines,
    plan_blocks,
)
from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.row_detail import BREAKPOINTS, RowPanes, pane_answers
from memtui.tui.screens.dialogs import DiffScreen
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.switching import no_folder
from memtui.tui.widgets.lines import TitleLine
from memtui.wording.copying import copied_words
from memtui.wording.publishing import SCOPE_WORDS

_WRITTEN_ONLY = frozenset({"assistants-install", "assistants-remove", "assistants-test", "assistants-scope"})


class AssistantsScreen(ListDetail):
    """The assistants beside all about one of them."""

    AREA = ASSISTANTS
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(ASSISTANTS, LISTING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "assistants-install": ("_show_plan", False),
        "assistants-remove": ("_show_plan", True),
        **pane_answers(ASSISTANTS),
        "assistants-again": ("look_again",),
    }
    AUTO_FOCUS = ".rows"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, opening: Opening) -> None:
        titles = ("Assistants", "What is installed")
        self._rows = RowPanes(ASSISTANTS, assistant_cells, self._blocks, key=attrgetter("name"), titles=titles)
        super().__init__(opening, self._rows.list, self._rows.detail, panes=self._rows)
        self.sifting = ListFilter(self, self._rows.list, "an assistant, or how it stands")
        self.parts = (self.sifting,)
        self._title = TitleLine("Assistants", id="assistants-title")
        self._installer = Installer(self.access)
        self._read: AssistantsRead | None = None
        self._scope = Scope.USER
        self._probed: dict[str, list[Probed]] = {}  # what calling came to, by assistant

    def on_mount(self) -> None:
        """Read after the first picture."""
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        self.looked_at = self.access.signature()
        self.loader.read(self._installer.read, self._show, group="list")

    def _show(self, read: AssistantsRead) -> None:
        self._read = read
        self._title.place = read.place
        self._title.note = SCOPE_WORDS[self._scope]
        installed = sum(row.state.is_installed for row in read.rows)
        self.trouble_is_over()
        self._rows.show(assistant_lines(read.rows), f"{installed} installed")

    def _blocks(self, row: AssistantRow) -> Sequence[Block] | None:
        if self._read is None:
            return None
        lines = [] if row.state.assistant.is_written else self._installer.lines(row.state.assistant, self._scope)
        return assistant_blocks(row, self._read, self._scope, self._probed.get(row.name, ()), lines)

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._rows.list.current
        if action.owner == ASSISTANTS and row is None:
            return "No assistant is under the cursor."
        if row is not None and (why := _why_not_with(row, action)):
            return why
        if action.id == "assistants-scope" and self._read is not None and self._read.project is None:
            why = "Not inside a repository" if self.opening.has_folder else no_folder(self.opening).rstrip(".")
            return f"{why}; it is installed for you, in every project."
        return super().why_not(action)

    @property
    def _current(self) -> AssistantRow:
        """The assistant under the cursor; `why_not` lets no action through without one."""
        row = self._rows.list.current
        if row is None:
            raise RuntimeError("no assistant is under the cursor")
        return row

    def _show_plan(self, removal: bool) -> None:
        """Show what would change in the files; enter makes the change."""
        state = self._current.state
        scope = self._scope
        if removal and scope not in state.scopes and state.scopes:
            scope = state.scopes[0]

        def show(plan: Plan) -> None:
            verb = "" if plan.blocked or not plan.is_change else "removes it" if removal else "installs it"
            title = f"{'Remove from' if removal else 'Install into'} {state.assistant.title} {SCOPE_WORDS[scope]}"
            self.app.push_screen(
                DiffScreen(title, plan_blocks(plan, removal=removal), verb), partial(self._decide, plan, removal)
            )

        plan = partial(self._installer.plan, state.assistant, scope, removal=removal)
        self.loader.read(plan, show, group="plan")

    def _decide(self, plan: Plan, removal: bool, wanted: bool | None) -> None:
        if wanted:
            self._probed.pop(plan.assistant.name, None)
            self.do(lambda: self._installer.carry_out(plan, removal=removal))

    def action_assistants_scope(self) -> None:
        """Change between the user's configuration and the project's."""
        self._scope = Scope.PROJECT if self._scope is Scope.USER else Scope.USER
        self._title.note = SCOPE_WORDS[self._scope]
        self.draw_again()

    def action_assistants_test(self) -> None:
        """Call the hook and the server as the assistant would."""
        assistant = self._current.state.assistant
        self.say(f"Calling what is installed in {assistant.title} …")

        def show(probed: list[Probed]) -> None:
            self._probed[assistant.name] = probed
            self.say(f"{counted(len(probed), 'part')} called; the details show the result")
            self.draw_again()

        self.loader.read(partial(self._installer.probe, assistant), show, group="probe")

    def action_assistants_copy(self) -> None:
        """Copy the lines of the server's entry."""
        assistant, scope = self._current.state.assistant, self._scope
        self.loader.read(
            lambda: self._installer.copy_lines(assistant, scope),
            lambda done: self.say(copied_words(done)),
            group="copy",
        )


def _why_not_with(row: AssistantRow, action: Action) -> str:
    """Return why an action is not possible with an assistant; empty if it is."""
    state = row.state
    if action.id in _WRITTEN_ONLY and not state.assistant.is_written:
        return f"memtui does not write the files of {state.assistant.title}; y copies the lines to paste."
    if action.id == "assistants-test" and not state.is_installed:
        return "Nothing is installed that could be called."
    if action.id == "assistants-remove" and not state.is_installed and row.worst is None:
        return f"memtui is not installed in {state.assistant.title}."
    return ""
