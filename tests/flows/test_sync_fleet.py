"""Many machines at once: all agree in the end, and nothing that anybody wrote is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from machines import PROJECT, Fleet, Machine, git, joined, links_of, shared, squad
from postgres import running
from support import NOON, FrozenClock, start_python

pytestmark = [pytest.mark.long, pytest.mark.slow]  # those that take longest begin first

CLONES, CHANGES = 8, 6


def _skew(members: Sequence[Machine]) -> None:
    """Let two of five clocks be a year off."""
    for number, machine in enumerate(members):
        machine.clock = machine.vault.now = FrozenClock(NOON + timedelta(days=(0, 365, 0, -365, 0)[number % 5]))


def test_eight_clones_with_six_changes_each_lose_nothing_and_agree(tmp_path: Path) -> None:
    _, members = joined(tmp_path, [f"m{number}" for number in range(CLONES)])
    _skew(members)
    fleet = Fleet(members)

    def work(number: int) -> None:
        chance = Random(number)
        for turn in range(CHANGES):
            fleet.act(members[number], number, turn, chance)
            members[number].sync()

    with ThreadPoolExecutor(CLONES) as pool:
        list(pool.map(work, range(CLONES)))
    for machine in [*members, *members]:
        machine.sync()
    assert all(shared(machine) == shared(members[0]) for machine in members)
    assert all(links_of(machine) == links_of(members[0]) for machine in members)
    history = git("log", "-p", "--format=", "memory", "--", f"memories/{PROJECT}", folder=members[0].remote)
    assert fleet.written
    assert fleet.lost(lambda _: history) == []


SEATS, TURNS = int(os.environ.get("MEMTUI_FLEET_SEATS", "10")), int(os.environ.get("MEMTUI_FLEET_CHANGES", "40"))
BETWEEN_SYNCS = 5


def test_a_team_on_postgres_agrees_and_loses_nothing(tmp_path: Path) -> None:
    """`MEMTUI_FLEET_SEATS=50 MEMTUI_FLEET_CHANGES=200` makes it the large one."""
    with running() as server:
        team = squad(server, tmp_path, ana="write", ben="write")
        members = [team.seat(("ana", "ben")[number % 2], f"m{number}") for number in range(SEATS)]
        _skew(members)
        members[0].add()
        members[0].sync(share=(PROJECT,))
        for machine in members[1:]:
            machine.sync()
        fleet = Fleet(list(members))

        def work(number: int) -> None:
            chance = Random(number)
            for turn in range(TURNS):
                fleet.act(members[number], number, turn, chance)
                if turn % BETWEEN_SYNCS == BETWEEN_SYNCS - 1:
                    members[number].sync()

        started = time.perf_counter()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(SEATS)))
        for machine in [*members, *members]:
            machine.sync()
        assert all(shared(machine) == shared(members[0]) for machine in members)
        assert all(links_of(machine) == links_of(members[0]) for machine in members)
        log: dict[str, str] = {}
        for key, insight in team.ask("SELECT key, record->>'insight' FROM team.log WHERE entity = 'memory'"):
            log[key] = log.get(key, "") + (insight or "")
        assert fleet.written
        assert fleet.lost(lambda identifier: log.get(identifier, "")) == []
        pushes = team.ask("SELECT count(*) FROM team.log")[0][0]
        print(f"\n{SEATS} machines, {TURNS} changes each: {time.perf_counter() - started:.0f} s, {pushes} pushes")
        print(f"{len(fleet.written)} texts written, 0 lost, {len(shared(members[0]))} memories")


KILLS = 40
SYNC = (
    "import sys\n"
    "from pathlib import Path\n"
    "from memtui.sync.service import sync\n"
    "from memtui.sync.sharing import SyncRequest\n"
    "from memtui.vault.vault import Vault\n"
    "print('begun', flush=True)\n"
    "sync(Vault(Path(sys.argv[1])), SyncRequest(folder=Path('.')))\n"
)


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_clients_and_a_server_that_are_killed_at_any_moment_lose_nothing(tmp_path: Path) -> None:
    with running() as server:
        team = squad(server, tmp_path, ana="write", ben="write")
        members = [team.seat(("ana", "ben")[number % 2], f"m{number}") for number in range(4)]
        members[0].add()
        members[0].sync(share=(PROJECT,))
        for machine in members[1:]:
            machine.sync()
        fleet = Fleet(list(members))
        killed: list[int] = []

        def work(number: int) -> None:
            chance = Random(number)
            for turn in range(KILLS // len(members)):
                for step in range(3):
                    fleet.act(members[number], number, turn * 3 + step, chance)
                process = start_python(SYNC, members[number].vault.path)
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(chance.uniform(0, 0.4))
                process.kill()
                process.communicate(timeout=60)
                if process.returncode == -signal.SIGKILL:
                    killed.append(number)

        with ThreadPoolExecutor(len(members)) as pool:
            running_machines = [pool.submit(work, number) for number in range(len(members))]
            for _ in range(2):
                time.sleep(3)
                server.kill()
                server.start()
            for done in running_machines:
                done.result()
        for machine in [*members, *members]:
            machine.sync()
        assert all(shared(machine) == shared(members[0]) for machine in members)
        assert all(links_of(machine) == links_of(members[0]) for machine in members)
        log: dict[str, str] = {}
        for key, insight in team.ask("SELECT key, record->>'insight' FROM team.log WHERE entity = 'memory'"):
            log[key] = log.get(key, "") + (insight or "")
        assert fleet.lost(lambda identifier: log.get(identifier, "")) == []
        print(f"\n{len(killed)} of {KILLS} syncs killed, the server twice; {len(fleet.written)} texts written, 0 lost")
        assert len(killed) > KILLS / 4
