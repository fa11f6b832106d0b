"""Review beside others: another process, packs without a word, files that moved, keys that come too early."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import Clock, add, bring, git, repository, write_files
from flows.app_driver import NOW, WIDE, app_on, browser, fill, memory, says, screen_text, shows, stored, until
from flows.test_app_review import Days, chooses, due, ids, looks_at, rests, reviewer, seen
from support import start_python
from textual.pilot import Pilot

from memtui.curate.history import undo
from memtui.curate.lifecycle import snooze
from memtui.curate.memories import edit_memory
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.identity import Actor
from memtui.domain.memory import Signal
from memtui.tui.review.queries import Opened, ReviewAccess, ReviewCard
from memtui.tui.review.screen import ReviewScreen
from memtui.tui.screens.dialogs import DiffScreen
from memtui.tui.source_opener import SourceOpener
from memtui.tui.values import Found
from memtui.vault.packs import PackMember, StoredPack, write_pack
from memtui.vault.vault import Vault

pytestmark = [pytest.mark.usefixtures("isolated"), pytest.mark.drawn]  # No verdict is taken on an unseen card


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def vault(tmp_path: Path, days: Days) -> Vault:
    return Vault(tmp_path / "vault.duckdb", now=days, patience_seconds=5.0)


async def looks(pilot: Pilot[Any]) -> None:
    """Wait until any memory can be decided on."""
    await until(pilot, lambda: seen(pilot) is not None, "a memory is in review")


def frame(pilot: Pilot[Any]) -> str:
    """What the memory's frame says."""
    return str(reviewer(pilot)._panes.memory.border_subtitle)


EDIT = """
import sys
from pathlib import Path
from memtui.curate.history import undo
from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault
edit_memory(Vault(Path(sys.argv[1])), sys.argv[2], {"insight": sys.argv[3]}, actor=Actor(sys.argv[4]))
"""


def edited_by_another_process(vault: Vault, identifier: str, text: str) -> None:
    done = start_python(EDIT, vault.path, identifier, text, "ada")
    _, trouble = done.communicate(timeout=60)
    assert done.returncode == 0, trouble


