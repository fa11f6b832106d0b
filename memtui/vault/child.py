"""Work on a file that may be damaged, in a child process: DuckDB can abort or hang on one."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROBE_SECONDS = 120.0
"""Longest time for one pass over a file."""


@dataclass(frozen=True, slots=True)
class ChildReport:
    """What a child process said before it ended.

    Attributes:
        lines: the JSON objects it printed, in order.
        crashed: how it ended if it did not end by itself: `signal 11`, `no answer in 120 s`; else empty.
    """

    lines: tuple[dict[str, Any], ...]
    crashed: str

    @property
    def facts(self) -> dict[str, Any]:
        """All lines as one object; later ones win."""
        merged: dict[str, Any] = {}
        for line in self.lines:
            merged.update(line)
        return merged


def run_child(module: str, *arguments: str, seconds: float = PROBE_SECONDS) -> ChildReport:
    """Run a module of memtui that prints JSON lines; never raises for what happens inside it.

    Args:
        module: its full name.
        arguments: for its command line.
        seconds: longest time that it may take.
    """
    import subprocess  # here, because `add` and `search` start without it

    # -P and the explicit path: the working folder must not be able to slip in a module.
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
            # A line that the child was writing when it died.
            continue
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def say(**facts: Any) -> None:
    """Print one line of a child's report at once, so that it survives a crash."""
    sys.stdout.write(json.dumps(facts, default=str) + "\n")
    sys.stdout.flush()


def fold_in_child(path: Path) -> bool:
    """Fold the log of a file into it in a child process; returns whether that worked."""
    return bool(run_child("memtui.vault.probe", "fold", str(path)).facts.get("folded"))
