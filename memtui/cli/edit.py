"""`memtui edit`."""

from __future__ import annotations

import argparse
from typing import Any

from memtui.cli.bulk import edit_many
from memtui.cli.output import read_input, say, write_json, write_line
from memtui.cli.parsing import Parser, number, whole_number
from memtui.cli.session import Session
from memtui.curate.fields import ListChanges, anchors_for, check_kind, named_tags, relative_name
from memtui.curate.links import resembling_each
from memtui.curate.memories import edit_memory, is_left_behind
from memtui.curate.views import get_view, view_record
from memtui.domain.memory import Memory
from memtui.errors import EXIT_DONE, MemtuiError, UsageError
from memtui.text.quantities import parse_day, parse_duration
from memtui.wording.outcomes import resembles

DESCRIPTIONS = {
    "edit": "Edit a memory: by options, or as a file in $EDITOR when none is given. A file that cannot be read is kept."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", nargs="?", help="id, or the beginning of one")
    parser.add_argument(
        "--where", metavar="QUERY", help="all that a query chooses in this project: tags, kind, half-life, importance"
    )
    parser.add_argument("--title", metavar="TEXT", help="new title")
    parser.add_argument("--text", metavar="TEXT", help="new text, or - to read it from standard input")
    parser.add_argument("--why", metavar="TEXT", help="new rationale")
    parser.add_argument("--snippet", metavar="TEXT", help="new piece of code")
    parser.add_argument("--kind", metavar="KIND", help="new kind")
    parser.add_argument("--add-tag", metavar="TAG", action="append", default=[], help="repeatable")
    parser.add_argument("--remove-tag", metavar="TAG", action="append", default=[], help="repeatable")
    parser.add_argument(
        "--add-file", metavar="PATH", action="append", default=[], help="tie it to a file or glob; repeatable"
    )
    parser.add_argument("--remove-file", metavar="PATH", action="append", default=[], help="repeatable")
    parser.add_argument("--importance", metavar="N", type=whole_number, help="1 to 5")
    parser.add_argument("--confidence", metavar="X", type=number, help="0 to 1")
    parser.add_argument("--half-life", metavar="DAYS", help="`90d`, `12w` or `kind` to follow its kind again")
    parser.add_argument("--valid-until", metavar="DATE", help="the day from which it is no longer true, or `never`")
    parser.add_argument("--move-to", metavar="PROJECT", help="move it to another project, or to global")
    parser.add_argument("--if-version", metavar="N", type=whole_number, help="only if it still has this version")
    parser.add_argument("--allow-secret", action="store_true", help="store it even if it looks like a secret")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Edit one memory, or all that a query chooses."""
    if arguments.where is not None or arguments.id is None:
        edit_many(arguments, session, _half_life(arguments.half_life) if arguments.half_life else None)
        return EXIT_DONE
    memory = get_view(session.vault, arguments.id).memory
    values, lists = _values(arguments, session), _lists(arguments, session)
    if values or lists:
        saved = _save(arguments, session, memory, values, arguments.if_version, lists)
    else:
        saved = _in_editor(arguments, session, memory)
    if session.json:
        write_json(view_record(get_view(session.vault, saved.id, tree=session.view.tree), session.kinds))
    else:
        write_line(saved.id)
    say(f"version {saved.version}: {saved.title}" if saved.version != memory.version else "nothing was changed")
    if is_left_behind(memory, saved):
        say(f'the title was kept, and the text no longer speaks of it: memtui edit {saved.id} --title "…"')
    from memtui.analysis.resemblance import changed_much

    if changed_much(memory, saved):
        for each, found in resembling_each(session.vault, [saved]):
            say(resembles(each, found))
    return EXIT_DONE


def _save(
    arguments: argparse.Namespace,
    session: Session,
    memory: Memory,
    values: dict[str, Any],
    version: int | None,
    lists: ListChanges | None = None,
) -> Memory:
    session.back_up_daily()
    return edit_memory(
        session.vault,
        memory.id,
        values,
        actor=session.actor,
        lists=lists,
        if_version=version,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.config.secrets.patterns,
    )


def _in_editor(arguments: argparse.Namespace, session: Session, memory: Memory) -> Memory:
    """Save what the person wrote in the editor; its file goes only once that is safe."""
    from memtui.curate.external_editor import edit_in_editor

    version = memory.version if arguments.if_version is None else arguments.if_version
    edited = edit_in_editor(memory)
    for key in edited.left_alone:
        say(f"{key} was left as it is; commands such as pin, retire or verify change it")
    try:
        saved = _save(arguments, session, memory, edited.values, version) if edited.values else memory
    except MemtuiError:
        say(f"What you wrote is kept in {edited.path}")
        raise
    edited.path.unlink(missing_ok=True)
    return saved


def _values(arguments: argparse.Namespace, session: Session) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option, field in (
        ("title", "title"),
        ("why", "rationale"),
        ("snippet", "snippet"),
        ("importance", "importance"),
        ("confidence", "confidence"),
    ):
        if getattr(arguments, option) is not None:
            values[field] = getattr(arguments, option)
    if arguments.text is not None:
        values["insight"] = read_input() if arguments.text == "-" else arguments.text
    if arguments.kind is not None:
        values["kind"] = check_kind(session.kinds, arguments.kind)
    if arguments.half_life is not None:
        values["half_life_days"] = _half_life(arguments.half_life)
    if arguments.valid_until is not None:
        values["valid_until"] = None if arguments.valid_until == "never" else parse_day(arguments.valid_until)
    if arguments.move_to is not None:
        values["project"] = arguments.move_to
    return values


def _lists(arguments: argparse.Namespace, session: Session) -> ListChanges:
    root, folder = session.view.root, session.folder
    return ListChanges(
        add_tags=named_tags(arguments.add_tag),
        remove_tags=named_tags(arguments.remove_tag),
        add_anchors=anchors_for(arguments.add_file, root=root, folder=folder),
        remove_files={relative_name(path, root=root, folder=folder): path for path in arguments.remove_file},
    )


def _half_life(text: str) -> float | None:
    if text == "kind":
        return None
    days = float(text) if text.replace(".", "", 1).isdigit() else parse_duration(text)
    if not 0 < days <= 100_000:  # noqa: PLR2004 - 270 years
        raise UsageError("A half-life is a number of days above 0", where=text)
    return days
