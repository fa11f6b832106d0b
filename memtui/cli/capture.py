"""`memtui capture`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.output import progress, say, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.errors import UsageError
from memtui.text.words import parse_duration
from memtui.wording import imports as wording

if TYPE_CHECKING:
    from memtui.capture.proposals.plan import Offered, ProposalPlan
    from memtui.capture.proposals.run import CaptureReport, CaptureRequest

SHOWN_OF_A_SESSION = 5
"""Proposals of one session that are printed; the rest are counted."""

_MEGABYTE = 1_000_000


def _capture_arguments(parser: Parser) -> None:
    parser.add_value("--since", "AGE", "only what was said in the last 7d, 2w, 36h …")
    parser.add_value("--assistant", "NAME", "only sessions of this assistant")
    parser.add_flag("--git", "read the commits of this repository instead")
    parser.add_flag("--dry-run", "print what would be proposed; change nothing")


def _capture(arguments: argparse.Namespace, session: Session) -> None:
    """Propose lessons from the sessions of assistants.

    Reads what is new in the transcripts of Claude Code, Codex, Gemini CLI, OpenCode, Cursor, Copilot CLI, Cline, Roo,
    Kilo and Aider, finds what you corrected, refused, decided or asked to remember, and puts it into the inbox with
    your words and where they stand. Nothing else of a transcript is kept. The next run reads what is new since;
    Ctrl+C stops, and keeps what was found by then. --project takes the sessions of one project alone.

    --git reads commits instead: what their messages say of why, their trailers (Decision:, Lesson: …) and notes.
    """
    if arguments.git:
        _capture_commits(arguments, session)
        return
    from memtui.assist.spool import capture_noted
    from memtui.capture.proposals.report import capture_record

    request = _request(arguments, session)
    if not arguments.dry_run:
        session.back_up_daily()
    report = capture_noted(
        session.vault, request, actor=session.actor, dry_run=arguments.dry_run, progress=_in_megabytes("reading, MB")
    )
    if session.json:
        session.put(capture_record(report, dry_run=arguments.dry_run))
        return
    _print(report, dry_run=arguments.dry_run)


def _capture_commits(arguments: argparse.Namespace, session: Session) -> None:
    """Propose what the commits of this repository teach."""
    from memtui.capture.commits.capture import CommitRequest, capture_commits
    from memtui.capture.proposals.report import proposal_record

    if arguments.assistant is not None:
        raise UsageError("--git reads no sessions", where="--assistant", remedy="Leave one of them out.")
    request = CommitRequest(
        folder=session.folder,
        home=Path.home(),
        project=session.project,
        since=_since(arguments, session),
        secret_patterns=session.secret_patterns,
    )
    dry_run = arguments.dry_run
    if not dry_run:
        session.back_up_daily()
    report = capture_commits(session.vault, request, actor=session.actor, dry_run=dry_run)
    if session.json:
        found = [proposal_record(one, dry_run=dry_run) for one in report.plan.new]
        read = {"sessions": 0, "read": report.commits, "unknown_records": {}}
        session.put({**read, "proposals": found, "reverted": report.reverted})
        return
    say(wording.commits_line(report.commits, len(report.reverted)))
    for one in report.plan.new:
        name = "" if dry_run else f"{one.memory.id}  "
        write_line(f"{name}{one.stored.session[:9]}  {one.memory.title}  ({wording.signal_name(one.stored.signal)})")
    for line in wording.plan_lines(report.plan):
        say(line)
    _say_found(report.plan, dry_run=dry_run)


def _since(arguments: argparse.Namespace, session: Session) -> datetime | None:
    if arguments.since is None:
        return None
    return session.vault.now() - timedelta(days=parse_duration(arguments.since))


def _request(arguments: argparse.Namespace, session: Session) -> CaptureRequest:
    """Return what to read. Raises `UsageError`: the age or the assistant is none."""
    from memtui.capture.proposals.run import CaptureRequest, assistant_named
    from memtui.capture.transcripts.discover import ASSISTANTS

    return CaptureRequest(
        home=Path.home(),
        folder=session.folder,
        project=session.project,
        assistants=ASSISTANTS if arguments.assistant is None else (assistant_named(arguments.assistant),),
        since=_since(arguments, session),
        secret_patterns=session.secret_patterns,
        keep_days=session.config.inbox.days,
    )


def _in_megabytes(what: str) -> Callable[[int, int], None] | None:
    show = progress(what)
    if show is None:
        return None
    return lambda done, total: show(-(-done // _MEGABYTE), -(-total // _MEGABYTE))


def _print(report: CaptureReport, *, dry_run: bool) -> None:
    say(wording.read_line(report))
    sessions: dict[tuple[str, str], list[Offered]] = {}
    for offered in report.plan.new:
        sessions.setdefault((offered.stored.assistant, offered.stored.session), []).append(offered)
    for (assistant, _), found in sessions.items():
        best = sorted(found, key=lambda one: -one.stored.score)
        first = best[0]
        write_line(f"{first.memory.project or 'unassigned'} · {assistant} · {first.stored.task}")
        for one in best[:SHOWN_OF_A_SESSION]:
            name = f"{one.memory.id}  " if not dry_run else ""
            write_line(f"  {name}{one.memory.title}  ({wording.what_for(one, report.plan)})")
        if len(best) > SHOWN_OF_A_SESSION:
            write_line(f"  … and {len(best) - SHOWN_OF_A_SESSION} more")
    for line in wording.left_out_lines(report):
        say(line)
    for skipped in report.skipped:
        say(f"{skipped.path} skipped: {skipped.reason}")
    _say_found(report.plan, dry_run=dry_run)


def _say_found(plan: ProposalPlan, *, dry_run: bool) -> None:
    """Say what was found, and what to do with it."""
    say(wording.found_line(plan, dry_run=dry_run))
    if plan.new and not dry_run:
        say(f"`memtui inbox accept ID` keeps one; `memtui inbox reject ID` drops one for good. {UNDO_HINT}")


COMMANDS: Commands = {"capture": (_capture_arguments, _capture)}
