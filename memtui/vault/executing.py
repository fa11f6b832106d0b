"""Execute statements while the next ones are made: DuckDB works without the interpreter lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memtui.vault.rows import Statement

if TYPE_CHECKING:
    from concurrent.futures import Future

    import duckdb

_MOST_WAITING = 4  # Statements that wait for their turn, each with the rows of a thousand memories


@contextmanager
def executing(connection: duckdb.DuckDBPyConnection, *, beside: bool) -> Iterator[Callable[[Statement], object]]:
    """Yield what executes statements in order: at once, or in a thread beside what makes them.

    Until the end nobody else may use the connection. At the end all are executed; what fails is raised then or before,
    and whatever is raised, none is being executed any more.
    """
    if not beside:
        yield lambda statement: connection.execute(*statement)
        return
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[object]] = deque()
    with ThreadPoolExecutor(1, thread_name_prefix="memtui-executing") as pool:

        def execute(statement: Statement) -> None:
            while len(waiting) >= _MOST_WAITING:
                waiting.popleft().result()
            waiting.append(pool.submit(connection.execute, *statement))

        try:
            yield execute
            while waiting:
                waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()
