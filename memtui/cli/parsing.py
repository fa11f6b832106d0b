"""Parsers, global options, and option sets that commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

from memtui.cli.output import write_line
from memtui.cli.registry import (
    BY_NAME,
    COMMANDS,
    DESCRIPTION,
    Command,
    command_position,
    help_text,
    version_text,
)
from memtui.errors import UsageError
from memtui.text.sanitize import without_surrogates
from memtui.text.words import did_you_mean, unknown


class _WholeWords(argparse.HelpFormatter):
    """A layout of help that breaks lines between words only, so that names with hyphens can be found and copied."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in self._split_lines(text, width - len(indent)))


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting and takes no abbreviations."""

    def __init__(self, **options: object) -> None:
        self._options: list[str] = []  # Words that may be options, of the line that is read
        self._default: tuple[str, Parser] | None = None  # The action that is run where none is named
        options.setdefault("allow_abbrev", False)
        options.setdefault("formatter_class", _WholeWords)
        super().__init__(**options)  # type: ignore[arg-type] # argparse's own keywords, passed through

    def add_flag(self, name: str, help_text: str) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=help_text)

    def add_value(self, name: str, metavar: str, help_text: str, **options: Any) -> None:
        """Add an argument, or an option with a value."""
        self.add_argument(name, metavar=metavar, help=help_text, **options)

    def drop_option(self, name: str) -> None:
        """Take a global option away whose name means something else in this command."""
        action = self._option_string_actions.pop(name)
        for actions in (self._actions, *(group._group_actions for group in self._action_groups)):  # noqa: SLF001 - argparse has no public way to do it
            if action in actions:
                actions.remove(action)

    def add_actions(self) -> Callable[..., Parser]:
        """Return a function (name, help, run) that adds a subcommand and returns its parser.

        `is_default`: whether it is the action where only its options are given.
        """
        actions, parent = self.add_subparsers(dest="action", metavar="ACTION"), global_options()

        def add(name: str, help_text: str, run: object, *, is_default: bool = False) -> Parser:
            child: Parser = actions.add_parser(name, parents=[parent], help=help_text)
            child.set_defaults(run=run)
            if is_default:
                self._default = (name, child)
            return child

        return add

    def read(self, words: Sequence[str], namespace: argparse.Namespace | None = None) -> argparse.Namespace:
        """Return the arguments; words after an option still belong to the list before it.

        Raises:
            UsageError: names the nearest option.
            SystemExit: `--help` was answered.
        """
        words = self._with_action(words)
        self._options = [word for word in _split_at_dashes(words)[0] if word.startswith("--")]
        arguments, rest = self.parse_known_args(words, namespace)
        before, after = _split_at_dashes(rest)
        texts = [word for word in before if not word.startswith("-")] + after
        name = self._chosen(arguments)._list_name()  # noqa: SLF001 - another parser
        if rest and (name is None or len(texts) < len(rest) - ("--" in rest)):
            raise self._unrecognised(rest)
        if rest and name is not None:
            setattr(arguments, name, [*(getattr(arguments, name) or ()), *texts])
        return arguments

    def _with_action(self, words: Sequence[str]) -> list[str]:
        """Return the words with the default action named, where they begin with one of its options."""
        place = 0
        while place < len(words):
            name, has_value, _ = words[place].partition("=")
            own = self._option_string_actions.get(name)
            if own is None:
                break
            place += 1 if own.nargs == 0 or has_value else 2
        if self._default is None or place >= len(words):
            return list(words)
        action, child = self._default
        is_its_own = words[place].partition("=")[0] in child._option_string_actions  # noqa: SLF001 - another parser
        return [*words[:place], *([action] if is_its_own else []), *words[place:]]

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that names the command's help; an unknown option explains a missing argument."""
        known = set(self._option_names())
        unknown = [word for word in self._options if word.split("=", 1)[0] not in known]
        if unknown and "are required" in message:
            raise self._unrecognised(unknown)
        dashed = "Write a value that starts with a dash as --option=VALUE. " if "expected one arg" in message else ""
        raise UsageError(message[:1].upper() + message[1:], remedy=f"{dashed}See `{self.prog} --help`.")

    def _list_name(self) -> str | None:
        """Return the name of the one argument that takes several words, None if there is none."""
        lists = [action.dest for action in self._actions if not action.option_strings and action.nargs in {"+", "*"}]
        return lists[0] if len(lists) == 1 else None

    def _nested(self) -> Iterator[argparse._SubParsersAction[Parser]]:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
                yield action

    def _chosen(self, arguments: argparse.Namespace) -> Parser:
        """Return the parser of the subcommand that the arguments name, else this one."""
        for action in self._nested():
            child = action.choices.get(str(getattr(arguments, action.dest, None)))
            return child._chosen(arguments) if child else self  # noqa: SLF001 - another parser
        return self

    def _option_names(self) -> Iterator[str]:
        """Yield every option of this parser and of its subcommands."""
        for action in self._actions:
            yield from action.option_strings
        for subparsers in self._nested():
            for child in subparsers.choices.values():
                yield from child._option_names()  # noqa: SLF001 - another parser

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [str(name) for name in action.choices]
        what = action.option_strings[-1].lstrip("-") if action.option_strings else str(action.metavar).lower()
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
            what = f"action of `{self.prog}`"
        raise unknown(what, str(value), names)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        # argparse would take the value of `--title=--` for an end of options and store an empty list.
        if action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _unrecognised(self, rest: Sequence[str]) -> UsageError:
        option = next((word for word in _split_at_dashes(rest)[0] if word.startswith("-")), None)
        usage = f"See `{self.prog} --help`."
        if option is None:
            advice = "Quote text with spaces."
            if "--where" in self._option_names():
                advice = f"`{self.prog}` takes no text: use `--where 'QUERY'`."
            return UsageError("Too many arguments", where=" ".join(rest), remedy=f"{advice} {usage}")
        advice = f"Write `--` before text that starts with a dash. {usage}"
        remedy = did_you_mean(option.split("=", 1)[0], self._option_names(), then=advice)
        return UsageError("Unknown option", where=option, remedy=remedy)


