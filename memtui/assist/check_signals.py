"""What a check says of the memories behind it: that one stopped a commit, and that somebody allowed an exception."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memtui import clock
from memtui.assist.check import Report
from memtui.assist.check_formats import shown
from memtui.assist.spool import Spool
from memtui.domain.memory import Signal
from memtui.errors import MemtuiError
from memtui.wording.checks import place

STOPPED, ALLOWED = "stopped", "allowed"


def keep_signals(vault: Path, report: Report, *, actor: str) -> None:
    """Keep who stopped a commit and what was allowed, for the vault to take in; failing to is no failure.

    A commit that is tried again and again counts once an hour, an exception once a minute.
    """
    minute = clock.now().replace(second=0, microsecond=0)
    hour = minute.replace(minute=0)
    found = {}
    for one in report.errors:
        found[one.memory, STOPPED] = Signal(
            memory_id=one.memory, signal=STOPPED, at=hour, actor=actor, reason=place(shown(one.file), one.line)
        )
    for allowed in report.allowed:
        where = place(shown(allowed.finding.file), allowed.finding.line)
        found[allowed.finding.memory, ALLOWED] = Signal(
            memory_id=allowed.finding.memory,
            signal=ALLOWED,
            at=minute,
            actor=actor,
            reason=f"{where}: {allowed.reason}",
        )
    if found:
        with suppress(MemtuiError, OSError):
            Spool(vault).signal(found.values())
