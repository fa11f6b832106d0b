"""`memtui doctor`."""

from __future__ import annotations

import argparse

from memtui.cli.output import say, write_json, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.embedding.engine import damage_of
from memtui.errors import EXIT_DONE, EXIT_ERROR, ConfigError
from memtui.vault.doctor import Check, Diagnosis, Repair, diagnose, repair

DESCRIPTIONS = {
    "doctor": "Check the vault: file, permissions, lock, contents, search index, backups, drive. Changes nothing "
    "without --repair, which keeps a copy of a damaged file before it brings back what can be had. "
    "Exit 0 when healthy, 1 when damaged."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--repair", action="store_true", help="mend what is damaged: fold the log, restore a backup, or salvage"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Examine, and repair when asked to."""
    mended = repair(session.vault) if arguments.repair else None
    found = diagnose(session.vault)
    if found.healthy:
        found = Diagnosis((*found.checks, _semantic_check(session)))
    if session.json:
        write_json(
            {
                "healthy": found.healthy,
                "checks": [
                    {"name": check.name, "state": _state(check), "detail": check.detail, "remedy": check.remedy}
                    for check in found.checks
                ],
                "repair": None if mended is None else _record(mended),
            }
        )
    else:
        write_table([[_state(check), check.name, _words(check)] for check in found.checks])
    for line in mended.lines if mended else ():
        say(line)
    if not found.healthy:
        say("The vault is not healthy." + ("" if arguments.repair else " `memtui doctor --repair` mends what it can."))
    return EXIT_DONE if found.healthy else EXIT_ERROR


def _semantic_check(session: Session) -> Check:
    """Say whether meaning plays a part in recall, as the configuration and what is installed have it."""
    from memtui.recall.embedding_cache import semantic_state

    try:
        state = semantic_state(session.vault, session.config.embedding.model)
    except ConfigError as error:
        detail = f"off: {error.what} ({error.where})"
        return Check("semantic", ok=False, detail=detail, remedy=error.remedy, vital=False)
    wanted = state.model.state != "off"
    problem = damage_of(state.model) if state.model.usable else ""
    if problem:
        return Check("semantic", ok=False, detail=f"off: {problem}", remedy=state.model.remedy, vital=False)
    remedy = "" if state.model.usable else state.model.remedy
    if state.missing:
        remedy = "`memtui reindex` makes the vectors that are missing"
    return Check("semantic", ok=state.model.usable or not wanted, detail=state.words, remedy=remedy, vital=False)


def _state(check: Check) -> str:
    if check.ok:
        return "ok"
    return "bad" if check.vital else "warn"


def _words(check: Check) -> str:
    return f"{check.detail} ({check.remedy})" if check.remedy else check.detail


def _record(mended: Repair) -> dict[str, object]:
    return {
        "outcome": mended.outcome,
        "kept": str(mended.kept) if mended.kept else None,
        "memories": mended.memories,
        "lines": list(mended.lines),
    }
