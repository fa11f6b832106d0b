"""The README's references, made from the code: commands from the parsers, keys from the app's registry of acts.

`python -m memtui.cli.reference` writes both into the README of a checkout.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

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


def keys_reference() -> str:
    """Return the app's keys as a Markdown table: a row per act, with the id that `[keys]` remaps it by."""
    from memtui.tui.actions.registry import ACTIONS
    from memtui.tui.keymap import Keymap

    keymap = Keymap()
    lines = ["| where | keys | act | id |", "|---|---|---|---|"]
    for action in sorted(ACTIONS, key=lambda action: action.owner):
        keys = " ".join(f"`{key}`" for key in keymap.shown(action).split()) or "palette"
        lines.append(f"| {action.owner} | {keys} | {action.title} | `{action.id}` |")
    return "\n".join(lines) + "\n"


def written_into(text: str) -> str:
    """Return a README with both references between their marks."""
    for name, made in (("reference", reference()), ("keys", keys_reference())):
        start, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, found, rest = text.partition(start)
        if found:
            text = before + start + made + end + rest.partition(end)[2]
    return text


if __name__ == "__main__":
    readme = Path(__file__).parents[2] / "README.md"
    readme.write_text(written_into(readme.read_text(encoding="utf-8")), encoding="utf-8")
