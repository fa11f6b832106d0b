"""DuckDB's engine by its compiled module, without the Python layer over it.

That layer, relations and user-defined functions written out in Python, takes 90 ms of processor time to import, a
fifth of a cold `memtui context --fast`, and a vault uses none of it. It hands on the very classes of the compiled
module, so that either import catches the errors of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
else:
    try:
        import _duckdb as duckdb
    except ImportError:
        # Where a release names it otherwise, the layer still has all of it.
        import duckdb

__all__ = ["duckdb"]