async def test_a_verdict_on_what_another_process_changed_is_not_taken_and_the_memory_comes_back(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.review.screen.POLL_SECONDS", 3_600.0)
    fill(vault, due(4))
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        for key, choice in (("y", ""), ("p", ""), ("x", "1"), ("z", "1"), ("t", "2"), ("h", "1")):
            await looks_at(pilot, "m0000001")
            await rests(pilot)
            text = f"What {key} did not see."
            edited_by_another_process(vault, "m0000001", text)
            before = stored(vault, "m0000001")
            await pilot.press(key)
            if choice:
                await chooses(pilot, choice)
            await until(pilot, lambda: "your verdict was not saved" in frame(pilot), f"it is said after {key}")
            assert "changed meanwhile by ada" in frame(pilot)
            await looks_at(pilot, "m0000001")
            await shows(pilot, text)
            assert stored(vault, "m0000001") == before
        await says(pilot, "The memory changed meanwhile; look again")
        await pilot.press("y")
        await looks_at(pilot, "m0000002")
        await rests(pilot)
        assert stored(vault, "m0000001").verified_at == NOW
        edited_by_another_process(vault, "m0000002", "News from elsewhere.")
        reviewer(pilot)._poll_files()
        await until(pilot, lambda: "changed meanwhile by ada: look again" in frame(pilot), "news is told without a key")
        await looks_at(pilot, "m0000002")
        await pilot.press("y")
        await looks_at(pilot, "m0000003")
        await rests(pilot)
        await pilot.press("U")
        await shows(pilot, "Undone: 2 verdicts")
        await rests(pilot)
        assert stored(vault, "m0000002").verified_at is None
        assert stored(vault, "m0000001").verified_at is None
        assert stored(vault, "m0000002").insight == "News from elsewhere.", "what somebody else wrote stays"


async def test_a_verdict_is_only_taken_on_a_memory_that_was_seen_and_header_and_card_change_together(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault, due(6))
    gate, begun = threading.Event(), threading.Event()
    card: Callable[..., ReviewCard | None] = ReviewAccess.card
    begin: Callable[..., Opened] = ReviewAccess.begin

    def slow(self: ReviewAccess, *values: Any, **options: Any) -> ReviewCard | None:
        assert gate.wait(20)
        return card(self, *values, **options)

    def slow_begin(self: ReviewAccess, **values: Any) -> Opened:
        assert begun.wait(20)
        return begin(self, **values)

    def agrees() -> bool:
        text, shown = screen_text(pilot), seen(pilot)
        return shown is not None and f"{ids(range(1, 7)).index(shown) + 1} of 6" in text and rule(shown) in text

    monkeypatch.setattr(ReviewAccess, "begin", slow_begin)
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE) as pilot:
        await shows(pilot, "collecting what is due")
        await pilot.press("y", "p", "x", "y")
        await until(pilot, lambda: "not yet shown" in frame(pilot), "it is said")
        begun.set()
        gate.set()
        await looks_at(pilot, "m0000001")
        assert agrees()
        await until(pilot, lambda: reviewer(pilot)._ahead is not None, "the next is read ahead")
        gate.clear()
        monkeypatch.setattr(ReviewAccess, "card", slow)
        await pilot.press("y", "y", "y", "x", "2")
        await until(pilot, lambda: "not yet shown" in frame(pilot), "the keys after the first came too early")
        await looks_at(pilot, "m0000002")
        assert agrees()
        await rests(pilot)
        await pilot.press("y", "y", "x", "2", "e", "s")
        await until(pilot, lambda: "not yet shown" in frame(pilot), "it is said again")
        await shows(pilot, "Reading the evidence")
        await looks_at(pilot, "m0000003")
        assert "3 of 6" in screen_text(pilot)
        gate.set()
        await until(pilot, lambda: "Reading the evidence" not in screen_text(pilot), "the evidence is there")
        assert agrees()
        await rests(pilot)
        assert [stored(vault, name).verified_at == NOW for name in ids(range(1, 7))] == [True, True, *[False] * 4]
        assert {stored(vault, name).status for name in ids(range(1, 7))} == {"active"}
        gate.clear()
        await pilot.press("u")
        await until(pilot, lambda: reviewer(pilot)._queue.current == "m0000002", "the undone is on its way")
        assert agrees()
        gate.set()
        await looks_at(pilot, "m0000002")
        assert agrees()
        await rests(pilot)
        await pilot.press("z", "1")
        await looks_at(pilot, "m0000003")
        await rests(pilot)
        assert stored(vault, "m0000002").snoozed_until == NOW + timedelta(days=7), "a number right after its list"


async def test_undo_and_redo_that_came_too_early_leave_what_was_changed_before_the_review(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault, due(3))
    for text in ("Changed before.", "Undone before."):
        edit_memory(vault, "m0000003", {"insight": text}, actor=Actor("person"))
    undo(vault, actor=Actor("person"))
    begun = threading.Event()
    begin: Callable[..., Opened] = ReviewAccess.begin

    def slow_begin(self: ReviewAccess, **values: Any) -> Opened:
        assert begun.wait(20)
        return begin(self, **values)

    monkeypatch.setattr(ReviewAccess, "begin", slow_begin)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, rule("m0000001"))
        await pilot.press("r")
        await shows(pilot, "collecting what is due")
        await pilot.press("y", "u", "ctrl+r")
        await until(pilot, lambda: "not yet shown" in frame(pilot), "the keys were ignored")
        assert not reviewer(pilot).acting
        begun.set()
        await looks_at(pilot, "m0000001")
        await pilot.press("u")
        await until(pilot, lambda: "no verdict to undo" in frame(pilot), "the verdict was not given")
        assert not reviewer(pilot).acting
        assert stored(vault, "m0000003").insight == "Changed before."
        await pilot.press("u")
        await until(pilot, lambda: f"Undone: edit {rule('m0000003')}" in frame(pilot), "the second is meant")
        await rests(pilot)
        await looks_at(pilot, "m0000003")
        await pilot.press("y")
        await looks_at(pilot, "m0000001")
        await pilot.press("u")
        await looks_at(pilot, "m0000003")
        await rests(pilot)
        assert stored(vault, "m0000003").verified_at is None, "a verdict is undone at once"


