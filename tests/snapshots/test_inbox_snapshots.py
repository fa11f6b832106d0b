"""Pictures of the Inbox over the sample vault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from snapshots.pictures import SMALL, TINY, WIDE, Album, only_with_the_same_textual, sample_app, settle

from memtui.analysis import classify
from memtui.analysis.classify import Confidence
from memtui.tui.inbox.screen import InboxScreen

pytestmark = only_with_the_same_textual


def _is_read(screen: InboxScreen) -> bool:
    """Whether the candidate under the cursor is shown in full, or its group."""
    row = screen._list.current_row
    if screen._list.group is not None:
        return screen._waiting is not None
    return screen._waiting is not None and screen._shown_id == screen._list.current and row is not None


async def test_the_inbox(sample: Path, tmp_path: Path, album: Album, monkeypatch: pytest.MonkeyPatch) -> None:
    # How well a kind is founded is held elsewhere, and changes with every word list.
    signs: Sequence[Confidence] = ("sure", "likely", "guess")
    monkeypatch.setattr(classify, "kind_confidence", lambda memory: signs[len(memory.title) % 3])
    app = sample_app(sample, tmp_path, folder=tmp_path)
    async with album.of(app) as pilot:
        await app.push_screen(InboxScreen(app.opening))
        await settle(pilot, InboxScreen, _is_read)
        await pilot.press("j")
        await album.take_sizes(pilot, sizes=(SMALL, TINY), light=True, ready=_is_read)
        await pilot.press("g", "space", "G", "k")
        await album.take(pilot, "marked", WIDE, _is_read)
        await pilot.press("escape", "g")
        await album.take(pilot, "group", WIDE, _is_read)
        await pilot.press("slash", *"lock")
        await album.take(pilot, "filter", SMALL, _is_read)