def whole_number(text: str) -> int:
    """Return a whole number, for argparse."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:60]!r}") from None


def at_least(least: int) -> Callable[[str], int]:
    """Return the argparse type of whole numbers from a least one."""

    def read(text: str) -> int:
        number = whole_number(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be {least} or more, not {number}")
        return number

    return read


def number(text: str) -> float:
    """Return a number, for argparse."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text[:60]!r}") from None


def global_options() -> Parser:
    """Return a parent parser with the options that every command takes."""
    parser = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = parser.add_argument_group("global options")
    group.add_argument("--vault", metavar="PATH", help="the vault file or its folder")
    group.add_argument(
        "--project", metavar="NAME", help="this project and global (default: the project of the working directory)"
    )
    group.add_argument("--actor", metavar="NAME", help="the agent's name; what an agent adds waits in the inbox")
    group.add_argument("--json", action="store_true", help="print JSON")
    return parser


def configure(parser: Parser, command: Command) -> Parser:
    """Add a command's arguments and `run` to a parser; its description is the docstring of `run`."""
    add_arguments, run = import_module(f"memtui.cli.{command.module}").COMMANDS[command.name]
    parser.description = run.__doc__ or command.help
    parser.set_defaults(run=run)
    add_arguments(parser)
    return parser


def command_parser(command: Command) -> Parser:
    """Return the parser of one command."""
    return configure(Parser(prog=f"memtui {command.name}", parents=[global_options()]), command)


