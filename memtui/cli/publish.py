"""`memtui export` into the files of assistants, and `memtui loaded`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.output import say, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate.packs import text_changes
from memtui.curate.publishing import chosen, file_changes, selection_of, stale_plans, with_corrections
from memtui.errors import (
    EXIT_CONFLICT,
    EXIT_DONE,
    EXIT_FINDINGS,
    EXIT_NOTHING,
    EXIT_REFUSED,
    MemtuiError,
    UsageError,
    missing_file,
)
from memtui.pack.options import PackOptions
from memtui.publish import managed_blocks
from memtui.publish.apply import publish
from memtui.publish.destinations import base_of, place_named, places
from memtui.publish.edits import finish_unfinished, read_file
from memtui.publish.plan import (
    FilePlan,
    Plan,
    Publisher,
    Selection,
    plan_publication,
    plan_removal,
    standing_publications,
)
from memtui.text.sanitize import reveal
from memtui.text.words import counted
from memtui.wording.publishing import (
    STATES,
    file_words,
    left_out_words,
    loaded_notes,
    loaded_record,
    note_words,
    shown_path,
    size_words,
    stale_words,
    twice_words,
)
from memtui.wording.reasons import counts_words
from memtui.workspace import find_workspace

if TYPE_CHECKING:
    from memtui.capture.loaded import Loaded
    from memtui.publish.apply import Cut
    from memtui.publish.destinations import Place
    from memtui.vault.publications import Publication


def add_publish_arguments(parser: Parser) -> None:
    """Add the options of publishing."""
    parser.add_value("--recipe", "NAME", "an assistant's file: the memories of this recipe (default: all recipes)")
    parser.add_value("--where", "QUERY", "an assistant's file: the memories that this query matches")
    parser.add_flag(
        "--check", "write nothing; exit 7 if a block is out of date; without a target: check every block here"
    )
    parser.add_flag("--remove", "remove the block and restore the file")
    parser.add_flag("--take", "send manual edits of the block to the inbox, then publish")
    parser.add_flag("--force", "overwrite manual edits: of the block, or of files of a vault")


def run_publish(arguments: argparse.Namespace, session: Session) -> int:
    """Publish to an assistant's file, check what stands there, or take it out."""
    _refuse_mixed(arguments)
    if session.vault_path.exists():
        finish_unfinished(session.vault)
    if arguments.check:
        return _check(arguments, session)
    out = session.path(arguments.out) if arguments.out else None
    publisher = publisher_for(session)
    if arguments.take:
        _take(publisher, arguments, session, out)
    force = arguments.force or arguments.take
    if arguments.remove:
        plan = plan_removal(publisher, arguments.target, out=out, force=force)
        nothing = "Nothing is published to this target."
    else:
        selection = _selection(arguments, publisher, session)
        plan = plan_publication(publisher, arguments.target, selection, out=out, force=force)
        plan = with_corrections(session.vault, plan)
        nothing = "Nothing to publish: no memory is in the payload."
    refused = next((file for file in plan.files if file.problem is not None), None)
    if refused is not None:
        return _refuse(refused, plan, publisher, session)
    if not plan.files:
        session.put(_record(plan, publisher.root, dry=True))
        say(nothing)
        if left_out := left_out_words(plan):
            say(left_out)
        return EXIT_NOTHING
    if not arguments.dry_run:
        session.back_up_daily()
        publish(session.vault, [plan], actor=session.actor.name, action="unpublish" if arguments.remove else "publish")
    session.put(_record(plan, publisher.root, dry=arguments.dry_run))
    _show(plan, publisher, session, dry=arguments.dry_run)
    if not arguments.dry_run and not arguments.remove:
        _say_twice(session)
    return EXIT_DONE


