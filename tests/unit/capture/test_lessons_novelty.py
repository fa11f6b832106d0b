"""Capture against what is known: memories that a session says again, contradicts, names and follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import add, repository
from sessions import claude_call, claude_result, claude_typed, write_lines

from memtui.capture.proposals.report import capture_record
from memtui.capture.proposals.run import CaptureReport, CaptureRequest, capture
from memtui.curate.lifecycle import accept
from memtui.curate.links import link as tie
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault

ME = Actor()
TIDES = "Store tide times in UTC everywhere; the pier clock jumps twice a year"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rules = "# Rules\n\n- Berth numbers carry the letter of the pier, the old maps have no other key.\n"
    return repository(tmp_path / "quayside", {"AGENTS.md": rules})


def run(vault: Vault, home: Path, root: Path, *records: dict[str, object]) -> CaptureReport:
    write_lines(
        home / ".claude" / "projects" / "-quayside" / "s-1.jsonl", ({**one, "cwd": str(root)} for one in records)
    )
    return capture(vault, CaptureRequest(home=home, folder=root), actor=ME)


def edit_then(words: str) -> list[dict[str, object]]:
    return [
        claude_typed("show the tides"),
        claude_call("c1", "Edit", file_path="/srv/tides.py", old_string="a", new_string="times = local_times(pier)"),
        claude_result("c1", "done"),
        claude_typed(words),
    ]


def test_what_a_memory_says_gives_it_a_signal_and_makes_no_proposal(vault: Vault, home: Path, root: Path) -> None:
    tides = add(vault, TIDES, project=None, folder=root)
    report = run(
        vault, home, root, *edit_then("no, tide times are stored in UTC everywhere, the pier clock jumps twice a year")
    )
    assert (report.plan.new, report.plan.known) == ([], 1)
    with vault.read() as reader:
        (signal,) = reader.signals([tides.id])
    assert (signal.signal, signal.actor) == ("restated", "capture")
    assert "s-1.jsonl:4" in signal.reason


def test_a_correction_leaves_in_use_what_it_corrects_until_a_person_settles_it(
    vault: Vault, home: Path, root: Path
) -> None:
    old = add(vault, "Store tide times in local time everywhere, never in UTC", project=None, folder=root)
    report = run(
        vault, home, root, *edit_then("no, store tide times in UTC everywhere, never in local time, the clock jumps")
    )
    (offered,) = report.plan.new
    assert capture_record(report, dry_run=False)["proposals"][0]["corrects"] == old.id
    with vault.read() as reader:
        (link,) = reader.links([old.id])
        assert [one.signal for one in reader.signals([old.id])] == ["contradicted"]
    assert (link.from_id, link.type, link.to_id) == (offered.memory.id, "supersedes", old.id)
    accept(vault, [offered.memory.id], actor=ME, folder=root)
    with vault.read() as reader:
        assert reader.get(old.id).status == "active"
        assert [(one.from_id, one.type) for one in reader.links([old.id])] == [(offered.memory.id, "contradicts")]
    tie(vault, offered.memory.id, "supersedes", old.id, actor=ME)
    with vault.read() as reader:
        assert reader.get(old.id).status == "superseded"
        assert [one.type for one in reader.links([old.id])] == ["supersedes"]


def test_what_a_rules_file_says_is_not_proposed(vault: Vault, home: Path, root: Path) -> None:
    words = "no, berth numbers carry the letter of the pier, the old maps have no other key"
    report = run(vault, home, root, *edit_then(words))
    assert (report.plan.new, report.plan.known) == ([], 1)


def test_a_memory_that_was_served_and_followed_gets_a_signal_once(vault: Vault, home: Path, root: Path) -> None:
    memory = add(vault, "Run the harbour tests with `make test PIER=east`", project=None, folder=root)
    served = claude_typed("", isMeta=True)
    served["message"] = {"role": "user", "content": f"memtui: what is known here\n\n- {memory.title}\n"}
    records = [
        served,
        claude_typed("run the tests"),
        claude_call("c1", "Bash", command="make test PIER=east"),
        claude_result("c1", "ok"),
    ]
    run(vault, home, root, *records)
    run(vault, home, root, *records, claude_typed("thanks"))
    with vault.read() as reader:
        (signal,) = reader.signals([memory.id])
    assert signal.signal == "followed"
    assert "make test PIER=east" in signal.reason


def test_a_memory_that_the_session_was_not_served_gets_no_signal(vault: Vault, home: Path, root: Path) -> None:
    memory = add(vault, "Run the harbour tests with `make test PIER=east`", project=None, folder=root)
    records = [
        claude_typed("run the tests"),
        claude_call("c1", "Bash", command="make test PIER=east"),
        claude_result("c1", "ok"),
    ]
    run(vault, home, root, *records)
    with vault.read() as reader:
        assert reader.signals([memory.id]) == []
