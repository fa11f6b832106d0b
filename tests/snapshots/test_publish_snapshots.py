"""Pictures of the Publish screen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from curating import write_files
from snapshots.pictures import SMALL, Album, only_with_the_same_textual, rest, sample_app

from memtui.tui.app import MemtuiApp
from memtui.tui.publish.choosing import ChoosingScreen
from memtui.tui.publish.screen import PublishScreen

pytestmark = only_with_the_same_textual


@pytest.fixture
def app(own_home: Path, tmp_path: Path, sample: Path) -> MemtuiApp:
    """The app in a repository of the sample vault with an AGENTS.md and a CLAUDE.md."""
    assert own_home.exists()
    project = tmp_path / "storefront"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    write_files(project, {"AGENTS.md": "# Storefront\n\nRun `make test`.\n", "CLAUDE.md": "# Storefront\n"})
    return sample_app(sample, tmp_path, folder=project, project="storefront", state_path=tmp_path / "state.json")


def _is_read(screen: object) -> bool:
    return isinstance(screen, PublishScreen) and screen._rows.list.count > 0 and bool(screen._rows.shown)


async def test_what_would_be_published(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('publish')")
        await album.take_sizes(pilot, light=True, ready=_is_read)
        await pilot.press("down", "p")
        await album.take(pilot, "published", size=SMALL, ready=_is_published)


def _is_published(screen: object) -> bool:
    return isinstance(screen, PublishScreen) and screen._read is not None and screen._read.rows[1].is_published


async def test_what_goes_in_is_chosen(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('publish')")
        await rest(pilot, _is_read)
        await pilot.press("down", "space")
        await rest(pilot, _is_offered)
        await pilot.press("down", "space")
        await album.take_sizes(pilot, ready=_is_offered)


def _is_offered(screen: object) -> bool:
    return isinstance(screen, ChoosingScreen) and screen._rows.list.count > 0 and bool(screen._rows.shown)
