"""The findings of a check as programs read them: JSON, SARIF, annotations of GitHub; and signals about constraints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memtui import __version__, clock
from memtui.assist.check import Finding, Report
from memtui.assist.spool import Spool
from memtui.domain.memory import Signal
from memtui.errors import MemtuiError
from memtui.wording import checks
from memtui.wording.checks import place

_LEVELS = {"error": "error", "warning": "warning", "reminder": "note"}
_ANNOTATIONS = {"error": "error", "warning": "warning", "reminder": "notice"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def json_record(report: Report) -> dict[str, Any]:
    """Return the `--json` form of a report."""
    return {
        "findings": [
            {
                "memory": one.memory,
                "rule": one.rule,
                "file": shown(one.file),
                "line": one.line,
                "severity": one.severity,
                "why": one.why,
                "allow": one.allow,
            }
            for one in report.findings
        ],
        "allowed": [
            {
                "memory": one.finding.memory,
                "file": shown(one.finding.file),
                "line": one.finding.line,
                "reason": one.reason,
            }
            for one in report.allowed
        ],
        "unchecked": [{"memory": memory, "rule": rule, "reason": why} for memory, rule, why in report.unchecked],
    }


def shown(path: str) -> str:
    r"""Return a path as text.

    In one that is not UTF-8 those bytes become `\xNN` and each backslash two, which `printf %b` reads.
    """
    raw = path.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def sarif(report: Report) -> str:
    """Return a report as SARIF 2.1.0; each constraint is a rule of it."""
    constraints = {one.memory: one for one in report.findings}
    rules = [
        {
            "id": name,
            "shortDescription": {"text": one.title or name},
            "help": {"text": one.why or one.title or name},
        }
        for name, one in constraints.items()
    ]
    driver = {"name": "memtui", "version": __version__, "rules": rules}
    places = {name: number for number, name in enumerate(constraints)}
    results = [_result(one, places[one.memory]) for one in report.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _result(finding: Finding, number: int) -> dict[str, Any]:
    file = quote(finding.file.encode("utf-8", "surrogateescape"), safe="/")
    hashed = f"{finding.memory}\n{finding.rule}\n{finding.file}\n{finding.text}".encode("utf-8", "surrogateescape")
    return {
        "ruleId": finding.memory,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": finding.line or 1}}}
        ],
        "partialFingerprints": {"primaryLocationLineHash": blake2b(hashed, digest_size=16).hexdigest()},
    }


def _message(finding: Finding) -> str:
    return checks.message(
        memory=finding.memory, rule=finding.rule, why=finding.why, text=finding.text, allow=finding.allow
    )


def github(report: Report) -> Iterator[str]:
    """Yield the workflow commands by which GitHub shows findings beside their lines; errors come first."""
    for one in report.findings:
        line = one.line or 1
        file, title = _property(shown(one.file)), _property(f"memtui {one.memory}")
        properties = f"file={file},line={line},endLine={line},title={title}"
        yield f"::{_ANNOTATIONS[one.severity]} {properties}::{_escaped(_message(one))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


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
