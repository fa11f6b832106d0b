"""Work is shared with a child process: in order, without one as well, and none is left when its parent is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor

import pytest

from memtui import children
from memtui.children import made_in_two
from memtui.progress import Cancelled

ITEMS = list(range(20, 0, -1))
SORTED = [sorted(ITEMS[at : at + 3]) for at in range(0, 20, 3)]


@pytest.fixture(autouse=True)
def few_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "TOGETHER", 3)


def test_a_child_makes_a_part_of_what_is_asked_for_and_the_order_stays() -> None:
    reports: list[int] = []
    assert made_in_two(sorted, ITEMS, reports.append, is_worth_a_child=True) == SORTED
    assert reports == sorted(reports)
    assert reports[-1] == len(ITEMS)


def test_little_work_starts_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "child_pool", None)
    reports: list[int] = []
    assert made_in_two(sorted, ITEMS, reports.append, is_worth_a_child=False) == SORTED
    assert reports == list(range(0, 20, 3))


def test_without_a_child_all_of_it_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Future[list[int]]:
        raise BrokenExecutor

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    assert made_in_two(sorted, ITEMS, is_worth_a_child=True) == SORTED


def test_who_cancels_ends_the_work_and_the_child() -> None:
    def cancel(_: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        made_in_two(sorted, ITEMS, cancel, is_worth_a_child=True)


def test_a_fault_in_the_child_is_the_fault_of_the_work() -> None:
    with pytest.raises(ValueError, match="range"):
        made_in_two(bytes, [1, 2, 3, 300], is_worth_a_child=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_child_ends_when_its_parent_is_killed() -> None:
    script = (
        "import os, time\n"
        "from memtui.children import child_pool\n"
        "if __name__ == '__main__':\n"
        "    pool = child_pool(1)\n"
        "    print(pool.submit(os.getpid).result(), flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip().isdigit()
        parent.send_signal(signal.SIGKILL)
        # The child holds the same pipe open as long as it lives.
        assert parent.communicate(timeout=60)[0] == b""
