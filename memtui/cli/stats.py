"""`memtui stats`."""

from __future__ import annotations

import argparse

from memtui.cli.output import write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.health import HealthOptions, health
from memtui.curate.health_report import bar, health_record, sections
from memtui.errors import EXIT_DONE
from memtui.text.sanitising import reveal
from memtui.text.width import clip, pad

_LABEL_CELLS, _VALUE_CELLS, _BAR_CELLS = 18, 9, 24
_LONGEST_LINE = 200


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
    if session.json:
        write_json(health_record(found))
        return EXIT_DONE
    _write_counts(dict(found.counts))
    for section in sections(found):
        write_line("")
        write_line(section.title)
        for row in section.rows:
            drawn = bar(row.share, _BAR_CELLS) + "  " if row.share is not None else ""
            label = pad(clip(reveal(row.label), _LABEL_CELLS), _LABEL_CELLS)
            line = f"  {label}{row.value:>{_VALUE_CELLS}}  {drawn}{reveal(row.note)}"
            write_line(clip(line, _LONGEST_LINE).rstrip())
    return EXIT_DONE


def _write_counts(counts: dict[str, object]) -> None:
    for name, value in counts.items():
        if isinstance(value, int):
            write_line(f"{name}: {value:,}")
    for name in ("by_status", "by_project"):
        groups = counts.get(name)
        if isinstance(groups, dict) and groups:
            said = ", ".join(f"{number:,} {reveal(str(key))}" for key, number in groups.items())
            write_line(f"{name.replace('_', ' ')}: {said}")
