"""Check changes against the rules of constraints."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from memtui.assist.check import Report, lines_wanted, run_check
from memtui.assist.check_changes import Changes
from memtui.assist.check_constraints import Constraints, stored_constraints, written_constraints
from memtui.assist.check_formats import github, json_record, keep_signals, sarif, shown
from memtui.assist.check_git import GitError, Repository, whole_file
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.domain.identity import suggest_name
from memtui.errors import (
    EXIT_BUSY,
    EXIT_DONE,
    EXIT_ERROR,
    EXIT_FINDINGS,
    MemtuiError,
    UsageError,
    VaultBusyError,
    VaultMissingError,
    missing_file,
)
from memtui.text.sanitize import one_line, reveal
from memtui.vault.lease import vault_file
from memtui.wording import checks
from memtui.workspace import find_workspace

PATIENCE_SECONDS = 0.4
"""How long a check waits for the vault: a person waits for the commit."""

STRICT_PATIENCE_SECONDS = 2.0
"""How long it waits where a check that did not take place is a failure."""


def _arguments(parser: Parser) -> None:
    parser.add_value("file", "FILE", "check how these files differ from the last commit", nargs="*")
    parser.add_flag("--staged", "check what the next commit changes (the default)")
    parser.add_value("--diff", "REV", "check what changed since REV branched off, or in A..B")
    parser.add_value("--from", "PATH", "take the constraints from a portable vault or JSONL file", dest="source")
    parser.add_value("--message", "FILE", "the commit message, which may allow exceptions")
    parser.add_value(
        "--try", "ID", "print which of the last 200 commits a memory's rules would have blocked", dest="tried"
    )
    parser.add_flag("--sarif", "print SARIF 2.1.0")
    parser.add_flag("--github", "print annotations for GitHub Actions")
    parser.add_flag("--strict", "fail if nothing could be checked: exit 5 for a busy vault, else 1")


def _check(arguments: argparse.Namespace, session: Session) -> int:
    """Check changes against the rules of constraints: exit 7 where one is broken, 0 with warnings alone.

    Where nothing can be checked, one line on stderr says why and the exit code is 0, so that no commit waits for
    memtui; `--strict` fails instead. The same line says that nothing is staged or changed, which is no failure.
    """
    _refuse_odd(arguments, as_json=session.json)
    if arguments.tried is not None:
        return _try(arguments.tried, session)
    try:
        report = _report(arguments, session)
    except UsageError:
        raise
    except MemtuiError as error:
        say(f"memtui check: nothing was checked: {one_line(str(error))}")
        code = EXIT_BUSY if isinstance(error, VaultBusyError) else EXIT_ERROR
        return code if arguments.strict else EXIT_DONE
    _put(report, arguments, session)
    if not report.files and not arguments.message:
        say(f"memtui check: {checks.nothing_changed(since=arguments.diff, files=arguments.file)}")
    if not arguments.source and not arguments.diff and not arguments.file:
        keep_signals(session.vault_path, report, actor=session.actor.name)
    if report.errors:
        return EXIT_FINDINGS
    return EXIT_ERROR if arguments.strict and (report.unchecked or report.notes) else EXIT_DONE


def _try(prefix: str, session: Session) -> int:
    """Print which of the last commits the rules of a memory would have stopped."""
    from memtui.assist.check_suggest import try_rules
    from memtui.curate.views import get_view

    memory = get_view(session.vault, prefix).memory
    if not memory.rules:
        raise UsageError("The memory has no rules", where=memory.id, remedy="`memtui edit ID --rule RULE` adds one.")
    trial = try_rules(memory.rules, session.folder, session.view.root)
    if trial is None:
        raise UsageError("Not inside a repository", where=str(session.folder), remedy="Run it inside a git repository.")
    stopped = [
        {"commit": one.commit, "subject": one.subject, "rule": one.finding.rule, "file": shown(one.finding.file)}
        for one in trial.stopped
    ]
    lines = (f"{one['commit'][:9]}  {one['file']}  {one['subject']}" for one in stopped)
    session.put({"commits": trial.commits, "stopped": stopped}, map(one_line, lines))
    say(f"memtui check: would have stopped {len(stopped)} of the last {trial.commits} commits")
    return EXIT_DONE


def _refuse_odd(arguments: argparse.Namespace, *, as_json: bool) -> None:
    if sum((arguments.staged, arguments.diff is not None, bool(arguments.file))) > 1:
        raise UsageError("Choose one of --staged, --diff and files", remedy="See `memtui check --help`.")
    if sum((arguments.sarif, arguments.github, as_json)) > 1:
        raise UsageError("Choose one of --json, --sarif and --github", remedy="See `memtui check --help`.")


def _report(arguments: argparse.Namespace, session: Session) -> Report:
    constraints = _constraints(arguments, session)
    try:
        repository = Repository(session.folder, constraints.root)
    except GitError:
        if not arguments.file:
            raise
        names = [(session.path(name), name) for name in arguments.file]
        return run_check(constraints, Changes([whole_file(_existing(path), name) for path, name in names]))
    changes = _changes(arguments, session, constraints, repository)
    if arguments.message:
        changes.messages += f"\n{_message(session.path(arguments.message))}"
    return run_check(constraints, changes, repository=repository)


def _constraints(arguments: argparse.Namespace, session: Session) -> Constraints:
    if arguments.source:
        project = session.project or suggest_name(find_workspace(session.folder).suggested_name, ())
        from memtui import clock

        return written_constraints(session.path(arguments.source), clock.now(), project)
    if not vault_file(session.vault_path).exists():
        raise VaultMissingError("No vault was found", where=str(session.vault_path))
    session.wait_at_most(STRICT_PATIENCE_SECONDS if arguments.strict else PATIENCE_SECONDS)
    return stored_constraints(session.vault, session.folder, session.project)


def _changes(
    arguments: argparse.Namespace, session: Session, constraints: Constraints, repository: Repository
) -> Changes:
    wanted = lines_wanted(constraints)
    if arguments.diff is not None:
        return repository.since(arguments.diff, wanted)
    if arguments.file:
        paths = [_existing(session.path(name)) for name in arguments.file]
        return repository.files([_inside(path, repository.top) for path in paths], wanted)
    return repository.staged(wanted)


def _existing(path: Path) -> Path:
    if not path.exists() and not path.is_symlink():
        raise missing_file(path)
    return path


def _inside(path: Path, top: Path) -> str:
    real = path.parent.resolve() / path.name
    if not real.is_relative_to(top.resolve()):
        raise UsageError(
            "The file is outside this repository", where=str(path), remedy="Name files below the current repository."
        )
    return real.relative_to(top.resolve()).as_posix()


def _message(path: Path) -> str:
    """Return a commit's message without the comments that git leaves out of it."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(
            f"The message cannot be read ({error.strerror})",
            where=str(path),
            remedy="Name a readable file with the commit message.",
        ) from error
    kept = []
    for line in lines:
        if line.startswith("#") and ">8" in line:
            break
        kept += [] if line.startswith("#") else [line]
    return "\n".join(kept)


