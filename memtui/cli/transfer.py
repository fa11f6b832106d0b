"""`memtui import` and `memtui export`."""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from memtui.cli import parsing
from memtui.cli.output import progress, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.cli.stores import add_store_arguments, list_stores, read_stores
from memtui.embedding.engine import begin_opening, open_engine
from memtui.errors import EXIT_CONFLICT, EXIT_DONE, EXIT_NOTHING, MemtuiError, UsageError
from memtui.text.words import counted
from memtui.wording import imports, outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtui.capture.apply import ImportReport
    from memtui.capture.import_plan import ImportPlan, Planned
    from memtui.capture.importer import ImportRequest, SourcesRead, Vanished
    from memtui.progress import ProgressCallback
    from memtui.publish.files import Snapshot
    from memtui.publish.portable import WriteReport

SKIPS_SHOWN = 12


def _import_arguments(parser: Parser) -> None:
    parser.add_value("path", "PATH", "files and folders (default: the project around this folder)", nargs="*")
    parser.add_flag("--conflicts", "list memories edited both here and in their source; import nothing")
    parser.add_value("--format", "FORMAT", "read as this format (default: auto)", default="auto")
    parser.add_value("--exclude", "PATTERN", "leave out of folders, in .gitignore syntax; repeatable", action="append")
    parser.add_flag("--dry-run", "print what would happen; change nothing")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--inbox", action="store_true", help="into the inbox (default)")
    where.add_argument("--active", action="store_true", help="straight into use")
    parser.add_flag("--include-deleted", "also memories that you rejected or retired before")
    parser.add_flag("--replace", "records with a known id replace the stored ones")
    parsing.add_allow_secret(parser, "text")
    add_store_arguments(parser)


def _import(arguments: argparse.Namespace, session: Session) -> int:
    """Import memory and rule files.

    A folder is searched for what assistants load (CLAUDE.md, AGENTS.md, rules of Cursor, Copilot and others, skills,
    auto memory), for ADRs and lessons, memtui's own JSONL and portable vaults. A .memtuiignore in the project's root
    leaves out more. Candidates wait in the inbox unless --active accepts them. --from reads the store of another
    memory tool without touching it; importing it again takes what is new or changed there.
    """
    from memtui.capture.importer import plan_import, read_sources, run_import, vanished_sources

    if arguments.conflicts:
        from memtui.cli.inbox_care import list_conflicts

        if arguments.path:
            raise UsageError(
                "--conflicts imports nothing; leave out the path",
                where="--conflicts",
                remedy="`memtui import --conflicts` lists all source conflicts.",
            )
        list_conflicts(arguments, session)
        return EXIT_DONE
    if arguments.list_stores:
        list_stores(arguments, session)
        return EXIT_DONE
    request = _request(arguments, session)
    read = read_stores(arguments, session) if arguments.tool else read_sources(request, progress=progress("reading"))
    if not session.json and read.stores is None:
        for line in imports.told_sources(read):
            say(line)
        if _is_of_project(request):
            _say_home(request, read)
    if arguments.dry_run:
        plan = plan_import(session.vault, read, request)
        _say_links(plan, session)
        record = _counts(plan, _unknown_kinds(plan, session), read)
        _print_plan(plan, record, session, vanished_sources(session.vault, request))
        return EXIT_DONE
    session.back_up_daily()
    plan, report = run_import(session.vault, read, request, actor=session.actor, progress=_written(session))
    _say_links(plan, session)
    record = _counts(plan, _unknown_kinds(plan, session), read)
    vanished = vanished_sources(session.vault, request)
    _print_report(plan, report, record, session, vanished, active=arguments.active)
    if report.added or report.updated:
        _make_vectors(session)
    return _exit_code(plan, read)


def _say_links(plan: ImportPlan, session: Session) -> None:
    if not session.json:
        for line in imports.told_links(plan):
            say(line)


