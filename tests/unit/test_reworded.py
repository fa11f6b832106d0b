"""What a maintainer relies on when a message is reworded: no service behaves otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SERVICES = ("domain", "recall", "pack", "analysis", "curate", "capture")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--reworded", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)


@pytest.mark.long
def test_services_do_the_same_whatever_the_messages_say() -> None:
    run = _run("-m", "fast", *(str(HERE / room) for room in SERVICES if (HERE / room).is_dir()))
    assert run.returncode == 0, run.stdout[-4_000:]


@pytest.mark.slow
def test_the_nonsense_reaches_the_sentences() -> None:
    run = _run(f"{HERE / 'wording'}/test_wording_reasons.py", "-k", "says_by_how_much")
    assert run.returncode == 1, run.stdout[-4_000:]
    assert "bire ohqtrg" in run.stdout, "over budget"
