"""Pictures of Review over the sample vault; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from collections.abc import Callable
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
from textual.pilot import Pilot

from memtui.tui.screens.review import ReviewScreen

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("sample"))


def rests(screen: ReviewScreen) -> bool:
    card, opened = screen._card, screen._opened
    return (
        opened is not None
        and opened.session.standing is not None
        and not screen.acting
        and not screen._decided
        and ((card is not None and card.detail.view.memory.id == screen._current) or screen.has_class("-over"))
    )


def review(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Wait for the first memory, press keys, and wait for what comes after each."""

    async def before(pilot: Pilot[Any]) -> None:
        await settle(pilot, ReviewScreen, rests)
        for key in keys:
            await pilot.press(key)
            await settle(pilot, ReviewScreen, rests)

    return before


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_one_memory_with_its_evidence(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    keep_still(monkeypatch, tmp_path)
    app = sample_app(sample, tmp_path, start="due")
    assert snap_compare(app, terminal_size=size, run_before=review("n", "n", "y"))


def test_the_receipt_in_the_light_theme(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare
) -> None:
    keep_still(monkeypatch, tmp_path)
    app = sample_app(sample, tmp_path, theme="memtui-light", start="due", most=4)
    assert snap_compare(app, terminal_size=(80, 24), run_before=review("y", "p", "y", "y"))