def _put(report: Report, arguments: argparse.Namespace, session: Session) -> None:
    if session.json:
        write_json(json_record(report))
    elif arguments.sarif:
        write_line(sarif(report))
    else:
        for line in github(report) if arguments.github else _lines(report):
            write_line(line)
    for memory, rule, reason in report.unchecked:
        say(f"memtui check: {checks.unchecked(memory, rule, reason)}")
    for note in report.notes:
        say(f"memtui check: {note}")
    severities = [one.severity for one in report.findings]
    numbers = {name: severities.count(name) for name in ("error", "warning", "reminder")}
    if report.findings or report.allowed:
        say(f"memtui check: {checks.summary({**numbers, 'exception': len(report.allowed)}, report.files)}")


def _lines(report: Report) -> Iterator[str]:
    for one in report.findings:
        yield from checks.finding_lines(
            severity=one.severity,
            file=_on_a_line(shown(one.file)),
            line=one.line,
            memory=one.memory,
            rule=one.rule,
            why=one.why,
            text=one.text,
            allow=one.allow,
        )


def _on_a_line(path: str) -> str:
    """Return a path for a terminal: its blanks stay, its line ends and other control characters are written out."""
    return reveal(path).replace("\n", "‹U+000A›")


COMMANDS: Commands = {"check": (_arguments, _check)}