def _written(session: Session) -> ProgressCallback:
    """Return what shows the progress of writing, and begins to open the model for the vectors that follow."""
    show = progress("writing")
    begin = cache(partial(begin_opening, lambda: session.config.embedding.model))

    def written(done: int, total: int) -> None:
        if session.meaning is not None:
            begin()
        if show is not None:
            show(done, total)

    return written


MOST_EMBEDDED = 300  # Vectors that an import makes before it ends, in three seconds: then its first answer is as good
MOST_LEFT_OVER = 0.5  # Share of these up to which it makes the rest as well, so that few imports leave any


def _make_vectors(session: Session) -> None:
    """Make the first missing vectors, and say how many are left; Ctrl+C ends that alone."""
    if session.meaning is None:
        return
    from memtui.recall.embedding_cache import embed_missing, semantic_state

    model = session.config.embedding.model
    state = semantic_state(session.vault, model)
    if not state.model.usable or not state.missing:
        return
    limit = None if state.missing <= (1 + MOST_LEFT_OVER) * MOST_EMBEDDED else MOST_EMBEDDED
    with suppress(KeyboardInterrupt, MemtuiError):
        engine = open_engine(model)
        if engine is not None:
            embed_missing(session.vault, engine, limit=limit, progress=progress("embedding"))
    left = semantic_state(session.vault, model).missing
    if left:
        say(f"{counted(left, 'memory')} without a vector yet, found by words only; `memtui reindex` adds the vectors.")


def _exit_code(plan: ImportPlan, read: SourcesRead) -> int:
    """Return what an import ends with: a conflict, nothing found, or done."""
    from memtui.capture.left_out import LeftOut
    from memtui.capture.merge_conflicts import Unresolved

    undecided = not read.files and any(lines.reason is Unresolved.CONFLICT_IN_SETTINGS for lines in read.skipped)
    if plan.count("conflict", "clash") or undecided or any(lines.is_conflict for lines in plan.skipped):
        return EXIT_CONFLICT
    if read.files or read.stores:
        return EXIT_DONE
    is_left_out = any(one.reason != LeftOut.UNSEARCHED for one in read.skipped)
    found = "Everything found there was left out" if is_left_out else "No memory files were found there"
    say(f"{found}. `memtui import FILE` takes any Markdown file.")
    return EXIT_NOTHING


def _say_home(request: ImportRequest, read: SourcesRead) -> None:
    """Say what else the app would offer: sources of the home folder, which hold for every project."""
    from memtui.capture.places import home_sources, places_of

    known = {file.file.path for file in read.files}
    sources = [source for source in home_sources(request.home).sources if source.file.path not in known]
    if sources:
        places = places_of(sources, "home", request.home, request.home)
        # All of them: the command is to be pasted. A shell knows no `~` between quotes.
        named = " ".join(f"~/{quote(place.name.removeprefix('~/'))}" for place in places)
        say(f"Your home folder holds more, for every project: memtui import {named}")


def _is_of_project(request: ImportRequest) -> bool:
    """Return whether an import is that of a whole project, named or not."""
    from memtui.workspace import find_workspace

    root = find_workspace(request.folder).root
    return not request.paths or any((request.folder / path).resolve() == root for path in request.paths)


def _request(arguments: argparse.Namespace, session: Session) -> ImportRequest:
    """Return what to import. Raises `UsageError`: a path is empty."""
    from memtui.capture.import_plan import ImportOptions
    from memtui.capture.importer import ImportRequest

    if not all(map(str.strip, arguments.path)):
        # An empty variable of a script would mean the whole folder.
        raise UsageError("A path is empty", where="PATH", remedy="Name files or folders; `.` is the current folder.")
    return ImportRequest(
        paths=[Path(path) for path in arguments.path],
        folder=session.folder,
        home=Path.home(),
        project=session.project,
        format=arguments.format,
        exclude=tuple(arguments.exclude or ()),
        options=ImportOptions(
            active=arguments.active,
            include_deleted=arguments.include_deleted,
            allow_secret=arguments.allow_secret,
            replace=arguments.replace,
            secret_patterns=session.secret_patterns,
        ),
    )


