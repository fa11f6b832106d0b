"""`memtui context`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser, one_of, whole_number
from memtui.cli.session import Session
from memtui.curate.projects import check_named_files, narrow_to_files
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.packing import Pack, context, pack_record
from memtui.pack.recording import record_pack
from memtui.recall.phase import check_phase
from memtui.recall.task import Task
from memtui.text.quantities import parse_day

DESCRIPTIONS = {
    "context": "Print the exact payload for a task, ready to paste: pins first, then what helps most "
    "per token, never over the budget. Without a task: the project's most useful memories."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("task", metavar="TASK", nargs="*", help="what you are about to do, in your words")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file in hand; repeatable")
    parser.add_argument("--budget", metavar="N", help="1200, 2k, `10000 chars`, `32 KiB` (default: 1200 tokens)")
    parser.add_argument("--max", metavar="N", type=whole_number, dest="most", help="most memories")
    parser.add_argument("--target", metavar="T", help="chat or json (default: chat)")
    parser.add_argument("--style", metavar="STYLE", default="full", help="full (default)")
    parser.add_argument(
        "--phase", metavar="P", help="plan, implement, debug, review, refactor, test or release (default: guessed)"
    )
    parser.add_argument("--as-of", metavar="DATE", help="what was true on that day")
    parser.add_argument("--fast", action="store_true", help="estimate tokens on the safe side, for hooks")
    parser.add_argument("--copy", action="store_true", help="also copy it to the clipboard, and record the pack")
    parser.add_argument("--record", action="store_true", help="record the pack, so that feedback can be given on it")
    parser.add_argument("--explain", action="store_true", help="on stderr: every score, and what was withheld and why")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print a payload."""
    one_of(arguments.style, ("full",), what="style")
    if arguments.most is not None and arguments.most < 0:
        raise UsageError("--max is a number from 0", where=str(arguments.most))
    task, pack, project = _build(arguments, session)
    if session.json:
        write_json(pack_record(pack))
    else:
        write(pack.payload)
    if arguments.explain:
        _explain(pack)
    if not pack.payload:
        say(f"Nothing to say: {pack.abstained or 'nothing fits the budget'}")
        return EXIT_NOTHING
    say(_size(pack))
    if arguments.copy:
        from memtui.pack.clipboard import copy

        say(copy(pack.payload).message)
    if arguments.copy or arguments.record:
        identifier = record_pack(
            session.vault,
            pack,
            task,
            actor=session.actor.name,
            project=project,
            signal="copied" if arguments.copy else "injected",
        )
        say(f"recorded as pack {identifier}; later: memtui feedback {identifier} helped")
    return EXIT_DONE


def _build(arguments: argparse.Namespace, session: Session) -> tuple[Task, Pack, str | None]:
    settings = session.config.context
    view = session.view
    files = check_named_files(session.vault, view, arguments.file, folder=session.folder)
    view = narrow_to_files(session.vault, view, files)
    task = Task(
        text=" ".join(arguments.task),
        files=tuple(files),
        phase=check_phase(arguments.phase) if arguments.phase else None,
        as_of=parse_day(arguments.as_of) if arguments.as_of else None,
    )
    pack = context(
        session.vault,
        task,
        view.payload_scope,
        project=view.project,
        target=arguments.target or settings.target,
        budget=arguments.budget if arguments.budget is not None else settings.budget,
        encoding=settings.encoding,
        max_memories=settings.max_memories if arguments.most is None else arguments.most,
        settings=session.config.recall,
        now=session.vault.now(),
        fast=arguments.fast,
        tree=view.tree,
    )
    return task, pack, view.project


def _size(pack: Pack) -> str:
    kind = "" if pack.exact else "about "
    return (
        f"{plural(len(pack.included), 'memory')}, {kind}{pack.tokens:,} tokens ({pack.encoding}), budget {pack.budget}"
    )


def _explain(pack: Pack) -> None:
    import contextlib
    import sys

    with contextlib.redirect_stdout(sys.stderr):
        write_line("\nincluded")
        write_table(
            [
                [i.memory.id, f"{i.score:.2f}", f"{i.tokens} tokens", f"{i.memory.title}: {i.reason}"]
                for i in pack.included
            ]
        )
        write_line("\nwithheld")
        write_table([[w.id, f"{w.title}: {w.reason}"] for w in pack.withheld])
        for reason, number in pack.withheld_counts.items():
            write_line(f"and {number:,} more: {reason}")
        if pack.other_projects:
            write_line(f"and {pack.other_projects:,} of other projects")
