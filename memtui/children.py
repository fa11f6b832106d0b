"""Child processes for work that keeps an interpreter busy: the keys of the app stay quick, and two cores share it."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from memtui.text.injection_second_look import SecondLook, second_look, use_second_look

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Made = TypeVar("Made")

TOGETHER = 200  # Items between two reports of progress
_ASKED = 2  # Parts that a child has before it, so that it never waits for the next one


def child_pool(most: int) -> ProcessPoolExecutor:
    """Return a pool of child processes, at most one for each core; none starts before it has work.

    They look at planted instructions as this process does.
    """
    # Imported here: most of what may use a child does without one.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(
        min(most, os.cpu_count() or 1),
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(second_look(),),
    )


def _begin(look: SecondLook | None) -> None:
    """Write nothing to the terminal of the app, let it decide about Ctrl+C, and look as its parent does."""
    use_second_look(look)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open as long as the child lives
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this child when its parent is gone: one that was killed tells nobody to stop."""
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def made_in_two(
    make: Callable[[Sequence[Item]], Made],
    items: Sequence[Item],
    made: Callable[[int], None] | None = None,
    *,
    is_worth_a_child: bool,
) -> list[Made]:
    """Return what is made of items, a few hundred at a time, in order; a child begins at the end, this process here.

    Args:
        make: a function of a module, which a child can import.
        items: what it takes; they and what is made of them go to the child and back.
        made: called with how many items are done; what it raises stops the work.
        is_worth_a_child: whether the work takes longer than the start of a child, about a second.
    """
    parts = [items[at : at + TOGETHER] for at in range(0, len(items), TOGETHER)]
    found: dict[int, Made] = {}

    def report() -> None:
        if made is not None:
            made(min(len(found) * TOGETHER, len(items)))

    if is_worth_a_child and (os.cpu_count() or 1) > 1:
        from concurrent.futures import BrokenExecutor

        with child_pool(1) as child, suppress(BrokenExecutor):  # without a child all of it is made here
            _share(child, make, parts, report, found)
    for number, part in enumerate(parts):
        if number not in found:
            report()
            found[number] = make(part)
    return [found[number] for number in range(len(parts))]


def _share(
    child: ProcessPoolExecutor,
    make: Callable[[Sequence[Item]], Made],
    parts: Sequence[Sequence[Item]],
    report: Callable[[], None],
    found: dict[int, Made],
) -> None:
    first, end = 0, len(parts)  # Parts that nobody has begun
    asked: deque[tuple[int, Future[Made]]] = deque()
    while first < end or asked:
        while first < end and len(asked) < _ASKED:
            end -= 1
            asked.append((end, child.submit(make, parts[end])))
        if first < end:
            found[first] = make(parts[first])
            first += 1
        while asked and (first >= end or asked[0][1].done()):
            number, answer = asked.popleft()
            found[number] = answer.result()
        report()
