"""What a capture found, as JSON."""

from __future__ import annotations

from typing import Any

from memtui.capture.proposals.plan import TEMPORARY_TAG, Offered, evidence_records
from memtui.capture.proposals.run import CaptureReport
from memtui.domain.record import format_time


def capture_record(report: CaptureReport, *, dry_run: bool) -> dict[str, Any]:
    """Return a report as JSON; without ids where nothing was written."""
    plan = report.plan
    return {
        "sessions": report.sessions,
        "read": report.read,
        "unchanged": report.unchanged,
        "unknown_records": dict(report.unknown_records.most_common()),
        "bad_lines": report.bad_lines,
        "skipped": [{"path": one.path, "reason": one.reason} for one in report.skipped],
        "cancelled": report.is_cancelled,
        "said_again": len(plan.again),
        "left_out": {
            reason: number
            for reason, number in (
                ("dismissed", plan.dismissed),
                ("known", plan.known),
                ("secret", plan.secret),
                ("planted", plan.planted),
                ("switched-off", plan.switched_off),
            )
            if number
        },
        "proposals": [
            proposal_record(one, dry_run=dry_run) | {"corrects": plan.corrected_by(one) or None} for one in plan.new
        ],
    }


def proposal_record(offered: Offered, *, dry_run: bool) -> dict[str, Any]:
    """Return a proposal as JSON."""
    memory, stored = offered.memory, offered.stored
    return ({} if dry_run else {"id": memory.id}) | {
        "quote": stored.quote,
        "title": memory.title,
        "insight": memory.insight,
        "rationale": memory.rationale,
        "kind": memory.kind,
        "signal": stored.signal,
        "score": stored.score,
        "evidence": evidence_records(stored),
        "assistant": stored.assistant,
        "project": memory.project,
        "session": stored.session,
        "task": stored.task,
        "file": stored.file,
        "line": stored.line,
        "place": stored.place or None,
        "at": format_time(stored.said_at),
        "temporary": TEMPORARY_TAG in memory.tags,
    }
