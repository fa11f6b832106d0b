"""Pictures of the Capture screen: proposals by session, nothing yet, and reading under way."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

import pytest
from sessions import REFUSAL, claude_call, claude_result, claude_typed, write_lines
from snapshots.pictures import NOW, Album, only_with_the_same_textual

from memtui.capture.lessons.proposal import LessonSignal, Proposal
from memtui.capture.proposals.run import CaptureRequest, capture
from memtui.capture.transcripts.session import Session
from memtui.domain.identity import Actor
from memtui.tui.app import MemtuiApp
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.capture.view import CaptureRun
from memtui.tui.state import Opening
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual

TASKS = {
    "add a berth number to the api": (
        "never edit gen/ by hand, it is generated from schema.yaml; always change the schema",
        "from now on all berth times are UTC, the harbour clock was wrong twice because of DST",
        "always run the tide tests with TZ=UTC, they depend on the day boundary of the harbour",
        "no mocks for the crane driver, a mock hid a safety bug for months; use the simulator in sim/",
        "fares are integer cents everywhere, only format them with fare_text(), floats lost us money",
        "migrations that are merged are never changed, add a new one with make migration",
        "every new table needs a retention rule, the auditor checks them each release",
    ),
    "the ticket page is slow on phones [/x]": ("images go through 日本 resize(), never raw uploads, phones ran out",),
}


def _proposals(session: Session) -> list[Proposal]:
    """Return the reasons of refusals as proposals: what is found, and how surely, has tests of its own."""
    return [
        Proposal(
            quote=call.reason,
            title=call.reason.capitalize(),
            insight=call.reason.capitalize(),
            rationale=f"Said when an edit of `{Path(call.paths[0]).name}` was refused.",
            kind="constraint" if number % 2 else "convention",
            signal=LessonSignal.REJECTED_TOOL,
            score=0.97 - number / 25,
            place=call.reason_place,
            assistant=session.assistant,
            session=session.id,
            at=turn.at,
        )
        for number, turn in enumerate(turn for turn in session.turns if turn.calls)
        for call in turn.calls
        if call.reason_place is not None
    ]


@pytest.fixture
def app(own_home: Path, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    """The app on the sample vault, with two sessions that nobody has read."""
    numbers = count(1)
    monkeypatch.setattr("memtui.capture.proposals.plan.new_id", lambda: f"proposal{next(numbers):04}")
    monkeypatch.setattr("memtui.capture.proposals.scan.propose", _proposals)
    for session, (task, rules) in enumerate(TASKS.items()):
        records = [claude_typed(task, timestamp="2026-05-05T08:00:00Z")]
        for number, rule in enumerate(rules):
            call = f"c-{number}"
            made = claude_call(call, "Edit", file_path=f"/srv/quay/file_{number}.py", new_string="x")
            refused = claude_result(call, f"{REFUSAL}{rule}", failed=True)
            records += [one | {"timestamp": f"2026-05-05T08:0{number}:00Z"} for one in (made, refused)]
        records = [one | {"sessionId": f"s-{session}"} for one in records]
        write_lines(own_home / ".claude" / "projects" / "-srv-quay" / f"s-{session}.jsonl", records)
    shutil.copytree(sample, tmp_path / "vault")
    vault = Vault(tmp_path / "vault" / "vault.duckdb", now=lambda: NOW)
    return MemtuiApp(Opening(vault=vault, folder=tmp_path, state_path=tmp_path / "state.json"))


def _is_read(screen: object) -> bool:
    return isinstance(screen, CaptureScreen) and bool(screen._shown) and screen._unread is not None


def _is_empty(screen: object) -> bool:
    return isinstance(screen, CaptureScreen) and screen._read is not None and screen._unread is not None


async def test_the_proposals_by_session(app: MemtuiApp, album: Album, own_home: Path, tmp_path: Path) -> None:
    capture(app.opening.vault, CaptureRequest(home=own_home, folder=tmp_path), actor=Actor())
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('capture')")
        await album.take_sizes(pilot, light=True, ready=_is_read)


async def test_nothing_proposed_yet(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('capture')")
        await album.take(pilot, "empty", ready=_is_empty)


async def test_reading_under_way(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        run = CaptureRun(lambda _: pytest.fail("it is never started"))
        run._done, run._total = 412_000_000, 2_000_000_000
        app.capture_run = run
        await pilot.app.run_action("go('capture')")
        await album.take(pilot, "reading", ready=_is_empty)
