"""The task of a payload: text, files, target, budget, phase and style."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from memtui.config import ContextSettings
from memtui.errors import MemtuiError, UsageError
from memtui.pack.targets.base import Style
from memtui.text.sanitize import tame
from memtui.text.words import clip_start, parse_budget
from memtui.tui.actions import registry
from memtui.tui.actions.registry import FILES
from memtui.tui.context.ask import SEPARATOR
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.switching import SWITCH
from memtui.tui.widgets.lines import LONGEST, TextLine

MOST_OFFERED = 8


def names_in(line: str) -> list[str]:
    """Return the names of a line, in order and once each."""
    return list(dict.fromkeys(filter(None, (part.strip() for part in line.split(",")))))


def typed_at(line: str, cursor: int) -> str:
    return line[:cursor].rsplit(",", 1)[-1].lstrip()


def offers(names: Sequence[str], typed: str, *, without: Sequence[str] = (), most: int = MOST_OFFERED) -> list[str]:
    """Return the names that match what was typed, the likeliest first; case is ignored.

    Names that start with it come first, then those whose last part does, those that contain it, and those that
    contain its letters in order; the shorter ones first.
    """
    wanted = typed.strip().lower()
    taken = set(without)
    found: list[tuple[int, int, str]] = []
    for name in names:
        rank = _rank(name.lower(), wanted)
        if rank is not None and name not in taken:
            found.append((rank, len(name), name))
    return [name for _, _, name in sorted(found)[:most]]


def _rank(name: str, wanted: str) -> int | None:
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1 if name.rsplit("/", 1)[-1].startswith(wanted) else 2
    letters = iter(name)
    return 3 if all(letter in letters for letter in wanted) else None


def completed(line: str, cursor: int, name: str) -> tuple[str, int]:
    """Return the line with the name at the cursor replaced and a separator after it, and the new cursor."""
    before, after = line[:cursor], line[cursor:]
    head = before.rpartition(",")[0]
    rest = after.partition(",")[2].strip()
    start = f"{head.strip()}{SEPARATOR}" if head.strip() else ""
    text = f"{start}{name}{SEPARATOR}"
    return text + rest, len(text)


class SettingWord(Widget):
    """`Target chat ▾`. `act`: id of the action that changes it."""

    ALLOW_SELECT = False
    value: reactive[str] = reactive("", layout=True)

    def __init__(self, name: str, act: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._label = name
        self._act = act

    def render(self) -> Content:
        return Content.assemble((f"{self._label} ", "$memtui-kind"), tame(self.value, 30), (" ▾", "$memtui-dim"))

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        await self.screen.run_action(f"act('{self._act}')")


NO_OFFER = -1  # The place that is chosen until the person moves onto a name


class Offers(Widget):
    """The names that match, the chosen one marked. `take`: called with the place of a name that was clicked."""

    ALLOW_SELECT = False
    names: reactive[Sequence[str]] = reactive((), layout=True)
    chosen: reactive[int] = reactive(NO_OFFER)

    def __init__(self, take: Callable[[int], None], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._take = take

    def render(self) -> Content:
        width = max(1, self.size.width - 3)
        lines = [
            Content.assemble(
                ("▌" if place == self.chosen else " ", "$memtui-pin"),
                (clip_start(tame(name), width), "bold $foreground" if place == self.chosen else "$memtui-dim"),
            )
            for place, name in enumerate(self.names)
        ]
        return Content("\n").join(lines) if lines else Content("")

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.names):
            event.stop()
            self._take(offset.y)


class FilesLine(TextLine):
    """A line of names.

    `is_one`: whether it holds a single one, in which a comma is a sign like others.

    Attributes:
        offers: shows the names that match; the screen places it.
    """

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FILES)

    @dataclass
    class Left(Message):
        """The line is finished: focus moves to the next one, or to the list."""

        to_list: bool

    def __init__(
        self,
        folder: Path,
        *,
        placeholder: str = "edited files, with commas",
        longest: int = LONGEST,
        is_one: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(placeholder, longest=longest, id=id)
        self._is_one = is_one
        self.offers = Offers(self.take, id="context-offers")
        self._known: Sequence[str] = ()
        self._folder = folder
        self._offered_for = ""

    @property
    def names(self) -> list[str]:
        return [self.value.strip()] if self._is_one else names_in(self.value)

    @property
    def _typed_name(self) -> str:
        """The name at the cursor, up to there."""
        return self.value[: self.cursor_position] if self._is_one else typed_at(self.value, self.cursor_position)

    @property
    def is_offering(self) -> bool:
        return bool(self.offers.names)

    def know(self, names: Sequence[str]) -> None:
        self._known = names
        self._offer()

    def close_offers(self) -> None:
        """Offer nothing until the next key."""
        self.offers.names = ()
        self.offers.set_class(False, "-open")
        self._show_keys()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._offer()

    def _show_keys(self) -> None:
        """Let the footer name the keys of what is shown."""
        if isinstance(self.screen, MemtuiScreen):
            self.screen.hints.place = self.screen.hint_place

    def _offer(self) -> None:
        self._offered_for = self.value
        typed = self._typed_name if self.has_focus else ""
        found = offers(self._known, typed, without=self.names) if typed else []
        self.offers.names = tuple(found)
        self.offers.chosen = NO_OFFER
        is_low = self.region.bottom + len(found) >= self.screen.size.height  # where the footer would be covered
        self.offers.absolute_offset = Offset(
            self.region.x, self.region.y - len(found) if is_low else self.region.bottom
        )
        self.offers.set_class(bool(found), "-open")
        self._show_keys()

    def on_focus(self) -> None:
        """Offer what completes the name at the cursor, as while it was typed."""
        self.call_later(self._offer)  # once the line has the focus

    def on_blur(self) -> None:
        """Offer nothing while the focus is elsewhere."""
        self.close_offers()

    def take(self, place: int) -> None:
        """Complete the name at the cursor with an offered one."""
        if place < len(self.offers.names):
            name = self.offers.names[place]
            whole = (name, len(name)) if self._is_one else completed(self.value, self.cursor_position, name)
            self.value, self.cursor_position = whole
            self.close_offers()

    def _leave(self, *, to_list: bool) -> None:
        self.close_offers()
        self.post_message(self.Left(to_list=to_list))

    def _offer_for_what_is_typed(self) -> None:
        if self._offered_for != self.value:
            # The names shown are for the text before the last key.
            self._offer()

    @property
    def _is_whole(self) -> bool:
        """Whether the name at the cursor is complete: it exists, or is the whole path of a file yet to be written."""
        name = self._typed_name.strip()
        is_new = (
            "/" in name
            and "." in name.rpartition("/")[2]
            and not any(offered.startswith(name) or f"/{name}" in offered for offered in self.offers.names)
        )
        return is_new or name in self._known or os.path.isfile(self._folder / name)  # noqa: PTH113 - Path.is_file raises for a name that is too long

    def action_offer_take(self) -> None:
        """Take the chosen name, else the first; where there is none, or the typed name is complete, leave the line."""
        self._offer_for_what_is_typed()
        if self.offers.chosen != NO_OFFER or (self.is_offering and not self._is_whole):
            self.take(max(self.offers.chosen, 0))
        else:
            self._leave(to_list=False)

    def action_offer_enter(self) -> None:
        """Take the name that was moved onto; where there is none, keep what was typed and go to the list."""
        self._offer_for_what_is_typed()
        if self.offers.chosen != NO_OFFER:
            self.take(self.offers.chosen)
        else:
            self._leave(to_list=True)

    def action_cursor_right(self, select: bool = False) -> None:
        """Go one to the right; behind the last character take the chosen name, else the first."""
        if self.is_offering and not select and self.cursor_position == len(self.value):
            self.take(max(self.offers.chosen, 0))
        else:
            super().action_cursor_right(select)

    def action_offer_down(self) -> None:
        """Choose the next name, else go to the list."""
        if self.is_offering:
            self.offers.chosen = min(self.offers.chosen + 1, len(self.offers.names) - 1)
        else:
            self.post_message(self.Left(to_list=True))

    def action_offer_up(self) -> None:
        """Choose the previous name; before the first, none."""
        self.offers.chosen = max(self.offers.chosen - 1, NO_OFFER)


class TaskLine(TextLine):
    """The line of the task. As long as the task of last time stands in it untouched, `/` and `@` are keys."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__("what are you about to do? empty: the standing payload", id=id)
        self._restored = ""

    def restore(self, text: str) -> None:
        """Show the task of last time, which what is typed next replaces."""
        self.value = self._restored = text
        self.select_all()

    @property
    def _is_untouched(self) -> bool:
        return bool(self._restored) and self.selected_text == self.value == self._restored

    async def _on_key(self, event: events.Key) -> None:
        if event.character in _KEYS_OF_LISTS and self._is_untouched:
            event.stop()
            event.prevent_default()
            if event.character == "@":
                await self.screen.run_action(f"act('{SWITCH}')")
            return
        await super()._on_key(event)


