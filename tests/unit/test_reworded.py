"""What a maintainer relies on when a message is reworded: no service behaves otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from reworded import TESTS_OF_SAYING, imported_sentences

HERE = Path(__file__).parent
SERVICES = ("domain", "recall", "pack", "analysis", "curate", "capture", "publish")


def _meeting_sentences() -> list[str]:
    """Return the tests of services that can meet a sentence."""
    tests = sorted(path for package in SERVICES for path in (HERE / package).rglob("test_*.py"))
    return [str(path) for path in tests if imported_sentences(path)]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "reworded", "-p", "no:cacheprovider", *arguments]
    env = os.environ | {"PYTHONPATH": str(HERE.parent)}
    return subprocess.run(command, cwd=HERE.parents[1], env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_services_do_the_same_whatever_the_messages_say() -> None:
    saying = [str(HERE / name) for name in TESTS_OF_SAYING]
    run = _run("-m", "fast and not words and not hypothesis", *dict.fromkeys([*_meeting_sentences(), *saying]))
    assert run.returncode == 0, run.stdout[-4_000:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "test", "nonsense"),
    [
        ("wording/test_wording_reasons.py", "says_by_how_much", "bire ohqtrg"),
        ("analysis/test_analysis_duplicates.py", "told_apart_by_what_differs", "cnguf qvssre"),
        ("capture/test_capture_reimport.py", "left_its_file_is_due", "ab ybatre fnlf guvf"),
    ],
)
def test_the_nonsense_reaches_the_sentences(name: str, test: str, nonsense: str) -> None:
    run = _run(str(HERE / name), "-k", test)
    assert run.returncode == 1, run.stdout[-4_000:]
    assert nonsense in run.stdout
