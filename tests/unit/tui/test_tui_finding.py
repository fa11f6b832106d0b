"""The list of help and palette."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.widgets.option_list import Option

from memtui.tui.screens.finding import FoundList

NAMES = [f"choice {number}" for number in range(40)]


class _Pressed(App[None]):
    """Moves in its list before that has a place on the screen, as a key does that follows another at once."""

    def __init__(self, move: str) -> None:
        super().__init__()
        self._move = move

    def compose(self) -> ComposeResult:
        yield FoundList(*(Option(name) for name in NAMES), markup=False)

    def on_mount(self) -> None:
        getattr(self.query_one(FoundList), f"action_{self._move}")()


@pytest.mark.parametrize(
    ("move", "to"),
    [("cursor_down", 1), ("cursor_up", 39), ("last", 39), ("first", 0), ("page_down", 19), ("page_up", 0)],
)
async def test_a_key_before_the_first_layout_moves_after_it(move: str, to: int) -> None:
    app: App[Any] = _Pressed(move)
    async with app.run_test(size=(60, 22)) as pilot:
        await pilot.pause()
        choices = app.query_one(FoundList)
        assert choices.highlighted == to
        choices.styles.height = 0  # no line of room: nothing to move in
        await pilot.pause()
        await pilot.press("down", "end", "pageup")
        assert choices.is_attached