_KEYS_OF_LISTS = frozenset("/@")  # To the line, where it is already, and to another project


GUESSED = "guessed"  # Shown as the phase where none is chosen

_LONGEST_PROBLEM = 300


class TaskLines(Vertical):
    """The lines at the top of Context.

    Attributes:
        phase: None to guess it.
        stops: the lines that can be typed in, in order.
    """

    DEFAULT_CLASSES: ClassVar[str] = "task-lines"

    class Changed(Message):
        """Something was typed."""

    class Entered(Message):
        """Typing is finished: focus moves to the list."""

    def __init__(self, settings: ContextSettings, folder: Path, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._settings = settings
        self.target = settings.target
        self.phase: str | None = None
        self.style: Style = "compiled" if settings.style == "compiled" else "full"
        self.task_line = TaskLine(id="context-task")
        self.files_line = FilesLine(folder, id="context-files")
        self.budget_line = TextLine("1200", longest=40, id="context-budget")
        self._target_word = SettingWord("Target", "context-target", id="context-target")
        self._phase_word = SettingWord("Phase", "context-phase", id="context-phase")
        self._style_word = SettingWord("Style", "context-style", id="context-style")
        self._problem = Static("", id="context-problem", markup=False)
        self.stops = (self.task_line, self.files_line, self.budget_line)

    def compose(self) -> ComposeResult:
        with Horizontal(id="context-ask"):
            with Horizontal(id="context-task-bar"):
                yield Static(" Task  ", classes="context-label", markup=False)
                yield self.task_line
            with Horizontal(id="context-files-bar"):
                yield Static(" Files ", classes="context-label", markup=False)
                yield self.files_line
        with Horizontal(id="context-settings"):
            yield self._target_word
            yield Static("Budget ", classes="context-label", markup=False)
            yield self.budget_line
            yield self._phase_word
            yield self._style_word
        yield self._problem

    # -- values -----------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        return self.task_line.value

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows while one of the lines is typed in."""
        return "context-offers" if self.files_line.is_offering else "context-lines"

    @property
    def budget(self) -> str:
        """The budget as typed, else that of the configuration."""
        return self.budget_line.value.strip() or self._settings.budget

    @property
    def _is_budget(self) -> bool:
        try:
            parse_budget(self.budget)
        except UsageError:
            return False
        return True

    @property
    def files(self) -> tuple[str, ...]:
        """The files being edited, without the one that is being typed."""
        if not self.files_line.is_offering:
            return tuple(self.files_line.names)
        line, cursor = self.files_line.value, self.files_line.cursor_position
        before, after = line[:cursor].rpartition(",")[0], line[cursor:].partition(",")[2]
        return tuple(names_in(f"{before},{after}"))

    def restore(self, values: Mapping[str, Any]) -> None:
        """Show what was remembered; values that are not text are ignored."""
        found = {key: value for key, value in values.items() if isinstance(value, str)}
        self.task_line.restore(found.get("task", ""))
        self.files_line.value = found.get("files", "")
        self.budget_line.value = found.get("budget") or self._settings.budget
        self.target = found.get("target") or self._settings.target
        self.phase = found.get("phase") or None
        self.style = "compiled" if (found.get("style") or self._settings.style) == "compiled" else "full"
        self.show_settings(None)

    def focus_over(self, line: Literal["task", "files", "budget"]) -> None:
        """Go to a line, to be typed over; a key of the cursor keeps what stands there."""
        chosen = {"task": self.task_line, "files": self.files_line, "budget": self.budget_line}[line]
        chosen.focus()
        chosen.action_select_all()

    def remembered(self) -> dict[str, str]:
        """Return what to restore, without what is as in the configuration, so that it follows a change there."""
        values = {
            "task": self.text,
            "files": SEPARATOR.join(self.files_line.names),
            "budget": "" if self.budget == self._settings.budget or not self._is_budget else self.budget,
            "target": "" if self.target == self._settings.target else self.target,
            "phase": self.phase or "",
            "style": "" if self.style == self._settings.style else self.style,
        }
        return {key: value for key, value in values.items() if value}

    def still_counting(self, before: Mapping[str, str], key: str) -> str:
        """Say that the files of another task count for this one, too; empty where they were changed, or none is given.

        `before`: the lines as they were. `key`: what leads to the files.
        """
        files = SEPARATOR.join(self.files_line.names)
        if not files or files != before.get("files"):
            return ""
        return f"Still for these files: {tame(files, 80)}; {key} changes them"

    # -- showing ----------------------------------------------------------------------------------

    def show_settings(self, guessed: str | None) -> None:
        """Show target, style and phase, which is guessed where none is chosen."""
        self._target_word.value = self.target
        self._style_word.value = self.style
        self._phase_word.value = self.phase or (f"{guessed} ({GUESSED})" if guessed else GUESSED)

    def show_problem(self, field: str, error: MemtuiError, *, told: str = "") -> None:
        """Say what is wrong. `field`: the label of its line. `told`: what became of the payload."""
        text = " ".join(filter(None, (f" {field}: {error}" if field else f" {error}", told)))
        self._problem.update(Content(tame(text, _LONGEST_PROBLEM)))
        self._problem.set_class(True, "-shown")

    def show_left_out(self, error: MemtuiError | None) -> None:
        """Say what is wrong with a file that was left out; None where none was, and nothing is wrong any more."""
        if error is None:
            self._problem.set_class(False, "-shown")
        else:
            self.show_problem("Files", error, told="The payload is built without it.")

    # -- typing -----------------------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input is self.budget_line and not self._is_budget:
            self.budget_line.action_select_all()  # what is wrong is said; the next keys correct it
            return
        self.post_message(self.Entered())

    @on(FilesLine.Left)
    def _leave_files(self, message: FilesLine.Left) -> None:
        message.stop()
        # While names are offered, the one that is being typed is not among the files.
        self.post_message(self.Changed())
        if message.to_list:
            self.post_message(self.Entered())
        else:
            self.budget_line.focus()
