"""Looks for planted texts in what a team sends, in a child process while the vault takes the page before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain

from memtui.children import child_pool
from memtui.domain.planted import planted_reasons
from memtui.domain.record import Record
from memtui.sync.carrier import Page
from memtui.sync.wire import MEMORY, memory_from_wire

MANY_THINGS = 500
"""Things of the first page from which a child is worth its start, about a second; fewer are looked at as they come."""


def judged(pages: Iterable[Page], project: str | None, now: datetime) -> Iterator[Page]:
    """Yield pages with the ids of the memories in them that look planted, unless there is only little to look at."""
    coming = iter(pages)
    first = next(coming, None)
    if first is None:
        return
    pages = chain([first], coming)
    yield from _judged_ahead(pages, project, now) if len(first.things) >= MANY_THINGS else pages


def _judged_ahead(pages: Iterable[Page], project: str | None, now: datetime) -> Iterator[Page]:
    with child_pool(1) as child:
        before: Iterable[Page] = ()
        for page in pages:
            memories = [
                (one.thing[1], one.record) for one in page.things if one.thing[0] == MEMORY and one.record is not None
            ]
            asked: Future[frozenset[str]] | None = None
            with suppress(BrokenExecutor):  # without a child they are looked at as they are taken
                asked = child.submit(planted_among, memories, project, now)
            yield from before
            before = _with_answer(page, asked)
        yield from before


def _with_answer(page: Page, asked: Future[frozenset[str]] | None) -> Iterator[Page]:
    planted: frozenset[str] | None = None
    with suppress(BrokenExecutor):
        planted = asked.result() if asked is not None else None
    yield replace(page, planted=planted)


def planted_among(memories: Sequence[tuple[str, Record]], project: str | None, now: datetime) -> frozenset[str]:
    """Return the ids of those memories, as they are on the wire, that look planted; what makes none is left out."""
    found = set()
    for identifier, record in memories:
        with suppress(ValueError, TypeError):
            if planted_reasons(memory_from_wire(record, identifier, project, now)):
                found.add(identifier)
    return frozenset(found)