def _unknown_kinds(plan: ImportPlan, session: Session) -> list[str]:
    """Return the kinds of incoming memories that the configuration does not know, and say so on stderr."""
    from memtui.curate.fields import unknown_kind_words, unknown_kinds

    kinds = session.vault.kinds
    found = unknown_kinds(kinds, (item.draft.kind for item in plan.items if item.action != "skip"))
    for kind in found:
        say(unknown_kind_words(kind, kinds))
    return found


def _counts(plan: ImportPlan, unknown: Sequence[str], read: SourcesRead) -> dict[str, Any]:
    from memtui.capture.apply import moved_alone, skipped_rows

    return {
        "added": plan.count("add", "restore"),
        "updated": plan.count("update", "replace"),
        "unchanged": plan.count("unchanged"),
        "moved": moved_alone(plan),
        "conflicts": plan.count("conflict", "clash"),
        "conflict_details": [
            {
                "id": _id(item),
                **_place(item),
                "title": item.draft.title,
                "reason": item.reason,
                "reason_code": item.reason_code,
            }
            for item in plan.items
            if item.action in {"conflict", "clash"}
        ],
        "skipped": skipped_rows(plan),
        "unknown_kinds": list(unknown),
        "sources": imports.sources_read(read),
        "left_out": dict(read.stores.left_out)
        if read.stores
        else {reason: len(paths) for reason, paths in imports.files_left_out(plan.skipped).items()},
        "lines": dict(imports.lines_left_out(plan.skipped).most_common()),
    }


def _id(item: Planned) -> str | None:
    return item.memory.id if item.memory else None


def _place(item: Planned) -> dict[str, object]:
    source = item.draft.source
    return {"path": source.path, "line": source.span[0] if source.span else None}


def _print_plan(plan: ImportPlan, record: dict[str, Any], session: Session, vanished: Sequence[Vanished]) -> None:
    if session.json:
        items = [
            {
                "action": item.action,
                "project": item.project,
                "kind": item.kind,
                "title": _title(item),
                **_place(item),
                "id": _id(item),
                "reason": item.reason,
                "reason_code": item.reason_code,
                "notes": list(item.draft.notes),
            }
            for item in plan.items
        ]
        write_json({**record, "ids": [], "items": items, "gone": _gone(vanished)})
        return
    write_table(_plan_row(item) for item in plan.items if item.action != "unchanged")
    _say_copies(plan)
    _say_left_out(plan)
    at_new_paths = {memory.id for memory in plan.moved}
    _say_missing(plan, [one for one in vanished if not at_new_paths.issuperset(one.ids)])
    moved = f" ({record['moved']:,} moved with their source)" if record["moved"] else ""
    say(
        f"Dry run: {record['added']} to add, {record['updated']} to update, {record['unchanged']} unchanged{moved}, "
        f"{record['conflicts']} in conflict. Nothing was changed."
    )


def _title(item: Planned) -> str:
    """Return the title of a draft; one that looks like a secret is not shown anywhere."""
    return "(not shown)" if item.holds_secret else item.draft.title


def _plan_row(item: Planned) -> list[str]:
    notes = "; ".join(filter(None, (item.reason, *map(imports.note_words, item.draft.notes))))
    note = f"  [{notes}]" if notes else ""
    return [item.action, item.kind, item.project or "unassigned", _at(item), _title(item) + note]


def _at(item: Planned) -> str:
    source = item.draft.source
    return f"{source.path}:{source.span[0]}" if source.path and source.span else source.path or ""


def _gone(vanished: Sequence[Vanished]) -> list[dict[str, object]]:
    return [{"path": one.path, "ids": list(one.ids)} for one in vanished]


