"""`search`, `why` and `context`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING

from memtui.cli import parsing
from memtui.cli.output import diff_record, say, say_diff, write, write_explanation, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.payload_options import add_choices, context_options, ticked
from memtui.cli.session import Commands, Session
from memtui.curate.explain_payload import (
    Explained,
    contradiction_record,
    contradictions_in,
    explain_one,
    explain_withheld,
    steering_in,
)
from memtui.curate.projects import check_named_files, narrow_to_files
from memtui.curate.query import is_query, misnamed_field
from memtui.curate.views import view_memories, view_record
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.budget import DETAIL_WORDS
from memtui.pack.build import Pack, context, recipes_of
from memtui.pack.options import PackOptions
from memtui.pack.targets.formats import target_named
from memtui.recall.anchors import surroundings_of
from memtui.recall.result import Hit, Task
from memtui.recall.search import Found, search
from memtui.recall.semantic import ModelMeaning
from memtui.text.sanitize import reveal
from memtui.text.words import counted, parse_day
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.packs import Recipe
from memtui.wording.chances import chance_lines
from memtui.wording.outcomes import no_field, waiting_in_inbox
from memtui.wording.reasons import (
    contradictions_words,
    counts_words,
    doubt_words,
    explained_record,
    explained_words,
    explanation_record,
    hit_words,
    partial_words,
    sentence,
)
from memtui.wording.remedies import remedies

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.pack.recipes import PackDiff


LEAST_SHOWN = 0.005  # Score that does not round to 0.00


def _search_arguments(parser: Parser) -> None:
    parser.add_value("query", "QUERY", "words, a question, an identifier, an error code", nargs="*")
    parsing.add_files(parser)
    parsing.add_limit(parser, "20", least=1)
    parser.add_flag("--explain", "explain every part of every score")
    parser.add_flag("--fast", "use only words, files and links, not the model")
    parser.add_flag("--all", "also memories that are replaced, retired, merged or not valid now")
    parsing.add_all_projects(parser)


def _say_read_as_words(query: str) -> None:
    """Say of a text that looks like a query, or names a field that is none, that it was searched for as words."""
    if is_query(query):
        say(f"Searched for as words; `memtui list --where {quote(query)}` filters.")
    elif misnamed := misnamed_field(query):
        say(f"{no_field(*misnamed)}. Searched for as words; `memtui list --where` filters by fields.")


def _search(arguments: argparse.Namespace, session: Session) -> int:
    """Search memories by words and meaning. Words are OR-ed and ranked, so a missing one never empties the result."""
    query = " ".join(arguments.query).strip()
    if not query and not arguments.file:
        raise UsageError("Nothing to search for", remedy='Give words or --file: memtui search "double charge"')
    session.nothing_where_off()
    meaning = None if arguments.fast else _loading(session.meaning, query)
    view = session.view
    files = check_named_files(session.vault, view, arguments.file, folder=session.folder)
    view = narrow_to_files(session.vault, view, files)
    scope, now = EVERYTHING if arguments.all_projects else view.listing_scope, session.vault.now()
    found = search(
        session.vault,
        query,
        scope,
        files=tuple(files),
        limit=session.config.recall.limit if arguments.limit is None else arguments.limit,
        settings=session.config.recall,
        now=now,
        statuses=None if arguments.all else ("active",),
        only_current=not arguments.all,
        tree=view.tree,
        meaning=meaning,
    )
    session.say_model_problem()
    if found.without_vector:
        say(partial_words(found.without_vector))
    _say_read_as_words(query)
    hits, left = _write_found(arguments, session, found, now)
    if arguments.explain and not session.json:
        _say_notes(view.tree, files)
    if not hits:
        wider = "" if scope.is_everything else " --all-projects searches every project."
        say(f"Nothing found{_outdated_words(found.outdated)}.{wider}")
        _say_what_waits(session, scope)
        return EXIT_NOTHING
    least = f"; {left:,} more with a score of 0.00 (--limit N lists them)" if left else ""
    say(f"{counted(len(hits), 'hit')}{least}{_outdated_words(found.outdated)}")
    return EXIT_DONE


def _say_what_waits(session: Session, scope: Scope) -> None:
    """Say how much waits in the inbox, where a search does not look."""
    with session.vault.read() as reader:
        waiting = reader.count(MemoryFilter(scope=scope, statuses=("candidate",)))
    if waiting:
        say(waiting_in_inbox(waiting))


def _loading(meaning: ModelMeaning | None, query: str) -> ModelMeaning | None:
    """Begin to load the model where there are words to compare."""
    if query and meaning is not None:
        meaning.preload()
    return meaning


def _write_found(arguments: argparse.Namespace, session: Session, found: Found, now: datetime) -> tuple[list[Hit], int]:
    """Write what answers the query, and return it: nothing where nothing comes close.

    The second is how many hits of a list for people are not shown, as their score rounds to nothing.
    """
    hits = [] if found.sure == "nothing" else found.hits
    left = 0
    if arguments.limit is None and not session.json:
        telling = [hit for hit in hits if hit.score >= LEAST_SHOWN] or hits
        left, hits = len(hits) - len(telling), telling
    if found.sure == "unsure":
        say("Nothing matches well; the closest:")
    if arguments.explain and not session.json:
        _write_explanations(hits)
    else:
        _write_hits(session, replace(found, hits=hits), now)
    return hits, left


def _outdated_words(number: int) -> str:
    return f"; {number:,} more replaced, expired or not valid yet (--all shows them)" if number else ""


def _write_explanations(hits: Sequence[Hit]) -> None:
    for hit in hits:
        write_line(f"{hit.memory.id}  {reveal(hit.memory.title)}")
        write_explanation(hit)
        write_line("")


def _say_notes(tree: Tree | None, files: Sequence[str]) -> None:
    """Say what of the imports of files could not be read or followed."""
    for note in surroundings_of(tree, files).notes:
        say(f"note: {note}")


def _write_hits(session: Session, found: Found, now: datetime) -> None:
    hits = found.hits
    if not session.json:
        memories = [(hit.memory, f"{hit.score:.2f}") for hit in hits]
        write_table([m.id, score, m.kind, m.project or "unassigned", m.title] for m, score in memories)
        return
    with session.vault.read() as reader:
        views = view_memories(reader, [hit.memory for hit in hits], now=now)
    partial = {"partial_vectors": found.without_vector} if found.without_vector else {}
    write_json(
        [
            {
                **view_record(view, session.kinds),
                "score": round(hit.score, 6),
                "sure": found.sure,
                "explain": explanation_record(hit),
                **partial,
            }
            for view, hit in zip(views, hits, strict=True)
        ]
    )


def _why_arguments(parser: Parser) -> None:
    parsing.add_id(parser, "the memory's an id or its first characters")
    add_choices(parser)


def _why(arguments: argparse.Namespace, session: Session) -> None:
    """Explain why a memory is or is not in the payload of a task, and what would bring it in.

    Without a task: in the payload of the project's most useful memories.
    """
    built = build(arguments, session)
    budget, view = built.pack.budget, narrow_to_files(session.vault, session.view, built.task.files)
    found = explain_one(session.vault, built.pack, arguments.id, view.payload_scope, built.task.text)
    without_vector = built.pack.without_vector
    if without_vector:
        say(partial_words(without_vector))
    if session.json:
        partial = {"partial_vectors": without_vector} if without_vector else {}
        write_json(explained_record(found, budget) | partial)
        return
    write_line(f"{found.memory.id}  {reveal(found.memory.title)}")
    if found.included is not None:
        write_line(f"In the payload with {found.included.tokens:,} tokens: {reveal(explained_words(found))}")
        write_chance(found)
        write_explanation(found.included.hit)
        return
    write_line(f"Not in the payload: {reveal(explained_words(found))}")
    write_chance(found)
    for remedy in remedies(found, budget):
        write_line(f"  {reveal(remedy)}")


def write_chance(found: Explained) -> None:
    """Write how likely a memory is to matter for the task, and why."""
    for line in chance_lines(found):
        write_line(f"  {line}")


def run_context(arguments: argparse.Namespace, session: Session) -> int:
    """Print the exact payload for a task, ready to paste: pins first, then what helps most per token.

    It is never over the budget. Without a task: the project's most useful memories.
    """
    session.nothing_where_off()
    built = build(arguments, session)
    task, pack = built.task, built.pack
    diff = _diff(session, built) if arguments.diff else None
    # Hooks have no time to compare memories with each other.
    contradictions = () if built.options.fast else contradictions_in(session.vault, pack)
    if session.json:
        _write_record(pack, contradictions, diff, with_diff=arguments.diff)
    else:
        write(pack.payload)
    _warn(pack, contradictions)
    if pack.without_vector:
        say(partial_words(pack.without_vector))
    if arguments.explain:
        _explain(pack, session)
        tree = narrow_to_files(session.vault, session.view, task.files).tree
        _say_notes(tree, task.files)
    if arguments.diff:
        say_diff(diff, {one.memory.id: one.memory.title for one in pack.included})
    if not pack.payload:
        say(f"Empty payload: {sentence(pack.abstained) if pack.abstained else 'nothing fits the budget'}")
        return EXIT_NOTHING
    _say_what_is_in_it(pack, has_task=task.has_words)
    if arguments.copy or arguments.record:
        _use(arguments, session, built)
    return EXIT_DONE


def _say_what_is_in_it(pack: Pack, *, has_task: bool) -> None:
    if doubt := doubt_words(pack):
        say(doubt)
    if pack.abstained:
        say(f"Pinned memories only: {sentence(pack.abstained)}")
    say(_size(pack) + (": the rest is unlikely to matter" if has_task and pack.has_all else ""))


def _write_record(
    pack: Pack, contradictions: Sequence[Contradiction], diff: PackDiff | None, *, with_diff: bool
) -> None:
    from memtui.wording.reasons import pack_record

    record = pack_record(pack) | {"contradictions": [contradiction_record(one) for one in contradictions]}
    write_json(record | ({"diff": diff_record(diff) if diff else None} if with_diff else {}))


def _warn(pack: Pack, contradictions: tuple[Contradiction, ...]) -> None:
    """Say what a person should know before the payload is used."""
    if not contradictions and not any(one.status or one.hit.is_put_in for one in pack.included):
        return
    for one in pack.included:
        if one.status and one.hit.is_put_in:
            say(f"note: {one.memory.id} “{one.hit.memory.title}” is {one.status}")
    for identifier, reason in steering_in(pack).items():
        say(f"warning: {identifier} {reason}; read it before you give it to an assistant")
    if contradictions:
        say(contradictions_words(contradictions))


def _use(arguments: argparse.Namespace, session: Session, built: Built) -> None:
    """Copy the payload if that was asked for, and record the pack."""
    from memtui.pack.recipes import record_pack

    if arguments.copy:
        from memtui.pack.clipboard import copy
        from memtui.wording.copying import copied_words

        say(copied_words(copy(built.pack.payload)))
    identifier = record_pack(
        session.vault,
        built.pack,
        built.task,
        actor=session.actor.name,
        project=built.project,
        options=built.options,
        signal="copied" if arguments.copy else "injected",
    )
    say(f"Recorded as pack {identifier}. Later: memtui feedback {identifier} helped")


@dataclass(frozen=True, slots=True)
class Built:
    """A pack and what it was built from: the task with its files as memories name them, and the project in view."""

    task: Task
    pack: Pack
    project: str | None
    options: PackOptions


def build(arguments: argparse.Namespace, session: Session) -> Built:
    """Return the pack that the arguments ask for."""
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
    built = build_for(session, task, options, target)
    session.say_model_problem()
    return built


def build_for(session: Session, task: Task, options: PackOptions, target: str) -> Built:
    """Return the pack of a task; for the standing payload, the union of today's recipes takes the task's place."""
    files = check_named_files(session.vault, session.view, task.files, folder=session.folder)
    recipes = None if options.standing is None else standing_recipes(session)
    # The union recalls what each recipe alone does, so the files of all of them count; but without a project in view,
    # those of one project would exclude the recipes of the others.
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
    return Built(task, pack, view.project, options)


def standing_recipes(session: Session) -> list[Recipe]:
    """Return the recipes whose union is the standing payload of the project in view."""
    from memtui.pack.recipes import list_recipes

    return recipes_of(list_recipes(session.vault), session.view.project)


def _options(arguments: argparse.Namespace, session: Session) -> PackOptions:
    usual = PackOptions.of(session.config.context, session.secret_patterns)
    put_in, left_out = ticked(session, arguments.with_ids, arguments.without)
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


def _diff(session: Session, built: Built) -> PackDiff | None:
    """Return what has changed since the task's last pack, None if there is none."""
    from memtui.pack.recipes import compare, previous_pack

    previous = previous_pack(session.vault, built.task, built.project, standing=built.options.standing is not None)
    return compare(built.pack, previous, session.vault) if previous else None


