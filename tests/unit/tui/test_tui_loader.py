"""The threads of the app."""

from __future__ import annotations

import subprocess
import sys
import time

from memtui.tui.loader import BackgroundThreads

_AT_WORK = """
import asyncio, time
from memtui.cli.main import _leave_quickly
from memtui.tui.loader import BackgroundThreads

async def use():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(BackgroundThreads())
    loop.run_in_executor(None, time.sleep, 60)
    await asyncio.sleep(0.1)

asyncio.run(use())
_leave_quickly(3)
"""


def test_the_end_waits_for_no_work_in_the_background() -> None:
    done = subprocess.run([sys.executable, "-c", _AT_WORK], check=False, timeout=40)
    assert done.returncode == 3


def _store(done: list[str]) -> None:
    time.sleep(0.02)
    done.append("stored")


def test_what_is_nearly_done_comes_to_its_end() -> None:
    done: list[str] = []
    threads = BackgroundThreads()
    threads.submit(_store, done)
    threads.shutdown(wait=True)
    assert done == ["stored"]
