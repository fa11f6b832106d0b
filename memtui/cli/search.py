"""`memtui search` and `memtui why`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memtui.cli import parsing
from memtui.cli.output import say, write_explanation, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.text.sanitize import reveal
from memtui.text.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memtui.recall.result import Hit
    from memtui.workspace import Tree


def _search_arguments(parser: Parser) -> None:
    parser.add_value("query", "QUERY", "words, a question, an identifier, an error code", nargs="*")
    parsing.add_files(parser)
    parsing.add_limit(parser, "20", least=1)
    parser.add_flag("--explain", "the reason for every point of every score")
    parser.add_flag("--fast", "only words, files and links, without the model")
    parsing.add_all_projects(parser)


def _search(arguments: argparse.Namespace, session: Session) -> int:
    """Search memories by words and meaning. Words are OR-ed and ranked, so a missing one never empties the result."""
    from memtui.curate.projects import check_named_files, narrow_to_files
    from memtui.recall.rank import search
    from memtui.vault.filters import EVERYTHING

    query = " ".join(arguments.query)
    if not query.strip() and not arguments.file:
        raise UsageError("Nothing to search for", remedy='Give words or --file: memtui search "double charge"')
    meaning = None if arguments.fast else session.meaning
    if query.strip() and meaning is not None:
        meaning.preload()
    view = session.view
    files = check_named_files(session.vault, view, arguments.file, folder=session.folder)
    scope = EVERYTHING if arguments.all_projects else narrow_to_files(session.vault, view, files).listing_scope
    now = session.vault.now()
    found = search(
        session.vault,
        query,
        scope,
        files=tuple(files),
        limit=session.config.recall.limit if arguments.limit is None else arguments.limit,
        settings=session.config.recall,
        now=now,
        tree=view.tree,
        meaning=meaning,
    )
    hits = found.hits
    session.say_model_problem()
    if hits and not found.is_sure:
        say("Nothing matches well; the closest:")
    if session.json:
        _write_records(session, hits, now)
    elif arguments.explain:
        _write_explanations(hits, surroundings=(view.tree, files))
    else:
        memories = [(hit.memory, f"{hit.score:.2f}") for hit in hits]
        write_table([[m.id, score, m.kind, m.project or "unassigned", m.title] for m, score in memories])
    if not hits:
        say("Nothing found." + ("" if scope.is_everything else " --all-projects searches every project."))
        return EXIT_NOTHING
    say(counted(len(hits), "hit"))
    return EXIT_DONE


def _write_records(session: Session, hits: Sequence[Hit], now: datetime) -> None:
    from memtui.curate.views import view_memories, view_record
    from memtui.wording.reasons import explanation_record

    with session.vault.read() as reader:
        views = view_memories(reader, [hit.memory for hit in hits], now=now)
    write_json(
        [
            {**view_record(view, session.kinds), "score": round(hit.score, 6), "explain": explanation_record(hit)}
            for view, hit in zip(views, hits, strict=True)
        ]
    )


def _write_explanations(hits: Sequence[Hit], *, surroundings: tuple[Tree | None, Sequence[str]]) -> None:
    from memtui.recall.anchors import surroundings_of

    for hit in hits:
        write_line(f"{hit.memory.id}  {reveal(hit.memory.title)}")
        write_explanation(hit)
        write_line("")
    for note in surroundings_of(*surroundings).notes:
        say(f"note: {note}")


def _why_arguments(parser: Parser) -> None:
    from memtui.cli.context import add_choices

    parsing.add_id(parser, "the memory's id or its first characters")
    add_choices(parser)


def _why(arguments: argparse.Namespace, session: Session) -> None:
    """Explain why a memory is or is not in the payload of a task, and what would bring it in.

    Without a task: in the payload of the project's most useful memories.
    """
    from memtui.cli.context import build
    from memtui.curate.explain_payload import explain_one
    from memtui.curate.projects import narrow_to_files
    from memtui.wording.reasons import explained_record, explained_words, remedies

    built = build(arguments, session)
    budget, view = built.pack.budget, narrow_to_files(session.vault, session.view, built.task.files)
    found = explain_one(session.vault, built.pack, arguments.id, view.payload_scope)
    if session.json:
        write_json(explained_record(found, budget))
        return
    write_line(f"{found.memory.id}  {reveal(found.memory.title)}")
    if found.included is not None:
        write_line(f"In the payload with {found.included.tokens:,} tokens: {reveal(explained_words(found))}")
        write_explanation(found.included.hit)
        return
    write_line(f"Not in the payload: {reveal(explained_words(found))}")
    for remedy in remedies(found, budget):
        write_line(f"  {reveal(remedy)}")


COMMANDS: Commands = {"search": (_search_arguments, _search), "why": (_why_arguments, _why)}
