"""`memtui why`."""

from __future__ import annotations

import argparse

from memtui.cli.context import add_choices, build
from memtui.cli.output import write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.explain_payload import explain_one
from memtui.curate.projects import narrow_to_files
from memtui.errors import EXIT_DONE
from memtui.text.sanitize import reveal
from memtui.wording.payload import explained_record, explained_words, explanation, remedies

DESCRIPTIONS = {
    "why": "Say why a memory is in the payload of a task or not, and what would bring it in. Without a task: in the "
    "payload of the project's most useful memories."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", help="id of the memory, or the beginning of one")
    add_choices(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Explain one memory's place in a payload."""
    task, pack, _, _ = build(arguments, session)
    view = narrow_to_files(session.vault, session.view, task.files)
    found = explain_one(session.vault, pack, arguments.id, view.payload_scope)
    if session.json:
        write_json(explained_record(found, pack.budget))
        return EXIT_DONE
    inside = found.included
    write_line(f"{found.memory.id}  {reveal(found.memory.title)}")
    if inside is not None:
        write_line(f"In the payload with {inside.tokens:,} tokens: {reveal(explained_words(found))}")
        write_table([["   ", name, value, detail] for name, detail, value in explanation(inside.hit)])
        return EXIT_DONE
    write_line(f"Not in the payload: {reveal(explained_words(found))}")
    for remedy in remedies(found, pack.budget):
        write_line(f"  {reveal(remedy)}")
    return EXIT_DONE
