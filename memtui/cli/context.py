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
from memtui.pack.build import Pack, context
from memtui.pack.compile import DETAIL_WORDS
from memtui.pack.filters import SECRET_CHOICES
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.registry import target_named, target_names
from memtui.recall.anchors import surroundings_of
from memtui.recall.phase import PHASES
from memtui.recall.result import Task
from memtui.text.quantities import parse_day
from memtui.text.sanitize import reveal
from memtui.wording.reasons import counts_words, hit_words, sentence

if TYPE_CHECKING:
    from memtui.curate.explain_payload import PayloadContradiction
    from memtui.pack.recipes import PackDiff
    from memtui.vault.packs import Recipe
    from memtui.vault.vault import Vault

DESCRIPTIONS = {
    "context": "Print the exact payload for a task, ready to paste: pins first, then what helps most "
    "per token, never over the budget. Without a task: the project's most useful memories."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    add_choices(parser)
    parser.add_argument(
        "--diff", action="store_true", help="on stderr: what changed since the pack that was used last for this task"
    )
    parser.add_argument("--copy", action="store_true", help="also copy it to the clipboard, and record the pack")
    parser.add_argument("--record", action="store_true", help="record the pack, so that feedback can be given on it")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="on stderr: every score, and what was withheld, why, and what would bring it in",
    )


def add_choices(parser: Parser) -> None:
    """Add the task and all that a payload is made with."""
    parser.add_argument("task", metavar="TASK", nargs="*", help="what you are about to do, in your words")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file in hand; repeatable")
    parser.add_argument("--budget", metavar="N", help="1200, 2k, `10000 chars`, `32 KiB` (default: 1200 tokens)")
    parser.add_argument("--max", metavar="N", type=whole_number, dest="most", help="most memories")
    add_target(parser, "what the payload is written for")
    parser.add_argument(
        "--style",
        metavar="STYLE",
        choices=STYLES,
        help="full, or compiled: what is nearest to the task in far fewer tokens (default: the configuration's, else "
        "full)",
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
        "--fast", action="store_true", help="for hooks: words, files and links alone, tokens estimated on the safe side"
    )


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
    task, pack, project, options = build(arguments, session)
    diff = _diff(session, task, pack, project, options) if arguments.diff else None
    clashes = _clashes(session, pack, options)
    if session.json:
        more: dict[str, object] = {"contradictions": [one.record for one in clashes]}
        more |= {"diff": diff_record(diff) if diff else None} if arguments.diff else {}
        from memtui.wording.payload import pack_record

        write_json(pack_record(pack) | more)
    else:
        write(pack.payload)
    _warn(pack, clashes)
    if arguments.explain:
        _explain(pack, session)
        tree = narrow_to_files(session.vault, session.view, task.files).tree
        for note in surroundings_of(tree, task.files).notes:
            say(f"note: {note}")
    if diff is not None:
        tell_diff(diff, {one.memory.id: one.memory.title for one in pack.included})
    elif arguments.diff:
        say("No pack of this task was used before.")
    if not pack.payload:
        say(f"Nothing to say: {sentence(pack.abstained) if pack.abstained else 'nothing fits the budget'}")
        return EXIT_NOTHING
    if pack.abstained:
        say(f"Pinned memories alone: {sentence(pack.abstained)}")
    say(_size(pack))
    if arguments.copy or arguments.record:
        _use(arguments, session, pack, task, project, options)
    return EXIT_DONE


def _clashes(session: Session, pack: Pack, options: PackOptions) -> tuple[PayloadContradiction, ...]:
    """Return the contradictions in a payload; hooks have no time to compare memories with each other."""
    if options.fast:
        return ()
    from memtui.curate.explain_payload import contradictions_in

    return contradictions_in(session.vault, pack)