def rule(identifier: str) -> str:
    return f"Berth rule number {int(identifier[1:]):02d}"


def used(vault: Vault, identifier: str, task: str, at: datetime) -> None:
    pack = StoredPack(
        id=identifier,
        made_at=at,
        actor="person",
        project="ferry",
        task=task,
        files=(),
        target="claude-code",
        budget="1200",
        encoding="o200k_base",
        tokens=100,
        payload_hash="0",
        members=(PackMember("m0000001", 1, 10, 1.0),),
    )
    with vault.write(actor="person", action="pack") as writer:
        write_pack(writer, pack)
        writer.add_signals([Signal(memory_id="m0000001", signal="copied", at=at, actor="person", pack_id=identifier)])
        writer.undoable = False


def said_of(vault: Vault, pack: str) -> list[str]:
    with vault.read() as reader:
        return [signal.signal for signal in reader.signals() if signal.pack_id == pack and signal.signal != "copied"]


async def test_packs_without_a_word_are_asked_about_at_the_end_and_the_receipt_leads_to_sources(
    vault: Vault, days: Days, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Found] = []

    def edit(_: SourceOpener, place: Found) -> str:
        opened.append(place)
        return ""

    monkeypatch.setattr(SourceOpener, "edit", edit)
    days.moment -= timedelta(days=400)
    write_files(tmp_path, {"CLAUDE.md": "# Berths\n\n- Moor at berth 4 before noon.\n- Never moor after 22:00.\n"})
    first, second = bring(vault, tmp_path / "CLAUDE.md", project="ferry", active=True).ids
    days.moment += timedelta(days=400)
    fill(vault, due(1))
    used(vault, "pack2222", "make refunds [/x] idempotent", NOW - timedelta(days=9))
    used(vault, "pack3333", "", NOW - timedelta(days=12))
    async with app_on(vault, tmp_path, start="due", project="ferry").run_test(size=WIDE) as pilot:
        await looks(pilot)
        for _ in range(3):
            await looks(pilot)
            current = reviewer(pilot)._queue.current
            if current in {first, second}:
                await pilot.press("x")
                await chooses(pilot, "1")
            else:
                await pilot.press("y")

            def gone_on(was: str | None = current) -> bool:
                return reviewer(pilot)._queue.current != was or reviewer(pilot)._queue.asks_about_pack

            await until(pilot, gone_on, "on to the next")
            await rests(pilot)
        await shows(pilot, "3 of 3 memories reviewed")
        await shows(pilot, "Did it help?  make refunds [/x] idempotent")
        assert "copied 9 days ago for claude-code · 1 memory · 1 more after it" in screen_text(pilot)
        await pilot.press("1")
        await shows(pilot, "the pack without a task")
        assert said_of(vault, "pack2222") == ["helped"]
        await pilot.press("u")
        await shows(pilot, "make refunds [/x] idempotent")
        assert said_of(vault, "pack2222") == []
        await pilot.press("4")
        await shows(pilot, "the pack without a task")
        await pilot.press("3")
        await until(pilot, lambda: "Did it help?" not in screen_text(pilot), "nothing is left to ask")
        assert said_of(vault, "pack3333") == ["unused"]
        await pilot.press("2")
        await says(pilot, "No pack is waiting for feedback.")
        await shows(pilot, "These sources still contain what you changed or retired:")
        await pilot.press("o")
        await chooses(pilot, "2")
        await until(pilot, lambda: bool(opened), "the source is opened")
        assert opened[0].path == tmp_path / "CLAUDE.md"
        assert opened[0].line in {3, 4}
        await pilot.press("U")
        await shows(pilot, "Why now")
        await rests(pilot)
        assert said_of(vault, "pack3333") == []
        assert all(stored(vault, name).status == "active" for name in (first, second, "m0000001"))


