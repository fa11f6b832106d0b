"""`memtui stats`."""

from __future__ import annotations

import argparse

from memtui.cli.output import write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.counting import count_vault
from memtui.errors import EXIT_DONE


def configure(parser: Parser) -> None:
    """Add no options."""


def run(arguments: argparse.Namespace, session: Session) -> int:  # noqa: ARG001 - every command is called alike
    """Print counts."""
    counts = count_vault(session.vault, session.view.scope, threshold=session.config.review.threshold)
    if session.json:
        write_json(counts)
        return EXIT_DONE
    for name, value in counts.items():
        if isinstance(value, dict):
            write_line(f"{name.replace('_', ' ')}:")
            write_table([["  " + str(key), f"{number:,}"] for key, number in value.items()])
        else:
            write_line(f"{name.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
    return EXIT_DONE