def _warn(pack: Pack, clashes: tuple[PayloadContradiction, ...]) -> None:
    """Say what a person should know before the payload is used."""
    if not clashes and not any(one.status or one.hit.is_put_in for one in pack.included):
        return
    from memtui.curate.explain_payload import steering_in
    from memtui.wording.payload import contradictions_words

    for one in pack.included:
        if one.status and one.hit.is_put_in:
            say(f"note: {one.memory.id} “{one.hit.memory.title}” is {one.status}")
    for identifier, reason in steering_in(pack).items():
        say(f"warning: {identifier} {reason}; read it before you hand it to an assistant")
    if clashes:
        say(contradictions_words(clashes))


def _use(
    arguments: argparse.Namespace, session: Session, pack: Pack, task: Task, project: str | None, options: PackOptions
) -> None:
    """Copy the payload if that was asked for, and record the pack."""
    from memtui.pack.recipes import record_pack

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


def build(arguments: argparse.Namespace, session: Session) -> tuple[Task, Pack, str | None, PackOptions]:
    """Return the task that was asked for, its pack, the project in view and what was chosen."""
    if arguments.task and not arguments.fast and session.meaning is not None:
        session.meaning.preload()
    task = Task(
        text=" ".join(arguments.task),
        files=tuple(arguments.file),
        phase=arguments.phase,
        as_of=parse_day(arguments.as_of) if arguments.as_of else None,
    )
    options = _options(arguments, session)
    if getattr(arguments, "standing", False):
        options = replace(options, standing=tuple(recipe.name for recipe in standing_recipes(session)))
    target = arguments.target or session.config.context.target
    task, pack, project = payload_of(session, task, options, target)
    session.tell_missing_model()
    return task, pack, project, options


def payload_of(session: Session, task: Task, options: PackOptions, target: str) -> tuple[Task, Pack, str | None]:
    """Return the task with its files as memories name them, its pack, and the project in view.

    Args:
        task: with files as they were given.
        options: what was chosen; where it was the standing payload, the union of today's recipes stands for the task.
        target: name of the target.
    """
    files = check_named_files(session.vault, session.view, task.files, folder=session.folder)
    recipes = None if options.standing is None else standing_recipes(session)
    # The union recalls what each recipe alone does, so the files of all of them are in hand; but where no project is
    # in view, those of one project would shut out the recipes of the others.
    known = recipes if recipes and session.view.project is not None else ()
    view = narrow_to_files(session.vault, session.view, [*files, *(file for recipe in known for file in recipe.files)])
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


def standing_recipes(session: Session) -> list[Recipe]:
    """Return the recipes whose union is the standing payload of the project in view."""
    from memtui.pack.recipe_union import recipes_of
    from memtui.pack.recipes import list_recipes

    return recipes_of(list_recipes(session.vault), session.view.project)


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


def _diff(session: Session, task: Task, pack: Pack, project: str | None, options: PackOptions) -> PackDiff | None:
    """Return what changed since the pack that was used last for the task, None where there is none."""
    from memtui.pack.recipes import compare, previous_pack

    previous = previous_pack(session.vault, task, project, standing=options.standing is not None)
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


def _explain(pack: Pack, session: Session) -> None:
    import contextlib
    import sys

    from memtui.curate.explain_payload import explain_withheld
    from memtui.wording.payload import explained_words, explanation, remedies

    with contextlib.redirect_stdout(sys.stderr):
        write_line("\nincluded")
        for one in pack.included:
            told = f"  ({DETAIL_WORDS[one.detail]})" if one.detail in DETAIL_WORDS else ""
            write_line(
                f"{one.memory.id}  {one.tokens} tokens{told}  {reveal(one.memory.title)}: {reveal(hit_words(one.hit))}"
            )
            write_table([["   ", name, value, detail] for name, detail, value in explanation(one.hit)])
        write_line("\nwithheld")
        for found in explain_withheld(session.vault, pack):
            write_line(f"{found.memory.id}  {reveal(found.memory.title)}: {reveal(explained_words(found))}")
            write_line(f"          {reveal(' · '.join(remedies(found, pack.budget)))}")
        for reason, number in counts_words(pack.withheld_counts).items():
            write_line(f"and {number:,} more: {reason}")
        if pack.other_projects:
            write_line(f"and {pack.other_projects:,} of other projects")
