"""Many machines at once: all agree in the end, and nothing that anybody wrote is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from machines import PROJECT, Fleet, git, joined, links_of, shared
from support import NOON, FrozenClock

pytestmark = pytest.mark.long

CLONES, CHANGES = 8, 10


def test_eight_clones_with_ten_changes_each_lose_nothing_and_agree(tmp_path: Path) -> None:
    _, members = joined(tmp_path, [f"m{number}" for number in range(CLONES)])
    for number, machine in enumerate(members):
        # Two of five clocks are a year off.
        machine.clock = machine.vault.now = FrozenClock(NOON + timedelta(days=(0, 365, 0, -365, 0)[number % 5]))
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