def full_parser() -> Parser:
    """Return one parser with every command, for completion scripts and the reference."""
    parent = global_options()
    parser = Parser(prog="memtui", parents=[parent], description=DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        # Completion menus show the description: one line, not the paragraph of `--help`.
        configure(
            commands.add_parser(command.name, parents=[parent], help=command.help), command
        ).description = command.help
    return parser


def parse(argv: list[str]) -> argparse.Namespace | None:
    """Return the arguments of a command with its `run`; None where help or the version was printed.

    Without a command the namespace holds the global options alone.

    Raises:
        UsageError: the arguments are wrong.
        SystemExit: `COMMAND --help` was answered.
    """
    argv = [word if word.isascii() or os.path.lexists(word) else without_surrogates(word) for word in argv]
    position = command_position(argv)
    top = Parser(prog="memtui", parents=[global_options()], add_help=False)
    top.add_argument("-h", "--help", action="store_true")
    top.add_argument("--version", action="store_true")
    before = top.read(argv[:position])
    if before.help or before.version or "--version" in _split_at_dashes(argv[position:])[0]:
        write_line(help_text() if before.help else version_text())
        return None
    if position == len(argv):
        return before
    name = argv[position]
    if name not in BY_NAME:
        remedy = did_you_mean(name, BY_NAME, then="`memtui --help` lists the commands.")
        raise UsageError("Unknown command", where=name, remedy=remedy)
    arguments = command_parser(BY_NAME[name]).read(argv[position + 1 :], before)
    arguments.command = name
    return arguments


def _split_at_dashes(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words before and after the first `--`."""
    at = words.index("--") if "--" in words else len(words)
    return list(words[:at]), list(words[at + 1 :])


def add_ids(parser: Parser, *, nargs: str = "+") -> None:
    """Add the ids of memories."""
    parser.add_value("id", "ID", "ids or their first characters", nargs=nargs)


def add_id(parser: Parser, what: str = "an id or its first characters") -> None:
    """Add one id."""
    parser.add_value("id", "ID", what)


def add_repeatable(parser: Parser, name: str, metavar: str, help_text: str) -> None:
    """Add an option that may be given several times."""
    parser.add_value(name, metavar, f"{help_text}; repeatable", action="append", default=[])


def add_allow_secret(parser: Parser, what: str = "it") -> None:
    """Add the option that stores what looks like a secret."""
    parser.add_flag("--allow-secret", f"store {what} even if it looks like a secret")


def add_reason(parser: Parser) -> None:
    """Add the reason of a decision."""
    parser.add_value("--why", "TEXT", "the reason", default="")
    add_allow_secret(parser, "the reason")


def add_where(parser: Parser, help_text: str) -> None:
    """Add a query that selects memories."""
    parser.add_value("--where", "QUERY", f"{help_text}: 'kind:note age>180d -pinned \"exact words\"'")


def add_if_version(parser: Parser) -> None:
    """Add the version that a decision is based on."""
    help_text = "only if this is still its version, else exit 4"
    parser.add_value("--if-version", "N", help_text, type=whole_number)


def add_all_projects(parser: Parser) -> None:
    """Add the option that looks beyond the project in view."""
    parser.add_flag("--all-projects", "every project, and unassigned memories")


def add_limit(parser: Parser, default: str, *, least: int = 0) -> None:
    """Add the largest number of rows."""
    parser.add_value("--limit", "N", f"maximum number of rows (default: {default})", type=at_least(least))


def add_kinds(parser: Parser) -> None:
    """Add the kinds that memories must have."""
    add_repeatable(parser, "--kind", "KIND", "only this kind")


def add_files(parser: Parser, help_text: str = "a file you are working on") -> None:
    """Add paths."""
    add_repeatable(parser, "--file", "PATH", help_text)


def add_list_changes(parser: Parser, tag: str, file: str) -> None:
    """Add the options that add and remove tags and files."""
    for name, metavar, what in (("tag", "TAG", tag), ("file", "PATH", file)):
        add_repeatable(parser, f"--add-{name}", metavar, f"add {what}")
        add_repeatable(parser, f"--remove-{name}", metavar, f"remove {what}")