def _refuse_mixed(arguments: argparse.Namespace) -> None:
    """Raises `UsageError`: options that exclude each other."""
    acts = [name for name in ("check", "remove", "take") if getattr(arguments, name)]
    if len(acts) > 1:
        raise UsageError("Choose one", where=" ".join(f"--{name}" for name in acts), remedy="Leave the others out.")
    if arguments.recipe is not None and arguments.where is not None:
        raise UsageError("Choose one", where="--recipe --where", remedy="Leave the others out.")
    if arguments.target is None and not arguments.check:
        raise UsageError("A target is needed", where="--target", remedy="See `memtui export --help`.")


def publisher_for(session: Session) -> Publisher:
    """Return for whom and from what is published here."""
    view = session.view
    return Publisher(
        vault=session.vault,
        project=view.project,
        scope=view.payload_scope,
        root=view.root,
        options=PackOptions.of(session.config.context, session.secret_patterns),
        settings=session.config.recall,
        targets=session.config.targets,
        meaning=session.meaning,
    )


def _selection(arguments: argparse.Namespace, publisher: Publisher, session: Session) -> Selection:
    if arguments.where is not None:
        return chosen(publisher, arguments.where, session.config.review.threshold)
    return Selection(recipe=arguments.recipe)


def _take(publisher: Publisher, arguments: argparse.Namespace, session: Session, out: Path | None) -> None:
    """Take what was written into the target's blocks by hand into the inbox."""
    from memtui.capture.hand_edits import take_edit

    plan = plan_publication(publisher, arguments.target, _selection(arguments, publisher, session), out=out)
    for file in plan.files:
        if file.state != "edited" or arguments.dry_run:
            continue
        taken = take_edit(
            session.vault,
            file.path,
            file.target,
            file.written,
            file.on_disk,
            project=publisher.project,
            actor=session.actor,
            secret_patterns=session.secret_patterns,
        )
        say(f"{counted(len(taken), 'memory')} from {file.path.name} into the inbox. {UNDO_HINT}")


def _refuse(file: FilePlan, plan: Plan, publisher: Publisher, session: Session) -> int:
    """Say why nothing is written; of a block that was edited by hand show all three texts."""
    if session.json:
        session.put(_record(plan, publisher.root, dry=True))
    elif file.state == "edited":
        for line in _three_way(file):
            write_line(reveal(line))
    say(str(file.problem))
    return EXIT_CONFLICT if file.state == "edited" else EXIT_REFUSED


def _three_way(file: FilePlan) -> Iterator[str]:
    """Yield how the block was edited by hand, and how what is to be published differs from what was."""
    if file.written:
        yield "by hand, since it was published:"
        yield from text_changes(file.written, file.on_disk)
        yield "by memtui, since it was published:"
        yield from text_changes(file.written, file.head + file.text)
    else:
        yield "on disk, and as it would be published:"
        yield from text_changes(file.on_disk, file.head + file.text)


def _show(plan: Plan, publisher: Publisher, session: Session, *, dry: bool) -> None:
    if session.json:
        return
    for file in plan.files:
        if dry:
            for line in file_changes(file):
                write_line(reveal(line))
        say(("would be: " if dry and file.is_change else "") + file_words(file, publisher.root))
        for note, about in file.notes:
            say(note_words(note, about, shown_path(file.path, publisher.root)))
    if plan.memories:
        say(size_words(plan))
    if left_out := left_out_words(plan):
        say(left_out)
    if not dry and any(file.is_change for file in plan.files):
        say(UNDO_HINT)


def _say_twice(session: Session) -> None:
    """Say which assistants read the same block in several files."""
    from memtui.capture.loaded import paid_twice
    from memtui.capture.loads import assistant_names

    for label, paths in paid_twice(session.folder, Path.home(), assistant_names()).items():
        say(twice_words(label, paths))


