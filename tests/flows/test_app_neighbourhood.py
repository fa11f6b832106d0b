"""Links that are proposed stand in the details with their reason; one key makes or dismisses each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curating import everything
from flows.app_driver import NARROW, WIDE, app_on, browser, empty_vault, fill, memory, says, screen_text, shows, until
from textual.pilot import Pilot

from memtui.domain.memory import LinkType
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

RULE = memory(1, "Whoever holds a lock renews it in time, since a slow refund outlives it", kind="constraint", days=1)
NOTE = memory(2, "On Friday the lock of a slow refund ran out, and [/x] the card was paid twice", kind="note", days=5)
PORT = memory(3, "The staging replica of the ledger answers on port 8788", days=9)
USE = memory(4, "Reports read the ledger from its staging replica alone", days=12)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = empty_vault(tmp_path)
    fill(vault, [replace(each, insight=each.title) for each in (RULE, NOTE, PORT, USE)])
    return vault


def links(vault: Vault) -> set[tuple[str, LinkType, str]]:
    with vault.read() as reader:
        return {(link.from_id, link.type, link.to_id) for link in reader.links()}


async def proposes(pilot: Pilot[Any], number: int) -> None:
    await until(pilot, lambda: len(browser(pilot).details.suggested) == number, f"{number} links are proposed")


async def test_a_proposal_is_made_or_dismissed_by_a_key_and_undone(vault: Vault, tmp_path: Path) -> None:
    before = everything(vault)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Whoever holds a lock")
        await proposes(pilot, 1)
        for part in ("Maybe", "▸ → derived-from", "shared words", "+ link", "- never"):
            await shows(pilot, part)
        await pilot.press("plus")
        await says(pilot, "Linked: On Friday the lock of a slow refund")
        assert links(vault) == {(RULE.id, "derived-from", NOTE.id)}
        await shows(pilot, "1 → derived-from")
        await until(pilot, lambda: "Maybe" not in screen_text(pilot), "nothing more is proposed")
        await pilot.press("plus")
        await says(pilot, "No link is suggested for this memory.")
        await pilot.press("u")
        await until(pilot, lambda: everything(vault) == before, "undone to the byte")
        await proposes(pilot, 1)
        await pilot.press("minus")
        await says(pilot, "Not suggested again: On Friday")
        await until(pilot, lambda: not browser(pilot).acting, "it is dismissed")
        await pilot.press("j")
        await until(pilot, lambda: browser(pilot).details.shown_id == NOTE.id, "the note is shown")
        await pilot.press("j")
        await proposes(pilot, 1)
        assert browser(pilot).details.suggested[0].proposal.ids == (PORT.id, USE.id), (
            "the dismissed one is not among them"
        )
        assert links(vault) == set()


async def test_a_proposed_neighbour_fits_a_small_screen(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Whoever holds a lock")
        await pilot.press("enter")
        await proposes(pilot, 1)
        await shows(pilot, "▸ → derived-from")
        assert {strip.cell_length for strip in pilot.app.screen._compositor.render_strips()} == {NARROW[0]}
        await pilot.press("plus")
        await shows(pilot, "1 → derived-from")
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot)._list.current == NOTE.id, "enter follows the only link")
        await pilot.press("escape")
        await until(pilot, lambda: browser(pilot)._list.current == RULE.id, "esc comes back")
