"""`memtui pack`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from memtui.cli.context import diff_record, payload_of, standing_recipes, tell_diff
from memtui.cli.output import plural, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser, global_options, whole_number
from memtui.cli.session import Session
from memtui.curate.packs import AWAITING_DAYS, as_it_was, feedback_on, options_of, packs_awaiting_feedback, text_changes
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.build import Pack
from memtui.pack.options import PackOptions, choices_words, standing_of, task_of
from memtui.pack.recipes import compare, get_pack, list_packs
from memtui.pack.targets.registry import target_named
from memtui.text.sanitize import one_line
from memtui.vault.packs import ABOUT_MEMORIES, StoredPack

DESCRIPTIONS = {
    "pack": "A pack is a payload that was used: copied, or recorded with --record. Its text is not kept, only which "
    "versions of memories were in it and what it was made with, so that `memtui feedback` can say whether they helped."
}

PLENTY = 50


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", parents=[parent], help="list the packs used last (default)")
    listing.add_argument(
        "--limit", metavar="N", type=whole_number, default=PLENTY, help=f"most rows (default: {PLENTY})"
    )
    listing.add_argument(
        "--awaiting",
        action="store_true",
        help=f"only those copied {AWAITING_DAYS:.0f} days ago or earlier without any feedback",
    )
    show = actions.add_parser("show", parents=[parent], help="show one pack and its memories")
    show.add_argument("id", metavar="ID", help="a pack's id, or the beginning of one")
    show.add_argument(
        "--payload", action="store_true", help="its very bytes, built again from the versions of memories that it held"
    )
    show.add_argument("--diff", action="store_true", help="what its task gives today, beside what it was")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """List packs, or show one."""
    return _show(arguments, session) if arguments.action == "show" else _list(arguments, session)


def _list(arguments: argparse.Namespace, session: Session) -> int:
    limit = getattr(arguments, "limit", PLENTY)
    if limit < 0:
        raise UsageError("--limit is a number from 0", where=str(limit))
    if arguments.action and arguments.awaiting:
        packs = packs_awaiting_feedback(session.vault, project=session.project)[:limit]
    else:
        packs = list_packs(session.vault, limit)
    said = feedback_on(session.vault, packs)
    if session.json:
        write_json([_record(pack, said) for pack in packs])
        return EXIT_DONE
    write_table(
        [
            [
                pack.id,
                f"{pack.made_at:%Y-%m-%d %H:%M}",
                pack.project or "",
                pack.target,
                f"{pack.tokens:,} tokens",
                plural(len(pack.members), "memory"),
                _said(said[pack.id]),
                _task(pack),
            ]
            for pack in packs
        ]
    )
    if not packs:
        say("No packs yet: `memtui context` records one with --copy or --record.")
    return EXIT_DONE


def _show(arguments: argparse.Namespace, session: Session) -> int:
    pack = get_pack(session.vault, arguments.id)
    if arguments.payload:
        return _show_payload(pack, session)
    if arguments.diff:
        return _show_diff(pack, arguments, session)
    with session.vault.read() as reader:
        memories = reader.get_many([member.memory_id for member in pack.members])
    said = feedback_on(session.vault, [pack])
    titles = {identifier: memory.title for identifier, memory in memories.items()}
    if session.json:
        members = [
            {
                "id": member.memory_id,
                "title": titles.get(member.memory_id),
                "version": member.version,
                "tokens": member.tokens,
                "score": round(member.score, 6),
            }
            for member in pack.members
        ]
        write_json({**_record(pack, said), "members": members})
        return EXIT_DONE
    write_line(f"{pack.id}  {pack.made_at:%Y-%m-%d %H:%M}  {pack.actor}  {pack.project or 'every project'}")
    write_line(f"Task     {_task(pack)}")
    chosen = choices_words(pack.options)
    write_line(f"Payload  {pack.target}, {pack.tokens:,} tokens ({pack.encoding}), budget {pack.budget}")
    if chosen:
        write_line(f"Chosen   {chosen}")
    write_line(f"Feedback {_said(said[pack.id])}")
    write_table(
        [
            [
                member.memory_id,
                f"{member.score:.2f}",
                f"{member.tokens} tokens",
                titles.get(member.memory_id, "(erased)"),
            ]
            for member in pack.members
        ]
    )
    if not said[pack.id]:
        say(f"did it help? memtui feedback {pack.id} helped")
    return EXIT_DONE


def _show_payload(pack: StoredPack, session: Session) -> int:
    found = _as_it_was(pack, session)
    if session.json:
        write_json({"id": pack.id, "payload": found.payload if found else None})
    elif found is not None:
        write(found.payload)
    if found is None:
        why = "a memory was purged or had been shortened, or a file changed since"
        say(f"The bytes of pack {pack.id} cannot be had any more: {why}")
        return EXIT_NOTHING
    return EXIT_DONE


def _show_diff(pack: StoredPack, arguments: argparse.Namespace, session: Session) -> int:
    if session.project is None and pack.project is not None:
        session = Session(argparse.Namespace(**vars(arguments) | {"project": pack.project}))
    usual = PackOptions.of(session.config.context, session.config.secrets.patterns)
    task = task_of(pack.task, pack.files, pack.options)
    options = options_of(pack, usual)
    _, today, _ = payload_of(session, task, options, pack.target)
    before, diff = _as_it_was(pack, session), compare(today, pack)
    lines = text_changes(before.payload, today.payload) if before else None
    if session.json:
        write_json({"id": pack.id, **diff_record(diff), "tokens": today.tokens, "lines": lines})
        return EXIT_DONE
    if lines is None:
        say("Its bytes cannot be had any more, so memories are compared alone.")
    for line in lines or ():
        write_line(line)
    titles = {one.memory.id: one.memory.title for one in today.included}
    tell_diff(diff, titles)
    _tell_recipes(session, options.standing)
    say(f"{pack.tokens:,} tokens then, {today.tokens:,} today")
    return EXIT_DONE


def _tell_recipes(session: Session, then: Sequence[str] | None) -> None:
    """Say which recipes came to the standing payload or left it; nothing of the pack of a task."""
    if then is None:
        return
    now = [recipe.name for recipe in standing_recipes(session)]
    moved = [f"+ {name}" for name in now if name not in then] + [f"- {name}" for name in then if name not in now]
    if moved:
        say(f"recipes: {', '.join(moved)}")


def _as_it_was(pack: StoredPack, session: Session) -> Pack | None:
    usual = PackOptions.of(session.config.context, session.config.secrets.patterns)
    form = target_named(pack.target, session.config.targets)
    return as_it_was(session.vault, pack, form, usual, session.view.tree)


def _task(pack: StoredPack) -> str:
    standing = standing_of(pack.options)
    if standing is not None:
        return one_line(f"the standing payload: {', '.join(standing)}" if standing else "the standing payload")
    return one_line(" ".join((pack.task, *pack.files)))


def _said(said: Mapping[str, int]) -> str:
    return ", ".join(f"{verdict} {number}×" for verdict, number in said.items()) or "none yet"


def _record(pack: StoredPack, said: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    return {
        "id": pack.id,
        "time": format_time(pack.made_at),
        "actor": pack.actor,
        "project": pack.project,
        "task": pack.task,
        "files": list(pack.files),
        "target": pack.target,
        "budget": pack.budget,
        "encoding": pack.encoding,
        "tokens": pack.tokens,
        # What was chosen; what the files were like is kept for the payload alone.
        "options": {name: value for name, value in pack.options.items() if name not in ABOUT_MEMORIES},
        "members": [member.memory_id for member in pack.members],
        "feedback": dict(said[pack.id]),
    }
