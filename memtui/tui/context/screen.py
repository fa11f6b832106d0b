"""Context: the task, the ranked memories, and the exact payload."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import CONTEXT
from memtui.tui.context import rows
from memtui.tui.context.keeping import ContextKeeping
from memtui.tui.context.task_lines import GUESSED, Offers, TaskLines
from memtui.tui.screens.dialogs import CardScreen, ChoiceScreen
from memtui.tui.screens.memory_cards import MemoryCards
from memtui.tui.widgets.lists import PickList

if TYPE_CHECKING:
    from memtui.recall.result import Hit


class ContextScreen(ContextKeeping, MemoryCards):
    """What goes to an assistant for a task, and why."""

    # -- typing -----------------------------------------------------------------------------------

    @on(TaskLines.Changed)
    def _typed(self, message: TaskLines.Changed) -> None:
        message.stop()
        self._soon()

    @on(TaskLines.Entered)
    def _entered(self, message: TaskLines.Entered) -> None:
        message.stop()
        self._list.focus()

    @on(Offers.Picked)
    def _pick_offer(self, message: Offers.Picked) -> None:
        message.stop()
        self._lines.files_line.take(message.place)

    def action_context_task(self) -> None:
        """Type the task."""
        self._lines.task_line.focus()

    def action_context_files(self) -> None:
        """Type the files in hand."""
        self._lines.files_line.focus()

    def action_context_budget(self) -> None:
        """Type the budget."""
        self._lines.budget_line.focus()
        self._lines.budget_line.action_select_all()

    def action_context_target(self) -> None:
        """Choose the target."""
        from memtui.pack.targets.registry import target_named, target_names

        choices = [(name, target_named(name).label) for name in target_names()]
        self.app.push_screen(ChoiceScreen("Target", choices, self._lines.target), self._take_target)

    def _take_target(self, name: str | None) -> None:
        if name is not None:
            self._take_setting("target", name, f"target {name}")

    def action_context_phase(self) -> None:
        """Choose the phase."""
        from memtui.recall.phase import PHASES

        choices = [(GUESSED, "from the words of the task"), *((phase, "") for phase in PHASES)]
        self.app.push_screen(ChoiceScreen("Phase", choices, self._lines.phase or GUESSED), self._take_phase)

    def _take_phase(self, name: str | None) -> None:
        if name is not None:
            self._take_setting("phase", "" if name == GUESSED else name, f"phase {name}")

    def action_context_style(self) -> None:
        """Write in full, or compiled."""
        style = "full" if self._lines.style == "compiled" else "compiled"
        self._take_setting("style", style, f"style {style}")

    def action_context_unconfirmed(self) -> None:
        """Let in what waits in the inbox, or not."""
        wanted = not self._choices.unconfirmed
        self._choose_so(
            replace(self._choices, unconfirmed=wanted), f"{'with' if wanted else 'without'} what waits in the inbox"
        )

    def action_context_loaded(self) -> None:
        """Let in what the target loads by itself, or not."""
        wanted = not self._choices.with_loaded
        self._choose_so(
            replace(self._choices, with_loaded=wanted), f"{'with' if wanted else 'without'} what the target loads"
        )

    def action_context_secrets(self) -> None:
        """Choose what happens to memories that hold what looks like a secret."""
        from memtui.pack.filters import SECRET_WORDS

        current = self._choices.secrets or self.opening.context.secrets
        self.app.push_screen(ChoiceScreen("Secrets", list(SECRET_WORDS.items()), current), self._take_secrets)

    def _take_secrets(self, name: str | None) -> None:
        if name is not None:
            self._choose_so(replace(self._choices, secrets=name), f"secrets: {name}")

    # -- the list ---------------------------------------------------------------------------------

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self._mark_current()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("context-read")

    def action_context_tick(self) -> None:
        """Tick the memory under the cursor out of the payload, or into it."""
        row = self._list.current
        if row is None:
            return
        choices = self._choices.ticked(row.id, is_withheld=row.state == "withheld")
        verb = "put in" if row.id in choices.with_ids else "left out"
        words = f"{'tick taken back' if self._choices.has_tick(row.id) else verb}: {row.title}"
        self._choose_so(choices, words)

    def action_context_reset(self) -> None:
        """Take back all ticks made by hand."""
        self._choose_so(replace(self._choices, without=frozenset(), with_ids=frozenset()), "all ticks taken back")

    def action_context_read(self) -> None:
        """Read the memory under the cursor in full."""
        row = self._list.current
        if row is not None:
            self.read_memory(row.id)

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault could not be read."""
        self.say(str(error), severity="error")

    def action_context_why(self) -> None:
        """Explain the score of the memory under the cursor, or why it is withheld."""
        row = self._list.current
        if row is not None:
            self.app.push_screen(CardScreen("Why", rows.why_blocks(row, self._hit_of(row.id))))

    def _hit_of(self, identifier: str) -> Hit | None:
        if self._answer is None:
            return None
        pack = self._answer.pack
        hits = [*(one.hit for one in pack.included), *pack.left_out]
        return next((hit for hit in hits if hit.memory.id == identifier), None)

    # -- the payload ------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id in {"context-tick", "context-why", "context-read"} and self._list.current is None:
            return "No memory is under the cursor."
        if action.id == "context-reset" and not self._choices.has_ticks:
            return "No tick was made by hand."
        return super().why_not(action)

    def action_context_copy(self) -> None:
        """Copy the payload; one that is on its way is waited for, so that what is copied is what is shown."""
        answer = self._answer
        if self.is_waiting or answer is None:
            self._awaited = "context-copy"
            return
        later = f"{self._key_of('go-packs')} in a week: did it help?"
        self._do_here(lambda: self._payloads.copy(answer, self.send_escape, later=later))

    def _key_of(self, identifier: str) -> str:
        """Return the key of an act as people read it."""
        return self.hints.keymap.first(registry.by_id(identifier)) or "Packs"

    def acts_ended(self, focus: str | None) -> None:
        """Make the payload anew, as the change may have touched it."""
        del focus
        self._renew()

    # -- going about ------------------------------------------------------------------------------

    def action_offer_enter(self) -> None:
        """Go to the ranked memories."""
        self.action_context_list()

    def action_context_list(self) -> None:
        """Go to the ranked memories."""
        self._list.focus()

    def action_context_payload(self) -> None:
        """Go to the payload."""
        self.set_class(True, "-reading")
        self._payload.focus()

    def _stops(self) -> list[Widget]:
        return [*self._lines.stops, self._list, self._payload]

    def action_context_next(self) -> None:
        """Go to the next line or pane."""
        self._step(1)

    def action_context_previous(self) -> None:
        """Go to the line or pane before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        stops = self._stops()
        place = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(place + by) % len(stops)]
        self.set_class(target is self._payload, "-reading")
        target.focus()

    def action_back(self) -> None:
        """Leave a line or the payload for the list, and the list for the screen beneath."""
        if self._ask_line.is_open:
            self._close_line()
        elif self._lines.files_line.is_offering:
            self._lines.files_line.close_offers()
        elif self.focused is self._list or not (self._lines.text or self._list.count):
            super().action_back()
        else:
            self._list.focus()

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused line or pane."""
        self.set_class(self.focused is self._payload, "-reading")
        self.hints.place = "context-lines" if isinstance(self.focused, Input) else CONTEXT
