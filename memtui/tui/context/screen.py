"""Context: the task, the ranked memories, and the exact payload."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CONTEXT, Action
from memtui.tui.context import view
from memtui.tui.context.answering import OF_OTHERS, AnswerScreen
from memtui.tui.context.ask import Ask, Choices, Moment, Step, is_another_task, is_slip, lines_of
from memtui.tui.context.cards import pick_phase, pick_secrets, pick_target, show_own_files, show_since
from memtui.tui.context.controllers import QUESTION, QUESTIONS, RECIPE, WRITE, PayloadKeeper, PayloadMaker, UsedTask
from memtui.tui.context.payload_pane import PayloadPane
from memtui.tui.context.queries import Answer, Payloads
from memtui.tui.context.task_lines import GUESSED, TaskLines
from memtui.tui.context.view import BudgetMeter, ranked_cells
from memtui.tui.screens.dialogs import CardScreen, read_memory, send_escape
from memtui.tui.state import Opening, State, state_of
from memtui.tui.values import Done
from memtui.tui.widgets.lines import AskLine, TitleLine
from memtui.tui.widgets.lists import PickList
from memtui.tui.widgets.pane_border import PaneBorder
from memtui.vault.packs import Recipe

POLL_SECONDS = 2.0  # How often to check whether others changed the vault
_AGAIN_SECONDS = 0.05  # How often to check whether a payload that is waited for is there

_ON_A_MEMORY = frozenset({"context-tick", "context-why", "context-read", "context-verify"})
_ON_A_PAYLOAD = frozenset({"context-copy", "context-write"})
_ON_A_TASK = frozenset({"context-save", "context-question"})


class ContextScreen(AnswerScreen):
    """What goes to an assistant for a task, and why."""

    AREA = CONTEXT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CONTEXT)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "context-unconfirmed": ("_toggle", "unconfirmed", "what is waiting in the inbox"),
        "context-loaded": ("_toggle", "with_loaded", "what the target loads"),
        "context-write": ("_ask_line.open", WRITE),
        "context-save": ("_ask_line.open", RECIPE),
        "context-question": ("_ask_line.open", QUESTION),
        "context-verify": ("_keeper.verify",),
        "context-next": ("_step", 1),
        "context-previous": ("_step", -1),
        "context-task": ("_lines.focus_over", "task"),
        "context-budget": ("_lines.focus_over", "budget"),
        "context-files": ("_lines.focus_over", "files"),
        "context-list": ("_list.focus",),
        "offer-enter": ("_list.focus",),
    }
    AUTO_FOCUS = "#context-task"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - the same

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        # Held here rather than queried: a worker may report while the screen is being removed.
        self._payloads = Payloads(self.access)
        self._title = TitleLine("Context", id="context-title")
        self._lines = TaskLines(opening.context, opening.folder, id="context-lines")
        self._list = view.RankedList(ranked_cells, id="context-list")
        self._payload = PayloadPane(id="context-payload")
        self.border = PaneBorder(self._list, self._payload)
        self._ask_line = AskLine(QUESTIONS, id="context-ask-line")
        self._meter = BudgetMeter(id="context-meter")
        self._choices = Choices()
        self._ticked_for = ""  # The task that the ticks were made for
        self._typed_over: Mapping[str, str] = {}  # The lines when the list was gone to last, to go back to
        self._opened_at: str | None = None  # The memory under the cursor as long as it was not moved in a new payload
        self._tasks = UsedTask(opening.place)
        self._answer: Answer | None = None
        self._ticked: tuple[str, str, Answer | None] | None = None
        """The memory that was ticked last, how, and the payload before; None once the payload of it is shown."""
        self._follow_after: Mapping[str, str] = {}  # The row to go to once a memory went to another part of the list
        self._copy_awaited = False
        self._maker = PayloadMaker(self, self._payloads, self._ask, self._show_answer, self._show_failure, self._title)
        self._keeper = PayloadKeeper(self, self._payloads, self._ask_line, self._do_as_step, close=self._close_line)
        self._steps = self._keeper.steps

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._lines
        with Horizontal(id="context-panes"):
            yield self._list
            yield self._payload
        yield self._ask_line
        yield self._meter
        yield self.hints
        yield self._lines.files_line.offers

    def on_mount(self) -> None:
        """Restore what was typed last, and make its payload after the first paint."""
        for pane, title in ((self._list, "1 Ranked"), (self._payload, "2 Payload")):
            pane.add_class("pane")
            pane.set_title(title)
        self._title.note = "reading …"
        for values in self._tasks.kept(state_of(self.app, self.opening.vault), self.app):
            self._restore(values)
        self._ticked_for = self._lines.text
        self._typed_over = self._lines.remembered()
        self.call_after_refresh(self._renew)
        self.call_after_refresh(self._read_known_files)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Keep what was typed for the next time."""
        self.remember(state_of(self.app, self.opening.vault))

    def remember(self, state: State) -> None:
        self._tasks.keep(state, self._remembered)

    def _restore(self, values: Mapping[str, Any]) -> None:
        self._lines.restore(values)
        self._choices = Choices.restored(values)

    @property
    def _remembered(self) -> dict[str, str]:
        return self._lines.remembered() | self._choices.remembered()

    def unsaved(self) -> dict[str, dict[str, str]]:
        """Return the lines, where they are not of a task that is found again anyway."""
        return self._tasks.unsaved(self._remembered)

    def _mean(self) -> None:
        self._tasks.mean(self._remembered, self._answer, self._ask())

    def _read_known_files(self) -> None:
        # The payload's own failure shows the error; without names the line still takes any file.
        known = self._lines.files_line.know
        self.loader.read(self._payloads.known_files, known, group="files", on_error=lambda _: None)

    # -- asking for a payload ---------------------------------------------------------------------

    def _ask(self) -> Ask:
        lines = self._lines
        return Ask(lines.text, lines.files, lines.target, lines.budget, lines.phase, lines.style, self._choices)

    @property
    def typed(self) -> str:
        return self._lines.text

    @property
    def is_waiting(self) -> bool:
        """Whether a newer payload than the shown one is being made."""
        return self._maker.is_waiting

    def _renew(self) -> None:
        """Make the payload of what the lines hold now."""
        self._drop_old_ticks()
        self._maker.make()

    def _poll(self) -> None:
        """Make the payload again if others changed the vault, or if the last try failed."""
        if not self.acting and (self.in_trouble or self._maker.is_outdated):
            self._renew()

    def acts_ended(self, focus: str | None) -> None:
        """Make the payload again, as the change may have affected it."""
        del focus
        self._renew()

    @property
    def current_memory(self) -> str | None:
        row = self._list.current
        return None if row is None else row.id

    def _show_answer(self, answer: Answer) -> None:
        self.trouble_is_over()
        before, self._answer = self._answer, answer
        pack, ask = answer.pack, answer.ask
        is_new = before is None or (before.ask.text, before.ask.files) != (ask.text, ask.files)
        current = self._list.current
        follow = self._follow_after.get(current.id, current.id) if current is not None else None
        self._follow_after = {}
        self._list.show(
            view.ranked_lines(answer),
            follow=(lambda row: row.id == follow) if follow is not None and not is_new else None,
            from_top=current is None or is_new,
            notice=("No similar memory." if answer.has_task else "No memory is active yet.",),
        )
        self._list.set_title("1 Ranked", view.counts_note(answer, self.hints.keymap.first(registry.by_id("last"))))
        notice = () if pack.payload else view.empty_notice(pack, has_task=answer.has_task, waiting=answer.waiting)
        self._payload.show(pack.pieces, notice=notice)
        self._payload.set_title(f"2 Payload ─ {view.payload_title(pack)}")
        self._meter.parts = tuple(view.sections(pack))
        self._meter.free = view.tokens_left(pack)
        self._title.place, self._title.counts = answer.place, view.doubts(answer)
        self._title.note = view.title_note(answer, self.opening.vault.now(), self.opening.actor.name)
        self._lines.show_left_out(answer.left_out)
        self._lines.show_settings(pack.phase)
        if is_new:
            self._opened_at = self.current_memory
        self._highlight_current()
        self._tasks.note(self._remembered, answer, self._ask())
        self._tell_others()
        if self._copy_awaited:
            self._copy_awaited = False
            self.call_later(self.action_act, "context-copy")

    def _tell_others(self) -> None:
        """Say which other memories came or went with a tick."""
        (memory, how, before), self._ticked = self._ticked or ("", "", None), None
        moved = view.others_moved(before.pack, self._answer.pack, memory) if before and self._answer else ""
        if moved:
            self.say(f"{how.capitalize()}; {moved}")

    def look_failed(self, error: MemtuiError) -> None:
        """Show why something could not be read."""
        self.say(str(error), severity="error")

    # -- choices and their undo -------------------------------------------------------------------

    def _set(self, name: str, value: str) -> None:
        """Take another target, phase or style, as a step."""
        words = f"{name} {value or GUESSED}"
        self._take_step(words, {**self._lines.remembered(), name: value}, None)

    def _take_step(self, words: str, lines: Mapping[str, str] | None, choices: Choices | None) -> None:
        shown = self._lines.remembered() if lines is not None else None
        before = Moment(self._choices if choices is not None else None, shown)
        self._steps.add(Step(tame(words, 80), before, Moment(choices, lines)))
        self._go_to(Moment(choices, lines))

    def _go_to(self, moment: Moment) -> None:
        """Show the state of a moment, and make its payload."""
        if moment.lines is not None:
            before = self._tasks.typed(self._remembered)
            self._lines.restore(moment.lines)
            self._typed_over = self._lines.remembered()
            if self._tasks.typed(self._remembered) != before:
                self._mean()
        if moment.choices is not None:
            self._choices = moment.choices
            self._ticked_for = self._lines.text
        self._renew()

    def _do_as_step(self, change: Callable[[], Done], *, is_copy: bool = False) -> None:
        """Change the vault; undo on this screen takes it back in its turn."""

        def run() -> Done:
            done = change()
            if done.changed:
                self._steps.add(Step(done.message, change=self._payloads.last_change(), is_copy=is_copy))
            return done

        self.do(run)

    def action_undo(self) -> None:
        """Undo what was changed here last; then the last change of the vault."""
        step = self._steps.undo()
        if step is not None and step.before is not None:
            self._go_to(step.before)
            self.say(f"Undone: {step.words}")
        else:
            self.sure_of("undo")
            self.do(lambda: self._keeper.undo(step), focus=True)

    def action_redo(self) -> None:
        """Redo what was undone last."""
        step = self._steps.redo()
        if step is not None and step.after is not None:
            self._go_to(step.after)
            self.say(f"Redone: {step.words}")
        else:
            super().action_redo()

    def _drop_old_ticks(self) -> None:
        """Remove the ticks of another task than what is typed now."""
        now, slips = self._lines.text, is_slip(self._typed_over, self._lines.text)
        if self._choices.has_ticks and not slips and is_another_task(now, self._ticked_for):
            before, self._choices = self._choices, self._choices.without_ticks()
            self._steps.add(Step("ticks of the previous task removed", Moment(before), Moment(self._choices)))
            self.say("New task: the ticks of the previous one were removed; u brings them back")

    # -- the lines --------------------------------------------------------------------------------

    @on(TaskLines.Changed)
    def _typed(self, message: TaskLines.Changed) -> None:
        message.stop()
        self._maker.make_soon(self._renew)

    @on(TaskLines.Entered)
    def _entered(self, message: TaskLines.Entered) -> None:
        message.stop()
        self._mean()
        self._go_to_list()

    def _go_to_list(self) -> None:
        """Leave the lines; where another task was typed over the one before, undo brings that back."""
        before, self._typed_over = self._typed_over, self._lines.remembered()
        if before.get("task") and before.get("task") != self._typed_over.get("task"):
            self._steps.add(Step("another task", Moment(None, before), Moment(None, self._typed_over)))
            if told := self._lines.still_counting(before, self.key_of("context-files")):
                self.say(told)
        self._list.focus()

    def action_context_target(self) -> None:
        pick_target(self, self._lines.target, lambda name: self._set("target", name))

    def action_context_phase(self) -> None:
        pick_phase(self, self._lines.phase or "", lambda name: self._set("phase", name))

    def action_context_style(self) -> None:
        """Switch between full and compiled."""
        self._set("style", "full" if self._lines.style == "compiled" else "compiled")

    def _toggle(self, name: Literal["unconfirmed", "with_loaded"], words: str) -> None:
        choices = self._choices.toggled(name)
        self._take_step(f"{'with' if getattr(choices, name) else 'without'} {words}", None, choices)

    def action_context_secrets(self) -> None:
        """Choose what happens to memories that hold what looks like a secret."""
        was = self._choices
        take = self._take_step
        pick_secrets(self, was.secrets, lambda name: take(f"secrets: {name}", None, replace(was, secrets=name)))

    # -- the list ---------------------------------------------------------------------------------

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self._highlight_current()

    def _highlight_current(self) -> None:
        row = self._list.current
        if row is None or row.id != self._opened_at:
            self._opened_at = None
        self._payload.mark(row.id if row is not None and row.is_in else None, from_top=self._opened_at is not None)

    @on(PickList.Chosen)
    async def _read_clicked(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("context-read")

    def action_context_tick(self) -> None:
        """Leave the memory under the cursor out of the payload, or put it in; of those not in it, go on to the next."""
        row = self._list.current
        if row is not None:
            self._follow_after = {row.id: self._list.beside(row)}
            choices = self._choices.ticked(row.id, is_withheld=row.state == "withheld")
            verb = "put in" if row.id in choices.with_ids else "left out"
            words = "tick removed" if self._choices.has_tick(row.id) else verb
            self._ticked = (row.id, words, self._answer)
            self._take_step(f"{words}: {row.title}", None, choices)

    def action_context_reset(self) -> None:
        """Remove all ticks made by hand."""
        self._take_step("what you put in or left out is taken back", None, self._choices.without_ticks())

    def action_context_read(self) -> None:
        """Read the memory under the cursor in full."""
        row = self._list.current
        if row is not None:
            read_memory(self, row.id)

    def action_context_own_files(self) -> None:
        """Show what the target's assistant reads by itself here."""
        show_own_files(self, self._lines.target)

    def action_context_why(self) -> None:
        """Explain the score of the memory under the cursor, or why it is withheld."""
        row = self._list.current
        if row is not None and self._answer is not None:
            self.app.push_screen(CardScreen("Why", view.why_blocks(row, self._answer)))

    # -- the payload ------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        obstacles = self._obstacles(is_read_only=action.id == "context-read" or not self._list.display)
        words = (words for actions, is_in_the_way, words in obstacles if is_in_the_way and action.id in actions)
        return next(words, None) or super().why_not(action)

    def _obstacles(self, *, is_read_only: bool) -> list[tuple[Collection[str], bool, str]]:
        """Return which actions are not possible in some state, whether it holds, and the words for it."""
        answer, is_ready = self._answer, not self.is_waiting
        nothing = "No payload." if answer is None else "The payload is empty."
        in_hand = f"The payload has focus; {self.key_of('context-list')} goes to the memories."
        return [
            (_ON_A_MEMORY, self._list.current is None, "No memory is under the cursor."),
            (_ON_A_MEMORY, self.focused is self._payload and is_read_only, in_hand),
            (_ON_A_PAYLOAD, is_ready and (answer is None or not answer.pack.payload), nothing),
            (_ON_A_PAYLOAD, is_ready and not self.is_of_lines, OF_OTHERS),
            (_ON_A_TASK, not self._ask().has_task, "No task or file is given."),
            (("context-reset",), not self._choices.has_ticks, "No manual ticks."),
            (("context-since",), answer is None or answer.diff is None, "No pack of this task was used before."),
        ]

    def action_context_copy(self) -> None:
        """Copy the payload; one that is being made is waited for, so that what is shown is copied."""
        answer = self._answer
        if self.is_waiting or answer is None:
            self._copy_awaited = True
            return
        self._mean()
        key = self.hints.keymap.first(registry.by_id("go-packs")) or "Packs"
        hint = f"Once it has been used, {key} says whether it helped."
        self._do_as_step(
            lambda: self._payloads.copy(answer, lambda text: send_escape(self.app, text), hint=hint), is_copy=True
        )

    def action_context_since(self) -> None:
        """Show what changed since the last pack of this task."""
        if self._answer is not None:
            show_since(self, self._payloads, self._answer)

    @on(AskLine.Given)
    def _keep(self, message: AskLine.Given) -> None:
        """Keep what is shown; a payload that is being made is waited for."""
        message.stop()
        if self.is_waiting:
            self.set_timer(_AGAIN_SECONDS, lambda: self._keep(message))
        elif self._answer is None or not self.is_of_lines:
            self.say(OF_OTHERS, severity="warning")
        else:
            self._mean()
            self._keeper.keep(self._answer, message)

    def _close_line(self) -> None:
        self._ask_line.close()
        self._list.focus()

    # -- recipes ----------------------------------------------------------------------------------

    def action_context_load(self) -> None:
        self._keeper.choose_recipe(self._load)

    def _load(self, recipe: Recipe) -> None:
        self._take_step(f"load recipe {recipe.name}", lines_of(recipe), Ask.of(recipe).choices)

    # -- focus ------------------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused line or pane."""
        self.set_class(self.focused is self._payload, "-reading")
        self.hints.place = self.hint_place

    @property
    def hint_place(self) -> str:
        return self._lines.hint_place if isinstance(self.focused, Input) else CONTEXT

    def gone_to_again(self) -> None:
        """Let the next task be typed over the last, as when the screen is opened."""
        self._lines.focus_over("task")

    def on_screen_resume(self) -> None:
        """Make the payload of what changed meanwhile at once: it may be copied by the next key."""
        self._poll()

    def action_context_payload(self) -> None:
        self.set_class(True, "-reading")
        self._payload.focus()

    def _step(self, by: int) -> None:
        stops: list[Widget] = [*self._lines.stops, self._list, self._payload]
        place = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(place + by) % len(stops)]
        self.set_class(target is self._payload, "-reading")
        target.focus()

    def action_back(self) -> None:
        """Leave a line or the payload for the list, and the list for the previous screen."""
        if self._ask_line.is_open:
            self._close_line()
        elif self._lines.files_line.is_offering:
            self._lines.files_line.close_offers()
        elif self.focused is self._list or not (self._lines.text or self._list.count):
            super().action_back()
        else:
            self._give_up_line()

    def _give_up_line(self) -> None:
        """Leave the lines; a letter or two over the task before are keys that were meant for the list."""
        before, now = self._typed_over.get("task", ""), self._lines.text
        was_slip = is_slip(self._typed_over, now)
        if was_slip:
            self._lines.restore({**self._lines.remembered(), "task": before})
            self._renew()
        self._go_to_list()
        if before and now != before:
            back = f"{self.key_of('undo')} brings back “{tame(before, 60)}”"
            self.say("The previous task is back" if was_slip else back)
