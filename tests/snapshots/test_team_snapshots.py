"""Pictures of the Team screen."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from machines import Seat
from snapshots.pictures import NOW, SMALL, Album, only_with_the_same_textual

from memtui.sync.carrier import Came
from memtui.sync.database import Member
from memtui.sync.service import Asked
from memtui.tui.app import MemtuiApp
from memtui.tui.state import Opening
from memtui.tui.team import view
from memtui.tui.team.screen import TeamScreen
from memtui.tui.team.watch import TeamWatch
from memtui.vault.teams import PurgeOrder, Share, Team, put_orders, put_share, put_team

pytestmark = only_with_the_same_textual

ASKED = Asked(
    (
        Member("ada", None, "admin"),
        Member("ben", "storefront", "write"),
        Member("reviewer-bot", "storefront", "propose"),
    ),
    (
        Came("ben", "3 changes of storefront: verify 3 memories", NOW - timedelta(days=1)),
        Came("reviewer-bot", "1 change of storefront: add 日本語 [/x]", NOW - timedelta(days=2)),
    ),
)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    """The app on a vault with a team, whose server answers at once."""
    seat = Seat(tmp_path, tmp_path)
    seat.clock.moment = NOW
    seat.add(project="storefront")
    gone = seat.add(id="customername", project="storefront", title="A customer's name")
    team = Team(
        id="t" * 32,
        carrier="postgres",
        place="postgresql://ada@db.example.org/memories",
        branch="",
        team="f" * 32,
        person="ada",
        synced_at=NOW - timedelta(hours=3),
    )
    with seat.vault.write(actor="team", action="sync") as writer:
        put_team(writer, team)
        put_share(writer, Share(team=team.id, project="storefront", remote="shop"))
        put_orders(
            writer,
            [PurgeOrder(team=team.id, project="storefront", memory_id=gone.id, author="person:ben", made_at=NOW)],
        )
    monkeypatch.setattr(view, "ask_team", lambda _: ASKED)
    monkeypatch.setattr(TeamWatch, "begin", lambda _: None)
    return MemtuiApp(Opening(vault=seat.vault, folder=tmp_path, state_path=tmp_path / "state.json"))


def _is_read(screen: object) -> bool:
    return isinstance(screen, TeamScreen) and screen._rows.list.count > 0 and bool(screen._asked)


async def test_a_team_with_members_and_a_purge_that_waits(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('team')")
        await album.take_sizes(pilot, light=True, ready=_is_read)
        await pilot.press("enter")
        await album.take(pilot, "read", size=SMALL, ready=_is_read)
