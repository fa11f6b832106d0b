"""Pictures of the Context screen; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from snapshots.pictures import (
    NAMES,
    SIZES,
    SnapCompare,
    build_sample,
    keep_still,
    only_with_the_same_textual,
    sample_app,
    settle,
)
from textual import events
from textual.pilot import Pilot

from memtui.tui.screens.context import ContextScreen

TASK = "refund fails twice on retry"

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("context"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_still(monkeypatch, tmp_path)


def _is_answered(screen: ContextScreen) -> bool:
    return screen._answer is not None and not screen.is_waiting and screen._answer.ask == screen._ask()


async def _type(pilot: Pilot[Any]) -> None:
    await pilot.press("c")
    await settle(pilot, ContextScreen, _is_answered)
    pilot.app.screen._lines.task_line.post_message(events.Paste(TASK))  # type: ignore[attr-defined] # it was awaited
    await settle(pilot, ContextScreen, lambda screen: screen._lines.text == TASK and _is_answered(screen))
    await pilot.press("enter")
    await settle(pilot, ContextScreen, _is_answered)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_a_task_with_its_payload(
    sample: Path, tmp_path: Path, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert snap_compare(sample_app(sample, tmp_path), terminal_size=size, run_before=_type)


def test_a_task_with_its_payload_in_the_light(sample: Path, tmp_path: Path, snap_compare: SnapCompare) -> None:
    app = sample_app(sample, tmp_path, theme="memtui-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=_type)
