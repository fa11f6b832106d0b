"""The vault's history and health: undo, redo, log, purge, stats, doctor, reindex, backups."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memtui.cli.output import progress, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Commands, Session, no_arguments
from memtui.curate.health import health, health_record
from memtui.curate.projects import unchecked_words
from memtui.domain.memory import Change
from memtui.domain.record import format_time
from memtui.embedding.engine import damage_of, open_engine
from memtui.errors import EXIT_DONE, EXIT_ERROR, EXIT_NOTHING, ConfigError, RefusedError, UsageError
from memtui.text.sanitize import reveal
from memtui.text.words import bar, cell_width, clip, counted, pad
from memtui.vault.lease import log_path
from memtui.vault.search.vectors import drop_others
from memtui.wording import outcomes
from memtui.wording.health import HealthRow, sections, value_rows

if TYPE_CHECKING:
    from memtui.vault.doctor import Check
    from memtui.vault.purge import PurgeReport


def _undo_arguments(parser: Parser) -> None:
    parser.add_argument(
        "change", metavar="CHANGE", nargs="?", type=whole_number, help="number of the change (`memtui log` lists them)"
    )
    parser.add_argument("--any", action="store_true", help="undo the last change by anyone, agents included")


def _undo(arguments: argparse.Namespace, session: Session) -> None:
    """Undo your last change: an edit, a bulk change, an import, a merge. What others changed since stays."""
    from memtui.curate.history import undo

    if arguments.any and arguments.change is not None:
        raise UsageError("CHANGE and --any cannot be combined", remedy="Give one of them.")
    change = undo(session.vault, actor=session.actor, number=arguments.change, anybody=arguments.any)
    session.put(_record(change) | {"state": "undone"})
    say(outcomes.undone(change, elsewhere=change.actor != session.actor.name))


def _redo_arguments(parser: Parser) -> None:
    parser.add_argument("--any", action="store_true", help="redo the last undone change by anyone")


def _redo(arguments: argparse.Namespace, session: Session) -> None:
    """Redo the change that you undid last."""
    from memtui.curate.history import redo

    change = redo(session.vault, actor=session.actor, anybody=arguments.any)
    session.put(_record(change) | {"state": "done"})
    say(outcomes.redone(change, elsewhere=change.actor != session.actor.name))


def _log_arguments(parser: Parser) -> None:
    parser.add_value("--limit", "N", "maximum number of rows (default: 50)", type=whole_number, default=50)


def _log(arguments: argparse.Namespace, session: Session) -> None:
    """Show the newest changes: who, when, what."""
    from memtui.curate.history import log

    changes = log(session.vault, limit=max(0, arguments.limit))
    session.put_rows((_record(change) | {"ids": list(change.memory_ids)} for change in changes), map(_row, changes))
    if not changes and not session.json:
        say("Nothing has been changed yet.")


def _row(change: Change) -> list[str]:
    state = "" if change.state == "done" else change.state
    summary = change.summary + (f" ({change.reason})" if change.reason else "")
    return [str(change.number), f"{change.at:%Y-%m-%d %H:%M}", change.actor, state, summary]


def _record(change: Change) -> dict[str, object]:
    return {
        "number": change.number,
        "at": format_time(change.at),
        "actor": change.actor,
        "action": change.action,
        "summary": change.summary,
        "reason": change.reason,
        "state": change.state,
    }


SHORTEST_PURGED_TEXT = 4  # A shorter text would tear holes into unrelated words


def _purge_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "memories to erase, with their history", nargs="*")
    parser.add_value(
        "--text",
        "STRING",
        "a text to erase wherever it occurs, e.g. a leaked key; case-sensitive, with any white space between words",
    )
    parser.add_flag("--yes", "do not ask")


def _purge(arguments: argparse.Namespace, session: Session) -> int:
    """Erase for good: the vault and its backups are rewritten without it.

    The only command that cannot be undone, and the only one that asks.
    """
    from memtui.vault.purge import purge_memories, purge_text

    if bool(arguments.id) == (arguments.text is not None):
        raise UsageError("Erase what?", remedy="Name ids, or --text STRING.")
    session.only_a_person("purge")
    if arguments.text is not None:
        if len(arguments.text.strip()) < SHORTEST_PURGED_TEXT:
            raise UsageError(
                f"The text is shorter than {SHORTEST_PURGED_TEXT} characters",
                where="--text",
                remedy="Give a longer part of it.",
            )
        confirm_purge("this text wherever it occurs", is_agreed=arguments.yes)
        report = purge_text(session.vault, arguments.text)
    else:
        with session.vault.read() as reader:
            memories = reader.get_many([reader.resolve(prefix) for prefix in arguments.id])
        for memory in memories.values():
            say(f"  {memory.id}  {memory.title}")
        confirm_purge(counted(len(memories), "memory"), is_agreed=arguments.yes)
        report = purge_memories(session.vault, list(memories))
    put_purged(report, session)
    return EXIT_DONE if report.found else EXIT_NOTHING


def put_purged(report: PurgeReport, session: Session) -> None:
    """Print what a purge erased, and what it could not reach."""
    session.put(
        {
            "found": report.found,
            "memories": report.memories,
            "revisions": report.revisions,
            "backups": [str(path) for path in report.backups],
            "leftovers": [str(path) for path in report.leftovers],
            "branches": list(report.branches),
            "variants": dict(report.variants),
        }
    )
    say(outcomes.purged(report) if report.found else "memtui: This text is in neither the vault nor its backups")
    for text, places in report.variants.items():
        say(f"Kept, as it is spelled differently: {text!r} in {counted(places, 'place')}; purge it too if you mean it")
    for path in report.leftovers:
        say(f"{'This file' if path.is_file() else 'This folder'} may still contain it; check it yourself: {path}")
    for branch in report.branches:
        say(f"What was shared stays in the history of {branch}: rewrite it there, as the next sync copies it again")


def confirm_purge(what: str, *, is_agreed: bool) -> None:
    """Ask whether to erase something. Raises `RefusedError`: nobody can answer, or the answer is no."""
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise RefusedError(f"Erasing {what} cannot be undone", where="purge", remedy="Add --yes to go ahead.")
    say(f"Erase {what} permanently from the vault and its backups? [y/N] ")
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise RefusedError("Nothing was erased", where="purge")


_LABEL_CELLS, _VALUE_CELLS, _BAR_CELLS = 18, 9, 24
_WIDTH = 80
_INDENT = " " * 6


def _stats_arguments(parser: Parser) -> None:
    parser.add_flag("--value", "what memories were worth: what assistants were served, and what that saved")


def _stats(arguments: argparse.Namespace, session: Session) -> None:
    """Show counts and the health of the vault."""
    if arguments.value:
        _write_value(session)
        return
    found = health(session.vault, session.health_options)
    if found.unchecked:
        say(unchecked_words(found.unchecked))
    if session.json:
        write_json(health_record(found))
        return
    _write_counts(dict(found.counts))
    for section in sections(found):
        write_line("")
        write_line(section.title)
        for row in section.rows:
            _write_row(row)


def _write_value(session: Session) -> None:
    from memtui.curate.value import value, value_record

    found = value(session.vault, session.view.listing_scope, session.config.value)
    if session.json:
        write_json(value_record(found))
        return
    for row in value_rows(found, most_idle=len(found.idle)):
        _write_row(row)


def _write_counts(counts: dict[str, object]) -> None:
    for name, value in counts.items():
        if isinstance(value, int):
            write_line(f"{name}: {value:,}")
    for name in ("by_status", "by_project"):
        groups = counts.get(name)
        if isinstance(groups, dict) and groups:
            numbers = ", ".join(f"{number:,} {reveal(str(key))}" for key, number in groups.items())
            write_line(f"{name.replace('_', ' ')}: {numbers}")


def _write_row(row: HealthRow) -> None:
    """Write a figure with its bar and note; a note that does not fit beside them follows below."""
    import textwrap

    label = pad(clip(reveal(row.label), _LABEL_CELLS), _LABEL_CELLS)
    line = f"  {label}{row.value:>{_VALUE_CELLS}}"
    note = reveal(row.note)
    if row.is_memory:
        write_line(clip(f"{line}  {note}", _WIDTH))
        return
    if row.chart:
        line = f"{line}  {row.chart}"
    if row.share is not None:
        line = f"{line}  {bar(row.share, _BAR_CELLS)}"
    if cell_width(line) + 2 + cell_width(note) <= _WIDTH:
        write_line(f"{line}  {note}".rstrip())
        return
    write_line(line.rstrip())
    for part in textwrap.wrap(note, _WIDTH - len(_INDENT)):
        write_line(_INDENT + part)


def _doctor_arguments(parser: Parser) -> None:
    parser.add_flag("--repair", "repair damage: replay the log, restore a backup, or salvage the data")


def _doctor(arguments: argparse.Namespace, session: Session) -> int:
    """Check the vault: file, permissions, lock, contents, search index, backups, drive; and what assistants call.

    The hooks and servers that are installed are called as the assistants would. Changes nothing without --repair,
    which keeps a copy of a damaged file before it recovers what it can. Exits 0 when healthy, 1 when damaged.
    """
    from memtui.cli.assistants import wiring_checks
    from memtui.vault.doctor import diagnose
    from memtui.vault.repair import repair

    repaired = repair(session.vault) if arguments.repair else None
    found = diagnose(session.vault)
    checks = [*found.checks, *([_semantic_check(session)] if found.healthy else ()), *wiring_checks(session)]
    checks.append(_hooks_check(session))
    if session.json:
        repair_record = repaired and {
            "outcome": repaired.outcome,
            "kept": str(repaired.kept) if repaired.kept else None,
            "memories": repaired.memories,
            "lines": list(repaired.lines),
        }
        records = [{"name": c.name, "state": _state(c), "detail": c.detail, "remedy": c.remedy} for c in checks]
        write_json({"healthy": found.healthy, "checks": records, "repair": repair_record})
    else:
        write_table([_state(c), c.name, f"{c.detail} ({c.remedy})" if c.remedy else c.detail] for c in checks)
    for line in repaired.lines if repaired else ():
        say(line)
    if not found.healthy:
        say("The vault has problems." + ("" if arguments.repair else " `memtui doctor --repair` repairs what it can."))
    return EXIT_DONE if found.healthy else EXIT_ERROR


def _state(check: Check) -> str:
    if check.ok:
        return "ok"
    return "bad" if check.vital else "warn"


def _hooks_check(session: Session) -> Check:
    """Check whether hooks of assistants had to stay silent because something was wrong."""
    from memtui.assist.hooks.run import RECENT, recent_failures
    from memtui.vault.doctor import Check

    failures = recent_failures(session.vault.now())
    if not failures:
        return Check("hooks", ok=True, detail=f"none failed in the last {RECENT.days} days", vital=False)
    last = failures[-1]
    detail = f"{counted(len(failures), 'hook')} failed without an answer in the last {RECENT.days} days"
    last_words = f"the last at {last.at:%Y-%m-%d %H:%M} ({last.hook}): {reveal(last.what)}"
    return Check("hooks", ok=False, detail=f"{detail}, {last_words}", vital=False)


def _semantic_check(session: Session) -> Check:
    """Check whether semantic search works as configured and installed."""
    from memtui.recall.embedding_cache import semantic_state
    from memtui.vault.doctor import Check

    try:
        state = semantic_state(session.vault, session.config.embedding.model)
    except ConfigError as error:
        return Check(
            "semantic", ok=False, detail=f"off: {error.what} ({error.where})", remedy=error.remedy, vital=False
        )
    model = state.model
    problem = damage_of(model) if model.usable else ""
    if problem:
        return Check("semantic", ok=False, detail=f"off: {problem}", remedy=model.remedy, vital=False)
    remedy = "" if model.usable else model.remedy
    if state.missing:
        remedy = "`memtui reindex` computes the missing vectors"
    return Check("semantic", ok=model.usable or model.state == "off", detail=state.words, remedy=remedy, vital=False)


def _reindex(arguments: argparse.Namespace, session: Session) -> None:
    """Rebuild the search index from the memories, in one transaction, then the vectors.

    Makes the vectors that are missing and drops those of other models. After Ctrl+C the next run continues.
    """
    from memtui.vault.repair import reindex

    number = reindex(session.vault, progress=progress("indexing"))
    say(f"Indexed {counted(number, 'memory')}")
    embedded, off = _embed(session)
    session.put({"memories": number, "embedded": embedded, "semantic": off or "on"})


def _embed(session: Session) -> tuple[int, str]:
    """Make the missing vectors; returns how many, and why not where the model is off."""
    from memtui.recall.embedding_cache import embed_missing, semantic_state

    state = semantic_state(session.vault, session.config.embedding.model)
    if not state.model.usable:
        say(f"semantic {state.words}" + (f". {state.model.remedy}" if state.model.remedy else ""))
        return 0, state.model.problem or "off"
    embedded = 0
    if state.missing:
        engine = open_engine(session.config.embedding.model)
        if engine is not None:
            embedded = embed_missing(session.vault, engine, progress=progress("embedding"))
        say(f"Embedded {counted(embedded, 'memory')} ({state.model.name})")
    if state.others:
        # Only now: until here they were all that there was.
        drop_others(session.vault, state.model.name)
    return embedded, ""


def _vault_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add("path", "print the path of the vault", _vault_path)
    backup = add("backup", "copy the vault; prints the copy's path", _back_up)
    backup.add_value("--to", "PATH", "a path other than the backup folder")
    back = add("restore", "replace the vault with a backup; the current vault is backed up first", _restore)
    back.add_value("name", "BACKUP", "file name or path (default: the newest)", nargs="?")
    add("backups", "list the backups, newest first", _list_backups)


def _vault(arguments: argparse.Namespace, session: Session) -> None:
    """Show, back up or restore the vault file."""
    raise UsageError("Which action?", remedy="Choose from path, backup, restore and backups.")


def _vault_path(arguments: argparse.Namespace, session: Session) -> None:
    path = session.vault.path
    waiting = session.vault.log_bytes
    if waiting:
        say(
            f"The file alone is incomplete: {waiting:,} bytes of changes are in {log_path(path).name} next to it."
            " `memtui vault backup` copies both into one file."
        )
    session.put({"path": str(path)}, [str(path)])


def _back_up(arguments: argparse.Namespace, session: Session) -> None:
    from pathlib import Path

    from memtui.vault.repair import back_up

    path = back_up(session.vault, to=Path(arguments.to).expanduser() if arguments.to else None)
    session.put({"path": str(path)}, [str(path)])


def _restore(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.vault.repair import restore

    session.only_a_person("restore the vault")
    used, kept = restore(session.vault, arguments.name)
    say(f"Restored {used.name}" + (f"; the previous vault is {kept.name}" if kept else ""))
    session.put({"path": str(used)}, [str(used)])


def _list_backups(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.vault.backups import backups_of

    found = backups_of(session.vault.path)
    paths = [str(path) for path in found.own]
    session.put(paths, paths)
    if found.unclear:
        say(found.unclear_words)
    elif not paths and not session.json:
        say("No backup yet.")


COMMANDS: Commands = {
    "undo": (_undo_arguments, _undo),
    "redo": (_redo_arguments, _redo),
    "log": (_log_arguments, _log),
    "purge": (_purge_arguments, _purge),
    "stats": (_stats_arguments, _stats),
    "doctor": (_doctor_arguments, _doctor),
    "reindex": (no_arguments, _reindex),
    "vault": (_vault_arguments, _vault),
}
