"""The footer of every screen: each key that it shows does something there, in whatever state the screen is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import FERRY, WIDE, app_on, fill, memory, screen_text, until
from textual.pilot import Pilot
from textual.screen import ModalScreen

from memtui.analysis.contradictions import Contradiction
from memtui.curate.projects import link_folder
from memtui.domain.memory import Anchor, Source
from memtui.tui.actions.registry import GO
from memtui.tui.app import _SCREENS
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.tidy.contradiction import ContradictionScreen
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lines import AskInput
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

LEAVES = frozenset(
    {"quit", "back", "help", "filter-keep", "open-source", "inbox-source", "inbox-batch", "capture-source"}
)
"""What goes away from the screen, or gives the terminal to an editor, which a test has not."""

UNSEEN = frozenset({"markdown"})  # What looks the same where a text has no Markdown
ANSWERED = frozenset({"undo", "redo", "capture-run", "ask-take"})
"""What looks whether there is anything to do, and says so: only the vault, or the disk, knows."""

STATES = {
    **dict.fromkeys(_SCREENS, ()),
    "browse": (),
    "browse-due": ("d",),
    "browse-details": ("3",),
    "browse-facets": ("1",),
    "browse-marks": ("space", "space"),
    "browse-empty": ("slash", *"xyzzy", "enter"),
    "inbox-group": ("g",),
    "inbox-marks": ("space",),
    "context-list": ("escape",),
    **{f"tidy-{number}": ("j",) * number for number in range(1, 6)},
    "import-preview": ("2",),
    "packs-members": ("2",),
    "history-diff": ("2",),
    "bulk": ("asterisk", "B"),
    "merge": ("space", "space", "m"),
}
"""Keys that lead from a screen to a state of it, by a name that begins with the screen's area."""


@pytest.fixture
def vault(blank: Vault, tmp_path: Path, own_home: Path) -> Vault:
    """A vault in which each screen has something to show, and a repository around the folder."""
    for folder, text in ((tmp_path, "- Moor at the north quay.\n"), (own_home / ".claude", "- Answer briefly.\n")):
        folder.mkdir(exist_ok=True)
        (folder / "CLAUDE.md").write_text(f"# Rules\n\n{text}", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    fill(
        blank,
        [
            *FERRY,
            memory(6, "Use Node 20 on every host", days=300, insight="Use Node 20 on every host."),
            memory(7, "Use Node 22 on every host", days=2, insight="Use Node 22 on every host."),
            memory(8, "Be careful", insight="Be careful with the ferry."),
            memory(9, "Ropes are checked at noon", anchors=(Anchor("quay/gone.py"),)),
            memory(10, "Tar the ropes", status="candidate", sources=(Source(format="claude-md", path="CLAUDE.md"),)),
        ],
    )
    link_folder(blank, "ferry", tmp_path)
    return blank


async def _rests(pilot: Pilot[Any]) -> None:
    """Wait until nothing is read or changed."""

    def at_work() -> bool:
        screen = pilot.app.screen
        return any(not worker.is_finished for worker in pilot.app.workers) or getattr(screen, "acting", False)

    await pilot.pause(0.06)
    await until(pilot, lambda: not at_work(), "the screen rests")
    await pilot.pause(0.06)


async def _opens(pilot: Pilot[Any], state: str) -> MemtuiScreen:
    area = state.partition("-")[0]
    if area in _SCREENS:
        await pilot.app.run_action(f"go('{area}')")
    await _rests(pilot)
    for key in STATES[state]:
        await pilot.press(key)
    await _rests(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, MemtuiScreen)
    return screen


@pytest.mark.parametrize("state", STATES)
async def test_a_key_in_the_footer_does_something_where_it_is_shown(
    state: str, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.widgets.lines.LASTING_SECONDS", 0.001)
    app = app_on(vault, tmp_path, project="ferry")
    pressed: list[str] = []
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opens(pilot, state)
        while pilot.app.screen is screen:
            left = [one for one in screen.hints.shown if one.id not in {*pressed, *LEAVES, *ANSWERED, *UNSEEN}]
            left = [one for one in left if not one.id.startswith(GO)]
            if not left:
                break
            pressed.append(left[0].id)
            said, before = len(app.said), (screen_text(pilot), app.focused)
            await pilot.press(app.keymap.keys(left[0])[0])
            await _rests(pilot)
            warned = [text for severity, text in app.said[said:] if severity != "information"]
            warned = [text for text in warned if text != screen.again.words]
            assert not warned, f"{left[0].id} is in the footer of {state}, and is not possible"
            is_seen = before != (screen_text(pilot), app.focused) or len(app.said) > said
            assert is_seen or left[0].id.endswith("-again"), f"{left[0].id} of {state} does nothing"
            if pilot.app.screen is not screen:
                await pilot.press("escape")
                await _rests(pilot)


ASKING = {
    "context": ("escape", "w"),
    "packs": ("w",),
    "bulk-tags": ("asterisk", "B", "number_sign"),
    "clash": ("b",),
}
"""Keys that lead to a line that asks."""


@pytest.mark.parametrize("state", ASKING)
async def test_while_a_line_asks_the_footer_shows_its_keys(state: str, vault: Vault, tmp_path: Path) -> None:
    app = app_on(vault, tmp_path, project="ferry")
    async with app.run_test(size=WIDE) as pilot:
        if state in _SCREENS:
            await app.run_action(f"go('{state}')")
        elif state == "clash":
            older, newer = VaultAccess(app.opening).memories(["m0000006", "m0000007"])
            nothing = ("", "")
            clash = Contradiction((older.id, newer.id), "linked", "said by hand", nothing, nothing, nothing)
            app.push_screen(ContradictionScreen(app.opening, clash, (older, newer)))
        await _rests(pilot)
        for key in ASKING[state]:
            await pilot.press(key)
        await _rests(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, MemtuiScreen)
        assert isinstance(screen.focused, AskInput)
        assert [action.id for action in screen.hints.shown] == ["ask-take", "ask-cancel"]
        assert screen_text(pilot).rstrip().splitlines()[-1].strip() == "enter done   esc cancel"
        await pilot.click(screen.hints, offset=(16, 0))
        await until(pilot, lambda: not isinstance(screen.focused, AskInput), "the line is closed")
        assert "ask-take" not in {action.id for action in screen.hints.shown}


async def test_beneath_a_box_the_footer_names_no_key_of_the_screen(vault: Vault, tmp_path: Path) -> None:
    app = app_on(vault, tmp_path, project="ferry")
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opens(pilot, "inbox")
        for key in ("question_mark", "colon", "t"):
            assert str(screen.hints.render()).startswith(" a accept")
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, ModalScreen), f"{key} opens a box")
            await until(pilot, lambda: not str(screen.hints.render()), "its keys alone are named")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen, "it is closed")
            await _rests(pilot)


def test_the_states_cover_every_screen() -> None:
    assert set(_SCREENS) <= {state.partition("-")[0] for state in STATES}
