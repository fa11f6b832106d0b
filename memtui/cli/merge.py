"""`memtui merge` and `unmerge`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.merge import merge, unmerge
from memtui.errors import EXIT_DONE

DESCRIPTIONS = {
    "merge": "Merge two to eight memories: texts are joined where they differ, tags, files and sources united. "
    "The others become `merged`.",
    "unmerge": "Take the last merge into a memory apart: the originals are again what they were.",
}


CHOSEN = {"title": "--title", "insight": "--text", "rationale": "--why", "snippet": "--snippet", "kind": "--kind"}
"""Options that say what a field of the merged memory is, by field; the others are joined."""


def configure(parser: Parser) -> None:
    """Add the options of whichever of these commands the parser is for."""
    if parser.prog.endswith(" unmerge"):
        parser.add_argument("id", metavar="ID", help="the merged memory, or one of its originals")
        return
    parser.add_argument("id", metavar="ID", nargs="+", help="the memories to merge")
    parser.add_argument("--into", metavar="ID", help="the one that stays (default: the first)")
    for field, option in CHOSEN.items():
        parser.add_argument(option, metavar="TEXT", dest=f"chosen_{field}", help=f"the merged memory's {field}")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Merge, or take apart."""
    session.back_up_daily()
    if arguments.command == "unmerge":
        target, originals = unmerge(session.vault, arguments.id, actor=session.actor)
        done = f"apart again: {target.id} and {plural(len(originals), 'original')}"
    else:
        chosen = {field: getattr(arguments, f"chosen_{field}") for field in CHOSEN}
        merged = merge(
            session.vault,
            arguments.id,
            into=arguments.into,
            actor=session.actor,
            project=session.project,
            chosen={field: text for field, text in chosen.items() if text is not None},
            secret_patterns=session.config.secrets.patterns,
        )
        target, originals = merged.result, list(merged.originals)
        done = (
            f"merged {plural(len(originals), 'memory')} into {target.id}; `memtui unmerge {target.id}` takes it apart"
        )
    if session.json:
        write_json({"id": target.id, "originals": [memory.id for memory in originals]})
    else:
        write_line(target.id)
    say(done)
    return EXIT_DONE
