"""`memtui inbox`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from memtui.cli import parsing
from memtui.cli.inbox_care import back, expire, expired, folded, keep_mine, list_conflicts, take_theirs, waiting_in
from memtui.cli.inbox_listing import put_candidates
from memtui.cli.output import say
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate import lifecycle
from memtui.domain.memory import planted_reasons
from memtui.errors import MemtuiError, NotFoundError, UsageError
from memtui.text.words import counted
from memtui.vault.filters import MemoryFilter
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.bulk_changes import Outcome
    from memtui.curate.inbox import Offer
    from memtui.curate.query import Query

SHOWN_CHARACTERS = 200
SHOWN_PROJECTS = 4


def _inbox_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    listing = add("list", "list waiting candidates (default)", _list, is_default=True)
    _add_choice(listing)
    listing.add_flag("--whole", "also hidden proposals: all but the most certain of a session or agent")
    accept = add("accept", "accept candidates", _accept)
    parsing.add_ids(accept, nargs="*")
    accept.add_flag("--all", "everything in the current project, except unassigned ones")
    _add_choice(accept)
    accept.add_value("--kind", "KIND", "give them this kind")
    accept.add_flag("--dry-run", "print what would be accepted; change nothing")
    reject = add("reject", "reject candidates for good", _reject)
    parsing.add_ids(reject, nargs="*")
    _add_choice(reject)
    reject.add_flag("--dry-run", "print what would be rejected; change nothing")
    parsing.add_reason(reject)
    kind = add("kind", "give candidates another kind", _kind)
    kind.add_value("kind", "KIND", "the new kind")
    parsing.add_ids(kind, nargs="*")
    _add_choice(kind)
    kind.add_flag("--dry-run", "print what would change; change nothing")
    edit = add("edit", "decide on candidates in one text in $EDITOR", _edit)
    parsing.add_ids(edit, nargs="*")
    _add_choice(edit)
    edit.add_flag("--yes", "apply the decisions without asking")
    never = add("never", "ignore a file in future imports, and reject its candidates", _never)
    never.add_value("file", "FILE", "the file, as its candidates name it", nargs="?")
    never.add_flag("--list", "list the ignored files")
    never.add_flag("--undo", "stop ignoring the file, and restore the candidates rejected with it")
    putting = add("expire", "expire candidates that are too old, or whose files or source text are gone", expire)
    putting.add_flag("--dry-run", "print what would expire; change nothing")
    add("expired", "list expired candidates", expired)
    parsing.add_ids(add("back", "return expired candidates to the inbox", back))
    add("conflicts", "list memories edited both here and in their source, or by the team", list_conflicts)
    keep = add("keep", "resolve conflicts: keep the memory's text (the team's text)", keep_mine)
    parsing.add_ids(keep)
    take = add("take", "resolve conflicts: take the source's text (your text, alongside the team's)", take_theirs)
    parsing.add_ids(take)
    parsing.add_allow_secret(take)


def _add_choice(parser: Parser) -> None:
    parser.add_value("--file", "PATH", "only from this file or folder")
    parser.add_value("--section", "HEADING", "only from this section; join nested headings with ' > '")
    parser.add_value("--of-kind", "KIND", "only those of this kind")
    parsing.add_where(parser, "only those that a query matches")


def _list(arguments: argparse.Namespace, session: Session) -> None:
    """Accept or reject candidates: imported or proposed, and in no payload until a person accepts them.

    What an import found edited both here and in its source waits under `inbox conflicts`.
    """
    from memtui.curate.views import list_memories

    wanted = waiting_in(session, with_unassigned=session.project is None)
    narrowed = any(getattr(arguments, name, None) for name in ("file", "section", "of_kind", "where"))
    offers = _offers(arguments, session) if narrowed else _read(session, wanted)
    less_sure = {} if narrowed else _less_sure(arguments, session, offers)
    hidden = {offer.id for rest in less_sure.values() for offer in rest}
    if narrowed or hidden:
        wanted = replace(wanted, ids=tuple(offer.id for offer in offers if offer.id not in hidden))
    put_candidates(session, list_memories(session.vault, wanted, sort="created"), offers, less_sure)


def _less_sure(arguments: argparse.Namespace, session: Session, offers: Sequence[Offer]) -> dict[str, list[Offer]]:
    """Return the proposals that are folded, by their source; none where all are wanted."""
    if session.json or getattr(arguments, "whole", False):
        return {}
    return folded(session, offers)


def _read(session: Session, wanted: MemoryFilter) -> list[Offer]:
    from memtui.curate.inbox import read_offers

    if not session.vault.exists:
        return []
    with session.vault.read() as reader:
        return read_offers(reader, wanted)


def _offers(arguments: argparse.Namespace, session: Session) -> list[Offer]:
    """Return the candidates that ids choose, or file, section and kind; those narrow `--all` too.

    Raises:
        UsageError: ids and one of the others are given, or none of them.
        NotFoundError: nothing waits there, or an id is unknown.
    """
    from memtui.curate.inbox import chosen_offers, read_offers

    identifiers = getattr(arguments, "id", None) or []
    file, section, kind = arguments.file, arguments.section, getattr(arguments, "of_kind", None)
    query = getattr(arguments, "where", None)
    all_of_them = getattr(arguments, "all", False)
    if bool(identifiers) == any((file, section, kind, query, all_of_them)):
        ways = "Name ids, or choose with --file, --section, --of-kind or --where"
        if "all" in arguments:
            ways = f"{ways}, or --all"
        raise UsageError("Which candidates?", remedy=f"{ways}. See `memtui inbox --help`.")
    wanted = waiting_in(session, with_unassigned=session.project is None and not all_of_them)
    if query:
        wanted = replace(_query(session, query).narrow(wanted), statuses=wanted.statuses)
    with session.vault.read() as reader:
        if identifiers:
            ids = tuple(dict.fromkeys(map(reader.resolve, identifiers)))
            wanted = MemoryFilter(statuses=None, ids=ids)
        offers = read_offers(reader, wanted)
    if offers and not any((file, section, kind)):
        return offers
    return chosen_offers(offers, file=file, section=section, kind=kind)


def _query(session: Session, text: str) -> Query:
    from memtui.curate.query import parse_choice

    return parse_choice(text, session.kinds, session.vault.now())


def _shows(arguments: argparse.Namespace, session: Session, offers: Sequence[Offer], verb: str) -> bool:
    """Print what a dry run would decide on; False if it is none."""
    if not arguments.dry_run:
        return False
    rows = ([one.id, one.kind, _place(one), one.title] for one in offers)
    session.put_rows(({"id": one.id, "kind": one.kind, "path": one.path, "title": one.title} for one in offers), rows)
    if not session.json:
        say(f"Dry run: would {verb} {counted(len(offers), 'candidate')}. Nothing was changed.")
    return True


def _place(offer: Offer) -> str:
    return f"{offer.path}:{offer.line}" if offer.path and offer.line else offer.path or offer.origin


def _accept(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.fields import check_kind
    from memtui.curate.inbox import decide

    kind = check_kind(session.kinds, arguments.kind) if arguments.kind else None
    narrowed = arguments.file or arguments.section or arguments.of_kind or arguments.where
    if (arguments.all or arguments.id) and not narrowed and not arguments.dry_run:
        session.back_up_daily()
        _put_accepted(session, _accept_named(arguments, session, kind))
        return
    offers = _offers(arguments, session)
    if _shows(arguments, session, [replace(one, kind=kind or one.kind) for one in offers], "accept"):
        return
    session.back_up_daily()
    versions = {offer.id: offer.version for offer in offers}
    outcome = decide(
        session.vault,
        list(versions),
        actor=session.actor,
        folder=session.folder,
        project=session.project,
        edits={offer.id: {"kind": kind} for offer in offers} if kind else None,
        versions=versions,
        careful=True,
    )
    _put_accepted(session, outcome)


def _all_offers(session: Session) -> list[Offer]:
    from memtui.curate.inbox import read_offers

    with session.vault.read() as reader:
        return read_offers(reader, waiting_in(session, with_unassigned=False))


def _accept_named(arguments: argparse.Namespace, session: Session, kind: str | None) -> Outcome:
    """Accept what ids name, or all, and give it another kind if one is named."""
    return lifecycle.accept(
        session.vault,
        _chosen(arguments, session),
        actor=session.actor,
        folder=session.folder,
        project=session.project,
        kind=kind,
    )


def _put_accepted(session: Session, outcome: Outcome) -> None:
    from memtui.curate.links import resembling_each

    session.put_outcome(outcome, "Accepted")
    with session.vault.read() as reader:
        replaced = lifecycle.left_beside(reader, outcome.changed)
    for memory in outcome.changed:
        if held := outcomes.held(memory, f"`memtui verify {memory.id}`"):
            say(f"{held}.")
        for old in replaced.get(memory.id, ()):
            say(outcomes.proposed_to_replace(memory, old))
    for memory, found in resembling_each(session.vault, outcome.changed):
        say(outcomes.resembles(memory, found))
    unassigned = sum(memory.project is None and memory.status == "active" for memory in outcome.changed)
    if unassigned:
        say(f"In no payload without a project: {counted(unassigned, 'memory')} (memtui edit ID --move-to PROJECT)")


def _chosen(arguments: argparse.Namespace, session: Session) -> list[str]:
    if not arguments.all:
        return list(arguments.id)
    with session.vault.read() as reader:
        # Unassigned ones would go to the project in view: that is decided one by one.
        waiting = reader.select(waiting_in(session, with_unassigned=False), sort="created", now=session.vault.now())
    planted = {memory.id: reasons for memory in waiting if (reasons := planted_reasons(memory))}
    for identifier, reasons in planted.items():
        say(f"{identifier} skipped: its text looks planted: it {reasons[0]}; read it, then accept it by its id")
    return [memory.id for memory in waiting if memory.id not in planted]


def _reject(arguments: argparse.Namespace, session: Session) -> None:
    chosen = arguments.id
    narrowed = arguments.file or arguments.section or arguments.of_kind or arguments.where
    if arguments.dry_run or narrowed or not chosen:
        offers = _offers(arguments, session)
        if _shows(arguments, session, offers, "reject"):
            return
        chosen = [offer.id for offer in offers]
    session.back_up_daily()
    outcome = lifecycle.reject(
        session.vault,
        chosen,
        actor=session.actor,
        reason=arguments.why,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )
    session.put_outcome(outcome, "Rejected")


def _kind(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.fields import check_kind

    offers, kind = _offers(arguments, session), check_kind(session.kinds, arguments.kind)
    if _shows(arguments, session, [replace(one, kind=kind) for one in offers], f"make {kind} of"):
        return
    session.back_up_daily()
    versions = {offer.id: offer.version for offer in offers}
    outcome = lifecycle.change_kind(session.vault, list(versions), kind, actor=session.actor, versions=versions)
    session.put_outcome(outcome, f"Now {kind}")


def _edit(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.external_editor import (
        discard_untouched,
        find_editor,
        read_text_file,
        run_editor,
        write_text_file,
    )
    from memtui.curate.inbox import decide
    from memtui.curate.inbox_sheet import read_sheet, write_sheet

    session.only_a_person("decide on candidates")
    named = (arguments.id, arguments.file, arguments.section, arguments.of_kind, arguments.where)
    offers = _offers(arguments, session) if any(named) else _all_offers(session)
    with session.vault.read() as reader:
        found = reader.get_many(offer.id for offer in offers)
    sheet = write_sheet([found[offer.id] for offer in offers if found[offer.id].status == "candidate"])
    if not sheet.memories:
        raise NotFoundError("The inbox is empty", remedy="`memtui import .` adds candidates.")
    find_editor()
    file = write_text_file(sheet.text, "inbox")
    run_editor(file)
    try:
        decisions = read_sheet(sheet, read_text_file(file), session.kinds)
    except UsageError as error:
        raise UsageError(f"{error.what} ({error.where})", where=str(file.path), remedy=error.remedy) from error
    if decisions is None or not (arguments.yes or _agreed(decisions.words, file.path)):
        discard_untouched(file)
        say(f"Nothing was changed.{f' The text was kept: {file.path}' if file.path.exists() else ''}")
        session.put({"changed": [], "unchanged": []})
        return
    session.back_up_daily()
    try:
        outcome = decide(
            session.vault,
            decisions.accepted,
            decisions.rejected,
            actor=session.actor,
            folder=session.folder,
            project=session.project,
            edits=decisions.edits,
            versions=sheet.versions,
            secret_patterns=session.secret_patterns,
        )
    except MemtuiError:
        say(f"The text was kept: {file.path}")
        raise
    file.path.unlink(missing_ok=True)
    session.put_outcome(outcome, "Decided on")


def _agreed(words: str, path: Path) -> bool:
    """Ask whether to apply what a text decides.

    Raises:
        UsageError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise UsageError(f"The text says: {words}", where=str(path), remedy="Add --yes to apply it.")
    print(f"{words[0].upper()}{words[1:]}. Apply? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _never(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.inbox import never_offer

    if bool(arguments.file) == arguments.list or (arguments.list and arguments.undo):
        raise UsageError("Which file?", remedy="Name a file, or use --list; see `memtui inbox never --help`.")
    if arguments.list:
        _list_never(session)
        return
    session.back_up_daily()
    if arguments.undo:
        _offer_again(arguments.file, session)
        return
    project, path = _file_named(arguments.file, session)
    outcome = never_offer(session.vault, project, path, actor=session.actor, folder=session.folder)
    session.put({"path": path, "project": project, "changed": [one.id for one in outcome.changed]})
    say(f"Ignored in future imports: {path}; {counted(len(outcome.changed), 'candidate')} rejected.")
    say(f"{UNDO_HINT} Later `memtui inbox never --undo {quote(path)}` stops ignoring it.")


def _list_never(session: Session) -> None:
    from memtui.vault.passed_files import passed_file_record, passed_files

    with session.vault.read() as reader:
        files = passed_files(reader)
    records = [passed_file_record(one) for one in files]
    rows = ([one.project or "unassigned", one.path, f"{one.at:%Y-%m-%d}", one.actor] for one in files)
    session.put_rows(({key: one[key] for key in ("project", "path", "at", "actor")} for one in records), rows)
    if not session.json:
        said = f"{counted(len(files), 'file')}. `memtui inbox never --undo FILE` stops ignoring one."
        say(said if files else "No files are ignored.")


def _offer_again(name: str, session: Session) -> None:
    from memtui.curate.inbox import offer_file_again, passed_file

    projects = session.view.scope.projects
    file = passed_file(session.vault, (*projects, None) if projects else (), name)
    outcome = offer_file_again(session.vault, file, actor=session.actor)
    session.put({"path": file.path, "project": file.project, "changed": [one.id for one in outcome.changed]})
    say(f"Offered again: {file.path}; {counted(len(outcome.changed), 'candidate')} back in the inbox. {UNDO_HINT}")


def _file_named(name: str, session: Session) -> tuple[str | None, str]:
    """Return the project and path that a file has in candidates, else those that an import would give it."""
    from memtui.curate.fields import relative_name
    from memtui.curate.inbox import chosen_offers, read_offers
    from memtui.curate.projects import root_for

    with session.vault.read() as reader:
        offers = read_offers(reader, waiting_in(session, with_unassigned=session.project is None))
        root = root_for(reader, session.folder)
    path = relative_name(name, root=root, folder=session.folder)
    if (root / path).is_symlink():  # what a link leads to is the file that candidates name
        path = relative_name(os.path.realpath(root / path), root=root, folder=session.folder)
    for wanted in dict.fromkeys((path, name)):
        with suppress(NotFoundError):
            places = {(offer.project, offer.path) for offer in chosen_offers(offers, file=wanted)}
            if len(places) == 1:
                project, found = places.pop()
                return project, str(found)
            if len(places) > 1:
                names = ", ".join(sorted(str(found) for _, found in places))
                raise UsageError("Several files have this name", where=name, remedy=f"Name one: {names}.")
    return session.view.project, path


COMMANDS: Commands = {"inbox": (_inbox_arguments, _list)}
