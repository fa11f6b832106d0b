"""Probe a possibly damaged vault file in a child process, because DuckDB can abort or hang on one."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError, VaultTooNewError
from memtui.vault.connection import engine_errors, fold_log, open_connection
from memtui.vault.lease import lease, lock_path
from memtui.vault.rows import check_not_newer

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ChildReport:
    """What a child process printed before it ended."""

    lines: tuple[dict[str, Any], ...]  # its JSON objects, in order
    crashed: str  # how it ended if not normally: `signal 11`, `no answer in 120 s`; else empty

    @property
    def facts(self) -> dict[str, Any]:
        """All lines merged into one object; later ones win."""
        merged: dict[str, Any] = {}
        for line in self.lines:
            merged.update(line)
        return merged


def run_child(module: str, *arguments: str, seconds: float = 120.0) -> ChildReport:
    """Run a module of memtui that prints JSON lines, for so many seconds at most; its failures are reported."""
    import subprocess  # here, because `add` and `search` start without it

    # -P and the explicit path, so that no module is imported from the working folder.
    command = [sys.executable, "-P", "-X", "utf8", "-m", module, *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=seconds, stdin=subprocess.DEVNULL, env=environment
        )
    except subprocess.TimeoutExpired as error:
        return ChildReport(_parse(error.stdout), f"no answer in {seconds:g} s")
    return ChildReport(_parse(done.stdout), _ending(done.returncode, done.stderr))


def _ending(code: int, errors: bytes) -> str:
    if code == 0:
        return ""
    if code < 0:
        return f"signal {-code}"
    last = errors.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
    return f"exit {code}: {last[:200]}"


def _parse(output: bytes | None) -> tuple[dict[str, Any], ...]:
    found = []
    for line in (output or b"").decode("utf-8", "replace").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            # The line that the child was writing when it died.
            continue
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def say(**facts: Any) -> None:
    """Print one line of a child's report, flushed, so that it survives a crash."""
    sys.stdout.write(json.dumps(facts, default=str) + "\n")
    sys.stdout.flush()


def fold_in_child(path: Path) -> bool:
    """Fold the log of a file into it in a child process; returns whether that worked."""
    return bool(run_child("memtui.vault.subprocess_probe", "fold", str(path)).facts.get("folded"))


