"""What Context finds again: in this run all that was typed, at the next start the task that was used last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memtui.tui.actions.registry import CONTEXT
from memtui.tui.context.ask import Ask, kept_lines, with_lines
from memtui.tui.context.queries import Answer
from memtui.tui.state import State


class UsedTask:
    """The task of a place that was used last: entered, copied or kept, with a payload; no half-typed one."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._used: Mapping[str, str] = {}
        self._meant: tuple[str, str] = ("", "")

    @staticmethod
    def typed(shown: Mapping[str, str]) -> tuple[str, str]:
        """Return the task and the files of what is shown."""
        return shown.get("task", ""), shown.get("files", "")

    def kept(self, state: State) -> Iterator[Mapping[str, Any]]:
        """Yield what to show: what was used last, then what was typed in this run of the app."""
        kept = kept_lines(state.section(CONTEXT), self._place)
        self._used = {name: value for name, value in kept.items() if isinstance(value, str)}
        self._meant = self.typed(self._used)
        yield self._used
        if self._place in state.in_run:
            yield state.in_run[self._place]

    def keep(self, state: State, shown: dict[str, str]) -> None:
        state.in_run[self._place] = shown
        state.remember(CONTEXT, with_lines(state.section(CONTEXT), self._place, shown, self._used))

    def mean(self, shown: Mapping[str, str], answer: Answer | None, ask: Ask) -> None:
        """Take the task for one that is meant, to be found at the next start once it has a payload."""
        self._meant = self.typed(shown)
        self.note(shown, answer, ask)

    def note(self, shown: Mapping[str, str], answer: Answer | None, ask: Ask) -> None:
        """Note what is shown as used, where it is meant and its payload holds something."""
        if answer is not None and answer.ask == ask and answer.pack.payload and self.typed(shown) == self._meant:
            self._used = shown
