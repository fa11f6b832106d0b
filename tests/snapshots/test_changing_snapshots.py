"""Pictures of Merge, Tidy, a contradiction and many memories at once over the sample vault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from snapshots.pictures import (
    LOCK,
    LOCKS,
    NOW,
    SIZES,
    SMALL,
    TINY,
    VAST,
    WIDE,
    Album,
    browse_is_complete,
    only_with_the_same_textual,
    paste,
    sample_app,
    settle,
)
from textual.pilot import Pilot

from memtui.analysis.resemblance import Resemblance
from memtui.capture.source_conflicts import SourceConflict
from memtui.curate.form import check_form
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.bulk import BulkScreen
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.edit.form import Wish
from memtui.tui.edit.resembling import Beside
from memtui.tui.edit.screen import EditScreen
from memtui.tui.edit.version_conflict import ConflictScreen, SourceConflictScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.reflect.screen import ReflectScreen
from memtui.tui.review.screen import ReviewScreen
from memtui.tui.tidy.contradiction import ContradictionScreen
from memtui.tui.tidy.screen import TidyScreen
from memtui.tui.widgets.form_fields import FormArea
from memtui.vault.source_texts import SourceText, Texts

pytestmark = only_with_the_same_textual


async def test_curation(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path)
    async with album.of(app) as pilot:
        await app.push_screen(MergeScreen(app.opening, LOCKS))
        await settle(pilot, MergeScreen, lambda screen: "tokens" in str(screen._result.border_title))
        await pilot.press("j")
        await album.take_sizes(pilot, "merge", light=True)
        await app.pop_screen()
        await pilot.press("T")
        await settle(pilot, TidyScreen, lambda screen: screen._report is not None)
        await album.take_sizes(pilot, "tidy")
        await pilot.press("enter")
        await settle(pilot, ContradictionScreen, lambda screen: bool(screen._panes[1].plain_lines))
        await album.take_sizes(pilot, "contradiction")
        await app.action_go("browse")
        await _choose_many(pilot)
        await album.take_sizes(pilot, "many")


async def _choose_many(pilot: Pilot[Any]) -> None:
    query = "kind:tooling -pinned"
    await pilot.press("slash")
    await paste(pilot, query)
    await pilot.press("enter")
    await settle(
        pilot, BrowseScreen, lambda screen: screen.lists.listing is not None and screen.lists.listing.query == query
    )
    await pilot.press("B")
    await settle(pilot, BulkScreen, lambda screen: bool(screen._ids) and screen._list.row(screen._ids[0]) is not None)


async def _open_form(pilot: Pilot[Any], app: MemtuiApp, identifier: str | None) -> EditScreen:
    screen = EditScreen(app.opening, identifier)
    await app.push_screen(screen)
    await settle(pilot, EditScreen, lambda one: one._basis is not None and one.focused is not None)
    screen.check()
    return screen


def _is_checked(screen: EditScreen) -> bool:
    found = screen.checked()
    said = [each for row in screen._rows.values() for each in row.said]
    findings = check_form(*found) if found is not None else []
    is_shown = all(each in said for each in findings)
    return screen._pause is not None and (is_shown or not screen._rows.is_dirty)


async def test_the_form(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path, folder=tmp_path)
    async with album.of(app) as pilot:
        screen = await _open_form(pilot, app, LOCK)
        await album.take(pilot, "80x24", SMALL, _is_checked)
        await album.take(pilot, "40x15", TINY, _is_checked)
        await pilot.resize_terminal(*WIDE)
        screen._rows["insight"].field.fill("ALWAYS lock by payment.\nTTL 30 s.")
        screen._rows["kind"].field.fill("constrant")
        screen._rows["tags"].field.focus()
        await pilot.press("end", *", loc")
        screen.check()
        await album.take(pilot, "what-is-wrong", ready=_is_checked)
        await app.pop_screen()
        app.theme = "memtui-light"
        await _open_form(pilot, app, None)
        await album.take(pilot, "empty-light", ready=_is_checked)


def _conflict(app: MemtuiApp) -> ConflictScreen:
    vault = app.opening.vault
    with vault.read() as reader:
        base = reader.get(LOCK)
    mine = {
        "title": "Lock refunds and captures by payment_id",
        "insight": f"{base.insight}\nThe worker renews it once.",
        "kind": "decision",
    }
    with vault.write(actor="person", action="edit", summary="edit") as writer:
        text = f"Since the outage of May:\n{base.insight}"
        theirs = writer.put(replace(base, title="Lock refunds by payment", insight=text, importance=4))
    return ConflictScreen(app.opening, base, theirs, Wish(mine), "codex: edit Lock refunds by payment")


async def test_a_conflict(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path, folder=tmp_path)
    async with album.of(app) as pilot:
        screen = _conflict(app)
        await app.push_screen(screen)
        await settle(pilot, ConflictScreen, lambda one: one.focused is not None)
        await pilot.press("j", "plus")
        await settle(pilot, ConflictScreen, lambda one: one._choices["insight"] == "both")
        await pilot.press("j")
        await album.take_sizes(pilot, ready=lambda one: one._fields.cursor == 1)


NEAR = LOCKS[2]


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
        (other,) = screen.access.memories([LOCKS[0]])
        screen.resemblance.show([Beside(read.view.memory, other, found)])
        await album.take_sizes(pilot, "resemblance", ready=browse_is_complete)
        screen.resemblance.show([])
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            screen._enter_detail()
            await pilot.pause()
            screen._detail.move_to_end(last=True)
            await album.take(pilot, f"neighbourhood-{width}x{height}", ready=browse_is_complete)


def _rests(screen: ReviewScreen) -> bool:
    card, opened = screen._card, screen._queue.opened
    is_shown = (
        card is not None and card.detail.view.memory.id == screen._queue.current and screen._panes.memory.was_seen()
    )
    return (
        opened is not None
        and opened.session.standing is not None
        and not screen.acting
        and not screen._queue.decided
        and (is_shown or screen.has_class("-over"))
    )


async def test_one_memory_with_its_evidence_and_the_receipt(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(sample_app(sample, tmp_path, start="due", most=6)) as pilot:
        for key in ("n", "n", "y"):
            await settle(pilot, ReviewScreen, _rests)
            await pilot.press(key)
        await album.take_sizes(pilot, sizes=(*SIZES, VAST), ready=_rests)
        await pilot.press("p")
        await settle(pilot, ReviewScreen, _rests)
        for _ in range(6):
            if not pilot.app.screen.has_class("-over"):
                await pilot.press("y")
                await settle(pilot, ReviewScreen, _rests)
        pilot.app.theme = "memtui-light"
        await album.take(pilot, "receipt-light", SMALL, _rests)


async def test_a_conflict_with_a_source(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path, folder=tmp_path)
    with app.opening.vault.read() as reader:
        memory = reader.get(LOCK)
    base = Texts(memory.title, "Lock refunds by payment_id.\nThe lock lives 30 seconds.", memory.rationale)
    stated = replace(base, title="Lock refunds by payment", insight="Lock refunds by payment_id.\nIt lives 60 s.")
    text = SourceText(LOCK, "docs/CLAUDE.md", "Locks#1", (41, 42), base, stated, stated.hash, NOW)
    mine = replace(memory, insight=f"Since the outage of May:\n{base.insight}", rationale="Cards pay at once.")
    async with album.of(app) as pilot:
        await app.push_screen(SourceConflictScreen(app.opening, SourceConflict(mine, text), 3))
        await settle(pilot, SourceConflictScreen, lambda screen: screen.focused is not None)
        for size in (SMALL, TINY):
            await album.take(pilot, f"{size[0]}x{size[1]}", size)
        await pilot.resize_terminal(*WIDE)
        await pilot.press("plus")
        await album.take(pilot, "both")
