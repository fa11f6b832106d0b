"""Files that moved, or may have, in Tidy."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, fill, memory, shows, stored, until
from flows.test_app_tidy import passes, tidy_opens

from memtui.curate.projects import link_folder
from memtui.domain.memory import Anchor
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def test_a_moved_file_is_tied_to_its_new_place_after_a_look(blank: Vault, tmp_path: Path) -> None:
    from curating import commit, git, repository

    root = repository(tmp_path / "ferry", {"pay/lock.py": "TTL = 30\n" * 20})
    git(root, "mv", "pay/lock.py", "pay/locking.py")
    commit(root, on="2026-02-01")
    fill(blank, [memory(1, "Lock by payment", anchors=(Anchor("pay/lock.py"),))])
    link_folder(blank, "ferry", root)
    async with app_on(blank, root).run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=1)
        await shows(pilot, "pay/lock.py → pay/locking.py")
        before = screen._report
        await pilot.press("enter")
        await shows(pilot, "Follow moved files ─ 1 memory")
        await shows(pilot, "→ pay/locking.py")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen, "back at the findings")
        assert stored(blank, "m0000001").anchors[0].path == "pay/lock.py"
        await pilot.press("a")
        await shows(pilot, "enter follows, u undoes it")
        await pilot.press("enter")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000001").anchors[0].path == "pay/locking.py"


async def test_a_file_is_followed_in_the_text_too_and_where_it_may_be_is_said_and_followed_together(
    blank: Vault, tmp_path: Path
) -> None:
    from curating import commit, git, repository

    files = {"pay/lock.py": "TTL = 30\n" * 20, "web/berth.ts": "export const berth = 4\n", "web/quay.js": "quay(4)\n"}
    root = repository(tmp_path / "ferry", files)
    git(root, "mv", "pay/lock.py", "pay/locking.py")
    commit(root, on="2026-02-01")
    told = memory(1, "Lock by payment", insight="The time is set in `pay/lock.py`.", anchors=(Anchor("pay/lock.py"),))
    guessed = [
        memory(2, "A berth has a number", anchors=(Anchor("web/berth.js"),)),
        memory(3, "A quay has berths", anchors=(Anchor("web/quay.ts"),)),
    ]
    fill(blank, [told, *guessed])
    link_folder(blank, "ferry", root)
    async with app_on(blank, root).run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=3)
        await shows(pilot, "web/berth.js → maybe web/berth.ts")
        before = screen._report
        await pilot.press("a")
        await shows(pilot, "also 2 that may be elsewhere, by name")
        await pilot.press("2")
        await shows(pilot, "→ maybe web/quay.js")
        await shows(pilot, "in the text too: Lock by payment")
        await pilot.press("enter")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000001").insight == "The time is set in `pay/locking.py`."
        assert [stored(blank, one.id).anchors[0].path for one in guessed] == ["web/berth.ts", "web/quay.js"]
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000001").insight == told.insight
        assert stored(blank, "m0000001").anchors == told.anchors
