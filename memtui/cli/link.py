"""`memtui link` and `unlink`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memtui.cli.output import plural, say, write_json, write_table
from memtui.cli.parsing import Parser, one_of
from memtui.cli.session import Session
from memtui.curate.links import link, unlink
from memtui.domain.memory import LINK_TYPES
from memtui.errors import EXIT_DONE, UsageError

if TYPE_CHECKING:
    from memtui.analysis.suggestions import LinkProposal

DESCRIPTIONS = {
    "link": "Link two memories. `A supersedes B` also takes B out of use. With --proposals, list the links that use "
    "and likeness speak for; nothing is linked until you say so.",
    "unlink": "Take a link away. A memory that nothing supersedes any more is active again.",
}


def configure(parser: Parser) -> None:
    """Add the options of whichever of these commands the parser is for."""
    parser.add_argument("id", metavar="ID", nargs="?", help="the memory that the link starts from")
    parser.add_argument("type", metavar="TYPE", nargs="?", help=", ".join(LINK_TYPES))
    parser.add_argument("other", metavar="ID", nargs="?", help="the memory that it points to")
    if parser.prog.endswith(" unlink"):
        return
    parser.add_argument("--proposals", action="store_true", help="list what might be linked, of one ID or of all")
    parser.add_argument("--dismiss", action="store_true", help="do not link ID TYPE ID, and never propose it again")
    parser.add_argument("--all-projects", action="store_true", help="of --proposals: every project")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Link, unlink, list proposals or dismiss one."""
    if getattr(arguments, "proposals", False):
        return _list(arguments, session)
    if arguments.other is None:
        raise UsageError(
            f"A link has two ends: memtui {arguments.command} ID TYPE ID", remedy=f"Types: {', '.join(LINK_TYPES)}."
        )
    one_of(arguments.type, LINK_TYPES, what="link type")
    if getattr(arguments, "dismiss", False):
        return _dismiss(arguments, session)
    act = link if arguments.command == "link" else unlink
    found = act(session.vault, arguments.id, arguments.type, arguments.other, actor=session.actor)
    if session.json:
        write_json({"changed": found is not None})
    if found is None:
        say("they are linked so already")
    else:
        say(f"{arguments.command}ed: {found.from_id} {found.type} {found.to_id}")
    return EXIT_DONE


def _list(arguments: argparse.Namespace, session: Session) -> int:
    from memtui.analysis.suggestions import proposal_records

    if arguments.type is not None:
        raise UsageError("--proposals takes one ID at most", where=arguments.type)
    proposals = _proposals(arguments, session)
    with session.vault.read() as reader:
        found = reader.get_many({end for proposal in proposals for end in proposal.ids})
    titles = {memory.id: memory.title for memory in found.values()}
    if session.json:
        write_json(proposal_records(proposals, titles))
        return EXIT_DONE
    write_table(
        [
            [
                proposal.from_id,
                proposal.type,
                proposal.to_id,
                proposal.why,
                f"{titles.get(proposal.from_id, '')} · {titles.get(proposal.to_id, '')}",
            ]
            for proposal in proposals
        ]
    )
    ways = "`memtui link ID TYPE ID` makes one, with --dismiss it is not proposed again"
    say(f"{plural(len(proposals), 'proposal')}; {ways}" if proposals else "No link is proposed.")
    return EXIT_DONE


def _proposals(arguments: argparse.Namespace, session: Session) -> list[LinkProposal]:
    from memtui.curate.links import link_proposals, proposals_about
    from memtui.vault.filters import EVERYTHING

    if arguments.id is not None:
        with session.vault.read() as reader:
            identifier = reader.resolve(arguments.id)
        return proposals_about(session.vault, identifier)
    scope = EVERYTHING if arguments.all_projects else session.view.listing_scope
    return link_proposals(session.vault, scope, model=_model(session))


def _model(session: Session) -> str | None:
    """Return the name of the model whose stored vectors may be compared; no model is loaded for it."""
    from memtui.embedding.engine import model_state

    state = model_state(session.config.embedding.model)
    return state.name if state.usable else None


def _dismiss(arguments: argparse.Namespace, session: Session) -> int:
    from memtui.analysis.snapshot import NOT_RELATED
    from memtui.curate.resolutions import dismiss

    said = dismiss(session.vault, NOT_RELATED, [arguments.id, arguments.other], actor=session.actor)
    if session.json:
        write_json({"changed": bool(said)})
    say("dismissed: it is not proposed again until a text changes" if said else "it was dismissed already")
    return EXIT_DONE
