"""`memtui hook` as an assistant runs it: whatever happens, it exits 0 and prints its answer or nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hooking import Yard, make_yard
from support import NOON, child_environment, start_python

from memtui.assist.hooks.run import recent_failures
from memtui.assist.spool import Spool, folder_of
from memtui.vault.vault import Vault

HOLDER = """
import sys
from pathlib import Path
from memtui.vault.lease import lease
with lease(Path(sys.argv[1]), exclusive=True, wait_seconds=5):
    print("held", flush=True)
    sys.stdin.readline()
"""

FOREIGN = """
import sys
import duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def yard(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Yard:
    monkeypatch.setenv("MEMTUI_NOW", NOON.isoformat())
    yard = make_yard(vault, tmp_path)
    yard.add("Berths are numbered from the sea", "quay/berths.py")
    return yard


def hook(yard: Yard, *words: str, given: bytes | None = None, **values: Any) -> subprocess.CompletedProcess[bytes]:
    sent = {"session_id": "s-1", "cwd": str(yard.root), "hook_event_name": words[0] if words else "", **values}
    return subprocess.run(
        [sys.executable, "-m", "memtui", "--vault", str(yard.vault.path), "hook", *words],
        input=json.dumps(sent).encode() if given is None else given,
        capture_output=True,
        env=child_environment(),
        cwd=yard.root,
        check=False,
        timeout=30,
    )


def test_a_hook_prints_json_alone_and_exits_0(yard: Yard) -> None:
    done = hook(yard, "SessionStart", "--assistant", "claude-code", source="startup")
    assert done.returncode == 0
    assert done.stderr == b""
    assert "Berths" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "words",
    [(), ("SessionStart", "--nonsense"), ("SessionStart", "--assistant"), ("SessionStart", "too", "many"), ("", "")],
)
def test_a_wrong_command_line_does_not_stop_an_assistant(yard: Yard, words: tuple[str, ...]) -> None:
    done = hook(yard, *words)
    assert done.returncode == 0
    assert done.stdout == b""


HOSTILE = {
    "nothing": b"",
    "no text": b"\x00\xff" * 1_000,
    "half": b'{"session_id": "s',
    "deep": b"[" * 200_000,
    "much": b"{}" * 100_000,
}


@pytest.mark.parametrize("given", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_input_does_not_stop_an_assistant(yard: Yard, given: bytes) -> None:
    done = hook(yard, "PostToolUse", "--assistant", "gemini", given=given)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")


@pytest.mark.parametrize("holder", [HOLDER, FOREIGN], ids=["memtui", "a foreign program"])
def test_a_vault_that_another_process_holds_is_waited_for_shortly(yard: Yard, holder: str) -> None:
    holding = start_python(holder, yard.vault.path)
    assert holding.stdout is not None
    assert holding.stdout.readline().strip() == "held"
    begun = time.monotonic()
    done = hook(yard, "SessionStart", "--assistant", "codex")
    taken = time.monotonic() - begun
    holding.communicate("over\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert taken < 10  # 0.4 s of waiting, and however long a busy machine takes to start Python
    (failure,) = recent_failures(NOON)
    assert "use by" in failure.what or "is open in" in failure.what
    assert b"Berths" in hook(yard, "SessionStart", "--assistant", "codex").stdout


def test_a_missing_vault_is_not_made_by_a_hook(yard: Yard) -> None:
    yard.vault.path.unlink()
    done = hook(yard, "SessionStart", "--assistant", "claude-code")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not yard.vault.path.exists()


def test_hooks_that_are_killed_leave_everything_in_order(yard: Yard) -> None:
    for number in range(12):
        session = f"k-{number}"
        given = {"session_id": session, "cwd": str(yard.root), "hook_event_name": "SessionStart"}
        command = [sys.executable, "-m", "memtui", "--vault", str(yard.vault.path), "hook", "SessionStart"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment()
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        time.sleep(0.03 * number)
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
    assert b"Berths" in hook(yard, "SessionStart", session_id="after").stdout
    Spool(yard.vault.path).fold_into(yard.vault)
    with yard.vault.read() as reader:
        assert len(reader.signals()) >= 1
    assert not list((folder_of(yard.vault.path) / "sessions").glob(".memtui-*.tmp.json"))


def test_ten_hooks_of_one_session_at_once_serve_a_memory_once(yard: Yard) -> None:
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "quay/berths.py"}}
    given = json.dumps({"session_id": "s-1", "cwd": str(yard.root), "hook_event_name": "PostToolUse", **tool}).encode()
    command = [sys.executable, "-m", "memtui", "--vault", str(yard.vault.path), "hook", "PostToolUse"]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment())
        for _ in range(10)
    ]
    answers = [process.communicate(given)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 10
    assert sum(b"Berths" in answer for answer in answers) == 1


def test_doctor_tells_of_hooks_that_failed(yard: Yard) -> None:
    hook(yard, "SessionStart", "--nonsense")
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "--vault", str(yard.vault.path), "doctor"],
        capture_output=True,
        text=True,
        env=child_environment(),
        cwd=yard.root,
        check=False,
    )
    assert "1 hook failed without an answer" in done.stdout
    assert "--nonsense" in done.stdout
