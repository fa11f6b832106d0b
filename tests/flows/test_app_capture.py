"""The Capture screen: sessions are read in the background, proposals come by session, one key decides."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from flows.app_driver import FERRY, NARROW, WIDE, app_on, fill, memory, says, screen_text, shows, stored, until
from flows.editing_driver import candidate
from sessions import REFUSAL, claude_call, claude_result, claude_typed, write_lines
from textual.pilot import Pilot

from memtui.domain.memory import Link
from memtui.progress import Cancelled, ProgressCallback
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.capture.view import CaptureAccess
from memtui.tui.edit.screen import EditScreen
from memtui.tui.values import Done, Found
from memtui.vault.proposals import StoredProposal, proposal_outcomes, put_proposals
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

RULES = (
    "never edit gen/ by hand, it is generated from schema.yaml; always change the schema",
    "from now on all berth times are UTC, the harbour clock was wrong twice because of DST",
    "always run the tide tests with TZ=UTC, they depend on the day boundary of the harbour",
    "no mocks for the crane driver, a mock hid a safety bug for months; use the simulator in sim/",
    "fares are integer cents everywhere, only format them with fare_text(), floats lost us money",
    "every new table needs a retention rule, the auditor checks them each release",
    "migrations that are merged are never changed, add a new one with make migration",
)


def _session(home: Path, *rules: str, name: str = "s-1", task: str = "add a berth number to the api") -> Path:
    records = [claude_typed(task)]
    for number, rule in enumerate(rules):
        call = f"{name}-{number}"
        records.append(claude_call(call, "Edit", file_path=f"/srv/quay/file_{number}.py", new_string=f"x = {number}"))
        records.append(claude_result(call, f"{REFUSAL}{rule}", failed=True))
    return write_lines(home / ".claude" / "projects" / "-srv-quay" / f"{name}.jsonl", records)


def _statuses(vault: Vault) -> list[str]:
    with vault.read() as reader:
        return sorted(told.status for told in proposal_outcomes(reader))


async def _open(pilot: Pilot[int]) -> CaptureScreen:
    await pilot.press("D")
    await until(pilot, lambda: isinstance(pilot.app.screen, CaptureScreen), "Capture is open")
    screen = pilot.app.screen
    assert isinstance(screen, CaptureScreen)
    return screen


@pytest.mark.usefixtures("own_home")
async def test_where_no_assistant_left_a_session_it_is_said(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "No sessions of an assistant were found")
        await shows(pilot, "no sessions found")


async def test_from_unread_sessions_to_an_accepted_a_rejected_and_an_undone_proposal(
    vault: Vault, tmp_path: Path, own_home: Path
) -> None:
    fill(vault, FERRY)
    _session(own_home, *RULES[:2])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "1 file of your assistants' sessions")
        await pilot.press("R")
        await says(pilot, "2 proposals in the inbox")
        await shows(pilot, "add a berth number to the api")
        await shows(pilot, "claude-code")
        await shows(pilot, "2 waiting")
        await shows(pilot, "every session is read")
        await shows(pilot, "You said")
        await shows(pilot, "refused with a reason")
        await pilot.press("a")
        await says(pilot, "Accepted")
        await shows(pilot, "1 waiting")
        await pilot.press("x")
        await says(pilot, "Rejected")
        await shows(pilot, "No proposals wait.")
        await shows(pilot, "refused with a reason: 1 of 2 accepted (50%)")
        assert _statuses(vault) == ["active", "retired"]
        await pilot.press("u")
        await shows(pilot, "1 waiting")
        assert _statuses(vault) == ["active", "candidate"]


async def test_five_of_a_session_are_shown_and_enter_unfolds_the_rest(
    vault: Vault, tmp_path: Path, own_home: Path
) -> None:
    fill(vault, FERRY)
    _session(own_home, *RULES)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        screen = await _open(pilot)
        await pilot.press("R")
        await shows(pilot, "7 waiting")
        await shows(pilot, "2 more")
        await pilot.press("G")
        await shows(pilot, "2 proposals folded")
        await pilot.press("enter")
        await until(pilot, lambda: len(screen._list.rows) == 7, "all are shown")
        await pilot.press("left")
        await until(pilot, lambda: len(screen._list.rows) == 6, "the session is folded")


async def test_saving_the_form_accepts_in_the_persons_words(vault: Vault, tmp_path: Path, own_home: Path) -> None:
    fill(vault, FERRY)
    _session(own_home, RULES[0])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("R")
        await shows(pilot, "1 waiting")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen), "the form is open")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: _statuses(vault) == ["active"], "it is accepted")


async def test_a_run_goes_on_in_the_background_until_esc_stops_it(
    vault: Vault, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault, FERRY)
    _session(own_home, RULES[0])
    never = threading.Event()

    def run(_self: CaptureAccess, progress: ProgressCallback) -> Done:
        try:
            while True:
                progress(150_000_000, 2_000_000_000)
                never.wait(0.05)
        except Cancelled:
            return Done("stopped here")

    monkeypatch.setattr(CaptureAccess, "run", run)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("R")
        await shows(pilot, "reading 150 of 2,000 MB")
        await shows(pilot, "esc stops")
        await pilot.press("R")
        await says(pilot, "Sessions are being read")
        await pilot.press("b")
        await until(pilot, lambda: not isinstance(pilot.app.screen, CaptureScreen), "another screen is open")
        await _open(pilot)
        await shows(pilot, "reading 150 of 2,000 MB")
        await pilot.press("escape")
        await says(pilot, "stopped here")


async def test_what_was_said_opens_as_a_copy_that_cannot_be_written(
    vault: Vault, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault, FERRY)
    file = _session(own_home, RULES[0])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        screen = await _open(pilot)
        opened: list[tuple[Path, str, int]] = []

        def edit(place: Found) -> str:
            text = place.path.read_text("utf-8")
            assert place.line is not None
            opened.append((place.path, text, place.path.stat().st_mode & 0o777))
            assert "line" in text.splitlines()[place.line - 1]
            return ""

        monkeypatch.setattr(screen._source, "edit", edit)
        await pilot.press("R")
        await shows(pilot, "1 waiting")
        await pilot.press("o")
        await until(pilot, lambda: bool(opened), "the copy is open")
        (copy, text, mode) = opened[0]
        assert (copy != file, mode) == (True, 0o400)
        assert RULES[0] in text
        assert "{" not in text
        await until(pilot, lambda: not copy.exists(), "the copy is gone")
        file.unlink()
        await pilot.press("o")
        await says(pilot, "The transcript no longer exists")


async def test_a_signal_that_is_mostly_wrong_is_told(vault: Vault, tmp_path: Path, own_home: Path) -> None:
    fill(vault, FERRY)
    _session(own_home, *RULES[:6])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("R")
        await shows(pilot, "6 waiting")
        for left in range(5, 0, -1):
            await pilot.press("x")
            await shows(pilot, f"{left} waiting")
        await shows(pilot, "0 of 5 accepted (0%)")
        await shows(pilot, "wrong here")


async def test_on_a_narrow_screen_one_pane_is_shown(vault: Vault, tmp_path: Path, own_home: Path) -> None:
    fill(vault, FERRY)
    _session(own_home, RULES[0])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await _open(pilot)
        await pilot.press("R")
        await shows(pilot, "1 waiting")
        assert "You said" not in screen_text(pilot)
        await pilot.press("enter")
        await shows(pilot, "You said")
        await pilot.press("escape")
        await shows(pilot, "1 waiting")


async def test_a_proposal_that_corrects_a_memory_says_so_and_asks_before_that_leaves_use(
    vault: Vault, tmp_path: Path
) -> None:
    fill(vault, FERRY)
    old = memory(90, "Store tide times in local time everywhere, never in UTC", project="ferry")
    new = candidate(91, "Store tide times in UTC everywhere, never in local time")
    other = candidate(92, "Store tide times in UTC at the pier, never in local time")
    fill(vault, [old, new, other])
    with vault.write(actor="capture", action="capture") as writer:
        put_proposals(
            writer,
            [
                StoredProposal(
                    memory_id=one.id,
                    digest=one.id,
                    signal="correction",
                    score=0.9,
                    quote="no, in UTC",
                    assistant="claude-code",
                    session="s-1",
                    task="",
                    file="/s.jsonl",
                )
                for one in (new, other)
            ],
        )
        ends = [
            Link(from_id=one.id, type="supersedes", to_id=old.id, origin="capture", created_at=writer.now)
            for one in (new, other)
        ]
        writer.add_links(ends)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        screen = await _open(pilot)
        await shows(pilot, "2 waiting")
        await shows(pilot, "would replace “Store")
        await shows(pilot, "Would replace “Store tide times in local")
        chosen = screen.current_memory
        await pilot.press("a")
        await says(pilot, "Also in use still: Store tide times in local time")
        await shows(pilot, "the new one was proposed to replace one in use")
        await shows(pilot, "L link   X new replaces old   A keep both   O compare, merge   esc later")
        assert chosen is not None
        assert [stored(vault, one).status for one in (old.id, chosen)] == ["active", "active"]
        await pilot.press("X")
        await says(pilot, "Superseded: Store tide times in local time")
        assert stored(vault, old.id).status == "superseded"
        with vault.read() as reader:
            between = [one.type for one in reader.links([old.id]) if one.from_id == chosen]
        assert between == ["supersedes"]
