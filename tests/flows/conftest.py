"""Fixtures of the flows."""

from __future__ import annotations

from typing import Any

import pytest
from flows.app_setups import blank, ferry, ferry_master, isolated
from flows.cli_driver import cli, demo, demo_master
from postgres import server
from textual._compositor import Compositor
from textual._context import active_app

__all__ = ["blank", "cli", "demo", "demo_master", "ferry", "ferry_master", "isolated", "server"]


@pytest.fixture(autouse=True)
def _draw_when_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw a screen when a test reads it, not at each change: a headless app throws away what it draws then.

    That took a quarter of the time of these tests. What counts on having been seen is marked `drawn`.
    """
    if request.node.get_closest_marker("drawn"):
        return
    draw = Compositor.render_update

    def drawn(compositor: Compositor, *arguments: Any, **options: Any) -> Any:
        if options.get("full") or not active_app.get().is_headless:
            return draw(compositor, *arguments, **options)
        compositor._dirty_regions.clear()
        return None

    monkeypatch.setattr(Compositor, "render_update", drawn)
