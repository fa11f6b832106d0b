"""`memtui stats`."""

from __future__ import annotations

import argparse
import textwrap

from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.health import HealthOptions, HealthRow, bar, health, health_record, sections
from memtui.curate.projects import unchecked_words
from memtui.errors import EXIT_DONE
from memtui.text.sanitize import reveal
from memtui.text.width import cell_width, clip, pad

_LABEL_CELLS, _VALUE_CELLS, _BAR_CELLS = 18, 9, 24
_WIDTH = 80
_INDENT = " " * 6


def configure(parser: Parser) -> None:
    """Add no options."""


def run(arguments: argparse.Namespace, session: Session) -> int:  # noqa: ARG001 - every command is called alike
    """Print the counts, and what shape the vault is in."""
    config = session.config
    found = health(
        session.vault,
        HealthOptions(
            view=session.view,
            threshold=config.review.threshold,
            context=config.context,
            recall=config.recall,
            secret_patterns=config.secrets.patterns,
            targets=config.targets,
        ),
    )
    if found.unchecked:
        say(unchecked_words(found.unchecked))
    if session.json:
        write_json(health_record(found))
        return EXIT_DONE
    _write_counts(dict(found.counts))
    for section in sections(found):
        write_line("")
        write_line(section.title)
        for row in section.rows:
            _write_row(row)
    return EXIT_DONE


def _write_row(row: HealthRow) -> None:
    """Write a figure with its bar and note; a note that has no room beside them follows below."""
    label = pad(clip(reveal(row.label), _LABEL_CELLS), _LABEL_CELLS)
    line = f"  {label}{row.value:>{_VALUE_CELLS}}"
    note = reveal(row.note)
    if row.is_memory:
        write_line(clip(f"{line}  {note}", _WIDTH))
        return
    if row.share is not None:
        line = f"{line}  {bar(row.share, _BAR_CELLS)}"
    if cell_width(line) + 2 + cell_width(note) <= _WIDTH:
        write_line(f"{line}  {note}".rstrip())
        return
    write_line(line.rstrip())
    for part in textwrap.wrap(note, _WIDTH - len(_INDENT)):
        write_line(_INDENT + part)


def _write_counts(counts: dict[str, object]) -> None:
    for name, value in counts.items():
        if isinstance(value, int):
            write_line(f"{name}: {value:,}")
    for name in ("by_status", "by_project"):
        groups = counts.get(name)
        if isinstance(groups, dict) and groups:
            said = ", ".join(f"{number:,} {reveal(str(key))}" for key, number in groups.items())
            write_line(f"{name.replace('_', ' ')}: {said}")
