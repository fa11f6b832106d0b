"""The Team screen: what is shared, what waits, who sent what; and the quiet line in the header."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from flows.app_driver import NARROW, NOW, WIDE, app_on, memory, says, shows, until
from machines import Machine, bare
from textual.pilot import Pilot

from memtui.sync.service import sync
from memtui.sync.sharing import SyncRequest
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.edit.version_conflict import TEAM, SourceConflictScreen
from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.team.screen import TeamScreen

pytestmark = pytest.mark.usefixtures("isolated")

LOCK = memory(1, "Lock refunds by payment_id")
_NUMBERS = count()


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines that share `ferry`."""
    # A vault at the path of another test's is that one to DuckDB, as long as a thread of its app has it open.
    folder = tmp_path / str(next(_NUMBERS))
    remote = bare(folder / "remote.git")
    made = []
    for name in ("here", "there"):
        (folder / name).mkdir()
        machine = Machine(folder / name, remote)
        machine.clock.moment = NOW
        made.append(machine)
    made[0].put(LOCK)
    made[0].sync(share=("ferry",))
    made[1].sync()
    return made[0], made[1]


async def _open(pilot: Pilot[int]) -> None:
    await pilot.press("Z")
    await until(pilot, lambda: isinstance(pilot.app.screen, TeamScreen), "Team is open")


async def test_team_shows_what_is_shared_and_syncs_what_waits(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    here.edit(LOCK.id, rationale="Cards pay at once.")
    async with app_on(here.vault, here.path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "ferry")
        await shows(pilot, "Received, and from whom")
        await shows(pilot, "1 memory of ferry")
        await pilot.press("s")
        await until(pilot, lambda: there.sync().pulled == 1 or bool(there.get(LOCK.id).rationale), "it was sent")
        await shows(pilot, "nothing")
    assert there.get(LOCK.id).rationale == "Cards pay at once."


@pytest.mark.parametrize(("key", "text"), [("m", "Of mine."), ("t", "Of the team.")])
async def test_a_conflict_leads_from_team_to_the_inbox_and_is_settled_there(
    pair: tuple[Machine, Machine], key: str, text: str
) -> None:
    here, there = pair
    there.edit(LOCK.id, insight="Of the team.")
    there.sync()
    here.edit(LOCK.id, insight="Of mine.")
    assert here.sync().exit_code == 4
    async with app_on(here.vault, here.path, project="ferry").run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "1 conflict with the team")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen), "the Inbox is open")
        await shows(pilot, "1 conflict with the team: d")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, SourceConflictScreen), "both texts are shown")
        screen = pilot.app.screen
        assert isinstance(screen, SourceConflictScreen)
        assert screen.parties is TEAM
        await shows(pilot, "Mine: not sent")
        await shows(pilot, "Theirs: the team's, in the vault")
        # Titles are made from these texts, and follow what is chosen.
        await pilot.press(key, "ctrl+s")
        await until(pilot, lambda: here.get(LOCK.id).insight == text, "what was chosen is stored")
    assert here.sync().exit_code == 0
    there.sync()
    assert there.get(LOCK.id).insight == text


async def test_the_header_says_when_memories_were_exchanged_and_others_changes_arrive(
    pair: tuple[Machine, Machine],
) -> None:
    here, there = pair
    there.edit(LOCK.id, title="Lock refunds, always")
    there.sync()
    async with app_on(here.vault, here.path, project="ferry").run_test(size=WIDE) as pilot:
        await shows(pilot, "synced today")
        await shows(pilot, "Lock refunds, always")


async def test_without_a_team_the_header_is_quiet_and_the_screen_says_how_to_begin(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tmp_path)
    machine.put(replace(LOCK, id="m0000009"))
    async with app_on(machine.vault, tmp_path).run_test(size=NARROW) as pilot:
        await _open(pilot)
        await shows(pilot, "does not share memories yet")
        await pilot.press("s")
        await says(pilot, "does not share memories yet")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "back at the list")
        assert "synced" not in str(pilot.app.screen.query_one("#header").render())


async def test_a_remote_that_is_gone_is_told_and_the_rest_is_shown(pair: tuple[Machine, Machine]) -> None:
    here, _ = pair
    here.remote.rename(here.remote.with_name("moved.git"))
    async with app_on(here.vault, here.path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "cannot be reached")
        await shows(pilot, "ferry")
        await pilot.press("s")
        await says(pilot, "cannot be reached")
    with pytest.raises(Exception, match="cannot be reached"):
        sync(here.vault, SyncRequest(folder=here.path))


async def test_a_team_that_is_joined_while_the_app_is_open_is_synced_with_from_then_on(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.team.watch.LOOK_SECONDS", 0.2)
    (tmp_path / "new").mkdir()
    joins = Machine(tmp_path / "new", pair[0].remote)
    joins.clock.moment = NOW
    joins.put(memory(7, "The crane is greased in May", project="crane"))
    async with app_on(joins.vault, joins.path).run_test(size=WIDE) as pilot:
        await shows(pilot, "The crane is greased in May")
        assert "synced" not in str(pilot.app.screen.query_one("#header").render())
        joins.sync(share=("ferry",))
        await shows(pilot, "synced today")
        await shows(pilot, LOCK.title)
