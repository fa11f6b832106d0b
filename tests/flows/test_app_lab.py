"""The Decay lab: knobs with their effect before anything is applied, one undoable change, and who decides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NOW,
    WIDE,
    app_on,
    empty_vault,
    fill,
    hostile_memories,
    memory,
    says,
    screen_text,
    shows,
    stored,
    toasts,
    until,
)
from flows.cli_driver import Cli
from textual.pilot import Pilot

from memtui.curate.decay import apply
from memtui.curate.review_queue import review_queue
from memtui.domain.identity import Actor
from memtui.domain.kinds import Kind, Kinds
from memtui.domain.memory import Verdict
from memtui.pack.recipes import save_recipe
from memtui.recall.result import Task
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.lab.screen import LabScreen
from memtui.tui.lab.trial import LADDER
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


def tools() -> list[Any]:
    return [
        *(
            memory(n, f"Berth tool {n:02d}", days=10 * n, kind="tooling", insight=f"Berth tool {n} moors.")
            for n in range(1, 13)
        ),
        memory(20, "Berth rule", days=5, insight="Berth rules moor ferries."),
    ]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = empty_vault(tmp_path)
    fill(vault, tools())
    with vault.write(actor="person", action="review") as writer:
        writer.add_verdicts(
            Verdict(
                memory_id=f"m{n:07d}",
                verdict="outdated",
                at=NOW - timedelta(seconds=10 * n),
                actor="person",
                exposure_days=15.0,
            )
            for n in range(1, 7)
        )
    save_recipe(
        vault,
        "berths",
        Task(text="berth tools that moor"),
        actor="person",
        project="ferry",
        target="chat",
        budget="240",
    )
    return vault


def lab(pilot: Pilot[Any]) -> LabScreen:
    screen = pilot.app.screen
    assert isinstance(screen, LabScreen)
    return screen


async def open_lab(pilot: Pilot[Any]) -> None:
    await shows(pilot, "Berth")
    await pilot.press("l")
    await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen), "the lab is open")
    await rested(pilot)


async def rested(pilot: Pilot[Any]) -> None:
    def rests() -> bool:
        screen = lab(pilot)
        return screen._read is not None and screen._effect is not None and screen._payload_changes is not None

    await until(pilot, rests, "the effect is reckoned")
    await pilot.pause()


async def turn_to(pilot: Pilot[Any], kind: str) -> None:
    await pilot.press(*["up"] * 12)
    for _ in range(12):
        if lab(pilot)._trial.subject == kind:
            return
        await pilot.press("down")
    raise AssertionError(f"no kind {kind}")


def due(vault: Vault) -> int:
    return len(review_queue(vault, EVERYTHING))


async def test_the_effect_is_shown_before_it_is_applied_and_undone_after(vault: Vault, tmp_path: Path) -> None:
    before = due(vault)
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await open_lab(pilot)
        await turn_to(pilot, "tooling")
        await pilot.press(*["left"] * 4)
        await until(pilot, lambda: lab(pilot)._trial.knobs.half_lives == {"tooling": 30.0}, "30 days are tried")
        await rested(pilot)
        found = lab(pilot)._effect
        assert found is not None
        await shows(pilot, "◂ 90 → 30 d ▸")
        await shows(pilot, f" {found.before} due")
        await shows(pilot, f" {found.after} due   +{len(found.entering)}")
        await shows(pilot, "╌ due")
        await shows(pilot, "+ Berth tool")
        assert due(vault) == before == found.before, "nothing is applied yet"
        assert vault.kinds.get("tooling").half_life_days == 90.0

        await pilot.press("a")
        await says(pilot, "half-life of tooling 90 d → 30 d")
        await until(pilot, lambda: not lab(pilot)._trial.knobs.half_lives, "what was applied is no trial any more")
        assert due(vault) == found.after > before
        await shows(pilot, "vault")

        await pilot.press("u")
        await says(pilot, "Undone: half-life of tooling")
        assert due(vault) == before
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "back in the list")


async def test_what_verdicts_speak_for_is_offered_with_its_evidence(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await open_lab(pilot)
        await turn_to(pilot, "tooling")
        await shows(pilot, "from 6 verdicts (6 outdated)")
        assert not lab(pilot)._trial.knobs.half_lives, "never by itself"
        await pilot.press("t")
        assert lab(pilot)._trial.knobs.half_lives["tooling"] == pytest.approx(51.4, abs=0.1)
        await pilot.press("0")
        assert not lab(pilot)._trial.knobs.half_lives
        await pilot.press("a")
        await says(pilot, "No half-life has been changed")
        await turn_to(pilot, "decision")
        await pilot.press("t")
        await says(pilot, "No verdicts on decision to learn from yet")
        # The line for review moves the queue, but it is the configuration's to keep.
        await pilot.press("greater_than_sign", "greater_than_sign")
        await rested(pilot)
        await shows(pilot, "[review] threshold = 0.6")
        await pilot.press("a")
        await says(pilot, "Only the configuration can store this")
        await pilot.press("escape")
        assert vault.kinds.get("tooling").half_life_days == 90.0


async def test_the_coming_weeks_are_shown_and_flattened(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await open_lab(pilot)
        await shows(pilot, "a week")
        before = lab(pilot)._coming
        assert before[0].due == due(vault)
        await pilot.press("right_parenthesis")
        await shows(pilot, "a day 0 → 5")
        await rested(pilot)
        await shows(pilot, "[review] daily = 5")
        await pilot.press("left_parenthesis", "greater_than_sign", "greater_than_sign", "greater_than_sign")
        await rested(pilot)
        await until(
            pilot, lambda: sum(week.due for week in lab(pilot)._coming) > sum(week.due for week in before), "more"
        )


async def test_a_project_is_tried_alone_and_floor_and_hurts_are_tried_with_their_effect(
    vault: Vault, tmp_path: Path
) -> None:
    async with app_on(vault, tmp_path, project="ferry").run_test(size=WIDE, notifications=True) as pilot:
        await open_lab(pilot)
        await turn_to(pilot, "tooling")
        await pilot.press("p", "left")
        await shows(pilot, "tooling in ferry only")
        await pilot.press("left_square_bracket", "right_curly_bracket")
        await rested(pilot)
        await shows(pilot, "[recall] floor = 0.04")
        await shows(pilot, "[recall] hurt_weight = 5")
        await shows(pilot, "hurt × 4 → 5")
        await pilot.press("a")
        await says(pilot, "half-life of tooling in ferry 90 d → 75 d")
        with vault.read() as reader:
            assert reader.kinds.project_half_lives() == {("tooling", "ferry"): 75.0}
        await until(pilot, lambda: not lab(pilot).acting and not lab(pilot)._trial.knobs.half_lives, "it is applied")
        await pilot.press("d", "a")
        await until(pilot, lambda: not _own(vault), "the project goes by its kind again")


def _own(vault: Vault) -> dict[tuple[str, str], float]:
    with vault.read() as reader:
        return reader.kinds.project_half_lives()


async def test_one_memory_gets_a_half_life_of_its_own(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await open_lab(pilot)
        chosen = lab(pilot).current_memory
        assert chosen is not None
        await pilot.press(*["up"] * 12)
        await shows(pilot, "▸ this memory")
        await pilot.click("#lab-kinds", offset=(6, 4))  # Below the border and the heading, the second kind
        read = lab(pilot)._read
        assert read is not None
        await until(
            pilot, lambda: lab(pilot)._trial.subject == lab(pilot)._trial.subjects(read)[2], "a click goes there"
        )
        await shows(pilot, "(floor 0.05)")
        await pilot.press("left")
        await shows(pilot, "• tried ")
        assert screen_text(pilot).count("(floor 0.05)") == 1, "the same floor is not said twice"
        await pilot.press("0")
        await pilot.press("up", "up")
        await shows(pilot, "▸ this memory")
        await pilot.press("left", "enter")
        await until(pilot, lambda: stored(vault, chosen).half_life_days is not None, "it is applied")
        assert stored(vault, chosen).half_life_days in LADDER


async def test_the_configuration_decides_and_others_change_things(tmp_path: Path) -> None:
    vault = Vault(
        tmp_path / "vault.duckdb",
        kinds=Kinds([Kind("tooling", "procedural", 45.0)]),
        now=lambda: NOW,
        patience_seconds=5.0,
    )
    fill(vault, tools())
    async with app_on(vault, tmp_path).run_test(size=(80, 24), notifications=True) as pilot:
        await open_lab(pilot)
        await shows(pilot, "no recipe yet (Context: R)")
        await turn_to(pilot, "tooling")
        await shows(pilot, "config")
        await pilot.press("left", "a")
        await says(pilot, "The configuration sets the half-life of tooling")
        await pilot.press("0")
        apply(Vault(vault.path, now=lambda: NOW), {"lesson": 21.0}, actor=Actor())
        await shows(pilot, "21 d")


async def test_hostile_kinds_and_titles_do_no_harm_at_any_size(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, hostile_memories())
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: bool(pilot.app.screen_stack[0]._list.ids), "the list is read")  # type: ignore[attr-defined] # the Browse screen
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen), "the lab is open")
        await rested(pilot)
        for size in (WIDE, (80, 24), (40, 15), (20, 8)):
            await pilot.resize_terminal(*size)
            await pilot.press(*["down"] * 3, "left", "greater_than_sign")
            await rested(pilot)
        assert "\x1b" not in screen_text(pilot)
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


def test_the_command_line_goes_by_the_same_rule(cli: Cli) -> None:
    added = cli("add", "The crane driver builds the image", "--kind", "tooling", "--project", "ferry").id
    vault = Vault(cli.home / "vault.duckdb")
    cli("export", "--target", "jsonl", "--out", str(cli.home / "all.jsonl"))
    cli.globals = ["--vault", str(vault.path)]
    cli("import", str(cli.home / "all.jsonl"), "--format", "memtui", "--active")
    cli.patch.setenv("MEMTUI_NOW", (datetime.now(UTC) + timedelta(days=80)).isoformat())

    def is_due() -> bool:
        return bool(cli("list", "--stale", "--json", "--project", "ferry", code=(0, 3)).json)

    assert not is_due()
    apply(vault, {"tooling": 33.0}, actor=Actor())
    assert is_due()
    assert "33" in cli("show", added).out
    folder = cli.home / "config"
    folder.mkdir(exist_ok=True)
    (folder / "memtui.toml").write_text("[kinds.tooling]\nhalf_life_days = 200\n", encoding="utf-8")
    assert not is_due(), "the configuration beats the vault"
    (folder / "memtui.toml").unlink()
    assert is_due()
    cli("undo")
    assert not is_due(), "the vault's is undone like any change"
