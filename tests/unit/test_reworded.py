"""What a maintainer relies on when a message is reworded: no service behaves otherwise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SERVICES = ("domain", "recall", "pack", "analysis", "curate", "capture", "publish")
SENTENCES = re.compile(r"\bmemtui[. ](?:import )?(?:wording|sync|assist|tui|cli)\b")
"""Rooms that hold sentences, and those above them; by the import contracts no service reaches one."""


def _meeting_sentences() -> list[str]:
    """Return the tests of services that can meet a sentence, by themselves or through a helper."""
    helpers = [path.stem for path in HERE.parent.glob("*.py") if SENTENCES.search(path.read_text("utf-8"))]
    meeting = re.compile(rf"{SENTENCES.pattern}|^(?:from|import) (?:{'|'.join(helpers)})\b", re.MULTILINE)
    tests = sorted(path for room in SERVICES for path in (HERE / room).rglob("test_*.py"))
    return [str(path) for path in tests if meeting.search(path.read_text("utf-8"))]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--reworded", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_services_do_the_same_whatever_the_messages_say() -> None:
    run = _run("-m", "fast", *_meeting_sentences())
    assert run.returncode == 0, run.stdout[-4_000:]


@pytest.mark.slow
def test_the_nonsense_reaches_the_sentences() -> None:
    run = _run(f"{HERE / 'wording'}/test_wording_reasons.py", "-k", "says_by_how_much")
    assert run.returncode == 1, run.stdout[-4_000:]
    assert "bire ohqtrg" in run.stdout, "over budget"
