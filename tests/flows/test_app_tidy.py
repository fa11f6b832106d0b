"""Tidy in the app: one pass, findings in groups, each put right by a key, and nothing left to find afterwards."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NOW,
    WIDE,
    app_on,
    fill,
    holds,
    hostile_memories,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    stored,
    toasts,
    until,
)
from textual.pilot import Pilot

from memtui.curate.projects import link_folder
from memtui.domain.memory import Anchor, Link, Signal, Source
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.tidy.contradiction import ContradictionScreen
from memtui.tui.tidy.queries import TidyAccess
from memtui.tui.tidy.screen import TidyScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

POSTGRES = (
    memory(
        1,
        "Use Postgres 13 in every environment",
        days=300,
        insight="Use Postgres 13 in every environment.",
        pinned=True,
    ),
    memory(2, "Use Postgres 14 in every environment", days=2, insight="Use Postgres 14 in every environment."),
)
COPIES = (
    memory(3, "Sail times are stored in UTC", insight="Sail times are stored in UTC and shown in local time."),
    memory(4, "Sail times are stored in UTC", days=3, insight="Sail times are stored in UTC, and shown in local time."),
)
VAGUE = memory(5, "Be careful", insight="Be careful with the ferry.")


async def tidy_opens(pilot: Pilot[Any], *, memories: int) -> TidyScreen:
    await holds(pilot, memories)
    await pilot.press("T")
    await until(pilot, lambda: isinstance(pilot.app.screen, TidyScreen), "Tidy is open")
    screen = pilot.app.screen
    assert isinstance(screen, TidyScreen)
    await until(pilot, lambda: screen._report is not None, "the pass is over")
    return screen


async def passes(pilot: Pilot[Any], screen: TidyScreen, before: object) -> None:
    await until(pilot, lambda: screen._report is not before and not screen._is_scanning, "another pass is over")


async def goes_to(pilot: Pilot[Any], screen: TidyScreen, finding: str) -> None:
    """Bring the cursor to the first finding of a sort."""
    await pilot.press("g")
    for _ in range(screen._found.count):
        row = screen._found.current
        if row is not None and row.finding == finding:
            return
        await pilot.press("j")
        await pilot.pause()
    raise AssertionError(f"no {finding} in the list")


async def test_a_pass_finds_what_to_put_right_and_a_second_one_finds_nothing(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [*POSTGRES, *COPIES, VAGUE])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=5)
        for part in ("Duplicates  1", "Contradictions  1", "Vague  1", "easy merges save"):
            await shows(pilot, part)
        await goes_to(pilot, screen, "contradictions")
        await shows(pilot, "[13]")
        await pilot.press("x")
        await says(pilot, "This finding is about several memories")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ContradictionScreen), "the contradiction is open")
        await shows(pilot, "[13]")
        await shows(pilot, "[14]")
        await pilot.press("u")
        await says(pilot, "Resolve the contradiction first")
        before = screen._report
        await pilot.press("2")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000001").status == "superseded"
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000001").status == "active"
        before = screen._report
        await pilot.press("ctrl+r")
        await passes(pilot, screen, before)
        await goes_to(pilot, screen, "duplicates")
        before = screen._report
        await pilot.press("a")
        await passes(pilot, screen, before)
        assert sorted((stored(blank, "m0000003").status, stored(blank, "m0000004").status)) == ["active", "merged"]
        await goes_to(pilot, screen, "vague")
        before = screen._report
        await pilot.press("x")
        await passes(pilot, screen, before)
        await shows(pilot, "Nothing to tidy.")
        await pilot.press("b")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3, "the inbox lies over Tidy")
        await pilot.press("Q")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "one key leaves them all for the list")
        await holds(pilot, 2)


async def test_findings_are_dismissed_kept_both_or_merged_by_hand(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [*POSTGRES, *COPIES])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=(80, 24)) as pilot:
        screen = await tidy_opens(pilot, memories=4)
        await goes_to(pilot, screen, "duplicates")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "Merge is open")
        await shows(pilot, "Merge   2 memories")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen, "back at the findings")
        before = screen._report
        await pilot.press("enter")
        await shows(pilot, "n keep apart")
        await pilot.press("n")
        await says(pilot, "These will not be suggested as duplicates again")
        await passes(pilot, screen, before)
        assert screen._report is not None
        assert not screen._report.duplicates
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        assert screen._report.duplicates
        await goes_to(pilot, screen, "duplicates")
        before = screen._report
        await pilot.press("n")
        await passes(pilot, screen, before)
        await goes_to(pilot, screen, "contradictions")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ContradictionScreen), "the contradiction is open")
        await pilot.press("b")
        await shows(pilot, "A is right for")
        await pilot.press("enter")
        await shows(pilot, "B is right for")
        await pilot.press("enter")
        await says(pilot, "Say where at least one of them applies")
        await pilot.press(*"legacy/**,", "space", *"the", "space", *"old", "space", *"cluster", "enter")
        await shows(pilot, "B is right for")
        await pilot.press(*"release", "enter")
        await until(pilot, lambda: screen._report is not None and not screen._report.contradictions, "both are right")
        first, second = stored(blank, "m0000001"), stored(blank, "m0000002")
        assert "Holds for: legacy/**, the old cluster" in first.rationale
        assert (first.tags, [anchor.path for anchor in first.anchors]) == (("only:legacy/**",), ["legacy/**"])
        assert second.tags == ("only:release",)
        await shows(pilot, "Nothing to tidy.")


async def test_proposals_of_one_shape_are_dismissed_by_one_key_and_come_back_by_undo(
    blank: Vault, tmp_path: Path
) -> None:
    more = (
        memory(6, "Use Node 20 on every host", days=300, insight="Use Node 20 on every host."),
        memory(7, "Use Node 22 on every host", days=2, insight="Use Node 22 on every host."),
    )
    fill(blank, [*POSTGRES, *COPIES, *more])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=(80, 24)) as pilot:
        screen = await tidy_opens(pilot, memories=6)
        assert screen._report is not None
        assert len(screen._report.contradictions) == 2
        await goes_to(pilot, screen, "contradictions")
        await pilot.press("N")
        await until(pilot, lambda: screen._report is not None and not screen._report.contradictions, "none is left")
        assert screen._report.duplicates
        await pilot.press("u")
        await until(pilot, lambda: screen._report is not None and len(screen._report.contradictions) == 2, "both again")
        await pilot.press("slash", *"node")
        await shows(pilot, " / node")
        await until(pilot, lambda: all("Node" in row.text for row in screen._found.rows), "only these are listed")
        await pilot.press("enter", "N")
        await until(pilot, lambda: screen._report is not None and len(screen._report.contradictions) == 1, "only that")
        await shows(pilot, "Nothing here matches “node”.")
        await pilot.press("escape")
        await shows(pilot, "Use Postgres 13")


SILOS = [
    memory(
        10 * number + half,
        f"The silo for {grain} holds {number + 30 * half} tonnes",
        insight=f"The silo for {grain} holds {number + 30 * half} tonnes.",
        sources=(Source(format="claude-md", path="CLAUDE.md", span=(number, number)),),
    )
    for number, grain in enumerate(("wheat", "barley", "maize", "oats", "rye"), 1)
    for half in (1, 2)
]


async def test_dismissals_teach_and_what_they_hide_is_told_and_shown_again(blank: Vault, tmp_path: Path) -> None:
    fill(blank, SILOS)
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=10)
        await shows(pilot, "Contradictions  5")
        for _ in range(3):
            await goes_to(pilot, screen, "contradictions")
            before = screen._report
            await pilot.press("n")
            await passes(pilot, screen, before)
        await shows(pilot, "Not shown  2")
        await shows(pilot, "2 contradictions (number) in CLAUDE.md")
        await goes_to(pilot, screen, "lessons")
        before = screen._report
        await pilot.press("N")
        await says(pilot, "cannot be dismissed")
        await pilot.press("n")
        await passes(pilot, screen, before)
        await shows(pilot, "Contradictions  2")


async def _goes_to_shape(pilot: Pilot[int], screen: TidyScreen, shape: str) -> None:
    while (row := screen._found.current) is None or row.note != shape:
        await pilot.press("j")
        await pilot.pause()


async def test_one_key_asks_whether_a_shape_a_file_or_a_sort_is_dismissed(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [*SILOS, *POSTGRES])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=12)
        await shows(pilot, "Contradictions  6")
        await goes_to(pilot, screen, "contradictions")
        await _goes_to_shape(pilot, screen, "number")
        await pilot.press("N")
        await shows(pilot, "of this shape: 5 contradictions")
        await shows(pilot, "all of them: 6 contradictions")
        before = screen._report
        await pilot.press("2")
        await passes(pilot, screen, before)
        await shows(pilot, "Nothing to tidy.")
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        await shows(pilot, "Contradictions  6")
        await goes_to(pilot, screen, "contradictions")
        await _goes_to_shape(pilot, screen, "version")
        await pilot.press("N")
        await shows(pilot, "of this shape: 1 contradiction")
        await shows(pilot, "all of them: 6 contradictions")


async def test_a_fragment_is_joined_by_one_key_and_parted_by_undo(blank: Vault, tmp_path: Path) -> None:
    pieces = ("The scale is calibrated once a week.", "All three are calibrated before a ship is weighed.")
    fill(
        blank,
        [
            memory(
                number,
                text.rstrip("."),
                insight=text,
                sources=(Source(format="claude-md", path="CLAUDE.md", span=(number, number), native_id="Tides#1"),),
            )
            for number, text in enumerate(pieces, 1)
        ],
    )
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=2)
        await goes_to(pilot, screen, "fragments")
        await shows(pilot, "names: “All three”")
        await shows(pilot, "Offered: join it with m0000001")
        before = screen._report
        await pilot.press("m")
        await passes(pilot, screen, before)
        assert stored(blank, "m0000002").status == "merged"
        assert stored(blank, "m0000001").insight == "\n\n".join(pieces)
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        await shows(pilot, "Fragments  1")


async def test_what_is_linked_as_contradicting_is_settled_by_the_same_keys(blank: Vault, tmp_path: Path) -> None:
    ends = ("m0000005", "m0000006")
    lights = memory(6, "Two lights at the bow", insight="Two lights hang at the bow of a ferry.")
    fill(
        blank,
        [*POSTGRES, memory(5, "One mast", insight="A ferry of the old line has one mast."), lights],
        [
            Link(from_id=ends[0], type="contradicts", to_id=ends[1], created_at=NOW),
            Link(from_id="m0000002", type="contradicts", to_id="m0000001", origin="codex", created_at=NOW),
        ],
    )
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=4)
        await shows(pilot, "Contradictions  2")
        for left, keys in ((1, ("enter", "2")), (0, ("n",))):
            await goes_to(pilot, screen, "contradictions")
            assert screen._found.current is not None
            assert screen._found.current.note == "linked"
            await pilot.press(keys[0])
            for key in keys[1:]:
                await until(
                    pilot, lambda: isinstance(pilot.app.screen, ContradictionScreen), "the contradiction is open"
                )
                await pilot.press(key)
            await until(pilot, lambda left=left: len(screen._report.contradictions) == left, "it is settled")  # type: ignore[misc, union-attr] # a pass was made
        await shows(pilot, "Nothing to tidy.")
        assert stored(blank, "m0000001").status == "superseded"
        await pilot.press("u")
        await until(pilot, lambda: len(screen._report.contradictions) == 1, "it is undone")  # type: ignore[union-attr] # as above


async def test_what_was_never_used_is_kept_by_one_key_and_retired_by_another(blank: Vault, tmp_path: Path) -> None:
    used = [Signal(memory_id="m0000001", signal="helped", at=NOW, actor="person")]
    texts = ("Refunds hold a lock", "Ferries carry two lights", "Mails leave at night", "Prices are kept in cents")
    fill(blank, [memory(number, text, days=120, kind="decision") for number, text in enumerate(texts, 1)])
    with blank.write(actor="person", action="feedback") as writer:
        writer.add_signals(used)
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=4)
        await shows(pilot, "Never used  3")
        await goes_to(pilot, screen, "unused")
        before = screen._report
        await pilot.press("Y")
        await passes(pilot, screen, before)
        await shows(pilot, "Never used  2")
        await goes_to(pilot, screen, "unused")
        before = screen._report
        await pilot.press("a")
        await passes(pilot, screen, before)
        statuses = [stored(blank, f"m000000{number}").status for number in range(1, 5)]
        assert statuses.count("retired") == 2
        assert sum(stored(blank, f"m000000{number}").verified_at is not None for number in range(1, 5)) == 1
        await shows(pilot, "Nothing to tidy.")


async def test_what_waits_in_the_inbox_is_no_finding_and_what_is_in_use_unconfirmed_is_settled_here(
    blank: Vault, tmp_path: Path
) -> None:
    waiting = [memory(number, f"Quay {number} has a crane", status="candidate") for number in range(1, 9)]
    waiting = [replace(one, confirmed_at=None) for one in waiting]
    in_use = replace(memory(9, "Ropes are checked at noon"), confirmed_at=None)
    fill(blank, [*waiting, in_use])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await tidy_opens(pilot, memories=1)
        await shows(pilot, "1 finding in 1 memory · 8 wait in the inbox")
        assert [row.ids for row in screen._found.rows] == [("m0000009",)]
        await shows(pilot, "It is in use, but nobody accepted it")
        before = screen._report
        await pilot.press("Y")
        await passes(pilot, screen, before)
        await shows(pilot, "Nothing to tidy.")
        assert stored(blank, "m0000009").verified_at is not None


async def test_a_file_of_which_nothing_is_known_is_taken_out_by_enter_after_a_look_and_comes_back_by_u(
    blank: Vault, tmp_path: Path
) -> None:
    from curating import commit, git, repository

    root = repository(tmp_path / "ferry", {"pay/ledger.py": "TTL = 30\n", "quay/lock.py": "Moor at noon.\n"})
    git(root, "rm", "-q", "quay/lock.py")
    commit(root, on="2026-02-01")
    fill(blank, [memory(1, "Lock by payment", anchors=(Anchor("quay/lock.py"), Anchor("pay/ledger.py")))])
    link_folder(blank, "ferry", root)
    async with app_on(blank, root).run_test(size=WIDE, notifications=True) as pilot:
        screen = await tidy_opens(pilot, memories=1)
        await goes_to(pilot, screen, "anchors")
        await shows(pilot, "No similar file was found: enter removes it")
        assert "tidy-all" not in {action.id for action in screen.hints.shown}
        before = screen._report
        await pilot.press("Y")
        await shows(pilot, "quay/lock.py is still in Files")
        await passes(pilot, screen, before)
        assert [row.finding for row in screen._found.rows] == ["anchors"], "the finding stays in sight"
        await pilot.press("enter")
        await shows(pilot, "Remove from Files")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen, "back at the findings")
        before = screen._report
        await pilot.press("n")
        await shows(pilot, "will not be reported again")
        await passes(pilot, screen, before)
        await shows(pilot, "Nothing to tidy.")
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        await goes_to(pilot, screen, "anchors")
        before = screen._report
        await pilot.press("enter")
        await shows(pilot, "- quay/lock.py")
        assert len(stored(blank, "m0000001").anchors) == 2, "only a look so far"
        await pilot.press("enter")
        await passes(pilot, screen, before)
        assert [anchor.path for anchor in stored(blank, "m0000001").anchors] == ["pay/ledger.py"]
        before = screen._report
        await pilot.press("u")
        await passes(pilot, screen, before)
        assert len(stored(blank, "m0000001").anchors) == 2


async def test_a_pass_under_way_says_so_in_the_panes_and_one_escape_leaves_it(
    blank: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(blank, POSTGRES)
    find, asked = TidyAccess.find, threading.Event()

    def slow(access: TidyAccess, progress: Any, **how: Any) -> Any:
        while not asked.is_set():
            progress("reading", 1, 2)
            asked.wait(0.01)
        return find(access, progress, **how)

    monkeypatch.setattr(TidyAccess, "find", slow)
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await pilot.press("T")
        await until(pilot, lambda: "Tidy   ferry " in screen_lines(pilot)[0], "the project is named")
        await until(pilot, lambda: "reading 1 of 2" in screen_lines(pilot)[0], "how far it is")
        assert "".join(screen_lines(pilot)[:-1]).count("reading …") == 2, "both panes say so"
        await pilot.press("x")
        await says(pilot, "The vault is still being scanned.")
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "one key leaves it")
        await pilot.press("T", "x")
        await until(pilot, lambda: len(toasts(pilot)) > 1, "the key is refused again")
        asked.set()
        await shows(pilot, "Contradictions  1")
        assert not [one for one in pilot.app._notifications if "still being scanned" in one.message]


async def test_hostile_texts_fit_into_the_findings(blank: Vault, tmp_path: Path) -> None:
    fill(blank, hostile_memories())
    async with app_on(blank, tmp_path).run_test(size=(80, 24)) as pilot:
        screen = await tidy_opens(pilot, memories=12)
        for width, height in ((40, 15), (200, 60)):
            await pilot.resize_terminal(width, height)
            for _ in range(screen._found.count):
                await pilot.press("j")
            await pilot.pause()
            assert "\x1b" not in screen_text(pilot)
            assert screen_text(pilot).split("\n")[1].strip()[-1:] == "╮"
