"""The command-line reference of the README, made from the parsers: `python -m memtui.cli.reference`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from memtui.cli.parsing import Parser, command_parser, global_options
from memtui.cli.registry import COMMANDS

_GLOBAL = {"--vault", "--project", "--actor", "--json", "--help"}


def reference() -> str:
    """Return the reference as Markdown: a section per group, a block per command."""
    lines: list[str] = []
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += [f"### {group}", ""]
        parser = command_parser(command, global_options())
        lines += [f"**`memtui {command.name}{_positionals(parser)}`** {command.help}", ""]
        rows = [*_options(parser), *_actions(parser)]
        lines += [*rows, ""] if rows else []
    return "\n".join(lines).rstrip() + "\n"


def _positionals(parser: argparse.ArgumentParser) -> str:
    words = []
    for action in parser._actions:  # noqa: SLF001 - argparse offers no public list of its actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            name = str(action.metavar or action.dest)
            words.append({"+": f"{name}…", "*": f"[{name}…]", "?": f"[{name}]"}.get(str(action.nargs), name))
    return "".join(f" {word}" for word in words)


def _options(parser: argparse.ArgumentParser, indent: str = "") -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 - as above
        names = [name for name in action.option_strings if name.startswith("--")]
        if names and names[0] not in _GLOBAL:
            value = f" {action.metavar}" if action.metavar and action.nargs != 0 else ""
            yield f"{indent}- `{names[0]}{value}` {action.help}"


def _actions(parser: Parser) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            helps = {choice.dest: choice.help for choice in action._choices_actions}  # noqa: SLF001 - as above
            for name, child in action.choices.items():
                yield f"- `{parser.prog} {name}{_positionals(child)}` {helps.get(name, '')}"
                yield from _options(child, "  ")


if __name__ == "__main__":
    print(reference(), end="")
