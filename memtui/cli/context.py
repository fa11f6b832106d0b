"""`memtui context`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.cli.output import plural, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.curate.projects import check_named_files, narrow_to_files
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.admitting import SECRET_CHOICES
from memtui.pack.options import PackOptions
from memtui.pack.packing import Pack, context, pack_record
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.registry import target_named, target_names
from memtui.recall.anchors import surroundings_of
from memtui.recall.explain import explanation
from memtui.recall.phase import PHASES
from memtui.recall.task import Task
from memtui.text.quantities import parse_day
from memtui.text.sanitising import reveal

if TYPE_CHECKING:
    from memtui.pack.comparing import PackDiff
    from memtui.vault.usage import Recipe
    from memtui.vault.vault import Vault

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
        help="full, or compiled: the same evidence in far fewer tokens (default: the configuration's, else full)",
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
        help="memories that hold what looks like a secret: withhold, mask or allow (default: the configuration's, "
        "else withhold)",
    )
    add_ticks(parser)
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


def add_ticks(parser: Parser) -> None:
    """Add the options that put memories in and leave memories out by hand."""
    parser.add_argument(
        "--with",
        metavar="ID",
        action="append",
        default=[],
        dest="with_ids",
        help="put this memory in, whatever stands against it, as far as the budget goes; repeatable",
    )
    parser.add_argument(
        "--without", metavar="ID", action="append", default=[], help="leave this memory out; repeatable"
    )


def ticked(arguments: argparse.Namespace, vault: Vault) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids that were put in and those that were left out.

    Raises:
        NotFoundError, AmbiguousIdError: an id is none, or the beginning of several.
    """
    if not arguments.with_ids and not arguments.without:
        return frozenset(), frozenset()
    with vault.read() as reader:
        put_in, left_out = (
            frozenset(reader.resolve(one) for one in given) for given in (arguments.with_ids, arguments.without)
        )
    return put_in, left_out


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print a payload."""
    if arguments.most is not None and arguments.most < 0:
        raise UsageError("--max is a number from 0", where=str(arguments.most))
    task, pack, project, options = _build(arguments, session)
    diff = _diff(session, task, pack, project) if arguments.diff else None
    if session.json:
        write_json(pack_record(pack) | ({"diff": diff_record(diff) if diff else None} if arguments.diff else {}))
    else:
        write(pack.payload)
    if arguments.explain:
        _explain(pack)
        tree = narrow_to_files(session.vault, session.view, task.files).tree
        for note in surroundings_of(tree, task.files).notes:
            say(f"note: {note}")
    if diff is not None:
        tell_diff(diff, {one.memory.id: one.memory.title for one in pack.included})
    elif arguments.diff:
        say("No pack of this task was used before.")
    if not pack.payload:
        say(f"Nothing to say: {pack.abstained or 'nothing fits the budget'}")
        return EXIT_NOTHING
    if pack.abstained:
        say(f"Pinned memories alone: {pack.abstained}")
    say(_size(pack))
    if arguments.copy or arguments.record:
        _use(arguments, session, pack, task, project, options)
    return EXIT_DONE


def _use(
    arguments: argparse.Namespace, session: Session, pack: Pack, task: Task, project: str | None, options: PackOptions
) -> None:
    """Copy the payload if that was asked for, and record the pack."""
    from memtui.pack.recording import record_pack

    if arguments.copy:
        from memtui.pack.clipboard import copy

        say(copy(pack.payload).message)
    identifier = record_pack(
        session.vault,
        pack,
        task,
        actor=session.actor.name,
        project=project,
        options=options,
        signal="copied" if arguments.copy else "injected",
    )
    say(f"recorded as pack {identifier}; later: memtui feedback {identifier} helped")


def _build(arguments: argparse.Namespace, session: Session) -> tuple[Task, Pack, str | None, PackOptions]:
    if arguments.task and not arguments.fast and session.meaning is not None:
        session.meaning.preload()
    task = Task(
        text=" ".join(arguments.task),
        files=tuple(arguments.file),
        phase=arguments.phase,
        as_of=parse_day(arguments.as_of) if arguments.as_of else None,
    )
    options = _options(arguments, session)
    target = arguments.target or session.config.context.target
    task, pack, project = payload_of(session, task, options, target, standing=getattr(arguments, "standing", False))
    session.tell_missing_model()
    return task, pack, project, options


def payload_of(
    session: Session, task: Task, options: PackOptions, target: str, *, standing: bool = False
) -> tuple[Task, Pack, str | None]:
    """Return the task with its files as memories name them, its pack, and the project in view.

    Args:
        session: this run.
        task: with files as they were given.
        options: what was chosen.
        target: name of the target.
        standing: whether the union of the recipes is wanted in place of the task, as `recipe run` without a name does.
    """
    files = check_named_files(session.vault, session.view, task.files, folder=session.folder)
    recipes = _recipes(session, session.view.project) if standing else None
    # The union recalls what each recipe alone does, so the files of all of them are in hand.
    in_hand = [*files, *(file for recipe in recipes or () for file in recipe.files)]
    view = narrow_to_files(session.vault, session.view, in_hand)
    task = replace(task, files=tuple(files))
    pack = context(
        session.vault,
        task,
        view.payload_scope,
        options,
        project=view.project,
        target=target_named(target, session.config.targets),
        settings=session.config.recall,
        now=session.vault.now(),
        tree=view.tree,
        meaning=None if options.fast else session.meaning,
        recipes=recipes,
    )
    return task, pack, view.project


def _recipes(session: Session, project: str | None) -> list[Recipe]:
    """Return the recipes whose union is the standing payload."""
    from memtui.pack.recording import list_recipes
    from memtui.pack.standing import recipes_of

    return recipes_of(list_recipes(session.vault), project)


def _options(arguments: argparse.Namespace, session: Session) -> PackOptions:
    usual = PackOptions.of(session.config.context, session.config.secrets.patterns)
    put_in, left_out = ticked(arguments, session.vault)
    return replace(
        usual,
        budget=usual.budget if arguments.budget is None else arguments.budget,
        max_memories=usual.max_memories if arguments.most is None else arguments.most,
        style=arguments.style or usual.style,
        secrets=arguments.secrets or usual.secrets,
        with_ids=put_in,
        without=left_out,
        unconfirmed=arguments.unconfirmed,
        withhold_loaded=usual.withhold_loaded and not arguments.with_loaded,
        fast=arguments.fast,
    )


def _diff(session: Session, task: Task, pack: Pack, project: str | None) -> PackDiff | None:
    """Return what changed since the pack that was used last for the task, None where there is none."""
    from memtui.pack.comparing import compare, previous_pack

    previous = previous_pack(session.vault, task, project)
    return compare(pack, previous) if previous else None


def diff_record(diff: PackDiff) -> dict[str, object]:
    """Return what changed since an earlier pack, for `--json`."""
    return {
        "previous": diff.previous.id,
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": list(diff.changed),
    }


def tell_diff(diff: PackDiff, titles: Mapping[str, str]) -> None:
    """Say on stderr which memories came, went or were changed since an earlier pack."""
    same = " the same memories" if diff.is_empty else ""
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