_DAMAGE_ENDINGS = (
    *(f"signal {number:d}" for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL, 7)),
    f"exit {0xC0000005}",
)
"""How a process ends on a damaged file, as opposed to one that is killed.

7 is SIGBUS on Linux, the last an access violation on Windows.
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """The state of a file."""

    error: str = ""  # why it cannot be used, empty if every value could be read
    reason: str = ""  # of the error: `damaged`, `too-new`, `busy` or `refused` (by the system, or not read completely)
    counts: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # everything else, see `_look`

    @property
    def readable(self) -> bool:
        """Whether every value could be read."""
        return not self.error

    @property
    def memories(self) -> int:
        """How many memories the file holds."""
        return self.counts.get("memories", 0)

    @property
    def newest_change(self) -> int:
        """Number of the newest change in its journal."""
        return int(self.facts.get("newest_change") or 0)


def probe(path: Path, *, wait_seconds: float | None = None) -> Probe:
    """Read a vault file in a child process.

    `wait_seconds`: how long to wait for the lease; None if the caller holds it or needs none.
    """
    patience = "" if wait_seconds is None else str(wait_seconds)
    return _probe_of(run_child("memtui.vault.subprocess_probe", "look", str(path), patience))


IN_USE = "in use"


def beginnings(vault: Path, others: Sequence[Path]) -> dict[Path, str]:
    """Return when and by whom the journals of vaults and their copies were begun, without those that cannot be read.

    `vault`: whose lease may be held by the caller; `IN_USE` if another program has it open, as it is not damaged then.
    """
    found: dict[Path, str] = {}
    waiting = [vault, *others]
    while waiting:
        report = run_child("memtui.vault.subprocess_probe", "begin", str(vault), *map(str, waiting))
        tried = {Path(line["file"]) for line in report.lines if "file" in line}
        found |= {Path(line["file"]): str(line["begun"]) for line in report.lines if line.get("begun")}
        # A file that ends the child hides those behind it.
        waiting = [path for path in waiting if path not in tried] if tried and report.crashed else []
    return found


def _say_beginnings(vault: Path, paths: Iterable[Path]) -> None:
    for path in paths:
        say(file=str(path))
        is_other = path != vault and lock_path(path).exists()
        try:
            with lease(path, exclusive=False, wait_seconds=2.0) if is_other else nullcontext():
                say(file=str(path), begun=_beginning(path))
        except VaultBusyError:
            if path == vault:
                say(file=str(path), begun=IN_USE)
        except Exception:  # noqa: BLE001, S112 - what cannot be read has no beginning that could be compared
            continue


def _beginning(path: Path) -> str:
    connection = open_connection(path, read_only=True)
    try:
        row = connection.execute("SELECT number, made_at, actor FROM changes ORDER BY number LIMIT 1").fetchone()
    finally:
        connection.close()
    return " ".join(map(str, row or ()))


def _probe_of(report: ChildReport) -> Probe:
    facts = report.facts
    counts = {str(line["table"]): int(line["rows"]) for line in report.lines if "rows" in line}
    if "error" in facts:
        return Probe(str(facts["error"]), str(facts["reason"]), counts, facts)
    if not report.crashed and facts.get("done"):
        return Probe("", "", counts, facts)
    step = facts.get("table") or facts.get("step")
    if step and report.crashed.split(":", 1)[0] in _DAMAGE_ENDINGS:
        return Probe(f"reading stopped at {step} ({report.crashed})", "damaged", counts, facts)
    # Never started, too slow, out of memory, killed: that says nothing about the file.
    return Probe(f"the check did not complete ({report.crashed or 'no report'})", "refused", counts, facts)


def _look(path: Path, wait_seconds: float | None) -> None:
    held = nullcontext() if wait_seconds is None else lease(path, exclusive=False, wait_seconds=wait_seconds)
    with held, engine_errors(path):
        say(step="open")
        connection = open_connection(path, read_only=True)
        try:
            _read_everything(connection)
        finally:
            connection.close()


def _read_everything(connection: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    say(opens=True, duckdb=duckdb.__version__, step="schema")
    say(schema=check_not_newer(connection, ""))
    tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1").fetchall()
    for (table,) in tables:
        say(table=table)
        # A hash of every column: SELECT count(*) alone reads no values.
        connection.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM "{table}"').fetchall()
        say(table=table, rows=_number(connection, f'SELECT count(*) FROM "{table}"'))
    names = {str(row[0]) for row in tables}
    say(table=None, step="consistency", vectors=_vectors(connection, names))
    if "memories" in names:
        _check_consistency(connection)
    say(done=True)


def _check_consistency(connection: duckdb.DuckDBPyConnection) -> None:
    say(
        newest_change=_number(connection, "SELECT coalesce(max(number), 0) FROM changes"),
        unposted=_number(connection, _UNPOSTED),
        stray_postings=_number(connection, _STRAY_POSTINGS),
        double_ids=_number(connection, "SELECT count(*) - count(DISTINCT id) FROM memories"),
        bad_revisions=_number(connection, _BAD_REVISIONS),
        dangling_links=connection.execute(_DANGLING).fetchall(),
        projects=connection.execute("SELECT project, list(identity) FROM project_identities GROUP BY 1").fetchall(),
    )


def _number(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0] or 0) if row else 0


def _vectors(connection: duckdb.DuckDBPyConnection, tables: set[str]) -> int:
    stored = sorted(name for name in tables if name.startswith("vector"))
    return sum(_number(connection, f'SELECT count(*) FROM "{name}"') for name in stored)


_UNPOSTED = """
SELECT count(*) FROM memories m LEFT JOIN documents d ON d.memory_key = m.key
LEFT JOIN (SELECT memory_key, sum(frequency) AS terms, max(frequency) AS most FROM postings GROUP BY 1) p
    ON p.memory_key = m.key
WHERE d.length IS NULL OR (coalesce(p.terms, 0) <> d.length AND coalesce(p.most, 0) < 65535)
"""

_STRAY_POSTINGS = """
SELECT count(*) FROM (SELECT memory_key FROM postings UNION SELECT memory_key FROM documents)
WHERE memory_key NOT IN (SELECT key FROM memories)
"""

_BAD_REVISIONS = """
SELECT count(*) FROM revisions
WHERE (before IS NOT NULL AND NOT json_valid(before)) OR (after IS NOT NULL AND NOT json_valid(after))
    OR (before IS NULL AND after IS NULL)
"""

_DANGLING = """
SELECT from_id, type, to_id FROM links
WHERE from_id NOT IN (SELECT id FROM memories) OR to_id NOT IN (SELECT id FROM memories)
ORDER BY 1, 2, 3
"""


def main(arguments: list[str]) -> None:
    """Run a task of the parent and print the result; a damaged file is a result, not a failure."""
    task, path, *rest = arguments
    try:
        if task == "fold":
            fold_log(Path(path))
            say(folded=True)
        elif task == "begin":
            _say_beginnings(Path(path), map(Path, rest))
        else:
            _look(Path(path), float(rest[0]) if rest and rest[0] else None)
    except VaultBusyError as error:
        say(error=str(error), reason="busy")
    except VaultTooNewError as error:
        say(error=str(error), reason="too-new")
    except VaultDamagedError as error:
        cause = str(error.__cause__ or error).strip().split("\n", 1)[0]
        say(error=f"{error.what} ({cause[:300]})", reason="damaged")
    except MemtuiError as error:
        say(error=str(error), reason="refused")
    except Exception as error:  # noqa: BLE001 - whatever a damaged file causes is the result
        short_of_memory = type(error).__name__ in {"MemoryError", "OutOfMemoryException"}
        say(error=f"{type(error).__name__}: {str(error)[:300]}", reason="refused" if short_of_memory else "damaged")


if __name__ == "__main__":
    main(sys.argv[1:])
