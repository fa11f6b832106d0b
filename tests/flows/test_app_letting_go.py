"""A long day in the app: what was closed, and toasts that are over, are let go of."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

from flows.app_driver import WIDE, app_on, isolate, says, shows, toasts, until
from flows.editing_driver import form_closes, form_opens
from textual._styles_cache import StylesCache
from textual.pilot import Pilot
from textual.widgets._toast import Toast, ToastHolder

from memtui.tui.textual_patches.display import MOST_SHOWN
from memtui.tui.widgets.form_fields import FormArea
from memtui.vault.vault import Vault

TIMES = 3
"""How often something is changed and undone: far more toasts than may be shown."""


def held(pilot: Pilot[Any]) -> int:
    return len(pilot.app.screen.query(ToastHolder))


async def test_toasts_that_made_room_for_others_leave_nothing_behind(
    ferry: Vault, tmp_path: Path, monkeypatch: Any
) -> None:
    isolate(monkeypatch, tmp_path)
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "Sail times are in UTC")
        for key in "xu" * TIMES:
            told = len(toasts(pilot))

            def tells(before: int = told) -> bool:
                return len(toasts(pilot)) > before and len(pilot.app.screen.query(Toast)) > 0

            await pilot.press(key)
            await until(pilot, tells, f"{key} is told")
        await says(pilot, "Undone")
        await pilot.press("j")
        await until(pilot, lambda: held(pilot) <= MOST_SHOWN, "nothing is kept but what is shown")


async def test_a_screen_that_was_closed_is_let_go_of(ferry: Vault, tmp_path: Path, monkeypatch: Any) -> None:
    isolate(monkeypatch, tmp_path)
    opened: list[weakref.ref[Any]] = []
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        for _ in range(2):
            await pilot.press("e")
            await form_opens(pilot)
            opened += [weakref.ref(area) for area in pilot.app.screen.query(FormArea)]
            opened += [weakref.ref(one._styles_cache) for one in pilot.app.screen.query()]
            await pilot.press("escape")
            await form_closes(pilot)
            for key in "Hl":
                await pilot.press(key)
                await until(pilot, lambda: len(pilot.app.screen_stack) == 2, f"{key} opens a screen")
                opened.append(weakref.ref(pilot.app.screen))
                await pilot.press("escape")
                await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "it closes")
        assert len(opened) > 2 * 4

        def let_go() -> bool:
            gc.collect()
            kinds = [type(one) for ref in opened if (one := ref()) is not None]
            # The newest of a kind may still be in the hand of a thread that looks at the vault for it.
            return not {FormArea, StylesCache} & set(kinds) and len(kinds) == len(set(kinds))

        await until(pilot, let_go, "what was closed is let go of")
