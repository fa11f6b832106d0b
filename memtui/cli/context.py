"""`memtui context`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.curate.projects import check_named_files, narrow_to_files
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.admitting import SECRET_CHOICES
from memtui.pack.comparing import PackDiff, compare, previous_pack
from memtui.pack.packing import Pack, context, pack_record
from memtui.pack.recording import list_recipes, record_pack
from memtui.pack.standing import recipes_of
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.registry import target_named, target_names
from memtui.recall.anchors import surroundings_of
from memtui.recall.explain import explanation
from memtui.recall.phase import PHASES
from memtui.recall.task import Task
from memtui.text.quantities import parse_day
from memtui.text.sanitising import reveal
from memtui.vault.usage import Recipe

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
    add_target(parser, "what the payload is written for")
    parser.add_argument(
        "--style",
        metavar="STYLE",
        choices=STYLES,
        default="full",
        help="full (default), or compiled: the same evidence in far fewer tokens",
    )
    parser.add_argument(
        "--phase",
        metavar="P",
        choices=PHASES,
        help="plan, implement, debug, review, refactor, test or release (default: guessed)",
    )
    parser.add_argument("--as-of", metavar="DATE", help="what was true on that day")
    parser.add_argument(
        "--secrets",
        metavar="CHOICE",
        choices=SECRET_CHOICES,
        default="withhold",
        help="memories that hold what looks like a secret: withhold (default), mask or allow",
    )
    parser.add_argument("--unconfirmed", action="store_true", help="also what waits in the inbox, marked as such")
    parser.add_argument(
        "--with-loaded", action="store_true", help="also what the target reads by itself from CLAUDE.md and the like"
    )
    parser.add_argument(
        "--diff", action="store_true", help="on stderr: what changed since the pack that was used last for this task"
    )
    parser.add_argument(
        "--fast", action="store_true", help="for hooks: words, files and links alone, tokens estimated on the safe side"
    )
    parser.add_argument("--copy", action="store_true", help="also copy it to the clipboard, and record the pack")
    parser.add_argument("--record", action="store_true", help="record the pack, so that feedback can be given on it")
    parser.add_argument("--explain", action="store_true", help="on stderr: every score, and what was withheld and why")


def add_target(parser: Parser, help_text: str) -> None:
    """Add the option that names a target."""
    parser.add_argument(
        "--target",
        metavar="T",
        type=str.lower,
        choices=target_names(),
        help=f"{help_text}: {', '.join(target_names())} (default: the configuration's, else chat)",
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print a payload."""
    if arguments.most is not None and arguments.most < 0:
        raise UsageError("--max is a number from 0", where=str(arguments.most))
    task, pack, project = _build(arguments, session)
    previous = previous_pack(session.vault, task, project) if arguments.diff else None
    diff = compare(pack, previous) if previous else None
    if session.json:
        write_json(pack_record(pack) | ({"diff": _diff_record(diff)} if arguments.diff else {}))
    else:
        write(pack.payload)
    if arguments.explain:
        _explain(pack)
        for note in surroundings_of(session.view.tree, task.files).notes:
            say(f"note: {note}")
    if arguments.diff:
        _tell_diff(diff, pack)
    if not pack.payload:
        say(f"Nothing to say: {pack.abstained or 'nothing fits the budget'}")
        return EXIT_NOTHING
    if pack.abstained:
        say(f"Pinned memories alone: {pack.abstained}")
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
    if arguments.task and not arguments.fast and session.meaning is not None:
        session.meaning.preload()
    view = session.view
    files = check_named_files(session.vault, view, arguments.file, folder=session.folder)
    view = narrow_to_files(session.vault, view, files)
    task = Task(
        text=" ".join(arguments.task),
        files=tuple(files),
        phase=arguments.phase,
        as_of=parse_day(arguments.as_of) if arguments.as_of else None,
    )
    pack = context(
        session.vault,
        task,
        view.payload_scope,
        project=view.project,
        target=target_named(arguments.target or settings.target, session.config.targets),
        budget=arguments.budget if arguments.budget is not None else settings.budget,
        encoding=settings.encoding,
        max_memories=settings.max_memories if arguments.most is None else arguments.most,
        settings=session.config.recall,
        now=session.vault.now(),
        fast=arguments.fast,
        tree=view.tree,
        meaning=None if arguments.fast else session.meaning,
        style=arguments.style,
        withhold_loaded=settings.withhold_loaded and not arguments.with_loaded,
        secrets=arguments.secrets,
        secret_patterns=session.config.secrets.patterns,
        unconfirmed=arguments.unconfirmed,
        recipes=_recipes(arguments, session, view.project),
    )
    session.tell_missing_model()
    return task, pack, view.project


def _recipes(arguments: argparse.Namespace, session: Session, project: str | None) -> list[Recipe] | None:
    """Return the recipes of `recipe run` without a name: their union is the standing payload."""
    if not getattr(arguments, "standing", False):
        return None
    return recipes_of(list_recipes(session.vault), project)


def _diff_record(diff: PackDiff | None) -> dict[str, object] | None:
    if diff is None:
        return None
    return {
        "previous": diff.previous.id,
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": list(diff.changed),
    }


def _tell_diff(diff: PackDiff | None, pack: Pack) -> None:
    if diff is None:
        say("No pack of this task was used before.")
        return
    titles = {one.memory.id: one.memory.title for one in pack.included}
    same = " the same" if diff.is_empty else ""
    say(f"against pack {diff.previous.id} of {diff.previous.made_at:%Y-%m-%d}:{same}")
    for mark, identifiers in (("+", diff.added), ("-", diff.removed), ("~", diff.changed)):
        for identifier in identifiers:
            say(f"  {mark} {identifier}  {titles.get(identifier, '')}".rstrip())


def _size(pack: Pack) -> str:
    kind = "" if pack.exact else "about "
    margin = f", at most {pack.tokens_at_most:,} for {pack.target}" if pack.margin else ""
    return (
        f"{plural(len(pack.included), 'memory')}, {kind}{pack.tokens:,} tokens ({pack.encoding}){margin}, "
        f"budget {pack.budget}"
    )


def _explain(pack: Pack) -> None:
    import contextlib
    import sys

    with contextlib.redirect_stdout(sys.stderr):
        write_line("\nincluded")
        for one in pack.included:
            write_line(f"{one.memory.id}  {one.tokens} tokens  {reveal(one.memory.title)}: {reveal(one.reason)}")
            write_table([["   ", name, value, detail] for name, detail, value in explanation(one.hit)])
        write_line("\nwithheld")
        write_table([[w.id, f"{w.title}: {w.reason}"] for w in pack.withheld])
        for reason, number in pack.withheld_counts.items():
            write_line(f"and {number:,} more: {reason}")
        if pack.other_projects:
            write_line(f"and {pack.other_projects:,} of other projects")
