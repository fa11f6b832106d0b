"""Pictures of Reflect, of a neighbourhood and of a resemblance."""

from __future__ import annotations

from pathlib import Path

from snapshots.pictures import LOCKS, SIZES, Album, browse_is_complete, only_with_the_same_textual, sample_app, settle

from memtui.analysis.resemblance import Resemblance
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.edit.acts import Beside
from memtui.tui.reflect.screen import ReflectScreen
from memtui.tui.widgets.form_fields import FormArea

NEAR = LOCKS[2]

pytestmark = only_with_the_same_textual


async def test_reflect(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path)
    async with album.of(app) as pilot:
        screen = ReflectScreen(app.opening, LOCKS)
        await app.push_screen(screen)
        await settle(pilot, ReflectScreen, lambda one: one._sources is not None and one.focused is not None)
        area = screen._rows["insight"].field
        assert isinstance(area, FormArea)
        area.fill("A lock must outlive the slowest refund: renew it, or take it for longer.")
        await album.take_sizes(pilot, light=True, ready=lambda one: one.loader.newest["check"] and one._rows.is_dirty)


async def test_a_neighbourhood_and_a_resemblance(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path)
    async with album.of(app) as pilot:
        await settle(pilot, BrowseScreen, lambda one: one.details.shown_id is not None)
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        screen._list.go_to(NEAR)
        await settle(pilot, BrowseScreen, lambda one: one.details.shown_id == NEAR and bool(one.details.suggested))
        read = screen.details.read
        assert read is not None
        title = "Lock refunds by payment_id, never by user_id"
        found = Resemblance(LOCKS[0], title, "clashes", 0.8, "60 s against 30 s")
        screen.resemblance.show([Beside(read.view.memory, found)])
        await album.take_sizes(pilot, "resemblance", ready=browse_is_complete)
        screen.resemblance.show([])
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            screen._enter_detail()
            await pilot.pause()
            screen._detail.move_to_end(last=True)
            await album.take(pilot, f"neighbourhood-{width}x{height}", ready=browse_is_complete)
