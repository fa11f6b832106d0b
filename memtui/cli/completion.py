"""`memtui completion`."""

from __future__ import annotations

import argparse

from memtui.cli.output import write_line
from memtui.cli.parsing import Parser, full_parser, one_of
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE

SHELLS = ("bash", "zsh", "fish", "tcsh")

DESCRIPTIONS = {
    "completion": 'Print a completion script. bash: eval "$(memtui completion bash)"; '
    "zsh: memtui completion zsh > a file "
    "_memtui in a folder of $fpath; fish: memtui completion fish > ~/.config/fish/completions/memtui.fish"
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))


def run(arguments: argparse.Namespace, session: Session) -> int:  # noqa: ARG001 - every command is called alike
    """Print the script."""
    import shtab

    one_of(arguments.shell, shtab.SUPPORTED_SHELLS, what="shell")
    write_line(shtab.complete(full_parser(), shell=arguments.shell))
    return EXIT_DONE
