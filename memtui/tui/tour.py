"""The guided tour: a quiet line that says what to press next, and follows what the person does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, CONTEXT, REVIEW, Action, Keymap
from memtui.tui.list_detail import MemtuiScreen

LOOK_SECONDS = 0.2  # How often the tour looks at what was done


@dataclass(frozen=True, slots=True)
class TourStep:
    """What to do next, and how it is known to be done: by an action, or by how the screen is."""

    words: str  # with the ids of actions in braces, in whose place their keys are shown
    is_met: Callable[[MemtuiScreen], bool] = lambda _: False
    is_done_by: Callable[[Action], bool] = lambda _: False
    for_sample: str = ""  # what more is said where the vault is the sample,
    for_own: str = ""  # and where it is a person's own


def _is_filtered(screen: MemtuiScreen) -> bool:
    return screen.AREA == BROWSE and bool(screen.typed.strip())


def _has_task(screen: MemtuiScreen) -> bool:
    return screen.AREA == CONTEXT and bool(screen.typed.strip()) and not isinstance(screen.focused, Input)


STEPS = (
    TourStep(
        "{filter} filters as you type: try a word ",
        _is_filtered,
        for_sample="such as refund",
        for_own="of one of these titles",
    ),
    TourStep(
        "{filter-keep} goes to the list; {explain} says why a memory ranks where it does",
        is_done_by=lambda action: action.id == "explain",
    ),
    TourStep("{go-context} shows what an assistant would get for a task", lambda screen: screen.AREA == CONTEXT),
    TourStep(
        "type what you are about to do, then {offer-enter}",
        _has_task,
        for_sample="; such as: refund fails on retry",
    ),
    TourStep("{context-copy} copies it, for your assistant", is_done_by=lambda action: action.id == "context-copy"),
    TourStep(
        "{go-review} goes through what is due; {review-verify} confirms that it is still true",
        is_done_by=lambda action: action.owner == REVIEW and action.area == "verdict",
    ),
)
END = "That was the tour. {help} lists every key, {undo} undoes any change"
LEAVE = "esc ends the tour"


def step_words(words: str, keymap: Keymap) -> list[tuple[str, bool]]:
    """Return the words of a step in parts, each with whether it is a key."""
    parts: list[tuple[str, bool]] = []
    for place, part in enumerate(words.replace("}", "{").split("{")):
        parts.append((keymap.first(registry.by_id(part)) or part, True) if place % 2 else (part, False))
    return [part for part in parts if part[0]]


class TourLine(Widget):
    """The line at the bottom of a screen."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TourLine {
        dock: bottom;
        height: 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """
    place: reactive[int] = reactive(0)
    is_sample: reactive[bool] = reactive(False)
    can_leave: reactive[bool] = reactive(True)  # Whether escape ends the tour, or does something nearer
    keymap: reactive[Keymap] = reactive(Keymap)

    def render(self) -> Content:
        is_over = self.place >= len(STEPS)
        words = step_words(END if is_over else self._said(STEPS[self.place]), self.keymap)
        count = "" if is_over else f"{self.place + 1}/{len(STEPS)}  "
        shown = Content.assemble(
            (f" {count}", "$memtui-dim"),
            *((text, "bold $primary" if key else "$memtui-kind") for text, key in words),
        )
        room = self.size.width - shown.cell_length - len(LEAVE) - 1
        return shown if room < 1 or not self.can_leave else Content.assemble(shown, " " * room, (LEAVE, "$memtui-dim"))

    def _said(self, step: TourStep) -> str:
        return step.words + (step.for_sample if self.is_sample else step.for_own)


class Tour:
    """The steps of one app; every key does what it always does, and escape ends it for good."""

    def __init__(self, app: App[Any], keymap: Keymap, *, is_sample: bool) -> None:
        self._app = app
        self._is_sample = is_sample
        self._keymap = keymap
        self.place = 0  # Index of the step that is shown; the number of steps once all are done
        self._timer: Timer | None = app.set_interval(LOOK_SECONDS, self._look)
        self._look()

    @property
    def is_on(self) -> bool:
        """Whether it was not ended."""
        return self._timer is not None

    def end(self) -> None:
        """Take the line away."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        for screen in self._app.screen_stack:
            screen.query(TourLine).remove()

    def ends_at_escape(self, screen: MemtuiScreen) -> bool:
        """Return whether escape ends it: before its end not where there is a filter, a pane or a screen to leave."""
        at_list = screen.AREA == BROWSE and screen.focused is not None and screen.focused.id == "list"
        return self.place >= len(STEPS) or (at_list and not screen.typed.strip())

    def saw(self, action: Action) -> None:
        """Go on where an action was what a step asks for; what was done before its time is passed over later."""
        self._go_on(lambda step: step.is_done_by(action))

    def _look(self) -> None:
        screen = self._app.screen
        if not isinstance(screen, MemtuiScreen) or not screen.is_attached:
            return
        self._go_on(lambda step: step.is_met(screen))
        line = next(iter(screen.query(TourLine)), None)
        if line is None:
            line = TourLine()
            line.set_reactive(TourLine.keymap, self._keymap)
            line.set_reactive(TourLine.is_sample, self._is_sample)
            screen.mount(line)
        line.place, line.can_leave = self.place, self.ends_at_escape(screen)

    def _go_on(self, is_done: Callable[[TourStep], bool]) -> None:
        """Show the step after the last one that is done."""
        done = [place for place, step in enumerate(STEPS) if place >= self.place and is_done(step)]
        self.place = done[-1] + 1 if self.is_on and done else self.place