def _record(plan: Plan, root: Path, *, dry: bool) -> dict[str, Any]:
    files = [
        {
            "path": shown_path(file.path, root),
            "state": file.standing,
            "changed": file.is_change and not dry,
            "diff": file_changes(file),
            "notes": [note_words(note, about, shown_path(file.path, root)) for note, about in file.notes],
            "problem": None if file.problem is None else str(file.problem),
        }
        for file in plan.files
    ]
    counts: dict[str, Any] = {"memories": plan.memories, "tokens": plan.tokens, "left_out": plan.left_out}
    counts["left_out_by"] = counts_words(plan.withheld)
    return {"target": plan.place.target, "dry_run": dry, **counts, "files": files}


def _check(arguments: argparse.Namespace, session: Session) -> int:
    """Hold every block, or those of one target, against the vault; without one against its own hash."""
    rows = list(_checked(arguments, session))
    session.put([{"target": target, "path": path, "state": state} for target, path, state, _ in rows])
    for target, path, state, problem in rows if not session.json else ():
        if state == "refused":
            say(f"{path}: {problem}")
        elif state != "current":
            say(f"{path}: {STATES[state]}; `memtui export --target {target} --dry-run` shows the difference")
    if not rows:
        say("No memtui block was found here.")
        return EXIT_NOTHING
    if all(state == "current" for _, _, state, _ in rows):
        say(f"{counted(len(rows), 'block')} up to date")
        return EXIT_DONE
    return EXIT_FINDINGS


def _checked(arguments: argparse.Namespace, session: Session) -> Iterator[tuple[str, str, str, MemtuiError | None]]:
    """Yield target, path and state of each block, and why nothing could be written there."""
    has_vault = session.vault_path.exists()  # without one nothing is said of it: CI has none
    root = session.view.root if has_vault else find_workspace(session.folder).root
    known = standing_publications(session.vault, root) if has_vault else {}
    out = session.path(arguments.out) if arguments.out else None
    for place in [place_named(arguments.target)] if arguments.target else places():
        recorded = known.get(place.target)
        found = _by_vault(session, place, recorded) if recorded and out is None else _by_hash(place, root, out)
        for path, state, problem in found:
            yield place.target, shown_path(path, root), state, problem


def _by_vault(
    session: Session, place: Place, recorded: Sequence[Publication]
) -> Iterator[tuple[Path, str, MemtuiError | None]]:
    """Yield what the blocks of a place are, held against what would be published now."""
    publisher = publisher_for(session)
    selection = selection_of(publisher, recorded, session.config.review.threshold)
    for file in plan_publication(publisher, place.target, selection).files:
        yield file.path, file.standing, file.problem


def _by_hash(place: Place, root: Path, out: Path | None) -> Iterator[tuple[Path, str, MemtuiError | None]]:
    """Yield what the blocks of a place are, each by its own hash."""
    base = base_of(place, root) if out is None else out.parent
    named = (base / name for name in (place.path, place.scoped, place.instead) if name)
    for path in named if out is None else [out]:
        state, problem = _own_state(path, base, place.target)
        if state != "missing":
            yield path, state, problem


def _own_state(path: Path, base: Path, target: str) -> tuple[str, MemtuiError | None]:
    """Return what a block is by its own hash, and why that cannot be said."""
    if path.is_dir():
        return "missing", None
    try:
        data = read_file(path, base)
        if data is None or not managed_blocks.has_marker(data, target):
            return "missing", None
        return managed_blocks.check(data, target), None
    except MemtuiError as error:
        return "refused", error


def _loaded_arguments(parser: Parser) -> None:
    from memtui.capture.loads import assistant_names

    parser.add_value("folder", "DIR", "the folder (default: the current one)", nargs="?")
    parser.add_value("--assistant", "A", f"{', '.join(assistant_names())} (default: those that read something here)")