def _size(pack: Pack) -> str:
    kind = "" if pack.exact else "about "
    margin = f", at most {pack.tokens_at_most:,} for {pack.target}" if pack.margin else ""
    return (
        f"{counted(len(pack.included), 'memory')}, {kind}{pack.tokens:,} tokens ({pack.encoding}){margin}, "
        f"budget {pack.budget}, {pack.left:,} left"
    )


def _explain(pack: Pack, session: Session) -> None:
    import contextlib
    import sys

    with contextlib.redirect_stdout(sys.stderr):
        write_line("\nincluded")
        for one in pack.included:
            detail = f"  ({DETAIL_WORDS[one.detail]})" if one.detail in DETAIL_WORDS else ""
            reason = reveal(f"{one.memory.title}: {hit_words(one.hit)}")
            write_line(f"{one.memory.id}  {one.tokens} tokens{detail}  {reason}")
            write_explanation(one.hit)
        write_line("\nwithheld")
        for found in explain_withheld(session.vault, pack):
            write_line(f"{found.memory.id}  {reveal(found.memory.title)}: {reveal(explained_words(found))}")
            write_line(f"          {reveal(' · '.join(remedies(found, pack.budget)))}")
        for reason, number in counts_words(pack.withheld_counts).items():
            write_line(f"and {number:,} more: {reason}")
        if pack.other_projects:
            write_line(f"and {pack.other_projects:,} of other projects")


COMMANDS: Commands = {
    "search": (_search_arguments, _search),
    "why": (_why_arguments, _why),
    "context": (context_options, run_context),
}