def _print_report(
    plan: ImportPlan,
    report: ImportReport,
    record: dict[str, Any],
    session: Session,
    vanished: Sequence[Vanished],
    *,
    active: bool,
) -> None:
    if session.json:
        flagged = [{"id": identifier, "notes": list(notes)} for identifier, notes in report.flagged]
        write_json({**record, "ids": report.ids, "flagged": flagged, "gone": _gone(vanished)})
        return
    for identifier in report.ids:
        write_line(identifier)
    _say_left_out(plan)
    for identifier, notes in report.flagged:
        say(f"Check {identifier}: {'; '.join(map(imports.note_words, notes))}")
    _say_copies(plan)
    _say_conflicts(plan, report)
    if plan.moved:
        say(f"Moved or renamed: the source of {counted(len(plan.moved), 'memory')}")
    for problem in report.bad_records:
        say(f"Record skipped: {problem}")
    _say_missing(plan, vanished)
    _say_outcome(plan, report, active=active)


def _say_outcome(plan: ImportPlan, report: ImportReport, *, active: bool) -> None:
    """Say what came in, and what to do with it next."""
    said = imports.imported(report)
    if any(item.action == "add" and item.project is None for item in plan.items):
        said += ". Without a project they are left out of payloads (--project NAME, or `memtui project link`)"
    elif report.added or report.updated or report.moved:
        said += f". {UNDO_HINT}"
    say(said)
    if anew := imports.in_use_anew(report):
        say(f"{anew}: `memtui review --list` shows what is due.")
    if any(memory.status == "active" for memory in report.dropped):
        say(
            "Memories that their source no longer states are due: `memtui review --list` shows them,"
            " `memtui retire ID` retires one."
        )
    # What has a record says itself whether it is in use.
    waiting = sum(item.action == "add" and item.draft.record is None for item in plan.items) - plan.superseded
    if plan.superseded:
        say(f"{imports.superseded_at_source(plan.superseded)}; not in use, not in the inbox")
    if waiting and not active:
        say(outcomes.waiting_in_inbox(waiting))


def _say_copies(plan: ImportPlan) -> None:
    joined = sum(item.copies for item in plan.items if item.action in {"add", "update", "restore"})
    if joined:
        say(f"{counted(joined, 'more place')} say{'s' if joined == 1 else ''} the same as another: one memory each")


def _say_conflicts(plan: ImportPlan, report: ImportReport) -> None:
    for item in report.conflicts:
        say(f"Conflict: {_id(item) or item.draft.record_id} {_at(item)}: {item.draft.title}: {item.reason}")
    if report.conflicts:
        say("`memtui inbox conflicts` shows both texts; `inbox keep ID` or `inbox take ID` resolves one.")
    if plan.count("clash"):
        say("`memtui import FILE --replace` takes the file's records instead of those in the vault.")


def _say_missing(plan: ImportPlan, vanished: Sequence[Vanished]) -> None:
    for memory in plan.missing:
        say(f"No longer in its source; kept: {memory.id} {memory.title}")
    if any(memory.status == "candidate" for memory in plan.missing):
        say("`memtui inbox expire` clears those that still wait in the inbox.")
    for one in vanished:
        say(str(one))


def _say_left_out(plan: ImportPlan) -> None:
    skipped = [item for item in plan.items if item.action == "skip"]
    for item in skipped[:SKIPS_SHOWN]:
        place = _place(item)
        where = f"{place['path']}:{place['line']}" if place["line"] else place["path"]
        say(f"skipped {where}: {item.reason}")
    if rest := Counter(item.reason for item in skipped[SKIPS_SHOWN:]):
        reasons = ", ".join(f"{number}× {reason}" for reason, number in rest.most_common(5))
        say(f"… and {rest.total()} more: {reasons}")
    told = (imports.told_lines, imports.told_besides, imports.told_files)
    for line in chain.from_iterable(say_of(plan.skipped) for say_of in told):
        say(line)
    if how := imports.how_to_read_unloaded(plan.skipped):
        say(how)


