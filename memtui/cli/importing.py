"""`memtui import`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from memtui.capture.apply import ImportReport, skipped_rows
from memtui.capture.importer import ImportRequest, SourcesRead, plan_import, read_sources, run_import
from memtui.capture.missing_sources import Vanished, vanished_sources
from memtui.capture.plan import ImportOptions, ImportPlan, Planned
from memtui.capture.prose import STRUCTURE
from memtui.cli.inbox import list_conflicts
from memtui.cli.output import plural, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.fields import unknown_kind_words, unknown_kinds
from memtui.errors import EXIT_CONFLICT, EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.progress import ProgressCallback

DESCRIPTIONS = {
    "import": "Import memory and rule files: CLAUDE.md, AGENTS.md, Cursor and Copilot rules, auto memory, ADRs, "
    "lessons, memtui's own JSONL and portable vault. Candidates wait in the inbox unless --active accepts them."
}

SHOWN_SKIPS = 12


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "path", metavar="PATH", nargs="*", help="files and folders; a folder is searched for every format"
    )
    parser.add_argument(
        "--conflicts", action="store_true", help="list what was edited both in its source and here, import nothing"
    )
    parser.add_argument("--format", metavar="FORMAT", default="auto", help="one reader's format (default: auto)")
    parser.add_argument("--dry-run", action="store_true", help="print what would happen, change nothing")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--inbox", action="store_true", help="into the inbox (default)")
    where.add_argument("--active", action="store_true", help="accept at once")
    parser.add_argument("--include-deleted", action="store_true", help="also what was deleted here before")
    parser.add_argument("--replace", action="store_true", help="records with a known id replace what the vault holds")
    parser.add_argument("--allow-secret", action="store_true", help="also texts that look like secrets")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Import, or say what an import would do."""
    if arguments.conflicts:
        if arguments.path:
            raise UsageError("--conflicts imports nothing, so it takes no path", where="--conflicts")
        return list_conflicts(session)
    if not all(map(str.strip, arguments.path)):
        # An empty variable of a script would mean the whole folder.
        raise UsageError("A path is empty", where="PATH", remedy="Name files or folders; `.` is the folder you are in.")
    if not arguments.path:
        raise UsageError("What is to be imported?", where="PATH", remedy="Name files or folders: memtui import .")
    request = ImportRequest(
        paths=[Path(path) for path in arguments.path],
        folder=session.folder,
        home=Path.home(),
        project=session.project,
        format=arguments.format,
        options=ImportOptions(
            active=arguments.active,
            include_deleted=arguments.include_deleted,
            allow_secret=arguments.allow_secret,
            replace=arguments.replace,
            secret_patterns=session.config.secrets.patterns,
        ),
    )
    read = read_sources(request, progress=_progress("reading"))
    if not session.json:
        _tell_sources(read)
    if arguments.dry_run:
        plan = plan_import(session.vault, read, request)
        _tell_unknown(plan, session)
        return _show_plan(plan, session, vanished_sources(session.vault, request))
    session.back_up_daily()
    plan, report = run_import(session.vault, read, request, actor=session.actor, progress=_progress("writing"))
    _tell_unknown(plan, session)
    if report is None:
        return _show_clashes(plan, session)
    return _show_report(plan, report, read, session, vanished_sources(session.vault, request))