async def test_files_that_moved_are_followed_for_one_memory_or_for_all_after_a_preview(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path / "shop", {"pay/lock.py": "lock\n" * 9, "pay/card.py": "card\n" * 9})
    clock = Clock()
    vault = Vault(tmp_path / "data" / "vault.duckdb", now=clock)
    made = [add(vault, f"Rule {n}", files=["pay/lock.py"], folder=root, project=None, kind="note") for n in range(3)]
    other = add(vault, "Rule on cards", files=["pay/card.py"], folder=root, project=None)
    write_files(root, {"pay/card.py": "card\n" * 8 + "token\n"})
    git(root, "commit", "--quiet", "--all", "--message", "Tokens", GIT_COMMITTER_DATE="2026-04-01T10:00:00+00:00")
    git(root, "mv", "pay/lock.py", "pay/locking.py")
    clock.pass_days(100)
    async with app_on(vault, root, start="due").run_test(size=WIDE) as pilot:
        await looks(pilot)
        await shows(pilot, "pay/lock.py was moved since")
        await shows(pilot, "→ pay/locking.py  f re-anchors")
        first = str(reviewer(pilot)._queue.current)
        await pilot.press("f")
        await until(pilot, lambda: stored(vault, first).anchors[0].path == "pay/locking.py", "it is tied anew")
        await shows(pilot, "pay/locking.py  fresh")
        assert reviewer(pilot)._queue.current == first, "it is no verdict"
        await rests(pilot)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(pilot.app.screen, DiffScreen), "the preview is open")
        await shows(pilot, "pay/lock.py  2 memories")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen), "the preview is left")
        assert [stored(vault, one.id).anchors[0].path for one in made].count("pay/locking.py") == 1
        await pilot.press("F")
        await until(pilot, lambda: isinstance(pilot.app.screen, DiffScreen), "the preview is open")
        await pilot.press("enter")
        await until(
            pilot,
            lambda: all(stored(vault, one.id).anchors[0].path == "pay/locking.py" for one in made),
            "all are tied anew",
        )
        await rests(pilot)
        await pilot.press("u")
        await until(
            pilot,
            lambda: [stored(vault, one.id).anchors[0].path for one in made].count("pay/lock.py") == 2,
            "one undo takes all of it back",
        )
        for _ in range(4):
            if reviewer(pilot)._queue.current == other.id:
                break
            await pilot.press("right")
            await looks(pilot)
        await looks_at(pilot, other.id)
        await shows(pilot, "+ token")
        await pilot.press("z")
        await chooses(pilot, "3")
        await until(pilot, lambda: stored(vault, other.id).snoozed_until == UNTIL_CHANGE, "it waits for a change")
    write_files(root, {"pay/card.py": "nothing of it\n"})
    async with app_on(vault, root, start="due").run_test(size=WIDE) as pilot:
        await looks(pilot)
        await until(pilot, lambda: bool(reviewer(pilot)._review.files.moves), "the files were looked at behind it")
        await pilot.press("a")
        await until(pilot, lambda: other.id in reviewer(pilot)._queue.ids, "the change brought it back")


async def test_a_days_measure_ends_the_session_and_more_is_a_key_away(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [*due(3), memory(60, "Fresh", days=1)])
    async with app_on(vault, tmp_path, start="due", daily=2).run_test(size=WIDE) as pilot:
        for identifier in ids((1, 2)):
            await looks_at(pilot, identifier)
            await pilot.press("y")
        await shows(pilot, "2 of 2 memories reviewed")
    async with app_on(vault, tmp_path, start="due", daily=2).run_test(size=WIDE) as pilot:
        await shows(pilot, "you reviewed as many as you planned to")
        await pilot.press("a")
        await looks_at(pilot, "m0000003")


