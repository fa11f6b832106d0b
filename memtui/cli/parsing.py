"""Parsers: global options that stand before or after the subcommand, and errors as memtui's own."""

from __future__ import annotations

import argparse
from typing import NoReturn

from memtui.cli.registry import BY_NAME, COMMANDS, Command, load
from memtui.errors import UsageError

DESCRIPTION = "The terminal workbench for the memories of AI coding assistants. Without a command it opens the app."

GLOBAL_OPTIONS_WITH_VALUE = ("--actor", "--vault", "--project")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting and takes no abbreviations."""

    def __init__(self, **options: object) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)  # type: ignore[arg-type] # argparse's own keywords, passed through

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that names the command's help."""
        raise UsageError(message[:1].upper() + message[1:], remedy=f"See `{self.prog} --help`.")


def global_options() -> Parser:
    """Return a parent parser with the options that every command takes."""
    parser = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = parser.add_argument_group("global options")
    group.add_argument("--vault", metavar="PATH", help="the vault file, or the folder that holds it")
    group.add_argument(
        "--project", metavar="NAME", help="that project and global (default: the one of the folder you are in)"
    )
    group.add_argument("--actor", metavar="NAME", help="an agent's name; what it adds waits in the inbox")
    group.add_argument("--json", action="store_true", help="print JSON")
    return parser


def command_parser(command: Command, parent: Parser) -> Parser:
    """Return the parser of one command."""
    module = load(command)
    parser = Parser(
        prog=f"memtui {command.name}",
        parents=[parent],
        description=getattr(module, "DESCRIPTIONS", {}).get(
            command.name, command.help[:1].upper() + command.help[1:] + "."
        ),
    )
    module.configure(parser)
    return parser


def parse(argv: list[str]) -> tuple[Command | None, argparse.Namespace]:
    """Return the command and its arguments; None opens the app.

    Raises:
        UsageError: the words are wrong.
        SystemExit: `--help` or `--version` was answered.
    """
    parent = global_options()
    position = _command_position(argv)
    top = Parser(prog="memtui", parents=[parent], add_help=False)
    top.add_argument("-h", "--help", action="store_true")
    top.add_argument("--version", action="store_true")
    before = top.parse_args(argv[:position])
    if before.help:
        print(help_text())
        raise SystemExit(0)
    if before.version or "--version" in _until_dashes(argv[position:]):
        from memtui import __version__

        print(f"memtui {__version__}")
        raise SystemExit(0)
    if position == len(argv):
        return None, before
    name = argv[position]
    command = BY_NAME.get(name)
    if command is None:
        raise _unknown_command(name)
    arguments = command_parser(command, parent).parse_args(argv[position + 1 :], before)
    arguments.command = name
    return command, arguments


def _command_position(argv: list[str]) -> int:
    """Return the index of the first word that is no global option."""
    index = 0
    while index < len(argv):
        word = argv[index]
        if word in GLOBAL_OPTIONS_WITH_VALUE:
            index += 2
        elif word.startswith("-"):
            index += 1
        else:
            return index
    return len(argv)


def _until_dashes(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def _unknown_command(name: str) -> UsageError:
    from difflib import get_close_matches

    close = get_close_matches(name, BY_NAME, n=1)
    hint = f"Did you mean `memtui {close[0]}`?" if close else "`memtui --help` lists the commands."
    return UsageError("Unknown command", where=name, remedy=hint)


def help_text() -> str:
    """Return the help of `memtui` itself."""
    lines = ["usage: memtui [--vault PATH] [--project NAME] [--actor NAME] [--json] [COMMAND …]", "", DESCRIPTION, ""]
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += [] if group == COMMANDS[0].group else [""]
            lines.append(f"{group}:")
        lines.append(f"  {command.name:<12}{command.help}")
    lines += [
        "",
        "Global options, before or after the command:",
        "  --vault PATH    the vault file, or the folder that holds it (default: MEMTUI_VAULT, else your data folder)",
        "  --project NAME  that project and global (default: the one of the folder you are in)",
        "  --actor NAME    an agent's name (default: MEMTUI_ACTOR, else you); what an agent adds waits in the inbox",
        "  --json          print JSON",
        "  --version       print the version",
        "",
        "Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing found, 4 conflict, 5 vault busy, 6 refused, 7 findings.",
        "`memtui COMMAND --help` tells more. Memory is advice to an assistant, not a barrier: what must not happen",
        "belongs into permissions, hooks and tests.",
    ]
    return "\n".join(lines)


def full_parser() -> Parser:
    """Return one parser with every command, for completion scripts and the reference."""
    parent = global_options()
    parser = Parser(prog="memtui", parents=[parent], description=DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        module = load(command)
        child = commands.add_parser(command.name, parents=[parent], help=command.help)
        module.configure(child)
    return parser