def _progress(what: str) -> ProgressCallback | None:
    """Return a callback that shows progress on a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\n" if done >= total else ""
        print(f"\r{what} {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def _unknown(plan: ImportPlan, session: Session) -> list[str]:
    """Return the kinds of what would come in that the configuration does not know."""
    return unknown_kinds(session.vault.kinds, (item.draft.kind for item in plan.items if item.action != "skip"))


def _tell_unknown(plan: ImportPlan, session: Session) -> None:
    for kind in _unknown(plan, session):
        say(unknown_kind_words(kind, session.vault.kinds))


def _tell_sources(read: SourcesRead) -> None:
    counts = Counter(file.reader.label for file in read.files)
    for label, number in counts.items():
        drafts = sum(len(file.result.drafts) for file in read.files if file.reader.label == label)
        say(f"{label}: {plural(number, 'file')}, {plural(drafts, 'memory')}")


def _counts(plan: ImportPlan, session: Session) -> dict[str, object]:
    return {
        "added": plan.count("add", "restore"),
        "updated": plan.count("update", "replace"),
        "unchanged": plan.count("unchanged"),
        "conflicts": plan.count("conflict", "clash"),
        "conflict_details": [_conflict(item) for item in plan.items if item.action in {"conflict", "clash"}],
        "skipped": skipped_rows(plan),
        "unknown_kinds": _unknown(plan, session),
    }


def _conflict(item: Planned) -> dict[str, object]:
    return {
        "id": item.memory.id if item.memory else None,
        "path": item.draft.source.path,
        "line": item.draft.source.span[0] if item.draft.source.span else None,
        "title": item.draft.title,
        "reason": item.reason,
    }


def _show_plan(plan: ImportPlan, session: Session, vanished: list[Vanished]) -> int:
    if session.json:
        items = [
            {
                "action": item.action,
                "project": item.project,
                "kind": item.draft.kind,
                "title": _title(item),
                "path": item.draft.source.path,
                "line": item.draft.source.span[0] if item.draft.source.span else None,
                "id": item.memory.id if item.memory else None,
                "reason": item.reason,
                "notes": list(item.draft.notes),
            }
            for item in plan.items
        ]
        write_json({**_counts(plan, session), "ids": [], "items": items, "gone": _gone(vanished)})
        return EXIT_DONE
    write_table([_plan_row(item) for item in plan.items if item.action != "unchanged"])
    _tell_skips(skipped_rows(plan))
    for memory in plan.missing:
        say(f"no longer in its source, kept: {memory.id} {memory.title}")
    moved = {memory.id for memory in plan.moved}
    for one in vanished:
        if not moved.issuperset(one.ids):
            say(str(one))
    say(
        f"dry run: {plan.count('add', 'restore')} to add, {plan.count('update', 'replace')} to update, "
        f"{plan.count('unchanged')} unchanged, {plan.count('conflict', 'clash')} in conflict; nothing was changed"
    )
    return EXIT_DONE


def _title(item: Planned) -> str:
    """Return the title of a draft; one that looks like a secret is not shown anywhere."""
    return "(not shown)" if item.holds_secret else item.draft.title


def _plan_row(item: Planned) -> list[str]:
    source = item.draft.source
    place = f"{source.path}:{source.span[0]}" if source.path and source.span else source.path or ""
    note = f"  [{'; '.join(filter(None, (item.reason, *item.draft.notes)))}]" if item.reason or item.draft.notes else ""
    return [item.action, item.draft.kind, item.project or "unassigned", place, _title(item) + note]


def _show_clashes(plan: ImportPlan, session: Session) -> int:
    if session.json:
        write_json({**_counts(plan, session), "added": 0, "updated": 0, "ids": []})
    for item in plan.items:
        if item.action == "clash":
            say(f"{item.memory.id if item.memory else '?'}: {item.reason}: {item.draft.title}")
    say("memtui: nothing was written. --replace takes the incoming records; --dry-run shows all that would happen.")
    return EXIT_CONFLICT


def _gone(vanished: list[Vanished]) -> list[dict[str, object]]:
    return [{"path": one.path, "ids": list(one.ids)} for one in vanished]


def _show_report(
    plan: ImportPlan, report: ImportReport, read: SourcesRead, session: Session, vanished: list[Vanished]
) -> int:
    if session.json:
        write_json(
            {
                **_counts(plan, session),
                "ids": report.ids,
                "flagged": [{"id": i, "notes": list(n)} for i, n in report.flagged],
                "gone": _gone(vanished),
            }
        )
        return EXIT_DONE
    for identifier in report.ids:
        write_line(identifier)
    _tell_report(plan, report, vanished)
    say(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
        f"{len(report.conflicts)} in conflict, {len(report.skipped)} skipped"
        + ("" if session.actor.is_person and plan.count("add") == 0 else _what_next(report, plan))
    )
    if not read.files:
        say("No source of memories was found there. `memtui import FILE` takes any Markdown file.")
        return EXIT_NOTHING
    return EXIT_DONE


def _tell_report(plan: ImportPlan, report: ImportReport, vanished: list[Vanished]) -> None:
    """Say what a person should look at."""
    _tell_skips(report.skipped)
    for identifier, notes in report.flagged:
        say(f"look closely at {identifier}: {', '.join(notes)}")
    for item in report.conflicts:
        say(f"conflict: {item.memory.id if item.memory else ''} {item.draft.title}: {item.reason}")
    if report.conflicts:
        say("`memtui inbox conflicts` shows both texts; `inbox keep ID` or `inbox take ID` settles one")
    if plan.moved:
        say(f"moved or renamed: the source of {plural(len(plan.moved), 'memory')}")
    for problem in report.bad_records:
        say(f"record left out: {problem}")
    for memory in plan.missing:
        say(f"no longer in its source, kept: {memory.id} {memory.title}")
    for one in vanished:
        say(str(one))


def _what_next(report: ImportReport, plan: ImportPlan) -> str:
    if any(item.action == "add" and item.project is None for item in plan.items):
        return "; without a project they reach no payload (--project NAME, or `memtui project link`)"
    return "; `memtui undo` takes the import back" if report.added else ""


def _tell_skips(rows: list[dict[str, object]]) -> None:
    counts = Counter(str(row["reason"]) for row in rows)
    telling = [row for row in rows if row["reason"] not in STRUCTURE]
    for row in telling[:SHOWN_SKIPS]:
        say(f"skipped {row['path']}:{row['line'] or ''} {row['reason']}")
    if len(telling) > SHOWN_SKIPS:
        rest = Counter(str(row["reason"]) for row in telling[SHOWN_SKIPS:])
        named = ", ".join(f"{number}× {reason}" for reason, number in rest.most_common(5))
        say(f"… and {len(telling) - SHOWN_SKIPS} more: {named}")
    structure = sum(counts.values()) - len(telling)
    if structure:
        say(f"{plural(structure, 'line')} of headings, comments and rules made no memory of their own")
