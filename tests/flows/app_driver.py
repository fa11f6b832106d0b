"""Drives the app as a person does, and waits for what the person waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._wait import wait_for_idle
from textual.keys import _character_to_key
from textual.pilot import Pilot

from memtui.domain.memory import Anchor, Link, Memory, Source
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.state import Opening
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WIDE = (120, 40)
NARROW = (80, 24)
PATIENT_SECONDS = 20.0

HOSTILE = (
    "[/",
    "[red]",
    "[/x] closes nothing",
    "[@click=app.quit]x[/]",
    "[type=x, v={'a[0]'}]",
    "esc \x1b[31mred\x1b[0m and \x07 bell",
    "bidi \u202eevil\u202c end",
    "日本語の題名はとても長いので幅で切らなければならないことがある、そうでないと列がずれる",
    "family 👩‍👩‍👧 flag 🇨🇭 heart ❤️ eye 👁️ e\u0301",
    "العربية עברית mixed",
    "tab\there and\nnew line",
    "x" * 1_000_000,
)


def memory(number: int, title: str, *, days: float = 1, **values: Any) -> Memory:
    """Return an active memory that was observed some days ago."""
    at = NOW - timedelta(days=days)
    chosen: dict[str, Any] = {"insight": f"What {title[:60]} means.", "kind": "decision", "project": "ferry", **values}
    return Memory(id=f"m{number:07d}", title=title, created_at=at, updated_at=at, confirmed_at=at, **chosen)


def fill(vault: Vault, memories: Sequence[Memory], links: Sequence[Link] = ()) -> None:
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many(memories)
        writer.add_links(links)


FERRY = (
    memory(1, "Lock refunds by payment_id", days=1, rationale="Cards pay at once.", anchors=(Anchor("pay/lock.py"),)),
    memory(2, "Sail times are in UTC", days=20, kind="convention"),
    memory(3, "Retry a refund three times", days=40, kind="lesson"),
    memory(4, "Postgres 14 everywhere", days=300, kind="tooling"),
    memory(5, "Debugging the quay printer", days=60, kind="note"),
)

SUPERSEDES = Link(from_id="m0000001", type="supersedes", to_id="m0000003", created_at=NOW)


def hostile_memories() -> list[Memory]:
    return [
        memory(
            number,
            title,
            days=number / 10,
            insight=title,
            rationale=title,
            snippet=title,
            status_reason=title[:300],
            kind=title[:20],
            project=None,
            tags=(title[:30],),
            anchors=(Anchor(title[:200]),),
            sources=(Source(format=title[:20], path=title[:200], agent=title[:20]),),
        )
        for number, title in enumerate(HOSTILE, 1)
    ]


def isolate(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep the person's own settings out."""
    patch.setenv("MEMTUI_CONFIG", str(folder / "config" / "config.toml"))
    # Files are checked when a test asks for it, not in the midst of another.
    patch.setattr("memtui.tui.browse.screen.FIRST_SECONDS", 3_600.0)
    for name in ("MEMTUI_VAULT", "MEMTUI_ACTOR", "MEMTUI_NOW", "TEXTUAL_THEME", "NO_COLOR"):
        patch.delenv(name, raising=False)


def empty_vault(folder: Path) -> Vault:
    return Vault(folder / "vault.duckdb", now=lambda: NOW, patience_seconds=5.0)


def ferry_vault(folder: Path) -> Vault:
    vault = empty_vault(folder)
    fill(vault, FERRY, [SUPERSEDES])
    return vault


class RecordingApp(MemtuiApp):
    """Remembers every toast, also after it is gone."""

    def __init__(self, opening: Opening, **values: Any) -> None:
        super().__init__(opening, **values)
        self.said: list[tuple[str, str]] = []

    def notify(self, message: str, *, severity: Any = "information", markup: bool = True, **values: Any) -> None:
        assert not markup, "texts of others must never be read as markup"
        self.said.append((severity, message))
        super().notify(message, severity=severity, markup=markup, **values)

    async def _press_keys(self, keys: Iterable[str]) -> None:
        """Press keys as Textual's pilot does, but signs in a row as fast as they come: a pause after each costs most.

        The app hands them out in turn, so that they do what they do when one waits between them.
        """
        for is_typed, run in groupby(keys, lambda key: len(key) == 1 or key == "space"):
            if not is_typed:
                await super()._press_keys(run)
                continue
            for key in run:
                name = key if len(key) > 1 or key.isalnum() else _character_to_key(key)
                self.post_message(events.Key(name, " " if key == "space" else key))
            await wait_for_idle(0)
            while self._key_order.is_busy and not self._exit:
                await wait_for_idle(0)


def app_on(vault: Vault, tmp_path: Path, **values: Any) -> RecordingApp:
    return RecordingApp(Opening(vault=vault, folder=tmp_path, **values))


async def until(pilot: Pilot[Any], met: Callable[[], bool], what: str) -> None:
    """Wait until something is so; fail with its name and the screen if it never is."""
    waited, pause = 0.0, 0.02
    while not met():
        assert waited < PATIENT_SECONDS, f"never: {what}\n" + "\n".join(screen_lines(pilot))
        await pilot.pause(pause)
        # A look may draw the whole screen: what takes long is looked at less often.
        waited, pause = waited + pause, min(pause * 1.25, 0.1)


async def work_ends(pilot: Pilot[Any]) -> None:
    """Wait until no worker runs; one that gave way to its successor counts as ended, and raises nothing."""
    await until(pilot, lambda: all(each.is_finished for each in pilot.app.workers), "the workers end")


def browser(pilot: Pilot[Any]) -> BrowseScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BrowseScreen)
    return screen


def focused(pilot: Pilot[Any]) -> str | None:
    return pilot.app.focused.id if pilot.app.focused else None


def screen_lines(pilot: Pilot[Any]) -> list[str]:
    return [strip.text for strip in pilot.app.screen._compositor.render_strips()]


def screen_text(pilot: Pilot[Any]) -> str:
    return "\n".join(screen_lines(pilot))


def toasts(pilot: Pilot[Any]) -> list[str]:
    assert isinstance(pilot.app, RecordingApp)
    return [message.rstrip() for _, message in pilot.app.said]  # blanks cover a label beside it


async def shows(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: text in screen_text(pilot), f"the screen shows {text!r}")


async def says(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: any(text in toast for toast in toasts(pilot)), f"a toast says {text!r}")


async def unsays(pilot: Pilot[Any], text: str) -> None:
    """Wait until no toast on the screen says a text any more."""
    shown = pilot.app._notifications
    await until(pilot, lambda: not any(text in one.message for one in shown), f"no toast says {text!r} any more")


async def holds(pilot: Pilot[Any], number: int) -> None:
    await until(pilot, lambda: len(browser(pilot)._list.ids) == number, f"the list holds {number}")


def stored(vault: Vault, identifier: str) -> Memory:
    with vault.read() as reader:
        return reader.get(identifier)
