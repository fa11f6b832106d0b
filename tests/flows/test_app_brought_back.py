"""A screen that is still open shows what changed meanwhile, once its key brings it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, fill, holds, memory, shows, stored, until, work_ends

from memtui.domain.memory import Memory
from memtui.recall.embedding_cache import semantic_state
from memtui.recall.resident import ResidentMeaning
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.review.screen import ReviewScreen
from memtui.tui.tidy.screen import TidyScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

FIRST = memory(1, "Refunds are locked by payment_id", days=1)


def came() -> list[Memory]:
    """What comes in while a screen lies beneath another: one that is due, one that is vague, one that waits."""
    return [
        memory(2, "Postgres 14 everywhere", days=900, kind="tooling"),
        memory(3, "Be careful", insight="Be careful with the ferry."),
        memory(4, "Gulls nest on the quay lamp", status="candidate"),
    ]


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("r", "Nothing is due", "Postgres 14 everywhere"),
        ("T", "Nothing to tidy", "Be careful"),
        ("b", "The inbox is empty", "Gulls nest on the quay lamp"),
    ],
)
async def test_a_screen_shows_what_came_while_another_lay_over_it(
    key: str, before: str, after: str, blank: Vault, tmp_path: Path
) -> None:
    fill(blank, [FIRST])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press(key)
        await shows(pilot, before)
        screen = pilot.app.screen
        await pilot.press("K")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3, "another screen lies over it")
        fill(blank, came())
        await pilot.press(key)
        await until(pilot, lambda: pilot.app.screen is screen, "it is brought back")
        await shows(pilot, after)


async def test_a_review_that_is_over_goes_on_with_what_became_due_and_else_shows_its_receipt(
    blank: Vault, tmp_path: Path
) -> None:
    fill(blank, [memory(1, "Sail times are in UTC", days=900, kind="tooling")])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("r")
        await shows(pilot, "1 of 1")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen), "Review is open")
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        await until(pilot, screen._panes.memory.was_seen, "the memory was seen")
        await pilot.press("x", "enter")
        await shows(pilot, "Receipt")
        await pilot.press("K", "r")
        await work_ends(pilot)
        await shows(pilot, "Receipt")
        await pilot.press("K")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3, "another screen lies over it")
        fill(blank, came())
        await pilot.press("r")
        await until(pilot, lambda: pilot.app.screen is screen, "it is brought back")
        await shows(pilot, "Postgres 14 everywhere")
        await shows(pilot, "1 of 1")


async def test_a_merge_that_is_undone_is_a_finding_again_at_once(
    blank: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(
        blank,
        [
            memory(1, "Quay lamps are lit early", insight="Quay lamps are lit at five and put out at nine."),
            memory(2, "Quay lamps are lit early", days=3, insight="Quay lamps are lit at five, and put out at nine."),
        ],
    )
    # Vectors are made in the background every few seconds; what comes before that is what is looked at here.
    monkeypatch.setattr("memtui.tui.model_loading.ModelLoading._tend", lambda _: None)
    meaning = ResidentMeaning(blank, "bundled")
    async with app_on(blank, tmp_path, project="ferry", meaning=meaning).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await until(pilot, lambda: meaning.words == "ready", "the model is there")
        await until(pilot, lambda: not semantic_state(blank, "bundled").missing, "both have a vector")
        await pilot.press("T")
        await shows(pilot, "Duplicates  1")
        screen = pilot.app.screen
        assert isinstance(screen, TidyScreen)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "Merge is open")
        await shows(pilot, "tokens (was")
        await pilot.press("e")
        await pilot.press(*"Mind the gulls. ", "ctrl+s")
        await shows(pilot, "→ written")
        await pilot.press("enter")
        await shows(pilot, "Nothing to tidy.")
        # As after some seconds of reading, in which what was merged got its vector.
        assert meaning.tend() == 0, "the pass made it"
        before = screen._report
        await pilot.press("u")
        await until(pilot, lambda: screen._report is not before and not screen._is_scanning, "another pass is over")
        assert stored(blank, "m0000001").status == stored(blank, "m0000002").status == "active"
        assert screen._report is not None
        assert [group.ids for group in screen._report.duplicates], "the pass after the undo finds it"
        assert not screen._report.without_vector
