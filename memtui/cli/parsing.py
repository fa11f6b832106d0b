"""Parsers: global options that stand before or after the subcommand, and errors as memtui's own."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from memtui.cli.helping import DESCRIPTION, help_text
from memtui.cli.registry import BY_NAME, COMMANDS, Command, load
from memtui.errors import UsageError
from memtui.text.sanitize import without_surrogates
from memtui.text.suggest import did_you_mean

GLOBAL_OPTIONS_WITH_VALUE = ("--actor", "--vault", "--project")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting and takes no abbreviations."""

    def __init__(self, **options: object) -> None:
        self._words: list[str] = []
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)  # type: ignore[arg-type] # argparse's own keywords, passed through

    def read(self, words: Sequence[str], namespace: argparse.Namespace | None = None) -> argparse.Namespace:
        """Return the arguments; words after an option still belong to the list before it.

        Raises:
            UsageError: names the nearest option.
            SystemExit: `--help` was answered.
        """
        self._words = list(words)
        arguments, rest = self.parse_known_args(words, namespace)
        texts = [word for word in _until_dashes(rest) if not word.startswith("-")] + _after_dashes(rest)
        name = self.chosen(arguments).list_name()
        if rest and (name is None or len(texts) < len(rest) - ("--" in rest)):
            raise self._unrecognised(rest)
        if rest and name is not None:
            setattr(arguments, name, [*(getattr(arguments, name) or ()), *texts])
        return arguments

    def list_name(self) -> str | None:
        """Return the name of the one argument that takes several words, None if there is none."""
        lists = [action.dest for action in self._actions if not action.option_strings and action.nargs in {"+", "*"}]
        return lists[0] if len(lists) == 1 else None

    def chosen(self, arguments: argparse.Namespace) -> Parser:
        """Return the parser of the subcommand that the arguments name, else this one."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
                child = action.choices.get(str(getattr(arguments, action.dest, None)))
                return child.chosen(arguments) if isinstance(child, Parser) else self
        return self

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that names the command's help.

        A word that looks like an option and is none explains a missing argument.
        """
        known = set(self.option_names())
        strange = [word for word in _until_dashes(self._words) if word.startswith("--") and _option(word) not in known]
        if strange and "are required" in message:
            raise self._unrecognised(strange)
        dashed = "A value that begins with a dash is written --option=VALUE. " if "expected one arg" in message else ""
        raise UsageError(message[:1].upper() + message[1:], remedy=f"{dashed}See `{self.prog} --help`.")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:  # noqa: SLF001 - argparse has no public name for it
            one_of(str(value), action.choices, what=f"action of `{self.prog}`")
        elif action.choices is not None and action.option_strings:
            one_of(str(value), map(str, action.choices), what=action.option_strings[-1].lstrip("-"))
        super()._check_value(action, value)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        # argparse would take the value of `--title=--` for an end of options and store an empty list.
        if action.nargs is None and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def _unrecognised(self, rest: Sequence[str]) -> UsageError:
        option = next((word for word in _until_dashes(list(rest)) if word.startswith("-")), None)
        if option is None:
            return UsageError(
                "Too many words", where=" ".join(rest), remedy=f"Put a text in quotes. See `{self.prog} --help`."
            )
        hint = did_you_mean(_option(option), self.option_names())
        return UsageError(
            "Unknown option",
            where=option,
            remedy=f"{hint}Write `--` before a text that begins with a dash. See `{self.prog} --help`.",
        )

    def option_names(self) -> Iterator[str]:
        """Yield every option of this parser and of its subcommands."""
        for action in self._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
                for child in action.choices.values():
                    yield from child.option_names()


def _option(word: str) -> str:
    return word.split("=", 1)[0]


def one_of(value: str, known: Iterable[str], *, what: str) -> str:
    """Return a value that must be one of a few.

    Raises:
        UsageError: names the nearest, and all of them.
    """
    names = list(known)
    if value in names:
        return value
    raise UsageError(
        f"Unknown {what}", where=value, remedy=did_you_mean(value, names, then=f"One of {', '.join(names)}.")
    )


def whole_number(text: str) -> int:
    """Return a whole number, for argparse.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:60]!r}") from None


def number(text: str) -> float:
    """Return a number, for argparse.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text[:60]!r}") from None


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
    argv = [word if os.path.lexists(word) else _encodable(word) for word in argv]
    parent = global_options()
    position = _command_position(argv)
    top = Parser(prog="memtui", parents=[parent], add_help=False)
    top.add_argument("-h", "--help", action="store_true")
    top.add_argument("--version", action="store_true")
    before = top.read(argv[:position])
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
    arguments = command_parser(command, parent).read(argv[position + 1 :], before)
    arguments.command = name
    return command, arguments


def _encodable(word: str) -> str:
    """Return an argument without the lone surrogates that stand for bytes that are no text; paths keep them."""
    return without_surrogates(word)


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


def _after_dashes(words: list[str]) -> list[str]:
    return words[words.index("--") + 1 :] if "--" in words else []


def _unknown_command(name: str) -> UsageError:
    return UsageError(
        "Unknown command", where=name, remedy=did_you_mean(name, BY_NAME, then="`memtui --help` lists the commands.")
    )


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
