"""`memtui export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.cli.output import plural, say, write, write_json
from memtui.cli.parsing import Parser, one_of
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, UsageError
from memtui.publish.export import (
    TARGETS,
    Snapshot,
    export_jsonl,
    export_vault,
    jsonl_text,
    refuse_secrets,
    take_snapshot,
)
from memtui.vault.filters import EVERYTHING, Scope

DESCRIPTIONS = {
    "export": "Write every memory, of any status, to the portable plain-text vault (a folder made for git diff) "
    "or to JSONL. Importing it, here or elsewhere, reproduces it exactly."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--target", metavar="TARGET", required=True, help=" or ".join(TARGETS))
    parser.add_argument(
        "--out", metavar="PATH", help="folder for vault, file for jsonl (jsonl without it: standard output)"
    )
    parser.add_argument(
        "--prune", action="store_true", help="remove memory files of the folder that are not part of this export"
    )
    parser.add_argument("--allow-secret", action="store_true", help="also memories that look as if they held secrets")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, write nothing")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Export the whole vault, or one project with `--project`."""
    one_of(arguments.target, TARGETS, what="target")
    scope = EVERYTHING if session.project is None else Scope((session.project,))
    snapshot = take_snapshot(session.vault, scope)
    if not arguments.allow_secret:
        refuse_secrets(snapshot, session.config.secrets.patterns)
    if arguments.target == "jsonl":
        return _jsonl(arguments, snapshot, session)
    if arguments.out is None:
        raise UsageError("Where to?", where="--out", remedy="Name a folder: --out memories/.")
    report = export_vault(snapshot, Path(arguments.out).expanduser(), prune=arguments.prune, dry_run=arguments.dry_run)
    if session.json:
        write_json(
            {"written": list(report.written), "unchanged": len(report.unchanged), "removed": list(report.removed)}
        )
    will = "would be " if arguments.dry_run else ""
    say(
        f"{plural(len(snapshot.memories), 'memory')}: {plural(len(report.written), 'file')} {will}written, "
        f"{len(report.unchanged)} unchanged, {len(report.removed)} {will}removed in {arguments.out}"
    )
    return EXIT_DONE


def _jsonl(arguments: argparse.Namespace, snapshot: Snapshot, session: Session) -> int:
    text = jsonl_text(snapshot)
    if arguments.out is None or arguments.out == "-":
        if not arguments.dry_run:
            write(text)
    elif not arguments.dry_run:
        export_jsonl(snapshot, Path(arguments.out).expanduser())
    if session.json and arguments.out not in {None, "-"}:
        write_json({"memories": len(snapshot.memories), "bytes": len(text.encode())})
    say(f"{plural(len(snapshot.memories), 'memory')}, {len(text.encode()):,} bytes")
    return EXIT_DONE
