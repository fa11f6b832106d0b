"""Sentences about what a capture read and found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.text.words import counted

if TYPE_CHECKING:
    from memtui.capture.proposals.plan import Offered, ProposalPlan
    from memtui.capture.proposals.run import CaptureReport
    from memtui.vault.proposals import Acceptance

SIGNALS = {
    "rejected-tool": "refused with a reason",
    "remember": "asked to remember",
    "correction": "correction",
    "repeated-correction": "corrected again",
    "standing-rule": "standing rule",
    "decision": "decision",
    "fail-then-pass": "failed, then passed",
    "root-cause": "root cause",
    "discovery": "discovery",
    "commit-trailer": "stated in a commit",
    "commit-revert": "reverted, with the reason",
    "commit-breaking": "breaking change",
    "commit-rule": "rule in a commit",
    "commit-fix": "cause of a fix",
    "commit-decision": "choice in a commit",
    "commit-note": "said in a commit",
}
"""What each signal is called."""

POOR_RATE = 0.3
"""The share of accepted proposals below which a signal is told."""

FEW_DECISIONS = 5
"""Decisions on a signal from which its rate says something."""


def read_line(report: CaptureReport) -> str:
    """Return what was read."""
    if not report.read and not report.skipped:
        return "Nothing new: every session was read before." if report.unchanged else "No sessions were found."
    line = f"Read {counted(report.read, 'file')}: {counted(report.sessions, 'session')} with something new"
    return f"{line}{', then stopped; the next run goes on' if report.is_cancelled else ''}."


def commits_line(commits: int, reverted: int) -> str:
    """Return how many commits were read, and how many memories were marked because their commit was reverted."""
    line = f"Read {counted(commits, 'commit')}."
    return f"{line} {counted(reverted, 'memory')} of reverted commits marked." if reverted else line


def found_line(plan: ProposalPlan, *, dry_run: bool) -> str:
    """Return what was found."""
    if not plan.new:
        return "No new lessons."
    waits = "would go into the inbox" if dry_run else "in the inbox"
    return f"{counted(len(plan.new), 'proposal')} {waits}."


def left_out_lines(report: CaptureReport) -> list[str]:
    """Return what was left out and could not be read, a line each."""
    lines = plan_lines(report.plan)
    if report.put_away:
        away = counted(report.put_away, "candidate")
        lines.append(f"{away} put away: waited too long, or their files are gone (memtui inbox expired).")
    if report.unknown_records:
        lines.append(f"{counted(report.unknown_records.total(), 'record')} of unknown types passed over.")
    if report.bad_lines:
        lines.append(f"{counted(report.bad_lines, 'line')} could not be read.")
    return lines


def plan_lines(plan: ProposalPlan) -> list[str]:
    """Return what was found and not proposed, a line each."""
    told = (
        (len(plan.again), "said again: noted with the proposal from before"),
        (plan.dismissed, "not proposed: you turned it down before"),
        (plan.known, "not proposed: a memory or a rules file says so already"),
        (plan.secret, "not proposed: it holds a secret"),
        (plan.planted, "not proposed: its words look planted, such as an order to ignore rules"),
    )
    lines = [f"{counted(number, 'lesson')} {what}." for number, what in told if number]
    if plan.switched_off:
        lines.append(f"{counted(plan.switched_off, 'session')} left alone: memories are off there.")
    return lines


def signal_name(signal: str) -> str:
    """Return what a signal is called."""
    return SIGNALS.get(signal, signal)


def is_poor(one: Acceptance) -> bool:
    """Return whether a signal is mostly wrong, by enough decisions to say so."""
    return one.rate is not None and one.accepted + one.rejected >= FEW_DECISIONS and one.rate < POOR_RATE


def rate_words(one: Acceptance) -> str:
    """Return how often a signal was right, and whether it is mostly wrong; it has been decided on."""
    words = f"{one.accepted} of {one.accepted + one.rejected} accepted ({one.rate or 0:.0%})"
    return f"{words}, mostly wrong here" if is_poor(one) else words


def what_for(offered: Offered, plan: ProposalPlan) -> str:
    """Return what shows a lesson, and which memory it corrects."""
    name, corrects = signal_name(offered.stored.signal), plan.corrected_by(offered)
    return f"{name}, corrects {corrects}" if corrects else name


def acceptance_lines(found: Sequence[Acceptance]) -> list[str]:
    """Return how often each signal was right, a line each; those that nobody decided on are left out."""
    return [f"{signal_name(one.signal)}: {rate_words(one)}" for one in found if one.rate is not None]