def _loaded(arguments: argparse.Namespace, session: Session) -> int:
    """Show the files that an assistant reads by itself in a folder, in its order, and what they cost a session.

    Also what is cut off by its limits, what it reads twice, and what of it is stale or contradicts the vault.
    """
    from memtui.capture.loaded import loaded
    from memtui.capture.loads import assistant_named, assistant_names
    from memtui.pack.budget import counter_for

    folder = session.path(arguments.folder) if arguments.folder else session.folder
    if not folder.is_dir():
        raise missing_file(folder)
    names = [arguments.assistant] if arguments.assistant else assistant_names()
    counter = counter_for(session.config.context.encoding)
    found = [loaded(assistant_named(name), folder, Path.home(), counter=counter, vault=session.vault) for name in names]
    shown = found if arguments.assistant else [one for one in found if one.files]
    records = [loaded_record(one) for one in shown]
    session.put(records[0] if arguments.assistant else records)
    for one in [] if session.json else shown:
        _write_loaded(one)
    if any(one.files for one in shown):
        return EXIT_DONE
    say("It reads no files here." if arguments.assistant else "No assistant reads any files here.")
    return EXIT_NOTHING


def _write_loaded(found: Loaded) -> None:
    write_line(f"{found.assistant.label} {found.assistant.version} ({found.assistant.source})")
    write_table(
        [f"  {file.shown}", f"{file.bytes:,} bytes", f"{file.tokens:,} tokens", loaded_notes(file)]
        for file in found.files
    )
    for file in found.files:
        for stale in file.stale:
            write_line(f"  {reveal(file.shown)} {reveal(stale_words(stale))}")
    write_line(f"  {found.total_tokens:,} tokens a session")


def _withdraw_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "retired memories (default: all of the project)", nargs="*")
    parser.add_flag("--dry-run", "print what would be removed from the files; write nothing")


def _withdraw(arguments: argparse.Namespace, session: Session) -> int:
    """Take what was retired out of the files that still say it.

    That is its lines in the rule files that it was imported from, and its place in the blocks that memtui published.
    Lines that do not say exactly what the memory says stay.
    """
    from memtui.publish.apply import cut, plan_cuts

    ids = session.resolve(arguments.id) if arguments.id else None
    publisher = publisher_for(session)
    cuts = plan_cuts(session.vault, publisher.root, scope=publisher.scope, ids=ids)
    plans = stale_plans(publisher, ids, session.config.review.threshold)
    refused = next((file for plan in plans for file in plan.files if file.problem is not None), None)
    if refused is not None:
        say(str(refused.problem))
        return EXIT_CONFLICT if refused.state == "edited" else EXIT_REFUSED
    if not arguments.dry_run and (cuts or plans):
        session.back_up_daily()
        cut(session.vault, cuts, actor=session.actor.name)
        if cuts:
            # A block may stand in a file that pieces went from.
            plans = stale_plans(publisher, ids, session.config.review.threshold)
        publish(session.vault, plans, actor=session.actor.name)
    changes = _changes_of(cuts, plans)
    session.put({"files": [{"path": shown_path(path, publisher.root), "diff": diff} for path, diff in changes]})
    if not changes:
        say("No file here still states a retired memory.")
        return EXIT_NOTHING
    if not session.json:
        _show_changes(changes, publisher.root, dry=arguments.dry_run)
    return EXIT_DONE


def _changes_of(cuts: Sequence[Cut], plans: Sequence[Plan]) -> list[tuple[Path, list[str]]]:
    """Return the files that change, each with its difference."""
    changes = [
        (one.path, text_changes(*(data.decode(errors="replace") for data in (one.before, one.after)))) for one in cuts
    ]
    return changes + [(file.path, file_changes(file)) for plan in plans for file in plan.files if file.is_change]


def _show_changes(changes: Sequence[tuple[Path, list[str]]], root: Path, *, dry: bool) -> None:
    for path, diff in changes:
        for line in diff if dry else ():
            write_line(reveal(line))
        say(f"{'would be: ' if dry else ''}{shown_path(path, root)} changed")
    if not dry:
        say(UNDO_HINT)


COMMANDS: Commands = {"loaded": (_loaded_arguments, _loaded), "withdraw": (_withdraw_arguments, _withdraw)}
