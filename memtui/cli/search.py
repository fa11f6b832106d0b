"""`memtui search`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.curate.projects import check_named_files, narrow_to_files
from memtui.curate.views import view_memories, view_record
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.recall.anchors import surroundings_of
from memtui.recall.result import Hit
from memtui.recall.search import find
from memtui.text.sanitize import reveal
from memtui.vault.filters import EVERYTHING
from memtui.wording.payload import explanation, explanation_record

DESCRIPTIONS = {
    "search": "Find memories by words and by meaning. Words are OR-ed and ranked: one that is missing never empties "
    "the answer."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("query", metavar="QUERY", nargs="*", help="words, a question, an identifier, an error code")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file in hand; repeatable")
    parser.add_argument("--limit", metavar="N", type=whole_number, help="most hits (default: 20)")
    parser.add_argument("--explain", action="store_true", help="the reason for every point of every score")
    parser.add_argument("--fast", action="store_true", help="words, files and links alone, without the model")
    parser.add_argument("--all-projects", action="store_true", help="every project, and the unassigned")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Search."""
    query = " ".join(arguments.query)
    if not query.strip() and not arguments.file:
        raise UsageError("What for?", where="search", remedy='Give words or --file: memtui search "double charge"')
    limit = session.config.recall.limit if arguments.limit is None else arguments.limit
    if limit < 1:
        raise UsageError("--limit is a number from 1", where=str(limit))
    if query.strip() and not arguments.fast and session.meaning is not None:
        session.meaning.preload()
    view = session.view
    files = check_named_files(session.vault, view, arguments.file, folder=session.folder)
    scope = EVERYTHING if arguments.all_projects else narrow_to_files(session.vault, view, files).listing_scope
    now = session.vault.now()
    found = find(
        session.vault,
        query,
        scope,
        files=tuple(files),
        limit=limit,
        settings=session.config.recall,
        now=now,
        tree=view.tree,
        meaning=None if arguments.fast else session.meaning,
    )
    hits = found.hits
    session.tell_missing_model()
    if hits and not found.is_sure:
        say("Nothing matches well; the nearest:")
    if session.json:
        with session.vault.read() as reader:
            views = view_memories(reader, [hit.memory for hit in hits], now=now)
        write_json(
            [
                {**view_record(view, session.kinds), "score": round(hit.score, 6), "explain": explanation_record(hit)}
                for view, hit in zip(views, hits, strict=True)
            ]
        )
    elif arguments.explain:
        _explain(hits)
        for note in surroundings_of(view.tree, files).notes:
            say(f"note: {note}")
    else:
        write_table(
            [
                [
                    hit.memory.id,
                    f"{hit.score:.2f}",
                    hit.memory.kind,
                    hit.memory.project or "unassigned",
                    hit.memory.title,
                ]
                for hit in hits
            ]
        )
    if not hits:
        say("Nothing found." + ("" if scope.is_everything else " --all-projects looks in every project."))
        return EXIT_NOTHING
    say(plural(len(hits), "hit"))
    return EXIT_DONE


def _explain(hits: list[Hit]) -> None:
    for hit in hits:
        write_line(f"{hit.memory.id}  {reveal(hit.memory.title)}")
        write_table([["   ", name, value, detail] for name, detail, value in explanation(hit)])
        write_line("")