def _export_arguments(parser: Parser) -> None:
    from memtui.cli.publish import add_publish_arguments
    from memtui.publish.destinations import place_names
    from memtui.publish.portable import TARGETS

    names = (*TARGETS, *place_names())
    parser.add_value("--target", "TARGET", ", ".join(names), choices=names)
    parser.add_value(
        "--out", "PATH", "a folder for vault and okf; a file for jsonl (default: standard output) and assistants"
    )
    parser.add_flag("--prune", "remove memory files of the folder that are not part of this export")
    parser.add_flag("--allow-secret", "also memories that may contain secrets")
    parser.add_flag("--dry-run", "print what would be written; write nothing")
    add_publish_arguments(parser)


def _export(arguments: argparse.Namespace, session: Session) -> int:
    """Export memories: all of them to files of memtui's own, or what assistants should always know to their files.

    `vault` (a folder made for git diff) and `jsonl` hold every memory, of any status; importing it, here or elsewhere,
    reproduces it exactly; `okf` is a bundle in the Open Knowledge Format. --project exports one project. The other
    targets hold the standing payload, in a block that memtui alone writes: nothing else of the file is touched, and
    undo takes it out again.
    """
    from memtui.publish.portable import TARGETS

    if arguments.target not in TARGETS:
        from memtui.cli.publish import run_publish

        return run_publish(arguments, session)
    _export_all(arguments, session)
    return EXIT_DONE


def _export_all(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.publish.portable import refuse_edited, refuse_secrets, take_snapshot, write_vault
    from memtui.vault.filters import EVERYTHING, Scope

    snapshot = take_snapshot(session.vault, EVERYTHING if session.project is None else Scope((session.project,)))
    if not arguments.allow_secret:
        refuse_secrets(snapshot, session.secret_patterns)
    if arguments.target == "jsonl":
        _export_jsonl(arguments, snapshot, session)
        return
    if arguments.out is None:
        raise UsageError("No folder to export to", where="--out", remedy="Name a folder: --out memories/.")
    folder = Path(arguments.out).expanduser()
    if arguments.target == "okf":
        report = _write_bundle(folder, arguments, snapshot, session)
    else:
        if not arguments.force:
            refuse_edited(session.vault, folder, snapshot)
        report = write_vault(folder, snapshot, prune=arguments.prune, dry_run=arguments.dry_run)
    session.put({"written": list(report.written), "unchanged": len(report.unchanged), "removed": list(report.removed)})
    would = "would be " if arguments.dry_run else ""
    say(
        f"{counted(len(snapshot.memories), 'memory')}: {counted(len(report.written), 'file')} {would}written, "
        f"{len(report.unchanged)} unchanged, {len(report.removed)} {would}removed in {arguments.out}"
    )


def _write_bundle(folder: Path, arguments: argparse.Namespace, snapshot: Snapshot, session: Session) -> WriteReport:
    from memtui.publish.okf import plan_bundle, write_bundle
    from memtui.vault.journal import log
    from memtui.vault.passed_files import foreign_keys

    with session.vault.read() as reader:
        unknown = foreign_keys(reader, [memory.id for memory in snapshot.memories], "okf")
        held = {memory.id for memory in snapshot.memories}
        changes = [change for change in log(reader) if not held.isdisjoint(change.memory_ids)]
    plan = plan_bundle(snapshot, changes, unknown)
    return write_bundle(folder, plan, gone=snapshot.gone, prune=arguments.prune, dry_run=arguments.dry_run)


def _export_jsonl(arguments: argparse.Namespace, snapshot: Snapshot, session: Session) -> None:
    from memtui.publish.files import jsonl_text
    from memtui.publish.portable import export_jsonl

    text = jsonl_text(snapshot)
    to_stdout = arguments.out in {None, "-"}
    if not arguments.dry_run:
        if to_stdout:
            write(text)
        else:
            export_jsonl(snapshot, Path(arguments.out).expanduser())
    if not to_stdout:
        session.put({"memories": len(snapshot.memories), "bytes": len(text.encode())})
    say(f"{counted(len(snapshot.memories), 'memory')}, {len(text.encode()):,} bytes")


COMMANDS: Commands = {"import": (_import_arguments, _import), "export": (_export_arguments, _export)}
