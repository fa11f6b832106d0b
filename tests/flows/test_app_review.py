"""The Review screen: forty due memories in few keys, every verdict undoable, resumed on another day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    HOSTILE,
    NOW,
    WIDE,
    app_on,
    fill,
    focused,
    hostile_memories,
    memory,
    says,
    screen_text,
    shows,
    stored,
    toasts,
    until,
)
from textual.pilot import Pilot

from memtui.curate import lifecycle, review_sessions
from memtui.domain.identity import Actor
from memtui.domain.memory import Link
from memtui.pack.clipboard import CopyResult
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.review.screen import ReviewScreen
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.vault.vault import Vault

pytestmark = [pytest.mark.usefixtures("isolated"), pytest.mark.drawn]  # No verdict is taken on an unseen card


class Days:
    """A clock that stands still until another day comes."""

    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def vault(tmp_path: Path, days: Days) -> Vault:
    return Vault(tmp_path / "vault.duckdb", now=days, patience_seconds=5.0)


def due(number: int) -> list[Any]:
    """So many memories that are due, the first the riskiest."""
    return [
        memory(place, f"Berth rule number {place:02d}", days=400 - place, kind="tooling")
        for place in range(1, number + 1)
    ]


def reviewer(pilot: Pilot[Any]) -> ReviewScreen:
    screen = next(screen for screen in pilot.app.screen_stack if isinstance(screen, ReviewScreen))
    assert isinstance(screen, ReviewScreen)
    return screen


def seen(pilot: Pilot[Any]) -> str | None:
    """The memory in review whose card was drawn, which a verdict is for; None where there is none yet."""
    screen = pilot.app.screen
    if not isinstance(screen, ReviewScreen) or screen._card is None or not screen._panes.memory.was_seen():
        return None
    return screen._card.shown.id


async def looks_at(pilot: Pilot[Any], identifier: str) -> None:
    """Wait until a memory can be decided on."""
    await until(pilot, lambda: seen(pilot) == identifier, f"{identifier} is in review")


async def rests(pilot: Pilot[Any]) -> None:
    """Wait until every verdict is in the vault and the session was looked at since."""
    await until(
        pilot, lambda: not reviewer(pilot).acting and not reviewer(pilot)._queue.decided, "every verdict is taken"
    )


async def chooses(pilot: Pilot[Any], key: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen), "a short list is open")
    await pilot.press(key)
    await until(pilot, lambda: not isinstance(pilot.app.screen, ChoiceScreen), "the list is closed")


async def merges_into_the_first_alike(pilot: Pilot[Any]) -> str:
    """Merge what is in review into the first of its neighbours; returns that one."""
    card = reviewer(pilot)._card
    assert card is not None
    await pilot.press("m")
    await chooses(pilot, "1")
    await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "Merge is open")
    await until(pilot, lambda: "tokens (was" in screen_text(pilot), "the result is worked out")
    await pilot.press("enter")
    return card.similar[0].id


def ids(numbers: Sequence[int]) -> list[str]:
    return [f"m{number:07d}" for number in numbers]


async def test_review_is_a_key_away_and_the_command_line_opens_at_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, start="due").run_test(size=WIDE) as pilot:
        await looks_at(pilot, "m0000005")
        text = screen_text(pilot)
        for part in ("1 of 2", "2 left", "Why now ─ accepted on ", "Debugging the quay printer"):
            assert part in text
        for part in ("half-life 7 d", "It is not tied to any file", "y still true", "u undo   esc back"):
            assert part in text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "Browse lies beneath")
        await shows(pilot, "Lock refunds by payment_id")
        await pilot.press("r")
        await looks_at(pilot, "m0000005")
        await pilot.press("right")
        await looks_at(pilot, "m0000004")
        await pilot.press("left")
        await looks_at(pilot, "m0000005")
        assert focused(pilot) == "review-memory"


async def test_every_verdict_is_one_or_two_keys_and_the_next_comes_at_once(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [*due(8), memory(50, "Berth rule number 05, the newer one", days=1)])
    async with app_on(vault, tmp_path, project="ferry", start="due").run_test(size=WIDE) as pilot:
        await looks_at(pilot, "m0000001")
        await pilot.press("y")
        await looks_at(pilot, "m0000002")
        await pilot.press("x")
        await chooses(pilot, "2")
        await looks_at(pilot, "m0000003")
        await pilot.press("z")
        await chooses(pilot, "2")
        await looks_at(pilot, "m0000004")
        await pilot.press("p")
        await looks_at(pilot, "m0000005")
        await rests(pilot)
        await pilot.press("t")
        await chooses(pilot, "2")
        await until(pilot, lambda: "decision · " in screen_text(pilot), "the kind is another, the memory still there")
        await pilot.press("h")
        await chooses(pilot, "3")
        await shows(pilot, "half-life 90 d")
        others = [other.id for other in reviewer(pilot)._card.similar]  # type: ignore[union-attr] # it is looked at
        await pilot.press("s")
        await chooses(pilot, str(others.index("m0000050") + 1))
        await looks_at(pilot, "m0000006")
        await rests(pilot)
        assert stored(vault, "m0000001").verified_at == NOW
        assert (stored(vault, "m0000002").status, stored(vault, "m0000002").status_reason) == ("retired", "was wrong")
        assert stored(vault, "m0000003").snoozed_until == NOW + timedelta(days=30)
        assert stored(vault, "m0000004").pinned
        assert (stored(vault, "m0000005").kind, stored(vault, "m0000005").half_life_days) == ("decision", 90)
        assert stored(vault, "m0000005").status == "superseded"
        await pilot.press("x")
        await chooses(pilot, "escape")
        assert stored(vault, "m0000006").status == "active", "leaving the list decides nothing"
        await pilot.press("e")
        await shows(pilot, "Berth rule number 06")
        await until(pilot, lambda: not isinstance(pilot.app.screen, ReviewScreen), "the form is open")
        await pilot.press("ctrl+s")
        await looks_at(pilot, "m0000007")
        assert stored(vault, "m0000006").verified_at == NOW, "what was edited is verified"
        into = await merges_into_the_first_alike(pilot)
        await looks_at(pilot, "m0000008")
        assert (stored(vault, "m0000007").status, stored(vault, "m0000007").status_reason) == (
            "merged",
            f"merged into {into}",
        )
        await pilot.press("y")
        await shows(pilot, "8 of 8 memories reviewed")
        assert not [toast for toast in toasts(pilot) if "error" in toast.lower()]


async def test_a_memory_takes_at_most_two_keys(vault: Vault, tmp_path: Path) -> None:
    fill(vault, due(12))
    keys = 0
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        for number, identifier in enumerate(ids(range(1, 13))):
            await looks_at(pilot, identifier)
            key = ("y", "p", "x1", "z1")[number % 4]
            await pilot.press(key[0])
            if len(key) > 1:
                await chooses(pilot, key[1])
            keys += len(key)
        await shows(pilot, "12 of 12 memories reviewed")
    assert keys <= 24


async def test_verdicts_are_undone_one_after_the_other_and_each_is_come_back_to(vault: Vault, tmp_path: Path) -> None:
    fill(vault, due(4))
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        for identifier in ids(range(1, 5)):
            await looks_at(pilot, identifier)
            await pilot.press("y")
        await shows(pilot, "4 of 4 memories reviewed")
        for identifier in reversed(ids(range(1, 5))):
            await pilot.press("u")
            await looks_at(pilot, identifier)
        await rests(pilot)
        assert all(stored(vault, identifier).verified_at is None for identifier in ids(range(1, 5)))
        await pilot.press("ctrl+r")
        await looks_at(pilot, "m0000002")
        assert "1 of 4" not in screen_text(pilot)


async def test_go_through_ten_undo_three_quit_and_come_back_tomorrow(
    vault: Vault, days: Days, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    fill(vault, due(12))
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        for identifier in ids(range(1, 11)):
            await looks_at(pilot, identifier)
            await pilot.press("y")
        for identifier in ids((10, 9, 8)):
            await pilot.press("u")
            await looks_at(pilot, identifier)
        await rests(pilot)
        await pilot.press("q")
    days.moment += timedelta(days=1)
    lifecycle.retire(vault, ["m0000012"], actor=Actor())

    def take(text: str, **_: object) -> CopyResult:
        copied.append(text)
        return CopyResult("xsel", len(text.encode()), confirmed=True)

    monkeypatch.setattr("memtui.tui.review.queries.copy", take)
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        await says(pilot, "Resumed: 4 of 12 are left. a starts over with everything now due.")
        for identifier in ids((8, 9, 10, 11)):
            await looks_at(pilot, identifier)
            await pilot.press("y")
        await shows(pilot, "12 of 12 memories reviewed")
        assert re.search(r"11\s+still true", screen_text(pilot))
        assert re.search(r"1\s+retired", screen_text(pilot))
        for key, word in (("C", "copy this"), ("w", "write it to a file"), ("a", "start over with what is due now")):
            assert re.search(rf"\b{key} +{word}", screen_text(pilot)), "the keys of the footer"
        await pilot.press("C")
        await says(pilot, "bytes with xsel, verified by reading back")
        await pilot.press("w", "w")
        await until(pilot, lambda: len(list(tmp_path.glob("memtui-review-*.txt"))) == 2, "both copies are written")
        written = (tmp_path / "memtui-review-2026-06-01.txt").read_text()
        assert copied == [written]
        assert "12 of 12 memories" in written
        await pilot.press("y")
        await says(pilot, "Nothing is left; a starts over with what is due now.")
        await pilot.press("a")
        await says(pilot, "Nothing is due for review.")
        await shows(pilot, "in Tidy (T)")
        assert "start over" not in screen_text(pilot), "there is nothing to start over with"
        monkeypatch.setattr("memtui.tui.app.READ_SECONDS", 0.0)
        await pilot.press("u")
        await shows(pilot, "Undone")
        await pilot.press("T")
        await shows(pilot, "Findings")
        told = [note.message for note in pilot.app._notifications]
        assert not any("Undone" in one for one in told), "what was told goes with its screen"


async def test_what_somebody_else_decides_or_refuses_is_taken_in(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault, due(3))
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        await looks_at(pilot, "m0000001")
        lifecycle.retire(vault, ["m0000001"], actor=Actor())
        await looks_at(pilot, "m0000002")

        def refuse(*_: object, **__: object) -> None:
            from memtui.errors import VaultBusyError

            raise VaultBusyError("The vault is busy")

        with monkeypatch.context() as patch:
            patch.setattr("memtui.curate.lifecycle.verify", refuse)
            await pilot.press("y")
            await says(pilot, "The vault is busy")
            await looks_at(pilot, "m0000002")
        assert review_sessions.last(vault, project=None) is not None
        await rests(pilot)
        await pilot.press("y")
        await looks_at(pilot, "m0000003")


async def test_hostile_texts_fit_into_every_pane_at_every_size(vault: Vault, days: Days, tmp_path: Path) -> None:
    memories = hostile_memories()
    links = [Link(from_id=memories[0].id, type="contradicts", to_id=other.id, created_at=NOW) for other in memories[1:]]
    fill(vault, memories, links)
    days.moment += timedelta(days=2_000)
    async with app_on(vault, tmp_path, start="due").run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen), "Review is open")
        for width, height in ((80, 24), (40, 15), (200, 60)):
            await pilot.resize_terminal(width, height)
            for _ in range(len(HOSTILE) // 2):
                await until(pilot, lambda: reviewer(pilot)._card is not None, "a memory is in review")
                text, shown = screen_text(pilot), reviewer(pilot)._queue.place
                assert "\x1b" not in text
                assert "\u202e" not in text
                assert text.split("\n")[1].strip()[:1] == "╭"
                assert text.split("\n")[1].strip()[-1:] == "╮"
                await pilot.press("right")
                await until(pilot, lambda before=shown: reviewer(pilot)._queue.place != before, "on to the next")  # type: ignore[misc] # a default binds the loop's value
        await until(pilot, lambda: reviewer(pilot)._card is not None, "a memory is in review")
        for key in ("s", "t", "h"):
            await pilot.press(key)
            await chooses(pilot, "escape")
        await pilot.press("x")
        await chooses(pilot, "1")
        await rests(pilot)
