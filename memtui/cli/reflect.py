"""`memtui reflect`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, read_input, say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.fields import anchors_for, clean_tags, relative_name
from memtui.curate.reflect import Conclusion, Proposed, propose, reflect
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import Anchor, Memory
from memtui.errors import EXIT_DONE, UsageError

DESCRIPTIONS = {
    "reflect": "Write one conclusion from several notes or lessons. They stay as its sources (derived-from); with "
    "--retire they go out of use. Tags and files are those of the sources unless you say otherwise."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", nargs="+", help="the sources, two to twenty")
    parser.add_argument("--text", metavar="TEXT", help="the conclusion, or - to read it from standard input")
    parser.add_argument("--title", metavar="TEXT", default="", help="one line (default: made from the text)")
    parser.add_argument("--why", metavar="TEXT", default="", help="why it holds, and when it applies")
    parser.add_argument("--kind", metavar="KIND", default=DEFAULT_KIND, help=f"its kind (default: {DEFAULT_KIND})")
    parser.add_argument("--add-tag", metavar="TAG", action="append", default=[], help="a tag besides; repeatable")
    parser.add_argument("--remove-tag", metavar="TAG", action="append", default=[], help="not this tag; repeatable")
    parser.add_argument("--add-file", metavar="PATH", action="append", default=[], help="a file besides; repeatable")
    parser.add_argument("--remove-file", metavar="PATH", action="append", default=[], help="not this file; repeatable")
    parser.add_argument("--retire", action="store_true", help="take the sources out of use (default: keep them)")
    parser.add_argument("--allow-secret", action="store_true", help="store it even if it looks like a secret")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Store a conclusion and print its id."""
    if arguments.text is None:
        raise UsageError(
            "There is no conclusion yet", remedy='Write it: --text "…", or `--text -` to read it from standard input.'
        )
    text = read_input() if arguments.text == "-" else arguments.text
    if not text.strip():
        raise UsageError(
            "The conclusion is empty",
            where="standard input" if arguments.text == "-" else "--text",
            remedy="Write what follows from the sources, in a sentence of your own.",
        )
    sources = _sources(session, arguments.id)
    proposed = propose(sources)
    session.back_up_daily()
    made = reflect(
        session.vault,
        [memory.id for memory in sources],
        Conclusion(
            text=text,
            title=arguments.title,
            kind=arguments.kind,
            why=arguments.why,
            tags=_tags(arguments, proposed),
            anchors=_anchors(arguments, session, proposed),
            project=session.project,
            allow_secret=arguments.allow_secret,
        ),
        actor=session.actor,
        retire=arguments.retire,
        secret_patterns=session.config.secrets.patterns,
    )
    if session.json:
        write_json({"id": made.memory.id, "sources": [memory.id for memory in made.sources]})
    else:
        write_line(made.memory.id)
    if not made.is_new:
        say(f"already there: {made.memory.id} ({made.memory.status}); it has these sources now")
    became = "retired" if made.retired else "kept"
    waiting = "; it waits in the inbox" if made.memory.status == "candidate" else ""
    said = f"{made.memory.kind} from {plural(len(made.sources), 'source')}, which are {became}{waiting}"
    say(f"{said}: {made.memory.title}")
    return EXIT_DONE


def _sources(session: Session, prefixes: list[str]) -> list[Memory]:
    with session.vault.read() as reader:
        identifiers = list(dict.fromkeys(reader.resolve(prefix) for prefix in prefixes))
        found = reader.get_many(identifiers)
    return [found[identifier] for identifier in identifiers]


def _tags(arguments: argparse.Namespace, proposed: Proposed) -> list[str]:
    gone = clean_tags(arguments.remove_tag)
    absent = [tag for tag in gone if tag not in proposed.tags]
    if absent:
        raise UsageError(
            "The sources have no such tag",
            where=", ".join(absent),
            remedy=f"Tags: {', '.join(proposed.tags) or 'none'}.",
        )
    return [tag for tag in (*proposed.tags, *clean_tags(arguments.add_tag)) if tag not in gone]


def _anchors(arguments: argparse.Namespace, session: Session, proposed: Proposed) -> tuple[Anchor, ...]:
    if not arguments.add_file and not arguments.remove_file:
        return proposed.anchors
    root = session.view.root
    known = {anchor.path for anchor in proposed.anchors}
    gone = {relative_name(path, root=root, folder=session.folder): path for path in arguments.remove_file}
    absent = [path for name, path in gone.items() if name not in known]
    if absent:
        raise UsageError(
            "The sources are not tied to this file",
            where=", ".join(absent),
            remedy=f"Files: {', '.join(sorted(known)) or 'none'}.",
        )
    added = anchors_for(arguments.add_file, root=root, folder=session.folder)
    again = {anchor.path for anchor in added}
    return (*(anchor for anchor in proposed.anchors if anchor.path not in {*gone, *again}), *added)
