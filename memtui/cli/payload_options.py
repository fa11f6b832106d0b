"""The options that shape a payload, of every command that makes one."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.cli import parsing
from memtui.cli.parsing import Parser, at_least
from memtui.cli.session import Session
from memtui.pack.options import SECRET_CHOICES
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.formats import target_names
from memtui.recall.eligibility import PHASES


def context_options(parser: Parser) -> None:
    """Add the options."""
    add_choices(parser)
    parser.add_flag("--diff", "on stderr: what has changed since this task's last pack")
    parser.add_flag("--copy", "also copy it to the clipboard, which records the pack")
    parser.add_flag("--record", "record the pack, so that feedback can be given on it")
    parser.add_flag("--explain", "on stderr: every score, what was withheld and why, and what would bring it in")


def add_choices(parser: Parser) -> None:
    """Add the task and everything that shapes its payload."""
    parser.add_value("task", "TASK", "what you are about to do, in your words", nargs="*")
    parsing.add_files(parser)
    add_size(parser)
    parser.add_value("--max", "N", "maximum number of memories", type=at_least(0), dest="most")
    add_target(parser, "the target that the payload is written for")
    parser.add_value(
        "--phase", "P", "plan, implement, debug, review, refactor, test or release (default: guessed)", choices=PHASES
    )
    parser.add_value("--as-of", "DATE", "what was valid on that day")
    parser.add_value(
        "--secrets",
        "CHOICE",
        "memories that may contain a secret: withhold, mask or allow (default: from the configuration, else withhold)",
        choices=SECRET_CHOICES,
    )
    add_ticks(parser)
    parser.add_flag("--unconfirmed", "also candidates waiting in the inbox, marked as such")
    parser.add_flag("--with-loaded", "also what the target loads automatically from CLAUDE.md and similar files")
    parser.add_flag("--fast", "for hooks: use only words, files and links; token counts are estimates, rounded up")


def add_size(parser: Parser) -> None:
    """Add what a payload may take, and how much of each memory goes into it."""
    parser.add_value("--budget", "N", "1200, 2k, `10000 chars`, `32 KiB` (default: 1200 tokens)")
    parser.add_value(
        "--style",
        "STYLE",
        "full, or compiled: the parts closest to the task in far fewer tokens (default: from the configuration, "
        "else full)",
        choices=STYLES,
    )


def add_target(parser: Parser, help_text: str) -> None:
    """Add the option that names a target."""
    parser.add_value(
        "--target",
        "T",
        f"{help_text}: {', '.join(target_names())} (default: from the configuration, else chat)",
        type=str.lower,
        choices=target_names(),
    )


def add_ticks(parser: Parser) -> None:
    """Add the options that include and exclude memories by hand."""
    parser.add_value(
        "--with",
        "ID",
        "include this memory even if it would be withheld, within the budget; repeatable",
        action="append",
        default=[],
        dest="with_ids",
    )
    parsing.add_repeatable(parser, "--without", "ID", "exclude this memory")


def ticked(session: Session, put_in: Sequence[str], left_out: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids that were included and excluded by hand, by their first characters."""
    if not put_in and not left_out:
        return frozenset(), frozenset()
    return frozenset(session.resolve(put_in)), frozenset(session.resolve(left_out))
