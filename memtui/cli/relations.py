"""`memtui merge`, `unmerge`, `reflect`, `link`, `unlink` and `settle`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from memtui.analysis.dismissals import VERDICT_OF
from memtui.analysis.suggestions import LinkProposal, proposal_records
from memtui.cli import parsing
from memtui.cli.output import is_typed, read_input, say
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate.tidy_report import ALIKENESSES
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import LINK_TYPES
from memtui.errors import UsageError
from memtui.text.words import counted
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.wording import outcomes, tidying
from memtui.wording.reasons import partial_words

_MERGED_FIELDS = {
    "title": "--title",
    "insight": "--text",
    "rationale": "--why",
    "snippet": "--snippet",
    "kind": "--kind",
}


def _merge_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "the memories to merge", nargs="+")
    parser.add_value("--into", "ID", "the one to keep (default: the first)")
    for field, option in _MERGED_FIELDS.items():
        parser.add_value(option, "TEXT", f"the merged memory's {field}", dest=f"chosen_{field}")


def _merge(arguments: argparse.Namespace, session: Session) -> None:
    """Merge two to eight memories: tags, files and sources are united, and texts put one below the other.

    A sentence, list item or row that stands in several in the same words is said once; what says it in other words
    is kept. A text that says most of the first, and more, comes before it. Where one holds for all files, or for
    good, the merged memory does. The other memories become `merged`.
    """
    from memtui.curate.merge import merge

    session.back_up_daily()
    chosen = {field: getattr(arguments, f"chosen_{field}") for field in _MERGED_FIELDS}
    made = merge(
        session.vault,
        arguments.id,
        into=arguments.into,
        actor=session.actor,
        project=session.project,
        chosen={field: text for field, text in chosen.items() if text is not None},
        secret_patterns=session.secret_patterns,
    )
    target = made.result.id
    session.put({"id": target, "originals": [memory.id for memory in made.originals]}, [target])
    say(f"{outcomes.merged(made)}. `memtui unmerge {target}` splits it again.")


def _unmerge_arguments(parser: Parser) -> None:
    parsing.add_id(parser, "the merged memory, or one of its originals")


def _unmerge(arguments: argparse.Namespace, session: Session) -> None:
    """Split the last merge into a memory: the originals are again what they were."""
    from memtui.curate.merge import unmerge

    session.back_up_daily()
    target, originals = unmerge(session.vault, arguments.id, actor=session.actor)
    session.put({"id": target.id, "originals": [memory.id for memory in originals]}, [target.id])
    say(outcomes.unmerged(target, originals))


def _reflect_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "the sources, two to twenty", nargs="+")
    parser.add_value("--text", "TEXT", "the conclusion, or - to read it from standard input")
    parser.add_value("--title", "TEXT", "one line (default: derived from the text)", default="")
    parser.add_value("--why", "TEXT", "the reason for it, and when it applies", default="")
    parser.add_value("--kind", "KIND", f"its kind (default: {DEFAULT_KIND})", default=DEFAULT_KIND)
    parsing.add_list_changes(parser, "a tag", "a file or glob")
    parser.add_flag("--retire", "take the sources out of use (default: keep them)")
    parsing.add_allow_secret(parser)


def _reflect(arguments: argparse.Namespace, session: Session) -> None:
    """Write one conclusion from several notes or lessons. They stay as its sources (derived-from).

    With --retire they go out of use. Tags and files are those of the sources unless you change them.
    """
    from memtui.cli.memories import list_changes
    from memtui.curate.links import Conclusion, propose, reflect

    if arguments.text is None:
        raise UsageError(
            "The conclusion is empty", remedy='Write it: --text "…", or `--text -` to read it from standard input.'
        )
    text = read_input() if arguments.text == "-" else arguments.text
    ids = session.resolve(arguments.id)
    with session.vault.read() as reader:
        found = reader.get_many(ids)
    proposed = propose([found[identifier] for identifier in ids])
    lists = list_changes(arguments, session).values(proposed)
    session.back_up_daily()
    made = reflect(
        session.vault,
        ids,
        Conclusion(
            text=text,
            title=arguments.title,
            kind=arguments.kind,
            why=arguments.why,
            tags=lists.get("tags"),
            anchors=lists.get("anchors"),
            project=session.project,
            allow_secret=arguments.allow_secret,
            is_typed=is_typed(),
        ),
        actor=session.actor,
        retire=arguments.retire,
        secret_patterns=session.secret_patterns,
    )
    session.put({"id": made.memory.id, "sources": [memory.id for memory in made.sources]}, [made.memory.id])
    say(outcomes.reflected(made))


def _ends(parser: Parser) -> None:
    parser.add_value("id", "ID", "the memory that the link starts from", nargs="?")
    parser.add_value("type", "TYPE", ", ".join(LINK_TYPES), nargs="?", choices=LINK_TYPES)
    parser.add_value("other", "ID", "the memory that it points to", nargs="?")


def _check_ends(arguments: argparse.Namespace) -> None:
    if arguments.other is None:
        usage = f"memtui {arguments.command} ID TYPE ID"
        raise UsageError(f"A link has two ends: {usage}", remedy=f"Types: {', '.join(LINK_TYPES)}.")


def _link_arguments(parser: Parser) -> None:
    _ends(parser)
    parser.add_flag("--proposals", "list suggested links, for one ID or for all")
    parser.add_flag("--dismiss", "do not link ID TYPE ID, and never suggest it again")
    parsing.add_all_projects(parser)


def _link(arguments: argparse.Namespace, session: Session) -> None:
    """Link two memories. `A supersedes B` also takes B out of use.

    With --proposals, list the links that usage and similarity suggest; nothing is linked until you say so.
    """
    if arguments.proposals:
        _list_proposals(arguments, session)
        return
    _check_ends(arguments)
    if arguments.dismiss:
        from memtui.analysis.snapshot import NOT_RELATED
        from memtui.curate.resolutions import dismiss

        made = bool(dismiss(session.vault, NOT_RELATED, [arguments.id, arguments.other], actor=session.actor))
        said = "Dismissed: not suggested again until a text changes" if made else "It is already dismissed."
    else:
        from memtui.curate.links import link

        found = link(session.vault, arguments.id, arguments.type, arguments.other, actor=session.actor)
        made, said = found is not None, outcomes.linked(found) if found else "They are already linked like this."
    session.put({"changed": made})
    say(said)


def _unlink(arguments: argparse.Namespace, session: Session) -> None:
    """Remove a link. A memory that nothing supersedes any more is active again."""
    from memtui.curate.links import unlink

    _check_ends(arguments)
    found = unlink(session.vault, arguments.id, arguments.type, arguments.other, actor=session.actor)
    session.put({"changed": True})
    say(outcomes.unlinked(found))


def _list_proposals(arguments: argparse.Namespace, session: Session) -> None:
    if arguments.type is not None:
        raise UsageError(
            "--proposals takes at most one ID", where=arguments.type, remedy="Leave out the type and the second id."
        )
    proposals = _proposals(arguments, session)
    with session.vault.read() as reader:
        found = reader.get_many({end for proposal in proposals for end in proposal.ids})
    titles = {memory.id: memory.title for memory in found.values()}
    rows = (
        [one.from_id, one.type, one.to_id, one.why, f"{titles.get(one.from_id, '')} · {titles.get(one.to_id, '')}"]
        for one in proposals
    )
    session.put_rows(proposal_records(proposals, titles), rows)
    if not session.json:
        ways = "`memtui link ID TYPE ID` creates a link; --dismiss stops suggesting it."
        say(f"{counted(len(proposals), 'suggestion')}. {ways}" if proposals else "No links are suggested.")


def _proposals(arguments: argparse.Namespace, session: Session) -> list[LinkProposal]:
    from memtui.curate.links import link_proposals
    from memtui.curate.snapshot_reader import without_vector

    named = session.resolve([arguments.id] if arguments.id is not None else [])
    scope = EVERYTHING if arguments.all_projects or named else session.view.listing_scope
    if lacking := without_vector(session.vault, MemoryFilter(scope=scope), session.stored_model):
        say(partial_words(lacking))
    found = link_proposals(session.vault, scope, model=session.stored_model)
    return [one for one in found if set(named) <= set(one.ids)]


def _settle_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "the memories: two, or several with --none, --no-duplicates or --gone", nargs="+")
    parser.add_value("--keep", "ID", "this one is right: it supersedes the other")
    parsing.add_repeatable(
        parser,
        "--scope",
        "ID=WHERE",
        "both are right, but this one applies only here: paths, phases or words separated by commas, such as "
        "`legacy/**, release`. It is left out of tasks with other files or in another phase",
    )
    parser.add_flag("--none", "they do not contradict each other: never suggest it again")
    parser.add_flag("--no-duplicates", "they are not duplicates: never suggest it again")
    parser.add_flag("--dismiss", "never suggest again what `tidy` now proposes about them")
    parser.add_value("--gone", "PATH", "accept that this file is missing: never report it again")
    parser.add_value(
        "--alike",
        "BY",
        "with --none, --no-duplicates or --dismiss: every proposal of the same shape (the default), file or sort, as "
        "one change",
        nargs="?",
        const="shape",
        choices=ALIKENESSES,
    )


def _settle(arguments: argparse.Namespace, session: Session) -> None:
    """Settle what `tidy` reports as one change that `undo` reverts.

    Of two memories that contradict each other, one holds (--keep), both do, each somewhere (--scope), or there is no
    contradiction (--none). Memories that only look like duplicates are marked as distinct (--no-duplicates). Any
    proposal of `tidy`, also about one memory, can be dismissed (--dismiss), and a file that is gone be left among the
    files of a memory (--gone). Enough dismissals teach: proposals like
    them are not made again, see `memtui tidy --learned`.
    """
    dismisses = arguments.none or arguments.no_duplicates or arguments.dismiss
    ways = (arguments.keep, arguments.scope, arguments.gone, dismisses)
    if sum(map(bool, ways)) != 1 or arguments.none + arguments.no_duplicates + arguments.dismiss > 1:
        remedy = "Choose one of --keep ID, --scope ID=WHERE, --none, --no-duplicates, --dismiss or --gone PATH."
        raise UsageError("Say how to settle it", remedy=remedy)
    if arguments.alike and not dismisses:
        remedy = "Leave it out to settle one pair."
        raise UsageError("--alike goes with --none, --no-duplicates or --dismiss", remedy=remedy)
    number = len(arguments.id) if dismisses or arguments.gone else 2
    if len(arguments.id) != number:
        raise UsageError("Name the two memories", where=" ".join(arguments.id), remedy="Give two ids.")
    session.back_up_daily()
    if dismisses:
        changed, said = _dismiss(arguments, session)
    elif arguments.gone:
        changed, said = _let_be_gone(arguments, session)
    elif arguments.keep is not None:
        changed, said = _keep_one(arguments, session)
    else:
        changed, said = _keep_both(arguments, session)
    session.put({"changed": changed}, changed)
    say(said)


def _dismiss(arguments: argparse.Namespace, session: Session) -> tuple[list[str], str]:
    from memtui.curate.resolutions import dismiss

    finding = "duplicates" if arguments.no_duplicates else "contradictions"
    groups: list[Sequence[str]] = [arguments.id]
    if arguments.alike or arguments.dismiss:
        from memtui.cli.tidy import tidy_report

        report, ids = tidy_report(session), session.resolve(arguments.id)
        finding = report.finding_about(ids) if arguments.dismiss else finding
        groups = [*report.alike(finding, ids, arguments.alike)] if arguments.alike else [ids]
    made = dismiss(session.vault, VERDICT_OF[finding], *groups, actor=session.actor)
    if not made:
        return [], "That is already settled."
    return [], f"{outcomes.dismissed(tidying.DISMISSED[finding], len(groups))}. {UNDO_HINT}"


def _let_be_gone(arguments: argparse.Namespace, session: Session) -> tuple[list[str], str]:
    from memtui.curate.anchors import let_be_gone

    let_be_gone(session.vault, arguments.id, [arguments.gone], actor=session.actor)
    return [], f"{tidying.left_gone(arguments.gone)}. {UNDO_HINT}"


def _keep_one(arguments: argparse.Namespace, session: Session) -> tuple[list[str], str]:
    from memtui.curate.resolutions import contradiction_of, keep_one

    pair = contradiction_of(session.vault, *arguments.id)
    kept = session.resolve([arguments.keep])[0]
    dropped = keep_one(session.vault, pair, kept, actor=session.actor)
    return [dropped.id], f"{outcomes.superseded(kept, dropped.id)}. {UNDO_HINT}"


def _keep_both(arguments: argparse.Namespace, session: Session) -> tuple[list[str], str]:
    from memtui.curate.resolutions import contradiction_of, keep_both, parse_validity

    pair = contradiction_of(session.vault, *arguments.id)
    scopes = {}
    for given in arguments.scope:
        prefix, sign, where = given.partition("=")
        if not sign:
            raise UsageError("Write a scope as ID=WHERE", where=given, remedy="For example --scope k3f9=legacy/**.")
        scopes[session.resolve([prefix])[0]] = parse_validity(where)
    both = keep_both(session.vault, pair, scopes, actor=session.actor, secret_patterns=session.secret_patterns)
    changed = [memory.id for memory in both if memory.id in scopes]
    places = [(identifier, scopes[identifier].text) for identifier in changed]
    return changed, f"{outcomes.both_kept(places)}. {UNDO_HINT}"


COMMANDS: Commands = {
    "merge": (_merge_arguments, _merge),
    "unmerge": (_unmerge_arguments, _unmerge),
    "reflect": (_reflect_arguments, _reflect),
    "link": (_link_arguments, _link),
    "unlink": (_ends, _unlink),
    "settle": (_settle_arguments, _settle),
}
