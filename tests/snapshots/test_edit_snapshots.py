"""Pictures of the edit form and the conflict view over the sample vault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from snapshots.pictures import LOCK, SMALL, TINY, WIDE, Album, only_with_the_same_textual, sample_app, settle
from textual.pilot import Pilot

from memtui.curate.form import check_form
from memtui.tui.app import MemtuiApp
from memtui.tui.edit.queries import Wish
from memtui.tui.edit.screen import EditScreen
from memtui.tui.edit.version_conflict import ConflictScreen

pytestmark = only_with_the_same_textual


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
    return screen._pause is not None and (len(said) == len(findings) or not screen._rows.is_dirty)


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