async def test_files_are_looked_after_behind_the_list_and_the_header_counts_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "shop", {"pay/lock.py": "lock\n"})
    vault = Vault(tmp_path / "data" / "vault.duckdb", now=Clock())
    made = add(vault, "The lock holds for 30 s.", files=["pay/lock.py"], folder=root, project=None)
    write_files(root, {"pay/lock.py": "another lock\n"})
    monkeypatch.setattr("memtui.tui.browse.screen.FIRST_SECONDS", 0.2)
    async with app_on(vault, root).run_test(size=WIDE) as pilot:
        await shows(pilot, "1 due")
        await until(pilot, lambda: browser(pilot)._list.current == made.id, "it is listed")
        await until(pilot, lambda: "! due" in screen_text(pilot), "the details say it")
        await shows(pilot, "! arch")


async def test_a_source_that_still_says_what_was_changed_here_is_named_in_the_card_and_opened(
    vault: Vault, days: Days, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Found] = []

    def edit(_: SourceOpener, place: Found) -> str:
        opened.append(place)
        return ""

    monkeypatch.setattr(SourceOpener, "edit", edit)
    days.moment -= timedelta(days=400)
    write_files(tmp_path, {"CLAUDE.md": "# Berths\n\n- Moor at berth 4 before noon.\n"})
    (identifier,) = bring(vault, tmp_path / "CLAUDE.md", project="ferry", active=True).ids
    edit_memory(vault, identifier, {"insight": "Moor at berth 5 before noon."}, actor=Actor())
    days.moment += timedelta(days=400)
    async with app_on(vault, tmp_path, start="due", project="ferry").run_test(size=(80, 24)) as pilot:
        await looks_at(pilot, identifier)
        await shows(pilot, "! its source still states what was changed here")
        await shows(pilot, "opens it")  # the path before it is as long as the folder of the tests
        await pilot.press("o")
        await until(pilot, lambda: opened == [Found(tmp_path / "CLAUDE.md", 3)], "it is opened at its line")
        await looks_at(pilot, identifier)
        await pilot.press("y")
        await shows(pilot, "These sources still contain what you changed or retired:")
        await pilot.press("o")
        await until(pilot, lambda: len(opened) == 2, "the only one is opened at once")


@pytest.mark.parametrize("size", [(80, 24), WIDE])
async def test_a_source_that_changed_shows_what_it_said_beside_what_it_says_now(
    vault: Vault, days: Days, tmp_path: Path, size: tuple[int, int]
) -> None:
    days.moment -= timedelta(days=40)
    write_files(tmp_path, {"CLAUDE.md": "# Berths\n\n- Moor at berth 4 before noon, because the tide turns.\n"})
    (identifier,) = bring(vault, tmp_path / "CLAUDE.md", project="ferry", active=True).ids
    days.moment += timedelta(days=39)
    write_files(tmp_path, {"CLAUDE.md": "# Berths\n\n- Moor at berth 5 before noon, because the tide turns.\n"})
    bring(vault, tmp_path / "CLAUDE.md", project="ferry")
    days.moment += timedelta(days=1)
    async with app_on(vault, tmp_path, start="due", project="ferry").run_test(size=size) as pilot:
        await looks_at(pilot, identifier)
        await shows(pilot, "! its source changed")
        await shows(pilot, "Before   Moor at berth [4] before noon")
        await shows(pilot, "Now      Moor at berth [5] before noon")


async def test_what_is_snoozed_again_and_again_can_be_retired_from_the_snooze(
    vault: Vault, tmp_path: Path, days: Days
) -> None:
    fill(vault, due(1))
    for _ in range(3):
        snooze(vault, ["m0000001"], until=days() + timedelta(days=7), actor=Actor("person"))
        days.moment += timedelta(days=8)
    async with app_on(vault, tmp_path, start="due").run_test(size=WIDE, notifications=True) as pilot:
        await looks_at(pilot, "m0000001")
        await shows(pilot, "snoozed 3 times: retire it?")
        await rests(pilot)
        await pilot.press("z")
        await shows(pilot, "never: retire it")
        await pilot.press("4")
        await shows(pilot, "Retire, because it is")
        await pilot.press("3")
        await until(pilot, lambda: stored(vault, "m0000001").status == "retired", "it is retired")
